"""Every format, read from small files whose judgments were worked out by hand."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions, ScoreOptions
from palmares.ingest.files import DroppedRowsWarning, read, read_with_report, write
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]
Row = tuple[str, str, int]


def _outcomes(judgments: Judgments) -> set[Row]:
    return set(judgments.to_rows().select("system_a", "system_b", "outcome").iter_rows())


# -- WMT rankings --------------------------------------------------------------------------------

_WMT_HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
    "system3Number,system3Id,system4Number,system4Id,system5Number,system5Id,"
    "system1rank,system2rank,system3rank,system4rank,system5rank"
)
_WMT_ROW = "French,English,7,-1,7,ann,-1,A,-1,B,-1,C,-1,D,-1,E,1,2,2,4,3"
#: A first, B and C tied, then E, then D.
_WMT_PAIRS = {
    ("A", "B", 1), ("A", "C", 1), ("A", "D", 1), ("A", "E", 1), ("B", "C", 0),
    ("B", "D", 1), ("B", "E", 1), ("C", "D", 1), ("C", "E", 1), ("D", "E", -1),
}  # fmt: skip


def _columns_reversed(text: str) -> str:
    return "\n".join(",".join(reversed(line.split(","))) for line in text.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        f"{_WMT_HEADER}\n{_WMT_ROW}\n",
        _columns_reversed(f"{_WMT_HEADER}\n{_WMT_ROW}"),
        f"{_WMT_HEADER}\r\n{_WMT_ROW}\r\n",
        f"{_WMT_HEADER}\r\r\n{_WMT_ROW}\r\r\n",
        f"{_WMT_HEADER}\r{_WMT_ROW}\r",
        f"\ufeff{_WMT_HEADER}\n\n{_WMT_ROW}",
        f"{_WMT_HEADER}\n{_WMT_ROW}".replace("judgeId", "judgeID").replace(",", "\t"),
        f"{_WMT_HEADER}\n{_WMT_ROW}".replace(",", ";"),
    ],
    ids=["plain", "any-order", "crlf", "crcrlf", "cr", "mark-and-blank-line", "tabs-judgeID", "semicolons"],
)
def test_wmt_ranking(text: str, file: MakeFile) -> None:
    judgments, report = read_with_report(file(text), options=ReadOptions(faults=0))
    assert report.format == "wmt"
    assert _outcomes(judgments) == _WMT_PAIRS
    assert (judgments.lang_pairs, judgments.segments, judgments.judges) == (("French-English",), ("7",), ("ann",))
    assert judgments.to_rows().filter(system_a="C", system_b="E").select("position_a", "position_b").row(0) == (3, 5)
    assert len(judgments.names["ranking"]) == 1


def test_wmt_skipped_rankings_and_placeholders(file: MakeFile) -> None:
    skipped = _WMT_ROW[: -len("1,2,2,4,3")] + "-1,-1,-1,-1,-1"
    three = "French,English,8,-1,8,bob,-1,A,-1,B,-1,C,-1,PLACEHOLDER,-1,PLACEHOLDER,2,1,3,-1,-1"
    one = "French,English,9,-1,9,bob,-1,A,-1,PLACEHOLDER,-1,PLACEHOLDER,-1,,-1,,2,-1,-1,-1,-1"
    judgments, report = read_with_report(
        file(f"{_WMT_HEADER}\n{skipped}\n{three}\n{one}\n"), options=ReadOptions(faults=0)
    )
    assert _outcomes(judgments) == {("A", "B", -1), ("A", "C", 1), ("B", "C", 1)}
    assert [(d.line, d.skipped) for d in report.dropped] == [(2, True), (4, True)]
    assert "skipped by the judge" in report.dropped[0].reason
    assert "fewer than two outputs" in report.dropped[1].reason


def test_wmt_with_seven_systems(file: MakeFile) -> None:
    header = ",".join(["judgeId", *[f"system{k}Id" for k in range(1, 8)], *[f"system{k}rank" for k in range(1, 8)]])
    row = ",".join(["ann", *"ABCDEFG", *"7654321"])
    judgments = read(file(f"{header}\n{row}\n"))
    assert len(judgments) == 21  # 7 · 6 / 2
    assert {outcome for _, _, outcome in _outcomes(judgments)} == {-1}


def test_wmt_merged_outputs(file: MakeFile) -> None:
    header = "system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"
    path = file(f"{header}\nA+B,1,C,2,moses+lm,2\nA,2,B,1,C,1\nA+B,1,PLACEHOLDER,-1,,-1\n")
    expanded = read(path)
    assert expanded.systems == ("A", "B", "C", "moses+lm")  # no system is called moses or lm
    assert len(expanded) == 6 + 3 + 1
    first = {
        ("A", "B", 0), ("A", "C", 1), ("A", "moses+lm", 1), ("B", "C", 1), ("B", "moses+lm", 1), ("C", "moses+lm", 0),
    }  # fmt: skip
    assert _outcomes(expanded) == first | {("A", "B", -1), ("A", "C", -1), ("B", "C", 0)}
    collapsed, report = read_with_report(path, options=ReadOptions(merged="collapse"))
    assert collapsed.systems == ("A", "A+B", "B", "C", "moses+lm")
    assert len(collapsed) == 6
    assert [(d.line, d.skipped) for d in report.dropped] == [(4, True)]


def test_a_system_inside_two_outputs_is_compared_with_itself(file: MakeFile) -> None:
    header = "system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"
    with pytest.warns(DroppedRowsWarning, match="line 3: system 'B' is compared with itself"):
        assert len(read(file(f"{header}\nA,1,B,2,C,3\nA+B,1,B+C,2,D,3\n"), faults="lenient")) == 3


# -- WMT pairs -----------------------------------------------------------------------------------

_PAIRS_HEADER = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"


def test_wmt_pairs(file: MakeFile) -> None:
    rows = [
        "ron,eng,6,6,ann,A,5,B,5,1",
        "ron,eng,6,6,ann,A,5,C,2,1",
        "ron,eng,6,6,ann,B,5,C,2,1",
        "ron,eng,7,7,ann,A,1,C,2,2",
    ]
    judgments, report = read_with_report(file("\r\r\n".join([_PAIRS_HEADER, *rows, ""])), options=ReadOptions(faults=0))
    assert report.format == "wmt-pairwise"
    assert _outcomes(judgments) == {("A", "B", 0), ("A", "C", -1), ("B", "C", -1), ("A", "C", 1)}
    assert len(judgments.names["ranking"]) == 2
    assert not judgments.has("position_a")


def test_wmt_pairs_with_merged_outputs(file: MakeFile) -> None:
    """A+B against C and against D: four pairs, and one tie of A with B (not one for each line)."""
    rows = ["r,e,6,6,ann,A+B,1,C,2,1", "r,e,6,6,ann,A+B,1,D,1,1", "r,e,6,6,ann,C,2,D,1,1", "r,e,7,7,ann,A,1,D,2,2"]
    path = file("\n".join([_PAIRS_HEADER, *rows]))
    pairs = {("A", "C", 1), ("B", "C", 1), ("A", "D", 0), ("B", "D", 0), ("C", "D", -1), ("A", "B", 0), ("A", "D", 1)}
    expanded = read(path)
    assert _outcomes(expanded) == pairs
    assert len(expanded) == 7
    assert read(path, options=ReadOptions(merged="collapse")).systems == ("A", "A+B", "C", "D")


def test_wmt_pair_of_outputs_that_share_a_system(file: MakeFile) -> None:
    rows = ["r,e,6,6,ann,A+B,1,A,2,1", "r,e,7,7,ann,A,1,B,2,2"]
    with pytest.warns(DroppedRowsWarning, match="line 2: system 'A' is compared with itself"):
        assert len(read(file("\n".join([_PAIRS_HEADER, *rows])), faults="lenient")) == 1


# -- Appraise ------------------------------------------------------------------------------------


@pytest.mark.parametrize("joined", ["A,B", "B, A", "A+B", "A B"])
@pytest.mark.parametrize("item", ["ranking-item", "ranking-result"])
def test_appraise(item: str, joined: str, file: MakeFile) -> None:
    path = file(
        f"""<?xml version="1.0" encoding="UTF-8"?>
        <appraise-results>
          <ranking-task source-language="fra" target-language="eng">
            <{item} src-id="3" user="ann" duration="00:01:07.5">
              <translation rank="1" system="{joined}"/><translation rank="2" system="C"/>
            </{item}>
            <{item} src-id="4" user="ann" duration="2.5">
              <translation rank="1" system="A"/><translation rank="1" system="C"/>
            </{item}>
            <{item} src-id="5" user="bob" skipped="true"/>
            <{item} src-id="6"><translation rank="-1" system="A"/><translation rank="-1" system="C"/></{item}>
          </ranking-task>
          <translation rank="1" system="stray"/>
        </appraise-results>""",
        "file.xml",
    )
    judgments, report = read_with_report(path, options=ReadOptions(faults=0))
    assert report.format == "appraise"
    assert _outcomes(judgments) == {("A", "B", 0), ("A", "C", 1), ("B", "C", 1), ("A", "C", 0)}
    assert (judgments.lang_pairs, judgments.segments, judgments.judges) == (("fra-eng",), ("3", "4"), ("ann",))
    assert sorted(judgments.frame["duration"]) == [2.5, 67.5, 67.5, 67.5]
    assert [(d.line, d.skipped) for d in report.dropped] == [(10, True), (11, True)]
    collapsed = read(path, options=ReadOptions(merged="collapse"))
    assert collapsed.systems == tuple(sorted(["A", "C", joined]))
    assert len(collapsed) == 2


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_appraise_in_its_declared_encoding(encoding: str, file: MakeFile) -> None:
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><r><ranking-item user="Zoé">'
        '<translation rank="1" system="A"/><translation rank="2" system="B"/></ranking-item></r>'
    )
    path = file(text.encode(encoding), "file.xml")
    assert read(path, encoding=encoding).judges == ("Zoé",)
    if encoding != "utf-16":  # which is the one that a reader must be told of
        assert read(path).judges == ("Zoé",)


# -- generic tables ------------------------------------------------------------------------------

#: P beat Q, then R beat Q, then P and R tied.
_EXPECTED = {("P", "Q", 1), ("Q", "R", -1), ("P", "R", 0)}


@pytest.mark.parametrize(
    "text",
    [
        "system_a,system_b,outcome\nP,Q,a\nQ,R,b\nP,R,tie\n",
        "System A;System B;Outcome\nP;Q; A \nQ;R;B\nP;R;Draw\n",
        "left\tright\twinner\nP\tQ\tleft\nQ\tR\tright\nP\tR\tequal\n",
        "model_1,model_2,preference\nP,Q,P\nQ,R,R\nP,R,tie\n",
        "model_x,model_y,verdict\nP,Q,A>B\nQ,R,b>>a\nP,R,A=B\n",
        "system_a,system_b,outcome\nP,Q,1\nQ,R,-1\nP,R,0\n",
        "system_a,system_b,outcome\nP,Q,1.0\nQ,R,0\nP,R,0.5\n",
        "system1,system2,rank1,rank2\nP,Q,1,2\nQ,R,3.5,2\nP,R,4,4\n",
        '{"left": "P", "right": "Q", "label": "[[A]]"}\n{"left": "Q", "right": "R", "label": "[[B]]"}\n\n'
        '{"left": "P", "right": "R", "label": "[[C]]", "more": {"x": [1]}}\n',
        '[{"left": "P", "right": "Q", "label": ">"}, {"left": "Q", "right": "R", "label": "<"},'
        ' {"left": "P", "right": "R", "label": "="}]',
        '\n"system_a","system\n_b","outcome"\n"P","Q","a"\n\n"Q","R","b"\n"P","R","tie"\n',
    ],
    ids=[
        "words", "semicolons", "left-right", "by-name", "arrows", "signs", "shares", "ranks", "json-lines", "json",
        "quoted-header",
    ],
)  # fmt: skip
def test_pairwise_in_many_dresses(text: str, file: MakeFile) -> None:
    judgments, report = read_with_report(file(text), options=ReadOptions(faults=0))
    assert report.format == "pairwise"
    assert _outcomes(judgments) == _EXPECTED


def test_models_called_1_and_2_win_by_name(file: MakeFile) -> None:
    """As outcomes the numbers 1 and 0 would be ambiguous; that 4 wins, too, makes them names."""
    judgments = read(file("model_1,model_2,winner\n1,4,1\n4,0,0\n1,0,tie\n4,1,4\n"))
    assert _outcomes(judgments) == {("1", "4", 1), ("0", "4", 1), ("0", "1", 0), ("1", "4", -1)}


def test_winner_and_loser(file: MakeFile) -> None:
    assert _outcomes(read(file("winner,loser\nA,B\nC,B\n"))) == {("A", "B", 1), ("B", "C", -1)}


def test_columns_can_be_named(file: MakeFile) -> None:
    path = file("one,two,how,user,worker\nA,B,left,u1,w1\n")
    with pytest.raises(InputError, match="no known format has the columns one, two, how, user, worker"):
        read(path)
    judgments = read(path, columns={"system_a": "one", "system_b": "two", "outcome": "how", "segment": "user"})
    assert judgments.segments == ("u1",)
    assert judgments.judges == ("w1",)  # and not u1: that column has another role
    with pytest.raises(InputError, match="unknown column role 'boss'; known: system_a"):
        read(path, columns={"boss": "one"})
    with pytest.raises(InputError, match="there is no column 'x' for 'judge'; present: one, two"):
        read(path, columns={"judge": "x"})


def test_values_beside_the_judgment(file: MakeFile) -> None:
    text = "system_a,system_b,outcome,weight,time,seconds,topic,position_a,position_b\n"
    path = file(text + "A,B,a,2,2014-01-01T10:00:00+02:00,3.5,art,2,1\nA,C,a,,2014-01-01 09:30,,,,\n")
    row, other = read(path, extra=["topic"]).to_rows().iter_rows(named=True)
    assert (row["weight"], row["time"], row["duration"]) == (2.0, datetime(2014, 1, 1, 8), 3.5)
    assert (row["extra.topic"], row["position_a"], row["position_b"]) == ("art", 2, 1)
    assert (other["weight"], other["time"], other["duration"]) == (1.0, datetime(2014, 1, 1, 9, 30), None)
    assert read(path).extras == ()
    with pytest.raises(InputError, match="there is no column 'colour' to keep; present: system_a"):
        read(path, extra=["colour"])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1388570400", datetime(2014, 1, 1, 10)),
        ("1388570400.25", datetime(2014, 1, 1, 10, 0, 0, 250000)),
        ("1388570400000", datetime(2014, 1, 1, 10)),
        ("2014-01-01", datetime(2014, 1, 1)),
        ("2014-01-01T10:00:00Z", datetime(2014, 1, 1, 10)),
        ("2014-01-01 10:00:00.000001", datetime(2014, 1, 1, 10, 0, 0, 1)),
    ],
)
def test_times(written: str, meant: datetime, file: MakeFile) -> None:
    path = file(f"system_a,system_b,outcome,timestamp\nA,B,a,{written}\n")
    assert read(path).frame["time"].to_list() == [meant]


def test_a_guessed_column_can_be_ignored(file: MakeFile) -> None:
    path = file("system_a,system_b,outcome,time\nA,B,a,at noon\n")
    with pytest.raises(InputError, match=r"time 'at noon' cannot be read; allowed: ISO 8601 .*--column time="):
        read(path)
    assert not read(path, columns={"time": ""}).has("time")


# -- LLM arenas and preference pairs -------------------------------------------------------------


def test_arena(file: MakeFile) -> None:
    lines = [
        '{"question_id": 7, "model_a": "B", "model_b": "A", "winner": "model_b", "judge": "u", "tstamp": 1388570400.5}',
        '{"question_id": 8, "model_a": "A", "model_b": "C", "winner": "tie (bothbad)", "conversation_a": [{"x": 1}]}',
        '{"question_id": 9, "model_a": "model_b", "model_b": "A", "winner": "model_a"}',
    ]
    judgments, report = read_with_report(file("\n".join(lines), "file.jsonl"), options=ReadOptions(faults=0))
    assert report.format == "arena"
    assert _outcomes(judgments) == {("A", "B", 1), ("A", "C", 0), ("A", "model_b", -1)}
    first = judgments.to_rows().row(0, named=True)
    assert (first["position_a"], first["position_b"]) == (2, 1)  # A stood second
    assert (first["segment"], first["judge"]) == ("7", "u")
    assert first["time"] == datetime(2014, 1, 1, 10, 0, 0, 500000)


@pytest.mark.parametrize(
    "text",
    [
        '{"prompt": "hi", "chosen_model": "A", "rejected_model": "B", "chosen": [{"role": "x"}], "rejected": "no"}\n',
        "prompt,chosen,rejected\nhi,A,B\n",
    ],
)
def test_chosen_and_rejected(text: str, file: MakeFile) -> None:
    judgments, report = read_with_report(file(text), options=ReadOptions(faults=0))
    assert report.format == "chosen-rejected"
    assert _outcomes(judgments) == {("A", "B", 1)}
    assert judgments.segments == ("hi",)


# -- PrefLib -------------------------------------------------------------------------------------

_PREFLIB = """# FILE NAME: x.toc
# DATA TYPE: toc
# NUMBER ALTERNATIVES: 3
# ALTERNATIVE NAME 1: Ann, Bob
# ALTERNATIVE NAME 2: B
# ALTERNATIVE NAME 3: C
2: 1,{2,3}
1: 3, 1 ,2
"""


def test_preflib(file: MakeFile) -> None:
    judgments, report = read_with_report(file(_PREFLIB, "x.toc"), options=ReadOptions(faults=0))
    assert report.format == "preflib"
    assert len(judgments) == 9
    assert len(judgments.names["ranking"]) == 3
    counts = judgments.counts
    assert counts.systems == ("Ann, Bob", "B", "C")
    assert counts.wins.tolist() == [[0, 3, 2], [0, 0, 0], [1, 1, 0]]
    assert counts.ties.tolist() == [[0, 0, 0], [0, 0, 2], [0, 2, 0]]


def test_preflib_incomplete_orders(file: MakeFile) -> None:
    path = file(_PREFLIB.replace("2: 1,{2,3}\n", "4: 2,1\n"), "x.soi")
    assert len(read(path)) == 4 + 3


@pytest.mark.parametrize(
    ("vote", "reason"),
    [
        ("2 1,2", "not of the form COUNT: 1,{2,3},4"),
        ("0: 1,2", "not of the form"),
        ("1: 1,{2,3", "not of the form"),
        ("1: 1,9", "alternative '9' has no name"),
        ("1: 1,2,1", "ranks an alternative twice"),
        ("1: 1", "ranks fewer than two alternatives"),
    ],
)
def test_preflib_bad_votes(vote: str, reason: str, file: MakeFile) -> None:
    with pytest.warns(DroppedRowsWarning, match=f"dropped line 9: .*{reason.replace('{', '.').replace('}', '.')}"):
        assert len(read(file(f"{_PREFLIB}{vote}\n", "x.toc"), faults="lenient")) == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# FILE NAME: x\n1: 1,2\n", "no '# ALTERNATIVE NAME 1: …' line"),
        (_PREFLIB.replace(": C", ": B"), "two alternatives are called 'B'"),
        (_PREFLIB.replace("2: 1,", "999999999: 1,"), "more than 50,000,000 pairwise judgments"),
    ],
)
def test_preflib_bad_files(text: str, message: str, file: MakeFile) -> None:
    with pytest.raises(InputError, match=message):
        read(file(text, "x.toc"))


# -- scores --------------------------------------------------------------------------------------

_SCORES = """segment,judge,system,score
1,ann,A,0.4
1,ann,B,0.3
1,ann,C,0.9
1,bob,A,0.1
2,ann,A,0.5
2,ann,B,0.7
2,ann,B,0.1
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # On segment 2 the two scores of B average 0.4; bob scored one output, which compares nothing.
        ({}, [("A", "B", 1), ("A", "B", 1), ("A", "C", -1), ("B", "C", -1)]),
        ({"margin": 0.1}, [("A", "B", 0), ("A", "B", 0), ("A", "C", -1), ("B", "C", -1)]),
        ({"margin": 0.55}, [("A", "B", 0), ("A", "B", 0), ("A", "C", 0), ("B", "C", -1)]),
        ({"lower_is_better": True}, [("A", "B", -1), ("A", "B", -1), ("A", "C", 1), ("B", "C", 1)]),
    ],
)
def test_scores(options: dict[str, Any], expected: list[Row], file: MakeFile) -> None:
    scores = ReadOptions(scores=ScoreOptions(**options), faults=0)
    judgments, report = read_with_report(file(_SCORES), options=scores)
    assert report.format == "scores"
    assert sorted(judgments.to_rows().select("system_a", "system_b", "outcome").iter_rows()) == expected
    assert [(d.line, d.skipped) for d in report.dropped] == [(5, True)]
    assert len(judgments.names["ranking"]) == 2


