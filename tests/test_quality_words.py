"""`score quality-estimation words`: predictions of which words are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, matthews_corrcoef

from palmares.errors import InputError
from palmares.report.tables import OUTPUTS, Grouped, rendered
from palmares.scoring.quality.typology import ERRORS, LABELS, coarser
from palmares.scoring.quality.words import WordScores, class_scores, label_scores, score_words

COMMAND = ("score", "quality-estimation", "words")
#: W14 §4.2: rows are predicted, columns are gold.
WORKED = [[4172, 1482, 193], [1819, 1333, 214], [198, 133, 69]]
GOLD = [("1", 0, "la", "OK"), ("1", 1, "casa", "Agreement"), ("1", 2, "rojo", "Agreement"), ("2", 0, "sí", "OK"),
        ("2", 1, "no", "Mistranslation"), ("2", 2, "voy", "OK")]  # fmt: skip


def test_the_worked_example_of_w14() -> None:
    scores = class_scores(WORKED, ["OK", "Fluency", "Accuracy"])
    # W14 took F1 of precision and recall rounded to four digits, so its last digit may be off by one.
    assert scores.f1 == pytest.approx([0.6932, 0.4222, 0.1575], abs=6e-5)
    assert scores.precision[0] == pytest.approx(0.7135, abs=5e-5)
    assert scores.recall[0] == pytest.approx(0.6741, abs=5e-5)
    assert (scores.f1_all, scores.f1_err) == pytest.approx((0.5836, 0.3854), abs=5e-5)
    # It is the table of FBK-UPV-UEDIN/RNN+tandem+crf, of which Table 18 has weighted MCC and accuracy.
    assert (100 * scores.mcc_all, 100 * scores.mcc_err) == pytest.approx((16.63, 13.89), abs=5e-3)
    assert 100 * scores.accuracy == pytest.approx(57.98, abs=5e-3)


def test_scores_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(4)
    gold = rng.choice(["OK", "a", "b", "c"], 300, p=[0.6, 0.2, 0.15, 0.05])
    predicted = np.where(rng.random(300) < 0.5, gold, rng.choice(["OK", "a", "b", "d"], 300))
    scores = label_scores(gold.tolist(), predicted.tolist())
    assert scores.classes == ("OK", "a", "b", "c", "d")
    expected = f1_score(gold, predicted, labels=scores.classes, average=None, zero_division=0)
    assert scores.f1 == pytest.approx(expected)
    assert scores.mcc == pytest.approx([matthews_corrcoef(gold == c, predicted == c) for c in scores.classes])
    assert scores.f1_all == pytest.approx(f1_score(gold, predicted, average="weighted", zero_division=0))
    errors = ["a", "b", "c"]
    assert scores.f1_err == pytest.approx(f1_score(gold, predicted, labels=errors, average="weighted", zero_division=0))
    weights = [np.mean(gold == c) for c in errors]
    assert scores.mcc_err == pytest.approx(np.average(scores.mcc[1:4], weights=weights))
    assert scores.accuracy == pytest.approx(accuracy_score(gold, predicted))
    table = confusion_matrix(gold, predicted, labels=scores.classes).T
    assert class_scores(table, scores.classes).f1 == pytest.approx(expected)


@pytest.mark.parametrize(
    ("confusion", "classes", "message"),
    [
        ([[1, 2]], ["OK", "BAD"], r"array of shape \(1, 2\)"),
        ([[1, 2], [3, 4]], ["OK", "OK"], "for the classes OK, OK"),
        ([[1, -2], [3, 4]], ["OK", "BAD"], "negative"),
        ([[0, 0], [0, 0]], ["OK", "BAD"], "all 0"),
        ([[1, np.nan], [3, 4]], ["OK", "BAD"], "not finite"),
    ],
)
def test_tables_that_cannot_be_are_refused(confusion: list, classes: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        class_scores(confusion, classes)
    with pytest.raises(InputError, match="2 gold labels and 1 predicted"):
        label_scores(["OK", "BAD"], ["OK"])


# -- published figures -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(real_data: Path) -> WordScores:
    folder = real_data / "qe14"
    return score_words(folder / "EN_ES.tgt_ann.test", training=folder / "EN_ES.tgt_ann.train", resamples=0, rng=0)


@pytest.mark.parametrize(
    ("granularity", "name", "expected"),
    [
        # W14 Table 17: weighted F1 of all, F1 of BAD, MCC, accuracy.
        ("binary", "always OK", {"F1-ALL": 50.43, "F1-BAD": 0, "MCC": 0, "ACC": 64.38}),
        ("binary", "always BAD", {"F1-ALL": 18.71, "F1-BAD": 52.53, "MCC": 0, "ACC": 35.62}),
        # Tables 18 and 19: weighted F1 and MCC of all and of errors, accuracy.
        ("level 1", "always OK", {"F1-ALL": 50.43, "F1-ERR": 0, "MCC-ALL": 0, "MCC-ERR": 0, "ACC": 64.38}),
        ("level 1", "always Fluency", {"F1-ALL": 14.39, "F1-ERR": 40.41, "MCC-ALL": 0, "MCC-ERR": 0, "ACC": 30.67}),
        ("multi-class", "always OK", {"F1-ALL": 50.43, "F1-ERR": 0, "MCC-ALL": 0, "MCC-ERR": 0, "ACC": 64.38}),
        ("multi-class", "always Unintelligible",
         {"F1-ALL": 7.93, "F1-ERR": 22.26, "MCC-ALL": 0, "MCC-ERR": 0, "ACC": 21.99}),
    ],
)  # fmt: skip
def test_the_trivial_baselines_of_wmt14(
    published: WordScores, granularity: str, name: str, expected: dict[str, float]
) -> None:
    assert (published.words, published.sentences) == (9613, 382)
    for measure, value in expected.items():
        (comparison,) = [c for c in published.with_baselines if c.measure.label == f"{measure} ({granularity})"]
        found = comparison.values[comparison.systems.index(name)]
        assert found == pytest.approx(value, abs=0.005), measure


def test_the_labels_of_wmt14_are_those_of_the_typology(published: WordScores) -> None:
    assert not [note for note in published.notes if "contradict" in note or "follow" in note]


def test_every_type_of_error_is_of_one_kind() -> None:
    assert [coarser(kind, "level 1") for kind in LABELS["multi-class"]] == [
        "OK",
        *(["Accuracy"] * 6),
        *(["Fluency"] * 14),
    ]
    assert len({kind for kinds in ERRORS.values() for kind in kinds}) == 20


# -- files -------------------------------------------------------------------------------------------


def table(*rows: tuple[object, ...]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def labelled(*labels: str) -> str:
    """A file of one label per word for the words of `GOLD`."""
    return table(*((*word[:3], label) for word, label in zip(GOLD, labels, strict=True)))


@pytest.fixture
def score(file: Callable[..., Path]) -> Callable[..., WordScores]:
    """Score files that are given as text."""

    def call(
        gold: str = table(*GOLD), *, training: str | None = None, systems: dict[str, str], **more: object
    ) -> WordScores:
        paths = {name: file(text, f"{name}.tsv") for name, text in systems.items()}
        learnt = None if training is None else file(training, "training.tsv")
        return score_words(file(gold, "gold.tsv"), paths, training=learnt, **{"resamples": 0, "rng": 0, **more})

    return call


def test_coarser_labels_follow_from_finer_ones(score: Callable[..., WordScores]) -> None:
    result = score(systems={"fine": labelled("OK", "word order", "Agreement", "Omission", "Mistranslation", "ok")})
    assert result.granularities == ("multi-class", "level 1", "binary")
    # Multi-class: errors in gold are Agreement twice (F1 = 2·1/(1 + 2)) and Mistranslation (F1 = 1).
    assert result.comparison("F1-ERR (multi-class)").values == pytest.approx([100 * (2 * 2 / 3 + 1) / 3])
    # Level 1: Fluency is right both times; Accuracy is predicted twice, right once: F1 = 2/3.
    assert result.comparison("F1-ERR (level 1)").values == pytest.approx([100 * (2 * 1 + 2 / 3) / 3])
    # Binary: 3 of 3 found, one too many: 2·3/(4 + 3).
    assert result.comparison("F1-BAD (binary)").values == pytest.approx([100 * 6 / 7])
    assert "fine: level 1 labels follow from multi-class ones" in result.notes
    assert "fine: binary labels follow from multi-class ones" in result.notes
    assert [*result.classes["binary"]["fine"].counts] == [3, 3]


def test_a_system_of_coarse_labels_is_not_scored_on_finer_ones(score: Callable[..., WordScores]) -> None:
    result = score(systems={
        "coarse": labelled("OK", "BAD", "OK", "OK", "BAD", "OK"),
        "middle": labelled("OK", "Fluency", "OK", "OK", "Accuracy", "OK"),
    })  # fmt: skip
    assert result.comparison("ACC (binary)").systems == ("coarse", "middle")
    assert result.comparison("ACC (level 1)").systems == ("middle",)
    finest = next(c for c in result.with_baselines if c.measure.group == "multi-class")
    assert finest.systems == ("always OK", "always Agreement")
    assert "coarse has no multi-class labels" in result.notes
    assert "coarse has no level 1 labels" in result.notes
    assert "middle: its labels are taken for level 1 ones" in result.notes


def test_submissions_keep_labels_that_contradict_each_other(score: Callable[..., WordScores]) -> None:
    detailed = ["OK", "Agreement", "OK", "OK", "Mistranslation", "OK"]
    binary = ["OK", "OK", "OK", "OK", "BAD", "OK"]
    rows = [("M", *word[:3], d, b) for word, d, b in zip(GOLD, detailed, binary, strict=True)]
    result = score(systems={"m": table(*reversed(rows))})
    assert result.systems == ("m",)
    assert result.comparison("F1-BAD (binary)").values == pytest.approx([100 * 2 / (1 + 3)])
    assert result.comparison("F1-ERR (multi-class)").values == pytest.approx([100 * (2 * 2 / 3 + 1) / 3])
    (note,) = [note for note in result.notes if "contradict" in note]
    assert note.startswith("m: binary labels of 1 word contradict the multi-class ones (line 5)")


def test_columns_of_gold_labels_that_contradict_the_typology_are_named(score: Callable[..., WordScores]) -> None:
    rows = [(*word, coarser(word[3], "level 1"), coarser(word[3], "binary")) for word in GOLD]
    rows[4] = ("2", 1, "no", "Mistranslation", "Fluency", "BAD")
    result = score(table(*rows), systems={})
    (note,) = [note for note in result.notes if "contradict" in note]
    assert "the gold file: level 1 labels of 1 word contradict the multi-class ones (line 5)" in note
    assert result.classes["level 1"]["always OK"].counts.tolist() == [3, 3]


def test_several_methods_and_the_same_file_twice(score: Callable[..., WordScores]) -> None:
    rows = [(method, *word, coarser(word[3], "binary")) for method in ("A", "B") for word in GOLD]
    result = score(systems={"team": table(*rows)})
    assert result.systems == ("team/A", "team/B")
    assert "team/B and team/A predict the same for every word" in result.notes
    assert result.comparison("F1-ERR (multi-class)").values == pytest.approx([100, 100])


def test_the_commonest_error_is_that_of_the_training_data(score: Callable[..., WordScores]) -> None:
    learnt = table(("9", 0, "x", "Mistranslation"), ("9", 1, "y", "OK"), ("9", 2, "z", "OK"))
    systems = {"a": labelled(*["OK"] * 6)}
    assert "always Mistranslation" in score(training=learnt, systems=systems).classes["multi-class"]
    assert "always Agreement" in score(systems=systems).classes["multi-class"]
    assert any("counted in the gold labels" in note for note in score(systems=systems).notes)
    coarse = table(("9", 0, "x", "BAD"), ("9", 1, "y", "OK"))
    result = score(training=coarse, systems=systems)
    assert "the training data have no multi-class labels; the commonest error is that of the gold ones" in result.notes


def test_gold_labels_without_an_error(score: Callable[..., WordScores]) -> None:
    fine = table(*((*word[:3], "OK", "OK", "OK") for word in GOLD))
    result = score(fine, systems={"a": labelled(*["OK"] * 6)}, resamples=0)
    assert np.isnan(result.comparison("F1-BAD (binary)").values[0])
    assert result.comparison("ACC (binary)").values[0] == 100
    assert "F1-BAD (binary) is not defined for a: no gold label is an error" in result.notes
    assert any("there is no baseline that always answers one" in note for note in result.notes)
    assert rendered("score quality-estimation words", [Grouped(result)], "table").text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("1\t0\tla\n", "line 1 has 3 fields between tabs; allowed: segment"),
        (labelled("OK", "OK", "OK", "OK", "OK", "Horrible"), "line 6: got 'Horrible' for a label; allowed: Accuracy"),
        (labelled("OK", "BAD", "OK", "OK", "OK", "Omission"), "line 2: got BAD, but other lines have Omission"),
        (labelled(*["OK"] * 6) + "3\t0\tmás\tOK\n", "line 7: got word '0' of segment '3', which .*gold"),
        (labelled(*["OK"] * 6) + "2\t2\tvoy\tOK\n", "line 7: word 2 of segment 2 stands in line 6 too"),
        (labelled(*["OK"] * 6).replace("voy", "va"), "line 6: word 2 of segment 2 is 'va', but 'voy' in"),
        ("".join(labelled(*["OK"] * 6).splitlines(True)[:5]), "no label for 1 word of 6; the first is word 2 "),
        (labelled(*["OK"] * 6) + "2\t2\tvoy\tOK\tOK\tOK\n", "line 7 has 6 fields, line 1 4"),
        (table(*(("M", *word, "Omission") for word in GOLD)), "line 1: got 'Omission' for a binary label; allowed: "),
        (table(*(("M", *word[:3], "-", "") for word in GOLD)), "has no labels at all"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_are_refused_by_line(text: str, message: str, score: Callable[..., WordScores]) -> None:
    with pytest.raises(InputError, match=message):
        score(systems={"m": text})


def test_names_and_options_that_cannot_be(score: Callable[..., WordScores]) -> None:
    with pytest.raises(InputError, match="as the baselines are"):
        score(systems={"always right": labelled(*["OK"] * 6)})
    with pytest.raises(InputError, match="names 1 document, one per sentence, of 2"):
        score(systems={}, documents=["a"])
    with pytest.raises(InputError, match="a bootstrap needs at least 5"):
        score(systems={}, resamples=100)


# -- intervals, and the command ----------------------------------------------------------------------


def annotated(count: int, seed: int, wrong: float = 0.0) -> list[tuple[object, ...]]:
    """Words with labels at three granularities; a share of the labels is drawn anew, the same share everywhere."""
    rng = np.random.default_rng(seed)
    again = np.random.default_rng(seed + 100)
    rows = []
    for segment in range(count):
        for index in range(int(rng.integers(4, 9))):
            label = str(rng.choice(["OK", "Omission", "Word_order", "Spelling"], p=[0.6, 0.1, 0.2, 0.1]))
            if again.random() < wrong:
                label = str(again.choice(["OK", "Omission", "Word_order"]))
            rows.append((segment, index, f"w{index}", label, coarser(label, "level 1"), coarser(label, "binary")))
    return rows


def test_samples_are_of_whole_sentences(file: Callable[..., Path]) -> None:
    gold = annotated(40, 1)
    result = score_words(
        file(table(*gold), "gold"), {"a": file(table(*annotated(40, 1, 0.4)), "a")}, resamples=200, rng=5
    )
    comparison = result.comparison("F1-ERR (multi-class)")
    # The same draws, with labels repeated as often as their sentence was drawn.
    from palmares.compute import Stream, generator

    picks = generator(5, Stream.SCORED_SEGMENTS, 0).integers(0, 40, (200, 40), np.uint16)
    labels = {name: [row[3] for row in rows] for name, rows in (("gold", gold), ("a", annotated(40, 1, 0.4)))}
    expected = []
    for sample in picks:
        drawn = [i for segment in sample for i, row in enumerate(gold) if row[0] == segment]
        scores = label_scores([labels["gold"][i] for i in drawn], [labels["a"][i] for i in drawn])
        expected.append(100 * scores.f1_err)
    # Of 40 sentences samples are stretched around their mean, which leaves it and the order of most in place.
    assert comparison.samples[:, 0].mean() == pytest.approx(np.mean(expected), rel=0.01)
    assert np.corrcoef(comparison.samples[:, 0], expected)[0, 1] > 0.95


@pytest.fixture
def files(file: Callable[..., Path]) -> dict[str, Path]:
    wrong = {"gold": 0.0, "good": 0.1, "bad": 0.8}
    return {name: file(table(*annotated(60, 2, share)), f"{name}.tsv") for name, share in wrong.items()}


def arguments(files: dict[str, Path], *more: object) -> list[object]:
    systems = [f"--system={name}={files[name]}" for name in ("good", "bad")]
    return [*COMMAND, "--gold", files["gold"], *systems, "--resamples", "400", *more]


def test_the_tables(files: dict[str, Path], ok: Callable) -> None:
    out = ok(*arguments(files)).out
    for granularity in ("multi-class", "level 1", "binary"):
        assert f"{granularity}\n" in out
    last = out.split("\nbinary\n")[1].splitlines()
    names = [line.split()[-1] for line in last if " ±" in line and line[-1].isalpha()]
    assert names.index("good") < names.index("bad")
    assert any("always BAD" in line and "•" not in line for line in last)
    assert "not significantly better than always BAD by F1-BAD: bad" in out
    assert "MCC of a constant answer is 0 by definition" in out


def test_every_form_and_part(files: dict[str, Path]) -> None:
    result = score_words(files["gold"], {"good": files["good"]}, resamples=200, rng=0)
    for part in (None, "pairs", "classes"):
        for output in OUTPUTS:
            assert rendered("score quality-estimation words", [Grouped(result)], output, part).text or part == "pairs"
    # Five measures at two granularities and four at the third, of a system and two baselines.
    assert result.table().shape[0] == 3 * (5 + 5 + 4)
    assert str(result) == "<WordScores: 1 system, good first by F1-ERR (multi-class)>"


def test_json_and_verify(files: dict[str, Path], file: Callable[..., Path], ok: Callable) -> None:
    printed = ok(*arguments(files, "--training", files["bad"], "--format", "json"))
    (entry,) = json.loads(printed.out)
    assert entry["granularities"] == ["multi-class", "level 1", "binary"]
    assert {each["group"] for each in entry["baselines"]} == set(entry["granularities"])
    assert {each["class"] for each in entry["classes"] if each["group"] == "binary"} == {"OK", "BAD"}
    assert len(entry["record"]["input"]["files"]) == 4
    assert ok("verify", file(printed.out, "result.json")).status == 0


def test_what_is_refused_prints_nothing(files: dict[str, Path], refused: Callable) -> None:
    assert "--classes and --pairs" in refused(*arguments(files, "--classes", "--pairs"))
    assert "no such file" in refused(*COMMAND, "--gold", "nowhere.tsv")
