"""The judge's pages: welcome and consent, practice, one screen after the other, thanks."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from ..campaign import Role
from ..campaign.answers import NOTE_LENGTH, SKIP_REASONS, save_draft, submit
from ..campaign.crowd import came_back, ending
from ..campaign.database import Database
from ..campaign.definition import settings_of
from ..campaign.people import Person, consent, digest
from ..campaign.refusals import BadAnswer, Closed, Conflict, DraftConflict, Incomplete
from ..campaign.screens import Progress, ScreenView, judge_progress, load
from ..campaign.settings import WordSettings
from ..campaign.work import next_screen
from ..texts.languages import direction, html_lang
from .access import Judge, Store, allow
from .differences import Span, differences
from .forms import AnswerForm, Form, field
from .pages import render, url, words_for
from .words import Words

router = APIRouter(prefix="/c/{campaign}/judge", dependencies=[allow(Role.JUDGE)])
#: What the scripts say besides the words made for them alone.
_SCRIPTS_ALSO_SAY = ("missing.one", "missing.many", "list.separator", "list.last", "progress.count", "progress.done")


@router.get("")
def work(request: Request, judge: Judge, db: Store, more: bool = False) -> Response:
    """Lead the judge to what is next: the welcome, a screen, or thanks."""
    if not judge.consented:
        return _to(request, judge, "/welcome")
    progress = judge_progress(db, judge)
    if progress.reached and not more:
        return _done(request, db, judge, progress, more=True)
    screen = next_screen(db, judge)
    if screen is None:
        return _done(request, db, judge, progress, more=False)
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
    """A screen on its way to the judge; ``note`` is what was written into the form before."""

    request: Request
    db: Database
    judge: Person
    view: ScreenView
    note: str = ""

    def filled(self, given: AnswerForm, revision: int | None = None) -> ScreenPage:
        """The same page with what was sent in it, so that nothing has to be done again."""
        known = self.view.revision if revision is None else revision
        ranks = self.view.ranks if given.skips else given.ranks
        return replace(self, view=replace(self.view, ranks=ranks, revision=known), note=given.note)

    @property
    def address(self) -> str:
        return self._address(self.view.id)

    def html(self) -> str:
        """The page as text, for a script that puts it in place of the one before."""
        return bytes(self.response().body).decode()

    def response(self, status: int = 200, **messages: Any) -> Response:
        """The page, with what there is to say about an answer that was not taken."""
        view, progress = self.view, judge_progress(self.db, self.judge)
        notices = {"missing": (), "conflict": None, "refused": None, "skip_open": False, **messages}
        return render(
            self.request,
            "judge/screen.html",
            status=status,
            screen=view,
            outputs=_outputs(view),
            progress=progress,
            target=None if progress.done >= progress.target else progress.target,
            source_language=language_of(view.langs.source),
            target_language=language_of(view.langs.target),
            here=self.address,
            following=[self._address(screen_id) for screen_id in view.following],
            submission=secrets.token_urlsafe(16),
            reasons=SKIP_REASONS,
            note_length=NOTE_LENGTH,
            note=self.note or view.note or "",
            **frame(self.request, self.judge),
            **notices,
        )

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


def script_words(say: Words) -> dict[str, str]:
    """The words for the scripts of the page, with their placeholders."""
    return {**say.beginning("js."), **{key: say.texts[key] for key in _SCRIPTS_ALSO_SAY}}


def _outputs(view: ScreenView) -> Sequence[ShownOutput]:
    spans = differences([option.text for option in view.options])
    rows = zip(view.options, spans, view.ranks, strict=True)
    return [ShownOutput(option.place, marked, rank) for option, marked, rank in rows]


# -- inside ----------------------------------------------------------------------------------------------


def _to(request: Request, judge: Person, path: str) -> Response:
    return RedirectResponse(url(request, f"/c/{judge.campaign}/judge{path}"), status_code=303)


def _done(request: Request, db: Database, judge: Person, progress: Progress, *, more: bool) -> Response:
    if came_back(db, judge):
        return _to(request, judge, "")
    if ending(db, judge, nothing_left=True) is not None:
        return _to(request, judge, "/finished")
    with db.read() as tx:
        settings = settings_of(tx, judge.campaign_id)
    return render(
        request,
        "judge/done.html",
        judge=judge,
        settings=settings,
        progress=progress,
        more=more,
        **frame(request, judge),
    )


def _keep(db: Database, judge: Person, screen_id: str, given: AnswerForm, version: int) -> None:
    """Without JavaScript nothing else saves a draft; one that was saved elsewhere meanwhile is left alone."""
    with suppress(DraftConflict):
        save_draft(db, judge, screen_id, given.ranks, version=version)


def _welcome(request: Request, judge: Person, db: Database, *, missing: bool = False) -> Response:
    given, practice = _organisers(db, judge)
    with db.read() as tx:
        settings = settings_of(tx, judge.campaign_id)
    return render(
        request,
        "judge/welcome.html",
        status=422 if missing else 200,
        **frame(request, judge),
        consent_missing=missing,
        consent=given.consent or words_for(request)("consent.default"),
        own_consent=bool(given.consent),
        practice=practice,
        settings=settings,
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
