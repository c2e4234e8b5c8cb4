"""Simulated campaigns (Koehn 2012, §3), with ties and judges who differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ..counts import FloatArray
from ..errors import InputError
from ..judgments import Judgments

#: From a generator or a seed; None draws fresh entropy.
RngLike = int | np.random.SeedSequence | np.random.Generator | None


@dataclass(frozen=True)
class CampaignPlan:
    """What a simulated campaign looks like.

    Each system has a mean quality, uniform on [0, 10]. A judge sees ``outputs`` random systems on one segment;
    the quality of an output is N(mean, spread²), what the judge sees of it is that plus N(0, noise²), where a
    judge's noise is uniform on [0, 2 · ``judge_noise``]. Outputs no more than ``tie_radius`` below the best of
    their group share its rank.

    Koehn 2012 has no ties and no judge noise, and calls ``spread`` a variance; his figures need it to be a
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
    lang_pair: str | None = None

    def __post_init__(self) -> None:
        limits = {"systems": 2, "rankings": 1, "outputs": 2, "judges": 1, "segments": 1}
        for name, least in limits.items():
            if getattr(self, name) < least:
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: at least {least}")
        for name in ("spread", "tie_radius", "judge_noise"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: a number of at least 0")
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
    plan = CampaignPlan(**changes) if plan is None else plan
    generator = np.random.default_rng(rng)
    quality = generator.uniform(0, 10, plan.systems)
    shown = generator.random((plan.rankings, plan.systems)).argsort(axis=1)[:, : plan.outputs]
    judge = generator.integers(0, plan.judges, plan.rankings)
    segment = generator.integers(0, plan.segments, plan.rankings)
    noise = generator.uniform(0, 2 * plan.judge_noise, plan.judges)[judge]
    deviation = np.sqrt(plan.spread**2 + noise**2)
    seen = generator.normal(quality[shown], deviation[:, None])
    ranks = ranks_with_ties(seen, plan.tie_radius)
    names = numbered("system", plan.systems)
    judgments = Judgments.from_rows(_rows(plan, names, shown, ranks, judge, segment))
    return SimulatedCampaign(plan, judgments, dict(zip(names, quality.tolist(), strict=True)))


def ranks_with_ties(seen: FloatArray, radius: float) -> npt.NDArray[np.int64]:
    """Dense ranks of each row, 1 for the largest; what is within ``radius`` of the best of a group joins it."""
    order = np.argsort(-seen, axis=1, kind="stable")
    ordered = np.take_along_axis(seen, order, axis=1)
    ranks = np.empty(seen.shape, dtype=np.int64)
    current = np.ones(len(seen), dtype=np.int64)
    leader = ordered[:, 0]
    for k in range(seen.shape[1]):
        apart = leader - ordered[:, k] > radius
        current = current + apart
        leader = np.where(apart, ordered[:, k], leader)
        np.put_along_axis(ranks, order[:, k : k + 1], current[:, None], axis=1)
    return ranks


def numbered(word: str, count: int) -> list[str]:
    """``word-01``, ``word-02``, …, as wide as needed so that they sort by number."""
    width = max(2, len(str(count)))
    return [f"{word}-{i:0{width}d}" for i in range(1, count + 1)]


def _rows(
    plan: CampaignPlan,
    names: list[str],
    shown: npt.NDArray[np.int64],
    ranks: npt.NDArray[np.int64],
    judge: npt.NDArray[np.int64],
    segment: npt.NDArray[np.int64],
) -> pl.DataFrame:
    pairs = list(combinations(range(plan.outputs), 2))
    first, second = [i for i, _ in pairs], [j for _, j in pairs]
    repeat = len(pairs)
    name = pl.Series(names)

    def labels(word: str, count: int, codes: npt.NDArray[np.int64]) -> pl.Series:
        return pl.Series(numbered(word, count)).gather(np.repeat(codes, repeat))

    columns = {
        "system_a": name.gather(shown[:, first].ravel()),
        "system_b": name.gather(shown[:, second].ravel()),
        "outcome": np.sign(ranks[:, second] - ranks[:, first]).ravel(),
        "judge": labels("judge", plan.judges, judge),
        "segment": labels("segment", plan.segments, segment),
        "ranking": labels("ranking", plan.rankings, np.arange(plan.rankings)),
        "position_a": np.tile(np.array(first) + 1, plan.rankings),
        "position_b": np.tile(np.array(second) + 1, plan.rankings),
    }
    rows = pl.DataFrame(columns)
    return rows if plan.lang_pair is None else rows.with_columns(pl.lit(plan.lang_pair).alias("lang_pair"))
