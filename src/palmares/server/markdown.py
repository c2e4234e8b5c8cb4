"""Markdown of organisers as HTML: no raw HTML, headings below the page's own, links that open beside the page."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup


def to_html(text: str) -> Markup:
    """Turn Markdown into HTML that is safe to put on a page: what looks like HTML in it is shown, not used."""
    return Markup(renderer().render(text))


@cache
def renderer() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    made.add_render_rule("link_open", open_beside)
    made.add_render_rule("heading_open", one_level_down)
    made.add_render_rule("heading_close", one_level_down)
    return made


def open_beside(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, env)


def one_level_down(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    """The page has its own first-level heading."""
    tokens[index].tag = f"h{min(int(tokens[index].tag[1:]) + 1, 6)}"
    return self.renderToken(tokens, index, options, env)
