"""Compiled copies of the package's strategies, so that thousands of campaigns take minutes.

What they plan is what the package plans, screen by screen where that is not left to chance (``open-boundaries``,
``information``), and by the same chances where it is: ``python -m benchmarks active --check`` compares them.
"""

from __future__ import annotations

from functools import partial

import numba
import numpy as np

from . import active_rules
from .active_own import Chooser, State, balanced, uniform
from .active_world import Floats, Ints

REACH, STEEP = 2.25, 5.0
#: No more screens are planned at once; as many as are asked for are drawn from them.
_PLANNED = 20


def choosing(strategy: str, rule: str) -> Chooser:
    """A strategy whose screens are drawn from what it planned, as web workers draw them."""

    def choose(state: State, size: int, number: int, rng: np.random.Generator) -> Ints:
        if strategy == "balanced":
            return balanced(state, size, number, rng)
        planned = choosing_plan(strategy, state, size, min(number, _PLANNED), rng, rule)
        if not len(planned):
            return uniform(len(state.theta), size, number, rng)
        return np.asarray(planned[rng.integers(0, len(planned), number)])

    return choose


def choosing_plan(
    strategy: str, state: State, size: int, number: int, rng: np.random.Generator, rule: str = "any"
) -> Ints:
    """The screens that a strategy plans."""
    return PLANS[strategy](state, size, number, rng) if strategy in PLANS else plan(state, size, number, rule)


def plan(state: State, size: int, number: int, rule: str = "any", reach: float = REACH, steep: float = STEEP) -> Ints:
    """The screens in the order in which they are planned."""
    covariance, order, claimed = known(state, rule)
    if claimed.all():
        return np.zeros((0, size), dtype=np.int64)
    tells = information(state.theta, state.tie) / np.outer(state.stretch, state.stretch)
    pairs = active_rules.pairs_left(claimed)
    return np.asarray(
        _planned(
            state.theta, np.ascontiguousarray(covariance), order, claimed, tells, pairs, number, size, reach, steep
        )
    )


def s14(state: State, size: int, number: int, rng: np.random.Generator, *, match: bool = False) -> Ints:
    """The least known system, and others by exp(−|∆θ|), or by match quality."""
    covariance = centred(state)
    tells = information(state.theta, state.tie) / np.outer(state.stretch, state.stretch)
    chance = rng.gumbel(size=(number, len(covariance)))
    return np.asarray(_s14(state.theta, covariance, tells, chance, size, match))


def information_gain(state: State, size: int, number: int, rng: np.random.Generator) -> Ints:
    """The largest expected information about all strengths: of pairs a spanning tree at a time."""
    covariance = known(state, "usual")[0]
    widened = np.outer(state.stretch, state.stretch)
    tells, nu = information(state.theta, state.tie) / widened, np.exp(state.tie)
    nodes, weights = np.polynomial.hermite_e.hermegauss(11)
    weights /= weights.sum()
    return np.asarray(_informative(state.theta, covariance, tells, widened, nu, nodes, weights, number, size))


def baseline(state: State, size: int, number: int, rng: np.random.Generator) -> Ints:
    """The system nearest the mean, and those that met it least."""
    precision = np.diag(np.linalg.inv(state.inverse))[:-1]
    mean = state.theta - state.theta @ precision / precision.sum()
    centre = int(np.abs(mean - mean.mean()).argmin())
    met, out = state.met[centre].copy(), np.zeros((number, size), dtype=np.int64)
    met[centre] = np.inf
    for r in range(number):
        others = np.lexsort((rng.random(len(met)), met))[: size - 1]
        met[others] += 1
        out[r] = [centre, *others]
    return out


PLANS = {
    "s14": s14, "match-quality": partial(s14, match=True), "information": information_gain, "baseline": baseline,
}  # fmt: skip


def known(state: State, rule: str) -> tuple[Floats, Ints, np.ndarray]:
    """The stretched covariance of the model, and what is claimed by it."""
    if not state.widened:  # then nothing depends on where scores are seen from
        return state.inverse[:-1, :-1], state.order, state.claimed
    covariance = centred(state)
    if rule == "usual":
        return covariance, state.order, state.claimed
    claimed = active_rules.claim(state.order, active_rules.most_any(*active_rules.squares(state.theta, covariance)))
    return covariance, state.order, claimed


def centred(state: State) -> Floats:
    """The model's covariance, seen from the mean by information, each system's error times its stretch."""
    precision = np.diag(np.linalg.inv(state.inverse))[:-1]
    away = np.eye(len(precision)) - precision / precision.sum()
    return np.asarray(state.stretch[:, None] * (away @ state.inverse[:-1, :-1] @ away.T) * state.stretch)


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
            needs[k] = lacking[: k + 1, k + 1 :].sum()
    return needs


