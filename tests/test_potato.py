"""Potato's annotations, in the shapes that its code and its documentation give for both of its versions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import read, read_with_report
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]

#: Judge, instance, answer.
_ANSWERS = [("ann", "i1", "A"), ("ann", "i2", "B"), ("bob", "i1", "tie"), ("bob", "i3", "A")]
_ITEMS = [
    {"id": "i1", "text": ["Hello", "Hi"], "model_a": "m1", "model_b": "m2", "segment": "7"},
    {"id": "i2", "text": ["Yes", "No"], "model_a": "m2", "model_b": "m3", "segment": "8"},
    {"id": "i3", "text": ["So", "No"], "model_a": "m3", "model_b": "m1", "segment": "9"},
]
_MEANT = [("ann", "m1", "m2", 1), ("ann", "m2", "m3", -1), ("bob", "m1", "m2", 0), ("bob", "m1", "m3", -1)]


def _lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _table(records: list[dict[str, Any]], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(k for r in records for k in r)), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def _first_version(labels: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    """``annotated_instances.jsonl``, here with the judge, which older versions do not write."""
    return [
        {"user_id": user, "instance_id": item, "displayed_text": "A. Hello<br>B. Hi", "span_annotations": [],
         "label_annotations": {"pref": labels(answer)}, "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 3s"}}
        for user, item, answer in _ANSWERS
    ]  # fmt: skip


_EXPORTS = {
    "jsonl": _lines(_first_version(lambda answer: {"selection": answer})),
    "radio-jsonl": _lines(_first_version(lambda answer: {answer: "1"})),
    "checked-jsonl": _lines(_first_version(lambda answer: {label: label == answer for label in ("A", "B", "tie")})),
    "csv": _table([
        {"user": user, "instance_id": item, "displayed_text": "A, B", "pref:::selection": answer}
        for user, item, answer in _ANSWERS
    ]),
    "radio-tsv": _table([
        {"user": user, "instance_id": item, "displayed_text": "A, B", f"pref:::{answer}": "1"}
        for user, item, answer in _ANSWERS
    ], "\t"),
    "second-csv": _table([
        {"instance_id": item, "user_id": user, "pref.selection": answer} for user, item, answer in _ANSWERS
    ]),
    "second-jsonl": _lines([
        {"instance_id": item, "user_id": user, "labels": {"pref": {"selection": answer}}, "spans": {}, "links": {}}
        for user, item, answer in _ANSWERS
    ]),
    "scale-jsonl": _lines(_first_version(
        lambda answer: {"scale_value": {"A": "-2", "B": "1", "tie": "0"}[answer]}
    )),
}  # fmt: skip


def _rows(judgments: Judgments) -> list[tuple[Any, ...]]:
    return sorted(judgments.to_rows().select("judge", "system_a", "system_b", "outcome").iter_rows())


@pytest.mark.parametrize("name", _EXPORTS)
@pytest.mark.parametrize("items", ["jsonl", "csv"])
def test_every_shape(name: str, items: str, file: MakeFile) -> None:
    data = file(_lines(_ITEMS) if items == "jsonl" else _table(_ITEMS), f"data.{items}")
    options = ReadOptions(items=str(data), faults=0)
    judgments, report = read_with_report(file(_EXPORTS[name], "annotated_instances"), options=options)
    assert report.format == "potato"
    assert _rows(judgments) == _MEANT
    assert judgments.segments == ("7", "8", "9")
    assert judgments.has("position_a") == ("radio" not in name and "checked" not in name)
    assert any(note.startswith(f"instances from {Path(data).name} (sha256 ") for note in report.notes)


def test_without_the_instances_nothing_names_the_systems(file: MakeFile, refused: Callable[..., str]) -> None:
    path = file(_EXPORTS["csv"])
    message = refused("rank", path)
    assert "nothing says which systems the two sides are" in message
    assert "--items FILE" in message


def test_on_the_command_line(file: MakeFile, ok: Callable[..., object]) -> None:
    data = file(_lines(_ITEMS).replace("model_a", "one").replace("model_b", "two"), "data.jsonl")
    columns = ("--column", "system_a=one", "--column", "system_b=two")
    ok("head-to-head", file(_EXPORTS["csv"]), "--items", data, *columns)


def test_systems_in_the_export_itself(file: MakeFile) -> None:
    records = [
        {"user": user, "instance_id": item, "model_a": "x", "model_b": "y", "pref:::selection": answer}
        for user, item, answer in _ANSWERS
    ]
    assert read(file(_table(records)), faults=0).systems == ("x", "y")


def test_no_judge_is_said(file: MakeFile) -> None:
    """The older JSON Lines: an id, and nobody."""
    lines = [
        {"id": item, "displayed_text": "", "label_annotations": {"pref": {"selection": answer}}, "span_annotations": []}
        for _, item, answer in _ANSWERS
    ]
    data = file(_lines(_ITEMS), "data.jsonl")
    judgments, report = read_with_report(file(_lines(lines)), options=ReadOptions(items=str(data), faults=0))
    assert len(judgments) == 4
    assert not judgments.has("judge")
    assert any("does not name its judges" in note for note in report.notes)


def test_an_instance_without_an_answer_is_skipped(file: MakeFile) -> None:
    text = _EXPORTS["csv"] + "cat,i1,x,\n"
    options = ReadOptions(items=str(file(_lines(_ITEMS), "data.jsonl")), faults=0)
    judgments, report = read_with_report(file(text), options=options)
    assert len(judgments) == 4
    assert [(d.line, d.reason, d.skipped) for d in report.dropped] == [(6, "instance without an answer", True)]


def test_several_dimensions(file: MakeFile) -> None:
    lines = [
        {"instance_id": item, "user_id": user, "spans": {}, "links": {},
         "labels": {"both": {"helpful": answer, "safe": "tie", "justification": '{"reasons": []}'}}}
        for user, item, answer in _ANSWERS
    ]  # fmt: skip
    path, data = file(_lines(lines)), file(_lines(_ITEMS), "data.jsonl")
    with pytest.raises(InputError, match=r"Potato has several questions \(both:::helpful, both:::safe\)"):
        read(path, options=ReadOptions(items=str(data)))
    named = ReadOptions(items=str(data), columns={"outcome": "both:::helpful"}, faults=0)
    assert _rows(read(path, options=named)) == _MEANT


@pytest.mark.parametrize("labels", [{"best": "B", "worst": "D"}, {"rank_order": "B,D=A,C"}])
def test_orders_of_more_than_two_are_refused(labels: dict[str, str], file: MakeFile) -> None:
    lines = [{"instance_id": item, "user_id": user, "labels": {"bws": labels}} for user, item, _ in _ANSWERS]
    with pytest.raises(InputError, match=r"\(bws\) order more than two outputs, .*only comparisons of two are read"):
        read(file(_lines(lines)), options=ReadOptions(items=str(file(_lines(_ITEMS), "data.jsonl"))))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (_ITEMS[:2], "no field of it has the ids of all instances; it has: id, text"),
        ([*_ITEMS, _ITEMS[0]], "field 'id' has an id twice"),
        ([{**item, "model_b": None} for item in _ITEMS], "a system is missing"),
    ],
)
def test_instances_that_do_not_fit(items: list[dict[str, Any]], message: str, file: MakeFile) -> None:
    with pytest.raises(InputError, match=message):
        read(file(_EXPORTS["csv"]), options=ReadOptions(items=str(file(_lines(items), "data.jsonl"))))


def test_instances_for_what_needs_none(file: MakeFile) -> None:
    path = file("system_a,system_b,outcome\nm1,m2,a\n")
    with pytest.raises(InputError, match="is of the format 'pairwise', and --items is for exports of Potato"):
        read(path, options=ReadOptions(items=str(path)))
