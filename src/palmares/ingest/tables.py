"""Tables from delimited text, JSON and Parquet, with the line number of every record; and formats that are tables.

Reading is fast first: polars parses the file, and the format checks whole columns. Line numbers are found only for
records that turn out bad. Where polars and a plain reading of quotes and line ends disagree, or a line has too many
fields, the file is read again record by record, to save what can be saved.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import ClassVar

import polars as pl

from ..errors import InputError, LossyWriteError
from . import json_tables
from .base import RECORD, Dropped, Format, Parsed, ReadOptions, Table
from .columns import Roles, Sieve
from .ids import settle
from .layouts import Layout, has_comments
from .left_out import without_left_out
from .source import Source

DELIMITERS = {"csv": ",", "tsv": "\t"}
_MARK = "\ufeff".encode()


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
        return self.parse_table(from_source(source, options.header), options)

    def parse_table(self, table: Table, options: ReadOptions) -> Parsed:
        self.check_columns(options)
        table = without_left_out(table, options)
        options = options.keeping(table.frame.columns)
        sieve = self.sift(table.frame, Roles.guess(table.frame.columns, options), options)
        if "forced" in sieve.frame.columns:
            sieve.reject(pl.col("forced") & (pl.col("outcome") != 0), "is marked as a forced tie, but is no tie")
        settle(sieve, options, rebuilds=self.rebuilds)
        return Parsed(
            sieve.rows(),
            table.lines(sieve.dropped),
            records=table.frame.height * sieve.answers + len(table.dropped),
            line_word=table.line_word,
            columns=tuple(sieve.columns),
            notes=(*table.notes, *sieve.notes),
            layout=table.layout,
            shared=sieve.shared,
        )


def from_source(source: Source, header: tuple[str, ...] = ()) -> Table:
    """Read whichever kind of table the bytes are; ``header`` names the columns of text without a header."""
    first = source.data.lstrip()[:1]
    if not source.is_parquet and first not in (b"{", b"["):
        layout = Layout.of(source, header)
        return replace(_delimited(layout), layout=layout.described)
    check_no_header(source.name, header, "Parquet" if source.is_parquet else "JSON")
    if source.is_parquet:
        return replace(_parquet(source), layout="Parquet")
    return replace(json_tables.read(source), layout="JSON")


def check_no_header(source: str, header: tuple[str, ...], kind: str) -> None:
    """Refuse names for the columns of a file that has them."""
    if header:
        raise InputError(f"{source}: is {kind}, and --header names the columns of delimited text without a header")


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
        if has_comments(data):  # in quotation marks, a first field that begins with # is no comment
            data = frame.write_csv(separator=DELIMITERS[ending], quote_style="non_numeric").encode()
        try:
            layout = Layout.of(Source("", data))
        except InputError:
            layout = None
        if layout is None or (layout.delimiter, list(layout.names)) != (DELIMITERS[ending], frame.columns):
            names = ", ".join(map(repr, frame.columns))
            raise LossyWriteError(f"delimited text cannot hold the column names {names}; write .jsonl or .parquet")
        return data
    if ending == "jsonl":
        return frame.write_ndjson().encode()
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def column_names(source: Source) -> list[str]:
    """The columns of a table of JSON or Parquet, from as little of it as will do."""
    if not source.is_parquet and (keys := json_tables.first_keys(source)):
        return keys
    return [c for c in from_source(source).frame.columns if c != RECORD]


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


def _delimited(layout: Layout) -> Table:
    """All fields as text."""
    if not layout.body.strip():
        raise InputError(f"{layout.source.name}: has a header but no rows")
    # polars knows no runs of spaces, and would take the first character of a name for a byte-order mark.
    if layout.delimiter == " " or layout.body.startswith(_MARK):
        return _record_by_record(layout)
    schema = dict.fromkeys(layout.names, pl.String)
    try:
        frame = pl.read_csv(
            layout.body, separator=layout.delimiter, infer_schema=False, has_header=False, schema=schema
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _record_by_record(layout)
    if frame.height != len(layout.starts):
        return _record_by_record(layout)
    layout = replace(layout, notes=(*layout.notes, *layout.swallowed(layout.spans)))
    frame = frame.with_columns(pl.int_range(0, frame.height, dtype=pl.Int64).alias(RECORD))
    # polars makes a row of nulls out of an empty line.
    frame = frame.filter(~pl.all_horizontal(pl.col(layout.names).is_null()))
    return _without_short(layout, frame)


def _without_short(layout: Layout, frame: pl.DataFrame) -> Table:
    """Drop short lines. polars fills them with nulls, so only records without a last field are looked at."""
    suspects = frame.filter(pl.col(layout.names[-1]).is_null())[RECORD]
    faults = {record: fault for record in suspects if (fault := layout.fault(record))}
    if not faults:
        return Table(frame, layout.line_of, notes=layout.notes)
    dropped = [Dropped(layout.line_of(record), fault) for record, fault in faults.items()]
    frame = frame.filter(~pl.col(RECORD).is_in(list(faults)))
    if frame.height == 0:
        raise _unusable(layout, dropped)
    return Table(frame, layout.line_of, tuple(dropped), notes=layout.notes)


def _unusable(layout: Layout, dropped: list[Dropped]) -> InputError:
    first = f"; line {dropped[0].line} {dropped[0].reason}" if dropped else ""
    return InputError(f"{layout.source.name}: has a header but no rows that can be used{first}")


def _record_by_record(layout: Layout) -> Table:
    """Slower, but every record that is whole is kept."""
    good: list[list[str]] = []
    lines: list[int] = []
    dropped: list[Dropped] = []
    for line, fields in layout.records():
        fault = fields if isinstance(fields, str) else layout.ragged(fields)
        if fault is None and any(fields):
            good.append(list(fields))
            lines.append(line)
        elif fault is not None and any(fields):
            dropped.append(Dropped(line, fault))
    if not good:
        raise _unusable(layout, dropped)
    spans = ((line, 1 + sum(text.count("\n") for text in row)) for line, row in zip(lines, good, strict=True))
    notes = (*layout.notes, *layout.swallowed(span for span in spans if span[1] > 1))
    frame = pl.DataFrame(good, schema=dict.fromkeys(layout.names, pl.String), orient="row")
    empty_is_null = pl.when(pl.all() != "").then(pl.all())
    numbered = frame.with_columns(empty_is_null, pl.Series(RECORD, lines, dtype=pl.Int64))
    return Table(numbered, dropped=tuple(dropped), notes=notes)
