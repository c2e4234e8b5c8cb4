"""Columns that say more than one would think: documents that number their segments, columns that hold nothing."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from palmares.errors import InputError, LossyWriteError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import read, write
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]


@pytest.fixture
def file(tmp_path: Path) -> MakeFile:
    def make(header: str, rows: list[str], name: str = "x.csv") -> Path:
        path = tmp_path / name
        path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
        return path

    return make


def _wins(judgments: Judgments) -> dict[str, int]:
    """How often each system won."""
    rows = judgments.to_rows()
    better = pl.when(pl.col("outcome") == 1).then("system_a").when(pl.col("outcome") == -1).then("system_b")
    won = rows.select(better.alias("won")).drop_nulls()["won"]
    return {name: won.to_list().count(name) for name in judgments.systems}


def _notes(judgments: Judgments) -> str:
    return "\n".join(judgments.notes)


# -- segments numbered within documents ---------------------------------------------------------------

#: In one document Q is better in three segments, in three documents P is better in three.
_SCORES = [
    f"d{d},{s},ann,{system},{score}"
    for d in range(4)
    for s in range(3)
    for system, score in ({"P": 0, "Q": 100} if d == 0 else {"P": 51, "Q": 50}).items()
]


@pytest.mark.parametrize("names", ["document,segment", "doc_id,seg_id", "docid,segmentId", "Document ID,item"])
def test_scores_of_segments_numbered_within_documents(names: str, file: MakeFile) -> None:
    judgments = read(file(f"{names},judge,system,score", _SCORES))
    assert _wins(judgments) == {"P": 9, "Q": 3}
    assert len(judgments.segments) == 12
    assert f"segments are numbered within each {names.split(',')[0]}" in _notes(judgments)


def test_pairs_of_segments_numbered_within_documents(file: MakeFile) -> None:
    """Two judges who agree on every output of every document."""
    rows = [f"d{d},{s},{j},P,Q,{'a' if (d + s) % 2 else 'b'}" for d in range(4) for s in range(3) for j in "xy"]
    judgments = read(file("document,segment,judge,system_a,system_b,winner", rows))
    assert len(judgments.segments) == 12
    outcomes = judgments.to_rows().group_by("segment").agg(pl.col("outcome").n_unique(), pl.len())
    assert outcomes["outcome"].to_list() == [1] * 12
    assert outcomes["len"].to_list() == [2] * 12


def test_segments_that_need_no_document_keep_their_names(file: MakeFile) -> None:
    rows = [f"d{n // 2},{n},P,Q,a" for n in range(6)]
    judgments = read(file("document,segment,system_a,system_b,winner", rows))
    assert judgments.segments == tuple("012345")
    assert "numbered" not in _notes(judgments)
    # Of each language pair by itself: a segment is not in several documents because its translations are.
    rows = [f"{lang}-{n // 2},{n},en-{lang},P,Q,a" for lang in ("de", "fr") for n in range(6)]
    assert read(file("document,segment,lang_pair,system_a,system_b,winner", rows)).segments == tuple("012345")


def test_a_document_alone_is_the_segment(file: MakeFile) -> None:
    assert read(file("docid,system_a,system_b,winner", ["x,P,Q,a", "y,P,Q,b"])).segments == ("x", "y")


def test_documents_can_be_named_and_forbidden(file: MakeFile) -> None:
    path = file("story,segment,judge,system,score", _SCORES)
    assert _wins(read(path, columns={"document": "story"})) == {"P": 9, "Q": 3}
    path = file("document,sentence,judge,system,score", _SCORES)
    with pytest.raises(InputError, match="--column document=document if segments are numbered within each"):
        read(path, columns={"segment": "sentence"})
    both = {"segment": "sentence", "document": "document"}
    assert _wins(read(path, columns=both)) == {"P": 9, "Q": 3}
    assert read(path, columns={"segment": "sentence", "document": ""}).segments == ("0", "1", "2")
    path = file("document,sentence,system_a,system_b,winner", ["x,0,P,Q,a", "y,0,P,Q,b"])
    assert "--column document=document tells them apart" in _notes(read(path, columns={"segment": "sentence"}))


def test_different_documents_and_segments_stay_different(file: MakeFile) -> None:
    rows = ["a/b,c,P,Q,a", "a,b/c,P,Q,b", "a,c,P,Q,b", ",a/c,P,Q,b", "a,,P,Q,b"]
    judgments = read(file("document,segment,system_a,system_b,winner", rows))
    assert len(judgments.segments) == 4
    assert judgments.to_rows()["segment"].null_count() == 1


# -- names of WMT's scripts, and ranks of pandas -----------------------------------------------------


@pytest.mark.parametrize(("good", "bad"), [("TGT", "BAD"), ("False", "True"), ("0", "1")])
def test_scores_with_the_names_of_wmts_scripts(good: str, bad: str, file: MakeFile) -> None:
    """Each judge scored both systems on two segments, and a damaged copy of each output, of which Q's are better."""
    header = (
        "login,system,itemid,is_bad,source_lang,target_lang,score,doc_id,unk_col_always_false,span_errors,start_time"
    )
    rows = [
        f"{judge},{system},{1 + s + 2 * (system == 'Q') + 4 * (kind == bad)},{kind},eng,deu,"
        f"{score},news.1#{system}{'#bad' * (kind == bad)},False,[],10"
        for judge in ("j1", "j2")
        for kind, scores in ((good, {"P": 90, "Q": 50}), (bad, {"P": 0, "Q": 100}))
        for system, score in scores.items()
        for s in range(2)
    ]
    judgments = read(file(header, rows))
    assert _wins(judgments) == {"P": 4, "Q": 0}
    assert (judgments.judges, judgments.segments) == (("j1", "j2"), ("news.1:1", "news.1:2"))
    assert "left out: 8 × control (type BAD)" in _notes(judgments)


