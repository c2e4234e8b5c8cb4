"""``palmares campaign list``, ``status``, ``state``, ``log`` and ``notes``."""

from __future__ import annotations

import click

from ...campaign import STATES
from .. import options
from ..help import Sectioned
from .store import database_option, name_argument, opened


@click.command(
    "list",
    cls=Sectioned,
    examples=(
        "palmares campaign list",
        "palmares campaign list --archived",
    ),
)
@click.option("--archived", is_flag=True, help="Include campaigns in the archive.")
@options.printing_options
@database_option
def list_(archived: bool, printing: options.Printing, database: str | None) -> None:
    """List the campaigns of a database."""
    with opened(database) as db:
        from ...campaign.overview import campaign_lines

        lines = campaign_lines(db, archived=archived)
    printing.show("campaign list", lines)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign status",
        "palmares campaign status answers --show judges",
    ),
)
@name_argument
@click.option(
    "--show",
    type=click.Choice(["all", "pairs", "judges"]),
    default="all",
    show_default=True,
    help="One row per language pair, one per judge, or both tables.",
)
@options.people_printing_options
@database_option
def status(name: str | None, show: str, printing: options.Printing, database: str | None) -> None:
    """Show the progress of a campaign.

    For every language pair: segments, systems, screens answered, open and skipped, the least and the most comparisons
    of any two systems, and judges at work. For every judge: screens done, and results on the controls.
    """  # fmt: skip
    with opened(database) as db:
        from ...campaign.overview import campaign_status

        progress = campaign_status(db, name)
    printing.show("campaign status", [progress], show)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign state answers paused",
        "palmares campaign state answers open",
    ),
)
@click.argument("name")
@click.argument("state", type=click.Choice(STATES))
@database_option
def state(name: str, state: str, database: str | None) -> None:
    """Open, pause or close a campaign.

    While it is paused, nobody gets new work, but answers are accepted; once it is closed, answers are not accepted
    either. It can be opened again.
    """
    with opened(database) as db:
        from ...campaign.definition import change_state, find_campaign

        with db.read() as tx:
            before = find_campaign(tx, name).state
        if before != state:
            change_state(db, name, state)
    click.echo(f"{name}: is {state}{' already' if before == state else f', was {before}'}", err=True)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign log answers",
        "palmares campaign log answers --limit 500 --format csv > log.csv",
    ),
)
@name_argument
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many entries to show.")
@options.people_printing_options
@database_option
def log(name: str | None, limit: int, printing: options.Printing, database: str | None) -> None:
    """Show who did what, and when; the latest first.

    What was done on the command line has no name.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.journal import entries

        with db.read() as tx:
            info = find_campaign(tx, name)
        events = entries(db, info.id, limit=limit)
    printing.show("campaign log", events)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign notes answers",
        "palmares campaign notes answers --problems --format json > problems.json",
    ),
)
@name_argument
@click.option("--problems", is_flag=True, help="Only reports of problems.")
@click.option(
    "--kind",
    type=click.Choice(["note", "comment", "problem", "skipped", "any"]),
    default="note",
    show_default=True,
    help="What to show: notes, or screens that were skipped, with a note or without.",
)
@click.option("--judge", metavar="PERSON", help="Only those of a judge, by name or pseudonym.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many notes to show.")
@options.people_printing_options
@database_option
def notes(
    name: str | None,
    problems: bool,
    kind: str,
    judge: str | None,
    limit: int,
    printing: options.Printing,
    database: str | None,
) -> None:
    """Show what judges wrote beside their answers; the latest first.

    JSON has the whole screen: source, reference, and the outputs with their systems and ranks.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.notes import notes as written
        from ...campaign.people import find_person

        with db.read() as tx:
            info = find_campaign(tx, name)
        whose = None if judge is None else find_person(db, info.name, judge).pseudonym
        found = written(db, info.id, problems=problems, kind=kind, judge=whose, limit=limit)
    printing.show("campaign notes", found)
