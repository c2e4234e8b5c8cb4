"""``palmares next``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import palmares as pm
from palmares.cli import cli, main


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("next") / "judgments.csv"
    pm.write(pm.simulate(systems=6, rankings=200, segments=30, lang_pair="de-en", rng=2).judgments, path)
    return path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["next", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_table_says_what_and_why(file: Path) -> None:
    text = run(file, "--number", 3)
    assert "de-en: 5 of 5 boundaries open" in text
    assert "open-boundaries: what closes the open boundary between ranks that is cheapest to close." in text
    assert "strategy:open-boundaries|outputs:5|uniform_share:0.1|p:0.05|seed:0" in text
    assert "note: errors of scores are" in text
    assert "note: screens have 5 outputs, as all rankings so far have" in text


def test_json_and_csv_have_the_same_screens(file: Path) -> None:
    options = (file, "--number", 4, "--outputs", 3, "--strategy", "information", "--seed", 5)
    (result,) = json.loads(run(*options, "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(run(*options, "--format", "csv"))))
    assert result["group"] == {"lang_pair": "de-en"}
    shown = [[row[f"system_{k}"] for k in (1, 2, 3)] for row in rows]
    assert shown == [s["systems"] for s in result["screens"]]
    assert [float(row["probability"]) for row in rows] == [s["probability"] for s in result["screens"]]
    assert [row["segment"] for row in rows] == [s["segment"] for s in result["screens"]]
    assert {row["strategy"] for row in rows} <= {"information", "uniform"}
    library = pm.next_screens(pm.read(file), strategy="information", outputs=3, number=4, rng=5)
    assert [list(screen.systems) for screen in library.screens] == [s["systems"] for s in result["screens"]]


@pytest.mark.parametrize("output", ["markdown", "latex"])
def test_other_forms_of_the_table(file: Path, output: str) -> None:
    assert "boundary" in run(file, "--number", 2, "--format", output)


def test_groups_have_screens_of_their_own(file: Path) -> None:
    options = ("--by", "judge", "--where", "judge=judge-01,judge-02", "--number", 2)
    results = json.loads(run(file, *options, "--format", "json"))
    assert [result["group"]["judge"] for result in results] == ["judge-01", "judge-02"]


def test_segments_can_be_named_in_a_file(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    named = tmp_path / "segments.txt"
    named.write_text("fresh-1\n\nfresh-2\n", encoding="utf-8")
    (result,) = json.loads(run(file, "--segments", named, "--number", 2, "--format", "json"))
    assert {screen["segment"] for screen in result["screens"]} == {"fresh-1", "fresh-2"}
    named.write_text("\n", encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["next", str(file), "--segments", str(named)])
    assert stopped.value.code == 2
    assert "has no line with a segment's name" in capsys.readouterr().err


def test_more_systems_than_there_are_are_refused(file: Path, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["next", str(file), "--outputs", "9"])
    assert stopped.value.code == 2
    assert "outputs: got 9; allowed: 2 to 6" in capsys.readouterr().err


def test_help_leads_with_what_is_its_own_and_has_examples() -> None:
    text = run("--help")
    order = ("\nExamples:\n", "\nScreens:\n", "--strategy", "\nReading input:\n", "--from")
    places = [text.index(words) for words in order]
    assert places == sorted(places)
