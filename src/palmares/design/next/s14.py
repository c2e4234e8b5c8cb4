"""``s14`` and ``match-quality``: the least known system, and others near it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...judgments import FloatArray, IntArray
from .choices import Choices
from .gains import laplacian, told
from .knowledge import Knowledge

#: √2 β of a probit that is near the logistic function: Φ(d / 1.702) and 1/(1 + e^−d) differ by less than .01.
_PROBIT = 1.702


@dataclass(frozen=True)
class S14:
    """The system of the highest variance, then others with probability ∝ exp(−|Δμ|) (Sakaguchi et al. 2014, §2.4).

    The paper's μ and σ² are TrueSkill's. Here they are mean and variance of strengths on the logit scale, the variance
    seen from the mean of all. Opponents on one screen are drawn without replacement.
    """

    id: ClassVar[str] = "s14"

    def choices(self, knowledge: Knowledge, size: int, number: int, rng: np.random.Generator) -> Choices:
        covariance, screens = knowledge.covariance, []
        for _ in range(number):
            screens.append(self._screen(knowledge, covariance, size, rng))
            members = screens[-1]
            covariance = told(covariance, members, laplacian(knowledge.screen(members)))
        return Choices.planned(self.id, knowledge.systems, screens)

    def _screen(self, knowledge: Knowledge, covariance: FloatArray, size: int, rng: np.random.Generator) -> IntArray:
        variance = covariance.diagonal()
        # Equal ones differ by rounding.
        first = int(rng.choice(np.flatnonzero(variance >= (1 - 1e-9) * variance.max())))
        # The largest Gumbel numbers: as drawing one after the other without replacement.
        keys = self.logs(knowledge, variance, first) + rng.gumbel(size=len(variance))
        keys[first] = np.inf
        return np.sort(np.argsort(-keys)[:size])

    def logs(self, knowledge: Knowledge, variance: FloatArray, first: int) -> FloatArray:
        """Logarithms of the opponents' weights."""
        return np.asarray(-np.abs(knowledge.gaps[first]))


@dataclass(frozen=True)
class MatchQuality(S14):
    """The same, with TrueSkill's match quality √(2β²/c²) exp(−Δμ²/2c²), c² = 2β² + σ_a² + σ_b², as the weight.

    β is that of a probit near the logistic function, 1.702/√2.
    """

    id: ClassVar[str] = "match-quality"

    def logs(self, knowledge: Knowledge, variance: FloatArray, first: int) -> FloatArray:
        c2 = _PROBIT**2 + variance + variance[first]
        return np.asarray(np.log(_PROBIT**2 / c2) / 2 - knowledge.gaps[first] ** 2 / (2 * c2))
