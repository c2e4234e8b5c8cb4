"""Which character separates the fields of delimited text, and records by it.

It is the one that divides every line into as many fields as the header has; where two do, the usual names of columns
decide, and where they do not, nothing is guessed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import InputError
from .usual import GUESSES

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

csv.field_size_limit(2**31 - 1)

_DELIMITERS = "\t,;|"
NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "vertical bar", " ": "space"}
#: So many records tell the delimiter.
_SAMPLE = 200
#: What a record has and a header does not, though some are names of columns.
VALUES = ("a", "b", "tie", "draw", "left", "right", "true", "false")
_USUAL = {name for names in GUESSES.values() for name in names}.difference(VALUES)


def reader_of(lines: Iterable[str], delimiter: str, *, strict: bool = False) -> CsvReader:
    """A reader of records; runs of spaces are one delimiter, and those around a line none."""
    if delimiter == " ":
        stripped = (line.strip() + "\n" for line in lines)
        return csv.reader(stripped, delimiter=" ", skipinitialspace=True, strict=strict)
    return csv.reader(lines, delimiter=delimiter, strict=strict)


def rows_of(lines: list[str], delimiter: str) -> list[list[str]]:
    """The first records of some lines, less empty and broken ones."""
    reader = reader_of([line + "\n" for line in lines], delimiter)
    rows: list[list[str]] = []
    while len(rows) < _SAMPLE:
        try:
            row = next(reader)
        except csv.Error:
            continue
        except StopIteration:
            break
        if any(row):
            rows.append(row)
    return rows or [[""]]


def delimiter_of(source: str, lines: list[str], width: int) -> str:
    """The delimiter that divides lines alike, into ``width`` fields if that is known (not 0)."""
    fits: dict[str, float] = {}
    usual: dict[str, int] = {}
    for delimiter in _DELIMITERS:
        rows = rows_of(lines, delimiter)
        wanted = width or len(rows[0])
        share = sum(len(row) == wanted for row in rows) / len(rows)
        if wanted > 1 and share:
            fits[delimiter], usual[delimiter] = share, usual_names(rows[0])
    if not fits:
        spaces = _spaces(lines, width)
        return delimiter_of(source, lines, 0) if width and spaces != " " else spaces
    # Two usual names are stronger evidence than a few faulty lines.
    named_well = {d: share for d, share in fits.items() if usual[d] > 1 and share > 0.5} or fits
    best = [delimiter for delimiter, share in named_well.items() if share == max(named_well.values())]
    known = [delimiter for delimiter in best if usual[delimiter] == max(usual[d] for d in best)]
    if len(known) == 1:
        return known[0]
    if fits[known[0]] < 1:  # lines are faulty either way: the commonest in the header
        return max(known, key="".join(lines[0].split('"')[::2]).count)
    named = " and the ".join(NAMES[delimiter] for delimiter in known)
    raise InputError(
        f"{source}: the {named} divide every line into equally many fields, so each may separate the columns; "
        f"say which one does in a first line: sep={known[0]}"
    )


def _spaces(lines: list[str], width: int) -> str:
    """A space if runs of spaces divide all lines alike, else the comma of a table with one column."""
    widths = {len(row) for row in rows_of(lines, " ")}
    return " " if len(widths) == 1 and widths != {1} and width in (0, *widths) else ","


def usual_names(fields: list[str] | tuple[str, ...]) -> int:
    """How many fields are usual names of columns."""
    return sum("".join(filter(str.isalnum, text.lower())) in _USUAL for text in fields)
