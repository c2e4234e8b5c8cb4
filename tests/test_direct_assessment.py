"""Scores of outputs: within judges and across them, and as Appraise exports them for WMT, without a header."""

from __future__ import annotations

import csv
import io
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions, ScoreOptions
from palmares.ingest.files import read, read_with_report
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]
Outcome = tuple[str, str, int]


def _options(across: str = "no", margin: float = 0.0, **more: object) -> ReadOptions:
    return ReadOptions(scores=ScoreOptions(margin, across_judges=across), faults=0, **more)  # type: ignore[arg-type]


def _outcomes(judgments: Judgments) -> Counter[Outcome]:
    return Counter(judgments.to_rows().select("system_a", "system_b", "outcome").iter_rows())


def _notes(judgments: Judgments) -> str:
    assert judgments.origin is not None
    return "\n".join(judgments.origin.notes)


# -- scores of different judges ------------------------------------------------------------------

#: ann is lenient, bob severe; each found B better by one of their own standard deviations' √2 (0.71 against −0.71).
_TWO_JUDGES = "segment,judge,system,score\n1,ann,A,80\n1,bob,B,60\n2,ann,B,90\n2,bob,A,50\n"


def test_judges_who_scored_different_outputs_compare_nothing(file: MakeFile) -> None:
    with pytest.raises(InputError) as caught:
        read(file(_TWO_JUDGES))
    message = str(caught.value)
    assert "no judge scored two outputs of one segment" in message
    assert "would give 2 comparisons" in message
    assert "--across-judges raw" in message
    assert "--across-judges standardised" in message


@pytest.mark.parametrize(
    ("across", "margin", "expected"),
    [
        ("raw", 0, {("A", "B", 1): 1, ("A", "B", -1): 1}),
        ("raw", 20, {("A", "B", 0): 1, ("A", "B", -1): 1}),
        ("standardised", 0, {("A", "B", -1): 2}),
        ("standardised", 1.4, {("A", "B", -1): 2}),
        ("standardised", 1.5, {("A", "B", 0): 2}),  # the difference is √2
    ],
)
def test_across_judges(across: str, margin: float, expected: dict[Outcome, int], file: MakeFile) -> None:
    judgments = read(file(_TWO_JUDGES), options=_options(across, margin))
    assert _outcomes(judgments) == expected
    assert not judgments.has("judge")
    assert judgments.segments == ("1", "2")
    assert len(judgments.names["ranking"]) == 2
    assert "scores of different judges are compared" in _notes(judgments)
    assert ("lenient" in _notes(judgments)) == (across == "raw")


def test_all_outputs_of_a_segment_are_one_ranking_and_judges_of_one_output_are_averaged(file: MakeFile) -> None:
    text = "segment,judge,system,score\n1,ann,A,80\n1,bob,A,50\n1,bob,B,66\n1,cat,C,64\n"
    judgments = read(file(text), options=_options("raw"))
    assert _outcomes(judgments) == {("A", "B", -1): 1, ("A", "C", 1): 1, ("B", "C", 1): 1}  # A has 65
    assert len(judgments.names["ranking"]) == 1


def test_lower_is_better_after_standardising(file: MakeFile) -> None:
    scores = ScoreOptions(lower_is_better=True, across_judges="standardised")
    assert _outcomes(read(file(_TWO_JUDGES), options=ReadOptions(scores=scores))) == {("A", "B", 1): 2}


def test_a_judge_whose_scores_are_all_the_same_cannot_be_standardised(file: MakeFile) -> None:
    text = _TWO_JUDGES + "1,cat,C,70\n2,cat,C,70\n1,dan,D,10\n"
    judgments, report = read_with_report(file(text), options=_options("standardised"))
    assert judgments.systems == ("A", "B")
    assert [(d.line, d.skipped) for d in report.dropped] == [(6, True), (7, True), (8, True)]
    assert "3 × scores of a judge who gave no two different ones" in _notes(judgments)
    assert set(read(file(text), options=_options("raw")).systems) == {"A", "B", "C", "D"}


def test_few_comparisons_within_judges_are_said_with_what_else_could_be_done(file: MakeFile) -> None:
    judgments = read(file(_TWO_JUDGES + "1,ann,C,70\n"), options=_options())
    assert _outcomes(judgments) == {("A", "C", 1): 1}
    assert "3 of 5 scores are not used" in _notes(judgments)
    assert "would give 4 comparisons" in _notes(judgments)  # three of segment 1, one of segment 2


