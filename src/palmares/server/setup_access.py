"""Who may make campaigns: the browser that holds a set-up session. Its cookie is no other's, and opens nothing else."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign.setup import NoSetup, SetupSession, setup_session
from .access import Access, store_of
from .doors import Door
from .pages import url
from .security import SAFE_METHODS, csrf_token, given_csrf, is_csrf_token, refuse_other_sites

COOKIE = "palmares-setup"
#: The page of a link, before there is a session.
DOOR = Door("palmares-setup-link", "/setup/link")


class SetupAccess(Access):
    """The check of a route for who makes campaigns: the session and, where something changes, the CSRF token."""

    def __init__(self) -> None:
        super().__init__(frozenset(), counted=False)

    async def __call__(self, request: Request) -> None:
        writes = request.method not in SAFE_METHODS
        if writes:
            refuse_other_sites(request)
        token = request.cookies.get(COOKIE, "")
        session = await run_in_threadpool(setup_session, store_of(request), token) if token else None
        if session is None:
            raise NoSetup
        if writes and not is_csrf_token(token, await given_csrf(request)):
            raise HTTPException(
                403, "the form is not from this session (its token is missing or wrong); load the page again"
            )
        request.state.setup, request.state.csrf = session, csrf_token(token)


#: For pages on which campaigns are made.
SETUP = Depends(SetupAccess())


async def _maker(request: Request) -> SetupSession:
    return cast(SetupSession, request.state.setup)


Maker = Annotated[SetupSession, Depends(_maker)]


def may_set_up(request: Request) -> bool:
    """Whether whoever looks at a public page may make campaigns."""
    token = request.cookies.get(COOKIE, "")
    return bool(token) and setup_session(store_of(request), token) is not None


def set_setup_cookie(request: Request, response: Response, token: str, expires: datetime) -> None:
    seconds = int((expires - store_of(request).clock()).total_seconds())
    response.set_cookie(COOKIE, token, max_age=seconds, **_cookie(request))


def delete_setup_cookie(request: Request, response: Response) -> None:
    response.delete_cookie(COOKIE, **_cookie(request))


def _cookie(request: Request) -> dict[str, Any]:
    # Of the whole server, for the home page says what may be done.
    return {"path": url(request, "/"), "secure": request.url.scheme == "https", "httponly": True, "samesite": "lax"}
