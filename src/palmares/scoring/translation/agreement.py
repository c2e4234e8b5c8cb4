"""How far two lists of scores agree, such as a metric's and people's, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...judgments import BoolArray, FloatArray

#: The measures of agreement, with what tables call them.
AGREEMENTS = {
    "pearson": "Pearson",
    "kendall": "Kendall τ-b",
    "pairwise_accuracy": "pairs in order",
    "soft_pairwise_accuracy": "soft accuracy",
}
#: Pearson's r has an interval if at least this share of the variance of both lists is no noise. With less, no interval
#: from samples holds the truth as often as it says.
RELIABLE = 0.8


@dataclass(frozen=True)
class Side:
    """Scores of systems, in samples too, and how likely each system is better than each other."""

    values: FloatArray
    samples: FloatArray | None
    better: FloatArray | None


def agreement_of(metric: Side, people: Side) -> dict[str, float | None]:
    """The values of all measures by their names; None where one is undefined."""
    x, y = metric.values, people.values
    values = {
        "pearson": float(_pearson(x[None], y[None])[0]),
        "kendall": _kendall(x, y),
        "pairwise_accuracy": float((_signs(x) == _signs(y)).mean()),
        "soft_pairwise_accuracy": _soft(metric.better, people.better),
    }
    return {name: value if np.isfinite(value) else None for name, value in values.items()}


def _differences(values: FloatArray) -> FloatArray:
    """Of every two systems; what differs in rounding alone is equal."""
    i, j = np.triu_indices(values.shape[-1], 1)
    return np.round(values[..., i] - values[..., j], 12)


def _signs(values: FloatArray) -> FloatArray:
    return np.sign(_differences(values))


def _pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))


def _kendall(x: FloatArray, y: FloatArray) -> float:
    """Kendall's τ-b, which knows ties."""
    x, y = _signs(x), _signs(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))


def shares(samples: FloatArray) -> FloatArray:
    """``[i, j]``: the share of samples in which i is better than j; a tie is half."""
    n = samples.shape[1]
    better = np.full((n, n), 0.5)
    i, j = np.triu_indices(n, 1)
    better[i, j] = (_signs(samples).mean(axis=0) + 1) / 2
    better[j, i] = 1 - better[i, j]
    return better


def _soft(metric: FloatArray | None, people: FloatArray | None) -> float:
    """1 − mean |P(better) by the metric − P(better) by people| over pairs (Thompson et al. 2024)."""
    if metric is None or people is None:
        return np.nan
    pairs = np.triu_indices(len(metric), 1)
    return float(1 - np.abs(metric[pairs] - people[pairs]).mean())


# -- how sure -----------------------------------------------------------------------------------------


def agreement_intervals(metric: Side, people: Side, p: float) -> dict[str, tuple[float, float] | None]:
    """Intervals of level 1 − p by the names of measures; None without samples, and where none would hold."""
    if metric.samples is None or people.samples is None:
        return dict.fromkeys(AGREEMENTS)
    size = min(len(metric.samples), len(people.samples))
    if size < 2 / p:
        return dict.fromkeys(AGREEMENTS)
    drawn = metric.samples[:size], people.samples[:size]
    bands = _Bands.of(metric.values, people.values, *drawn, p)
    return {
        "pearson": _pearson_interval(metric.values, people.values, *drawn, p),
        "kendall": bands.kendall,
        "pairwise_accuracy": bands.accuracy,
        "soft_pairwise_accuracy": bands.soft,
    }


def _pearson_interval(
    x: FloatArray, y: FloatArray, xs: FloatArray, ys: FloatArray, p: float
) -> tuple[float, float] | None:
    """From the lower ends to the upper ends of the percentile and the basic bootstrap interval.

    Noise makes r smaller, and samples have the noise twice, so percentiles lie too low; seen from the value, as in the
    basic interval, they are right only while r is far from 1. Together they hold the truth as long as noise is little.
    """
    value = float(_pearson(x[None], y[None])[0])
    usable = _pearson(xs, ys)
    usable = usable[np.isfinite(usable)]
    if not np.isfinite(value) or len(usable) < 2 / p or min(_reliability(x, xs), _reliability(y, ys)) < RELIABLE:
        return None
    low, high = np.quantile(usable, [p / 2, 1 - p / 2])
    ends = np.clip([min(low, 2 * value - high), max(high, 2 * value - low)], -1, 1)
    return float(ends[0]), float(ends[1])


def _reliability(values: FloatArray, samples: FloatArray) -> float:
    """The share of the variance of scores that is not noise, by the noise that samples have."""
    centred = samples - samples.mean(axis=1, keepdims=True)
    noise = centred.var(axis=0).sum() / (len(values) - 1)
    total = values.var(ddof=1)
    return float(1 - noise / total) if total > 0 else 0.0


@dataclass(frozen=True)
class _Bands:
    """What the samples allow the difference of every two systems to be, for all pairs and both sides at once.

    Measures that count pairs take few values, and their bootstrap intervals fail: where systems are close, resampling
    turns pairs round that are right, and where they are not, no sample has a pair turned that may be wrong. So every
    difference gets a band; with probability 1 − p all bands hold together, and then so does what follows from them.
    """

    metric: tuple[FloatArray, FloatArray]
    people: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, x: FloatArray, y: FloatArray, xs: FloatArray, ys: FloatArray, p: float) -> _Bands:
        """Bands in standard errors, from the largest deviation of any difference in each sample."""
        values = np.concatenate([_differences(x), _differences(y)])
        drawn = np.concatenate([_differences(xs), _differences(ys)], axis=1)
        error = drawn.std(axis=0)
        known = error > 0
        # Without any noise a difference is what it is; a sign that no sample has otherwise is sure.
        z = np.divide(values, error, out=np.where(values == 0, 0.0, np.copysign(np.inf, values)), where=known)
        deviations = np.abs(np.divide(drawn - drawn.mean(axis=0), error, out=np.zeros_like(drawn), where=known))
        reach = float(np.quantile(deviations.max(axis=1), 1 - p))
        low, high = np.split(np.where(known, z - reach, z), 2), np.split(np.where(known, z + reach, z), 2)
        return cls((low[0], high[0]), (low[1], high[1]))

    def _agreed(self) -> tuple[BoolArray, BoolArray]:
        """The pairs that both sides put in the same order for sure, and those in different orders."""
        above = [low > 0 for low, _ in (self.metric, self.people)]
        below = [high < 0 for _, high in (self.metric, self.people)]
        return (above[0] & above[1]) | (below[0] & below[1]), (above[0] & below[1]) | (below[0] & above[1])

    @property
    def accuracy(self) -> tuple[float, float]:
        same, other = self._agreed()
        return float(same.mean()), float(1 - other.mean())

    @property
    def kendall(self) -> tuple[float, float]:
        """True scores have no ties, so τ is twice the share of pairs in the same order, less one."""
        low, high = self.accuracy
        return 2 * low - 1, 2 * high - 1

    @property
    def soft(self) -> tuple[float, float]:
        """The nearest and the farthest that P(better) of the two sides can be, pair by pair."""
        from scipy.special import ndtr

        (a, b), (c, d) = (tuple(map(ndtr, band)) for band in (self.metric, self.people))
        farthest = np.maximum(np.abs(b - c), np.abs(d - a))
        nearest = np.maximum(0.0, np.maximum(a - d, c - b))
        return float(1 - farthest.mean()), float(1 - nearest.mean())
