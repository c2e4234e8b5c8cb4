"""What judges will see, to look at beforehand: the welcome and a screen, by the same templates, and not counted."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from ..campaign.answers import NOTE_LENGTH, SKIP_REASONS
from ..campaign.progress import Progress
from ..campaign.screens import ScreenView
from ..campaign.settings import Settings
from .judging import instructions_of, language_of, outputs_of
from .pages import render, speak, words_for


def welcome(request: Request, campaign: str, settings: Settings, *, onward: str, back: str) -> Response:
    """The page that every judge sees first; its button leads ``onward``."""
    speak(request, settings.task.vocabulary)
    given = settings.words
    return render(
        request,
        "judge/sample_welcome.html",
        campaign=campaign,
        consent_missing=False,
        consent=given.consent or words_for(request)("consent.default"),
        own_consent=bool(given.consent),
        practice=settings.judge.practice,
        settings=settings,
        agree_at=onward,
        back=back,
        **instructions_of(request, settings),
    )


def screen(
    request: Request, campaign: str, view: ScreenView, *, here: str, another: str, back: str, sent: bool = False
) -> Response:
    """A screen as a judge sees it; ``sent``: somebody has answered it, and nothing was stored."""
    speak(request, view.settings.task.vocabulary)
    return render(
        request,
        "judge/sample_screen.html",
        campaign=campaign,
        screen=view,
        outputs=outputs_of(view),
        progress=Progress(0, view.settings.judge.screens, 0),
        target=view.settings.judge.screens,
        source_language=language_of(view.langs.source),
        target_language=language_of(view.langs.target),
        here=here,
        following=[],
        submission="sample",
        reasons=SKIP_REASONS,
        note_length=NOTE_LENGTH,
        note="",
        stored=None,
        state="open",
        missing=(),
        conflict=False,
        skips_for=None,
        refused=None,
        skip_open=False,
        problem_unsaid=False,
        another=another,
        back=back,
        sent=sent,
    )
