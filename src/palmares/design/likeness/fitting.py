"""Looking for the plan whose campaigns measure the same as a real one (indirect inference).

All is relative to the scatter S of an output in all. In every round the screens of the real campaign are answered anew
by judges of the plan so far, always with the same random numbers; settings move by what the answers still differ from
the real ones. So nothing is biased that is measured alike on both, and who judged what how often plays no part. S
itself is Koehn's (2012, Figure 2): the simulated curve of significant pairs has to follow the real one as judgments
grow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...compute import Execution, RngLike, Stream
from ...judgments import FloatArray, Judgments
from ..campaign_plan import CampaignPlan
from ..simulate import simulate
from .campaign import RealCampaign
from .features import Features, curve
from .outcome import Ending, concluded
from .real_screens import RealScreens
from .result import UNIT, LikePlan

#: Rounds of correction; in each so many sets of answers (one in so many tells how judges differ) and curves.
_ROUNDS, _TABLES, _OF_JUDGES, _CURVES = 5, 12, 4, 24
#: Sets of answers that tell errors in the end, and campaigns of the plan that tell how like they are; one in so many
#: tells how judges differ.
_LAST, _LAST_OF_JUDGES = 24, 2
#: The step of log signal by which the slope of the curve is taken, and the longest step in a round.
_STEP, _LONGEST = 0.2, 0.6
#: Below this, how much judges differ is not told from nothing.
_SMALL = 0.05
#: Judges who differ by so much more tell by how much less the model's estimates differ; in so many sets of answers.
_MORE, _MORE_TABLES = 1.3, 12
#: Of the variance of an output, what segments and judges may take up together.
_MOST = 0.95


@dataclass(frozen=True)
class State:
    """A plan over S: ``signal`` is the standard deviation of qualities; ``segment`` and ``judge`` are shares of S²."""

    signal: float
    segment: float
    judge: float
    radius: float
    position: float
    sensitivity: float
    tie: float

    @classmethod
    def start(cls, real: RealCampaign) -> State:
        """From figures whose relation to settings is nearly known."""
        target = real.target
        known = {name: max(float(np.nan_to_num(getattr(target, name))), 0.0) for name in Features.NAMES}
        return cls(
            signal=max(real.beliefs.signal, 1e-3),
            segment=min(np.sin(np.pi / 2 * known["same_segment"]), 0.7),
            judge=min(np.sin(np.pi / 2 * known["same_judge"]), 0.2),
            radius=real.beliefs.radius if target.ties else 0.0,
            position=(real.place_slope or 0.0) * float(np.nan_to_num(target.first)),
            sensitivity=known["sensitivity"],
            tie=known["tie_width"],
        )

    def plan(self, base: CampaignPlan) -> CampaignPlan:
        """The same on the scale of qualities uniform on [0, 10]."""
        scatter, whole = UNIT / self.signal, self.segment + self.judge
        shared = min(whole, _MOST)
        part = shared / whole if whole else 0.0
        return replace(
            base,
            spread=scatter * (1 - shared) ** 0.5,
            segment_effect=scatter * (part * self.segment) ** 0.5,
            judge_effect=scatter * (part * self.judge) ** 0.5,
            tie_radius=scatter * self.radius,
            position_effect=scatter * self.position,
            sensitivity_spread=self.sensitivity,
            tie_spread=self.tie if self.radius else 0.0,
        )


def plan_like(
    judgments: Judgments, *, spacing: str = "uniform", rng: RngLike = None, execution: Execution | None = None
) -> LikePlan:
    """Fit a plan to a campaign, so that simulated ones are like it.

    The numbers of systems, judges, segments, outputs on a screen and rankings are the campaign's, as is how unequally
    judges work. The tie radius, effects of segments, judges and places, and how much judges differ are those with which
    simulated answers to the campaign's screens have the same share of ties, correlations, and so on; the scatter of
    outputs is that with which the curve of significant pairs follows the real one (Koehn 2012, Figure 2).

    Parameters
    ----------
    judgments
        Of one language pair. Forced ties are left out.
    spacing
        How qualities are spaced; with the standard deviation of qualities uniform on [0, 10].
    rng
        A seed; None draws one.
    execution
        Where campaigns are simulated.
    """
    execution = Execution.prepared(execution, rng)
    tell = execution.progress or (lambda done, total: None)
    execution = replace(execution, progress=None)
    real = RealCampaign.of(judgments, spacing, execution)
    state = State.start(real)
    for number in range(_ROUNDS):
        state = _corrected(state, real, execution)
        tell(number + 1, _ROUNDS + 1)
    like = concluded(real, _ending(state, real, execution), execution)
    tell(_ROUNDS + 1, _ROUNDS + 1)
    return like


def _corrected(state: State, real: RealCampaign, execution: Execution) -> State:
    """The state moved by what its answers still differ from the real ones."""
    plan, target = state.plan(real.shape.plan), real.target
    figures = _mean(_tables(_answered, _TABLES, _OF_JUDGES, execution, real.screens, plan))
    now = dict(zip(Features.NAMES, figures, strict=False))
    short = {name: float(np.nan_to_num(getattr(target, name) - now[name])) for name in Features.NAMES}
    ratio = target.ties / now["ties"] if now["ties"] else 1.0
    moved = replace(
        state,
        radius=state.radius * float(np.clip(ratio, 0.5, 2)),
        segment=float(np.clip(state.segment + np.pi / 2 * short["same_segment"], 0, _MOST)),
        judge=float(np.clip(state.judge + np.pi / 2 * short["same_judge"], 0, _MOST)),
        position=state.position + (real.place_slope or 0.0) * short["first"],
        sensitivity=_moved(state.sensitivity, target.sensitivity, now["sensitivity"]),
        tie=_moved(state.tie, target.tie_width, now["tie_width"]),
    )
    middle, slope = _slope(moved, real, execution)
    step = float(slope @ (target.curve - middle) / (slope @ slope)) if slope.any() else 0.0
    return replace(moved, signal=moved.signal * float(np.exp(np.clip(step, -_LONGEST, _LONGEST))))


def _moved(current: float, target: float, now: float) -> float:
    """A standard deviation of judges, corrected."""
    if not np.isfinite(target):
        return 0.0
    if not np.isfinite(now):
        return current
    if min(current, now) < _SMALL:  # by variances, on which what else makes judges differ adds up
        return float(np.sqrt(max(current**2 + target**2 - now**2, 0.0)))
    return current * float(np.clip(target / now, 0.6, 1.6))


def _slope(state: State, real: RealCampaign, execution: Execution) -> tuple[FloatArray, FloatArray]:
    """The mean curve, and how it changes with the logarithm of the signal."""
    means = []
    for step in (-_STEP, 0.0, _STEP):
        plan = replace(state, signal=state.signal * float(np.exp(step))).plan(real.shape.plan)
        tasks = [(number,) for number in range(_CURVES)]
        means.append(np.mean(execution.run(_curve, tasks, shared=(real.screens, plan, execution.seed)), axis=0))
    return means[1], (means[2] - means[0]) / (2 * _STEP)


def _ending(state: State, real: RealCampaign, execution: Execution) -> Ending:
    plan = state.plan(real.shape.plan)
    again = _tables(_answered, _LAST, _LAST_OF_JUDGES, execution, real.screens, plan)
    _, slope = _slope(state, real, execution)
    curves = again[:, len(Features.NAMES) :]
    # What the signal would be taken for, were each of these the real campaign.
    steps = (curves - curves.mean(axis=0)) @ slope / (slope @ slope) if slope.any() else np.full(len(curves), np.inf)
    return Ending(
        plan=plan,
        scatter=UNIT / state.signal,
        error=float(np.std(steps, ddof=1)),
        growth=_growth(state, again, real, execution),
        again=again,
        campaigns=_tables(_simulated, _LAST, _LAST_OF_JUDGES, execution, _as_large(plan, real)),
    )


def _growth(state: State, again: FloatArray, real: RealCampaign, execution: Execution) -> tuple[float, float]:
    """By what power of how much judges differ the estimates of `ordinal` grow: of sensitivities, and of tie widths."""
    if not np.isfinite(real.target.sensitivity):
        return 1.0, 1.0
    wider = replace(state, sensitivity=_MORE * state.sensitivity, tie=_MORE * state.tie).plan(real.shape.plan)
    more = _tables(_answered, _MORE_TABLES, _LAST_OF_JUDGES, execution, real.screens, wider)
    at = [Features.NAMES.index(name) for name in ("sensitivity", "tie_width")]
    before, after = (_mean(figures[:_MORE_TABLES, at]) for figures in (again, more))
    power = np.log(np.maximum(after, 1e-9) / np.maximum(before, 1e-9)) / np.log(_MORE)
    sensitivity, tie = np.clip(np.nan_to_num(power, nan=1.0), 0.25, 1.0).tolist()
    return sensitivity, tie


def _as_large(plan: CampaignPlan, real: RealCampaign) -> CampaignPlan:
    """The plan with as many rankings as make the judgments that the search saw."""
    pairs = plan.outputs * (plan.outputs - 1) // 2
    return replace(plan, rankings=min(plan.rankings, max(round(len(real.judgments) / pairs), 1)))


# -- simulated figures -------------------------------------------------------------------------------


def _tables(
    function: Callable[..., FloatArray], tables: int, of_judges: int, execution: Execution, *given: object
) -> FloatArray:
    """The figures and curves of so many simulated campaigns; few tell how judges differ, which takes long."""
    tasks = [(number, number % of_judges == 0) for number in range(tables)]
    return np.stack(execution.run(function, tasks, shared=(*given, execution.seed)))


def _answered(screens: RealScreens, plan: CampaignPlan, seed: int, number: int, judges: bool) -> FloatArray:
    """Of simulated answers to the real screens."""
    rng = Execution(seed=seed).generator(Stream.LIKENESS, 1, number)
    return Features.of(screens.answered(plan, rng), 1, rng, judges=judges).row


def _simulated(plan: CampaignPlan, seed: int, number: int, judges: bool) -> FloatArray:
    """Of a campaign of the plan."""
    rng = Execution(seed=seed).generator(Stream.LIKENESS, 2, number)
    return Features.of(simulate(plan, rng=rng).judgments, 1, rng, judges=judges).row


def _curve(screens: RealScreens, plan: CampaignPlan, seed: int, number: int) -> FloatArray:
    rng = Execution(seed=seed).generator(Stream.LIKENESS, 3, number)
    return curve(screens.answered(plan, rng), 1, rng)


def _mean(figures: FloatArray) -> FloatArray:
    known = np.isfinite(figures)
    number = known.sum(axis=0)
    return np.where(number > 0, np.where(known, figures, 0).sum(axis=0) / np.maximum(number, 1), np.nan)
