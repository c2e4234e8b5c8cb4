"""Who may do what: every route declares its roles, and this is the one place that checks them.

A route says ``dependencies=[allow(Role.JUDGE)]``, or ``[PUBLIC]``; the application is not made with one that says
nothing. A handler that wants to know who is there takes a `Judge` or `Staff`, and the database as `Store`.

Below ``/api/`` a route says ``[scoped(Scope.JUDGE)]``: it takes a token of that scope, or the cookie of somebody who
has the role that goes with it. Elsewhere nothing but cookies counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, FastAPI, Request
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Mount

from ..campaign import Role
from ..campaign.clients import PREFIX, ROLES, Client, Scope, holder, note_use, person_of
from ..campaign.database import Database
from ..campaign.definition import settings_of
from ..campaign.limits import count_client_write, count_write, count_wrong_token
from ..campaign.people import Person, who
from ..campaign.stock import Restocker
from .security import SAFE_METHODS, StaticFilesForEver, csrf_token, given_csrf, is_csrf_token, refuse_other_sites

#: A browser may hold one session of each group in a campaign: an organiser may also judge.
GROUPS = {Role.JUDGE: "judge", Role.OBSERVER: "staff", Role.ORGANISER: "staff"}
#: What routes below which take tokens begin with.
API = "/api/"
#: The longest body of a request that brings texts.
TEXT_BYTES = 64 * 2**20
_TOKEN_NEEDED = {"WWW-Authenticate": "Bearer"}


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
    """The check of one route: the session or token, its role, scope and campaign, the CSRF token, the rate of writing.

    A request with a token needs no CSRF token, since no browser sends one by itself; no cookie counts beside it.
    """

    def __init__(self, roles: frozenset[Role], counted: bool = True, scopes: frozenset[Scope] = frozenset()) -> None:
        self.roles, self.counted, self.scopes = roles, counted, scopes

    async def __call__(self, request: Request) -> None:
        writes = request.method not in SAFE_METHODS
        if self.scopes:
            token = bearer_token(request.headers)
            if token is not None:
                await run_in_threadpool(self._by_token, request, token, writes)
                return
            if not self.roles:
                raise HTTPException(401, "this address takes a token: Authorization: Bearer …", _TOKEN_NEEDED)
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

    def _by_token(self, request: Request, token: str, writes: bool) -> None:
        db = store_of(request)
        client = _client(request, token)
        if client.scope not in self.scopes:
            wanted = " or ".join(sorted(self.scopes))
            raise HTTPException(403, f"this needs a token of scope {wanted}; this one is for {client.scope}")
        note_use(db, client)
        request.state.client, request.state.csrf = client, ""
        if client.scope is Scope.CREATE:
            if writes and self.counted:
                db.write(lambda tx: count_client_write(tx, client.id, db.clock()))
            return
        person = person_of(db, client)
        if writes and self.counted:
            _count(db, person)
        request.state.session = Session(person, "")


def bearer_token(headers: Headers) -> str | None:
    """The token that came with a request; None if it came with none, or with something for a proxy."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def may_send_texts(db: Database, headers: Headers, campaign: str | None) -> bool:
    """Whether a request has a token by which texts come in, of a campaign or (None) for a new one."""
    token = bearer_token(headers)
    client = holder(db, token) if token else None
    wanted = Scope.CREATE if campaign is None else Scope.MANAGE
    return client is not None and (client.state, client.scope, client.campaign) == ("works", wanted, campaign)


def _client(request: Request, token: str) -> Client:
    """Whose token this is, if it works, and works here."""
    client = holder(store_of(request), token)
    if client is None:
        count_wrong_token(store_of(request), request.client.host if request.client else "unknown")
        how = "" if token.startswith(PREFIX) else f" (tokens begin with {PREFIX})"
        raise HTTPException(401, f"there is no such token{how}; ask the organiser for one", _TOKEN_NEEDED)
    if client.state != "works":
        word = "was revoked" if client.state == "revoked" else "has expired"
        raise HTTPException(401, f"this token {word}; ask the organiser for another", _TOKEN_NEEDED)
    campaign = request.path_params.get("campaign")
    if campaign is not None and client.campaign != campaign:
        raise HTTPException(403, "this token is not for this campaign")
    return client


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


def scoped(*scopes: Scope, counted: bool = True) -> Any:
    """Declare, for a route below ``/api/``, which tokens it takes; who has the role of one may use it by cookie, too.

    What is for `Scope.READ`, a token of scope `Scope.MANAGE` may do as well. ``counted`` is as for `allow`.
    """
    more = {Scope.MANAGE} if Scope.READ in scopes else set()
    every = frozenset(scopes) | more
    # What needs no campaign knows no cookies, which all belong to one.
    roles = frozenset() if Scope.CREATE in every else frozenset(ROLES[scope] for scope in every)
    return Depends(Access(roles, counted, every))


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


async def _program(request: Request) -> Client | None:
    return cast(Client | None, getattr(request.state, "client", None))


Store = Annotated[Database, Depends(_store)]
#: The token that a request came with; None if it came with a cookie.
Program = Annotated[Client | None, Depends(_program)]
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


def declared(route: Any) -> Access | None:
    """The one check that a route declares; None if it declares none, or several."""
    calls = [dependency.call for dependency in route.dependant.dependencies]
    checks = [call for call in calls if isinstance(call, Access)]
    return checks[0] if len(checks) == 1 else None


def declared_roles(route: Any) -> frozenset[Role] | None:
    """The roles of a route; None if it declares none."""
    check = declared(route)
    return None if check is None else check.roles


def declared_scopes(route: Any) -> frozenset[Scope]:
    """The scopes of the tokens that a route takes."""
    check = declared(route)
    return frozenset() if check is None else check.scopes


def routes(app: FastAPI) -> list[Any]:
    """Every route that runs a handler of ours."""
    return [route for route in iter_route_contexts(app.routes) if isinstance(route.original_route, APIRoute)]


def check_declarations(app: FastAPI) -> None:
    """Refuse an application with a route that does not say, exactly once, who may use it."""
    for route in iter_route_contexts(app.routes):
        original = route.original_route
        if isinstance(original, APIRoute):
            roles, path = declared_roles(route), str(route.path)
            ok = roles is not None and (not roles or "{campaign}" in path)
            if ok and path.startswith(API) != bool(declared_scopes(route)):
                raise TypeError(
                    f"route {path!r}: what is below {API} must declare the scope of its tokens, "
                    "dependencies=[scoped(…)], and nothing else may"
                )
        else:
            static = isinstance(original, Mount) and isinstance(original.app, StaticFilesForEver)
            ok = static or route.path == app.openapi_url
        if not ok:
            raise TypeError(
                f"route {route.path!r} must declare who may use it, once: dependencies=[allow(…)] or [PUBLIC]"
            )
