"""What a format says it can hold comes back the same; what it cannot hold is refused, never changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import crossed
from strategies import NASTY_NAMES, TAME_NAMES, TAME_PAIRS, examples, loose_pairs, rankings

from palmares.errors import InputError, LossyWriteError
from palmares.ingest import FORMATS
from palmares.ingest.base import Format, ReadOptions, drop_features, features
from palmares.ingest.files import read_with_report, write
from palmares.judgments import Judgments

_KINDS: dict[str, Format] = {name: FORMATS.load(name)() for name in FORMATS}
_WRITABLE = [(name, ending) for name, kind in _KINDS.items() for ending in kind.endings]
_OF_RANKINGS = ("wmt", "wmt-pairwise", "appraise", "preflib")


def _judgments(format_id: str, ending: str, *, nasty: bool = False) -> st.SearchStrategy[Judgments]:
    """Judgments with only what the format declares; nasty names may still be more than it can take."""
    names = NASTY_NAMES if nasty else TAME_NAMES
    holds = frozenset(_KINDS[format_id].holds)
    if format_id not in _OF_RANKINGS:
        return loose_pairs(holds, names=names, ties=format_id != "chosen-rejected")
    pairs = NASTY_NAMES if nasty else TAME_PAIRS
    strict, whole = ending in ("soc", "soi"), ending in ("soc", "toc")
    return rankings(holds, names=names, lang_pairs=pairs, ties=not strict, complete=whole)


def _back(path: Path, format_id: str, original: Judgments) -> Judgments:
    """What the file reads as, less what every file of the format has though the original did not."""
    judgments, _ = read_with_report(path, format=format_id, options=ReadOptions(faults=0))
    return drop_features(judgments, set(_KINDS[format_id].implies) - features(original))


@pytest.mark.parametrize(("format_id", "ending"), _WRITABLE)
def test_what_a_format_holds_comes_back(format_id: str, ending: str, tmp_path: Path) -> None:
    _check_comes_back(format_id, ending, tmp_path / f"file.{ending}", 12)


@pytest.mark.parametrize(
    ("writable", "compression"),
    crossed({"-".join(writable): writable for writable in _WRITABLE}, {"gz": (".gz",), "zst": (".zst",)}),
)
def test_what_a_format_holds_comes_back_compressed(writable: tuple[str, str], compression: str, tmp_path: Path) -> None:
    format_id, ending = writable
    _check_comes_back(format_id, ending, tmp_path / f"file.{ending}{compression}", 4)


def _check_comes_back(format_id: str, ending: str, path: Path, count: int) -> None:
    @examples(count)
    @given(_judgments(format_id, ending))
    def check(original: Judgments) -> None:
        assert write(original, path, format=format_id) == format_id
        assert _back(path, format_id, original) == original

    check()


@pytest.mark.parametrize(("format_id", "ending"), _WRITABLE)
def test_nasty_names_come_back_or_are_refused(format_id: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"file.{ending}"

    @examples(30)
    @given(_judgments(format_id, ending, nasty=True))
    def check(original: Judgments) -> None:
        refused = None
        try:
            write(original, path, format=format_id)
        except LossyWriteError as error:
            refused = str(error)
        if refused is None:
            assert _back(path, format_id, original) == original
        else:
            assert format_id in _OF_RANKINGS or "would not be read back" in refused, f"{format_id} takes any name"

    check()


@pytest.mark.parametrize(("format_id", "ending"), _WRITABLE)
def test_a_written_file_is_recognised(format_id: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"file.{ending}"

    @examples(3)
    @given(_judgments(format_id, ending))
    def check(original: Judgments) -> None:
        write(original, path, format=format_id)
        assert read_with_report(path)[1].format == format_id

    check()


@examples(25)
@given(loose_pairs(frozenset(_KINDS["pairwise"].holds), names=NASTY_NAMES), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(original: Judgments, random: Any) -> None:
    rows = original.to_rows()
    order = list(range(rows.height))
    random.shuffle(order)
    shuffled = Judgments.from_rows(rows[order])
    assert shuffled.hash == original.hash
    assert np.array_equal(shuffled.counts.wins, original.counts.wins)
    assert np.array_equal(shuffled.counts.ties, original.counts.ties)


# -- what is lost is said ------------------------------------------------------------------------

_PAIR: dict[str, list[Any]] = {"system_a": ["A"], "system_b": ["B"], "outcome": [1]}


@pytest.mark.parametrize(
    ("format_id", "ending", "column", "value", "lost"),
    [
        ("preflib", "toc", "lang_pair", "fr-en", r"hold: lang_pair; .*--drop lang_pair.* 1 language pair \(fr-en\)"),
        ("wmt", "csv", "extra.topic", "art", r"hold: extra; .*--drop extra\b.* the columns topic"),
        ("appraise", "xml", "time", datetime(2024, 1, 1), "hold: time; .*--drop time.* the time of 1 judgment"),
        ("chosen-rejected", "jsonl", "outcome", 0, "ties"),
        ("wmt", "csv", "weight", 2.0, "weight"),
        ("wmt", "csv", "lang_pair", "french", "source-target"),
        ("wmt-pairwise", "csv", "duration", 1.5, "duration"),
        ("appraise", "xml", "weight", 2.0, "weight"),
        ("appraise", "xml", "judge", "\x01", "characters"),
        ("appraise", "xml", "system_a", "A,C", "share an output"),
        ("wmt", "csv", "system_a", "B+C", "share an output"),
        ("wmt", "csv", "system_a", "PLACEHOLDER", "empty slot"),
        ("preflib", "toc", "judge", "ann", "judge"),
        ("preflib", "toc", "system_a", "x\ny", "name"),
        ("preflib", "soc", "outcome", 0, "ties"),
    ],
)
def test_a_lossy_write_says_what_would_be_lost(
    format_id: str, ending: str, column: str, value: Any, lost: str, tmp_path: Path
) -> None:
    path = tmp_path / f"file.{ending}"
    with pytest.raises(LossyWriteError, match=lost):
        write(Judgments.from_rows(pl.DataFrame({**_PAIR, column: [value]})), path, format=format_id)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("outcomes", "rankings_", "wrong"),
    [
        ([1, 1, -1], ["r", "r", "r"], "contradict"),  # A > B, B > C, C > A
        ([1, 1, 1], ["r", "r", None], "missing"),  # A > B, B > C, and A : C is not in the ranking
    ],
)
def test_pairs_that_no_ranking_gives_are_refused(
    outcomes: list[int], rankings_: list[str | None], wrong: str, tmp_path: Path
) -> None:
    columns = {"system_a": ["A", "B", "A"], "system_b": ["B", "C", "C"], "outcome": outcomes, "ranking": rankings_}
    with pytest.raises(LossyWriteError, match=wrong):
        write(Judgments.from_rows(pl.DataFrame(columns)), tmp_path / "x.csv", format="wmt")


@pytest.mark.parametrize("positions", [(1, 3), (1, 1), (1, None)])
@pytest.mark.parametrize(("format_id", "ending"), [("wmt", "csv"), ("arena", "csv"), ("appraise", "xml")])
def test_positions_that_a_format_does_not_have_are_refused(
    format_id: str, ending: str, positions: tuple[int, int | None], tmp_path: Path
) -> None:
    columns = {**_PAIR, "position_a": [positions[0]], "position_b": [positions[1]]}
    with pytest.raises(LossyWriteError, match="position"):
        write(Judgments.from_rows(pl.DataFrame(columns)), tmp_path / f"x.{ending}", format=format_id)


def test_dropping_a_feature_makes_room(judgments: Judgments, tmp_path: Path) -> None:
    with pytest.raises(LossyWriteError, match="judge, lang_pair, segment"):
        write(judgments, tmp_path / "x.toi")
    write(judgments, tmp_path / "x.toi", drop=["judge", "lang_pair", "segment"])
    assert len(read_with_report(tmp_path / "x.toi")[0]) == 5
    with pytest.raises(InputError, match=r"cannot drop colour; allowed: lang_pair"):
        write(judgments, tmp_path / "x.jsonl", drop=["colour"])


def test_the_ending_gives_the_format(judgments: Judgments, tmp_path: Path) -> None:
    assert write(judgments, tmp_path / "x.TSV.GZ") == "pairwise"
    assert (tmp_path / "x.TSV.GZ").read_bytes()[:2] == b"\x1f\x8b"
    assert write(judgments, tmp_path / "x.xml") == "appraise"
    assert write(judgments, tmp_path / "x.toi", drop=["judge", "segment", "lang_pair"]) == "preflib"
    with pytest.raises(InputError, match=r"cannot tell the format from the ending '.doc'; known endings: .csv"):
        write(judgments, tmp_path / "x.doc")
    with pytest.raises(InputError, match=r"'wmt' is written as .csv, .tsv, not .xml"):
        write(judgments, tmp_path / "x.xml", format="wmt")
    with pytest.raises(InputError, match="'scores' can be read but not written"):
        write(judgments, tmp_path / "x.csv", format="scores")


def test_a_failed_write_leaves_the_old_file(judgments: Judgments, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    rows = judgments.to_rows().with_columns(pl.lit(2.0).alias("weight"))
    with pytest.raises(LossyWriteError):
        write(Judgments.from_rows(rows), path, format="wmt")
    assert path.read_text() == "old"
    with pytest.raises(InputError, match="cannot be written"):
        write(judgments, tmp_path / "no" / "x.csv")


@pytest.mark.parametrize("format_id", ["pairwise", "arena", "chosen-rejected"])
def test_tables_keep_every_role_that_they_can(format_id: str, judgments: Judgments, tmp_path: Path) -> None:
    """Columns beside those that a format is known by are no harm to it."""
    rows = judgments.to_rows().filter(pl.col("outcome") != 0)
    more = {"weight": 2.0, "duration": 1.5, "time": datetime(2024, 1, 1), "extra.topic": "art"}
    full = Judgments.from_rows(rows.with_columns(pl.lit(value).alias(name) for name, value in more.items()))
    write(full, tmp_path / "x.jsonl", format=format_id)
    assert _back(tmp_path / "x.jsonl", format_id, full) == full


def test_convert_says_what_it_did_not_write(
    tmp_path: Path, ok: Callable[..., Any], refused: Callable[..., str]
) -> None:
    source = tmp_path / "scores.csv"
    source.write_text("segment,judge,system,score,time\n1,ann,A,80,2024-01-01\n1,ann,B,60,2024-01-01\n")
    message = refused("convert", source, tmp_path / "x.toc")
    assert "format 'preflib' cannot hold: judge, segment;" in message
    assert "(--drop judge,segment)" in message
    assert "1 judge (ann); 1 segment (1)" in message
    result = ok("convert", source, tmp_path / "x.toc", "--drop", "judge,segment,weight")
    assert "not written, as --drop asks: 1 judge (ann); 1 segment (1)\n" in result.err
    assert "not kept, for no comparison has them: the scores themselves, time" in result.err


def test_merged_outputs_are_written_merged(tmp_path: Path) -> None:
    """Systems with a forced tie are one output; it comes back as two systems in one position, tied by force."""
    columns = {
        "system_a": ["A", "A", "B"],
        "system_b": ["B", "C", "C"],
        "outcome": [0, 1, 1],
        "ranking": ["r"] * 3,
        "position_a": [1, 1, 1],
        "position_b": [1, 2, 2],
        "forced": [True, False, False],
    }
    original = Judgments.from_rows(pl.DataFrame(columns))
    write(original, tmp_path / "x.xml")
    assert 'rank="1" system="A,B"' in (tmp_path / "x.xml").read_text()
    assert read_with_report(tmp_path / "x.xml")[0] == original
    collapsed, _ = read_with_report(tmp_path / "x.xml", options=ReadOptions(merged="collapse"))
    assert collapsed.systems == ("A,B", "C")
