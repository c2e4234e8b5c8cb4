"""Systems by what their searches find, compared over queries, and with the search that needs no translation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.metadata import version as installed
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from ...compute import Execution, RngLike
from ...errors import InputError
from ...judgments import FloatArray
from ...ranking.bootstrap import comparable
from ...ranking.ranges import middle
from ...texts.lines import Path
from ..comparison import Comparison, compared
from ..record import digest_of, record_of
from ..resampling import Statistic, Sums, Units, resampled
from ..result import Scored, notes_of
from .measures import MEASURES, RETRIEVED, evaluated
from .trec import MONOLINGUAL, Qrels, Run, Runs, listed, read_qrels, read_runs

#: Which queries are averaged over: all that are judged, or those that every run has.
Over = Literal["judged", "answered"]
OVER: tuple[Over, ...] = get_args(Over)


@dataclass(frozen=True)
class Gap:
    """One system beside the monolingual search, by one measure.

    ``difference`` is the system's value less the monolingual one, ``share`` the one divided by the other; ``interval``
    is None where samples show no spread, all of ``share`` None where the monolingual search finds nothing. ``p`` is
    two-sided, of this system by itself; None without samples.
    """

    system: str
    measure: str
    difference: float
    interval: tuple[float, float] | None
    p: float | None
    share: float | None
    share_interval: tuple[float, float] | None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "system": self.system, "measure": self.measure, "difference": self.difference,
            "interval": _listed(self.interval), "p": self.p, "share": self.share,
            "share_interval": _listed(self.share_interval),
        }  # fmt: skip


def _listed(span: tuple[float, float] | None) -> list[float] | None:
    return None if span is None else list(span)


@dataclass(frozen=True)
class RetrievalScores(Scored):
    """Systems by what they retrieve.

    Attributes
    ----------
    queries
        Those that count, sorted.
    per_query
        By measure: an array (queries, systems); the monolingual search, if there is one, is the last column.
    with_monolingual
        The comparisons with the monolingual search as one more system, the last; empty where there is none.
    """

    shown_by: ClassVar[str] = "score retrieval"
    queries: tuple[str, ...] = ()
    per_query: Mapping[str, FloatArray] = field(default_factory=dict, repr=False)
    with_monolingual: tuple[Comparison, ...] = field(default=(), repr=False)

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """How far every system is from the monolingual search, by every measure."""
        return tuple(_gap(each, i) for each in self.with_monolingual for i in range(len(self.systems)))

    def queries_dict(self) -> dict[str, Any]:
        """What JSON has if values of queries are asked for: by query, measure and system."""
        names = (*self.systems, MONOLINGUAL) if self.with_monolingual else self.systems
        return {
            "per_query": {
                query: {
                    measure: dict(zip(names, values[row].tolist(), strict=True))
                    for measure, values in self.per_query.items()
                }
                for row, query in enumerate(self.queries)
            }
        }

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        entry = super().to_dict()
        last = entry.pop("notes"), entry.pop("record")
        entry |= {"queries": list(self.queries), "monolingual": self._monolingual_dict()}
        return {**entry, "notes": last[0], "record": last[1]}

    def _monolingual_dict(self) -> dict[str, Any] | None:
        if not self.with_monolingual:
            return None
        values = {}
        for each in self.with_monolingual:
            low, high = each.intervals[-1]
            values[each.measure.name] = {
                "value": float(each.values[-1]),
                "interval": None if np.isnan(low) else [float(low), float(high)],
            }
        return {"measures": values, "gaps": [gap.to_dict() for gap in self.gaps]}


def _gap(comparison: Comparison, system: int) -> Gap:
    value, monolingual = float(comparison.values[system]), float(comparison.values[-1])
    samples = comparison.usable
    interval = share_interval = p = None
    if samples is not None:
        ones, others = samples[:, system], samples[:, -1]
        interval = _interval(ones - others, comparison.p)
        if (others > 0).all():
            share_interval = _interval(np.maximum(ones, 0.0) / others, comparison.p)
        last = len(comparison.systems) - 1
        p = float(min(comparison.chances[system, last], comparison.chances[last, system]))
    share = value / monolingual if monolingual > 0 else None
    name, measure = comparison.systems[system], comparison.measure.name
    return Gap(name, measure, value - monolingual, interval, p, share, share_interval)


def _interval(samples: FloatArray, p: float) -> tuple[float, float] | None:
    low, high = comparable(middle(samples[:, None], p=p))[0]
    return None if low == high else (float(low), float(high))


# -- scoring -----------------------------------------------------------------------------------------


def score_retrieval(
    qrels: Path | Qrels,
    runs: Runs | Mapping[str, Path],
    *,
    level: int = 1,
    over: Over = "judged",
    resamples: int = 10_000,
    p: float = 0.05,
    encoding: str = "utf-8",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> RetrievalScores:
    """Score what systems retrieved, with trec_eval's measures.

    Parameters
    ----------
    qrels
        Relevance judgments: a file in TREC's format, or what `read_qrels` gave.
    runs
        TREC run files by system, or what `read_runs` or `search_translations` gave.
    level
        The least grade that counts as relevant. NDCG takes grades as they are (trec_eval's ``-l``).
    over
        ``judged``: the mean over all judged queries, where one that a run does not have counts as 0 (trec_eval's
        ``-c``). ``answered``: over those that every run has.
    resamples
        Bootstrap samples of queries; 0 for no intervals and tests.

    Examples
    --------
    >>> scores = score_retrieval("topics.qrels", {"A": "a.run", "B": "b.run"}, rng=0)  # doctest: +SKIP
    """
    if level < 1:
        raise InputError(f"level: got {level}; allowed: a grade of at least 1")
    if over not in OVER:
        raise InputError(f"over: got {over!r}; allowed: {', '.join(OVER)}")
    execution = Execution.prepared(execution, rng)
    given = runs if isinstance(runs, Runs) else read_runs(runs, encoding=encoding)
    judged = qrels if isinstance(qrels, Qrels) else read_qrels(qrels, encoding=encoding)
    queries = _queries(judged, given, over, level)
    units = Units.single(len(queries), "query")
    table = np.stack([evaluated(judged, run, queries, level) for run in given.named.values()], axis=1)
    values, samples = _values(table, units, resamples, execution)
    systems, count = tuple(given.systems), len(given.systems)
    comparisons = compared(
        MEASURES, systems, {name: each[:count] for name, each in values.items()},
        None if samples is None else {name: each[:, :count] for name, each in samples.items()}, p,
    )  # fmt: skip
    with_monolingual = () if given.monolingual is None else compared(MEASURES, tuple(given.named), values, samples, p)
    notes = [*judged.notes, *given.notes, *_query_notes(judged, given, queries, level, over), *_alike(given)]
    sources = ([] if judged.source is None else [judged.source]) + list(given.sources)
    facts = {
        "task": "retrieval", **given.facts, "queries": len(queries), "over": over, "level": level,
        "evaluator": f"pytrec_eval-terrier-{installed('pytrec_eval-terrier')}", "resamples": resamples,
        **({"unit": units.word, "p": p, "seed": execution.seed} if resamples else {}),
        "data": _digest(judged, given),
    }  # fmt: skip
    return RetrievalScores(
        systems, comparisons,
        record_of(facts, sources, libraries=("pytrec_eval-terrier", *given.libraries),
                  reading={} if encoding == "utf-8" else {"encoding": encoding}),
        notes_of(comparisons, *notes, *(units.notes() if resamples else ())),
        queries=queries, per_query={m.name: table[:, :, i] for i, m in enumerate(MEASURES)},
        with_monolingual=with_monolingual,
    )  # fmt: skip


def _digest(qrels: Qrels, runs: Runs) -> str:
    """Of the files; where there are none, or only pipes, of the judgments and runs themselves."""
    digests = [source.digest for source in ([qrels.source] if qrels.source else []) + list(runs.sources)]
    if qrels.source and runs.sources and None not in digests:
        return digest_of(digests)
    parts: list[object] = [part for query, graded in qrels.grades.items() for part in (query, *graded.items())]
    for name, run in runs.named.items():
        parts += [name, *(part for query, found in run.scores.items() for part in (query, *found.items()))]
    return digest_of(parts)


def _queries(qrels: Qrels, runs: Runs, over: Over, level: int) -> tuple[str, ...]:
    """The queries that count, sorted."""
    if (largest := max(grade for graded in qrels.grades.values() for grade in graded.values())) < level:
        raise InputError(
            f"{qrels.name}: no document is relevant: the largest grade is {largest}, and level {level}; "
            "give the least grade that counts as relevant with --level, or check the columns"
        )
    for name, run in runs.named.items():
        if not any(query in qrels.grades for query in run.scores):
            raise InputError(
                f"{name}: none of its queries is judged; it has {_some(run.scores)}, and {qrels.name} has "
                f"{_some(qrels.grades)}; give judgments of the same queries, under the same ids"
            )
    queries = sorted(qrels.grades, key=_by_number)
    if over == "answered":
        queries = [query for query in queries if all(run.scores.get(query) for run in runs.named.values())]
        if not queries:
            raise InputError("no judged query is in every run; score fewer systems together, or use --over judged")
    return tuple(queries)


def _some(queries: Mapping[str, object]) -> str:
    return listed(sorted(queries, key=_by_number))


def _by_number(query: str) -> tuple[str, str]:
    """``q9`` before ``q10``."""
    return re.sub("[0-9]+", lambda digits: digits[0].zfill(20), query), query


def _values(
    table: FloatArray, units: Units, resamples: int, execution: Execution
) -> tuple[dict[str, FloatArray], dict[str, FloatArray] | None]:
    """Every measure of every system, and in bootstrap samples of queries."""
    statistics: dict[str, Statistic] = {
        measure.label: Sums(table[:, :, i], partial(_over_queries, 1 if measure.name == RETRIEVED else len(table)))
        for i, measure in enumerate(MEASURES)
    }
    values = {name: statistic.full() for name, statistic in statistics.items()}
    if not resamples:
        return values, None
    return values, resampled(statistics, units, resamples=resamples, execution=execution)


def _over_queries(count: int, sums: FloatArray) -> FloatArray:
    return sums / count


# -- what the reader should know ---------------------------------------------------------------------


def _query_notes(qrels: Qrels, runs: Runs, queries: Sequence[str], level: int, over: Over) -> list[str]:
    """Queries that were not answered, not judged, or have nothing to find; relevant documents that were not there."""
    notes, counting = [], set(queries)
    if left := sorted(set(qrels.grades) - counting, key=_by_number):
        notes.append(f"left out, because not every run has them: {listed(left)}; the others are averaged over")
    said: dict[str, list[str]] = {}
    why = "" if runs.documents is None else ": empty, or without a word that counts in any document"
    for name, run in runs.named.items():
        if over == "judged" and (missing := [query for query in queries if not run.scores.get(query)]):
            said.setdefault(f"nothing retrieved for {listed(missing)}{why}; counted as 0", []).append(name)
        if unjudged := sorted(set(run.scores) - set(qrels.grades), key=_by_number):
            said.setdefault(f"no judgments of {listed(unjudged)}; left out", []).append(name)
    notes += [f"{', '.join(names)}: {what}" for what, names in said.items()]
    relevant = {q: {d for d, grade in qrels.grades[q].items() if grade >= level} for q in queries}
    if barren := [query for query in queries if not relevant[query]]:
        notes.append(f"no relevant document for {listed(barren)}; they count as 0 for every system, as in trec_eval")
    if not any(0 <= grade < level for query in queries for grade in qrels.grades[query].values()):
        notes.append(
            "no document is judged as not relevant; bpref is then the share of relevant ones that are retrieved"
        )
    if runs.documents is not None:
        total = sum(map(len, relevant.values()))
        if absent := sum(len(found - runs.documents) for found in relevant.values()):
            notes.append(f"{absent:,} of {total:,} relevant documents are not in the collection; they are never found")
    return notes


def _alike(runs: Runs) -> list[str]:
    """Systems that retrieved the same, with the same scores: a file that was given twice?"""
    notes = []
    named = list(runs.named.items())
    for i, (name, run) in enumerate(named):
        if twins := [other for other, each in named[i + 1 :] if _same(run, each)]:
            notes.append(f"{name} retrieves the same as {', '.join(twins)}")
    return notes


def _same(one: Run, other: Run) -> bool:
    return one.scores == other.scores
