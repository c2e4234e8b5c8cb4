"""Exports of Label Studio: JSON, JSON-MIN and CSV, with the tag Pairwise or with Choices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from . import json_tables, tables
from .annotation_tools import ANSWER, compare_sides, one_answer
from .base import Dropped, Parsed, ReadOptions, Table
from .columns import Roles, Sieve, name_values
from .source import Source
from .tables import TableFormat

#: What JSON-MIN and CSV add to the fields of a task.
_ADDED = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time")


class LabelStudio(TableFormat):
    """Tasks with annotations, of which one tag says which side is better; fields of the task name the systems.

    Read only: texts and the labelling interface are not in judgments.
    """

    id = "label-studio"
    endings = ()

    def matches(self, roles: Roles) -> bool:
        return set(_ADDED) <= set(roles.present) or _are_tasks(roles.present)

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        if source.is_parquet or source.data.lstrip()[:1] not in (b"{", b"["):
            return super().parse(source, options)
        tables.check_no_header(source.name, options.header, "JSON")
        values = json_tables.values_of(source)
        objects = values.objects(source)
        if not _are_tasks(tuple(key for _, value in objects for key in json_tables.flat_keys(value))):
            return self.parse_table(json_tables.from_objects(objects, values), options)
        table, controls = _annotations(objects, values)
        chosen = [name for name, kind in controls.items() if kind == "pairwise"] or list(controls)
        outcome = one_answer(chosen, options, "Label Studio", [name for name in controls if name not in chosen])
        columns = {**options.columns, "winner": "", "outcome": outcome}
        return self.parse_table(table, replace(options, columns=columns))

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        pairwise = {name: answers for name in roles.present if (answers := _selected(frame[name])) is not None}
        fields = [name for name in roles.present if name not in (*pairwise, *_ADDED, "id")]
        column = one_answer(list(pairwise), options, "Label Studio", fields)
        sides = column in pairwise
        answers = pairwise[column] if sides else name_values(frame, column)
        added = {"judge": "annotator", "time": "created_at", "duration": "lead_time"}
        known = {role: name for role, name in added.items() if name in roles.present and role not in options.columns}
        if not roles.has("segment") and "id" in roles.present:
            known["segment"] = "id"
        roles = Roles({**roles.column, **known}, roles.present)
        silent = "annotation in which neither side is selected"
        return compare_sides(frame.with_columns(answers.alias(ANSWER)), roles, options, sides=sides, silent=silent)


def _are_tasks(names: tuple[str, ...]) -> bool:
    """Whether these are tasks with their annotations (JSON), rather than one row per annotation."""
    return any(name in names for name in ("annotations", "completions")) and any(n.startswith("data.") for n in names)


def _annotations(objects: list[tuple[int, dict[str, Any]]], values: json_tables.Values) -> tuple[Table, dict[str, str]]:
    """One row per annotation, as JSON-MIN has them, and the type of every tag that judges answered."""
    records: list[tuple[int, dict[str, Any]]] = []
    numbers: list[int] = []
    dropped = list(values.dropped)
    controls: dict[str, str] = {}
    for number, task in objects:
        annotations = _dicts(task.get("annotations") or task.get("completions"))
        if not annotations:
            dropped.append(Dropped(number, "task without an annotation", "skipped"))
        for annotation in annotations:
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                dropped.append(Dropped(number, "skipped by the judge", "skipped"))
                continue
            answers = {}
            for name, kind, answer in _answers(annotation):
                controls[name] = kind
                answers[name] = answer
            records.append((len(records), {**_row(task, annotation), **answers}))
            numbers.append(number)
    table = json_tables.from_objects(records or [(0, {"id": None})], replace(values, dropped=[]))
    return replace(table, line_of=lambda record: numbers[record], dropped=tuple(dropped), line_word="task"), controls


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _row(task: dict[str, Any], annotation: dict[str, Any]) -> dict[str, Any]:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    data = task.get("data")
    added = {name: annotation.get(name) for name in _ADDED[2:]}
    return {**(data if isinstance(data, dict) else {}), "id": task.get("id"), "annotator": by, **added}


def _answers(annotation: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """The name and type of every tag that compares or chooses, and the answer as JSON-MIN has it."""
    for result in _dicts(annotation.get("result")):
        name, kind, value = (result.get(key) for key in ("from_name", "type", "value"))
        if not isinstance(name, str) or not isinstance(value, dict):
            continue
        if kind == "pairwise":
            yield name, kind, [value]
        elif kind == "choices":
            choices = value.get("choices")
            yield name, kind, choices[0] if isinstance(choices, list) and len(choices) == 1 else choices


def _selected(column: pl.Series) -> pl.Series | None:
    """The sides that the tag Pairwise selected, if all values of a column are such; null where none is."""
    texts = column.list.first() if column.dtype == pl.List(pl.String) else column
    if texts.dtype != pl.String or not texts.drop_nulls().str.starts_with("[{").any():
        return None
    known = {text: _side(text) for text in texts.drop_nulls().unique()}
    if any(side is None for side in known.values()):
        return None
    sides = texts.replace_strict(list(known), list(known.values()), default=None, return_dtype=pl.String)
    return pl.select(pl.when(sides.is_in(["left", "right"])).then(sides)).to_series()


def _side(text: str) -> str | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list) or len(value) > 1 or not all(isinstance(item, dict) for item in value):
        return None
    side = value[0].get("selected") if value else "none"
    return side if side in ("left", "right", "none") else None
