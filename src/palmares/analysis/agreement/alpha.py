"""Krippendorff's α (Krippendorff 2011) on the outcomes <, = and >."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...judgments.counts import FloatArray
from .tallies import Shares

#: How far apart two outcomes are on the nominal level.
NOMINAL: FloatArray = 1.0 - np.eye(3)


def coincidences(values: FloatArray, unit: npt.NDArray[np.int64]) -> FloatArray:
    """The coincidence matrix of coders' values, each unit entered from both sides.

    Parameters
    ----------
    values
        One row a coder and unit: a distribution over the three outcomes, usually a single one.
    unit
        The unit of each row, numbered from 0. Units of one coder have nothing to pair and are left out.

    Notes
    -----
    Which system of a pair is called the first is arbitrary. Entering every unit a second time as seen from the
    other side makes the result independent of it.
    """
    coders = np.bincount(unit)
    kept = coders[unit] > 1
    values, unit = values[kept], unit[kept]
    weight = 1.0 / (coders[unit] - 1)
    sums = np.stack([np.bincount(unit, values[:, c], len(coders)) for c in range(3)], axis=1)
    rest = sums[unit] - values
    table = (values * weight[:, None]).T @ rest
    return np.asarray(table + table[::-1, ::-1])


def alpha(table: FloatArray, distance: FloatArray) -> float | None:
    """1 − observed / expected disagreement; None where no disagreement could have been expected."""
    margin = table.sum(axis=0)
    expected = float((np.outer(margin, margin) * distance).sum())
    if expected <= 0:
        return None
    return 1.0 - (float(margin.sum()) - 1.0) * float((table * distance).sum()) / expected


def ordinal(table: FloatArray) -> FloatArray:
    """Distances on the ordinal level: squared numbers of values between two outcomes, with half of each end."""
    margin = table.sum(axis=0)
    rank = np.cumsum(margin) - margin / 2
    return np.asarray(np.subtract.outer(rank, rank) ** 2)


def between_judges(shares: Shares) -> FloatArray:
    """Coincidences where judges are the coders; a judge who repeated an item counts once, by the mean of it."""
    return coincidences(shares.counts / shares.counts.sum(axis=1, keepdims=True), shares.item)


def within_judges(shares: Shares) -> FloatArray:
    """Coincidences where the units are a judge's items and the coders that judge's repeats."""
    again = shares.repeats > 0
    counts = shares.counts[again]
    unit, outcome = np.nonzero(counts)
    times = counts[unit, outcome]
    return coincidences(np.eye(3)[np.repeat(outcome, times)], np.repeat(unit, times))
