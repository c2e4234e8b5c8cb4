"""A whole campaign in real browsers against ``palmares serve``: made, judged, watched, mended, ended and published.

Nothing but the browser is used from the printed link to the downloaded judgments. Three people judge: two honestly, one
the other way round.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from browsers import Judge, check_accessibility
from playwright.sync_api import Browser, expect
from servers import ServerProcess

import palmares as pm

LINES = 24
#: From the best to the worst; what they write says which they are.
WORTH = ("aurora", "boreal", "cumulus")
SCREENS = {"hana": 14, "hugo": 14, "rolf": 24}
#: Milliseconds: the analysis gives way to everything else on a busy machine.
SLOWLY = 60_000


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "source.txt").write_text("".join(f"La phrase numéro {n} du texte.\n" for n in range(LINES)))
    for number, name in enumerate(WORTH):
        (folder / f"{name}.txt").write_text(
            "".join(f"The sentence of number {n} in wording {number}.\n" for n in range(LINES))
        )
    return sorted(folder.iterdir())


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Any]:
    """Visitors of a server that was started on a database that is not there yet."""
    with ServerProcess(f"sqlite:///{tmp_path}/new.db", tmp_path) as server, ExitStack() as closing:
        visitors: list[Judge] = []

        def new(**options: Any) -> Judge:
            context = chromium.new_context(**{"viewport": {"width": 1100, "height": 900}, **options})
            context.set_default_timeout(SLOWLY)
            visitor = Judge(context.new_page(), server.address)
            visitor.watch()
            closing.callback(visitor.close)
            visitors.append(visitor)
            return visitor

        yield server, new
        assert [problem for visitor in visitors for problem in visitor.problems] == []
        assert "Traceback" not in server.log.read_text()


@pytest.mark.slow
def test_a_campaign_from_the_printed_link_to_the_published_report(
    opened: Any, texts: list[Path], tmp_path: Path
) -> None:
    server, visit = opened
    olga, oscar, stranger = visit(), visit(), visit(viewport={"width": 390, "height": 844})
    stranger.failures = True
    set_up(olga, printed_link(server.log), texts)
    judges = {name: visit(viewport={"width": 390, "height": 844}) for name in SCREENS}
    for name, judge in judges.items():
        accept(judge, invited(olga, name, "judge ranks outputs"))
    accept(oscar, invited(olga, "oscar", "observer"), consents=False)

    for address in ("results", "report", "manage/results"):
        stranger.page.goto(f"{server.address}/c/news/{address}")
        expect(stranger.page.locator("main")).not_to_contain_text("aurora")

    board = olga.another_tab()
    board.open("/c/news/manage/results")
    oscar.open("/c/news/manage/results")
    seen = {order(board)}
    while any(answer_one(name, judge) for name, judge in judges.items()):
        seen.add(order(board))
    up_to(board, sum(SCREENS.values()))
    assert len(seen | {order(board)}) > 1, "the board never moved"
    with_all = order(board), numbers(board)
    check_accessibility(board.page)

    # An observer is told of results, and not which system is which.
    up_to(oscar, sum(SCREENS.values()))
    assert len(order(oscar)) == 3
    assert not any(name in oscar.page.content() for name in WORTH)
    oscar.failures = True
    for forbidden in ("publish", "programs", "log"):
        assert refused(oscar, f"/c/news/manage/{forbidden}")

    # Without the judge who says the opposite the truth comes out; taken back, everything is as before.
    decide(olga, "rolf", "Leave the answers out", why="says the opposite of all others")
    expect(board.page.locator("#results")).to_contain_text("left out", timeout=SLOWLY)
    until(board, lambda: order(board) == WORTH)
    without = numbers(board)
    assert without != with_all[1]
    decide(olga, "rolf", "Take the answers back")
    until(board, lambda: numbers(board) == with_all[1])
    assert order(board) == with_all[0]
    decide(olga, "rolf", "Leave the answers out", why="says the opposite of all others")
    until(board, lambda: numbers(board) == without)

    # Stopped, revealed, published.
    press(olga, "/c/news/manage/publish/state?to=closed", re.compile("[Cc]lose"))
    judges["hana"].open()
    expect(judges["hana"].page.locator("main")).to_contain_text(re.compile("closed|ended|over", re.IGNORECASE))
    press(olga, "/c/news/manage/publish/reveal", "Reveal the names for good")
    oscar.open("/c/news/manage/results")
    until(oscar, lambda: order(oscar) == WORTH)
    publish(olga)
    stranger.open("/c/news/report")
    expect(stranger.page.locator("body")).to_contain_text("aurora")
    stranger.open("/c/news/results")
    assert order(stranger) == WORTH
    assert not any(name in stranger.page.content() for name in SCREENS)
    assert refused(stranger, "/c/news/manage/results")

    # What is taken home gives the same numbers.
    olga.open("/c/news/manage/export")
    with olga.page.expect_download() as download:
        olga.page.get_by_role("button", name="Download the judgments").click()
    download.value.save_as(tmp_path / "judgments.csv")
    again = pm.rank(tmp_path / "judgments.csv")
    assert tuple(line.system for line in again.lines) == WORTH
    assert again.judgments == SCREENS["hana"] + SCREENS["hugo"]
    shown = board.page.locator(".leaderboard").inner_text()
    for line in again.lines:
        assert f"{round(line.score, 3) + 0.0:.3f}".replace("-", "−") in shown  # zero has no sign


# -- what people do ----------------------------------------------------------------------------------------


def printed_link(log: Path) -> str:
    found = re.search(r"/setup/link/\S+", log.read_text())
    assert found is not None, log.read_text()
    return found[0]


def set_up(guest: Judge, link: str, texts: list[Path]) -> None:
    page = guest.page
    guest.open(link)
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Name of the campaign").fill("news")
    page.get_by_label("Languages").fill("fr-en")
    page.locator("#files").set_input_files(texts)
    page.get_by_role("button", name="Check the texts").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings of news")
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.locator("#setting-screen-outputs").fill("2")
    page.locator("#setting-judge-practice").uncheck()
    page.locator("#setting-judge-per_segment").fill("3")
    page.locator("#setting-controls-repeats").fill("0")
    page.locator("#setting-controls-degraded").fill("0")
    page.locator("#setting-overlap-redundancy").fill("3")
    page.locator("#setting-overlap-share").fill("0")
    page.locator("#setting-results-names").select_option("hidden")
    page.get_by_role("button", name="Go on to the preview").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview of news")
    page.get_by_label("Your name").fill("Olga")
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("news is there")


def invited(guest: Judge, name: str, role: str) -> str:
    page = guest.page
    guest.open("/c/news/manage/people")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("radio", name=re.compile(f"^{role}")).check()
    page.get_by_role("button", name="Add and create a link").click()
    return page.locator("#link").inner_text()


def accept(guest: Judge, link: str, *, consents: bool = True) -> None:
    guest.page.goto(link)
    guest.page.get_by_role("button", name="Continue").click()
    if consents:
        guest.page.get_by_role("checkbox").check()
        guest.page.locator("main button").click()
        expect(guest.page.locator("#work")).to_be_visible()


def answer_one(name: str, judge: Judge) -> bool:
    """One comparison by what the wordings say, the other way round by Rolf; whether there is another to do."""
    done = getattr(judge, "_done", 0)
    if done == SCREENS[name]:
        return False
    words = judge.page.locator("#work").inner_text()
    first, second = (int(number) for number in re.findall(r"in wording (\d)", words)[:2])
    better = "A" if (first < second) != (name == "rolf") else "B"
    here = judge.screen
    judge.page.get_by_role("radio", name=f"{better} is better").check()
    with judge.sending():
        judge.page.get_by_role("button", name="Submit").click()
    expect(judge.page.locator(f"#work[data-screen='{here}']")).to_have_count(0)
    judge._done = done + 1  # type: ignore[attr-defined]
    return True


def decide(guest: Judge, name: str, button: str, *, why: str = "") -> None:
    guest.open("/c/news/manage/people")
    guest.page.get_by_role("link", name=name, exact=True).first.click()
    guest.page.get_by_role("link", name=button).click()
    if why:
        guest.page.locator("#reason").fill(why)
    guest.page.get_by_role("button", name=button).click()
    expect(guest.page.get_by_role("status")).to_be_visible()


def press(guest: Judge, path: str, button: str | re.Pattern[str]) -> None:
    guest.open(path)
    guest.page.locator("main").get_by_role("button", name=button).click()
    expect(guest.page.get_by_role("status")).to_be_visible()


def publish(guest: Judge) -> None:
    guest.open("/c/news/manage/publish")
    guest.page.locator("input[name=sure]").check()
    guest.page.get_by_role("button", name="Make the report and publish it").click()
    until(guest, lambda: bool(guest.page.reload()) and guest.page.locator(".badge", has_text="public").count() > 0)


# -- what they see -----------------------------------------------------------------------------------------


def order(guest: Judge) -> tuple[str, ...]:
    """The systems as the page has them, best first; none before there are results."""
    heads = guest.page.locator("[data-order]")
    return tuple(json.loads(heads.first.get_attribute("data-order") or "[]")) if heads.count() else ()


def numbers(guest: Judge) -> str:
    """The leaderboard as it stands."""
    return guest.page.locator(".leaderboard tbody").inner_text() if guest.page.locator(".leaderboard").count() else ""


def up_to(guest: Judge, answers: int) -> None:
    """Wait until the results rest on all answers."""
    expect(guest.page.locator("#pair-1-ranking")).to_contain_text(f"up to number {answers}", timeout=SLOWLY)


def until(guest: Judge, holds: Any) -> None:
    for _ in range(600):
        if holds():
            return
        guest.page.wait_for_timeout(100)
    raise AssertionError(guest.page.locator("main").inner_text())


def refused(guest: Judge, path: str) -> bool:
    answer = guest.page.goto(guest.site + path)
    return answer is not None and answer.status in (401, 403, 404)
