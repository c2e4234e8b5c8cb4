"""``--rename``: a file of other names for systems."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from typing import Any

import click

from ..errors import InputError

_ALLOWED = "allowed: two columns, the name and the new name (.csv, .tsv), or a JSON object {old: new}"
_HEADS = (frozenset(("old", "from", "system", "name")), frozenset(("new", "to", "name", "label", "short")))


class NewNames(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2
    """A file of names, as the table that it holds: so a result records the names, not where they were."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        return dict(value) if isinstance(value, Mapping) else read_names(value)


def read_names(path: str) -> dict[str, str]:
    """Old names and new ones from a table of two columns, with or without a header, or a JSON object."""
    from ..ingest.source import load

    source = load(path)
    text = source.text()
    pairs = _from_json(text, path) if text.lstrip().startswith("{") else _from_table(text, path)
    names: dict[str, str] = {}
    for old, new in pairs:
        if names.setdefault(old, new) != new:
            raise InputError(f"{path}: {old!r} is renamed twice, to {names[old]!r} and to {new!r}; keep one of them")
    if not names:
        raise InputError(f"{path}: holds no names; {_ALLOWED}")
    return names


def _from_json(text: str, path: str) -> Iterable[tuple[str, str]]:
    try:
        pairs: list[tuple[str, Any]] = json.loads(text, object_pairs_hook=list)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON ({error}); {_ALLOWED}") from None
    if wrong := [old for old, new in pairs if not isinstance(new, str)]:
        raise InputError(f"{path}: the new name of {wrong[0]!r} is not text; {_ALLOWED}")
    return pairs


def _from_table(text: str, path: str) -> Iterable[tuple[str, str]]:
    lines = [line for line in text.splitlines() if line.strip()]
    for delimiter in ("\t", ";", ","):
        rows = [tuple(cell.strip() for cell in row) for row in csv.reader(lines, delimiter=delimiter)]
        if all(len(row) == 2 for row in rows):
            is_head = rows and all(cell.lower() in heads for cell, heads in zip(rows[0], _HEADS, strict=True))
            return [(row[0], row[1]) for row in rows[1 if is_head else 0 :]]
    wrong = next((number for number, line in enumerate(lines, 1) if len(next(csv.reader([line]))) != 2), 1)
    raise InputError(f"{path}: line {wrong} does not have two columns; {_ALLOWED}")
