"""The measures: trec_eval's published numbers, and definitions written down again."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from palmares.errors import InputError
from palmares.scoring.retrieval import Qrels, RetrievalScores, Run, Runs, read_qrels, read_run, score_retrieval
from palmares.scoring.retrieval.measures import evaluated

OURS = {
    "P@5": "P_5", "P@10": "P_10", "NDCG@5": "ndcg_cut_5", "NDCG@10": "ndcg_cut_10", "MAP": "map", "Rprec": "Rprec",
    "bpref": "bpref", "rel. retrieved": "num_rel_ret",
}  # fmt: skip
File = Callable[..., Path]


# -- published -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nist(real_data: Path) -> Path:
    return real_data / "trec_eval"


@pytest.fixture(scope="module")
def published(nist: Path) -> dict[tuple[str, str], str]:
    """trec_eval's own output, by measure and query (``all`` for the summary)."""
    lines = [line.split(None, 2) for line in (nist / "out.test.aq").read_text().splitlines()]
    return {(measure, query): value.strip() for measure, query, value in lines}


@pytest.mark.real
def test_the_summary_is_that_of_trec_eval(nist: Path, published: dict[tuple[str, str], str]) -> None:
    scores = score_retrieval(nist / "qrels.test", {"STANDARD": nist / "results.test"}, resamples=0)
    summary = dict(line.split()[::2] for line in (nist / "out.test.a").read_text().splitlines())
    for name, theirs in OURS.items():
        value = scores.comparison(name).values[0]
        assert value == pytest.approx(float(published[theirs, "all"]), abs=5e-5), name
        assert value == pytest.approx(float(summary[theirs]), abs=5e-5), name


@pytest.mark.real
def test_every_query_is_that_of_trec_eval(nist: Path, published: dict[tuple[str, str], str]) -> None:
    scores = score_retrieval(nist / "qrels.test", {"STANDARD": nist / "results.test"}, resamples=0)
    assert scores.queries == ("301", "302", "303")
    for name, theirs in OURS.items():
        for row, query in enumerate(scores.queries):
            assert scores.per_query[name][row, 0] == pytest.approx(float(published[theirs, query]), abs=5e-5)


@pytest.mark.real
def test_what_else_trec_eval_prints_comes_out_of_the_library_too(
    nist: Path, published: dict[tuple[str, str], str]
) -> None:
    """All measures that pytrec_eval has, from what our readers read.

    But for interpolated precision, where releases of trec_eval round the cut-off in recall differently; it is not
    among the measures of `palmares score retrieval`.
    """
    library = pytest.importorskip("pytrec_eval")
    qrels = {query: dict(grades) for query, grades in read_qrels(nist / "qrels.test").grades.items()}
    run = {query: dict(found) for query, found in read_run(nist / "results.test").scores.items()}
    measures = set(library.supported_measures) - {"runid", "relstring", "iprec_at_recall", "11pt_avg"}
    values = library.RelevanceEvaluator(qrels, measures).evaluate(run)
    names = sorted(values["301"])
    assert len(names) > 70
    for name in names:
        for query, found in values.items():
            if (name, query) in published:
                assert found[name] == pytest.approx(float(published[name, query]), abs=5.1e-5), (name, query)
        whole = library.compute_aggregated_measure(name, [found[name] for found in values.values()])
        assert whole == pytest.approx(float(published[name, "all"]), abs=5.1e-5), name


# -- definitions, written down again -------------------------------------------------------------------


def by_definition(grades: dict[str, int], found: dict[str, float], level: int) -> dict[str, float]:
    """All measures of one query, by the definitions of Manning et al. (2008, chapter 8), Buckley & Voorhees (2004) and
    Järvelin & Kekäläinen (2002), as trec_eval has them.
    """
    order = [d for d, _ in sorted(found.items(), key=lambda item: (float(np.float32(item[1])), item[0]))][::-1]
    relevant = {d for d, grade in grades.items() if grade >= level}
    bad = {d for d, grade in grades.items() if 0 <= grade < level}
    hits = [d in relevant for d in order]

    def precision(k: int) -> float:
        return sum(hits[:k]) / k

    def gain(listing: list[int], k: int) -> float:
        return sum(max(grade, 0) / math.log2(place + 1) for place, grade in enumerate(listing[:k], 1))

    def ndcg(k: int) -> float:
        best = gain(sorted(grades.values(), reverse=True), k)
        return gain([grades.get(d, 0) for d in order], k) / best if best > 0 else 0.0

    total = len(relevant)
    preferred, above = 0.0, 0
    for document in order:
        if document in bad:
            above += 1
        elif document in relevant:
            preferred += 1 - (min(above, total) / min(total, len(bad)) if above else 0)
    return {
        "P@5": precision(5),
        "P@10": precision(10),
        "NDCG@5": ndcg(5),
        "NDCG@10": ndcg(10),
        "MAP": sum(precision(k) for k, hit in enumerate(hits, 1) if hit) / total if total else 0.0,
        "Rprec": precision(total) if total else 0.0,
        "bpref": preferred / total if total else 0.0,
        "rel. retrieved": float(sum(hits)),
    }