def test_reading_one_format_loads_no_other() -> None:
    code = (
        "import sys\n"
        "from palmares.ingest.files import read\n"
        "read('examples/campaign.csv')\n"
        "others = [f'palmares.ingest.{name}' for name in ('appraise', 'pairwise', 'preflib', 'scan', 'scores')]\n"
        "sys.exit([name for name in others if name in sys.modules] or None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[1])


def test_scores_are_read_with_their_options(file: MakeFile) -> None:
    path = file(_SCORES)
    assert read(path, options=ReadOptions(scores=ScoreOptions(margin=0.55))) != read(path)


@pytest.mark.parametrize("margin", [-1.0, float("nan")])
def test_bad_margins(margin: float) -> None:
    with pytest.raises(InputError, match=r"margin: got .*allowed: "):
        ScoreOptions(margin=margin)


def test_bad_options(file: MakeFile) -> None:
    with pytest.raises(InputError, match="merged outputs: got 'both'; allowed: "):
        read(file(_SCORES), options=ReadOptions(merged="both"))  # type: ignore[arg-type]


# -- where files come from -----------------------------------------------------------------------


class _Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_sources(file: MakeFile, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "system_a,system_b,outcome\nA,B,a\n"
    path = file(text)
    expected = read(path)
    monkeypatch.setattr(sys, "stdin", _Stdin(gzip.compress(text.encode())))
    assert read("-") == expected
    assert read(str(path)) == expected
    assert read(io.StringIO(text)) == expected
    with path.open("rb") as opened:
        assert read(opened) == expected


def test_writing_to_standard_output(judgments: Judgments, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write(judgments, "-")
    assert read(io.BytesIO(capsysbinary.readouterr().out)) == judgments
    write(judgments, "-", format="appraise", drop=["ranking"])
    assert capsysbinary.readouterr().out.startswith(b"<?xml")


def test_a_named_format_must_fit(file: MakeFile) -> None:
    path = file("system_a,system_b,outcome\nA,B,a\n")
    with pytest.raises(InputError, match=r"unknown format 'wmt5'; known: appraise, .* did you mean 'wmt'"):
        read(path, format="wmt5")
    for name in ("wmt", "wmt-pairwise", "arena", "chosen-rejected", "scores"):
        with pytest.raises(InputError, match="it has system_a, system_b, outcome"):
            read(path, format=name)
    with pytest.raises(InputError, match="broken XML"):
        read(path, format="appraise")
    with pytest.raises(InputError, match="ALTERNATIVE NAME"):
        read(path, format="preflib")


@pytest.mark.parametrize("word", ["both-bad", "both_bad", "bothbad", "both bad", "tie (bothbad)", "Both-Bad"])
def test_both_bad_is_a_tie_however_it_is_spelt(word: str) -> None:
    votes = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": [word]})
    assert read(votes).codes("outcome").tolist() == [0]
