"""Ids that mean something: segments, judges and rankings are what the file says, or there are none."""

from __future__ import annotations

import io
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import polars as pl
import pytest

import palmares as pm
from palmares.errors import InputError, LossyWriteError
from palmares.ingest.base import ReadOptions, ReadReport
from palmares.ingest.files import DroppedRowsWarning, read, read_with_report, write
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]
Item = tuple[dict[str, str], dict[str, int]]  # attributes of a ranking, and the rank of every system

SYSTEMS = "ABCDE"


def _read(source: Any, **options: Any) -> tuple[Judgments, ReadReport]:
    return read_with_report(source, options=ReadOptions(**options))


def _noted(report: ReadReport) -> str:
    return "\n".join(report.notes)


# -- Appraise: which attribute is the segment ---------------------------------------------------------


def _xml(items: Iterable[Item], around: str = "") -> str:
    lines = ["<appraise-results>", f"<ranking-result {around}>" if around else ""]
    for attributes, ranks in items:
        named = " ".join(f'{k}="{v}"' for k, v in attributes.items())
        outputs = "".join(f'<translation system="{s}" rank="{r}"/>' for s, r in ranks.items())
        lines.append(f"<ranking-item {named}>{outputs}</ranking-item>")
    return "\n".join([*lines, "</ranking-result>" if around else "", "</appraise-results>"])


def _campaign(judges: int = 3, segments: int = 40) -> list[Item]:
    """Every judge ranks four of five systems on every segment; judges agree in part, and segments differ."""
    rng = random.Random(7)
    items = []
    for segment in range(segments):
        truth = {system: rng.random() for system in SYSTEMS}
        shown = rng.sample(SYSTEMS, 4)
        for judge in range(judges):
            seen = {s: truth[s] + rng.gauss(0, 0.15) for s in shown}
            ranks = {s: 1 + sum(other > value + 0.1 for other in seen.values()) for s, value in seen.items()}
            items.append(({"id": str(segment), "user": f"judge{judge}"}, ranks))
    return items


def _kappa(items: Iterable[Item], *by: str) -> float:
    """κ between judges where the segment is what ``by`` names: by the definition, without this package."""
    said: dict[tuple[Any, ...], list[tuple[str, int]]] = defaultdict(list)
    ties = total = agreed = pairs = 0
    for attributes, ranks in items:
        for a, b in combinations(sorted(ranks), 2):
            outcome = (ranks[b] > ranks[a]) - (ranks[b] < ranks[a])
            said[*[attributes[name] for name in by], a, b].append((attributes["user"], outcome))
            ties, total = ties + (outcome == 0), total + 1
    for answers in said.values():
        for (judge, one), (other, two) in combinations(answers, 2):
            if judge != other:
                agreed, pairs = agreed + (one == two), pairs + 1
    chance = (ties / total) ** 2 + ((total - ties) / total) ** 2 / 2
    return (agreed / pairs - chance) / (1 - chance)


@pytest.mark.parametrize("nothing", ["none", "-1", "", "NULL", "n/a", "newstest"])
def test_a_document_id_that_is_always_the_same_is_no_segment(nothing: str, file: MakeFile) -> None:
    items = _campaign()
    marked = [({"doc-id": nothing, **attributes}, ranks) for attributes, ranks in items]
    judgments, report = _read(file(_xml(marked), "x.xml"), faults=0)
    assert len(judgments.segments) == 40
    kappa = pm.agreement(judgments, resamples=0, rng=0).inter.kappa.kappa
    assert kappa == pytest.approx(_kappa(items, "id"), abs=1e-12)
    assert kappa > 0.4 > 0.2 > _kappa(items)  # as one segment
    assert "segments are named by 'id', since 'doc-id'" in _noted(report)


