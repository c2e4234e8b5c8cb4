"""One judge: what they have done, and whether their answers count."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ..campaign import Role
from ..campaign.database import Database
from ..campaign.left_out import REASON_LENGTH, changes, leave_out, left_out_of, take_back
from ..campaign.overview import campaign_status
from ..campaign.people import Person
from ..errors import InputError
from .access import Staff, Store, allow
from .forms import Form, field
from .manage import go, show
from .manage_people import found, judge

router = APIRouter(prefix="/c/{campaign}/manage/people")


@router.get("/left-out", dependencies=[allow(Role.ORGANISER)])
def all_changes(request: Request, staff: Staff, db: Store) -> Response:
    """Every change to who is left out, newest first."""
    return show(request, staff, "left_out", changes=changes(db, staff.campaign_id))


@router.get("/{pseudonym}", dependencies=[allow(Role.ORGANISER)])
def look(request: Request, pseudonym: str, staff: Staff, db: Store, done: str = "") -> Response:
    """How far a judge has come, and what was decided about their answers."""
    person = judge(found(db, staff, pseudonym))
    status = campaign_status(db, staff.campaign)
    standing = next(each for each in status.judges if each.pseudonym == person.pseudonym)
    history = changes(db, staff.campaign_id, person)
    return show(request, staff, "judge", person=person, standing=standing, changes=history, done=done)


@router.get("/{pseudonym}/leave-out", dependencies=[allow(Role.ORGANISER)])
def ask_to_leave_out(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """Say what leaving out means, and ask why."""
    return _asked(request, staff, db, judge(found(db, staff, pseudonym)), out=True)


@router.post("/{pseudonym}/leave-out", dependencies=[allow(Role.ORGANISER)])
def left_out(request: Request, pseudonym: str, staff: Staff, db: Store, form: Form) -> Response:
    """Let the answers of a judge count no more."""
    person, reason = judge(found(db, staff, pseudonym)), _reason(form)
    try:
        leave_out(db, person, reason, by=staff.id)
    except InputError as error:
        return _asked(request, staff, db, person, out=True, status=422, refused=str(error), reason=reason)
    return go(request, staff, f"/people/{pseudonym}?done=left-out")


@router.get("/{pseudonym}/take-back", dependencies=[allow(Role.ORGANISER)])
def ask_to_take_back(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """Say what taking back means."""
    return _asked(request, staff, db, judge(found(db, staff, pseudonym)), out=False)


@router.post("/{pseudonym}/take-back", dependencies=[allow(Role.ORGANISER)])
def taken_back(request: Request, pseudonym: str, staff: Staff, db: Store, form: Form) -> Response:
    """Let the answers of a judge count again."""
    person, reason = judge(found(db, staff, pseudonym)), _reason(form)
    try:
        take_back(db, person, reason, by=staff.id)
    except InputError as error:
        return _asked(request, staff, db, person, out=False, status=422, refused=str(error), reason=reason)
    return go(request, staff, f"/people/{pseudonym}?done=taken-back")


# -- inside ----------------------------------------------------------------------------------------------


def _asked(
    request: Request,
    staff: Person,
    db: Database,
    person: Person,
    *,
    out: bool,
    status: int = 200,
    refused: str | None = None,
    reason: str = "",
) -> Response:
    """The page that asks before anything changes."""
    with db.read() as tx:
        now = person.id in left_out_of(tx, staff.campaign_id)
    context: dict[str, Any] = {"refused": refused, "reason": reason, "longest": REASON_LENGTH, "already": now == out}
    return show(request, staff, "leave_out" if out else "take_back", status=status, person=person, **context)


def _reason(form: Any) -> str:
    return field(form, "reason").replace("\r\n", "\n").strip()
