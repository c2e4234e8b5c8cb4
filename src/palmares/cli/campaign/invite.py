"""``palmares campaign invite``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ...campaign import LONGEST_DAYS, Role
from ...errors import InputError
from .. import options
from ..help import OUTPUT, Sectioned, section
from .store import database_option, opened

if TYPE_CHECKING:
    from ...campaign.database import Database
    from ...campaign.people import Person

#: Numbers of people without a name. Pseudonyms look alike, but have eight digits.
_NUMBERED = re.compile(r"([a-z]+)-([0-9]{2,7})")


#: Where links lead, for `base_address`.
address_option = click.option(
    "--url", "--address", "url", metavar="URL",
    help="Address of the server.  [default: the environment variable PALMARES_ADDRESS, else where this database was "
         "served last]",
)  # fmt: skip

#: Links are copied: a table of Markdown or LaTeX is no place for them.
links_format_option = section(
    OUTPUT,
    click.option("--format", "output", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True,
                 help="Output format."),
)  # fmt: skip


@dataclass(frozen=True)
class Invitation:
    """What everyone who is invited gets; ``count`` people have no name."""

    role: str
    langs: str
    days: float | None
    count: int | None
    url: str | None


@click.command(
    cls=Sectioned,
    examples=(
        "palmares campaign invite answers me --role organiser",
        "palmares campaign invite answers --count 10",
        "palmares campaign invite news ann bob --langs fr-en --format csv > links.csv",
    ),
)
@click.argument("name")
@click.argument("people", nargs=-1, metavar="[PERSON]...")
@options.grouped(
    "invitation", Invitation,
    click.option("--role", type=click.Choice([role.value for role in reversed(Role)]), default="judge",
                 show_default=True, help="What they may do."),
    click.option("--langs", default="", metavar="PAIR,PAIR", help="Language pairs of a judge.  [default: all]"),
    click.option("--days", type=click.FloatRange(0, LONGEST_DAYS, min_open=True), default=None,
                 help="Days until the links expire.  [default: the setting access.invite_days]"),
    click.option("--count", type=click.IntRange(1, 10_000), default=None,
                 help="Invite this many more people, called judge-01, judge-02 and so on."),
    address_option,
)  # fmt: skip
@options.grouped(
    "printing", options.Printing,
    section(OUTPUT, links_format_option, options.formulas_option("escape")),
)  # fmt: skip
@database_option
def invite(
    name: str, people: tuple[str, ...], invitation: Invitation, printing: options.Printing, database: str | None
) -> None:
    """Create links for judges, organisers and observers; people who are not in the campaign yet are added.

    A link can be opened again, on any device, until it expires. It is printed once and not stored: someone who has
    lost theirs is invited again.
    """
    with opened(database) as db:
        from ...campaign.people import invite as make_invitation

        base, remark = base_address(db, invitation.url)
        everyone = _everyone(db, name, people, invitation, printing)
        tokens = [make_invitation(db, person, days=invitation.days) for person in everyone]
    _print([(person, f"{base}/join/{token}") for person, token in zip(everyone, tokens, strict=True)], printing)
    if remark:
        click.echo(remark, err=True)


def base_address(db: Database, url: str | None) -> tuple[str, str | None]:
    """The address that links begin with; if nobody has named it, with a word on where it comes from."""
    from ...campaign.addresses import ADDRESS_VARIABLE, DEFAULT_ADDRESS, checked_address, last_server

    if url is not None:
        return checked_address(url, "--url"), None
    if configured := os.environ.get(ADDRESS_VARIABLE):
        return checked_address(configured, ADDRESS_VARIABLE), None
    if (served := last_server(db)) is not None:
        since = f"{served.started_at:%Y-%m-%d %H:%M} UTC"
        return served.address, f"the links begin with {served.address}, where this database was served last ({since})"
    return DEFAULT_ADDRESS, (
        f"warning: this database has not been served yet, so the links begin with {DEFAULT_ADDRESS}, which is a guess; "
        "start 'palmares serve' first, or give --url"
    )


def _everyone(
    db: Database, name: str, people: tuple[str, ...], invitation: Invitation, printing: options.Printing
) -> list[Person]:
    """All who were named or counted, added where they are not there yet."""
    from ...campaign.definition import find_campaign
    from ...campaign.people import checked_name
    from ...campaign.people import people as known_people
    from ...campaign.spreadsheets import safe_cell

    with db.read() as tx:
        info = find_campaign(tx, name)
    known = {person.name: person for person in known_people(db, info.id)}
    names = [*people, *_numbered(known, invitation.role, invitation.count or 0)]
    langs = [lang.strip() for lang in invitation.langs.split(",") if lang.strip()]
    if langs and invitation.role != "judge":
        raise InputError(f"--langs says what a judge judges, and --role is {invitation.role}; leave out --langs")
    if not names:
        raise InputError("nobody to invite; give names, or --count for people without one")
    for each in names:  # before anyone is added
        checked_name(each)
        if printing.output == "csv":
            safe_cell(each, printing.formulas)
    for person in (known[each] for each in names if each in known):
        _refuse_changes(person, invitation.role, langs)
    return _added(db, name, list(dict.fromkeys(names)), known, invitation.role, langs)


def _numbered(known: Iterable[str], role: str, count: int) -> list[str]:
    """Names that go on where the numbers there are end."""
    matches = [match for each in known if (match := _NUMBERED.fullmatch(each)) and match[1] == role]
    first = max((int(match[2]) for match in matches), default=0) + 1
    return [f"{role}-{number:02d}" for number in range(first, first + count)]


def _refuse_changes(person: Person, role: str, langs: list[str]) -> None:
    """Someone who is there keeps what they may do; to be told otherwise is a mistake."""
    if person.program:
        raise InputError(f"{person.name!r} is a program, which opens no links; make a token: palmares campaign token")
    context = click.get_current_context()
    given = context.get_parameter_source("role") == click.core.ParameterSource.COMMANDLINE
    if given and person.role != role:
        raise InputError(
            f"{person.name!r} is in campaign {person.campaign!r} as {person.role}, and --role says {role}; leave out "
            "--role, or add them under another name"
        )
    if langs and sorted(langs) != sorted(person.langs):
        raise InputError(
            f"{person.name!r} judges {', '.join(person.langs) or 'all language pairs'}, and --langs says "
            f"{', '.join(langs)}; leave out --langs, or add them under another name"
        )


def _added(
    db: Database, campaign: str, names: list[str], known: dict[str, Person], role: str, langs: list[str]
) -> list[Person]:
    from ...campaign.people import add_person

    added: list[str] = []
    for each in names:
        if each in known:
            continue
        try:
            known[each] = add_person(db, campaign, role, each, langs=langs)
        except InputError as error:
            if not added:
                raise
            raise InputError(f"{error} (added before that, and without a link yet: {', '.join(added)})") from None
        added.append(each)
    return [known[each] for each in names]


def _print(invited: list[tuple[Person, str]], printing: options.Printing) -> None:
    from ...report.campaign import Invitation

    printing.show("campaign invite", [Invitation(person, link) for person, link in invited])
    click.echo("anyone with a link can act as that person: give each link to its owner only", err=True)
