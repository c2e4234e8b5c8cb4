"""Scores that another program gave to every segment of every system: COMET, or what a metrics task has published."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError
from ...judgments import FloatArray
from ...texts import LanguagePair, TestSet
from ...texts.lines import Path, read_text, split_lines
from ..numbers import number

_COLUMNS = ("system", "segment", "score")
#: Of a metrics task of WMT: metric, language pair, test set, system, segment, score; some years have two more.
_TASK_COLUMNS = (6, 8)
_ALLOWED = (
    "allowed: a table with a header that has system, segment and score (TSV or CSV), or lines of a metrics task "
    "(METRIC, LANG-PAIR, TESTSET, SYSTEM, SEGMENT, SCORE, separated by tabs)"
)


@dataclass(frozen=True)
class SegmentScores:
    """What a metric gave to every system and segment; the score of a system is the mean."""

    name: str
    scores: Mapping[str, FloatArray] = field(repr=False)
    higher_is_better: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry:
    line: int
    system: str
    segment: str
    score: str
    metric: str | None = None
    langs: str | None = None


def read_segment_scores(
    name: str, path: Path, texts: TestSet, *, higher_is_better: bool = True, encoding: str = "utf-8"
) -> SegmentScores:
    """Read the scores of one metric for the systems and segments of a test set.

    Segments are named by their ids, or numbered from 1. A score that is missing or given twice is refused.
    """
    file, text = read_text(path, encoding=encoding)
    entries = list(_entries(file, text))
    if not entries:
        raise InputError(f"{file}: the file has no scores; {_ALLOWED}")
    if entries[0].metric is not None:
        entries = _of_metric(name, _of_pair(entries, texts.langs, file), file)
    places = _places(entries, texts, file)
    scores = {system: np.full(len(texts), np.nan) for system in texts.systems}
    lines: dict[tuple[str, int], int] = {}
    unknown: dict[str, None] = {}
    for entry, place in zip(entries, places, strict=True):
        value = number(entry.score, f"{file}: line {entry.line}", "a score")
        if entry.system not in scores:
            unknown[entry.system] = None
            continue
        if (before := lines.setdefault((entry.system, place), entry.line)) != entry.line:
            raise InputError(
                f"{file}: line {entry.line}: a second score of system {entry.system!r} for segment {entry.segment!r}; "
                f"the first is on line {before}; leave one of them out"
            )
        scores[entry.system][place] = value
    _refuse_missing(scores, texts, file)
    notes = [f"{name}: scores of systems without outputs here were left out: {', '.join(unknown)}"] if unknown else []
    return SegmentScores(name, scores, higher_is_better, tuple(notes))


def _entries(file: str, text: str) -> Iterator[_Entry]:
    header, _, rest = text.partition("\n")
    names = [name.strip().lower() for name in header.split("\t" if "\t" in header else ",")]
    if set(_COLUMNS) <= set(names):
        yield from _of_table(file, names, rest, "\t" if "\t" in header else ",")
        return
    for line, content in enumerate(split_lines(text), 1):
        if not content.strip():
            continue
        cells = content.split("\t") if "\t" in content else content.split()
        if len(cells) not in _TASK_COLUMNS:
            raise InputError(f"{file}: line {line}: got {len(cells)} columns; {_ALLOWED}")
        yield _Entry(line, cells[3], cells[4], cells[5], cells[0], cells[1])


def _of_table(file: str, names: list[str], rest: str, separator: str) -> Iterator[_Entry]:
    if twice := next((name for name in _COLUMNS if names.count(name) > 1), None):
        raise InputError(f"{file}: the header names {twice!r} twice; column names must differ")
    system, segment, score = (names.index(name) for name in _COLUMNS)
    rows = (
        ((number, line.split("\t")) for number, line in enumerate(split_lines(rest), 2))
        if separator == "\t"
        else _comma_separated(file, rest)
    )
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            raise InputError(f"{file}: line {line}: {len(cells)} fields, but the header has {len(names)}")
        yield _Entry(line, cells[system].strip(), cells[segment].strip(), cells[score])


def _comma_separated(file: str, rest: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(rest, newline=""), strict=True)
    line = 2
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 2
    except csv.Error as error:
        raise InputError(f"{file}: line {line}: broken CSV ({error}); is a quotation mark missing?") from None


def _of_pair(entries: list[_Entry], langs: LanguagePair, file: str) -> list[_Entry]:
    """The lines of one language pair."""
    names = dict.fromkeys(entry.langs or "" for entry in entries)
    chosen = {name for name in names if LanguagePair.of(name).same_as(langs)}
    if not chosen:
        raise InputError(f"{file}: has no scores for {langs}; it has {', '.join(names)}")
    return [entry for entry in entries if entry.langs in chosen]


def _of_metric(name: str, entries: list[_Entry], file: str) -> list[_Entry]:
    """The lines of one metric: the only one there is, or the one of this name."""
    metrics = dict.fromkeys(entry.metric for entry in entries)
    if len(metrics) == 1:
        return entries
    if name not in metrics:
        named = ", ".join(str(metric) for metric in metrics)
        raise InputError(f"{file}: has scores of several metrics ({named}), and none is called {name!r}; name one")
    return [entry for entry in entries if entry.metric == name]


def _places(entries: Sequence[_Entry], texts: TestSet, file: str) -> list[int]:
    """Which segment every score is for: by ids if all are known, else by numbers from 1."""
    ids = {segment.id: place for place, segment in enumerate(texts.segments)}
    if all(entry.segment in ids for entry in entries):
        return [ids[entry.segment] for entry in entries]
    numbers = {str(place + 1): place for place in range(len(texts))}
    for entry in entries:
        if entry.segment not in numbers:
            example = next(iter(ids))
            raise InputError(
                f"{file}: line {entry.line}: got the segment {entry.segment!r}; allowed: the ids of the texts (such as "
                f"{example!r}), or numbers from 1 to {len(texts)}"
            )
    return [numbers[entry.segment] for entry in entries]


def _refuse_missing(scores: Mapping[str, FloatArray], texts: TestSet, file: str) -> None:
    for system, values in scores.items():
        if (missing := np.flatnonzero(np.isnan(values))).size:
            first = texts.segments[missing[0]].id
            raise InputError(
                f"{file}: no score of system {system!r} for {len(missing)} of {len(texts)} segments, the first of them "
                f"{first!r}; every system needs a score for every segment"
            )
