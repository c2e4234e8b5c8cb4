"""Tables with the columns of a segment and one column per system, separated by tabs or commas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..errors import InputError
from .languages import LanguagePair
from .lines import split_lines, uncompressed_name
from .records import FIELDS, Record, grouped, record_of
from .testset import TestSet

_MOST_CHARACTERS = 10_000_000
_SHOWN_CHARACTERS = 80
_NEEDS = "a table of texts needs 'source' and one column per system, and may have reference, id, document and langs"


def read_table(langs: LanguagePair | None, *, name: str, text: str, needs_source: bool = True) -> tuple[TestSet, ...]:
    """One test set per language pair from a table with a header."""
    rows = _comma_separated(name, text) if _is_csv(name, text) else _tab_separated(text)
    _, header = next(rows, (0, []))
    roles = _roles(header, name, needs_source)
    records = [_record(name, line, cells, header, roles) for line, cells in rows]
    return tuple(replace(texts, has_sources="source" in roles) for texts in grouped(records, langs, name=name))


def _is_csv(name: str, text: str) -> bool:
    """By the ending of the name; without a known one, a header without tabs is one of commas."""
    ending = uncompressed_name(name).lower().rpartition(".")[2]
    if ending in ("csv", "tsv", "tab"):
        return ending == "csv"
    return "\t" not in text.partition("\n")[0]


def _tab_separated(text: str) -> Iterator[tuple[int, list[str]]]:
    """Fields between tabs, quotation marks being text like any other."""
    for number, line in enumerate(split_lines(text), 1):
        if line:
            yield number, line.split("\t")


def _comma_separated(name: str, text: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(_MOST_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}: line {line}: broken CSV ({error}); is a quotation mark missing?") from None


def _roles(header: list[str], name: str, needs_source: bool) -> dict[str, int]:
    """Where the columns of a segment stand; all others are systems."""
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise InputError(f"{name}: the header names {twice[0]!r} twice; column names must differ")
    roles: dict[str, int] = {}
    for index, column in enumerate(header):
        role = column.strip().lower()
        if role in FIELDS:
            if role in roles:
                raise InputError(f"{name}: the header names the column {role!r} twice; column names must differ")
            roles[role] = index
    if "source" not in roles and (needs_source or not roles):
        shown = ", ".join(header[:8])[:_SHOWN_CHARACTERS] or "nothing"
        raise InputError(f"{name}: no column 'source' in the header (it has: {shown}); {_NEEDS}")
    return roles


def _record(name: str, line: int, cells: list[str], header: list[str], roles: Mapping[str, int]) -> Record:
    if len(cells) != len(header):
        count = f"{len(cells)} field{'s' if len(cells) > 1 else ''}"
        raise InputError(
            f"{name}: line {line}: {count}, but the header has {len(header)}; "
            "is a separator or quotation mark missing or extra?"
        )
    values = {role: cells[index] for role, index in roles.items()}
    systems = {column: cells[index] for index, column in enumerate(header) if index not in roles.values()}
    return record_of(name, line, values, systems)
