"""Results while people judge: for organisers and observers, and for everybody once they are published.

What is shown was computed by the analysis (`campaign.live`) and is only set in words and pictures here.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from ..campaign import Role
from ..campaign.boards import Board, Milestone, Standing, answers_since, board_of, milestones, standing
from ..campaign.database import Database
from ..campaign.definition import PairInfo, campaigns, language_pairs, settings_of, state_of
from ..campaign.left_out import left_out_of
from ..campaign.names import are_hidden, shown_names, without_names
from ..campaign.people import Person, people
from ..campaign.publications import Publication, public
from ..campaign.settings import Settings
from ..report.ranking_words import percent
from . import result_words as said
from .access import PUBLIC, Staff, Store, allow, current_session
from .manage import address, show, table, written
from .narrowing import Narrowed, narrowed
from .pages import render, url
from .streams import Streams
from .words import words

router = APIRouter(prefix="/c/{campaign}/manage/results")
public_router = APIRouter(prefix="/c/{campaign}/results")


@dataclass(frozen=True)
class Viewer:
    """Who looks at results: what they may see."""

    role: Role | None  # None: the public
    campaign_id: int
    campaign: str

    @property
    def sees_people(self) -> bool:
        return self.role is not None


@dataclass(frozen=True)
class Shown:
    """The results of one language pair as a reader sees them; without ``board`` nothing has been computed yet."""

    pair: str
    key: str
    board: Board | None
    since: int
    names: Mapping[str, str]
    parts: Mapping[str, Any]
    narrowed: Narrowed | None
    met: Any
    judges: Sequence[Mapping[str, Any]]
    commands: Mapping[str, Sequence[str]]

    @property
    def ranking(self) -> Any:
        return self.parts.get("ranking", {}).get("found")

    @property
    def order(self) -> str:
        """The systems in order, for scripts that say what has changed."""
        return json.dumps([self.names[line["system"]] for line in self.ranking["systems"]] if self.ranking else [])


# -- routes ----------------------------------------------------------------------------------------------


@router.get("", dependencies=[allow(Role.OBSERVER)])
def look(request: Request, staff: Staff, db: Store) -> Response:
    """The newest results."""
    return show(request, staff, "results", **_content(request, db, _viewer(staff)), base=address(request, staff))


@router.get("/fragment", dependencies=[allow(Role.OBSERVER)])
def fragment(request: Request, staff: Staff, db: Store) -> Response:
    """The same without the page around them, for a page that is open."""
    return _fragment(request, _content(request, db, _viewer(staff)), home=address(request, staff))


@router.get("/events", dependencies=[allow(Role.OBSERVER)])
async def events(request: Request, staff: Staff) -> StreamingResponse:
    """A stream that says when there are others."""
    return _streams(request).response(staff.campaign_id, current_session(request).token, "")


@public_router.get("", dependencies=[PUBLIC])
def look_from_outside(request: Request, campaign: str, db: Store) -> Response:
    """The newest results, if they are published."""
    content = _content(request, db, _stranger(db, campaign))
    response = render(
        request, "results/public.html", english=words("en"), campaign=campaign, written=written, home="", **content
    )
    response.headers["Content-Language"] = "en"
    return response


@public_router.get("/fragment", dependencies=[PUBLIC])
def fragment_from_outside(request: Request, campaign: str, db: Store) -> Response:
    """The same without the page around them."""
    return _fragment(request, _content(request, db, _stranger(db, campaign)), home="")


@public_router.get("/events", dependencies=[PUBLIC])
async def events_from_outside(request: Request, campaign: str, db: Store) -> StreamingResponse:
    """A stream that says when there are others."""
    viewer = await run_in_threadpool(_stranger, db, campaign)
    return _streams(request).response(viewer.campaign_id, None, "")


# -- who looks -------------------------------------------------------------------------------------------


def _viewer(staff: Person) -> Viewer:
    return Viewer(staff.role, staff.campaign_id, staff.campaign)


def _stranger(db: Database, name: str) -> Viewer:
    """The public, of a campaign whose results are published; whether there is another nobody learns."""
    known = {info.name: info.id for info in campaigns(db)}
    with db.read() as tx:
        if name in known and public(tx, known[name], db.clock()) is not None:
            return Viewer(None, known[name], name)
    raise HTTPException(404, "there are no published results here; check the address")


def _streams(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams


# -- what they see ---------------------------------------------------------------------------------------


def _content(request: Request, db: Database, viewer: Viewer) -> dict[str, Any]:
    """All that the template shows, from one state of the store."""
    now = db.clock()
    with db.read() as tx:
        settings = settings_of(tx, viewer.campaign_id)
        pairs = language_pairs(tx, viewer.campaign_id)
        # Publishing reveals names; they were shown to everybody who reads the report.
        names = shown_names(tx, viewer.campaign_id, viewer.role or Role.ORGANISER)
        hidden = viewer.role is not None and are_hidden(tx, viewer.campaign_id, viewer.role)
        state = standing(tx, viewer.campaign_id, now)
        closed = state_of(tx, viewer.campaign_id) == "closed"
        left_out = left_out_of(tx, viewer.campaign_id) if viewer.sees_people else {}
        published = public(tx, viewer.campaign_id, now)
        found = []
        for pair in pairs:
            board = board_of(tx, pair.id)
            since = 0 if board is None else answers_since(tx, pair.id, board.answer)
            earlier = milestones(tx, pair.id)
            one = _Pair(board, since, earlier, viewer, settings, pair, names[pair.name], hidden)
            found.append(one.shown(len(pairs)))
    called = _called(db, viewer)
    return {
        "shown": found,
        "standing": state,
        "warning": _warning(state, settings, found),
        "closed": closed,
        "live": settings.results.live,
        "hidden": hidden,
        "viewer": viewer,
        "left_out": [called.get(name, name) for name in left_out.values()],
        "called": called,
        "place": url(request, f"/c/{viewer.campaign}/{'manage/' if viewer.role else ''}results"),
        "published": _published(published, viewer, now),
        "said": said,
        "percent": percent,
    }


def _fragment(request: Request, content: Mapping[str, Any], *, home: str) -> Response:
    response = render(request, "results/fragment.html", written=written, home=home, **content)
    response.headers["Content-Language"] = "en"
    return response


def _called(db: Database, viewer: Viewer) -> dict[str, str]:
    """What organisers call people, by pseudonym; observers have pseudonyms alone, and the public no judges."""
    if viewer.role is not Role.ORGANISER:
        return {}
    return {person.pseudonym: person.name for person in people(db, viewer.campaign_id)}


def _published(publication: Publication | None, viewer: Viewer, now: datetime) -> str:
    """Whether strangers see this page now; said to those who run the campaign."""
    if viewer.role is None or publication is None:
        return ""
    return f"/c/{viewer.campaign}/results"


def _warning(state: Standing, settings: Settings, found: Sequence[Shown]) -> str:
    """Why these results may not be the newest."""
    if not settings.results.live:
        return "Live results are switched off (results.live = false): what stands here is not kept up to date."
    if state.condition == "not running":
        return (
            "The analysis is not running: these results stay as they are until it does. palmares serve starts it and "
            "keeps it alive."
        )
    if state.condition == "lagging":
        return "The analysis lags: answers of a while ago are not in these results yet."
    if any(each.board is None for each in found):
        return "The first results are being computed."
    return ""


@dataclass(frozen=True)
class _Pair:
    """One language pair, before this reader."""

    board: Board | None
    since: int
    earlier: Sequence[Milestone]
    viewer: Viewer
    settings: Settings
    pair: PairInfo
    names: Mapping[str, str]
    hidden: bool

    def shown(self, of: int) -> Shown:
        board = self.board
        parts = {} if board is None else self._readable(board.body["parts"])
        ranking = parts.get("ranking", {}).get("found")
        return Shown(
            pair=self.pair.name,
            key=f"pair-{self.pair.id}",
            board=board,
            since=self.since,
            names=self.names,
            parts=parts,
            narrowed=narrowed(self.earlier, board, ranking, self.names) if board else None,
            met=self._met(parts.get("met", {}).get("found")),
            judges=self._judges(parts),
            commands={} if board is None else self._commands(parts, several=of > 1),
        )

    def _readable(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """The parts, without judges for the public, and without sentences that name systems where names are hidden."""
        seen = {name: dict(part) for name, part in parts.items() if self.viewer.sees_people or name != "judges"}
        if not self.hidden:
            return seen
        for part in seen.values():
            part["why"] = " ".join(without_names([part["why"]], self.names)) if part["why"] else ""
            if isinstance(found := part["found"], dict):
                part["found"] = found = dict(found)
                if "notes" in found:
                    found["notes"] = without_names(found["notes"], self.names)
                if found.get("note"):
                    found["note"] = " ".join(without_names([found["note"]], self.names))
                if found.get("no_forecast"):
                    found["no_forecast"] = " ".join(without_names([found["no_forecast"]], self.names))
        return seen

    def _met(self, met: Mapping[str, Any] | None) -> Any:
        """Who met whom, as rows of cells."""
        if met is None:
            return None
        systems = [self.names[name] for name in met["systems"]]
        counts = {
            (min(a, b), max(a, b)): met["met"][i][j]
            for i, a in enumerate(systems)
            for j, b in enumerate(systems)
            if i != j
        }
        return systems, table(systems, counts, max(counts.values(), default=0))

    def _judges(self, parts: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        found = parts.get("judges", {}).get("found")
        if found is None:
            return ()
        lines: Sequence[Mapping[str, Any]] = found["judges"]
        return tuple({**line, "flags": [flag for flag in line["flags"] if self._may_see(flag)]} for line in lines)

    def _may_see(self, flag: Mapping[str, str]) -> bool:
        return not self.hidden or without_names([flag["evidence"]], self.names) == [flag["evidence"]]

    def _commands(self, parts: Mapping[str, Any], *, several: bool) -> dict[str, tuple[str, str]]:
        """For every part the two commands that make it again."""
        if not self.viewer.sees_people or self.hidden:
            return {}
        rule = self.settings.stop.rule
        where = f" --where {shlex.quote(f'lang_pair={self.pair.name}')}" if several and self.pair.source else ""
        file = f"{self.viewer.campaign}.csv"
        asked = {
            "ranking": "rank {file} --forecast" + (f" --target {shlex.quote(rule)}" if rule else ""),
            "agreement": "agreement {file}",
            "judges": "judges {file}",
        }
        return {
            name: (
                f"palmares campaign export {self.viewer.campaign} {file} {_as_of(parts[name])}",
                f"palmares {command.format(file=file)}{where}",
            )
            for name, command in asked.items()
            if name in parts and parts[name]["found"] is not None
        }


def _as_of(part: Mapping[str, Any]) -> str:
    """The options of an export that has what a part rests on."""
    known = f"--up-to {part['answer']}"
    return f"{known} --left-out-as-of {part['left_out']}" if part["left_out"] else known
