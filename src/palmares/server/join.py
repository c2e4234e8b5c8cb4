"""The door: an invitation link is exchanged for a cookie, and a session ends.

Looking at a link changes nothing, so that programs which follow links in mails do no harm; the button does it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ..campaign import Role
from ..campaign.archive import archived_now
from ..campaign.database import Database
from ..campaign.definition import CAMPAIGN_NAME, campaigns, state_now
from ..campaign.limits import check_joins, count_failed_join
from ..campaign.people import Person, join, redeem, sign_out
from ..campaign.progress import Progress, judge_progress
from ..campaign.refusals import Uninvited
from .access import GROUPS, PUBLIC, SignedIn, Store, allow, delete_session_cookie, set_session_cookie, signed_in
from .doors import GROUP, JOIN, address_of
from .pages import render, url
from .setup_access import may_set_up

router = APIRouter()

_SESSION_COOKIE = re.compile(rf"palmares-(?:{'|'.join(sorted(set(GROUPS.values())))})-({CAMPAIGN_NAME.pattern})")
#: Campaigns that are looked up for the home page at most: anyone can send any number of cookies.
_MOST = 50


@dataclass(frozen=True)
class Taking:
    """A campaign that a visitor takes part in; ``progress`` is that of a judge."""

    person: Person
    state: str
    archived: bool
    address: str
    progress: Progress | None


@router.get("/", dependencies=[PUBLIC])
def home(request: Request, db: Store) -> Response:
    """The campaigns that this browser is signed in to; cookies that let nobody in any more are passed over."""
    return render(
        request, "home.html", campaigns=_campaigns(request, db), empty=not campaigns(db), maker=may_set_up(request)
    )


@router.get("/join/{token}", dependencies=[PUBLIC])
def look(request: Request, token: str, db: Store) -> Response:
    """Say who is invited to what."""
    person = _invited(request, db, token)
    other = signed_in(request, person.role, person.campaign)
    stranger = other.person if other is not None and other.person.id != person.id else None
    secret = JOIN.look(request)
    return JOIN.keep(request, render(request, "join.html", person=person, stranger=stranger, token=token), secret)


@router.post("/join/{token}", dependencies=[PUBLIC])
async def enter(request: Request, token: str, db: Store) -> Response:
    """Begin a session."""
    await JOIN.check(request)
    return await run_in_threadpool(_enter, request, db, token)


@router.post("/leave/{campaign}", dependencies=[allow(Role.JUDGE, Role.OBSERVER, Role.ORGANISER)])
def leave(request: Request, session: SignedIn, db: Store) -> Response:
    """End the session, here and in the database."""
    sign_out(db, session.token)
    response = RedirectResponse(url(request, "/"), status_code=303)
    delete_session_cookie(request, response, session.person)
    return GROUP.forget(request, response)  # who sits down at this browser next is somebody else


def _campaigns(request: Request, db: Database) -> list[Taking]:
    """What the sessions of this browser give, by name."""
    names = {match[1] for name in request.cookies if (match := _SESSION_COOKIE.fullmatch(name))}
    groups = dict(zip(GROUPS.values(), GROUPS, strict=True))  # one role of each group
    found = [signed_in(request, role, name) for name in sorted(names)[:_MOST] for role in groups.values()]
    there = [_taking(request, db, session.person) for session in found if session is not None]
    # What was put away is there for who runs or follows it, after the others.
    return sorted(
        (each for each in there if each.progress is None or not each.archived), key=lambda each: each.archived
    )


def _taking(request: Request, db: Database, person: Person) -> Taking:
    judges = person.role is Role.JUDGE
    address = url(request, f"/c/{person.campaign}/{'judge' if judges else 'manage'}")
    progress = judge_progress(db, person) if judges else None
    archived = archived_now(db, person.campaign_id)
    return Taking(person, state_now(db, person.campaign_id), archived, address, progress)


def _enter(request: Request, db: Database, token: str) -> Response:
    person = _invited(request, db, token)
    before = signed_in(request, person.role, person.campaign)
    _, session, expires = join(db, token)
    if before is not None:
        sign_out(db, before.token)
    page = "judge" if person.role is Role.JUDGE else "manage"
    response = RedirectResponse(url(request, f"/c/{person.campaign}/{page}"), status_code=303)
    set_session_cookie(request, response, person, session, int((expires - db.clock()).total_seconds()))
    return JOIN.forget(request, response)


def _invited(request: Request, db: Database, token: str) -> Person:
    """Whom a link is for. Wrong ones are counted by address; a right one opens the door all the same."""
    person = redeem(db, token)
    if person is None:
        check_joins(db, address_of(request))
        count_failed_join(db, address_of(request))
        raise Uninvited
    return person
