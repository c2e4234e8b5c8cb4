"""Intervals and standard errors of scores, and what to say where samples do not give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..judgments import FEW_UNITS, FloatArray, Judgments, PairCounts, Unit, unit_kinds
from ..models.base import Model, counts_of, settings
from .bootstrap import Replicates, comparable
from .ranges import score_intervals


@dataclass(frozen=True)
class Spread:
    """Intervals (systems, 2) and standard errors of scores, NaN where there is none to speak of, and the reasons."""

    intervals: FloatArray = field(repr=False)
    errors: FloatArray = field(repr=False)
    notes: tuple[str, ...] = ()


def spread(replicates: Replicates, model: Model, p: float) -> Spread:
    """What the samples say, but no interval without width: a score that never varied is not for that certain."""
    return _said(replicates.systems, *_sampled(replicates.scores, p), model, p)


def bootstrap_spread(
    replicates: Replicates, model: Model, data: Judgments | PairCounts, unit: Unit, p: float
) -> Spread:
    """The same of bootstrap samples, which cannot show how unsure a system is that won or lost everything."""
    intervals, errors = _sampled(replicates.scores, p)
    one_sided = np.flatnonzero(model.one_sided(counts_of(data)))
    kinds = unit_kinds(data, unit) if len(one_sided) and model.needs == "counts" else None
    exact: list[str] = []
    unknown: list[str] = []
    for i in one_sided.tolist():
        found = model.exact_interval(kinds, i, p) if kinds is not None else None
        intervals[i], errors[i] = found or (np.nan, np.nan), np.nan
        (exact if found else unknown).append(replicates.systems[i])
    notes = []
    if exact:
        notes.append(
            f"won or lost every comparison, so that the interval follows from how many {unit}s there are of each, not "
            f"from samples: {named(exact)}"
        )
    if unknown:
        notes.append(
            "without an interval of the score, because they won or lost every comparison with the others, and no "
            f"bootstrap sample can show how unsure their scores are: {named(unknown)}"
        )
    said = _said(replicates.systems, intervals, errors, model, p, apart_from=unknown)
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
        f"how unsure their places are: {named([counts.systems[i] for i in np.flatnonzero(sure)])}"
    )


def named(systems: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    return ", ".join(systems[:5]) + (f" and {len(systems) - 5} more" if len(systems) > 5 else "")


def _sampled(scores: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
    """Intervals and errors, NaN where they are 0 wide."""
    intervals = comparable(score_intervals(scores, p=p))
    errors = scores.std(axis=0, ddof=1)
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
