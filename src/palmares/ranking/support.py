"""How often bootstrap samples say the same: who is better, who is best, which clusters hold.

All of it is a share of samples, counted on places, so that equal scores are ordered as they are for rank ranges.
"""

from __future__ import annotations

import numpy as np

from ..judgments.counts import FloatArray
from .ranges import IntArray


def better(places: IntArray) -> FloatArray:
    """``[i, j]``: the share of samples in which i stands above j; ½ on the diagonal.

    Parameters
    ----------
    places
        Places of every system in every sample: an array (samples, systems).
    """
    systems = places.shape[1]
    share = np.full((systems, systems), 0.5)
    for i in range(systems):
        above = (places[:, i, None] < places[:, i + 1 :]).mean(axis=0)
        share[i, i + 1 :], share[i + 1 :, i] = above, 1 - above
    return share


def best(places: IntArray) -> FloatArray:
    """The share of samples in which each system is first."""
    return np.asarray((places == 1).mean(axis=0))


def stability(places: IntArray, numbers: IntArray) -> FloatArray:
    """For each cluster, the share of samples in which its systems, and no others, take its places.

    Parameters
    ----------
    numbers
        The cluster of every system, from 1.
    """
    sizes = np.bincount(numbers)[1:]
    last = np.cumsum(sizes)
    first = last - sizes + 1
    inside = (places >= first[numbers - 1]) & (places <= last[numbers - 1])
    return np.array([inside[:, numbers == k].all(axis=1).mean() for k in range(1, len(sizes) + 1)])
