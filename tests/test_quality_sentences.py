"""`score quality-estimation sentences`: predictions of the quality of sentences."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from palmares.compute import Execution
from palmares.errors import InputError
from palmares.report.tables import OUTPUTS, Grouped, rendered
from palmares.scoring.quality.ordering import Ordering, errors_of, pearson_of, place_weights
from palmares.scoring.quality.sentences import SentenceScores, automatic_resamples, score_sentences
from palmares.scoring.resampling import Samples, Units

COMMAND = ("score", "quality-estimation", "sentences")
GOLD = [10.0, 20, 30, 40, 50, 60]


def some(count: int = 40, systems: int = 3, seed: int = 1) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels, and predictions that are rounded, so that some are tied."""
    rng = np.random.default_rng(seed)
    gold = rng.gamma(2, 10, count).round(1)
    return gold, {f"s{i}": np.round(gold + rng.normal(0, 5 * (i + 1), count)) for i in range(systems)}


def scored(gold: object = GOLD, label: str = "time", **more: object) -> SentenceScores:
    systems = more.pop("systems", {"a": GOLD, "b": GOLD[::-1]})
    return score_sentences(gold, systems, label=label, **{"resamples": 0, "rng": 0, **more})


# -- measures ----------------------------------------------------------------------------------------


def delta_avg(predicted: np.ndarray, gold: np.ndarray, higher_is_better: bool) -> float:
    """By the definition, word for word: sort, cut into quantiles, average the heads, average over n."""
    keyed = [(-p if higher_is_better else p, i) for i, p in enumerate(predicted)]
    ranked = [float(gold[i]) for _, i in sorted(keyed)]
    size, deltas = len(ranked), []
    for n in range(2, size // 2 + 1):
        q = size // n
        quantiles = [ranked[k * q : (k + 1) * q] for k in range(n - 1)]
        quantiles.append(ranked[(n - 1) * q :])
        heads = [[label for quantile in quantiles[:k] for label in quantile] for k in range(1, n)]
        mean_of_heads = sum(sum(head) / len(head) for head in heads) / (n - 1)
        deltas.append(mean_of_heads - sum(ranked) / size)
    delta = sum(deltas) / len(deltas)
    return delta if higher_is_better else -delta


@pytest.mark.parametrize("count", [4, 5, 6, 7, 11, 24, 53, 100])
@pytest.mark.parametrize("label", ["time", "quality"])
def test_delta_avg_is_what_its_definition_says(count: int, label: str) -> None:
    gold, systems = some(count)
    values = scored(gold, label, systems=systems, variant="ranking").comparison("DeltaAvg").values
    expected = [delta_avg(each, gold, label == "quality") for each in systems.values()]
    assert values == pytest.approx(expected)


def test_delta_avg_by_hand() -> None:
    # Six sentences of 10, …, 60 s in perfect order. n = 2: q = 3, V(first 3) = 20. n = 3: q = 2, V(2) = 15, V(4) = 25.
    # Mean of all: 35. DeltaAvg[2] = 35 − 20 = 15, DeltaAvg[3] = 35 − (15 + 25)/2 = 15; the mean is 15.
    result = scored()
    assert result.comparison("DeltaAvg").values[0] == pytest.approx(15)
    # Reversed, the quantiles of two are (60, 50), (40, 30), (20, 10): 35 − (55 + 45)/2 = −15, and 35 − 50 = −15: it is
    # negative, since a reversed ranking is worse than none.
    assert result.comparison("DeltaAvg").values[1] == pytest.approx(-15)


def test_tied_predictions_stay_in_the_order_of_the_file_and_a_note_says_so() -> None:
    result = scored(systems={"flat": [1.0] * 6})
    assert result.comparison("DeltaAvg").values[0] == pytest.approx(15)  # the file is in perfect order
    assert any("tied: flat (6)" in note and "order of the file" in note for note in result.notes)


def test_delta_avg_in_samples_is_that_of_the_sentences_that_were_drawn() -> None:
    gold, systems = some(30)
    units = Units.named([str(i // 4) for i in range(30)], "document")  # the last has two: samples differ in size
    picks = np.random.default_rng(3).integers(0, units.count, (25, units.count))
    statistic = Ordering.of([*systems.values()], -gold, (0.25,))
    values = statistic.of_samples(Samples(picks, units))
    for sample, found in zip(picks, values, strict=True):
        # A sentence drawn twice takes two places, beside itself where predictions are tied.
        drawn = np.repeat(np.arange(30), [np.count_nonzero(sample == units.codes[i]) for i in range(30)])
        for number, predicted in enumerate(systems.values()):
            assert found[number] == pytest.approx(delta_avg(predicted[drawn], gold[drawn], False))
            assert found[3 + number] == pytest.approx(spearmanr(predicted[drawn], gold[drawn])[0])
            first = np.argsort(predicted[drawn], kind="stable")[: max(1, int(len(drawn) * 0.25 + 0.5))]
            assert found[6 + number] == pytest.approx(gold[drawn].mean() - gold[drawn][first].mean())


def test_weights_of_places_add_up_to_nothing_and_fall() -> None:
    for count in (4, 9, 500):
        total = place_weights(count)
        assert total[[0, -1]] == pytest.approx([0, 0], abs=1e-12)
        assert (np.diff(np.diff(total)) <= 1e-15).all()


def test_correlations_and_errors_are_those_of_other_programs() -> None:
    gold, systems = some(60)
    result = scored(gold, systems=systems)
    columns = [*systems.values()]
    assert result.comparison("Spearman").values == pytest.approx([spearmanr(x, gold)[0] for x in columns])
    assert result.comparison("Pearson").values == pytest.approx([pearsonr(x, gold)[0] for x in columns])
    assert result.comparison("MAE").values == pytest.approx([np.abs(x - gold).mean() for x in columns])
    assert result.comparison("RMSE").values == pytest.approx([np.sqrt(((x - gold) ** 2).mean()) for x in columns])
    assert scored(gold, "quality", systems=systems).comparison("Spearman").values == pytest.approx(
        [spearmanr(x, gold)[0] for x in columns]
    )


def test_errors_and_correlations_in_samples_are_those_of_the_sentences_that_were_drawn() -> None:
    gold, systems = some(24)
    scores = np.array([*systems.values()])
    units = Units.named([str(i // 5) for i in range(24)], "document")
    picks = np.random.default_rng(4).integers(0, units.count, (20, units.count))
    single = Units.single(units.count, "document")
    errors = errors_of(scores, gold, units).of_samples(Samples(picks, single))
    pearson = pearson_of(scores, gold, units).of_samples(Samples(picks, single))
    for sample, error, r in zip(picks, errors, pearson, strict=True):
        drawn = np.concatenate([np.flatnonzero(units.codes == unit) for unit in sample])
        off = scores[:, drawn] - gold[drawn]
        assert error == pytest.approx([*np.abs(off).mean(axis=1), *np.sqrt((off**2).mean(axis=1))])
        assert r == pytest.approx([pearsonr(x[drawn], gold[drawn])[0] for x in scores])


def test_what_has_no_value_is_said() -> None:
    result = scored(systems={"a": GOLD, "flat": [30.0] * 6}, resamples=200)
    for name in ("Pearson", "Spearman"):
        assert np.isnan(result.comparison(name).values[1])
        assert any(note.startswith(f"{name} is not defined for flat") for note in result.notes)
    assert np.isfinite(result.comparison("MAE").values).all()


# -- tests and samples -------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_result_wherever_it_runs() -> None:
    gold, systems = some()
    serial, threads = (
        score_sentences(gold, systems, label="time", resamples=700, savings=(0.5,), rng=3, execution=execution)
        for execution in (Execution("serial"), Execution("threads", workers=3))
    )
    assert serial.to_dict() == threads.to_dict()
    assert serial.to_dict() != scored(gold, systems=systems, resamples=700, savings=(0.5,), rng=4).to_dict()


def test_a_clearly_better_system_wins_alone_and_others_do_not_differ_from_the_baseline() -> None:
    rng = np.random.default_rng(2)
    gold = rng.gamma(2, 10, 150)
    systems = {name: gold + rng.normal(0, noise, 150) for name, noise in (("good", 2), ("base", 20), ("same", 20))}
    result = scored(gold, systems=systems, resamples=1000, baseline="base")
    for comparison in result.comparisons:
        assert comparison.winners.tolist() == [True, False, False]
        assert result.against_baseline(comparison) == ("better", None, "no difference")


def test_how_many_samples_are_drawn_goes_by_the_sizes_alone() -> None:
    assert automatic_resamples(10, 1000) == {"MAE": 1_000_000, "Spearman": 100_000}
    assert automatic_resamples(6, 208) == {"MAE": 1_000_000, "Spearman": 100_000}
    # 20 systems, 10,000 sentences: 4e10 / 2e5 and 4e9 / 2e5.
    assert automatic_resamples(20, 10_000) == {"MAE": 200_000, "Spearman": 20_000}
    assert automatic_resamples(100, 1_000_000) == {"MAE": 1_000, "Spearman": 1_000}


def test_the_signature_says_how_many_of_what_were_drawn() -> None:
    gold, systems = some(8)
    assert (
        "|unit:sentence|resamples:1000000|other_resamples:100000|"
        in score_sentences(gold, {"a": systems["s0"]}, label="time", rng=0).signature
    )
    assert "|resamples:300|p:" in scored(gold, systems=systems, resamples=300).signature
    assert "|unit:" not in scored().signature


def test_documents_are_drawn_where_there_are_enough() -> None:
    gold, systems = some(60)
    alike = [str(i // 6) for i in range(60)]
    assert "unit:document" in scored(gold, systems=systems, documents=alike, resamples=200).signature
    few = scored(gold, systems=systems, documents=[str(i // 30) for i in range(60)], resamples=200)
    assert "unit:sentence" in few.signature
    assert any(note.startswith("only 2 documents, too few to draw from") for note in few.notes)
    assert "unit:sentence" in scored(gold, systems=systems, documents=alike, unit="sentence", resamples=200).signature


# -- what systems may predict ------------------------------------------------------------------------


def test_scales() -> None:
    shares = scored([0.1, 0.2, 0.5, 0.9], "hter-share", systems={"a": [0.1, 0.3, 0.5, 1.1]})
    assert shares.comparison("MAE").values == pytest.approx([100 * 0.3 / 4])
    assert any("outside the scale of the labels" in note and "a (1)" in note for note in shares.notes)
    milliseconds = scored([1000.0, 2000, 3000, 4000], "time-ms", systems={"a": [1500.0, 2000, 3000, 4000]})
    assert milliseconds.comparison("MAE").values == pytest.approx([0.125])
    assert milliseconds.mean == pytest.approx(2.5)


def test_predictions_in_another_unit_are_asked_about() -> None:
    result = scored([10.0, 20, 30, 40], systems={"a": [0.01, 0.02, 0.03, 0.04], "b": [11.0, 19, 31, 39]})
    assert [note for note in result.notes if "same unit?" in note] == [
        "the largest prediction of a is 0.04 and the median label 25 seconds; are they in the same unit?"
    ]


@pytest.mark.parametrize(
    ("label", "values", "message"),
    [
        ("effort", "1\n2\n3.5\n2\n", r"lines? 3: a label of effort must lie between 1 and 3, but line 3 has 3.5"),
        ("hter", "0\n101\n3\n2\n", "between 0 and 100"),
        ("hter", "0\n0.5\n0.3\n1\n", "say --label hter-share"),
        ("hter-share", "0\n0.5\n30\n1\n", "between 0 and 1"),
        ("time", "-1\n0.5\n30\n1\n", "line 1"),
        ("time", "1\nnan\n30\n1\n", "line 2"),
        ("time", "1\ninf\n30\n1\n", "line 2"),
        ("time", "1\n0,5\n30\n1\n", "line 2.*decimals with a point"),
        ("time", "1\n\n30\n1\n", "line 2 is empty"),
        ("time", "", "the file is empty"),
    ],
)
def test_labels_that_are_none_are_refused_by_line(
    label: str, values: str, message: str, file: Callable[..., Path]
) -> None:
    with pytest.raises(InputError, match=message):
        scored(file(values, "gold.txt"), label, systems={"a": [1.0, 2, 3, 2]})


def submission(*rows: tuple[object, ...]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def test_submissions_have_scores_ranks_or_both(file: Callable[..., Path]) -> None:
    gold = [4.0, 3, 2, 1]
    both = submission(("M", 2, 3.5, 3), ("M", 1, 4.5, 4), ("M", 3, 2, 2), ("M", 4, 1, 1))
    ranks = submission(*(("R", i + 1, 0, 4 - i) for i in range(4)))
    scores = submission(*(("S", i, 5 - i, 0) for i in range(1, 5)))
    paths = {name: file(text, f"{name}.tsv") for name, text in (("both", both), ("ranks", ranks), ("scores", scores))}
    result = scored(gold, systems=paths)
    assert result.systems == ("both", "ranks", "scores")
    assert result.comparison("Spearman").values == pytest.approx([1, 1, 1])
    assert result.comparison("MAE").values[[0, 2]] == pytest.approx([0.25, 0])
    assert np.isnan(result.comparison("MAE").values[1])
    assert "all scores of ranks are 0, taken for none submitted" in result.notes
    assert "all ranks of scores are 0, taken for none submitted" in result.notes
    assert "MAE is not defined for ranks: it has no scores" in result.notes


def test_ranks_decide_the_order_and_are_compared_with_the_scores(file: Callable[..., Path]) -> None:
    turned = submission(*(("M", i + 1, 10 * (i + 1), 6 - i) for i in range(6)))
    result = scored(systems={"m": file(turned)})
    assert result.comparison("Spearman").values[0] == pytest.approx(-1)
    assert any(note.startswith("the ranks of m run against its scores (Spearman -1.00)") for note in result.notes)


def test_several_methods_in_a_file_are_several_systems(file: Callable[..., Path]) -> None:
    rows = [(method, i + 1, value, 0) for method in ("A", "B") for i, value in enumerate(GOLD)]
    result = scored(systems={"team": file(submission(*rows))})
    assert result.systems == ("team/A", "team/B")
    assert any(note == "team/B and team/A predict the same for every sentence" for note in result.notes)


def test_segments_may_be_numbered_from_nought(file: Callable[..., Path]) -> None:
    result = scored(systems={"m": file(submission(*(("M", i, v, 0) for i, v in enumerate(GOLD))))})
    assert result.comparison("MAE").values[0] == 0
    assert any("numbered from 0" in note for note in result.notes)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("M", 1, 1.0)], r"line 1 has 3 fields between tabs; a submission has 4"),
        ([("M", "x", 1.0, 1)], "line 1: got 'x' for the number of the segment"),
        ([("M", 1, 1.0, 1), ("M", 1, 2.0, 2)], "line 2: segment 1 of m stands in line 1 too"),
        ([("M", 1, 1.0, 1), ("M", 3, 2.0, 2)], "none for segment 2"),
        ([("M", 1, "nan", 1), ("M", 2, 2.0, 2)], "line 1: got 'nan'"),
        ([("M", 1, 1, 1), ("M", 2, 2, 2.5)], "line 2: got rank 2.5"),
        ([("M", 1, 1, 1), ("M", 2, 2, 3)], "line 2: got rank 3 for m; allowed: whole numbers from 1"),
        ([("M", 1, 0, 0), ("M", 2, 0, 0)], "all scores and ranks of m are 0"),
        ([("M", 1, 1, 1), ("M", 2, 2, 2)], "predicts 2 sentences, and there are 6 labels"),
    ],
)
def test_submissions_that_do_not_fit_are_refused_by_line(
    rows: list[tuple[object, ...]], message: str, file: Callable[..., Path]
) -> None:
    with pytest.raises(InputError, match=message):
        scored(systems={"m": file(submission(*rows))})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"label": "bleu"}, "label: got 'bleu'; allowed: effort"),
        ({"variant": "rank"}, "variant: got 'rank'"),
        ({"baseline": "z"}, "baseline: got 'z'; the systems are a, b"),
        ({"unit": "document"}, "give --documents FILE"),
        ({"documents": ["a"] * 5}, "names 5 documents, one per sentence, of 6"),
        ({"documents": ["a"] * 5 + [" "]}, "line 6 is empty"),
        ({"savings": [1.5]}, "shares between 0 and 1"),
        ({"savings": [0.5], "variant": "scoring"}, "savings are of the ranking variant"),
        ({"resamples": -1}, "at least 0"),
        ({"resamples": 10}, "10 resamples are too few for p = 0.05"),
        ({"systems": {}}, "got no system"),
        ({"systems": {"a": [1.0, np.nan, 3, 4, 5, 6]}}, "number 2 is nan"),
        ({"systems": {"a": [[1.0] * 6]}}, "one number per sentence"),
    ],
)
def test_options_that_cannot_be_are_refused(more: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scored(**more)


def test_few_sentences() -> None:
    with pytest.raises(InputError, match="DeltaAvg needs at least 4"):
        scored([1.0, 2, 3], systems={"a": [1.0, 2, 3]})
    with pytest.raises(InputError, match="a bootstrap needs at least 5"):
        scored([1.0, 2, 3, 4], systems={"a": [1.0, 2, 3, 5]}, resamples=100)
    assert any("only 6 sentences to draw from" in note for note in scored(resamples=200).notes)


def test_scores_of_one_system_and_of_labels_that_are_all_equal() -> None:
    result = scored([5.0] * 8, systems={"a": [4.0, 5, 6, 7, 5, 5, 5, 5]}, resamples=200)
    assert result.comparison("DeltaAvg").values[0] == pytest.approx(0, abs=1e-12)
    assert np.isnan(result.comparison("Spearman").values[0])
    assert str(result) == "<SentenceScores: 1 system, a first by MAE>"


# -- what is saved -----------------------------------------------------------------------------------


def test_savings_by_hand() -> None:
    # The best half by a is 10, 20, 30 s: 20 on average, 15 less than 35; by b 60, 50, 40: 15 more. A sixth: 10 and 60.
    half, sixth = scored(savings=(0.5, 1 / 6)).savings
    assert (half.sentences, sixth.sentences) == (3, 1)
    assert half.gained.values == pytest.approx([15, -15])
    assert sixth.gained.values == pytest.approx([25, -25])
    assert half.best == pytest.approx(15)
    (gained,) = scored(label="quality", savings=(0.5,)).savings  # b's lowest predictions come last
    assert gained.gained.values == pytest.approx([15, -15])


# -- the command -------------------------------------------------------------------------------------


@pytest.fixture
def files(file: Callable[..., Path]) -> dict[str, Path]:
    gold, systems = some(60)
    texts = {"gold": gold, **systems}
    return {name: file("".join(f"{v}\n" for v in values), f"{name}.txt") for name, values in texts.items()}


def arguments(files: dict[str, Path], *more: object) -> list[object]:
    systems = [f"--system={name}={path}" for name, path in files.items() if name != "gold"]
    return [*COMMAND, "--gold", files["gold"], "--label", "time", *systems, "--resamples", "300", *more]


def test_the_table_has_both_variants(files: dict[str, Path], ok: Callable) -> None:
    result = ok(*arguments(files, "--baseline", "s2"))
    scoring, ranking = result.out.split("\nranking\n")
    assert [line.split()[-1] for line in scoring.splitlines() if " ±" in line] == ["s0", "s1", "(baseline)"]
    assert "MAE and RMSE in seconds; 60 sentences" in scoring
    assert "DeltaAvg in seconds" in ranking
    assert (
        "label:time|variant:both|sentences:60|systems:3|baseline:s2|unit:sentence|resamples:300|p:0.05|seed:0"
        in ranking
    )


def test_the_sign_of_the_baseline(files: dict[str, Path], file: Callable[..., Path], ok: Callable) -> None:
    rng = np.random.default_rng(8)
    gold = np.loadtxt(files["gold"])
    for name in ("x", "y"):
        files[name] = file("".join(f"{v}\n" for v in gold + rng.normal(0, 20, 60)), f"{name}.txt")
    out = ok(*arguments(files, "--baseline", "x", "--variant", "scoring")).out
    (line,) = [line for line in out.splitlines() if line.endswith(" y")]
    assert "≈" in line
    assert "≈ no significant difference from the baseline" in out


def test_every_form_and_part(files: dict[str, Path]) -> None:
    gold, systems = some(60)
    result = scored(gold, systems=systems, resamples=300, savings=(0.25, 0.5), baseline="s0")
    for part in (None, "pairs", "savings"):
        for output in OUTPUTS:
            assert rendered("score quality-estimation sentences", [Grouped(result)], output, part).text
    assert result.table("savings").shape == (6, 10)
    assert result.table().shape[0] == 5 * 3


def test_json_and_verify(files: dict[str, Path], file: Callable[..., Path], ok: Callable, run: Callable) -> None:
    printed = ok(*arguments(files, "--savings", "--format", "json"))
    (entry,) = json.loads(printed.out)
    assert entry["label"]["name"] == "time"
    assert [m["measure"] for m in entry["measures"]] == ["MAE", "RMSE", "Pearson", "DeltaAvg", "Spearman"]
    assert [each["sentences"] for each in entry["savings"]] == [15, 30]
    assert len(entry["record"]["input"]["files"]) == 4
    assert entry["record"]["command"]["name"] == " ".join(COMMAND)
    recorded = file(printed.out, "result.json")
    assert ok("verify", recorded).status == 0
    files["s1"].write_text(files["s1"].read_text().replace("1", "2", 1))
    assert run("verify", recorded).status != 0


def test_savings_are_told_in_words(files: dict[str, Path], ok: Callable) -> None:
    out = ok(*arguments(files, "--savings")).out
    assert "The 25 % of sentences that s0 predicts to be best have a mean label of" in out
    assert "(a perfect order)" in out


def test_what_files_may_be_like(files: dict[str, Path], ok: Callable) -> None:
    expected = ok(*arguments(files)).out
    text = files["s0"].read_text()
    files["s0"].write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    packed = files["s1"].with_suffix(".txt.gz")
    packed.write_bytes(gzip.compress(files["s1"].read_bytes()))
    assert ok(*arguments({**files, "s1": packed})).out == expected


def test_what_is_refused_prints_nothing(files: dict[str, Path], file: Callable[..., Path], refused: Callable) -> None:
    assert "--savings and --pairs" in refused(*arguments(files, "--savings", "--pairs"))
    short = file("1\n2\n", "short.txt")
    assert "predicts 2 sentences, and there are 60 labels" in refused(*arguments({**files, "s3": short}))
    table = file("system_a,system_b\n1,2\n", "other.csv")
    assert "line 1: got 'system_a,system_b'" in refused(*arguments({**files, "s3": table}))
    assert "s0 is given twice" in refused(*arguments(files, "--system", f"s0={short}"))
    assert "no such file" in refused(*arguments({**files, "s3": Path("nowhere.txt")}))


def test_csv_puts_notes_on_standard_error(files: dict[str, Path], ok: Callable) -> None:
    result = ok(*arguments(files, "--format", "csv"))
    assert result.out.startswith("lang_pair,system,measure,group,value,low,high,winner,joint_winner\n")
    assert "note: of 60 predictions" in result.err
