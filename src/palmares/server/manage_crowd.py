"""The organiser's side of a crowd: group links with their places, workers, the file for payment, ids erased."""

from __future__ import annotations

import io
from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import Role, journal
from ..campaign.database import Database
from ..campaign.definition import language_pairs, settings_of
from ..campaign.group_links import WORKER_STATES, links, make_link, revoke_link
from ..campaign.people import Person
from ..campaign.workers import WorkerLine, erase_worker, workers, write_workers
from ..errors import InputError
from .access import Staff, Store, allow
from .addresses import public_address
from .forms import Form, field
from .manage import go, show

router = APIRouter(prefix="/c/{campaign}/manage", dependencies=[allow(Role.ORGANISER)])


@router.get("/crowd")
def look(request: Request, staff: Staff, db: Store, done: str = "", who: str = "") -> Response:
    """Links and workers; ``done`` and ``who`` say what has just been done to whom."""
    return _page(request, staff, db, done=done, who=who)


@router.post("/crowd")
def make(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Make a link and show it; what cannot be used comes back with what was entered."""
    langs = [value for value in form.getlist("langs") if isinstance(value, str)]
    entered = {name: field(form, name).strip() for name in ("name", "places", "days")}
    try:
        link, token = make_link(
            db,
            staff.campaign,
            places=_number(entered["places"], "places"),
            name=entered["name"] or None,
            langs=langs,
            days=_number(entered["days"], "days") if entered["days"] else None,
            by=staff.id,
        )
    except InputError as error:
        return _page(request, staff, db, status=422, refused=str(error), entered={**entered, "langs": langs})
    with db.read() as tx:
        settings = settings_of(tx, staff.campaign_id)
    return show(
        request,
        staff,
        "group_link",
        link=link,
        address=f"{public_address(request).address}/group/{token}",
        settings=settings,
    )


@router.post("/crowd/links/{link_id}/revoke")
def shut(request: Request, link_id: int, staff: Staff, db: Store) -> Response:
    """Let nobody new in by a link."""
    for status in links(db, staff.campaign_id):
        if status.link.id == link_id:
            revoke_link(db, staff.campaign, status.link.name, by=staff.id)
            return go(request, staff, f"/crowd?done=revoked&who={link_id}")
    raise HTTPException(404, "there is no such group link in this campaign; go back to the list")


@router.get("/crowd/workers/{pseudonym}/erase")
def ask(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """Say what erasing ids means."""
    return show(request, staff, "erase_worker", worker=_found(db, staff, pseudonym))


@router.post("/crowd/workers/{pseudonym}/erase")
def erase(request: Request, pseudonym: str, staff: Staff, db: Store) -> Response:
    """Erase the ids of a worker for good."""
    erased = erase_worker(db, staff.campaign, _found(db, staff, pseudonym).pseudonym, by=staff.id)
    return go(request, staff, f"/crowd?done={'erased' if erased.gone else 'ids-in-log-file'}&who={pseudonym}")


@router.get("/workers.csv")
def download(staff: Staff, db: Store) -> Response:
    """All workers, for approval and payment; on record, as every download is."""
    lines, text = workers(db, staff.campaign), io.StringIO(newline="")
    write_workers(lines, text)
    with db.begin() as tx:
        journal.record(tx, db, staff.campaign_id, "exported", by=staff.id, what="workers", workers=len(lines))
    headers = {"Content-Disposition": f'attachment; filename="{staff.campaign}-workers.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)


# -- inside ----------------------------------------------------------------------------------------------


def _page(request: Request, staff: Person, db: Database, *, status: int = 200, **messages: Any) -> Response:
    nothing = {"name": "", "places": "", "days": "", "langs": []}
    notices = {"refused": None, "done": "", "who": "", "entered": nothing, **messages}
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
        settings = settings_of(tx, staff.campaign_id)
    return show(
        request,
        staff,
        "crowd",
        status=status,
        group_links=links(db, staff.campaign_id),
        workers=workers(db, staff.campaign),
        states=WORKER_STATES,
        pairs=pairs,
        settings=settings,
        **notices,
    )


def _number(text: str, name: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise InputError(f"{name}: got {text!r}; allowed: a whole number")
    return int(text)


def _found(db: Database, staff: Person, pseudonym: str) -> WorkerLine:
    for line in workers(db, staff.campaign):
        if line.pseudonym == pseudonym:
            return line
    raise HTTPException(404, f"there is no worker {pseudonym!r} in this campaign; go back to the list")
