"""Archiving and deleting campaigns, on both databases: nothing is left of one, and nothing of another changes."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import Role, journal, schema
from palmares.campaign.answers import Answer, save_draft, submit
from palmares.campaign.archive import archive, archived_now, restore
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.definition import campaigns, change_state, state_now
from palmares.campaign.deletion import delete_campaign, has_everything
from palmares.campaign.group_links import make_link
from palmares.campaign.left_out import leave_out
from palmares.campaign.limits import count_write
from palmares.campaign.overview import campaign_lines
from palmares.campaign.people import Person, add_person, find_person, invite, join
from palmares.campaign.refusals import CampaignGone, Closed, UnknownScreen
from palmares.campaign.settings import Settings
from palmares.errors import InputError
from palmares.texts import LanguagePair, Segment
from palmares.texts.images import Image
from palmares.texts.testset import make

PIXEL = b"\x89PNG\r\n\x1a\n"


def content(db: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, but for who analyses."""
    with db.read() as tx:
        return {
            table.name: [tuple(row) for row in tx.execute(sa.select(table).order_by(*table.primary_key))]
            for table in schema.metadata.sorted_tables
            if table.name != "analysis"
        }


def full(db: Database, name: str) -> int:
    """A campaign with a row in every table that can have one."""
    pictured = make(
        LanguagePair.parse("de-en"),
        [Segment(f"s{n}", "d", f"![x](a.png) {name}-source {n}", None) for n in range(4)],
        {system: [f"{name}-output {system} {n}" for n in range(4)] for system in "AB"},
    )
    pictured = type(pictured)(**{**vars(pictured), "images": {"a.png": Image("image/png", PIXEL + name.encode())}})
    settings = {"controls.degraded": 0.4, "judge.practice": True, "task.markup": "markdown", "controls.repeats": 0.05}
    campaign = new_campaign(db, sample_texts(8), pictured, name=name, **settings)
    olga = add_person(db, name, Role.ORGANISER, f"{name}-olga")
    join(db, invite(db, olga))
    ann = new_judge(db, f"{name}-ann", campaign=name, langs=["fr-en"])
    bob = new_judge(db, f"{name}-bob", campaign=name, langs=["de-en"])
    for judge in (ann, bob):
        judge_screens(db, judge, 3)
    changed = judge_screens(db, ann, 1)[0]
    submit(
        db, ann, changed.id, Answer((1,) * len(changed.options), note=f"{name}-note"), submission="again", revision=1
    )
    view = next_view(db, ann)
    assert view is not None
    save_draft(db, ann, view.id, (1, *view.ranks[1:]), version=0)
    leave_out(db, bob, f"{name}-reason", by=olga.id)
    make_link(db, name, places=3)
    with db.begin() as tx:
        count_write(tx, ann.id, 100, db.clock())
        pair = (
            tx.execute(sa.select(schema.language_pair.c.id).where(schema.language_pair.c.campaign_id == campaign))
            .scalars()
            .first()
        )
        now = {"created_at": db.clock()}
        counted = {"language_pair_id": pair, "version": 1, "answer": 1}
        snapshot = {**counted, "answers": 1, "strategy": "s14", "rule": "", "p": 0.05, "met": False, **now}
        snapshot_id = tx.execute(schema.snapshot.insert().values(snapshot).returning(schema.snapshot.c.id)).scalar_one()
        mine = sa.select(sa.func.max(schema.served.c.screen_id)).where(schema.served.c.person_id == ann.id)
        screen = schema.screen.c.id == mine.scalar_subquery()
        tx.execute(schema.screen.update().where(screen).values(snapshot_id=snapshot_id))
        for table in (schema.board, schema.milestone):
            tx.execute(table.insert().values(**counted, left_out=0, judgments=1, body={}, **now))
        tx.execute(schema.publication.insert().values(campaign_id=campaign, by_id=olga.id, page=name.encode(), **now))
        link = tx.execute(sa.select(schema.group_link.c.id).where(schema.group_link.c.campaign_id == campaign)).scalar()
        worker = {"person_id": bob.id, "campaign_id": campaign, "group_link_id": link, "worker": f"{name}-worker"}
        tx.execute(schema.worker.insert().values(**worker, resume_digest=f"{name}-digest"))
        client = {"name": f"{name}-client", "scopes": [], "by_id": olga.id, **now}
        tx.execute(schema.client.insert().values(campaign_id=campaign, digest=f"{name}-client", **client))
        draft = {
            "person_id": olga.id,
            "name": "",
            "texts": b"",
            "findings": {},
            "accepted": True,
            "settings": "",
            **now,
        }
        tx.execute(schema.setup_draft.insert().values(draft))
    return campaign


