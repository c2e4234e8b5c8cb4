"""Tables from delimited text, JSON Lines, JSON and Parquet, with the line number of every record.

Reading is fast first: polars parses the file, and the format checks whole columns. Line numbers are found
only for records that turn out bad, and a file that polars refuses is read again record by record, to save
what can be saved.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ..errors import InputError, LossyWriteError
from . import delimited
from .base import RECORD, Dropped
from .source import Source

#: How much of a JSON Lines file tells its columns.
_ENOUGH = 1_000_000
DELIMITERS = {"csv": ",", "tsv": "\t"}
#: Half a surrogate pair, which is no character; polars makes something else of it without a word.
_LONE_SURROGATE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")


def _itself(record: int) -> int:
    return record


@dataclass(frozen=True)
class Table:
    """A frame with a `RECORD` column, and how to turn record numbers into line numbers."""

    frame: pl.DataFrame = field(repr=False)
    line_of: Callable[[int], int] = field(repr=False, default=_itself)
    dropped: tuple[Dropped, ...] = ()
    line_word: str = "line"

    def lines(self, dropped: Iterable[Dropped]) -> tuple[Dropped, ...]:
        """All that was dropped, by line number instead of record number."""
        moved = [Dropped(self.line_of(d.line), d.reason, d.skipped) for d in dropped]
        return tuple(sorted([*self.dropped, *moved], key=lambda d: d.line))


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
        raise InputError("the table has columns but no rows")
    numbered = frame.with_columns(pl.int_range(1, frame.height + 1, dtype=pl.Int64).alias(RECORD))
    return Table(numbered, line_word="row")


def to_bytes(frame: pl.DataFrame, ending: str) -> bytes:
    """Write a frame as ``csv``, ``tsv``, ``jsonl`` or ``parquet``."""
    if ending in DELIMITERS:
        return _to_delimited(frame, DELIMITERS[ending])
    if ending == "jsonl":
        return frame.write_ndjson().encode()
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def header(data: bytes, name: str) -> tuple[list[str], str]:
    """The column names of delimited text, and its delimiter."""
    layout = delimited.layout(Source(name, data))
    return list(layout.names), layout.delimiter


def column_names(source: Source) -> list[str]:
    """The columns of a table, from as little of it as will do."""
    first = source.data.lstrip()[:1]
    if first == b"{":
        some = source.data.lstrip()[:_ENOUGH].split(b"\n")[:-1]
        found = {key: None for line in some for key in _keys(line)}
        if found:
            return list(found)
    if source.is_parquet or first in (b"{", b"["):
        return [c for c in from_source(source).frame.columns if c != RECORD]
    return list(delimited.layout(source).names)


def _keys(line: bytes) -> Iterable[str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return value if isinstance(value, dict) else ()


def _to_delimited(frame: pl.DataFrame, delimiter: str) -> bytes:
    data = frame.write_csv(separator=delimiter).encode()
    names = frame.columns
    seen = delimited.layout(Source("", data))
    if seen.delimiter != delimiter or list(seen.names) != names:
        raise LossyWriteError(
            f"delimited text cannot hold the column names {', '.join(map(repr, names))}; write .jsonl or .parquet"
        )
    return data


def _delimited(source: Source) -> Table:
    layout = delimited.layout(source)
    frame, dropped, numbered = delimited.read(layout)
    return Table(frame, _itself if numbered else layout.line_of, tuple(dropped))


# -- JSON and Parquet ----------------------------------------------------------------------------


def _json_lines(source: Source) -> Table:
    if _LONE_SURROGATE.search(source.data):
        return _salvage_json_lines(source)
    try:
        frame = pl.read_ndjson(source.data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _salvage_json_lines(source)
    full = [n for n, line in enumerate(source.data.split(b"\n"), 1) if line.strip()]
    if len(full) != frame.height or not frame.width:
        return _salvage_json_lines(source)
    return Table(frame.with_columns(pl.Series(RECORD, full, dtype=pl.Int64)))


def _salvage_json_lines(source: Source) -> Table:
    values = []
    dropped: list[Dropped] = []
    for number, text in enumerate(source.text().split("\n"), 1):
        if text.strip():
            try:
                values.append((number, json.loads(text)))
            except (ValueError, RecursionError):
                dropped.append(Dropped(number, "is not JSON"))
    return _from_values(source, values, dropped, "line")


def _json_array(source: Source) -> Table:
    try:
        values = json.loads(source.text())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: is not JSON ({error})") from None
    return _from_values(source, list(enumerate(values, 1)), [], "object")


def _from_values(source: Source, values: list[tuple[int, Any]], dropped: list[Dropped], word: str) -> Table:
    """A table of those JSON values that are objects."""
    numbers, objects = [], []
    for number, value in values:
        if not isinstance(value, dict):
            dropped.append(Dropped(number, f"is a JSON {type(value).__name__}, not an object"))
        elif not _encodes(value):
            dropped.append(Dropped(number, "has half of a surrogate pair, which is no character"))
        else:
            numbers.append(number)
            objects.append(value)
    if not any(objects):
        first = f"; {word} {dropped[0].line} {dropped[0].reason}" if dropped else ""
        raise InputError(
            f"{source.name}: no JSON object with a judgment{first}; each must be like "
            '{"model_a": "x", "model_b": "y", "winner": "model_a"}'
        )
    frame = _frame_of(objects).with_columns(pl.Series(RECORD, numbers, dtype=pl.Int64))
    return Table(frame, dropped=tuple(dropped), line_word=word)


def _encodes(value: dict[str, Any]) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeError, RecursionError):
        return False
    return True


def _frame_of(objects: list[dict[str, Any]]) -> pl.DataFrame:
    """Plain values as text; lists and objects become JSON text (no format reads them as names)."""
    keys = dict.fromkeys(key for o in objects for key in o)
    return pl.DataFrame({k: pl.Series([_as_text(o.get(k)) for o in objects], dtype=pl.String) for k in keys})


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _parquet(source: Source) -> Table:
    try:
        frame = pl.read_parquet(io.BytesIO(source.data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{source.name}: the Parquet file is damaged or cut short ({first})") from None
    if frame.height == 0:
        raise InputError(f"{source.name}: has columns but no rows")
    return from_frame(frame)
