"""People of a campaign as a list to search, sort and page through; the database does it, however many there are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ..errors import InputError
from . import Role, schema
from .database import Database
from .definition import language_pairs
from .left_out import left_out_of
from .people import people_where
from .presences import Presence, presences_of

#: People on a page, words of a search that are looked at, and characters of a search.
PAGE, _WORDS, LONGEST_SEARCH = 50, 8, 200
#: By what a list may be sorted, and what that is called; "-" before it turns the order round.
SORTS = {
    "added": "when they were added",
    "name": "name",
    "role": "role",
    "done": "screens done",
    "seen": "last seen",
}
_PERSON, _LEASE, _SESSION = schema.person.c, schema.lease.c, schema.session.c


@dataclass(frozen=True)
class Asked:
    """What is to be listed: whoever has every word of ``search`` in name, pseudonym, role or language pairs."""

    search: str = ""
    sort: str = "added"
    page: int = 1

    @property
    def key(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")


@dataclass(frozen=True)
class Entry:
    """Someone in the list: screens ``done``, and when they were last ``seen`` (at work, or else signing in)."""

    presence: Presence
    done: int
    seen: datetime | None


@dataclass(frozen=True)
class Directory:
    """One page of a list: of ``everyone`` so many are ``matching``. ``left_out``: somebody's answers do not count."""

    entries: tuple[Entry, ...]
    everyone: int
    matching: int
    page: int
    pages: int
    left_out: bool


def directory(db: Database, campaign_id: int, asked: Asked, *, names: bool) -> Directory:
    """A page of the people of a campaign; without ``names``, they are neither searched nor sorted by them."""
    if asked.key not in SORTS:
        raise InputError(f"sort: got {asked.sort!r}; allowed: {', '.join(SORTS)}, each with '-' before it or not")
    now = db.clock()
    with db.read() as tx:
        mine = _PERSON.campaign_id == campaign_id
        wanted = sa.and_(mine, *_conditions(tx, campaign_id, asked.search, names))
        everyone, matching = (_count(tx, which) for which in (mine, wanted))
        pages = max(1, -(-matching // PAGE))
        page = min(max(1, asked.page), pages)
        rows = people_where(
            tx,
            wanted,
            columns=(_PERSON.done, _seen().label("seen")),
            order=(*_order(tx, asked, names), _PERSON.id),
            limit=PAGE,
            offset=(page - 1) * PAGE,
        )
        left_out = left_out_of(tx, campaign_id)
        present = presences_of(tx, [person for person, *_ in rows], now, left_out)
    entries = tuple(Entry(each, done, seen) for each, (_, done, seen) in zip(present, rows, strict=True))
    return Directory(entries, everyone, matching, page, pages, bool(left_out))


# -- inside ----------------------------------------------------------------------------------------------


def _count(tx: sa.Connection, which: sa.ColumnElement[bool]) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(schema.person).where(which)).scalar_one())


def _conditions(tx: sa.Connection, campaign_id: int, search: str, names: bool) -> list[sa.ColumnElement[bool]]:
    words = search.split()[:_WORDS]
    pairs = {pair.name.casefold() for pair in language_pairs(tx, campaign_id)} if words else set()
    return [_matches(tx, word, pairs, names) for word in words]


def _matches(tx: sa.Connection, typed: str, pairs: set[str], names: bool) -> sa.ColumnElement[bool]:
    word = typed.casefold()
    langs = sa.cast(_PERSON.langs, sa.Text)
    places: list[sa.ColumnElement[bool]] = [
        _PERSON.pseudonym.contains(word, autoescape=True),
        _PERSON.role == word,
        _folded(tx, langs).contains(f'"{word}', autoescape=True),
    ]
    if names:
        places.append(_folded(tx, _PERSON.name).contains(word, autoescape=True))
        if tx.dialect.name != "sqlite":  # whose `lower` may know ASCII alone, as its locale is
            forms = {typed, word, typed.upper(), typed.capitalize()}
            places += [_PERSON.name.contains(form, autoescape=True) for form in sorted(forms)]
    if word in pairs:  # who is limited to none judges all of them
        places.append(sa.and_(_PERSON.role == Role.JUDGE.value, langs == "[]"))
    return sa.or_(*places)


def _folded(tx: sa.Connection, text: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    """A text for which capitals do not matter. SQLite by itself knows those of ASCII alone."""
    return sa.func.palmares_fold(text) if tx.dialect.name == "sqlite" else sa.func.lower(text)


def _seen() -> sa.ColumnElement[Any]:
    """When someone last worked; who has no work, as organisers, when they last signed in."""
    worked = sa.select(sa.func.max(_LEASE.renewed_at)).where(_LEASE.person_id == _PERSON.id)
    came = sa.select(sa.func.max(_SESSION.created_at)).where(_SESSION.person_id == _PERSON.id)
    either = (each.correlate(schema.person).scalar_subquery() for each in (worked, came))
    return sa.func.coalesce(*either, type_=schema.Moment())


def _order(tx: sa.Connection, asked: Asked, names: bool) -> list[sa.ColumnElement[Any]]:
    by: sa.ColumnElement[Any] = {
        "added": _PERSON.id,
        "name": _folded(tx, _PERSON.name) if names else _PERSON.pseudonym,
        "role": _PERSON.role,
        "done": _PERSON.done,
        "seen": _seen(),
    }[asked.key]
    ordered = by.desc() if asked.descending else by.asc()
    return [sa.case((by.is_(None), 1), else_=0), ordered] if asked.key == "seen" else [ordered]
