"""What every command's ``--help`` says: a sentence, examples that work, options in sections, 80 columns."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import click
import pytest

from palmares.cli import cli
from palmares.cli.help import SHARED, Explained, Sectioned, SectionedGroup, section, section_of

ROOT = Path(__file__).parents[1]
CAMPAIGN = "examples/campaign.csv"


Commands: TypeAlias = "Iterator[tuple[str, click.Command]]"


def commands(command: click.Command = cli, path: tuple[str, ...] = ("palmares",)) -> Commands:
    """A command and all below it, by what people type."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


ALL = dict(commands())
SINGLE = {name: command for name, command in ALL.items() if not isinstance(command, click.Group)}
GROUPS = {name: command for name, command in ALL.items() if isinstance(command, click.Group)}


def help_of(name: str) -> str:
    with click.Context(ALL[name], info_name=name, terminal_width=80) as context:
        return ALL[name].get_help(context)


def headings(text: str) -> list[str]:
    return list(sections_of(text))


def sections_of(text: str) -> dict[str, str]:
    """The sections of a help text by their headings."""
    parts = re.split(r"^(\S.*):$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def examples_of(name: str) -> list[str]:
    command = ALL[name]
    return list(command.examples) if isinstance(command, Explained) else []


def words_of(example: str) -> list[str]:
    """The words of an example, without what the shell keeps for itself: comments, and where output goes."""
    words = shlex.split(example, comments=True)
    return words[: next((place for place, word in enumerate(words) if word in (">", "|", "&&")), None)]


EXAMPLES = [(name, example) for name in ALL for example in examples_of(name)]


# -- the shape -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_it_begins_with_one_sentence_and_two_examples(name: str) -> None:
    sentence = (ALL[name].help or "").partition("\n\n")[0].replace("\n", " ")
    assert sentence.endswith("."), sentence
    assert ". " not in sentence, "one sentence; the rest is for a paragraph of its own"
    own = [example for example in examples_of(name) if example.startswith(f"{name} ") or example == name]
    assert len(own) >= 2, "give it cls=Sectioned and at least two examples"
    text = help_of(name)
    assert headings(text)[0] == "Examples"
    assert text.index(sentence[:20]) < text.index("\nExamples:\n")


@pytest.mark.parametrize("name", ALL)
def test_it_is_80_columns_wide(name: str) -> None:
    text = help_of(name)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert not re.search(r"\w-$", text, re.MULTILINE), "a name is broken at its hyphen"
    assert text.isascii() or not re.search("\N{NON-BREAKING HYPHEN}", text)


@pytest.mark.parametrize("name", ALL)
def test_every_option_is_there_once(name: str) -> None:
    text = "".join(part for title, part in sections_of(help_of(name)).items() if title not in ("Examples", "Details"))
    shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)
    with click.Context(ALL[name]) as context:
        options = [p for p in ALL[name].get_params(context) if isinstance(p, click.Option)]
    assert sorted(shown) == sorted(next(o for o in option.opts if o.startswith("--")) for option in options)


@pytest.mark.parametrize("name", SINGLE)
def test_shared_options_come_last_and_in_one_order(name: str) -> None:
    found = headings(help_of(name))
    shared = [title for title in found if title in SHARED]
    assert shared == sorted(shared, key=SHARED.index)
    assert found[len(found) - len(shared) :] == shared


@pytest.mark.parametrize("name", SINGLE)
def test_what_leads_are_options_of_the_command(name: str) -> None:
    command = SINGLE[name]
    assert isinstance(command, Sectioned)
    names = [option for options in command.leading.values() for option in options]
    assert len(names) == len(set(names))
    assert set(names) <= {parameter.name for parameter in command.params}


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_lists_each_command_once(name: str) -> None:
    group = GROUPS[name]
    assert isinstance(group, SectionedGroup)
    commands = group.list_commands(click.Context(group))
    text = "".join(part for title, part in sections_of(help_of(name)).items() if title not in ("Details", "Options"))
    assert sorted(re.findall(r"^  ([\w-]+)  +[A-Z]", text, re.MULTILINE)) == sorted(commands)


@pytest.mark.parametrize("name", SINGLE)
def test_an_option_ends_with_a_full_stop_and_one_bracket(name: str) -> None:
    for option in SINGLE[name].params:
        if isinstance(option, click.Option):
            sentence, *brackets = (option.help or "").split("  [")
            assert sentence.endswith("."), option.name
            assert sentence[0] == sentence[0].upper() or sentence.split(":")[0].islower(), option.name
            assert len(brackets) <= 1, option.name
            assert all(re.fullmatch(r"default: .*[^.]\]", bracket) for bracket in brackets), option.name
    assert not re.search(r"\]\s+\[(default|required|at least|above|between)", help_of(name))
    assert not re.search(r"x>|<x|RANGE", help_of(name))


def test_palmares_itself_fits_on_one_screen_and_says_where_to_begin() -> None:
    text = help_of("palmares")
    assert len(text.splitlines()) <= 52
    assert f"palmares rank {CAMPAIGN}" in text
    assert headings(text)[:2] == ["Examples", "Analyse"]


# -- the examples ----------------------------------------------------------------------------------


