"""Many fits to random training sets, summed up: what learning curves and noise tests share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from ...compute import Execution, Stream, generator
from ...errors import InputError, PalmaresError
from ...judgments import Judgments
from ...models.base import Model
from ...ranking.record import Record
from ...results import Shown, counted
from .gold import Gold, agreement
from .grouping import judged
from .heldout import held_out
from .testing import Testing

#: What is averaged over trials: first what is held out, then what is compared with gold scores.
HELD_OUT = ("accuracy_clusters", "accuracy_outcome", "perplexity", "log_loss", "brier")
AGAINST_GOLD = ("pearson", "spearman", "kendall", "ndcg")
MEASURES = (*HELD_OUT, *AGAINST_GOLD)

#: What one fit comes to, by measure; or why there is none.
Result = dict[str, float] | str


@dataclass(frozen=True)
class TrialMean:
    """A mean over trials, and its standard error (None after a single one)."""

    value: float
    error: float | None


@dataclass(frozen=True)
class Trials:
    """One model under one condition; a measure that does not apply is missing from ``means``.

    ``changes`` says how far a measure is from what it is without noise, trial by trial; empty for learning curves.
    """

    model: str
    trials: int
    #: In how many of the trials the model could not be fitted, and why not in the first of them.
    refused: int
    reason: str | None
    means: Mapping[str, TrialMean]
    changes: Mapping[str, TrialMean]


#: By condition, the models in the order they were given.
Points = Mapping[float, tuple[Trials, ...]]


@dataclass(frozen=True)
class Curve(Shown):
    """Every model under every condition: ``points[value]`` holds the models in the order they were given.

    Attributes
    ----------
    condition
        What changes: ``size``, how many judgments train, or ``noise``, the share of judges who answer at random.
    tested
        How many judgments were tested on; the mean over trials.
    gold
        Where gold scores come from, if there are any.
    """

    shown_by: ClassVar[str] = "compare"

    condition: Literal["size", "noise"]
    points: Points
    tested: int
    trials: int
    lang_pair: str | None
    gold: str | None
    record: Record = field(repr=False)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        conditions = counted(len(self.points), "size" if self.condition == "size" else "noise level")
        return self._line(f"{counted(len(self.models), 'model')} at {conditions}", self.lang_pair)

    @property
    def signature(self) -> str:
        """How the curve was made, on one line."""
        return str(self.record)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(trials.model for trials in next(iter(self.points.values())))

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            "condition": self.condition,
            "tested": self.tested,
            "trials": self.trials,
            "gold": self.gold,
            "notes": list(self.notes),
            "points": [
                {self.condition: value, **trials_dict(trials)} for value, row in self.points.items() for trials in row
            ],
        }


@dataclass(frozen=True)
class Plan:
    """What a curve is made of: conditions, how often each is tried, and with which models."""

    condition: Literal["size", "noise"]
    values: Sequence[float]
    trials: int
    models: Mapping[str, Model]
    testing: Testing
    gold: Gold | None
    seed: int

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise InputError(f"trials: got {self.trials}; allowed: at least 1")

    def run(self, task: Callable[..., Result], data: tuple[Any, ...], execution: Execution) -> Points:
        """Call ``task(plan, *data, model, value, trial)`` for every model, condition and trial, and sum up."""
        tasks = [(m, value, t) for t in range(self.trials) for value in self.values for m in self.models]
        done = dict(zip(tasks, execution.run(task, tasks, shared=(self, *data)), strict=True))
        results = {
            (m, value): [done[m, value, t] for t in range(self.trials)] for m in self.models for value in self.values
        }
        start = self.values[0] if self.condition == "noise" else None
        return {
            value: tuple(
                summed_up(m, results[m, value], None if start is None else results[m, start]) for m in self.models
            )
            for value in self.values
        }

    def curve(
        self, points: Points, judgments: Judgments, facts: Mapping[str, Any], *, tested: float, note: str | None = None
    ) -> Curve:
        """The result, with ``facts`` of its own in the record and a ``note`` on what was held out together."""
        known = {
            self.condition: ",".join(f"{value:g}" for value in self.values),
            "trials": self.trials, **facts, "gold": self.gold and self.gold.label, "radii": self.testing.radii,
            "seed": self.seed, "judgments": len(judgments), "data": judgments.hash,
        }  # fmt: skip
        pair = judgments.lang_pairs[0] if judgments.lang_pairs else None
        source = None if self.gold is None else self.gold.source
        record = Record.of(known, origin=judgments.origin)
        notes = (*judgments.notes, *([note] if note else []))
        return Curve(self.condition, points, round(tested), self.trials, pair, source, record, notes)


def one_trial(plan: Plan, name: str, train: Judgments, test: Judgments, key: Sequence[int]) -> Result:
    """What one fit comes to, by measure; or why there is none."""
    try:
        fit = plan.models[name].fit(train, rng=generator(plan.seed, Stream.FOLD_FITS, *key))
    except PalmaresError as error:
        return str(error)
    held = held_out(fit, judged(train).counts, test, radii=plan.testing.radii)
    values = {measure: getattr(held, measure) for measure in HELD_OUT}
    if plan.gold is not None and fit.scores is not None:
        values |= vars(agreement(plan.gold.aligned(fit.systems), fit.scores))
    return {name: value for name, value in values.items() if value is not None}


def summed_up(model: str, results: Sequence[Result], start: Sequence[Result] | None = None) -> Trials:
    """Means over the trials that gave a fit, and of their distance from ``start``, the same trials without noise."""
    refusals = [result for result in results if isinstance(result, str)]
    fitted = [result for result in results if not isinstance(result, str)]
    both = [
        (result, before)
        for result, before in zip(results, start or [], strict=start is not None)
        if not isinstance(result, str) and not isinstance(before, str)
    ]
    changes = [{name: result[name] - before[name] for name in result.keys() & before.keys()} for result, before in both]
    reason = refusals[0] if refusals else None
    return Trials(model, len(results), len(refusals), reason, _means(fitted), _means(changes))


def trials_dict(trials: Trials) -> dict[str, Any]:
    """The documented JSON shape of one model under one condition."""
    record: dict[str, Any] = {
        "model": trials.model, "trials": trials.trials, "refused": trials.refused, "reason": trials.reason,
    }  # fmt: skip
    for name in MEASURES:
        mean, change = trials.means.get(name), trials.changes.get(name)
        moved = {"change": change.value, "change_error": change.error} if change else {}
        record[name] = {"value": mean.value, "error": mean.error, **moved} if mean else None
    return record


def _means(results: Sequence[Mapping[str, float]]) -> dict[str, TrialMean]:
    """The mean of every measure over the trials that have it."""
    having = {name: [result[name] for result in results if name in result] for name in MEASURES}
    return {name: _mean(values) for name, values in having.items() if values}


def _mean(values: Sequence[float]) -> TrialMean:
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    return TrialMean(float(np.mean(values)), error)
