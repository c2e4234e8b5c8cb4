"""``palmares verify``."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click

from ..errors import ConvergenceError, InputError
from . import COMMANDS, options
from .again import Invocation, invocation_of, results_in


@click.command()
@click.argument("result", metavar="RESULT.json")
@click.argument("files", nargs=-1, metavar="[FILE...]")
@options.printing_options
@click.pass_context
def verify(context: click.Context, result: str, files: tuple[str, ...], printing: options.Printing) -> None:
    """Make a result again and say whether it is the same.

    RESULT.json is what a command printed with --format json; it records the files it was made from, with digests, and
    every option. Files are looked for where they were, and beside RESULT.json; or name them. The exit status is 1 if
    anything differs.
    """  # fmt: skip
    from ..analysis.verify import group_of
    from ..analysis.verify import verify as compared
    from ..report.tables import Grouped

    recorded = results_in(result)
    invocation = invocation_of(recorded[0], result)
    found = {_key(group_of(each)): each for each in _run(invocation, _located(recorded[0], result, files))}
    verified = [
        Grouped(compared(each, again) if (again := found.get(_key(group))) else _missing(group), tuple(group.items()))
        for each in recorded
        for group in [group_of(each)]
    ]
    printing.show("verify", verified)
    if not all(each.result.equal for each in verified):
        context.exit(1)


def _key(group: Mapping[str, str | None]) -> frozenset[tuple[str, str | None]]:
    return frozenset(group.items())


def _missing(group: Mapping[str, str | None]) -> Any:
    from ..analysis.verify import Verification

    return Verification(group, 0, obstacle="the judgments have no such group any more")


def _run(invocation: Invocation, files: Sequence[str]) -> list[dict[str, Any]]:
    """Run a command again, on these files, and read what it prints."""
    if invocation.name not in COMMANDS:
        raise InputError(f"the result was made by `palmares {invocation.name}`, which this version does not have")
    command: click.Command = COMMANDS.load(invocation.name)
    known = {parameter.name for parameter in command.params}
    if unknown := sorted(set(invocation.options) - known):
        raise InputError(f"the result was made with options that this version does not have: {', '.join(unknown)}")
    printed = io.StringIO()
    arguments = ["--format", "json", *(["--", *files] if "files" in known else [])]
    with (
        redirect_stdout(printed),
        command.make_context(invocation.name, arguments, default_map=dict(invocation.options)) as context,
    ):
        try:
            command.invoke(context)
        except ConvergenceError as error:  # raised after printing: what was printed is what was recorded
            click.echo(f"note: {error}", err=True)
    content = json.loads(printed.getvalue())
    return content if isinstance(content, list) else [content]


def _located(recorded: Mapping[str, Any], result: str, given: Sequence[str]) -> list[str]:
    """The files a result was made from: those given, else where they were, else beside the result."""
    wanted = (recorded["record"].get("input") or {}).get("files", [])
    left = list(given)
    return [_find(file, result, left) for file in wanted]


def _find(file: Mapping[str, Any], result: str, given: list[str]) -> str:
    """One file; what was given is used up."""
    from ..ingest.files import is_url

    name, digest = str(file["name"]), file.get("sha256")
    if given:
        same = [path for path in given if _digest(path) == digest or digest is None]
        if not same:
            raise InputError(
                f"{', '.join(given)}: not the {name} that the result was made from, whose SHA-256 is {digest}; to "
                f"repeat the analysis on other data, use --again {result}"
            )
        given.remove(same[0])
        return same[0]
    if is_url(name):  # without a password, if it had one
        return name
    places = dict.fromkeys([Path(name), Path(result).parent / name, Path(result).parent / Path(name).name])
    there = [path for path in places if path.is_file()]
    if not there:
        raise InputError(f"{name}: is neither there nor beside {result}; name it: palmares verify {result} FILE")
    for path in there:
        if digest is None or _digest(str(path)) == digest:
            return str(path)
    raise InputError(
        f"{there[0]}: has changed since the result was made (its SHA-256 was {digest}); give the file as it was, or "
        f"repeat the analysis with --again {result}"
    )


def _digest(path: str) -> str | None:
    from ..ingest.files import is_url
    from ..ingest.source import load

    return None if is_url(path) else load(path).digest
