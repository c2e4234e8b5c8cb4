"""Coefficients of agreement, from tallies: κ, the mean κ of every two judges, and α."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from ...judgments import OUTCOMES, FloatArray, IntArray
from .tallies import Shares

#: What an interval allows for: other segments, or other judges as well.
Unit = Literal["segment", "two-way"]


class Span(NamedTuple):
    """The interval of a coefficient."""

    low: float
    high: float
    unit: Unit


#: The upper ends of Landis & Koch's (1977) bands; below 0 is "poor".
_BANDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"), (1.0, "almost perfect"))


@dataclass(frozen=True)
class Kappa:
    """Pairs of judgments compared and agreed on, and κ; None where it is not defined.

    ``unit`` is what the interval allows for: ``two-way`` for other judges and segments, ``segment`` for other segments
    with these judges.
    """

    pairs: int
    agreed: int
    observed: float | None
    expected: float | None
    kappa: float | None
    interval: tuple[float, float] | None = None
    unit: Unit | None = None

    @property
    def band(self) -> str | None:
        """What Landis & Koch (1977) call such a κ."""
        return None if self.kappa is None else band(self.kappa)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "kappa": self.kappa,
            "interval": list(self.interval) if self.interval else None,
            "unit": self.unit,
            "band": self.band,
            "observed": self.observed,
            "expected": self.expected,
            "agreed": self.agreed,
            "pairs": self.pairs,
        }


@dataclass(frozen=True)
class Sums:
    """Tallies of every unit, such as a segment: arrays (units, columns), one column per κ, sparse or not.

    ``pairs`` are those that fall away without the unit: a pair of two judges is in the tallies of both. Sparse arrays
    of ``pairs`` and ``agreed`` have the same entries. ``ties`` of ``total`` judgments give the chance of agreeing;
    they have one column for each κ, or one for all. ``own`` is the κ of the judge that the unit is of, where every
    judge has a κ: units are what varies about it, and the judge is not.
    """

    pairs: Any = field(repr=False)
    agreed: Any = field(repr=False)
    ties: FloatArray = field(repr=False)
    total: FloatArray = field(repr=False)
    own: IntArray | None = field(default=None, repr=False)

    def weighted(self, weight: FloatArray) -> FloatArray:
        """κ of samples given as how often each segment is in them: one row per sample."""
        pairs, agreed = weight @ self.pairs, weight @ self.agreed
        return kappa(pairs, agreed, weight @ self.ties, weight @ self.total)

    def columns(self, lo: int, hi: int) -> Sums:
        """Some of the κs; chance is cut too, unless they all have it in common."""
        own = self.ties.shape[1] > 1
        ties, total = (x[:, lo:hi] if own else x for x in (self.ties, self.total))
        return Sums(self.pairs[:, lo:hi], self.agreed[:, lo:hi], ties, total)


def band(value: float) -> str:
    """Landis & Koch's word for a κ."""
    if value < 0:
        return "poor"
    return next((name for end, name in _BANDS if value <= end), _BANDS[-1][1])


def chance(ties: Any, total: Any) -> Any:
    """P(E) = P(<)² + P(=)² + P(>)², where P(<) = P(>) because either system of a pair may be named first."""
    with np.errstate(invalid="ignore", divide="ignore"):
        tied = np.divide(ties, total)
    return tied**2 + (1 - tied) ** 2 / 2


def kappa(pairs: FloatArray, agreed: FloatArray, ties: FloatArray, total: FloatArray) -> FloatArray:
    """(P(A) − P(E)) / (1 − P(E)); NaN where nothing was compared or chance alone gives agreement."""
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = chance(ties, total)
        value = (agreed / pairs - expected) / (1 - expected)
    return np.where(np.isfinite(value), value, np.nan)


def measured(pairs: int, agreed: int, ties: int, total: int, span: Span | None = None) -> Kappa:
    """κ of one set of pairs."""
    observed = agreed / pairs if pairs else None
    expected = float(chance(ties, total)) if total else None
    if observed is None or expected is None or expected >= 1:
        return Kappa(pairs, agreed, observed, expected, None)
    value = (observed - expected) / (1 - expected)
    interval = (None, None) if span is None else ((span.low, span.high), span.unit)
    return Kappa(pairs, agreed, observed, expected, value, *interval)


# -- the counting of Grundkiewicz et al. 2015: a κ for every two judges, and its mean -------------------

#: How often each outcome was given, in sums over items.
_OUTCOMES = ("a_better", "tie", "b_better")


def mean_over_judges(shares: Shares) -> tuple[Kappa, Kappa]:
    """Between judges, and within: means of the κs of every two judges and of each judge, weighted by their pairs.

    Chance is taken from the judgments that the two share (of the one judge: those of repeated items), with < and >
    as they fall when the systems stand in the order of their names.
    """
    return _mean(_between(shares)), _mean(_within(shares))


