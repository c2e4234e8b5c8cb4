"""`rank`: from judgments to a ranking with its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..compute import Execution, RngLike, Stream
from ..errors import InputError
from ..ingest.given import judgments_or_counts
from ..judgments import TWO_WAY, UNITS, ForcedTies, IntArray, Judgments, PairCounts, known_units, settle_forced_ties
from ..judgments.programs import programs_note
from ..judgments.repeats import repeats_note
from ..models import DEFAULT_MODEL
from ..models.base import Fit, Model, check_one_lang_pair, counts_of
from ..models.by_name import create
from ..results import counted
from .bootstrap import comparable
from .evidence import Evidence, Request, collect, concluded, source_of
from .joint import Boundary, boundaries_of
from .looks import settled
from .ranges import best, clusters
from .record import Record
from .result import RankedSystem, Ranking
from .significance import decisions

#: A difference between two probabilities that is worth a word, and more than their Monte Carlo error.
_CLEARLY = 0.05


def rank(
    data: Judgments | PairCounts | Any,
    *,
    model: str | Model = DEFAULT_MODEL,
    resample: str | None = "auto",
    resamples: int = 1000,
    p: float = 0.05,
    largest_component: bool = False,
    forced_ties: ForcedTies = "auto",
    looks: str = "auto",
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
        What uncertainty is of: ``two-way``, of judges and segments at once; or the unit of a bootstrap: ``pair``,
        ``ranking``, ``segment`` or ``judge``; ``auto`` is ``two-way`` where there are five of each, else ``segment``,
        ``judge``, ``ranking`` or ``pair``, whatever is known, and a note says so; ``posterior`` for the model's own
        draws; ``sign-test`` or ``one-sided-sign-test`` for ranges from pairwise sign tests; None for no ranges.
    resamples
        How many bootstrap samples, or draws.
    p
        Ranges and intervals have the level 1 − p, p / 2 at each end; joint ranges and boundaries hold together with
        that chance. The level of sign tests.
    largest_component
        Rank only the largest group of systems that judgments link.
    forced_ties
        ``keep`` or ``drop`` ties of systems that shared an output, which nobody compared; ``auto``: as the judgments
        were asked to be used, or else as the model does (official procedures keep them, others do not).
    looks
        ``any``: ranges, intervals and boundaries that hold at every look, and whatever chose the next comparison
        (`anytime`); ``once``: the usual ones, for one look at comparisons that no answer chose. ``auto`` is ``any``
        where the judgments say that a strategy which learns from answers chose some of them (their column
        ``strategy``, as campaigns export it), or that a rule could stop the campaign by them (their column ``looks``),
        and a note says so.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where to compute; see `palmares.Execution`.
    """
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    data = judgments_or_counts(data, "rank")
    model = create(model)
    source = source_of(model, resample)
    execution = Execution.prepared(execution, rng)
    looks, why = settled(looks, data, model, source)
    notes: list[str] = [why] if why else []
    if isinstance(data, Judgments):
        check_one_lang_pair(data)
        data = settle_forced_ties(data, forced_ties, model.forced_ties)
        if data.origin is not None and (repeated := repeats_note(data)):
            notes.append(repeated)
        if by_programs := programs_note(data):
            notes.append(by_programs)
    if resample == "auto" and (own := _own_uncertainty(model)):
        notes.append(own)
    origin = data.origin
    if largest_component:
        data = _largest_component(data, model, notes)
    # Where bootstrap samples are the runs, the fit itself needs only one.
    by_runs = source in ("auto", TWO_WAY, *UNITS) and model.ranges_from == "runs"
    fit = (model.single_run() if by_runs else model).fit(data, rng=execution.generator(Stream.FIT))
    if fit.scores is None:
        raise InputError(f"model {model.id!r} predicts outcomes but gives no scores to rank by")
    request = Request(source, resamples, p, execution, looks)
    evidence = collect(model, data, fit, request)
    if by_runs and evidence.replicates is not None:
        fit = replace(fit, model=model, scores=evidence.replicates.scores.mean(axis=0), draws=None)
    order, ranks = _standing(fit)
    evidence = concluded(evidence, data, fit, request, order)
    judged = len(data) if isinstance(data, Judgments) else data.judged or round(data.total)
    facts = {"seed": execution.seed, "systems": len(data.systems), "judgments": judged, "data": data.hash}
    fitted = {f"fitted_{name}": float(f"{value:.6g}") for name, value in fit.fitted.items()}
    part: dict[str, Any] = {"largest_component": True} if largest_component else {}
    part |= {"looks": looks} if why else {}
    lines = _lines(fit, evidence, order, ranks, p)
    if lucky := _likelier_best(lines, decisions(data)):
        notes.append(lucky)
    return Ranking(
        fit=fit,
        lines=lines,
        judgments=judged,
        lang_pair=_lang_pair(data),
        record=Record.of({**evidence.facts, **facts, **fitted, **part}, model, origin),
        replicates=evidence.replicates,
        beliefs=evidence.beliefs,
        joint=evidence.joint,
        units=known_units(data),
        notes=(*data.notes, *notes, *evidence.notes, *fit.notes),
        tests=evidence.tests,
        shared=evidence.shared,
    )


