"""Outputs far shorter or longer than they should be, by what the other texts of the segment say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..testset import TestSet
from .base import Column, Finding, columns

if TYPE_CHECKING:
    from ...judgments import BoolArray, FloatArray

#: Robust z (by the median absolute deviation) of the log ratio, and the least ratio, that count as wild.
WILD_Z = 6.0
WILD_RATIO = 2.5
#: Added to every length in characters: ratios of very short texts say little.
_DAMPING = 10.0
#: Makes the median absolute deviation of normal data its standard deviation.
_TO_SD = 1.4826


def length(testset: TestSet) -> Iterator[Finding]:
    """Compare each output with the median of the other systems, the reference and the source (but not a prompt)."""
    texts = [column for column in columns(testset) if testset.langs.is_pair or column.what != "sources"]
    lengths = np.array([_lengths(column) for column in texts])
    for row, column in enumerate(texts):
        if column.system is None:
            continue
        ratios = _ratios(lengths, row)
        limit = _limit(ratios)
        yield from _finding(column.system, ratios, ratios < -limit, "shorter")
        yield from _finding(column.system, ratios, ratios > limit, "longer")


def _lengths(column: Column) -> list[float]:
    """Logarithms of damped lengths; an empty text has none."""
    return [np.log(len(text.strip()) + _DAMPING) if text.strip() else np.nan for text in column.texts]


def _ratios(lengths: FloatArray, row: int) -> FloatArray:
    """Log ratio of an output to what its segment's other texts make likely, centred on 0."""
    # Languages and systems differ in how long they put things; only the line should count.
    relative = lengths[row] - np.delete(lengths, row, axis=0)
    typical = _middle(relative.T).mean(axis=0)
    low, high = _middle(relative - typical[:, None])
    # Of two middle values the nearer to 0: one wild text among two others must not make this one look wild.
    return np.where(low > 0, low, np.where(high < 0, high, 0.0))


def _limit(ratios: FloatArray) -> float:
    spread = _TO_SD * float(_middle(np.abs(ratios)[:, None]).mean())
    return float(max(WILD_Z * spread, np.log(WILD_RATIO)))


def _middle(values: FloatArray) -> FloatArray:
    """The two middle values of each column (twice the same in an odd number), of what is not missing in it."""
    ordered = np.sort(values, axis=0)  # what is missing goes last
    known = (~np.isnan(values)).sum(axis=0)
    at = np.arange(values.shape[1])
    return np.array([ordered[np.maximum(known - 1, 0) // 2, at], ordered[known // 2, at]])


def _finding(system: str, ratios: FloatArray, wild: BoolArray, word: str) -> Iterator[Finding]:
    lines = tuple(int(index) + 1 for index in np.flatnonzero(wild))
    if lines:
        most = float(np.exp(np.abs(ratios[wild]).max()))
        message = f"far {word} than the other texts of the segment, by a factor of up to {most:.1f}"
        yield Finding("length", "warning", system, lines, message)
