"""The judge's pages: welcome and consent, practice, one screen after the other, thanks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from ..campaign.answers import save_draft, submit
from ..campaign.database import Database
from ..campaign.definition import settings_of
from ..campaign.people import Person, Role, consent
from ..campaign.refusals import BadAnswer, Closed, Conflict, DraftConflict, Incomplete
from ..campaign.screens import judge_progress, load
from ..campaign.settings import WordSettings
from ..campaign.work import next_screen
from .access import Judge, Store, allow
from .forms import AnswerForm, Form, field
from .pages import render, url, words_for
from .screen_page import ScreenPage, frame, grouped_ranks, language_of

router = APIRouter(prefix="/c/{campaign}/judge", dependencies=[allow(Role.JUDGE)])


@router.get("")
def work(request: Request, judge: Judge, db: Store, more: bool = False) -> Response:
    """Lead the judge to what is next: the welcome, a screen, or thanks."""
    if not judge.consented:
        return _to(request, judge, "/welcome")
    progress = judge_progress(db, judge)
    if progress.reached and not more:
        return render(request, "judge/done.html", progress=progress, more=True, **frame(request, judge))
    screen = next_screen(db, judge)
    if screen is None:
        return render(request, "judge/done.html", progress=progress, more=False, **frame(request, judge))
    return _to(request, judge, f"/screens/{screen}")


# -- before the first screen -----------------------------------------------------------------------------


@router.get("/welcome")
def welcome(request: Request, judge: Judge, db: Store) -> Response:
    """Instructions and what the judge is to agree to."""
    return _to(request, judge, "") if judge.consented else _welcome(request, judge, db)


@router.post("/welcome")
def agree(request: Request, judge: Judge, db: Store, form: Form) -> Response:
    """Note the judge's consent and go on."""
    if field(form, "accept") != "yes":
        return _welcome(request, judge, db, missing=True)
    consent(db, judge)
    return _to(request, judge, "")


@router.get("/instructions")
def instructions(request: Request, judge: Judge, db: Store) -> Response:
    """The instructions, to read again."""
    given, _ = _organisers(db, judge)
    return render(request, "judge/instructions.html", **frame(request, judge), **_instructions(request, given))


# -- screens ---------------------------------------------------------------------------------------------


@router.get("/screens/{screen_id}")
def screen(request: Request, screen_id: str, judge: Judge, db: Store) -> Response:
    """One screen."""
    return ScreenPage(request, db, judge, load(db, judge, screen_id)).response()


@router.post("/screens/{screen_id}")
def answer(request: Request, screen_id: str, judge: Judge, db: Store, form: Form) -> Response:
    """Take the answer of a plain form; what does not fit comes back with what was given."""
    view = load(db, judge, screen_id)
    page = ScreenPage(request, db, judge, view)
    try:
        given = AnswerForm.read(form, len(view.options))
    except BadAnswer as error:
        return page.response(422, refused=str(error))
    if given.skips and not given.reason:
        return page.filled(given).response(422, skip_open=True)
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
        _keep(db, judge, screen_id, given, view.draft_version)
        return page.filled(given).response(422, missing=error.missing)
    except Conflict as error:
        return page.filled(given, revision=error.revision).response(409, conflict=error)
    except (BadAnswer, Closed) as error:
        return page.filled(given).response(error.status, refused=str(error))
    return _to(request, judge, f"/practised/{screen_id}" if view.practice else "")


@router.get("/practised/{screen_id}")
def practised(request: Request, screen_id: str, judge: Judge, db: Store) -> Response:
    """What the judge did on the practice screen, put in order."""
    view = load(db, judge, screen_id)
    if not (view.practice and view.revision):
        return _to(request, judge, "")
    return render(
        request,
        "judge/practised.html",
        **frame(request, judge),
        screen=view,
        ranking=grouped_ranks(view),
        ties=len(set(view.ranks)) < len(view.ranks),
        target_language=language_of(view.langs.target),
    )


# -- inside ----------------------------------------------------------------------------------------------


def _to(request: Request, judge: Person, path: str) -> Response:
    return RedirectResponse(url(request, f"/c/{judge.campaign}/judge{path}"), status_code=303)


def _keep(db: Database, judge: Person, screen_id: str, given: AnswerForm, version: int) -> None:
    """Without JavaScript nothing else saves a draft; one that was saved elsewhere meanwhile is left alone."""
    with suppress(DraftConflict):
        save_draft(db, judge, screen_id, given.ranks, version=version)


def _welcome(request: Request, judge: Person, db: Database, *, missing: bool = False) -> Response:
    given, practice = _organisers(db, judge)
    return render(
        request,
        "judge/welcome.html",
        status=422 if missing else 200,
        **frame(request, judge),
        consent_missing=missing,
        consent=given.consent or words_for(request)("consent.default"),
        own_consent=bool(given.consent),
        practice=practice,
        **_instructions(request, given),
    )


def _organisers(db: Database, judge: Person) -> tuple[WordSettings, bool]:
    """The organiser's words, and whether there is a practice screen."""
    with db.read() as tx:
        settings = settings_of(tx, judge.campaign_id)
    return settings.words, settings.judge.practice


def _instructions(request: Request, given: WordSettings) -> dict[str, Any]:
    own = bool(given.instructions)
    return {"instructions": given.instructions or words_for(request)("instructions.default"), "own_instructions": own}
