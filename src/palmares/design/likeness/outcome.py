"""What a search came to, put as settings with errors, as figures side by side, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...compute import Execution
from ...judgments import FloatArray
from ...ranking.record import Record
from ..campaign_plan import CampaignPlan
from .campaign import RealCampaign
from .features import FRACTIONS, Features
from .result import UNIT, Compared, FittedSetting, LikePlan

_LABELS = {
    "ties": "share of ties",
    "first": "output shown first: better less worse",
    "same_segment": "correlation of outcomes, same segment",
    "same_judge": "correlation of outcomes, same judge",
    "sensitivity": "sd of log sensitivity (ordinal)",
    "tie_width": "sd of log tie width (ordinal)",
}
#: From a correlation of outcomes c to a share of variance r, where both are small (Sheppard: r = sin(πc/2)).
_LATENT = np.pi / 2
#: If the busiest tenth of the pairs of systems have more of the judgments than this, the design is called uneven.
_UNEVEN = 0.25


@dataclass(frozen=True)
class Ending:
    """The plan, S, the standard error of log S; by what power of how much judges differ the estimates of `ordinal`
    grow; and figures with curves of answers to the real screens (``again``), and
    of campaigns of the plan (``campaigns``): (tables, figures).
    """

    plan: CampaignPlan
    scatter: float
    error: float
    growth: tuple[float, float]
    again: FloatArray = field(repr=False)
    campaigns: FloatArray = field(repr=False)

    @property
    def deviations(self) -> dict[str, float]:
        """How figures vary from campaign to campaign, which is how unsure they are."""
        return dict(zip(Features.NAMES, _moments(self.again)[1].tolist(), strict=False))


def concluded(real: RealCampaign, ending: Ending, execution: Execution) -> LikePlan:
    """All that is told of the fit."""
    factor = float(np.exp(1.96 * ending.error))
    scale = UNIT / float(real.beliefs.draws.std(axis=1, ddof=1).mean())
    systems = {
        name: (5 + scale * float(draws.mean()), scale * float(draws.std()))
        for name, draws in zip(real.beliefs.names, real.beliefs.draws.T, strict=True)
    }
    facts = {**ending.plan.facts, "hash": real.judgments.hash, "seed": execution.seed}
    return LikePlan(
        plan=ending.plan,
        scatter=ending.scatter,
        scatter_interval=(ending.scatter / factor, ending.scatter * factor),
        scatter_of_scores=UNIT / max(real.beliefs.signal, 1e-9),
        settings=tuple(_settings(real, ending)),
        compared=tuple(_compared(real, ending)),
        systems=systems,
        notes=tuple(_notes(real, ending)),
        record=Record.of(facts, origin=real.judgments.origin),
    )


def _moments(figures: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and standard deviations of what is known."""
    known = np.isfinite(figures)
    number = known.sum(axis=0)
    mean = np.where(number > 0, np.where(known, figures, 0).sum(axis=0) / np.maximum(number, 1), np.nan)
    squares = np.where(known, figures - mean, 0.0) ** 2
    return mean, np.where(number > 1, np.sqrt(squares.sum(axis=0) / np.maximum(number - 1, 1)), np.nan)


def _compared(real: RealCampaign, ending: Ending) -> Iterator[Compared]:
    names = [_LABELS[name] for name in Features.NAMES]
    names += [f"significant pairs, {100 * fraction:.0f} % of the judgments" for fraction in FRACTIONS]
    again, (mean, deviation) = _moments(ending.again)[0], _moments(ending.campaigns)
    for k, (name, value) in enumerate(zip(names, real.target.row, strict=True)):
        of_curve = k - len(Features.NAMES)
        if np.isfinite(value) and np.isfinite(mean[k]) and not (of_curve >= 0 and of_curve % 2):
            yield Compared(name, float(value), float(again[k]), float(mean[k]), float(deviation[k]))


