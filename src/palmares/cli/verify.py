"""``palmares verify``."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..errors import ConvergenceError, InputError
from . import COMMANDS, LazyGroup, options
from .again import Invocation, defaults, invocation_of, is_page, page_results, results_in
from .help import Sectioned

if TYPE_CHECKING:
    from ..analysis.verify import Verification
    from ..report.tables import Grouped

#: Options of a report that name results of other commands.
_RESULTS = frozenset(("last", "scores"))
#: The group of a result, to match it with what is found.
Key: TypeAlias = "frozenset[tuple[str, str | None]]"


@click.command(
    cls=Sectioned,
    examples=(
        "palmares rank examples/campaign.csv --format json > ranking.json",
        "palmares verify ranking.json",
        "palmares verify ranking.json examples/campaign.csv",
        "palmares verify report.html",
    ),
)
@click.argument("result", metavar="RESULT")
@click.argument("files", nargs=-1, metavar="[FILE...]")
@options.printing_options
@click.pass_context
def verify(context: click.Context, result: str, files: tuple[str, ...], printing: options.Printing) -> None:
    """Make a result again and say whether it is the same.

    RESULT is what a command printed with --format json, or a page that palmares report wrote; it records the files it
    was made from, with digests, and every option. Files are looked for where they were, and beside RESULT; or name
    them. The exit status is 1 if anything differs, also if a page shows something else than it carries.
    """  # fmt: skip
    from ..analysis.verify import group_of

    recorded = results_in(result)
    invocation = invocation_of(recorded[0], result)
    found: dict[Key, list[dict[str, Any]]] = {}
    printed = _run(_beside(invocation, result), _located(recorded[0], result, files))
    for each in _results(printed):
        found.setdefault(_key(group_of(each)), []).append(each)
    verified = [_verified(each, found) for each in recorded]
    if recorded[0]["record"].get("command"):  # else notes may be in other words
        verified += _page(Path(result).read_text(encoding="utf-8"), printed, verified)
    if recorded[0]["record"].get("command"):  # a program may have kept one group of several
        verified += [_unmatched(group_of(each), "is not in the file") for rest in found.values() for each in rest]
    printing.show("verify", verified)
    if not all(each.result.equal for each in verified):
        context.exit(1)


def _key(group: Mapping[str, str | None]) -> Key:
    return frozenset(group.items())


def _verified(recorded: dict[str, Any], found: Mapping[Key, list[dict[str, Any]]]) -> Grouped[Verification]:
    """One result beside what was found for its group, which is used up: experiments have no groups, but an order."""
    from ..analysis.verify import group_of, verify
    from ..report.tables import Grouped

    group = group_of(recorded)
    again = found.get(_key(group))
    if not again:
        return _unmatched(group, "the judgments have no such group")
    return Grouped(verify(recorded, again.pop(0)), tuple(group.items()))


def _unmatched(group: dict[str, str | None], obstacle: str) -> Grouped[Verification]:
    from ..analysis.verify import Verification
    from ..report.tables import Grouped

    return Grouped(Verification(group, 0, obstacle=obstacle), tuple(group.items()))


def _page(recorded: str, found: str, verified: Sequence[Grouped[Verification]]) -> list[Grouped[Verification]]:
    """Whether a page shows what it should, if one is verified; another version may write pages in another way."""
    from ..analysis.verify import Difference, Verification
    from ..report.document.embedded import shown
    from ..report.tables import Grouped

    if not is_page(recorded) or any("palmares" in each.result.versions for each in verified):
        return []
    then, now = (shown(page).splitlines() for page in (recorded, found))
    both = list(zip_longest(then, now))
    differences = [Difference(f"line {number}", *pair) for number, pair in enumerate(both, 1) if pair[0] != pair[1]]
    return [Grouped(Verification({}, len(both), tuple(differences)), (("page", "as shown"),))]


def _beside(invocation: Invocation, result: str) -> Invocation:
    """The invocation, with other results that it was given taken from beside this one where they are not there."""

    def found(path: str) -> str:
        near = Path(result).parent / Path(path).name
        return str(near) if not Path(path).exists() and near.exists() else path

    options = dict(invocation.options)
    for name in _RESULTS & options.keys():
        value = options[name]
        options[name] = [found(each) for each in value] if isinstance(value, list) else found(value)
    return Invocation(invocation.name, options)


def _results(printed: str) -> list[dict[str, Any]]:
    """What a command printed: JSON, or a page."""
    if is_page(printed):
        return page_results(printed, "the report")
    content = json.loads(printed)
    return content if isinstance(content, list) else [content]


def _run(invocation: Invocation, files: Sequence[tuple[str, str]]) -> str:
    """Run a command again, on these files (as recorded, and where they are now): what it prints."""
    command = _command(invocation.name)
    options = defaults(invocation, command)
    arguments = ["--output", "-"] if invocation.name == "report" else ["--format", "json"]
    if any(p.name == "files" for p in command.params):
        arguments += ["--", *(now for _, now in files)]
    else:
        options = _moved(options, files)
    printed = io.StringIO()
    with (
        _without_variables(command),
        redirect_stdout(printed),
        command.make_context(invocation.name, arguments, default_map=options) as context,
    ):
        try:
            command.invoke(context)
        except ConvergenceError as error:  # raised after printing: what was printed is what was recorded
            click.echo(f"note: {error}", err=True)
    return printed.getvalue()


def _command(name: str) -> click.Command:
    """A command by its name, with those of the groups it is in."""
    first, *inner = name.split(" ")
    command: click.Command = COMMANDS.load(first)
    for part in inner:
        assert isinstance(command, LazyGroup)
        command = command.registry.load(part)
    return command


def _moved(options: Mapping[str, Any], files: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Options that name files, ``F`` or ``NAME=F``, with the places where these are now."""
    places = dict(files)
    used: set[str] = set()

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(each) for each in value]
        if not isinstance(value, str):
            return value
        if (folder := _folder(value, files)) is not None:
            used.update(old for old, _ in files if Path(value) in Path(old).parents)
            return folder
        name, sign, path = value.partition("=")
        whole, part = value in places, bool(sign) and path in places
        used.update({value} if whole else {path} if part else ())
        return places[value] if whole else f"{name}={places[path]}" if part else value

    found = {name: moved(value) for name, value in options.items()}
    if left := [(old, now) for old, now in files if now != old and old not in used]:
        raise InputError(
            f"{left[0][0]}: was read from a folder, which is not there any more; put the files where they were"
        )
    return found


