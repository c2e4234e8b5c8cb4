"""``palmares campaign settings``."""

from __future__ import annotations

import click

from ...errors import InputError
from ..help import Sectioned
from .changes import changed, set_option
from .store import database_option, name_argument, need_server_extra, opened


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign settings > settings.toml",
        "palmares campaign settings answers",
        "palmares campaign settings answers --set judge.screens=50",
    ),
)
@name_argument
@click.option("--apply", "file", metavar="FILE", help="Use the settings of this file from now on.")
@set_option
@database_option
def settings(name: str | None, file: str | None, changes: tuple[str, ...], database: str | None) -> None:
    """Print the settings of a campaign, or change them.

    Without NAME, prints the default settings, each with a line of explanation, as a file to start from. With NAME,
    prints the current settings; --apply and --set change them, and earlier settings stay on record.
    """  # fmt: skip
    need_server_extra("a campaign")
    from ...campaign.settings import Settings

    if name is None:
        if file is not None or changes:
            raise InputError("--apply and --set change the settings of a campaign; say which: … settings NAME --set …")
        click.echo(Settings().to_toml(explained=True), nl=False)
        return
    read = None if file is None else Settings.read(file)
    with opened(database) as db:
        from ...campaign.definition import change_settings, differing, find_campaign, settings_of

        with db.read() as tx:
            now = settings_of(tx, find_campaign(tx, name).id)
        wanted = changed(read or now, changes)
        if file is None and not changes:
            click.echo(now.to_toml(explained=True), nl=False)
        elif wanted == now:
            click.echo(f"{name}: these are the current settings already", err=True)
        else:
            revision = change_settings(db, name, wanted)
            click.echo(f"{name}: the settings are now at revision {revision}", err=True)
            for change in differing(now, wanted):
                click.echo(f"  {change}", err=True)
