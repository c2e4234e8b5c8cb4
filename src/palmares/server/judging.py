"""The judge's pages: welcome and consent, practice, one screen after the other, thanks."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from ..campaign import Role
from ..campaign.answers import NOTE_LENGTH, SKIP_REASONS, save_draft, submit
from ..campaign.crowd import came_back, ending
from ..campaign.database import Database
from ..campaign.definition import settings_of, state_now
from ..campaign.history import Standing, StoredAnswer, discard_draft, standing, stored_answer
from ..campaign.people import Person, consent, digest
from ..campaign.progress import Progress, judge_progress
from ..campaign.refusals import BadAnswer, Closed, Conflict, DraftConflict, Incomplete
from ..campaign.screens import ScreenView, load
from ..campaign.settings import Settings
from ..campaign.work import next_screen
from ..texts.languages import direction, html_lang
from .access import Judge, Store, allow
from .differences import Span, differences
from .forms import PAIRS, AnswerForm, Form, field
from .pages import render, speak, url, words_for
from .words import Words

router = APIRouter(prefix="/c/{campaign}/judge", dependencies=[allow(Role.JUDGE)])
#: What the scripts say besides the words made for them alone.
_SCRIPTS_ALSO_SAY = (
    *("missing.one", "missing.many", "list.separator", "list.last", "progress.count", "progress.done"),
    *("conflict.stored", "conflict.sent", "conflict.stored-rank", "conflict.keep", "conflict.replace"),
    *("conflict.skip", "paused.notice"),
    *(f"pair.{choice}" for choice in PAIRS),
    *(f"skip.reason.{reason}" for reason in SKIP_REASONS),
)


@router.get("")
def work(request: Request, judge: Judge, db: Store, more: bool = False) -> Response:
    """Lead the judge to what is next: the welcome, a screen, or a page that says why there is none."""
    state = state_now(db, judge.campaign_id)
    if state == "closed" or (state == "paused" and not judge.consented):
        return _no_work(request, db, judge, state)
    if not judge.consented:
        return _to(request, judge, "/welcome")
    if judge_progress(db, judge).reached and not more:
        return _no_work(request, db, judge, state)
    screen = next_screen(db, judge)
    return (
        _no_work(request, db, judge, state, more=more) if screen is None else _to(request, judge, f"/screens/{screen}")
    )


# -- before the first screen -----------------------------------------------------------------------------


@router.get("/welcome")
def welcome(request: Request, judge: Judge, db: Store) -> Response:
    """Instructions and what the judge is to agree to; nobody is asked while there is no work."""
    if judge.consented or state_now(db, judge.campaign_id) != "open":
        return _to(request, judge, "")
    return _welcome(request, judge, db)


@router.post("/welcome")
def agree(request: Request, judge: Judge, db: Store, form: Form) -> Response:
    """Note the judge's consent and go on."""
    if state_now(db, judge.campaign_id) != "open":
        return _to(request, judge, "")
    if field(form, "accept") != "yes":
        return _welcome(request, judge, db, missing=True)
    consent(db, judge)
    return _to(request, judge, "")


@router.get("/instructions")
def instructions(request: Request, judge: Judge, db: Store) -> Response:
    """The instructions, to read again."""
    settings = _settings(request, db, judge)
    return render(request, "judge/instructions.html", **frame(request, judge), **instructions_of(request, settings))


# -- screens ---------------------------------------------------------------------------------------------


@router.get("/screens/{screen_id}")
def screen(request: Request, screen_id: str, judge: Judge, db: Store) -> Response:
    """One screen."""
    view = load(db, judge, screen_id)
    if view.revision and (end := ending(db, judge)) is not None and end.outcome == "screened-out":
        return _to(request, judge, "/finished")  # the file for payment shall show the controls that led there
    page = ScreenPage(request, db, judge, view)
    return _to(request, judge, "") if page.standing.state == "closed" else page.response()


@router.post("/screens/{screen_id}")
def answer(request: Request, screen_id: str, judge: Judge, db: Store, form: Form) -> Response:
    """Take the answer of a plain form; what does not fit comes back with what was given."""
    view = load(db, judge, screen_id)
    if field(form, "action") == "keep":
        discard_draft(db, judge, screen_id)
        return _to(request, judge, "")
    page = ScreenPage(request, db, judge, view)
    try:
        given = AnswerForm.read(form, len(view.options))
    except BadAnswer as error:
        return page.response(422, refused=str(error))
    if given.skips and not given.reason:
        return page.filled(given).response(422, skip_open=True)
    if given.problem and not given.note and not given.skips and None not in given.ranks:
        _keep(db, judge, screen_id, given, view.draft_version)
        return page.filled(given).response(422, problem_unsaid=True)
    try:
        submit(
            db,
            judge,
            screen_id,
            given.answer,
            submission=given.submission,
            revision=given.revision,
            seconds=given.seconds,
        )
    except Incomplete as error:
        if page.standing.state == "closed":
            return _no_work(request, db, judge, "closed", status=409)
        _keep(db, judge, screen_id, given, view.draft_version)
        return page.filled(given).response(422, missing=error.missing)
    except Conflict as error:
        return page.filled(given, revision=error.revision).response(409, conflict=True, skips_for=given.answer.skip)
    except Closed:
        return _no_work(request, db, judge, "closed", status=409, not_stored=True)
    except BadAnswer as error:
        return page.filled(given).response(error.status, refused=str(error))
    return _to(request, judge, f"/practised/{screen_id}" if view.practice else "")


