"""Judges whose answers their organiser left out: a campaign's export keeps them, with a mark in a column of its own."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ..errors import InputError
from .base import LEFT_OUT, RECORD, Dropped, ReadOptions, Table
from .columns import Roles, name_values
from .values import marks

#: Why such a record does not count.
REASON = "its judge is left out"


def without_left_out(table: Table, options: ReadOptions) -> Table:
    """A table as if the judges who are left out had never been there: the rest is read like any other."""
    frame = table.frame
    if LEFT_OUT not in frame.columns:
        return table
    out = is_out(name_values(frame, LEFT_OUT))
    if options.left_out == "keep":
        return replace(table, frame=frame.with_columns(out.cast(pl.Int8).alias(LEFT_OUT)))
    kept, gone = frame.filter(~out).drop(LEFT_OUT), frame.filter(out)
    if gone.is_empty():
        return replace(table, frame=kept)
    if kept.is_empty():
        raise InputError(
            f"all {gone.height} records are of judges who are left out; --left-out keep (left_out='keep' from Python) "
            "reads them all the same"
        )
    column = Roles.guess(frame.columns, options).column.get("judge")
    judges = None if column is None or frame[column].dtype.is_nested() else gone[column].n_unique()
    note = note_of(gone.height, frame.height, judges, "records")
    dropped = table.lines(Dropped(number, REASON, "skipped") for number in gone[RECORD])
    return replace(table, frame=kept, dropped=dropped, notes=(*table.notes, note))


def is_out(values: pl.Series) -> pl.Series:
    """Which records are of a judge who is left out; where nothing is written, none is."""
    # A number in an extra column is written with a decimal point.
    out = marks(values.str.strip_suffix(".0"))
    unknown = values.filter(values.is_not_null() & out.is_null())
    if len(unknown):
        raise InputError(f"column {LEFT_OUT!r}: got {unknown[0]!r}; allowed: 1 (left out) and 0")
    return out.fill_null(False)


def note_of(gone: int, of: int, judges: int | None, what: str) -> str:
    """What a result says of the judges who are left out."""
    whose = "judges" if judges is None else f"{judges} judge{'s' * (judges != 1)}"
    return f"{gone:,} of {of:,} {what} are of {whose} left out by the organisers, and do not count (--left-out keep)"