def command_of(words: list[str]) -> tuple[str, click.Command, list[str]]:
    """The command that words name, and what it gets."""
    name, rest = words[0], words[1:]
    while isinstance(ALL[name], click.Group) and rest and f"{name} {rest[0]}" in ALL:
        name, rest = f"{name} {rest[0]}", rest[1:]
    return name, ALL[name], rest


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the examples in it, as they are in the project's."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_an_example_is_understood(name: str, example: str, at_home: Path) -> None:
    words = words_of(example)
    if words[0] == "python":
        assert (at_home / words[1]).is_file()
        return
    path, command, rest = command_of(words)
    if "--help" in rest:
        return
    assert not isinstance(command, click.Group), f"{path}: no such command"
    with command.make_context(path, rest, resilient_parsing=False) as context:
        assert not context.args
    assert all((at_home / word).exists() for word in rest if word.startswith("examples/"))


RUN = [name for name in SINGLE if any(CAMPAIGN in example for example in examples_of(name))]


def run_in_shell(example: str) -> None:
    """Run an example as somebody would who pastes it; it must not fail."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(example, shell=True, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"{example}\n{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_examples_on_the_campaign_run(name: str, at_home: Path) -> None:
    """One after the other, since some read what others wrote."""
    ran = 0
    for example in examples_of(name):
        files = [word for word in words_of(example) if re.search(r"\.(json|csv)$", word)]
        if CAMPAIGN not in example and not (files and all(Path(file).exists() for file in files)):
            continue
        run_in_shell(example)
        ran += 1
    assert ran


@pytest.mark.slow
def test_examples_of_scores_run_on_the_files_that_their_script_makes(at_home: Path) -> None:
    examples = examples_of("palmares score")
    assert examples[0].startswith("python examples/shared_tasks.py year")
    for example in examples:
        run_in_shell(example)


@pytest.mark.slow
def test_examples_of_a_campaign_run_up_to_the_server(at_home: Path) -> None:
    for example in [each for each in examples_of("palmares campaign") if each != "palmares serve"]:
        run_in_shell(example)


def test_every_command_on_judgments_has_examples_that_run() -> None:
    reading = [name for name, command in SINGLE.items() if any(p.name == "from_" for p in command.params)]
    of_texts = {name for name in reading if name.startswith(("palmares campaign", "palmares score"))}
    assert set(reading) - of_texts <= set(RUN)


# -- the machinery ---------------------------------------------------------------------------------


def test_an_option_knows_the_section_it_came_with_and_the_inner_one_wins() -> None:
    def nothing() -> None: ...

    shared = section("Work", click.option("--seed"))
    decorated = section("Outer", click.option("--first"), shared)(nothing)
    alone = click.option("--own")(decorated)
    sections = {option.name: section_of(option) for option in alone.__click_params__}  # type: ignore[attr-defined]
    assert sections == {"first": "Outer", "seed": "Work", "own": None}


def test_own_options_lead_then_further_ones_then_sections_then_shared_ones() -> None:
    @click.command(cls=Sectioned, leading={"First": ["b"]}, examples=("a", "b"))
    @section("Reading input", click.option("--from", help="From."))
    @section("Size", click.option("--size", type=click.IntRange(1), default=3, show_default=True, help="Size."))
    @section("Work", click.option("--workers", type=click.IntRange(1), help="Workers.  [default: all]"))
    @click.option("--a", help="A.")
    @click.option("--b", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="B.")
    def command() -> None:
        """Do it."""

    text = command.get_help(click.Context(command, info_name="command", terminal_width=80))
    assert headings(text) == ["Examples", "First", "Further options", "Size", "Work", "Reading input"]
    assert "--size INTEGER  Size.  [default: 3; at least 1]" in text
    assert "--workers INTEGER  Workers.  [default: all; at least 1]" in text
    assert "--b NUMBER  B.  [between 0 and 1]" in text
    assert text.rstrip().splitlines()[-1].lstrip().startswith("--help")


def test_words_that_are_too_many_for_a_line_are_told_in_the_text() -> None:
    words = [f"word-{number}" for number in range(20)]

    @click.command(cls=Sectioned)
    @click.option("--kind", type=click.Choice(words), default="word-3", show_default=True, help="What kind.")
    def command() -> None:
        """Do it."""

    text = command.get_help(click.Context(command, terminal_width=80))
    assert not re.search(r"-$", text, re.MULTILINE)
    text = " ".join(text.split())
    assert f"--kind NAME What kind. Allowed: {', '.join(words)}. [default: word-3]" in text


def test_a_long_example_is_broken_before_options_and_can_be_pasted() -> None:
    long = (
        "palmares convert judgments.csv other.parquet --where 'judge!=ann' --where 'judge!=bob' --margin 0.5 > log.txt"
    )
    whole = f"{'palmares rank --help  # as wide as it may be':.<76}"

    @click.command(cls=Sectioned, examples=(long, whole))
    def command() -> None:
        """Do it."""

    shown = sections_of(command.get_help(click.Context(command, terminal_width=80)))["Examples"]
    assert f"\n  {whole}\n" in shown
    pasted = shown.partition(whole)[0].replace("\\\n", " ")
    assert shlex.split(pasted) == shlex.split(long)
    assert shown.count("\\\n") == 1
