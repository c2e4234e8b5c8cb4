"""The end of a campaign: into the archive and out again, or deleted for good once everything was taken along."""

from __future__ import annotations

import logging
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ..campaign import Role, journal
from ..campaign.archive import archive, archived_now, restore
from ..campaign.database import Database
from ..campaign.definition import settings_of
from ..campaign.deletion import check_typed, delete_campaign, has_everything, last_answer, taken
from ..campaign.export import export, export_screens
from ..campaign.overview import campaign_status
from ..campaign.people import Person
from ..errors import InputError
from .access import Staff, Store, allow, delete_session_cookie
from .forms import Form, field
from .manage import go, show
from .manage_export import sent
from .pages import render
from .words import words

log = logging.getLogger("palmares.server")
router = APIRouter(prefix="/c/{campaign}/manage/end")


@router.get("", dependencies=[allow(Role.ORGANISER)])
def look(request: Request, staff: Staff, db: Store, done: str = "") -> Response:
    """What can be done, and what it means."""
    return _page(request, staff, db, done=done)


@router.post("/archive", dependencies=[allow(Role.ORGANISER)])
def put_away(request: Request, staff: Staff, db: Store) -> Response:
    """Close the campaign and take it out of the lists."""
    archive(db, staff.campaign, by=staff.id)
    return go(request, staff, "/end?done=archived")


@router.post("/restore", dependencies=[allow(Role.ORGANISER)])
def take_out(request: Request, staff: Staff, db: Store) -> Response:
    """Put the campaign back, in the state it had."""
    restore(db, staff.campaign, by=staff.id)
    return go(request, staff, "/end?done=restored")


@router.get("/everything", dependencies=[allow(Role.ORGANISER)])
def everything(staff: Staff, db: Store) -> Response:
    """Judgments, screens with their texts and all revisions, and the settings, in one file."""
    with db.read() as tx:
        settings, answer = settings_of(tx, staff.campaign_id), last_answer(tx, staff.campaign_id)
    with TemporaryDirectory(prefix="palmares-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        export(db, staff.campaign, folder / "judgments.csv", format="pairwise")
        export_screens(db, staff.campaign, folder / "screens.jsonl", revisions=True)
        (folder / "settings.toml").write_text(settings.to_toml(explained=True), encoding="utf-8")
        with zipfile.ZipFile(folder / "everything.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for file in ("judgments.csv", "screens.jsonl", "settings.toml"):
                packed.write(folder / file, f"{staff.campaign}/{file}")
        with db.begin() as tx:
            journal.record(
                tx, db, staff.campaign_id, "exported", by=staff.id, what="everything", answer=answer
            )  # fmt: skip
        return sent(folder / "everything.zip", staff.campaign, "application/zip")


@router.post("/delete", dependencies=[allow(Role.ORGANISER)])
def delete(request: Request, staff: Staff, db: Store, form: Form) -> Response:
    """Delete the campaign, once its name was typed and everything was taken along, or somebody wants none of it."""
    typed = field(form, "typed")
    try:
        check_typed(staff.campaign, typed)
        if field(form, "without") != "yes" and not has_everything(db, staff.campaign_id, staff.id):
            raise InputError(
                "you have not downloaded everything that there is by now; download it, or tick that you need no copy"
            )
    except InputError as error:
        return _page(request, staff, db, status=422, refused=str(error), typed=typed)
    deleted = delete_campaign(db, staff.campaign)
    # No word of who did it: nothing of people stays.
    log.info("campaign %s was deleted: %d people, %d judgments", deleted.name, deleted.people, deleted.judgments)
    page = render(request, "manage/deleted.html", english=words("en"), deleted=deleted)
    delete_session_cookie(request, page, staff)
    return page


# -- inside ----------------------------------------------------------------------------------------------


def _page(request: Request, staff: Person, db: Database, *, status: int = 200, **messages: Any) -> Response:
    notices = {"refused": None, "done": "", "typed": "", **messages}
    standing = campaign_status(db, staff.campaign)
    return show(
        request,
        staff,
        "end",
        status=status,
        archived=archived_now(db, staff.campaign_id),
        answered=sum(pair.answered for pair in standing.pairs),
        judges=len(standing.judges),
        taken=taken(db, staff.campaign_id, staff.id),
        has_everything=has_everything(db, staff.campaign_id, staff.id),
        **notices,
    )
