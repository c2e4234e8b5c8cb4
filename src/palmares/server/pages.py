"""Pages from templates: every value escaped, words in the reader's language, addresses below the root path."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..campaign.images import digest_of
from . import markup
from .words import DEFAULT_VOCABULARY, LANGUAGES, Words, choose_language, words

HERE = Path(__file__).parent
STATIC = HERE / "static"
LANGUAGE_COOKIE = "palmares-language"
_ONE_YEAR = 365 * 24 * 3600


def render(request: Request, name: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Fill a template; it also gets ``say`` (words), ``url``, ``static``, ``csrf`` and what `base.html` shows."""
    say = words_for(request)
    page = environment().get_template(name)
    with markup.reading(markup.Reader(say, partial(image, request))):
        text = page.render(
            say=say,
            languages=LANGUAGES,
            url=partial(url, request),
            static=partial(static, request),
            csrf=getattr(request.state, "csrf", ""),
            **context,
        )
    response = HTMLResponse(text, status_code=status, headers={"Content-Language": say.language})
    if request.query_params.get("ui") == say.language:
        remember_language(request, response, say.language)
    return response


def words_for(request: Request) -> Words:
    """The words in the language of this reader, in the vocabulary that `speak` has set."""
    asked, remembered = request.query_params.get("ui"), request.cookies.get(LANGUAGE_COOKIE)
    language = choose_language(asked, remembered, request.headers.get("accept-language"))
    return words(language).in_vocabulary(getattr(request.state, "vocabulary", DEFAULT_VOCABULARY))


def speak(request: Request, vocabulary: str) -> None:
    """Let the page that answers this request use the vocabulary of its campaign."""
    request.state.vocabulary = vocabulary


def remember_language(request: Request, response: HTMLResponse, language: str) -> None:
    response.set_cookie(
        LANGUAGE_COOKIE,
        language,
        max_age=_ONE_YEAR,
        path=url(request, "/"),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def url(request: Request, path: str) -> str:
    """An address of this server, from ``/`` on, wherever a proxy has put it."""
    return str(request.scope.get("root_path", "")).rstrip("/") + path


def static(request: Request, name: str) -> str:
    """Where a style sheet or script is; the address changes with the content, so it may be cached for ever."""
    return url(request, f"/static/{digest()}/{name}")


def image(request: Request, name: str) -> str | None:
    """Where the image is that the texts of a campaign call so; None if it has none.

    Texts that wait to become a campaign bring theirs along: they stand in the page itself.
    """
    waiting = getattr(request.state, "images", None)
    if waiting is not None:
        shown = waiting.get(name)
        return None if shown is None else f"data:{shown.media_type};base64,{b64encode(shown.body).decode()}"
    campaign = str(request.path_params.get("campaign", ""))
    digest = digest_of(request.app.state.database, campaign, name)
    return None if digest is None else url(request, f"/c/{campaign}/images/{digest}")


@cache
def digest() -> str:
    """One digest for all static files: modules import each other by relative address, and must not get old ones."""
    content = hashlib.sha256()
    for path in sorted(STATIC.iterdir()):
        content.update(path.name.encode() + b"\0" + path.read_bytes())
    return content.hexdigest()[:16]


@cache
def environment() -> Environment:
    """The templates; a name that is not there is an error, never an empty string."""
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(markdown=markup.to_html, content=markup.to_content)
    templates.globals["speaker"] = markup.speaker
    return templates
