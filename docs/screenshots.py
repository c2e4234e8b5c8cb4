"""Take the pictures of the web pages, from the demonstration campaign: ``python docs/screenshots.py``.

They go to docs/images. Needs Debian's Chromium, and the Noto fonts for Arabic. Run by hand when the pages change.
"""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from palmares.campaign import Role
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.demo import NAME, Demo, make_demo
from palmares.campaign.people import add_person, consent, find_person, invite
from palmares.campaign.screens import load
from palmares.campaign.work import next_screen
from palmares.server.app import create_app
from palmares.server.config import ServerConfig

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
#: Letters in grey, not in the colours of one kind of screen, make smaller files.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-lcd-text")
DESKTOP, PHONE = {"width": 1100, "height": 740}, {"width": 360, "height": 740}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database.open(f"sqlite:///{folder}/demo.db", create=True)
        demo = make_demo(db, rng=Random(0))
        with serving(db) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            organiser_pages(browser, site, demo)
            welcome_page(browser, site, demo)
            judge_pages(browser, site, db)
            browser.close()
        db.close()


@contextmanager
def serving(db: Database) -> Iterator[str]:
    """Serve the campaign from a thread; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = create_app(ServerConfig("unused"), database=db)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def judge(db: Database, name: str, langs: str, seed: int) -> str:
    """An invitation for one more judge of a language pair, who has practised and was given work."""
    rng = Random(seed)
    person = add_person(db, NAME, Role.JUDGE, name, langs=[langs])
    consent(db, person)
    practice = next_screen(db, find_person(db, NAME, name), rng=rng) or ""
    submit(db, person, practice, Answer((1,) * len(load(db, person, practice).options)), submission="practice")
    next_screen(db, find_person(db, NAME, name), rng=rng)
    return invite(db, person)


@contextmanager
def joined(browser: Browser, site: str, token: str, language: str = "en", **options: Any) -> Iterator[Page]:
    """Someone who has opened their link, in a browser of their own."""
    context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.goto(f"{site}/join/{token}?ui={language}")
    page.locator("main button").click()
    page.wait_for_url(f"**/c/{NAME}/**")
    yield page
    context.close()


def take(page: Page, name: str, until: str = "footer") -> None:
    """Take the page from its top to where an element begins."""
    page.mouse.move(0, 0)
    box, width = page.locator(until).bounding_box(), page.evaluate("innerWidth")
    assert box is not None
    page.screenshot(
        path=IMAGES / f"{name}.png", full_page=True, clip={"x": 0, "y": 0, "width": width, "height": box["y"]}
    )


def organiser_pages(browser: Browser, site: str, demo: Demo) -> None:
    with joined(browser, site, demo.organiser) as page:
        take(page, "manage-overview")
        page.get_by_role("link", name="People").click()
        page.wait_for_url("**/people")
        take(page, "manage-people", until="h2")


def welcome_page(browser: Browser, site: str, demo: Demo) -> None:
    with joined(browser, site, demo.judge) as page:
        take(page, "judge-welcome")


def judge_pages(browser: Browser, site: str, db: Database) -> None:
    """Four judges at work; the ranks fit the outputs that these seeds put before them."""
    light, dark, phone = (judge(db, name, "fr-en", seed) for seed, name in enumerate(("Finn", "Gina", "Hugo"), 1))
    screen(browser, site, light, "judge-screen", (1, 3, 4))
    screen(browser, site, dark, "judge-screen-dark", (1, 5, 2), color_scheme="dark")
    screen(browser, site, phone, "judge-screen-phone", (5, 1, 2), viewport=PHONE)
    arabic = judge(db, "Ines", "en-ar", 4)
    screen(browser, site, arabic, "judge-screen-arabic", (1, 2, 4), language="ar")


def screen(browser: Browser, site: str, token: str, name: str, ranks: tuple[int, ...], **options: Any) -> None:
    """A screen that a judge has begun to rank, with its differences shown."""
    with joined(browser, site, token, **options) as page:
        with page.expect_response("**/draft"):
            for place, rank in enumerate(ranks, 1):
                page.locator(f"input[name='rank-{place}'][value='{rank}']").check()
        page.locator("#differences").check()
        take(page, name, until=".more")


if __name__ == "__main__":
    main()
