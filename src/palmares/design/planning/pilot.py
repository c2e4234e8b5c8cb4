"""What judgments of one ranking, one judge and one segment share: measured on judgments, real or simulated.

For planning, the covariance of scores has three parts: of single rankings, which falls as their number grows; of
judges and of segments, which fall only as more of these take part. `rank` finds the same parts
(`palmares.ranking.two_way`); here they are put so that they tell of other numbers of rankings, judges and segments.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...compute import Execution, Stream, generator
from ...judgments import FloatArray, IntArray, Judgments, PairCounts, UnitKinds, linked_unit, sitting_kinds, unit_kinds
from ...kernels.bradley_terry import DAVIDSON, Meetings, information
from ...models.bradley_terry import BradleyTerry, BradleyTerryFit
from ...ranking.two_way import Grouping, jackknife
from ..simulate import CampaignPlan, simulate
from ..simulated_counts import simulate_counts

#: Campaigns that effects are measured on, and so many judgments of each.
_PILOTS, _JUDGMENTS = 24, 25_000
#: Campaigns that tell how qualities become scores need so many comparisons of every system.
_COMPARISONS = 1_500


@dataclass(frozen=True)
class Likeness:
    """How alike judgments are: ``ranking`` is the design effect of rankings, against independent judgments.

    ``judge`` and ``segment`` are Kish's ρ: the share of a single ranking's variance that is the judge's, or the
    segment's. Judge k does work in proportion to k^(−work).
    """

    ranking: float
    judge: float = 0.0
    segment: float = 0.0
    work: float = 0.0

    def effective(self, judges: int) -> float:
        """How many judges of equal work would do as well as so many of these."""
        shares = np.arange(1.0, judges + 1) ** -self.work
        return float(shares.sum() ** 2 / (shares**2).sum())


@dataclass(frozen=True)
class Calibration:
    """From a plan to scores: the likeness of judgments, true scores as a cubic of quality, and the tie parameter."""

    likeness: Likeness
    cubic: FloatArray
    tie: float
    #: (campaigns, systems) True qualities.
    quality: FloatArray = field(repr=False)

    @property
    def scores(self) -> FloatArray:
        """The true scores, relative to their mean."""
        away = self.quality - self.quality.mean(axis=1, keepdims=True)
        scores = sum(factor * away**power for power, factor in enumerate(self.cubic, 1))
        return np.asarray(scores - np.mean(scores, axis=1, keepdims=True))


def calibrate(plan: CampaignPlan, campaigns: int, execution: Execution) -> Calibration:
    """Measure a plan on campaigns that follow it, with enough judges and segments to see what either adds."""
    rows = execution.run(_pilot, [(number,) for number in range(_PILOTS)], shared=(plan, execution.seed))
    ranking, judge, segment, tie = np.mean(rows, axis=0).tolist()
    errors = np.std(rows, axis=0) / np.sqrt(_PILOTS)
    # What a plan has not may still be measured, by chance.
    judge = 0.0 if plan.judge_effect == 0 and judge < 3 * errors[1] else max(judge, 0.0)
    segment = 0.0 if plan.segment_effect == 0 and segment < 3 * errors[2] else max(segment, 0.0)
    likeness = Likeness(ranking, judge, segment, plan.work)
    many = -(-_COMPARISONS * plan.systems // (plan.outputs * (plan.outputs - 1)))
    wide = replace(plan, rankings=many, judges=max(500, plan.judges), segments=max(500, plan.segments))
    counts = simulate_counts(wide, campaigns, execution=replace(execution, progress=None))
    scores = BradleyTerry().score(counts.counts(), ())
    away = (counts.quality - counts.quality.mean(axis=1, keepdims=True)).ravel()
    powers = np.stack([away, away**2, away**3], axis=1)
    cubic = np.linalg.lstsq(powers, (scores - scores.mean(axis=1, keepdims=True)).ravel(), rcond=None)[0]
    return Calibration(likeness, cubic, tie, counts.quality)


def _pilot(plan: CampaignPlan, seed: int, number: int) -> list[float]:
    """The likeness in one campaign, and its tie parameter."""
    pairs = plan.outputs * (plan.outputs - 1) // 2
    rankings = min(_JUDGMENTS // pairs + 1, 10_000)
    judges = int(np.clip(rankings * plan.outputs / plan.systems / 32, 10, rankings**0.5))
    segments = -(-rankings // judges)  # so that few judges meet a segment twice
    small = replace(plan, rankings=rankings, judges=judges, segments=segments)
    judgments = simulate(small, rng=generator(seed, Stream.PLAN_PILOT, number)).judgments
    model = BradleyTerry()
    fit = model.fit(judgments)
    # Not by sitting: with so few judges and segments, many of these hold several rankings, which are alike.
    single = jackknife(model, judgments.counts, unit_kinds(judgments, "ranking"))
    groups = {unit: jackknife(model, judgments.counts, unit_kinds(judgments, unit)) for unit in ("judge", "segment")}
    judge, segment = (alike(single, groups[unit]) for unit in ("judge", "segment"))
    # What segments share is 0 on average over those there are, and so a little alike between them the other way.
    judge, segment = judge + segment / (segments - 1), segment + judge / (judges - 1)
    return [ranking_effect(single, fit), judge, segment, float(fit.place[-1])]


def ranking_effect(sitting: Grouping, fit: BradleyTerryFit) -> float:
    """How much larger variances are than if all judgments were independent."""
    independent = np.diag(fit.covariance)[: len(fit.systems)]
    return float(np.trace(sitting.covariance) / independent.sum())


def alike(sitting: Grouping, group: Grouping) -> float:
    """One ρ of all systems; it may come out negative by chance."""
    variance = np.diag(sitting.covariance)
    varies = variance > 0
    more = np.diag(group.covariance)[varies] / variance[varies] - 1
    room = sitting.effective[varies] / group.effective[varies] - 1
    return float(more.sum() / room.sum()) if room.sum() > 1e-9 else 0.0


def information_of_ranking(theta: FloatArray, tie: float, comparisons: float) -> FloatArray:
    """What one ranking of random systems tells of the scores (campaigns, systems, systems), were judgments independent.

    Parameters
    ----------
    theta
        (campaigns, systems)
    tie
        The logarithm of Davidson's ν.
    comparisons
        Pairs that a ranking compares.
    """
    campaigns, n = theta.shape
    each = comparisons / (n * (n - 1) / 2)
    places = np.concatenate([theta.T, np.full((1, campaigns), tie)])
    shares = np.stack([BradleyTerry().outcomes(x) for x in places.T])
    apart = ~np.eye(n, dtype=bool)
    meetings = Meetings.of(each * shares[..., 0] * apart, each * shares[..., 1] * apart)
    whole = information(DAVIDSON, meetings, places, 0.0)
    # Without what pins their mean there.
    known, cross, of_tie = whole[:, :n, :n] - 1 / n, whole[:, :n, n], whole[:, n, n]
    taken = np.divide(cross, of_tie[:, None], out=np.zeros_like(cross), where=of_tie[:, None] > 1e-12)
    return np.asarray(known - taken[:, :, None] * cross[:, None])


def inverse(information: FloatArray) -> FloatArray:
    """The covariance (…, systems, systems) of scores relative to their mean, from an information of differences."""
    n = information.shape[-1]
    # The direction of the mean, of which nothing is known, is put on the scale of the others and taken out again.
    size = np.trace(information, axis1=-2, axis2=-1)[..., None, None] / n
    return np.asarray(np.linalg.inv(information + size / n) - 1 / (size * n))


def work_shares(judgments: Judgments, unit: str) -> FloatArray:
    """The share of all judgments that each judge, or segment, has; largest first."""
    sizes = np.bincount(judgments.group_codes(unit)).astype(np.float64)
    return np.asarray(np.sort(sizes[sizes > 0])[::-1] / sizes.sum())


def smallest_kinds(data: Judgments | PairCounts) -> UnitKinds:
    """What was said at one go, by one judge of one segment where both are known."""
    if isinstance(data, Judgments) and data.has("judge") and data.has("segment"):
        return sitting_kinds(data)
    return unit_kinds(data, linked_unit(data))


def sizes_of_rankings(judgments: Judgments) -> tuple[int, IntArray]:
    """How many rankings there are, and how many judgments each has; without ids, a judgment is one."""
    if linked_unit(judgments) == "pair":
        return len(judgments), np.ones(len(judgments), dtype=np.int64)
    sizes = np.bincount(judgments.group_codes("ranking"))
    sizes = sizes[sizes > 0]
    return len(sizes), sizes
