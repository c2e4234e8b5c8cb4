"""The screens of a real campaign, and simulated answers to them: who compared what where stays as it was."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from ...judgments import BoolArray, FloatArray, IntArray, Judgments
from ..campaign_plan import CampaignPlan
from ..screens import drawn_for
from ..simulate import ranks_with_ties

#: How good a place without an output looks.
_NOTHING = -1e300


@dataclass(frozen=True)
class RealScreens:
    """Judgments as places on screens: row r compares the outputs in ``column_a[r]`` and ``column_b[r]`` of its screen.

    ``shown`` (screens, outputs) has system codes, ``empty`` marks places of smaller screens without an output;
    ``place`` is 1 for the output shown first and 0 for the last, ½ where that is not known.
    """

    judgments: Judgments = field(repr=False)
    screen: IntArray = field(repr=False)
    column_a: IntArray = field(repr=False)
    column_b: IntArray = field(repr=False)
    shown: IntArray = field(repr=False)
    empty: BoolArray = field(repr=False)
    place: FloatArray = field(repr=False)
    judge: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)

    @classmethod
    def of(cls, judgments: Judgments) -> RealScreens:
        """The screens of judgments; without ranking ids every judgment is one."""
        n, rows = len(judgments.systems), np.arange(len(judgments))
        screen = _compact(judgments.group_codes("ranking")) if judgments.has("ranking") else rows
        sides = [screen * n + judgments.codes(side) for side in ("system_a", "system_b")]
        items, item = np.unique(np.concatenate(sides), return_inverse=True)
        of_screen, start = items // n, np.searchsorted(items // n, np.arange(screen.max() + 1))
        column = np.arange(len(items)) - start[of_screen]
        shown = np.zeros((len(start), int(column.max()) + 1), dtype=np.int64)
        shown[of_screen, column] = items % n
        empty = np.ones(shown.shape, dtype=bool)
        empty[of_screen, column] = False
        first = np.unique(screen, return_index=True)[1]
        judge = _compact(judgments.group_codes("judge"))[first] if judgments.has("judge") else 0 * first
        segment = (
            _compact(judgments.group_codes("segment"))[first] if judgments.has("segment") else np.arange(len(first))
        )
        place = np.full(shown.shape, 0.5)
        if judgments.has("position_a"):
            places = np.concatenate([judgments.codes(side) for side in ("position_a", "position_b")])
            place[of_screen[item], column[item]] = places
            last, front = place.max(axis=1, where=~empty, initial=-1), place.min(axis=1, where=~empty, initial=1e9)
            known = ((last > front) & (front >= 0))[:, None]
            place = np.where(known, 1 - (place - front[:, None]) / np.maximum(last - front, 1)[:, None], 0.5)
        column_a, column_b = column[item].reshape(2, -1)
        return cls(judgments, screen, column_a, column_b, shown, empty, place, judge, segment)

    def answered(self, plan: CampaignPlan, rng: np.random.Generator) -> Judgments:
        """The same judgments with outcomes of simulated judges, systems and segments."""
        judges, segments = int(self.judge.max()) + 1, int(self.segment.max()) + 1
        here = replace(plan, rankings=len(self.shown), judges=judges, segments=segments)
        screens = drawn_for(here, self.shown, self.judge, self.segment, self.place, rng)
        ranks = ranks_with_ties(np.where(self.empty, _NOTHING, screens.seen), screens.radius[:, None])
        a, b = ranks[self.screen, self.column_a], ranks[self.screen, self.column_b]
        frame = self.judgments.frame.with_columns(pl.Series("outcome", np.sign(b - a).astype(np.int8)))
        return replace(self.judgments, frame=frame, origin=None)


def _compact(codes: IntArray) -> IntArray:
    return np.asarray(np.unique(codes, return_inverse=True)[1]).reshape(-1)
