"""Invite many judges at once: a list is checked and shown before anyone is added; then all links come on one page."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from ..campaign import Role
from ..campaign.answers import storable
from ..campaign.database import Database
from ..campaign.definition import language_pairs, settings_of
from ..campaign.invitations import Checked, Guest, Invited, check, invite_all, read_csv, read_lines, written
from ..campaign.people import Person, digest
from ..campaign.spreadsheets import POLICIES, safe_cell
from ..errors import InputError
from .access import Staff, Store, allow
from .addresses import public_address
from .forms import Form, field
from .manage import show

router = APIRouter(prefix="/c/{campaign}/manage/people/many")

#: What the file of links does with names that a spreadsheet would run, in the order in which it is offered.
_FORMULAS = {
    "escape": "an apostrophe is put before them",
    "refuse": "they are refused",
    "keep": "they stay as they are",
}
assert set(_FORMULAS) == set(POLICIES)


@dataclass(frozen=True)
class Preview:
    """What would become of a list."""

    rows: tuple[Checked, ...]

    @property
    def new(self) -> list[Checked]:
        return [row for row in self.rows if not row.problems and row.known is None]

    @property
    def known(self) -> list[Checked]:
        return [row for row in self.rows if not row.problems and row.known is not None]

    @property
    def wrong(self) -> list[Checked]:
        return [row for row in self.rows if row.problems]

    @property
    def mark(self) -> str:
        """Differs as soon as something else would happen than what was shown."""
        return digest(
            repr([(row.guest.name, row.guest.langs, row.known and row.known.id, row.problems) for row in self.rows])
        )


@router.get("", dependencies=[allow(Role.ORGANISER)])
def ask(request: Request, staff: Staff, db: Store) -> Response:
    """An empty list."""
    return _page(request, staff, db, "")


@router.post("", dependencies=[allow(Role.ORGANISER)])
def preview(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Say what would become of a list; nothing is made yet."""
    text, formulas = field(form, "names"), _formulas(form)
    try:
        guests = _guests(form)
        text = written(guests)
        checked = Preview(tuple(check(db, staff.campaign, guests, formulas=formulas)))
    except InputError as error:
        return _page(request, staff, db, text, formulas, status=422, refused=str(error))
    return _page(request, staff, db, text, formulas, preview=checked)


@router.post("/links", dependencies=[allow(Role.ORGANISER)])
def create(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Make the links that were announced, and show them this once."""
    text, formulas = field(form, "names"), _formulas(form)
    again = field(form, "again") == "yes"
    try:
        checked = Preview(tuple(check(db, staff.campaign, _guests(form), formulas=formulas)))
        if field(form, "mark") != checked.mark:
            return _page(request, staff, db, text, formulas, status=409, preview=checked, conflict=True)
        wanted = [*checked.new, *(checked.known if again else ())]
        invited = invite_all(db, staff.campaign, wanted, by=staff.id)
    except InputError as error:
        return _page(request, staff, db, text, formulas, status=422, refused=str(error))
    if not invited:
        return _page(
            request, staff, db, text, formulas, status=422, preview=checked, refused="nobody is left to invite"
        )
    return _links(request, staff, db, invited, formulas)


# -- inside ----------------------------------------------------------------------------------------------


def _page(
    request: Request,
    staff: Person,
    db: Database,
    text: str,
    formulas: str = "escape",
    *,
    status: int = 200,
    **messages: Any,
) -> Response:
    notices = {"preview": None, "refused": None, "conflict": False, **messages}
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
    return show(
        request,
        staff,
        "many",
        status=status,
        text=text,
        pairs=pairs,
        formulas=formulas,
        policies=_FORMULAS,
        **notices,
    )


def _guests(form: FormData) -> list[Guest]:
    """Whom an uploaded file names, or else the text."""
    data = _uploaded(form)
    guests = read_csv(data) if data else read_lines(field(form, "names").replace("\r\n", "\n"))
    for guest in guests:
        storable(guest.name, f"line {guest.line}")
    return guests


def _uploaded(form: FormData) -> bytes:
    """The content of the file; without one, browsers send an empty part."""
    file = form.get("file")
    if not isinstance(file, UploadFile):
        return b""
    with file.file as content:
        return content.read()


def _formulas(form: FormData) -> str:
    return chosen if (chosen := field(form, "formulas")) in POLICIES else "escape"


def _links(request: Request, staff: Person, db: Database, invited: list[Invited], formulas: str) -> Response:
    here = public_address(request)
    rows = [(each.person, here.link(each.token)) for each in invited]
    with db.read() as tx:
        days = settings_of(tx, staff.campaign_id).access.invite_days
    # The file is in the page itself: links cannot be had again, so nothing could be asked for later.
    file = "data:text/csv;charset=utf-8," + quote(_csv(rows, formulas))
    return show(request, staff, "links", rows=rows, file=file, place=here, days=days)


def _csv(rows: list[tuple[Person, str]], formulas: str) -> str:
    """The links as a file; it begins with a byte order mark, or spreadsheets take it for another encoding."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(("name", "role", "langs", "link"))
    writer.writerows((safe_cell(p.name, formulas), str(p.role), " ".join(p.langs), link) for p, link in rows)
    return "\ufeff" + text.getvalue()
