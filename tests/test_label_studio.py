"""Label Studio's exports. The shapes are those of its documentation and of its converter's code."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import DroppedRowsWarning, read, read_with_report
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]

_SYSTEMS = [("m1", "m2"), ("m2", "m3"), ("m1", "m3")]


def _result(side: str | None, kind: str = "pairwise", name: str = "pw") -> list[dict[str, Any]]:
    if side is None:
        return []
    value = {"selected": side} if kind == "pairwise" else {"choices": [side]}
    return [{"id": "x7", "from_name": name, "to_name": name, "type": kind, "origin": "manual", "value": value}]


def _annotation(number: int, by: Any, result: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "id": 1000 + number, "completed_by": by, "result": result, "was_cancelled": False, "ground_truth": False,
        "created_at": f"2024-03-0{number + 1}T10:00:00.250000Z", "updated_at": "2024-03-09T22:16:08.728378Z",
        "lead_time": 4.5 + number, "task": number, "result_count": 1, **more,
    }  # fmt: skip


def _tasks(sides: list[str | None], **how: Any) -> list[dict[str, Any]]:
    """One annotation of every pair of systems, by judges 10 and 11 in turn."""
    return [
        {
            "id": 50 + number, "project": 83, "inner_id": number,
            "data": {"prompt": f"p{number}", "text1": "Hello", "text2": "Hi, there", "model_a": a, "model_b": b},
            "annotations": [_annotation(number, 10 + number % 2, _result(side, **how))], "predictions": [],
        }
        for number, ((a, b), side) in enumerate(zip(_SYSTEMS, sides, strict=True))
    ]  # fmt: skip


def _minimal(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """JSON-MIN as the converter makes it: the fields of the task, one for every tag, and who, when and how long."""
    records = []
    for task in tasks:
        for annotation in task["annotations"]:
            answers = {}
            for result in annotation["result"]:
                choices = result["value"].get("choices")
                answers[result["from_name"]] = choices[0] if choices else [result["value"]]
            added = {key: annotation[key] for key in ("created_at", "updated_at", "lead_time")}
            ids = {"id": task["id"], "annotator": annotation["completed_by"], "annotation_id": annotation["id"]}
            records.append({**task["data"], **ids, **answers, **added})
    return records


def _table(records: list[dict[str, Any]]) -> str:
    """CSV as the converter makes it: what is not text is JSON."""
    out = io.StringIO()
    names = list(dict.fromkeys(key for record in records for key in record))
    writer = csv.DictWriter(out, names)
    writer.writeheader()
    for record in records:
        writer.writerow({k: v if isinstance(v, str) else json.dumps(v) for k, v in record.items()})
    return out.getvalue()


def _outcomes(judgments: Judgments) -> set[tuple[str, str, int]]:
    return set(judgments.to_rows().select("system_a", "system_b", "outcome").iter_rows())


_SIDES: list[str | None] = ["left", "right", "left"]
_MEANT = {("m1", "m2", 1), ("m2", "m3", -1), ("m1", "m3", 1)}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(_tasks(_SIDES)),
        json.dumps(_tasks(_SIDES), indent=2),
        "\n".join(map(json.dumps, _tasks(_SIDES))),
        json.dumps(_minimal(_tasks(_SIDES))),
        _table(_minimal(_tasks(_SIDES))),
    ],
    ids=["json", "indented", "lines", "json-min", "csv"],
)
def test_a_pairwise_tag(text: str, file: MakeFile) -> None:
    judgments, report = read_with_report(file(text, "export"), options=ReadOptions(faults=0))
    assert report.format == "label-studio"
    assert _outcomes(judgments) == _MEANT
    first = judgments.to_rows().sort("duration").row(0, named=True)
    assert (first["segment"], first["judge"], first["duration"]) == ("p0", "10", 4.5)
    assert first["time"] == datetime(2024, 3, 1, 10, 0, 0, 250000)
    assert (first["position_a"], first["position_b"]) == (1, 2)


@pytest.mark.parametrize("shape", [json.dumps, lambda tasks: json.dumps(_minimal(tasks))])
def test_choices(shape: Callable[[Any], str], file: MakeFile) -> None:
    text = shape(_tasks(["left", "right", "tie"], kind="choices", name="better"))
    options = ReadOptions(faults=0, columns={"outcome": "better"} if "annotations" not in text else {})
    judgments = read(file(text, "export.json"), options=options)
    assert _outcomes(judgments) == {("m1", "m2", 1), ("m2", "m3", -1), ("m1", "m3", 0)}
    assert not judgments.has("position_a")  # a choice does not say on which side a system was


def test_systems_called_like_sides(file: MakeFile) -> None:
    """The tag answers by sides: a system that is called right and stands on the left has won with left."""
    tasks = _tasks(_SIDES)
    for task in tasks:
        task["data"] |= {"model_a": "right", "model_b": "left"}
    judgments = read(file(json.dumps(tasks)), faults=0)
    assert judgments.counts.wins.tolist() == [[0, 1], [2, 0]]  # left won once, right twice


def test_what_is_skipped_is_said(file: MakeFile) -> None:
    tasks = _tasks(["left", None, "left"])
    tasks[2]["annotations"].append(_annotation(3, 12, _result("right"), was_cancelled=True))
    tasks.append({"id": 99, "data": {"model_a": "m1", "model_b": "m2"}, "annotations": []})
    judgments, report = read_with_report(file(json.dumps(tasks)), options=ReadOptions(faults=0))
    assert _outcomes(judgments) == {("m1", "m2", 1), ("m1", "m3", 1)}
    assert [(d.line, d.reason, d.skipped) for d in report.dropped] == [
        (2, "annotation in which neither side is selected", True),
        (3, "skipped by the judge", True),
        (4, "task without an annotation", True),
    ]
    assert report.lines()[0].startswith(f"{report.source}: skipped task 2: ")
    assert any("1 × annotation in which neither side is selected" in note for note in report.notes)


def test_several_annotations_of_a_task(file: MakeFile) -> None:
    tasks = _tasks(_SIDES)[:1]
    tasks[0]["annotations"] += [_annotation(1, {"id": 4, "email": "bob@x.org"}, _result("right"))]
    judgments = read(file(json.dumps(tasks)), faults=0)
    assert judgments.judges == ("10", "bob@x.org")
    assert judgments.segments == ("p0",)
    assert len(judgments) == 2


def test_the_id_of_the_task_where_nothing_else_names_the_segment(file: MakeFile) -> None:
    tasks = _tasks(_SIDES)
    for task in tasks:
        del task["data"]["prompt"]
    assert read(file(json.dumps(tasks))).segments == ("50", "51", "52")
    assert read(file(_table(_minimal(tasks)))).segments == ("50", "51", "52")


@pytest.mark.parametrize("shape", [json.dumps, lambda tasks: _table(_minimal(tasks))])
def test_fields_that_name_the_systems(shape: Callable[[Any], str], file: MakeFile) -> None:
    tasks = _tasks(_SIDES)
    for task in tasks:
        data = task["data"]
        task["data"] = {
            "prompt": data["prompt"],
            "left": "Hello",
            "right": "Hi",
            "by1": data["model_a"],
            "by2": data["model_b"],
        }
    path = file(shape(tasks), "export")
    with pytest.raises(InputError, match=r"nothing says which systems the two sides are; name .*there are: .*by1, by2"):
        read(path)
    assert _outcomes(read(path, columns={"system_a": "by1", "system_b": "by2"})) == _MEANT


def test_several_questions(file: MakeFile) -> None:
    tasks = _tasks(_SIDES)
    for task in tasks:
        task["annotations"][0]["result"] += _result("right", name="fluency") + _result("yes", "choices", "sure")
    path = file(json.dumps(tasks))
    with pytest.raises(
        InputError, match=r"Label Studio has several questions \(pw, fluency\); .*--column outcome=NAME"
    ):
        read(path)
    assert _outcomes(read(path, columns={"outcome": "pw"})) == _MEANT
    assert {outcome for _, _, outcome in _outcomes(read(path, columns={"outcome": "fluency"}))} == {-1}
    with pytest.raises(InputError, match="there is no question 'x'; there are: pw, fluency, sure"):
        read(path, columns={"outcome": "x"})


def test_a_choice_that_is_no_outcome_stops(file: MakeFile) -> None:
    path = file(json.dumps(_tasks(["left", "right", "what?"], kind="choices")))
    with pytest.raises(InputError, match="what"):
        read(path)
    with pytest.warns(DroppedRowsWarning, match=r"dropped task 3: .*what"):
        assert len(read(path, faults="lenient")) == 2


def test_a_project_that_compares_nothing(file: MakeFile) -> None:
    tasks = _tasks(_SIDES)
    for task in tasks:
        task["annotations"][0]["result"] = [{"from_name": "stars", "type": "rating", "value": {"rating": 3}}]
    with pytest.raises(InputError, match="Label Studio has no question that compares two sides"):
        read(file(json.dumps(tasks)))
