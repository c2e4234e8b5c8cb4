"""``palmares campaign archive`` and ``delete``."""

from __future__ import annotations

import click

from ..help import Sectioned
from .store import confirm, database_option, opened


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign archive answers",
        "palmares campaign archive answers --restore",
    ),
)
@click.argument("name")
@click.option("--restore", is_flag=True, help="Take it out of the archive, in the state it had before.")
@database_option
def archive(name: str, restore: bool, database: str | None) -> None:
    """Take a campaign out of the lists and close it, or put it back.

    Nothing is deleted, and it can still be exported and ranked.
    """
    with opened(database) as db:
        from ...campaign import archive as shelf

        if restore:
            state = shelf.restore(db, name)
            said = "is not in the archive" if state is None else f"is out of the archive, and {state}"
        else:
            said = "is in the archive, and closed" if shelf.archive(db, name) else "is in the archive already"
    click.echo(f"{name}: {said}", err=True)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign delete answers",
        "palmares campaign delete answers --yes",
    ),
)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_option
def delete(name: str, yes: bool, database: str | None) -> None:
    """Delete a campaign: its texts, its people and everything they did.

    This cannot be undone. Export what is to be kept first: `palmares campaign export NAME judgments.csv`, and
    `palmares campaign export NAME screens.jsonl --texts`.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.deletion import delete_campaign

        with db.read() as tx:
            find_campaign(tx, name)
        if not yes:
            confirm(
                f"deleting the campaign {name!r}",
                f"Delete the campaign {name!r}, its people and all their judgments for good? Were they exported?",
            )
        deleted = delete_campaign(db, name)
    click.echo(f"{name}: deleted, with {deleted.people:,} people and {deleted.judgments:,} judgments", err=True)
    if not deleted.gone:
        click.echo(
            "warning: SQLite's write-ahead log still holds what was deleted, because someone is reading the database; "
            "it is gone once the server was stopped and 'palmares campaign list' has opened the database alone",
            err=True,
        )
