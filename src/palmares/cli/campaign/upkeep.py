"""``palmares campaign backup`` and ``upgrade``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ..help import Sectioned
from .store import database_option, opened

if TYPE_CHECKING:
    from ...campaign.database import Database


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign backup copy.db",
        "palmares campaign backup copy.db --database campaigns.db",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@database_option
def backup(file: Path, database: str | None) -> None:
    """Copy an SQLite database to a new file, while it is in use."""
    with opened(database) as db:
        db.backup(file)
        click.echo(f"copied {db.name} to {file}", err=True)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign upgrade",
        "palmares campaign upgrade --database campaigns.db",
    ),
)
@database_option
def upgrade(database: str | None) -> None:
    """Upgrade a database to this version of palmares.

    Stop the server first. An SQLite file is copied first, to a file of the same name with .before-VERSION appended;
    back up a PostgreSQL database yourself (pg_dump).
    """  # fmt: skip
    with opened(database, outdated=True) as db:
        from ...campaign.migrations import head

        before = db.revision()
        if before == head():
            click.echo(f"{db.name}: has version {before} already, the one that this palmares needs", err=True)
            return
        _keep_copy(db, before)
        db.upgrade()
        click.echo(f"{db.name}: upgraded from version {before} to {head()}", err=True)


def _keep_copy(db: Database, version: str | None) -> None:
    if db.dialect != "sqlite":
        return
    file = Path(f"{db.engine.url.database}.before-{version}")
    if file.exists():
        raise InputError(f"{file}: a copy from an earlier upgrade exists already; move it away and try again")
    db.backup(file)
    click.echo(f"kept a copy: {file}", err=True)
