"""``palmares describe --columns``: how every file was read."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest

MakeFile = Callable[..., Path]

#: Two judges rank three systems, ann on two segments, bob on one.
_ROWS = [
    ("ann", 1, "A", "B", "left"), ("ann", 1, "B", "C", "left"), ("ann", 1, "A", "C", "left"),
    ("ann", 2, "A", "B", "tie"), ("ann", 2, "B", "C", "right"), ("ann", 2, "A", "C", "right"),
    ("bob", 1, "B", "A", "right"), ("bob", 1, "B", "C", "right"), ("bob", 1, "A", "C", "tie"),
]  # fmt: skip
_HEADER = "user;prompt;left;right;winner;lang;batch"


def _table(rows: list[tuple[Any, ...]] = _ROWS) -> str:
    return "\n".join([_HEADER, *[";".join(map(str, (*row, "-1", f"b{n % 2}"))) for n, row in enumerate(rows)]])


def _uses(overview: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {use["column"]: (use["role"], use["why"]) for use in overview["columns"]}


def test_what_columns_were_taken_for_and_why(file: MakeFile, ok: Callable[..., Any]) -> None:
    path = file(_table())
    [overview] = ok(
        "describe", path, "--columns", "--column", "judge=user", "--extra", "batch", "--format", "json"
    ).json
    assert _uses(overview) == {
        "user": ("judge", "named"),
        "prompt": ("segment", "guessed"),
        "left": ("system_a", "guessed"),
        "right": ("system_b", "guessed"),
        "winner": ("winner", "usual"),
        "lang": ("", "not used"),
        "batch": ("covariate", "named"),
    }
    [left] = [use for use in overview["columns"] if use["column"] == "left"]
    assert left["examples"] == ["A", "B"]
    assert (overview["format"], overview["layout"], overview["encoding"]) == (
        "pairwise",
        "text delimited by semicolon",
        "utf-8",
    )
    assert overview["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert (overview["records"], overview["judgments"], overview["rankings"]) == (9, 9, 3)
    assert any("3 rankings were rebuilt from judge and segment" in note for note in overview["notes"])


def test_what_was_left_out_and_what_is_there_twice(file: MakeFile, ok: Callable[..., Any]) -> None:
    rows = [*_ROWS, ("cat", 3, "A", "B", "left"), ("cat", 3, "B", "A", "right"), ("cat", 3, "A", "A", "left")]
    result = ok("describe", file(_table(rows)), "--columns", "--column", "ranking=", "--format", "json")
    [overview] = result.json
    assert (overview["dropped"], overview["skipped"], overview["judgments"]) == (1, 0, 11)
    assert overview["reasons"][0].endswith("dropped line 13: system 'A' is compared with itself")
    assert overview["repeated_judgments"] == 1  # cat's second line says what the first one does
    assert any(note.startswith("other commands refuse this file: 1 of 12 records") for note in overview["notes"])


def test_the_table_says_the_same(file: MakeFile, ok: Callable[..., Any]) -> None:
    path = file(_table())
    lines = [" ".join(line.split()) for line in ok("describe", path, "--columns").out.splitlines()]
    assert lines[0] == str(path)
    assert lines[1] == "column role why examples"
    assert "prompt segment guessed 1, 2" in lines
    assert "format: pairwise (text delimited by semicolon, utf-8)" in lines
    assert "9 records, 0 of them dropped and 0 skipped: 9 judgments, 3 rankings" in lines
    assert lines[-1].startswith("judgments:9|data:")
    markdown = ok("describe", path, "--columns", "--format", "markdown").out
    assert "| prompt | segment | guessed | 1, 2 |" in [" ".join(line.split()) for line in markdown.splitlines()]
    printed = ok("describe", path, "--columns", "--format", "csv")
    [row] = [row for row in csv.DictReader(io.StringIO(printed.out)) if row["column"] == "prompt"]
    assert row == {
        "file": str(path), "format": "pairwise", "column": "prompt", "role": "segment", "why": "guessed",
        "examples": "1; 2", "remark": "",
    }  # fmt: skip
    assert "format: pairwise" in printed.err


def test_ids_that_were_refused_are_remarked(file: MakeFile, ok: Callable[..., Any]) -> None:
    rows = "".join(f"A,B,a,{n % 4},-1\n" for n in range(40))
    path = file(f"system_a,system_b,outcome,hit,lang_pair\n{rows}")
    [overview] = ok("describe", path, "--columns", "--format", "json").json
    remarks = {use["column"]: use["remark"] for use in overview["columns"] if use["remark"]}
    assert remarks == {
        "hit": "not taken for the ranking id: '0' has 'A' and 'B' compared 10 times",
        "lang_pair": "has only '-1', which names nothing",
    }
    assert "not taken for the ranking id" in ok("describe", path, "--columns").out


def test_files_are_compared(file: MakeFile, ok: Callable[..., Any], refused: Callable[..., str]) -> None:
    one, two = file(_table(), "1.csv"), file(_table([*_ROWS[:3], ("cat", 9, "A", "B", "left")]), "2.csv")
    overviews = ok("describe", one, two, "--columns", "--format", "json").json
    assert [overview["file"] for overview in overviews] == [str(one), str(two)]
    assert overviews[1]["notes"][-1] == "1 ranking repeats one of another file exactly"
    again = file(_table(), "3.csv")
    assert "3.csv: has the same content as" in refused("describe", one, again, "--columns")


@pytest.mark.parametrize("option", [["--systems"], ["--where", "judge=ann"], ["--by", "judge"]])
def test_columns_are_those_of_whole_files(option: list[str], file: MakeFile, refused: Callable[..., str]) -> None:
    assert "--columns shows how whole files were read" in refused("describe", file(_table()), "--columns", *option)


def test_files_that_are_no_tables(file: MakeFile, ok: Callable[..., Any]) -> None:
    xml = (
        '<r><ranking-item src-id="5" user="u" duration="00:01:00" note="x"><translation system="A,B" rank="1"/>'
        '<translation system="C" rank="2"/></ranking-item></r>'
    )
    [overview] = ok("describe", file(xml, "x.xml"), "--columns", "--format", "json").json
    assert _uses(overview) == {
        "system of translation": ("system", "usual"),
        "rank of translation": ("rank", "usual"),
        "src-id": ("segment", "usual"),
        "user": ("judge", "usual"),
        "duration": ("duration", "usual"),
        "note": ("", "not used"),
    }
    assert (overview["layout"], overview["shared_outputs"]) == ("XML", 1)
    orders = file("# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n3: 1,2\n", "x.soc")
    [overview] = ok("describe", orders, "--columns", "--format", "json").json
    assert _uses(overview) == {"ALTERNATIVE NAME": ("system", "usual"), "COUNT": ("rankings", "usual")}
    parquet = orders.with_name("x.parquet")
    pl.DataFrame({"model_a": ["A"], "model_b": ["B"], "winner": ["tie"], "conversation_a": [[1]]}).write_parquet(
        parquet
    )
    [overview] = ok("describe", parquet, "--columns", "--format", "json").json
    assert (overview["layout"], overview["encoding"]) == ("Parquet", None)
    assert _uses(overview)["conversation_a"] == ("", "not used")


@pytest.mark.real
def test_published_files(real_data: Path, ok: Callable[..., Any]) -> None:
    path = real_data / "wmt16" / "wmt16.collapsed.ron-eng.csv"
    [overview] = ok("describe", path, "--columns", "--format", "json").json
    uses = _uses(overview)
    assert {why for _, why in uses.values()} == {"usual", "not used"}
    assert (uses["rankingID"][0], uses["segmentId"][0], uses["srcIndex"][0]) == ("ranking", "segment", "")
    lines = path.read_bytes().replace(b"\r", b"").decode().split("\n")[1:]
    rows = [line.split(",") for line in lines if line]
    shared = {(row[9], name) for row in rows for name in (row[5], row[7]) if "+" in name}
    assert overview["shared_outputs"] == len(shared)
    assert overview["notes"] == []
