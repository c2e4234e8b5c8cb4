"""The database that a command works on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from ...errors import InputError, MissingExtraError
from ..help import DATABASE, section

if TYPE_CHECKING:
    from ...campaign.database import Database

database_option = section(
    DATABASE,
    click.option("--database", metavar="URL",
                 help="sqlite:///FILE (or just FILE) or postgresql://USER@HOST/NAME.  "
                      "[default: the environment variable PALMARES_DATABASE, else sqlite:///palmares.db]"),
)  # fmt: skip
#: The campaign that a command is about, where it can be left out if there is only one.
name_argument = click.argument("name", required=False, metavar="[NAME]")

#: What every campaign needs of the extra 'server', as it is imported.
_NEEDED = ("sqlalchemy", "alembic", "pydantic", "tomlkit")


def need_server_extra(feature: str, *more: str) -> None:
    """Refuse, with a word on how to install it, where something is missing that campaigns or ``more`` need."""
    for package in (*_NEEDED, *more):
        if find_spec(package) is None:
            raise MissingExtraError(feature, "server", package)


def confirm(deed: str, question: str) -> None:
    """Ask before something that cannot be undone; ``deed`` names it where there is nobody to ask."""
    if not sys.stdin.isatty():
        raise InputError(f"{deed} cannot be undone, and there is nobody to ask; give --yes")
    click.confirm(question, abort=True, err=True)


def database_url(given: str | None) -> str:
    """The URL of what was given, or of the default; a bare path is an SQLite file."""
    from ...campaign.database import default_url

    text = given or default_url()
    return text if "://" in text else f"sqlite:///{quote(text)}"


@contextmanager
def opened(url: str | None, *, create: bool = False, outdated: bool = False) -> Iterator[Database]:
    """The store of a command; what goes wrong in the database is told in one line. ``outdated``: one to be upgraded."""
    need_server_extra("a campaign")
    from ...campaign.database import Database

    db = Database.open(database_url(url), create=create, outdated=outdated)
    try:
        yield db
    except Exception as error:
        fault = _fault(db, error)
        if fault is None:
            raise
        raise fault from error
    finally:
        db.close()


@contextmanager
def opened_or_made(url: str | None) -> Iterator[Database]:
    """The store, made if it is not there; if the command fails, an SQLite file that was made for it is removed."""
    need_server_extra("a campaign")
    file = _sqlite_file(database_url(url))
    before = file is None or file.exists()
    try:
        with opened(url, create=True) as db:
            yield db
    except BaseException:
        if file is not None and not before and file.exists():
            _remove_if_empty(file, url)
        raise


# -- inside ----------------------------------------------------------------------------------------------


def _fault(db: Database, error: Exception) -> Exception | None:
    """What an error of the database or the disk means, with its reason; None for any other."""
    from ...campaign.refusals import DatabaseError, fault_of

    fault = fault_of(error)
    if fault is None:
        return None
    reason = str(getattr(error, "orig", error)).strip().partition("\n")[0]
    return DatabaseError(f"{db.name}: {fault} ({reason})")


def _sqlite_file(url: str) -> Path | None:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # opening it says what is wrong
        return None
    return Path(parsed.database) if parsed.drivername == "sqlite" and parsed.database else None


def _remove_if_empty(file: Path, url: str | None) -> None:
    """Remove a file that was made in vain, unless someone else has begun to use it."""
    from ...campaign.definition import campaigns
    from ...campaign.refusals import DatabaseError

    with suppress(DatabaseError), opened(url) as db:  # it may not even have its tables
        if campaigns(db):
            return
    for ending in ("", "-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)
