"""Calibration: of what was foretold with probability q, does a share q come true?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...judgments.arrays import FloatArray, IntArray
from .comparison import CalibrationBin
from .standard_errors import standard_error

BINS = 10
OUTCOMES = ("decided", "tie")


def tally(predicted: FloatArray, outcome: IntArray, amounts: FloatArray) -> FloatArray:
    """Sums of one fold: an array (`OUTCOMES`, bins, 3) of judgments, predicted and observed.

    A judgment is counted twice under ``decided``, as "a is better" and as "b is better", so that it does not matter
    which of the two stands first; and once under ``tie``.

    Parameters
    ----------
    predicted
        P(a better), P(tie), P(b better) of every cell.
    outcome
        Which of the three each cell has.
    amounts
        How many judgments.
    """
    sums = np.zeros((len(OUTCOMES), BINS, 3))
    for column, kind in ((0, 0), (1, 1), (2, 0)):
        q = predicted[:, column]
        place = np.minimum((q * BINS).astype(np.int64), BINS - 1)
        for part, value in enumerate((amounts, amounts * q, amounts * (outcome == column))):
            sums[kind, :, part] += np.bincount(place, value, minlength=BINS)
    return sums


def bins(tallies: Sequence[FloatArray]) -> tuple[CalibrationBin, ...]:
    """The bins that any prediction falls into, from the sums of every fold.

    Folds are random groups of units, so the spread between them gives the standard error: with share o of n judgments
    in F folds, √(F / (F − 1) Σ (observed_f − o n_f)²) / n; None where all are in one fold.
    """
    by_fold = np.stack(tallies)
    found = []
    for kind, name in enumerate(OUTCOMES):
        for number in range(BINS):
            amount, predicted, observed = by_fold[:, kind, number].sum(axis=0).tolist()
            if amount > 0:
                there = by_fold[by_fold[:, kind, number, 0] > 0, kind, number]
                spread = standard_error((there[:, 2] - there[:, 0] * observed / amount) / amount)
                edges = (number / BINS, (number + 1) / BINS)
                found.append(CalibrationBin(name, *edges, amount, predicted / amount, observed / amount, spread))
    return tuple(found)
