"""A crowd worker in a real browser: from the platform's address to the completion code, and back again."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from crowds import CONTROLLED, damaged_place, judged, new_crowd, new_worker
from fastapi import FastAPI
from playwright.sync_api import Page, expect
from webs import staff

from palmares.campaign import Role
from palmares.campaign.crowd import PlatformIds, enter
from palmares.campaign.database import Database
from palmares.campaign.people import people
from palmares.campaign.screens import load
from palmares.campaign.workers import workers

pytestmark = on_sqlite
LINES = {"crowd.minutes": 10, "crowd.pay": "£1.50 for the whole task", "crowd.contact": "study@example.org"}


def address(token: str, worker: str = "w1") -> str:
    return f"/group/{token}?" + urlencode({"PROLIFIC_PID": worker, "STUDY_ID": "st", "SESSION_ID": "se"})


def begin(guest: Judge, token: str, worker: str = "w1") -> str:
    """Come by the platform's address, press the button; gives the code that is shown."""
    guest.open(address(token, worker))
    guest.page.get_by_role("button", name="Begin").click()
    return guest.page.locator("#shown-code").inner_text()


def agree(guest: Judge) -> None:
    guest.page.get_by_role("link", name="Go on").click()
    guest.page.get_by_role("checkbox").check()
    guest.page.get_by_role("button", name="Continue").click()


def careless(guest: Judge, db: Database) -> bool:
    """Answer with the damaged output on top, if there is one; says whether there was."""
    (person,) = people(db, 1)
    planted = damaged_place(db, load(db, person, guest.screen))
    ranks = [2] * guest.page.get_by_role("radiogroup").count()
    if planted is not None:
        ranks[planted[0]], ranks[planted[1]] = 1, len(ranks)
    guest.answer(*ranks)
    return planted is not None


def test_from_the_platforms_address_to_the_completion_code(visit: Visit, db: Database) -> None:
    token = new_crowd(db, **LINES, **{"crowd.completion_url": "https://platform.example/done?cc={code}"})
    guest = visit()
    guest.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    guest.open(address(token))
    expect(guest.page.locator(".facts")).to_contain_text("£1.50 for the whole task")
    check_accessibility(guest.page)
    assert not workers(db, "news")  # looking changes nothing
    code = begin(guest, token)
    check_accessibility(guest.page)
    guest.page.get_by_role("button", name="Copy").click()
    expect(guest.page.get_by_role("button", name="Copied")).to_be_visible()
    assert guest.page.evaluate("navigator.clipboard.readText()") == code
    agree(guest)
    guest.answer(1, 2, 3)
    guest.answer(2, 1, 3)
    guest.page.wait_for_url("**/judge/finished")
    (line,) = workers(db, "news")
    expect(guest.page.locator("#shown-code")).to_have_text(line.completion_code or "")
    expect(guest.page.get_by_role("link", name="Back to the platform")).to_have_attribute(
        "href", f"https://platform.example/done?cc={line.completion_code}"
    )
    expect(guest.page.locator(".facts")).to_contain_text("Time spent")
    expect(guest.page.get_by_role("link", name="Go on judging")).to_have_count(0)
    assert (line.state, line.screens, line.untimed) == ("completed", 2, 0)
    check_accessibility(guest.page)


def test_a_second_visit_of_the_same_worker(visit: Visit, db: Database) -> None:
    token = new_crowd(db)
    guest = visit()
    code = begin(guest, token)
    agree(guest)
    guest.answer(1, 2, 3)
    # The same browser goes on where it stopped.
    guest.open(address(token))
    expect(guest.page.get_by_role("heading", level=1)).to_have_text("You have begun already")
    check_accessibility(guest.page)
    guest.page.get_by_role("link", name="Go on").click()
    expect(guest.progress).to_contain_text("1")
    # Another one is asked for the code.
    other = visit()
    other.failures = True
    other.open(address(token))
    check_accessibility(other.page)
    other.page.get_by_label("Your code").fill("AAAA-BBBB-CCCC")
    other.page.get_by_role("button", name="Go on").click()
    expect(other.page.get_by_role("alert")).to_have_text(
        "This code is not right. Check it letter by letter and try again."
    )
    check_accessibility(other.page)
    other.page.get_by_label("Your code").fill(code.lower().replace("-", " "))
    other.page.get_by_role("button", name="Go on").click()
    other.answer(1, 2, 3)
    other.page.wait_for_url("**/judge/finished")
    (line,) = workers(db, "news")
    assert (line.state, line.screens) == ("completed", 2)


