"""Columns that are named are used or refused, columns that are guessed are said, and so is what is there twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from builders import loose_table, ranked_table

import palmares as pm
from palmares.errors import InputError
from palmares.ingest.base import ReadOptions, ReadReport
from palmares.ingest.files import read, read_with_report
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]


def _read(source: Any, **options: Any) -> tuple[Judgments, ReadReport]:
    return read_with_report(source, options=ReadOptions(**options))


# -- columns that are named, or guessed ----------------------------------------------------------------

_FILES = {
    "wmt": ("system1Id,system1rank,system2Id,system2rank,system3Id,system3rank,x\nA,1,B,2,C,3,u\n", "ranking", "judge"),
    "wmt-pairwise": ("system1Id,system1rank,system2Id,system2rank,x\nA,1,B,2,u\n", "rank_a", "segment"),
    "chosen-rejected": ("chosen,rejected,x\nA,B,u\n", "score", "judge"),
    "scores": ("segment,system,score,x\n1,A,1,u\n1,B,2,u\n", "weight", "judge"),
    "preflib": ("# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n1: 1,2\n", "judge", None),
}  # fmt: skip


@pytest.mark.parametrize("format_id", _FILES)
def test_a_column_is_used_or_refused(format_id: str, file: MakeFile) -> None:
    text, foreign, known = _FILES[format_id]
    path = file(text)
    assert _read(path)[1].format == format_id
    with pytest.raises(InputError, match=f"--column {foreign}=x: format '{format_id}' has no such role; "):
        read(path, columns={foreign: "x"})
    if known is not None:
        assert set(read(path, columns={known: "x"}).names[known]) == {"u"}


def test_a_database_takes_no_columns() -> None:
    with pytest.raises(InputError, match="--column judge=x: sqlite://… is a database, which knows what its columns"):
        read("sqlite:///nowhere.db", columns={"judge": "x"})


def test_votes_with_other_columns(file: MakeFile) -> None:
    """The file looks like votes of an arena, but was said to have its systems elsewhere."""
    path = file("model_a,model_b,winner,one,two\nm1,m2,tie,A,B\nm3,m4,tie,A,C\n")
    assert _read(path)[1].format == "arena"
    assert read(path, columns={"system_a": "one", "system_b": "two"}).systems == ("A", "B", "C")


def test_a_column_that_is_named_beats_one_that_is_guessed(file: MakeFile) -> None:
    path = file("system_a,system_b,outcome,verdict\nA,B,a,b\nB,C,a,b\n")
    assert read(path, columns={"winner": "verdict"}).codes("outcome").tolist() == [-1, -1]
    assert read(path, columns={"outcome": "outcome"}).codes("outcome").tolist() == [1, 1]
    with pytest.raises(InputError, match="--column loser=verdict has no place beside what was read: system_a from"):
        read(path, columns={"loser": "verdict"})


def test_what_was_guessed_is_said_in_one_note(file: MakeFile, ok: Callable[..., Any]) -> None:
    rows = "".join(f"A,B,left,p{n % 7},u{n % 5}\nB,C,right,p{n % 7},u{n % 5}\n" for n in range(40))
    path = file(f"left,right,winner,prompt,user\n{rows}")
    [ranking] = ok("rank", path, "--resamples", "50", "--format", "json").json
    [note] = [note for note in ranking["notes"] if "guessed" in note]
    assert note.startswith(
        "guessed from the names of columns: system_a from 'left', system_b from 'right', segment from 'prompt', judge "
        "from 'user' ("
    )
    named = [
        "--column",
        "system_a=left",
        "--column",
        "system_b=right",
        "--column",
        "segment=prompt",
        "--column",
        "judge=user",
    ]
    [ranking] = ok("rank", path, *named, "--resamples", "50", "--format", "json").json
    assert not any("guessed" in note for note in ranking["notes"])
    usual = file(f"system_a,system_b,winner,segment_id,annotator\n{rows}", "usual.csv")
    assert _read(usual)[1].notes == ()


# -- what is there twice -------------------------------------------------------------------------------


def _repeat_notes(judgments: Judgments) -> list[str]:
    return [note for note in pm.rank(judgments, resample=None, rng=0).notes if "repeat" in note]


def test_fifty_identical_rows_are_counted_and_said() -> None:
    frame = loose_table(850, judge=lambda n: n % 30, segment=lambda n: n)
    judgments = read(pl.concat([frame, *[frame[:1]] * 50]))
    assert _repeat_notes(judgments) == [
        "50 of 900 judgments repeat another one exactly (same judge, segment, systems and outcome); each is counted"
    ]
    assert len(judgments) == 900
    assert _repeat_notes(read(frame)) == []
    # Nobody knows whether two judges said so, or one judge of two segments.
    assert _repeat_notes(read(pl.concat([frame, frame]).drop("judge"))) == []


def test_rows_that_differ_in_time_are_no_repeats() -> None:
    frame = loose_table(40, judge=lambda n: n % 3, segment=lambda n: n)
    timed = [frame.with_columns(time=pl.lit(f"2024-01-0{day}T00:00:00")) for day in (1, 2)]
    assert _repeat_notes(read(pl.concat(timed))) == []
    assert len(_repeat_notes(read(pl.concat([timed[0], timed[0]])))) == 1


def test_repeats_across_files_are_said(file: MakeFile) -> None:
    frame = loose_table(60, judge=lambda n: n % 3, segment=lambda n: n)
    one, two = (read(file(part.write_csv(), f"{k}.csv")) for k, part in enumerate((frame[:40], frame[30:])))
    [note] = _repeat_notes(pm.concat([one, two]))
    assert note.startswith("10 of 70 judgments repeat another one exactly")


def test_rankings_that_repeat() -> None:
    """A judge who was shown a screen again may say the same again, but not in the same time."""
    frame = ranked_table(judges=10, segments=20)
    again = frame.filter(ranking="r1").with_columns(ranking=pl.lit("again"))
    assert _repeat_notes(read(pl.concat([frame, again]))) == []
    timed = pl.concat([frame, again]).with_columns(duration=pl.lit(3.5))
    [note] = _repeat_notes(read(timed))
    assert note.startswith("1 of 201 rankings repeat another one exactly")
    many = frame.filter(pl.col("segment") == "s3").with_columns(ranking=pl.format("again {}", "ranking"))
    [note] = _repeat_notes(read(pl.concat([frame, many])))
    assert note.startswith("10 of 210 rankings repeat another one exactly")