def test_whole_floats_are_ranks(file: MakeFile) -> None:
    header = "system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"
    assert _wins(read(file(header, ["P,1.0,Q,2.0,R,3.0", "P,1.0,Q,-1.0,R,2.0"]))) == {"P": 2, "Q": 1, "R": 0}
    with pytest.raises(InputError, match=r"rank '1\.5' of output 1 is out of range"):
        read(file(header, ["P,1.5,Q,2.0,R,3.0"]))


# -- ranking ids that link nothing -------------------------------------------------------------------

_PAIRS = "srclang,trglang,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"


def _three_ways(judges: int) -> list[str]:
    pairs = [("P", 1, "Q", 2), ("P", 1, "R", 3), ("Q", 2, "R", 3)]
    lines = [f"de,en,{j},j{j},{a},{x},{b},{y}" for j in range(judges) for a, x, b, y in pairs]
    return [f"{line},{number}" for number, line in enumerate(lines)]


def test_ids_that_number_the_lines_are_no_ranking_ids(file: MakeFile) -> None:
    path = file(_PAIRS, _three_ways(20))
    judgments = read(path)
    assert len(judgments.names["ranking"]) == 20
    assert "column 'rankingID' was not taken for the ranking id: it has another value on every line" in _notes(
        judgments
    )
    assert "20 rankings were rebuilt" in _notes(judgments)
    assert len(read(path, columns={"ranking": "rankingID"}).names["ranking"]) == 60
    # Of single pairs, every id is that of a ranking.
    assert "not taken" not in _notes(read(file(_PAIRS, _three_ways(20)[::3])))


def test_pairs_that_could_be_a_ranking_are_not_written_as_single_ones(tmp_path: Path) -> None:
    tied = pl.DataFrame({"system_a": ["P", "P", "Q"], "system_b": ["Q", "R", "R"], "outcome": [0, 0, 0]})
    tied = tied.with_columns(pl.lit("j").alias("judge"), pl.lit("s").alias("segment"))
    with pytest.raises(LossyWriteError, match="no rankings but could be"):
        write(Judgments.from_rows(tied), tmp_path / "x.csv", format="wmt-pairwise")


# -- columns that hold nothing ------------------------------------------------------------------------


@pytest.mark.parametrize("nothing", ["-1", "", "nan"])
def test_a_column_that_names_nothing_hides_none(nothing: str, file: MakeFile) -> None:
    header = "lp,srclang,trglang,segmentId,srcIndex,judge,annotator,system_a,system_b,winner"
    rows = [f"{nothing},en,{lang},{nothing},{n},{nothing},j{n % 2},P,Q,a" for lang in ("de", "fr") for n in range(4)]
    judgments = read(file(header, rows))
    assert judgments.lang_pairs == ("en-de", "en-fr")
    assert judgments.segments == tuple("0123")
    assert judgments.judges == ("j0", "j1")
    assert "column 'segmentId' names nothing: the segment is read from 'srcIndex'" in _notes(judgments)


def test_a_language_pair_without_judges_is_a_group_without_one(file: MakeFile, ok: Callable) -> None:
    rows = [
        f"en-{lang},{judge},{s},P,Q,a" for lang, judge in (("de", ""), ("fr", "ann"), ("fr", "bob")) for s in range(4)
    ]
    path = file("lang_pair,judge,segment,system_a,system_b,winner", rows)
    found = ok("rank", path, "--by", "judge", "--format", "json").json
    assert [each["group"] for each in found] == [
        {"lang_pair": "en-de", "judge": None},
        {"lang_pair": "en-fr", "judge": "ann"},
        {"lang_pair": "en-fr", "judge": "bob"},
    ]


def test_one_language_of_a_pair_is_noted(file: MakeFile) -> None:
    rows = [f"{lang},{n},P,Q,a" for lang in ("de", "fr") for n in range(4)]
    path = file("target_language,segment,system_a,system_b,winner", rows)
    assert "column 'target_language' has 2 languages" in _notes(read(path))
    assert read(path, columns={"lang_pair": "target_language"}).lang_pairs == ("de", "fr")
    assert "languages" not in _notes(read(file("target_language,segment,system_a,system_b,winner", rows[:4])))


