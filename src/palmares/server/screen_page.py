"""The page of one screen: what its template is given, whatever led to it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastapi import Request
from starlette.responses import Response

from ..campaign.answers import SKIP_REASONS
from ..campaign.database import Database
from ..campaign.people import Person, digest
from ..campaign.screens import ScreenView, judge_progress
from ..texts.languages import direction, html_lang
from .differences import Span, differences
from .forms import AnswerForm
from .pages import render, url, words_for
from .words import Words

#: What the scripts say besides the words made for them alone.
_SCRIPTS_ALSO_SAY = ("missing.one", "missing.many", "list.separator", "list.last", "progress.count", "progress.done")


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

    def response(self, status: int = 200, **messages: Any) -> Response:
        """The page, with what there is to say about an answer that was not taken."""
        view, progress = self.view, judge_progress(self.db, self.judge)
        said = {"missing": (), "conflict": None, "refused": None, "skip_open": False, **messages}
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
            here=self._address(view.id),
            following=[self._address(screen_id) for screen_id in view.following],
            submission=secrets.token_urlsafe(16),
            reasons=SKIP_REASONS,
            note=self.note or view.note or "",
            **frame(self.request, self.judge),
            **said,
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
