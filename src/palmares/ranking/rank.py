"""`rank`: from judgments to a ranking with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..compute import Execution, RngLike, Stream
from ..errors import InputError
from ..ingest.given import judgments_or_counts
from ..judgments import (
    UNITS,
    FloatArray,
    ForcedTies,
    IntArray,
    Judgments,
    PairCounts,
    Unit,
    choose_unit,
    few_units,
    settle_forced_ties,
    unit_count,
)
from ..judgments.repeats import repeats_note
from ..models import DEFAULT_MODEL
from ..models.base import Fit, Model, check_one_lang_pair, counts_of, create
from . import SOURCES
from .bootstrap import Replicates, comparable, from_draws, resample
from .intervals import Spread, bootstrap_spread, few_one_sided, spread
from .ranges import best, clusters, least_samples, rank_ranges
from .record import Record
from .result import RankedSystem, Ranking
from .significance import decisions, sign_test_ranges, sign_tests

#: How many sides a sign test has.
SIGN_TESTS = {"sign-test": 2, "one-sided-sign-test": 1}

#: From here on, ranges by judge are *much* wider than the default's and the ranking says so.
MUCH_WIDER = 1.25
#: The check of that is made on this many samples; they need not settle a range, only its usual width.
_CHECK_SAMPLES = 200


def rank(
    data: Judgments | PairCounts | Any,
    *,
    model: str | Model = DEFAULT_MODEL,
    resample: str | None = "auto",
    resamples: int = 1000,
    p: float = 0.05,
    largest_component: bool = False,
    forced_ties: ForcedTies = "auto",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Ranking:
    """Rank the systems of one language pair.

    Parameters
    ----------
    data
        Judgments, or pair counts (from `palmares.scan`). A data frame or the path of a file is read as
        `palmares.read` does.
    model
        A model, its id, or its id and settings: ``bradley-terry:ties=rao-kupper,scale=elo``.
    resample
        The resampling unit: ``pair``, ``ranking``, ``segment`` or ``judge``; ``auto`` is ``ranking``, or ``pair``
        where there are no ranking ids; ``posterior`` for the model's own draws; ``sign-test`` or
        ``one-sided-sign-test`` for ranges from pairwise sign tests; None for no ranges.
    resamples
        How many bootstrap samples.
    p
        Ranges and intervals have the level 1 − p: p / 2 of the samples lie beyond each end. The level of sign tests.
    largest_component
        Rank only the largest group of systems that judgments link.
    forced_ties
        ``keep`` or ``drop`` ties of systems that shared an output, which nobody compared; ``auto``: as the judgments
        were asked to be used, or else as the model does (official procedures keep them, others do not).
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where to compute; see `palmares.Execution`.
    """
    data = judgments_or_counts(data, "rank")
    model = create(model)
    source = source_of(model, resample)
    execution = Execution.prepared(execution, rng)
    notes: list[str] = []
    if isinstance(data, Judgments):
        check_one_lang_pair(data)
        data = settle_forced_ties(data, forced_ties, model.forced_ties)
        if data.origin is not None and (repeated := repeats_note(data)):
            notes.append(repeated)
    origin = data.origin
    if largest_component:
        data = _largest_component(data, model, notes)
    # Where bootstrap samples are the runs, the fit itself needs only one.
    by_runs = source in ("auto", *UNITS) and model.ranges_from == "runs"
    fit = (model.single_run() if by_runs else model).fit(data, rng=execution.generator(Stream.FIT))
    if fit.scores is None:
        raise InputError(f"model {model.id!r} predicts outcomes but gives no scores to rank by")
    evidence = gather(model, data, fit, Request(source, resamples, p, execution))
    if by_runs and evidence.replicates is not None:
        fit = replace(fit, model=model, scores=evidence.replicates.scores.mean(axis=0), draws=None)
    judged = len(data) if isinstance(data, Judgments) else data.judged or round(data.total)
    facts = {"seed": execution.seed, "systems": len(data.systems), "judgments": judged, "data": data.hash}
    if largest_component:
        facts["largest_component"] = True
    return Ranking(
        fit=fit,
        lines=_lines(fit, evidence),
        judgments=judged,
        lang_pair=_lang_pair(data),
        record=Record.of({**evidence.facts, **facts}, model, origin),
        replicates=evidence.replicates,
        notes=(*data.notes, *notes, *evidence.notes, *fit.notes),
        tests=evidence.tests,
    )


def _lang_pair(data: Judgments | PairCounts) -> str | None:
    if isinstance(data, PairCounts):
        return data.lang_pair
    return data.lang_pairs[0] if data.lang_pairs else None


def _largest_component(data: Judgments | PairCounts, model: Model, notes: list[str]) -> Judgments | PairCounts:
    groups = counts_of(data).components(decisive=model.linked_by == "decisive")
    if len(groups) == 1:
        return data
    if len(groups[0]) < 2:
        raise InputError("no decisive judgment links any two systems, so there is nothing to rank")
    left_out = sorted(name for group in groups[1:] for name in group)
    notes.append(f"left out, because no judgment links them to the largest group: {', '.join(left_out)}")
    return data.keep(groups[0])


# -- what ranges rest on -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """What ranges were asked for: the source that `source_of` gave, how many samples, the level, and where to draw."""

    source: str | None
    resamples: int
    p: float
    execution: Execution

    def draw(self, model: Model, data: Judgments | PairCounts, unit: Unit) -> Replicates:
        return resample(model, data, unit=unit, resamples=self.resamples, execution=self.execution)


@dataclass(frozen=True)
class Evidence:
    """Ranges (systems, 2), the samples or tests behind them, and what signature and reader should know of them."""

    ranges: IntArray | None = field(default=None, repr=False)
    replicates: Replicates | None = field(default=None, repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    spread: Spread | None = field(default=None, repr=False)
    tests: FloatArray | None = field(default=None, repr=False)


def source_of(model: Model, wanted: str | None) -> str | None:
    """Where ranges come from: one of `SOURCES`; ``auto`` is ``posterior`` for a model that draws from one."""
    if wanted in (None, "none"):
        return None
    if wanted not in SOURCES:
        raise InputError(f"unknown resampling unit {wanted!r}; allowed: {', '.join(SOURCES)}")
    return "posterior" if wanted == "auto" and model.ranges_from == "posterior" else wanted


def gather(model: Model, data: Judgments | PairCounts, fit: Fit, request: Request) -> Evidence:
    """The evidence for the ranks of a fit: bootstrap samples, a model's own draws, sign tests, or nothing."""
    source, p = request.source, request.p
    if source in SIGN_TESTS:
        decided, sided = decisions(data), SIGN_TESTS[source]
        ranges = sign_test_ranges(decided, p=p, sided=sided)
        facts = {"unit": "sign-test", "sided": sided, "p": p}
        return Evidence(ranges, None, facts, tests=sign_tests(decided, sided=sided))
    if source == "posterior" or (source is None and model.ranges_from == "runs"):
        draws = from_draws(fit, request.execution)
        return _from_samples(draws, spread(draws, model, p), source, p)
    if source is None:
        return Evidence(facts={"unit": None})
    unit, fallback = choose_unit(data, source)
    if source == "auto" and unit_count(data, unit) < 2:
        one = "judgment" if unit == "pair" else unit
        return Evidence(
            facts={"unit": None}, notes=(f"only one {one}, so there is nothing to resample and there are no ranges",)
        )
    samples = request.draw(model, data, unit)
    evidence = _from_samples(samples, bootstrap_spread(samples, model, data, unit, p), unit, p)
    notes = [fallback, few_units(data, unit), few_one_sided(counts_of(data)), *evidence.notes]
    if unit == choose_unit(data, "auto")[0]:
        notes.append(_judges_matter(model, data, evidence, request))
    return replace(evidence, notes=tuple(note for note in notes if note))


