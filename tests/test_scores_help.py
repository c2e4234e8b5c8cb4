"""Help of the commands below ``palmares score``: examples that can be run, and options under headings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
import pytest

from palmares.cli import COMMANDS
from palmares.cli.help import Explained, Sectioned
from palmares.scoring.baseline.regression import Grid


def _commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _commands(f"{name} {inner}", found)


SCORES = dict(_commands("score", COMMANDS.load("score")))


@pytest.mark.parametrize("name", SCORES)
def test_every_command_has_examples_that_its_options_allow(name: str) -> None:
    command = SCORES[name]
    assert isinstance(command, Explained)
    assert command.examples
    for example in command.examples:
        words = shlex.split(example, comments=True)
        if words[0] == "python":  # makes the files of the others
            continue
        called = max((each for each in SCORES if words[1 : 1 + len(each.split())] == each.split()), key=len)
        assert called.startswith(name)
        SCORES[called].make_context(called, words[1 + len(called.split(" ")) :])


@pytest.mark.parametrize("name", [name for name, command in SCORES.items() if not isinstance(command, click.Group)])
def test_every_option_is_in_help_once(name: str) -> None:
    command = SCORES[name]
    assert isinstance(command, Sectioned)
    text = command.get_help(click.Context(command, info_name=name, terminal_width=100))
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            assert sum(f"{line} ".startswith(f"  {option.opts[0]} ") for line in text.splitlines()) == 1, option.opts


def test_the_grid_of_the_baseline_is_the_one_that_help_names() -> None:
    text = " ".join(
        SCORES["score quality-estimation baseline train"].get_help(click.Context(click.Command(""))).split()
    )
    for values in (Grid().c, Grid().epsilon):
        assert f"[default: {','.join(f'{value:g}' for value in values)}]" in text
    assert Grid().gamma == tuple(2.0**power for power in range(-11, -2, 2))
