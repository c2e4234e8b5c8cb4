"""The pages of organisers and observers: how the campaign stands, and the way to the other pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from fastapi import APIRouter, Request
from starlette.responses import Response

from ..campaign.definition import settings_of
from ..campaign.overview import CampaignStatus, PairStatus, campaign_status, compared, median_seconds
from ..campaign.people import Role
from ..campaign.settings import StopSettings
from . import manage_export, manage_log, manage_people, manage_settings
from .access import Staff, Store, allow
from .manage_page import show

router = APIRouter(prefix="/c/{campaign}/manage")
for part in (manage_people, manage_settings, manage_log, manage_export):
    router.include_router(part.router)

#: Shades of the table of comparisons, beside the one for none.
_SHADES = 5


@dataclass(frozen=True)
class Cell:
    """How often two systems were compared, and the shade that shows it: 0 for never, up to 5."""

    count: int
    shade: int


@dataclass(frozen=True)
class Goal:
    """A rule of when to stop, and how far it is."""

    says: str
    done: int
    of: int


@router.get("", dependencies=[allow(Role.OBSERVER)])
def overview(request: Request, staff: Staff, db: Store) -> Response:
    """How the campaign stands."""
    status = campaign_status(db, staff.campaign)
    met = compared(db, staff.campaign_id)
    with db.read() as tx:
        stop = settings_of(tx, staff.campaign_id).stop
    return show(
        request,
        staff,
        "overview",
        standing=status,
        totals=totals(status),
        tables={pair.name: table(pair.systems, met[pair.name], pair.most) for pair in status.pairs},
        goals={pair.name: goals(pair, stop) for pair in status.pairs},
        stop=stop,
        seconds=median_seconds(db, staff.campaign_id),
        ago=lambda moment: ago(moment, status.at),
    )


def totals(status: CampaignStatus) -> dict[str, int]:
    """What stands at the top."""
    pairs, judges = status.pairs, status.judges
    return {
        "screens answered": sum(pair.answered for pair in pairs),
        "in work": sum(pair.held for pair in pairs),
        "skipped": sum(pair.skipped for pair in pairs),
        "judges": len(judges),
        "at work now": sum(judge.at_work for judge in judges),
        "reached their target": sum(judge.done >= judge.target for judge in judges),
    }


def table(
    systems: Sequence[str], counts: Mapping[tuple[str, str], int], most: int
) -> list[tuple[str, list[Cell | None]]]:
    """Comparisons as a table: a row for each system; no cell for one with itself."""

    def cell(a: str, b: str) -> Cell | None:
        if a == b:
            return None
        count = counts[min(a, b), max(a, b)]
        return Cell(count, ceil(_SHADES * count / most) if count else 0)

    return [(a, [cell(a, b) for b in systems]) for a in systems]


def goals(pair: PairStatus, stop: StopSettings) -> list[Goal]:
    """The rules that count something in a language pair."""
    found = []
    if stop.screens is not None:
        found.append(Goal("screens answered", pair.answered, stop.screens))
    if stop.per_pair is not None:
        found.append(Goal("comparisons of any two", pair.least, stop.per_pair))
    return found


def ago(moment: datetime, now: datetime) -> str:
    """How long ago something was, in the unit that says it best."""
    minutes = max(0, int((now - moment).total_seconds() // 60))
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            number = minutes // size
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return "just now"