def _from_samples(replicates: Replicates, spread: Spread, unit: str | None, p: float) -> Evidence:
    facts = {"unit": unit, "resamples": len(replicates.scores), "p": p}
    return Evidence(rank_ranges(replicates.places, p=p), replicates, facts, spread.notes, spread)


def _judges_matter(model: Model, data: Judgments | PairCounts, evidence: Evidence, request: Request) -> str | None:
    """A warning where resampling judges instead makes ranges much wider; only for models that are quick to rescore."""
    if model.needs != "counts" or isinstance(data, PairCounts) or len(data.judges) < 2:
        return None
    assert evidence.replicates is not None  # there is a unit, so there are samples
    places, p = evidence.replicates.places, request.p
    samples = min(len(places), max(_CHECK_SAMPLES, least_samples(p)))
    if (data.codes("judge") < 0).any() or samples < least_samples(p):
        return None
    quick = replace(request, resamples=samples, execution=replace(request.execution, progress=None))
    by_judge = _mean_width(quick.draw(model, data, "judge").places, p)
    by_default = _mean_width(places[:samples], p)
    if by_judge < MUCH_WIDER * by_default:
        return None
    return (
        f"resampling by judge makes ranges {by_judge / by_default:.1f} × as wide ({by_judge:.1f} ranks on average "
        f"instead of {by_default:.1f}): judges differ, and ranges by {evidence.facts['unit']} do not show it; "
        "see --resample judge"
    )


def _mean_width(places: IntArray, p: float) -> float:
    ranges = rank_ranges(places, p=p)
    return float(np.mean(ranges[:, 1] - ranges[:, 0] + 1))


# -- one line per system -------------------------------------------------------------------------------


def _lines(fit: Fit, evidence: Evidence) -> tuple[RankedSystem, ...]:
    assert fit.scores is not None  # rank() refused other fits
    level = comparable(fit.scores)
    ranges, numbers, firsts, intervals, errors = None, None, None, None, None
    if evidence.ranges is not None:
        ranges, numbers = evidence.ranges.tolist(), clusters(evidence.ranges).tolist()
    if evidence.replicates is not None and evidence.spread is not None:
        firsts = best(evidence.replicates.places).tolist()
        intervals = [None if np.isnan(low) else (low, high) for low, high in evidence.spread.intervals.tolist()]
        errors = [None if np.isnan(error) else error for error in evidence.spread.errors.tolist()]
    order, ranks = _standing(fit, level)
    return tuple(
        RankedSystem(
            system=fit.systems[i],
            score=float(level[i]),
            rank=int(ranks[i]),
            range=tuple(ranges[i]) if ranges else None,
            cluster=numbers[i] if numbers else None,
            interval=intervals[i] if intervals else None,
            error=errors[i] if errors else None,
            best=firsts[i] if firsts else None,
        )
        for i in order.tolist()
    )


def _standing(fit: Fit, level: FloatArray) -> tuple[IntArray, IntArray]:
    """Codes of the systems, best first, and the rank of every code. Equal scores share a rank."""
    if fit.order is None:
        # Equal ones stand by name (codes are sorted names).
        return np.lexsort((np.arange(len(level)), -level)), 1 + (level > level[:, None]).sum(axis=1)
    # The order need not be that of the scores: only equal ones that follow each other in it share a rank.
    starts = np.diff(level[fit.order], prepend=np.nan) != 0
    places = np.arange(1, len(level) + 1)
    ranks = np.empty_like(places)
    ranks[fit.order] = np.maximum.accumulate(np.where(starts, places, 1))
    return fit.order, ranks
