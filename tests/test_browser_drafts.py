"""Unfinished ranks: saved as they are given, found again on another device, and never overwritten unasked."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from browsers import Judge, Server, Visit, on_sqlite, stored
from playwright.sync_api import Route, expect
from stores import new_campaign, new_judge

from palmares.campaign import schema
from palmares.campaign.database import Database
from palmares.campaign.people import Person, invite, revoke

pytestmark = pytest.mark.any_database


@pytest.fixture
def person(db: Database) -> Person:
    new_campaign(db)
    return new_judge(db)


def drafts(db: Database) -> list[list[int | None]]:
    with db.read() as tx:
        return list(tx.scalars(sa.select(schema.draft.c.ranks)))


def test_a_judge_leaves_and_resumes_on_another_device(visit: Visit, db: Database, person: Person) -> None:
    laptop = visit(person)
    laptop.rank(2, None, 1)
    expect(laptop.status).to_have_text("Saved")
    assert drafts(db) == [[2, None, 1, None, None]]

    phone = visit(person)  # signs in with a link of its own
    assert phone.screen == laptop.screen
    phone.shows(2, None, 1, None, None)
    phone.rank(None, 3, None, 4, 5)
    with phone.sending():
        phone.submit()
    assert [row[1:3] for row in stored(db)] == [(1, [2, 3, 1, 4, 5])]
    assert drafts(db) == []


def test_a_newer_draft_is_not_overwritten_unasked(visit: Visit, db: Database, person: Person) -> None:
    laptop, phone = visit(person), visit(person)
    laptop.failures = True  # the conflict is an answer of status 409
    phone.rank(1, 2)
    expect(phone.status).to_have_text("Saved")
    laptop.rank(5)
    asking = laptop.page.locator(".asking")
    expect(asking).to_contain_text("This screen was changed in another window or on another device.")
    laptop.rank(None, None, 3)  # going on while the question stands decides nothing
    expect(laptop.status).to_be_empty()
    assert drafts(db) == [[1, 2, None, None, None]]
    asking.get_by_role("button", name="Show those ranks").click()
    expect(asking).to_have_count(0)
    laptop.shows(1, 2, None, None, None)
    laptop.rank(None, None, 3)
    expect(laptop.status).to_have_text("Saved")
    assert drafts(db) == [[1, 2, 3, None, None]]


@on_sqlite
def test_ones_own_ranks_can_be_kept_instead(visit: Visit, db: Database, person: Person) -> None:
    laptop, phone = visit(person), visit(person)
    laptop.failures = True
    phone.rank(1, 2)
    expect(phone.status).to_have_text("Saved")
    laptop.rank(5)
    laptop.page.get_by_role("button", name="Keep these").click()
    expect(laptop.status).to_have_text("Saved")
    laptop.shows(5, None, None, None, None)
    assert drafts(db) == [[5, None, None, None, None]]


@on_sqlite
def test_two_windows_with_the_same_ranks_have_nothing_to_ask(visit: Visit, db: Database, person: Person) -> None:
    ann = visit(person)
    other = ann.another_tab()
    for tab in (ann, other):
        tab.rank(1)
        expect(tab.status).to_have_text("Saved")
        expect(tab.page.locator(".asking")).to_have_count(0)


@on_sqlite
def test_a_window_that_is_left_at_once_has_saved_its_ranks(visit: Visit, db: Database, person: Person) -> None:
    ann = visit(person)
    ann.rank(4)
    ann.open("/c/news/judge/instructions")  # sooner than ranks are saved otherwise
    ann.until(lambda: drafts(db) == [[4, None, None, None, None]])
    ann.page.get_by_role("link", name="Back to work").click()
    ann.shows(4, None, None, None, None)


@on_sqlite
def test_someone_signed_out_meanwhile_is_told_so(visit: Visit, db: Database, person: Person) -> None:
    ann = visit(person)
    ann.failures = True
    revoke(db, person)
    ann.rank(3, 3)
    expect(ann.status).to_contain_text("You are no longer signed in. Open the link you were invited with again")
    ann.join(invite(db, person))
    ann.shows(3, 3, None, None, None)
    expect(ann.status).to_have_text("Saved")
    assert drafts(db) == [[3, 3, None, None, None]]


@on_sqlite
def test_ranks_given_without_a_network_are_kept_on_the_device(visit: Visit, db: Database, person: Person) -> None:
    ann = visit(person)
    ann.failures = True
    ann.page.context.set_offline(True)
    ann.rank(3, 3)
    expect(ann.status).to_have_text("Offline: kept on this device")
    ann.page.context.set_offline(False)
    expect(ann.status).to_have_text("Saved")
    assert drafts(db) == [[3, 3, None, None, None]]


def leave_offline(judge: Judge) -> None:
    """Leave the page so that its last request fails at once, and does not wait for a server that comes back."""
    judge.page.context.set_offline(True)
    judge.page.goto("about:blank")
    judge.page.wait_for_timeout(100)
    judge.page.context.set_offline(False)


@on_sqlite
def test_ranks_that_a_device_kept_are_offered_if_the_screen_has_changed(
    visit: Visit, db: Database, person: Person, server: Server
) -> None:
    laptop, phone = visit(person), visit(person)
    laptop.failures = phone.failures = True  # the phone may be fetching ahead when the server stops
    screen = laptop.page.url
    server.stop()
    laptop.rank(5, 5)
    expect(laptop.status).to_have_text("Offline: kept on this device")
    leave_offline(laptop)
    server.start()
    phone.rank(1)
    expect(phone.status).to_have_text("Saved")
    laptop.page.goto(screen)
    laptop.shows(1, None, None, None, None)
    expect(laptop.page.locator(".asking")).to_contain_text("Ranks that were not saved are kept on this device.")
    laptop.page.get_by_role("button", name="Use them").click()
    laptop.shows(5, 5, None, None, None)
    expect(laptop.status).to_have_text("Saved")
    assert drafts(db) == [[5, 5, None, None, None]]


@on_sqlite
def test_ranks_that_a_device_kept_come_back_by_themselves_otherwise(
    visit: Visit, db: Database, person: Person, server: Server
) -> None:
    ann = visit(person)
    ann.failures, screen = True, ann.page.url
    server.stop()
    ann.rank(5, 5)
    expect(ann.status).to_have_text("Offline: kept on this device")
    leave_offline(ann)
    server.start()
    ann.page.goto(screen)
    ann.shows(5, 5, None, None, None)
    expect(ann.status).to_have_text("Saved")
    assert drafts(db) == [[5, 5, None, None, None]]


def test_an_answer_and_its_draft_do_not_overtake_each_other(visit: Visit, db: Database, person: Person) -> None:
    """The draft is on its way when the answer is given; it must not come after it and be taken for a newer one."""
    ann = visit(person)
    held: list[Route] = []
    arrived: list[str] = []
    ann.page.on("response", lambda response: arrived.append(response.url.rpartition("/")[2]))
    ann.page.route("**/draft", lambda route: held.append(route))
    with ann.page.expect_request("**/draft"):
        ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    expect(ann.progress).to_have_text("1 of 12")
    ann.page.wait_for_timeout(300)  # the network is that slow
    with ann.sending():
        for route in held:
            route.continue_()
    assert [name for name in arrived if name in ("draft", "answer")] == ["draft", "answer"]
    assert len(stored(db)) == 1
    assert drafts(db) == []
