"""``monte-carlo-playoffs``: mean place in simulated knock-out tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..counts import FloatArray, PairCounts
from ..errors import InputError
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
    lacks = {"monotone": "a mean over random tournaments moves by its Monte Carlo error"}  # noqa: RUF012

    tournaments: int = 10_000

    def __post_init__(self) -> None:
        if self.tournaments < 1:
            raise InputError(f"setting tournaments: got {self.tournaments}; allowed: at least 1")

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        from ..kernels.playoffs import mean_finishing_places

        beats = (batch.wins + 0.5) / (batch.decided + 1.0)
        places = np.empty(beats.shape[:-1])
        for place, probability, rng in zip(places, beats, rngs, strict=True):
            # Draws go by content, not by name, so that renamed systems keep their scores.
            order = np.lexsort((*np.sort(probability, axis=1).T, probability.sum(1)))
            place[order] = mean_finishing_places(probability[np.ix_(order, order)], self.tournaments, rng)
        return -places
