"""What all pages of organisers and observers share. They are in English only."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from ..campaign.people import Person, Role
from .pages import render, url
from .words import words

#: Path below ``/manage``, what links say, and whether it is for organisers alone.
PAGES = (
    ("", "Overview", False),
    ("/people", "People", False),
    ("/settings", "Settings", False),
    ("/log", "Log", True),
    ("/export", "Export", False),
)


def show(request: Request, staff: Person, name: str, *, status: int = 200, **context: Any) -> Response:
    """Fill a template of ``manage/``."""
    organises = staff.role is Role.ORGANISER
    response = render(
        request,
        f"manage/{name}.html",
        status=status,
        english=words("en"),
        campaign=staff.campaign,
        staff=staff,
        organises=organises,
        home=address(request, staff),
        sections=[(path, title) for path, title, theirs in PAGES if organises or not theirs],
        written=written,
        **context,
    )
    response.headers["Content-Language"] = "en"
    return response


def address(request: Request, staff: Person, path: str = "") -> str:
    return url(request, f"/c/{staff.campaign}/manage{path}")


def go(request: Request, staff: Person, path: str) -> Response:
    """Lead on after a change, so that loading the page again does not repeat it."""
    return RedirectResponse(address(request, staff, path), status_code=303)


def called(staff: Person, person: Person) -> str:
    """What someone is called before this reader: only organisers see names."""
    return person.name if staff.role is Role.ORGANISER else person.pseudonym


def written(moment: datetime) -> str:
    """A moment in universal time, as people write it."""
    return f"{moment.day} {moment:%b %Y, %H:%M}"
