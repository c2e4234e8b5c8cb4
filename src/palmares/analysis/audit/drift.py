"""``drift``: did the judging change over time?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...compute import Execution, Stream, generator
from ...judgments import FloatArray, IntArray
from .case import Case
from .findings import Finding, Interval, Power, Subject, around, decimals, in_brackets, skipped
from .residuals import PERMUTATIONS, Points, critical, permutation_pieces, tail, whitening

#: The fault whose chance of being found is told: so many points per comparison less for one system in the later half.
_WORSE = 0.1
_SYSTEMS_TRIED = 20


@dataclass(frozen=True)
class Trend:
    """Residual points against time, both less their mean within the judge.

    ``slope`` is Σ t g over blocks; were the times of a judge's blocks exchanged at random, it would have mean 0 and
    this ``covariance``. Only blocks of one class of sizes are exchanged: ``judge`` numbers judges and classes. ``late``
    is the share of a block's units that lie in the later half of their judge's work.
    """

    points: Points = field(repr=False)
    time: FloatArray = field(repr=False)
    judge: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    slope: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    late: FloatArray = field(repr=False)

    @property
    def judges_share_segments(self) -> bool:
        """Whether any segment has more than one block."""
        return len(np.unique(self.segment)) < len(self.segment)


def drift(case: Case) -> Finding:
    """Test whether residual points follow time, exchanging the times of each judge's blocks.

    Times are exchanged within the judge only, so that judges who differ and work at different times are no drift.
    """
    if not case.judgments.has("time"):
        return skipped("drift", "the judgments do not say when they were made")
    trend = trend_of(case)
    if trend is None:
        return skipped("drift", "no judge made judgments at different times")
    white = whitening(trend.covariance)
    shared = (trend, white, case.execution.seed)
    simulated = np.concatenate(case.execution.run(_permute, permutation_pieces(), shared=shared))
    statistic = float(((trend.slope @ white) ** 2).sum())
    nulls = [simulated]
    if trend.judges_share_segments:
        nulls.append(by_segment(trend, white, case.execution))
    p = max(float(tail(statistic, null)[0]) for null in nulls)
    subjects = _subjects(case, trend)
    top = subjects[0]
    effect = top.effect or 0.0
    return Finding(
        "drift",
        f"from the first half of each judge's work to the second, {top.name} changes most: "
        f"{decimals(effect)} points per comparison{in_brackets(top.interval)}",
        f"permutation of times within judges ({PERMUTATIONS})",
        p,
        effect=effect,
        effect_name="change in points per comparison to one system",
        interval=top.interval,
        subjects=subjects,
        powered=partial(_change_found, trend, white, nulls),
    )


def trend_of(case: Case) -> Trend | None:
    """Residual points and ranks of time, of the blocks that have a time."""
    times, late = _times(case)
    known = np.isfinite(times)
    if not known.any():
        return None
    labels = np.stack([case.blocks.judge, case.blocks.classes])[:, known]
    judge = np.unique(labels, axis=1, return_inverse=True)[1].ravel()
    points, rank = case.points.keep(known), times[known]
    centred = rank - (np.bincount(judge, rank) / np.bincount(judge))[judge]
    if not (np.abs(centred) > 1e-9).any():
        return None
    segment = np.unique(case.blocks.segment[known], return_inverse=True)[1]
    return Trend(
        points=points,
        time=centred,
        judge=judge,
        segment=segment,
        slope=_slope(points, centred),
        covariance=_covariance(points, centred, judge),
        late=late[known],
    )


def by_segment(trend: Trend, white: FloatArray, execution: Execution) -> FloatArray:
    """The statistic if what segments add to the slope keeps or changes its sign, the segment's judges all together.

    Judges who go through segments in one order meet an odd segment at one time, which is no drift either.
    """
    points = trend.points
    key = trend.segment[points.unit] * points.systems + points.system
    size = (int(trend.segment.max()) + 1) * points.systems
    parts = np.bincount(key, points.value * trend.time[points.unit], minlength=size).reshape(-1, points.systems)
    added = parts @ white
    # The permutations of times have the first numbers of the stream.
    rngs = (execution.generator(Stream.AUDIT_DRIFT, PERMUTATIONS + r) for r in range(PERMUTATIONS))
    signs = (rng.integers(0, 2, len(added)) for rng in rngs)
    return np.array([(((2.0 * sign - 1) @ added) ** 2).sum() for sign in signs])


def _times(case: Case) -> tuple[FloatArray, FloatArray]:
    """When every block was made: the mean of its units' ranks in time, infinite if none has a time; and how late.

    How late is the share of its units that lie in the later half of their judge's work.
    """
    from scipy.stats import rankdata

    moment = case.judgments.frame["time"].to_physical().cast(float).fill_null(np.nan).to_numpy()
    times = np.full(case.amount, np.inf)
    np.minimum.at(times, case.units, np.where(np.isnan(moment), np.inf, moment))
    known = np.isfinite(times)
    block, size = case.blocks.of_unit[known], case.points.units
    rank, judge = rankdata(times[known]), np.unique(case.blocks.judge[block], return_inverse=True)[1]
    late = rank > (np.bincount(judge, rank) / np.bincount(judge))[judge]
    counts = np.bincount(block, minlength=size)
    means, lateness = np.full(size, np.inf), np.zeros(size)
    np.divide(np.bincount(block, rank, minlength=size), counts, out=means, where=counts > 0)
    np.divide(np.bincount(block, late, minlength=size), counts, out=lateness, where=counts > 0)
    return means, lateness


def _slope(points: Points, time: FloatArray) -> FloatArray:
    """Σ t g: times less the judge's mean take a judge's own liking out, whatever it is."""
    return np.bincount(points.system, points.value * time[points.unit], minlength=points.systems).astype(np.float64)


def _covariance(points: Points, time: FloatArray, judge: IntArray) -> FloatArray:
    """Σ over judges of Σ t² times the covariance of the residual points of their units."""
    units = np.bincount(judge).astype(np.float64)
    weight = np.divide(np.bincount(judge, time**2), units - 1, out=np.zeros_like(units), where=units > 1)
    sums = points.totals(judge, len(units))
    means = np.divide(weight, units)[:, None] * sums
    return np.asarray(points.products(weight[judge]) - sums.T @ means)


def _permute(trend: Trend, white: FloatArray, seed: int, lo: int, hi: int) -> FloatArray:
    order = np.argsort(trend.judge, kind="stable")
    judge = trend.judge[order]
    shuffled = np.empty_like(trend.time)
    statistics = []
    for r in range(lo, hi):
        mixed = order[np.lexsort((generator(seed, Stream.AUDIT_DRIFT, r).random(len(order)), judge))]
        shuffled[order] = trend.time[mixed]
        statistics.append(((_slope(trend.points, shuffled) @ white) ** 2).sum())
    return np.array(statistics)


def _subjects(case: Case, trend: Trend) -> tuple[Subject, ...]:
    """Every system's change from the first to the second half, the most significant first."""
    from scipy.special import ndtri

    spread = np.sqrt(np.maximum(np.diag(trend.covariance), 0.0))
    z = np.divide(trend.slope, spread, out=np.zeros_like(spread), where=spread > 0)
    reach = float(ndtri(1 - case.p / 2))
    order = np.argsort(-np.abs(z), kind="stable")
    return tuple(Subject(case.systems[s], *_change(trend, int(s), reach)) for s in order)