def _own_uncertainty(model: Model) -> str | None:
    """What to know of a model whose uncertainty is, unless asked otherwise, not that of judges and segments."""
    if model.ranges_from == "posterior":
        return (
            f"uncertainty is that of the posterior of {model.id}, for which judgments are independent given what it "
            "estimates; --resample two-way allows for other judges and other segments, at the cost of many fits"
        )
    if model.ranges_from == "runs":
        return (
            f"uncertainty is that of single judgments, as in the published procedure of {model.id} (unit pair), and "
            "too small where judges or segments differ; --resample two-way allows for both"
        )
    return None


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


# -- one line per system -------------------------------------------------------------------------------


def _lines(fit: Fit, evidence: Evidence, order: IntArray, ranks: IntArray, p: float) -> tuple[RankedSystem, ...]:
    assert fit.scores is not None  # rank() refused other fits
    level = comparable(fit.scores)
    ranges, numbers, firsts, intervals, errors = None, None, None, None, None
    together, joint_numbers = None, None
    if evidence.ranges is not None:
        ranges, numbers = evidence.ranges.tolist(), clusters(evidence.ranges)
        if evidence.joint is not None:
            together = evidence.joint.ranges(p).tolist()
            joint_numbers = joint_clusters(boundaries_of(evidence.joint.boundaries, numbers[order], p), order)
    if evidence.replicates is not None and evidence.spread is not None:
        intervals = [None if np.isnan(low) else (low, high) for low, high in evidence.spread.intervals.tolist()]
        errors = [None if np.isnan(error) else error for error in evidence.spread.errors.tolist()]
    if evidence.beliefs is not None:
        firsts = best(evidence.beliefs.places).tolist()
    return tuple(
        RankedSystem(
            system=fit.systems[i],
            score=float(level[i]),
            rank=int(ranks[i]),
            range=tuple(ranges[i]) if ranges else None,
            cluster=int(numbers[i]) if numbers is not None else None,
            interval=intervals[i] if intervals else None,
            error=errors[i] if errors else None,
            best=firsts[i] if firsts else None,
            joint_range=tuple(together[i]) if together else None,
            joint_cluster=int(joint_numbers[i]) if joint_numbers is not None else None,
        )
        for i in order.tolist()
    )


def _likelier_best(lines: Sequence[RankedSystem], counts: PairCounts) -> str | None:
    """A warning where the system with the largest score is not the one that is most likely the best."""
    first, likeliest = lines[0], max(lines, key=lambda line: line.best or 0.0)
    if first.best is None or likeliest.best is None or likeliest.best - first.best < _CLEARLY:
        return None
    code = counts.systems.index(first.system)
    judged = round(float((counts.wins[code] + counts.ties[code] + counts.wins[:, code]).sum()))
    return (
        f"{first.system} has the largest score, from {counted(judged, 'comparison')}, but {likeliest.system} is more "
        f"likely the best (P(best) {likeliest.best:.2f} against {first.best:.2f})"
    )


def joint_clusters(boundaries: Sequence[Boundary], order: IntArray) -> IntArray:
    """The cluster of every code, from 1, if a new one begins at every boundary that holds jointly."""
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum([1, *(boundary.joint for boundary in boundaries)])
    return numbers


def _standing(fit: Fit) -> tuple[IntArray, IntArray]:
    """Codes of the systems, best first, and the rank of every code. Equal scores share a rank."""
    assert fit.scores is not None  # rank() refused other fits
    level = comparable(fit.scores)
    if fit.order is None:
        # Equal ones stand by name (codes are sorted names).
        return np.lexsort((np.arange(len(level)), -level)), 1 + (level > level[:, None]).sum(axis=1)
    # The order need not be that of the scores: only equal ones that follow each other in it share a rank.
    starts = np.diff(level[fit.order], prepend=np.nan) != 0
    places = np.arange(1, len(level) + 1)
    ranks = np.empty_like(places)
    ranks[fit.order] = np.maximum.accumulate(np.where(starts, places, 1))
    return fit.order, ranks
