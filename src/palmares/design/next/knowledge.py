"""What is known when a comparison is chosen: strengths of systems and their covariance, from counts alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...judgments import FloatArray, IntArray, PairCounts
from ...kernels.bradley_terry import DAVIDSON, Meetings, information, newton
from ...models.bradley_terry import BradleyTerry
from ...ranking.anytime import Claims, claims
from .gains import laplacian, told

_TOLERANCE, _STEPS = 1e-8, 100


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Strengths θ, how sure they are, and which boundaries are surely there.

    Attributes
    ----------
    mean, covariance
        Of θ on the logit scale, seen from its mean by information. The covariance allows for comparisons that are
        ``outstanding``: chosen, and not answered yet.
    met
        Comparisons of every two systems, outstanding ones included.
    claims
        Boundaries claimed by the rule that is valid at every look, from answers alone.
    stretch
        By how much the standard error of every system is larger than that of independent comparisons.
    tie
        κ: the logarithm of Davidson's ν.
    shares
        How much is known of every system, as weights of a mean that scores are seen from.
    df
        Degrees of freedom of the covariance; None for many.
    """

    systems: tuple[str, ...]
    mean: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    met: FloatArray = field(repr=False)
    claims: Claims = field(repr=False)
    stretch: FloatArray = field(repr=False)
    tie: float
    shares: FloatArray = field(repr=False)
    df: float | None = None

    @classmethod
    def of(
        cls,
        counts: PairCounts,
        *,
        stretch: FloatArray | float | None = None,
        outstanding: FloatArray | None = None,
        p: float = 0.05,
        start: Knowledge | None = None,
    ) -> Knowledge:
        """By a Bradley–Terry model with Davidson's ties, and a weak prior that places what never met.

        Parameters
        ----------
        stretch
            By how much judges, segments and rankings make the standard error of every system larger than that of
            independent comparisons (`ranking_stretch` for rankings alone).
        outstanding
            Comparisons (systems, systems), symmetric, that were chosen and not answered yet: they make what is known
            less unsure, and claim nothing.
        p
            The level of claims: a chance of 1 − p that all are right, whenever looked at.
        start
            What was known a moment ago: the fit begins there.
        """
        n, data = len(counts.systems), Meetings.of(counts.wins[None], counts.ties[None])
        begin = np.zeros((n + 1, 1))
        if start is not None and start.systems == counts.systems:
            begin[:, 0] = *start.mean, start.tie
        precision = BradleyTerry().precision
        place, _, _ = newton(DAVIDSON, data, begin, precision, _TOLERANCE, _STEPS)
        known = information(DAVIDSON, data, place, precision)[0]
        theta, tie = place[:-1, 0], float(place[-1, 0])
        away = np.eye(n) - (shares := _shares(known))
        widened = np.broadcast_to(1.0 if stretch is None else np.asarray(stretch, dtype=np.float64), n)
        inverse = np.linalg.inv(known)[:n, :n]
        covariance = widened[:, None] * (away @ inverse @ away.T) * widened
        compared = counts.decided + counts.ties
        state = cls(
            counts.systems, away @ theta, covariance, compared, claims(theta, covariance, p), widened, tie, shares
        )  # fmt: skip
        return state if outstanding is None else state.awaiting(outstanding)

    def awaiting(self, outstanding: FloatArray) -> Knowledge:
        """The same, with so many comparisons of every two systems under way."""
        awaited = laplacian(outstanding * self.information)
        everyone = np.arange(len(self.systems))
        return replace(self, covariance=told(self.covariance, everyone, awaited), met=self.met + outstanding)

    @property
    def judged(self) -> FloatArray:
        """Comparisons of every system, outstanding ones included."""
        return np.asarray(self.met.sum(axis=1))

    @cached_property
    def information(self) -> FloatArray:
        """J of one more comparison of every two systems: what it adds to 1/variance of their difference.

        By Davidson (1 + ν(r + 1/r)/4) / (r + 1/r + ν)², r = √(π_i/π_j), less by the square of what widens errors.
        """
        both, nu = 2 * np.cosh(self.gaps / 2), np.exp(self.tie)
        widened = self.stretch[:, None] * self.stretch
        return np.asarray((1 + nu * both / 4) / (both + nu) ** 2 / widened)

    def screen(self, members: IntArray) -> FloatArray:
        """What one screen of these systems tells of every two of them.

        The comparisons of a ranking are not independent: m (m − 1)/2 of them count as the m − 1 that make a chain.
        """
        return np.asarray(self.information[np.ix_(members, members)] * (2 / len(members)))

    @cached_property
    def gaps(self) -> FloatArray:
        """θ_i − θ_j."""
        return np.asarray(self.mean[:, None] - self.mean)


def ranking_stretch(size: int) -> float:
    """By how much the comparisons of one ranking of so many equal systems widen errors: √((m + 1)/3).

    The places of m systems in random order differ by √((m + 1)/3) more than as many independent comparisons would make
    them: the number that a system beats has the variance (m² − 1)/12, not (m − 1)/4.
    """
    return float(np.sqrt((size + 1) / 3))


def _shares(known: FloatArray) -> FloatArray:
    """How much is known of every system, as weights of a mean: a newcomer does not make all others seem unsure."""
    known = np.diag(known)[:-1]
    return np.asarray(known / known.sum())
