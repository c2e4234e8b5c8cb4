"""Tables from delimited text, JSON Lines, JSON and Parquet, with the line number of every record.

Reading is fast first: polars parses the file, and the format checks whole columns. Only when something was
wrong does a second pass go through the file record by record, to give the line numbers (`locate`) or, where
polars refused the file, to save what can be saved (`salvage`).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ..errors import InputError
from .base import RECORD, Dropped
from .source import Source

csv.field_size_limit(2**31 - 1)

DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Table:
    """A frame with a `RECORD` column, and how to turn record numbers into line numbers."""

    frame: pl.DataFrame = field(repr=False)
    locate: Callable[[set[int]], dict[int, int]] = field(repr=False)
    dropped: tuple[Dropped, ...] = ()
    line_word: str = "line"

    def lines(self, dropped: Iterable[Dropped]) -> tuple[Dropped, ...]:
        """Replace record numbers by line numbers; the second pass happens here, if it is needed."""
        found = tuple(dropped)
        if not found:
            return self.dropped
        where = self.locate({d.line for d in found})
        moved = tuple(Dropped(where[d.line], d.reason, d.skipped) for d in found)
        return self.dropped + moved


def from_source(source: Source) -> Table:
    """Read whichever kind of table the bytes are."""
    if source.is_parquet:
        return _parquet(source)
    first = source.data.lstrip()[:1]
    if first == b"{":
        return _json_lines(source)
    if first == b"[":
        return _json_array(source)
    return _delimited(source)


def from_frame(frame: pl.DataFrame) -> Table:
    """A frame that is already in memory; its lines are its rows, counted from 1."""
    if frame.height == 0:
        raise InputError("the table has no rows")
    numbered = frame.with_columns(pl.int_range(1, frame.height + 1, dtype=pl.Int64).alias(RECORD))
    return Table(numbered, lambda records: {r: r for r in records}, line_word="row")


def to_bytes(frame: pl.DataFrame, ending: str) -> bytes:
    """Write a frame as ``csv``, ``tsv``, ``jsonl`` or ``parquet``."""
    if ending in DELIMITERS:
        return frame.write_csv(separator=DELIMITERS[ending]).encode()
    if ending == "jsonl":
        return frame.write_ndjson().encode()
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def header(data: bytes, name: str) -> tuple[list[str], str]:
    """The column names of delimited text, and its delimiter (the commonest of tab, comma and semicolon)."""
    end = data.find(b"\n")
    first = Source(name, data if end < 0 else data[:end]).text().rstrip("\r")
    delimiter = max("\t,;", key=first.count)
    names = [column.strip() for column in next(csv.reader([first], delimiter=delimiter), [])]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise InputError(f"{name}: the header names {', '.join(map(repr, twice))} twice; column names must differ")
    return names, delimiter


# -- delimited text ------------------------------------------------------------------------------


def _delimited(source: Source) -> Table:
    names, delimiter = header(source.data, source.name)
    try:
        frame = pl.read_csv(source.data, separator=delimiter, infer_schema=False)
    except pl.exceptions.PolarsError:
        return _salvage(source, names, delimiter)
    frame.columns = names
    frame = frame.with_columns(pl.int_range(0, frame.height, dtype=pl.Int64).alias(RECORD))
    # polars makes a row of nulls out of an empty line.
    frame = frame.filter(~pl.all_horizontal(pl.col(names).is_null()))
    if frame.height == 0:
        raise InputError(f"{source.name}: has a header but no rows")
    if frame[names[-1]].null_count():
        # Either the last field is empty or the line is short; only a second look can tell.
        return _salvage(source, names, delimiter)
    return Table(frame, lambda records: _locate(source, delimiter, records))


def _records(source: Source, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Record number, first line number and fields of every record below the header."""
    reader = csv.reader(io.StringIO(source.text(), newline=""), delimiter=delimiter)
    try:
        next(reader)
        line = reader.line_num + 1
        for record, fields in enumerate(reader):
            yield record, line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{source.name}: line {reader.line_num} is not delimited text ({error})") from None