def random_query(rng: np.random.Generator) -> tuple[dict[str, int], dict[str, float]]:
    """Judged and retrieved documents that overlap, with ties, negative grades and lists of all lengths."""
    documents = [f"d{i}" for i in range(40)]
    judged = rng.choice(documents, rng.integers(1, 30), replace=False)
    found = rng.choice(documents, rng.integers(1, 40), replace=False)
    scores = np.round(rng.normal(size=len(found)), rng.integers(0, 3))
    return (
        {str(d): int(rng.integers(-1, 4)) for d in judged},
        {str(d): float(s) for d, s in zip(found, scores, strict=True)},
    )


@pytest.mark.parametrize("level", [1, 2, 3])
def test_measures_are_what_their_definitions_say(level: int) -> None:
    rng = np.random.default_rng(level)
    queries = {f"q{i}": random_query(rng) for i in range(200)}
    qrels = Qrels("qrels", {name: grades for name, (grades, _) in queries.items()})
    run = Run({name: found for name, (_, found) in queries.items()})
    table = evaluated(qrels, run, list(queries), level)
    expected = np.array([list(by_definition(*query, level).values()) for query in queries.values()])
    np.testing.assert_allclose(table, expected, atol=1e-12)
    assert (table[:, :7] > 0).any(axis=0).all()
    assert (table[:, :7] < 1).any(axis=0).all()


# -- which queries count -------------------------------------------------------------------------------

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq3 0 a 2\nq4 0 a 0\n"


def scored(file: File, *, monolingual: dict[str, dict[str, float]] | None = None, **options: object) -> RetrievalScores:
    runs = Runs(
        {
            "A": Run({"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}, "q9": {"a": 1.0}}),
            "B": Run({"q1": {"b": 2.0, "a": 1.0}, "q3": {"a": 1.0}, "q4": {"a": 1.0}}),
        },
        None if monolingual is None else Run(monolingual),
    )
    return score_retrieval(file(QRELS, "qrels"), runs, resamples=0, **options)  # type: ignore[arg-type]


def test_queries_that_a_run_does_not_have_count_as_zero(file: File) -> None:
    scores = scored(file)
    assert scores.queries == ("q1", "q2", "q3", "q4")
    assert scores.comparison("MAP").values == pytest.approx([2 / 4, (1 / 2 + 1) / 4])
    assert scores.comparison("rel. retrieved").values.tolist() == [2, 2]
    assert scores.notes == (
        "A: nothing retrieved for 2 queries (q3, q4); counted as 0",
        "A: no judgments of 1 query (q9); left out",
        "B: nothing retrieved for 1 query (q2); counted as 0",
        "no relevant document for 1 query (q4); they count as 0 for every system, as in trec_eval",
    )


def test_or_only_those_count_that_every_run_has(file: File) -> None:
    scores = scored(file, over="answered")
    assert scores.queries == ("q1",)
    assert scores.comparison("MAP").values == pytest.approx([1, 1 / 2])
    assert "left out, because not every run has them: 3 queries (q2, q3, q4); the others are averaged over" in (
        scores.notes
    )
    with pytest.raises(InputError, match="no judged query is in every run"):
        scored(file, over="answered", monolingual={"q4": {"a": 1.0}})


def test_the_least_relevant_grade_can_be_chosen(file: File) -> None:
    assert scored(file, level=2).comparison("rel. retrieved").values.tolist() == [0, 1]
    for wrong in ({"level": 0}, {"over": "all"}):
        with pytest.raises(InputError, match=r"got .*; allowed: "):
            scored(file, **wrong)


def test_a_run_of_other_queries_is_refused(file: File) -> None:
    runs = Runs({"A": Run({"301": {"a": 1.0}})})
    with pytest.raises(InputError, match=r"A: none of its queries is judged; it has 1 query \(301\), and .* has 4 que"):
        score_retrieval(file(QRELS), runs, resamples=0)


def test_systems_that_retrieve_the_same_are_noted(file: File) -> None:
    same = {"q1": {"a": 1.0}}
    runs = Runs({"A": Run(same), "B": Run({"q1": {"b": 1.0}}), "C": Run(dict(same))})
    assert "A retrieves the same as C" in score_retrieval(file(QRELS), runs, resamples=0).notes


def test_judgments_without_any_relevant_document_are_refused(file: File) -> None:
    with pytest.raises(
        InputError, match="no document is relevant: the largest grade is 2, and level 3; give the least"
    ):
        scored(file, level=3)


def test_bpref_without_bad_documents_is_told_for_what_it_is(file: File) -> None:
    runs = Runs({"A": Run({"q1": {"x": 2.0, "a": 1.0}})})
    scores = score_retrieval(file("q1 0 a 1\nq1 0 b 1\n"), runs, resamples=0)
    assert scores.comparison("bpref").values == pytest.approx([0.5])
    assert scores.notes == (
        "no document is judged as not relevant; bpref is then the share of relevant ones that are retrieved",
    )
