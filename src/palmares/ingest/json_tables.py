"""Tables from JSON: one object a line, a list of objects, or an object that holds one such list.

An object inside an object becomes columns with a dot in their names: ``{"vote": {"winner": "x"}}`` is ``vote.winner``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ..errors import InputError
from .base import RECORD, Dropped, Table
from .delimiters import usual_names
from .source import Source, has_half_character

#: How much of a JSON Lines file tells its columns.
_ENOUGH = 1_000_000
#: Objects are taken apart so many times; what lies deeper stays JSON.
_DEPTH = 4
#: Half a surrogate pair as JSON escapes it; polars silently makes something else of it.
_HALF_ESCAPED = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")


@dataclass
class Values:
    """The values of a JSON file, each with its number, and what is to be said of them."""

    numbered: list[tuple[int, Any]]
    word: str
    dropped: list[Dropped] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def objects(self, source: Source) -> list[tuple[int, dict[str, Any]]]:
        """Those that are objects, at least one; others are dropped."""
        found = []
        for number, value in self.numbered:
            if not isinstance(value, dict):
                self.dropped.append(Dropped(number, f"is a JSON {type(value).__name__}, not an object"))
            elif _is_broken(value):
                self.dropped.append(Dropped(number, "has half of a surrogate pair, which is no character"))
            else:
                found.append((number, value))
        if not any(value for _, value in found):
            first = f"; {self.word} {self.dropped[0].line} {self.dropped[0].reason}" if self.dropped else ""
            raise InputError(
                f"{source.name}: no JSON object with a judgment{first}; each must be like "
                '{"model_a": "x", "model_b": "y", "winner": "model_a"}'
            )
        return found


def read(source: Source) -> Table:
    """Whichever kind of JSON it is."""
    if _is_lines(source) and not _HALF_ESCAPED.search(source.data):
        table = _fast(source)
        if table is not None:
            return table
    values = values_of(source)
    return from_objects(values.objects(source), values)


def values_of(source: Source) -> Values:
    """All values, one by one; what is not JSON is dropped where lines can be told apart, and refused elsewhere."""
    if _is_lines(source):
        return _lines(source)
    try:
        whole = json.loads(source.text())
    except (ValueError, RecursionError) as error:
        if source.data.lstrip()[:1] == b"{":
            return _lines(source)
        raise InputError(f"{source.name}: is not JSON ({error})") from None
    if isinstance(whole, list):
        return Values(list(enumerate(whole, 1)), "object")
    return _unwrapped(source, whole)


def from_objects(objects: list[tuple[int, dict[str, Any]]], values: Values) -> Table:
    """A table of objects. Plain values become text; a column with a list in it holds lists, so that it is no name."""
    flat = [dict(_flat(value)) for _, value in objects]
    keys = dict.fromkeys(key for row in flat for key in row)
    columns = {key: _column([row.get(key) for row in flat]) for key in keys}
    frame = pl.DataFrame({**columns, RECORD: pl.Series([number for number, _ in objects], dtype=pl.Int64)})
    return Table(frame, dropped=tuple(values.dropped), line_word=values.word, notes=values.notes)


def first_keys(source: Source) -> list[str]:
    """The columns of JSON Lines, from as little of the file as will do; none if that little tells nothing."""
    if not _is_lines(source):
        return []
    lines = source.data.lstrip()[:_ENOUGH].split(b"\n")[:-1]
    return list({key: None for line in lines for key in _keys(line)})


def flat_keys(value: dict[str, Any]) -> list[str]:
    """The columns that an object has."""
    return [key for key, _ in _flat(value)]


def _keys(line: bytes) -> Iterable[str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return flat_keys(value) if isinstance(value, dict) else ()


def _is_lines(source: Source) -> bool:
    """Whether these are several objects, one a line."""
    data = source.data.lstrip()
    if data[:1] != b"{":
        return False
    first, _, rest = data.partition(b"\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _fast(source: Source) -> Table | None:
    """JSON Lines read by polars; None where it reads something else than a line an object."""
    try:
        frame = pl.read_ndjson(source.data, infer_schema_length=None)
        for _ in range(_DEPTH):
            structs = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Struct)]
            frame = frame.unnest(structs, separator=".") if structs else frame
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    full = [n for n, line in enumerate(source.data.split(b"\n"), 1) if line.strip()]
    if len(full) != frame.height or not frame.width:
        return None
    return Table(frame.with_columns(pl.Series(RECORD, full, dtype=pl.Int64)))


def _lines(source: Source) -> Values:
    """Line by line, to keep what can be kept of a file that polars refuses."""
    values = Values([], "line")
    for number, text in enumerate(source.text().split("\n"), 1):
        if text.strip():
            try:
                values.numbered.append((number, json.loads(text)))
            except (ValueError, RecursionError):
                values.dropped.append(Dropped(number, "is not JSON"))
    return values


def _unwrapped(source: Source, whole: dict[str, Any]) -> Values:
    """The one list of objects in an object, or the object itself if it is a judgment."""
    lists = dict(_lists(whole))
    record = usual_names(flat_keys(whole)) > 1 or isinstance(whole.get("data"), dict)
    if record or not lists:
        return Values([(1, whole)], "line")
    if len(lists) > 1:
        raise InputError(
            f"{source.name}: has {len(lists)} lists of objects, under {', '.join(map(repr, lists))}; "
            "a file of judgments has one: give the one that holds them in a file of its own"
        )
    [(path, values)] = lists.items()
    beside = [key for key in flat_keys(whole) if key != path]
    more = f"; what stands beside it is not: {', '.join(beside[:8])}" if beside else ""
    return Values(
        list(enumerate(values, 1)), "object", notes=(f"{source.name}: the list under {path!r} is read{more}",)
    )


def _lists(value: dict[str, Any], path: str = "", depth: int = _DEPTH) -> Iterator[tuple[str, list[Any]]]:
    for key, inner in value.items():
        if isinstance(inner, list) and any(isinstance(item, dict) for item in inner):
            yield f"{path}{key}", inner
        elif isinstance(inner, dict) and depth:
            yield from _lists(inner, f"{path}{key}.", depth - 1)


def _flat(value: dict[str, Any], path: str = "", depth: int = _DEPTH) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, dict) and inner and depth:
            yield from _flat(inner, f"{path}{key}.", depth - 1)
        else:
            yield f"{path}{key}", inner


def _is_broken(value: dict[str, Any]) -> bool:
    try:
        return has_half_character(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return True


def _column(values: list[Any]) -> pl.Series:
    texts = [_as_text(value) for value in values]
    if any(isinstance(value, list | dict) for value in values):
        return pl.Series([text if text is None else [text] for text in texts], dtype=pl.List(pl.String))
    return pl.Series(texts, dtype=pl.String)


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)
