"""Intervals of κ: from leaving out judges and segments in turn, or from drawing segments.

Two pairs of judgments are not independent where they share a segment or a judge, and a pair of judgments has two
judges. Leaving out units one after another takes care of that: without a judge, all pairs of that judge fall away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...compute import Execution, Stream, generator
from ...judgments import FloatArray, IntArray
from ...ranking.ranges import least_samples, middle
from .coefficients import Span, Sums, Unit, chance

#: With fewer judges, it cannot be seen how much judges differ, and an interval is for these judges only.
FEW_JUDGES = 5

#: Floating-point sums leave so much where nothing varies.
_NO_VARIANCE = 1e-18

#: A piece of work holds at most about this many numbers, which bounds memory.
_NUMBERS_IN_A_PIECE = 4_000_000
#: So many columns are resampled at a time.
_COLUMNS = 4096


# -- leaving out -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Jackknife:
    """For every κ: its variance by one kind of unit, how many units have pairs, and how many they are in effect.

    Units that share the work unequally are worth (Σ w)² / Σ w² equal ones, w the pairs of each. Then, wherever a unit
    has pairs of a κ (``column``), the ``share`` of all its pairs that falls away without the unit, and by how much κ
    changes.
    """

    variance: FloatArray = field(repr=False)
    units: IntArray = field(repr=False)
    effective: FloatArray = field(repr=False)
    column: IntArray = field(repr=False)
    share: FloatArray = field(repr=False)
    change: FloatArray = field(repr=False)

    def summed(self, amounts: FloatArray) -> FloatArray:
        """Sums over the units of every κ."""
        sums: FloatArray = np.bincount(self.column, amounts, len(self.units)).astype(np.float64)
        return sums


@dataclass(frozen=True)
class Clustered:
    """Tallies of the same judgments by segment, by judge, and by judge and segment, for the same κs.

    ``judges_in_a_pair`` is 2 for a κ whose pairs are of two judges, each in the tallies of both, else 1.
    """

    by_segment: Sums
    by_judge: Sums
    by_cell: Sums
    judges_in_a_pair: IntArray = field(repr=False)


def jackknife(sums: Sums, whole: Sums) -> Jackknife:
    """The variance of every κ from leaving out one unit after another; NaN where one unit has all pairs.

    Parameters
    ----------
    sums
        Tallies of the units.
    whole
        Tallies of any units that each pair is in only once, as segments.

    Notes
    -----
    1 − κ = D · R, where D is the share of pairs that disagree and R = 1 / (1 − P(E)). Most units have pairs of few
    columns, but every unit changes R: what units without pairs add is summed for all columns at once.
    """
    unit, column, pairs, agreed = _entries(sums)
    columns = sums.pairs.shape[1]
    all_pairs, all_agreed, ties, total = (
        np.asarray(x.sum(axis=0), dtype=np.float64) for x in (whole.pairs, whole.agreed, whole.ties, whole.total)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        disagreed = 1 - all_agreed / all_pairs
        left = 1 - (all_agreed[column] - agreed) / (all_pairs[column] - pairs)
        scale, scales = 1 / (1 - chance(ties, total)), 1 / (1 - chance(ties - sums.ties, total - sums.total))
        scale, of_column = np.broadcast_to(scale, columns), column if scales.shape[1] > 1 else 0
        change = left * scales[unit, of_column] - (disagreed * scale)[column]
        # What the unit would change without pairs of the column, since the sum over all units has that already.
        change_of_chance = disagreed[column] * (scales[unit, of_column] - scale[column])
        of_chance = (scales - scale[: scales.shape[1]]) ** 2
        varied = of_chance.sum(axis=0) - (0 if sums.own is None else np.bincount(sums.own, of_chance[:, 0], columns))
        squares = disagreed**2 * varied + np.bincount(column, change**2 - change_of_chance**2, columns)
        units = np.bincount(column, minlength=columns)
        effective = np.bincount(column, pairs, columns) ** 2 / np.bincount(column, pairs**2, columns)
        variance = np.where(units > 1, (units - 1) / units * squares, np.nan)
        return Jackknife(variance, units, effective, column, pairs / all_pairs[column], change)


class Spread(NamedTuple):
    """For every κ, its variance and the degrees of freedom of that."""

    variance: FloatArray
    df: FloatArray


def between_judges(judges: Jackknife, cells: Jackknife, judges_in_a_pair: IntArray) -> Spread:
    """What judges who differ add to the variance by segment, if all of them come from one population.

    The mean of a judge's pairs is off by an effect with variance τ², and by noise that judge and segment together
    show. τ² is estimated by moments, each judge weighing as much as their pairs (as DerSimonian & Laird 1986): where
    one judge has most of the pairs, the others still tell how much judges differ.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share, column = judges.share, judges.column
        off = judges.change * (1 - share) / share
        noise = (cells.summed((cells.change * (1 - cells.share)) ** 2) / judges.summed(share))[column]
        # A judge's mean is seen from the mean of all, and in pairs of two from that of the judges met.
        seen_from = np.where(judges_in_a_pair[column] == 2, (1 - share) / (2 - share), 1.0)
        others = judges.summed(share**2)[column] - share**2
        weight = share * ((1 - share) ** 2 + others * seen_from**2)
        judge_variance = judges.summed(share * off**2 - noise * (1 - share)) / judges.summed(weight)
        # Judgments of one judge on one segment are in the variance by segment already.
        added = judges.summed(share**2) - cells.summed(cells.share**2)
        df = judges.summed(weight) ** 2 / judges.summed(weight**2) - 1
        return Spread(np.fmax(judge_variance, 0) * added, df)