def _folder(value: str, files: Sequence[tuple[str, str]]) -> str | None:
    """Where the folder of an option is now: the one place that all files which were read from it agree on."""
    inside = [(Path(old).relative_to(value), Path(now)) for old, now in files if Path(value) in Path(old).parents]
    roots = {now.parents[len(rest.parts) - 1] if now.parts[-len(rest.parts) :] == rest.parts else None
             for rest, now in inside}  # fmt: skip
    return str(roots.pop()) if len(roots) == 1 and None not in roots else None


@contextmanager
def _without_variables(command: click.Command) -> Iterator[None]:
    """Environment variables that set options of a command do not set them: the record does."""
    names = [name for p in command.params for name in ([p.envvar] if isinstance(p.envvar, str) else p.envvar or [])]
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def _located(recorded: Mapping[str, Any], result: str, given: Sequence[str]) -> list[tuple[str, str]]:
    """The files a result was made from, as recorded and where they are: those given, else where they were, else beside
    the result.
    """
    left = list(given)
    files = (recorded["record"].get("input") or {}).get("files", [])
    found = [(str(file["name"]), _find(file, result, left)) for file in files]
    if left:
        raise InputError(
            f"{', '.join(left)}: not what the result was made from, by SHA-256; to repeat the analysis on other data, "
            f"use --again {result}"
        )
    return found


def _find(file: Mapping[str, Any], result: str, given: list[str]) -> str:
    """One file; what was given is used up."""
    from ..ingest.files import is_url

    name, digest = str(file["name"]), file.get("sha256")
    for path in given:
        if digest is None or _digest(path) == digest:
            given.remove(path)
            return path
    if is_url(name):  # without a password, if it had one
        return name
    places = dict.fromkeys([Path(name), Path(result).parent / name, Path(result).parent / Path(name).name])
    there = [path for path in places if path.is_file()]
    if not there:
        raise InputError(f"{name}: is neither there nor beside {result}; name it: palmares verify {result} FILE")
    for place in there:
        if digest is None or _digest(str(place)) == digest:
            return str(place)
    raise InputError(
        f"{there[0]}: has changed since the result was made (its SHA-256 was {digest}); give the file as it was, or "
        f"repeat the analysis with --again {result}"
    )


def _digest(path: str) -> str | None:
    """The SHA-256 of a file's bytes, decompressed, as a result records it."""
    from ..ingest.files import is_url
    from ..ingest.source import unpacked

    return None if is_url(path) else sha256(unpacked(path)[1]).hexdigest()
