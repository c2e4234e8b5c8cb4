"""The pages of organisers and observers in tests: how to read them, and what they change."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import httpx2 as httpx
import sqlalchemy as sa

from palmares.campaign import journal, schema
from palmares.campaign.database import Database

HOME = "/c/news/manage"
SYSTEMS = ("alpha-mt", "beta-mt", "gamma-mt")
HOSTILE = '<script>alert(1)</script>"><b onclick=x>'
#: Three systems, all on every screen: each answer compares every two of them once.
ALL_SHOWN = {"screen.outputs": 3, "judge.screens": 8}


def rows(page: httpx.Response) -> list[list[str]]:
    """The tables of a page: the words of every cell."""
    lines = re.findall(r"<tr>(.*?)</tr>", page.text, re.DOTALL)
    return [[words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL)] for line in lines]


def row(page: httpx.Response, first: str) -> list[str]:
    """The one row that begins with a cell of these words."""
    (found,) = (cells for cells in rows(page) if cells and cells[0] == first)
    return found


def words(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def events(db: Database, campaign_id: int, *kinds: str) -> list[journal.Event]:
    return [event for event in journal.entries(db, campaign_id) if event.kind in kinds]


def link_on(page: httpx.Response) -> str:
    (link,) = re.findall(r"<code[^>]*>([^<]+/join/[^<]+)</code>", page.text)
    return unescape(link)


def token_on(page: httpx.Response) -> str:
    return link_on(page).rpartition("/")[2]


def everything(db: Database) -> dict[str, list[tuple[Any, ...]]]:
    """What the tables of a campaign hold, but for sessions and counts of requests."""
    tables = (schema.campaign, schema.setting, schema.person, schema.invite, schema.judgment, schema.event)
    with db.read() as tx:
        return {t.name: [tuple(r) for r in tx.execute(sa.select(t).order_by(t.c.id))] for t in tables}
