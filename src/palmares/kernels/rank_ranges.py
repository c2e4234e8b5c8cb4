"""Rank ranges of many states of the same systems at once, from draws around their scores."""

from __future__ import annotations

import numpy as np

from ..judgments import FloatArray, IntArray
from .compiling import compiled


@compiled()
def drawn_ranges(
    scores: FloatArray, roots: FloatArray, stretch: FloatArray, normal: FloatArray, heavy: FloatArray, cut: int
) -> IntArray:  # pragma: no cover - compiled
    """First and last rank (states, systems, 2) once the ``cut`` best and worst ranks of every system are dropped.

    Draw b of state s is ``scores[s] + stretch[s] · heavy[b] · roots[s] @ normal[b]``; the lower triangular roots may be
    one for all states. Equal values, which draws do not have, stand in the order of their codes.
    """
    states, systems = scores.shape
    draws = normal.shape[0]
    ranges = np.empty((states, systems, 2), dtype=np.int64)
    order = np.arange(systems)
    values = np.empty(systems)
    for s in range(states):
        own = roots[s if roots.shape[0] > 1 else 0]
        often = np.zeros((systems, systems), dtype=np.int64)
        for b in range(draws):
            for i in range(systems):
                deviate = 0.0
                for k in range(i + 1):
                    deviate += own[i, k] * normal[b, k]
                values[i] = scores[s, i] + stretch[s, i] * heavy[b] * deviate
            # The order of the draw before is nearly that of this one, so few have to move.
            for k in range(1, systems):
                moved, place = order[k], k
                while place > 0 and values[order[place - 1]] < values[moved]:
                    order[place] = order[place - 1]
                    place -= 1
                order[place] = moved
            for k in range(systems):
                often[order[k], k] += 1
        for i in range(systems):
            below, first = 0, -1
            for k in range(systems):
                below += often[i, k]
                if first < 0 and below > cut:
                    first = k + 1
                if below >= draws - cut:
                    ranges[s, i, 0], ranges[s, i, 1] = first, k + 1
                    break
    return ranges
