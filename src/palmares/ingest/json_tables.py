"""Tables from JSON: one object a line, or a list of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import polars as pl

from ..errors import InputError
from .base import RECORD, Dropped, Table
from .source import Source, has_half_character

#: How much of a JSON Lines file tells its columns.
_ENOUGH = 1_000_000
#: Half a surrogate pair as JSON escapes it; polars silently makes something else of it.
_HALF_ESCAPED = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")


def first_keys(source: Source) -> list[str]:
    """The columns of JSON Lines, from as little of the file as will do; none if that little tells nothing."""
    lines = source.data.lstrip()[:_ENOUGH].split(b"\n")[:-1]
    return list({key: None for line in lines for key in _keys(line)})


def _keys(line: bytes) -> Iterable[str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return value if isinstance(value, dict) else ()


def read_lines(source: Source) -> Table:
    """One object per line."""
    if _HALF_ESCAPED.search(source.data):
        return _salvage(source)
    try:
        frame = pl.read_ndjson(source.data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _salvage(source)
    full = [n for n, line in enumerate(source.data.split(b"\n"), 1) if line.strip()]
    if len(full) != frame.height or not frame.width:
        return _salvage(source)
    return Table(frame.with_columns(pl.Series(RECORD, full, dtype=pl.Int64)))


def _salvage(source: Source) -> Table:
    """Line by line, to keep what can be kept of a file that polars refuses."""
    values = []
    dropped: list[Dropped] = []
    for number, text in enumerate(source.text().split("\n"), 1):
        if text.strip():
            try:
                values.append((number, json.loads(text)))
            except (ValueError, RecursionError):
                dropped.append(Dropped(number, "is not JSON"))
    return _from_values(source, values, dropped, "line")


def read_array(source: Source) -> Table:
    """A list of objects."""
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
        elif _is_broken(value):
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
    # Plain values as text; lists and objects become JSON text (no format reads them as names).
    keys = dict.fromkeys(key for o in objects for key in o)
    frame = pl.DataFrame({k: pl.Series([_as_text(o.get(k)) for o in objects], dtype=pl.String) for k in keys})
    numbered = frame.with_columns(pl.Series(RECORD, numbers, dtype=pl.Int64))
    return Table(numbered, dropped=tuple(dropped), line_word=word)


def _is_broken(value: dict[str, Any]) -> bool:
    try:
        return has_half_character(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return True


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)