@numba.njit(cache=True)
def _served(needs, size, steep):  # type: ignore[no-untyped-def]
    """Weights of the boundaries that a screen is chosen for: of those that what is planned will not close."""
    if (np.isfinite(needs) & (needs >= 1)).any():
        needs = np.where(needs >= 1, needs, np.inf)
    weights = np.zeros(len(needs))
    if size == 2:
        weights[np.argmin(needs)] = 1.0
    else:
        weights = (max(needs.min(), 1.0) / np.maximum(needs, 1.0)) ** steep
    return weights


@numba.njit(cache=True)
def _planned(theta, v, order, claimed, tells, pairs, number, size, reach, steep):  # type: ignore[no-untyped-def]
    n = len(order)
    weights, counted = np.zeros(n - 1), 20
    out = np.zeros((number, size), dtype=np.int64)
    for r in range(number):
        if counted >= 20:
            weights, counted = _served(_needs(theta, _spreads(v), order, claimed, tells, pairs), size, steep), 0
        counted += size * (size - 1) // 2
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
                    elif f * z <= f * least + 1.5:
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
        v = _told(v, out[r], tells)
    return out


@numba.njit(cache=True)
def _told(v, members, tells):  # type: ignore[no-untyped-def]
    """The covariance after one screen."""
    size = len(members)
    for a in range(size):
        for b in range(a + 1, size):
            x, y = members[a], members[b]
            u = v[:, x] - v[:, y]
            v = v - np.outer(u, u) / (size / 2 / tells[x, y] + u[x] - u[y])
    return v


@numba.njit(cache=True)
def _s14(theta, v, tells, chance, size, match):  # type: ignore[no-untyped-def]
    n = len(v)
    out = np.zeros((len(chance), size), dtype=np.int64)
    for r in range(len(chance)):
        first = 0
        for i in range(n):
            if v[i, i] > v[first, first]:
                first = i
        keys = chance[r].copy()
        for i in range(n):
            gap = theta[i] - theta[first]
            if match:
                c2 = 1.702**2 + v[i, i] + v[first, first]
                keys[i] += np.log(1.702**2 / c2) / 2 - gap * gap / (2 * c2)
            else:
                keys[i] -= abs(gap)
        keys[first] = np.inf
        out[r] = np.sort(np.argsort(-keys)[:size])
        v = _told(v, out[r], tells)
    return out


@numba.njit(cache=True)
def _informative(theta, v, tells, widened, nu, nodes, weights, number, size):  # type: ignore[no-untyped-def]
    n = len(v)
    out = np.zeros((number, size), dtype=np.int64)
    done = 0
    while done < number:
        gain = np.zeros((n, n))
        for i in range(n):
            for j in range(i + 1, n):
                sd = np.sqrt(max(v[i, i] + v[j, j] - 2 * v[i, j], 0.0) / widened[i, j])
                win, tie, inner = 0.0, 0.0, 0.0
                for q in range(len(nodes)):
                    ratio = np.exp((theta[i] - theta[j] + sd * nodes[q]) / 2)
                    whole = ratio + 1 / ratio + nu
                    w, t = ratio / whole, nu / whole
                    win += weights[q] * w
                    tie += weights[q] * t
                    inner += weights[q] * _entropy(w, t)
                gain[i, j] = gain[j, i] = _entropy(win, tie) - inner
        if size == 2:
            tree = _tree(gain)
            for k in range(min(len(tree), number - done)):
                out[done] = tree[k]
                v = _told(v, out[done], tells)
                done += 1
        else:
            out[done] = _clique(gain, size)
            v = _told(v, out[done], tells)
            done += 1
    return out


@numba.njit(cache=True)
def _entropy(win, tie):  # type: ignore[no-untyped-def]
    loss = max(1 - win - tie, 1e-300)
    return -(win * np.log(win) + tie * np.log(tie) + loss * np.log(loss))


@numba.njit(cache=True)
def _tree(gain):  # type: ignore[no-untyped-def]
    """The n − 1 pairs of the largest spanning tree, largest first."""
    n = len(gain)
    best, nearest = gain[0].copy(), np.zeros(n, dtype=np.int64)
    best[0] = -np.inf
    outside = np.ones(n, dtype=np.bool_)
    outside[0] = False
    pairs, values = np.zeros((n - 1, 2), dtype=np.int64), np.zeros(n - 1)
    for k in range(n - 1):
        new, most = 0, -np.inf
        for i in range(n):
            if outside[i] and best[i] > most:
                new, most = i, best[i]
        pairs[k, 0], pairs[k, 1] = min(nearest[new], new), max(nearest[new], new)
        values[k] = gain[nearest[new], new]
        outside[new] = False
        for i in range(n):
            if outside[i] and gain[new, i] > best[i]:
                best[i], nearest[i] = gain[new, i], new
    return pairs[np.argsort(-values)]


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