def test_document_and_item_name_a_segment_together(file: MakeFile) -> None:
    """Three documents with segments 0 to 12 (and one of 14): 40 segments with 14 ids."""
    items = [
        ({**a, "doc-id": f"doc{int(a['id']) % 3}", "id": str(int(a["id"]) // 3)}, ranks) for a, ranks in _campaign()
    ]
    judgments, report = _read(file(_xml(items), "x.xml"), faults=0)
    assert len(judgments.segments) == 40
    assert "doc2/12" in judgments.segments
    kappa = pm.agreement(judgments, resamples=0, rng=0).inter.kappa.kappa
    assert kappa == pytest.approx(_kappa(items, "doc-id", "id"), abs=1e-12)
    assert "'doc-id' and 'id' together" in _noted(report)


def test_a_number_of_the_annotation_is_no_segment(file: MakeFile) -> None:
    """Every item has an id of its own, and no judge met a document twice: the documents are the segments."""
    items = [({**a, "doc-id": f"s{a['id']}", "id": str(n)}, ranks) for n, (a, ranks) in enumerate(_campaign())]
    judgments, report = _read(file(_xml(items), "x.xml"), faults=0)
    assert len(judgments.segments) == 40
    kappa = pm.agreement(judgments, resamples=0, rng=0).inter.kappa.kappa
    assert kappa == pytest.approx(_kappa(items, "doc-id"), abs=1e-12)
    assert "'id' is another one on every item" in _noted(report)


def test_a_document_that_a_judge_meets_again_and_again_is_no_segment(file: MakeFile) -> None:
    items = [({"user": a["user"], "doc-id": "one" if int(a["id"]) < 20 else "two"}, ranks) for a, ranks in _campaign()]
    judgments, report = _read(file(_xml(items), "x.xml"), faults=0)
    assert judgments.segments == ()
    assert "no attribute tells segments apart ('doc-id'); name one with --column segment=NAME" in _noted(report)


def test_the_id_of_a_set_is_not_that_of_its_items(file: MakeFile) -> None:
    """Items without an id inherit that of what is around them."""
    items = [({"user": a["user"]}, ranks) for a, ranks in _campaign()]
    half = len(items) // 2
    text = _xml(items[:half], 'id="set1"') + _xml(items[half:], 'id="set2"')
    text = text.replace("</appraise-results><appraise-results>", "")
    assert _read(file(text, "x.xml"), faults=0)[0].segments == ()


def test_ids_that_count_the_tasks_of_a_hit(file: MakeFile) -> None:
    """As WMT13 exported it: ranking-task 0, 1, 2 in every HIT, and different sentences behind them."""
    rng = random.Random(3)
    lines = []
    for hit in range(6):
        tasks = "".join(
            f'<ranking-task id="{task}"><ranking-result user="judge{hit % 3}"><translation system="A" rank="1"/>'
            f'<translation system="B" rank="{rng.randint(1, 2)}"/></ranking-result></ranking-task>'
            for task in range(3)
        )
        lines.append(f'<HIT hit-id="h{hit}" block-id="-1" source-language="deu" target-language="eng">{tasks}</HIT>')
    judgments, report = _read(file(f"<WMT13-results>{''.join(lines)}</WMT13-results>", "x.xml"), faults=0)
    assert (len(judgments), len(judgments.segments)) == (18, 18)
    assert judgments.lang_pairs == ("deu-eng",)
    assert "'id' is a place in a HIT" in _noted(report)


def test_src_id_is_the_segment_whatever_else_there_is(file: MakeFile) -> None:
    items = [({**a, "src-id": a["id"], "id": str(n), "doc-id": f"d{n}"}, r) for n, (a, r) in enumerate(_campaign())]
    judgments, report = _read(file(_xml(items), "x.xml"), faults=0)
    assert (len(judgments.segments), report.notes) == (40, ())


def test_what_is_around_items_is_not_reported_as_dropped(file: MakeFile) -> None:
    text = _xml(_campaign(judges=2, segments=3), 'id="none" source-language="en" target-language="en"')
    text = text.replace("</appraise-results>", '<ranking-result id="none"></ranking-result></appraise-results>')
    judgments, report = _read(file(text, "x.xml"), faults=0)
    assert (report.records, report.dropped) == (6, ())
    assert (len(judgments), judgments.lang_pairs) == (36, ("en-en",))


def test_attributes_can_be_named(file: MakeFile) -> None:
    items = [
        ({**a, "src-id": "x", "coder": a["user"], "kind": f"k{a['id']}", "took": "00:01:01.5"}, r)
        for a, r in _campaign(judges=2, segments=3)
    ]
    path = file(_xml(items), "x.xml")
    columns = {"segment": "kind", "judge": "coder", "duration": "took", "lang_pair": "src-id"}
    judgments, _ = _read(path, columns=columns, extra=("id",))
    assert (judgments.segments, judgments.judges) == (("k0", "k1", "k2"), ("judge0", "judge1"))
    assert (judgments.lang_pairs, judgments.extras) == (("x",), ("id",))
    assert set(judgments.frame["duration"]) == {61.5}
    with pytest.raises(InputError, match="no attribute 'colour' for 'segment'; present: id, user, src-id, coder"):
        read(path, columns={"segment": "colour"})
    with pytest.raises(InputError, match="format 'appraise' has no such role; its roles are duration, judge"):
        read(path, columns={"system_a": "id"})


def test_segment_id_on_the_command_line(file: MakeFile, ok: Callable[..., Any], refused: Callable[..., str]) -> None:
    items = [({"doc-id": "none", **attributes, "topic": "t"}, ranks) for attributes, ranks in _campaign()]
    path = file(_xml(items), "x.xml")
    [overview] = ok("describe", path, "--column", "segment=id", "--format", "json").json
    assert overview["segments"] == 40
    assert "--column segment=doc-id: it has only 'none'" in refused("describe", path, "--column", "segment=doc-id")


@pytest.mark.real
def test_gec15_keeps_its_segments(real_data: Path) -> None:
    path = real_data / "gec15" / "judgments.xml"
    items = [item for item in ElementTree.parse(path).iter("ranking-item") if item.get("skipped") != "true"]
    judgments, report = _read(path, faults=0)
    assert set(judgments.segments) == {item.get("src-id") for item in items}
    assert report.notes == ()


# -- words for nothing --------------------------------------------------------------------------------

_WMT_PAIRS = "srclang,trglang,srcIndex,documentId,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank"


def test_minus_one_is_no_language(file: MakeFile) -> None:
    judgments, _ = _read(file(f"{_WMT_PAIRS}\n-1,-1,5,-1,5,ann,A,1,B,2\n-1,-1,6,-1,6,ann,A,1,B,2\n"), faults=0)
    assert judgments.lang_pairs == ()
    assert judgments.segments == ("5", "6")


@pytest.mark.parametrize("word", ["-1", "none", "NaN", "null", "N/A", ""])
@pytest.mark.parametrize("role", ["judge", "segment", "lang_pair", "ranking"])
def test_a_word_for_nothing_is_no_name(role: str, word: str, file: MakeFile) -> None:
    rows = [f"A,B,a,{word}", "B,C,b,x", "A,C,tie,y"]
    judgments, report = _read(file("\n".join([f"system_a,system_b,outcome,{role}", *rows])), faults=0)
    assert judgments.to_rows()[role].to_list().count(None) == 1
    assert set(judgments.names[role]) == {"x", "y"}
    assert (f"1 of 3 records have {word!r}, which is no {role}" in _noted(report)) == (word != "")
    none = [row.replace("x", word).replace("y", word) for row in rows]
    assert not _read(file("\n".join([f"system_a,system_b,outcome,{role}", *none])), faults=0)[0].has(role)


_MISSING = ["NaN", "nan", "null", "NULL", "None", "none", "N/A", "<NA>", ""]


@pytest.mark.parametrize("word", _MISSING)
def test_a_word_for_nothing_is_a_missing_system(word: str, file: MakeFile) -> None:
    good = "A,B,a\n" * 300
    with pytest.warns(DroppedRowsWarning, match="dropped lines 2, 3: a system is missing"):
        assert read(file(f"system_a,system_b,outcome\n{word},B,a\nA,{word},b\n{good}")).systems == ("A", "B")


@pytest.mark.parametrize("missing", [None, float("nan"), "NaN", "None"])
def test_frames_miss_the_same_systems(missing: Any) -> None:
    frame = pd.DataFrame({"system_a": [missing, *["A"] * 300], "system_b": ["B"] * 301, "outcome": ["a"] * 301})
    with pytest.warns(DroppedRowsWarning, match="dropped row 1: a system is missing"):
        assert read(frame).systems == ("A", "B")


def test_missing_systems_of_rankings(file: MakeFile) -> None:
    header = "system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"
    with pytest.warns(DroppedRowsWarning, match="line 3: a system is missing: output 2 has rank '2'"):
        read(file(f"{header}\nA,1,B,2,C,3\nA,1,null,2,C,3\n"), faults="lenient")
    xml = _xml([({"id": "1", "user": "u"}, {"A": 1, "B": 2}), ({"id": "2", "user": "u"}, {"A": 1, "NaN": 2})])
    with pytest.warns(DroppedRowsWarning, match="line 4: a translation lacks its system"):
        read(file(xml, "x.xml"), faults="lenient")


@pytest.mark.parametrize(("column", "name"), [("system_a", "None"), ("judge", "-1"), ("segment", "null")])
def test_names_that_would_be_read_as_nothing_are_not_written(column: str, name: str, tmp_path: Path) -> None:
    rows = {"system_a": ["A"], "system_b": ["B"], "outcome": [1], column: [name]}
    with pytest.raises(LossyWriteError, match=f"{name!r} stands for a missing value .* rename it"):
        write(Judgments.from_rows(pl.DataFrame(rows)), tmp_path / "x.csv")


def test_source_texts_are_no_languages(file: MakeFile) -> None:
    rows = [f"A,B,a,Satz {n},sentence {n}" for n in range(40)]
    judgments, report = _read(file("\n".join(["system_a,system_b,outcome,src,tgt", *rows])), faults=0)
    assert judgments.lang_pairs == ()
    assert [use.remark for use in report.columns if use.column == "src"] == [
        "not taken for source_lang: 40 different values are no languages"
    ]
    few = [f"A,B,a,{language},en" for language in ("de", "fr") * 10]
    assert read(file("\n".join(["system_a,system_b,outcome,src,tgt", *few]))).lang_pairs == ("de-en", "fr-en")


def test_segments_numbered_within_documents(file: MakeFile) -> None:
    """WMT10 counted segments from 1 in every document."""
    rows = [f"de,en,{k},{d},{s},ann,A,1,B,2" for k, (d, s) in enumerate([("x", 1), ("x", 2), ("y", 1)])]
    judgments, report = _read(file("\n".join([_WMT_PAIRS, *rows])), faults=0)
    assert judgments.segments == ("x/1", "x/2", "y/1")
    assert "segments are numbered within each documentId" in _noted(report)
    rows = [f"de,en,{k},{d},{k},ann,A,1,B,2" for k, d in enumerate("xxy")]
    assert read(file("\n".join([_WMT_PAIRS, *rows]))).segments == ("0", "1", "2")


# -- weights ------------------------------------------------------------------------------------------


def _weighted(kind: str, weights: list[float | None]) -> Any:
    columns = {"system_a": ["A", "B"] * 150, "system_b": ["C"] * 300, "outcome": ["a"] * 300, "weight": weights}
    frame = pl.DataFrame(columns, strict=False)
    if kind == "pandas":
        return pd.DataFrame(columns)
    if kind == "polars":
        return frame
    if kind == "parquet":
        data = io.BytesIO()
        frame.write_parquet(data)
        return io.BytesIO(data.getvalue())
    text = {
        "csv": lambda: frame.write_csv(),
        "jsonl": lambda: pd.DataFrame(columns).to_json(orient="records", lines=True),
    }
    return io.StringIO(text[kind]())


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "pandas", "polars"])
def test_a_missing_weight_is_a_fault_wherever_it_comes_from(kind: str) -> None:
    with pytest.warns(DroppedRowsWarning, match=r"the weight is missing"):
        judgments = read(_weighted(kind, [2.0, float("nan"), None, *[3.0] * 297]))
    assert len(judgments) == 298
    assert judgments.counts.total == 2 + 297 * 3
    with pytest.raises(InputError, match=r"the weight is missing; .*(?s:.*)4 of 300 records are faulty"):
        read(_weighted(kind, [None] * 4 + [1.0] * 296))


def test_a_column_without_weights_is_no_column_of_weights() -> None:
    assert not read(_weighted("csv", [None] * 300)).has("weight")


@pytest.mark.parametrize("weight", ["1e18", "1e-18", "0", "-1", "inf"])
def test_weights_out_of_range_are_refused(weight: str, file: MakeFile, refused: Callable[..., str]) -> None:
    path = file(f"system_a,system_b,outcome,weight\nA,B,a,{weight}\nB,C,b,1\nA,C,tie,1\n")
    assert f"line 2: weight '{weight}' cannot be read; allowed: a number from 1e-6 to 1e9" in refused("rank", path)


def test_weights_that_cannot_be_added_up_are_refused() -> None:
    rows = pl.DataFrame({"system_a": ["A", "A"], "system_b": ["B", "C"], "outcome": [1, 1], "weight": [1.0, 1e16]})
    with pytest.raises(InputError, match=r"weights reach from 1 to 1e\+16; allowed: "):
        Judgments.from_rows(rows)


def test_files_with_and_without_weights_go_together(file: MakeFile) -> None:
    one = read(file("system_a,system_b,outcome,weight\nA,B,a,2\nA,B,b,3\n", "1.csv"))
    two = read(file("system_a,system_b,outcome\nA,C,a\nB,C,b\n", "2.csv"))
    assert sorted(pm.concat([one, two]).weights) == [1, 1, 2, 3]


# -- groups -------------------------------------------------------------------------------------------


def test_groups_that_are_numbers_look_and_sort_like_numbers(file: MakeFile, ok: Callable[..., Any]) -> None:
    rows = [f"{a},{b},a,{n},{n}" for n in (10, 9, 2) for a, b in ("AB", "BC", "AC")]
    path = file("\n".join(["system_a,system_b,outcome,segment,batch", *rows]))
    judgments = read(path, extra=["batch"])
    assert list(judgments.split("batch")) == list(judgments.split("segment")) == ["2", "9", "10"]
    found = ok("rank", path, "--extra", "batch", "--by", "batch", "--resample", "none", "--format", "csv").out
    assert [line.split(",")[1] for line in found.splitlines()[1::3]] == ["2", "9", "10"]
    mixed = read(file("system_a,system_b,outcome,judge\nA,B,a,10\nA,B,a,9\nA,B,a,x\n"))
    assert list(mixed.split("judge")) == ["10", "9", "x"]
    halves = read(file("system_a,system_b,outcome,t\nA,B,a,0.5\nA,B,a,2\n"), extra=["t"])
    assert list(halves.split("t")) == ["0.5", "2"]
