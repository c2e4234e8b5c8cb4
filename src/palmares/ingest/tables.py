"""Tables from delimited text, JSON and Parquet, with the line number of every record; and formats that are tables.

Reading is fast first: polars parses the file, and the format checks whole columns. Line numbers are found only for
records that turn out bad. Where polars and a plain reading of quotes and line ends disagree, or a line has too many
fields, the file is read again record by record, to save what can be saved.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import IntArray
from . import json_tables
from .base import RECORD, Dropped, Format, Parsed, ReadOptions, Table
from .columns import Roles, Sieve
from .ids import settle
from .source import Source

DELIMITERS = {"csv": ",", "tsv": "\t"}
_QUOTE, _LINE_END = ord('"'), ord("\n")
_MARK = "\ufeff".encode()

csv.field_size_limit(2**31 - 1)


class TableFormat(Format):
    """A format whose files are tables; subclasses say how columns become judgments."""

    endings: ClassVar[tuple[str, ...]] = ("csv", "tsv", "jsonl", "parquet")
    #: Whether records without ranking ids may be the pairs of rankings, to be rebuilt where that is certain.
    rebuilds: ClassVar[bool] = False
    #: Whether a table with the columns of this format cannot be meant to be of another one.
    unmistakable: ClassVar[bool] = False

    def matches(self, roles: Roles) -> bool:
        """Whether a table with these columns is of this format."""
        raise NotImplementedError

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        """Turn the records of a table into rows of judgments."""
        raise NotImplementedError

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        return self.parse_table(from_source(source), options)

    def parse_table(self, table: Table, options: ReadOptions) -> Parsed:
        self.check_columns(options)
        sieve = self.sift(table.frame, Roles.guess(table.frame.columns, options), options)
        settle(sieve, options, rebuilds=self.rebuilds)
        records = table.frame.height + len(table.dropped)
        return Parsed(
            sieve.rows(), table.lines(sieve.dropped), records, table.line_word, tuple(sieve.columns),
            tuple(sieve.notes), table.layout, sieve.shared,
        )  # fmt: skip


def from_source(source: Source) -> Table:
    """Read whichever kind of table the bytes are."""
    if source.is_parquet:
        return replace(_parquet(source), layout="Parquet")
    first = source.data.lstrip()[:1]
    if first == b"{":
        return replace(json_tables.read_lines(source), layout="JSON Lines")
    if first == b"[":
        return replace(json_tables.read_array(source), layout="JSON list")
    layout = Layout.of(source)
    delimiter = {"\t": "tabs", " ": "spaces"}.get(layout.delimiter, repr(layout.delimiter))
    return replace(_delimited(layout), layout=f"text delimited by {delimiter}")


def from_frame(frame: pl.DataFrame) -> Table:
    """A frame that is already in memory; its lines are its rows, counted from 1."""
    if frame.height == 0:
        raise InputError("the table has columns but no rows")
    numbered = frame.with_columns(pl.int_range(1, frame.height + 1, dtype=pl.Int64).alias(RECORD))
    return Table(numbered, line_word="row")


def to_bytes(frame: pl.DataFrame, ending: str) -> bytes:
    """Write a frame as ``csv``, ``tsv``, ``jsonl`` or ``parquet``."""
    if ending in DELIMITERS:
        data = frame.write_csv(separator=DELIMITERS[ending]).encode()
        layout = Layout.of(Source("", data))
        if (layout.delimiter, list(layout.names)) != (DELIMITERS[ending], frame.columns):
            names = ", ".join(map(repr, frame.columns))
            raise LossyWriteError(f"delimited text cannot hold the column names {names}; write .jsonl or .parquet")
        return data
    if ending == "jsonl":
        return frame.write_ndjson().encode()
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def column_names(source: Source) -> list[str]:
    """The columns of a table, from as little of it as will do."""
    first = source.data.lstrip()[:1]
    if first == b"{" and (keys := json_tables.first_keys(source)):
        return keys
    if source.is_parquet or first in (b"{", b"["):
        return [c for c in from_source(source).frame.columns if c != RECORD]
    return list(Layout.of(source).names)


def _parquet(source: Source) -> Table:
    try:
        frame = pl.read_parquet(io.BytesIO(source.data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{source.name}: the Parquet file is damaged or cut short ({first})") from None
    if frame.height == 0:
        raise InputError(f"{source.name}: has columns but no rows")
    return from_frame(frame)


# -- delimited text -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """Where the parts of a delimited file are."""

    source: Source = field(repr=False)
    names: tuple[str, ...]
    delimiter: str
    #: The offset of the first record, and the number of its line.
    start: int
    first_line: int

    @classmethod
    def of(cls, source: Source) -> Layout:
        """Read the header: the column names, and the delimiter (the commonest of tab, comma and semicolon)."""
        data = source.data
        blank = len(data) - len(data.lstrip(b"\r\n"))
        end = _header_end(data, blank)
        first = Source(source.name, data[:end]).text().strip("\r\n")
        unquoted = "".join(first.split('"')[::2])
        delimiter = max("\t,;", key=unquoted.count)
        try:
            names = _column_names(source.name, _split(first, delimiter))
        except csv.Error as error:
            raise InputError(f"{source.name}: the header is not delimited text ({error})") from None
        while data[end : end + 1] in (b"\r", b"\n"):  # polars refuses a first line that is empty
            end += 1
        return cls(source, names, delimiter, end, data.count(b"\n", 0, end) + 1)

    @cached_property
    def body(self) -> bytes:
        return self.source.data[self.start :]

    @cached_property
    def starts(self) -> IntArray:
        """Offsets in the body at which records start: the lines that begin outside quotes."""
        quotes = np.flatnonzero(np.frombuffer(self.body, dtype=np.uint8) == _QUOTE)
        outside = np.searchsorted(quotes, self._ends) % 2 == 0
        starts = np.concatenate([[0], self._ends[outside] + 1])
        return starts[starts < len(self.body)]

    @cached_property
    def _ends(self) -> IntArray:
        return np.flatnonzero(np.frombuffer(self.body, dtype=np.uint8) == _LINE_END)

    def line_of(self, record: int) -> int:
        return self.first_line + int(np.searchsorted(self._ends, self.starts[record]))

    def fault(self, record: int) -> str | None:
        """What is wrong with a record, as a careful reader sees it."""
        end = self.starts[record + 1] if record + 1 < len(self.starts) else len(self.body)
        text = self.body[self.starts[record] : end].decode()
        try:
            return self.ragged(_split(text, self.delimiter))
        except csv.Error as error:
            return f"is not delimited text ({error})"

    def ragged(self, fields: list[str]) -> str | None:
        n, wanted = len(fields), len(self.names)
        return None if n == wanted else f"has {n} field{'s' * (n != 1)} where the header has {wanted}"


def _delimited(layout: Layout) -> Table:
    """All fields as text."""
    if not layout.body.strip():
        raise InputError(f"{layout.source.name}: has a header but no rows")
    if layout.body.startswith(_MARK):
        return _record_by_record(layout)  # polars would take the first character of a name for a byte-order mark
    schema = dict.fromkeys(layout.names, pl.String)
    try:
        frame = pl.read_csv(
            layout.body, separator=layout.delimiter, infer_schema=False, has_header=False, schema=schema
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _record_by_record(layout)
    if frame.height != len(layout.starts):
        return _record_by_record(layout)
    frame = frame.with_columns(pl.int_range(0, frame.height, dtype=pl.Int64).alias(RECORD))
    # polars makes a row of nulls out of an empty line.
    frame = frame.filter(~pl.all_horizontal(pl.col(layout.names).is_null()))
    return _without_short(layout, frame)


def _header_end(data: bytes, start: int) -> int:
    """Where the header ends: at the first line end outside quotes."""
    quotes, end = 0, start
    while True:
        begin, end = end, data.find(b"\n", end) + 1
        if not end:
            return len(data)
        quotes += data.count(b'"', begin, end)
        if quotes % 2 == 0:
            return end


def _split(text: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter), [])


def _column_names(source: str, fields: list[str]) -> tuple[str, ...]:
    names = tuple(text.strip() or f"column {number}" for number, text in enumerate(fields, 1))
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise InputError(f"{source}: the header names {', '.join(map(repr, twice))} twice; column names must differ")
    return names


def _without_short(layout: Layout, frame: pl.DataFrame) -> Table:
    """Drop short lines. polars fills them with nulls, so only records without a last field are looked at."""
    suspects = frame.filter(pl.col(layout.names[-1]).is_null())[RECORD]
    faults = {record: fault for record in suspects if (fault := layout.fault(record))}
    if not faults:
        return Table(frame, layout.line_of)
    dropped = [Dropped(layout.line_of(record), fault) for record, fault in faults.items()]
    frame = frame.filter(~pl.col(RECORD).is_in(list(faults)))
    if frame.height == 0:
        raise _unusable(layout, dropped)
    return Table(frame, layout.line_of, tuple(dropped))


def _unusable(layout: Layout, dropped: list[Dropped]) -> InputError:
    first = f"; line {dropped[0].line} {dropped[0].reason}" if dropped else ""
    return InputError(f"{layout.source.name}: has a header but no rows that can be used{first}")


def _record_by_record(layout: Layout) -> Table:
    """Slower, but every record that is whole is kept."""
    good: list[list[str]] = []
    lines: list[int] = []
    dropped: list[Dropped] = []
    for line, fields in _records(layout):
        fault = fields if isinstance(fields, str) else layout.ragged(fields)
        if fault is None:
            good.append(list(fields))
            lines.append(line)
        elif fields:
            dropped.append(Dropped(line, fault))
    if not good:
        raise _unusable(layout, dropped)
    frame = pl.DataFrame(good, schema=dict.fromkeys(layout.names, pl.String), orient="row")
    empty_is_null = pl.when(pl.all() != "").then(pl.all())
    numbered = frame.with_columns(empty_is_null, pl.Series(RECORD, lines, dtype=pl.Int64))
    return Table(numbered, dropped=tuple(dropped))


def _records(layout: Layout) -> Iterator[tuple[int, list[str] | str]]:
    """First line number of every record, and its fields or what is wrong with it."""
    layout.source.text()  # refuses a wrong encoding with the line number in the whole file
    lines = io.StringIO(layout.body.decode(), newline="\n")
    reader = csv.reader(lines, delimiter=layout.delimiter, strict=True)
    while True:
        line = layout.first_line + reader.line_num
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            unclosed = "unexpected end of data" in str(error)
            fault = "a quotation mark is never closed, so all below it is lost" if unclosed else str(error)
            yield line, f"is not delimited text ({fault})"