def test_scores_of_every_output_by_every_judge_need_no_advice(file: MakeFile) -> None:
    text = "segment,judge,system,score,time\n" + "".join(
        f"{segment},{judge},{system},{number},2024-01-01\n"
        for segment in (1, 2) for judge in ("ann", "bob") for number, system in enumerate("ABC")
    )  # fmt: skip
    notes = _notes(read(file(text), options=_options()))
    assert "--across-judges" not in notes
    assert "scores became 12 comparisons" in notes
    assert "the scores themselves, time" in notes


def test_standardising_needs_judges(file: MakeFile) -> None:
    text = "segment,system,score\n1,A,80\n1,B,60\n"
    with pytest.raises(InputError, match="--across-judges standardised needs to know the judges"):
        read(file(text), options=_options("standardised"))
    assert _outcomes(read(file(text), options=_options("raw"))) == {("A", "B", 1): 1}


def test_a_covariate_of_the_segment_is_kept_and_one_of_an_output_is_not(file: MakeFile) -> None:
    text = "segment,judge,system,score,topic,length\n1,ann,A,80,art,5\n1,ann,B,60,art,7\n"
    judgments = read(file(text), extra=["topic", "length"])
    assert judgments.extras == ("topic",)
    assert "not kept, for no comparison has them: the scores themselves, length" in _notes(judgments)


def test_controls_among_scores_with_a_header_are_left_out(file: MakeFile) -> None:
    text = "segmentID,username,systemID,score,itemType\n1,ann,A,80,TGT\n1,ann,B,60,TGT\n1,ann,C,5,BAD\n"
    judgments, report = read_with_report(file(text), options=_options())
    assert (report.format, judgments.systems) == ("scores", ("A", "B"))
    assert "1 × control (type BAD)" in _notes(judgments)


def test_a_bad_word_for_across_judges() -> None:
    with pytest.raises(InputError, match="across_judges: got 'yes'; allowed: no, raw, standardised"):
        ScoreOptions(across_judges="yes")  # type: ignore[arg-type]


# -- Appraise's scores ---------------------------------------------------------------------------

Item = tuple[object, ...]


def _appraise(*items: Item, spans: bool = True, batch: bool = False) -> str:
    """Lines of (user, system, item, type, score, document, end), as Appraise writes them."""
    out = io.StringIO()
    for user, system, item, kind, score, document, end in items:
        more = ['[{"start_i":3,"end_i":5,"severity":"minor"}]'] if spans else []
        tail = [7, 70] if batch else []
        row = [user, f"wmt.{system}", item, kind, "eng", "deu", score, document, False, *more, 1000.5, end, *tail]
        csv.writer(out).writerow(row)
    return out.getvalue()


def _run(user: str, system: str, first: int, scores: list[int], document: str, kind: str = "TGT") -> list[Item]:
    """A document as one judge saw it: consecutive items."""
    copy = f"{document}#{system}" + ("#bad1" if kind == "BAD" else "")
    return [(user, system, first + n, kind, score, copy, 2000 + n) for n, score in enumerate(scores)]


#: Documents n and m of two segments. The items of a segment have other numbers for every system and judge, and item 7
#: is in both documents.
_CAMPAIGN = [
    *_run("u1", "A", 7, [90, 80], "n"), *_run("u1", "B", 3, [70, 85], "n"), *_run("u1", "B", 11, [1, 2], "n", "BAD"),
    *_run("u2", "C", 6, [60, 95], "n"), *_run("u2", "A", 8, [50, 40], "m"), *_run("u2", "tutorial1", 1, [5], "t"),
    *_run("u3", "C", 7, [55, 30], "m"),
]  # fmt: skip


def test_recognised_without_a_header(file: MakeFile) -> None:
    judgments, report = read_with_report(file(_appraise(*_CAMPAIGN), "scores.txt"), options=_options())
    assert report.format == "direct-assessment"
    assert (judgments.lang_pairs, judgments.judges, judgments.segments) == (("eng-deu",), ("u1",), ("n:1", "n:2"))
    assert _outcomes(judgments) == {("wmt.A", "wmt.B", 1): 1, ("wmt.A", "wmt.B", -1): 1}
    rows = judgments.to_rows().select("segment", "outcome").iter_rows()
    assert sorted(rows) == [("n:1", 1), ("n:2", -1)]
    assert [d.line for d in report.dropped if "control" in d.reason] == [5, 6]
    assert [d.line for d in report.dropped if "tutorial" in d.reason] == [11]
    assert all(d.skipped for d in report.dropped)
    assert "2 × control (type BAD); 1 × tutorial" in _notes(judgments)
    assert "error_spans, start_time, end_time" in _notes(judgments)


