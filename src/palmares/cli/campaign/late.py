"""``palmares campaign add-system``: a system that comes late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...texts import TEXT_CHECKS, TEXT_FORMATS
from .. import options
from ..help import Sectioned
from .store import database_option, opened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...campaign.late_systems import Given
    from ...texts.testset import TestSet


@click.command(
    "add-system",
    cls=Sectioned,
    examples=(
        "palmares campaign add-system news --system E=e.txt",
        "palmares campaign add-system news --langs fr-en --system E=e.txt --system F=f.txt",
        "palmares campaign add-system answers newer.jsonl",
    ),
)
@click.argument("name")
@click.argument("texts", required=False, metavar="[TEXTS]")
@click.option("--system", "systems", multiple=True, metavar="NAME=FILE",
              help="Outputs of a new system, one per line. Repeat for each system.")  # fmt: skip
@click.option("--langs", metavar="LANGS", help="Language pair.  [default: the only one]")
@click.option("--from", "from_", type=click.Choice(["auto", *(id for id in TEXT_FORMATS if id not in ("plain",
              "folder"))]), default="auto", show_default=True, help="Format of TEXTS.")  # fmt: skip
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
@click.option("--accept", multiple=True, type=click.Choice(list(TEXT_CHECKS)),
              help="Continue even if this check found errors. Repeat for several.")  # fmt: skip
@database_option
def add_system(
    name: str,
    texts: str | None,
    systems: tuple[str, ...],
    langs: str | None,
    from_: str,
    encoding: str,
    accept: tuple[str, ...],
    database: str | None,
) -> None:
    """Add systems to a language pair while people judge.

    Outputs are for the segments that are there: a file per system, one output per line, or TEXTS, one file with the
    same segments and the new systems alone. They are checked like those of `palmares campaign new`. Earlier answers
    say nothing of a new system; from now on it is asked about first.
    """
    if (texts is None) == (not systems):
        raise InputError("give the outputs of the new systems: --system NAME=FILE for each, or one file of all")
    with opened(database) as db:
        from ...campaign.late_systems import add_systems, late, of_same_segments, refuse_errors, stored_texts

        pair, there = stored_texts(db, name, langs)
        given: Mapping[str, Sequence[Given]] = _read_lines(systems, encoding)
        if texts is not None:
            given = of_same_segments(there, _read(texts, pair.name if pair.source else None, from_, encoding))
        prepared = late(pair, there, given)
        if prepared.report.findings:
            click.echo(prepared.report.summary(), err=True)
        refuse_errors(prepared, accept)
        added = add_systems(db, name, prepared)
    for system, shared in added.systems.items():
        alike = f", {shared:,} of them as other systems have them" if shared else ""
        click.echo(f"{added.langs}: added {system}, {added.segments:,} segments{alike}", err=True)
    click.echo(f"they count in judgments after answer {added.added_after}", err=True)


def _read_lines(systems: tuple[str, ...], encoding: str) -> dict[str, Sequence[Given]]:
    from ...texts.plain import read_file

    return {
        system: read_file(path, encoding).texts for system, path in options.keyed(systems, "--system").items()
    }  # fmt: skip


def _read(path: str, langs: str | None, format: str, encoding: str) -> TestSet:
    from ...texts import read_texts

    found = read_texts(path=path, langs=langs, format=format, encoding=encoding)
    if len(found) > 1:
        raise InputError(f"{path}: has {len(found)} language pairs; give the texts of one at a time")
    return found[0]