@router.get("/practised/{screen_id}")
def practised(request: Request, screen_id: str, judge: Judge, db: Store) -> Response:
    """What the judge did on the practice screen, put in order."""
    view = load(db, judge, screen_id)
    if not (view.practice and view.revision) or state_now(db, judge.campaign_id) == "closed":
        return _to(request, judge, "")
    speak(request, view.settings.task.vocabulary)
    return render(
        request,
        "judge/practised.html",
        **frame(request, judge),
        screen=view,
        ranking=grouped_ranks(view),
        ties=len(set(view.ranks)) < len(view.ranks),
        target_language=language_of(view.langs.target),
    )


# -- the page of a screen, whatever led to it ------------------------------------------------------------


@dataclass(frozen=True)
class Language:
    """What a page must know of a text's language."""

    tag: str
    direction: str


@dataclass(frozen=True)
class ShownOutput:
    place: int
    spans: tuple[Span, ...]
    rank: int | None


@dataclass(frozen=True)
class ScreenPage:
    """A screen on its way to the judge."""

    request: Request
    db: Database
    judge: Person
    view: ScreenView

    def filled(self, given: AnswerForm, revision: int | None = None) -> ScreenPage:
        """The same page with what was sent in it, so that nothing has to be done again."""
        known = self.view.revision if revision is None else revision
        said: dict[str, Any] = {"note": given.note or None, "problem": given.problem, "revision": known}
        if not given.skips:
            said |= {"ranks": given.ranks, "verdict": given.verdict}
        return replace(self, view=replace(self.view, **said))

    @property
    def address(self) -> str:
        return self._address(self.view.id)

    @cached_property
    def standing(self) -> Standing:
        return standing(self.db, self.judge, before=self.view.id)

    def html(self) -> str:
        """The page as text, for a script that puts it in place of the one before."""
        return bytes(self.response().body).decode()

    def response(self, status: int = 200, **messages: Any) -> Response:
        """The page, with what there is to say about an answer that was not taken."""
        speak(self.request, self.view.settings.task.vocabulary)
        say, progress, answered = words_for(self.request), self.standing.progress, self.standing.answered
        nothing = {"missing": (), "conflict": False, "skips_for": None, "refused": None, "skip_open": False}
        notices = {**nothing, "problem_unsaid": False, **messages}
        stored = self._stored(conflict=notices["conflict"])
        # The screen before in the same HIT, else the last one of the HIT before.
        view = replace(self.view, previous=self.view.previous or next(iter(answered), None))
        if stored is not None and not notices["conflict"]:
            view = replace(view, verdict=None)  # a draft has none; that of the answer goes with other ranks
        return render(
            self.request,
            "judge/screen.html",
            status=status,
            screen=view,
            outputs=outputs_of(view),
            progress=progress,
            target=None if progress.done >= progress.target else progress.target,
            source_language=language_of(view.langs.source),
            target_language=language_of(view.langs.target),
            here=self.address,
            following=[self._address(screen_id) for screen_id in view.following],
            submission=secrets.token_urlsafe(16),
            reasons=SKIP_REASONS,
            note_length=NOTE_LENGTH,
            note=view.note or "",
            stored=stored,
            stored_words=None if stored is None else told(say, stored.ranks, stored.skip, stored.verdict),
            sent_words=told(say, view.ranks, notices["skips_for"], view.verdict),
            state=self.standing.state,
            answered_before=answered,
            **frame(self.request, self.judge),
            **notices,
        )

    def _stored(self, *, conflict: bool) -> StoredAnswer | None:
        """What is stored, if it is not what the page shows: the page says so, and lets the judge choose."""
        view = self.view
        if not conflict and not (view.revision and view.draft_version):
            return None
        stored = stored_answer(self.db, self.judge, view.id)
        return None if not conflict and stored is not None and stored.ranks == view.ranks else stored

    def _address(self, screen_id: str) -> str:
        return url(self.request, f"/c/{self.judge.campaign}/judge/screens/{screen_id}")


def frame(request: Request, judge: Person) -> dict[str, Any]:
    """What every page of a judge needs: where it belongs, and what its scripts are to know."""
    return {
        "campaign": judge.campaign,
        "judge_key": digest(f"{judge.campaign}:{judge.pseudonym}")[:16],
        "script_words": script_words(words_for(request)),
    }


