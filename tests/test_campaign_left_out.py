"""Judges whose answers are left out and taken back: exports, readers, what the analysis says, the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from stores import answer, new_campaign, new_judge, next_view, sample_texts
from studies import analysing, judged, learning_campaign, snapshots

import palmares as pm
from palmares.campaign import Role, journal, schema
from palmares.campaign.collected import collect
from palmares.campaign.database import Database
from palmares.campaign.export import export, export_screens
from palmares.campaign.left_out import changes, last_change, leave_out, left_out_of, take_back
from palmares.campaign.live.process import needing
from palmares.campaign.live.tally import Tally
from palmares.campaign.overview import campaign_status
from palmares.campaign.people import Person, add_person
from palmares.campaign.snapshots import newest
from palmares.errors import InputError, LossyWriteError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import read_with_report
from palmares.ingest.scan import scan_with_report
from palmares.judgments import Judgments


@pytest.fixture
def judges(db: Database) -> list[Person]:
    """Five judges of six screens each, who answer by chance; the last one always from the top."""
    new_campaign(db, sample_texts(40, "ABCD"), **{"screen.outputs": 3, "judge.screens": 60})
    there, rng = [new_judge(db, f"judge {n}") for n in range(5)], Random(3)
    for judge in there:
        for _ in range(6):
            view = next_view(db, judge, rng=rng)
            assert view is not None
            places = len(view.options)
            answer(db, judge, view, None if judge is there[-1] else [rng.randint(1, places) for _ in range(places)])
    return there


def ranked(source: str | Path, **options: Any) -> dict[str, Any]:
    """Everything that a ranking says but where its judgments come from, and what was remarked on the way."""
    result = pm.rank(pm.read(source, options=ReadOptions(**options)), rng=0).to_dict()
    result["record"].pop("input")
    result.pop("notes")
    return result


def without(path: Path, judge: Person) -> Path:
    """The file as if the judge had never been there, by hand."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    columns = [name for name in lines[0] if name != "extra.left_out"]
    there = path.with_name("without.csv")
    with there.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(line for line in lines if line["judge"] != judge.pseudonym)
    return there


