"""Scores that are ratios of counts: ``orig-wmt``, ``bojar``, ``expected-wins``.

In a bootstrap sample a system may have no comparison that counts. Its score there is ½, what a system of
which nothing is known would get; on the full data such a system is refused by name.

A system that won everything has the score 1 in every sample. How unsure that is can be said without samples: were its
chances below those that give so many wins in a row with probability p / 2, it would hardly have won them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray, Kept, PairCounts, UnitKinds, decode_cells
from .base import CountModel, Fit, ratio

_UNKNOWN = 0.5
_TIE, _LOSS = 1, 2


class _Ratio(CountModel):
    """A share of comparisons that were won: what campaigns of the conference published, forced ties among them."""

    smooth = True
    forced_ties: ClassVar[Kept] = "keep"
    #: Whether a tie is a comparison, and one that was not lost.
    counts_ties = False

    def limits(self, systems: int) -> tuple[float, float]:
        return 0.0, 1.0

    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray | None:
        """Of shares of independent comparisons, with half a win for each side, so that none is 0."""
        kept = counts.wins + counts.ties if self.counts_ties else counts.wins
        met = kept + counts.wins.T
        weights = np.stack([self.weights_of(row) if row.any() else row for row in met])
        share = (kept + 0.5) / (met + 1)
        variance = np.divide(weights**2 * share * (1 - share), met, out=np.zeros_like(met), where=met > 0)
        return np.asarray(np.sqrt(variance.sum(axis=1)))

    def weights_of(self, met: FloatArray) -> FloatArray:
        """How much the win rate against each opponent weighs in the score, given how often each was met."""
        return np.asarray(met / met.sum())

    def exact_interval(self, kinds: UnitKinds, system: int, p: float) -> tuple[float, float] | None:
        """From 1 down to what the system would with probability p / 2 have won everything with; or up from 0.

        The judgments of a unit may depend on each other in any way, so a unit counts once, shared out among the
        opponents in it: if it is won whole with probability q, then q is at most the least of the win rates against
        them, and so at most their geometric mean.
        """
        units, met, lost = _encounters(kinds, system, ties=self.counts_ties)
        weights = self.weights_of(met)
        least = least_mean(weights[met > 0], units[met > 0], p / 2)
        most = float(weights[met > 0].sum())
        return (0.0, most - least) if lost else (least, most)


@dataclass(frozen=True)
class OrigWmt(_Ratio):
    """Share of all comparisons that were not lost: (wins + ties) / (wins + ties + losses).

    The official score until WMT11. It favours systems that are often tied and systems that met weak
    opponents (Bojar et al. 2011; Hopkins & May 2013, §2).
    """

    id = "orig-wmt"
    counts_ties = True

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        won, tied = batch.wins.sum(-1), batch.ties.sum(-1)
        lost = batch.wins.sum(-2)
        return ratio(won + tied, won + tied + lost, missing=_UNKNOWN)

    def one_sided(self, counts: PairCounts) -> BoolArray:
        kept = counts.wins.sum(axis=1) + counts.ties.sum(axis=1)
        return np.asarray((kept == 0) | (counts.wins.sum(axis=0) == 0))


@dataclass(frozen=True)
class Bojar(_Ratio):
    """Share of decided comparisons that were won: wins / (wins + losses).

    Proposed by Bojar et al. 2011; Koehn 2012, equation 1. Still depends on which opponents were met.
    """

    id = "bojar"

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        won, lost = batch.wins.sum(-1), batch.wins.sum(-2)
        return ratio(won, won + lost, missing=_UNKNOWN)


@dataclass(frozen=True)
class ExpectedWins(_Ratio):
    """Probability of beating an opponent drawn at random.

    The mean over opponents j of win(i, j) / (win(i, j) + win(j, i)) (Koehn 2012, equation 4; Bojar et al. 2014,
    §3.3.1). Opponents without a decided comparison are left out of the mean.

    Attributes
    ----------
    published
        Do as the program behind WMT13 did: an undecided opponent counts as 0, and the divisor is n − 1.
    """

    id = "expected-wins"
    logit = 0.25

    published: bool = False

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        decided = batch.decided
        share: FloatArray = ratio(batch.wins, decided, missing=0.0).sum(-1)
        if self.published:
            return share / max(len(batch.systems) - 1, 1)
        return ratio(share, (decided > 0).sum(-1).astype(np.float64), missing=_UNKNOWN)

    def weights_of(self, met: FloatArray) -> FloatArray:
        return np.where(met > 0, 1.0, 0.0) / (len(met) - 1 if self.published else (met > 0).sum())


def least_mean(weights: FloatArray, units: FloatArray, chance: float) -> float:
    """The least Σ w p over win rates p with which all units are won with at least this chance: Π p^u ≥ chance.

    At the least, p = min(1, c u / w) for one c (Lagrange). For one opponent it is the exact lower limit of a share,
    chance^(1 / u) (Clopper & Pearson 1934).
    """
    order = np.argsort(units / weights)
    weights, units = weights[order], units[order]
    rates = units / weights
    for below_one in range(len(rates), 0, -1):
        u, r = units[:below_one], rates[:below_one]
        c = np.exp((np.log(chance) - (u * np.log(r)).sum()) / u.sum())
        if c * r[-1] <= 1:
            break
    return float((weights * np.minimum(1.0, c * rates)).sum())


def _encounters(kinds: UnitKinds, system: int, *, ties: bool) -> tuple[FloatArray, FloatArray, bool]:
    """By opponent: units, each shared out among its comparisons that count, and these; and whether any was lost."""
    n = len(kinds.systems)
    a, b, index = decode_cells(kinds.cells, n)
    counted = ((a == system) | (b == system)) & (ties | (index != _TIE))
    kind: IntArray = np.repeat(np.arange(len(kinds.copies)), np.diff(kinds.starts))[counted]
    amount: FloatArray = kinds.amounts[counted]
    share = amount / np.bincount(kind, amount, len(kinds.copies))[kind]
    opponent = np.where(a == system, b, a)[counted]
    by_opponent = [np.bincount(opponent, kinds.copies[kind] * x, n).astype(np.float64) for x in (share, amount)]
    lost = index[counted] == np.where(a == system, _LOSS, 0)[counted]
    return by_opponent[0], by_opponent[1], bool(lost.any())
