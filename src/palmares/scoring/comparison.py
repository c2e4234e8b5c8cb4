"""Systems compared by one measure: intervals, which differences are more than chance, and who may be the best.

Two statements stand side by side everywhere. One holds for each pair of systems by itself, as shared tasks have
published it: a winner is whoever is not significantly worse than the system in front. The other holds for all pairs
at once: the chance that any of its differences is due to chance is at most p (Romano & Wolf 2005; `ranking.joint`).
Other measures are families of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..errors import InputError
from ..judgments import BoolArray, FloatArray, IntArray
from ..ranking.bootstrap import Replicates, comparable
from ..ranking.joint import joint
from ..ranking.ranges import least_samples, middle
from ..results import counted

#: The sign of a system that is not significantly worse than the best, and of one of which only the joint test says so.
WINNER, JOINT_WINNER = "•", "◦"
Against = Literal["better", "no difference", "worse"]
#: Leads that differ by less are equal: sums round differently.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Measure:
    """What is measured.

    Attributes
    ----------
    name, group
        Together they are its `label`, which tells it from all others; the group is what tables print over several
        measures: a way to prepare texts, a granularity of labels.
    limits
        The least and the largest value there can be.
    digits
        Decimals that tables print.
    undefined
        When it has no value, in words.
    """

    name: str
    group: str = ""
    higher_is_better: bool = True
    limits: tuple[float, float] = (-np.inf, np.inf)
    digits: int = 2
    undefined: str = "there is nothing to measure"

    @property
    def label(self) -> str:
        return f"{self.name} ({self.group})" if self.group else self.name


@dataclass(frozen=True)
class Comparison:
    """Values of one measure, one per system, and what bootstrap samples say of them.

    Attributes
    ----------
    values
        NaN where a system has none: the correlation of predictions that are all alike.
    samples
        Values in every bootstrap sample, an array (samples, systems); None without resampling. A sample in which the
        measure is not defined for a system that has a value is left out, and `notes` says how many there were.
    p
        The level of intervals and tests.
    """

    measure: Measure
    systems: tuple[str, ...]
    values: FloatArray = field(repr=False)
    samples: FloatArray | None = field(repr=False)
    p: float = 0.05

    def __post_init__(self) -> None:
        if self.samples is not None and len(self.samples) < least_samples(self.p):
            raise InputError(
                f"{len(self.samples)} resamples are too few for p = {self.p}; use at least {least_samples(self.p)}"
            )

    @cached_property
    def order(self) -> IntArray:
        """Codes of the systems, best first; equal ones as they were given, those without a value last."""
        return np.argsort(-self._good(self.values), kind="stable")

    @property
    def measured(self) -> BoolArray:
        """Which systems have a value."""
        return np.isfinite(self.values)

    @cached_property
    def usable(self) -> FloatArray | None:
        """The samples in which every system that has a value has one, if they are enough for the level."""
        if self.samples is None or not self.measured.any():
            return None
        defined = np.isfinite(self.samples[:, self.measured]).all(axis=1)
        kept = self.samples if defined.all() else self.samples[defined]
        return kept if len(kept) >= least_samples(self.p) else None

    def notes(self) -> tuple[str, ...]:
        """A word on samples that were left out, and on systems without a value."""
        notes = []
        if missing := [name for name, there in zip(self.systems, self.measured, strict=True) if not there]:
            notes.append(f"{self.measure.label} is not defined for {', '.join(missing)}: {self.measure.undefined}")
        if self.samples is not None and self.measured.any():
            left = len(self.samples) - int(np.isfinite(self.samples[:, self.measured]).all(axis=1).sum())
            if self.usable is None:
                notes.append(f"{self.measure.label} has no intervals and tests: it is not defined in {left} resamples")
            elif left:
                notes.append(
                    f"{self.measure.label} is not defined in {counted(left, 'resample')} of {len(self.samples):,}; "
                    "intervals and tests rest on the others"
                )
        return tuple(notes)

    @cached_property
    def intervals(self) -> FloatArray:
        """Least and largest value of every system, NaN where samples do not show any spread."""
        ends = np.full((len(self.systems), 2), np.nan)
        if self.usable is None:
            return ends
        kept = np.flatnonzero(self.measured)
        ends[kept] = comparable(middle(np.clip(self.usable[:, kept], *self.measure.limits), p=self.p))
        ends[ends[:, 0] == ends[:, 1]] = np.nan
        return ends

    @cached_property
    def chances(self) -> FloatArray:
        """``[i, j]``: the chance of so large a lead of i over j, if there were no difference (two-sided); 1 where i
        does not lead. Each pair by itself.
        """
        n = len(self.systems)
        chances = np.ones((n, n))
        if self.usable is None:
            return chances
        deviations = np.ascontiguousarray((self.usable - self.usable.mean(axis=0)).T)
        good = comparable(self._good(self.values))
        for i, j in zip(*np.nonzero(good[:, None] > good), strict=True):
            if not (self.measured[i] and self.measured[j]):
                continue
            seen = np.abs(deviations[i] - deviations[j])
            beyond = np.count_nonzero(seen >= good[i] - good[j] - _ROUNDING)
            chances[i, j] = (beyond + 1) / (len(seen) + 1)
        return chances

    @cached_property
    def joint_chances(self) -> FloatArray:
        """The same, adjusted for the number of pairs: all that are at most p hold at once."""
        kept = np.flatnonzero(self.measured)
        chances = np.ones((len(self.systems), len(self.systems)))
        if self.usable is None or len(kept) < 2:
            return chances
        signed = self._good(self.usable[:, kept])
        replicates = Replicates(tuple(self.systems[i] for i in kept), signed, np.empty((0, len(kept)), dtype=np.int64))
        inner = [int(np.flatnonzero(kept == i)[0]) for i in self.order if i in kept]
        pairs = joint(self._good(self.values[kept]), replicates, np.array(inner)).pairs
        chances[np.ix_(kept, kept)] = pairs
        return chances

    @cached_property
    def winners(self) -> BoolArray:
        """The best system and all that are not significantly worse than it, each compared by itself."""
        best = self.order[0]
        return self._firsts if self.usable is None else np.asarray(self.measured & (self.chances[best] > self.p))

    @cached_property
    def joint_winners(self) -> BoolArray:
        """All systems that no other is better than, where all comparisons are to hold at once."""
        if self.usable is None:
            return self._firsts
        return np.asarray(self.measured & ~(self.joint_chances <= self.p).any(axis=0))

    @property
    def _firsts(self) -> BoolArray:
        """Without samples nothing is known to differ or not: only who has the best value."""
        return np.asarray(self.measured & (self.values == self.values[self.order[0]]))

    def mark(self, system: int) -> str:
        """What tables put beside a system: `WINNER`, `JOINT_WINNER` or nothing; nobody wins alone."""
        if self.usable is None or len(self.systems) < 2:
            return ""
        return WINNER if self.winners[system] else JOINT_WINNER if self.joint_winners[system] else ""

    def against(self, baseline: int) -> tuple[Against | None, ...]:
        """How every system compares with a baseline, each by itself; None for the baseline and without samples."""
        if self.usable is None:
            return (None,) * len(self.systems)
        better, worse = self.chances[:, baseline] <= self.p, self.chances[baseline] <= self.p
        words: list[Against | None] = [
            "better" if better[i] else "worse" if worse[i] else "no difference" for i in range(len(self.systems))
        ]
        return tuple(None if i == baseline or not self.measured[i] else word for i, word in enumerate(words))

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "measure": self.measure.name,
            "group": self.measure.group or None,
            "higher_is_better": self.measure.higher_is_better,
            "systems": {
                name: {
                    "value": _number(self.values[i]),
                    "interval": None if np.isnan(self.intervals[i, 0]) else self.intervals[i].tolist(),
                    "winner": bool(self.winners[i]),
                    "joint_winner": bool(self.joint_winners[i]),
                }
                for i, name in enumerate(self.systems)
            },
            "pairs": self.pairs,
        }

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Every two systems that have values, the better one first; nothing without samples."""
        if self.usable is None:
            return []
        order = [int(i) for i in self.order if self.measured[i]]
        return [
            {
                "better": self.systems[i],
                "worse": self.systems[j],
                "difference": float(self.values[i] - self.values[j]),
                "p": float(self.chances[i, j]),
                "joint_p": float(self.joint_chances[i, j]),
            }
            for place, i in enumerate(order)
            for j in order[place + 1 :]
        ]

    def _good(self, values: FloatArray) -> FloatArray:
        """Values of which the higher is the better; a missing one is worse than any."""
        signed = values if self.measure.higher_is_better else -values
        return np.where(np.isnan(signed), -np.inf, signed)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def compared(
    measures: Sequence[Measure],
    systems: Sequence[str],
    values: Mapping[str, FloatArray],
    samples: Mapping[str, FloatArray] | None,
    p: float,
) -> tuple[Comparison, ...]:
    """One `Comparison` per measure; values and samples by the measure's label."""
    return tuple(
        Comparison(m, tuple(systems), values[m.label], None if samples is None else samples[m.label], p)
        for m in measures
    )