def test_segments_are_places_in_documents_and_not_numbers_of_items(file: MakeFile) -> None:
    judgments = read(file(_appraise(*_CAMPAIGN)), options=_options("raw"))
    expected = {
        ("n:1", "wmt.A", "wmt.B", 1), ("n:1", "wmt.A", "wmt.C", 1), ("n:1", "wmt.B", "wmt.C", 1),
        ("n:2", "wmt.A", "wmt.B", -1), ("n:2", "wmt.A", "wmt.C", -1), ("n:2", "wmt.B", "wmt.C", -1),
        ("m:1", "wmt.A", "wmt.C", -1), ("m:2", "wmt.A", "wmt.C", 1),
    }  # fmt: skip
    assert set(judgments.to_rows().select("segment", "system_a", "system_b", "outcome").iter_rows()) == expected
    assert len(judgments) == len(expected)


def test_a_part_of_a_document_has_no_known_segments(file: MakeFile) -> None:
    items = [*_run("u1", "A", 1, [90, 80, 70], "n"), *_run("u2", "B", 1, [50, 40, 30], "n")]
    items += [*_run("u3", "C", 99, [10, 20], "n"), *_run("u4", "C", 1, [30], "n")]
    judgments, report = read_with_report(file(_appraise(*items)), options=_options("raw"))
    assert judgments.systems == ("wmt.A", "wmt.B")
    assert [d.line for d in report.dropped] == [7, 8, 9]
    assert "3 × part of a document" in _notes(judgments)


def test_two_parts_seen_by_one_judge_are_not_taken_for_a_whole(file: MakeFile) -> None:
    """Items 99, 100 of one task and 1 of the next: sorted by number, the last segment would come first."""
    items = [
        *_run("u1", "A", 1, [90, 80, 70], "n"),
        *_run("u3", "C", 99, [10, 20], "n"),
        *_run("u3", "C", 1, [30], "n"),
    ]
    with pytest.raises(InputError, match="part of a document"):
        read(file(_appraise(*items)), options=_options("raw"))


def test_the_latest_answer_is_kept(file: MakeFile) -> None:
    items = _run("u1", "A", 7, [90], "n") + _run("u1", "B", 8, [70], "n")
    user, system, item, kind, _, document, end = items[1]
    later, earlier = (user, system, item, kind, 95, document, end + 5), (user, system, item, kind, 99, document, 1500)
    judgments, report = read_with_report(file(_appraise(later, *items, earlier)), options=_options())
    assert _outcomes(judgments) == {("wmt.A", "wmt.B", -1): 1}
    assert [(d.line, d.reason) for d in report.dropped] == [(n, "answered again later, which counts") for n in (3, 4)]


@pytest.mark.parametrize(("spans", "batch"), [(True, False), (False, False), (True, True), (False, True)])
def test_the_columns_of_other_versions(spans: bool, batch: bool, file: MakeFile) -> None:
    judgments = read(file(_appraise(*_CAMPAIGN, spans=spans, batch=batch)), options=_options("raw"))
    assert judgments == read(file(_appraise(*_CAMPAIGN)), options=_options("raw"))


def test_the_same_with_a_header(file: MakeFile) -> None:
    text = _appraise(*_CAMPAIGN)
    bare = read(file(text), options=_options("raw"))
    names = (
        "user",
        "system",
        "segment",
        "type",
        "source",
        "target",
        "score",
        "document",
        "flag",
        "spans",
        "start",
        "end",
    )
    assert read(file(text), options=_options("raw", header=names)) == bare
    header = (
        "username,systemID,segmentID,itemType,srclang,trglang,score,documentID,isCompleteDocument,mqm,startTime,endTime"
    )
    assert read(file(f"{header}\n{text}"), options=_options("raw")) == bare


def test_whole_documents_and_copies_are_left_out(file: MakeFile) -> None:
    text = _appraise(*_run("u1", "A", 1, [90, 80], "n"), *_run("u1", "B", 4, [70, 60], "n"))
    whole = _appraise(("u1", "A", 3, "TGT", 5, "n#A", 2010)).replace("False", "True")
    copy = _appraise(("u1", "A", 9, "TGT", 5, "n#A#duplicate1", 2010))
    judgments, report = read_with_report(file(text + whole + copy), options=_options())
    assert _outcomes(judgments) == {("wmt.A", "wmt.B", 1): 2}
    assert {d.reason for d in report.dropped} == {"score of a whole document", "copy to check the judge (#dup)"}


