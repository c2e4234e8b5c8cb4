"""The JSON interface for who follows campaigns: how they stand, results, people, notes, downloads.

What observers may not see, a token to read does not tell either: names of judges, and of systems while they are hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign import Role
from ..campaign.boards import board_of
from ..campaign.clients import Scope, created_by
from ..campaign.database import Database
from ..campaign.definition import language_pairs
from ..campaign.export import export, export_screens
from ..campaign.given_texts import settings_now
from ..campaign.names import are_hidden, shown_names
from ..campaign.notes import notes as notes_of
from ..campaign.overview import campaign_lines, campaign_status
from ..campaign.people import Person
from ..campaign.presences import presences
from .access import Program, Staff, Store, scoped
from .api_parts import ALWAYS, PREFIX, After, CampaignName, Limit, Listed, Upto, listed, one_of
from .manage_export import DOWNLOADS, record_download, sent

list_router = APIRouter(prefix="/api/v1/campaigns", tags=["Campaigns"], responses=ALWAYS)
router = APIRouter(prefix=PREFIX, tags=["Following a campaign"], responses=ALWAYS)
_FORMAT = one_of(*DOWNLOADS)
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "the file",
        "content": {kind: {} for kind in sorted({each.media for each in DOWNLOADS.values()})},
    }
}


class SettingsOut(BaseModel):
    """The settings in force, by section; ``toml`` is the same as a file."""

    revision: int
    settings: dict[str, dict[str, Any]]
    toml: str


class PairResults(BaseModel):
    """The newest results of a language pair. They rest on all answers up to ``answer``, and on who is left out up to
    change ``left_out`` (0: nobody ever was); ``body`` has the parts that the page of results shows, each as the command
    of its name gives it.
    """

    lang_pair: str
    version: int
    answer: int
    left_out: int
    judgments: int
    at: str
    body: dict[str, Any]


class ResultsOut(BaseModel):
    """Of every language pair that has results; nothing is computed for the request."""

    pairs: list[PairResults]


@list_router.get("", dependencies=[scoped(*Scope)])
def list_campaigns(program: Program, db: Store, after: After = 0, limit: Limit = 100) -> Listed:
    """The campaigns that the token is for: its own; with scope `create`, those that were made with it."""
    assert program is not None  # no cookie gets here
    mine = created_by(db, program) if program.scope is Scope.CREATE else {program.campaign_id}
    judges = program.scope is Scope.JUDGE  # who judges is not told how others do
    lines = [line for line in campaign_lines(db) if line.id in mine and line.id > after]
    told: Callable[[dict[str, Any]], dict[str, Any]] = (
        (lambda line: {"name": line["name"], "state": line["state"]}) if judges else dict
    )
    return listed([(line.id, told(line.to_dict())) for line in lines[: limit + 1]], limit)


@router.get("/status", dependencies=[scoped(Scope.READ)])
def status(campaign: CampaignName, staff: Staff, db: Store) -> dict[str, Any]:
    """How the campaign stands: its language pairs and its judges, as `palmares campaign status` prints it."""
    told = campaign_status(db, campaign).to_dict()
    if staff.role is not Role.ORGANISER:
        told["judges"] = [_nameless(judge) for judge in told["judges"]]
    with db.read() as tx:
        hidden, names = are_hidden(tx, staff.campaign_id, staff.role), shown_names(tx, staff.campaign_id, staff.role)
    if hidden:
        told["pairs"] = [_coded(pair, names[pair["name"]]) for pair in told["pairs"]]
    return told


@router.get("/results", dependencies=[scoped(Scope.READ)])
def results(campaign: CampaignName, staff: Staff, db: Store) -> ResultsOut:
    """The newest results, as the page of results has them; 403 while names of systems are hidden from observers."""
    _refuse_hidden(db, staff)
    found = []
    with db.read() as tx:
        for pair in language_pairs(tx, staff.campaign_id):
            board = board_of(tx, pair.id)
            if board is not None:
                numbers = {key: getattr(board, key) for key in ("version", "answer", "left_out", "judgments", "body")}
                found.append(PairResults(lang_pair=pair.name, at=board.at.isoformat(), **numbers))
    return ResultsOut(pairs=found)


@router.get("/settings", dependencies=[scoped(Scope.READ)])
def settings(campaign: CampaignName, staff: Staff, db: Store) -> SettingsOut:
    """The settings in force."""
    revision, now = settings_now(db, campaign)
    return SettingsOut(revision=revision, settings=now.model_dump(mode="json"), toml=now.to_toml())


@router.get("/people", dependencies=[scoped(Scope.READ)])
def people(campaign: CampaignName, staff: Staff, db: Store, after: After = 0, limit: Limit = 100) -> Listed:
    """Who takes part, in the order they were added; names are told to who manages the campaign."""
    found = [each for each in presences(db, staff.campaign_id) if each.person.id > after][: limit + 1]
    rows = [(each.person.id, _person(each.person, each.link_until, each.session_until)) for each in found]
    return listed([(key, row if staff.role is Role.ORGANISER else _nameless(row)) for key, row in rows], limit)


@router.get("/notes", dependencies=[scoped(Scope.READ)])
def notes(
    campaign: CampaignName,
    staff: Staff,
    db: Store,
    problems: bool = False,
    before: Annotated[int | None, Query(ge=1, lt=2**63, description="`next` of the page before")] = None,
    limit: Limit = 100,
) -> Listed:
    """What judges wrote beside their answers, newest first; ``next`` asks for older ones as ``before``."""
    _refuse_hidden(db, staff)
    found = notes_of(db, staff.campaign_id, problems=problems, before=before, limit=limit + 1)
    rows = [(each.id, each.to_dict()) for each in found]
    return listed([(key, row if staff.role is Role.ORGANISER else _nameless(row)) for key, row in rows], limit)


@router.get("/export/judgments", dependencies=[scoped(Scope.READ)], responses=_FILE, response_class=Response)
def judgments(
    campaign: CampaignName,
    staff: Staff,
    db: Store,
    format: Annotated[str, *_FORMAT] = "csv",
    controls: bool = False,
    collapse: bool = False,
    up_to: Upto = None,
) -> Response:
    """The judgments as a file; 404 before there are any. Every download is in the campaign's log."""
    _refuse_hidden(db, staff)
    wanted = DOWNLOADS[format]
    with TemporaryDirectory(prefix="palmares-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"judgments.{wanted.ending}"
        written = export(
            db,
            campaign,
            path,
            format=wanted.format,
            drop=wanted.drop,
            merged="collapse" if collapse else "expand",
            controls=controls,
            upto=up_to,
        )
        if not written.judgments:
            raise HTTPException(404, "there are no judgments yet")
        record_download(db, staff, what="judgments", format=format, controls=controls, judgments=written.judgments)
        return sent(path, f"{campaign}-judgments", wanted.media)


@router.get("/export/screens", dependencies=[scoped(Scope.READ)], responses=_FILE, response_class=Response)
def screens(campaign: CampaignName, staff: Staff, db: Store, revisions: bool = False, up_to: Upto = None) -> Response:
    """Every screen with its texts, one JSON object per line; 404 before there are any."""
    _refuse_hidden(db, staff)
    with TemporaryDirectory(prefix="palmares-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "screens.jsonl"
        written = export_screens(db, campaign, path, revisions=revisions, upto=up_to)
        if not written.lines:
            raise HTTPException(404, "there are no answers yet")
        number = written.screens + written.skipped
        record_download(db, staff, what="screens", revisions=revisions, screens=number)
        return sent(path, f"{campaign}-screens", "application/jsonl")


# -- inside ----------------------------------------------------------------------------------------------


def _person(person: Person, link_until: Any, session_until: Any) -> dict[str, Any]:
    return {
        "name": person.name,
        "pseudonym": person.pseudonym,
        "role": str(person.role),
        "program": person.program,
        "langs": list(person.langs),
        "link_until": None if link_until is None else link_until.isoformat(),
        "session_until": None if session_until is None else session_until.isoformat(),
    }


def _refuse_hidden(db: Database, staff: Person) -> None:
    """Refuse what tells which system is which to who may not know yet."""
    with db.read() as tx:
        if are_hidden(tx, staff.campaign_id, staff.role):
            raise HTTPException(403, "names of systems are hidden until an organiser reveals them (results.names)")


def _coded(pair: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """How a language pair stands, with systems by their letters; the forecast of the analysis names them, too."""
    analysed = None if pair["analysed"] is None else {**pair["analysed"], "standing": None}
    return {**pair, "systems": sorted(names[name] for name in pair["systems"]), "analysed": analysed}


def _nameless(row: dict[str, Any]) -> dict[str, Any]:
    """The same without the name of a judge, whom observers know by pseudonym."""
    return {key: value for key, value in row.items() if key != "name"}
