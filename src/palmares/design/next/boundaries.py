"""``open-boundaries``: what closes the open boundary between ranks that is cheapest to close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from ...judgments import BoolArray, FloatArray, IntArray
from ...ranking.anytime import RHO, critical
from .choices import Choices
from .gains import best_pair, clique, laplacian, shrunk, spreads, told, told_pair
from .knowledge import Knowledge

#: A difference of less than so many standard errors counts as so many: nobody knows how small it is.
_LEAST_Z = 0.3
#: Boundaries with less than this of the largest weight are left out.
_LEAST_WEIGHT = 1e-3
#: After so many comparisons, planned ones included, it is asked again which boundary is the cheapest.
_AGAIN = 20


@dataclass(frozen=True)
class Need:
    """What an open boundary needs, with so many systems ``above`` it.

    ``comparisons`` is how many more it takes until it is claimed, were every two systems across it compared by
    themselves and their differences what they seem. ``z`` is the difference, in standard errors, of the two systems
    across it that are least sure to be in this order, and ``critical`` what it has to be when it is claimed.
    """

    above: int
    comparisons: float
    z: float
    critical: float


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

    def plan(self, knowledge: Knowledge, size: int, number: int) -> list[tuple[IntArray, int]]:
        """Screens, each with the boundary that it is asked for before all others, by how many systems are above it.

        None if no boundary is open.
        """
        planned: list[tuple[IntArray, int]] = []
        if knowledge.claims.claimed.all():
            return planned
        order, counted = knowledge.claims.order, 0
        gaps, covariance, information = _ordered(knowledge)
        while len(planned) < number:
            variance = spreads(covariance)
            if not planned or counted >= _AGAIN:
                _, lacking = _needed(gaps, variance, information, knowledge, roughly=True)
                served, counted = self._served(_added_up(lacking), ~knowledge.claims.claimed, size), 0
            gains = shrunk(covariance, self._wanted(gaps, variance, served, size)) / (1 / information + variance)
            if size == 2:
                x, y = best_pair(gains)
                members, covariance = np.array([x, y]), told_pair(covariance, x, y, float(information[x, y]))
            else:
                members = clique(gains, size)
                covariance = told(covariance, members, laplacian(knowledge.screen(order[members])))
            planned.append((order[members], served[0][0]))
            counted += comb(size, 2)
        return planned

    def _served(self, needs: FloatArray, opened: BoolArray, size: int) -> list[tuple[int, float]]:
        """The boundaries that a screen is chosen for, with their weights; the cheapest first."""
        # What is under way is expected to close those that need nothing more.
        some = opened & (needs >= 1)
        places = np.flatnonzero(some if some.any() else opened)
        places = places[np.argsort(needs[places], kind="stable")]
        least = np.maximum(needs[places], 1.0)
        weights = (least[0] / least) ** self.steep
        kept = weights > _LEAST_WEIGHT
        served = list(zip((places[kept] + 1).tolist(), weights[kept].tolist(), strict=True))
        return served[:1] if size == 2 else served

    def _wanted(
        self, gaps: FloatArray, variance: FloatArray, served: Sequence[tuple[int, float]], size: int
    ) -> FloatArray:
        """λ of all contrasts, symmetric."""
        table = np.zeros_like(gaps)
        for above, weight in served:
            across = np.s_[:above, above:]
            v = variance[across]
            z = np.maximum(gaps[across] / np.sqrt(v), _LEAST_Z)
            weakest = z.min()
            farther = max(1.0, self.reach / weakest) * z
            pull = np.exp(-(farther**2) / 2) * farther / v
            if size == 2:
                pull[z > 2 * weakest + 0.5] = 0.0
            else:
                pull[farther > farther.min() + 1.5] = 0.0
                pull *= weight / pull.sum() / v**2
            table[across] += pull
        return table + table.T


def open_needs(knowledge: Knowledge) -> list[Need]:
    """What every open boundary still needs, from the best rank to the last."""
    gaps, covariance, information = _ordered(knowledge)
    variance = spreads(covariance)
    np.fill_diagonal(variance, 1.0)
    needed, lacking = _needed(gaps, variance, information, knowledge)
    comparisons = _added_up(lacking)
    z = gaps / np.sqrt(variance)
    enough = np.maximum(z, _LEAST_Z) * np.sqrt(needed * variance)
    needs = []
    for above in knowledge.claims.open:
        i, j = divmod(int(z[:above, above:].argmin()), len(z) - above)
        weakest = i, above + j
        needs.append(Need(above, float(comparisons[above - 1]), float(z[weakest]), float(enough[weakest])))
    return needs


def _ordered(knowledge: Knowledge) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences, covariance and information of systems in the order of the claims, best first."""
    places = np.ix_(knowledge.claims.order, knowledge.claims.order)
    return knowledge.gaps[places], knowledge.covariance[places], knowledge.information[places]


def _needed(
    gaps: FloatArray, variance: FloatArray, information: FloatArray, knowledge: Knowledge, *, roughly: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Of every two systems: the information at which they are claimed, and comparisons until then.

    The tables are in the order of the claims; only what is above their diagonals is meant. ``roughly`` will do to
    choose by.
    """
    known, n = knowledge.claims, len(gaps)
    above, below = np.triu_indices(n, 1)
    v = variance[above, below]
    squares = np.maximum(gaps[above, below], _LEAST_Z * np.sqrt(v)) ** 2
    if roughly:
        enough = 16.0 / squares
        for _ in range(4):
            enough = critical(enough, known.pairs, known.p, df=knowledge.df) / squares
    else:
        enough = claimed_at(squares, known.pairs, known.p, df=knowledge.df)
    needed, lacking = np.zeros((2, n, n))
    needed[above, below] = enough
    lacking[above, below] = np.maximum(enough - 1 / v, 0.0) / information[above, below]
    return needed, lacking


def _added_up(lacking: FloatArray) -> FloatArray:
    """For every boundary, the sum over all systems above it and all below."""
    # From any corner, the rows above and the columns to the right.
    return np.asarray(np.cumsum(np.cumsum(lacking, axis=0)[:, ::-1], axis=1)[:, ::-1].diagonal(1))


def claimed_at(squares: FloatArray, pairs: int, p: float, *, df: float | None = None) -> FloatArray:
    """The information V at which differences with these squares, d², are claimed: d² V = critical(V)."""
    enough, least = 16.0 / squares, 2 * np.log(pairs / p)
    for _ in range(3):
        # Of many degrees of freedom d² V²/(V + ρ) = h, where h hardly depends on V: a quadratic equation.
        h = least + np.log1p(enough / RHO)
        enough = (h + np.sqrt(h * (h + 4 * squares * RHO))) / (2 * squares)
    for _ in range(0 if df is None else 20):
        # The bound falls with V, so that a whole step would lead too far.
        enough = np.sqrt(enough * critical(enough, pairs, p, df=df) / squares)
    return np.asarray(enough)
