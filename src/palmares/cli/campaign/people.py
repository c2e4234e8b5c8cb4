"""``palmares campaign people``, ``langs``, ``revoke`` and ``pseudonymise``."""

from __future__ import annotations

import click

from ...errors import InputError
from .. import options
from ..help import Sectioned
from .store import confirm, database_option, name_argument, opened


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign people answers",
        "palmares campaign people answers --format csv > people.csv",
    ),
)
@name_argument
@options.people_printing_options
@database_option
def people(name: str | None, printing: options.Printing, database: str | None) -> None:
    """List the participants, and until when they have access.

    In exports people appear by pseudonym.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.presences import presences

        with db.read() as tx:
            info = find_campaign(tx, name)
        everyone = presences(db, info.id)
    printing.show("campaign people", everyone)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign revoke answers ann",
        "palmares campaign revoke answers judge-07",
    ),
)
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


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign langs news ann --langs fr-en,de-en",
        "palmares campaign langs news ann --all",
    ),
)
@click.argument("name")
@click.argument("person")
@click.option("--langs", default="", metavar="PAIR,PAIR", help="Language pairs that they judge from now on.")
@click.option("--all", "every", is_flag=True, help="All language pairs, those that are added later included.")
@database_option
def langs(name: str, person: str, langs: str, every: bool, database: str | None) -> None:
    """Change the language pairs of a judge.

    Their answers stay. Unfinished work in other language pairs goes back to the pool at once.
    """
    wanted = [lang.strip() for lang in langs.split(",") if lang.strip()]
    if every == bool(wanted):
        raise InputError("say which language pairs: --langs PAIR,PAIR, or --all")
    with opened(database) as db:
        from ...campaign.people import change_langs, find_person

        before = find_person(db, name, person)
        after = change_langs(db, before, wanted)
    was, now = (", ".join(each.langs) or "all language pairs" for each in (before, after))
    click.echo(f"{after.name}: judges {now}{' already' if was == now else f', before: {was}'}", err=True)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign pseudonymise answers ann",
        "palmares campaign pseudonymise answers judge-07 --yes",
    ),
)
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
            confirm(
                f"deleting the name {someone.name!r}",
                f"Delete the name {someone.name!r} for good? Only {someone.pseudonym} will be left",
            )
        gone = forget(db, someone)
    click.echo(f"{someone.pseudonym}: the name was deleted, all links and sessions have ended", err=True)
    if not gone:
        click.echo(
            "warning: SQLite's write-ahead log still holds the name, because someone is reading the database; "
            f"run 'palmares campaign pseudonymise {name} {someone.pseudonym} --yes' again in a moment", err=True,
        )  # fmt: skip
