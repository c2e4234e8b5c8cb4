"""Who takes part: invite, shut out, forget names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import Role
from ..campaign.answers import storable
from ..campaign.database import Database
from ..campaign.definition import language_pairs, settings_of
from ..campaign.directory import LONGEST_SEARCH, SORTS, Asked, directory
from ..campaign.people import Person, add_person, by_pseudonym, change_langs, invite, pseudonymise, revoke
from ..errors import InputError
from .access import Staff, Store, allow
from .addresses import public_address
from .forms import Form, field
from .manage import called, go, show

router = APIRouter(prefix="/c/{campaign}/manage/people")


@router.get("", dependencies=[allow(Role.OBSERVER)])
def look(
    request: Request,
    staff: Staff,
    db: Store,
    q: str = "",
    sort: str = "added",
    page: Annotated[int, Query(ge=1, lt=2**31)] = 1,
    done: str = "",
    who: str = "",
) -> Response:
    """People, and how far they have come; ``done`` and ``who`` say what has just been done to whom."""
    search = "".join(sign for sign in q if sign.isprintable())[:LONGEST_SEARCH].strip()
    return _page(request, staff, db, Asked(search, sort, page), done=done, who=storable(who, "who"))


@router.post("", dependencies=[allow(Role.ORGANISER)])
def add(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Add someone and show their link; what cannot be used comes back with what was entered."""
    role, name, langs = field(form, "role"), field(form, "name").strip(), _langs(form)
    try:
        person = add_person(db, staff.campaign, role, name, langs=langs if role == Role.JUDGE else (), by=staff.id)
    except InputError as error:
        entered = {"name": name, "role": role, "langs": langs}
        return _page(request, staff, db, status=422, refused=str(error), entered=entered)
    return _invited(request, staff, db, person)


@router.post("/{pseudonym}/invite", dependencies=[allow(Role.ORGANISER)])
def invite_again(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """Show a further link; earlier ones go on working until they end or are withdrawn."""
    return _invited(request, staff, db, found(db, staff, pseudonym))


@router.post("/{pseudonym}/revoke", dependencies=[allow(Role.ORGANISER)])
def shut_out(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """End every link and session of someone."""
    person = _other(found(db, staff, pseudonym), staff)
    revoke(db, person, by=staff.id)
    return go(request, staff, f"/people?done=revoked&who={pseudonym}")


@router.get("/{pseudonym}/pseudonymise", dependencies=[allow(Role.ORGANISER)])
def ask(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """Say what removing a name means."""
    person = _other(found(db, staff, pseudonym), staff)
    return show(request, staff, "pseudonymise", person=person)


@router.post("/{pseudonym}/pseudonymise", dependencies=[allow(Role.ORGANISER)])
def remove_name(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """Remove a name for good."""
    person = _other(found(db, staff, pseudonym), staff)
    gone = pseudonymise(db, person, by=staff.id)
    return go(request, staff, f"/people?done={'pseudonymised' if gone else 'name-in-log-file'}&who={pseudonym}")


@router.get("/{pseudonym}/langs", dependencies=[allow(Role.ORGANISER)])
def choose_langs(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """The language pairs of a judge, to be changed."""
    person = judge(found(db, staff, pseudonym))
    return _langs_page(request, staff, db, person, person.langs)


@router.post("/{pseudonym}/langs", dependencies=[allow(Role.ORGANISER)])
def set_langs(request: Request, pseudonym: str, staff: Staff, db: Store, form: Form) -> Response:
    """Let a judge work on other language pairs."""
    person, langs = judge(found(db, staff, pseudonym)), _langs(form)
    try:
        change_langs(db, person, langs, by=staff.id)
    except InputError as error:
        return _langs_page(request, staff, db, person, langs, status=422, refused=str(error))
    return go(request, staff, f"/people?done=langs&who={pseudonym}")


# -- inside ----------------------------------------------------------------------------------------------


def _page(
    request: Request, staff: Person, db: Database, asked: Asked | None = None, *, status: int = 200, **messages: Any
) -> Response:
    entered = {"name": "", "role": Role.JUDGE, "langs": []}
    notices = {"refused": None, "done": "", "who": "", "entered": entered, **messages}
    asked = asked or Asked()
    listed = directory(db, staff.campaign_id, asked, names=staff.role is Role.ORGANISER)
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
    about = by_pseudonym(db, staff.campaign_id, str(notices["who"])) if notices["who"] else None
    return show(
        request,
        staff,
        "people",
        status=status,
        listed=listed,
        asked=asked,
        sorts=SORTS,
        other=partial(_other_list, asked),
        pairs=pairs,
        roles=_ROLES,
        about=None if about is None else called(staff, about),
        **notices,
    )


def _other_list(asked: Asked, **changes: Any) -> str:
    """The query of the same list with something else about it; another order begins at its first page."""
    if "sort" in changes:
        turned = changes["sort"] == asked.sort
        changes = {"page": 1, "sort": f"-{asked.sort}" if turned else changes["sort"]}
    wanted = replace(asked, **changes)
    given = {"q": wanted.search, "sort": wanted.sort, "page": wanted.page}
    usual = {"q": "", "sort": "added", "page": 1}
    return urlencode({key: value for key, value in given.items() if value != usual[key]})


#: What a role may do, in the order in which it is offered.
_ROLES = {
    Role.JUDGE: "ranks outputs",
    Role.OBSERVER: "follows the campaign, sees no names of judges, changes nothing",
    Role.ORGANISER: "runs the campaign",
}


def _invited(request: Request, staff: Person, db: Database, person: Person) -> Response:
    """The one page that shows a link: it cannot be had again."""
    token = invite(db, person, by=staff.id)
    with db.read() as tx:
        days = settings_of(tx, staff.campaign_id).access.invite_days
    here = public_address(request)
    return show(request, staff, "invited", person=person, link=here.link(token), place=here, days=days)


def _langs_page(
    request: Request,
    staff: Person,
    db: Database,
    person: Person,
    langs: Iterable[str],
    *,
    status: int = 200,
    refused: str | None = None,
) -> Response:
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
    return show(request, staff, "langs", status=status, person=person, langs=set(langs), pairs=pairs, refused=refused)


def found(db: Database, staff: Person, pseudonym: str) -> Person:
    person = by_pseudonym(db, staff.campaign_id, storable(pseudonym, "pseudonym"))
    if person is None:
        raise HTTPException(
            404, f"there is no one called {pseudonym!r} in this campaign; go back to the list of people"
        )
    return person


def _other(person: Person, staff: Person) -> Person:
    """Refuse to let organisers lock themselves out."""
    if person.id == staff.id:
        raise HTTPException(409, "this is you, and you would be locked out; ask another organiser to do it")
    return person


def judge(person: Person) -> Person:
    """Refuse whoever has no language pairs."""
    if person.role is not Role.JUDGE:
        raise HTTPException(409, f"language pairs are for judges, and this is an {person.role}; go back to the list")
    return person


def _langs(form: FormData) -> list[str]:
    return [value for value in form.getlist("langs") if isinstance(value, str)]