def _entries(sums: Sums) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Unit, column, pairs and agreed pairs where a unit has pairs."""
    from scipy.sparse import issparse

    if not issparse(sums.pairs):
        unit, column = np.nonzero(sums.pairs)
        return unit, column, sums.pairs[unit, column], sums.agreed[unit, column]
    pairs, agreed = sums.pairs.tocoo(), sums.agreed.tocoo()
    unit, column = (place.astype(np.int64) for place in pairs.coords)
    return unit, column, pairs.data, agreed.data


def spans_left_out(kappas: FloatArray, floors: FloatArray, clustered: Clustered, p: float) -> list[Span | None]:
    """The interval of every κ from leaving out judges and segments.

    The variance is that by segment and that by judge, less what both have counted (Cameron, Gelbach & Miller 2011), and
    no less than either, nor than that by segment with what `between_judges` adds. It is that by segment alone where
    there are few judges, or one who is in every pair. Intervals are symmetric in log(1 − κ), so that they end below 1;
    t has one degree of freedom less than there are judges or segments in effect, whichever are fewer.

    Parameters
    ----------
    kappas
        The κs; NaN where there is none.
    floors
        What the κs would be if no pair agreed: no interval goes below.
    clustered
        The tallies of units.
    p
        1 − p is the level.
    """
    segments, judges, cells = (
        jackknife(sums, clustered.by_segment) for sums in (clustered.by_segment, clustered.by_judge, clustered.by_cell)
    )
    # What differs from pair to pair is in the variance by judge as often as a pair has judges.
    by_judge_alone = judges.variance - (1 - 1 / clustered.judges_in_a_pair) * cells.variance
    between = between_judges(judges, cells, clustered.judges_in_a_pair)
    both = np.fmax.reduce(
        [
            segments.variance,
            by_judge_alone,
            segments.variance + judges.variance - cells.variance,
            segments.variance + between.variance,
        ]
    )
    known = (judges.units >= FEW_JUDGES) & np.isfinite(judges.variance) & np.isfinite(segments.variance)
    df = np.where(known, np.fmin(segments.effective - 1, between.df), segments.effective - 1)
    names: list[Unit] = ["two-way" if each else "segment" for each in known]
    return _log_spans(kappas, floors, Spread(np.where(known, both, segments.variance), df), names, p)


def spans_by_segment(kappas: FloatArray, floors: FloatArray, by_segment: Sums, p: float) -> list[Span | None]:
    """The same from leaving out segments alone."""
    segments = jackknife(by_segment, by_segment)
    names: list[Unit] = ["segment"] * len(kappas)
    return _log_spans(kappas, floors, Spread(segments.variance, segments.effective - 1), names, p)


def _log_spans(
    kappas: FloatArray, floors: FloatArray, spread: Spread, names: list[Unit], p: float
) -> list[Span | None]:
    """Intervals symmetric in log(1 − κ); none where all pairs agree or none does, or segments show no variance."""
    from scipy.special import stdtrit

    spans: list[Span | None] = []
    for value, floor, variance, df, name in zip(kappas, floors, *spread, names, strict=True):
        if not (np.isfinite(variance) and variance > _NO_VARIANCE and floor < value < 1):
            spans.append(None)
            continue
        away = 1 - float(value)
        half = float(stdtrit(max(df, 1.0), 1 - p / 2)) * math.sqrt(variance) / away
        low = 1 - away * math.exp(min(half, 50.0))
        spans.append(Span(max(low, float(floor)), 1 - away * math.exp(-half), name))
    return spans


# -- drawing segments --------------------------------------------------------------------------------


def spans_drawn(sums: Sums, resamples: int, p: float, execution: Execution) -> list[Span | None]:
    """The interval of every κ when segments are drawn with replacement; None for all without resamples.

    Replicate r draws from its own generator, and all κs see the same draws. Of the B values of a κ the ⌈Bp/2⌉
    smallest and largest are dropped.
    """
    segments, columns = sums.pairs.shape
    if not resamples:
        return [None] * columns
    middle(np.zeros((resamples, 1)), p=p)  # refuses what it cannot do before the work begins
    step = max(1, min(-(-resamples // (4 * execution.slots)), _NUMBERS_IN_A_PIECE // segments))
    blocks = range(0, columns, _COLUMNS)
    pieces = [(first, min(first + step, resamples)) for first in range(0, resamples, step)]
    tasks = [(lo, first, last) for lo in blocks for first, last in pieces]
    parts = execution.run(_resample, tasks, shared=(sums, execution.seed))
    spans: list[Span | None] = []
    for number in range(len(blocks)):
        spans += _spans(np.concatenate(parts[number * len(pieces) : (number + 1) * len(pieces)]), p)
    return spans


def _resample(sums: Sums, seed: int, lo: int, first: int, last: int) -> FloatArray:
    """κs from column ``lo`` on, in samples ``first`` to ``last``."""
    segments = sums.pairs.shape[0]
    draws = [generator(seed, Stream.REPLICATES, r).integers(0, segments, segments) for r in range(first, last)]
    weights = [np.bincount(draw, minlength=segments).astype(np.float64) for draw in draws]
    return sums.columns(lo, lo + _COLUMNS).weighted(np.stack(weights))


def _spans(values: FloatArray, p: float) -> list[Span | None]:
    """The middle of each column; none where κ could not be computed in more than the share p of the samples.

    None where it is a single value either: that κ is 1 in every sample does not make it certain.
    """
    spans: list[Span | None] = []
    for column in values.T:
        defined = column[~np.isnan(column)]
        if len(defined) < max((1 - p) * len(column), least_samples(p)):
            spans.append(None)
            continue
        ((low, high),) = middle(defined[:, None], p=p)
        spans.append(Span(float(low), float(high), "segment") if low < high else None)
    return spans
