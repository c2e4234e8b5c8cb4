"""Pages from templates: every value escaped, words in the reader's language, addresses below the root path."""

from __future__ import annotations

import hashlib
from collections.abc import MutableMapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup

from .words import DEFAULT_VOCABULARY, LANGUAGES, Words, choose_language, words

HERE = Path(__file__).parent
STATIC = HERE / "static"
LANGUAGE_COOKIE = "palmares-language"
_ONE_YEAR = 365 * 24 * 3600


def render(request: Request, name: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Fill a template; it also gets ``say`` (words), ``url``, ``static``, ``csrf`` and what `base.html` shows."""
    say = words_for(request)
    page = environment().get_template(name)
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
    templates.filters["markdown"] = to_html
    return templates


# -- Markdown --------------------------------------------------------------------------------------------


def to_html(text: str) -> Markup:
    """Turn the Markdown of organisers into HTML that is safe on a page: what looks like HTML in it is shown, not used.

    Headings go below the page's own, and links open beside the page.
    """
    return Markup(_renderer().render(text))


@cache
def _renderer() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    markdown.add_render_rule("link_open", _open_beside)
    markdown.add_render_rule("heading_open", _one_level_down)
    markdown.add_render_rule("heading_close", _one_level_down)
    return markdown


def _open_beside(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, env)


def _one_level_down(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    """The page has its own first-level heading."""
    tokens[index].tag = f"h{min(int(tokens[index].tag[1:]) + 1, 6)}"
    return self.renderToken(tokens, index, options, env)
