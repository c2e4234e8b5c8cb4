"""What a judge has answered before: to go back to it, to compare it with what is on the page, to leave it as it is."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from . import schema
from .database import Database
from .people import Person

#: So many of the answered screens are named on a page. An answer whose acknowledgement was lost is among the last.
RECENT = 5


@dataclass(frozen=True)
class StoredAnswer:
    """The latest revision of an answer: ``ranks`` by place, or the reason for skipping."""

    ranks: tuple[int, ...] | None
    skip: str | None
    verdict: str | None
    revision: int


def stored_answer(db: Database, person: Person, screen_id: str) -> StoredAnswer | None:
    """What is stored for a screen of this judge, whatever draft there is; None before the first answer."""
    judgment = schema.judgment.c
    query = sa.select(judgment.ranks, judgment.skip, judgment.verdict, judgment.revision)
    query = query.where(judgment.served_id == _served(person, screen_id)).order_by(judgment.revision.desc()).limit(1)
    with db.read() as tx:
        row = tx.execute(query).first()
    if row is None:
        return None
    return StoredAnswer(None if row.ranks is None else tuple(row.ranks), row.skip, row.verdict, row.revision)


def recently_answered(db: Database, person: Person, before: str | None = None) -> tuple[str, ...]:
    """The public ids of the last screens that this judge has answered, the latest given first, practice apart.

    With ``before``, those that were given to the judge before that screen, also in HITs before its own.
    """
    served = schema.served.c
    answered = sa.exists().where(schema.judgment.c.served_id == served.id)
    query = sa.select(served.public_id).where(served.person_id == person.id, served.lease_id.is_not(None), answered)
    if before is not None:
        query = query.where(served.id < _served(person, before))
    with db.read() as tx:
        return tuple(tx.scalars(query.order_by(served.id.desc()).limit(RECENT)))


def discard_draft(db: Database, person: Person, screen_id: str) -> None:
    """Take back a change that was begun, or refused: what is stored stays."""
    draft = schema.draft
    with db.begin() as tx:
        tx.execute(draft.delete().where(draft.c.served_id == _served(person, screen_id)))


def _served(person: Person, screen_id: str) -> sa.ScalarSelect[int]:
    """A screen that was given to this judge; anyone else's does not exist for them."""
    served = schema.served.alias("this").c
    return sa.select(served.id).where(served.public_id == screen_id, served.person_id == person.id).scalar_subquery()
