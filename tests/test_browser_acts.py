"""An organiser acts in a real browser: leaves a judge out, reads what judges wrote, ends a campaign, publishes."""

from __future__ import annotations

from random import Random

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import expect
from stores import answer, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import Role
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import state_now
from palmares.campaign.left_out import left_out_of
from palmares.campaign.people import add_person
from palmares.server.reporting import Maker

pytestmark = on_sqlite

HOME = "/c/news/manage"


@pytest.fixture
def olga(visit: Visit, db: Database) -> Judge:
    """An organiser of a campaign in which three judges have worked."""
    new_campaign(db, sample_texts(16, ("zyx-one", "zyx-two", "zyx-three")), **{"screen.outputs": 3})
    rng = Random(3)
    for name in ("Ann", "Bob", "Cid"):
        judge = new_judge(db, name)
        for number in range(6):
            view = next_view(db, judge, rng=rng)
            assert view is not None
            if (name, number) == ("Ann", 2):
                submit(db, judge, view.id, Answer((2, 1, 1), note="cut off", problem=True), submission="s")
            else:
                answer(db, judge, view, [rng.randint(1, 3) for _ in range(3)])
    made = visit(add_person(db, "news", Role.ORGANISER, "Olga"))
    made.problems.clear()
    made.failures = True
    made.open(HOME)
    return made


def out(db: Database) -> list[str]:
    with db.read() as tx:
        return list(left_out_of(tx, 1).values())


def test_a_judge_is_left_out_and_taken_back(olga: Judge, db: Database) -> None:
    page = olga.page
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("link", name="Bob", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bob")
    page.get_by_role("link", name="Leave the answers out").click()
    page.get_by_role("button", name="Leave the answers out").click()  # the browser asks for a reason
    assert out(db) == []
    page.get_by_label("Why?").fill("In a second each.")
    page.get_by_role("button", name="Leave the answers out").click()
    expect(page.get_by_role("status")).to_contain_text("do not count any more")
    expect(page.get_by_role("cell", name="In a second each.")).to_be_visible()
    assert len(out(db)) == 1
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("link", name="Judges left out, and why").click()
    expect(page.get_by_role("cell", name="In a second each.")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Bob", exact=True).click()
    page.get_by_role("link", name="Take the answers back").click()
    page.get_by_role("button", name="Take the answers back").click()
    expect(page.get_by_role("status")).to_contain_text("count again")
    assert out(db) == []


def test_a_problem_is_read_beside_its_screen(olga: Judge) -> None:
    page = olga.page
    page.get_by_role("link", name="1 reports a problem").click()
    expect(page.get_by_role("article")).to_have_count(1)
    page.get_by_role("link", name="The screen").click()
    chosen = [page.locator(f"input[name=rank-{place}]:checked") for place in (1, 2, 3)]
    assert [each.input_value() for each in chosen] == ["2", "1", "1"]
    for each in chosen:
        expect(each).to_be_disabled()
    names = page.get_by_text("zyx-one")
    expect(names).to_be_hidden()
    page.get_by_text("Which system is which").click()
    expect(names).to_be_visible()
    page.get_by_role("link", name="Back to the notes").click()
    page.get_by_label("Judge").select_option("Bob")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("There is nothing of this kind.")).to_be_visible()


def test_a_campaign_is_closed_and_its_report_published(olga: Judge, visit: Visit, db: Database) -> None:
    page = olga.page
    page.get_by_role("link", name="Publish", exact=True).click()
    page.get_by_role("link", name="Close it").click()
    page.get_by_role("button", name="Close it").click()
    expect(page.get_by_role("status")).to_have_text("The campaign is closed.")
    assert state_now(db, 1) == "closed"
    page.get_by_role("button", name="Make the report").click()  # the browser asks for the box to be ticked
    page.get_by_role("checkbox", name="reveal the names").check()
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("status")).to_contain_text("The report is being made")
    stranger = visit()
    stranger.problems.clear()
    stranger.failures = True
    Maker(db).look()
    stranger.open("/c/news/report")
    expect(stranger.page.get_by_role("heading", level=1)).to_have_text("news")
    expect(stranger.page.get_by_text("zyx-one").first).to_be_visible()
    # The policy lets its style through, and nothing is missing for it.
    bar = stranger.page.locator(".track").first
    assert bar.evaluate("bar => getComputedStyle(bar).getPropertyValue('--n')") == "3"
    assert stranger.page.evaluate("document.styleSheets.length") == 1
    assert stranger.problems == []
    check_accessibility(stranger.page)
    page.reload()
    page.get_by_role("link", name="Withdraw").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("status")).to_have_text("The public sees nothing any more.")
    stranger.problems.clear()
    answered = stranger.page.reload()
    assert answered is not None
    assert answered.status == 404
    stranger.problems.clear()
    assert olga.problems == []
