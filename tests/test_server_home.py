"""The home page: the campaigns that a browser is signed in to, in the reader's language."""

from __future__ import annotations

import re
from html import unescape

import pytest
from fastapi import FastAPI
from stores import Clock, judge_screens, new_campaign, new_judge
from webs import Visitor, signed_in, visitor

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.definition import change_state
from palmares.campaign.people import add_person, invite, revoke

pytestmark = pytest.mark.any_database


def listed(guest: Visitor, path: str = "/") -> list[tuple[str, str]]:
    """Every campaign on the home page: where its link leads, and what is said of it."""
    items = re.findall(r'<li>\s*<a href="(/c/[^"]+)">(.*?)</li>', guest.get(path).text, re.DOTALL)
    return [(address, " ".join(unescape(re.sub("<[^>]*>", " ", words)).split())) for address, words in items]


def test_a_stranger_is_told_to_open_their_link(app: FastAPI) -> None:
    guest = visitor(app)
    assert listed(guest) == []
    assert "To take part, open the link you were sent." in guest.page.text  # type: ignore[union-attr]


def test_a_visitor_finds_their_campaigns_with_state_and_progress(app: FastAPI, db: Database) -> None:
    for name in ("olds", "news", "other"):
        new_campaign(db, name=name, **{"judge.screens": 5})
    ann = new_judge(db)
    judge_screens(db, ann, 2)
    guest = signed_in(app, ann)
    for campaign, role in (("news", Role.OBSERVER), ("olds", Role.ORGANISER)):
        guest.join(invite(db, add_person(db, campaign, role, "ann too")))
    change_state(db, "olds", "paused")
    assert listed(guest) == [
        ("/c/news/judge", "news (judge) open · 2 of 5 screens done"),
        ("/c/news/manage", "news (observer) open"),
        ("/c/olds/manage", "olds (organiser) paused"),
    ]
    assert listed(guest, "/?ui=fr")[2][1] == "olds (organisation) en pause"
    assert all(guest.get(address).status_code == 200 for address, _ in listed(guest))


def test_what_lets_nobody_in_any_more_is_not_listed(app: FastAPI, db: Database, clock: Clock) -> None:
    new_campaign(db)
    ann = new_judge(db)
    guest = signed_in(app, ann)
    assert len(listed(guest)) == 1
    guest.client.cookies.set("palmares-judge-nowhere", "x")
    guest.client.cookies.set("palmares-staff-news", "x")
    guest.client.cookies.set("palmares-judge-../x", "x")
    assert len(listed(guest)) == 1
    revoke(db, ann)
    assert listed(guest) == []
    guest = signed_in(app, ann)
    clock.forward(days=31)
    assert listed(guest) == []


def test_a_session_of_one_campaign_is_none_of_another(app: FastAPI, db: Database) -> None:
    for name in ("news", "other"):
        new_campaign(db, name=name)
    guest = signed_in(app, new_judge(db))
    session = guest.client.cookies["palmares-judge-news"]
    guest.client.cookies.set("palmares-judge-other", session)
    guest.client.cookies.set("palmares-staff-news", session)
    assert [address for address, _ in listed(guest)] == ["/c/news/judge"]
