"""Reference pages made from the code while the pages are built: what they say of an option or a setting is what it is.

A directive writes MyST (`commands`, `models` and `lists` do), which Sphinx then reads as if it stood on the page. What
a page adds about an option or a setting stands inside the directive, as a definition list by its name (`remarks`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import commands, lists, models
from .text import Remarks, remarks

#: What each directive writes of its argument, given what the page adds and where pages are.
DIRECTIVES: Mapping[str, Callable[[str, Remarks, commands.Pages], str]] = {
    "command": commands.command,
    "shared-options": commands.shared_options,
    "commands": commands.listed,
    "model": models.model,
    "models": models.listed,
    "format": lists.format_,
    "formats": lists.formats,
    "checks": lists.checks,
    "experiments": lists.experiments,
    "plots": lists.plots,
}


class DocumentedPages:
    """Which pages there are in a folder of sources."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __contains__(self, name: object) -> bool:
        return (self.folder / f"{name}.md").is_file()


def written(name: str, argument: str, body: str, folder: Path) -> str:
    """What a directive of this name writes on a page."""
    return DIRECTIVES[name](argument, remarks(body), DocumentedPages(folder))


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from docutils.statemachine import StringList
    from sphinx.util.docutils import SphinxDirective

    class Generated(SphinxDirective):
        """One of `DIRECTIVES`; its page is read again in every build, since the code may have changed."""

        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True

        def run(self) -> list[nodes.Node]:
            self.env.note_reread()
            text = written(self.name, " ".join(self.arguments), "\n".join(self.content), Path(self.env.srcdir))
            made = nodes.Element()
            self.state.nested_parse(StringList(text.splitlines(), self.get_source_info()[0]), 0, made)
            for literal in made.findall(nodes.literal):
                if re.fullmatch(r"\S{1,24}", literal.astext()):
                    literal["classes"].append("unbroken")
            return made.children

    for name in DIRECTIVES:
        app.add_directive(name, Generated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
