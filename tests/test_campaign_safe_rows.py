"""Judgments for spreadsheets: written as they are unless asked, and never two names made one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import palmares as pm
from palmares.campaign.safe_rows import safe_rows
from palmares.errors import InputError

JUDGMENTS = "system_a,system_b,outcome,segment,judge\n=evil,B,a,1,ann\nB,=evil,tie,2,@bob\nC,B,b,2,@bob\n"


def test_judgments_come_back_as_they_went_out(
    ok: Callable[..., Any], file: Callable[..., Path], tmp_path: Path
) -> None:
    source, target = file(JUDGMENTS), tmp_path / "out.csv"
    ok("convert", source, target)
    assert pm.read(target).hash == pm.read(source).hash


def test_names_are_escaped_if_wanted(ok: Callable[..., Any], file: Callable[..., Path], tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    ok("convert", file(JUDGMENTS), target, "--formulas", "escape")
    found = pm.read(target)
    assert found.systems == ("'=evil", "B", "C")
    assert set(found.to_rows()["judge"]) == {"ann", "'@bob"}
    assert found.to_rows()["outcome"].to_list() == pm.read(file(JUDGMENTS)).to_rows()["outcome"].to_list()


def test_names_are_refused_if_wanted(
    ok: Callable[..., Any], refused: Callable[..., str], file: Callable[..., Path], tmp_path: Path
) -> None:
    target = tmp_path / "out.csv"
    assert "a spreadsheet would run" in refused("convert", file(JUDGMENTS), target, "--formulas", "refuse")
    assert not target.exists()
    ok("convert", file(JUDGMENTS.replace("=", "").replace("@", "")), target, "--formulas", "refuse")
    said = refused("convert", file(JUDGMENTS), tmp_path / "out.jsonl", "--formulas", "escape")
    assert "--formulas escape is for files that spreadsheets open" in said


@pytest.mark.parametrize("target", ["x.csv", "x.tsv.gz", "-"])
def test_two_names_never_become_one(target: str) -> None:
    rows = pl.DataFrame({"system_a": ["=x"], "system_b": ["'=x"], "outcome": [1]})
    with pytest.raises(InputError, match="\"'=x\" is there already, so '=x' cannot be escaped to it"):
        safe_rows(rows, target, "escape")
    assert safe_rows(rows, target, "keep") is rows