def _change(trend: Trend, system: int, reach: float) -> tuple[float, Interval | None]:
    """Residual points per comparison in the later halves less those in the earlier ones."""
    points = trend.points
    here = points.system == system
    late = (trend.time > 0)[points.unit[here]]
    value, amount = points.value[here], points.amount[here]
    means = [value[half].sum() / max(amount[half].sum(), 1e-300) for half in (late, ~late)]
    parts = [
        ((value[half] - mean * amount[half]) ** 2).sum() / max(amount[half].sum(), 1e-300) ** 2
        for half, mean in zip((late, ~late), means, strict=True)
    ]
    effect, error = float(means[0] - means[1]), float(np.sqrt(sum(parts)))
    return effect, around(effect, reach * error)


def _change_found(trend: Trend, white: FloatArray, nulls: list[FloatArray], level: float) -> Power:
    """How likely a change of one system is found, over all systems.

    In the later half of each judge's work a system gets less, and those that it meets there get more by as much. The
    slope, whitened, is normal around what that adds to it.
    """
    from scipy.special import chndtr

    points, bound = trend.points, max(critical(null, level) for null in nulls)
    late = trend.time * trend.late
    # Who meets whom in a block is not kept: what one loses, the others of the block share by their comparisons.
    amounts = np.bincount(points.unit, points.amount, minlength=points.units)
    others = np.maximum(amounts[points.unit] - points.amount, 1e-300)
    found = []
    for system in np.unique(np.linspace(0, points.systems - 1, _SYSTEMS_TRIED).round()):
        here = points.system == system
        loss = np.zeros(points.units)
        loss[points.unit[here]] = _WORSE * points.amount[here]
        given = np.where(here, -loss[points.unit], loss[points.unit] * points.amount / others[points.unit])
        given[here & (others <= 1e-9)] = 0.0
        moved = np.bincount(points.system, given * late[points.unit], minlength=points.systems) @ white
        found.append(1 - float(chndtr(bound, white.shape[1], (moved**2).sum())) if np.isfinite(bound) else 0.0)
    return Power(
        f"a system that gets {decimals(_WORSE)} points per comparison less in later halves", float(np.mean(found))
    )
