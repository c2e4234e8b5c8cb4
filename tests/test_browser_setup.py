"""A newcomer in a real browser, from the printed link to a judge's first answer; pages whole and free of violations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import expect
from test_browser_manage import faults_of

from palmares.campaign.database import Database
from palmares.campaign.definition import campaigns
from palmares.campaign.overview import campaign_status
from palmares.campaign.setup import make_setup_link

pytestmark = on_sqlite

LINES = 6
TEXTS = {
    "source.txt": "".join(f"Phrase numéro {n} du texte de la campagne.\n" for n in range(LINES)),
    "online-A.txt": "".join(f"Sentence number {n} of the text of the campaign.\n" for n in range(LINES)),
    "online-B.txt": "".join(f"This is phrase number {n} from the campaign text.\n" for n in range(LINES)),
    "a-system-with-a-very-long-name-that-goes-on-and-on.txt": "".join(
        f"Phrase numéro {n} du texte de la campagne.\n" for n in range(LINES)
    ),
}
NARROW = {"width": 390, "height": 844}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, body in TEXTS.items():
        (folder / name).write_text(body, encoding="utf-8")
    return sorted(folder.iterdir())


def newcomer(visit: Visit, db: Database, **options: Any) -> Judge:
    guest = visit(**options)
    guest.page.context.set_default_timeout(60_000)  # a process starts and checks texts, on a machine that may be busy
    guest.open(f"/setup/link/{make_setup_link(db)}")
    return guest


def looked_at(guest: Judge, faults: dict[str, Any], where: str) -> None:
    """Whole on a phone and on a desk, and nothing that axe finds."""
    guest.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    check_accessibility(guest.page)
    for width in (390, 1280):
        guest.page.set_viewport_size({"width": width, "height": 844})
        faults |= faults_of(guest, f"{where} at {width}")


def upload(guest: Judge, files: list[Path], name: str = "news") -> None:
    page = guest.page
    page.get_by_label("Name of the campaign").fill(name)
    page.get_by_label("Languages").fill("fr-en")
    page.locator("#files").set_input_files(files)
    page.get_by_role("button", name="Check the texts").click()


def through_the_steps(guest: Judge, files: list[Path], look: Any = lambda where: None) -> None:
    page = guest.page
    look("link")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A new campaign")
    look("texts")
    upload(guest, files)
    expect(page.get_by_role("heading", level=1)).to_have_text("What is in the texts")
    expect(page.get_by_text("system a-system-with-a-very-long-name-that-goes-on-and-on:").first).to_be_visible()
    look("check")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Go on to the settings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings of news")
    look("settings")
    page.locator("#setting-screen-outputs").fill("2")
    page.locator("#setting-judge-practice").uncheck()
    page.get_by_role("button", name="Go on to the preview").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview of news")
    look("preview")
    page.get_by_role("link", name="Instructions and consent").click()
    look("welcome")
    page.get_by_role("checkbox").check()
    page.locator("main button").click()
    expect(page.get_by_text("Preview.")).to_be_visible()
    look("screen")
    page.get_by_role("radio", name="Tie").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("was not stored")).to_be_visible()
    page.get_by_role("link", name="Another screen").click()
    page.get_by_role("link", name="Back to where you came from").click()
    page.get_by_label("Your name").fill("Olga")
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("news is there")
    look("made")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_newcomer_goes_from_the_printed_link_to_a_judges_first_answer(
    visit: Visit, db: Database, files: list[Path], scheme: str
) -> None:
    olga, faults = newcomer(visit, db, color_scheme=scheme), dict[str, Any]()
    page = olga.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    through_the_steps(olga, files, lambda where: looked_at(olga, faults, where))
    page.get_by_role("button", name="Copy the link").click()
    kept = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("link", name="Invite judges").click()
    page.get_by_label("Name", exact=True).fill("Ann")
    page.get_by_role("radio", name="judge ranks outputs").check()
    page.get_by_role("button", name="Add and create a link").click()
    link = page.locator("#link").inner_text()
    assert faults == {}
    ann = visit(viewport=NARROW)
    ann.open(link.removeprefix(ann.site))
    ann.page.get_by_role("button", name="Continue").click()
    ann.page.get_by_role("checkbox").check()
    ann.page.locator("main button").click()
    ann.page.get_by_role("radio", name="A is better").check()
    with ann.sending():
        ann.page.get_by_role("button", name="Submit").click()
    assert campaign_status(db, "news").pairs[0].answered == 1
    elsewhere = visit()
    elsewhere.open(kept.removeprefix(olga.site))
    elsewhere.page.get_by_role("button", name="Continue").click()
    expect(elsewhere.page).to_have_url(re.compile("/c/news/manage$"))


@pytest.mark.slow  # the forms are the same, and `test_server_setup` sends them
def test_without_scripts_a_campaign_is_made_as_well(visit: Visit, db: Database, files: list[Path]) -> None:
    through_the_steps(newcomer(visit, db, java_script_enabled=False, viewport=NARROW), files)
    assert [info.name for info in campaigns(db)] == ["news"]


def test_what_is_wrong_with_the_files_stands_above_the_form(visit: Visit, db: Database, files: list[Path]) -> None:
    olga, faults = newcomer(visit, db, viewport=NARROW), dict[str, Any]()
    olga.failures = True
    olga.page.get_by_role("button", name="Begin").click()
    files[0].write_text("one line\n", encoding="utf-8")
    upload(olga, files)
    expect(olga.page.get_by_role("alert")).to_contain_text("the files differ in their number of lines")
    looked_at(olga, faults, "refused")
    expect(olga.page.get_by_label("Name of the campaign")).to_have_value("news")
    assert faults == {}
    assert campaigns(db) == []
