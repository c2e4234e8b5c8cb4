"""Run the commands of pages in order, and write what they print below them: python docs/refresh.py PAGE…

Without a name, every page that has such commands is refreshed. A command stands in a ``console`` block after "$ ".
The commands of a page run one after the other in an empty folder that has the repository's examples.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

DOCS = Path(__file__).parent
#: Pages whose commands all run, and print what the pages show.
PAGES = (
    "quickstart", "tutorial", "shared-tasks", "how-to/a-or-b", "how-to/arena", "how-to/last-year", "how-to/stop-early",
    "how-to/two-language-pairs",
)  # fmt: skip
#: What commands are told of the terminal, and what fits on a page.
TERMINAL, WIDTH = 120, 112
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(/join/)[\w-]{43}")
#: Campaigns draw links, pseudonyms and orders from the system's randomness. Here they come from the command, so that a
#: page changes only if palmares does.
_SAME_LUCK = '''"""Chance that depends on the command alone."""

import secrets
import sys
from pathlib import Path
from random import Random

_words = " ".join(Path(word).name for word in sys.orig_argv[1:])
_source = Random(_words)
secrets.token_bytes = lambda size=32: _source.randbytes(size)
secrets.choice = _source.choice
secrets.SystemRandom = lambda: Random(_words)
'''


def commands(text: str) -> list[str]:
    """Every command of a page, in order."""
    return [line[2:] for block in _BLOCK.findall(text) for line in block.splitlines() if line.startswith("$ ")]


def run(command: str, folder: Path) -> str:
    """What a command prints in a folder that `prepare` has made ready."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": path, "COLUMNS": str(TERMINAL), "PYTHONPATH": str(folder / ".luck")}
    for name in ("PALMARES_DATABASE", "PALMARES_ADDRESS"):
        settings[name] = ""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"$ {command}\n{done.stderr}")
    return done.stdout


def prepare(folder: Path) -> None:
    """Make a folder ready for the commands of a page."""
    (folder / "examples").symlink_to(DOCS.parent / "examples")
    (folder / ".luck").mkdir()
    (folder / ".luck" / "sitecustomize.py").write_text(_SAME_LUCK, encoding="utf-8")


def as_shown(command: str, printed: str) -> str:
    """What a page shows of what a command prints: no secrets of links, and sentences folded as by a terminal."""
    lines = (_LINK.sub(r"\1…", line).rstrip() for line in printed.splitlines())
    fold = _folded if command.startswith("palmares ") else lambda line: [line]
    return "".join(f"{line}\n" for each in lines for line in fold(each))


def _folded(line: str) -> list[str]:
    """A line as it is if it fits, or is of a table, or of one word as signatures are; else at most so wide."""
    if len(line) <= WIDTH or " " not in line or re.search(r"\S {3,}\S|[─╌]{3}", line):
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def refreshed(text: str) -> str:
    """A page with what its commands print now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)

        def block(match: re.Match[str]) -> str:
            lines = [f"$ {command}\n{as_shown(command, run(command, folder))}" for command in commands(match[0])]
            return f"```console\n{''.join(lines)}```"

        return _BLOCK.sub(block, text)


def main(names: list[str]) -> None:
    for name in names or PAGES:
        page = DOCS / f"{name}.md"
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
