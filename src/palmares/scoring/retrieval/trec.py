"""The files of TREC: which documents are relevant (qrels), and which were retrieved (runs).

Documents of a query are ordered by score, equal ones by their id, descending; scores are compared in single precision,
and ranks in the file are not looked at: all that is as trec_eval does it.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import InputError
from ...judgments.origin import SourceFile
from ...results import brief
from ...texts.lines import Path, read_lines
from ..record import source_of

#: What the row of the queries that nobody had to translate is called.
MONOLINGUAL = "monolingual"

_QRELS = ("query", "iteration", "document", "grade")
_RUN = ("query", "Q0", "document", "rank", "score", "tag")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_COLUMN = re.compile(r"[^ \t\v\f]+")
#: A larger grade is some other column; evaluation takes time and memory by it.
_LARGEST_GRADE = 1000
_NAMED = 5

Scores = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Qrels:
    """Relevance judgments: a grade for every judged document, by query.

    A document that is not judged counts as not relevant; bpref looks at judged ones only.
    """

    name: str
    grades: Mapping[str, Mapping[str, int]] = field(repr=False)
    source: SourceFile | None = field(default=None, repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        negative = sum(grade < 0 for graded in self.grades.values() for grade in graded.values())
        if not negative:
            return ()
        return (
            f"qrels: {negative:,} grade{'s are' if negative > 1 else ' is'} below 0; as in trec_eval such "
            "documents are not relevant, and bpref takes them for not judged",
        )


@dataclass(frozen=True)
class Run:
    """What one system retrieved: a score for every document, by query."""

    scores: Scores = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    def ranked(self, query: str) -> list[tuple[str, float]]:
        """The documents of a query with their scores, best first."""
        return ordered(self.scores.get(query, {}))


@dataclass(frozen=True)
class Runs:
    """The runs of several systems, and of the queries that need no translation; how they were made, if that is known.

    Attributes
    ----------
    monolingual
        What the same search finds for queries that are not translated; None where there is none.
    facts
        The settings of the search, for signatures; empty where runs were read from files.
    libraries
        The packages that searched.
    documents
        The ids of all documents that were searched; None where that is not known.
    """

    systems: Mapping[str, Run]
    monolingual: Run | None = None
    sources: tuple[SourceFile, ...] = field(default=(), repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)
    documents: frozenset[str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.systems:
            raise InputError("got no system; give at least one")
        if self.monolingual is not None and MONOLINGUAL in self.systems:
            raise InputError(f"a system is called {MONOLINGUAL!r}, as is the search it is compared with; rename it")

    @property
    def named(self) -> dict[str, Run]:
        """All of them by name, the monolingual one last."""
        return dict(self.systems) | ({} if self.monolingual is None else {MONOLINGUAL: self.monolingual})


def single(scores: Iterable[float]) -> Any:
    """Scores as trec_eval compares them."""
    return np.fromiter(scores, dtype=np.float64).astype(np.float32)


def ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """Documents with their scores in trec_eval's order."""
    documents = sorted(scores, reverse=True)
    values = single(scores[document] for document in documents)
    return [(documents[i], scores[documents[i]]) for i in np.argsort(-values, kind="stable")]


# -- reading -----------------------------------------------------------------------------------------


def read_qrels(path: Path, *, encoding: str = "utf-8") -> Qrels:
    """Read ``query iteration document grade`` lines; every fault is refused by line."""
    grades: dict[str, dict[str, int]] = {}
    name, count = "", 0
    for name, line, (query, _, document, grade) in _rows(path, _QRELS, encoding):
        place = f"{name}: line {line}"
        if not _INTEGER.fullmatch(grade):
            raise InputError(f"{place}: got grade {brief(grade)!r}; allowed: a whole number, in the fourth column")
        if abs(int(grade)) > _LARGEST_GRADE:
            raise InputError(
                f"{place}: got grade {brief(grade)}; allowed: at most {_LARGEST_GRADE}; the columns are "
                f"{' '.join(_QRELS)}"
            )
        judged = grades.setdefault(query, {})
        if document in judged:
            raise InputError(
                f"{place}: document {brief(document)} of query {brief(query)} is judged twice; keep one of its lines "
                f"(the columns are {' '.join(_QRELS)})"
            )
        judged[sys.intern(document)] = int(grade)
        count += 1
    return Qrels(name, grades, source_of(path, "qrels", count))


def read_run(path: Path, *, encoding: str = "utf-8") -> Run:
    """Read ``query Q0 document rank score tag`` lines; every fault is refused by line."""
    return _read_run(path, encoding, os.fspath(path))[0]


