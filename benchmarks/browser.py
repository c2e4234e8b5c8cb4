"""From Enter to the next screen painted, in Chromium: within a HIT, and where one HIT ends and the next begins."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any

import httpx2 as httpx
from playwright.sync_api import Error, Page, sync_playwright

from palmares.campaign import Role
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, consent, invite
from palmares.campaign.settings import Settings
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

from .common import report

SCREENS = 60
SEGMENTS, SYSTEMS = 3000, 13
#: Milliseconds before each Enter: nobody reads faster, and a screen ignores an Enter meant for the one before.
READING = 800
SETTINGS = {"judge.practice": False, "judge.screens": 10_000}
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
#: Notes when Enter is pressed, and when another screen than that has been painted: on the same page or on another.
WATCH = """
(() => {
  const now = () => performance.timeOrigin + performance.now();
  const work = () => document.getElementById("work");
  addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !work()) return;
    const { screen, following } = work().dataset;
    sessionStorage.submitted = JSON.stringify({ at: now(), screen, boundary: following === "[]" });
  }, true);
  const look = () => {
    const submitted = sessionStorage.submitted && JSON.parse(sessionStorage.submitted);
    if (!submitted || !work() || work().dataset.screen === submitted.screen) return;
    delete sessionStorage.submitted;
    requestAnimationFrame(() => {
      const painted = new MessageChannel();
      painted.port1.onmessage = () => {
        const waits = JSON.parse(sessionStorage.waits ?? "[]");
        sessionStorage.waits = JSON.stringify([...waits, { ms: now() - submitted.at, boundary: submitted.boundary }]);
      };
      painted.port2.postMessage(null);
    });
  };
  addEventListener("DOMContentLoaded", () => {
    look();
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
})();
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/campaign.db"
        token = prepared(url)
        with serving(url) as address:
            waits, asked = judged(address, token)
    within = [wait["ms"] for wait in waits if not wait["boundary"]]
    boundaries = [wait["ms"] for wait in waits if wait["boundary"]]
    report(
        "browser",
        f"From Enter to the next screen painted, {len(waits)} screens; {SEGMENTS:,} segments of {SYSTEMS} systems",
        ["", "screens", "median ms", "95 % ms", "longest ms"],
        [
            ["within a HIT", *summed(within)],
            ["from HIT to HIT", *summed(boundaries)],
            ["all", *summed(within + boundaries)],
        ],
        [
            "Chromium without a window, the server (one worker, SQLite) and the script that presses the keys share the "
            f"cores. {READING / 1000:g} s before each Enter. The next screen has been fetched ahead, that of the next "
            f"HIT too; {asked} times it was not there yet, and came with the receipt of the answer.",
        ],
    )


def summed(waits: list[float]) -> list[Any]:
    return [len(waits), median(waits), quantiles(waits, n=20, method="inclusive")[-1], max(waits)]


def prepared(url: str) -> str:
    """A campaign of the size of a WMT language pair, and the link of a judge who has agreed."""
    segments = [Segment(str(i), f"doc{i // 20}", f"Source sentence number {i}.", None) for i in range(SEGMENTS)]
    outputs = {f"system-{k}": [f"Output {k} of sentence {i}." for i in range(SEGMENTS)] for k in range(SYSTEMS)}
    db = Database.open(url, create=True)
    create_campaign(db, "bench", Settings().replace(**SETTINGS), [make(LanguagePair.parse("fr-en"), segments, outputs)])
    judge = add_person(db, "bench", Role.JUDGE, "judge")
    consent(db, judge)
    token = invite(db, judge)
    db.close()
    return token


@contextmanager
def serving(url: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", "palmares", "serve", "--database", url, "--port", port]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        while not healthy(address):
            assert process.poll() is None, "the server did not start"
            time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)


def healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def judged(address: str, token: str) -> tuple[list[dict[str, Any]], int]:
    """Judge by keyboard; what `WATCH` has noted, and how often an answer had to bring the next page along."""
    asked: list[Any] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.add_init_script(WATCH)
        page.on(
            "request", lambda request: asked.append(request) if '"then":"page"' in (request.post_data or "") else None
        )
        page.goto(f"{address}/join/{token}")
        page.locator("main button").click()
        page.wait_for_url("**/screens/*")
        for number in range(1, SCREENS + 1):
            answer(page)
            while len(waits := noted(page)) < number:
                page.wait_for_timeout(20)
        browser.close()
    return waits, len(asked)


def noted(page: Page) -> list[dict[str, Any]]:
    try:
        waits: list[dict[str, Any]] = page.evaluate("JSON.parse(sessionStorage.waits ?? '[]')")
    except Error:  # the page is on its way to another
        return []
    return waits


def answer(page: Page) -> None:
    page.wait_for_timeout(READING / 2)
    for rank in range(1, page.locator(".output").count() + 1):
        page.keyboard.press(str(rank))
    page.wait_for_timeout(READING / 2)
    page.keyboard.press("Enter")


if __name__ == "__main__":
    main()
