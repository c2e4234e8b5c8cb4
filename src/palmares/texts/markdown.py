"""The Markdown that texts may be written in: one parser, for what looks for images in texts and for what shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from .images import normal_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

#: Lists and quotations inside each other. The parser leaves out what is deeper, so such a text is shown as it is.
DEEPEST = 60
#: Formulas are text: their signs are not those of Markdown. As in Pandoc, "$5 and $10" is none.
_MATH = re.compile(r"\$\$[^$]+\$\$|\$(?![\s$])(?:\\.|[^$\\\n])*(?<!\s)\$(?!\d)|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_LONGEST_FORMULA = 2000


@cache
def parser(*, formulas: bool = True) -> MarkdownIt:
    """CommonMark with tables, without HTML, which is shown as text. With ``formulas``, those are left alone, and there
    may be images."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    if formulas:
        markdown.inline.ruler.before("escape", "math", _math)
        return markdown
    return markdown.disable("image")


def image_names(text: str) -> Iterator[str]:
    """The names of all images that a text shows."""
    if "![" not in text:
        return
    for block in parser().parse(text):
        for token in block.children or ():
            if token.type == "image":
                yield normal_name(str(token.attrGet("src") or ""))


def _math(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _MATH.match(state.src, state.pos, min(state.posMax, state.pos + _LONGEST_FORMULA))
    if found is None:
        return False
    if not silent:
        state.push("math", "", 0).content = found[0]
    state.pos = found.end()
    return True