def _read_run(path: Path, encoding: str, system: str) -> tuple[Run, int]:
    """A run and its number of lines; notes call it by its system, since its file may be elsewhere another time."""
    scores: dict[str, dict[str, float]] = {}
    ranks: dict[str, list[int]] = {}
    for name, line, (query, _, document, rank, score, _) in _rows(path, _RUN, encoding):
        place = f"{name}: line {line}"
        if not _INTEGER.fullmatch(rank):
            raise InputError(
                f"{place}: got rank {brief(rank)!r}; allowed: a whole number; the columns are {' '.join(_RUN)}"
            )
        found = scores.setdefault(query, {})
        if document in found:
            raise InputError(
                f"{place}: document {brief(document)} of query {brief(query)} is there twice; keep one of its lines "
                f"(the columns are {' '.join(_RUN)})"
            )
        found[sys.intern(document)] = _score(score, place)
        ranks.setdefault(query, []).append(int(rank))
    return Run(scores, _oddities(system, scores, ranks)), sum(map(len, scores.values()))


def read_runs(files: Mapping[str, Path], *, monolingual: Path | None = None, encoding: str = "utf-8") -> Runs:
    """Read the runs of several systems, by name, and the run of queries that are not translated."""
    runs, sources, notes = {}, [], list[str]()
    given = list(files.items()) + ([] if monolingual is None else [(MONOLINGUAL, monolingual)])
    if monolingual is not None and MONOLINGUAL in files:
        raise InputError(f"a system is called {MONOLINGUAL!r}, as is the search it is compared with; rename it")
    for name, path in given:
        runs[name], lines = _read_run(path, encoding, name)
        sources.append(source_of(path, f"run {name}", lines))
        notes += runs[name].notes
    searched = runs.pop(MONOLINGUAL) if monolingual is not None else None
    return Runs(runs, searched, tuple(sources), notes=tuple(dict.fromkeys(notes)))


def _rows(path: Path, columns: Sequence[str], encoding: str) -> Iterator[tuple[str, int, list[str]]]:
    """The columns of every line, with the name of the file and the line's number; blank lines say nothing."""
    file = read_lines(path, encoding=encoding)
    if not any(text.strip() for text in file.texts):
        raise InputError(f"{file.name}: the file is empty; every line must hold {' '.join(columns)}")
    for line, text in enumerate(file.texts, 1):
        parts = _COLUMN.findall(text)
        if len(parts) == len(columns):
            yield file.name, line, parts
        elif parts:
            raise InputError(
                f"{file.name}: line {line}: got {len(parts)} column{'s' * (len(parts) != 1)}; allowed: {len(columns)}, "
                f"{' '.join(columns)}{_other_kind(len(parts))}"
            )


def _other_kind(columns: int) -> str:
    kinds = {len(_QRELS): "relevance judgments (qrels)", len(_RUN): "a run"}
    return f"; this looks like {kinds[columns]}" if columns in kinds else ""


def _score(text: str, place: str) -> float:
    try:
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        value = None
    if value is None:
        comma = "; write decimals with a point" if "," in text else ""
        raise InputError(
            f"{place}: got score {brief(text)!r}; allowed: a number; the columns are {' '.join(_RUN)}{comma}"
        )
    if not math.isfinite(value) or abs(value) > float(np.finfo(np.float32).max):
        raise InputError(
            f"{place}: got score {brief(text)}; it must be finite, also in the single precision of trec_eval"
        )
    return value


def _oddities(name: str, scores: Scores, ranks: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """A word on ranks that are not the order of documents, and on scores that are equal for trec_eval alone."""
    contradicted, tied, too_close = [], [], []
    for query, found in scores.items():
        values = np.fromiter(found.values(), dtype=np.float64)
        given = np.array(ranks[query])
        if (np.diff(values[np.lexsort((-values, given))]) > 0).any():
            contradicted.append(query)
        rank_of = dict(zip(found, ranks[query], strict=True))
        order = ordered(found)
        same = np.diff(single(score for _, score in order)) == 0
        if (same & (np.diff([rank_of[document] for document, _ in order]) < 0)).any():
            tied.append(query)
        increasing = np.sort(values)
        if ((np.diff(increasing) > 0) & (np.diff(increasing.astype(np.float32)) == 0)).any():
            too_close.append(query)
    said = {
        "ranks contradict scores for {}; documents are ordered by score": contradicted,
        "some scores differ only beyond single precision for {}; they are taken for equal": too_close,
        "documents with equal scores have another order by rank than by id for {}; they are ordered by id": tied,
    }
    return tuple(f"{name}: {words.format(listed(found))}, as in trec_eval" for words, found in said.items() if found)


def listed(queries: Sequence[str]) -> str:
    """``3 queries (301, 302, 303)``, with the first few by name."""
    names = ", ".join(brief(query) for query in queries[:_NAMED])
    more = f" and {len(queries) - _NAMED:,} more" if len(queries) > _NAMED else ""
    return f"{len(queries):,} {'query' if len(queries) == 1 else 'queries'} ({names}{more})"


# -- writing -----------------------------------------------------------------------------------------


def run_text(run: Run, tag: str) -> str:
    """A run in TREC's format; ranks begin at 1."""
    word = re.sub(r"\s+", "_", tag)
    return "".join(
        f"{query} Q0 {document} {rank} {np.float32(score)!s} {word}\n"
        for query in run.scores
        for rank, (document, score) in enumerate(run.ranked(query), 1)
    )
