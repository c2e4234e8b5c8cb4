"""What may be said of an order: the usual rank ranges, and rules for claiming boundaries; apart from the package.

All rules claim in the same manner: of a block of g systems that are not told apart yet, ⌊g/2⌋ boundaries could be
wrong at once (were they pairs of equals), M of all blocks together; a boundary is claimed where every system above is
better than every one below at level p / M; then blocks are smaller, and so on. They differ in what a difference needs:

- ``any``: (1 + ρ/V) [ln((V + ρ)/ρ) + 2 ln(M/p)] ≤ z², V = 1/v, ρ = 13; valid at every look (normal mixture, Robbins).
- ``horizon``: Wang and Tsiatis's boundaries with ∆ = ¼, for looks every 200 judgments up to a known end.
- ``once``: the normal quantile, for one look that was planned.
"""

from __future__ import annotations

from functools import cache

import numba
import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, t

RHO, P = 13.0, 0.05
DRAWS = 400


def normal_draws(systems: int, draws: int = DRAWS) -> np.ndarray:
    """The same for every look of every run: what changes between looks is not chance."""
    return np.random.default_rng(1).standard_normal((draws, systems))


@numba.njit(cache=True)
def usual_ranges(theta, v, normal):  # type: ignore[no-untyped-def]
    """First and last rank of every system after ⌈2.5 %⌉ of draws from N(θ, V) were cut at each end."""
    n, draws = len(theta), len(normal)
    pinned = v + np.trace(v) / n / n + 1e-10 * np.eye(n)
    drawn = normal @ np.linalg.cholesky(pinned).T + theta
    counts = np.zeros((n, n), dtype=np.int64)
    for b in range(draws):
        for i in range(n):
            place = 0
            for j in range(n):
                place += drawn[b, j] > drawn[b, i]
            counts[i, place] += 1
    cut = int(np.ceil(draws * P / 2))
    ranges = np.zeros((n, 2), dtype=np.int64)
    for i in range(n):
        seen, first = 0, 0
        while seen + counts[i, first] <= cut:
            seen += counts[i, first]
            first += 1
        seen, last = 0, n - 1
        while seen + counts[i, last] <= cut:
            seen += counts[i, last]
            last -= 1
        ranges[i, 0], ranges[i, 1] = first + 1, last + 1
    return ranges


@numba.njit(cache=True)
def usual_boundaries(order, ranges):  # type: ignore[no-untyped-def]
    """Koehn's clusters: a new one begins where a range starts beyond all ends so far, in the order of the estimate.

    As the package's joint boundaries: ranges of all above end before any below starts.
    """
    n = len(order)
    claimed = np.zeros(n - 1, dtype=np.bool_)
    for k in range(n - 1):
        last, first = 0, n + 1
        for a in range(k + 1):
            last = max(last, ranges[order[a], 1])
        for b in range(k + 1, n):
            first = min(first, ranges[order[b], 0])
        claimed[k] = first > last
    return claimed


@numba.njit(cache=True)
def pairs_left(claimed):  # type: ignore[no-untyped-def]
    """M: as many pairs of equals as there can be in the blocks between claims."""
    pairs, size = 0, 1
    for boundary in claimed:
        if boundary:
            pairs += size // 2
            size = 1
        else:
            size += 1
    return max(1, pairs + size // 2)


@numba.njit(cache=True)
def claim(order, most):  # type: ignore[no-untyped-def]
    """Claimed boundaries; ``most[i, j]`` is ln of the largest M at which i is better than j."""
    n = len(order)
    weakest = np.zeros(n - 1)
    for k in range(n - 1):
        least = np.inf
        for a in range(k + 1):
            for b in range(k + 1, n):
                least = min(least, most[order[a], order[b]])
        weakest[k] = least
    claimed = np.zeros(n - 1, dtype=np.bool_)
    while True:
        fresh = (weakest >= np.log(pairs_left(claimed))) & ~claimed
        if not fresh.any():
            return claimed
        claimed |= fresh


@numba.njit(cache=True)
def squares(theta, v):  # type: ignore[no-untyped-def]
    """Signed z² of every pair, and V."""
    n = len(theta)
    z2, known = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                d, var = theta[i] - theta[j], v[i, i] + v[j, j] - 2 * v[i, j]
                z2[i, j], known[i, j] = np.sign(d) * d * d / var, 1 / var
    return z2, known


@numba.njit(cache=True)
def most_any(z2, known):  # type: ignore[no-untyped-def]
    """ln M up to which each pair is claimed, at any look."""
    n = len(z2)
    most = np.full((n, n), -np.inf)
    for i in range(n):
        for j in range(n):
            if i != j:
                stretch = 1 + RHO / known[i, j]
                most[i, j] = (z2[i, j] / stretch - np.log((known[i, j] + RHO) / RHO)) / 2 + np.log(P)
    return most


@numba.njit(cache=True)
def most_of_table(z2, needed):  # type: ignore[no-untyped-def]
    """The same of a rule that needs z² ≥ needed[M − 1]."""
    n = len(z2)
    most = np.full((n, n), -np.inf)
    for m in range(len(needed)):
        for i in range(n):
            for j in range(n):
                if z2[i, j] >= needed[m]:
                    most[i, j] = np.log(m + 1.0)
    return most


def with_df(z2: np.ndarray, df: float) -> np.ndarray:
    """z² of a normal as unlikely as these are of a t distribution."""
    size = norm.isf(t.sf(np.sqrt(np.abs(z2)), df))
    return np.sign(z2) * np.minimum(size, 37.0) ** 2


def once(most: int = 8) -> np.ndarray:
    """z² for M = 1, 2, … at one planned look."""
    return norm.isf(P / 2 / np.arange(1, most + 1)) ** 2


@cache
def _wang_tsiatis(looks: int, most: int, delta: float) -> tuple[float, ...]:
    return tuple(_constant(looks, P / m, delta) for m in range(1, most + 1))


def horizon(look: int, looks: int, most: int = 8, delta: float = 0.25) -> np.ndarray:
    """z² for M = 1, 2, … at one of so many equally spaced looks."""
    return np.array(_wang_tsiatis(looks, most, delta)) ** 2 * (look / looks) ** (2 * delta - 1)


def _constant(looks: int, p: float, delta: float) -> float:
    """C with P(|B(k/K)| ≥ C (k/K)^∆ for some k ≤ K) = p."""
    return float(brentq(lambda c: _crosses(looks, c, delta, 401) - p, norm.isf(p / 2), 2 * norm.isf(p / 2), xtol=1e-4))


@numba.njit(cache=True)
def _crosses(looks, c, delta, points):  # type: ignore[no-untyped-def]
    """The chance, by the recursion of Armitage, McPherson and Rowe with Simpson's rule."""
    sd = np.sqrt(1 / looks)
    weights = np.ones(points)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    places, density = np.zeros(1), np.ones(1)
    for k in range(looks):
        bound = c * ((k + 1) / looks) ** delta
        new = np.linspace(-bound, bound, points)
        here = np.zeros(points)
        for a in range(points):
            for b in range(len(places)):
                far = (new[a] - places[b]) / sd
                if abs(far) < 8:
                    here[a] += density[b] * np.exp(-far * far / 2)
        density = here / (sd * np.sqrt(2 * np.pi)) * weights * (new[1] - new[0]) / 3
        places = new
    return 1 - density.sum()
