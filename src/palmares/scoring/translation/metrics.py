"""The metrics: sums that a score is made of, segment by segment, and scores from sums of samples.

BLEU, chrF and TER are sacrebleu's: its statistics of every segment, and its value on the text as it is. Only values of
bootstrap samples are computed here, by the same formulas on all samples at once. PER and CDER are ours (`errors`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from ...errors import InputError, MissingExtraError
from ...judgments import FloatArray
from . import errors

#: Names on the command line, and those in tables. Error rates are turned round, so that higher is better everywhere.
METRICS = {"bleu": "BLEU", "chrf": "chrF", "ter": "1-TER", "per": "1-PER", "cder": "1-CDER"}
#: What sacrebleu can split texts into words with.
TOKENIZERS = (
    "13a", "intl", "none", "char", "zh", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200",
)  # fmt: skip
#: sacrebleu's own choice by the target language; all others have 13a.
_BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
#: Written without spaces: TER has to split their words itself.
_UNSPACED = ("zh", "ja")
#: sacrebleu's stand-in for the logarithm of 0.
_LOG_OF_ZERO = -9999999999.0


class Metric(Protocol):
    """A score that is a function of sums over segments."""

    @property
    def signature(self) -> str:
        """What it was computed with, in sacrebleu's notation."""
        ...

    def rows(self, hypotheses: Sequence[str]) -> FloatArray:
        """What every segment adds: an array (segments, columns)."""
        ...

    def exact(self, sums: FloatArray) -> float:
        """The score of one set of sums."""
        ...

    @property
    def formula(self) -> Callable[[FloatArray], FloatArray]:
        """The scores of many sets of sums: a function from an array (…, columns) to an array (…)."""
        ...


@dataclass(frozen=True)
class FromSacrebleu:
    """A metric of sacrebleu that knows its references."""

    scorer: Any = field(repr=False)
    formula: Callable[[FloatArray], FloatArray] = field(repr=False)
    inverted: bool = False

    @property
    def signature(self) -> str:
        return str(self.scorer.get_signature())

    def rows(self, hypotheses: Sequence[str]) -> FloatArray:
        return np.array(self.scorer._extract_corpus_statistics(hypotheses, None), dtype=np.float64)

    def exact(self, sums: FloatArray) -> float:
        score = float(self.scorer._compute_score_from_stats(sums.tolist()).score)
        return 100 - score if self.inverted else score


@dataclass(frozen=True)
class Ter(FromSacrebleu):
    """TER takes long, but asks only which words are equal: segments that are alike in that are counted once."""

    def rows(self, hypotheses: Sequence[str]) -> FloatArray:
        statistics = []
        for text, reference in zip(hypotheses, self.scorer._ref_cache, strict=True):
            words = self.scorer._preprocess_segment(text).split()
            statistics.append(_edits(_renamed(words, *reference["ref_words"])))
        return np.array(statistics, dtype=np.float64)


