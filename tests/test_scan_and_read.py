"""Scanning a file counts the records that reading it finds, whatever its lines look like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palmares.errors import InputError
from palmares.ingest import scan as scanning
from palmares.ingest.base import ReadOptions, ScoreOptions
from palmares.ingest.files import read_with_report
from palmares.ingest.scan import scan_with_report

MakeFile = Callable[..., Path]
_QUOTES = 'system_a\tsystem_b\twinner\ttext\nP\tQ\ta\the said "no\nP\tQ\tb\tand "yes" too\nQ\tP\ta\tit\'s 5" long\n'
_LONG = "text,winner,loser\n" + 300 * "hello,P,Q\n" + 2 * "bad, note,Q,P\n"
_PLAIN = "system_a,system_b,winner\n" + 300 * "P,Q,a\n"


def _same(path: Path, options: ReadOptions) -> tuple[int, int]:
    """How many records there are and how many were left out, by reading and by scanning alike."""
    judgments, report = read_with_report(path, options=options)
    [counts], streamed = list((found := scan_with_report(path, options))[0].values()), found[1]
    assert counts.systems == judgments.systems
    assert counts.wins.tolist() == judgments.counts.wins.tolist()
    assert counts.ties.tolist() == judgments.counts.ties.tolist()
    assert (streamed.records, streamed.dropped) == (report.records, report.dropped)
    return report.records, len(report.dropped)


@pytest.mark.parametrize(
    ("text", "records", "dropped"),
    [
        (_QUOTES + "P\tQ\ta\tfine\n", 4, 0),
        (_LONG, 302, 2),
        (_PLAIN + "P,Q\nP\nP,Q,b\n", 303, 2),
        (_PLAIN + ",,\nP,Q,b\n,,\n", 301, 0),
        (_PLAIN + "\nP,Q,b\n\n\n", 301, 0),
        (_PLAIN.replace("\n", "\r\n") + ",,\r\nP,Q,b", 301, 0),
        # One long and one short line have as many delimiters as two records.
        (_PLAIN + "P,Q,a,x\nP,Q\n" + _PLAIN[25:], 602, 2),
        (_PLAIN + "P,Q,b", 301, 0),
        (_PLAIN + "P,Q", 301, 1),
    ],
    ids=["quotes", "long", "short", "empty fields", "empty lines", "cr lf", "long and short", "no end", "cut short"],
)
@pytest.mark.parametrize("block", [7, 1 << 22])
def test_scanning_counts_what_reading_counts(
    text: str, records: int, dropped: int, block: int, file: MakeFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "_BLOCK", block)
    assert _same(file(text), ReadOptions(faults="lenient")) == (records, dropped)


@pytest.mark.parametrize("block", [1, 5, 64, 1 << 22])
def test_an_even_file_is_streamed(block: int, file: MakeFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "_BLOCK", block)
    monkeypatch.setattr(scanning, "read_with_report", None)  # reading it whole would fail
    for text in (_PLAIN, _PLAIN.rstrip("\n"), _PLAIN.replace("\n", "\r\n")):
        counts, report = scan_with_report(file(text), ReadOptions())
        assert (counts[None].total, report.records) == (300, 300)


def test_weighted_judgments_are_counted_and_not_their_weights(ok: Callable[..., object], file: MakeFile) -> None:
    path = file("system_a,system_b,winner,weight\nP,Q,a,.5\nP,Q,b,.25\nP,Q,a,.5\n")
    for more in ((), ("--scan",)):
        [ranking] = ok("rank", path, *more, "--resample", "none", "--format", "json").json  # type: ignore[attr-defined]
        assert ranking["judgments"] == 3


def test_a_header_that_is_none_is_no_traceback(file: MakeFile) -> None:
    assert _same(file(",\nsystem_a,system_b,winner\nP,Q,a\n"), ReadOptions()) == (1, 0)


@pytest.mark.parametrize("asked", [{"margin": 5.0}, {"lower_is_better": True}, {"across_judges": "raw"}])
def test_options_for_scores_are_refused_where_there_are_none(asked: dict[str, Any], file: MakeFile) -> None:
    options = ReadOptions(scores=ScoreOptions(**asked))
    for reader in (read_with_report, scan_with_report):
        with pytest.raises(InputError, match="the format 'pairwise' has no scores; leave them out"):
            reader(file(_PLAIN), options=options)
    scores = "system,segment,judge,score\n" + "".join(
        f"{s},{n},j,{n + len(s)}\n" for n in range(9) for s in ("P", "QQ")
    )
    assert len(read_with_report(file(scores), options=options)[0]) == 9
