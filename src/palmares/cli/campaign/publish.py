"""``palmares campaign reveal``, ``publish`` and ``withdraw``."""

from __future__ import annotations

import click

from ...errors import InputError
from ..help import Sectioned
from .store import confirm, database_option, opened

_yes = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign reveal answers",
        "palmares campaign reveal answers --yes",
    ),
)
@click.argument("name")
@_yes
@database_option
def reveal(name: str, yes: bool, database: str | None) -> None:
    """Tell observers which system is which, where the settings hide names from them.

    This cannot be undone. Judges are never told.
    """
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.revealing import reveal as tell
        from ...campaign.revealing import revealed_at

        with db.read() as tx:
            told = revealed_at(tx, find_campaign(tx, name).id)
        if told is None and not yes:
            confirm("revealing names", f"Reveal the names of the systems of {name} to its observers for good?")
        tell(db, name)
    since = "" if told is None else f" already, since {told:%Y-%m-%d %H:%M} UTC"
    click.echo(f"{name}: names of systems are revealed{since}", err=True)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign publish answers",
        "palmares campaign publish answers --not-before 2026-09-01T12:00",
    ),
)
@click.argument("name")
@click.option("--not-before", metavar="MOMENT",
              help="The public sees it from this moment on (in UTC), and not as soon as it is made.")  # fmt: skip
@_yes
@database_option
def publish(name: str, not_before: str | None, yes: bool, database: str | None) -> None:
    """Publish a report of the judgments that a campaign has now.

    The server shows it to everybody at /c/NAME/report, with the results beside it; a later one takes its place. It is
    what palmares report makes of palmares campaign export. Names of systems are revealed to observers at once, which
    cannot be undone.
    """
    with opened(database) as db:
        from ...campaign.publications import moment_of, requests
        from ...campaign.publications import publish as ask
        from ...server.reporting import Maker

        moment = None if not_before is None else moment_of(not_before)
        if not yes:
            confirm(f"publishing {name}", f"Publish {name}, and reveal the names of its systems for good?")
        number = ask(db, name, not_before=moment)
        maker = Maker(db)  # a server that runs may be quicker, and makes the same
        while any(each.id == number and each.waits for each in requests(db, _id_of(db, name))):
            maker.look()
        report = next(each for each in requests(db, _id_of(db, name)) if each.id == number)
    if report.failed:
        raise InputError(f"the report could not be made: {report.failed}")
    if report.withdrawn_at is not None:
        raise InputError("the report was withdrawn while it was being made")
    when = "public now" if moment is None else f"public from {moment:%Y-%m-%d %H:%M} UTC on"
    click.echo(f"{name}: the report up to answer {report.answer} is {when}, at /c/{name}/report", err=True)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign withdraw answers",
        "palmares campaign withdraw answers --yes",
    ),
)
@click.argument("name")
@_yes
@database_option
def withdraw(name: str, yes: bool, database: str | None) -> None:
    """Let the public see nothing of a campaign any more.

    A report that is to be public later is withdrawn, too. Names stay revealed, and whoever kept a copy has it.
    """
    with opened(database) as db:
        from ...campaign.publications import withdraw as take_down

        if not yes:
            confirm(f"withdrawing what was published of {name}", f"Withdraw what was published of {name}?")
        take_down(db, name)
    click.echo(f"{name}: the public sees nothing any more", err=True)


def _id_of(db: object, name: str) -> int:
    from ...campaign.database import Database
    from ...campaign.definition import find_campaign

    assert isinstance(db, Database)
    with db.read() as tx:
        return find_campaign(tx, name).id
