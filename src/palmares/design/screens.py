"""The screens of one simulated campaign: what was shown to whom, how good it looked, and the truth behind it.

Every setting of a plan that is off leaves the random numbers of the others as they are: what all campaigns have is
drawn first, whatever else there is has a generator of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from ..judgments import BoolArray, FloatArray, IntArray
from .campaign_plan import CampaignPlan
from .styles import advantage

#: Screens whose systems are drawn at once: an array of so many rows and a column for every system.
_AT_ONCE = 1 << 16

#: Gives, of every row of an array, the places of so many smallest numbers, the smallest first.
Smallest = Callable[[FloatArray, int], IntArray]


class _Own(IntEnum):
    """What has a generator of its own, by its key: part of what every seed gives, so add and never change."""

    GROUPS = 0
    WORK = 1
    SENSITIVITY = 2
    TIES = 3
    ROLES = 4
    LAZY_ANSWERS = 5
    DIFFICULTY = 6
    STYLES = 7


@dataclass(frozen=True)
class SimulatedJudges:
    """The true parameters of every judge; ``share`` is that of the work, expected."""

    share: FloatArray
    noise: FloatArray
    sensitivity: FloatArray
    tie_radius: FloatArray
    lazy: BoolArray
    reversed: BoolArray


@dataclass(frozen=True)
class Styles:
    """The styles of systems, and those that segments or judges ask for, in turns; empty where there are none."""

    systems: FloatArray = field(default_factory=lambda: np.empty(0))
    wanted: FloatArray = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class Screens:
    """All of a campaign that becomes judgments, or counts.

    Attributes
    ----------
    quality
        The true mean quality of every system.
    judges, difficulty, styles
        The truth about judges, segments and styles.
    shown, seen
        The systems on every screen in the order of their places, and how good the judge found their outputs.
    judge, segment, radius
        Of every screen; outputs no more than the radius below the best of their group share its rank.
    """

    quality: FloatArray
    judges: SimulatedJudges
    difficulty: FloatArray
    styles: Styles
    shown: IntArray
    seen: FloatArray
    judge: IntArray
    segment: IntArray
    radius: FloatArray


def drawn(plan: CampaignPlan, generator: np.random.Generator, smallest: Smallest | None = None) -> Screens:
    """Draw the screens of one campaign; ``smallest`` may be one that is compiled."""
    uniform = generator.random(plan.systems)
    shown = _shown(plan, generator, smallest or _sorted)
    judge = generator.integers(0, plan.judges, plan.rankings)
    segment = generator.integers(0, plan.segments, plan.rankings)
    noise = generator.uniform(0, 2 * plan.judge_noise, plan.judges)
    normal = generator.standard_normal(shown.shape)
    own = _Generators(generator, plan)
    if plan.work:
        judge = np.searchsorted(np.cumsum(shares(plan)[:-1]), own.of(_Own.WORK).random(plan.rankings), side="right")
    return _looked_at(plan, shown, judge, segment, np.linspace(1, 0, plan.outputs), (uniform, noise, normal), own)


def drawn_for(
    plan: CampaignPlan, shown: IntArray, judge: IntArray, segment: IntArray, place: FloatArray,
    generator: np.random.Generator,
) -> Screens:  # fmt: skip
    """Draw what judges see of given screens, for a plan with as many systems, judges and segments.

    ``place`` is 1 for the output shown first and 0 for the last: (rankings, outputs).
    """
    uniform = generator.random(plan.systems)
    noise = generator.uniform(0, 2 * plan.judge_noise, plan.judges)
    normal = generator.standard_normal(shown.shape)
    return _looked_at(plan, shown, judge, segment, place, (uniform, noise, normal), _Generators(generator, plan))


def _looked_at(
    plan: CampaignPlan, shown: IntArray, judge: IntArray, segment: IntArray, place: FloatArray,
    numbers: tuple[FloatArray, FloatArray, FloatArray], own: _Generators,
) -> Screens:  # fmt: skip
    """How good outputs look, from the random numbers of systems, judges' noise and outputs, and the others' own."""
    uniform, noise, normal = numbers
    quality, judges = _quality(plan, uniform, own), _judges(plan, noise, own)
    difficulty = _log_normal(own, _Own.DIFFICULTY, plan.difficulty_spread, plan.segments)
    styles = _styles(plan, own)

    systematic = quality[shown]
    if plan.segment_effect:
        systematic += own.luck.normal(0, plan.segment_effect, (plan.segments, plan.systems))[segment[:, None], shown]
    if plan.style_effect:
        wanted = styles.wanted[segment if plan.style_of == "segment" else judge]
        systematic += advantage(styles.systems[shown], wanted[:, None], plan.style_effect)
    if plan.sensitivity_spread or plan.difficulty_spread:
        systematic *= (judges.sensitivity[judge] / difficulty[segment])[:, None]
    deviation = np.sqrt(plan.spread**2 + noise**2)[judge] if plan.judge_noise else np.array([plan.spread])
    seen = systematic + deviation[:, None] * normal
    if plan.judge_effect:
        seen += own.liking.normal(0, plan.judge_effect, (plan.judges, plan.systems))[judge[:, None], shown]
    seen = _answered(plan, judges, judge, seen, own)
    if plan.position_effect:
        seen += plan.position_effect * place
    return Screens(quality, judges, difficulty, styles, shown, seen, judge, segment, judges.tie_radius[judge])


def shares(plan: CampaignPlan) -> FloatArray:
    """The expected share of every judge in the work."""
    share = np.arange(1, plan.judges + 1) ** -float(plan.work)
    return np.asarray(share / share.sum())


def _sorted(numbers: FloatArray, count: int) -> IntArray:
    return np.asarray(numbers.argsort(axis=1)[:, :count])


def _shown(plan: CampaignPlan, generator: np.random.Generator, smallest: Smallest) -> IntArray:
    """Random systems for every screen, in random places."""
    sizes = np.diff([*range(0, plan.rankings, _AT_ONCE), plan.rankings])
    parts = [smallest(generator.random((size, plan.systems)), plan.outputs) for size in sizes]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


@dataclass(frozen=True)
class _Generators:
    """The generators of what not every campaign has; drawn from the campaign's only if there is any such thing."""

    generator: np.random.Generator
    plan: CampaignPlan

    @cached_property
    def _seeds(self) -> list[int]:
        # The third came later: campaigns that need two go on as they did.
        return [int(seed) for seed in self.generator.integers(0, 2**63, 3 if self._others else 2)]

    @property
    def _others(self) -> bool:
        plan = self.plan
        return any((
            plan.group_spread, plan.work, plan.sensitivity_spread, plan.tie_spread, plan.lazy_judges,
            plan.reversed_judges, plan.difficulty_spread, plan.style_effect,
        ))  # fmt: skip

    @property
    def luck(self) -> np.random.Generator:
        return np.random.default_rng(self._seeds[0])

    @property
    def liking(self) -> np.random.Generator:
        return np.random.default_rng(self._seeds[1])

    def of(self, purpose: _Own) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self._seeds[2], spawn_key=(purpose,)))


