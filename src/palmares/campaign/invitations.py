"""Invite many at once: a list of names is read and checked before anyone is added, and then all are, or none.

A list is text, with a name a line and perhaps language pairs behind it, or a CSV file with the columns ``name`` and
``langs``.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import InputError
from . import Role
from .database import Database
from .definition import find_campaign, language_pairs, lock
from .people import Person, add_in, checked_name, invite_in, people
from .spreadsheets import is_formula, safe_cell

#: More names than this come from a mistake.
MOST = 10_000
_COLUMNS = ("name", "langs")
_BETWEEN = re.compile(r"[\s,;]+")


@dataclass(frozen=True)
class Guest:
    """One line of a list: its number, whom it names, and the language pairs (none: all)."""

    line: int
    name: str
    langs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """A guest, and what would become of them.

    ``problems``: why they cannot be invited. ``known``: they are in the campaign, and would get a further link.
    ``remarks``: what else should be known.
    """

    guest: Guest
    known: Person | None = None
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Invited:
    """Someone, and the token of their link, which cannot be had again."""

    person: Person
    token: str


# -- reading ---------------------------------------------------------------------------------------------


def read_lines(text: str) -> list[Guest]:
    """Names, one a line; after a tab, or else the first comma or semicolon, come language pairs."""
    guests = []
    for number, line in enumerate(text.split("\n"), 1):
        name, _, rest = (line if "\t" in line else re.sub("[,;]", "\t", line, count=1)).partition("\t")
        if line.strip():
            guests.append(Guest(number, name.strip(), _langs(rest)))
    return _enough(guests)


def written(guests: Iterable[Guest]) -> str:
    """The list as text that `read_lines` reads back, whatever signs are in the names."""
    return "".join(f"{guest.name}\t{' '.join(guest.langs)}\n" for guest in guests)


def read_csv(data: bytes) -> list[Guest]:
    """The rows of a CSV file with a header; columns other than ``name`` and ``langs`` are refused."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file is not UTF-8 (byte {error.start + 1}); save it as 'CSV UTF-8' and upload it again"
        ) from None
    delimiter = _delimiter(text.partition("\n")[0])
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        if "name" not in header or set(header) - set(_COLUMNS) or len(set(header)) < len(header):
            raise InputError(
                f"the file has the columns {', '.join(map(repr, header)) or 'none'}; allowed: a first line 'name' "
                "or 'name,langs', and a person a line below it"
            )
        guests = [_guest(dict(zip(header, row, strict=False)), rows.line_num) for row in rows if any(row)]
    except csv.Error as error:
        raise InputError(f"the file cannot be read as CSV (line {rows.line_num}: {error})") from None
    return _enough(guests)


def _delimiter(header: str) -> str:
    return max((",", ";", "\t"), key=header.count)


def _guest(row: dict[str, str], line: int) -> Guest:
    if re.search(r"[\t\r\n]", row.get("name", "").strip()):
        raise InputError(f"line {line}: got a tab or a line break within a name; put it on one line, without tabs")
    return Guest(line, row.get("name", "").strip(), _langs(row.get("langs", "")))


def _langs(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for part in _BETWEEN.split(text) if part))


def _enough(guests: list[Guest]) -> list[Guest]:
    if not guests:
        raise InputError("the list is empty; write one name a line, or upload a file with names")
    if len(guests) > MOST:
        raise InputError(f"got {len(guests)} names; allowed: up to {MOST} at a time")
    return guests


# -- checking --------------------------------------------------------------------------------------------


def check(db: Database, campaign: str, guests: Iterable[Guest], *, formulas: str = "escape") -> list[Checked]:
    """What would become of everyone on a list; nothing is changed.

    Parameters
    ----------
    formulas
        What the file of links does with names that a spreadsheet would run (`palmares.campaign.spreadsheets`);
        ``refuse`` makes such a name a problem.
    """
    guests = list(guests)
    with db.read() as tx:
        info = find_campaign(tx, campaign)
        pairs = [pair.name for pair in language_pairs(tx, info.id)]
    everyone = people(db, info.id)
    known = {person.pseudonym: person for person in everyone} | {person.name: person for person in everyone}
    seen: Counter[str] = Counter()
    checked = []
    for guest in guests:
        seen[guest.name] += 1
        person = known.get(guest.name)
        problems = [*_name_problems(guest, seen, formulas), *_lang_problems(guest, pairs)]
        if person is not None:
            problems += _known_problems(guest, person)
        remarks = ["in the file, an apostrophe stands before the name"] if _escaped(guest.name, formulas) else []
        checked.append(Checked(guest, person, tuple(problems), tuple(remarks)))
    return checked


def _name_problems(guest: Guest, seen: Counter[str], formulas: str) -> list[str]:
    try:
        checked_name(guest.name)
        safe_cell(guest.name, formulas)
    except InputError as error:
        return [str(error)]
    return ["the name stands on the list before"] if seen[guest.name] > 1 else []


def _escaped(name: str, formulas: str) -> bool:
    return formulas == "escape" and is_formula(name)


def _lang_problems(guest: Guest, pairs: Sequence[str]) -> list[str]:
    return [
        f"language pair: got {lang!r}; the campaign has: {', '.join(pairs)}"
        for lang in guest.langs
        if lang not in pairs
    ]


def _known_problems(guest: Guest, person: Person) -> list[str]:
    if person.name != guest.name:
        return ["this is the pseudonym of someone in the campaign; choose another name"]
    if person.program:
        return ["is a program, which opens no links; choose another name for a person"]
    if person.role is not Role.JUDGE:
        return [f"is in the campaign as {person.role}; choose another name for a judge"]
    if guest.langs and sorted(guest.langs) != sorted(person.langs):
        return [f"judges {', '.join(person.langs) or 'all language pairs'}; change that first, on the page of people"]
    return []


# -- inviting --------------------------------------------------------------------------------------------


def invite_all(db: Database, campaign: str, checked: Iterable[Checked], *, by: int | None = None) -> list[Invited]:
    """Add whoever is not there yet as a judge, and make a link for each; all of them or, if one is refused, none."""
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        invited = []
        for each in checked:
            guest = each.guest
            person = each.known or add_in(tx, db, info, Role.JUDGE, guest.name, langs=guest.langs, by=by)
            invited.append(Invited(person, invite_in(tx, db, person, by=by)))
        return invited
