"""The organiser's page of programs: tokens are made, shown once, listed with their last use, and revoked."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import Role
from ..campaign.clients import SCOPES, Scope, add_client, clients, revoke_client
from ..campaign.database import Database
from ..campaign.definition import language_pairs
from ..campaign.people import Person
from ..errors import InputError
from .access import Staff, Store, allow
from .addresses import public_address
from .forms import Form, field
from .manage import go, show

router = APIRouter(prefix="/c/{campaign}/manage/programs", dependencies=[allow(Role.ORGANISER)])


@router.get("")
def look(request: Request, staff: Staff, db: Store, done: str = "", who: str = "") -> Response:
    """The programs and their tokens; ``done`` and ``who`` say what has just been done to which."""
    return _page(request, staff, db, done=done, who=who)


@router.post("")
def make(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Make a token and show it, this once; what cannot be used comes back with what was entered."""
    langs = [value for value in form.getlist("langs") if isinstance(value, str)]
    entered = {name: field(form, name).strip() for name in ("name", "scope", "days")}
    try:
        scope = _offered(entered["scope"])
        client, token = add_client(
            db,
            staff.campaign,
            entered["name"],
            scope,
            langs=langs if scope is Scope.JUDGE else (),
            days=_days(entered["days"]),
            by=staff.id,
        )
    except InputError as error:
        return _page(request, staff, db, status=422, refused=str(error), entered={**entered, "langs": langs})
    return show(request, staff, "token", client=client, token=token, place=public_address(request), says=SCOPES[scope])


@router.post("/{client_id}/revoke")
def revoke(request: Request, client_id: int, staff: Staff, db: Store) -> Response:
    """End a token."""
    for client in clients(db, staff.campaign):
        if client.id == client_id:
            revoke_client(db, client, by=staff.id)
            return go(request, staff, f"/programs?done=revoked&who={client_id}")
    raise HTTPException(404, "there is no such token in this campaign; go back to the list")


# -- inside ----------------------------------------------------------------------------------------------


def _page(request: Request, staff: Person, db: Database, *, status: int = 200, **messages: Any) -> Response:
    nothing = {"name": "", "scope": Scope.JUDGE, "days": "", "langs": []}
    notices = {"refused": None, "done": "", "who": "", "entered": nothing, **messages}
    every = clients(db, staff.campaign)
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
    about = next((client for client in every if str(client.id) == notices["who"]), None)
    offered = {scope: says for scope, says in SCOPES.items() if scope is not Scope.CREATE}
    return show(
        request, staff, "programs", status=status, clients=every, pairs=pairs, scopes=offered, about=about, **notices
    )


def _offered(given: str) -> Scope:
    """A scope of a campaign; campaigns are made by who has the command line of the server."""
    allowed = [scope for scope in SCOPES if scope is not Scope.CREATE]
    if given not in allowed:
        raise InputError(f"scope: got {given[:40]!r}; allowed: {', '.join(allowed)}")
    return Scope(given)


def _days(text: str) -> float | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise InputError(f"days: got {text[:20]!r}; allowed: a whole number, or nothing for a token that does not end")
    return float(text)
