"""The Markdown that texts may be written in: one parser, for what looks for images in texts and for what shows them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from .images import normal_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

#: Lists and quotations inside each other; what is deeper is shown as text. Without a limit, time grows with the square
#: of the depth.
DEEPEST = 20


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables and without HTML, which is shown as text."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).enable(["table", "strikethrough"])


def image_names(text: str) -> Iterator[str]:
    """The names of all images that a text shows."""
    if "![" not in text:
        return
    for block in parser().parse(text):
        for token in block.children or ():
            if token.type == "image":
                yield normal_name(str(token.attrGet("src") or ""))
