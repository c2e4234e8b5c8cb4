"""``palmares campaign leave-out`` and ``take-back``."""

from __future__ import annotations

import click

from ..help import Sectioned
from .store import database_option, opened


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign leave-out answers judge-1c9b2d3e --reason 'ranks in the order shown'",
        "palmares campaign leave-out answers ann --reason 'asked for it'",
    ),
)
@click.argument("name")
@click.argument("judge")
@click.option("--reason", required=True, metavar="TEXT", help="Why, for whoever reads the results later.")
@database_option
def leave_out(name: str, judge: str, reason: str, database: str | None) -> None:
    """Let the answers of a judge count no more, those to come included.

    Nothing is deleted, and the judge is told nothing and can go on. Exports mark the answers, every command that reads
    them drops them (--left-out keep does not), and what is computed while the campaign runs follows at once: a stopping
    rule that was met may be open again.
    """
    with opened(database) as db:
        from ...campaign.left_out import leave_out as change
        from ...campaign.people import find_person

        someone = find_person(db, name, judge)
        number = change(db, someone, reason)
    click.echo(f"{someone.name}: left out (change {number})", err=True)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign take-back answers ann",
        "palmares campaign take-back answers judge-1c9b2d3e --reason 'a slow network explains the times'",
    ),
)
@click.argument("name")
@click.argument("judge")
@click.option("--reason", default="", metavar="TEXT", help="Why, for whoever reads the results later.")
@database_option
def take_back(name: str, judge: str, reason: str, database: str | None) -> None:
    """Let all answers of a judge count again, after leave-out."""
    with opened(database) as db:
        from ...campaign.left_out import take_back as change
        from ...campaign.people import find_person

        someone = find_person(db, name, judge)
        number = change(db, someone, reason)
    click.echo(f"{someone.name}: taken back (change {number})", err=True)
