"""Claims of many states of a campaign at once, as they would be if judgments went on."""

from __future__ import annotations

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray
from .compiling import compiled


@compiled()
def claimed_along(
    paths: FloatArray,
    factors: FloatArray,
    falling: FloatArray,
    staying: FloatArray,
    rho: float,
    wider: float,
    start: IntArray,
    p: float,
    window: int,
    between: float,
) -> tuple[BoolArray, IntArray]:
    """Which boundaries are claimed at every step of every path, and the block of every system, by code.

    Parameters
    ----------
    paths
        Scores (paths, steps, systems).
    factors
        How many times the judgments there are at every step.
    falling, staying
        Variances of differences (systems, systems): what is divided by the factor, and what is not.
    wider
        How many times z² must be what a normal distribution asks for.
    start
        Codes of the systems in an order that is near that of the first step.
    window
        Places on each side of a boundary whose systems are compared across it.
    between
        By how many standard deviations of what a step adds a motion is taken to have been farther between two steps.
    """
    number, steps, n = paths.shape
    claimed = np.zeros((number, steps, n - 1), dtype=np.bool_)
    blocks = np.zeros((number, steps, n), dtype=np.int64)
    weakest = np.empty(n - 1)
    least = 2 * np.log(1 / p)
    smallest = np.empty(steps)
    for step in range(steps):
        smallest[step] = _smallest(falling, staying, factors[step])
    for path in range(number):
        order = start.copy()
        before = 1.0
        for step in range(steps):
            scores = paths[path, step]
            _sort(order, scores)
            for k in range(1, n):
                weakest[k - 1] = _across(
                    order, scores, factors[step], before, falling, staying, rho, wider, smallest[step], k, window,
                    least, between,
                )  # fmt: skip
            before = factors[step]
            _claim(weakest, p, claimed[path, step])
            block = 0
            blocks[path, step, order[0]] = 0
            for k in range(1, n):
                block += claimed[path, step, k - 1]
                blocks[path, step, order[k]] = block
    return claimed, blocks


@compiled()
def _sort(order: IntArray, scores: FloatArray) -> None:
    """By score, best first; quick where little changed."""
    for place in range(1, len(order)):
        code, hole = order[place], place
        while hole > 0 and scores[order[hole - 1]] < scores[code]:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = code


@compiled()
def _smallest(falling: FloatArray, staying: FloatArray, factor: float) -> float:
    """The least variance of a difference."""
    least = np.inf
    for i in range(len(falling)):
        for j in range(i):
            least = min(least, falling[i, j] / factor + staying[i, j])
    return max(least, 1e-300)


@compiled()
def _across(
    order: IntArray,
    scores: FloatArray,
    factor: float,
    before: float,
    falling: FloatArray,
    staying: FloatArray,
    rho: float,
    wider: float,
    smallest: float,
    k: int,
    window: int,
    least: float,
    between: float,
) -> float:
    """The least evidence across a boundary; −∞ where it cannot be enough, which the nearest pairs mostly tell."""
    weakest, most = np.inf, np.log1p(1 / (smallest * rho))
    for above in range(k - 1, max(k - 1 - window, -1), -1):
        i = order[above]
        for below in range(k, min(k + window, len(order))):
            j = order[below]
            variance = falling[i, j] / factor + staying[i, j]
            if variance <= 0:
                return -np.inf
            gained = 1 - variance / (falling[i, j] / before + staying[i, j])
            z = (scores[i] - scores[j]) / np.sqrt(variance) + between * np.sqrt(max(gained, 0.0))
            said = z * z / (wider * (1 + rho * variance))
            if said < least:
                return -np.inf
            if said - most < weakest:
                weakest = min(weakest, said - np.log1p(1 / (variance * rho)))
    return weakest


@compiled()
def _claim(weakest: FloatArray, p: float, claimed: BoolArray) -> None:
    """Boundaries with evidence of 2 ln(M/p), M = Σ ⌊g/2⌋ over the blocks between those claimed, at least 1."""
    changed = True
    while changed:
        changed = False
        pairs, size = 0, 1
        for k in range(len(weakest)):
            if claimed[k]:
                pairs += size // 2
                size = 1
            else:
                size += 1
        needed = 2 * np.log(max(pairs + size // 2, 1) / p)
        for k in range(len(weakest)):
            if not claimed[k] and weakest[k] >= needed:
                claimed[k] = changed = True
