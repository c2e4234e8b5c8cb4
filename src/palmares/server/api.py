"""The JSON interface for judges: what their page uses behind the scenes, and programs that judge use in the same way.

A token says who a program is. People sign in through an invitation link; then the cookie says who they are, and
requests that change something carry the header ``X-CSRF-Token``, which ``GET …/work`` gives.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ..campaign.analysed import analysis_health
from ..campaign.answers import NOTE_LENGTH, Answer, Submission, save_draft
from ..campaign.clients import Scope
from ..campaign.database import Database
from ..campaign.definition import state_now
from ..campaign.migrations import head
from ..campaign.people import Person
from ..campaign.progress import Progress as JudgeProgress
from ..campaign.refusals import CampaignError, fault_of
from ..campaign.screens import ScreenView, load
from ..campaign.turns import take_turn, work_now
from ..campaign.work import lease_ahead
from .access import PUBLIC, Judge, Store, restocker, scoped
from .api_parts import ALWAYS, PREFIX, WRITES, CampaignName, CsrfHeader
from .forms import SUBMISSION
from .judging import ScreenPage
from .pages import url
from .problems import documented

router = APIRouter(prefix=PREFIX, tags=["Judging"], responses=ALWAYS)
health_router = APIRouter(tags=["The server"])

ScreenId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,64}$", description="the public id of a served screen")]
Ranks = Annotated[list[int | None], Field(max_length=20, description="by place, from the top; 1 is best, ties allowed")]
Version = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Progress(BaseModel):
    done: int
    target: int


class Work(BaseModel):
    """What to do now: ``screen`` is null if there is nothing. ``state`` is that of the campaign: open, paused, closed.

    ``csrf`` goes into the header X-CSRF-Token; it is empty for programs, which need none.
    """

    screen: str | None
    state: str
    progress: Progress
    csrf: str


class Languages(BaseModel):
    source: str
    target: str


class ShownTurn(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    role: str
    content: str


class ShownOption(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    place: int
    text: str
    turns: list[ShownTurn]


class Screen(BaseModel):
    """One screen as its judge sees it."""

    model_config = ConfigDict(from_attributes=True)
    id: str
    practice: bool
    langs: Languages
    source: str
    turns: list[ShownTurn]
    reference: str | None
    before: list[str]
    after: list[str]
    options: list[ShownOption]
    ranks: list[int | None]
    skipped: str | None
    verdict: str | None
    note: str | None
    problem: bool
    revision: int
    draft_version: int
    number: int
    of: int
    previous: str | None
    following: list[str]


class DraftIn(BaseModel):
    """An unfinished answer, and the version of the draft it was made from."""

    model_config = ConfigDict(extra="forbid", strict=True)
    ranks: Ranks
    version: Version


class DraftOut(BaseModel):
    version: int


class AnswerIn(BaseModel):
    """Either ``ranks`` or ``skip``. The same ``submission`` again changes nothing; ``revision`` is the one answered.

    ``then`` asks for the next screen in the same go: ``screen`` as an object, ``page`` as the page of a browser.
    """

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"ranks": [2, 1], "submission": "a1b2c3", "seconds": 12.5, "then": "screen"}]},
    )
    ranks: Ranks | None = None
    skip: Annotated[str | None, Field(max_length=50)] = None
    verdict: Annotated[str | None, Field(max_length=50, description="both-bad, with two equal ranks")] = None
    note: Annotated[str | None, Field(max_length=NOTE_LENGTH)] = None
    problem: Annotated[bool, Field(description="the note reports a problem to the organiser")] = False
    submission: Annotated[str, Field(pattern=f"^{SUBMISSION.pattern}$")]
    revision: Version = 0
    seconds: float | None = None
    then: Literal["nothing", "screen", "page"] = "nothing"


class Page(BaseModel):
    """The page of a screen, and its address."""

    address: str
    html: str


class AnswerOut(BaseModel):
    """The answer is stored. ``repeated``: it was before. ``late``: the work had been given back. ``next``: go on.

    ``state`` is that of the campaign; ``over``: it gives no more work to this judge. ``screen`` or ``page`` is what
    ``then`` asked for; null if there is nothing more, or, for a page, if the judge has done what was asked.
    """

    revision: int
    repeated: bool
    late: bool
    next: str
    state: str
    over: bool
    progress: Progress
    screen: Screen | None = None
    page: Page | None = None


class AheadOut(BaseModel):
    """The first page of the next HIT; null if there is none to be had yet. ``state`` is that of the campaign."""

    state: str
    page: Page | None


@router.get("/work", dependencies=[scoped(Scope.JUDGE)])
def work(request: Request, campaign: CampaignName, judge: Judge, db: Store) -> Work:
    """The screen to answer now, and how far this judge has come."""
    now = work_now(db, judge)
    restocker(request).look_at(judge.campaign_id)
    return Work(screen=now.screen, state=now.state, progress=counted(now.progress), csrf=request.state.csrf)


@router.get("/screens/{screen_id}", dependencies=[scoped(Scope.JUDGE)])
def screen(campaign: CampaignName, screen_id: ScreenId, judge: Judge, db: Store) -> Screen:
    """A screen that was served to this judge."""
    return shown(load(db, judge, screen_id))


@router.put("/screens/{screen_id}/draft", dependencies=[scoped(Scope.JUDGE, counted=False)], responses=WRITES)
def draft(
    campaign: CampaignName, screen_id: ScreenId, body: DraftIn, judge: Judge, db: Store, token: CsrfHeader = None
) -> DraftOut:
    """Keep an unfinished answer."""
    saved = save_draft(db, judge, screen_id, tuple(body.ranks), version=body.version, counting=True)
    return DraftOut(version=saved.version)


@router.post("/screens/{screen_id}/answer", dependencies=[scoped(Scope.JUDGE, counted=False)], responses=WRITES)
def answer(
    request: Request,
    campaign: CampaignName,
    screen_id: ScreenId,
    body: AnswerIn,
    judge: Judge,
    db: Store,
    token: CsrfHeader = None,
) -> AnswerOut:
    """Store an answer: once, however often it is sent."""
    ranks = None if body.ranks is None else tuple(body.ranks)
    given = Answer(ranks, body.skip, body.verdict, body.note, body.problem)
    submission = Submission(screen_id, given, body.submission, body.revision, body.seconds)
    turn = take_turn(db, judge, submission, onward=body.then != "nothing", beyond_target=body.then == "screen")
    restocker(request).look_at(judge.campaign_id)
    view = turn.following
    return AnswerOut(
        revision=turn.receipt.revision,
        repeated=turn.receipt.repeated,
        late=turn.receipt.late,
        next=url(request, f"/c/{campaign}/judge"),
        state=turn.state,
        over=turn.over,
        progress=counted(turn.progress),
        screen=shown(view) if view is not None and body.then == "screen" else None,
        page=_page(request, db, judge, view) if view is not None and body.then == "page" else None,
    )


@router.post("/ahead", dependencies=[scoped(Scope.JUDGE, counted=False)], responses=WRITES)
def ahead(request: Request, campaign: CampaignName, judge: Judge, db: Store, token: CsrfHeader = None) -> AheadOut:
    """Give the next HIT to a judge who has one screen left to answer; asking again gives the same."""
    screen_id = lease_ahead(db, judge)
    restocker(request).look_at(judge.campaign_id)
    view = None if screen_id is None else load(db, judge, screen_id)
    return AheadOut(
        state=state_now(db, judge.campaign_id), page=None if view is None else _page(request, db, judge, view)
    )


def counted(progress: JudgeProgress) -> Progress:
    return Progress(done=progress.done, target=progress.target)


def _page(request: Request, db: Database, judge: Person, view: ScreenView) -> Page:
    page = ScreenPage(request, db, judge, view)
    return Page(address=page.address, html=page.html())


def shown(view: ScreenView) -> Screen:
    langs = Languages(source=view.langs.source, target=view.langs.target)
    fields = {name: getattr(view, name) for name in Screen.model_fields if name != "langs"}
    return Screen.model_validate({**fields, "langs": langs})


# -- for proxies, service managers and monitors -----------------------------------------------------------


class Health(BaseModel):
    """``analysis`` of strategies that learn and rules on the ranking: ok, not needed, not running, lagging.

    Without it answers are stored all the same, and screens are balanced.
    """

    status: str
    database: str
    revision: str
    analysis: str


@health_router.get("/health", dependencies=[PUBLIC], responses=documented(503))
def health(db: Store) -> Health:
    """``ok``, or 503 if an answer could not be stored now: no database, no room, another version of the tables."""
    try:
        db.check_health()
        analysis = analysis_health(db)
    except Exception as error:
        fault = error if isinstance(error, CampaignError) else fault_of(error)
        if fault is None:
            raise
        raise HTTPException(503, str(fault)) from error  # one status, whatever is wrong: a monitor needs no other
    return Health(status="ok", database=db.dialect, revision=head(), analysis=analysis)
