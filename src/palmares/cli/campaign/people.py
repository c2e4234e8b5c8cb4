"""``palmares campaign people``, ``revoke`` and ``pseudonymise``."""

from __future__ import annotations

import sys

import click

from ...errors import InputError
from .. import options
from .store import database_option, name_argument, opened


@click.command()
@name_argument
@options.format_option
@database_option
def people(name: str | None, output: str, database: str | None) -> None:
    """List who takes part, and until when they can get in.

    Exports call people by their pseudonym.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.people import presences

        with db.read() as tx:
            info = find_campaign(tx, name)
        found = presences(db, info.id)
    from . import views

    views.show([views.people_table(found)], output, [views.presence_dict(each) for each in found])


@click.command()
@click.argument("name")
@click.argument("person")
@database_option
def revoke(name: str, person: str, database: str | None) -> None:
    """End every link and session of someone.

    What they have answered stays. To let them in again, invite them again.
    """
    with opened(database) as db:
        from ...campaign.people import find_person
        from ...campaign.people import revoke as shut_out

        found = find_person(db, name, person)
        shut_out(db, found)
    click.echo(f"{found.name}: every link and session has ended", err=True)


@click.command()
@click.argument("name")
@click.argument("person")
@click.option("--yes", is_flag=True, help="Do not ask.")
@database_option
def pseudonymise(name: str, person: str, yes: bool, database: str | None) -> None:
    """Forget someone's name, on their request.

    Only the pseudonym stays, and with it what they have answered; their links and sessions end. It cannot be undone.
    """
    with opened(database) as db:
        from ...campaign.people import find_person
        from ...campaign.people import pseudonymise as forget

        found = find_person(db, name, person)
        if not yes:
            _ask(found.name, found.pseudonym)
        forget(db, found)
    click.echo(f"{found.pseudonym}: the name is forgotten, every link and session has ended", err=True)


def _ask(name: str, pseudonym: str) -> None:
    if not sys.stdin.isatty():
        raise InputError(f"to forget the name {name!r} cannot be undone, and there is no one to ask; give --yes")
    click.confirm(f"Forget the name {name!r}, for ever? They will be {pseudonym}", abort=True, err=True)
