"""``monte-carlo-playoffs``: mean place in simulated knock-out tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..judgments import FloatArray, IntArray, PairCounts
from .base import CountModel


@dataclass(frozen=True)
class MonteCarloPlayoffs(CountModel):
    """Minus the mean finishing place over simulated elimination tournaments (Callison-Burch et al. 2012).

    A match between i and j is won with probability (win(i, j) + ½) / (win(i, j) + win(j, i) + 1). Brackets and byes
    are drawn at random; the losers of one round share the mean of the places they occupy.

    Attributes
    ----------
    tournaments
        How many are simulated. The standard error of a mean place is about n / (4 √tournaments).
    """

    id = "monte-carlo-playoffs"
    lacks = {  # noqa: RUF012
        "monotone": "a mean over random tournaments moves by its Monte Carlo error",
        "duplication": "the half win that every pair is given weighs less the more judgments there are",
    }

    tournaments: int = 10_000

    def __post_init__(self) -> None:
        if self.tournaments < 1:
            raise InputError(f"setting tournaments: got {self.tournaments}; allowed: at least 1")

    def limits(self, systems: int) -> tuple[float, float]:
        return -float(systems), -1.0

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        from ..kernels.playoffs import mean_finishing_places

        beats = (batch.wins + 0.5) / (batch.decided + 1.0)
        places = np.empty(beats.shape[:-1])
        for place, probability, rng in zip(places, beats, rngs, strict=True):
            # Draws go by content, not by name, so that renamed systems keep their scores.
            order, alike = order_by_content(probability)
            place[order] = mean_finishing_places(probability[np.ix_(order, order)], self.tournaments, rng)
            place[:] = (np.bincount(alike, place) / np.bincount(alike))[alike]
        return -places


def order_by_content(matrix: FloatArray) -> tuple[IntArray, IntArray]:
    """An order of the systems that does not depend on their names, and which of them only names tell apart.

    Colour refinement: systems are alike as long as they meet, class by class, the same values. Where a class keeps
    several members, these are mirror images of each other and any of them can be taken first.
    """
    values = np.unique(matrix, return_inverse=True)[1].reshape(matrix.shape)
    alike = classes = _refined(values, np.zeros(len(matrix), dtype=np.int64))
    while (sizes := np.bincount(classes)).max() > 1:
        first = np.flatnonzero(classes == np.flatnonzero(sizes > 1)[0])[0]
        apart = 2 * classes + 1
        apart[first] -= 1
        classes = _refined(values, np.unique(apart, return_inverse=True)[1])
    return np.argsort(classes), alike


def _refined(values: IntArray, classes: IntArray) -> IntArray:
    while True:
        met = np.sort(classes * (values.max() + 1) + values, axis=1)
        finer = np.unique(np.column_stack([classes, met]), axis=0, return_inverse=True)[1].ravel()
        if finer.max() == classes.max():
            return finer
        classes = finer
