"""What judges of a campaign see, for organisers and observers to look at: nothing of it counts or is stored."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ..campaign import Role
from ..campaign.database import Database
from ..campaign.definition import language_pairs, settings_of
from ..campaign.people import Person
from ..campaign.samples import sample_of_campaign
from . import samples
from .access import Staff, Store, allow
from .forms import Form
from .manage import address, show

router = APIRouter(prefix="/c/{campaign}/manage/preview")
Number = Annotated[int, Query(ge=0, lt=2**31)]


@router.get("", dependencies=[allow(Role.OBSERVER)])
def look(request: Request, staff: Staff, db: Store) -> Response:
    """What there is to look at."""
    return _page(request, staff, db)


@router.get("/welcome", dependencies=[allow(Role.OBSERVER)])
def welcome(request: Request, staff: Staff, db: Store) -> Response:
    """What every judge reads first, by the settings in force."""
    with db.read() as tx:
        settings = settings_of(tx, staff.campaign_id)
    onward, back = address(request, staff, "/preview/screen"), address(request, staff, "/preview")
    return samples.welcome(request, staff.campaign, settings, onward=onward, back=back)


@router.get("/screen", dependencies=[allow(Role.OBSERVER)])
def screen(request: Request, staff: Staff, db: Store, pair: Number = 0, n: Number = 0) -> Response:
    """A screen, by the settings in force."""
    return _sample(request, staff, db, pair, n)


@router.post("/screen", dependencies=[allow(Role.OBSERVER)])
def answer(request: Request, staff: Staff, db: Store, form: Form, pair: Number = 0, n: Number = 0) -> Response:
    """The same after an answer: nothing is stored."""
    return _sample(request, staff, db, pair, n, sent="action" in form or "pair" in form)


# -- inside ----------------------------------------------------------------------------------------------


def _page(request: Request, staff: Person, db: Database, **messages: Any) -> Response:
    with db.read() as tx:
        pairs = [pair.name for pair in language_pairs(tx, staff.campaign_id)]
    return show(request, staff, "preview", pairs=pairs, **{"empty": "", **messages})


def _sample(request: Request, staff: Person, db: Database, pair: int, n: int, *, sent: bool = False) -> Response:
    with db.read() as tx:
        pairs = language_pairs(tx, staff.campaign_id)
    chosen = pair % len(pairs)
    view = sample_of_campaign(db, staff.campaign_id, pairs[chosen], n)
    if view is None:
        return _page(request, staff, db, empty=pairs[chosen].name)
    here = address(request, staff, f"/preview/screen?pair={chosen}&n=")
    back = address(request, staff, "/preview")
    return samples.screen(
        request, staff.campaign, view, here=f"{here}{n}", another=f"{here}{n + 1}", back=back, sent=sent
    )
