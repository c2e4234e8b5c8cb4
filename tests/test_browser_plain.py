"""The whole way without a line of JavaScript: plain pages and forms."""

from __future__ import annotations

import pytest
from browsers import Judge, Visit, on_sqlite, stored
from playwright.sync_api import expect
from stores import new_campaign, new_judge

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.people import Person, add_person

pytestmark = pytest.mark.any_database


def plain(visit: Visit, person: Person) -> Judge:
    judge = visit(person, java_script_enabled=False)
    judge.failures = True  # a page about missing ranks has status 422
    return judge


def test_from_the_link_over_consent_and_practice_to_a_changed_answer(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    ann = plain(visit, add_person(db, "news", Role.JUDGE, "ann"))
    page = ann.page
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Continue to a practice screen").click()
    expect(page.get_by_text("Practice screen", exact=True)).to_be_visible()
    expect(page.locator("#undo")).to_be_hidden()  # what needs scripts is not offered
    expect(page.locator("#keys")).to_be_hidden()
    ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    expect(page.get_by_text("You gave every output a rank of its own.")).to_be_visible()
    page.get_by_role("link", name="Start").click()

    expect(ann.progress).to_have_text("0 of 12")
    first = ann.screen
    ann.rank(3, None, 1, None, 2)
    ann.submit()
    expect(page.get_by_role("alert")).to_contain_text("Outputs 2 and 4 are not ranked yet.")
    ann.shows(3, None, 1, None, 2)  # what was given is kept
    ann.rank(None, 4, None, 5)
    ann.submit()
    expect(ann.progress).to_have_text("1 of 12")

    page.get_by_role("link", name="Change my last answer").click()
    ann.shows(3, 4, 1, 5, 2)
    ann.rank(1)
    ann.submit()
    expect(ann.progress).to_have_text("1 of 12")
    assert [row[:3] for row in stored(db)] == [(first, 1, [3, 4, 1, 5, 2]), (first, 2, [1, 4, 1, 5, 2])]


def test_skipping_and_a_double_click(visit: Visit, db: Database) -> None:
    new_campaign(db)
    ann = plain(visit, new_judge(db))
    ann.page.locator("#skip > summary").click()
    ann.page.get_by_label("Another reason").check()
    ann.page.get_by_label("Note (optional)").fill("لا شيء\nnothing")
    ann.page.get_by_role("button", name="Skip", exact=True).click()
    expect(ann.progress).to_have_text("1 of 12")
    ann.rank(1, 2, 3, 4, 5)
    ann.page.locator("#submit").dblclick()
    expect(ann.progress).to_have_text("2 of 12")
    assert [row[1:] for row in stored(db)] == [
        (1, None, "other", "لا شيء\nnothing"),
        (1, [1, 2, 3, 4, 5], None, None),
    ]


@on_sqlite
def test_differences_are_shown_by_the_style_sheet_alone(visit: Visit, db: Database) -> None:
    new_campaign(db)
    ann = plain(visit, new_judge(db))
    word = ann.output(1).locator(".differs")
    expect(word).to_have_css("text-decoration-line", "none")
    ann.page.get_by_label("Show where the outputs differ").check()
    expect(word).to_have_css("text-decoration-line", "underline")


@on_sqlite
def test_the_conflict_of_two_windows_is_explained(visit: Visit, db: Database) -> None:
    new_campaign(db)
    person = new_judge(db)
    ann, other = plain(visit, person), plain(visit, person)
    for judge, ranks in ((ann, (1, 2, 3, 4, 5)), (other, (5, 5, 5, 5, 1))):
        judge.rank(*ranks)
        judge.submit()
    alert = other.page.get_by_role("alert")
    expect(alert).to_contain_text("This screen was answered elsewhere in the meantime.")
    expect(alert).to_contain_text("output 1: rank 1, output 2: rank 2")
    other.shows(5, 5, 5, 5, 1)
    other.submit()
    expect(other.progress).to_have_text("1 of 12")
    assert [row[1:3] for row in stored(db)] == [(1, [1, 2, 3, 4, 5]), (2, [5, 5, 5, 5, 1])]