def test_nothing_is_left_and_nothing_of_another_campaign_changes(db: Database) -> None:
    full(db, "kept")
    before = content(db)
    full(db, "gone")
    everywhere = content(db)
    without = {"setup_link", "server"}  # of no campaign
    assert [name for name, rows in everywhere.items() if len(rows) == len(before[name]) and name not in without] == []
    deleted = delete_campaign(db, "gone")
    assert (deleted.people, deleted.gone) == (3, True)
    assert deleted.judgments == len(everywhere["judgment"]) - len(before["judgment"])
    after = content(db)
    assert {name: rows for name, rows in after.items() if rows != before[name]} == {}
    with db.read() as tx:
        query = "select name from sqlite_master" if db.dialect == "sqlite" else "select indexname from pg_indexes"
        assert not [name for name in tx.scalars(sa.text(query)) if name.startswith("deleting_")]


def test_the_first_of_two_can_go_as_well(db: Database) -> None:
    full(db, "gone")
    full(db, "kept")
    kept = {name: [row for row in rows if "kept" in repr(row)] for name, rows in content(db).items()}
    delete_campaign(db, "gone")
    after = content(db)
    assert "gone" not in repr(after)
    assert all(row in after[name] for name, rows in kept.items() for row in rows)
    judge_screens(db, new_judge(db, "zoe", campaign="kept"), 2)


def test_what_people_did_is_guarded_again(db: Database) -> None:
    full(db, "kept")
    full(db, "gone")
    delete_campaign(db, "gone")
    for table in schema.APPEND_ONLY:
        for action in (f"update {table} set id = id", f"delete from {table}"):
            with pytest.raises(sa.exc.DBAPIError, match=f"rows of {table} are never changed"), db.begin() as tx:
                tx.execute(sa.text(action))


def test_who_does_not_say_so_deletes_nothing(db: Database) -> None:
    full(db, "kept")
    with pytest.raises(sa.exc.DBAPIError, match="rows of judgment are never changed"), db.begin() as tx:
        tx.execute(schema.judgment.delete())


