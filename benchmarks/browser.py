"""From Enter to the next screen painted, in Chromium: within a HIT, and where one HIT ends and the next begins."""

from __future__ import annotations

import tempfile
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Error, Page, sync_playwright

from .common import report
from .server import SEGMENTS, SYSTEMS, prepared, serving

SCREENS = 60
#: Milliseconds before each Enter: nobody reads faster, and a screen ignores an Enter meant for the one before.
READING = 800
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
        (token,) = prepared(url, 1)
        with serving(url, 1) as (address, _):
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
