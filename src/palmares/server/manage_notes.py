"""What judges wrote beside their answers, for those who run or follow the campaign."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ..campaign import Role
from ..campaign.names import are_hidden
from ..campaign.notes import Note, count_notes, notes
from .access import Staff, Store, allow
from .manage import show

router = APIRouter(prefix="/c/{campaign}/manage/notes")

#: Notes on one page.
NOTES = 25


@router.get("", dependencies=[allow(Role.OBSERVER)])
def look(
    request: Request,
    staff: Staff,
    db: Store,
    problems: bool = False,
    before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
) -> Response:
    """The newest notes, or those before one of them; all, or only reports of problems."""
    page = notes(db, staff.campaign_id, problems=problems, limit=NOTES + 1, before=before)
    shown = page[:NOTES]
    older = shown[-1].id if len(page) > NOTES else None
    with db.read() as tx:
        if are_hidden(tx, staff.campaign_id, staff.role):
            shown = [_without_systems(note) for note in shown]
    counts = count_notes(db, staff.campaign_id)
    return show(
        request, staff, "notes", shown=shown, older=older, newest=before is None, problems=problems, counts=counts
    )


def _without_systems(note: Note) -> Note:
    """The same for who may not learn which system wrote what."""
    return replace(note, outputs=tuple(replace(output, systems=()) for output in note.outputs))
