"""Published files, read as they were published; the numbers are those of the papers or of the files themselves."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from palmares.ingest.base import ReadOptions
from palmares.ingest.files import read, read_with_report, write
from palmares.judgments import Judgments

STRICT = ReadOptions(faults=0)

pytestmark = pytest.mark.real

_PAIRS = ("deu-eng", "ron-eng", "tur-eng")
#: Rankings of a single merged output: collapsed, there is no pair to write down.
_ONE_OUTPUT = {"deu-eng": "4282", "ron-eng": "19527", "tur-eng": None}


def _ties(judgments: Judgments) -> int:
    return int((judgments.codes("outcome") == 0).sum())


# -- grammatical error correction, Grundkiewicz et al. 2015, Table 1 -----------------------------


@pytest.mark.parametrize(("merged", "pairs", "ties"), [("expand", 109_098, 59_117), ("collapse", 20_516, 5_694)])
def test_gec15_totals(merged: str, pairs: int, ties: int, real_data: Path) -> None:
    options = ReadOptions(merged=merged, faults=0)  # type: ignore[arg-type]
    judgments, report = read_with_report(real_data / "gec15" / "judgments.xml", options=options)
    assert (report.format, report.records) == ("appraise", 2319)
    assert (len(judgments), _ties(judgments)) == (pairs, ties)
    assert merged == "collapse" or len(judgments.systems) == 13


def test_gec15_by_judge(real_data: Path) -> None:
    """The file calls the judges by other numbers than the paper; the multiset of their counts is the same."""
    table = [line.split() for line in (real_data / "gec15" / "EXPECTED.txt").read_text().split("\n")]
    published = {(row[2], row[3]) for row in table if len(row) == 4 and row[0].isdigit() and "(" in row[2]}
    assert len(published) == 8
    found = []
    for merged in ("collapse", "expand"):
        parts = read(real_data / "gec15" / "judgments.xml", options=ReadOptions(merged=merged)).split("judge")  # type: ignore[arg-type]
        found.append([f"{len(part)}({_ties(part)})" for part in parts.values()])
    assert set(zip(*found, strict=True)) == published


# -- WMT13 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "rankings"), [("train", 9_996), ("test", 200)])
def test_wmt13(part: str, rankings: int, real_data: Path) -> None:
    judgments, report = read_with_report(real_data / "wmt13" / f"fr-en.{part}.csv", options=STRICT)
    assert (report.format, report.records, report.dropped) == ("wmt", rankings, ())
    assert len(judgments) == 10 * rankings
    assert len(judgments.names["ranking"]) == rankings
    if part == "train":
        assert (len(judgments.systems), len(judgments.judges)) == (13, 218)


# -- WMT16 ---------------------------------------------------------------------------------------


def _by_hand(path: Path) -> Counter[tuple[str, str, str, int]]:
    """(ranking, first system, second system, outcome) of every line, without this package."""
    found: Counter[tuple[str, str, str, int]] = Counter()
    lines = path.read_text().replace("\r", "").split("\n")
    for row in csv.DictReader(line for line in lines if line):
        (a, ra), (b, rb) = sorted(
            [(row["system1Id"], int(row["system1rank"])), (row["system2Id"], int(row["system2rank"]))]
        )
        found[row["rankingID"], a, b, (rb > ra) - (rb < ra)] += 1
    return found


def _as_counter(judgments: Judgments) -> Counter[tuple[str, str, str, int]]:
    return Counter(judgments.to_rows().select("ranking", "system_a", "system_b", "outcome").iter_rows())


@pytest.mark.parametrize("pair", _PAIRS)
@pytest.mark.parametrize("kind", ["", "collapsed."])
def test_wmt16_is_read_as_published(kind: str, pair: str, real_data: Path) -> None:
    path = real_data / "wmt16" / f"wmt16.{kind}{pair}.csv"
    judgments, report = read_with_report(path, options=ReadOptions(merged="collapse", faults=0))
    assert (report.format, report.dropped) == ("wmt-pairwise", ())
    by_hand = _by_hand(path)
    assert judgments.lang_pairs == (pair,)
    assert report.records == len(judgments) == by_hand.total()
    assert _as_counter(judgments) == by_hand


@pytest.mark.parametrize("pair", _PAIRS)
def test_wmt16_collapsed_files_expand_to_the_full_ones(pair: str, real_data: Path) -> None:
    full = _as_counter(read(real_data / "wmt16" / f"wmt16.{pair}.csv", faults=0))
    expanded = _as_counter(read(real_data / "wmt16" / f"wmt16.collapsed.{pair}.csv", faults=0))
    assert not expanded - full
    missing = full - expanded
    if _ONE_OUTPUT[pair] is None:
        assert not missing
        return
    assert {ranking for ranking, *_ in missing} == {_ONE_OUTPUT[pair]}
    systems = sorted({name for _, a, b, _ in missing for name in (a, b)})
    assert missing == Counter({(_ONE_OUTPUT[pair], a, b, 0): 1 for a, b in combinations(systems, 2)})


# -- round trips of whole files ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("wmt13/fr-en.train.csv", "x.csv.gz"),
        ("wmt13/fr-en.train.csv", "x.xml"),
        ("gec15/judgments.xml", "x.xml.zst"),
        ("gec15/judgments.xml", "x.parquet"),
        ("wmt16/wmt16.ron-eng.csv", "x.jsonl"),
        ("llmfao/crowd-comparisons.csv", "x.tsv"),
    ],
)
def test_real_files_come_back_the_same(source: str, written: str, real_data: Path, tmp_path: Path) -> None:
    judgments = read(real_data / source, faults=0)
    write(judgments, tmp_path / written)
    assert read(tmp_path / written, faults=0) == judgments


@pytest.mark.parametrize(
    ("source", "format_id"),
    [("wmt13/fr-en.train.csv", "wmt"), ("wmt16/wmt16.tur-eng.csv", "wmt-pairwise")],
)
def test_real_files_come_back_in_their_own_format(source: str, format_id: str, real_data: Path, tmp_path: Path) -> None:
    judgments = read(real_data / source, faults=0)
    write(judgments, tmp_path / "x.csv", format=format_id)
    assert read(tmp_path / "x.csv", format=format_id, faults=0) == judgments


def test_llmfao(real_data: Path) -> None:
    """8,931 votes on 59 models; the winner column says left, right or tie."""
    path = real_data / "llmfao" / "crowd-comparisons.csv"
    judgments, report = read_with_report(path, options=STRICT)
    assert (report.format, len(judgments), len(judgments.systems), len(judgments.judges)) == ("pairwise", 8931, 59, 124)
    votes = Counter(pl.read_csv(path, infer_schema=False)["winner"])
    assert _ties(judgments) == votes["tie"]
    decided = judgments.counts.wins.sum()
    assert decided == votes["left"] + votes["right"]
