"""``hopkins-may``: latent abilities, latent item qualities and noisy judges, all Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, Judgments, PairCounts
from ..kernels.comparisons import Comparisons
from .base import OutcomeFit, check_placeable, counts_of
from .cuts import FIT, Constant, Direction, cut_logs, fitted_constants
from .gibbs import GibbsModel, all_lone, check_chain, check_number, comparisons_of, convergence, positive

Sampler = Literal["exact", "projection"]
SAMPLERS = get_args(Sampler)


@dataclass(frozen=True)
class HopkinsMay(GibbsModel):
    """Ability μ_i ~ N(0, σ_0²); item quality ~ N(μ_author, σ_a²); a judge sees quality + N(0, σ_obs²).

    The judge prefers what looks better, unless the two differ by less than ``radius``: a tie (Hopkins & May 2013, §7).
    An item is a system's output for a segment and keeps its quality, whoever sees it; noise is fresh for every
    comparison. The score is the posterior mean of μ_i.

    Attributes
    ----------
    sigma_0, sigma_obs, sigma_a
        Standard deviations of abilities, of a judge's noise, and of a system's items.
    radius
        Observations that differ by less are tied; ``fit``: estimated from the judgments, see `fitted_radius`.
    iterations, burn_in
        Length of the chain, and how much of its beginning is dropped.
    sampler
        ``exact`` Gibbs steps, or the ``projection`` of Sakaguchi et al. 2014, whose draws are not from the posterior.
    """

    id = "hopkins-may"
    fits: ClassVar[tuple[str, ...]] = ("radius",)

    sigma_0: float = 1.0
    sigma_obs: float = 1.0
    sigma_a: float = 0.5
    radius: Constant = 0.4
    iterations: int = 200
    burn_in: int = 50
    sampler: Sampler = "exact"

    def __post_init__(self) -> None:
        for name in ("sigma_0", "sigma_obs", *(() if self.radius == FIT else ("radius",))):
            check_number(name, getattr(self, name))
        check_number("sigma_a", self.sigma_a, zero=True)
        check_chain(self.iterations, self.burn_in)
        if self.sampler not in SAMPLERS:
            raise InputError(f"setting sampler: got {self.sampler!r}; allowed: {', '.join(SAMPLERS)}")

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OutcomeFit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        known = self.fixed(counts)
        draws, means = known._chain(data, counts, np.random.default_rng(rng))
        state, notes = convergence(draws, self.iterations)
        if self.sampler == "projection":
            notes += (
                "the projection sampler's draws are not from the posterior; for ranges, resample by ranking or pair",
            )
        return OutcomeFit(
            self, counts.systems, means.mean(0), deviations=draws.std(0, ddof=1), convergence=state, notes=notes,
            draws=draws, outcomes=known.outcomes(draws),
            fitted={"radius": float(known.radius)} if self.radius == FIT else {},
        )  # fmt: skip

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        counts = judgments.counts
        return np.asarray(self.fixed(counts)._chain(judgments, counts, rng)[1].mean(0))

    def fixed(self, counts: PairCounts) -> HopkinsMay:
        """The model with a number for its radius: its own, or the one fitted to these judgments."""
        return replace(self, radius=self.fitted_radius(counts)) if self.radius == FIT else self

    def fitted_radius(self, counts: PairCounts) -> float:
        """The radius of largest composite likelihood: every judgment by itself, as of two new items.

        That is what a prediction asks, and abilities and radius are what it depends on; both are raised in turn,
        abilities with their prior, until the radius stays.
        """
        cut = 0.25
        for _ in range(100):
            mu = replace(self, radius=cut * self._spread)._start(counts) / self._spread
            before, apart = cut, Direction(mu[:, None] - mu, 0.0)
            (cut,) = fitted_constants(counts, apart, [Direction(0.0, 1.0)], [before])
            if abs(cut - before) <= 1e-4 * before:
                break
        return cut * self._spread

    def outcomes(self, draws: FloatArray) -> FloatArray:
        """Probabilities for a new item of each system, averaged over draws of μ: an array (n, n, 3).

        The difference seen is N(μ_i − μ_j, 2σ_a² + 2σ_obs²), cut at ± ``radius``.
        """
        from scipy.special import ndtr

        win, tie = np.zeros((2, draws.shape[1], draws.shape[1]))
        for mu in draws / self._spread:
            apart, cut = mu[:, None] - mu, float(self.radius) / self._spread
            win += ndtr(apart - cut)
            tie += ndtr(cut - apart) - ndtr(-cut - apart)
        return positive(win / len(draws), tie / len(draws))

    @property
    def _spread(self) -> float:
        """Standard deviation of the difference seen between new items of two systems of equal ability."""
        return math.sqrt(2 * (self.sigma_a**2 + self.sigma_obs**2))

    def _chain(
        self, data: Judgments | PairCounts, counts: PairCounts, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draws of μ after the burn-in, and what their mean is estimated from with the least noise."""
        from ..kernels.hopkins_may import project, sample

        comparisons: Comparisons = comparisons_of(data, self.id)
        if self.sampler == "projection":
            spread = math.hypot(self.sigma_a, self.sigma_obs)
            lone = all_lone(comparisons, len(counts.systems))
            draws = project(lone, len(counts.systems), spread, float(self.radius), self.iterations, rng)
            return draws[self.burn_in :], draws[self.burn_in :]
        draws, means = sample(
            comparisons, self._start(counts), self.sigma_0, self.sigma_a, self.sigma_obs, float(self.radius),
            self.iterations, rng,
        )  # fmt: skip
        return draws[self.burn_in :], means[self.burn_in :]

    def _start(self, counts: PairCounts) -> FloatArray:
        """Near the mode of μ if every comparison were lone: a system that never lost is far from 0.

        Fisher scoring; a step that overshoots is halved. It only starts the chain, so three digits are enough.
        """
        unit, prior = self._spread, (self._spread / self.sigma_0) ** 2
        mu, cut = np.zeros(len(counts.systems)), float(self.radius) / unit
        value, slope, information = _log_posterior(mu, cut, prior, counts)
        for _ in range(50):
            step = np.linalg.solve(information, slope)
            size = float(np.abs(step).max())
            while size > 1e-3 and not (tried := _log_posterior(mu + step, cut, prior, counts))[0] > value:
                step, size = step / 2, size / 2
            if size <= 1e-3:
                break
            mu, (value, slope, information) = mu + step, tried
        return np.asarray(mu * unit)


def _log_posterior(
    mu: FloatArray, cut: float, prior: float, counts: PairCounts
) -> tuple[float, FloatArray, FloatArray]:
    """Of abilities in units of the spread of a comparison: log-density, its slope, and the expected information.

    ``prior`` is the precision of an ability.
    """
    logs, slopes, _ = cut_logs(mu[:, None] - mu, cut)
    # Every judgment is there from both sides, and so counts half in the sum over i and j.
    table = np.stack([counts.wins, counts.ties, counts.wins.T])
    pairs = table.sum(0) * (np.exp(logs) * slopes**2).sum(0)
    value = (table * logs).sum() / 2 - prior * (mu @ mu) / 2
    slope = (table * slopes).sum((0, 2)) - prior * mu
    return float(value), slope, np.diag(prior + pairs.sum(1)) - pairs
