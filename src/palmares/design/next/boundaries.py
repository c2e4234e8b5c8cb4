"""``open-boundaries``: what closes the open boundary between ranks that is cheapest to close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb

import numpy as np

from ...judgments import BoolArray, FloatArray, IntArray
from ...ranking.anytime import critical
from .choices import Choices
from .gains import best_pair, clique, laplacian, shrunk, spreads, told, told_pair
from .knowledge import Knowledge

#: A difference of less than so many standard errors counts as so many: nobody knows how small it is.
_LEAST_Z = 0.3
#: Boundaries with less than this of the largest weight are left out.
_LEAST_WEIGHT = 1e-3
#: After so many comparisons, planned ones included, it is asked again which boundary is the cheapest.
_AGAIN = 20


@dataclass(frozen=True, eq=False)
class Need:
    """What an open boundary needs, with so many systems ``above`` it.

    ``comparisons`` is how many more it takes until it is claimed, were every two systems across it compared by
    themselves and their differences what they seem. ``z`` is the difference, in standard errors, of the two systems
    across it that are least sure to be in this order, and ``critical`` what it has to be when it is claimed.
    ``across[i, j]`` says whether i stands above it and j below.
    """

    above: int
    comparisons: float
    z: float
    critical: float
    across: BoolArray = field(repr=False)


@dataclass(frozen=True)
class OpenBoundaries:
    """Close the open boundary between ranks that is cheapest to close.

    A boundary is open until the rule that is valid at every look claims it. With d and v the difference of two systems
    across it and its variance, a pair of systems is worth what it shrinks the variances of these differences,
    Σ λ (their covariance with the pair's difference)² / (1/J + the pair's variance), λ = φ(fz) f z/v, z = d/√v, f so
    that the least z is ``reach``: what separates the boundary once its least sure difference is that sure. The next
    pair is planned by the covariance after it. A screen of more than two systems serves all open boundaries, with
    weights need^−``steep``.
    """

    reach: float = 2.25
    steep: float = 5.0

    def choices(self, knowledge: Knowledge, size: int, number: int, rng: np.random.Generator) -> Choices:
        screens = [members for members, _ in self.plan(knowledge, size, number)]
        return Choices.planned("open-boundaries", knowledge.systems, screens)

    def plan(self, knowledge: Knowledge, size: int, number: int) -> list[tuple[IntArray, Need]]:
        """Screens, each with the boundary that it is asked for before all others; none if no boundary is open."""
        planned: list[tuple[IntArray, Need]] = []
        covariance, information, counted = knowledge.covariance, knowledge.information, 0
        while len(planned) < number and knowledge.claims.open:
            if not planned or counted >= _AGAIN:
                served, counted = self._served(open_needs(knowledge, covariance), size), 0
            variance = spreads(covariance)
            wanted = self._wanted(knowledge.gaps, variance, served, size)
            gains = shrunk(covariance, wanted) / (1 / information + variance)
            if size == 2:
                x, y = best_pair(gains)
                members, covariance = np.array([x, y]), told_pair(covariance, x, y, float(information[x, y]))
            else:
                members = clique(gains, size)
                covariance = told(covariance, members, laplacian(knowledge.screen(members)))
            planned.append((members, served[0][0]))
            counted += comb(size, 2)
        return planned

    def _served(self, needs: Sequence[Need], size: int) -> list[tuple[Need, float]]:
        """The boundaries that a screen is chosen for, with their weights; the cheapest first."""
        # What is under way is expected to close those that need nothing more.
        needs = sorted([n for n in needs if n.comparisons >= 1] or needs, key=lambda need: need.comparisons)
        if size == 2:
            return [(needs[0], 1.0)]
        least = max(needs[0].comparisons, 1.0)
        weights = [(need, (least / max(need.comparisons, 1.0)) ** self.steep) for need in needs]
        return [(need, weight) for need, weight in weights if weight > _LEAST_WEIGHT]

    def _wanted(
        self, gaps: FloatArray, variance: FloatArray, served: Sequence[tuple[Need, float]], size: int
    ) -> FloatArray:
        """λ of all contrasts, symmetric."""
        table = np.zeros_like(gaps)
        for need, weight in served:
            across = need.across
            v = variance[across]
            z = np.maximum(gaps[across] / np.sqrt(v), _LEAST_Z)
            weakest = z.min()
            farther = max(1.0, self.reach / weakest) * z
            pull = np.exp(-(farther**2) / 2) * farther / v
            if size == 2:
                table[across] += np.where(z <= 2 * weakest + 0.5, pull, 0.0)
            else:
                pull = np.where(farther <= farther.min() + 1.5, pull, 0.0)
                table[across] += pull * weight / pull.sum() / v**2
        return table + table.T


def open_needs(knowledge: Knowledge, covariance: FloatArray | None = None) -> list[Need]:
    """What every open boundary still needs, from the best rank to the last.

    Parameters
    ----------
    covariance
        That of the scores once what is planned has been answered.
    """
    covariance = knowledge.covariance if covariance is None else covariance
    order, known = knowledge.claims.order, knowledge.claims
    place = np.argsort(order)
    gaps, variance, information = (
        table[np.ix_(order, order)] for table in (knowledge.gaps, spreads(covariance), knowledge.information)
    )
    np.fill_diagonal(variance, 1.0)
    z = np.maximum(gaps / np.sqrt(variance), _LEAST_Z)
    needed = _needed(z**2 * variance, known.pairs, known.p, knowledge.df)
    lacking = np.maximum(needed - 1 / variance, 0.0) / information
    critical_z = z * np.sqrt(needed * variance)
    out = []
    for k in known.open:
        weakest = divmod(int(z[:k, k:].argmin()), len(order) - k)
        least, enough = (float(table[:k, k:][weakest]) for table in (z, critical_z))
        across = (place[:, None] < k) & (place >= k)
        out.append(Need(k, float(lacking[:k, k:].sum()), least, enough, across))
    return out


def _needed(squares: FloatArray, pairs: int, p: float, df: float | None) -> FloatArray:
    """The information at which differences with these squares are claimed: V = critical(V)/d²."""
    needed = 16.0 / squares
    for _ in range(4):
        needed = critical(needed, pairs, p, df=df) / squares
    return needed