def language_of(code: str) -> Language:
    return Language(html_lang(code), direction(code))


def grouped_ranks(view: ScreenView) -> list[tuple[int, list[str]]]:
    """The texts of an answered screen, best first; those that share a rank together."""
    groups: dict[int, list[str]] = {}
    for option, rank in zip(view.options, view.ranks, strict=True):
        if rank is not None:
            groups.setdefault(rank, []).append(option.text)
    return sorted(groups.items())


def told(say: Words, ranks: Sequence[int | None] | None, skip: str | None, verdict: str | None) -> str:
    """An answer in words, also an unfinished one: ``output 1: rank 2, …``; where there are two: ``A is better``."""
    if skip is not None:
        return say("conflict.skip", reason=say(f"skip.reason.{skip}"))
    given = [(place, rank) for place, rank in enumerate(ranks or (), 1) if rank is not None]
    if len(given) == len(ranks or ()) == 2:
        (_, first), (_, second) = given
        return say(f"pair.{verdict or 'tie'}" if first == second else "pair.first" if first < second else "pair.second")
    return say("list.separator").join(say("conflict.stored-rank", place=place, rank=rank) for place, rank in given)


def script_words(say: Words) -> dict[str, str]:
    """The words for the scripts of the page, with their placeholders."""
    return {**say.beginning("js."), **{key: say.texts[key] for key in _SCRIPTS_ALSO_SAY}}


def outputs_of(view: ScreenView) -> Sequence[ShownOutput]:
    spans = differences([option.text for option in view.options], spacing=view.settings.screen.spacing)
    rows = zip(view.options, spans, view.ranks, strict=True)
    return [ShownOutput(option.place, marked, rank) for option, marked, rank in rows]


# -- inside ----------------------------------------------------------------------------------------------


def _to(request: Request, judge: Person, path: str) -> Response:
    return RedirectResponse(url(request, f"/c/{judge.campaign}/judge{path}"), status_code=303)


def _keep(db: Database, judge: Person, screen_id: str, given: AnswerForm, version: int) -> None:
    """Without JavaScript nothing else saves a draft; one that was saved elsewhere meanwhile is left alone."""
    with suppress(DraftConflict, Closed):
        save_draft(db, judge, screen_id, given.ranks, version=version)


def _no_work(
    request: Request,
    db: Database,
    judge: Person,
    state: str,
    *,
    more: bool = False,
    status: int = 200,
    not_stored: bool = False,
) -> Response:
    """The page that says why there is nothing to do now; ``not_stored`` is an answer that came after the end."""
    if not not_stored:  # workers of a platform have an end of their own
        if came_back(db, judge):
            return _to(request, judge, "")
        if ending(db, judge, nothing_left=True) is not None:
            return _to(request, judge, "/finished")
    found = standing(db, judge)
    speak(request, found.settings.task.vocabulary)
    last = None if state == "closed" else next(iter(found.answered), None)
    return render(
        request,
        "judge/done.html",
        status=status,
        reason=_reason(state, found.progress, found.settings, more=more),
        not_stored=not_stored,
        last=last,
        judge=judge,
        settings=found.settings,
        progress=found.progress,
        **frame(request, judge),
    )


def _reason(state: str, progress: Progress, settings: Settings, *, more: bool) -> str:
    """Why a judge has no screen: closed, paused, most (they may do no more), target (they may), nothing (is left)."""
    if state != "open":
        return state
    if settings.judge.most is not None and progress.done >= settings.judge.most:
        return "most"
    # Where there is less than was asked for, the target is what there is: it may be reached, but nobody can go on.
    return "target" if progress.done >= settings.judge.screens and progress.reached and not more else "nothing"


def _welcome(request: Request, judge: Person, db: Database, *, missing: bool = False) -> Response:
    settings = _settings(request, db, judge)
    given = settings.words
    return render(
        request,
        "judge/welcome.html",
        status=422 if missing else 200,
        **frame(request, judge),
        consent_missing=missing,
        consent=given.consent or words_for(request)("consent.default"),
        own_consent=bool(given.consent),
        practice=settings.judge.practice,
        judge=judge,
        settings=settings,
        progress=judge_progress(db, judge),
        **instructions_of(request, settings),
    )


def _settings(request: Request, db: Database, judge: Person) -> Settings:
    """The settings in force, in whose vocabulary the page speaks from now on."""
    with db.read() as tx:
        settings = settings_of(tx, judge.campaign_id)
    speak(request, settings.task.vocabulary)
    return settings


def instructions_of(request: Request, settings: Settings) -> dict[str, Any]:
    own = settings.words.instructions
    built_in = "instructions.pair" if settings.screen.outputs == 2 else "instructions.default"
    return {"instructions": own or words_for(request)(built_in), "own_instructions": bool(own)}
