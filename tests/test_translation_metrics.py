"""The metrics: sacrebleu's own numbers from sums of segments, and the same numbers for many samples at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.errors import InputError
from palmares.scoring.translation import metrics
from palmares.scoring.translation.metrics import TOKENIZERS, Metric, metric

WORDS = ["The", "the", "cat,", "sat", "on", "(a)", "mat.", "Mat", "dog-house", "saw", "3.5", "%", "of", "them", "!"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def made(id: str, references: Sequence[Sequence[str]], **options: object) -> Metric:
    return metric(id, references, **{"tokenize": "13a", "target": "en", "lowercase": False, **options})


def public(id: str, hypotheses: list[str], references: list[list[str]], lowercase: bool) -> float:
    """What sacrebleu's public functions say."""
    if id == "bleu":
        return float(sacrebleu.BLEU(lowercase=lowercase, force=True).corpus_score(hypotheses, references).score)
    if id == "chrf":
        return float(sacrebleu.CHRF(lowercase=lowercase).corpus_score(hypotheses, references).score)
    return 100 - float(sacrebleu.TER(case_sensitive=not lowercase).corpus_score(hypotheses, references).score)


def a_text(rng: np.random.Generator, segments: int) -> list[str]:
    return [" ".join(rng.choice(WORDS, rng.integers(0, 14))) for _ in range(segments)]


