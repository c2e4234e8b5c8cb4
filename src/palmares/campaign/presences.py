"""Who can get in, and until when: everyone in a campaign with their links and sessions."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from . import schema
from .database import Database
from .left_out import left_out_of
from .people import Person, people


@dataclass(frozen=True)
class Presence:
    """Someone, and the doors that are open to them.

    ``invited`` and ``joined``: ever. ``link_until`` is when the last link that works ends, ``session_until`` the last
    session; None if there is none. ``nameless``: only the pseudonym is left. ``left_out``: their answers do not count.
    """

    person: Person
    invited: bool
    joined: bool
    link_until: datetime | None
    session_until: datetime | None
    nameless: bool
    left_out: bool

    @property
    def shut_out(self) -> bool:
        """Whether they were invited, and nothing lets them in any more."""
        return self.invited and self.link_until is None and self.session_until is None


def presences(db: Database, campaign_id: int) -> list[Presence]:
    """Everyone in a campaign, in the order they were added."""
    now, everyone = db.clock(), people(db, campaign_id)
    with db.read() as tx:
        return presences_of(tx, everyone, now, left_out_of(tx, campaign_id), schema.person.c.campaign_id == campaign_id)


def presences_of(
    tx: sa.Connection,
    everyone: Sequence[Person],
    now: datetime,
    left_out: Container[int],
    which: sa.ColumnElement[bool] | None = None,
) -> list[Presence]:
    """The same of some people; ``which`` says of whom in fewer words than their numbers would."""
    column = schema.person.c
    these = column.id.in_([person.id for person in everyone]) if which is None else which
    links, sessions = (_lasting_until(tx, table, these) for table in (schema.invite, schema.session))
    nameless = set(tx.scalars(sa.select(column.id).where(these, column.pseudonymised_at.is_not(None))))
    return [
        Presence(
            person,
            invited=person.id in links,
            joined=person.id in sessions,
            link_until=_if_later(links.get(person.id), now),
            session_until=_if_later(sessions.get(person.id), now),
            nameless=person.id in nameless,
            left_out=person.id in left_out,
        )
        for person in everyone
    ]


def _lasting_until(tx: sa.Connection, table: sa.Table, these: sa.ColumnElement[bool]) -> dict[int, datetime | None]:
    """Per person who ever had one: when the last that was not withdrawn ends."""
    end = sa.func.max(sa.case((table.c.revoked_at.is_(None), table.c.expires_at)))
    query = sa.select(table.c.person_id, end).join(schema.person, table.c.person_id == schema.person.c.id)
    query = query.where(these).group_by(table.c.person_id)
    return dict(tx.execute(query).all())


def _if_later(end: datetime | None, now: datetime) -> datetime | None:
    return end if end is not None and end > now else None
