"""The page of programs and that of the JSON interface, in Chromium: wide, on a phone in the dark, and by axe-core."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from browsers import PHONE, Visit, check_accessibility, on_sqlite
from stores import new_campaign, sample_texts

from palmares.campaign import Role
from palmares.campaign.clients import add_client
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, invite

pytestmark = on_sqlite
LOOKS = [{}, {"viewport": PHONE, "color_scheme": "dark"}]


def keep(page: object, name: str) -> None:
    """Pictures to look at, where somebody wants some."""
    if folder := os.environ.get("PALMARES_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=name.startswith(("programs", "token")))  # type: ignore[attr-defined]


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "dark phone"])
def test_programs_are_given_tokens(visit: Visit, db: Database, look: dict, request: pytest.FixtureRequest) -> None:
    new_campaign(db, sample_texts(), sample_texts(langs="de-en"))
    for name, scope in (("model-with-a-long-name-2026-05", "judge"), ("dashboard", "read")):
        add_client(db, "news", name, scope, days=30)
    olga = visit(**look)
    olga.join(invite(db, add_person(db, "news", Role.ORGANISER, "Olga")))
    page = olga.page
    olga.open("/c/news/manage/programs")
    check_accessibility(page)
    keep(page, f"programs-{request.node.callspec.id}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#name").fill("model-x")
    page.get_by_role("button", name="Make the token").click()
    page.get_by_role("button", name="Copy the token").wait_for()
    check_accessibility(page)
    keep(page, f"token-{request.node.callspec.id}")
    assert page.locator("#shown-token").inner_text().startswith("palmares_")


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "dark phone"])
def test_the_interface_can_be_read(visit: Visit, db: Database, look: dict, request: pytest.FixtureRequest) -> None:
    new_campaign(db)
    guest = visit(**look)
    guest.open("/api")
    page = guest.page
    check_accessibility(page)
    keep(page, f"api-{request.node.callspec.id}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("link", name="POST …/systems").click()
    assert page.url.endswith(page.locator("h3", has_text="/systems").first.get_attribute("id") or "?")
