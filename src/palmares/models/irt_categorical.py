"""``irt-categorical``: items on a scale of levels, seen through discrete noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from ..kernels.comparisons import Comparisons
from .base import OutcomeFit, check_placeable, counts_of
from .gibbs import GibbsModel, check_chain, check_number, comparisons_of, convergence, positive


@dataclass(frozen=True)
class IrtCategorical(GibbsModel):
    """Ability p_i ~ Dirichlet(α, …, α) over the levels 1..Λ; item quality λ ~ p_author (Hopkins & May 2013, §7).

    A judge sees quality + ν, where P(ν) is proportional to the density of N(0, σ_obs²) at the whole numbers that keep
    the sum in 1..Λ, and prefers what looks better; equal observations are a tie. An item is a system's output for a
    segment and keeps its quality; noise is fresh for every comparison. The score is the posterior mean of Σ_λ λ p_iλ.

    Attributes
    ----------
    levels
        Λ, how many levels of quality there are.
    alpha
        Strength of the prior of each level.
    sigma_obs
        Standard deviation of a judge's noise, in levels.
    iterations, burn_in
        Length of the chain, and how much of its beginning is dropped.
    """

    id = "irt-categorical"

    levels: int = 8
    alpha: float = 0.5
    sigma_obs: float = 1.0
    iterations: int = 200
    burn_in: int = 50

    def __post_init__(self) -> None:
        if not 2 <= self.levels <= 100:
            raise InputError(f"setting levels: got {self.levels}; allowed: 2 to 100")
        for name in ("alpha", "sigma_obs"):
            check_number(name, getattr(self, name))
        check_chain(self.iterations, self.burn_in)

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OutcomeFit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        abilities, means = self._chain(data, np.random.default_rng(rng))
        draws = abilities @ self._scale
        state, notes = convergence(draws, self.iterations)
        return OutcomeFit(
            self, counts.systems, means.mean(0) @ self._scale, deviations=draws.std(0, ddof=1), convergence=state,
            notes=notes, draws=draws, outcomes=self.outcomes(abilities),
        )  # fmt: skip

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        return np.asarray(self._chain(judgments, rng)[1].mean(0) @ self._scale)

    def outcomes(self, abilities: FloatArray) -> FloatArray:
        """Probabilities for a new item of each system, averaged over draws (draws, n, levels): an array (n, n, 3)."""
        _, tie, win = np.exp(log_outcomes(self.levels, self.sigma_obs))
        flat = np.swapaxes(abilities, 1, 2)
        return positive((abilities @ win @ flat).mean(0), (abilities @ tie @ flat).mean(0))

    @property
    def _scale(self) -> FloatArray:
        return np.arange(1.0, self.levels + 1)

    def _chain(self, data: Judgments | PairCounts, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draws of p after the burn-in, and their means given the items' levels: arrays (draws, n, levels)."""
        from ..kernels.irt_categorical import sweep

        comparisons = comparisons_of(data, self.id)
        n, table = len(data.systems), log_outcomes(self.levels, self.sigma_obs)
        evidence = np.ascontiguousarray(table.swapaxes(1, 2))
        near = _neighbours(comparisons)
        level = rng.integers(0, self.levels, len(comparisons.author))
        log_p = np.full((n, self.levels), -np.log(self.levels))
        abilities, means = np.empty((2, self.iterations, n, self.levels))
        for t in range(self.iterations):
            counts = sweep(log_p, comparisons.author, *near, evidence, level, rng)
            counts += _lone_levels(comparisons, log_p, table, rng)
            means[t] = (counts + self.alpha) / (counts + self.alpha).sum(1, keepdims=True)
            log_p = log_dirichlet(counts + self.alpha, rng)
            abilities[t] = np.exp(log_p)
        return abilities[self.burn_in :], means[self.burn_in :]


def log_outcomes(levels: int, sigma: float) -> FloatArray:
    """Log-probabilities that an item of level x + 1 looks worse than, equal to or better than one of level y + 1.

    An array (3, levels, levels). In logarithms throughout, so that no outcome becomes impossible however small σ is.
    """
    from scipy.special import logsumexp

    grid = np.arange(levels)
    noise = -((grid[:, None] - grid) ** 2) / (2 * sigma**2)
    noise -= logsumexp(noise, axis=1, keepdims=True)
    joint = noise[:, None, :, None] + noise[None, :, None, :]
    sign = np.sign(grid[:, None] - grid)
    return np.stack([logsumexp(joint[..., sign == s], axis=-1) for s in (-1, 0, 1)])


def log_dirichlet(strength: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Logarithms of a Dirichlet draw for every row.

    log Gamma(a) is drawn as log Gamma(a + 1) + log(U) / a, which does not underflow where a is small.
    """
    drawn = np.log(rng.standard_gamma(strength + 1)) - rng.standard_exponential(strength.shape) / strength
    drawn -= drawn.max(1, keepdims=True)
    return np.asarray(drawn - np.log(np.exp(drawn).sum(1, keepdims=True)))


def _neighbours(data: Comparisons) -> tuple[IntArray, IntArray, IntArray]:
    """For every item, where its comparisons start, with which items they are, and how the item was seen there."""
    item = np.concatenate([data.first, data.second])
    order = np.argsort(item, kind="stable")
    other = np.concatenate([data.second, data.first])[order]
    seen = np.concatenate([1 + data.outcome, 1 - data.outcome])[order]
    return np.searchsorted(item[order], np.arange(len(data.author) + 1)), other, seen


def _lone_levels(data: Comparisons, log_p: FloatArray, table: FloatArray, rng: np.random.Generator) -> FloatArray:
    """How many items of lone comparisons have each level, by system.

    The pairs of levels behind equal comparisons are one multinomial draw, however many there are.
    """
    counts = np.zeros(log_p.shape)
    if not len(data.cells):
        return counts
    levels = log_p.shape[1]
    a, b, outcome = data.cells.T
    weight = log_p[a][:, :, None] + log_p[b][:, None, :] + table[outcome + 1]
    chance = np.exp(weight - weight.max((1, 2), keepdims=True)).reshape(len(a), levels**2)
    pairs = rng.multinomial(data.copies, chance / chance.sum(1, keepdims=True)).reshape(-1, levels, levels)
    np.add.at(counts, a, pairs.sum(2))
    np.add.at(counts, b, pairs.sum(1))
    return counts
