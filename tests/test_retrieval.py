"""`score retrieval`: systems compared over queries, with each other and with the search that needs no translation."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from palmares.compute import Execution
from palmares.errors import InputError
from palmares.report import OUTPUTS
from palmares.report.tables import Grouped, rendered
from palmares.scoring.retrieval import RetrievalScores, Run, Runs, run_text, score_retrieval, search_translations

MEASURES = ["P@5", "P@10", "NDCG@5", "NDCG@10", "MAP", "Rprec", "bpref", "rel. retrieved"]
File = Callable[..., Path]


# -- campaigns whose truth is known --------------------------------------------------------------------
#
# Every query has one relevant document, r, and a run puts it on some place: MAP is the mean of 1 / place, P@5 the share
# of places up to 5, divided by 5.


def at_places(places: np.ndarray) -> Run:
    """A run with the relevant document of query i at ``places[i]``, of 20."""
    return Run(
        {
            f"q{i:04}": {("r" if k == place else f"d{k}"): 20.0 - k for k in range(1, 21)}
            for i, place in enumerate(places.tolist())
        }
    )


def drawn(rng: np.random.Generator, queries: int, systems: int) -> np.ndarray:
    """Places in queries that are easy or hard for all systems alike: an array (systems, queries)."""
    ease = rng.beta(1, 2, queries)
    return np.minimum(rng.geometric(np.clip(ease, 0.05, None), (systems, queries)), 20)


def qrels_file(file: File, queries: int) -> Path:
    return file("".join(f"q{i:04} 0 r 1\nq{i:04} 0 d1 0\n" for i in range(queries)), f"qrels-{queries}")


def scored(file: File, places: np.ndarray, *, monolingual: bool = False, **options: object) -> RetrievalScores:
    """Scores of systems with these places; the last is the monolingual search, if asked for."""
    runs = [at_places(each) for each in places]
    named = {chr(ord("A") + i): run for i, run in enumerate(runs[:-1] if monolingual else runs)}
    given = Runs(named, runs[-1] if monolingual else None)
    options = {"rng": 0, **options}
    return score_retrieval(qrels_file(file, places.shape[1]), given, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def places() -> np.ndarray:
    return drawn(np.random.default_rng(5), 60, 4)


def test_values_are_means_over_queries(places: np.ndarray, file: File) -> None:
    scores = scored(file, places, monolingual=True, resamples=0)
    assert [c.measure.name for c in scores.comparisons] == MEASURES
    np.testing.assert_allclose(scores.comparison("MAP").values, (1 / places[:3]).mean(axis=1))
    np.testing.assert_allclose(scores.comparison("P@5").values, (places[:3] <= 5).mean(axis=1) / 5)
    assert scores.comparison("rel. retrieved").values.tolist() == [60, 60, 60]
    np.testing.assert_allclose(scores.with_monolingual[4].values, (1 / places).mean(axis=1))
    assert scores.systems == ("A", "B", "C")
    assert "monolingual" not in scores.comparisons[0].systems


def test_intervals_are_those_of_the_t_distribution(file: File) -> None:
    """Of means of many queries: theory that knows nothing of a bootstrap."""
    places = drawn(np.random.default_rng(1), 100, 2)
    comparison = scored(file, places).comparison("MAP")
    values = 1 / places
    half = t.ppf(0.975, 99) * values.std(axis=1, ddof=1) / np.sqrt(100)
    np.testing.assert_allclose(np.diff(comparison.intervals).ravel() / 2, half, rtol=0.04)
    lead = values[0] - values[1]
    expected = 2 * t.sf(abs(lead.mean()) / (lead.std(ddof=1) / 10), 99)
    assert np.min([comparison.chances[0, 1], comparison.chances[1, 0]]) == pytest.approx(expected, abs=0.03)


def test_gaps_to_the_monolingual_search(places: np.ndarray, file: File) -> None:
    scores = scored(file, places, monolingual=True)
    gap = next(gap for gap in scores.gaps if (gap.system, gap.measure) == ("B", "MAP"))
    one, other = 1 / places[1], 1 / places[3]
    assert gap.difference == pytest.approx(one.mean() - other.mean())
    assert gap.share == pytest.approx(one.mean() / other.mean())
    half = t.ppf(0.975, 59) * (one - other).std(ddof=1) / np.sqrt(60)
    assert gap.interval is not None
    assert np.diff(gap.interval)[0] / 2 == pytest.approx(half, rel=0.05)
    # The delta method: what moves a ratio of means.
    shift = (one - gap.share * other).std(ddof=1) / other.mean() / np.sqrt(60)
    assert gap.share_interval is not None
    assert np.diff(gap.share_interval)[0] / 2 == pytest.approx(t.ppf(0.975, 59) * shift, rel=0.1)
    retrieved = next(gap for gap in scores.gaps if gap.measure == "rel. retrieved")
    assert (retrieved.difference, retrieved.interval, retrieved.p, retrieved.share) == (0, None, 1.0, 1.0)


def test_a_monolingual_search_that_finds_nothing_has_no_shares(file: File) -> None:
    runs = Runs({"A": at_places(np.full(10, 1))}, Run({f"q{i:04}": {"d5": 1.0} for i in range(10)}))
    scores = score_retrieval(qrels_file(file, 10), runs, rng=0)
    assert {gap.share for gap in scores.gaps} == {None}
    assert {gap.share_interval for gap in scores.gaps} == {None}
    assert "–" in rendered("score retrieval", [Grouped(scores)], "table").text


def test_nothing_depends_on_where_it_runs_or_on_the_order_of_files(places: np.ndarray, file: File) -> None:
    one = scored(file, places, execution=Execution("threads", 3), resamples=2000).to_dict()
    two = scored(file, places, execution=Execution("serial"), resamples=2000).to_dict()
    assert one == two
    other = scored(file, places, rng=1, resamples=2000).to_dict()
    assert other["measures"] != one["measures"]
    turned = file("".join(reversed(qrels_file(file, 60).read_text().splitlines(keepends=True))), "turned")
    runs = Runs({chr(ord("A") + i): at_places(each) for i, each in enumerate(places)})
    assert score_retrieval(turned, runs, rng=0, resamples=2000).to_dict()["measures"] == one["measures"]


def test_too_few_queries_have_no_intervals(file: File) -> None:
    few = drawn(np.random.default_rng(2), 4, 2)
    with pytest.raises(InputError, match=r"got 4 quer.*; a bootstrap needs at least 5 .* --resamples 0"):
        scored(file, few)
    assert scored(file, few, resamples=0).comparisons[0].samples is None
    notes = scored(file, drawn(np.random.default_rng(2), 10, 2)).notes
    assert any("only 10 quer" in note and "9 degrees of freedom" in note for note in notes)
    with pytest.raises(InputError, match=r"20 resamples are too few for p = 0\.05"):
        scored(file, drawn(np.random.default_rng(2), 10, 2), resamples=20)


@pytest.mark.slow
def test_intervals_hold_the_truth_and_equal_systems_are_seldom_told_apart(file: File) -> None:
    """400 campaigns of 50 queries, WMT14's number. The truth is that of a million queries, drawn apart.

    At a level of 5 %, shares of 400 have a standard error of .011; percentile intervals of a mean that is bounded and
    skew, as MAP is, may be off by another .02.
    """
    truth = (1 / drawn(np.random.default_rng(99), 1_000_000, 1)[0]).mean()
    rng = np.random.default_rng(17)
    covered, apart, jointly, gaps = [], [], [], []
    for _ in range(400):
        scores = scored(file, drawn(rng, 50, 4), monolingual=True, resamples=1000)
        comparison = scores.comparison("MAP")
        covered += [low <= truth <= high for low, high in comparison.intervals[:1]]
        pair = comparison.chances[:2, :2]
        apart.append(pair.min() <= 0.05)
        jointly.append(comparison.joint_chances.min() <= 0.05)
        gap = next(gap for gap in scores.gaps if (gap.system, gap.measure) == ("A", "MAP"))
        assert gap.p is not None
        gaps.append(gap.p <= 0.05)
    assert 0.91 <= np.mean(covered) <= 0.985
    for name, share in (("pair", np.mean(apart)), ("joint", np.mean(jointly)), ("monolingual", np.mean(gaps))):
        assert 0.01 <= share <= 0.095, (name, share)


@pytest.mark.slow
def test_a_difference_that_is_there_is_found(file: File) -> None:
    """Places of the second system are those of the first, three further back in half of the queries."""
    rng = np.random.default_rng(23)
    found = []
    for _ in range(100):
        first = drawn(rng, 50, 1)[0]
        second = np.minimum(first + 3 * rng.integers(0, 2, 50), 20)
        chances = scored(file, np.stack([first, second]), resamples=1000).comparison("MAP").chances
        found.append(chances[0, 1] <= 0.05)
    assert np.mean(found) > 0.95


# -- the command ---------------------------------------------------------------------------------------


@pytest.fixture
def files(places: np.ndarray, file: File) -> list[object]:
    """Arguments: judgments, and runs of three systems and of the monolingual search."""
    runs = [file(run_text(at_places(each), "x"), f"{name}.run") for name, each in zip("ABCM", places, strict=True)]
    return [
        "--qrels", qrels_file(file, 60), "--run", f"A={runs[0]}", "--run", f"B={runs[1]}", "--run", runs[2],
        "--monolingual", runs[3], "--resamples", 1000,
    ]  # fmt: skip


def test_the_table_is_ordered_by_map_with_the_monolingual_row_below(
    ok: Callable, files: list, places: np.ndarray
) -> None:
    result = ok("score", "retrieval", *files)
    lines = result.out.splitlines()
    assert re.split(" {2,}", lines[0]) == ["system", *MEASURES, "MAP, of monolingual", "p"]
    best_first = np.argsort(-(1 / places[:3]).mean(axis=1))
    assert [line.split()[0] for line in lines[2:5]] == ["ABC"[i] for i in best_first]
    assert set(lines[5]) == {"─"}
    assert lines[6].startswith("monolingual")
    assert "•" not in lines[6]
    assert lines[-1].startswith("task:retrieval|queries:60|over:judged|level:1|evaluator:pytrec_eval-terrier-")
    assert "|resamples:1000|unit:query|p:0.05|seed:0|data:" in lines[-1]


#: Rows are about other systems, and the baseline needs no name.
WITHOUT_MONOLINGUAL = {("--pairs", output) for output in OUTPUTS} | {("--gaps", "csv")}


@pytest.mark.parametrize("part", [None, "--pairs", "--gaps", "--per-query"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_every_part_is_shown_in_every_format(part: str | None, output: str, ok: Callable, files: list) -> None:
    text = ok("score", "retrieval", *files, *([part] if part else []), "--format", output).out
    for word in ("A", "MAP", "NDCG@10"):
        assert word in text
    assert ("monolingual" in text) is (output == "json" or (part, output) not in WITHOUT_MONOLINGUAL)


def test_the_json_has_the_documented_shape(ok: Callable, files: list, places: np.ndarray) -> None:
    shown = json.loads(ok("score", "retrieval", *files, "--per-query", "--format", "json").out)
    assert list(shown) == [
        "lang_pair", "signature", "systems", "measures", "queries", "monolingual", "notes", "record", "per_query"
    ]  # fmt: skip
    assert [each["measure"] for each in shown["measures"]] == MEASURES
    assert set(shown["monolingual"]["measures"]) == set(MEASURES)
    assert len(shown["monolingual"]["gaps"]) == 3 * len(MEASURES)
    assert shown["per_query"]["q0007"]["MAP"] == pytest.approx(
        dict(zip(["A", "B", "C", "monolingual"], 1 / places[:, 7], strict=True))
    )
    assert [each["format"] for each in shown["record"]["input"]["files"]] == [
        "qrels", "run A", "run B", "run C", "run monolingual"
    ]  # fmt: skip
    assert "pytrec_eval-terrier" in shown["record"]["versions"]


def test_the_csv_has_a_row_a_system_and_measure(ok: Callable, files: list) -> None:
    result = ok("score", "retrieval", *files, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert len(rows) == 4 * len(MEASURES)
    last = rows[-1]
    assert (last["system"], last["measure"], last["winner"]) == ("monolingual", "rel. retrieved", "")
    assert "task:retrieval" in result.err
    gaps = list(csv.DictReader(io.StringIO(ok("score", "retrieval", *files, "--gaps", "--format", "csv").out)))
    assert list(gaps[0])[1:] == [
        "system", "measure", "difference", "low", "high", "p", "share", "share_low", "share_high"
    ]  # fmt: skip


def test_a_result_can_be_made_again(ok: Callable, files: list, file: File) -> None:
    path = file(ok("score", "retrieval", *files, "--format", "json").out, "result.json")
    assert ok("verify", path).out.splitlines()[2].split()[1] == "equal"


@pytest.fixture
def searching(file: File) -> list[object]:
    """Arguments: a collection of 40 documents, eight queries, and the translations of two systems."""
    rng = np.random.default_rng(8)
    words = [f"word{i}" for i in range(30)]
    documents = {f"d{i}": rng.choice(words, 12) for i in range(40)}
    queries = {f"q{i}": rng.choice(words, 3, replace=False) for i in range(8)}
    worse = {name: [word if rng.random() < 0.7 else "unknown" for word in query] for name, query in queries.items()}
    qrels = [
        f"{query} 0 {name} {int(len(set(asked) & set(bag)) == 3)}\n"
        for query, asked in queries.items()
        for name, bag in documents.items()
        if set(asked) & set(bag)
    ]
    return [
        "--qrels", file("".join(qrels), "qrels"),
        "--documents", file("".join(f"{name}\t{' '.join(bag)}\n" for name, bag in documents.items()), "docs.tsv"),
        "--queries", file("".join(f"{name}\t{' '.join(words)}\n" for name, words in queries.items()), "queries.tsv"),
        "--translations", f"good={file(''.join(' '.join(words) + chr(10) for words in queries.values()), 'good')}",
        "--translations", f"bad={file(''.join(' '.join(words) + chr(10) for words in worse.values()), 'bad')}",
    ]  # fmt: skip


def test_queries_that_are_translated_well_find_what_the_queries_find(
    ok: Callable, searching: list, file: File, tmp_path: Path
) -> None:
    result = ok("score", "retrieval", *searching, "--write-runs", tmp_path / "runs")
    lines = result.out.splitlines()
    assert lines[2].split()[0] == "good"
    assert "100.0 %" in lines[2]
    assert "note: good retrieves the same as monolingual" in lines
    assert "|engine:bm25s-" in lines[-1]
    assert "|method:lucene|k1:1.2|b:0.75|" in lines[-1]
    assert "|stopwords:english|stemming:none|depth:1000|documents:40|queries:8|" in lines[-1]
    written = {name: tmp_path / "runs" / f"{name}.run" for name in ("good", "bad", "monolingual")}
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == sorted(f"{name}.run" for name in written)
    again = ok(
        "score", "retrieval", *searching[:2], "--run", written["good"], "--run", written["bad"],
        "--monolingual", written["monolingual"],
    ).out.splitlines()  # fmt: skip
    assert again[:6] == lines[:6]


def test_a_search_can_be_made_again(ok: Callable, searching: list, file: File) -> None:
    text = ok("score", "retrieval", *searching, "--format", "json").out
    assert [each["format"] for each in json.loads(text)["record"]["input"]["files"]] == [
        "qrels", "documents", "queries", "translations good", "translations bad"
    ]  # fmt: skip
    assert ok("verify", file(text, "result.json")).out.splitlines()[2].split()[1] == "equal"


def test_what_is_wrong_with_judgments_is_told_before_a_long_search(refused: Callable, searching: list) -> None:
    arguments = [*searching]
    arguments[arguments.index("--documents") + 1] = "not-read-yet"
    assert "not-read-yet: no such file" in refused("score", "retrieval", *arguments)
    Path(str(arguments[1])).write_text("q1 0 d1 yes\n")
    assert "line 1: got grade 'yes'" in refused("score", "retrieval", *arguments)


def test_without_samples_there_is_neither_interval_nor_test(ok: Callable, searching: list) -> None:
    lines = ok("score", "retrieval", *searching, "--resamples", 0).out.splitlines()
    assert re.split(" {2,}", lines[0])[-1] == "MAP, of monolingual"
    assert not any("±" in line or "•" in line or line.startswith("p:") for line in lines)
    assert "unit:" not in lines[-1]
    assert "resamples:0" in lines[-1]


def test_the_page_shows_what_its_command_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 120 columns; but for the signature, which names versions."""
    root = Path(__file__).parents[1]
    shown = (root / "docs" / "retrieval.md").read_text("utf-8").split("```console\n")[1].split("```")[0].splitlines()
    subprocess.run([sys.executable, root / "examples" / "shared_tasks.py", tmp_path / "year"], check=True)
    monkeypatch.chdir(tmp_path)
    assert shown[0].startswith("$ palmares score retrieval ")
    options = shown[0].split()[4:]
    given = [(name, value) for name, value in zip(options[::2], options[1::2], strict=True)]
    one = {name: value for name, value in given if name != "--translations"}
    systems = dict(value.split("=") for name, value in given if name == "--translations")
    assert list(one) == ["--qrels", "--documents", "--queries"]
    runs = search_translations(one["--documents"], one["--queries"], systems)
    scores = score_retrieval(one["--qrels"], runs, rng=0)
    printed = rendered("score retrieval", [Grouped(scores)], "table", width=120).text.splitlines()
    assert printed[:-1] == shown[1:-1]


