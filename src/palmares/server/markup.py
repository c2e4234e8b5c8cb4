"""Markdown of organisers and of texts as HTML that is safe on a page.

What looks like HTML is shown, not used; nothing is loaded from elsewhere; nothing is styled in place, which the content
security policy forbids. Rendered texts are kept, since many judges see the same ones.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from types import MethodType
from typing import Any

from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from ..texts.images import normal_name
from ..texts.markdown import DEEPEST, parser
from .words import Words

#: Longer texts, and texts of more brackets, are shown as they are, and longer code without colours: they take seconds.
LONGEST, MOST_BRACKETS, LONGEST_COLOURED = 400_000, 20_000, 20_000
#: Characters of rendered texts that are kept.
KEPT = 32_000_000
#: Where links may lead. Others (a path on this server, a script) are shown as text.
_SCHEMES = ("http://", "https://", "mailto:")
#: What the roles of a conversation are called.
_SPEAKERS = {"system": "turn.system", "user": "turn.user", "assistant": "turn.assistant"}
#: Stands for an image until its address is known; nobody can write it, since it is new in every process.
_MARK = f"\x00{secrets.token_hex(8)}"


@dataclass(frozen=True)
class Reader:
    """For whom a page is: the words of its language, and the addresses of images (None: there is no such image)."""

    say: Words
    address: Callable[[str], str | None]


_READER: ContextVar[Reader] = ContextVar("reader")


@contextmanager
def reading(reader: Reader) -> Iterator[None]:
    """Within this, `to_content` and `speaker` are for this reader."""
    token = _READER.set(reader)
    try:
        yield
    finally:
        _READER.reset(token)


# -- what templates use ----------------------------------------------------------------------------------


def to_html(text: str) -> Markup:
    """The Markdown of organisers. Headings go below the page's own, and links open beside the page."""
    return Markup(_rendered(text, 1, organisers=True).html)


def to_content(text: str, below: int) -> Markup:
    """A text that is judged, or what it is made from: as `to_html`, with formulas left alone, and images.

    Its headings go below one of the level ``below``, without gaps between them.
    """
    rendered = _rendered(text, below, organisers=False)
    html = rendered.html
    for number, (name, alt) in enumerate(rendered.images):
        html = html.replace(f"{_MARK}:{number}:", _image(name, alt))
    return Markup(html)


def speaker(role: str) -> Markup:
    """Who has a turn in a conversation, in the language of the page, whatever that of the text is."""
    say = _READER.get().say
    return Markup('<span lang="{}" dir="{}">{}</span>').format(say.language, say.direction, say(_SPEAKERS[role]))


# -- rendering -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rendered:
    """HTML with a mark for each image, and the names and descriptions of these."""

    html: str
    images: tuple[tuple[str, str], ...] = ()


@dataclass
class _Kept:
    """Rendered texts by digest, the ones used last, up to `KEPT` characters."""

    texts: OrderedDict[bytes, _Rendered] = field(default_factory=OrderedDict)
    size: int = 0
    lock: Lock = field(default_factory=Lock)

    def get(self, key: bytes) -> _Rendered | None:
        with self.lock:
            if key in self.texts:
                self.texts.move_to_end(key)
            return self.texts.get(key)

    def put(self, key: bytes, rendered: _Rendered) -> None:
        with self.lock:
            if key not in self.texts:
                self.texts[key] = rendered
                self.size += len(rendered.html)
            while self.size > KEPT:
                _, oldest = self.texts.popitem(last=False)
                self.size -= len(oldest.html)


_KEPT = _Kept()


def _rendered(text: str, below: int, *, organisers: bool) -> _Rendered:
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() + bytes([below, organisers])
    known = _KEPT.get(key)
    if known is None:
        known = _render(text, below, organisers)
        _KEPT.put(key, known)
    return known


