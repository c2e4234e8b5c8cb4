"""Scores that are ratios of counts: ``orig-wmt``, ``bojar``, ``expected-wins``.

In a bootstrap sample a system may have no comparison that counts. Its score there is ½, what a system of
which nothing is known would get; on the full data such a system is refused by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..judgments import FloatArray, PairCounts
from .base import CountModel, ratio

_UNKNOWN = 0.5


@dataclass(frozen=True)
class OrigWmt(CountModel):
    """Share of all comparisons that were not lost: (wins + ties) / (wins + ties + losses).

    The official score until WMT11. It favours systems that are often tied and systems that met weak
    opponents (Bojar et al. 2011; Hopkins & May 2013, §2).
    """

    id = "orig-wmt"

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        won, tied = batch.wins.sum(-1), batch.ties.sum(-1)
        lost = batch.wins.sum(-2)
        return ratio(won + tied, won + tied + lost, missing=_UNKNOWN)


@dataclass(frozen=True)
class Bojar(CountModel):
    """Share of decided comparisons that were won: wins / (wins + losses).

    Proposed by Bojar et al. 2011; Koehn 2012, equation 1. Still depends on which opponents were met.
    """

    id = "bojar"

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        won, lost = batch.wins.sum(-1), batch.wins.sum(-2)
        return ratio(won, won + lost, missing=_UNKNOWN)


@dataclass(frozen=True)
class ExpectedWins(CountModel):
    """Probability of beating an opponent drawn at random.

    The mean over opponents j of win(i, j) / (win(i, j) + win(j, i)) (Koehn 2012, equation 4; Bojar et al. 2014,
    §3.3.1). Opponents without a decided comparison are left out of the mean.

    Attributes
    ----------
    published
        Do as the program behind WMT13 did: an undecided opponent counts as 0, and the divisor is n − 1.
    """

    id = "expected-wins"

    published: bool = False

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        decided = batch.decided
        share: FloatArray = ratio(batch.wins, decided, missing=0.0).sum(-1)
        if self.published:
            return share / max(len(batch.systems) - 1, 1)
        return ratio(share, (decided > 0).sum(-1).astype(np.float64), missing=_UNKNOWN)
