"""Add language pairs to a campaign: upload the texts, read what was found in them, and they are there."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ..campaign import Role
from ..campaign.database import Database
from ..campaign.definition import language_pairs
from ..campaign.drafts import accept, add_texts, draft_of, drop_draft, keep_draft
from ..campaign.people import Person
from ..errors import InputError
from . import uploads
from .access import Staff, Store, allow
from .forms import Form, field
from .manage import address, go, show

router = APIRouter(prefix="/c/{campaign}/manage/texts")


@router.get("", dependencies=[allow(Role.ORGANISER)])
def ask(request: Request, staff: Staff, db: Store, done: str = "") -> Response:
    """The language pairs that are there, and a form for more."""
    return _page(request, staff, db, done=done)


@router.post("", dependencies=[allow(Role.ORGANISER)])
def upload(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Read and check the texts; what cannot be read is refused, and nothing is kept."""
    try:
        found, texts = uploads.received(form)
        keep_draft(db, staff, "", found, texts)
    except InputError as error:
        return _page(request, staff, db, status=422, refused=str(error), entered=uploads.entered(form))
    return go(request, staff, "/texts/check")


@router.get("/check", dependencies=[allow(Role.ORGANISER)])
def check(request: Request, staff: Staff, db: Store) -> Response:
    """What was found in the texts."""
    return _checked(request, staff, db)


@router.post("/check", dependencies=[allow(Role.ORGANISER)])
def add(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Add the language pairs, all of them or none."""
    if field(form, "action") == "discard":
        drop_draft(db, staff)
        return go(request, staff, "/texts")
    ticked = [value for value in form.getlist("accept") if isinstance(value, str)]
    try:
        accept(db, staff, ticked, warnings=field(form, "warnings") == "yes")
        add_texts(db, staff)
    except InputError as error:
        return _checked(request, staff, db, status=422, refused=str(error), ticked=ticked)
    return go(request, staff, "/texts?done=added")


# -- inside ----------------------------------------------------------------------------------------------


def _page(request: Request, staff: Person, db: Database, *, status: int = 200, **messages: Any) -> Response:
    notices = {"refused": None, "done": "", "entered": uploads.entered(), **messages}
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
    waiting = draft_of(db, staff) is not None
    formats, limits = uploads.FORMATS, uploads.limits()
    return show(
        request, staff, "texts", status=status, pairs=pairs, waiting=waiting, formats=formats, limits=limits, **notices
    )


def _checked(request: Request, staff: Person, db: Database, *, status: int = 200, **messages: Any) -> Response:
    draft = draft_of(db, staff)
    if draft is None:
        return _page(request, staff, db, status=status, refused=messages.get("refused"))
    notices = {"refused": None, "ticked": [], **messages}
    again = address(request, staff, "/texts")
    return show(request, staff, "texts_check", status=status, draft=draft, again=again, **notices)