def _render(text: str, below: int, organisers: bool) -> _Rendered:
    if len(text) > LONGEST or text.count("[") > MOST_BRACKETS:
        return _as_it_is(text)
    markdown = parser(formulas=not organisers)
    env: dict[str, Any] = {"organisers": organisers, "images": []}
    tokens = markdown.parse(text, env)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return _as_it_is(text)
    _lower_headings(tokens, below, keep_gaps=organisers)
    return _Rendered(_renderer().render(tokens, markdown.options, env), tuple(env["images"]))


def _lower_headings(tokens: list[Token], below: int, *, keep_gaps: bool) -> None:
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    used = sorted({token.tag for token in headings})
    for token in headings:
        level = int(token.tag[1:]) if keep_gaps else used.index(token.tag) + 1
        token.tag = f"h{min(level + below, 6)}"


def _as_it_is(text: str) -> _Rendered:
    return _Rendered(f'<p class="plain">{escapeHtml(text)}</p>')


@cache
def _renderer() -> RendererHTML:
    renderer = RendererHTML()
    own: dict[str, Any] = {
        "link_open": _link,
        "image": _image_mark,
        "fence": _code,
        "code_block": _code,
        "math": _math,
        "table_open": _table_open,
        "table_close": _table_close,
        "th_open": _cell,
        "td_open": _cell,
    }
    renderer.rules.update({name: MethodType(rule, renderer) for name, rule in own.items()})
    return renderer


# -- rules: each gets the renderer, all tokens of a block, and which one is its own ------------------------

_Env = MutableMapping[str, Any]


def _link(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
    href = str(tokens[index].attrGet("href") or "")
    if not env["organisers"] and not href.lower().startswith(_SCHEMES):
        end = next(n for n in range(index, len(tokens)) if tokens[n].type == "link_close")  # links hold no links
        tokens[end].tag = "span"
        return '<span class="no-link">'
    tokens[index].attrSet("rel", "noopener noreferrer")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, env)


def _image_mark(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
    alt = self.renderInlineAsText(tokens[index].children or [], options, env)
    name = normal_name(str(tokens[index].attrGet("src") or ""))
    env["images"].append((name, alt))
    return f"{_MARK}:{len(env['images']) - 1}:"


def _code(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
    """Code in a box of its own, which can be scrolled by keys too."""
    code, language = tokens[index].content, tokens[index].info.strip().partition(" ")[0]
    return f'<pre class="code" tabindex="0" dir="ltr"><code>{_coloured(code, language)}</code></pre>\n'


def _math(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
    return f'<span class="math" dir="ltr">{escapeHtml(tokens[index].content)}</span>'


def _table_open(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
    return '<div class="table" tabindex="0"><table>\n'


def _table_close(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
    return "</table></div>\n"


def _cell(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: _Env) -> str:
    """The alignment of a column, which the parser gives as a style, as a class."""
    style = str(tokens[index].attrs.pop("style", ""))
    if style:
        tokens[index].attrSet("class", style.rpartition(":")[2])
    return self.renderToken(tokens, index, options, env)


# -- inside ----------------------------------------------------------------------------------------------


def _coloured(code: str, language: str) -> str:
    if not language or len(code) > LONGEST_COLOURED:
        return escapeHtml(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escapeHtml(code)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _image(name: str, alt: str) -> str:
    address = _READER.get().address(name)
    if address is None:
        return _not_there(name, alt)
    # A name says more to who cannot see it than nothing does.
    return Markup('<img class="picture" src="{}" alt="{}">').format(address, alt or name)


def _not_there(name: str, alt: str) -> str:
    """What stands for an image that the campaign does not have: its description, and where it would be."""
    said: Markup | str = alt or name
    if name.lower().startswith(_SCHEMES[:2]):
        said = Markup('<a href="{}" rel="noopener noreferrer" target="_blank">{}</a>').format(name, said)
    elif alt:
        said = f"{alt} ({name})"
    return Markup('<span class="no-picture">{}</span>').format(said)
