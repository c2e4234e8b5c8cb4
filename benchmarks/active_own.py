"""Strategies written apart from the package, from the formulas alone: the other half of every comparison of the two.

A strategy takes what is known and says which screens come next; a tenth of all screens is uniform whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np

from .active_replay import Replayed
from .active_world import Collected, Floats, Ints


@dataclass(frozen=True)
class State:
    """What a strategy may know: the estimate, its covariance, which boundaries of its order are claimed, counts."""

    theta: Floats
    covariance: Floats
    order: Ints
    claimed: np.ndarray
    information: float
    met: Floats
    data: Collected | Replayed
    stretch: Floats
    inverse: Floats
    tie: float
    widened: bool


Chooser = Callable[[State, int, int, np.random.Generator], Ints]


def uniform(systems: int, size: int, number: int, rng: np.random.Generator) -> Ints:
    """Every set alike."""
    return np.argsort(rng.random((number, systems)), axis=1)[:, :size].astype(np.int64)


def balanced(state: State, size: int, number: int, rng: np.random.Generator) -> Ints:
    """The systems judged least, one after the other, and of these those that met the others least."""
    return _balanced(state.met.copy(), size, rng.random((number, len(state.theta))))


@numba.njit(cache=True)
def _balanced(met, size, chance):  # type: ignore[no-untyped-def]
    out = np.zeros((len(chance), size), dtype=np.int64)
    for r in range(len(chance)):
        taken = np.zeros(len(met), dtype=np.bool_)
        for place in range(size):
            best, least = -1, np.inf
            for i in range(len(met)):
                if taken[i]:
                    continue
                often = met[i].sum() * 1e3 + chance[r, i]
                for other in range(place):
                    often += met[i, out[r, other]]
                if often < least:
                    best, least = i, often
            taken[best] = True
            out[r, place] = best
        for a in range(size):
            for b in range(size):
                if a != b:
                    met[out[r, a], out[r, b]] += 1
    return out


def s14(state: State, size: int, number: int, rng: np.random.Generator) -> Ints:
    """The system of highest variance, then others with weight exp(−|∆θ|); its variance falls as it is chosen."""
    away = np.eye(len(state.theta)) - 1 / len(state.theta)
    variance = np.diag(away @ state.covariance @ away).copy()
    out = np.zeros((number, size), dtype=np.int64)
    for r in range(number):
        first = int(variance.argmax())
        weight = np.exp(-np.abs(state.theta - state.theta[first]))
        weight[first] = 0
        others = rng.choice(len(weight), size - 1, replace=False, p=weight / weight.sum())
        out[r] = [first, *others]
        for i in out[r]:
            variance[i] = 1 / (1 / variance[i] + state.information * 2 * (size - 1) / size)
    return out


def open_boundaries(
    state: State, size: int, number: int, rng: np.random.Generator, c: float | None = None
) -> Ints:  # fmt: skip
    """The open boundary that is cheapest to close, taken to be closed at z = c."""
    if state.claimed.all():
        return uniform(len(state.theta), size, number, rng)
    if size == 2:
        return _pairs(
            state.theta, state.covariance.copy(), state.order, state.claimed, state.information, c or 2.25, number
        )
    return _screens(
        state.theta, state.covariance.copy(), state.order, state.claimed, state.information, c or 2.1, number, size
    )


@numba.njit(cache=True)
def _needs(theta, v, order, claimed, j_one, c):  # type: ignore[no-untyped-def]
    """Judgments that every boundary still needs; infinite where it is claimed."""
    n = len(order)
    needs = np.full(n - 1, np.inf)
    for k in range(n - 1):
        if claimed[k]:
            continue
        needs[k] = 0.0
        for a in range(k + 1):
            for b in range(k + 1, n):
                i, j = order[a], order[b]
                d = max(theta[i] - theta[j], 1e-9)
                var = v[i, i] + v[j, j] - 2 * v[i, j]
                if d <= 4.5 * np.sqrt(var):
                    needs[k] += max(0.0, c * c / (d * d) - 1 / var) / j_one
    return needs


@numba.njit(cache=True)
def _learn(v, x, y, j_one):  # type: ignore[no-untyped-def]
    """What one comparison of x and y will leave of the covariance."""
    u = v[:, x] - v[:, y]
    v -= np.outer(u, u) / (1 / j_one + u[x] - u[y])


@numba.njit(cache=True)
def _pairs(theta, v, order, claimed, j_one, c, number):  # type: ignore[no-untyped-def]
    n = len(order)
    needs = _needs(theta, v, order, claimed, j_one, c)
    k = np.argmin(needs)
    out = np.zeros((number, 2), dtype=np.int64)
    for r in range(number):
        least = np.inf
        for a in range(k + 1):
            for b in range(k + 1, n):
                i, j = order[a], order[b]
                z = max((theta[i] - theta[j]) / np.sqrt(v[i, i] + v[j, j] - 2 * v[i, j]), 0.3)
                least = min(least, z)
        f = max(1.0, c / least)
        gain = np.zeros((n, n))
        for a in range(k + 1):
            for b in range(k + 1, n):
                i, j = order[a], order[b]
                var = v[i, i] + v[j, j] - 2 * v[i, j]
                z = max((theta[i] - theta[j]) / np.sqrt(var), 0.3)
                if z > 2 * least + 0.5:
                    continue
                weight = np.exp(-((f * z) ** 2) / 2) * f * z / var
                for x in range(n):
                    for y in range(x + 1, n):
                        gain[x, y] += weight * (v[x, i] - v[x, j] - v[y, i] + v[y, j]) ** 2
        best = np.argmax(gain)
        out[r, 0], out[r, 1] = best // n, best % n
        _learn(v, out[r, 0], out[r, 1], j_one)
    return out


@numba.njit(cache=True)
def screen_gains(theta, v, order, claimed, j_one, c):  # type: ignore[no-untyped-def]
    """G of every two systems, over all open boundaries."""
    n = len(order)
    needs = _needs(theta, v, order, claimed, j_one, c)
    needs = np.maximum(needs, 1.0)
    least_need = needs.min()
    gain = np.zeros((n, n))
    for k in range(n - 1):
        if claimed[k]:
            continue
        share = (least_need / needs[k]) ** 5
        if share < 1e-6:
            continue
        least = np.inf
        for a in range(k + 1):
            for b in range(k + 1, n):
                i, j = order[a], order[b]
                z = max((theta[i] - theta[j]) / np.sqrt(v[i, i] + v[j, j] - 2 * v[i, j]), 0.3)
                least = min(least, z)
        f = max(1.0, c / least)
        total, own = 0.0, np.zeros((n, n))
        for a in range(k + 1):
            for b in range(k + 1, n):
                i, j = order[a], order[b]
                var = v[i, i] + v[j, j] - 2 * v[i, j]
                z = max((theta[i] - theta[j]) / np.sqrt(var), 0.3)
                if f * z > c + 1.5:
                    continue
                weight = np.exp(-((f * z) ** 2) / 2) * f * z / var
                total += weight
                for x in range(n):
                    for y in range(x + 1, n):
                        own[x, y] += weight * (v[x, i] - v[x, j] - v[y, i] + v[y, j]) ** 2 / (var * var)
        if total > 0:
            gain += share * own / total
    for x in range(n):
        for y in range(x + 1, n):
            gain[x, y] /= 1 + j_one * (v[x, x] + v[y, y] - 2 * v[x, y])
            gain[y, x] = gain[x, y]
    return gain


@numba.njit(cache=True)
def _screens(theta, v, order, claimed, j_one, c, number, size):  # type: ignore[no-untyped-def]
    n = len(order)
    out = np.zeros((number, size), dtype=np.int64)
    for r in range(number):
        gain = screen_gains(theta, v, order, claimed, j_one, c)
        inside = np.zeros(n, dtype=np.bool_)
        first = np.argmax(gain)
        chosen = np.zeros(size, dtype=np.int64)
        chosen[0], chosen[1] = first // n, first % n
        inside[chosen[0]] = inside[chosen[1]] = True
        for place in range(2, size):
            best, most = -1, -np.inf
            for x in range(n):
                if not inside[x]:
                    worth = 0.0
                    for other in range(place):
                        worth += gain[x, chosen[other]]
                    if worth > most:
                        best, most = x, worth
            chosen[place] = best
            inside[best] = True
        _swapped(gain, chosen, inside)
        out[r] = chosen
        for a in range(size):
            for b in range(a + 1, size):
                _learn(v, chosen[a], chosen[b], 0.4 * j_one)
    return out


@numba.njit(cache=True)
def _swapped(gain, chosen, inside):  # type: ignore[no-untyped-def]
    """Exchange one system for another while that adds."""
    n, size = len(gain), len(chosen)
    while True:
        most, out_place, into = 1e-12, -1, -1
        for place in range(size):
            for x in range(n):
                if inside[x]:
                    continue
                change = 0.0
                for other in range(size):
                    if other != place:
                        change += gain[x, chosen[other]] - gain[chosen[place], chosen[other]]
                if change > most * (1 + 1e-9):
                    most, out_place, into = change, place, x
        if out_place < 0:
            return
        inside[chosen[out_place]] = False
        chosen[out_place] = into
        inside[into] = True


OWN = {"balanced": balanced, "s14": s14, "open-boundaries": open_boundaries}
