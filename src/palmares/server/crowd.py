"""The pages of workers of a platform: the door of a group link, the way back in, the end.

Looking at a link changes nothing; the button makes a judge of whoever presses it. Ids stand in the address that the
platform makes, and nowhere else: our forms carry them in fields, so that no other address of ours has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ..campaign import Role
from ..campaign.codes import in_groups
from ..campaign.crowd import (
    CodeNeeded,
    Entry,
    PlatformIds,
    TurnedAway,
    WrongCode,
    code_of,
    doorstep,
    ending,
    enter,
    is_worker,
    look,
    resume,
)
from ..campaign.database import Database
from ..campaign.definition import settings_of
from ..campaign.group_links import GroupLink
from ..campaign.limits import check_joins, count_failed_join
from ..campaign.people import sign_out
from ..campaign.progress import judge_progress
from ..campaign.refusals import Uninvited
from ..campaign.settings import Settings
from ..errors import InputError
from .access import PUBLIC, Judge, Store, allow, set_session_cookie, signed_in
from .doors import GROUP, address_of, quietly
from .forms import field
from .judging import frame
from .pages import render, url

router = APIRouter()
#: Who is turned away for what stands in the address, or for good; for all others the page is as good as any.
_STATUS = {"no-id": 422, "bad-id": 422, "revoked": 410, "expired": 410}


@router.get("/group/{token}", dependencies=[PUBLIC])
def arrive(request: Request, token: str, db: Store) -> Response:
    """Say what the study is, and offer to begin or to go on."""
    visit = _Visit(request, db, token, request.query_params)
    if visit.ids is None:
        return visit.away("bad-id")
    step = doorstep(db, token, visit.ids)
    if visit.signed_in_as(visit.ids):
        return visit.page("again", by_cookie=True, wrong=None)
    if step.known:
        return visit.page("again", by_cookie=False, wrong=None)
    return visit.away(step.away) if step.away else visit.page("enter")


@router.post("/group/{token}", dependencies=[PUBLIC])
async def begin(request: Request, token: str, db: Store) -> Response:
    """Make a judge of whoever has pressed the button."""
    secret = await GROUP.check(request)
    return await run_in_threadpool(_begin, request, db, token, await _fields(request), secret)


@router.get("/group/{token}/code", dependencies=[PUBLIC])
def show_code(request: Request, token: str, db: Store) -> Response:
    """The code to come back with, in the browser in which a worker has begun."""
    link, _ = _linked(request, db, token)
    session = signed_in(request, Role.JUDGE, link.campaign)
    code = None if session is None else code_of(db, session.person, GROUP.secret(request))
    if code is None:
        return _to_work(request, link.campaign)
    return quietly(render(request, "crowd/code.html", campaign=link.campaign, code=in_groups(code)))


@router.get("/group/{token}/resume", dependencies=[PUBLIC])
def ask_again(request: Request, token: str) -> Response:
    """Someone has asked for the address of the form by itself: back to the door."""
    return quietly(RedirectResponse(url(request, f"/group/{token}"), status_code=303))


@router.post("/group/{token}/resume", dependencies=[PUBLIC])
async def come_back(request: Request, token: str, db: Store) -> Response:
    """Let a worker in again by their code."""
    await GROUP.check(request)
    return await run_in_threadpool(_come_back, request, db, token, await _fields(request))


@router.get("/c/{campaign}/judge/finished", dependencies=[allow(Role.JUDGE)])
def finished(request: Request, judge: Judge, db: Store) -> Response:
    """How it ended: the code for the platform and the way back there."""
    end = ending(db, judge)
    if end is None:
        return _to_work(request, judge.campaign)
    with db.read() as tx:
        settings = settings_of(tx, judge.campaign_id)
    return render(
        request,
        "crowd/finished.html",
        end=end,
        settings=settings,
        progress=judge_progress(db, judge),
        **frame(request, judge),
    )


# -- inside ----------------------------------------------------------------------------------------------


class _Visit:
    """Someone before the door of a group link; ``ids`` is what the address or the form says, None if it cannot be."""

    def __init__(self, request: Request, db: Database, token: str, given: Mapping[str, str]) -> None:
        self.request, self.db, self.token = request, db, token
        self.link, self.settings = _linked(request, db, token)
        crowd = self.settings.crowd
        names = (crowd.worker_parameter, crowd.study_parameter, crowd.session_parameter)
        self.given = {name: given[name] for name in names if given.get(name)}
        self.ids: PlatformIds | None = None
        try:
            self.ids = PlatformIds.read(self.given, crowd)
        except InputError:
            self.given = {}

    def signed_in_as(self, ids: PlatformIds) -> bool:
        """Whether the cookie of the browser is that of the worker."""
        session = signed_in(self.request, Role.JUDGE, self.link.campaign)
        return session is not None and is_worker(self.db, session.person, ids)

    def away(self, reason: str) -> Response:
        return self.page("away", status=_STATUS.get(reason, 200), reason=reason)

    def page(self, name: str, *, status: int = 200, **context: Any) -> Response:
        """A page of the door; it may lie open for a while before its button is pressed."""
        other = signed_in(self.request, Role.JUDGE, self.link.campaign)
        address = url(self.request, f"/group/{self.token}")
        secret = GROUP.look(self.request)
        page = render(
            self.request,
            f"crowd/{name}.html",
            status=status,
            campaign=self.link.campaign,
            settings=self.settings,
            stranger=None if other is None else other.person,
            address=address,
            given=self.given,
            # Who changes the language keeps the ids.
            language_address=f"{address}?{urlencode(self.given)}{'&' if self.given else ''}",
            **context,
        )
        return GROUP.keep(self.request, page, secret)


def _begin(request: Request, db: Database, token: str, given: Mapping[str, str], secret: str) -> Response:
    visit = _Visit(request, db, token, given)
    if visit.ids is None:
        return visit.away("bad-id")
    try:
        entry = enter(db, token, visit.ids, secret)
    except TurnedAway as refusal:
        return visit.away(refusal.reason)
    except CodeNeeded as refusal:
        return visit.page("again", status=refusal.status, by_cookie=False, wrong=None)
    return _let_in(request, db, entry, url(request, f"/group/{token}/code"))


def _come_back(request: Request, db: Database, token: str, given: Mapping[str, str]) -> Response:
    visit = _Visit(request, db, token, given)
    if visit.ids is None:
        return visit.away("bad-id")
    # A code can be guessed, if not soon: too many wrong ones, and right ones are not taken either.
    check_joins(db, address_of(request))
    try:
        entry = resume(db, token, visit.ids, given.get("code", ""))
    except WrongCode:
        count_failed_join(db, address_of(request))
        return visit.page("again", status=422, by_cookie=False, wrong=given.get("code", ""))
    return _let_in(request, db, entry, url(request, f"/c/{visit.link.campaign}/judge"))


def _let_in(request: Request, db: Database, entry: Entry, onward: str) -> Response:
    before = signed_in(request, Role.JUDGE, entry.person.campaign)
    if before is not None:
        sign_out(db, before.token)
    response = RedirectResponse(onward, status_code=303)
    seconds = int((entry.expires - db.clock()).total_seconds())
    set_session_cookie(request, response, entry.person, entry.session, seconds)
    return quietly(response)


def _linked(request: Request, db: Database, token: str) -> tuple[GroupLink, Settings]:
    """The link of a token. Wrong ones are counted by address; a right one opens the door all the same."""
    try:
        return look(db, token)
    except Uninvited:
        check_joins(db, address_of(request))
        count_failed_join(db, address_of(request))
        raise


async def _fields(request: Request) -> dict[str, str]:
    form = await request.form()
    return {name: field(form, name) for name in form}


def _to_work(request: Request, campaign: str) -> Response:
    return RedirectResponse(url(request, f"/c/{campaign}/judge"), status_code=303)
