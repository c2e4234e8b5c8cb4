"""``palmares reproduce``."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palmares.cli import cli, main
from palmares.experiments import EXPERIMENTS


def invoke(*arguments: str) -> Result:
    found = CliRunner(env={"PALMARES_REAL_DATA": ""}).invoke(cli, ["reproduce", *arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found


def test_without_a_name_it_lists_the_experiments() -> None:
    text = invoke().stdout
    assert set(EXPERIMENTS) <= set(re.findall(r"^([\w-]+) ", text, re.MULTILINE))
    assert "Bojar et al. 2014, Table 7" in text


def test_the_list_as_json() -> None:
    listed = json.loads(invoke("--format", "json").stdout)
    assert [one["id"] for one in listed] == list(EXPERIMENTS)
    assert listed[0]["settings"]["trials"] == 5


def test_published_and_measured_stand_side_by_side() -> None:
    lines = invoke("w14-head-to-head", "--quick").stdout.splitlines()
    assert lines[0].startswith("w14-head-to-head: ")
    assert lines[1].split() == ["part", "what", "published", "measured", "±", "difference", "n"]
    row = next(line for line in lines if "CU-MOSES" in line)
    # (.39 + .41 + .48 + .48) / 4 = .44
    assert row.split() == ["CU-MOSES", "0.440", "0.440", "–", "+0.000", "4"]
    assert lines[-1].startswith("experiment:w14-head-to-head|quick:yes|tables:28,34|seed:0|")


def test_a_figure_has_a_column_for_every_place_on_its_axis() -> None:
    text = invoke("hm13-abilities", "--quick", "--executor", "serial").stdout
    assert "preference Q(win) − Q(loss)" in text
    assert any(line.split() == [str(k) for k in range(1, 14)] for line in text.splitlines())


def test_json_has_the_documented_shape() -> None:
    (found,) = json.loads(invoke("w14-data", "--quick", "--format", "json").stdout)
    assert set(found) == {
        "signature", "record", "experiment", "title", "reference", "quick", "settings", "data", "rows", "checks",
        "mean_absolute_difference", "notes",
    }  # fmt: skip
    assert set(found["rows"][0]) == {
        "label", "published", "measured", "error", "n", "note", "group", "at", "digits", "difference",
    }  # fmt: skip
    assert set(found["checks"][0]) == {"claim", "holds", "evidence"}


def test_csv_has_one_row_a_number_and_one_header_for_all() -> None:
    text = invoke("w14-data", "w14-head-to-head", "--quick", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["experiment"] for row in rows} == {"w14-data", "w14-head-to-head"}
    assert rows[0]["label"] == "Czech–English"
    assert float(rows[0]["published"]) == 4226.0


@pytest.mark.parametrize("output", ["markdown", "latex"])
def test_other_formats(output: str) -> None:
    assert "CU-MOSES" in invoke("w14-head-to-head", "--quick", "--format", output).stdout


def test_an_unknown_name_is_refused_before_anything_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "w14-head-to-head", "s14-acuracy"])
    assert ended.value.code == 2
    assert "unknown experiment 's14-acuracy'" in (error := capsys.readouterr()).err
    assert "did you mean 's14-accuracy'?" in error.err
    assert error.out == ""


def test_a_wrong_folder_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "s14-ranking", "--quick", "--data", str(tmp_path)])
    assert ended.value.code == 2
    assert "has no wmt13/fr-en.train.csv" in capsys.readouterr().err
