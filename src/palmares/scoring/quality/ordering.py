"""Measures of predictions of quality: sums of errors, and those that go by the order predictions put sentences in.

DeltaAvg (Callison-Burch et al. 2012; W14 §4.1) sorts sentences from the best predicted on and cuts them into n
quantiles of q = ⌊N/n⌋, the last one taking what is left. With V the mean gold label and H_k the first k quantiles,

    DeltaAvg[n] = Σ_{k=1}^{n−1} V(H_k) / (n − 1) − V(all),

and DeltaAvg is its mean over n = 2, …, ⌊N/2⌋. It is a weighted sum of gold labels with weights that depend on nothing
but the place of a sentence, which is how it is computed here: `place_weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np

from ...judgments import FloatArray, IntArray
from ..resampling import Samples, Sums, Units
from .units import by_unit

#: The fewest sentences that have a DeltaAvg: two quantiles of two.
LEAST_SENTENCES = 4
#: A variance that is a smaller part of the mean square is rounding.
_ROUNDING = 1e-12


@lru_cache(maxsize=1024)
def place_weights(items: int) -> FloatArray:
    """DeltaAvg of ``items`` sentences as weights of places: entry m is the weight of the first m places together.

    V(H_k) gives each of the first kq places 1 / (kq). All n with the same q are added up at once, by sums of
    1 / (n − 1), so that this takes N log N steps.
    """
    most = items // 2
    if most < 2:
        return np.full(items + 1, np.nan)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, most + 1))])
    starts = np.zeros(items + 1)  # [m]: what each of the first m places gets
    n = 2
    while n <= most:
        q = items // n
        last = min(items // q, most)  # n, …, last have quantiles of q
        k = np.arange(1, last)
        # Σ 1/(n' − 1) over the n' of this q that have k among their first n' − 1 quantiles.
        several = harmonic[last - 1] - harmonic[np.maximum(n, k + 1) - 2]
        np.add.at(starts, k * q, several / (k * q))
        n = last + 1
    weights = np.cumsum(starts[::-1])[::-1][1:] / (most - 1) - 1 / items
    return _cumulated(weights)


@lru_cache(maxsize=4096)
def top_weights(items: int, share: float) -> FloatArray:
    """The same for the mean of the first ``share`` of all places, less the mean of all."""
    if not items:
        return np.full(1, np.nan)
    top = in_top(items, share)
    return _cumulated(np.where(np.arange(items) < top, 1 / top, 0.0) - 1 / items)


def in_top(items: int, share: float) -> int:
    """How many sentences the first ``share`` of them are: at least one."""
    return max(1, int(np.floor(items * share + 0.5)))


def _cumulated(weights: FloatArray) -> FloatArray:
    total = np.concatenate([[0.0], np.cumsum(weights)])
    total.setflags(write=False)  # kept by the cache
    return total


@dataclass(frozen=True)
class Ordering:
    """DeltaAvg, Spearman's ρ and what is gained from the top of several rankings, as a `Statistic`.

    Its values are, one after the other, DeltaAvg of every system, ρ of every system, and for each of ``tops`` the mean
    of that share of sentences less the mean of all.

    Attributes
    ----------
    places
        Predictions as dense ranks, an array (systems, items); 0 is the best.
    gold
        Labels of which the higher is the better.
    """

    places: IntArray = field(repr=False)
    gold: FloatArray = field(repr=False)
    tops: tuple[float, ...] = ()

    @classmethod
    def of(cls, badness: Sequence[FloatArray], gold: FloatArray, tops: Sequence[float] = ()) -> Ordering:
        """From predictions of which the least is the best."""
        places = np.array([_dense(values) for values in badness]).reshape(-1, len(gold))
        # Weights add up to 0, so any constant can be taken away; what is left rounds less.
        return cls(places, gold - gold.mean(), tuple(tops))

    @classmethod
    def perfect(cls, gold: FloatArray, tops: Sequence[float]) -> list[float]:
        """What the order of the labels themselves gains at the top."""
        return list(map(float, cls.of([-gold], gold, tops).full()[2:]))

    def full(self) -> FloatArray:
        return np.asarray(self._values(np.ones((1, len(self.gold)), dtype=np.int64))[0])

    def of_samples(self, samples: Samples) -> FloatArray:
        return self._values(samples.counts)

    def _values(self, counts: IntArray) -> FloatArray:
        from ...kernels.resampled import spearman

        counts = np.ascontiguousarray(counts)
        better = _dense(-self.gold)
        weights: list[Callable[[int], FloatArray]] = [
            place_weights,
            *(partial(top_weights, share=t) for t in self.tops),
        ]
        columns: list[list[FloatArray]] = [[] for _ in range(len(weights) + 1)]
        for places in self.places:
            order = np.argsort(places, kind="stable")  # equal predictions as the file has them
            for number, weigh in enumerate(weights):
                columns[number + (number > 0)].append(_by_place(counts, order, self.gold, weigh))
            columns[1].append(spearman(counts, places, better))
        return np.stack([values for column in columns for values in column], axis=1)


def _by_place(counts: IntArray, order: IntArray, gold: FloatArray, weigh: Callable[[int], FloatArray]) -> FloatArray:
    """A weighted sum by places in every sample; samples of documents differ in size, and so in weights."""
    from ...kernels.resampled import weighted_by_place

    sizes = counts.sum(axis=1)
    values = np.empty(len(counts))
    for size in np.unique(sizes):
        chosen = sizes == size
        values[chosen] = weighted_by_place(counts[chosen], order, gold, weigh(int(size)))
    return values


def _dense(values: FloatArray) -> IntArray:
    """Ranks from 0, equal for equal values."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


# -- functions of sums -------------------------------------------------------------------------------


def errors_of(scores: FloatArray, gold: FloatArray, units: Units) -> Sums:
    """MAE of every system, then RMSE; ``scores`` is an array (systems, items)."""
    errors = np.abs(scores - gold).T
    rows = np.hstack([errors, errors**2, np.ones((len(gold), 1))])
    return Sums(by_unit(rows, units), partial(_errors, len(scores)))


def _errors(systems: int, sums: FloatArray) -> FloatArray:
    means = sums[:, :-1] / sums[:, -1:]
    return np.hstack([means[:, :systems], np.sqrt(means[:, systems:])])


def pearson_of(scores: FloatArray, gold: FloatArray, units: Units) -> Sums:
    """Pearson's r of every system."""
    x = (scores - scores.mean(axis=1, keepdims=True)).T
    y = (gold - gold.mean())[:, None]
    rows = np.hstack([x, x**2, x * y, y, y**2, np.ones_like(y)])
    return Sums(by_unit(rows, units), partial(_pearson, len(scores)))


def _pearson(systems: int, sums: FloatArray) -> FloatArray:
    means = sums[:, :-1] / sums[:, -1:]
    x, xx, xy = (means[:, lo : lo + systems] for lo in range(0, 3 * systems, systems))
    y, yy = means[:, -2:-1], means[:, -1:]
    varied = (xx - x**2 > _ROUNDING * xx) & (yy - y**2 > _ROUNDING * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = (xy - x * y) / np.sqrt((xx - x**2) * (yy - y**2))
    return np.where(varied, np.clip(r, -1, 1), np.nan)