def test_the_cap(visit: Visit, db: Database) -> None:
    token = new_crowd(db, places=1, **LINES)
    late = visit()
    late.open(address(token, "w2"))  # the page lies open while the last place is taken
    begin(visit(), token)
    late.page.get_by_role("button", name="Begin").click()
    expect(late.page.get_by_role("heading", level=1)).to_have_text("All places are taken")
    check_accessibility(late.page)
    late.open(address(token, "w2"))
    expect(late.page.get_by_role("heading", level=1)).to_have_text("All places are taken")
    assert [line.worker for line in workers(db, "news")] == ["w1"]


def test_a_failed_control(visit: Visit, db: Database) -> None:
    out = {"crowd.screened_out_code": "OUT1", "crowd.screened_out_url": "https://platform.example/out?cc={code}"}
    token = new_crowd(db, places=1, **{**CONTROLLED, **LINES, **out, "crowd.screen_out_after": 1, "hit.screens": 1})
    guest = visit()
    begin(guest, token)
    agree(guest)
    while not careless(guest, db):
        pass
    guest.page.wait_for_url("**/judge/finished")
    expect(guest.page.get_by_role("heading", level=1)).to_have_text("Thank you for your time")
    expect(guest.page.get_by_role("link", name="Back to the platform")).to_have_attribute(
        "href", "https://platform.example/out?cc=OUT1"
    )
    check_accessibility(guest.page)
    # The place is free again.
    begin(visit(), token, "w2")
    assert [line.state for line in workers(db, "news")] == ["screened-out", "working"]


def test_a_study_is_not_shown_in_a_frame(visit: Visit, db: Database) -> None:
    token = new_crowd(db)
    guest = visit()
    outside = f"{guest.site}/outside"
    frame = f'<iframe src="{guest.site}{address(token)}"></iframe>'
    guest.page.route(outside, lambda route: route.fulfill(body=frame, content_type="text/html"))
    guest.page.goto(outside)
    guest.until(lambda: guest.page.frames[1].url.startswith("chrome-error:"))
    assert any("frame-ancestors" in problem for problem in guest.problems)
    guest.problems.clear()


# -- the organiser's page ------------------------------------------------------------------------------------


@pytest.fixture
def boss(visit: Visit, app: FastAPI, db: Database) -> Judge:
    token = new_crowd(db, **CONTROLLED)
    for number in range(3):
        enter(db, token, PlatformIds(f"5f3c9a2b{number}e41d0014a7c8", "st", "se"), f"s{number}")
    judged(db, new_worker(db, token, "done", secret="d"))
    guest = visit()
    cookies = staff(app, Role.ORGANISER).client.cookies
    guest.page.context.add_cookies([{"name": c.name, "value": c.value, "url": guest.site} for c in cookies.jar])
    guest.open("/c/news/manage/crowd")
    return guest


@pytest.mark.parametrize("width", [1100, 390])
def test_the_organisers_page_is_whole(boss: Judge, width: int) -> None:
    boss.page.set_viewport_size({"width": width, "height": 800})
    check_accessibility(boss.page)
    assert boss.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    boss.page.get_by_label("Places", exact=True).fill("50")
    boss.page.get_by_role("button", name="Make the link").click()
    expect(boss.page.get_by_role("heading", level=1)).to_have_text("Group link link-2")
    check_accessibility(boss.page)
    assert boss.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_ids_are_erased_by_a_button(boss: Judge, db: Database) -> None:
    boss.page.get_by_role("link", name="Erase ids").first.click()
    expect(boss.page.get_by_role("button", name="Erase the ids for good")).to_be_visible()
    check_accessibility(boss.page)
    boss.page.get_by_role("button", name="Erase the ids for good").click()
    expect(boss.page.get_by_role("status").first).to_contain_text("were erased")
    assert workers(db, "news")[0].worker is None


# -- looks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_workers_fit_a_phone_in_both_directions(
    visit: Visit, db: Database, language: str, scheme: str
) -> None:
    token = new_crowd(db, **LINES, **{"judge.screens": 1, "crowd.completion_url": "https://platform.example/?c={code}"})
    guest = visit(viewport={"width": 390, "height": 844}, color_scheme=scheme, locale=language)
    guest.open(address(token))
    looked_at(guest.page, "/group/**")
    guest.page.locator("form button.primary").click()
    looked_at(guest.page, "/group/*/code")
    guest.page.locator("a.primary").click()
    looked_at(guest.page, "/c/news/judge/welcome")
    guest.page.get_by_role("checkbox").check()
    guest.page.locator("form button.primary").click()
    guest.answer(1, 2, 3)
    looked_at(guest.page, "/c/news/judge/finished")


def looked_at(page: Page, path: str) -> None:
    """Nothing sticks out of the window once this page is there, and axe-core finds nothing."""
    page.wait_for_url(f"**{path}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    check_accessibility(page)