def test_a_deletion_that_fails_changes_nothing(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    full(db, "gone")
    before = content(db)

    def broken(*_: object) -> None:
        raise RuntimeError("on the way")

    from palmares.campaign import deletion

    whole = deletion._delete_rows
    monkeypatch.setattr(deletion, "_delete_rows", lambda *a: (whole(*a), broken()))
    with pytest.raises(RuntimeError):
        delete_campaign(db, "gone")
    assert content(db) == before
    with pytest.raises(sa.exc.DBAPIError, match="never changed"), db.begin() as tx:
        tx.execute(schema.event.delete())


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_no_text_and_no_name_is_left_in_the_files(db: Database) -> None:
    full(db, "unmistakable")
    place = Path(str(db.engine.url.database))
    files = [path for path in place.parent.iterdir() if path.name.startswith(place.name)]
    assert [path for path in files if b"unmistakable" in path.read_bytes()]
    assert delete_campaign(db, "unmistakable").gone
    assert [path.name for path in files if path.exists() and b"unmistakable" in path.read_bytes()] == []


def test_numbers_of_deleted_answers_do_not_come_again(db: Database) -> None:
    """A ranking up to an answer must go on meaning the same answers."""
    new_campaign(db, name="kept")
    judge_screens(db, new_judge(db, "ann", campaign="kept"), 1)
    new_campaign(db, name="gone")
    judge_screens(db, new_judge(db, "bob", campaign="gone"), 3)
    last = max(row[0] for row in content(db)["judgment"])
    delete_campaign(db, "gone")
    judge_screens(db, new_judge(db, "zoe", campaign="kept"), 1)
    assert max(row[0] for row in content(db)["judgment"]) > last


def test_an_archived_campaign_is_in_no_list_takes_no_answers_and_comes_back(db: Database, clock: Clock) -> None:
    campaign = new_campaign(db)
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    change_state(db, "news", "paused")
    assert archive(db, "news")
    assert not archive(db, "news")
    assert archived_now(db, campaign)
    assert campaign_lines(db) == []
    assert [line.name for line in campaign_lines(db, archived=True)] == ["news"]
    with pytest.raises(Closed):
        answer(db, ann, view)
    with pytest.raises(InputError, match="is archived, so its state cannot be changed"):
        change_state(db, "news", "open")
    assert restore(db, "news") == state_now(db, campaign) == "paused"
    assert restore(db, "news") is None
    answer(db, ann, view)
    kinds = [event.kind for event in journal.entries(db, campaign)]
    assert [kind for kind in kinds if kind in ("archived", "restored")] == ["restored", "archived"]


def test_everything_was_downloaded_only_if_nothing_has_come_since(db: Database) -> None:
    campaign = new_campaign(db)
    olga = add_person(db, "news", Role.ORGANISER, "Olga")
    assert not has_everything(db, campaign, olga.id)
    with db.begin() as tx:
        journal.record(tx, db, campaign, "exported", by=olga.id, what="everything", answer=0)
    assert has_everything(db, campaign, olga.id)
    judge_screens(db, new_judge(db), 1)
    assert not has_everything(db, campaign, olga.id)


def test_a_name_is_free_again(db: Database) -> None:
    new_campaign(db)
    delete_campaign(db, "news")
    assert campaigns(db) == []
    create_campaign(db, "news", Settings(), [sample_texts(4)])


def test_a_campaign_that_gets_the_numbers_of_one_that_was_deleted_shows_its_own_texts(db: Database) -> None:
    """SQLite gives numbers that were free again; what is kept in memory is not taken for what has them now."""
    for name in ("gone", "new"):
        new_campaign(db, sample_texts(9, ("A", "B", "C")), name=name, **{"screen.outputs": 2})
        for _ in range(9):
            view = next_view(db, find_or_add(db, name))
            assert view is not None
            number = view.source.split()[2]
            assert [option.text.split()[1] for option in view.options] == [number, number]
            answer(db, find_or_add(db, name), view)
        if name == "gone":
            delete_campaign(db, name)


def find_or_add(db: Database, campaign: str) -> Person:
    try:
        return find_person(db, campaign, "ann")
    except InputError:
        return new_judge(db, "ann", campaign=campaign)


def test_judges_at_work_are_refused_and_hold_nothing_up(db: Database) -> None:
    """Whoever answers at this moment has answered before it goes, or is told that it is gone."""
    new_campaign(db, sample_texts(40), name="gone", **{"limits.writes_per_minute": 10_000})
    new_campaign(db, sample_texts(40), name="kept", **{"limits.writes_per_minute": 10_000})
    judges = [new_judge(db, f"judge {n}", campaign="gone") for n in range(4)]
    other = new_judge(db, "other", campaign="kept")
    ending = threading.Event()

    def work(judge: Person) -> BaseException | None:
        while not ending.is_set():
            try:
                view = next_view(db, judge)
                if view is not None:
                    answer(db, judge, view)
            except (Exception, AssertionError) as error:
                return error
        return None

    with ThreadPoolExecutor(5) as pool:
        working = [pool.submit(work, judge) for judge in (*judges, other)]
        time.sleep(0.3)
        assert delete_campaign(db, "gone").people == 4
        time.sleep(0.2)
        ending.set()
        *theirs, others = (each.result() for each in working)
    assert {type(error) for error in theirs} <= {CampaignGone, UnknownScreen}
    assert others is None
    judge_screens(db, new_judge(db, "zoe", campaign="kept"), 1)
