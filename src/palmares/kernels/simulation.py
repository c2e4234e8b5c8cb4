"""Screens of simulated campaigns: which systems each shows, and what all of them come to as counts."""

from __future__ import annotations

import numpy as np

from ..judgments import FloatArray, IntArray
from .compiling import compiled


@compiled()
def smallest(numbers: FloatArray, count: int, chosen: IntArray) -> None:  # pragma: no cover - compiled
    """The places of the ``count`` smallest numbers of every row, the smallest first, into ``chosen``."""
    for row in range(numbers.shape[0]):
        kept = 0
        for place in range(numbers.shape[1]):
            number = numbers[row, place]
            if kept == count and number >= numbers[row, chosen[row, count - 1]]:
                continue
            k = kept if kept < count else count - 1
            while k > 0 and numbers[row, chosen[row, k - 1]] > number:
                chosen[row, k] = chosen[row, k - 1]
                k -= 1
            chosen[row, k] = place
            kept = min(kept + 1, count)


@compiled()
def count_screens(
    shown: IntArray, seen: FloatArray, radius: FloatArray, looks: IntArray, systems: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:  # pragma: no cover - compiled
    """Wins and ties, (2, looks, systems, systems), among the first so many screens, for every number in ``looks``.

    ``seen`` is how good every output of a screen looked. What is no more than the screen's ``radius`` below the best of
    its group shares its rank, as in `palmares.design.simulate.ranks_with_ties`.
    """
    outputs = shown.shape[1]
    counts = np.zeros((2, len(looks), systems, systems), dtype=np.int32)
    order, rank = np.empty(outputs, dtype=np.int64), np.empty(outputs, dtype=np.int64)
    look = 0
    for screen in range(looks[-1]):
        while screen == looks[look]:
            look += 1
            counts[:, look] = counts[:, look - 1]
        for k in range(outputs):
            place = k
            while place > 0 and seen[screen, order[place - 1]] < seen[screen, k]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = k
        leader, group = seen[screen, order[0]], 0
        for k in range(outputs):
            if leader - seen[screen, order[k]] > radius[screen]:
                leader, group = seen[screen, order[k]], group + 1
            rank[k] = group
            better = shown[screen, order[k]]
            for before in range(k):
                other = shown[screen, order[before]]
                if rank[before] < group:
                    counts[0, look, other, better] += 1
                else:
                    counts[1, look, other, better] += 1
                    counts[1, look, better, other] += 1
    return counts
