"""Pages hang together: every one is in a table of contents, links have targets, and commands are understood."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from palmares.cli import cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
CAMPAIGN = "examples/campaign.csv"

sys.path.insert(0, str(DOCS))
reference = importlib.import_module("reference")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def whole(path: Path) -> str:
    """A page as it is built: with what its generated parts write."""
    names = "|".join(reference.DIRECTIVES)
    return re.sub(
        rf"^```\{{({names})\}}(.*)\n((?:.*\n)*?)```$",
        lambda match: reference.written(match[1], match[2].strip(), match[3], DOCS),
        path.read_text("utf-8"),
        flags=re.MULTILINE,
    )


# -- tables of contents -------------------------------------------------------------------------------


def below(page: str) -> Iterator[str]:
    """A page and those in its tables of contents."""
    path = DOCS / f"{page}.md"
    yield page
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line and not line.startswith(":"):
                entry = re.sub(r".*<(.*)>", r"\1", line.strip())
                yield from below(str((path.parent / entry).resolve().relative_to(DOCS)))


def test_every_page_is_in_one_table_of_contents() -> None:
    found = sorted(below("index"))
    assert found == sorted(str(path.relative_to(DOCS).with_suffix("")) for path in PAGES)


# -- links --------------------------------------------------------------------------------------------


@cache
def anchors_of(path: Path) -> frozenset[str]:
    """The anchors of a page: its headings down to the third level, and those that are set by hand."""
    text = re.sub(r"^```.*?^```$", "", whole(path), flags=re.DOTALL | re.MULTILINE)
    found: list[str] = []
    for title in re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return frozenset([*found, *re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)])


def links_of(path: Path) -> list[str]:
    text = re.sub(r"^```(?!\{).*?^```$|`[^`\n]+`(?!\])", "", whole(path), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_links_have_targets(path: Path) -> None:
    for link in links_of(path):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = path if not file else DOCS / file[1:] if file.startswith("/") else (path.parent / file).resolve()
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors_of(target), link


def test_a_link_to_nothing_would_be_found() -> None:
    assert "the-convention-of-arenas" in anchors_of(DOCS / "models" / "bradley-terry.md")
    assert "no-such-heading" not in anchors_of(DOCS / "models" / "bradley-terry.md")
    assert "../models/bradley-terry.md#the-convention-of-arenas" in links_of(DOCS / "commands" / "shared-options.md")
    assert "/commands/rank.md" in links_of(DOCS / "commands" / "index.md")


# -- commands -----------------------------------------------------------------------------------------


def commands_of(path: Path) -> list[str]:
    """What a page shows to be typed: lines of `palmares …`, indented, behind `$` or in a block for a shell."""
    text = re.sub(r" \\\n\s*", " ", path.read_text("utf-8"))
    blocks = re.findall(r"^```(?:console|bash|sh)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    indented = re.findall(r"^    (?:\$ )?(palmares .*)$", text, re.MULTILINE)
    shown = [line for block in blocks for line in re.findall(r"^\s*(?:\$ )?(palmares .*)$", block, re.MULTILINE)]
    return list(dict.fromkeys([*indented, *shown]))


def words_of(line: str) -> list[str]:
    """The words of a command, without what the shell keeps for itself."""
    words = shlex.split(line)
    end = next((place for place, word in enumerate(words) if re.fullmatch(r"[<>|&]+|\d?>.*|#.*", word)), None)
    return words[1:end]


COMMANDS = [(path, line) for path in TEXTS for line in commands_of(path)]


@pytest.mark.parametrize(("path", "line"), COMMANDS, ids=[f"{path.stem}: {line}" for path, line in COMMANDS])
def test_a_command_on_a_page_is_understood(
    path: Path, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = words_of(line)
    for place, word in enumerate(words):
        if word == "--again":  # which is read at once
            del words[place : place + 2]
    context = click.Context(cli, info_name="palmares")
    while isinstance(context.command, click.Group) and words and not words[0].startswith("-"):
        command = context.command.get_command(context, words[0])
        assert command is not None, f"no command {words[0]}"
        context, words = click.Context(command, parent=context, info_name=words[0]), words[1:]
    if isinstance(context.command, click.Group) or {"--help", "-h", "--version"} & {*words}:
        assert not words or {*words} <= {"--help", "-h", "--version"}
        return
    with context.command.make_context(context.info_name, words, parent=context.parent) as parsed:
        assert not parsed.args


def test_commands_are_found_on_pages() -> None:
    assert len(COMMANDS) > 200
    assert words_of("palmares rank a.db#news --by 'x y' > out  # so") == ["rank", "a.db#news", "--by", "x y"]


RUN = [(path, line) for path, line in COMMANDS if CAMPAIGN in line and "palmares simulate " not in line]


@pytest.mark.slow
@pytest.mark.parametrize("path", list(dict.fromkeys(path for path, _ in RUN)), ids=name_of)
def test_commands_on_the_example_campaign_run(path: Path, tmp_path: Path) -> None:
    """One after the other, as the page has them, in a folder that has the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for line in [line for at, line in RUN if at == path]:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
