"""JSON objects with the lines on which they begin: one on every line, or the elements of one array."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..errors import InputError
from .lines import split_lines

_DECODER = json.JSONDecoder()
_SPACE = " \t\n\r"


def objects(text: str, name: str, needed: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object with its line; what is none is refused. ``needed`` is a key that an object has."""
    values = _elements(text, name) if text.lstrip().startswith("[") else _lines(text, name)
    for line, value in values:
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise InputError(f"{name}: line {line}: is a JSON {kind}; every line must be one object with {needed!r}")
        yield line, value


def first_object(text: str) -> dict[str, Any] | None:
    """The first object of a text; None if it does not begin with one."""
    start = text.lstrip()
    if start.startswith("["):
        start = start[1:].lstrip()
    try:
        value, _ = _DECODER.raw_decode(start)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _lines(text: str, name: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(split_lines(text), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"{name}: line {number}: is not JSON ({error}); every line must be one object"
                ) from None


def _elements(text: str, name: str) -> Iterator[tuple[int, Any]]:
    """The elements of an array, read one by one: so each has its line, and a broken one is named by it."""
    at, line = _skip(text, text.index("[") + 1), 1
    counted_to = 0
    while at < len(text) and text[at] != "]":
        line, counted_to = line + text.count("\n", counted_to, at), at
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}: line {line}: is not JSON ({error}); an array must hold objects") from None
        yield line, value
        at = _skip(text, end)
        if at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)
        elif at >= len(text) or text[at] != "]":
            break
    if at >= len(text) or text[at] != "]" or text[at + 1 :].strip():
        line += text.count("\n", counted_to, at)
        raise InputError(f"{name}: line {line}: the array is not closed as JSON is; is the file cut off?")


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
