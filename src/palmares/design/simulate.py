"""Simulated campaigns (Koehn 2012, §3), with ties, and judges and segments that differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments

#: Screens whose systems are drawn at once: an array of so many rows and a column for every system.
_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class CampaignPlan:
    """What a simulated campaign looks like.

    Each system has a mean quality, uniform on [0, 10]. A judge sees ``outputs`` random systems on one segment;
    the quality of an output is N(mean, spread²), what the judge sees of it is that plus N(0, noise²), where a
    judge's noise is uniform on [0, 2 · ``judge_noise``]. Outputs no more than ``tie_radius`` below the best of
    their group share its rank.

    Judgments that have something in common need not be independent: ``segment_effect`` is the standard deviation
    of a system's luck on a segment, the same for every judge; ``judge_effect`` that of a judge's own preference for a
    system, the same on every segment. Both are 0 on average, so a system's mean stays its true quality.
    ``position_effect`` is added to what a judge sees of the output shown first, and falls linearly to 0 for the last.

    Koehn 2012 has no ties, no judge noise and no effects, and calls ``spread`` a variance; his figures need it to be a
    standard deviation.
    """

    systems: int = 10
    rankings: int = 600
    outputs: int = 5
    judges: int = 12
    segments: int = 300
    spread: float = 10.0
    tie_radius: float = 2.0
    judge_noise: float = 0.0
    segment_effect: float = 0.0
    judge_effect: float = 0.0
    position_effect: float = 0.0
    lang_pair: str | None = None

    def __post_init__(self) -> None:
        limits = {"systems": 2, "rankings": 1, "outputs": 2, "judges": 1, "segments": 1}
        for name, least in limits.items():
            if getattr(self, name) < least:
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: at least {least}")
        for name in ("spread", "tie_radius", "judge_noise", "segment_effect", "judge_effect"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: a number of at least 0")
        if not np.isfinite(self.position_effect):
            raise InputError(f"position_effect: got {self.position_effect}; allowed: a number")
        if self.outputs > self.systems:
            raise InputError(f"outputs: got {self.outputs}, but there are only {self.systems} systems to rank")


@dataclass(frozen=True)
class SimulatedCampaign:
    """Judgments, and the truth behind them."""

    plan: CampaignPlan
    judgments: Judgments
    quality: Mapping[str, float] = field(repr=False)


def simulate(plan: CampaignPlan | None = None, *, rng: RngLike = None, **changes: Any) -> SimulatedCampaign:
    """Make a campaign; ``simulate(rankings=2000, rng=1)`` changes single points of the plan."""
    plan = replace(plan or CampaignPlan(), **changes)
    screens = drawn(plan, np.random.default_rng(rng))
    ranks = ranks_with_ties(screens.seen, screens.radius[:, None])
    codes = _codes(plan, screens.shown, ranks, screens.judge, screens.segment)
    kinds = {"system": plan.systems, "judge": plan.judges, "segment": plan.segments, "ranking": plan.rankings}
    names = {kind: pl.Series(numbered(kind, count)) for kind, count in kinds.items()}
    if plan.lang_pair is not None:
        codes = codes.with_columns(pl.lit(0, pl.Int32).alias("lang_pair"))
        names["lang_pair"] = pl.Series([plan.lang_pair])
    truth = dict(zip(names["system"], screens.quality.tolist(), strict=True))
    return SimulatedCampaign(plan, Judgments.from_codes(codes, names), truth)


@dataclass(frozen=True)
class Screens:
    """What was shown to whom and how good it looked: all that becomes judgments, or counts.

    Attributes
    ----------
    quality
        The true mean quality of every system.
    shown, seen
        The systems on every screen in the order of their places, and how good the judge found their outputs.
    judge, segment, radius
        Of every screen; outputs no more than the radius below the best of their group share its rank.
    """

    quality: FloatArray
    shown: IntArray
    seen: FloatArray
    judge: IntArray
    segment: IntArray
    radius: FloatArray


#: Gives, of every row of an array, the places of so many smallest numbers, the smallest first.
Smallest = Callable[[FloatArray, int], IntArray]


def _sorted(numbers: FloatArray, count: int) -> IntArray:
    return np.asarray(numbers.argsort(axis=1)[:, :count])


def drawn(plan: CampaignPlan, generator: np.random.Generator, smallest: Smallest = _sorted) -> Screens:
    """Draw the screens of one campaign; ``smallest`` may be one that is compiled."""
    quality = generator.uniform(0, 10, plan.systems)
    shown = _shown(plan, generator, smallest)
    judge = generator.integers(0, plan.judges, plan.rankings)
    segment = generator.integers(0, plan.segments, plan.rankings)
    noise = generator.uniform(0, 2 * plan.judge_noise, plan.judges)[judge]
    deviation = np.sqrt(plan.spread**2 + noise**2)
    seen = quality[shown] + deviation[:, None] * generator.standard_normal(shown.shape)
    seen += _effects(plan, shown, judge, segment, generator)
    return Screens(quality, shown, seen, judge, segment, np.full(plan.rankings, plan.tie_radius))


def _shown(plan: CampaignPlan, generator: np.random.Generator, smallest: Smallest) -> IntArray:
    """Random systems for every screen, in random places."""
    if plan.rankings <= _AT_ONCE:
        return smallest(generator.random((plan.rankings, plan.systems)), plan.outputs)
    sizes = np.diff([*range(0, plan.rankings, _AT_ONCE), plan.rankings])
    return np.concatenate([smallest(generator.random((size, plan.systems)), plan.outputs) for size in sizes])


def _effects(
    plan: CampaignPlan, shown: IntArray, judge: IntArray, segment: IntArray, generator: np.random.Generator
) -> FloatArray:
    """What segments, judges and positions add to every output shown: an array (rankings, outputs)."""
    added = np.broadcast_to(plan.position_effect * np.linspace(1, 0, plan.outputs), shown.shape)
    if not (plan.segment_effect or plan.judge_effect):
        return added
    # Seeds of their own, drawn last: one effect changes neither the other nor the rest of the campaign.
    luck, liking = map(np.random.default_rng, generator.integers(0, 2**63, 2))
    if plan.segment_effect:
        added = added + luck.normal(0, plan.segment_effect, (plan.segments, plan.systems))[segment[:, None], shown]
    if plan.judge_effect:
        added = added + liking.normal(0, plan.judge_effect, (plan.judges, plan.systems))[judge[:, None], shown]
    return added


def ranks_with_ties(seen: FloatArray, radius: float | FloatArray) -> IntArray:
    """Dense ranks of each row, 1 for the largest; what is within ``radius`` of the best of a group joins it.

    The radius may be an array (rows, 1).
    """
    order = np.argsort(-seen, axis=1, kind="stable")
    ordered = np.take_along_axis(seen, order, axis=1)
    ranks = np.empty(seen.shape, dtype=np.int64)
    current = np.ones(len(seen), dtype=np.int64)
    leader, limit = ordered[:, 0], np.broadcast_to(radius, (len(seen), 1))[:, 0]
    for k in range(seen.shape[1]):
        apart = leader - ordered[:, k] > limit
        current = current + apart
        leader = np.where(apart, ordered[:, k], leader)
        np.put_along_axis(ranks, order[:, k : k + 1], current[:, None], axis=1)
    return ranks


def numbered(word: str, count: int) -> list[str]:
    """``word-01``, ``word-02``, …, as wide as needed so that they sort by number."""
    width = max(2, len(str(count)))
    return [f"{word}-{i:0{width}d}" for i in range(1, count + 1)]


def _codes(plan: CampaignPlan, shown: IntArray, ranks: IntArray, judge: IntArray, segment: IntArray) -> pl.DataFrame:
    """Every pair of every ranking, in codes."""
    first, second = np.array(list(combinations(range(plan.outputs), 2))).T
    repeat = len(first)
    columns = {
        "system_a": shown[:, first].ravel(),
        "system_b": shown[:, second].ravel(),
        "outcome": np.sign(ranks[:, second] - ranks[:, first]).ravel().astype(np.int8),
        "judge": np.repeat(judge, repeat),
        "segment": np.repeat(segment, repeat),
        "ranking": np.repeat(np.arange(plan.rankings), repeat),
        "position_a": np.tile(first + 1, plan.rankings),
        "position_b": np.tile(second + 1, plan.rankings),
    }
    return pl.DataFrame({name: v if name == "outcome" else v.astype(np.int32) for name, v in columns.items()})
