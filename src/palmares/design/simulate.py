"""Simulated campaigns (Koehn 2012, §3), with ties, and judges and segments that differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from ..compute import RngLike
from ..judgments import FloatArray, IntArray, Judgments
from .campaign_plan import CampaignPlan
from .screens import drawn
from .truth import Truth


@dataclass(frozen=True)
class SimulatedCampaign:
    """Judgments, and the truth behind them: ``quality`` of every system, and all else in ``truth``."""

    plan: CampaignPlan
    judgments: Judgments
    quality: Mapping[str, float] = field(repr=False)
    truth: Truth = field(repr=False)


def simulate(plan: CampaignPlan | None = None, *, rng: RngLike = None, **changes: Any) -> SimulatedCampaign:
    """Make a campaign; ``simulate(rankings=2000, rng=1)`` changes single points of the plan."""
    plan = replace(plan or CampaignPlan(), **changes)
    seed = int(rng) if isinstance(rng, int | np.integer) else None
    screens = drawn(plan, np.random.default_rng(rng))
    ranks = ranks_with_ties(screens.seen, screens.radius[:, None])
    codes = _codes(plan, screens.shown, ranks, screens.judge, screens.segment)
    kinds = {"system": plan.systems, "judge": plan.judges, "segment": plan.segments, "ranking": plan.rankings}
    names = {kind: pl.Series(numbered(kind, count)) for kind, count in kinds.items()}
    if plan.lang_pair is not None:
        codes = codes.with_columns(pl.lit(0, pl.Int32).alias("lang_pair"))
        names["lang_pair"] = pl.Series([plan.lang_pair])
    truth = Truth.of(plan, screens, {kind: tuple(names[kind]) for kind in ("system", "judge", "segment")}, seed)
    return SimulatedCampaign(plan, Judgments.from_codes(codes, names), truth.quality, truth)


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


__all__ = ["CampaignPlan", "SimulatedCampaign", "numbered", "ranks_with_ties", "simulate"]