def _locate(source: Source, delimiter: str, records: set[int]) -> dict[int, int]:
    return {record: line for record, line, _ in _records(source, delimiter) if record in records}


def _salvage(source: Source, names: list[str], delimiter: str) -> Table:
    """Parse record by record; lines with too many or too few fields are dropped by name."""
    good: list[list[str]] = []
    lines: list[int] = []
    dropped: list[Dropped] = []
    for _, line, fields in _records(source, delimiter):
        if len(fields) == len(names):
            good.append(fields)
            lines.append(line)
        elif fields:
            dropped.append(Dropped(line, f"has {len(fields)} fields where the header has {len(names)}"))
    if not good:
        first = f"; line {dropped[0].line} {dropped[0].reason}" if dropped else ""
        raise InputError(f"{source.name}: has a header but no usable rows{first}")
    frame = pl.DataFrame(good, schema=dict.fromkeys(names, pl.String), orient="row")
    frame = frame.with_columns(pl.when(pl.all() != "").then(pl.all()), pl.Series(RECORD, lines, dtype=pl.Int64))
    return Table(frame, lambda records: {r: r for r in records}, tuple(dropped))


# -- JSON and Parquet ----------------------------------------------------------------------------


def _json_lines(source: Source) -> Table:
    try:
        frame = pl.read_ndjson(source.data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _salvage_json_lines(source)
    full = [n for n, line in enumerate(source.data.split(b"\n"), 1) if line.strip()]
    if len(full) != frame.height:
        return _salvage_json_lines(source)
    return Table(frame.with_columns(pl.Series(RECORD, full, dtype=pl.Int64)), lambda records: {r: r for r in records})


def _salvage_json_lines(source: Source) -> Table:
    objects: list[dict[str, Any]] = []
    lines: list[int] = []
    dropped: list[Dropped] = []
    for number, text in enumerate(source.text().split("\n"), 1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            dropped.append(Dropped(number, "is not JSON"))
            continue
        if isinstance(value, dict):
            objects.append(value)
            lines.append(number)
        else:
            dropped.append(Dropped(number, f"is a JSON {type(value).__name__}, not an object"))
    if not objects:
        raise InputError(
            f"{source.name}: no line is a JSON object; JSON Lines has one object, e.g. "
            '{"model_a": "x", "model_b": "y", "winner": "model_a"}, on every line'
        )
    frame = _frame_of(objects).with_columns(pl.Series(RECORD, lines, dtype=pl.Int64))
    return Table(frame, lambda records: {r: r for r in records}, tuple(dropped))


def _json_array(source: Source) -> Table:
    try:
        values = json.loads(source.text())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: is not JSON ({error})") from None
    dropped = [Dropped(n, "is not an object") for n, v in enumerate(values, 1) if not isinstance(v, dict)]
    kept = [(n, v) for n, v in enumerate(values, 1) if isinstance(v, dict)]
    if not kept:
        raise InputError(f"{source.name}: the JSON list holds no object; each judgment must be one")
    frame = _frame_of([v for _, v in kept]).with_columns(pl.Series(RECORD, [n for n, _ in kept], dtype=pl.Int64))
    return Table(frame, lambda records: {r: r for r in records}, tuple(dropped), line_word="object")


def _frame_of(objects: list[dict[str, Any]]) -> pl.DataFrame:
    """Plain values as text; lists and objects become JSON text (no format reads them as names)."""
    keys = dict.fromkeys(key for o in objects for key in o)
    return pl.DataFrame({k: pl.Series([_as_text(o.get(k)) for o in objects], dtype=pl.String) for k in keys})


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def _parquet(source: Source) -> Table:
    try:
        frame = pl.read_parquet(io.BytesIO(source.data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{source.name}: the Parquet file is damaged or cut short ({first})") from None
    if frame.height == 0:
        raise InputError(f"{source.name}: has columns but no rows")
    return from_frame(frame)
