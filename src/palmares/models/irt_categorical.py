"""``irt-categorical``: items on a scale of levels, seen through discrete noise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from ..kernels.comparisons import Comparisons
from .base import OutcomeFit, check_placeable, counts_of
from .cuts import FIT, Constant, smoothed
from .gibbs import GibbsModel, check_chain, check_number, comparisons_of, convergence, positive

#: A radius is fitted in the burn-in, which must be at least this long.
_LEAST_BURN_IN = 10
#: Radii that are tried first, per level.
_TRIED = 4


@dataclass(frozen=True)
class IrtCategorical(GibbsModel):
    """Ability p_i ~ Dirichlet(α, …, α) over the levels 1..Λ; item quality λ ~ p_author (Hopkins & May 2013, §7).

    A judge sees quality + ν, where P(ν) is proportional to the density of N(0, σ_obs²) at the whole numbers that keep
    the sum in 1..Λ, and prefers what looks better; observations at most ``radius`` apart are a tie. An item is a
    system's output for a segment and keeps its quality; noise is fresh for every comparison. The score is the posterior
    mean of Σ_λ λ p_iλ.

    Attributes
    ----------
    levels
        Λ, how many levels of quality there are.
    alpha
        Strength of the prior of each level.
    sigma_obs
        Standard deviation of a judge's noise, in levels.
    radius
        How far apart observations of a tie may be, in levels; 0: they are equal. Of a fraction, that share of the
        differences in which it lies are ties: 1.3 is all of 0 and 1, and 30 % of 2; −0.6 is 40 % of 0, the others
        decided by chance. ``fit``: estimated from the judgments in the burn-in.
    iterations, burn_in
        Length of the chain, and how much of its beginning is dropped.
    """

    id = "irt-categorical"
    fits: ClassVar[tuple[str, ...]] = ("radius",)

    levels: int = 8
    alpha: float = 0.5
    sigma_obs: float = 1.0
    radius: Constant = 0.0
    iterations: int = 200
    burn_in: int = 50

    def __post_init__(self) -> None:
        if not 2 <= self.levels <= 100:
            raise InputError(f"setting levels: got {self.levels}; allowed: 2 to 100")
        for name in ("alpha", "sigma_obs"):
            check_number(name, getattr(self, name))
        check_chain(self.iterations, self.burn_in)
        if self.radius == FIT:
            if self.burn_in < _LEAST_BURN_IN:
                raise InputError(
                    f"setting burn_in: got {self.burn_in}; allowed: at least {_LEAST_BURN_IN} where radius=fit, which "
                    "is estimated in the burn-in"
                )
        elif not -1 < float(self.radius) < self.levels - 1:
            raise InputError(
                f"setting radius: got {self.radius}; allowed: a number above -1 and below levels - 1 "
                f"({self.levels - 1}), or fit"
            )

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OutcomeFit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        chain = self._chain(data, counts, np.random.default_rng(rng))
        draws = chain.abilities @ self._scale
        state, notes = convergence(draws, self.iterations)
        return OutcomeFit(
            self, counts.systems, chain.means.mean(0) @ self._scale, deviations=draws.std(0, ddof=1), convergence=state,
            notes=notes, draws=draws, outcomes=replace(self, radius=chain.radius).outcomes(chain.abilities),
            fitted={"radius": chain.radius} if self.radius == FIT else {},
        )  # fmt: skip

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        return np.asarray(self._chain(judgments, judgments.counts, rng).means.mean(0) @ self._scale)

    def outcomes(self, abilities: FloatArray) -> FloatArray:
        """Probabilities for a new item of each system, averaged over draws (draws, n, levels): an array (n, n, 3)."""
        _, tie, win = np.exp(log_outcomes(self.levels, self.sigma_obs, float(self.radius)))
        flat = np.swapaxes(abilities, 1, 2)
        return positive((abilities @ win @ flat).mean(0), (abilities @ tie @ flat).mean(0))

    @property
    def _scale(self) -> FloatArray:
        return np.arange(1.0, self.levels + 1)

    def _chain(self, data: Judgments | PairCounts, counts: PairCounts, rng: np.random.Generator) -> _Chain:
        from ..kernels.irt_categorical import sweep

        comparisons = comparisons_of(data, self.id)
        n, tried = len(data.systems), []
        radius = 0.0 if self.radius == FIT else float(self.radius)
        table = log_outcomes(self.levels, self.sigma_obs, radius)
        near = _neighbours(comparisons)
        level = rng.integers(0, self.levels, len(comparisons.author))
        log_p = np.full((n, self.levels), -np.log(self.levels))
        abilities, means = np.empty((2, self.iterations, n, self.levels))
        fitting = _RadiusFit(counts, self.levels, self.sigma_obs) if self.radius == FIT else None
        for t in range(self.iterations):
            drawn = sweep(log_p, comparisons.author, *near, np.ascontiguousarray(table.swapaxes(1, 2)), level, rng)
            drawn += _lone_levels(comparisons, log_p, table, rng)
            means[t] = (drawn + self.alpha) / (drawn + self.alpha).sum(1, keepdims=True)
            log_p = log_dirichlet(drawn + self.alpha, rng)
            abilities[t] = np.exp(log_p)
            if fitting is not None and t < self.burn_in:
                # Half of what was found is from a chain that had not settled.
                tried.append(fitting.best(abilities[t]))
                radius = float(np.mean(tried[len(tried) // 2 :]))
                table = log_outcomes(self.levels, self.sigma_obs, radius)
        return _Chain(abilities[self.burn_in :], means[self.burn_in :], radius)


@dataclass(frozen=True)
class _Chain:
    """Draws of p after the burn-in, their means given the items' levels, (draws, n, levels); and the radius used."""

    abilities: FloatArray = field(repr=False)
    means: FloatArray = field(repr=False)
    radius: float


