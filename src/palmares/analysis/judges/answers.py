"""What judges answered, as arrays: one entry per judgment, with the screen it was part of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...judgments import BoolArray, FloatArray, IntArray, Judgments


@dataclass(frozen=True)
class Answers:
    """Judgments by integer codes.

    Attributes
    ----------
    judge, a, b
        Codes; ``judge`` is −1 where nobody is named.
    y
        +1 where a was found better, −1 where b was, 0 for a tie.
    unit
        What was answered at once: the ranking, or the judgment by itself.
    first
        +1 where a was shown before b, −1 where after it, 0 where that is not known.
    item_a, item_b
        Which output of its unit each system had: systems that shared one have the same.
    weight
        1 over the judgments that compare the same two outputs of a unit, so that every two outputs count once.
    """

    judge: IntArray = field(repr=False)
    a: IntArray = field(repr=False)
    b: IntArray = field(repr=False)
    y: IntArray = field(repr=False)
    unit: IntArray = field(repr=False)
    first: IntArray = field(repr=False)
    item_a: IntArray = field(repr=False)
    item_b: IntArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    judges: int
    systems: int

    def __len__(self) -> int:
        return len(self.a)

    def chosen(self, mask: BoolArray) -> Answers:
        """The judgments where ``mask`` is true, with the same codes."""
        names = ("judge", "a", "b", "y", "unit", "first", "item_a", "item_b", "weight")
        return replace(self, **{name: getattr(self, name)[mask] for name in names})

    def per_judge(self, values: FloatArray | IntArray | BoolArray) -> FloatArray:
        """The sum of a value over the judgments of every judge."""
        named = self.judge >= 0
        sums = np.bincount(self.judge[named], np.asarray(values, dtype=np.float64)[named], self.judges)
        return sums.astype(np.float64)

    def per_system(self, values: FloatArray) -> FloatArray:
        """Σ value (e_a − e_b) over the judgments of every judge: an array (judges, systems)."""
        named, cells = self.judge >= 0, self.judges * self.systems
        sides = [
            np.bincount(self.judge[named] * self.systems + side[named], values[named], cells)
            for side in (self.a, self.b)
        ]
        return np.asarray((sides[0] - sides[1]).reshape(self.judges, self.systems))

    @property
    def units(self) -> IntArray:
        """How many units every judge answered."""
        unit, where = np.unique(self.unit, return_index=True)
        judge = self.judge[where[: len(unit)]]
        return np.bincount(judge[judge >= 0], minlength=self.judges).astype(np.int64)


def answers_of(judgments: Judgments) -> Answers:
    """The judgments of one language pair, as arrays."""
    a, b, judge, y = (judgments.codes(name).astype(np.int64) for name in ("system_a", "system_b", "judge", "outcome"))
    unit = judgments.group_codes("ranking")
    first, item_a, item_b = np.zeros(len(a), dtype=np.int64), a, b
    if judgments.has("position_a"):
        sides = [judgments.frame[f"position_{side}"] for side in "ab"]
        known = (sides[0].is_not_null() & sides[1].is_not_null()).to_numpy()
        place_a, place_b = (side.fill_null(-1).to_numpy().astype(np.int64) for side in sides)
        first = np.where(known, np.sign(place_b - place_a), 0)
        # Positions tell which systems shared an output; codes of systems stand in where they are not known.
        past = len(judgments.systems)
        item_a, item_b = np.where(known, past + place_a, a), np.where(known, past + place_b, b)
    weight = _once_per_two_outputs(unit, item_a, item_b)
    return Answers(judge, a, b, y, unit, first, item_a, item_b, weight, len(judgments.judges), len(judgments.systems))


def _once_per_two_outputs(unit: IntArray, item_a: IntArray, item_b: IntArray) -> FloatArray:
    low, high = np.minimum(item_a, item_b), np.maximum(item_a, item_b)
    span = int(high.max(initial=0)) + 1
    _, group, size = np.unique((unit * span + low) * span + high, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / size[group.reshape(-1)])
