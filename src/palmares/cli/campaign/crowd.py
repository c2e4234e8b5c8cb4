"""``palmares campaign group-link``, ``group-links``, ``workers`` and ``forget-worker``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from ...campaign import LONGEST_DAYS
from ...errors import InputError
from .. import options
from ..help import Sectioned
from .invite import address_option, base_address, links_format_option
from .store import confirm, database_option, name_argument, opened


@dataclass(frozen=True)
class Wanted:
    """The link that is to be made."""

    places: int
    name: str | None
    langs: str
    days: float | None
    url: str | None


@click.command(
    "group-link",
    cls=Sectioned,
    examples=(
        "palmares campaign group-link answers --places 100",
        "palmares campaign group-link answers --places 20 --name pilot --days 3",
    ),
)
@click.argument("campaign", metavar="NAME")
@options.grouped(
    "wanted", Wanted,
    click.option("--places", type=click.IntRange(1, 1_000_000), required=True,
                 help="How many workers it may make judges of."),
    click.option("--name", metavar="TEXT", help="What it is called in lists.  [default: link-1, link-2, …]"),
    click.option("--langs", default="", metavar="PAIR,PAIR", help="Language pairs of the workers.  [default: all]"),
    click.option("--days", type=click.FloatRange(0, LONGEST_DAYS, min_open=True), default=None,
                 help="Days in which workers can begin.  [default: the setting access.invite_days]"),
    address_option,
)  # fmt: skip
@links_format_option
@database_option
def group_link(campaign: str, wanted: Wanted, output: str, database: str | None) -> None:
    """Create a link that makes a judge of whoever presses the button on its page, for a crowdsourcing platform.

    It is printed once and not stored. The platform adds the ids of worker, study and session to it (the settings
    crowd.worker_parameter, …).
    """
    with opened(database) as db:
        from ...campaign.group_links import make_link
        from ...report.crowd import MadeLink

        base, remark = base_address(db, wanted.url)
        langs = [lang.strip() for lang in wanted.langs.split(",") if lang.strip()]
        link, token = make_link(
            db, campaign, places=wanted.places, name=wanted.name, langs=langs, days=wanted.days
        )  # fmt: skip
    options.Printing(output).show("campaign group-link", [MadeLink(link, f"{base}/group/{token}")])
    click.echo("anyone with the link can take a place: pay by the platform's list of workers", err=True)
    if remark:
        click.echo(remark, err=True)


@click.command(
    "group-links",
    cls=Sectioned,
    examples=(
        "palmares campaign group-links answers",
        "palmares campaign group-links answers --revoke pilot",
    ),
)
@click.argument("campaign", required=False, metavar="[NAME]")
@click.option("--revoke", metavar="LINK", help="Let nobody new in by this link; workers who came by it can finish.")
@options.printing_options
@database_option
def group_links(campaign: str | None, revoke: str | None, printing: options.Printing, database: str | None) -> None:
    """List the group links with their places, or revoke one."""
    with opened(database) as db:
        from ...campaign.definition import find_campaign
        from ...campaign.group_links import links, revoke_link

        with db.read() as tx:
            info = find_campaign(tx, campaign)
        if revoke is not None:
            revoke_link(db, info.name, revoke)
            click.echo(f"{revoke}: lets nobody new in any more", err=True)
        every = links(db, info.id)
    printing.show("campaign group-links", every)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign workers answers",
        "palmares campaign workers answers --output workers.csv",
    ),
)
@name_argument
@click.option("--output", metavar="FILE", default="-", show_default=True, help="File to write; - is standard output.")
@options.formulas_option("escape")
@database_option
def workers(name: str | None, output: str, formulas: str, database: str | None) -> None:
    """Write a CSV file of the workers, for approval and payment.

    One row for everyone who came by a group link: the platform's ids, pseudonym, state, completion code, screens,
    minutes, failed controls.
    """
    with opened(database) as db:
        from ...campaign.workers import workers as listed
        from ...campaign.workers import write_workers

        lines = listed(db, name)
    if output == "-":
        write_workers(lines, sys.stdout, cells=formulas)
        return
    try:
        with Path(output).open("w", encoding="utf-8", newline="") as file:
            write_workers(lines, file, cells=formulas)
    except OSError as error:
        raise InputError(f"{output}: cannot be written ({error.strerror}); name another file") from None
    click.echo(f"wrote {len(lines):,} workers to {output}", err=True)


@click.command(
    "forget-worker",
    cls=Sectioned,
    examples=(
        "palmares campaign forget-worker answers 5f3c1e7a9b",
        "palmares campaign forget-worker answers 5f3c1e7a9b --yes",
    ),
)
@click.argument("name")
@click.argument("worker")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_option
def forget_worker(name: str, worker: str, yes: bool, database: str | None) -> None:
    """Erase the platform's ids of a worker, on request, named by id or by pseudonym.

    The answers stay, under the pseudonym. This cannot be undone.
    """
    with opened(database) as db:
        from ...campaign.workers import erase_worker

        if not yes:
            confirm(
                f"erasing the ids of {worker!r}",
                f"Erase the ids of {worker!r} for good? Only the pseudonym will be left",
            )
        erased = erase_worker(db, name, worker)
    pseudonym = erased.person.pseudonym
    click.echo(f"{pseudonym}: the ids of the platform were erased", err=True)
    if not erased.gone:
        click.echo(
            "warning: SQLite's write-ahead log still holds them, since someone is reading the database; run this again "
            f"in a moment: palmares campaign forget-worker {name} {pseudonym} --yes", err=True,
        )  # fmt: skip