def test_relevant_documents_that_were_not_searched_are_noted(ok: Callable, searching: list) -> None:
    qrels = Path(str(searching[1]))
    qrels.write_text(qrels.read_text() + "q1 0 elsewhere 1\n")
    assert "relevant documents are not in the collection; they are never found" in ok(
        "score", "retrieval", *searching
    ).out  # fmt: skip


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "got no --run, and to search needs --documents, --queries, --translations too; give --run NAME=FILE"),
        (["--documents", "d"], "got no --run, and to search needs --queries, --translations too"),
        (["--run", "A=a", "--documents", "d"], "--run is for searches that were made elsewhere; leave out --documents"),
        (["--run", "A=a", "--k1", "2"], "leave out --k1, or --run"),
        (["--run", "A=a", "--write-runs", "d"], "leave out --write-runs, or --run"),
        (["--run", "A=a", "--gaps"], "--gaps: there is nothing to compare with; name the run of it with --monolingual"),
        (["--run", "A=a", "--run", "A=b"], "--run: A is given twice, as a and as b"),
        (["--monolingual", "m"], "--monolingual names a run, beside --run"),
        (["--run", "A=a", "--pairs", "--per-query"], "each show something else; give one of them"),
        (["--run", "A=nowhere"], "nowhere: no such file"),
    ],
)
def test_what_does_not_fit_together_is_refused(more: list[str], message: str, refused: Callable, file: File) -> None:
    assert message in refused("score", "retrieval", "--qrels", qrels_file(file, 5), *more)


def test_nothing_is_written_under_a_name_that_is_no_file(
    refused: Callable, searching: list, file: File, tmp_path: Path
) -> None:
    odd = [str(each).replace("good=", "cs/good=") if "good=" in str(each) else each for each in searching]
    message = refused("score", "retrieval", *odd, "--write-runs", tmp_path / "runs")
    assert "--write-runs: 'cs/good' cannot be the name of a file" in message
    assert not (tmp_path / "runs").exists()