class _RadiusFit:
    """Finds the radius under which abilities give judgments, each by itself as of two new items, most probability."""

    def __init__(self, counts: PairCounts, levels: int, sigma: float) -> None:
        self._table = smoothed(counts)
        self._levels = levels
        noise = np.exp(_log_noise(levels, sigma))
        seen = np.subtract.outer(np.arange(levels), np.arange(levels)) + levels - 1
        #: ``[x, y, k]``: how often items of levels x + 1 and y + 1 are seen k − Λ + 1 levels apart.
        self._apart = np.zeros((levels, levels, 2 * levels - 1))
        for a, b in np.ndindex(levels, levels):
            self._apart[:, :, seen[a, b]] += np.outer(noise[:, a], noise[:, b])

    def best(self, abilities: FloatArray) -> float:
        """The radius of largest likelihood, given a distribution over levels for every system."""
        from scipy.optimize import minimize_scalar

        apart = np.einsum("ix,xyk,jy->kij", abilities, self._apart, abilities, optimize=True)

        def surprise(radius: float) -> float:
            worse, tie, better = np.tensordot(outcome_shares(self._levels, radius), apart, 1)
            logs = np.log(np.maximum(np.stack([better, tie, worse]), 1e-300))
            return -float((self._table * logs).sum())

        # The likelihood bends at every whole number, so the best of a grid is refined between its neighbours.
        grid = np.linspace(-1, self._levels - 1, _TRIED * self._levels + 1)
        place = int(np.argmin([surprise(radius) for radius in grid[1:-1]])) + 1
        found = minimize_scalar(surprise, bounds=(grid[place - 1], grid[place + 1]), method="bounded")
        return float(found.x)


def outcome_shares(levels: int, radius: float) -> FloatArray:
    """Of observations 1 − Λ, …, Λ − 1 levels apart, the shares that are worse, tied and better: (3, 2Λ − 1)."""
    apart = np.arange(1 - levels, levels)
    tie = np.clip(radius + 1 - np.abs(apart), 0, 1)
    better = (1 - tie) * (np.sign(apart) + 1) / 2
    return np.stack([better[::-1], tie, better])


def _log_noise(levels: int, sigma: float) -> FloatArray:
    """Log-probabilities that an item of level x + 1 is seen as one of level y + 1."""
    from scipy.special import logsumexp

    grid = np.arange(levels)
    noise = -((grid[:, None] - grid) ** 2) / (2 * sigma**2)
    return np.asarray(noise - logsumexp(noise, axis=1, keepdims=True))


def log_outcomes(levels: int, sigma: float, radius: float = 0.0) -> FloatArray:
    """Log-probabilities that an item of level x + 1 looks worse than, tied with or better than one of level y + 1.

    An array (3, levels, levels). In logarithms throughout, so that no outcome becomes impossible however small σ is.
    """
    from scipy.special import logsumexp

    noise = _log_noise(levels, sigma)
    joint = noise[:, None, :, None] + noise[None, :, None, :]
    apart = np.subtract.outer(np.arange(levels), np.arange(levels)) + levels - 1
    shares = outcome_shares(levels, radius)[:, apart]
    return np.stack([logsumexp(joint[..., share > 0] + np.log(share[share > 0]), axis=-1) for share in shares])


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
