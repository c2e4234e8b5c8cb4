"""Minimum feedback arc set by dynamic programming over subsets."""

from __future__ import annotations

import numpy as np

from ..judgments import FloatArray, IntArray
from .compiling import compiled


@compiled()
def optimal_orders(cost: FloatArray, tolerance: float) -> tuple[float, int, FloatArray, IntArray]:
    """The least total cost of an order, how many orders reach it, each item's mean place over them, and one of them.

    ``cost[i, j]`` is paid when i stands before j. Places count from 0. The one order puts next, of the items that may
    follow in an optimal order, the one with the best mean place, then the first. O(2ⁿ n) time for n items,
    24 bytes × 2ⁿ memory. ``ways`` are whole numbers, exact up to 20 items (20! < 2⁶³).
    """
    n = cost.shape[0]
    size = 1 << n
    low, high = _half_sums(cost)
    # best[S]: the least cost of the orders of the items in S put first; ways[S]: how many reach it.
    best = np.full(size, np.inf)
    ways = np.zeros(size, dtype=np.int64)
    best[0], ways[0] = 0.0, 1
    for chosen in range(size):
        for i in range(n):
            if chosen >> i & 1:
                continue
            paid = best[chosen] + _behind(low, high, chosen, i)
            following = chosen | (1 << i)
            if paid < best[following] - tolerance:
                best[following], ways[following] = paid, ways[chosen]
            elif paid <= best[following] + tolerance:
                ways[following] += ways[chosen]

    # Walk back from the full set: share[S] is the share of optimal orders that pass through S.
    share = np.zeros(size)
    share[size - 1] = 1.0
    places = np.zeros(n)
    for chosen in range(size - 1, 0, -1):
        if share[chosen] == 0.0:
            continue
        before = -1
        for i in range(n):
            before += chosen >> i & 1
        for i in range(n):
            if not chosen >> i & 1:
                continue
            earlier = chosen & ~(1 << i)
            if abs(best[earlier] + _behind(low, high, earlier, i) - best[chosen]) <= tolerance:
                part = share[chosen] * ways[earlier] / ways[chosen]
                share[earlier] += part
                places[i] += part * before
    return best[size - 1], ways[size - 1], places, _one_order(low, high, best, share, places, tolerance)


@compiled()
def _one_order(
    low: FloatArray, high: FloatArray, best: FloatArray, share: FloatArray, places: FloatArray, tolerance: float
) -> IntArray:
    """Forward along sets that optimal orders pass through, by steps that cost no more than they must."""
    n = len(places)
    order = np.empty(n, dtype=np.int64)
    chosen = 0
    for place in range(n):
        taken = -1
        for i in range(n):
            following = chosen | (1 << i)
            if chosen >> i & 1 or share[following] == 0.0:
                continue
            tight = abs(best[chosen] + _behind(low, high, chosen, i) - best[following]) <= tolerance
            # Means that differ by rounding alone are equal.
            if tight and (taken < 0 or places[i] < places[taken] - 1e-9):
                taken = i
        order[place] = taken
        chosen |= 1 << taken
    return order


@compiled()
def _behind(low: FloatArray, high: FloatArray, chosen: int, i: int) -> float:
    """What it costs to put i behind the items of a set."""
    half = (low.shape[0] + 1) // 2
    return float(low[i, chosen & ((1 << half) - 1)] + high[i, chosen >> half])


@compiled()
def _half_sums(cost: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Cost of putting i behind a set, in two tables: for the sets of the first items, and of the rest."""
    n = cost.shape[0]
    half = (n + 1) // 2
    low = np.zeros((n, 1 << half))
    high = np.zeros((n, 1 << (n - half)))
    for i in range(n):
        for j in range(half):
            for rest in range(1 << j):
                low[i, rest | 1 << j] = low[i, rest] + cost[j, i]
        for j in range(n - half):
            for rest in range(1 << j):
                high[i, rest | 1 << j] = high[i, rest] + cost[half + j, i]
    return low, high
