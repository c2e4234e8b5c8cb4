"""Records that hold everything about a segment: rows of a table, lines of JSON, elements of XML."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from . import testset
from .languages import LanguagePair
from .lines import Path, read_text, refuse_controls, split_lines
from .testset import Segment, TestSet

_FIELDS = ("id", "document", "langs", "source", "reference")
_MOST_CHARACTERS = 10_000_000


@dataclass(frozen=True)
class Record:
    """One segment as it stands in a file; ``place`` says where, for messages."""

    place: str
    source: str
    reference: str | None = None
    id: str | None = None
    document: str | None = None
    langs: LanguagePair | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)


def grouped(
    records: Iterable[Record], langs: LanguagePair | None, *, name: str, notes: Iterable[str] = ()
) -> tuple[TestSet, ...]:
    """One test set a language pair, its segments in the order of the file."""
    groups: dict[LanguagePair, list[Record]] = {}
    for record in records:
        pair = record.langs or langs
        if pair is None:
            raise InputError(f"{record.place}: no language pair; say it, e.g. --langs fr-en")
        groups.setdefault(pair, []).append(record)
    if not groups:
        raise InputError(f"{name}: no segment; a test set needs at least one")
    return tuple(_one_pair(pair, groups[pair], name, notes) for pair in sorted(groups))


def _one_pair(pair: LanguagePair, records: list[Record], name: str, notes: Iterable[str]) -> TestSet:
    for record in records:
        for text in (record.source, record.reference or "", *record.outputs.values()):
            refuse_controls(text, record.place)
    segments = [
        Segment(record.id or str(number), record.document, record.source, record.reference)
        for number, record in enumerate(records, 1)
    ]
    systems = sorted({system for record in records for system in record.outputs})
    outputs = {system: [record.outputs.get(system, "") for record in records] for system in systems}
    missing = [(s, index) for s in systems for index, record in enumerate(records) if s not in record.outputs]
    return testset.make(pair, segments, outputs, missing=missing, notes=notes, name=f"{name} ({pair})")


# -- tables ------------------------------------------------------------------------------------------


def read_table(langs: LanguagePair | None, *, path: Path, encoding: str = "utf-8") -> tuple[TestSet, ...]:
    """A table with the columns of a segment and one column a system."""
    name, text = read_text(path, encoding=encoding)
    rows = _comma_separated(name, text) if _is_csv(name, text) else _tab_separated(text)
    _, header = next(rows, (0, []))
    roles = _roles(header, name)
    records = [_row_record(f"{name}: line {line}", cells, header, roles) for line, cells in rows]
    return grouped(records, langs, name=name)


def _is_csv(name: str, text: str) -> bool:
    ending = name.lower().removesuffix(".gz").removesuffix(".zst").rpartition(".")[2]
    if ending in ("csv", "tsv", "tab"):
        return ending == "csv"
    return "\t" not in text.partition("\n")[0]


def _tab_separated(text: str) -> Iterator[tuple[int, list[str]]]:
    """Fields between tabs, quotation marks being text like any other."""
    for number, line in enumerate(split_lines(text), 1):
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


def _roles(header: list[str], name: str) -> dict[str, int]:
    """Where the columns of a segment stand; all others are systems."""
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise InputError(f"{name}: the header names {twice[0]!r} twice; column names must differ")
    roles: dict[str, int] = {}
    for index, column in enumerate(header):
        role = column.strip().lower()
        if role in _FIELDS:
            if role in roles:
                raise InputError(f"{name}: the header names the column {role!r} twice; column names must differ")
            roles[role] = index
    if "source" not in roles:
        shown = ", ".join(header[:8]) or "nothing"
        raise InputError(f"{name}: no column 'source' in the header (it has: {shown}); {_TABLE_NEEDS}")
    return roles


_TABLE_NEEDS = "a table of texts needs 'source', one column a system, and may have reference, id, document and langs"


def _row_record(place: str, cells: list[str], header: list[str], roles: Mapping[str, int]) -> Record:
    if len(cells) != len(header):
        raise InputError(f"{place}: {len(cells)} fields, but the header has {len(header)}; is a tab or quote astray?")
    values = {role: cells[index] for role, index in roles.items()}
    systems = {column: cells[index] for index, column in enumerate(header) if index not in roles.values()}
    return _record(place, values, systems)


def _record(place: str, values: Mapping[str, str | None], outputs: Mapping[str, str]) -> Record:
    """A record from its fields; an empty id, document or language pair is none."""
    pair = values.get("langs")
    return Record(
        place,
        values.get("source") or "",
        values.get("reference"),
        (values.get("id") or "").strip() or None,
        (values.get("document") or "").strip() or None,
        _pair(pair, place) if pair else None,
        outputs,
    )


def _pair(text: str, place: str) -> LanguagePair:
    try:
        return LanguagePair.parse(text)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


# -- JSON Lines --------------------------------------------------------------------------------------


def read_json_lines(langs: LanguagePair | None, *, path: Path, encoding: str = "utf-8") -> tuple[TestSet, ...]:
    """One object a line: ``{"id", "document", "langs", "source", "reference", "outputs": {"A": "…"}}``."""
    name, text = read_text(path, encoding=encoding)
    records: list[Record] = []
    ignored: dict[str, None] = {}
    for number, line in enumerate(split_lines(text), 1):
        if line.strip():
            value = _json_object(line, f"{name}: line {number}")
            records.append(_json_record(value, f"{name}: line {number}"))
            ignored |= dict.fromkeys(key for key in value if key not in (*_FIELDS, "outputs"))
    notes = [f"{name}: keys that mean nothing here were ignored: {', '.join(sorted(ignored))}"] if ignored else []
    return grouped(records, langs, name=name, notes=notes)


def _json_object(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: is not JSON ({error}); every line must be one object") from None
    if not isinstance(value, dict):
        raise InputError(f"{place}: is a JSON {type(value).__name__}; every line must be one object with 'source'")
    return value


def _json_record(value: dict[str, Any], place: str) -> Record:
    outputs = value.get("outputs")
    if not isinstance(outputs, dict) or not all(isinstance(text, str) for text in outputs.values()):
        raise InputError(f'{place}: "outputs" must be an object from system to text, e.g. {{"A": "…"}}')
    if not isinstance(value.get("source"), str):
        raise InputError(f'{place}: "source" must be a text')
    fields = {key: _json_text(value.get(key), key, place) for key in _FIELDS}
    return _record(place, fields, {system: _lines_by_lf(text) for system, text in outputs.items()})


def _json_text(value: Any, key: str, place: str) -> str | None:
    """A text; numbers will do as ids and documents."""
    if value is None or isinstance(value, str):
        return None if value is None else _lines_by_lf(value)
    if key in ("id", "document") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InputError(f'{place}: "{key}" must be a text; got {json.dumps(value)[:40]}')


def _lines_by_lf(text: str) -> str:
    return text.replace("\r\n", "\n")
