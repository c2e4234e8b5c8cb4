"""The log: who did what, and when."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ..campaign.journal import Event, entries
from ..campaign.people import Role
from .access import Staff, Store, allow
from .manage_page import show

router = APIRouter(prefix="/log")

#: Entries on one page.
ENTRIES = 100
#: Kinds of entries that do not speak for themselves.
_KINDS = {"leased": "took work", "lease-returned": "work went back"}


@router.get("", dependencies=[allow(Role.ORGANISER)])
def look(
    request: Request, staff: Staff, db: Store, before: Annotated[int | None, Query(ge=1, lt=2**63)] = None
) -> Response:
    """The newest entries, or those before one of them."""
    found = list(entries(db, staff.campaign_id, limit=ENTRIES + 1, before=before))
    shown = found[:ENTRIES]
    older = shown[-1].id if len(found) > ENTRIES else None
    rows = [(event, _KINDS.get(event.kind, event.kind.replace("-", " ")), details(event)) for event in shown]
    return show(request, staff, "log", rows=rows, older=older, newest=before is None)


def details(event: Event) -> str:
    """What else an entry says, in one line."""
    return ", ".join(f"{key} {_said(value)}" for key, value in event.body.items() if value not in ([], None))


def _said(value: object) -> str:
    if isinstance(value, list):
        return " ".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
