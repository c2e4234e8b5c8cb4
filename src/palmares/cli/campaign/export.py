"""``palmares campaign export``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from .. import options
from ..help import Sectioned
from .store import database_option, opened

if TYPE_CHECKING:
    from ...campaign.database import Database

#: Options that say nothing about screens with their texts.
_OF_JUDGMENTS = {"to": "--to", "drop": "--drop", "collapse": "--collapse", "controls": "--controls",
                 "formulas": "--formulas"}  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What is to be exported, and how."""

    to: str
    drop: str
    collapse: bool
    controls: bool
    texts: bool
    revisions: bool
    up_to: int | None
    left_out_as_of: int | None
    formulas: str


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign export answers judgments.csv",
        "palmares campaign export answers screens.jsonl --texts",
    ),
)
@click.argument("name")
@click.argument("target", metavar="OUT")
@options.grouped(
    "wanted", Wanted,
    options.to_option,
    options.drop_option,
    click.option("--collapse", is_flag=True, help="Treat outputs shared by several systems as systems of their own."),
    click.option("--controls", is_flag=True, help="Include control outputs, as systems of their own."),
    click.option("--texts", is_flag=True, help="Write screens with their texts instead, one JSON object per line."),
    click.option("--revisions", is_flag=True, help="With --texts: include answers that were changed later."),
    click.option("--up-to", type=click.IntRange(1), metavar="ANSWER",
                 help="Only what there was once this answer was stored, as the one that a stopping rule names."),
    click.option("--left-out-as-of", type=click.IntRange(0), metavar="CHANGE",
                 help="Mark the judges who were left out after this change, not those who are now; 0 is nobody."),
    options.formulas_option("keep"),
)  # fmt: skip
@database_option
def export(name: str, target: str, wanted: Wanted, database: str | None) -> None:
    """Export what a campaign has collected.

    The extension of OUT gives the format (.csv, .tsv, .jsonl, .parquet, .xml, …; add .gz or .zst to compress); "-"
    is standard output. People appear by pseudonym. Judgments of judges who are left out have a 1 in the column
    left_out, and other commands drop them; where --drop extra leaves that column out, they are not written.
    """  # fmt: skip
    _check(wanted)
    with opened(database) as db:
        if wanted.texts:
            _export_screens(db, name, target, wanted)
        else:
            _export_judgments(db, name, target, wanted)


def _check(wanted: Wanted) -> None:
    context = click.get_current_context()
    given = [
        option
        for key, option in _OF_JUDGMENTS.items()
        if context.get_parameter_source(key) == click.core.ParameterSource.COMMANDLINE
    ]
    if wanted.texts and given:
        raise InputError(f"--texts writes screens, and {given[0]} is for judgments; leave out one of them")
    if wanted.revisions and not wanted.texts:
        raise InputError("--revisions is for screens (judgments are always the latest); give --texts too")


def _export_judgments(db: Database, name: str, target: str, wanted: Wanted) -> None:
    from ...campaign.export import export as write

    written = write(
        db,
        name,
        target,
        format=wanted.to,
        drop=[part.strip() for part in wanted.drop.split(",") if part.strip()],
        merged="collapse" if wanted.collapse else "expand",
        controls=wanted.controls,
        formulas=wanted.formulas,
        upto=wanted.up_to,
        left_out_as_of=wanted.left_out_as_of,
    )
    amount = f"{written.judgments:,} judgments from {written.screens:,} screens ({written.skipped:,} more were skipped)"
    if not written.judgments:
        outcome = (
            "wrote a file without any"
            if written.path is not None
            else f"{written.format} needs some: nothing was written"
        )
        click.echo(f"warning: campaign {name!r} has no judgments yet; {outcome}", err=True)
    else:
        click.echo(f"wrote {amount} to {target} ({written.format})", err=True)
    if written.left_out:
        done = "marked in the column left_out" if written.marked else "not written, for want of the column left_out"
        click.echo(f"{written.left_out:,} judgments of judges who are left out: {done}", err=True)


def _export_screens(db: Database, name: str, target: str, wanted: Wanted) -> None:
    from ...campaign.export import export_screens

    written = export_screens(
        db, name, target, revisions=wanted.revisions, upto=wanted.up_to, left_out_as_of=wanted.left_out_as_of
    )
    if not written.lines:
        click.echo(f"warning: no screen of campaign {name!r} has been answered yet; wrote an empty file", err=True)
    else:
        amount = f"{written.screens:,} ranked and {written.skipped:,} skipped screens"
        click.echo(f"wrote {amount} to {target} ({written.lines:,} lines)", err=True)
