"""A compiled copy of the package's ``open-boundaries``, so that a thousand campaigns take minutes.

What it plans is what the package plans, screen by screen; ``python -m benchmarks active --check`` compares them in states
of simulated campaigns and prints in how many they agree.
"""

from __future__ import annotations

import numba
import numpy as np

from . import active_rules
from .active_own import State, uniform
from .active_world import Floats, Ints

REACH, STEEP = 2.25, 5.0


def open_boundaries(state: State, size: int, number: int, rng: np.random.Generator, rule: str = "any") -> Ints:
    """Screens drawn from what is planned, as web workers draw them."""
    planned = plan(state, size, number, rule)
    if not len(planned):
        return uniform(len(state.theta), size, number, rng)
    return np.asarray(planned[rng.integers(0, number, number)])


def plan(state: State, size: int, number: int, rule: str = "any", reach: float = REACH, steep: float = STEEP) -> Ints:
    """The screens in the order in which they are planned."""
    covariance, order, claimed = known(state, rule)
    if claimed.all():
        return np.zeros((0, size), dtype=np.int64)
    tells = information(state.theta, state.tie) / np.outer(state.stretch, state.stretch)
    pairs = active_rules.pairs_left(claimed)
    return np.asarray(
        _planned(state.theta, np.ascontiguousarray(covariance), order, claimed, tells, pairs, number, size, reach, steep)
    )


def known(state: State, rule: str) -> tuple[Floats, Ints, np.ndarray]:
    """The stretched covariance of the model, and what is claimed by it."""
    precision = np.diag(np.linalg.inv(state.inverse))[:-1]
    away = np.eye(len(precision)) - precision / precision.sum()
    covariance = state.stretch[:, None] * (away @ state.inverse[:-1, :-1] @ away.T) * state.stretch
    if rule == "usual":
        return covariance, state.order, state.claimed
    claimed = active_rules.claim(state.order, active_rules.most_any(*active_rules.squares(state.theta, covariance)))
    return covariance, state.order, claimed


def information(theta: Floats, tie: float) -> Floats:
    """Of one comparison of every two systems on their difference: (1 − P(tie) − (P(win) − P(loss))²)/4."""
    win = np.exp((theta[:, None] - theta) / 2)
    whole = win + win.T + np.exp(tie)
    return np.asarray((1 - np.exp(tie) / whole - ((win - win.T) / whole) ** 2) / 4)


@numba.njit(cache=True)
def _spreads(v):  # type: ignore[no-untyped-def]
    n = len(v)
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = v[i, i] + v[j, j] - 2 * v[i, j]
    return out


@numba.njit(cache=True)
def _needs(theta, variance, order, claimed, tells, pairs):  # type: ignore[no-untyped-def]
    """Comparisons until each boundary is claimed by the valid rule."""
    n = len(order)
    lacking = np.zeros((n, n))
    for a in range(n):
        for b in range(a + 1, n):
            i, j = order[a], order[b]
            z = max((theta[i] - theta[j]) / np.sqrt(variance[i, j]), 0.3)
            square = z * z * variance[i, j]
            needed = 16.0 / square
            for _ in range(4):
                bound = (1 + 13.0 / needed) * (np.log1p(needed / 13.0) + 2 * np.log(pairs / 0.05))
                needed = bound / square
            lacking[a, b] = max(needed - 1 / variance[i, j], 0.0) / tells[i, j]
    needs = np.full(n - 1, np.inf)
    for k in range(n - 1):
        if not claimed[k]:
            needs[k] = max(1.0, lacking[: k + 1, k + 1 :].sum())
    return needs


@numba.njit(cache=True)
def _planned(theta, v, order, claimed, tells, pairs, number, size, reach, steep):  # type: ignore[no-untyped-def]
    n = len(order)
    needs = _needs(theta, _spreads(v), order, claimed, tells, pairs)
    weights = (needs.min() / needs) ** steep
    if size == 2:
        cheapest = np.argmin(needs)
        weights[:] = 0.0
        weights[cheapest] = 1.0
    out = np.zeros((number, size), dtype=np.int64)
    for r in range(number):
        variance = _spreads(v)
        wanted = np.zeros((n, n))
        for k in range(n - 1):
            if not weights[k] > 1e-3:
                continue
            least = np.inf
            for a in range(k + 1):
                for b in range(k + 1, n):
                    i, j = order[a], order[b]
                    least = min(least, max((theta[i] - theta[j]) / np.sqrt(variance[i, j]), 0.3))
            f, total, own = max(1.0, reach / least), 0.0, np.zeros((n, n))
            for a in range(k + 1):
                for b in range(k + 1, n):
                    i, j = order[a], order[b]
                    z = max((theta[i] - theta[j]) / np.sqrt(variance[i, j]), 0.3)
                    pull = np.exp(-((f * z) ** 2) / 2) * f * z / variance[i, j]
                    if size == 2:
                        own[i, j] = pull if z <= 2 * least + 0.5 else 0.0
                    elif f * z <= reach + 1.5:
                        total += pull
                        own[i, j] = pull / variance[i, j] ** 2
            wanted += own if size == 2 else own * weights[k] / total
        both = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                pull = wanted[i, j] + wanted[j, i]
                both[i, j] -= pull
                both[i, i] += pull
        gain = _spreads(v @ both @ v)
        for i in range(n):
            for j in range(n):
                gain[i, j] = gain[i, j] / (1 / tells[i, j] + variance[i, j]) if i != j else 0.0
        out[r] = _clique(gain, size)
        for a in range(size):
            for b in range(a + 1, size):
                x, y = out[r, a], out[r, b]
                u = v[:, x] - v[:, y]
                v = v - np.outer(u, u) / (size / 2 / tells[x, y] + u[x] - u[y])
    return out


@numba.njit(cache=True)
def _clique(gain, size):  # type: ignore[no-untyped-def]
    """Greedily from the best pair, then swapped while it helps."""
    n = len(gain)
    inside = np.zeros(n, dtype=np.bool_)
    best, x, y = -np.inf, 0, 1
    for i in range(n):
        for j in range(i + 1, n):
            if gain[i, j] > best:
                best, x, y = gain[i, j], i, j
    inside[x] = inside[y] = True
    sums = gain[x] + gain[y]
    for _ in range(size - 2):
        best, x = -np.inf, 0
        for i in range(n):
            if not inside[i] and sums[i] > best:
                best, x = sums[i], i
        inside[x] = True
        sums = sums + gain[x]
    while 2 < size < n:
        best, x, y, scale = -np.inf, 0, 0, 0.0
        for i in range(n):
            if not inside[i]:
                continue
            scale += abs(sums[i])
            for j in range(n):
                if not inside[j] and sums[j] - sums[i] - gain[i, j] > best:
                    best, x, y = sums[j] - sums[i] - gain[i, j], i, j
        if best <= 1e-12 * scale:
            break
        inside[x], inside[y] = False, True
        sums = sums - gain[x] + gain[y]
    return np.flatnonzero(inside)
