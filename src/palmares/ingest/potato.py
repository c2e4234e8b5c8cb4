"""Annotations of Potato (Pei et al. 2022): comparisons of two sides, joined with the data file that names the systems.

What Potato writes has the id of an instance, the judge and the answers, in one of these forms: ``annotated_instances``
as JSON Lines (``label_annotations``) or as a table (columns ``schema:::label``), and, since its second version, exports
as JSON Lines (``labels``) or as a table (columns ``schema.label``). None of them says which systems were compared.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import InputError
from ..judgments.encoding import as_text
from . import json_tables, tables
from .annotation_tools import ANSWER, compare_sides, one_answer
from .base import RECORD, Parsed, ReadOptions, Table
from .columns import Roles
from .source import Source, load
from .tables import TableFormat

_IDS = ("instance_id", "id")
_NESTED = ("label_annotations", "labels")
#: Labels of Potato's ways to compare two sides: a choice of A, B or tie, and a scale on which A is below 0.
_CHOICE, _SCALE = "selection", "scale_value"
#: Labels of ways to compare more than two, of which the file does not say what they compare.
_MORE = {"best", "worst", "rank_order"}
_SAID_NO = (None, False, "", "false", "False", "0", 0)


class Potato(TableFormat):
    """One record per judge and instance; the answer to one question says which side is better.

    Read only: texts and the questions are not in judgments.
    """

    id = "potato"
    endings = ()

    def matches(self, roles: Roles) -> bool:
        names = roles.present
        has_id = any(name in names for name in _IDS)
        nested = any(name.startswith(tuple(f"{key}." for key in _NESTED)) for name in names)
        complete = roles.has("system_a", "system_b") and (roles.has("winner") or roles.has("outcome"))
        exported = {"instance_id", "user_id"} <= set(names) and any("." in name for name in names) and not complete
        return has_id and (nested or exported or any(":::" in name for name in names))

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        if source.is_parquet or source.data.lstrip()[:1] not in (b"{", b"["):
            return super().parse(source, options)
        tables.check_no_header(source.name, options.header, "JSON")
        values = json_tables.values_of(source)
        objects = [(number, _as_columns(value)) for number, value in values.objects(source)]
        return self.parse_table(json_tables.from_objects(objects, values), options)

    def parse_table(self, table: Table, options: ReadOptions) -> Parsed:
        """With an id called ``instance_id`` and the fields of the data file beside the answers."""
        frame = table.frame
        if "instance_id" not in frame.columns and "id" in frame.columns:
            frame = frame.rename({"id": "instance_id"})
        frame, answer, sides = _answered(frame, options)
        notes = list(table.notes)
        if options.items:
            items = load(options.items)
            frame = _with_items(frame, items)
            notes.append(f"instances from {Path(items.name).name} (sha256 {(items.digest or '')[:12]})")
        columns = {role: name for role, name in options.columns.items() if role not in ("outcome", "winner")}
        roles = Roles.guess(frame.columns, replace(options, columns=columns))
        if not (options.items or roles.has("system_a", "system_b")):
            raise InputError(
                "nothing says which systems the two sides are, for Potato does not write the fields of its instances: "
                "give the file that the instances came from with --items FILE, which is joined by id"
            )
        answered = frame.with_columns(answer.alias(ANSWER))
        sieve = compare_sides(answered, roles, options, sides=sides, silent="instance without an answer")
        if not roles.has("judge"):
            sieve.notes.append("this file of Potato does not name its judges; its tables and the folders of users do")
        records = table.frame.height + len(table.dropped)
        notes += sieve.notes
        return Parsed(sieve.rows(), table.lines(sieve.dropped), records, table.line_word, notes=tuple(notes))


def _as_columns(value: dict[str, Any]) -> dict[str, Any]:
    """A record of JSON with its answers as columns ``schema:::label``, as in tables."""
    flat = {key: inner for key, inner in value.items() if key not in _NESTED}
    for key in _NESTED:
        schemas = value.get(key)
        for schema, labels in schemas.items() if isinstance(schemas, dict) else ():
            given = labels.items() if isinstance(labels, dict) else ((_CHOICE, labels),)
            flat |= {f"{schema}:::{label}": answer for label, answer in given}
    return flat


def _answered(frame: pl.DataFrame, options: ReadOptions) -> tuple[pl.DataFrame, pl.Series, bool]:
    """The frame without the answers, those to the question that counts, and whether they name sides."""
    divider = ":::" if any(":::" in name for name in frame.columns) else "."
    schemas: dict[str, list[str]] = {}
    for name in frame.columns:
        schema, found, label = name.partition(divider)
        if found and not label.startswith("_") and schema != "span_annotation":
            schemas.setdefault(schema, []).append(label)
    questions: dict[str, tuple[str, list[str]]] = {}
    for schema, labels in schemas.items():
        questions |= _questions(frame, schema, labels, divider)
    if not questions and schemas:
        raise InputError(
            f"the questions of this file of Potato ({', '.join(schemas)}) order more than two outputs, and the file "
            "does not say which; only comparisons of two are read"
        )
    kind, columns = questions[one_answer(list(questions), options, "Potato", [])]
    kept = frame.select(name for name in frame.columns if divider not in name)
    return kept, _answer(frame, kind, columns, divider), kind != "radio"


def _questions(frame: pl.DataFrame, schema: str, labels: list[str], divider: str) -> dict[str, tuple[str, list[str]]]:
    """The questions that a schema asks: how they are answered, and the columns of the answers."""
    if _MORE & set(labels):
        return {}
    columns = {label: f"{schema}{divider}{label}" for label in labels}
    if _CHOICE in labels:
        return {schema: (_CHOICE, [columns[_CHOICE]])}
    if _SCALE in labels:
        return {schema: (_SCALE, [columns[_SCALE]])}
    plain = {label: column for label, column in columns.items() if not frame[column].dtype.is_nested()}
    answers = {label: set(as_text(frame[column]).drop_nulls().str.to_lowercase()) for label, column in plain.items()}
    sides = {label for label, given in answers.items() if given and given <= {"a", "b", "tie"}}
    if sides:  # one question for every dimension
        return {f"{schema}:::{label}": (_CHOICE, [columns[label]]) for label in labels if label in sides}
    return {schema: ("radio", list(columns.values()))}


def _answer(frame: pl.DataFrame, kind: str, columns: list[str], divider: str) -> pl.Series:
    if kind != "radio":
        text = as_text(frame[columns[0]]).str.strip_chars()
        given = pl.when(text != "").then(text)
        if kind == _CHOICE:
            return pl.select(given).to_series()
        sign = text.cast(pl.Float64, strict=False).sign()
        words = sign.replace_strict({-1.0: "a", 0.0: "tie", 1.0: "b"}, default=None, return_dtype=pl.String)
        return pl.select(pl.coalesce(words, given)).to_series()
    chosen = []
    for row in frame.select(columns).iter_rows():
        labels = [name.partition(divider)[2] for name, value in zip(columns, row, strict=True) if value not in _SAID_NO]
        chosen.append(" + ".join(labels) or None)
    return pl.Series(chosen, dtype=pl.String)


def _with_items(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """The records with the fields of the instances, which another file holds."""
    items = tables.from_source(source).frame.drop(RECORD)
    ids = as_text(frame["instance_id"])
    keys = [name for name in items.columns if not items[name].dtype.is_nested()]
    keys.sort(key=lambda name: name not in _IDS)
    key = next((name for name in keys if ids.drop_nulls().is_in(as_text(items[name]).implode()).all()), None)
    if key is None:
        fields = ", ".join(items.columns)
        raise InputError(f"--items {source.name}: no field of it has the ids of all instances; it has: {fields}")
    keyed = items.with_columns(as_text(items[key]).alias("instance_id"))
    if keyed["instance_id"].n_unique() < keyed.height:
        raise InputError(
            f"--items {source.name}: field {key!r} has an id twice, so it is not clear which line is meant"
        )
    own = [name for name in frame.columns if name in keyed.columns and name != "instance_id"]
    joined = frame.drop(own).with_columns(ids.alias("instance_id"))
    return joined.join(
        keyed.drop(key if key != "instance_id" else []), on="instance_id", how="left", maintain_order="left"
    )
