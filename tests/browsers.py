"""Debian's Chromium for tests: one browser for all of them, and for every test its own visitors, who are watched.

``pytest_plugins`` of `conftest` brings the fixtures. A page that writes an error to its console fails its test: a
script that threw, a style that the content security policy refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from axe_playwright_python.sync_playwright import Axe
from fastapi import FastAPI
from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, expect, sync_playwright
from webs import free_port, serving, signed_in

from palmares.campaign import schema
from palmares.campaign.database import Database
from palmares.campaign.people import Person

CHROMIUM = Path("/usr/bin/chromium")
MISSING = "Chromium is not installed; on Debian: apt-get install chromium"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE = {"width": 360, "height": 740}
#: What Chromium says of an answer that is an error, or does not come; the test says whether that was to be.
NETWORK = "Failed to load resource"

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser that all tests of this process share."""
    if not CHROMIUM.exists():
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Judge:
    """Someone in front of a browser, with an invitation to judge."""

    page: Page
    site: str
    problems: list[str] = field(default_factory=list)
    #: Whether requests may fail, because the test makes them.
    failures: bool = False

    def close(self) -> None:
        """Close the browser. Chromium may hang if a page is on its way elsewhere, so that is ended first."""
        context = self.page.context
        context.set_offline(False)
        for page in context.pages:
            with suppress(Error):
                page.goto(f"{self.site}/health")
        context.close()

    def watch(self) -> None:
        self.page.on("console", self._noted)
        self.page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))

    def _noted(self, message: ConsoleMessage) -> None:
        expected = self.failures and message.text.startswith(NETWORK)
        if message.type in ("error", "warning") and not expected:
            self.problems.append(f"{message.type}: {message.text}")

    def another_tab(self) -> Judge:
        """The same browser with a second tab on the same page; it lies behind."""
        other = Judge(self.page.context.new_page(), self.site, self.problems, self.failures)
        other.watch()
        other.page.goto(self.page.url)
        self.page.bring_to_front()
        return other

    # -- ways through the pages ------------------------------------------------------------------

    def open(self, path: str = "/c/news/judge") -> None:
        self.page.goto(self.site + path)

    def join(self, token: str) -> None:
        """Open an invitation link and press the button."""
        self.open(f"/join/{token}")
        self.page.get_by_role("button", name="Continue").click()
        self.page.wait_for_url("**/c/**")

    def rank(self, *ranks: int | None) -> None:
        """Click on ranks, from the top; None leaves an output alone."""
        self.page.bring_to_front()  # a tab that lies behind is drawn once a second
        for place, rank in enumerate(ranks, 1):
            if rank is not None:
                self.radio(place, rank).check()

    def submit(self) -> None:
        self.page.locator("#submit").click()

    def answer(self, *ranks: int) -> str:
        """Rank and submit, and wait until the answer is stored and another page is there; gives the screen's id."""
        here = self.screen
        self.rank(*ranks)
        with self.sending():
            self.submit()
        expect(self.page.locator(f"#work[data-screen='{here}']")).to_have_count(0)
        return here

    def sending(self) -> Any:
        """Wait, after what is done in the block, until the server has stored an answer."""
        return self.page.expect_response(lambda response: response.url.endswith("/answer") and response.ok)

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that no page shows, such as what a page that is gone has sent."""
        end = time.monotonic() + 15
        while not holds():
            assert time.monotonic() < end, "it did not come to hold in time"
            self.page.wait_for_timeout(20)

    def until_fetched_ahead(self) -> None:
        """Wait until the screens that follow are on the device; a network at rest would take half a second longer."""
        followers = "() => JSON.parse(document.getElementById('work').dataset.following)"
        fetched = "performance.getEntriesByName(new URL(address, location).href).length > 0"
        self.until(lambda: self.page.evaluate(f"{followers}.every(address => {fetched})"))

    def until_asked_ahead(self, times: int = 1) -> None:
        """Wait until this page has asked for the next HIT so often, and been answered."""
        asked = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/ahead')).length"
        self.until(lambda: self.page.evaluate(asked) >= times)

    # -- what is on the page ---------------------------------------------------------------------

    @property
    def screen(self) -> str:
        """The public id of the screen that is shown."""
        return self.page.locator("#work").get_attribute("data-screen") or ""

    @property
    def status(self) -> Locator:
        return self.page.locator("#status")

    @property
    def banner(self) -> Locator:
        return self.page.locator("#banner")

    @property
    def progress(self) -> Locator:
        return self.page.locator("#progress-words")

    def output(self, place: int) -> Locator:
        return self.page.get_by_role("radiogroup", name=f"Output {place}", exact=True)

    def radio(self, place: int, rank: int) -> Locator:
        return self.page.locator(f"input[name='rank-{place}'][value='{rank}']")

    def shows(self, *ranks: int | None) -> None:
        """Expect these ranks on the screen, from the top."""
        for place, rank in enumerate(ranks, 1):
            checked = self.page.locator(f"input[name='rank-{place}']:checked")
            if rank is None:
                expect(checked).to_have_count(0)
            else:
                expect(checked).to_have_value(str(rank))


Visit = Callable[..., Judge]


class Server:
    """The application on a real port of this machine, which can be stopped and started again."""

    def __init__(self, app: FastAPI) -> None:
        self._app, self._port, self._running = app, free_port(), ExitStack()
        self.start()

    def start(self) -> None:
        self.address = self._running.enter_context(serving(self._app, self._port))

    def stop(self) -> None:
        self._running.close()


@pytest.fixture
def server(app: FastAPI) -> Iterator[Server]:
    made = Server(app)
    yield made
    made.stop()


@pytest.fixture
def visit(chromium: Browser, server: Server, app: FastAPI) -> Iterator[Visit]:
    """Call it for a visitor with a browser profile of their own; options are those of Playwright's contexts.

    A person who is named is signed in and at work.
    """
    made: list[Judge] = []

    def new(person: Person | None = None, **options: Any) -> Judge:
        context = chromium.new_context(**{"viewport": {"width": 1100, "height": 900}, "locale": "en-GB", **options})
        context.set_default_timeout(15_000)
        judge = Judge(context.new_page(), server.address)
        judge.watch()
        made.append(judge)
        if person is not None:
            cookies = signed_in(app, person).client.cookies
            context.add_cookies([{"name": c.name, "value": c.value, "url": server.address} for c in cookies.jar])
            judge.open(f"/c/{person.campaign}/judge")
        return judge

    yield new
    problems = [problem for judge in made for problem in judge.problems]
    for judge in made:
        judge.close()
    assert problems == []


# -- what is in the store ----------------------------------------------------------------------------------


def stored(db: Database) -> list[tuple[str, int, list[int] | None, str | None, str | None]]:
    """Every judgment, practice apart: screen, revision, ranks, reason for skipping, note."""
    judgment, served = schema.judgment, schema.served
    query = (
        sa.select(served.c.public_id, judgment.c.revision, judgment.c.ranks, judgment.c.skip, judgment.c.note)
        .join(served, judgment.c.served_id == served.c.id)
        .where(served.c.lease_id.is_not(None))
        .order_by(judgment.c.id)
    )
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(query)]


# -- accessibility -----------------------------------------------------------------------------------------


def check_accessibility(page: Page) -> None:
    """Let axe-core look at a page as it is now; whatever it finds, of any impact, is a failure."""
    page.wait_for_load_state()
    found = Axe().run(page).response["violations"]
    nodes = [f"{rule['id']}: {node['html']}\n{node['failureSummary']}" for rule in found for node in rule["nodes"]]
    assert not nodes, "\n\n".join(nodes)
