"""``palmares campaign setup-link``."""

from __future__ import annotations

import click

from ..help import Sectioned
from .invite import address_option, base_address
from .store import database_option, opened_or_made


@click.command(
    "setup-link",
    cls=Sectioned,
    examples=(
        "palmares campaign setup-link",
        "palmares campaign setup-link --url https://example.org/eval",
    ),
)
@address_option
@database_option
def setup_link(url: str | None, database: str | None) -> None:
    """Create a link with which campaigns can be made in the browser.

    It is printed once and not stored, works once, and within 24 hours; the browser that opens it may make campaigns for
    a day. It shows nothing of campaigns that are there already. A database that does not exist is made.
    """
    with opened_or_made(database) as db:
        from ...campaign.setup import LINK_HOURS, make_setup_link

        base, remark = base_address(db, url)
        token = make_setup_link(db)
    click.echo(f"{base}/setup/link/{token}")
    click.echo(f"works once, within {LINK_HOURS} hours; whoever opens it can make campaigns", err=True)
    if remark:
        click.echo(remark, err=True)
