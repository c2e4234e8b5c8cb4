"""Gibbs sweeps over items whose quality is one of a few levels."""

from __future__ import annotations

import math

import numpy as np

from ..judgments import FloatArray, IntArray
from .compiling import compiled


@compiled()
def sweep(
    log_ability: FloatArray,
    author: IntArray,
    starts: IntArray,
    other: IntArray,
    seen: IntArray,
    evidence: FloatArray,
    level: IntArray,
    rng: np.random.Generator,
) -> FloatArray:  # pragma: no cover - compiled
    """Draw the level of every item given those of the items it was compared with; count levels by system.

    Item v was compared with ``other[k]`` and ``seen[k]`` (0 worse, 1 equal, 2 better than it) for k from ``starts[v]``
    to ``starts[v + 1]``. ``evidence[s, y, x]`` is the log-probability that an item of level x is seen as s beside one
    of level y. ``level`` is changed in place.
    """
    systems, levels = log_ability.shape
    counts = np.zeros((systems, levels))
    weight = np.empty(levels)
    for v in range(len(author)):
        weight[:] = log_ability[author[v]]
        for k in range(starts[v], starts[v + 1]):
            weight += evidence[seen[k], level[other[k]]]
        level[v] = _pick(weight, rng)
        counts[author[v], level[v]] += 1.0
    return counts


@compiled()
def _pick(weight: FloatArray, rng: np.random.Generator) -> int:  # pragma: no cover - compiled
    """An index drawn with these log-weights, which are spoilt."""
    top = weight.max()
    total = 0.0
    for x in range(len(weight)):
        total += math.exp(weight[x] - top)
        weight[x] = total
    mark = total * rng.random()
    for x in range(len(weight) - 1):
        if mark < weight[x]:
            return x
    return len(weight) - 1