def test_lists_are_refused_by_the_role_that_they_are_read_for(file: MakeFile) -> None:
    path = file('{"model_a":"P","model_b":"Q","winner":"model_a","judge":["gpt4","pair"]}', [], "x.jsonl")
    with pytest.raises(InputError, match=r"--column judge=NAME .* or none with --column judge="):
        read(path)
    assert len(read(path, columns={"judge": ""})) == 1
    assert len(read(path, options=ReadOptions(columns={"judge": ""}))) == 1


# -- several scores of one output ---------------------------------------------------------------------


def _criteria(column: str = "criterion") -> tuple[str, list[str]]:
    """P is always more fluent by little, Q always more adequate by much."""
    scores = {("fluency", "P"): 51, ("fluency", "Q"): 50, ("adequacy", "P"): 0, ("adequacy", "Q"): 100}
    rows = [f"{s},ann,{name},{c},{score}" for s in range(6) for (c, name), score in scores.items()]
    return f"segment,judge,system,{column},score", rows


def test_scores_of_several_criteria_are_not_averaged(file: MakeFile) -> None:
    path = file(*_criteria())
    with pytest.raises(InputError, match=r"24 of 24 .*'criterion' tells them apart .*--where criterion=adequacy"):
        read(path)
    kept = read(path, extra=["criterion"])
    assert {c: _wins(part) for c, part in kept.split("criterion").items()} == {
        "adequacy": {"P": 0, "Q": 6},
        "fluency": {"P": 6, "Q": 0},
    }


@pytest.mark.parametrize(("words", "first"), [("--where criterion=fluency", "P"), ("--by criterion", "QP")])
def test_what_is_advised_for_criteria_works(words: str, first: str, file: MakeFile, ok: Callable) -> None:
    rows = csv.DictReader(ok("rank", file(*_criteria()), *words.split(), "--format", "csv").out.splitlines())
    assert "".join(row["system"] for row in rows if row["rank"] == "1") == first


def test_repeats_that_nothing_tells_apart_are_noted(file: MakeFile) -> None:
    rows = [
        f"{s},ann,{name},{score},{n}"
        for s in range(3)
        for n, (name, score) in enumerate(zip("PQP", (3, 2, 4), strict=True))
    ]
    judgments = read(file("segment,judge,system,score,seconds", rows))
    assert _wins(judgments) == {"P": 3, "Q": 0}
    assert "6 of 9 scores are several of one judge for one output of a segment, and are averaged" in _notes(judgments)


def test_scores_of_judges_in_a_column_of_another_name(file: MakeFile) -> None:
    rows = [f"{s},{j},{name},{3 + (name == 'P')}" for s in range(3) for j in ("x", "y") for name in "PQ"]
    with pytest.raises(InputError, match="--column judge=coder if it names judges"):
        read(file("segment,coder,system,score", rows))


# -- counts, names that look the same, and texts ------------------------------------------------------


def test_a_column_of_counts_is_noted(file: MakeFile) -> None:
    path = file("system_a,system_b,winner,count", ["P,Q,a,30", "P,Q,b,10"])
    assert "--column weight=count" in _notes(read(path))
    counted = read(path, columns={"weight": "count"})
    assert counted.to_rows()["weight"].to_list() == [30, 10]
    assert "looks like counts" not in _notes(counted)
    for values in (("1", "1", "1"), ("1", "2", "3"), ("x", "2", "2"), ("0.5", "2", "2")):
        rows = [f"P,Q,a,{value}" for value in values]
        assert "counts" not in _notes(read(file("system_a,system_b,winner,n", rows)))


@pytest.mark.parametrize("other", ["gpt-4 é", "GPT-4  é", "GPT-4 e\u0301", "GPT-4\u200b é"])
def test_names_that_look_the_same_are_noted(other: str, file: MakeFile) -> None:
    rows = ["GPT-4 é,Q,a,j", f"{other},Q,a,j"]
    judgments = read(file("system_a,system_b,winner,judge", rows))
    assert len(judgments.systems) == 3
    assert "systems whose names differ only in case, spaces" in _notes(judgments)
    assert "judges whose" not in _notes(judgments)
    assert "judges whose" in _notes(
        read(file("system_a,system_b,winner,judge", [f"P,Q,a,{n}" for n in ("Ann", "ann")]))
    )
    assert "whose names" not in _notes(read(file("system_a,system_b,winner", ["P,Q,a", "R,Q,a"])))


def test_texts_are_no_systems(file: MakeFile) -> None:
    text = "The answer to the question number {} is that nobody knows what it could be"
    rows = [f"{n},{text.format(n)},{text.format(-n)},P,Q" for n in range(1, 9)]
    path = file("prompt,chosen,rejected,winner_name,loser_name", rows)
    with pytest.raises(InputError, match=r"column 'chosen' holds texts .*--column chosen=NAME"):
        read(path)
    assert _wins(read(path, columns={"chosen": "winner_name", "rejected": "loser_name"})) == {"P": 8, "Q": 0}
