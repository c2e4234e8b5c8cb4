"""What a judge has answered before: to go back to it, to compare it with what is on the page, to leave it as it is."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import bindparam

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
    with db.read() as tx:
        row = tx.execute(_STORED, {"judge": person.id, "screen": screen_id}).first()
    if row is None:
        return None
    return StoredAnswer(None if row.ranks is None else tuple(row.ranks), row.skip, row.verdict, row.revision)


def recently_answered(db: Database, person: Person, before: str | None = None) -> tuple[str, ...]:
    """The public ids of the last screens that this judge has answered, the latest given first, practice apart.

    With ``before``, those that were given to the judge before that screen, also in HITs before its own.
    """
    with db.read() as tx:
        if before is None:
            return tuple(tx.scalars(_ANSWERED, {"judge": person.id}))
        return tuple(tx.scalars(_ANSWERED_BEFORE, {"judge": person.id, "screen": before}))


def discard_draft(db: Database, person: Person, screen_id: str) -> None:
    """Take back a change that was begun, or refused: what is stored stays."""
    with db.begin() as tx:
        tx.execute(_DISCARD, {"judge": person.id, "screen": screen_id})


# -- statements, built once ----------------------------------------------------------------------------

_THIS, _SERVED, _JUDGMENT = schema.served.alias("this").c, schema.served.c, schema.judgment.c
#: A screen that was given to this judge; anyone else's does not exist for them.
_OWN = (
    sa.select(_THIS.id)
    .where(_THIS.public_id == bindparam("screen"), _THIS.person_id == bindparam("judge"))
    .scalar_subquery()
)
_STORED = (
    sa.select(_JUDGMENT.ranks, _JUDGMENT.skip, _JUDGMENT.verdict, _JUDGMENT.revision)
    .where(_JUDGMENT.served_id == _OWN)
    .order_by(_JUDGMENT.revision.desc())
    .limit(1)
)
_ANSWERED = (
    sa.select(_SERVED.public_id)
    .where(_SERVED.person_id == bindparam("judge"), _SERVED.lease_id.is_not(None))
    .where(sa.exists().where(_JUDGMENT.served_id == _SERVED.id))
    .order_by(_SERVED.id.desc())
    .limit(RECENT)
)
_ANSWERED_BEFORE = _ANSWERED.where(_SERVED.id < _OWN)
_DISCARD = schema.draft.delete().where(schema.draft.c.served_id == _OWN)