def _log_normal(own: _Generators, purpose: _Own, spread: float, count: int) -> FloatArray:
    return np.exp(spread * own.of(purpose).standard_normal(count)) if spread else np.ones(count)


def _quality(plan: CampaignPlan, uniform: FloatArray, own: _Generators) -> FloatArray:
    if plan.qualities:
        return np.array(plan.qualities, dtype=np.float64)
    sizes = plan.groups or (1,) * plan.systems
    place, width = uniform[: len(sizes)], plan.quality_range
    if plan.spacing == "even":
        place = place.argsort().argsort() / max(len(place) - 1, 1)
    centre = width * place if plan.spacing != "normal" else width * (0.5 + ndtri(place) / 12**0.5)
    quality = np.repeat(centre, sizes)
    if plan.group_spread:
        quality = quality + plan.group_spread * own.of(_Own.GROUPS).standard_normal(plan.systems)
    return np.asarray(quality)


def _judges(plan: CampaignPlan, noise: FloatArray, own: _Generators) -> SimulatedJudges:
    lazy, reversed_ = np.zeros((2, plan.judges), dtype=bool)
    if plan.lazy or plan.reversed:
        order = own.of(_Own.ROLES).permutation(plan.judges)
        # From both ends, so that neither changes who is the other.
        lazy[order[: plan.lazy]], reversed_[order[plan.judges - plan.reversed :]] = True, True
    return SimulatedJudges(
        share=shares(plan),
        noise=noise,
        sensitivity=_log_normal(own, _Own.SENSITIVITY, plan.sensitivity_spread, plan.judges),
        tie_radius=plan.tie_radius * _log_normal(own, _Own.TIES, plan.tie_spread, plan.judges),
        lazy=lazy,
        reversed=reversed_,
    )


def _styles(plan: CampaignPlan, own: _Generators) -> Styles:
    if not plan.style_effect:
        return Styles()
    generator = own.of(_Own.STYLES)
    systems = generator.random(plan.systems)
    return Styles(systems, generator.random(plan.segments if plan.style_of == "segment" else plan.judges))


def _answered(
    plan: CampaignPlan, judges: SimulatedJudges, judge: IntArray, seen: FloatArray, own: _Generators
) -> FloatArray:
    """What lazy and reversed judges make of what they see."""
    if plan.reversed:
        seen = np.where(judges.reversed[judge, None], -seen, seen)
    if plan.lazy:
        generator = own.of(_Own.LAZY_ANSWERS)
        random = judges.lazy[judge] & (generator.random(len(judge)) < plan.lazy_answers)
        seen[random] = generator.permuted(seen[random], axis=1)
    return seen
