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
from ..campaign.setting_refusals import SettingsError
from ..campaign.settings import Settings
from ..errors import InputError
from . import manage_fields
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
    return _page(request, staff, db, known, shown=shown, done=done)


@router.post("", dependencies=[allow(Role.ORGANISER)])
def change(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Put other settings in force, from the fields of the form or from a file as text.

    What cannot be used comes back as it was entered, with everything that is wrong with it.
    """
    known = revisions(db, staff.campaign_id)
    now = known[0].settings
    text = storable(field(form, "settings").replace("\r\n", "\n"), "settings") if "settings" in form else None
    fields = manage_fields.entered(form, now) if text is None else None
    back = {"text": text, "fields": fields}
    if field(form, "revision") != str(known[0].number):
        return _page(request, staff, db, known, status=409, conflict=True, **back)
    try:
        if fields is None:
            settings = Settings.from_toml(text or "")
        else:
            settings = Settings.from_tables(manage_fields.tables_of(fields, now))
        if settings == now:
            return go(request, staff, "/settings?done=same")
        change_settings(db, staff.campaign, settings, by=staff.id)
    except SettingsError as error:
        return _page(request, staff, db, known, status=422, problems=error.problems, **back)
    except InputError as error:
        return _page(request, staff, db, known, status=422, problems=[manage_fields.named(str(error))], **back)
    return go(request, staff, "/settings?done=changed")


@router.post("/again", dependencies=[allow(Role.ORGANISER)])
def use_again(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Put earlier settings in force again, as a new revision; not over what somebody has changed meanwhile."""
    known = revisions(db, staff.campaign_id)
    number = field(form, "revision")
    earlier = _numbered(known, int(number) if number.isascii() and number.isdecimal() else 0)
    if field(form, "newest") != str(known[0].number):
        return _page(request, staff, db, known, status=409, conflict=True, shown=earlier)
    if earlier.settings == known[0].settings:
        return go(request, staff, "/settings?done=same")
    try:
        change_settings(db, staff.campaign, earlier.settings, by=staff.id)
    except InputError as error:  # the texts may have changed since
        problems = [manage_fields.named(str(error))]
        return _page(request, staff, db, known, status=422, shown=earlier, problems=problems)
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
    *,
    status: int = 200,
    **messages: Any,
) -> Response:
    """The page; ``text`` and ``fields`` are what was entered, of which one is None: the settings that are shown."""
    notices: dict[str, Any] = {"problems": (), "conflict": False, "done": "", "shown": known[0], "text": None}
    notices |= {"fields": None, **messages}
    shown = notices["shown"].settings
    as_file = notices["text"] is not None
    fields, others = manage_fields.with_problems(
        notices.pop("fields") or manage_fields.sections(shown), () if as_file else notices["problems"]
    )
    names = {person.id: called(staff, person) for person in people(db, staff.campaign_id)}
    with db.read() as tx:
        state = state_of(tx, staff.campaign_id)
    notices["text"] = notices["text"] if as_file else shown.to_toml(explained=True)
    return show(
        request,
        staff,
        "settings",
        status=status,
        known=known,
        names=names,
        fields=fields,
        others=others,
        as_file=as_file,
        state=state,
        meanings=_MEANINGS,
        **notices,
    )


def _numbered(known: list[Revision], number: int) -> Revision:
    for revision in known:
        if revision.number == number:
            return revision
    raise HTTPException(404, f"revision: got {number}; there are 1 to {known[0].number}")
