"""``palmares campaign token`` and ``tokens``."""

from __future__ import annotations

from dataclasses import dataclass

import click

from ...campaign import LONGEST_DAYS
from ...errors import InputError
from .. import options
from ..help import Sectioned
from .invite import links_format_option
from .store import database_option, opened, opened_or_made

#: What a token may be for; `palmares.campaign.clients.SCOPES` explains each.
_SCOPES = ("judge", "read", "manage", "create")


@dataclass(frozen=True)
class Wanted:
    """The token that is to be made."""

    scope: str
    langs: str
    days: float | None


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign token answers gpt --scope judge",
        "palmares campaign token answers dashboard --scope read --days 90",
        "palmares campaign token pipeline --scope create",
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="[NAME] PROGRAM")
@options.grouped(
    "wanted", Wanted,
    click.option("--scope", type=click.Choice(_SCOPES), required=True, help="What the program may do."),
    click.option("--langs", default="", metavar="PAIR,PAIR",
                 help="Language pairs of a program that judges.  [default: all]"),
    click.option("--days", type=click.FloatRange(0, LONGEST_DAYS, min_open=True), default=None,
                 help="Days until the token expires.  [default: it does not]"),
)  # fmt: skip
@links_format_option
@database_option
def token(names: tuple[str, ...], wanted: Wanted, output: str, database: str | None) -> None:
    """Create a token for a program that uses the API.

    judge: judges, like a person. read: status, results, exports. manage: runs the campaign. create: creates campaigns
    on this server, and gets a token to manage each. The token is printed once and not stored. A program that has one
    already gets a further one, and stays the same judge.
    """
    campaign, program = _named(names, wanted.scope)
    langs = [lang.strip() for lang in wanted.langs.split(",") if lang.strip()]
    with (opened_or_made if wanted.scope == "create" else opened)(database) as db:
        from ...campaign.clients import add_client
        from ...report.clients import MadeToken

        made = MadeToken(*add_client(db, campaign, program, wanted.scope, langs=langs, days=wanted.days))
    options.Printing(output).show("campaign token", [made])


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign tokens answers",
        "palmares campaign tokens answers --revoke gpt",
        "palmares campaign tokens --server",
    ),
)
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--server", is_flag=True, help="The tokens that create campaigns.")
@click.option("--revoke", metavar="PROGRAM", help="End the tokens of a program, or one token by its id.")
@options.printing_options
@database_option
def tokens(
    name: str | None, server: bool, revoke: str | None, printing: options.Printing, database: str | None
) -> None:
    """List the tokens of programs, with when each was last used, or revoke some."""
    if server and name is not None:
        raise InputError(f"--server lists the tokens of no campaign, and {name!r} is one; leave one of them out")
    with opened(database) as db:
        from ...campaign.clients import clients, find_client, revoke_client
        from ...campaign.definition import find_campaign

        campaign = None
        if not server:
            with db.read() as tx:
                campaign = find_campaign(tx, name).name
        if revoke is not None:
            found = find_client(db, campaign, revoke)
            for client in found:
                revoke_client(db, client)
            number = f"{len(found)} token{'s' if len(found) > 1 else ''}"
            click.echo(f"{found[0].name}: {number} revoked", err=True)
        every = clients(db, campaign)
    printing.show("campaign tokens", every)


def _named(names: tuple[str, ...], scope: str) -> tuple[str | None, str]:
    """The campaign, None where it goes without saying, and the program."""
    if len(names) > 2:
        raise InputError(f"got {len(names)} names: {', '.join(names)}; give the campaign and the program")
    if scope == "create" and len(names) == 2:
        raise InputError(
            f"got the campaign {names[0]!r} and --scope create, which is for the whole server; name the program alone"
        )
    return (names[0] if len(names) == 2 else None), names[-1]
