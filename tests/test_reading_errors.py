"""What is wrong with a file is said in a message of its own, with the line where it stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import DroppedRowsWarning, read, read_with_report
from palmares.ingest.source import compress

MakeFile = Callable[..., Path]

_HEADER = "system_a,system_b,outcome"
_RANKS = "system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"
_XML = (
    '<r>\n<ranking-item><translation rank="1" system="A"/><translation rank="2" system="B"/></ranking-item>\n'
    "<ranking-item>{}</ranking-item>\n</r>"
)

#: A faulty record in a file that also has a good one: the line it stands on, and what must be said of it.
_FAULTS = {
    "unknown outcome": (f"{_HEADER}\nA,B,a\nA,B,maybe\n", 3, "unknown outcome 'maybe'; allowed: a, b, tie"),
    "unknown winner": ("left,right,winner\nA,B,A\nA,B,C\n", 3, "unknown outcome 'C'; .* or the winner's name"),
    "number among words": (f"{_HEADER}\nA,B,a\nA,B,1\n", 3, "unknown outcome '1'"),
    "no outcome": (f"{_HEADER}\nA,B,a\nA,B,\n", 3, "the outcome is missing"),
    "itself": (f"{_HEADER}\nA,B,a\nA, A ,a\n", 3, "system 'A' is compared with itself"),
    "itself, ranked": (f"{_RANKS}\nA,1,B,2,C,3\nA,1,B,2,A,3\n", 3, "system 'A' is compared with itself"),
    "itself, XML": (_XML.format('<translation rank="1" system="A"/>' * 2), 3, "system 'A' is compared with itself"),
    "no system": (f"{_HEADER}\nA,B,a\n,B,a\n", 3, "a system is missing"),
    "rank too large": (f"{_RANKS}\nA,1,B,2,C,3\nA,1,B,2,C,6\n", 3, "rank '6' of output 3 is out of range; allowed: "),
    "rank 0": (f"{_RANKS}\nA,1,B,2,C,3\nA,0,B,2,C,3\n", 3, "rank '0' of output 1 is out of range; allowed: "),
    "rank not a number": (f"{_RANKS}\nA,1,B,2,C,3\nA,x,B,2,C,3\n", 3, "rank 'x' of output 1 is out of range"),
    "no rank": (f"{_RANKS}\nA,1,B,2,C,3\nA,,B,2,C,3\n", 3, "rank '' of output 1 is out of range"),
    "rank, pairwise": ("left,right,rank1,rank2\nA,B,1,2\nA,B,1,x\n", 3, "rank 'x' is out of range; allowed: any"),
    "rank, XML": (_XML.format('<translation rank="0" system="A"/>'), 3, "rank '0' of 'A' is out of range; allowed: "),
    "no system, XML": (_XML.format('<translation rank="1"/>'), 3, "a translation lacks its system"),
    "no outputs, XML": (_XML.format(""), 3, "has no translation element"),
    "short line": (f"{_HEADER}\nA,B,a\nA,B\n", 3, "has 2 fields where the header has 3"),
    "long line": (f"{_HEADER}\nA,B,a\nA,B,a,a\n", 3, "has 4 fields where the header has 3"),
    "open quote": (f'{_HEADER}\nA,B,a\nA,"B,a\nA,B,a\n', 3, r"is not delimited text \(a quotation mark is never"),
    "text after quote": (f'{_HEADER}\nA,B,a\nA,"B"x,a\n', 3, "is not delimited text"),
    "weight": (f"{_HEADER},weight\nA,B,a,1\nA,B,a,0\n", 3, "weight '0' cannot be read; allowed: a number from 1e-6"),
    "position": (
        f"{_HEADER},position_a,position_b\nA,B,a,1,2\nA,B,a,1.5,2\n", 3, "position_a '1.5' .* allowed: a whole number"
    ),
    "duration": (f"{_HEADER},duration\nA,B,a,1\nA,B,a,inf\n", 3, "duration 'inf' cannot be read; allowed: a number"),
    "time": (f"{_HEADER},time\nA,B,a,2014-01-01\nA,B,a,noon\n", 3, "time 'noon' cannot be read; allowed: ISO 8601"),
    "not JSON": ('{"left":"A","right":"B","winner":"A"}\n{"left":\n', 2, "is not JSON"),
    "no JSON object": ('{"left":"A","right":"B","winner":"A"}\n[1]\n', 2, "is a JSON list, not an object"),
    "half a character": ('{"left":"A","right":"B","winner":"A"}\n{"left":"\\ud800"}\n', 2, "has half of a surrogate"),
    "score": ("segment,system,score\n1,A,1\n1,B,2\n1,C,x\n", 4, "score 'x' is not a number"),
    "no segment": ("segment,system,score\n1,A,1\n1,B,2\n,C,3\n", 4, "the segment is missing"),
    # Lines are counted as an editor counts them, and a record is where it begins.
    "blank lines": (f"\n{_HEADER}\n\nA,B,a\n\n\nA,B,maybe\n", 7, "unknown outcome 'maybe'"),
    "quoted line ends": (f'{_HEADER},note\nA,B,a,"x\ny\nz"\n\nA,B,maybe,"1\n2"\n', 6, "unknown outcome 'maybe'"),
    "quoted line ends, short": (f'{_HEADER},note\nA,B,a,"x\ny"\nA,"B\nC"\n', 4, "has 2 fields where the header has 4"),
    "quoted header": (f'{_HEADER},"no\nte"\nA,B,a,x\nA,B,maybe,x\n', 4, "unknown outcome 'maybe'"),
    "CR LF": (f"{_HEADER}\r\n\r\nA,B,a\r\nA,B,maybe\r\n", 4, "unknown outcome 'maybe'"),
    "after a long line": (f"{_HEADER}\nA,B,a,a\n\nA,B,a\nA,B,maybe\n", 5, "unknown outcome 'maybe'"),
}  # fmt: skip


_LENIENT = ReadOptions(faults="lenient")


@pytest.mark.parametrize("fault", _FAULTS)
def test_a_faulty_record_is_dropped_by_line(fault: str, file: MakeFile) -> None:
    text, line, message = _FAULTS[fault]
    with pytest.warns(DroppedRowsWarning, match=rf"(?s)dropped lines? ([0-9]+, )*{line}: {message}"):
        assert len(read(file(text), faults="lenient")) >= 1


@pytest.mark.parametrize("fault", _FAULTS)
def test_strict_refuses_it(fault: str, file: MakeFile) -> None:
    text, _, message = _FAULTS[fault]
    with pytest.raises(InputError, match=f"(?s){message}.*(--strict allows none|--lenient)"):
        read(file(text), faults=0)


def test_every_kind_of_fault_has_its_own_message(file: MakeFile) -> None:
    kinds = ("unknown outcome", "itself", "rank too large", "short line", "no system", "no outcome", "weight")
    reasons = [read_with_report(file(_FAULTS[kind][0]), options=_LENIENT)[1].rejected[0].reason for kind in kinds]
    assert len(set(reasons)) == len(kinds)


def test_the_report_counts_and_shortens(file: MakeFile) -> None:
    _, report = read_with_report(file(f"{_HEADER}\n" + "A,A,a\n" * 7 + "A,B,a\n"), options=_LENIENT)
    assert (report.records, report.judgments, len(report.rejected)) == (8, 1, 7)
    [line] = report.lines()
    assert line.endswith("dropped lines 2, 3, 4, 5, 6 and 2 more: system 'A' is compared with itself")


def test_a_data_frame_counts_rows() -> None:
    frame = pl.DataFrame({"system_a": ["A", "A"], "system_b": ["B", "A"], "outcome": ["a", "a"]})
    with pytest.warns(DroppedRowsWarning, match="data frame: dropped row 2: system 'A' is compared with itself"):
        read(frame, faults="lenient")


# -- files that cannot be used at all ------------------------------------------------------------

_GOOD = f"{_HEADER}\n" + "A,B,a\n" * 50


def _packed(text: str, ending: str) -> bytes:
    return compress(text.encode(), Path("x" + ending))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        (" \n\n", "the file is empty"),
        (_packed("", ".gz"), "the file is empty"),
        (f"{_HEADER}\n", "has a header but no rows$"),
        (f"{_HEADER}", "has a header but no rows$"),
        (f"{_HEADER}\n\n \r\n", "has a header but no rows$"),
        (_packed(_HEADER, ".gz"), "has a header but no rows$"),
        (f"{_HEADER}\nA,B\n", "has a header but no rows that can be used; line 2 has 2 fields where the header has 3"),
        (f"{_HEADER}\nA,A,a\n", "(?s)no judgment is left:.*line 2: system 'A' is compared with itself"),
        (
            f"{_HEADER}\nA,B,a\nB,Zoé,a\n".encode("latin-1"),
            r"line 3 is not valid UTF-8 \(byte 0xe9\); .*--encoding latin-1",
        ),
        (f"Zoé,{_HEADER}\n1,A,B,a\n".encode("latin-1"), "line 1 is not valid UTF-8"),
        ('{"left":"A","right":"Zoé","winner":"A"}\n'.encode("latin-1"), "line 1 is not valid UTF-8"),
        (_GOOD.encode("utf-16"), "looks like UTF-16, not UTF-8; say so with --encoding utf-16"),
        (_GOOD.encode("utf-16-le"), "looks like UTF-16"),
        (_packed(_GOOD, ".gz")[:-20], "the compressed file is cut short; fetch or write it again"),
        (_packed(_GOOD, ".gz")[:5], "the compressed file is cut short"),
        (_packed(_GOOD, ".zst")[:-5], "the compressed file is cut short"),
        (_packed(_GOOD, ".zst")[:4] + b"\xff" * 40, "the compressed file is damaged"),
        (_packed(_GOOD, ".gz")[:-8] + b"\0" * 8, "the compressed file is damaged"),
        (f"{_HEADER},judge,judge\nA,B,a,x,y\n", "the header names 'judge' twice; column names must differ"),
        ("judge\nann\n", "no known format has the columns judge; known formats: appraise, "),
        (f"{_HEADER}\nA,B,1\nA,B,0\n", "numeric outcomes 0, 1 are ambiguous: known sets are 1 / 0 / −1"),
        (f"{_HEADER}\nA,B,1\nA,B,2\n", "numeric outcomes 1, 2 are ambiguous"),
        (f"{_HEADER}\nA,B,0.5\nA,B,-1\n", "numeric outcomes -1, 0.5 are ambiguous"),
        ("<xml></xml>", "no ranking-item or ranking-result element; this is not an Appraise result file"),
        ("<r>\n<ranking-item>\n", r"line 3: broken XML \(.*\); is the file cut short"),
        ("[1, 2", "is not JSON"),
        ("[1, 2]", "no JSON object with a judgment; object 1 is a JSON int, not an object"),
        ("{\n", "no JSON object with a judgment; line 1 is not JSON"),
        ("{}\n", "no JSON object with a judgment"),
        (b"PAR1 and no more", "the Parquet file is damaged or cut short"),
        ('{"left": ["A"], "right": ["B"], "winner": "left"}\n', "column 'left' holds lists or objects, not names"),
        (f"{_HEADER},position_a\nA,B,a,1\n", "give both or neither"),
    ],
)
def test_a_file_that_cannot_be_used(content: str | bytes, message: str, file: MakeFile) -> None:
    with pytest.raises(InputError, match=message):
        read(file(content))


def test_places_that_cannot_be_read(tmp_path: Path, file: MakeFile) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder; name the files in it"):
        read(tmp_path)
    with pytest.raises(
        InputError, match="cannot read judgments from a list; give a path, an open file, or a data frame"
    ):
        read([1, 2])
    path = file(f"{_HEADER},judge\nA,B,a,Zoé\n".encode("latin-1"))
    with path.open(encoding="utf-8") as opened, pytest.raises(InputError, match="open it in binary mode"):
        read(opened)


def test_other_encodings(file: MakeFile) -> None:
    text = f"{_HEADER},judge\nA,B,a,Zoé\n"
    for encoding in ("latin-1", "utf-16", "cp1252", "utf-8-sig"):
        assert read(file(text.encode(encoding)), encoding=encoding).judges == ("Zoé",)
    with pytest.raises(InputError, match="unknown encoding 'klingon'; examples: utf-8"):
        read(file(text), encoding="klingon")
    with pytest.raises(InputError, match="is not valid ascii"):
        read(file(text), encoding="ascii")


# -- odd but readable ----------------------------------------------------------------------------


def test_a_very_long_field(file: MakeFile) -> None:
    text = f'{_HEADER},judge\nA,B,a,"{"x" * 1_000_000}"\nA,B,a\n'
    with pytest.warns(DroppedRowsWarning, match="line 3: has 3 fields where the header has 4"):
        assert len(read(file(text), faults="lenient").judges[0]) == 1_000_000


def test_columns_without_a_name(file: MakeFile) -> None:
    assert len(read(file(f",,{_HEADER}\n0,0,A,B,a\n"))) == 1


def test_quotes_inside_plain_fields(file: MakeFile) -> None:
    assert read(file(f'{_HEADER}\n5" gun,B,a\nA,7" gun,a\n')).systems == ('5" gun', '7" gun', "A", "B")


def test_null_bytes_are_characters(file: MakeFile) -> None:
    assert read(file(f"{_HEADER}\nA\0,B,a\n")).systems == ("A\0", "B")
    assert read(file('{"left":"A\\u0000","right":"B","winner":"left"}\n')).systems == ("A\0", "B")
