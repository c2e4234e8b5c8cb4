"""The pages of organisers and observers: what all of them share, how the campaign stands, and the log.

They are in English only. People, settings and downloads have modules of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from ..campaign import Role
from ..campaign.definition import settings_of
from ..campaign.journal import Event, entries
from ..campaign.names import are_hidden, shown_names, without_names
from ..campaign.notes import count_notes
from ..campaign.overview import CampaignStatus, PairStatus, median_seconds, status_and_comparisons
from ..campaign.people import Person
from ..campaign.settings import StopSettings
from .access import Staff, Store, allow
from .pages import render, url
from .words import words

router = APIRouter(prefix="/c/{campaign}/manage")

#: Path below ``/manage``, what links say, and whether it is for organisers alone.
PAGES = (
    ("", "Overview", False),
    ("/results", "Results", False),
    ("/people", "People", False),
    ("/crowd", "Crowd", True),
    ("/programs", "Programs", True),
    ("/texts", "Texts", True),
    ("/notes", "Notes", False),
    ("/settings", "Settings", False),
    ("/log", "Log", True),
    ("/export", "Export", False),
    ("/publish", "Publish", True),
)
#: Entries on one page.
ENTRIES = 100
#: Kinds of entries that do not speak for themselves.
_KINDS = {
    "leased": "took work",
    "lease-returned": "work returned",
    "langs-changed": "languages changed",
    "name-still-in-log-file": "removed name still in SQLite's log",
}
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
    status, met = status_and_comparisons(db, staff.campaign)
    with db.read() as tx:
        stop = settings_of(tx, staff.campaign_id).stop
        names = shown_names(tx, staff.campaign_id, staff.role)
        hidden = are_hidden(tx, staff.campaign_id, staff.role)
    return show(
        request,
        staff,
        "overview",
        standing=status,
        totals=totals(status),
        tables={pair.name: comparisons(pair, met[pair.name], names[pair.name]) for pair in status.pairs},
        says={pair.name: _says(pair, names[pair.name] if hidden else ()) for pair in status.pairs},
        goals={pair.name: goals(pair, stop) for pair in status.pairs},
        stop=stop,
        uncounted=uncounted(stop),
        seconds=median_seconds(db, staff.campaign_id),
        notes=count_notes(db, staff.campaign_id),
        ago=lambda moment: ago(moment, status.at),
    )


def totals(status: CampaignStatus) -> dict[str, int]:
    """What stands at the top."""
    pairs, judges = status.pairs, status.judges
    return {
        "screens answered": sum(pair.answered for pair in pairs),
        "in progress": sum(pair.held for pair in pairs),
        "skipped": sum(pair.skipped for pair in pairs),
        "judges": len(judges),
        "at work now": sum(judge.at_work for judge in judges),
        "reached their target": sum(judge.done >= judge.target for judge in judges),
    }


def comparisons(
    pair: PairStatus, met: Mapping[tuple[str, str], int], names: Mapping[str, str]
) -> list[tuple[str, list[Cell | None]]]:
    """Comparisons of the systems of a language pair, by what they are called before this reader."""
    counts = {(min(names[a], names[b]), max(names[a], names[b])): count for (a, b), count in met.items()}
    called = [names[system] for system in pair.systems]
    # Names stand as they stood; letters in their own order, or their places would tell.
    systems = called if called == list(pair.systems) else sorted(called, key=lambda name: (len(name), name))
    return table(systems, counts, pair.most)


def _says(pair: PairStatus, hidden: Collection[str]) -> list[str]:
    """How the analysis of a language pair stands, without the names of systems that are hidden."""
    return [] if pair.analysed is None else without_names(pair.analysed.says, hidden)


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
    rules = []
    if stop.screens is not None:
        rules.append(Goal("screens answered", pair.answered - pair.left_out, stop.screens))
    if stop.per_pair is not None:
        rules.append(Goal("comparisons of any two", pair.least, stop.per_pair))
    said = (pair.analysed.standing if pair.analysed is not None else None) or {}
    kind, _, value = stop.rule.partition("=")
    if kind == "clusters":
        rules.append(Goal("clusters of systems", said.get("clusters", 1), int(value)))
    if kind == "pairs":
        rules.append(Goal("% of pairs separated", int(100 * said.get("pairs", 0.0) + 1e-9), round(100 * float(value))))
    return rules


def uncounted(stop: StopSettings) -> str:
    """A rule on the ranking that is met or not, and nothing between."""
    kind, _, value = stop.rule.partition("=")
    if kind == "widest":
        return f"no rank range wider than {value}"
    return "the best system is separated from all others" if kind == "best" else ""


def ago(moment: datetime, now: datetime) -> str:
    """How long ago something was, in the unit that says it best."""
    minutes = max(0, int((now - moment).total_seconds() // 60))
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            number = minutes // size
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return "just now"


# -- the log ---------------------------------------------------------------------------------------------


@router.get("/log", dependencies=[allow(Role.ORGANISER)])
def log(
    request: Request, staff: Staff, db: Store, before: Annotated[int | None, Query(ge=1, lt=2**63)] = None
) -> Response:
    """The newest entries, or those before one of them."""
    page = list(entries(db, staff.campaign_id, limit=ENTRIES + 1, before=before))
    shown = page[:ENTRIES]
    older = shown[-1].id if len(page) > ENTRIES else None
    rows = [(event, _KINDS.get(event.kind, event.kind.replace("-", " ")), details(event)) for event in shown]
    return show(request, staff, "log", rows=rows, older=older, newest=before is None)


def details(event: Event) -> str:
    """What else an entry says, in one line."""
    return ", ".join(f"{key} {_written(value)}" for key, value in event.body.items() if value not in ([], None))


def _written(value: object) -> str:
    if isinstance(value, list):
        return " ".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


# -- what all these pages share -----------------------------------------------------------------------------


def show(request: Request, staff: Person, name: str, *, status: int = 200, **context: Any) -> Response:
    """Fill a template of ``manage/``."""
    organises = staff.role is Role.ORGANISER
    response = render(
        request,
        f"manage/{name}.html",
        status=status,
        english=words("en"),
        campaign=staff.campaign,
        staff=staff,
        organises=organises,
        home=address(request, staff),
        sections=[(path, title) for path, title, theirs in PAGES if organises or not theirs],
        written=written,
        **context,
    )
    response.headers["Content-Language"] = "en"
    return response


def address(request: Request, staff: Person, path: str = "") -> str:
    return url(request, f"/c/{staff.campaign}/manage{path}")


def go(request: Request, staff: Person, path: str) -> Response:
    """Lead on after a change, so that loading the page again does not repeat it."""
    return RedirectResponse(address(request, staff, path), status_code=303)


def called(staff: Person, person: Person) -> str:
    """What someone is called before this reader: only organisers see names."""
    return person.name if staff.role is Role.ORGANISER else person.pseudonym


def written(moment: datetime) -> str:
    """A moment in universal time, as people write it."""
    return f"{moment.day} {moment:%b %Y, %H:%M}"
