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

#: A piece of work holds at most about this many numbers, which bounds memory.
_NUMBERS_IN_A_PIECE = 4_000_000
#: So many columns are resampled at a time.
_COLUMNS = 4096


# -- leaving out -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Jackknife:
    """For every κ: its variance by one kind of unit, how many units have pairs, and how many they are in effect.

    Units that share the work unequally are worth (Σ w)² / Σ w² equal ones, w the pairs of each.
    """

    variance: FloatArray = field(repr=False)
    units: IntArray = field(repr=False)
    effective: FloatArray = field(repr=False)


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
        return Jackknife(np.where(units > 1, (units - 1) / units * squares, np.nan), units, effective)


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
    no less than either. It is that by segment alone where there are few judges, or one who is in every pair. Intervals
    are symmetric in log(1 − κ), so that they end below 1; t has one degree of freedom less than there are judges or
    segments in effect, whichever are fewer.

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
    both = np.fmax(segments.variance + judges.variance - cells.variance, np.fmax(segments.variance, by_judge_alone))
    known = (judges.units >= FEW_JUDGES) & np.isfinite(judges.variance) & np.isfinite(segments.variance)
    variance = np.where(known, both, segments.variance)
    units = np.where(known, np.fmin(segments.effective, judges.effective), segments.effective)
    names: list[Unit] = ["two-way" if each else "segment" for each in known]
    return _log_spans(kappas, floors, Spread(variance, units, names), p)


def spans_by_segment(kappas: FloatArray, floors: FloatArray, by_segment: Sums, p: float) -> list[Span | None]:
    """The same from leaving out segments alone."""
    segments = jackknife(by_segment, by_segment)
    return _log_spans(kappas, floors, Spread(segments.variance, segments.effective, ["segment"] * len(kappas)), p)


class Spread(NamedTuple):
    """For every κ, its variance, how many units that is from in effect, and what it allows for."""

    variance: FloatArray
    units: FloatArray
    names: list[Unit]


def _log_spans(kappas: FloatArray, floors: FloatArray, spread: Spread, p: float) -> list[Span | None]:
    """Intervals symmetric in log(1 − κ); none where all pairs agree or none does, or one unit has all of them."""
    from scipy.special import stdtrit

    spans: list[Span | None] = []
    for value, floor, variance, units, name in zip(kappas, floors, *spread, strict=True):
        if not (np.isfinite(variance) and variance > 0 and floor < value < 1):
            spans.append(None)
            continue
        away = 1 - float(value)
        half = float(stdtrit(max(units - 1, 1.0), 1 - p / 2)) * math.sqrt(variance) / away
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
