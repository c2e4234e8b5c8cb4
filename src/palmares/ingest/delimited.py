"""Comma-, tab- and semicolon-separated text.

polars parses the file, and records are found again by their number. Where polars and a plain reading of
quotes and line ends disagree, or a line has too many fields, the file is read record by record instead.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from ..errors import InputError
from .base import RECORD, Dropped
from .source import Source

csv.field_size_limit(2**31 - 1)

_QUOTE, _LINE_END = ord('"'), ord("\n")
_MARK = "\ufeff".encode()


@dataclass(frozen=True)
class Layout:
    """Where the parts of a delimited file are."""

    source: Source = field(repr=False)
    names: tuple[str, ...]
    delimiter: str
    #: The offset of the first record, and the number of its line.
    start: int
    first_line: int

    @cached_property
    def body(self) -> bytes:
        return self.source.data[self.start :]

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Offsets in the body at which records start: the lines that begin outside quotes."""
        ends = _line_ends(self.body)
        starts = np.concatenate([[0], ends + 1])
        return starts[starts < len(self.body)]

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
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


def layout(source: Source) -> Layout:
    """Read the header: the column names, and the delimiter (the commonest of tab, comma and semicolon)."""
    data = source.data
    blank = len(data) - len(data.lstrip(b"\r\n"))
    end = _header_end(data, blank)
    first = Source(source.name, data[:end]).text().strip("\r\n")
    delimiter = max("\t,;", key=_unquoted(first).count)
    try:
        names = _column_names(source.name, _split(first, delimiter))
    except csv.Error as error:
        raise InputError(f"{source.name}: the header is not delimited text ({error})") from None
    while data[end : end + 1] in (b"\r", b"\n"):  # polars refuses a first line that is empty
        end += 1
    return Layout(source, names, delimiter, end, data.count(b"\n", 0, end) + 1)


def read(lay: Layout) -> tuple[pl.DataFrame, list[Dropped], bool]:
    """A frame of text with `RECORD`; what had to be dropped; whether `RECORD` is a line number already."""
    if not lay.body.strip():
        raise InputError(f"{lay.source.name}: has a header but no rows")
    if lay.body.startswith(_MARK):
        return _record_by_record(lay)  # polars would take the first character of a name for a byte-order mark
    schema = dict.fromkeys(lay.names, pl.String)
    options = {"separator": lay.delimiter, "infer_schema": False, "has_header": False, "schema": schema}
    try:
        frame = pl.read_csv(lay.body, **options)  # type: ignore[arg-type]
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _record_by_record(lay)
    if frame.height != len(lay.starts):
        return _record_by_record(lay)
    frame = frame.with_columns(pl.int_range(0, frame.height, dtype=pl.Int64).alias(RECORD))
    # polars makes a row of nulls out of an empty line.
    frame = frame.filter(~pl.all_horizontal(pl.col(lay.names).is_null()))
    return *_without_short(lay, frame), False


def _line_ends(data: bytes) -> npt.NDArray[np.int64]:
    """Offsets of the line ends outside quotes."""
    octets = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(octets == _LINE_END)
    quotes = np.flatnonzero(octets == _QUOTE)
    return ends[np.searchsorted(quotes, ends) % 2 == 0] if len(quotes) else ends


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


def _unquoted(line: str) -> str:
    return "".join(line.split('"')[::2])


def _column_names(source: str, fields: list[str]) -> tuple[str, ...]:
    names = tuple(text.strip() or f"column {number}" for number, text in enumerate(fields, 1))
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise InputError(f"{source}: the header names {', '.join(map(repr, twice))} twice; column names must differ")
    return names


def _without_short(lay: Layout, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Dropped]]:
    """Drop short lines. polars fills them with nulls, so only records without a last field are looked at."""
    suspects = frame.filter(pl.col(lay.names[-1]).is_null())[RECORD]
    faults = {record: fault for record in suspects if (fault := lay.fault(record))}
    if not faults:
        return frame, []
    dropped = [Dropped(lay.line_of(record), fault) for record, fault in faults.items()]
    frame = frame.filter(~pl.col(RECORD).is_in(list(faults)))
    if frame.height == 0:
        raise _unusable(lay, dropped)
    return frame, dropped


def _unusable(lay: Layout, dropped: list[Dropped]) -> InputError:
    first = f"; line {dropped[0].line} {dropped[0].reason}" if dropped else ""
    return InputError(f"{lay.source.name}: has a header but no rows that can be used{first}")


def _record_by_record(lay: Layout) -> tuple[pl.DataFrame, list[Dropped], bool]:
    """Slower, but every record that is whole is kept."""
    good: list[list[str]] = []
    lines: list[int] = []
    dropped: list[Dropped] = []
    for line, fields in _records(lay):
        fault = fields if isinstance(fields, str) else lay.ragged(fields)
        if fault is None:
            good.append(list(fields))
            lines.append(line)
        elif fields:
            dropped.append(Dropped(line, fault))
    if not good:
        raise _unusable(lay, dropped)
    frame = pl.DataFrame(good, schema=dict.fromkeys(lay.names, pl.String), orient="row")
    empty_is_null = pl.when(pl.all() != "").then(pl.all())
    return frame.with_columns(empty_is_null, pl.Series(RECORD, lines, dtype=pl.Int64)), dropped, True


def _records(lay: Layout) -> Iterator[tuple[int, list[str] | str]]:
    """First line number of every record, and its fields or what is wrong with it."""
    lay.source.text()  # refuses a wrong encoding with the line number in the whole file
    lines = io.StringIO(lay.body.decode(), newline="\n")
    reader = csv.reader(lines, delimiter=lay.delimiter, strict=True)
    while True:
        line = lay.first_line + reader.line_num
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            unclosed = "unexpected end of data" in str(error)
            why = "a quotation mark is never closed, so all below it is lost" if unclosed else str(error)
            yield line, f"is not delimited text ({why})"
