"""``palmares judges``: tables, plots, programs from files of their own, and results that are made again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import palmares as pm
from benchmarks.judge_flags import campaign
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.report.plots.judges import judge_sensitivities


@pytest.fixture(scope="module")
def judgments() -> Judgments:
    """Sixteen judges, three of them at random."""
    return campaign(21, 100, judges=16, share=0.2).judgments


@pytest.fixture(scope="module")
def found(judgments: Judgments) -> pm.analysis.judges.Judges:
    return pm.judges(judgments, rng=0)


@pytest.fixture
def stored(judgments: Judgments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pm.write(judgments, tmp_path / "campaign.csv")
    return tmp_path / "campaign.csv"


def test_the_table_has_everybody_and_every_question(ok: Callable[..., Any], stored: Path) -> None:
    known = pm.judges(stored, rng=0)
    out = ok("judges", stored).out
    assert known.flagged
    for line in known.lines:
        assert line.judge in out
    for line in known.flagged:
        assert f"{line.judge}: {line.flags[0]}" in out
    assert "A flag is a question to you, not a verdict on a person" in out
    assert out.splitlines()[-1] == known.signature
    for form in ("markdown", "latex"):
        assert "sensitivity" in ok("judges", stored, "--format", form).out


def test_the_json_has_its_documented_shape(ok: Callable[..., Any], stored: Path) -> None:
    (entry,) = ok("judges", stored, "--exclude-flagged", "--format", "json").json
    assert set(entry) == {
        "signature", "record", "lang_pair", "group", "answer", "p", "random", "spread", "judges", "false_flags",
        "without_flagged", "notes",
    }  # fmt: skip
    assert entry["answer"] == "ranking"
    line = entry["judges"][0]
    assert set(line) == {
        "judge", "program", "judgments", "answers", "ties", "seconds", "sensitivity", "sensitivity_interval",
        "tie_width", "tie_width_interval", "decided", "agreement", "expected", "kappa", "first", "first_interval",
        "random", "enough", "shared", "flags",
    }  # fmt: skip
    assert set(line["flags"][0]) == {"name", "evidence", "question"}
    assert len(entry["without_flagged"]["systems"]) == 13


def test_csv_has_a_row_per_judge(ok: Callable[..., Any], stored: Path, found: pm.analysis.judges.Judges) -> None:
    result = ok("judges", stored, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [row["judge"] for row in rows] == [line.judge for line in found.lines]
    assert float(rows[0]["sensitivity"]) == pytest.approx(found.lines[0].sensitivity)
    assert rows[0]["flags"] == ";".join(flag.name for flag in found.lines[0].flags)
    assert "question to you" in result.err


def test_results_are_made_again(ok: Callable[..., Any], stored: Path) -> None:
    for options in (
        (),
        ("--exclude-flagged", "--seed", "3", "--p", "0.1", "--program", "j00015", "--false-flags", "1"),
    ):
        result = stored.parent / "result.json"
        result.write_text(ok("judges", stored, *options, "--format", "json").out, encoding="utf-8")
        (verified,) = ok("verify", result, "--format", "json").json
        assert verified["equal"]
        assert verified["compared"] > 100


def test_groups_by_a_field(ok: Callable[..., Any], stored: Path) -> None:
    rows = pm.read(stored).to_rows()
    two = pl.concat(
        [rows.with_columns(lang_pair=pl.lit(pair), ranking=pair + pl.col("ranking")) for pair in ("a-b", "c-d")]
    )
    pm.write(Judgments.from_rows(two), stored.parent / "two.csv")
    entries = ok("judges", stored.parent / "two.csv", "--format", "json").json
    assert [entry["group"] for entry in entries] == [{"lang_pair": "a-b"}, {"lang_pair": "c-d"}]
    assert "c-d" in ok("judges", stored.parent / "two.csv").out.splitlines()


def test_programs_may_come_in_files_of_their_own(
    ok: Callable[..., Any], refused: Callable[..., str], file: Callable[..., Path]
) -> None:
    rows = ["mt1,mt2,mt1", "mt1,mt3,mt1", "mt2,mt3,mt2", "mt1,mt2,mt2", "mt2,mt3,tie"] * 4
    people = file(
        "system_a,system_b,winner,judge\n" + "".join(f"{r},j{i % 5}\n" for i, r in enumerate(rows * 3)), "people.csv"
    )
    program = file("system_a,system_b,winner\n" + "".join(f"{r}\n" for r in rows), "robot-1.csv")
    both = (people, program, "--judge-by-file", "--program", "robot-*")
    (entry,) = ok("judges", *both, "--format", "json").json
    last = entry["judges"][-1]
    assert (last["judge"], last["program"], last["judgments"]) == ("robot-1", True, 20)
    assert any("'robot-1' (--judge-by-file)" in note for note in entry["notes"])
    assert "program" in ok("judges", *both).out
    # Without the option, nobody is named, and that is said.
    (plain,) = ok("judges", people, program, "--format", "json").json
    assert any("20 of 80 judgments name no judge" in note for note in plain["notes"])
    assert "--program: no judge matches 'gpt*'; there are: j0" in refused("judges", people, "--program", "gpt*")


def test_a_column_marks_programs(
    ok: Callable[..., Any], refused: Callable[..., str], file: Callable[..., Path]
) -> None:
    rows = ["mt1,mt2,mt1", "mt1,mt2,mt2", "mt2,mt3,mt2", "mt1,mt3,mt1"] * 6
    text = "".join(f"{r},j{i % 4},{'yes' if i % 4 == 3 else 'no'},maybe\n" for i, r in enumerate(rows))
    path = file("system_a,system_b,winner,judge,llm,sort\n" + text)
    (entry,) = ok("judges", path, "--programs", "llm", "--format", "json").json
    assert [line["judge"] for line in entry["judges"] if line["program"]] == ["j3"]
    message = refused("judges", path, "--programs", "sort")
    assert "column 'sort' holds 'maybe', which does not say whether a program judged; allowed: program" in message


def test_errors_are_one_message(refused: Callable[..., str], file: Callable[..., Path]) -> None:
    path = file("system_a,system_b,winner\n" + "a,b,a\na,b,b\n" * 5)
    assert "do not say who judged" in refused("judges", path)


# -- the plot -----------------------------------------------------------------------------------------


def points(chart: Any) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    layer = next(part for part in spec["layer"] if part["mark"]["type"] == "point")
    return layer["data"]["values"] if "values" in layer["data"] else spec["datasets"][layer["data"]["name"]]


def test_flagged_judges_have_a_shape_and_a_word(found: pm.analysis.judges.Judges) -> None:
    pytest.importorskip("altair", reason="needs the extra 'report'")
    rows = points(judge_sensitivities(found))
    assert len(rows) == len(found.lines)
    assert [row["sensitivity"] for row in rows] == sorted((row["sensitivity"] for row in rows), reverse=True)
    marked = {row["label"]: (row["kind"], row["word"]) for row in rows if row["kind"] != "person"}
    assert marked == {
        line.judge: ("person to ask about", ", ".join(flag.name for flag in line.flags)) for line in found.flagged
    }


def test_plots_are_written_in_any_size(ok: Callable[..., Any], stored: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    ok("judges", stored, "--plot", stored.parent / "judges.svg", "--width", "600", "--height", "500")
    head = (stored.parent / "judges.svg").read_text(encoding="utf-8")[:300]
    assert 'width="600"' in head


def test_nobody_to_draw_is_refused() -> None:
    pytest.importorskip("altair", reason="needs the extra 'report'")
    alone = pm.judges(campaign(1, 20, judges=1, share=0.0).judgments)
    with pytest.raises(InputError, match="no sensitivities to draw"):
        judge_sensitivities(alone)


def test_frames_and_notebooks(found: pm.analysis.judges.Judges) -> None:
    frame = found.table()
    assert frame.height == len(found.lines)
    assert "<table" in found._repr_html_()
    assert repr(found).startswith("<Judges: 16 judges, 0 programs; ")
    with pytest.raises(InputError, match="nobody was left out"):
        found.table("changes")
    assert json.dumps(found.to_dict())


# -- published judgments ------------------------------------------------------------------------------


@pytest.mark.real
def test_wmt13(real_data: Path) -> None:
    found = pm.judges(real_data / "wmt13" / "fr-en.train.csv", rng=0)
    assert len(found.lines) == 218
    asked = [line.judge for line in found.flagged]
    # Few, and workers of a crowd.
    assert 1 <= len(asked) <= 8
    assert all(name.startswith("turker_") for name in asked)
    assert 0.02 < found.random < 0.1


@pytest.mark.real
def test_crowd_and_programs(ok: Callable[..., Any], real_data: Path) -> None:
    folder = real_data / "llmfao"
    files = [folder / f"{name}crowd-comparisons.csv" for name in ("", "gpt3-", "gpt4-")]
    (entry,) = ok("judges", *files, "--judge-by-file", "--program", "gpt*", "--format", "json").json
    programs = {line["judge"][:4]: line for line in entry["judges"] if line["program"]}
    assert set(programs) == {"gpt3", "gpt4"}
    assert all(line["kappa"]["interval"] is not None for line in programs.values())
    # Which of the two is nearer to people, by both measures.
    assert programs["gpt4"]["agreement"] > programs["gpt3"]["agreement"]
    assert programs["gpt4"]["kappa"]["kappa"] > programs["gpt3"]["kappa"]["kappa"]
