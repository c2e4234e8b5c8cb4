"""``palmares campaign list``, ``status``, ``state`` and ``log``."""

from __future__ import annotations

import click

from .. import options
from .store import database_option, name_argument, opened


@click.command("list")
@options.format_option
@database_option
def list_(output: str, database: str | None) -> None:
    """List the campaigns of a database."""
    with opened(database) as db:
        from ...campaign.overview import campaign_lines

        found = campaign_lines(db)
    from ..output import show

    show("campaign list", found, output)


@click.command()
@name_argument
@click.option(
    "--show",
    type=click.Choice(["all", "pairs", "judges"]),
    default="all",
    show_default=True,
    help="One row a language pair, one a judge, or both tables.",
)
@options.format_option
@database_option
def status(name: str | None, show: str, output: str, database: str | None) -> None:
    """Say how far a campaign has come.

    For every language pair: segments, systems, screens that were answered, are open or were skipped, how often two
    systems were compared at least and at most, and judges at work. For every judge: screens done, and how they did on
    the controls.
    """  # fmt: skip
    with opened(database) as db:
        from ...campaign.overview import campaign_status

        found = campaign_status(db, name)
    from ..output import show as print_results

    print_results("campaign status", [found], output, part=show)


@click.command()
@click.argument("name")
@click.argument("state", type=click.Choice(["open", "paused", "closed"]))
@database_option
def state(name: str, state: str, database: str | None) -> None:
    """Open, pause or close a campaign.

    While it is paused, nobody gets new work, and answers are taken; once it is closed, answers are not taken either.
    It can be opened again.
    """
    with opened(database) as db:
        from ...campaign.definition import change_state, find_campaign

        with db.read() as tx:
            before = find_campaign(tx, name).state
        if before != state:
            change_state(db, name, state)
    click.echo(f"{name}: is {state}{' already' if before == state else f', was {before}'}", err=True)


@click.command()
@name_argument
@click.option("--most", type=click.IntRange(1), default=50, show_default=True, help="Entries, the latest.")
@options.format_option
@database_option
def log(name: str | None, most: int, output: str, database: str | None) -> None:
    """Say who did what, and when; the latest first.

    What was done on the command line has nobody's name.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.journal import entries

        with db.read() as tx:
            info = find_campaign(tx, name)
        found = entries(db, info.id, limit=most)
    from ..output import show

    show("campaign log", found, output)
