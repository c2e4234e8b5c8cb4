"""The door: an invitation link is exchanged for a cookie, and a session ends.

Looking at a link changes nothing, so that programs which follow links in mails do no harm; the button does it.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import Role
from ..campaign.database import Database
from ..campaign.definition import CAMPAIGN_NAME, state_now
from ..campaign.limits import check_joins, count_failed_join
from ..campaign.people import Person, join, redeem, sign_out
from ..campaign.progress import Progress, judge_progress
from ..campaign.refusals import Uninvited
from .access import GROUPS, PUBLIC, SignedIn, Store, allow, delete_session_cookie, set_session_cookie, signed_in
from .pages import render, url
from .security import csrf_token, given_csrf, is_csrf_token

router = APIRouter()

#: Holds a random secret while the page of a link is open; without it another site could sign someone in.
DOOR_COOKIE = "palmares-join"
_SESSION_COOKIE = re.compile(rf"palmares-(?:{'|'.join(sorted(set(GROUPS.values())))})-({CAMPAIGN_NAME.pattern})")
#: Campaigns that are looked up for the home page at most: anyone can send any number of cookies.
_MOST = 50


@dataclass(frozen=True)
class Taking:
    """A campaign that a visitor takes part in; ``progress`` is that of a judge."""

    person: Person
    state: str
    address: str
    progress: Progress | None


@router.get("/", dependencies=[PUBLIC])
def home(request: Request, db: Store) -> Response:
    """The campaigns that this browser is signed in to; cookies that let nobody in any more are passed over."""
    return render(request, "home.html", campaigns=_campaigns(request, db))


@router.get("/join/{token}", dependencies=[PUBLIC])
def look(request: Request, token: str, db: Store) -> Response:
    """Say who is invited to what."""
    person = _invited(request, db, token)
    other = signed_in(request, person.role, person.campaign)
    stranger = other.person if other is not None and other.person.id != person.id else None
    secret = request.cookies.get(DOOR_COOKIE) or secrets.token_urlsafe(32)
    request.state.csrf = csrf_token(secret)
    page = render(request, "join.html", person=person, stranger=stranger, token=token)
    page.set_cookie(DOOR_COOKIE, secret, max_age=3600, **_door(request))
    return _quietly(page)


@router.post("/join/{token}", dependencies=[PUBLIC])
async def enter(request: Request, token: str, db: Store) -> Response:
    """Begin a session."""
    secret = request.cookies.get(DOOR_COOKIE, "")
    if not secret or not is_csrf_token(secret, await given_csrf(request)):
        raise HTTPException(403, "the form is too old, or cookies are switched off; open the link again")
    return await run_in_threadpool(_enter, request, db, token)


@router.post("/leave/{campaign}", dependencies=[allow(Role.JUDGE, Role.OBSERVER, Role.ORGANISER)])
def leave(request: Request, session: SignedIn, db: Store) -> Response:
    """End the session, here and in the database."""
    sign_out(db, session.token)
    response = RedirectResponse(url(request, "/"), status_code=303)
    delete_session_cookie(request, response, session.person)
    return response


def _campaigns(request: Request, db: Database) -> list[Taking]:
    """What the sessions of this browser give, by name."""
    names = {match[1] for name in request.cookies if (match := _SESSION_COOKIE.fullmatch(name))}
    groups = dict(zip(GROUPS.values(), GROUPS, strict=True))  # one role of each group
    found = [signed_in(request, role, name) for name in sorted(names)[:_MOST] for role in groups.values()]
    return [_taking(request, db, session.person) for session in found if session is not None]


def _taking(request: Request, db: Database, person: Person) -> Taking:
    judges = person.role is Role.JUDGE
    address = url(request, f"/c/{person.campaign}/{'judge' if judges else 'manage'}")
    progress = judge_progress(db, person) if judges else None
    return Taking(person, state_now(db, person.campaign_id), address, progress)


def _enter(request: Request, db: Database, token: str) -> Response:
    person = _invited(request, db, token)
    before = signed_in(request, person.role, person.campaign)
    _, session, expires = join(db, token)
    if before is not None:
        sign_out(db, before.token)
    page = "judge" if person.role is Role.JUDGE else "manage"
    response = RedirectResponse(url(request, f"/c/{person.campaign}/{page}"), status_code=303)
    set_session_cookie(request, response, person, session, int((expires - db.clock()).total_seconds()))
    response.delete_cookie(DOOR_COOKIE, **_door(request))
    return _quietly(response)


def _invited(request: Request, db: Database, token: str) -> Person:
    """Whom a link is for. Wrong ones are counted by address; a right one opens the door all the same."""
    person = redeem(db, token)
    if person is None:
        address = request.client.host if request.client else "unknown"
        check_joins(db, address)
        count_failed_join(db, address)
        raise Uninvited
    return person


def _door(request: Request) -> dict[str, Any]:
    https = request.url.scheme == "https"
    return {"path": url(request, "/join"), "secure": https, "httponly": True, "samesite": "lax"}


def _quietly(response: Response) -> Response:
    """The address holds the token, so no other page may learn it."""
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
