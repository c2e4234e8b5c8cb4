"""The settings of a campaign and its state: to look at, and for organisers to change."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import STATES, Role
from ..campaign.answers import storable
from ..campaign.database import Database
from ..campaign.definition import Revision, change_settings, change_state, revisions, state_of
from ..campaign.people import Person, people
from ..campaign.settings import Settings
from ..errors import InputError
from .access import Staff, Store, allow
from .forms import Form, field
from .manage import called, go, show

router = APIRouter(prefix="/c/{campaign}/manage/settings")

#: What a state means, in the order of `STATES`.
_MEANINGS = dict(
    zip(
        STATES,
        ("judges get work", "no new work; answers to work given out are accepted", "no answers are accepted either"),
        strict=True,
    )
)


@router.get("", dependencies=[allow(Role.OBSERVER)])
def look(request: Request, staff: Staff, db: Store, revision: int | None = None, done: str = "") -> Response:
    """The settings in force, or those of an earlier revision, to go back to."""
    known = revisions(db, staff.campaign_id)
    shown = known[0] if revision is None else _numbered(known, revision)
    return _page(request, staff, db, known, shown.settings.to_toml(explained=True), shown=shown, done=done)


@router.post("", dependencies=[allow(Role.ORGANISER)])
def change(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Put other settings in force; what cannot be used comes back as it was written."""
    known = revisions(db, staff.campaign_id)
    text = storable(field(form, "settings").replace("\r\n", "\n"), "settings")
    if field(form, "revision") != str(known[0].number):
        return _page(request, staff, db, known, text, status=409, conflict=True)
    try:
        settings = Settings.from_toml(text)
        if settings == known[0].settings:
            return go(request, staff, "/settings?done=same")
        change_settings(db, staff.campaign, settings, by=staff.id)
    except InputError as error:
        return _page(request, staff, db, known, text, status=422, refused=str(error))
    return go(request, staff, "/settings?done=changed")


@router.post("/state", dependencies=[allow(Role.ORGANISER)])
def change_to(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Open, pause or close the campaign."""
    change_state(db, staff.campaign, field(form, "state"), by=staff.id)
    return go(request, staff, "/settings?done=state")


# -- inside ----------------------------------------------------------------------------------------------


def _page(
    request: Request,
    staff: Person,
    db: Database,
    known: list[Revision],
    text: str,
    *,
    status: int = 200,
    **messages: Any,
) -> Response:
    notices = {"refused": None, "conflict": False, "done": "", "shown": known[0], **messages}
    names = {person.id: called(staff, person) for person in people(db, staff.campaign_id)}
    with db.read() as tx:
        state = state_of(tx, staff.campaign_id)
    return show(
        request,
        staff,
        "settings",
        status=status,
        known=known,
        names=names,
        text=text,
        state=state,
        meanings=_MEANINGS,
        **notices,
    )


def _numbered(known: list[Revision], number: int) -> Revision:
    for revision in known:
        if revision.number == number:
            return revision
    raise HTTPException(404, f"revision: got {number}; there are 1 to {known[0].number}")
