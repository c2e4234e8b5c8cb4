"""JSON Lines: one object per segment, ``{"id", "document", "langs", "source", "reference", "outputs": {"A": "…"}}``."""

from __future__ import annotations

import json
from typing import Any

from ..errors import InputError
from .languages import LanguagePair
from .lines import split_lines
from .records import FIELDS, Record, grouped, record_of
from .testset import TestSet

_KEYS = (*FIELDS, "outputs")


def read_json_lines(langs: LanguagePair | None, *, name: str, text: str) -> tuple[TestSet, ...]:
    """One test set per language pair; unknown keys are ignored, and a note says so."""
    records: list[Record] = []
    ignored: set[str] = set()
    for number, line in enumerate(split_lines(text), 1):
        if line.strip():
            value = _object(line, f"{name}: line {number}")
            records.append(_record(value, name, number))
            ignored |= value.keys() - set(_KEYS)
    listed = ", ".join(json.dumps(key, ensure_ascii=False) for key in sorted(ignored)[:10])
    notes = [f"{name}: unknown keys were ignored: {listed}"] if ignored else []
    return grouped(records, langs, name=name, notes=notes)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: is not JSON ({error}); every line must be one object") from None
    if not isinstance(value, dict):
        raise InputError(f"{place}: is a JSON {type(value).__name__}; every line must be one object with 'source'")
    return value


def _record(value: dict[str, Any], name: str, line: int) -> Record:
    place = f"{name}: line {line}"
    outputs = value.get("outputs")
    if not isinstance(outputs, dict) or not all(isinstance(text, str) for text in outputs.values()):
        raise InputError(f'{place}: "outputs" must be an object from system to text, e.g. {{"A": "…"}}')
    if not isinstance(value.get("source"), str):
        raise InputError(f'{place}: "source" must be a text')
    fields = {key: _text(value.get(key), key, place) for key in FIELDS}
    return record_of(name, line, fields, {system: _lines_by_lf(text) for system, text in outputs.items()})


def _text(value: Any, key: str, place: str) -> str | None:
    """A text; numbers will do as ids and documents."""
    if value is None or isinstance(value, str):
        return None if value is None else _lines_by_lf(value)
    if key in ("id", "document") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InputError(f'{place}: "{key}" must be a text; got {json.dumps(value)[:40]}')


def _lines_by_lf(text: str) -> str:
    return text.replace("\r\n", "\n")
