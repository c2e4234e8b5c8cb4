"""``palmares campaign people``, ``revoke`` and ``pseudonymise``."""

from __future__ import annotations

import sys

import click

from ...errors import InputError
from .. import options
from .store import database_option, name_argument, opened


@click.command()
@name_argument
@options.printing_options
@database_option
def people(name: str | None, printing: options.Printing, database: str | None) -> None:
    """List the participants, and until when they have access.

    In exports people appear by pseudonym.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.people import presences

        with db.read() as tx:
            info = find_campaign(tx, name)
        everyone = presences(db, info.id)
    printing.show("campaign people", everyone)


@click.command()
@click.argument("name")
@click.argument("person")
@database_option
def revoke(name: str, person: str, database: str | None) -> None:
    """End all links and sessions of someone.

    Their answers stay. To give them access again, invite them again.
    """
    with opened(database) as db:
        from ...campaign.people import find_person
        from ...campaign.people import revoke as shut_out

        someone = find_person(db, name, person)
        shut_out(db, someone)
    click.echo(f"{someone.name}: all links and sessions have ended", err=True)


@click.command()
@click.argument("name")
@click.argument("person")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_option
def pseudonymise(name: str, person: str, yes: bool, database: str | None) -> None:
    """Delete someone's name, on their request, and keep the pseudonym.

    Their answers stay, under the pseudonym; their links and sessions end. This cannot be undone.
    """
    with opened(database) as db:
        from ...campaign.people import find_person
        from ...campaign.people import pseudonymise as forget

        someone = find_person(db, name, person)
        if not yes:
            _ask(someone.name, someone.pseudonym)
        forget(db, someone)
    click.echo(f"{someone.pseudonym}: the name was deleted, all links and sessions have ended", err=True)


def _ask(name: str, pseudonym: str) -> None:
    if not sys.stdin.isatty():
        raise InputError(f"deleting the name {name!r} cannot be undone, and there is nobody to ask; give --yes")
    click.confirm(f"Delete the name {name!r} for good? Only {pseudonym} will be left", abort=True, err=True)
