"""What judges wrote beside their answers, and the screens it is about, for those who run or follow the campaign."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import Role
from ..campaign.answers import storable
from ..campaign.definition import language_pairs
from ..campaign.names import are_hidden
from ..campaign.notes import count_notes, notes, screen_of
from ..campaign.people import people
from .access import Staff, Store, allow
from .judging import language_of, outputs_of
from .manage import called, show
from .words import words

router = APIRouter(prefix="/c/{campaign}/manage/notes")

#: Notes on one page.
NOTES = 50
#: What can be asked for, and what the page calls it.
_KINDS = {"any": "All", "problem": "Problems", "comment": "Comments", "skipped": "Skipped screens"}
Number = Annotated[int | None, Query(ge=1, lt=2**63)]


@router.get("", dependencies=[allow(Role.OBSERVER)])
def look(
    request: Request,
    staff: Staff,
    db: Store,
    kind: str = "any",
    judge: str = "",
    langs: str = "",
    before: Number = None,
) -> Response:
    """The newest notes, or those before one of them; of one kind, judge or language pair, if that is asked for."""
    kind = kind if kind in _KINDS else "any"
    whose, pair = storable(judge, "judge") or None, storable(langs, "langs") or None
    page = notes(db, staff.campaign_id, kind=kind, judge=whose, lang_pair=pair, limit=NOTES + 1, before=before)
    shown = page[:NOTES]
    chosen = {"kind": kind if kind != "any" else "", "judge": judge, "langs": langs}
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
    judges = [person for person in people(db, staff.campaign_id) if person.role is Role.JUDGE]
    return show(
        request,
        staff,
        "notes",
        shown=shown,
        kinds=_KINDS,
        kind=kind,
        judge=judge,
        langs=langs,
        pairs=pairs,
        judges=sorted((called(staff, person), person.pseudonym) for person in judges),
        older=shown[-1].id if len(page) > NOTES else None,
        newest=before is None,
        counts=count_notes(db, staff.campaign_id),
        filter=urlencode({name: value for name, value in chosen.items() if value}),
    )


@router.get("/{number}", dependencies=[allow(Role.OBSERVER)])
def screen(request: Request, number: int, staff: Staff, db: Store) -> Response:
    """A screen as its judge saw it, with their answer; which system is which can be looked up by who may know."""
    found = screen_of(db, staff.campaign_id, number) if 0 < number < 2**63 else None
    if found is None:
        raise HTTPException(404, "there is no such note in this campaign; go back to the list of notes")
    note, view = found
    with db.read() as tx:
        names = not are_hidden(tx, staff.campaign_id, staff.role)
    return show(
        request,
        staff,
        "noted_screen",
        note=note,
        screen=view,
        outputs=outputs_of(view),
        judge_say=words("en").in_vocabulary(view.settings.task.vocabulary),
        source_language=language_of(view.langs.source),
        target_language=language_of(view.langs.target),
        names=names,
    )
