"""Values of bootstrap samples that are given as what was drawn: sums of rows, and measures that go by order.

``picks`` has one row per sample: the numbers of the units that were drawn. ``counts`` says instead how often each item
is in a sample.
"""

from __future__ import annotations

import numpy as np

from ..judgments import FloatArray, IntArray
from .compiling import compiled


@compiled()
def sums(picks: IntArray, rows: FloatArray) -> FloatArray:
    """The sums of the rows that were drawn: an array (samples, columns)."""
    samples, drawn = picks.shape
    units, columns = rows.shape
    total = np.zeros((samples, columns))
    times = np.empty(units)
    present = np.empty(units, dtype=np.int64)
    for b in range(samples):
        times[:] = 0.0
        for k in range(drawn):
            times[picks[b, k]] += 1.0
        # Listed first, without a branch: whether a unit was drawn is nothing that a processor can foresee.
        different = 0
        for i in range(units):
            present[different] = i
            different += times[i] > 0.0
        # By unit, so that the order of the draws changes no last digit.
        for k in range(different):
            i = present[k]
            for j in range(columns):
                total[b, j] += times[i] * rows[i, j]
    return total


@compiled()
def counted(picks: IntArray, codes: IntArray, units: int) -> IntArray:
    """How often every item is in a sample: as often as its unit was drawn; an array (samples, items)."""
    samples, drawn = picks.shape
    counts = np.empty((samples, len(codes)), dtype=np.int64)
    times = np.empty(units, dtype=np.int64)
    for b in range(samples):
        times[:] = 0
        for k in range(drawn):
            times[picks[b, k]] += 1
        for i in range(len(codes)):
            counts[b, i] = times[codes[i]]
    return counts


@compiled()
def weighted_by_place(counts: IntArray, order: IntArray, values: FloatArray, cumulated: FloatArray) -> FloatArray:
    """Σ of values in an order, each times the weight of the place it takes; an item drawn twice takes two places.

    ``cumulated[m]`` is the weight of the first m places together; all samples have as many places as it.
    """
    samples = len(counts)
    total = np.zeros(samples)
    for b in range(samples):
        place = 0
        for k in range(len(order)):
            item = order[k]
            after = place + counts[b, item]
            total[b] += values[item] * (cumulated[after] - cumulated[place])
            place = after
    return total


@compiled()
def spearman(counts: IntArray, x: IntArray, y: IntArray) -> FloatArray:
    """Spearman's correlation in every sample, with the mean rank for ties; NaN where one side is all tied.

    ``x`` and ``y`` are dense ranks from 0: equal values have equal codes.
    """
    samples, items = counts.shape
    result = np.empty(samples)
    ranks_x, ranks_y = np.empty(x.max() + 1), np.empty(y.max() + 1)
    for b in range(samples):
        n = counts[b].sum()
        _middle_ranks(counts[b], x, ranks_x)
        _middle_ranks(counts[b], y, ranks_y)
        middle = (n + 1) / 2
        xx, yy, xy = 0.0, 0.0, 0.0
        for i in range(items):
            dx, dy = ranks_x[x[i]] - middle, ranks_y[y[i]] - middle
            xx += counts[b, i] * dx * dx
            yy += counts[b, i] * dy * dy
            xy += counts[b, i] * dx * dy
        result[b] = xy / np.sqrt(xx * yy) if xx > 0 and yy > 0 else np.nan
    return result


@compiled()
def _middle_ranks(counts: IntArray, codes: IntArray, ranks: FloatArray) -> None:
    """The mean rank of every code, from 1, written to ``ranks``."""
    ranks[:] = 0.0
    for i in range(len(codes)):
        ranks[codes[i]] += counts[i]
    before = 0.0
    for c in range(len(ranks)):
        size = ranks[c]
        ranks[c] = before + (size + 1) / 2
        before += size