def _renamed(*texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Words by the order in which they first appear."""
    names: dict[str, str] = {}
    return tuple(tuple(names.setdefault(word, str(len(names))) for word in words) for words in texts)


@lru_cache(maxsize=2**18)
def _edits(texts: tuple[tuple[str, ...], ...]) -> tuple[float, float]:
    """Edits, and words of a reference of mean length: sacrebleu's statistics of a hypothesis and its references."""
    words, *references = texts
    known = {"ref_words": [list(reference) for reference in references]}
    edits, length = _sacrebleu().TER()._compute_segment_statistics(" ".join(words), known)
    return edits, length


def metric(id: str, references: Sequence[Sequence[str]], *, tokenize: str, target: str, lowercase: bool) -> Metric:
    """A metric by its id in `METRICS`.

    Parameters
    ----------
    references
        One list of texts per reference translation.
    tokenize
        One of `TOKENIZERS`, for BLEU, PER and CDER.
    target
        The target language, by its shortest code.
    lowercase
        Whether case does not count. Texts are lower-cased already; sacrebleu's signature is to say so.
    """
    sacrebleu = _sacrebleu()
    if id == "bleu":
        tokenizer(tokenize)  # which says what is missing
        bleu = sacrebleu.BLEU(tokenize=tokenize, lowercase=lowercase, force=True, references=references)
        return FromSacrebleu(bleu, bleu_of)
    if id == "chrf":
        return FromSacrebleu(sacrebleu.CHRF(lowercase=lowercase, references=references), chrf_of)
    if id == "ter":
        unspaced = target in _UNSPACED
        ter = sacrebleu.TER(
            normalized=unspaced, asian_support=unspaced, case_sensitive=not lowercase, references=references
        )
        return Ter(ter, errors.one_minus_rate, inverted=True)
    return errors.ErrorRate.of(id, references, tokenize=tokenize, lowercase=lowercase, split=tokenizer(tokenize))


def default_tokenizer(target: str) -> str:
    """What sacrebleu splits texts of a language with unless told otherwise."""
    return _BY_LANGUAGE.get(target, "13a")


def tokenizer(name: str) -> Callable[[str], str]:
    """sacrebleu's function from a text to its words with spaces between them."""
    if name not in TOKENIZERS:
        raise InputError(f"tokenize: got {name!r}; allowed: {', '.join(TOKENIZERS)}")
    sacrebleu = _sacrebleu()
    try:
        split: Callable[[str], str] = sacrebleu.BLEU(tokenize=name).tokenizer
        split("a")
    except Exception as error:  # each tokenizer has its own way to say what it lacks: a package, a download
        reason = " ".join(str(error).split())
        raise InputError(
            f"tokenize: sacrebleu's tokenizer {name!r} cannot be used here: {reason}; install what it needs, or choose "
            f"another with --tokenize ({', '.join(t for t in TOKENIZERS if t != name)})"
        ) from None
    return split


def _sacrebleu() -> Any:
    try:
        import sacrebleu
    except ImportError:
        raise MissingExtraError("scoring translations", "scoring", "sacrebleu") from None
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # its warnings are notes of ours
    return sacrebleu


# -- scores from sums: sacrebleu's formulas, for many samples at once ---------------------------------


def bleu_of(sums: FloatArray) -> FloatArray:
    """BLEU of n-grams up to four, smoothed as NIST does (``exp``; Papineni et al. 2002).

    Columns: words of hypothesis and reference, matching n-grams by n, all n-grams of the hypothesis by n.
    """
    words, expected, matches, ngrams = sums[..., 0], sums[..., 1], sums[..., 2:6], sums[..., 6:10]
    unmatched = (matches == 0) & (ngrams > 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        halved = 2.0 ** np.cumsum(unmatched, axis=-1)
        precisions = np.where(unmatched, 100 / (halved * ngrams), 100 * matches / ngrams)
        logs = np.where(ngrams > 0, np.log(precisions), _LOG_OF_ZERO)
        brevity = np.where(words < expected, np.where(words > 0, np.exp(1 - expected / words), 0.0), 1.0)
    return np.asarray(np.where(matches.any(axis=-1), brevity * np.exp(logs.sum(axis=-1) / 4), 0.0))


def chrf_of(sums: FloatArray) -> FloatArray:
    """chrF2 of character n-grams up to six (Popović 2015). Columns, by n: hypothesis, reference, matches."""
    hypothesis, reference, matches = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
    there = (hypothesis > 0) & (reference > 0)
    orders = np.maximum(there.sum(axis=-1), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(there, matches / hypothesis, 0.0).sum(axis=-1) / orders
        recall = np.where(there, matches / reference, 0.0).sum(axis=-1) / orders
        score = 100 * 5 * precision * recall / (4 * precision + recall)
    return np.asarray(np.where(precision + recall > 0, score, 0.0))