def test_a_ranking_is_that_of_a_file_without_the_judge_and_taken_back_it_is_the_old_one(
    db: Database, judges: list[Person], database_url: str, tmp_path: Path
) -> None:
    export(db, "news", tmp_path / "before.csv")
    before, out = ranked(tmp_path / "before.csv"), judges[-1]
    assert ranked(database_url) == before
    leave_out(db, out, "from the top")
    written = export(db, "news", tmp_path / "after.csv")
    assert (written.judgments, written.left_out, written.marked) == (90, 18, True)
    alone = ranked(without(tmp_path / "after.csv", out))
    assert alone != before
    assert ranked(tmp_path / "after.csv") == ranked(database_url) == alone
    kept = pm.read(tmp_path / "after.csv", options=ReadOptions(left_out="keep"))
    assert kept.extras.count("left_out") == 1
    assert [(line.system, line.score) for line in pm.rank(kept).lines] == [
        (line["system"], line["score"]) for line in before["systems"]
    ]
    take_back(db, out)
    export(db, "news", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()
    assert ranked(database_url) == before


def test_everybody_who_reads_them_is_told(
    db: Database, judges: list[Person], database_url: str, tmp_path: Path
) -> None:
    leave_out(db, judges[-1], "from the top")
    export(db, "news", tmp_path / "after.csv")
    said = "18 of 90 records are of 1 judge left out by the organisers, and do not count (--left-out keep)"
    judgments, report = read_with_report(tmp_path / "after.csv")
    assert said in pm.rank(judgments).notes
    assert (len(judgments), report.records, len(report.dropped), report.rejected) == (72, 90, 18, ())
    lines = (tmp_path / "after.csv").read_text().splitlines()
    column = lines[0].split(",").index("extra.left_out")
    assert all(float(lines[each.line - 1].split(",")[column]) == 1 for each in report.dropped)
    from_store = pm.read(database_url)
    assert from_store.notes == (said.replace("18 of 90 records", "6 of 30 screens"),)
    assert judgments.hash == from_store.hash


@pytest.mark.any_database
def test_every_container_keeps_the_mark(db: Database, judges: list[Person], tmp_path: Path) -> None:
    leave_out(db, judges[0], "asked for it")
    paths = [tmp_path / name for name in ("a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz")]
    for path in paths:
        export(db, "news", path)
    paths += [tmp_path / name for name in ("arena.csv", "arena.jsonl", "arena.parquet")]
    for path in paths[-3:]:
        export(db, "news", path, format="arena", drop=["position"])
    for path in paths:
        assert len(pm.read(path)) == 72, path
        assert len(pm.read(path, options=ReadOptions(left_out="keep"))) == 90, path


@pytest.mark.any_database
def test_counts_of_a_stream_leave_them_out(db: Database, judges: list[Person], tmp_path: Path) -> None:
    leave_out(db, judges[0], "asked for it")
    for name in ("a.csv", "a.parquet"):
        export(db, "news", tmp_path / name)
        counts, report = scan_with_report(tmp_path / name, ReadOptions())
        expected = pm.read(tmp_path / name).counts
        assert (counts["fr-en"].wins == expected.wins).all()
        assert (counts["fr-en"].ties == expected.ties).all()
        assert report.records == 90
        assert "18 of 90 records are of judges left out" in report.notes[0]
        kept, _ = scan_with_report(tmp_path / name, ReadOptions(left_out="keep"))
        assert kept["fr-en"].total == 90


@pytest.mark.any_database
def test_formats_without_a_place_do_without_those_judgments(
    db: Database, judges: list[Person], tmp_path: Path, ok: Callable[..., Any], database_url: str
) -> None:
    leave_out(db, judges[0], "asked for it")
    with pytest.raises(LossyWriteError, match="left_out"):
        export(db, "news", tmp_path / "a.csv", format="wmt-pairwise")
    gone = "ranking,position,duration,time,extra"
    said = ok("campaign", "export", "news", tmp_path / "a.csv", "--to", "wmt-pairwise", "--drop", gone,
              "--database", database_url)  # fmt: skip
    assert "18 judgments of judges who are left out: not written, for want of the column left_out" in said.err
    assert "wrote 72 judgments from 24 screens (0 more were skipped)" in said.err
    assert judges[0].pseudonym not in (tmp_path / "a.csv").read_text()
    export(db, "news", tmp_path / "b.csv")
    ok("convert", tmp_path / "b.csv", tmp_path / "c.csv", "--left-out", "keep")
    assert (tmp_path / "c.csv").read_text() == (tmp_path / "b.csv").read_text()
    said = ok("convert", tmp_path / "b.csv", tmp_path / "d.csv", "--left-out", "keep", "--drop", "extra")
    assert "18 judgments of judges who are left out are not written: without extra columns nothing would mark them" in (
        said.err
    )
    assert len(pm.read(tmp_path / "d.csv")) == 72


def test_an_older_state_can_be_had_again(db: Database, judges: list[Person], tmp_path: Path) -> None:
    first = leave_out(db, judges[0], "asked for it")
    leave_out(db, judges[1], "asked for it")
    last = take_back(db, judges[0], "took it back")
    with db.read() as tx:
        assert last_change(tx, 1) == last
        assert set(left_out_of(tx, 1)) == {judges[1].id}
        assert set(left_out_of(tx, 1, upto=first)) == {judges[0].id}
    for change, out in ((None, judges[1]), (first, judges[0]), (0, None)):
        written = export(db, "news", tmp_path / "a.csv", upto=30, left_out_as_of=change)
        there = pm.read(tmp_path / "a.csv").names["judge"].to_list()
        assert written.judgments == 90
        assert there == sorted(judge.pseudonym for judge in judges if judge is not out)
        export_screens(db, "news", tmp_path / "s.jsonl", left_out_as_of=change)
        screens = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
        marked = {screen["judge"] for screen in screens if screen.get("left_out")}
        assert marked == ({out.pseudonym} if out else set())
        assert all(("left_out" in screen) == (out is not None) for screen in screens)
    with pytest.raises(InputError, match=r"left out as of: got 99; allowed: 0 \(before any\) and 1, 2, 3"):
        export(db, "news", tmp_path / "a.csv", left_out_as_of=99)


@pytest.mark.any_database
def test_what_cannot_be_changed_is_refused_and_all_changes_are_kept(db: Database, judges: list[Person]) -> None:
    observer = add_person(db, "news", Role.OBSERVER, "eve")
    organiser = add_person(db, "news", Role.ORGANISER, "olga")
    with pytest.raises(InputError, match="'eve' is observer; only judges have answers"):
        leave_out(db, observer, "why not")
    with pytest.raises(InputError, match="'judge 0' is not left out"):
        take_back(db, judges[0])
    for reason in ("", "  ", "x" * 501, "a\0b"):
        with pytest.raises(InputError, match="reason: got"):
            leave_out(db, judges[0], reason)
    leave_out(db, judges[0], " asked for it ", by=organiser.id)
    with pytest.raises(InputError, match="'judge 0' is left out already"):
        leave_out(db, judges[0], "again")
    take_back(db, judges[0])
    said = [(each.name, each.out, each.reason, each.by) for each in changes(db, 1)]
    assert said == [("judge 0", False, None, None), ("judge 0", True, "asked for it", "olga")]
    log = [(event.kind, event.person, event.by, event.body["reason"]) for event in journal.entries(db, 1)[:2]]
    assert log == [("taken-back", "judge 0", None, None), ("left-out", "judge 0", "olga", "asked for it")]
    with pytest.raises(sa.exc.DBAPIError), db.begin() as tx:
        tx.execute(schema.left_out.update().values(out=False))
    assert [judge.left_out for judge in campaign_status(db, "news").judges] == [False] * 5


def test_counts_kept_along_follow(db: Database, judges: list[Person]) -> None:
    with db.read() as tx:
        tally = Tally(tx, 1)
        assert tally.leave_out((), 0) is None
        tally.read(tx, 20)
    for act, judge in ((leave_out, 1), (leave_out, 4), (take_back, 1), (leave_out, 0)):
        change = act(db, judges[judge], "one reason or another")
        with db.read() as tx:
            first = tally.leave_out(left_out_of(tx, 1), change)
            assert first == {1: 7, 2: None, 3: 7, 4: 1}[change]  # answers of the fifth judge are not read yet
            if change == 3:
                tally.read(tx, 30)
        rows = collect(db, "news", ReadOptions(), upto=tally.upto).rows
        expected = Judgments.from_rows(rows).without_forced_ties().counts
        assert (tally.counts.wins == expected.wins).all()
        assert (tally.counts.ties == expected.ties).all()
        assert tally.answers == tally.upto  # how far it has read, whoever counts


def test_a_decision_to_stop_is_made_anew(db: Database, run: Callable[..., Any], tmp_path: Path) -> None:
    """Most answers that the decision rests on are left out: work is given out again, until they are taken back."""
    settings = {"stop.rule": "clusters=2", "screen.outputs": 5, "overlap.share": 0.3, "choice.lag": 100}
    people, rng = learning_campaign(db, 6, 60, **settings), Random(7)
    with analysing(db) as analyst:
        judged(db, people, 300, rng, analyst=analyst)
        met = _last(db)
        assert met.met
        assert met.standing is not None
        out = people[:-1]
        numbers = [leave_out(db, judge, "too good to be true") for judge in out]
        analyst.look(needing(db))
        after = _last(db)
        assert not after.met
        assert after.standing is not None
        assert after.standing["left_out"] == numbers[-1]
        assert next_view(db, out[0]) is not None  # who is left out notices nothing
        for judge in out:
            take_back(db, judge)
        analyst.look(needing(db))
        judged(db, people, 200, rng, analyst=analyst)  # what came after the first decision may make it open again
    again = _last(db)
    assert again.met
    assert again.standing is not None
    assert again.standing["left_out"] == 2 * len(out)
    with db.read() as tx:
        kinds = list(tx.scalars(sa.select(schema.event.c.kind).where(schema.event.c.kind.like("rule-%"))))
    assert kinds == ["rule-met", "rule-not-met-any-more", "rule-met"]
    place = db.engine.url.render_as_string(hide_password=False)
    said = " ".join(run("campaign", "status", "news", "--database", place).out.split())
    named = again.standing["answer"]
    assert f"'campaign export NAME FILE --up-to {named} --left-out-as-of {2 * len(out)}'" in said
    for row in (row for row in snapshots(db) if row.ranking):
        states = {"upto": row.ranking["answer"], "left_out_as_of": row.ranking["left_out"]}
        export(db, "news", tmp_path / "then.csv", **states)
        assert pm.read(tmp_path / "then.csv").hash == row.ranking["data"]


@pytest.mark.parametrize("rule", [{"stop.screens": 8}, {"stop.per_pair": 8}])
def test_others_are_asked_in_the_place_of_who_is_left_out(db: Database, rule: dict[str, int]) -> None:
    """Rules that count work are not met by answers that do not count."""
    new_campaign(db, sample_texts(40, "ABC"), **{"screen.outputs": 3, "judge.screens": 40, "hit.screens": 2}, **rule)
    ann, bob, cid = (new_judge(db, name) for name in ("ann", "bob", "cid"))

    def work(judge: Person, most: int = 40) -> int:
        for done in range(most):
            view = next_view(db, judge)
            if view is None:
                return done
            answer(db, judge, view)
        return most

    assert work(ann, 4) + work(bob) == 8
    assert next_view(db, cid) is None
    assert campaign_status(db, "news").pairs[0].enough
    leave_out(db, bob, "in a second each")
    status = campaign_status(db, "news").pairs[0]
    assert (status.enough, status.answered, status.left_out, status.least) == (False, 8, 4, 4)
    assert work(cid) == 4
    assert campaign_status(db, "news").pairs[0].enough
    take_back(db, bob)
    status = campaign_status(db, "news").pairs[0]
    assert (status.enough, status.answered, status.left_out, status.least) == (True, 12, 0, 12)
    assert next_view(db, ann) is None


def test_who_takes_over_the_analysis_knows_who_was_left_out(db: Database) -> None:
    settings = {"stop.rule": "clusters=2", "screen.outputs": 5, "overlap.share": 0.3, "choice.lag": 100}
    people, rng = learning_campaign(db, 6, 60, **settings), Random(7)
    with analysing(db) as analyst:
        judged(db, people, 30, rng, analyst=analyst)
        leave_out(db, people[0], "asked for it")
        analyst.look(needing(db))
        before = _last(db)
        assert before.standing is not None
    with analysing(db) as analyst:  # nothing new: nothing is written
        analyst.look(needing(db))
        assert _last(db).version == before.version
    take_back(db, people[0])
    with analysing(db) as analyst:
        analyst.look(needing(db))
        after = _last(db)
    assert after.standing is not None
    assert (after.version, after.answers) == (before.version + 1, before.answers)
    assert after.standing["judgments"] > before.standing["judgments"]


def _last(db: Database) -> Any:
    with db.read() as tx:
        return newest(tx, 1)


@pytest.mark.any_database
def test_on_the_command_line(
    db: Database, judges: list[Person], database_url: str, ok: Callable[..., Any], refused: Callable[..., str],
    tmp_path: Path,
) -> None:  # fmt: skip
    place = ("--database", database_url)
    said = ok("campaign", "leave-out", "news", "judge 0", "--reason", "asked for it", *place)
    assert said.err == "judge 0: left out (change 1)\n"
    assert "'judge 0' is left out already" in refused(
        "campaign", "leave-out", "news", judges[0].pseudonym, "--reason", "x", *place
    )
    shown = ok("campaign", "people", "news", *place)
    assert "left out, so their answers do not count: judge 0" in shown.out
    status = ok("campaign", "status", "news", "--format", "json", *place).json
    assert [judge["left_out"] for judge in status["judges"]] == [True, *[False] * 4]
    ok("campaign", "export", "news", tmp_path / "a.csv", *place)
    ranking = ok("rank", tmp_path / "a.csv", "--format", "json").json[0]
    assert ranking["judgments"] == 72
    assert any("left out by the organisers" in note for note in ranking["notes"])
    assert ok("rank", tmp_path / "a.csv", "--left-out", "keep", "--format", "json").json[0]["judgments"] == 90
    assert ok("rank", tmp_path / "a.csv", "--scan", "--format", "json").json[0]["judgments"] == 72
    assert ok("campaign", "take-back", "news", "judge 0", *place).err == "judge 0: taken back (change 2)\n"
    assert "nothing to take back" in refused("campaign", "take-back", "news", "judge 0", *place)


def test_files_whose_mark_cannot_be_read(file: Callable[..., Path]) -> None:
    head, line = "system_a,system_b,outcome,extra.left_out\n", "A,B,a,{}\n"
    with pytest.raises(InputError, match=r"column 'extra.left_out': got 'perhaps'; allowed: 1 \(left out\) and 0"):
        pm.read(file(head + line.format("perhaps")))
    with pytest.raises(InputError, match="all 1 records are of judges who are left out"):
        pm.read(file(head + line.format(1)))
    with pytest.raises(InputError, match="all 1 records are of judges who are left out"):
        pm.scan(file(head + line.format(1)))
    whole = pm.read(file(head + line.format(1) + line.format(0) + line.format("")))
    assert (len(whole), whole.extras) == (2, ())
    with pytest.raises(InputError, match="left_out: got 'maybe'; allowed: drop, keep"):
        replace(ReadOptions(), left_out="maybe")  # type: ignore[arg-type]