def test_systems_that_share_an_output(file: MakeFile) -> None:
    """Appraise writes a line for each of them, with the document of both."""
    shared = [("u1", name, 1, "TGT", 90, "n#A+B", 2000) for name in "AB"]
    judgments = read(file(_appraise(*shared, *_run("u1", "C", 2, [50], "n"))), options=_options())
    assert _outcomes(judgments) == {("wmt.A", "wmt.B", 0): 1, ("wmt.A", "wmt.C", 1): 1, ("wmt.B", "wmt.C", 1): 1}


def test_segments_named_by_the_user(file: MakeFile) -> None:
    options = _options("raw", columns={"segment": "document"})
    text = _appraise(("u1", "A", 1, "TGT", 90, "d1", 1), ("u2", "B", 5, "TGT", 80, "d1", 1))
    assert read(file(text), options=options).segments == ("d1",)


def test_the_judge_cannot_be_left_out(file: MakeFile) -> None:
    """Without it, the numbers of items would be taken for segments."""
    with pytest.raises(InputError, match=r"the judge is needed .*--across-judges raw"):
        read(file(_appraise(*_CAMPAIGN)), columns={"judge": ""})


def test_a_type_that_means_something_else(file: MakeFile) -> None:
    text = "user,system,item,type,score,document\nann,A,1,news,80,d\nann,B,1,news,60,d\n"
    _, report = read_with_report(file(text), options=ReadOptions(faults=0))
    assert report.judgments == 1


# -- the published campaign ----------------------------------------------------------------------


def _published(path: Path) -> list[dict[str, str]]:
    names = ("user", "system", "item", "type", "src", "trg", "score", "document", "flag", "spans", "start", "end")
    with path.open(encoding="utf-8", newline="") as file:
        return [dict(zip(names, row, strict=True)) for row in csv.reader(file)]


def _by_hand(rows: list[dict[str, str]], across: str) -> Counter[Outcome]:
    """Comparisons worked out record by record."""
    items: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows:
        items[row["user"], row["document"]].add(int(row["item"]))
    length: Counter[str] = Counter()
    for (_, document), numbers in items.items():
        title = document.split("#")[0]
        length[title] = max(length[title], len(numbers))
    latest: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows:
        key = (row["user"], row["document"], row["item"])
        counts = row["type"] == "TGT" and "tutorial" not in row["system"]
        if counts and (key not in latest or float(row["end"]) > float(latest[key]["end"])):
            latest[key] = row
    of_judge: dict[str, list[float]] = defaultdict(list)
    for row in latest.values():
        of_judge[row["user"]].append(float(row["score"]))
    groups: dict[tuple[str, ...], list[tuple[str, float]]] = defaultdict(list)
    for (user, document, item), row in latest.items():
        numbers, title = sorted(items[user, document]), document.split("#")[0]
        if len(numbers) == length[title]:
            score = float(row["score"])
            if across == "standardised":
                score = (score - statistics.mean(of_judge[user])) / statistics.stdev(of_judge[user])
            place = (title, str(numbers.index(int(item))))
            groups[(*place, user) if across == "no" else place].append((row["system"], score))
    found: Counter[Outcome] = Counter()
    for outputs in groups.values():
        for (a, x), (b, y) in combinations(sorted(outputs), 2):
            found[a, b, (x > y) - (x < y)] += 1
    return found


@pytest.mark.parametrize(("across", "comparisons"), [("no", 194), ("raw", 1882), ("standardised", 1882)])
def test_the_published_campaign(across: str, comparisons: int, real_data: Path) -> None:
    path = real_data / "esa" / "240521rc6ESA.scores.csv"
    rows = _published(path)
    judgments, report = read_with_report(path, options=_options(across))
    assert report.format == "direct-assessment"
    assert len({row["user"] for row in rows}) == 12
    assert len(judgments.systems) == 13
    assert judgments.lang_pairs == ("eng-deu",)
    assert _outcomes(judgments) == _by_hand(rows, across)
    assert len(judgments) == comparisons
    controls = sum(row["type"] == "BAD" for row in rows)
    tutorial = sum("tutorial" in row["system"] for row in rows)
    assert f"{controls} × control (type BAD); {tutorial} × tutorial" in _notes(judgments)
    assert report.rejected == ()


def test_the_published_campaign_on_the_command_line(real_data: Path, ok: Callable[..., object]) -> None:
    path = real_data / "esa" / "240521rc6ESA.scores.csv"
    result = ok("rank", path, "--across-judges", "standardised", "--margin", 0.1, "--resamples", 40)
    assert "scores of different judges are compared" in result.out  # type: ignore[attr-defined]
