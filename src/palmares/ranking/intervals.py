"""Intervals and standard errors of scores, and what to say where samples do not give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..judgments import FEW_UNITS, FloatArray, Judgments, PairCounts, Unit, UnitKinds, linked_unit, unit_kinds
from ..models.base import Model, counts_of
from ..models.by_name import settings
from .bootstrap import Replicates, comparable
from .ranges import score_intervals
from .significance import decisions
from .two_way import Uncertainty, units_of_each

#: How the note on exact intervals begins.
EXACT = "won or lost every comparison, so that the interval follows"


@dataclass(frozen=True)
class Spread:
    """Intervals (systems, 2) and standard errors of scores, NaN where there is none to speak of, and the reasons."""

    intervals: FloatArray = field(repr=False)
    errors: FloatArray = field(repr=False)
    notes: tuple[str, ...] = ()


def spread(replicates: Replicates, model: Model, p: float) -> Spread:
    """What the samples say, but no interval without width: a score that never varied is not for that certain."""
    return _said(replicates.systems, *_sampled(replicates, p), model, p)


@dataclass(frozen=True)
class Trials:
    """What a system that won or lost everything did so in: units of some kind, so many to each that stands for one."""

    kinds: UnitKinds
    word: str
    effects: FloatArray | None = field(default=None, repr=False)

    def of(self, system: int) -> UnitKinds:
        """As many as they are worth for a system."""
        return (
            self.kinds if self.effects is None else replace(self.kinds, copies=self.kinds.copies / self.effects[system])
        )


def sampled_spread(replicates: Replicates, model: Model, data: Judgments | PairCounts, unit: Unit, p: float) -> Spread:
    """The same of bootstrap samples, which cannot show how unsure a system is that won or lost everything."""
    intervals, errors = _sampled(replicates, p)
    return _one_sided_apart(replicates.systems, intervals, errors, model, data, Trials(unit_kinds(data, unit), unit), p)


def normal_spread(
    scores: FloatArray, uncertainty: Uncertainty, model: Model, data: Judgments, trials: Trials, p: float
) -> Spread:
    """Intervals as wide as a t distribution makes them."""
    from scipy.special import stdtrit

    errors = np.sqrt(np.diag(uncertainty.covariance))
    reach = float(stdtrit(uncertainty.df, 1 - p / 2)) * errors
    intervals = np.clip(np.stack([scores - reach, scores + reach], axis=1), *model.limits(len(scores)))
    errors = np.where(comparable(errors) == 0, np.nan, errors)
    intervals[np.isnan(errors)] = np.nan
    return _one_sided_apart(data.systems, comparable(intervals), errors, model, data, trials, p)


def _one_sided_apart(
    systems: Sequence[str],
    intervals: FloatArray,
    errors: FloatArray,
    model: Model,
    data: Judgments | PairCounts,
    trials: Trials,
    p: float,
) -> Spread:
    """With exact intervals, or none, for systems that won or lost everything."""
    exact: list[str] = []
    unknown: list[str] = []
    for i in np.flatnonzero(model.one_sided(counts_of(data))).tolist():
        found = model.exact_interval(trials.of(i), i, p) if model.needs == "counts" else None
        intervals[i], errors[i] = found or (np.nan, np.nan), np.nan
        (exact if found else unknown).append(systems[i])
    notes = []
    if exact:
        notes.append(f"{EXACT} from how many {trials.word}s there are of each, not from samples: {named(exact)}")
    if unknown:
        notes.append(
            "without an interval of the score, because they won or lost every comparison with the others, and no "
            f"bootstrap sample can show how unsure their scores are: {named(unknown)}"
        )
    said = _said(systems, intervals, errors, model, p, apart_from=unknown)
    return Spread(said.intervals, said.errors, (*notes, *said.notes))


def few_one_sided(counts: PairCounts) -> str | None:
    """A warning of systems that won, or lost, all of their few comparisons: no sample can show them otherwise."""
    wins, losses = counts.wins.sum(axis=1), counts.wins.sum(axis=0)
    decided = wins + losses
    sure = ((wins == 0) | (losses == 0)) & (decided > 0) & (decided < FEW_UNITS)
    if not sure.any():
        return None
    return (
        f"won or lost every one of fewer than {FEW_UNITS} decided comparisons, so that no bootstrap sample can show "
        "how unsure their places are, and the fewer there are, the fewer boundaries hold jointly: "
        f"{named([counts.systems[i] for i in np.flatnonzero(sure)])}"
    )


def agreed_by_chance(data: Judgments | PairCounts) -> FloatArray:
    """For each system, how likely it wins all, or loses all, that it did so in, were it equal to those it met.

    No sample shows such a system otherwise, however few its judgments are. 0 for systems that won some and lost some.
    What was judged at one go counts once.
    """
    times = one_sided_times(data)
    return np.where(np.isfinite(times), np.minimum(1.0, 2.0 ** (1.0 - np.minimum(times, 1000.0))), 0.0)


def one_sided_times(data: Judgments | PairCounts) -> FloatArray:
    """How often a system that wins, or loses, every time did so; infinite for the others."""
    counts = decisions(data)
    wins, losses = counts.wins.sum(axis=1), counts.wins.sum(axis=0)
    times = wins + losses
    if isinstance(data, Judgments):
        times = np.minimum(times, units_of_each(unit_kinds(data, linked_unit(data))))
    return np.where(((wins == 0) | (losses == 0)) & (times > 0), times, np.inf)


def named(systems: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    return ", ".join(systems[:5]) + (f" and {len(systems) - 5} more" if len(systems) > 5 else "")


def _sampled(replicates: Replicates, p: float) -> tuple[FloatArray, FloatArray]:
    """Intervals and errors, NaN where they are 0 wide."""
    intervals = comparable(score_intervals(replicates.scores, p=p))
    known = replicates.covariance
    errors = replicates.scores.std(axis=0, ddof=1) if known is None else np.sqrt(np.diag(known))
    intervals[intervals[:, 0] == intervals[:, 1]] = np.nan
    errors[comparable(errors) == 0] = np.nan
    return intervals, errors


def _said(
    systems: Sequence[str],
    intervals: FloatArray,
    errors: FloatArray,
    model: Model,
    p: float,
    apart_from: Iterable[str] = (),
) -> Spread:
    """With the reasons why systems have no interval, apart from those of whom it was said."""
    missing = [name for name, low in zip(systems, intervals[:, 0], strict=True) if np.isnan(low)]
    anchor = str(settings(model).get("anchor") or "").rpartition("=")[0]
    notes = (
        [f"without an interval of the score, because the anchor fixes its score: {anchor}"] if anchor in missing else []
    )
    if unvaried := [name for name in missing if name != anchor and name not in set(apart_from)]:
        level = f"{100 * (1 - p):g} %"
        notes.append(
            f"without an interval of the score, because the score is the same in at least {level} of the samples: "
            f"{named(unvaried)}"
        )
    return Spread(intervals, errors, tuple(notes))