def _settings(real: RealCampaign, ending: Ending) -> Iterator[FittedSetting]:
    """Errors are those of the figure that a setting was fitted to, times what the setting changes with it."""
    plan, target, deviation = ending.plan, real.target, ending.deviations
    for name, value, source in real.shape.settings():
        yield FittedSetting(name, value, None, source)
    yield FittedSetting("spread", plan.spread, plan.spread * ending.error, "the curve of significant pairs")
    if target.ties:
        relative = float(np.hypot(deviation["ties"] / target.ties, ending.error))
        yield FittedSetting("tie_radius", plan.tie_radius, plan.tie_radius * relative, "the share of ties")
    for name, figure, source in (
        ("segment_effect", "same_segment", "pairs of judgments that share a segment"),
        ("judge_effect", "same_judge", "pairs of judgments that share a judge"),
    ):
        if np.isfinite(getattr(target, figure)):
            value = getattr(plan, name)
            of_figure = ending.scatter * _LATENT * deviation[figure] / (2 * max(value / ending.scatter, 0.05))
            yield FittedSetting(name, value, float(np.hypot(of_figure, value * ending.error)), source)
    if real.place_slope is not None:
        error = float(
            np.hypot(ending.scatter * real.place_slope * deviation["first"], plan.position_effect * ending.error)
        )
        yield FittedSetting(
            "position_effect", plan.position_effect, error, "how often the output shown first is better"
        )
    now = dict(zip(Features.NAMES, _moments(ending.again)[0].tolist(), strict=False))
    names = (("sensitivity_spread", "sensitivity"), ("tie_spread", "tie_width"))
    for (name, figure), power in zip(names, ending.growth, strict=True):
        if np.isfinite(getattr(target, figure)):
            value = getattr(plan, name)
            slope = power * now[figure] / value if value else 1.0
            yield FittedSetting(name, value, deviation[figure] / max(slope, 0.1), _LABELS[figure])


def _notes(real: RealCampaign, ending: Ending) -> Iterator[str]:
    yield from real.shape.notes
    yield from real.judgments.origin.notes if real.judgments.origin else ()
    target, plan = real.target, ending.plan
    wider = 1 / max(real.beliefs.reliability, 1e-9)
    yield f"estimated scores spread {wider:.2f} times as wide as true ones are believed to; the plan has the true ones"
    counts = real.judgments.counts
    met = np.sort((counts.decided + counts.ties)[np.triu_indices(len(counts.systems), 1)])[::-1]
    busiest = float(met[: max(round(len(met) / 10), 1)].sum() / met.sum())
    if busiest > _UNEVEN:
        yield (
            f"comparisons are unevenly spread: the busiest tenth of the pairs of systems have {100 * busiest:.0f} % of "
            f"them, and {(met == 0).sum():,} of {len(met):,} pairs never met; simulated campaigns spread them evenly, "
            "so their figures differ from those of the same judges on the real screens"
        )
    low = ending.scatter * np.exp(-1.96 * ending.error)
    high = ending.scatter * np.exp(1.96 * ending.error)
    if not low <= UNIT / max(real.beliefs.signal, 1e-9) <= high:
        yield "the curve and the scores disagree about the scatter of outputs: look at both figures above"
    if not np.isfinite(target.same_segment):
        yield "segment_effect was not fitted: no two judges compared the same two systems on one segment"
    if not np.isfinite(target.same_judge):
        yield "judge_effect was not fitted: no judge compared the same two systems on two segments"
    if not np.isfinite(target.sensitivity):
        yield "how judges differ was not fitted: judges are not known, or are one"
    if real.place_slope is None:
        known = "no preference for a place can be told" if np.isfinite(target.first) else "places are not known"
        yield f"position_effect was not fitted: {known}"
    if plan.segment_effect**2 + plan.judge_effect**2 > 9 * plan.spread**2:
        yield "segments and judges take up nearly all of the scatter of outputs: such effects are at their limit"
    yield (
        "not fitted: judge_noise, lazy_judges and reversed_judges (the spread of sensitivities takes them up); "
        "difficulty_spread and style_effect (luck of systems on segments takes them up)"
    )
    if target.ties and np.isfinite(target.same_segment):
        yield (
            "simulated judges agree less than real ones (κ): real outputs may be alike, and judges then tie them "
            "together; simulated outputs never are"
        )
