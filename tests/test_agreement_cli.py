"""``palmares agreement``: what it prints, where, and with which exit status."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palmares import agreement, read, simulate, write

BY_HAND = """segment,judge,system_a,system_b,outcome,lang_pair
1,ann,A,B,a,cs-en
1,bob,A,B,a,cs-en
1,cid,A,B,tie,cs-en
1,ann,A,C,b,cs-en
1,bob,A,C,b,cs-en
2,ann,A,B,a,cs-en
2,ann,A,B,tie,cs-en
"""
OTHER = "1,ann,A,B,a,de-en\n2,bob,A,B,a,de-en\n"
WMT = """srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
ron,eng,1,1,j1,A,1,B,2,1
ron,eng,1,1,j2,B,2,A,1,2
ron,eng,1,1,j3,A,1,B,2,3
ron,eng,1,1,j3,A,1,B+C,2,4
ron,eng,1,1,j2,A,1,B+C,2,5
"""
NO_INTERVALS = ("--resamples", "0")


@pytest.fixture
def run(run: Callable[..., Any]) -> Callable[..., Any]:
    """Run ``palmares agreement``; what must succeed or be refused goes through it too."""
    return lambda *arguments: run("agreement", *arguments)


@pytest.fixture
def ok(ok: Callable[..., Any]) -> Callable[..., str]:
    """What it prints."""
    return lambda *arguments: ok(*arguments).out


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("agreement") / "campaign.csv"
    write(simulate(systems=5, rankings=120, judges=4, segments=35, lang_pair="cs-en", rng=1).judgments, path)
    return path


def words(line: str) -> str:
    """The line without the spaces that align it."""
    return " ".join(line.split())


def test_json_has_the_documented_shape(ok: Callable[..., str], campaign: Path) -> None:
    (found,) = json.loads(ok(campaign, "--judges", "--format", "json"))
    assert list(found) == [
        "signature", "record", "lang_pair", "judgments", "ties", "counting", "inter", "intra", "judges", "notes",
        "group",
    ]  # fmt: skip
    kappa = ["kappa", "interval", "unit", "band", "observed", "expected", "agreed", "pairs"]
    assert list(found["inter"]) == list(found["intra"]) == [*kappa, "items", "judges", "alpha", "alpha_ordinal"]
    assert len(found["judges"]) == 4
    for line in found["judges"]:
        assert list(line) == ["judge", "judgments", "ties", "inter", "intra"]
        assert list(line["inter"]) == list(line["intra"]) == kappa
    low, high = found["inter"]["interval"]
    assert low < found["inter"]["kappa"] < high


def test_the_command_prints_what_the_library_finds(ok: Callable[..., str], campaign: Path) -> None:
    (found,) = json.loads(ok(campaign, "--judges", "--p", 0.1, "--resamples", 60, "--seed", 3, "--format", "json"))
    assert found.pop("group") == {"lang_pair": "cs-en"}
    assert found["record"].pop("command")["name"] == "agreement"
    part = read(campaign).split("lang_pair")["cs-en"]
    assert found == agreement(part, judges=True, p=0.1, resamples=60, rng=3).to_dict()


def test_a_table_has_two_rows_a_language_pair(ok: Callable[..., str], file: Callable[..., Path]) -> None:
    lines = ok(file(BY_HAND + OTHER), *NO_INTERVALS).splitlines()
    head = "language pair agreement kappa 95 % interval Landis & Koch P(A) P(E) pairs agreed pairs items judges"
    assert words(lines[0]) == f"{head} alpha ordinal alpha"
    assert words(lines[2]) == "cs-en inter 0.246 – fair 0.500 0.337 2 4 2 3 0.438 0.775"
    assert words(lines[3]) == "cs-en intra −0.508 – poor 0.000 0.337 0 1 1 1 −0.200 0.250"
    assert words(lines[5]) == "de-en inter – – – – 0.500 0 0 0 0 – –"
    assert lines[7].startswith("An item is two systems on one segment")
    assert lines[8].startswith("note: de-en: no two judges judged the same two systems on one segment")
    assert [line.split("|")[0] for line in lines[-2:]] == ["counting:all-pairs"] * 2


def test_judges_follow_the_table_lowest_first(ok: Callable[..., str], file: Callable[..., Path]) -> None:
    both = ok(file(BY_HAND), "--judges", *NO_INTERVALS)
    lines = both.split("\n\n")[1].splitlines()
    assert lines[0] == "cs-en"
    # In a part of the table, a heading must do without its neighbours.
    heads = re.split(r" {2,}", lines[1].strip())
    assert heads[-4:] == ["pairs", "own kappa", "own 95 % interval", "own pairs"]
    assert [line.split()[0] for line in lines[3:6]] == ["cid", "ann", "bob"]
    assert words(lines[4]) == "ann 4 25.0 % 0.497 – moderate 0.667 3 −0.508 – 1"


@pytest.mark.parametrize("output", ["markdown", "latex"])
def test_other_formats_have_the_same_numbers(ok: Callable[..., str], file: Callable[..., Path], output: str) -> None:
    text = ok(file(BY_HAND), "--judges", *NO_INTERVALS, "--format", output)
    assert "0.246" in text
    assert "cid" in text
    assert text.count("counting:all-pairs|") == 2
    if output == "latex":
        # What is not a comment can be set by any LaTeX.
        assert all(line.startswith("%") or line.isascii() for line in text.splitlines())


def test_csv_is_flat(run: Callable[..., tuple[int, str, str]], file: Callable[..., Path]) -> None:
    path = file(BY_HAND + OTHER)
    _, out, err = run(path, *NO_INTERVALS, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["lang_pair"], row["agreement"], row["pairs"]) for row in rows] == [
        ("cs-en", "inter", "4"), ("cs-en", "intra", "1"), ("de-en", "inter", "0"), ("de-en", "intra", "0"),
    ]  # fmt: skip
    assert float(rows[0]["kappa"]) == pytest.approx(16 / 65)
    assert err.count("counting:all-pairs|") == 2
    judges = list(csv.DictReader(io.StringIO(run(path, *NO_INTERVALS, "--judges", "--format", "csv")[1])))
    assert [row["judge"] for row in judges] == ["cid", "ann", "bob", "ann", "bob"]
    assert float(judges[1]["intra_kappa"]) == pytest.approx(-33 / 65)


def test_the_published_counting_finds_the_order_by_itself(ok: Callable[..., str], file: Callable[..., Path]) -> None:
    path = file(WMT)
    (found,) = json.loads(ok(path, "--collapse", "--as-published", *NO_INTERVALS, "--format", "json"))
    # Of the three judgments of A and B, two have A first; of A and B+C, two.
    assert (found["inter"]["agreed"], found["inter"]["pairs"]) == (2, 2)
    (ours,) = json.loads(ok(path, "--collapse", *NO_INTERVALS, "--format", "json"))
    assert ours["inter"]["pairs"] == 4
    text = ok(path, "--collapse", "--as-published", *NO_INTERVALS)
    assert "Counted as in WMT16" in text
    assert "alpha" not in text


def test_the_published_counting_needs_the_order(refused: Callable[..., str], file: Callable[..., Path]) -> None:
    assert "order of their systems" in refused(file(BY_HAND), "--as-published")
    # Expanded, the systems of a row are no longer those that the file named.
    assert "--collapse --extra system1Id" in refused(file(WMT), "--as-published")


def test_what_cannot_be_measured_is_refused(refused: Callable[..., str], file: Callable[..., Path]) -> None:
    bare = file("system_a,system_b,outcome\nA,B,a\n", "bare.csv")
    assert "needs to know the segment of each judgment" in refused(bare)
    assert "no counting by judge" in refused(file(WMT), "--collapse", "--as-published", "--judges")
    assert "20 resamples are too few for p = 0.05" in refused(file(BY_HAND), "--resamples", 20)


def test_an_error_names_the_language_pair(refused: Callable[..., str], file: Callable[..., Path]) -> None:
    assert "de-en: agreement needs" in refused(file(BY_HAND + ",ann,A,B,a,de-en\n"))


def test_help_tells_about_the_options(ok: Callable[..., str]) -> None:
    options = re.findall(r"^ +(--[a-z-]+)", ok("--help"), re.MULTILINE)
    assert {"--judges", "--as-published", "--resamples", "--p", "--collapse"} <= set(options)
