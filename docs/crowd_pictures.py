"""Take the pictures of the pages of a crowd, from a small campaign: ``python docs/crowd_pictures.py``.

They go to docs/images, as those of docs/screenshots.py do. Run by hand when the pages change.
"""

from __future__ import annotations

import tempfile
from random import Random
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from screenshots import ARGUMENTS, CHROMIUM, DESKTOP, joined, serving, take

from palmares.campaign import Role
from palmares.campaign.answers import Answer, submit
from palmares.campaign.create import create_campaign
from palmares.campaign.crowd import PlatformIds, enter
from palmares.campaign.database import Database
from palmares.campaign.demo import NAME
from palmares.campaign.group_links import make_link
from palmares.campaign.people import add_person, consent, find_person, invite
from palmares.campaign.screens import load
from palmares.campaign.settings import Settings
from palmares.campaign.work import next_screen
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

PHONE = {"width": 390, "height": 760}
SETTINGS = Settings().replace(
    **{
        "judge.screens": 2,
        "hit.screens": 1,
        "judge.practice": False,
        "screen.outputs": 3,
        "controls.degraded": 0.0,
        "crowd.minutes": 10,
        "crowd.pay": "£1.50 for the whole task",
        "crowd.contact": "study@example.org",
        "crowd.completion_url": "https://app.prolific.com/submissions/complete?cc={code}",
    }
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database.open(f"sqlite:///{folder}/crowd.db", create=True)
        segments = [Segment(f"s{i}", None, f"Phrase numéro {i}.", None) for i in range(40)]
        words = {"A": "one", "B": "two", "C": "three"}
        outputs = {name: [f"Sentence {i}, {word}." for i in range(40)] for name, word in words.items()}
        create_campaign(db, NAME, SETTINGS, [make(LanguagePair.parse("fr-en"), segments, outputs)])
        _, token = make_link(db, NAME, places=40, name="pilot")
        some_workers(db, token)
        organiser = invite(db, add_person(db, NAME, Role.ORGANISER, "Olga"))
        with serving(db) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            worker(browser, site, token, "5f3c9a2b71e4", ("crowd-enter", "crowd-code", "crowd-finished"))
            worker(browser, site, token, "60d1b8c2a90f", (None, None, "crowd-finished-phone"), viewport=PHONE)
            arabic = {"viewport": PHONE, "color_scheme": "dark", "locale": "ar"}
            worker(browser, site, token, "61aa7e03bd52", ("crowd-enter-arabic", None, None), **arabic)
            with joined(browser, site, organiser) as page:
                page.goto(f"{site}/c/{NAME}/manage/crowd")
                take(page, "manage-crowd", until="#make")
            browser.close()
        db.close()


def some_workers(db: Database, token: str) -> None:
    """Workers who have come before: some have finished."""
    rng = Random(0)
    for number, screens in enumerate((2, 2, 1, 0)):
        ids = PlatformIds(f"5e{rng.getrandbits(40):010x}", "st", "se")
        person = enter(db, token, ids, f"browser {number}").person
        consent(db, person)
        for _ in range(screens):
            screen_id = next_screen(db, find_person(db, NAME, person.name), rng=rng) or ""
            outputs = len(load(db, person, screen_id).options)
            answer = Answer(tuple(range(1, outputs + 1)))
            submit(db, person, screen_id, answer, submission="s", seconds=rng.uniform(60, 200))


def worker(
    browser: Browser, site: str, token: str, worker_id: str, names: tuple[str | None, ...], **options: Any
) -> None:
    """A worker from the platform's address to the end; pictures of the pages that have a name."""
    context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.goto(f"{site}/group/{token}?PROLIFIC_PID={worker_id}&STUDY_ID=st&SESSION_ID=se")
    picture(page, names[0])
    page.locator("form button.primary").click()
    picture(page, names[1])
    page.locator("a.primary").click()
    page.get_by_role("checkbox").check()
    page.locator("form button.primary").click()
    for _ in range(2):
        screen = page.locator("#work").get_attribute("data-screen")
        for place in (1, 2, 3):
            page.locator(f"input[name='rank-{place}'][value='{place}']").check()
        page.locator("#submit").click()
        page.locator(f"#work[data-screen='{screen}']").wait_for(state="detached")
    page.wait_for_url("**/finished")
    picture(page, names[2])
    context.close()


def picture(page: Page, name: str | None) -> None:
    if name is not None:
        take(page, name)


if __name__ == "__main__":
    main()
