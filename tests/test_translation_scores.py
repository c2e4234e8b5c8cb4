"""`score_translations`: what is scored, intervals, winners, labels, units, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu

from palmares.compute import Execution
from palmares.errors import InputError
from palmares.report.tables import Grouped, rendered
from palmares.scoring.translation import Translations, Truecasing, read_segment_scores, score_translations
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

VOCABULARY = [
    f"{start}{end}" for start in ("ba", "ce", "di", "fo", "gu", "ha") for end in ("lin", "mar", "net", "pol", "s")
]


def a_test_set(
    seed: int, errors: dict[str, float], *, segments: int = 40, documents: int | None = None, spread: float = 0.0
) -> TestSet:
    """References of random words, and systems that get each word wrong with a chance of their own.

    ``spread`` is by how much the chance differs between documents, the same for all systems.
    """
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(VOCABULARY) + 1)
    weights /= weights.sum()
    references = [rng.choice(VOCABULARY, rng.integers(6, 20), p=weights) for _ in range(segments)]
    of = [str(n * (documents or 1) // segments) for n in range(segments)]
    harder = {name: spread * rng.standard_normal() for name in dict.fromkeys(of)}
    outputs = {}
    for system, error in errors.items():
        outputs[system] = []
        for name, reference in zip(of, references, strict=True):
            wrong = rng.random(len(reference)) < np.clip(error + harder[name], 0.02, 0.95)
            outputs[system].append(" ".join(np.where(wrong, rng.choice(VOCABULARY, len(reference)), reference)))
    rows = enumerate(zip(of, references, strict=True), 1)
    made = [Segment(str(n), name if documents else None, "", " ".join(words)) for n, (name, words) in rows]
    return make(LanguagePair.parse("xh-en"), made, outputs, has_sources=False)


THREE = {"A": 0.2, "B": 0.3, "C": 0.6}
QUICK: dict[str, Any] = {"prepare": ["original"], "metrics": ["bleu", "per"], "accept": ("language",), "rng": 0}


def scored(texts: TestSet, **options: Any) -> Translations:
    return score_translations(texts, **{**QUICK, "resamples": 200, **options})


def test_values_are_those_of_the_texts_as_they_are() -> None:
    texts = a_test_set(1, THREE)
    result = scored(texts)
    references = [[segment.reference for segment in texts.segments]]
    for i, system in enumerate(result.systems):
        expected = sacrebleu.corpus_bleu(list(texts.outputs[system]), references, force=True).score
        assert result.comparison("BLEU (original)").values[i] == expected
    assert result.metric_signatures["BLEU (original)"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp")


def test_intervals_surround_values_and_pairs_are_tested() -> None:
    result = scored(a_test_set(1, THREE))
    for comparison in result.comparisons:
        low, high = comparison.intervals.T
        assert (low < comparison.values).all()
        assert (comparison.values < high).all()
        (last,) = [pair for pair in comparison.pairs if (pair["better"], pair["worse"]) == ("A", "C")]
        assert last["p"] < 0.01
        assert comparison.mark(0) == "•"
        assert comparison.mark(2) == ""


def test_the_bootstrap_is_that_of_any_program() -> None:
    """The standard error of BLEU in bootstrap samples, by sacrebleu on texts that are drawn here."""
    texts = a_test_set(2, {"A": 0.3}, segments=60)
    own = scored(texts, resamples=2000).comparison("BLEU (original)").samples
    rng = np.random.default_rng(11)
    hypotheses, references = texts.outputs["A"], [segment.reference for segment in texts.segments]
    bleu = sacrebleu.BLEU(force=True)
    others = []
    for _ in range(400):
        drawn = rng.integers(0, 60, 60)
        others.append(bleu.corpus_score([hypotheses[i] for i in drawn], [[references[i] for i in drawn]]).score)
    assert own.std() == pytest.approx(np.std(others), rel=0.12)  # three standard errors of a deviation of 400
    assert own.mean() == pytest.approx(np.mean(others), abs=4 * np.std(others) / 20)


@pytest.mark.parametrize("place", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_nothing_depends_on_where_it_ran(place: str) -> None:
    texts = a_test_set(3, THREE, segments=12)
    here, there = (
        scored(texts, rng=None, execution=Execution(where, 2, seed=5), metrics=["bleu", "chrf", "ter", "per", "cder"])
        for where in ("serial", place)
    )
    assert here.to_dict() == there.to_dict()


def test_another_seed_draws_other_samples() -> None:
    texts = a_test_set(3, THREE)
    assert scored(texts, rng=1).to_dict() != scored(texts, rng=2).to_dict()


def test_by_default_the_tables_of_wmt14() -> None:
    result = score_translations(a_test_set(4, THREE), accept=("language",), resamples=0, rng=0)
    labels = [comparison.measure.label for comparison in result.comparisons]
    assert labels == [
        "BLEU (original)",
        *[
            f"{metric} ({text})"
            for text in ("truecased", "lowercased")
            for metric in ("BLEU", "chrF", "1-TER", "1-PER", "1-CDER")
        ],
    ]
    assert "sacremoses" in str(result.record.facts["normalizer"])
    assert "references" in str(result.record.facts["truecaser"])
    assert any("learnt the case of words from the references alone (40 sentences)" in note for note in result.notes)
    assert all(np.isnan(comparison.intervals).all() for comparison in result.comparisons)
    assert [c.measure.label for c in scored(a_test_set(4, THREE), metrics=None).comparisons] == [
        f"{metric} (original)" for metric in ("BLEU", "chrF", "1-TER", "1-PER", "1-CDER")
    ]


def test_texts_are_prepared_on_both_sides() -> None:
    segments = [Segment(str(n), None, "", "He said: “Yes” – to the Cat") for n in range(6)]
    outputs = {"A": ['HE SAID: "YES" - TO THE CAT'] * 6}
    texts = make(LanguagePair.parse("fr-en"), segments, outputs, has_sources=False)
    options = {"metrics": ["per"], "prepare": ["original", "normalized", "lowercased"], "resamples": 0, "rng": 0}
    result = score_translations(texts, **options, accept=("identical",))
    original, normalized, lowercased = (comparison.values[0] for comparison in result.comparisons)
    assert original < normalized < lowercased == 100


def test_a_truecaser_learns_from_what_it_is_given(file: Callable[..., Path]) -> None:
    segments = [Segment(str(n), None, "", "We met in Oslo") for n in range(6)]
    texts = make(LanguagePair.parse("fr-en"), segments, {"A": ["We Met in OSLO"] * 6}, has_sources=False)
    options: dict[str, Any] = {"prepare": ["truecased"], "metrics": ["per"], "resamples": 0, "rng": 0}
    corpus = file("They met in Oslo .\nIn Oslo we met .\n", "corpus.txt")
    model = file("oslo (3/3)\nmet (4/4)\n", "model.txt")
    knows_both = file("oslo (3/3)\nmet (4/5) Met (1)\n", "both.txt")
    by_corpus = score_translations(texts, truecasing=Truecasing.read(corpus), **options)
    assert by_corpus.comparisons[0].values.tolist() == [100]
    assert "|truecaser:sacremoses, corpus " in by_corpus.signature
    by_model = score_translations(texts, truecasing=Truecasing.read(model), **options)
    assert by_model.comparisons[0].values.tolist() == [100]  # both sides say oslo
    # As in Moses' script, a form that the model knows stays inside a sentence, even if it is not the usual one.
    by_both = score_translations(texts, truecasing=Truecasing.read(knows_both), **options)
    assert by_both.comparisons[0].values.tolist() == [75]
    assert "|truecaser:sacremoses, model " in by_model.signature
    assert not [note for note in by_model.notes if "truecaser" in note]
    with pytest.raises(InputError, match=r"broken\.txt: line 2 is not of a truecaser's model, as the first line is"):
        Truecasing.read(file("oslo (3/3)\nmet and so on\n", "broken.txt"))
    with pytest.raises(InputError, match="the file is empty"):
        Truecasing.read(file("\n", "nothing.txt"))


def test_truecasing_keeps_what_is_between_words() -> None:
    from palmares.scoring.translation.preparing import changes

    learnt = Truecasing("corpus", ("it was the best , in the U.S. they said .", "we met Mary-Ann in Oslo"))
    (change,) = changes(["truecased"], "en", learnt).values()
    assert change("The BEST,in (THE) U.s.: MARY-ANN <b>The</b> a|b") == (
        "the best,in (the) U.S.: Mary-Ann <b>the</b> a|b"
    )
    assert change("") == ""


# -- units --------------------------------------------------------------------------------------------


def test_documents_are_drawn_where_they_are_known() -> None:
    by_document = scored(a_test_set(5, THREE, documents=8))
    assert by_document.record.facts["unit"] == "document"
    assert by_document.record.facts["documents"] == 8
    assert any("only 8 documents to draw from" in note for note in by_document.notes)
    assert scored(a_test_set(5, THREE, documents=8), unit="segment").record.facts["unit"] == "segment"
    assert scored(a_test_set(5, THREE)).record.facts["unit"] == "segment"
    few = scored(a_test_set(5, THREE, documents=4))
    assert few.record.facts["unit"] == "segment"
    assert any("only 4 documents: segments are drawn instead" in note for note in few.notes)
    with pytest.raises(InputError, match="no documents are known; give --documents"):
        scored(a_test_set(5, THREE), unit="document")
    with pytest.raises(InputError, match="got 4 documents; a bootstrap needs at least 5"):
        scored(a_test_set(5, THREE, documents=4), unit="document")


def test_a_segment_without_a_document_is_one_of_its_own() -> None:
    texts = a_test_set(5, THREE, documents=10)
    alone = tuple(replace(s, document=None) if n < 3 else s for n, s in enumerate(texts.segments))
    result = scored(replace(texts, segments=alone))
    assert result.record.facts["documents"] == 13
    assert any("3 segments without a document" in note for note in result.notes)


# -- labels and tables --------------------------------------------------------------------------------


def test_labels_make_the_sections_of_the_table() -> None:
    texts = a_test_set(6, {"A": 0.5, "B": 0.3, "C": 0.4, "ONLINE": 0.05})
    result = scored(texts, contrastive=["B"], unconstrained=["ONLINE"])
    bleu, inner = result.comparisons[0], result.constrained[0]
    assert inner.systems == ("A", "B", "C")
    assert inner.winners.tolist() != bleu.winners[:3].tolist()
    lines = rendered("score translation", [Grouped(result)], "table").text.splitlines()
    order = [line.split()[0] for line in lines if line.split() and line.split()[0] in texts.systems]
    assert order == ["C", "A", "B", "ONLINE"]  # primary, contrastive, unconstrained; best first in each
    (best,) = [line for line in lines if line.startswith("B ")]
    assert best.count("•") == 2  # among constrained systems
    assert "constrained systems are compared with each other; unconstrained ones with all" in lines
    assert result.to_dict()["submissions"]["B"] == {"primary": False, "constrained": True}
    for option in ("contrastive", "unconstrained"):
        with pytest.raises(InputError, match=f"{option}: no system is called 'X'; there are: A, B, C, ONLINE"):
            scored(texts, **{option: ["X"]})


@pytest.mark.parametrize("output", ["table", "csv", "json", "markdown", "latex"])
@pytest.mark.parametrize("part", [None, "pairs"])
def test_every_form_of_the_tables(output: str, part: str | None) -> None:
    result = scored(a_test_set(6, THREE), prepare=["original", "lowercased"], unconstrained=["C"])
    text = rendered("score translation", [Grouped(result)], output, part).text
    names = {"table": "lowercased BLEU", "markdown": "lowercased BLEU", "latex": "lowercased BLEU"}
    expected = "BLEU (lowercased)" if part and output in names else names.get(output, "lowercased")
    assert expected in text
    if output == "csv" and part is None:
        header, first, *_ = text.splitlines()
        assert header == (
            "lang_pair,system,measure,group,value,low,high,winner,joint_winner,primary,constrained,"
            "constrained_winner,constrained_joint_winner"
        )
        assert first.startswith("xh-en,A,BLEU,original,")
        assert first.endswith(",True,True,True,True")


# -- several references, faults of texts --------------------------------------------------------------


def test_more_references() -> None:
    texts = a_test_set(7, THREE, segments=12)
    other = [" ".join(reversed((segment.reference or "").split())) for segment in texts.segments]
    result = scored(texts, references=[other], metrics=["bleu", "ter", "per"], resamples=0)
    own = [segment.reference for segment in texts.segments]
    expected = sacrebleu.corpus_bleu(list(texts.outputs["A"]), [own, other], force=True).score
    assert result.comparison("BLEU (original)").values[0] == expected
    assert any("2 references: TER, PER and CDER count the errors against the closest" in n for n in result.notes)
    again = scored(texts, references=[[text or "" for text in own]], resamples=0)
    assert any("two of the references are equal" in note for note in again.notes)
    with pytest.raises(InputError, match="a reference has 2 texts, but there are 12 segments"):
        scored(texts, references=[["a", "b"]])


def test_empty_outputs_and_equal_files_are_said() -> None:
    texts = a_test_set(8, THREE)
    holes = tuple("" if n < 4 else text for n, text in enumerate(texts.outputs["A"]))
    result = scored(replace(texts, outputs={**texts.outputs, "A": holes, "D": texts.outputs["B"]}), resamples=0)
    assert "empty outputs are scored as they are: A 4 of 40" in result.notes
    assert any("B and D are equal on 40 of 40 lines; is it the same file twice?" in note for note in result.notes)


def test_systems_that_are_equal_both_win_and_a_system_alone_has_an_interval() -> None:
    texts = a_test_set(9, {"A": 0.3})
    twice = scored(replace(texts, outputs={"A": texts.outputs["A"], "B": texts.outputs["A"]}))
    assert [twice.comparisons[0].mark(i) for i in range(2)] == ["•", "•"]
    alone = scored(texts)
    assert np.isfinite(alone.comparisons[0].intervals).all()
    perfect = replace(texts, outputs={"A": tuple(segment.reference or "" for segment in texts.segments)})
    result = scored(perfect)
    assert result.comparisons[0].values[0] == pytest.approx(100)
    assert np.isnan(result.comparisons[0].intervals).all()  # no width, no interval
    assert any("equal to the reference on 40 of 40 lines" in note for note in result.notes)


def without_references(texts: TestSet, kept: int = 0) -> TestSet:
    return replace(
        texts,
        segments=tuple(replace(s, reference=s.reference if n < kept else None) for n, s in enumerate(texts.segments)),
    )


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (without_references, {}, "no reference translation; scores need one"),
        (lambda t: without_references(t, 38), {}, r"no reference for 2 segments \(39, 40\)"),
        (
            lambda t: replace(t, missing=frozenset([("A", 3)])),
            {},
            r"A has no output for segment '4' \(1 output missing",
        ),
        (lambda t: t, {"metrics": ["meteor"]}, "got 'meteor'; allowed: bleu, chrf, ter, per, cder"),
        (lambda t: t, {"prepare": ["upper"]}, "got 'upper'; allowed: original, normalized"),
        (lambda t: t, {"prepare": []}, "text: got none"),
        (lambda t: t, {"unit": "judge"}, "got 'judge'; allowed: auto, document, segment"),
        (lambda t: t, {"resamples": 30}, "got 30, too few for p = 0.05; use 0, or at least 40"),
        (lambda t: replace(t, outputs={"A": ("",) * 40}), {}, r"the texts have faults:\n.*all outputs are empty"),
    ],
)
def test_what_cannot_be_scored(change: Callable[[TestSet], TestSet], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scored(change(a_test_set(10, THREE)), **options)


# -- scores from elsewhere ----------------------------------------------------------------------------


def rows_of(texts: TestSet, scores: dict[str, Sequence[float]]) -> list[tuple[str, str, str]]:
    return [(s, segment.id, f"{v:.4f}") for s in scores for segment, v in zip(texts.segments, scores[s], strict=True)]


def test_scores_of_segments_become_means(file: Callable[..., Path]) -> None:
    texts = a_test_set(11, THREE)
    rng = np.random.default_rng(0)
    scores = {s: np.round(rng.normal(mean, 0.1, 40), 4) for s, mean in (("A", 0.8), ("B", 0.75), ("C", 0.3))}
    rows = rows_of(texts, scores)
    table = file("system\tsegment\tscore\n" + "".join("\t".join(row) + "\n" for row in reversed(rows)), "s.tsv")
    task = file("".join(f"COMET\txh-en\tnews\t{s}\t{n}\t{v}\n" for s, n, v in rows), "task.tsv")
    comma = file("score,extra,segment,system\r\n" + "".join(f"{v},x,{n},{s}\r\n" for s, n, v in rows), "s.csv")
    for path in (table, task, comma):
        comet = read_segment_scores("COMET", path, texts)
        result = scored(texts, segment_scores=[comet])
        comparison = result.comparison("COMET")
        assert comparison.values == pytest.approx([scores[s].mean() for s in result.systems])
        # The interval of a mean: 1.96 standard errors on either side.
        half = (comparison.intervals[:, 1] - comparison.intervals[:, 0]) / 2
        errors = [scores[s].std() / np.sqrt(40) for s in result.systems]
        assert half == pytest.approx(1.96 * np.array(errors), rel=0.3)
    lower = read_segment_scores("MetricX", table, texts, higher_is_better=False)
    assert scored(texts, segment_scores=[lower]).comparison("MetricX").order[0] == 2
    with pytest.raises(InputError, match="two measures are called 'COMET'"):
        scored(texts, segment_scores=[comet, comet])


def test_segments_may_be_numbered_from_one(file: Callable[..., Path]) -> None:
    texts = a_test_set(11, {"A": 0.2}, segments=6)
    named = replace(texts, segments=tuple(replace(s, id=f"doc:{s.id}") for s in texts.segments))
    path = file("system\tsegment\tscore\n" + "".join(f"A\t{n}\t{n}\n" for n in range(6, 0, -1)))
    assert read_segment_scores("X", path, named).scores["A"].tolist() == [1, 2, 3, 4, 5, 6]


GOOD = "".join(f"A\t{n}\t0.5\n" for n in range(1, 7))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file has no scores; allowed: a table with a header"),
        ("system\tsegment\tscore\n", "the file has no scores"),
        (
            f"system\tsegment\tscore\n{GOOD}A\t3\t0.7\n",
            r"line 8: a second score of system 'A' for segment '3'; .* line 4",
        ),
        (f"system\tsegment\tscore\n{GOOD[:-8]}", r"no score of system 'A' for 1 of 6 segments, the first of them '6'"),
        (f"system\tsegment\tscore\n{GOOD}A\t9\t0.7\n", r"line 8: got the segment '9'; allowed: the ids .* 1 to 6"),
        (f"system\tsegment\tscore\n{GOOD[:-4]}0,5\n", r"line 7: got '0,5'.*write decimals with a point"),
        (f"system\tsegment\tscore\n{GOOD[:-4]}nan\n", r"line 7: .*finite"),
        (f"system\tsegment\tscore\n{GOOD}A\t3\n", "line 8: 2 fields, but the header has 3"),
        ("A 1 0.5\n", r"line 1: got 3 columns; allowed"),
        ("M\tde-en\tt\tA\t1\t0.5\n", "has no scores for xh-en; it has de-en"),
        ("M\txh-en\tt\tA\t1\t0.5\nN\txh-en\tt\tA\t1\t0.5\n", r"several metrics \(M, N\), and none is called 'X'"),
        ("system,segment,score,score\nA,1,1,1\n", "names 'score' twice"),
    ],
)
def test_scores_that_cannot_be_right(file: Callable[..., Path], content: str, message: str) -> None:
    texts = a_test_set(11, {"A": 0.2}, segments=6)
    with pytest.raises(InputError, match=message):
        read_segment_scores("X", file(content, "scores.tsv"), texts)


def test_scores_of_other_systems_are_left_out_with_a_word(file: Callable[..., Path]) -> None:
    texts = a_test_set(11, {"A": 0.2}, segments=6)
    path = file(f"system\tsegment\tscore\n{GOOD}Z\t1\t0.7\n")
    read = read_segment_scores("X", path, texts)
    assert read.notes[0].endswith("scores of systems without outputs here were left out: Z")
    assert read.notes[0] in scored(texts, segment_scores=[read]).notes


# -- intervals and tests, by simulation ---------------------------------------------------------------


def covered(seeds: range, truth: dict[str, float], texts: Callable[[int], TestSet], **options: Any) -> float:
    """How often intervals of BLEU and 1-CDER hold the score of endless text."""
    hits = []
    for seed in seeds:
        result = scored(texts(seed), metrics=["bleu", "cder"], rng=seed, **options)
        for comparison in result.comparisons:
            low, high = comparison.intervals[0]
            hits.append(low <= truth[comparison.measure.name] <= high)
    return float(np.mean(hits))


def endless(**options: Any) -> dict[str, float]:
    """Scores of a very long text."""
    long = a_test_set(999, {"A": 0.3}, segments=20_000, **options)
    result = scored(long, metrics=["bleu", "cder"], resamples=0, accept=("language", "misaligned", "identical"))
    return {comparison.measure.name: float(comparison.values[0]) for comparison in result.comparisons}


@pytest.mark.slow
def test_intervals_hold_the_score_of_endless_text_as_often_as_they_say() -> None:
    share = covered(range(250), endless(), lambda seed: a_test_set(seed, {"A": 0.3}, segments=60))
    # 250 texts, two scores of each that go together: a standard error of 1.4 points.
    assert 0.90 <= share <= 0.99


@pytest.mark.slow
def test_where_documents_differ_only_drawing_documents_holds() -> None:
    truth = endless(documents=2_000, spread=0.15)

    def texts(seed: int) -> TestSet:
        return a_test_set(seed, {"A": 0.3}, segments=150, documents=15, spread=0.15)

    assert covered(range(200), truth, texts) >= 0.90
    assert covered(range(200), truth, texts, unit="segment") <= 0.85


@pytest.mark.slow
def test_equal_systems_are_told_apart_no_more_often_than_the_level() -> None:
    single, any_pair = [], []
    for seed in range(250):
        result = scored(a_test_set(seed, dict.fromkeys("ABC", 0.3), segments=60), metrics=["bleu", "cder"], rng=seed)
        for comparison in result.comparisons:
            single.append(min(comparison.chances[0, 1], comparison.chances[1, 0]) <= 0.05)
            any_pair.append(bool((comparison.joint_chances <= 0.05).any()))
    assert 0.02 <= np.mean(single) <= 0.085
    assert np.mean(any_pair) <= 0.085
