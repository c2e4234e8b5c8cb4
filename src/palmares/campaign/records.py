"""What organisers look up besides the overview: doors open to people, settings of the past, comparisons, times."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from statistics import median
from typing import Any

import sqlalchemy as sa

from . import schema
from .database import Database
from .definition import language_pairs
from .people import Person, people
from .settings import Settings
from .stopping import comparisons

#: Longer values are not shown in a list of changes.
_SHORT = 40


@dataclass(frozen=True)
class Presence:
    """Someone, and the doors that are open to them.

    ``invited`` and ``joined``: ever. ``link_until`` is when the last link that works ends, ``session_until`` the last
    session; None if there is none. ``nameless``: only the pseudonym is left.
    """

    person: Person
    invited: bool
    joined: bool
    link_until: datetime | None
    session_until: datetime | None
    nameless: bool

    @property
    def shut_out(self) -> bool:
        """Whether they were invited, and nothing lets them in any more."""
        return self.invited and self.link_until is None and self.session_until is None


@dataclass(frozen=True)
class Revision:
    """Settings that were put in force; ``changes`` from the ones before. ``by`` is None for the command line."""

    number: int
    at: datetime
    by: int | None
    settings: Settings
    changes: tuple[str, ...]


def presences(db: Database, campaign_id: int) -> list[Presence]:
    """Everyone in a campaign, in the order they were added."""
    now, everyone = db.clock(), people(db, campaign_id)
    with db.read() as tx:
        links, sessions = (_lasting_until(tx, table, campaign_id) for table in (schema.invite, schema.session))
        column = schema.person.c
        gone = sa.select(column.id).where(column.campaign_id == campaign_id, column.pseudonymised_at.is_not(None))
        nameless = set(tx.scalars(gone))
    return [
        Presence(
            person,
            invited=person.id in links,
            joined=person.id in sessions,
            link_until=_if_later(links.get(person.id), now),
            session_until=_if_later(sessions.get(person.id), now),
            nameless=person.id in nameless,
        )
        for person in everyone
    ]


def revisions(db: Database, campaign_id: int) -> list[Revision]:
    """All settings that were ever in force, newest first."""
    setting = schema.setting.c
    query = sa.select(setting.revision, setting.created_at, setting.body).where(setting.campaign_id == campaign_id)
    with db.read() as tx:
        rows = tx.execute(query.order_by(setting.revision)).all()
        authors = _authors(tx, campaign_id)
    found: list[Revision] = []
    for number, at, body in rows:
        settings = Settings.from_toml(body)
        changes = differing(found[-1].settings, settings) if found else ()
        found.append(Revision(number, at, authors.get(number), settings, changes))
    return found[::-1]


def differing(before: Settings, after: Settings) -> tuple[str, ...]:
    """What one has otherwise than the other: ``screen.outputs: 5 → 3``; long texts by name alone."""
    old, new = _flat(before), _flat(after)
    return tuple(_change(key, old[key], new[key]) for key in new if old[key] != new[key])


def compared(db: Database, campaign_id: int) -> dict[str, dict[tuple[str, str], int]]:
    """Per language pair: how often every two systems were compared, by names in order."""
    system = schema.system.c
    with db.read() as tx:
        pairs = language_pairs(tx, campaign_id)
        counts = {pair.name: comparisons(tx, pair.id) for pair in pairs}
        query = sa.select(system.id, system.name).where(system.language_pair_id.in_([pair.id for pair in pairs]))
        names: dict[int, str] = dict(tx.execute(query).all())
    return {
        pair: {_in_order(names[a], names[b]): count for (a, b), count in found.items()}
        for pair, found in counts.items()
    }


def median_seconds(db: Database, campaign_id: int) -> dict[str, float]:
    """Per pseudonym of a judge: the seconds that half of their answers took no longer than, as their page says."""
    served, judgment, person = schema.served, schema.judgment, schema.person
    query = (
        sa.select(person.c.pseudonym, judgment.c.seconds)
        .join(served, served.c.person_id == person.c.id)
        .join(judgment, judgment.c.served_id == served.c.id)
        .where(person.c.campaign_id == campaign_id, served.c.lease_id.is_not(None))
        .where(judgment.c.revision == 1, judgment.c.seconds.is_not(None))
    )
    seconds: dict[str, list[float]] = {}
    with db.read() as tx:
        for pseudonym, taken in tx.execute(query):
            seconds.setdefault(pseudonym, []).append(taken)
    return {pseudonym: median(taken) for pseudonym, taken in seconds.items()}


# -- inside ----------------------------------------------------------------------------------------------


def _lasting_until(tx: sa.Connection, table: sa.Table, campaign_id: int) -> dict[int, datetime | None]:
    """Per person who ever had one: when the last that was not withdrawn ends."""
    end = sa.func.max(sa.case((table.c.revoked_at.is_(None), table.c.expires_at)))
    query = sa.select(table.c.person_id, end).join(schema.person, table.c.person_id == schema.person.c.id)
    query = query.where(schema.person.c.campaign_id == campaign_id).group_by(table.c.person_id)
    return dict(tx.execute(query).all())


def _if_later(end: datetime | None, now: datetime) -> datetime | None:
    return end if end is not None and end > now else None


def _authors(tx: sa.Connection, campaign_id: int) -> dict[int, int | None]:
    event = schema.event.c
    query = sa.select(event.body, event.by_id).where(event.campaign_id == campaign_id)
    return {body["revision"]: by for body, by in tx.execute(query.where(event.kind == "settings-changed"))}


def _in_order(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)


def _flat(settings: Settings) -> dict[str, Any]:
    return {f"{section}.{key}": value for section, table in asdict(settings).items() for key, value in table.items()}


def _change(key: str, old: Any, new: Any) -> str:
    was, now = (_written(value) for value in (old, new))
    return key if max(len(was), len(now)) > _SHORT else f"{key}: {was} → {now}"


def _written(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return repr(value) if isinstance(value, str) else f"{value}"
