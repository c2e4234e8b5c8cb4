"""Answers that are changed: with the link, with the back button, from two windows; and what progress says of it."""

from __future__ import annotations

import pytest
from browsers import Judge, Visit, on_sqlite, stored
from playwright.sync_api import expect
from stores import new_campaign, new_judge

from palmares.campaign.database import Database
from palmares.campaign.definition import change_state

pytestmark = pytest.mark.any_database


@pytest.fixture
def ann(visit: Visit, db: Database) -> Judge:
    """A judge on the first of three screens."""
    new_campaign(db)
    return visit(new_judge(db))


def test_the_last_answer_can_be_changed_and_both_are_stored(ann: Judge, db: Database) -> None:
    first = ann.answer(1, 2, 3, 4, 5)
    ann.page.get_by_role("link", name="Change my last answer").click()
    expect(ann.page.get_by_text("You have answered this screen.")).to_be_visible()
    ann.shows(1, 2, 3, 4, 5)
    expect(ann.page.locator("#submit")).to_have_text("Submit the change")
    ann.page.wait_for_load_state()
    assert ann.answer(1, 1, 1, 4, 5) == first
    expect(ann.progress).to_have_text("1 of 30")
    assert [row[:3] for row in stored(db)] == [(first, 1, [1, 2, 3, 4, 5]), (first, 2, [1, 1, 1, 4, 5])]


@on_sqlite
def test_an_answer_can_become_a_skip_and_a_skip_an_answer(ann: Judge, db: Database) -> None:
    ann.page.locator("#skip > summary").click()
    ann.page.get_by_label("Something is not displayed properly").check()
    with ann.sending():
        ann.page.get_by_role("button", name="Skip", exact=True).click()
    ann.page.get_by_role("link", name="Change my last answer").click()
    expect(ann.page.get_by_text("You skipped this screen (Something is not displayed properly).")).to_be_visible()
    ann.shows(None, None, None, None, None)
    ann.page.wait_for_load_state()
    ann.answer(5, 4, 3, 2, 1)
    assert [row[1:4] for row in stored(db)] == [(1, None, "technical"), (2, [5, 4, 3, 2, 1], None)]


@on_sqlite
def test_the_back_button_shows_the_answer_that_was_given(ann: Judge, db: Database) -> None:
    first = ann.answer(1, 2, 3, 4, 5)
    second = ann.screen
    ann.page.go_back()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", first)
    expect(ann.page.get_by_text("You have answered this screen.")).to_be_visible()
    ann.shows(1, 2, 3, 4, 5)
    ann.page.get_by_role("link", name="Go on", exact=True).click()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", second)
    assert len(stored(db)) == 1


def test_of_two_windows_the_second_overwrites_nothing_unasked(ann: Judge, db: Database) -> None:
    other = ann.another_tab()
    screen = ann.answer(1, 2, 3, 4, 5)
    other.failures = True  # the conflict is an answer of status 409
    other.rank(5, 4, 3, 2, 1)
    other.submit()
    expect(other.banner).to_contain_text("A screen was answered differently elsewhere")
    expect(other.progress).to_have_text("1 of 30")
    assert [row[:3] for row in stored(db)] == [(screen, 1, [1, 2, 3, 4, 5])]

    other.page.get_by_role("link", name="Look at the screen").click()
    other.shows(5, 4, 3, 2, 1)  # what was not stored has been kept
    other.page.wait_for_load_state()
    other.answer(5, 4, 3, 2, 1)
    expect(other.banner).to_be_empty()
    assert [row[1:3] for row in stored(db)] == [(1, [1, 2, 3, 4, 5]), (2, [5, 4, 3, 2, 1])]


@on_sqlite
def test_what_was_refused_can_be_dismissed(ann: Judge, db: Database) -> None:
    other = ann.another_tab()
    ann.answer(1, 2, 3, 4, 5)
    other.failures = True
    other.rank(5, 4, 3, 2, 1)
    other.submit()
    other.banner.get_by_role("button", name="Dismiss").click()
    expect(other.banner).to_be_empty()
    other.page.reload()
    expect(other.progress).to_have_text("1 of 30")
    expect(other.banner).to_be_empty()
    assert len(stored(db)) == 1


@on_sqlite
def test_a_campaign_that_was_closed_says_why_an_answer_was_not_stored(ann: Judge, db: Database) -> None:
    ann.failures = True
    change_state(db, "news", "closed")
    ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    expect(ann.banner).to_contain_text("An answer could not be stored (the campaign has been closed")
    ann.open("/c/news/judge")
    expect(ann.banner).to_contain_text("the campaign has been closed")
    assert stored(db) == []


@on_sqlite
def test_two_windows_that_answer_different_screens_send_each_answer_once(ann: Judge, db: Database) -> None:
    ann.failures = True
    ann.until_fetched_ahead()
    ann.page.context.set_offline(True)
    ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    expect(ann.progress).to_have_text("1 of 30")
    ann.page.context.set_offline(False)
    other = ann.another_tab()
    other.failures = True
    for tab, ranks in ((ann, (1, 1, 1, 1, 1)), (other, (1, 1, 1, 1, 1))):
        tab.rank(*ranks)
        tab.submit()
    ann.until(lambda: len(stored(db)) == 2)
    expect(other.banner).to_be_empty()
    expect(ann.banner).to_be_empty()
    assert [row[1:3] for row in stored(db)] == [(1, [1, 2, 3, 4, 5]), (1, [1, 1, 1, 1, 1])]


@on_sqlite
def test_progress_counts_screens_and_ends_with_thanks(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"judge.screens": 4, "hit.screens": 3})
    ann = visit(new_judge(db))
    for done in ("0 of 4", "1 of 4", "2 of 4", "3 of 4", "4 done", "5 done"):
        expect(ann.progress).to_have_text(done)
        ann.page.wait_for_load_state()
        ann.answer(1, 2, 3, 4, 5)
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Thank you")
    expect(ann.page.get_by_text("Screens judged: 6")).to_be_visible()
    ann.page.get_by_role("link", name="Go on judging").click()
    expect(ann.progress).to_have_text("6 done")
