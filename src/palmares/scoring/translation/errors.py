"""Error rates of words: PER, which knows no order, and CDER, in which moving a block costs 1.

Both take the words that BLEU takes. With several references, a segment has the errors against the one that it has the
fewest against, per word of a reference of mean length, as in TER (Snover et al. 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...judgments import FloatArray, IntArray

#: White space that is not one space between two words.
_UNEVEN = r"[^\S ]|  |^ | $"


@dataclass(frozen=True)
class Words:
    """Segments as codes of words: those of segment s are ``codes[starts[s]:starts[s + 1]]``."""

    codes: IntArray = field(repr=False)
    starts: IntArray = field(repr=False)

    @property
    def counts(self) -> IntArray:
        """How many words every segment has."""
        return np.diff(self.starts)


def vocabulary(*texts: Sequence[str]) -> pl.Series:
    """The words of some texts, which have white space between words, each once; its place is a word's code."""
    return pl.concat([_split(part)[0] for part in texts]).unique(maintain_order=True)


def coded(texts: Sequence[str], words: pl.Series) -> Words:
    """Texts by the codes of their words; a word that has none matches no other, and is −1."""
    split, counts = _split(texts)
    places = pl.Series(range(len(words)), dtype=pl.Int32)
    codes = split.replace_strict(words, places, default=-1, return_dtype=pl.Int32)
    return Words(codes.to_numpy(), np.concatenate([[0], np.cumsum(counts)]))


def _split(texts: Sequence[str]) -> tuple[pl.Series, IntArray]:
    """All words in order, and how many every text has."""
    whole = pl.Series(texts, dtype=pl.String)
    if whole.str.contains(_UNEVEN).any():
        whole = pl.Series([" ".join(text.split()) for text in texts], dtype=pl.String)
    lists = whole.str.split(" ")
    words = lists.explode()
    counts = np.where(whole == "", 0, lists.list.len()).astype(np.int64)
    return words.filter(words != ""), counts


def position_independent(hypotheses: Words, references: Words) -> IntArray:
    """max(|h|, |r|) − matches of every segment; a word matches as often as both have it (Tillmann et al. 1997)."""
    larger = np.maximum(hypotheses.counts, references.counts)
    most = 1 + int(references.codes.max(initial=-1))
    (left, times_left), (right, times_right) = (_bags(words, most) for words in (hypotheses, references))
    common, at_left, at_right = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    matches = np.bincount(
        common // most, np.minimum(times_left[at_left], times_right[at_right]), minlength=len(larger)
    ).astype(np.int64)
    return np.asarray(larger - matches)


def _bags(words: Words, most: int) -> tuple[IntArray, IntArray]:
    """Every word of every segment once, as one number, and how often it is there."""
    segments = np.repeat(np.arange(len(words.starts) - 1), words.counts)
    known = words.codes >= 0
    return np.unique(segments[known] * most + words.codes[known], return_counts=True)


def covering_disjoint(hypotheses: Words, references: Words) -> IntArray:
    """The fewest edits of every segment, if a jump to anywhere in the hypothesis costs 1 (Leusch et al. 2006)."""
    from ...kernels.edit_distance import cder

    return cder(hypotheses.codes, hypotheses.starts, references.codes, references.starts)


_COUNTS: dict[str, Callable[[Words, Words], IntArray]] = {"per": position_independent, "cder": covering_disjoint}


@dataclass(frozen=True)
class ErrorRate:
    """One minus errors per word of the reference, in per cent; below 0 where there are more errors than words."""

    id: str
    words: pl.Series = field(repr=False)
    references: tuple[Words, ...] = field(repr=False)
    split: Callable[[str], str] = field(repr=False)
    signature: str = ""

    @classmethod
    def of(
        cls,
        id: str,
        references: Sequence[Sequence[str]],
        *,
        tokenize: str,
        lowercase: bool,
        split: Callable[[str], str],
    ) -> ErrorRate:
        """``references`` are one list of texts per reference translation."""
        texts = [[split(text.rstrip()) for text in reference] for reference in references]
        words = vocabulary(*texts)
        rule = "|ref:closest" if len(references) > 1 else ""
        signature = f"nrefs:{len(references)}|case:{'lc' if lowercase else 'mixed'}|tok:{tokenize}{rule}"
        return cls(id, words, tuple(coded(reference, words) for reference in texts), split, signature)

    def rows(self, hypotheses: Sequence[str]) -> FloatArray:
        words = coded([self.split(text.rstrip()) for text in hypotheses], self.words)
        errors = np.min([_COUNTS[self.id](words, reference) for reference in self.references], axis=0)
        lengths = np.mean([reference.counts for reference in self.references], axis=0)
        return np.stack([errors, lengths], axis=1).astype(np.float64)

    def exact(self, sums: FloatArray) -> float:
        return float(one_minus_rate(sums))

    @property
    def formula(self) -> Callable[[FloatArray], FloatArray]:
        return one_minus_rate


def one_minus_rate(sums: FloatArray) -> FloatArray:
    """100 (1 − errors / words). Columns: errors, words of the reference; without any, one error is all there can be."""
    errors, words = sums[..., 0], sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.where(words > 0, errors / words, np.where(errors > 0, 1.0, 0.0))
    return np.asarray(100 * (1 - rate))
