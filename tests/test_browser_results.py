"""The page of results in a real browser: it follows the judging by itself, keeps what the reader has open, says what
moved, and is whole without scripts, at every width and for everybody.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from random import Random

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import expect
from results import LIVE, board, look_until_complete, quickly  # noqa: F401
from stores import SYSTEMS, answer, new_campaign, new_judge, next_view, sample_texts
from studies import SYSTEM_OF, analysing, judged
from test_browser_manage import MEASURE

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.people import Person, add_person, invite, revoke

pytestmark = on_sqlite

RESULTS = "/c/news/manage/results"
WIDTHS = {390: 844, 768: 1024, 1280: 900}


def open_results(visit: Visit, db: Database, person: Person, **options: object) -> Judge:
    reader = visit(**options)
    reader.join(invite(db, person))
    reader.open(RESULTS)
    return reader


def campaign(db: Database, answers: int = 120, **settings: object) -> list[Person]:
    new_campaign(db, sample_texts(60), **LIVE, **{"screen.outputs": 3, "overlap.share": 0.4, **settings})
    judges = [new_judge(db, f"judge-{number}") for number in range(6)]
    with analysing(db) as analyst:
        for part in range(4):
            judged(db, judges, answers // 4, Random(part))
            look_until_complete(db, analyst)
    return judges


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_whole_at_every_width(visit: Visit, db: Database, scheme: str) -> None:
    campaign(db)
    olga = add_person(db, "news", Role.ORGANISER, "Olga")
    reader = open_results(visit, db, olga, color_scheme=scheme)
    for width, height in WIDTHS.items():
        reader.page.set_viewport_size({"width": width, "height": height})
        assert reader.page.evaluate(MEASURE) == {"scrolls": 0, "wide": [], "small": [], "unlabelled": []}
        check_accessibility(reader.page)
        if folder := os.environ.get("PALMARES_PICTURES"):
            reader.page.screenshot(path=Path(folder) / f"results-{width}-{scheme}.png", full_page=True)


def test_the_board_moves_while_people_judge(visit: Visit, db: Database) -> None:
    """New answers change the page by themselves; what is open stays open, the focus stays, and the order is said."""
    judges = campaign(db, 8)
    reader = open_results(visit, db, add_person(db, "news", Role.ORGANISER, "Olga"))
    page = reader.page
    before = board(db).version
    page.get_by_text("Who met whom").click()
    again = page.locator("summary", has_text="The same on the command line").first
    again.click()
    again.focus()
    order = json.loads(page.locator("[data-order]").get_attribute("data-order") or "")
    with analysing(db) as analyst:
        for _ in range(30):  # all judges say the opposite of what was said
            for judge in judges:
                view = next_view(db, judge)
                assert view is not None
                worth = [order.index(SYSTEMS[SYSTEM_OF[option.text.split()[3]]]) for option in view.options]
                answer(db, judge, view, [1 + sum(other > place for other in worth) for place in worth])
        look_until_complete(db, analyst)
        expect(page.locator("#live")).to_have_text("live")
    expect(page.locator("#live")).to_have_text("not running")
    found = board(db)
    assert found.version > before
    expect(page.locator("#pair-1-ranking")).to_contain_text(f"up to number {found.body['parts']['ranking']['answer']}:")
    expect(page.locator("details.heat")).to_have_attribute("open", "")
    expect(again).to_be_focused()
    assert json.loads(page.locator("[data-order]").get_attribute("data-order") or "") != order
    expect(page.locator("#results-said")).to_have_text(re.compile(r"^fr-en: .+ is now number [1-6]"))
    check_accessibility(page)


def test_a_page_says_so_when_its_reader_is_shut_out(visit: Visit, db: Database) -> None:
    campaign(db, 8)
    oscar = add_person(db, "news", Role.OBSERVER, "Oscar")
    reader = open_results(visit, db, oscar)
    reader.failures = True  # the page may ask for news at this very moment
    expect(reader.page.locator("#live")).to_have_text("not running")
    revoke(db, oscar)
    expect(reader.page.locator("#results-trouble")).to_contain_text("you are signed out")
    expect(reader.page.locator("#live")).to_have_text("ended")


def test_without_scripts_the_page_is_complete(visit: Visit, db: Database) -> None:
    campaign(db, 24)
    reader = open_results(visit, db, add_person(db, "news", Role.OBSERVER, "Oscar"), java_script_enabled=False)
    expect(reader.page.get_by_role("heading", name="Ranking")).to_be_visible()
    expect(reader.page.locator(".leaderboard tbody tr")).to_have_count(6)
    expect(reader.page.get_by_text("Who met whom")).to_be_visible()