@pytest.mark.parametrize("id", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("lowercase", [False, True])
def test_sums_of_segments_give_what_sacrebleu_says_to_the_last_digit(id: str, count: int, lowercase: bool) -> None:
    rng = np.random.default_rng(3)
    hypotheses, references = a_text(rng, 30), [a_text(rng, 30) for _ in range(count)]
    ours = made(id, references, lowercase=lowercase)
    assert ours.exact(ours.rows(hypotheses).sum(axis=0)) == public(id, hypotheses, references, lowercase)


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.sampled_from(["bleu", "chrf", "ter"]))
def test_any_texts_give_what_sacrebleu_says(pairs: list[tuple[str, str]], id: str) -> None:
    hypotheses, references = ([*side] for side in zip(*pairs, strict=True))
    ours = made(id, [references])
    sums = ours.rows(hypotheses).sum(axis=0)
    assert ours.exact(sums) == public(id, hypotheses, [references], False)
    assert float(ours.formula(sums)) == pytest.approx(ours.exact(sums), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("id", ["bleu", "chrf", "ter"])
def test_samples_are_scored_as_sacrebleu_scores_texts_of_the_segments_drawn(id: str) -> None:
    rng = np.random.default_rng(7)
    hypotheses, references = a_text(rng, 25), a_text(rng, 25)
    ours = made(id, [references])
    rows = ours.rows(hypotheses)
    drawn = [rng.integers(0, 25, size) for size in (1, 2, 3, 5, 25) for _ in range(8)]
    sums = np.stack([rows[picks].sum(axis=0) for picks in drawn])
    expected = [public(id, [hypotheses[i] for i in p], [[references[i] for i in p]], False) for p in drawn]
    assert ours.formula(sums) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    # And laid out as systems side by side, as resampling does it.
    assert ours.formula(sums.reshape(8, 5, -1)).tolist() == ours.formula(sums).reshape(8, 5).tolist()


def test_ter_of_texts_that_are_alike_but_for_their_words_is_counted_once() -> None:
    metrics._edits.cache_clear()
    ter = made("ter", [["a b c d", "Uno dos tres cuatro"]])
    rows = ter.rows(["b a c d", "dos Uno tres cuatro"])
    assert rows.tolist() == [[1.0, 4.0], [1.0, 4.0]]
    assert metrics._edits.cache_info().misses == 1


@pytest.mark.parametrize(
    ("id", "hypotheses", "reference", "score"),
    [
        # |h| = 4, |r| = 5, two words match: 5 − 2 errors.
        ("per", ["x the y cat"], ["the cat sat on mats"], 100 * (1 - 3 / 5)),
        # Summed before they are divided: 3 + 0 errors, 5 + 1 words.
        ("per", ["x the y cat", "a"], ["the cat sat on mats", "a"], 100 * (1 - 3 / 6)),
        # More errors than words: five of two.
        ("per", ["v w x y z"], ["a b"], 100 * (1 - 5 / 2)),
        # Three jumps for two blocks that changed places.
        ("cder", ["d e f a b c"], ["a b c d e f"], 100 * (1 - 3 / 6)),
        ("cder", [""], ["a b"], 0.0),
        # With nothing to divide by, any error is all there can be.
        ("per", ["a"], [""], 0.0),
        ("cder", [""], [""], 100.0),
    ],
)
def test_error_rates_by_hand(id: str, hypotheses: list[str], reference: list[str], score: float) -> None:
    ours = made(id, [reference])
    assert ours.exact(ours.rows(hypotheses).sum(axis=0)) == pytest.approx(score)


def test_of_several_references_the_closest_counts_by_their_mean_length() -> None:
    per = made("per", [["a b c d"], ["x y"]])
    assert per.rows(["x z"]).tolist() == [[1.0, 3.0]]  # one error against the second; (4 + 2) / 2 words
    assert per.signature == "nrefs:2|case:mixed|tok:13a|ref:closest"
    # As in sacrebleu's TER.
    assert made("ter", [["a b c d"], ["x y"]]).rows(["x z"]).tolist() == [[1.0, 3.0]]


@pytest.mark.parametrize("id", ["per", "cder"])
def test_words_are_those_of_bleu(id: str) -> None:
    glued, apart = ["He said: (no)."], ["He said : ( no ) ."]
    assert made(id, [apart]).rows(glued)[0].tolist() == [0.0, 7.0]
    assert made(id, [apart], tokenize="none").rows(glued)[0, 0] > 0
    assert made(id, [["猫が"]], tokenize="char").rows(["猫 が"])[0].tolist() == [0.0, 2.0]


def test_chinese_is_split_by_character_in_ter_too() -> None:
    chinese = made("ter", [["我喜欢猫"]], tokenize="zh", target="zh")
    assert chinese.rows(["我喜欢狗"]).tolist() == [[1.0, 4.0]]
    assert "norm:yes" in chinese.signature
    assert "asian:yes" in chinese.signature
    assert metrics.default_tokenizer("zh") == "zh"
    assert metrics.default_tokenizer("cs") == "13a"


def test_tokenizers_are_those_of_sacrebleu() -> None:
    assert set(TOKENIZERS) <= set(sacrebleu.BLEU.TOKENIZERS)
    with pytest.raises(InputError, match="got 'moses'; allowed: 13a, intl"):
        metrics.tokenizer("moses")


def test_a_tokenizer_that_lacks_something_is_refused_with_the_reason() -> None:
    pytest.importorskip("sacrebleu")
    try:
        import MeCab  # noqa: F401
    except ImportError:
        with pytest.raises(InputError, match=r"'ja-mecab' cannot be used here: .*or choose another with --tokenize"):
            metrics.tokenizer("ja-mecab")
    else:
        assert metrics.tokenizer("ja-mecab")("猫が") == "猫 が"


# -- published numbers --------------------------------------------------------------------------------


@pytest.fixture
def baseline(real_data: Path) -> tuple[list[str], list[str]]:
    names = ("hyps.lc.tok.en.baseline.opt0", "refs.test2010.lc.tok.en.0")
    hypothesis, reference = ((real_data / "multeval" / n).read_text("utf-8").splitlines() for n in names)
    return hypothesis, reference


def test_bleu_of_multeval(baseline: tuple[list[str], list[str]], real_data: Path) -> None:
    hypotheses, references = baseline
    gold = float((real_data / "multeval" / "hyps.baseline.opt0.bleu.gold").read_text())
    bleu = made("bleu", [references], tokenize="none")
    assert round(bleu.exact(bleu.rows(hypotheses).sum(axis=0)), 2) == gold


@pytest.mark.slow
def test_ter_of_multeval(baseline: tuple[list[str], list[str]], real_data: Path) -> None:
    hypotheses, references = baseline
    gold = float((real_data / "multeval" / "hyps.baseline.opt0.ter.gold").read_text())
    ter = made("ter", [references])
    # sacrebleu's beam differs a little from the original program's.
    assert 1 - ter.exact(ter.rows(hypotheses).sum(axis=0)) / 100 == pytest.approx(gold, abs=0.001)
    cder = made("cder", [references], tokenize="none")
    per = made("per", [references], tokenize="none")
    scores = [m.exact(m.rows(hypotheses).sum(axis=0)) for m in (ter, cder, per)]
    assert scores == sorted(scores)  # TER and CDER both move blocks; PER knows no order at all
