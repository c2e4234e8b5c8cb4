"""How well the lines of one text fit those of the others, at each shift.

Texts in one language are compared by the words they share, sources and translations by what crosses languages
(`_crossing`) and by their lengths. All evidence is on the scale of a cosine: about 0 for lines that have
nothing to do with each other, up to 1 for equal ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..languages import base_language
from ..testset import TestSet
from .base import Column, columns
from .scripts import words

if TYPE_CHECKING:
    from ...judgments import FloatArray

#: Tokens of a text, each once, in an order that does not depend on the process.
Tokens = Callable[[str], Iterable[str]]

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_MARKS = re.compile(r'[?!:;()"%/…¿]')
#: Words of one origin often share their beginning: "president", "presidente".
_STEM, _SHORTEST = 5, 4
#: Weight of what crosses languages beside texts in the same language, and alone.
_CROSSING_BESIDE, _CROSSING_ALONE = 0.5, 1.0
#: Cosine that one nat of log likelihood by lengths is worth.
_NAT = 0.12
_MOST_CORRELATED = 0.9
_LONGEST_SURPRISE = 3.0


@dataclass(frozen=True)
class Evidence:
    """The texts of a test set as vectors; the first is the source, if there is one."""

    columns: tuple[Column, ...]
    own: list[sp.csr_array] = field(repr=False)  # words, by text; the source's only count in its own language
    across: list[sp.csr_array] = field(repr=False)  # what crosses languages, by text
    total: sp.csr_array = field(repr=False)  # the sum of own, over the texts in the target language
    lengths: FloatArray = field(repr=False)  # standardised log lengths, by text
    same_language: bool

    @classmethod
    def of(cls, testset: TestSet) -> Evidence:
        every = tuple(columns(testset))
        texts = [column.texts for column in every]
        alike = base_language(testset.langs.source) == base_language(testset.langs.target)
        same_language = alike or not testset.has_sources
        own = _vectors(texts, words)
        return cls(
            every,
            own,
            _vectors(texts, _crossing),
            sp.csr_array(sum(own if same_language else own[1:])),
            np.array([_standard_lengths(column) for column in every]),
            same_language,
        )

    def fit(self, text: int, shifts: Iterable[int], without: Collection[int] = ()) -> FloatArray:
        """How well line i of a text fits line i + shift of the others: one row per shift, one column per line."""
        others = [n for n in range(len(self.columns)) if n != text and n not in without]
        near = [n for n in others if self._is_near(n, text)]
        far = [n for n in others if not self._is_near(n, text)]
        joint = self._joint(near) if near else None
        weight = _CROSSING_BESIDE if near else _CROSSING_ALONE
        rows = []
        for shift in shifts:
            row = np.zeros(len(self.columns[0].texts))
            if joint is not None:
                row += _shifted_products(self.own[text], joint, shift)
            if far:
                row += weight * sum(self._across(text, n, shift) for n in far) / len(far)
            rows.append(row)
        return np.array(rows)

    def _joint(self, texts: list[int]) -> sp.csr_array:
        """The mean of some texts' vectors: from all of them, less the few that are left out."""
        every = range(0 if self.same_language else 1, len(self.columns))
        left_out = [self.own[n] for n in every if n not in texts]
        return sp.csr_array((self.total - sum(left_out[1:], left_out[0])) / len(texts))

    def _is_near(self, one: int, other: int) -> bool:
        return self.same_language or (one != 0) == (other != 0)

    def _across(self, text: int, other: int, shift: int) -> FloatArray:
        shared = _shifted_products(self.across[text], self.across[other], shift)
        return np.asarray(shared + _NAT * self._by_length(text, other, shift))

    def _by_length(self, text: int, other: int, shift: int) -> FloatArray:
        """Log likelihood ratio of two lengths belonging together, as correlated normals."""
        a, b = self.lengths[text], np.roll(self.lengths[other], -shift)
        rho = min(max(self._correlation(text, other), 0.0), _MOST_CORRELATED)
        spread = 1 - rho**2
        ratio = -0.5 * np.log(spread) - (rho**2 * (a**2 + b**2) - 2 * rho * a * b) / (2 * spread)
        return np.asarray(np.clip(ratio, -_LONGEST_SURPRISE, _LONGEST_SURPRISE))

    def _correlation(self, text: int, other: int) -> float:
        """The best of neighbouring shifts, since a file out of step looks uncorrelated as it stands."""
        a, b = self.lengths[text], self.lengths[other]
        return max(float(np.mean(a * np.roll(b, -shift))) for shift in (-2, -1, 0, 1, 2))


def _standard_lengths(column: Column) -> FloatArray:
    """Log lengths with mean 0 and variance 1; an empty text has the mean length, so that it says nothing."""
    lengths = np.array([np.log(len(text.strip()) + 5.0) if text.strip() else np.nan for text in column.texts])
    if np.isnan(lengths).all():
        return np.zeros(len(lengths))
    deviations = lengths - np.nanmean(lengths)
    scale = float(np.sqrt(np.nanmean(deviations**2)))
    return np.nan_to_num(deviations / scale) if scale > 0 else np.zeros(len(lengths))


# -- lines as sparse vectors: forty lines, for which scikit-learn would be a large dependency ---------


def _crossing(text: str) -> dict[str, None]:
    """What a text shares with its translation: numbers, names, words of one origin, some marks."""
    plain = text.casefold()
    if not plain.isascii():
        plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain))
    tokens = dict.fromkeys(w[:_STEM] for w in _WORD.findall(plain) if len(w) >= _SHORTEST and not w.isdigit())
    tokens |= dict.fromkeys(f"#{int(number)}" for number in _NUMBER.findall(plain) if len(number) < 19)
    return tokens | dict.fromkeys(_MARKS.findall(plain))


def _vectors(texts: Sequence[Sequence[str]], tokens: Tokens) -> list[sp.csr_array]:
    """One matrix per text, one row per line: unit vectors of tokens, the rarer among the segments the heavier."""
    index: dict[str, int] = {}
    coded = [[[index.setdefault(token, len(index)) for token in tokens(line)] for line in text] for text in texts]
    weights = _rarity(coded, len(index))
    return [_matrix(text, weights) for text in coded]


def _rarity(coded: list[list[list[int]]], count: int) -> FloatArray:
    """log(n / number of segments with the token in any text), with one segment more than there are."""
    segments = len(coded[0])
    counts = np.zeros(count)
    for lines in zip(*coded, strict=True):
        counts[list(set().union(*lines))] += 1
    return np.asarray(np.log((segments + 1) / np.maximum(counts, 1)))


def _matrix(lines: list[list[int]], weights: FloatArray) -> sp.csr_array:
    starts = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
    tokens = np.array([token for line in lines for token in line], dtype=np.int64)
    shape = (len(lines), max(len(weights), 1))
    matrix = sp.csr_array((weights[tokens], tokens, starts), shape=shape)
    matrix.sort_indices()
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return sp.csr_array(sp.diags_array(1 / np.where(norms > 0, norms, 1.0)) @ matrix)


def _shifted_products(left: sp.csr_array, right: sp.csr_array, shift: int) -> FloatArray:
    """Row i of ``left`` times row i + shift of ``right``, which is taken as a ring."""
    rows = (np.arange(left.shape[0]) + shift) % left.shape[0]
    return np.asarray(left.multiply(right[rows]).sum(axis=1), dtype=np.float64)
