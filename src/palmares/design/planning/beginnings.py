"""Where plans begin: at nothing but a plan, or at the judgments so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...compute import Execution, Stream
from ...errors import InputError
from ...judgments import FloatArray, Judgments
from ...models.base import check_one_lang_pair
from ...models.bradley_terry import BradleyTerry
from ...ranking.beliefs import posterior
from ...ranking.evidence import as_independent
from ...ranking.two_way import Grouping, combined, jackknife, lifted
from ...results import counted
from ..simulate import CampaignPlan
from .pilot import (
    Calibration,
    Likeness,
    alike,
    calibrate,
    information_of_ranking,
    inverse,
    ranking_effect,
    sizes_of_rankings,
    smallest_kinds,
    work_shares,
)
from .prospects import Fresh, Part, Prospect, Running, Staff


@dataclass(frozen=True)
class Beginning:
    """What a plan starts from.

    Attributes
    ----------
    prospect
        Campaigns that may come.
    staff
        Judges and segments, unless others are asked for.
    comparisons, outputs
        Pairs that a ranking compares, and outputs that it shows, on average.
    likeness
        How alike judgments of one ranking, judge and segment are.
    least
        Judges and segments that there are already; none, from scratch.
    done
        Rankings so far.
    calibration
        What a plan was found to mean; None where there are judgments.
    """

    prospect: Prospect = field(repr=False)
    staff: Staff
    systems: int
    comparisons: float
    outputs: float
    likeness: Likeness
    least: Staff
    done: int = 0
    calibration: Calibration | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()


def from_scratch(plan: CampaignPlan, campaigns: int, execution: Execution) -> Beginning:
    """From a plan alone, by a pilot of simulated campaigns."""
    calibration = calibrate(plan, campaigns, execution)
    likeness, theta = calibration.likeness, calibration.scores
    comparisons, share = plan.outputs * (plan.outputs - 1) / 2, plan.outputs / plan.systems
    single = information_of_ranking(theta, calibration.tie, comparisons)
    rng = execution.generator(Stream.PLAN_CAMPAIGNS)
    normal, chance, own = rng.standard_normal(theta.shape), rng.random((2, campaigns)), rng.random((2, *theta.shape))
    unit = likeness.ranking * share * inverse(single)
    prospect = Fresh(theta, unit, likeness, share, normal, chance, own)
    return Beginning(
        prospect, Staff(plan.judges, plan.segments), plan.systems, comparisons, float(plan.outputs), likeness,
        Staff(0, 0),
        calibration=calibration, notes=_notes_of_plan(plan),
    )  # fmt: skip


def _notes_of_plan(plan: CampaignPlan) -> tuple[str, ...]:
    unlike = [name for name in ("judge", "segment") if not getattr(plan, f"{name}_effect")]
    if not unlike:
        return ()
    option = " and ".join(f"--{name}-effect" for name in unlike)
    words = " and ".join(f"{name}s" for name in unlike)
    return (
        f"{words} have no effects of their own in this plan, so that it does not matter how many share the work; in "
        f"real campaigns they have, and more judgments are needed: set {option}",
    )


def from_judgments(judgments: Judgments, campaigns: int, execution: Execution) -> Beginning:
    """From the judgments so far, with effects of judges and segments as these show them."""
    check_one_lang_pair(judgments)
    model, counts = BradleyTerry(), judgments.counts
    fit = model.fit(judgments)
    sitting = jackknife(model, counts, smallest_kinds(judgments))
    known, unknown = _groupings(model, judgments)
    floor = model.independent_errors(as_independent(judgments), fit) ** 2
    rankings, sizes = sizes_of_rankings(judgments)
    comparisons, systems = float(sizes.mean()), len(judgments.systems)
    rng = execution.generator(Stream.PLAN_CAMPAIGNS)
    base = _centred(_base(sitting, floor))
    parts = {unit: _part(sitting, known[unit], floor, judgments, unit, rng.random(campaigns)) for unit in known}
    if not np.trace(base) > _LEAST_VARIANCE:
        raise InputError(
            f"nothing can be planned from {counted(len(judgments), 'judgment')} ({_alike(judgments)}): nothing in that "
            "shows how unsure scores are; collect some more first, or plan from scratch (--systems, without a file)"
        )
    now = base + sum(np.median(part.excess) * part.shape for part in parts.values())
    effect = ranking_effect(sitting, fit)
    single = information_of_ranking(fit.theta[None], float(fit.place[-1]), comparisons)[0]
    df = min(((systems - 1) * max(group.units - 1, 1.0) for group in known.values()), default=None)
    scores = fit.theta - fit.theta.mean()
    theta = posterior(scores, now, df, campaigns, rng)
    prospect = Running(
        scores, theta, base, parts.get("judge"), parts.get("segment"), single / effect, float(rankings),
        rng.standard_normal(theta.shape), _reach(sitting, known, floor),
    )  # fmt: skip
    rho = {unit: max(alike(sitting, group), 0.0) for unit, group in known.items()}
    staff = Staff(*(max(len(work_shares(judgments, unit)), 1) if judgments.has(unit) else 1 for unit in _UNITS))
    outputs = (1 + np.sqrt(1 + 8 * comparisons)) / 2
    likeness = Likeness(effect, rho.get("judge", 0.0), rho.get("segment", 0.0))
    return Beginning(
        prospect, staff, systems, comparisons, float(outputs), likeness, staff, rankings, notes=_notes_of_data(unknown)
    )


_UNITS = ("judge", "segment")
#: Variances of scores that add up to no more than this are none.
_LEAST_VARIANCE = 1e-9


def _alike(judgments: Judgments) -> str:
    ties = len(judgments) > 1 and not judgments.counts.wins.any()
    return "all of them ties" if ties else "made at one go, or all alike"


def _groupings(model: BradleyTerry, judgments: Judgments) -> tuple[dict[str, Grouping], list[str]]:
    """What judges and segments show, of those that are known and more than one; and the others."""
    from ...judgments import known_units, unit_kinds

    counts = known_units(judgments)
    known = [unit for unit in _UNITS if counts.get(unit, 0) > 1]
    groups = {unit: jackknife(model, judgments.counts, unit_kinds(judgments, unit)) for unit in known}  # type: ignore[arg-type]
    return groups, [unit for unit in _UNITS if unit not in known]


def _base(sitting: Grouping, floor: FloatArray) -> FloatArray:
    variance = np.diag(sitting.covariance)
    raised = lifted(variance, sitting.effective, floor) - variance
    # A little more for each, so that few rankings, which leave some directions unseen, can be built upon.
    return np.asarray(sitting.covariance + np.diag(raised + 1e-6 * variance.mean()))


def _part(
    sitting: Grouping, group: Grouping, floor: FloatArray, judgments: Judgments, unit: str, chance: FloatArray
) -> Part:
    """What one kind of unit adds, as `rank` finds it: the excess of variance over that without.

    True excesses are drawn around the estimated one: its ratio of variances has a χ² distribution.
    """
    from scipy.special import chdtri

    found = np.maximum(combined(sitting, {unit: group}, floor=floor, p=0.05).effects - 1, 0.0)
    mean = float(found.mean())
    stretch = np.sqrt(found / mean) if mean > 0 else np.ones(len(found))
    df = max((len(found) - 1) * (group.units - 1), 1.0)
    excess = np.maximum((1 + mean) * df / chdtri(df, chance) - 1, 0.0)
    shape = _centred(stretch[:, None] * _base(sitting, floor) * stretch)
    return Part(shape, excess, work_shares(judgments, unit))


def _reach(sitting: Grouping, known: dict[str, Grouping], floor: FloatArray) -> FloatArray:
    """How much wider `rank` makes standard errors for the t distribution of few units, where it does."""
    if not known:
        return np.ones(len(floor))
    said = combined(sitting, known, floor=floor, p=0.05)
    plain = np.diag(_base(sitting, floor)) * said.effects
    return np.asarray(np.maximum(np.sqrt(np.diag(said.covariance) / plain), 1.0))


def _centred(covariance: FloatArray) -> FloatArray:
    """Of the scores relative to their mean."""
    away = np.eye(len(covariance)) - 1 / len(covariance)
    return np.asarray(away @ covariance @ away)


def _notes_of_data(unknown: list[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    words = " and ".join(f"{unit}s" for unit in unknown)
    return (
        f"what {words} add to errors cannot be known from these judgments, which name fewer than two of them; the "
        "plan has no such effects, and so too few judgments",
    )
