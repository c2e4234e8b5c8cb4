"""Who may do what: every route declares its roles, and this is the one place that checks them.

A route says ``dependencies=[allow(Role.JUDGE)]``, or ``[PUBLIC]``; the application is not made with one that says
nothing. A handler that wants to know who is there takes a `Judge` or `Staff`, and the database as `Store`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, FastAPI, Request
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Mount

from ..campaign import Role
from ..campaign.database import Database
from ..campaign.definition import settings_of
from ..campaign.limits import count_write
from ..campaign.people import Person, who
from ..campaign.stock import Restocker
from .security import SAFE_METHODS, StaticFilesForEver, csrf_token, given_csrf, is_csrf_token, refuse_other_sites

#: A browser may hold one session of each group in a campaign: an organiser may also judge.
GROUPS = {Role.JUDGE: "judge", Role.OBSERVER: "staff", Role.ORGANISER: "staff"}


@dataclass(frozen=True)
class Session:
    """Someone who is signed in, and the secret of their cookie."""

    person: Person
    token: str


def store_of(request: Request) -> Database:
    return cast(Database, request.app.state.database)


# What a handler depends on is `async`, though it waits for nothing: FastAPI sends the others to another thread.


async def _store(request: Request) -> Database:
    return store_of(request)


def restocker(request: Request) -> Restocker:
    """Who designs work ahead; to be told when some was given out."""
    return cast(Restocker, request.app.state.restocker)


def cookie_name(person_role: Role, campaign: str) -> str:
    return f"palmares-{GROUPS[person_role]}-{campaign}"


class Access:
    """The check of one route: the session, its role and campaign, the CSRF token, the rate of writing."""

    def __init__(self, roles: frozenset[Role], counted: bool = True) -> None:
        self.roles, self.counted = roles, counted

    async def __call__(self, request: Request) -> None:
        writes = request.method not in SAFE_METHODS
        if writes:
            refuse_other_sites(request)
        if not self.roles:
            return
        sessions = await run_in_threadpool(_sessions, request)
        allowed = [session for session in sessions if session.person.role in self.roles]
        if not allowed:
            raise _refusal(sessions, self.roles)
        if writes:
            allowed = [_with_token(allowed, await given_csrf(request))]
            if self.counted:
                await run_in_threadpool(_count, store_of(request), allowed[0].person)
        remember(request, allowed[0])


def _count(db: Database, person: Person) -> None:
    with db.begin() as tx:
        count_write(tx, person.id, settings_of(tx, person.campaign_id).limits.writes_per_minute, db.clock())


def allow(*roles: Role, counted: bool = True) -> Any:
    """Declare who may use a route. What observers may see, organisers may too.

    ``counted``: what is written counts against the limit of changes, in a transaction of its own; a route that counts
    in the transaction of its work says False.
    """
    more = {Role.ORGANISER} if Role.OBSERVER in roles else set()
    return Depends(Access(frozenset(roles) | more, counted))


#: For what anyone may see. Such a route checks by itself whatever it changes.
PUBLIC = Depends(Access(frozenset()))


def remember(request: Request, session: Session) -> None:
    """Tell handlers and templates who is there."""
    request.state.session, request.state.csrf = session, csrf_token(session.token)


def current_session(request: Request) -> Session:
    return cast(Session, request.state.session)


async def _session(request: Request) -> Session:
    return current_session(request)


async def _person(request: Request) -> Person:
    return current_session(request).person


Store = Annotated[Database, Depends(_store)]
Judge = Annotated[Person, Depends(_person)]
Staff = Annotated[Person, Depends(_person)]
SignedIn = Annotated[Session, Depends(_session)]


def signed_in(request: Request, group: Role, campaign: str) -> Session | None:
    """The session that a request's cookie gives in one campaign."""
    token = request.cookies.get(cookie_name(group, campaign))
    person = who(store_of(request), token) if token else None
    if person is None or token is None or person.campaign != campaign or GROUPS[person.role] != GROUPS[group]:
        return None
    return Session(person, token)


def set_session_cookie(request: Request, response: Response, person: Person, token: str, seconds: int) -> None:
    response.set_cookie(cookie_name(person.role, person.campaign), token, max_age=seconds, **_cookie(request))


def delete_session_cookie(request: Request, response: Response, person: Person) -> None:
    response.delete_cookie(cookie_name(person.role, person.campaign), **_cookie(request))


def _cookie(request: Request) -> dict[str, Any]:
    path = f"{request.scope.get('root_path', '')}/"
    return {"path": path, "secure": request.url.scheme == "https", "httponly": True, "samesite": "lax"}


def _sessions(request: Request) -> list[Session]:
    campaign = request.path_params["campaign"]
    sessions = (signed_in(request, role, campaign) for role in (Role.JUDGE, Role.ORGANISER))
    return [session for session in sessions if session is not None]


def _refusal(sessions: list[Session], roles: frozenset[Role]) -> HTTPException:
    if not sessions:
        return HTTPException(401, "you are not signed in to this campaign; open the link you were invited with")
    wanted = " or ".join(sorted(roles))
    return HTTPException(
        403, f"this is for the {wanted} of the campaign; you are signed in as {sessions[0].person.role}"
    )


def _with_token(sessions: list[Session], token: str) -> Session:
    for session in sessions:
        if is_csrf_token(session.token, token):
            return session
    raise HTTPException(403, "the form is not from this session (its token is missing or wrong); load the page again")


# -- every route declares --------------------------------------------------------------------------------------


def declared_roles(route: Any) -> frozenset[Role] | None:
    """The roles of a route; None if it declares none."""
    calls = [dependency.call for dependency in route.dependant.dependencies]
    checks = [call for call in calls if isinstance(call, Access)]
    return checks[0].roles if len(checks) == 1 else None


def routes(app: FastAPI) -> list[Any]:
    """Every route that runs a handler of ours."""
    return [route for route in iter_route_contexts(app.routes) if isinstance(route.original_route, APIRoute)]


def check_declarations(app: FastAPI) -> None:
    """Refuse an application with a route that does not say, exactly once, who may use it."""
    for route in iter_route_contexts(app.routes):
        original = route.original_route
        if isinstance(original, APIRoute):
            roles = declared_roles(route)
            ok = roles is not None and (not roles or "{campaign}" in str(route.path))
        else:
            static = isinstance(original, Mount) and isinstance(original.app, StaticFilesForEver)
            ok = static or route.path == app.openapi_url
        if not ok:
            raise TypeError(
                f"route {route.path!r} must declare who may use it, once: dependencies=[allow(…)] or [PUBLIC]"
            )
