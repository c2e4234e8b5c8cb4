"""What the ranges of a ranking rest on: bootstrap samples, a model's own draws, sign tests, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import compute
from ..errors import InputError
from ..judgments import Judgments
from ..judgments.counts import PairCounts
from ..judgments.units import FEW_UNITS, UNITS, Unit, choose_unit, few_units, unit_count
from ..models.base import Fit, Model, counts_of
from .bootstrap import Replicates, from_draws, resample
from .ranges import IntArray, least_samples, rank_ranges
from .sign_test import decisions, sign_test_ranges

#: Everything that ``resample=`` and ``--resample`` take.
SOURCES = ("auto", *UNITS, "posterior", "sign-test", "none")

#: From here on, ranges by judge are *much* wider than the default's and the ranking says so.
MUCH_WIDER = 1.25
#: The check of that is made on this many samples; they need not settle a range, only its usual width.
_CHECK_SAMPLES = 200


@dataclass(frozen=True)
class Bootstrap:
    """How to resample, whatever is resampled."""

    resamples: int
    seed: int
    executor: compute.ExecutorLike = None
    workers: int | None = None
    progress: compute.Progress | None = None

    def __call__(self, model: Model, data: Judgments | PairCounts, unit: Unit) -> Replicates:
        return resample(
            model, data, unit=unit, resamples=self.resamples, seed=self.seed, executor=self.executor,
            workers=self.workers, progress=self.progress,
        )  # fmt: skip


@dataclass(frozen=True)
class Evidence:
    """Ranges (systems, 2), the samples behind them, and what the signature and the reader should know of them."""

    ranges: IntArray | None = field(default=None, repr=False)
    replicates: Replicates | None = field(default=None, repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def source_of(model: Model, wanted: str | None) -> str | None:
    """Where ranges come from: one of `SOURCES`; ``auto`` is ``posterior`` for a model that draws from one."""
    if wanted in (None, "none"):
        return None
    if wanted not in SOURCES:
        raise InputError(f"unknown resampling unit {wanted!r}; allowed: {', '.join(SOURCES)}")
    return "posterior" if wanted == "auto" and model.ranges_from == "posterior" else wanted


def gather(
    model: Model,
    data: Judgments | PairCounts,
    fit: Fit,
    source: str | None,
    bootstrap: Bootstrap,
    *,
    p: float,
    sided: int,
) -> Evidence:
    """The evidence for the ranks of a fit, from the source that `source_of` gave."""
    if source == "sign-test":
        ranges = sign_test_ranges(decisions(data), p=p, sided=sided)
        return Evidence(ranges, None, {"unit": source, "sided": sided, "p": p})
    if source == "posterior" or (source is None and model.ranges_from == "runs"):
        return _from(from_draws(fit, bootstrap.seed), source, p)
    if source is None:
        return Evidence(facts={"unit": None})
    unit, fallback = choose_unit(data, source)
    if source == "auto" and unit_count(data, unit) < 2:
        one = "judgment" if unit == "pair" else unit
        return Evidence(facts={"unit": None}, notes=(f"only one {one}, so nothing can be drawn: there are no ranges",))
    replicates = bootstrap(model, data, unit)
    found = _from(replicates, unit, p)
    notes = [fallback, few_units(data, unit), _one_sided(counts_of(data))]
    if unit == choose_unit(data, "auto")[0]:
        notes.append(_judges_matter(model, data, replicates, unit, bootstrap, p))
    return Evidence(found.ranges, replicates, found.facts, tuple(note for note in notes if note))


def _from(replicates: Replicates, unit: str | None, p: float) -> Evidence:
    facts = {"unit": unit, "resamples": len(replicates.scores), "p": p}
    return Evidence(rank_ranges(replicates.places, p=p), replicates, facts)


def _one_sided(counts: PairCounts) -> str | None:
    """A warning of systems that won, or lost, all of their few comparisons: no sample can show them otherwise."""
    wins, losses = counts.wins.sum(axis=1), counts.wins.sum(axis=0)
    one_sided = ((wins == 0) | (losses == 0)) & (wins + losses < FEW_UNITS)
    names = [name for name, sure in zip(counts.systems, one_sided, strict=True) if sure]
    if not names:
        return None
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return (
        f"won or lost every one of fewer than {FEW_UNITS} decided comparisons, so that no bootstrap sample can show "
        f"how unsure their places are: {shown}"
    )


def _judges_matter(
    model: Model, data: Judgments | PairCounts, replicates: Replicates, unit: Unit, bootstrap: Bootstrap, p: float
) -> str | None:
    """A warning where resampling judges instead makes ranges much wider; only for models that are quick to rescore."""
    if model.needs != "counts" or isinstance(data, PairCounts) or len(data.judges) < 2:
        return None
    samples = min(len(replicates.places), max(_CHECK_SAMPLES, least_samples(p)))
    if (data.codes("judge") < 0).any() or samples < least_samples(p):
        return None
    quick = Bootstrap(samples, bootstrap.seed, bootstrap.executor, bootstrap.workers)
    by_judge = _mean_width(quick(model, data, "judge"), p)
    by_default = _mean_width(Replicates(replicates.systems, replicates.scores, replicates.places[:samples]), p)
    if by_judge < MUCH_WIDER * by_default:
        return None
    return (
        f"drawing whole judges makes ranges {by_judge / by_default:.1f} × as wide ({by_judge:.1f} ranks on average "
        f"instead of {by_default:.1f}): judges differ, and ranges by {unit} do not show it; see --resample judge"
    )


def _mean_width(replicates: Replicates, p: float) -> float:
    ranges = rank_ranges(replicates.places, p=p)
    return float(np.mean(ranges[:, 1] - ranges[:, 0] + 1))
