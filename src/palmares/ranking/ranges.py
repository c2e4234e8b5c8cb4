"""What bootstrap samples say: rank ranges and score intervals, clusters, and how often samples agree on them."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..judgments import FloatArray, IntArray

Number = TypeVar("Number", bound=np.generic)


def rank_ranges(places: IntArray, *, p: float = 0.05) -> IntArray:
    """The ranks a system keeps when its ⌈Bp/2⌉ best and worst of B are dropped (Koehn 2012, §5.1).

    Parameters
    ----------
    places
        Places of every system in every bootstrap sample: an array (samples, systems).

    Returns
    -------
    An array (systems, 2) of first and last rank.
    """
    return middle(places, p=p)


def score_intervals(scores: FloatArray, *, p: float = 0.05) -> FloatArray:
    """The scores a system keeps by the same rule: an array (systems, 2) of least and largest."""
    return middle(scores, p=p)


def middle(values: npt.NDArray[Number], *, p: float) -> npt.NDArray[Number]:
    """The least and the largest of each column when its ⌈Bp/2⌉ smallest and largest of B values are dropped."""
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    samples = len(values)
    cut = math.ceil(samples * p / 2 - 1e-9)
    # With less than one value to drop at each end, dropping one would be more than p; and some must be left.
    if samples * p / 2 < 1 - 1e-9 or 2 * cut >= samples:
        raise InputError(f"{samples} resamples are too few for p = {p}; use at least {least_samples(p)}")
    ordered: npt.NDArray[Any] = np.sort(values, axis=0)
    return np.stack([ordered[cut], ordered[samples - 1 - cut]], axis=1)


def least_samples(p: float) -> int:
    """The fewest samples that a share p of them can be dropped from."""
    return math.ceil(max(2 / p, 2 / (1 - p)) - 1e-9)


def clusters(ranges: IntArray) -> IntArray:
    """Cluster numbers from 1: the finest partition in which ranges of different clusters are disjoint.

    Sorted by where ranges start, a cluster begins where a range starts after all earlier ones have ended
    (Koehn 2012, equation 6).
    """
    numbers = np.empty(len(ranges), dtype=np.int64)
    number, end = 0, 0
    for i in np.lexsort((ranges[:, 1], ranges[:, 0])):
        if ranges[i, 0] > end:
            number += 1
        numbers[i] = number
        end = max(end, int(ranges[i, 1]))
    return numbers


# -- shares of samples, counted on places, so that equal scores are ordered as they are for rank ranges --------------


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
