"""How many judges would be flagged for nothing in a campaign like this one: measured by simulation.

The same screens are answered anew by judges who all look at the outputs: sensitivities are drawn as they vary among the
ordinary judges, tie widths are those that were fitted. An output's quality is a θ plus normal noise, so that the pairs
of a screen hang together; outputs no more than δ below the best of their group share its rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...compute import Execution, Stream
from ...judgments import FloatArray, IntArray, Judgments
from ..audit.judges import exact_interval

if TYPE_CHECKING:
    from .run import Panel

#: Differences of two qualities then have nearly the logistic distribution of the model.
_NOISE = 1.702 / np.sqrt(2)


@dataclass(frozen=True)
class FalseFlags:
    """People who were flagged in so many simulated campaigns, in all and by flag; ``judges`` were simulated."""

    campaigns: int
    judges: int
    flagged: int
    by_flag: Mapping[str, int]

    @property
    def rate(self) -> float:
        """The share of judges who are flagged for nothing."""
        return self.flagged / self.judges

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rate (Clopper & Pearson 1934)."""
        return exact_interval(self.flagged, self.judges, 0.05)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "campaigns": self.campaigns,
            "judges": self.judges,
            "flagged": self.flagged,
            "rate": self.rate,
            "interval": list(self.interval),
            "by_flag": dict(self.by_flag),
        }


def false_flags_of(panel: Panel, campaigns: int, execution: Execution) -> FalseFlags:
    """Simulate so many campaigns without anybody at random, and count who is flagged."""
    people, flagged, by_flag = 0, 0, dict[str, int]()
    program = {name for name, person in zip(panel.judgments.judges, panel.person, strict=True) if not person}
    for number in range(campaigns):
        simulated = _answered_anew(panel, execution.generator(Stream.JUDGE_FLAGS, number))
        person = np.array([name not in program for name in simulated.judges], dtype=bool)
        for line in type(panel).of(simulated, person).lines(0.05):
            if not line.program:
                people, flagged = people + 1, flagged + line.flagged
                for flag in line.flags:
                    by_flag[flag.name] = by_flag.get(flag.name, 0) + 1
        if execution.progress is not None:
            execution.progress(number + 1, campaigns)
    return FalseFlags(campaigns, people, flagged, by_flag)


def _answered_anew(panel: Panel, rng: np.random.Generator) -> Judgments:
    """The judgments among linked systems, with outcomes of ordinary judges; times are left out."""
    rows, theta = panel.rows, panel.consensus.fit.place.theta
    ordinary, judges = panel.ordinary, rows.judges
    sensitivity = np.append(np.exp(rng.normal(ordinary.mean, ordinary.sd, judges)), 1.0)
    usual = panel.consensus.fit.place.width
    width = np.append(panel.habits.width, 0.0 if usual is None else np.exp(usual))
    item = np.concatenate([rows.item_a, rows.item_b])
    span = int(item.max(initial=0)) + 1
    _, screen = np.unique(rows.unit, return_inverse=True)
    keys, output = np.unique(np.tile(screen.reshape(-1), 2) * span + item, return_inverse=True)
    output = output.reshape(-1)
    # Systems that shared an output differ in θ, which has the mean of theirs.
    strength = np.concatenate([theta[rows.a], theta[rows.b]])
    mean = np.bincount(output, strength) / np.bincount(output)
    judge = np.empty(len(keys), dtype=np.int64)
    judge[output] = np.tile(rows.judge, 2)
    quality = sensitivity[judge] * mean + rng.normal(0, _NOISE, len(keys))
    rank = ranked(keys // span, quality, width[judge])
    outcome = np.sign(rank[output[len(rows) :]] - rank[output[: len(rows)]])
    frame = panel.part.frame.with_columns(pl.Series("outcome", outcome.astype(np.int8)))
    return replace(panel.part, frame=frame.drop("duration", strict=False), origin=None)


def ranked(screen: IntArray, quality: FloatArray, width: FloatArray) -> IntArray:
    """The rank of every output on its screen; those no more than ``width`` below the best of their group share one."""
    order = np.lexsort((-quality, screen))
    ordered, q, delta = screen[order], quality[order], width[order]
    starts = np.flatnonzero(np.append(True, np.diff(ordered) != 0))
    sizes = np.diff(np.append(starts, len(ordered)))
    ranks, best = np.ones(len(q), dtype=np.int64), q[starts].copy()
    for place in range(1, int(sizes.max(initial=1))):
        long = sizes > place
        here = starts[long] + place
        new = q[here] < best[long] - delta[here]
        ranks[here] = ranks[here - 1] + new
        best[long] = np.where(new, q[here], best[long])
    found = np.empty_like(ranks)
    found[order] = ranks
    return found
