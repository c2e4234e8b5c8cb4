"""A campaign's store as a source of judgments, and what is exported from it, on SQLite and on PostgreSQL."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

import palmares as pm
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.export import Exported, export, export_screens
from palmares.campaign.people import Person, find_person
from palmares.campaign.refusals import DatabaseError
from palmares.campaign.screens import ScreenView, load
from palmares.errors import InputError, LossyWriteError, MissingExtraError
from palmares.ingest.base import Feature, Format, ReadOptions
from palmares.ingest.files import read_with_report
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

FIVE = ("A", "B", "C", "D", "E")
#: Every second screen is one that the judge has answered before, as soon as there is one.
REPEATING = {"hit.screens": 2, "controls.repeats": 0.5, "controls.repeat_after": 1}
HEADER = (
    "lang_pair,segment,judge,ranking,system_a,system_b,outcome,position_a,position_b,time,duration,"
    "extra.strategy,extra.probability,extra.repeat"
)
_KINDS: dict[str, Format] = {name: pm.FORMATS.load(name)() for name in pm.FORMATS}
_WRITABLE = [(name, ending) for name, kind in _KINDS.items() for ending in kind.endings]


class Lowest(Random):
    """Draws 0 every time, so that every share above none is met: with controls, every screen has one."""

    def random(self) -> float:
        return 0.0


def texts_of(segments: int, outputs: Mapping[str, str], langs: str = "fr-en") -> TestSet:
    """Segments on which every system says the same word in each; systems with the same word share an output."""
    made = [Segment(f"seg{i}", None, f"Phrase {i}.", None) for i in range(segments)]
    lines = {system: [f"{word} {i}" for i in range(segments)] for system, word in outputs.items()}
    return make(LanguagePair.parse(langs), made, lines)


def different_texts(segments: int = 12) -> TestSet:
    """Outputs of five systems without a word in common, so that any can be damaged; with references."""
    made = [Segment(f"seg{i}", None, f"Phrase {i}.", f"Reference {i}.") for i in range(segments)]
    lines = {s: [" ".join(f"{s}{i}{word}" for word in "abcdef") for i in range(segments)] for s in FIVE}
    return make(LanguagePair.parse("fr-en"), made, lines)


def judge_until_repeat(db: Database, judge: Person) -> list[ScreenView]:
    """Let a judge answer until a screen has come back, which is the last then; no segment is met twice otherwise."""
    done: list[ScreenView] = []
    while len({view.source for view in done}) == len(done):
        done += judge_screens(db, judge, 1)
    return done


def names(texts: TestSet, view: ScreenView) -> list[str]:
    """The systems on a screen from top to bottom, joined where they share an output; '?' for a control."""
    index = [segment.source for segment in texts.segments].index(view.source)
    behind: dict[str, list[str]] = {}
    for system, lines in texts.outputs.items():
        behind.setdefault(lines[index], []).append(system)
    return [",".join(behind.get(option.text, "?")) for option in view.options]


def rank_by(db: Database, judge: Person, texts: TestSet, ranks: Mapping[str, int], **options: Any) -> ScreenView:
    """Answer the next screen with a rank for each (joined) name."""
    view = next_view(db, judge, **options)
    assert view is not None
    answer(db, judge, view, [ranks[name] for name in names(texts, view)])
    return view


def skip(db: Database, judge: Person, view: ScreenView, reason: str, note: str | None = None) -> None:
    submit(db, judge, view.id, Answer(skip=reason, note=note), submission=f"skip {view.id}", revision=view.revision)


def outcomes(judgments: pm.Judgments) -> list[str]:
    """Every judgment as ``A>B`` or ``A=B``, sorted."""
    sign = {1: ">", 0: "=", -1: "<"}
    columns = judgments.to_rows().select("system_a", "outcome", "system_b").iter_rows()
    return sorted(f"{a}{sign[o]}{b}" for a, o, b in columns)


def strict_five(db: Database, screens: int = 4) -> TestSet:
    """A campaign of five systems, ranked A, B, C, D, E on every screen."""
    texts = sample_texts(segments=screens, systems=FIVE)
    new_campaign(db, texts)
    judge = new_judge(db)
    for _ in range(screens):
        rank_by(db, judge, texts, {system: place for place, system in enumerate(FIVE, 1)})
    return texts


# -- what counts -----------------------------------------------------------------------------------------


def test_a_screen_of_five_gives_ten_pairs(db: Database, database_url: str, clock: Clock) -> None:
    texts = sample_texts(systems=FIVE)
    new_campaign(db, texts)
    judge = new_judge(db)
    view = next_view(db, judge)
    assert view is not None
    clock.forward(minutes=1)
    shown = names(texts, view)
    ranks = {"A": 1, "B": 1, "C": 2, "D": 3, "E": 3}
    given = Answer(tuple(ranks[name] for name in shown))
    submit(db, judge, view.id, given, submission="x", seconds=12.5)
    judgments, report = read_with_report(database_url)
    assert outcomes(judgments) == ["A=B", "A>C", "A>D", "A>E", "B>C", "B>D", "B>E", "C>D", "C>E", "D=E"]
    rows = judgments.to_rows()
    assert rows.select("lang_pair", "segment", "judge", "ranking", "time", "duration").unique().rows() == [
        ("fr-en", f"seg{view.source.split()[2]}", judge.pseudonym, "s1", clock.now.replace(tzinfo=None), 12.5)
    ]
    # Twelve segments, all five outputs of each: every one as likely.
    extras = rows.select("extra.strategy", "extra.probability", "extra.repeat").unique()
    assert extras.rows() == [("balanced", pytest.approx(1 / 12), 0)]
    places = {name: place for place, name in enumerate(shown, 1)}
    for a, b, place_a, place_b in rows.select("system_a", "system_b", "position_a", "position_b").iter_rows():
        assert (place_a, place_b) == (places[a], places[b])
    assert (report.format, report.records, report.judgments, report.dropped) == ("campaign", 1, 10, ())
    assert report.source == f"{db.name}#news"


def test_systems_behind_one_output_share_its_rank_and_are_tied(db: Database, database_url: str) -> None:
    texts = texts_of(3, {"A": "same", "B": "same", "C": "good", "D": "bad"})
    new_campaign(db, texts)
    rank_by(db, new_judge(db), texts, {"A,B": 2, "C": 1, "D": 3})
    expanded = pm.read(database_url)
    assert outcomes(expanded) == ["A<C", "A=B", "A>D", "B<C", "B>D", "C>D"]
    tied = expanded.to_rows().filter(pl.col("outcome") == 0)
    assert tied["position_a"].to_list() == tied["position_b"].to_list()
    assert outcomes(pm.read(database_url, options=pm.ReadOptions(merged="collapse"))) == ["A,B<C", "A,B>D", "C>D"]
    _, report = read_with_report(database_url)
    assert (report.layout, report.shared) == ("database", 1)
    assert [use.column for use in report.columns if use.role == "judge"] == ["judge"]


def test_names_are_not_taken_apart(db: Database, database_url: str) -> None:
    texts = texts_of(3, {"moses": "one", "lm": "two", "moses+lm": "three"})
    new_campaign(db, texts)
    rank_by(db, new_judge(db), texts, {"moses": 1, "lm": 2, "moses+lm": 3})
    assert outcomes(pm.read(database_url)) == ["lm<moses", "lm>moses+lm", "moses>moses+lm"]


def test_a_joined_name_that_is_another_system_is_refused(db: Database, database_url: str) -> None:
    texts = texts_of(3, {"A": "same", "B": "same", "A,B": "other"})
    new_campaign(db, texts)
    answer(db, judge := new_judge(db), next_view(db, judge))
    assert len(pm.read(database_url)) == 3
    with pytest.raises(InputError, match="'A,B' would then be the name of different ones; do not collapse them"):
        pm.read(database_url, options=pm.ReadOptions(merged="collapse"))


def test_only_the_latest_revision_counts(db: Database, database_url: str, clock: Clock) -> None:
    texts = texts_of(3, {"A": "one", "B": "two"})
    new_campaign(db, texts)
    judge = new_judge(db)
    view = rank_by(db, judge, texts, {"A": 1, "B": 2})
    assert outcomes(pm.read(database_url)) == ["A>B"]
    clock.forward(hours=1)
    again = load(db, judge, view.id)
    answer(db, judge, again, [1, 1])
    assert outcomes(judgments := pm.read(database_url)) == ["A=B"]
    assert judgments.to_rows()["time"].to_list() == [clock.now.replace(tzinfo=None)]
    skip(db, judge, load(db, judge, view.id), "other")
    with pytest.raises(InputError, match=r"(?s)no judgment is left:\n.*skipped screen 1: skipped by the judge \(other"):
        pm.read(database_url)


def test_skipped_screens_are_reported_and_are_no_fault(db: Database, database_url: str) -> None:
    new_campaign(db, **{"hit.screens": 1})
    judge = new_judge(db)
    for reason in ("cannot-tell", "offensive"):
        view = next_view(db, judge)
        assert view is not None
        skip(db, judge, view, reason, note="for our eyes")
    judge_screens(db, judge, 1)
    judgments, report = read_with_report(database_url, options=ReadOptions(faults=0))
    assert (len(judgments), report.records, report.rejected) == (10, 3, ())
    assert report.lines() == [
        f"{db.name}#news: skipped screen 1: skipped by the judge (cannot-tell)",
        f"{db.name}#news: skipped screen 2: skipped by the judge (offensive)",
    ]


def test_controls_are_left_out_or_kept_as_systems_of_their_own(db: Database, database_url: str, tmp_path: Path) -> None:
    texts = different_texts()
    new_campaign(db, texts, **{"controls.degraded": 0.5})
    judge = new_judge(db)
    view = next_view(db, judge, rng=Lowest())
    assert view is not None
    shown = names(texts, view)
    assert shown.count("?") == 1
    answer(db, judge, view, [5 if name == "?" else 1 for name in shown])
    a, b, c, d = sorted(name for name in shown if name != "?")
    ties = [f"{a}={b}", f"{a}={c}", f"{a}={d}", f"{b}={c}", f"{b}={d}", f"{c}={d}"]
    assert outcomes(pm.read(database_url)) == ties
    done = export(db, "news", tmp_path / "with.csv", controls=True)
    assert (done.judgments, done.screens, done.skipped) == (10, 1, 0)
    kept = outcomes(pm.read(tmp_path / "with.csv"))
    assert kept == sorted([*ties, *(f"{system}>palmares:degraded" for system in (a, b, c, d))])


def test_a_control_beside_one_output_compares_no_systems(db: Database, database_url: str, tmp_path: Path) -> None:
    two = {"screen.outputs": 2, "controls.reference": 0.5, "screen.reference": False}
    texts = different_texts()
    new_campaign(db, texts, **two)
    judge = new_judge(db)
    view = next_view(db, judge, rng=Lowest())
    assert view is not None
    shown = names(texts, view)
    answer(db, judge, view, [1 if name == "?" else 2 for name in shown])
    with pytest.raises(InputError, match="skipped screen 1: shows one output beside a control, so it compares no sys"):
        pm.read(database_url)
    (system,) = set(shown) - {"?"}
    assert export(db, "news", tmp_path / "x.csv", controls=True).judgments == 1
    assert outcomes(pm.read(tmp_path / "x.csv")) == [f"{system}<palmares:reference"]


def test_repeats_are_kept_and_marked(db: Database, database_url: str) -> None:
    new_campaign(db, **REPEATING)
    done = judge_until_repeat(db, new_judge(db))
    rows = pm.read(database_url).to_rows()
    marked = rows.filter(pl.col("extra.repeat") == 1)
    assert (rows.height, marked.height, marked["ranking"].n_unique()) == (10 * len(done), 10, 1)
    assert marked["segment"].unique().to_list() == [f"seg{done[-1].source.split()[2]}"]
    assert rows.filter(pl.col("segment") == marked["segment"][0])["ranking"].n_unique() == 2


def test_practice_never_counts(db: Database, database_url: str) -> None:
    new_campaign(db, **{"judge.practice": True})
    judge = new_judge(db)
    (practice,) = judge_screens(db, judge, 1)
    assert practice.practice
    with pytest.raises(InputError, match=r"#news: has no judgments yet; wait until a judge has answered a screen"):
        pm.read(database_url)
    judge_screens(db, find_person(db, "news", "ann"), 2)
    assert len(pm.read(database_url)) == 20


def test_a_ranking_of_the_store(db: Database, database_url: str) -> None:
    strict_five(db)
    ranking = pm.rank(pm.read(database_url), resamples=40, rng=0, model="expected-wins")
    assert [line.system for line in ranking.lines] == list(FIVE)
    assert np.array_equal(pm.scan(database_url).wins, pm.read(database_url).counts.wins)


# -- which campaign ----------------------------------------------------------------------------------------


@pytest.fixture
def two(db: Database, database_url: str) -> str:
    """A database with the campaigns ``news`` (one screen, fr-en) and ``news-2`` (two screens, de-en)."""
    new_campaign(db)
    new_campaign(db, sample_texts(langs="de-en"), name="news-2")
    judge_screens(db, new_judge(db), 1)
    judge_screens(db, new_judge(db, campaign="news-2"), 2)
    return database_url


def test_the_campaign_follows_the_database(two: str) -> None:
    assert len(pm.read(f"{two}#news")) == 10
    assert pm.read(f"{two}#news-2").lang_pairs == ("de-en",)


def test_a_campaign_must_be_named_among_several(two: str, db: Database) -> None:
    with pytest.raises(InputError) as several:
        pm.read(two)
    assert str(several.value) == (
        f"{db.name}: there are several campaigns, say which: news, news-2; "
        f"its name follows the database, e.g. {db.name}#NAME"
    )
    with pytest.raises(InputError) as unknown:
        pm.read(f"{two}#News")
    assert str(unknown.value) == f"{db.name}: campaign: got 'News'; there are: news, news-2"


def test_a_database_without_a_campaign(db: Database, database_url: str) -> None:
    with pytest.raises(InputError, match="there is no campaign yet; create one with 'palmares campaign new'"):
        pm.read(database_url)


def test_a_path_may_have_the_sign_that_a_name_follows(tmp_path: Path) -> None:
    (tmp_path / "a#1").mkdir()
    url = f"sqlite:///{tmp_path}/a#1/b#2.db"
    db = Database.open(url, create=True)
    new_campaign(db)
    judge_screens(db, new_judge(db), 1)
    db.close()
    assert len(pm.read(url)) == len(pm.read(f"{url}#news")) == 10


# -- what cannot be read -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "wording"),
    [
        ("sqlite:///{}/none.db", "none.db: no such file; create a campaign with 'palmares campaign new'"),
        ("sqlite://campaign.db", "allowed: sqlite:///FILE or postgresql://USER@HOST/NAME"),
        ("postgresql://u:geheim@127.0.0.1:9/x", r"u:\*\*\*@127.0.0.1:9/x: cannot be opened"),
        ("postgresql://u:geheim@127.0.0.1:9/x#news", r"u:\*\*\*@127.0.0.1:9/x: cannot be opened"),
        ("postgresql://127.0.0.1:9/x?user=u&password=geheim", "127.0.0.1:9/x.user=u: cannot be opened"),
        ("postgresql://u:geheim@host:port/x", "database: got 'postgresql://…@host:port/x'; allowed: sqlite"),
        ("mysql://u:geheim@host/x", "mysql://…: cannot be read; allowed: a file, sqlite:///FILE or postgresql"),
        ("https://example.org/judgments.csv", "https://…: cannot be read; allowed: a file, sqlite:///FILE or"),
    ],
)
def test_what_cannot_be_opened_is_said_without_the_password(url: str, wording: str, tmp_path: Path) -> None:
    with pytest.raises((DatabaseError, InputError), match=wording) as refusal:
        pm.read(url.format(tmp_path))
    assert "geheim" not in str(refusal.value)


def test_a_damaged_database_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "campaign.db"
    db = Database.open(f"sqlite:///{path}", create=True)
    new_campaign(db, sample_texts(segments=200))
    judge_screens(db, new_judge(db), 2)
    db.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatabaseError, match=r"campaign.db: cannot be (opened|read) \(database disk image is malformed"):
        pm.read(f"sqlite:///{path}")


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "palmares.campaign.collected")
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtraError, match=r"database of a campaign needs .*'sqlalchemy'.*'palmares\[server\]'"):
        pm.read("sqlite:///campaign.db")


def test_options_for_files_are_refused(database_url: str, db: Database) -> None:
    strict_five(db, 1)
    with pytest.raises(InputError, match=r"'wmt' is a file format, and .*://… is a database; leave out --from"):
        pm.read(database_url, format="wmt")
    with pytest.raises(InputError, match="no column 'age' to keep; a campaign always keeps: strategy, probability, re"):
        pm.read(database_url, extra=["age"])
    assert pm.read(database_url, extra=["strategy"]) == pm.read(database_url)


def test_nothing_is_written_to_a_database(judgments: pm.Judgments) -> None:
    with pytest.raises(InputError, match="judgments are written to a file, not to a database; name a file") as refusal:
        pm.write(judgments, "postgresql://u:geheim@host/x.csv")
    assert "geheim" not in str(refusal.value)


# -- export --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("merged", ["expand", "collapse"])
def test_an_export_is_read_as_the_store_itself(db: Database, database_url: str, tmp_path: Path, merged: Any) -> None:
    texts = texts_of(4, {"A": "same", "B": "same", "C": "good", "D": "bad"})
    new_campaign(db, texts, **REPEATING, **{"choice.uniform_share": 0.5})
    judge = new_judge(db)
    for ranks in ((1, 2, 3), (2, 1, 3), (1, 1, 1), (3, 2, 2)):
        rank_by(db, judge, texts, dict(zip(("A,B", "C", "D"), ranks, strict=True)))
    whole = pm.read(database_url, options=pm.ReadOptions(merged=merged))
    pairs = 4 * (6 if merged == "expand" else 3)
    # A screen shows the output of A and B once, so nobody compared them.
    assert whole.forced_ties == (4 if merged == "expand" else 0)
    for name in ("x.csv", "x.tsv.gz", "x.jsonl", "x.jsonl.zst", "x.parquet"):
        assert export(db, "news", tmp_path / name, merged=merged) == Exported(tmp_path / name, "pairwise", pairs, 4, 0)
        assert pm.read(tmp_path / name).hash == whole.hash, name


def test_every_format_that_can_be_written(db: Database, tmp_path: Path) -> None:
    strict_five(db)
    for format_id, ending in _WRITABLE:
        lost = set(get_args(Feature)) - _KINDS[format_id].holds
        if format_id == "arena":
            lost.add("position")  # it has two, and there are five
        place = tmp_path / f"{format_id}.{ending}"
        assert export(db, None, place, format=format_id, drop=lost) == Exported(place, format_id, 40, 4, 0)
        counts = pm.read(place, format=format_id).counts
        assert counts.systems == FIVE
        assert np.array_equal(counts.wins, np.triu(np.full((5, 5), 4), 1)), place.name


def test_what_a_format_cannot_hold_must_be_dropped_by_name(db: Database, tmp_path: Path) -> None:
    strict_five(db)
    place = tmp_path / "x.xml"
    with pytest.raises(LossyWriteError, match=r"'appraise' cannot hold: extra, time; .*drop them.*--drop extra,time"):
        export(db, "news", place)
    assert not place.exists()
    with pytest.raises(InputError, match="cannot drop colour; allowed: lang_pair, segment"):
        export(db, "news", place, drop=["colour"])
    with pytest.raises(InputError, match="merged outputs: got 'keep'; allowed: expand, collapse"):
        export(db, "news", place, merged="keep")  # type: ignore[arg-type]


def test_skipped_screens_are_counted(db: Database, tmp_path: Path) -> None:
    strict_five(db, 2)
    judge = new_judge(db, "bob")
    view = next_view(db, judge)
    assert view is not None
    skip(db, judge, view, "other")
    assert export(db, "news", tmp_path / "x.csv") == Exported(tmp_path / "x.csv", "pairwise", 20, 2, 1)


def test_before_there_are_judgments_a_table_has_its_header_alone(db: Database, tmp_path: Path) -> None:
    new_campaign(db)
    place = tmp_path / "x.csv"
    place.write_text("an older export")
    assert export(db, "news", place) == Exported(place, "pairwise", 0, 0, 0)
    assert place.read_text() == HEADER + "\n"
    export(db, "news", tmp_path / "x.tsv", drop=["position", "time", "duration", "extra"])
    assert (tmp_path / "x.tsv").read_text().split() == HEADER.split(",")[:7]
    export(db, "news", tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl").read_bytes() == b""
    export(db, "news", tmp_path / "x.parquet")
    table = pl.read_parquet(tmp_path / "x.parquet")
    assert (table.columns, table.height) == (HEADER.split(","), 0)
    with pytest.raises(InputError):
        pm.read(place)


def test_the_header_of_an_empty_table_is_that_of_a_full_one(db: Database, tmp_path: Path) -> None:
    texts = sample_texts(systems=FIVE)
    new_campaign(db, texts)
    judge = new_judge(db)
    view = next_view(db, judge)
    assert view is not None
    submit(db, judge, view.id, Answer((1, 2, 3, 4, 5)), submission="x", seconds=3)
    export(db, "news", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().splitlines()[0] == HEADER


def test_formats_that_need_a_judgment_write_nothing_without_one(db: Database, tmp_path: Path) -> None:
    new_campaign(db)
    place = tmp_path / "x.xml"
    assert export(db, "news", place) == Exported(None, "appraise", 0, 0, 0)
    assert not place.exists()
    place.write_text("an older export")
    with pytest.raises(InputError, match=r"x.xml: already exists, and there are no judgments to replace it with"):
        export(db, "news", place)
    assert place.read_text() == "an older export"
    with pytest.raises(InputError, match="'scores' can be read but not written"):
        export(db, "news", tmp_path / "y.csv", format="scores")
    with pytest.raises(InputError, match=r"cannot tell the format from the ending '.doc'"):
        export(db, "news", tmp_path / "y.doc")


# -- screens with their texts ------------------------------------------------------------------------------


def lines_of(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def test_a_screen_is_written_with_all_its_texts(db: Database, tmp_path: Path, clock: Clock) -> None:
    texts = texts_of(1, {"A": "même", "B": "même", "C": "bad"})
    new_campaign(db, texts, **{"choice.uniform_share": 0.0})
    judge = new_judge(db)
    view = next_view(db, judge)
    assert view is not None
    clock.forward(seconds=90.25)
    ranks = {"A,B": 1, "C": 2}
    shown = names(texts, view)
    given = Answer(tuple(ranks[name] for name in shown), note="ça va")
    submit(db, judge, view.id, given, submission="x", seconds=61.5)
    done = export_screens(db, "news", tmp_path / "x.jsonl")
    assert (done.path, done.lines, done.screens, done.skipped) == (tmp_path / "x.jsonl", 1, 1, 0)
    output = {
        "A,B": {"systems": ["A", "B"], "kind": "system", "text": "même 0", "original": None, "rank": 1},
        "C": {"systems": ["C"], "kind": "system", "text": "bad 0", "original": None, "rank": 2},
    }
    assert lines_of(tmp_path / "x.jsonl") == [
        {
            "ranking": "s1",
            "lang_pair": "fr-en",
            "segment": "seg0",
            "document": None,
            "judge": judge.pseudonym,
            "source": "Phrase 0.",
            "reference": None,
            "outputs": [output[name] for name in shown],
            "skip": None,
            "note": "ça va",
            "answer": 1,
            "revision": 1,
            "late": False,
            "strategy": "balanced",
            "probability": 1.0,
            "repeat_of": None,
            "control": None,
            "served_at": "2026-03-01T12:00:00Z",
            "answered_at": "2026-03-01T12:01:30.250000Z",
            "seconds": 61.5,
        }
    ]
    assert "ann" not in (tmp_path / "x.jsonl").read_text(encoding="utf-8")


def test_every_revision_is_written_if_asked_for(db: Database, tmp_path: Path) -> None:
    new_campaign(db, **{"screen.outputs": 2})
    judge = new_judge(db)
    (view,) = judge_screens(db, judge, 1)
    skip(db, judge, load(db, judge, view.id), "offensive", "see line 2")
    latest = export_screens(db, "news", tmp_path / "latest.jsonl")
    every = export_screens(db, "news", tmp_path / "every.jsonl.gz", revisions=True)
    assert (latest.lines, latest.screens, latest.skipped) == (1, 0, 1)
    assert (every.lines, every.screens, every.skipped) == (2, 0, 1)
    first, second = [
        json.loads(line) for line in gzip.decompress((tmp_path / "every.jsonl.gz").read_bytes()).splitlines()
    ]
    assert [second] == lines_of(tmp_path / "latest.jsonl")
    assert [output["rank"] for output in first["outputs"]] == [1, 2]
    assert [output["rank"] for output in second["outputs"]] == [None, None]
    keys = ("ranking", "skip", "note", "revision")
    assert [[line[key] for key in keys] for line in (first, second)] == [
        ["s1", None, None, 1],
        ["s1", "offensive", "see line 2", 2],
    ]


def test_a_control_is_told_apart(db: Database, tmp_path: Path) -> None:
    texts = different_texts()
    new_campaign(db, texts, **{"controls.degraded": 0.5})
    judge = new_judge(db)
    view = next_view(db, judge, rng=Lowest())
    assert view is not None
    answer(db, judge, view)
    export_screens(db, "news", tmp_path / "x.jsonl")
    (line,) = lines_of(tmp_path / "x.jsonl")
    assert line["control"] == "degraded"
    shown = names(texts, view)
    place = shown.index("?")
    copy = line["outputs"].pop(place)
    assert (copy["systems"], copy["kind"], copy["text"]) == ([], "degraded", view.options[place].text)
    assert copy["rank"] == place + 1
    # Four of its six words are still those of the system whose output it was; the others may be its own, too.
    ((system, words),) = Counter(word[0] for word in copy["text"].split()).most_common(1)
    assert shown[copy["original"] - 1] == system
    assert words >= 4
    assert {(output["kind"], output["original"]) for output in line["outputs"]} == {("system", None)}


def test_a_repeat_names_the_screen_it_repeats(db: Database, tmp_path: Path) -> None:
    new_campaign(db, **REPEATING)
    done = judge_until_repeat(db, new_judge(db))
    export_screens(db, "news", tmp_path / "x.jsonl")
    lines = lines_of(tmp_path / "x.jsonl")
    (again,) = [line for line in lines if line["repeat_of"] is not None]
    (first,) = [line for line in lines if line["ranking"] == again["repeat_of"]]
    assert again["source"] == first["source"] == done[-1].source
    assert again["ranking"] != first["ranking"]
    assert sorted(o["text"] for o in again["outputs"]) == sorted(o["text"] for o in first["outputs"])


def test_screens_are_written_as_json_lines_alone(db: Database, tmp_path: Path) -> None:
    new_campaign(db)
    place = tmp_path / "x.jsonl"
    place.write_text("an older export")
    assert export_screens(db, None, place).lines == 0
    assert place.read_bytes() == b""
    with pytest.raises(InputError, match=r"x.csv: screens are written as .jsonl, also with .gz or .zst behind it"):
        export_screens(db, "news", tmp_path / "x.csv")
    with pytest.raises(InputError, match="campaign: got 'other'; there are: news"):
        export_screens(db, "other", place)


# -- the command line ----------------------------------------------------------------------------------------


def test_every_command_reads_a_database(two: str, tmp_path: Path, ok: Callable[..., Any]) -> None:
    (ranked,) = ok("rank", f"{two}#news", "--model", "expected-wins", "--resample", "none", "--format", "json").json
    assert (ranked["group"], ranked["judgments"]) == ({"lang_pair": "fr-en"}, 10)
    described = ok("describe", f"{two}#news", f"{two}#news-2", "--format", "json").json
    assert [(part["lang_pair"], part["judgments"]) for part in described] == [("de-en", 20), ("fr-en", 10)]
    for counting in ("all-pairs", "wmt16"):
        ok("agreement", f"{two}#news", "--counting", counting, "--resamples", "0")
    (fresh,) = ok("describe", f"{two}#news-2", "--where", "repeat=0", "--format", "json").json
    assert fresh["judgments"] == 20
    converted = ok("convert", f"{two}#news", tmp_path / "x.xml", "--drop", "time,extra")
    assert converted.err.startswith("wrote 10 judgments of 5 systems")
    assert len(pm.read(tmp_path / "x.xml")) == 10


def test_refusals_on_the_command_line(two: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    assert "there are several campaigns, say which: news, news-2" in refused("rank", two)
    assert "leave out --from" in refused("rank", f"{two}#news", "--from", "wmt")
    assert "cannot be opened" in refused("rank", "postgresql://u:geheim@127.0.0.1:9/x")
    assert "not to a database" in refused("convert", f"{two}#news", "sqlite:///x.db")


def test_what_a_judge_skipped_is_said_on_the_command_line(
    db: Database, database_url: str, tmp_path: Path, ok: Callable[..., Any]
) -> None:
    strict_five(db, 2)
    judge = new_judge(db, "bob")
    view = next_view(db, judge)
    assert view is not None
    skip(db, judge, view, "cannot-tell")
    err = ok("convert", database_url, tmp_path / "x.csv").err
    assert f"{db.name}#news: skipped screen 3: skipped by the judge (cannot-tell)" in err.splitlines()


def test_a_copy_in_an_archive_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    db = Database.open(f"sqlite:///{tmp_path}/campaign.db", create=True)
    new_campaign(db)
    judge_screens(db, new_judge(db), 3)
    copy = tmp_path / "copy.db"
    db.backup(copy)
    db.close()
    before = copy.read_bytes()
    assert len(pm.read(f"sqlite:///{copy}")) == 30
    assert copy.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["campaign.db", "copy.db"]
