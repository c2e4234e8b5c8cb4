"""Outputs far shorter or longer than they should be, by what the other texts of the segment say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..testset import TestSet
from .columns import Column, columns
from .findings import Finding

#: Robust z (by the median absolute deviation) of the log ratio, and the least ratio, that count as wild.
WILD_Z = 6.0
WILD_RATIO = 2.5
#: Added to every length in characters: ratios of very short texts say little.
_DAMPING = 10.0
#: Makes the median absolute deviation of normal data its standard deviation.
_TO_SD = 1.4826

Floats = NDArray[np.float64]


def length(testset: TestSet) -> Iterator[Finding]:
    """Compare each output with the median of the other systems, the reference and the source."""
    texts = list(columns(testset))
    lengths = np.array([_lengths(column) for column in texts])
    for row, column in enumerate(texts):
        if column.system is None:
            continue
        ratios = _ratios(lengths, row)
        limits = _limits(ratios)
        yield from _finding(column.system, ratios, ratios < -limits, "shorter")
        yield from _finding(column.system, ratios, ratios > limits, "longer")


def _lengths(column: Column) -> list[float]:
    """Logarithms of damped lengths; an empty text has none."""
    return [np.log(len(text.strip()) + _DAMPING) if text.strip() else np.nan for text in column.texts]


def _ratios(lengths: Floats, row: int) -> Floats:
    """Log ratio of an output to what its segment's other texts make likely, centred on 0."""
    others = np.delete(lengths, row, axis=0)
    # Languages and systems differ in how long they put things; only the line should count.
    relative = lengths[row] - others
    typical = np.array([_median(line) for line in relative])
    centred = relative - typical[:, None]
    return np.array([_median(line) for line in centred.T])


def _limits(ratios: Floats) -> float:
    spread = _TO_SD * _median(np.abs(ratios))
    return float(np.nanmax([WILD_Z * spread, np.log(WILD_RATIO)]))


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else float("nan")


def _finding(system: str, ratios: Floats, wild: NDArray[np.bool_], word: str) -> Iterator[Finding]:
    lines = tuple(int(index) + 1 for index in np.flatnonzero(wild))
    if lines:
        most = float(np.exp(np.nanmax(np.abs(ratios[wild]))))
        message = f"far {word} than the other texts of the segment, by a factor of up to {most:.1f}"
        yield Finding("length", "warning", system, lines, message)