def _between(shares: Shares) -> FloatArray:
    """One row for every two judges: pairs, pairs that agree, and how often they gave each outcome."""
    table = _outcomes(shares)
    met = table.join(table, on="item", suffix="_2").filter(pl.col("judge") < pl.col("judge_2"))
    one, two = ([pl.col(name + end) for name in _OUTCOMES] for end in ("", "_2"))
    sums = met.group_by("judge", "judge_2").agg(
        (pl.sum_horizontal(one) * pl.sum_horizontal(two)).sum().alias("pairs"),
        pl.sum_horizontal([a * b for a, b in zip(one, two, strict=True)]).sum().alias("agreed"),
        *[(a + b).sum() for a, b in zip(one, two, strict=True)],
    )
    return sums.sort("judge", "judge_2").select("pairs", "agreed", *_OUTCOMES).to_numpy().astype(np.float64)


def _within(shares: Shares) -> FloatArray:
    """The same for every judge, over the items that the judge judged again."""
    again = shares.repeats > 0
    table = _outcomes(shares).with_columns(pairs=pl.Series(shares.repeats), agreed=pl.Series(shares.repeats_agreed))
    sums = table.filter(pl.Series(again)).group_by("judge").agg(pl.col("pairs", "agreed", *_OUTCOMES).sum())
    return sums.sort("judge").select("pairs", "agreed", *_OUTCOMES).to_numpy().astype(np.float64)


def _outcomes(shares: Shares) -> pl.DataFrame:
    counts: dict[str, IntArray] = dict(zip(_OUTCOMES, shares.counts.T, strict=True))
    return pl.DataFrame({"item": shares.item, "judge": shares.judge, **counts})


def _mean(sums: FloatArray) -> Kappa:
    pairs, agreed, seen = sums[:, 0], sums[:, 1], sums[:, 2:]
    if not len(sums):
        return Kappa(0, 0, None, None, None)
    expected = ((seen / seen.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    # Two judges who gave one and the same outcome throughout agree by chance alone: no κ, so no part in the mean.
    usable = expected < 1
    share = agreed[usable] / pairs[usable]
    kappas = (share - expected[usable]) / (1 - expected[usable])
    total = int(pairs.sum()), int(agreed.sum())
    if not usable.any():
        return Kappa(*total, total[1] / total[0], 1.0, None)
    weight = pairs[usable] / pairs[usable].sum()
    return Kappa(*total, total[1] / total[0], float(weight @ expected[usable]), float(weight @ kappas))


# -- Krippendorff's α (Krippendorff 2011) on the outcomes <, = and > -----------------------------------

#: How far apart two outcomes are on the nominal level.
NOMINAL: FloatArray = 1.0 - np.eye(OUTCOMES)


def coincidences(values: FloatArray, unit: IntArray) -> FloatArray:
    """The coincidence matrix of coders' values, each unit entered from both sides.

    Parameters
    ----------
    values
        One row per coder and unit: a distribution over the three outcomes, usually a single one.
    unit
        The unit of each row, numbered from 0. Units of one coder have nothing to pair and are left out.

    Notes
    -----
    Which system of a pair is called the first is arbitrary. Entering every unit a second time as seen from the
    other side makes the result independent of it.
    """
    coders = np.bincount(unit)
    kept = coders[unit] > 1
    values, unit = values[kept], unit[kept]
    weight = 1.0 / (coders[unit] - 1)
    sums = np.stack([np.bincount(unit, values[:, c], len(coders)) for c in range(OUTCOMES)], axis=1)
    rest = sums[unit] - values
    table = (values * weight[:, None]).T @ rest
    return np.asarray(table + table[::-1, ::-1])


def alpha(table: FloatArray, distance: FloatArray) -> float | None:
    """1 − observed / expected disagreement; None where no disagreement could have been expected."""
    margin = table.sum(axis=0)
    expected = float((np.outer(margin, margin) * distance).sum())
    if expected <= 0:
        return None
    return 1.0 - (float(margin.sum()) - 1.0) * float((table * distance).sum()) / expected


def ordinal(table: FloatArray) -> FloatArray:
    """Distances on the ordinal level: squared numbers of values between two outcomes, with half of each end."""
    margin = table.sum(axis=0)
    rank = np.cumsum(margin) - margin / 2
    return np.asarray(np.subtract.outer(rank, rank) ** 2)


def between_judges(shares: Shares) -> FloatArray:
    """Coincidences where judges are the coders; a judge who repeated an item counts once, by the mean of it."""
    return coincidences(shares.counts / shares.counts.sum(axis=1, keepdims=True), shares.item)


def within_judges(shares: Shares) -> FloatArray:
    """Coincidences where the units are a judge's items and the coders that judge's repeats."""
    again = shares.repeats > 0
    counts = shares.counts[again]
    unit, outcome = np.nonzero(counts)
    times = counts[unit, outcome]
    return coincidences(np.eye(OUTCOMES)[np.repeat(outcome, times)], np.repeat(unit, times))
