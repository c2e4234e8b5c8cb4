"""Finishing a campaign: its state, the names of systems, and the report for the public."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import STATES, Role
from ..campaign.database import Database
from ..campaign.definition import change_state, settings_of, state_of
from ..campaign.people import Person
from ..campaign.publications import moment_of, page_of, public, publish, published_page, requests, withdraw
from ..campaign.revealing import reveal, revealed_at
from ..errors import InputError
from .access import PUBLIC, Staff, Store, allow
from .addresses import public_address
from .forms import Form, field
from .manage import go, show

router = APIRouter(prefix="/c/{campaign}/manage/publish")
public_router = APIRouter(prefix="/c/{campaign}")

#: A report is one file with its style inside and no scripts: nothing else is allowed to it.
REPORT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
#: What each state means, and what its button says.
_STATES = {
    "open": ("Open it again", "Judges get work, and their answers are taken."),
    "paused": ("Stop giving out work", "Nobody gets new work; what is in hand can be answered. You can open it again."),
    "closed": ("Close it", "Nobody gets work, and no answers are taken any more. You can open it again."),
}


@public_router.get("/report", dependencies=[PUBLIC])
def report(campaign: str, db: Store) -> Response:
    """The published report. Without one there is nothing here, whether or not there is a campaign of this name."""
    page = published_page(db, campaign)
    if page is None:
        raise HTTPException(404, "there is no report here")
    return _report(page)


@router.get("", dependencies=[allow(Role.ORGANISER)])
def look(request: Request, staff: Staff, db: Store, done: str = "") -> Response:
    """How far the campaign is from its end, and what can be done."""
    return _page(request, staff, db, done=done)


@router.get("/state", dependencies=[allow(Role.ORGANISER)])
def ask_for_state(request: Request, staff: Staff, db: Store, to: str = "") -> Response:
    """Say what another state means."""
    if to not in STATES:
        raise HTTPException(404, "there is no such state; go back to the page and choose one")
    return show(request, staff, "finish_state", to=to, meaning=_STATES[to])


@router.post("/state", dependencies=[allow(Role.ORGANISER)])
def set_state(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Stop, close or open the campaign."""
    try:
        change_state(db, staff.campaign, field(form, "to"), by=staff.id)
    except InputError as error:
        return _page(request, staff, db, status=422, refused=str(error))
    return go(request, staff, "/publish?done=state")


@router.get("/reveal", dependencies=[allow(Role.ORGANISER)])
def ask_to_reveal(request: Request, staff: Staff, db: Store) -> Response:
    """Say what revealing means."""
    with db.read() as tx:
        return show(request, staff, "reveal", revealed=revealed_at(tx, staff.campaign_id))


@router.post("/reveal", dependencies=[allow(Role.ORGANISER)])
def reveal_names(request: Request, staff: Staff, db: Store) -> Response:
    """Tell observers which system is which."""
    reveal(db, staff.campaign, by=staff.id)
    return go(request, staff, "/publish?done=revealed")


@router.post("", dependencies=[allow(Role.ORGANISER)])
def ask(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Ask for a report, once it is confirmed that this is meant."""
    moment, sure = field(form, "not_before").strip(), field(form, "sure") == "yes"
    try:
        not_before = moment_of(moment) if moment else None
        if not sure:
            raise InputError("the box below is not ticked: say that the names of systems may be told")
        publish(db, staff.campaign, not_before=not_before, by=staff.id)
    except InputError as error:
        return _page(request, staff, db, status=422, refused=str(error), entered=moment)
    return go(request, staff, "/publish?done=asked")


@router.get("/withdraw", dependencies=[allow(Role.ORGANISER)])
def ask_to_withdraw(request: Request, staff: Staff) -> Response:
    """Say what withdrawing means."""
    return show(request, staff, "withdraw")


@router.post("/withdraw", dependencies=[allow(Role.ORGANISER)])
def take_down(request: Request, staff: Staff, db: Store) -> Response:
    """Let the public see nothing any more."""
    try:
        withdraw(db, staff.campaign, by=staff.id)
    except InputError as error:
        return _page(request, staff, db, status=422, refused=str(error))
    return go(request, staff, "/publish?done=withdrawn")


@router.get("/{number}/report", dependencies=[allow(Role.ORGANISER)])
def preview(number: int, staff: Staff, db: Store) -> Response:
    """A report that was made, public or not."""
    known = {each.id for each in requests(db, staff.campaign_id)}
    with db.read() as tx:
        page = page_of(tx, number) if number in known else None
    if page is None:
        raise HTTPException(404, "there is no such report; go back to the list")
    return _report(page)


# -- inside ----------------------------------------------------------------------------------------------


def _report(page: bytes) -> Response:
    headers = {"Content-Security-Policy": REPORT_POLICY, "Content-Language": "en"}
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


def _page(request: Request, staff: Person, db: Database, *, status: int = 200, **messages: Any) -> Response:
    notices = {"refused": None, "done": "", "entered": "", **messages}
    now, every = db.clock(), requests(db, staff.campaign_id)
    with db.read() as tx:
        state, shown = state_of(tx, staff.campaign_id), public(tx, staff.campaign_id, now)
        revealed, stop = revealed_at(tx, staff.campaign_id), settings_of(tx, staff.campaign_id).stop
    return show(
        request,
        staff,
        "publish",
        status=status,
        state=state,
        states={name: words for name, words in _STATES.items() if name != state},
        revealed=revealed,
        until=stop.until,
        requests=every,
        public=shown,
        coming=_coming(every, now),
        waits=any(each.waits for each in every),
        standing=any(each.withdrawn_at is None and each.failed is None for each in every),
        now=now,
        link=public_address(request).address + f"/c/{staff.campaign}/report",
        **notices,
    )


def _coming(every: Any, now: datetime) -> Any:
    """The report that will be public later, if one is made already."""
    later = [each for each in every if each.made_at and each.withdrawn_at is None and not each.is_public(now)]
    return later[0] if later else None
