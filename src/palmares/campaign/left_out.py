"""Judges whose answers do not count. Nothing is deleted: every change is a row, and the last one of a judge says.

The judge is told nothing and goes on as before. Whatever is computed of answers follows with its next look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from ..errors import InputError
from . import Role, journal, schema
from .database import Database
from .definition import lock
from .people import Person

#: Characters of a reason.
REASON_LENGTH = 500
_LEFT_OUT = schema.left_out.c


@dataclass(frozen=True)
class Change:
    """A judge was left out, or taken back (``out`` is False); ``by`` is None for what the command line did.

    Numbers grow with time: results name the last one that they rest on.
    """

    id: int
    at: datetime
    name: str
    pseudonym: str
    out: bool
    reason: str | None
    by: str | None


def leave_out(db: Database, person: Person, reason: str, *, by: int | None = None) -> int:
    """Let the answers of a judge count no more, those to come included; the number of the change is returned."""
    if not reason.strip():
        raise InputError("reason: got nothing; say why the answers do not count, for whoever reads the results later")
    return _change(db, person, out=True, reason=reason, by=by)


def take_back(db: Database, person: Person, reason: str = "", *, by: int | None = None) -> int:
    """Let all answers of a judge count again; the number of the change is returned."""
    return _change(db, person, out=False, reason=reason, by=by)


def changes(db: Database, campaign_id: int, person: Person | None = None) -> Sequence[Change]:
    """Every change, newest first; of one judge if one is given. People appear by the name they have now."""
    whom, actor = schema.person.alias("whom"), schema.person.alias("actor")
    query = (
        sa.select(_LEFT_OUT.id, _LEFT_OUT.created_at, whom.c.name, whom.c.pseudonym, _LEFT_OUT.out, _LEFT_OUT.reason)
        .add_columns(actor.c.name)
        .select_from(
            schema.left_out.join(whom, _LEFT_OUT.person_id == whom.c.id).outerjoin(actor, _LEFT_OUT.by_id == actor.c.id)
        )
        .where(_LEFT_OUT.campaign_id == campaign_id)
        .order_by(_LEFT_OUT.id.desc())
    )
    if person is not None:
        query = query.where(_LEFT_OUT.person_id == person.id)
    with db.read() as tx:
        return [Change(*row) for row in tx.execute(query)]


def last_change(tx: sa.Connection, campaign_id: int) -> int:
    """The number of the last change to who is left out; 0 if nobody ever was."""
    newest = sa.select(sa.func.coalesce(sa.func.max(_LEFT_OUT.id), 0)).where(_LEFT_OUT.campaign_id == campaign_id)
    return int(tx.execute(newest).scalar_one())


def left_out_of(tx: sa.Connection, campaign_id: int, *, upto: int | None = None) -> dict[int, str]:
    """Who is left out: pseudonyms by the numbers of people.

    ``upto``: as it was after the change with this number (0: before there was any); None: as it is now.
    """
    known = _LEFT_OUT.campaign_id == campaign_id
    if upto is not None:
        known = sa.and_(known, _LEFT_OUT.id <= upto)
    last = sa.select(sa.func.max(_LEFT_OUT.id)).where(known).group_by(_LEFT_OUT.person_id)
    query = (
        sa.select(_LEFT_OUT.person_id, schema.person.c.pseudonym)
        .join(schema.person, schema.person.c.id == _LEFT_OUT.person_id)
        .where(_LEFT_OUT.id.in_(last), _LEFT_OUT.out)
        .order_by(_LEFT_OUT.person_id)
    )
    return {int(person_id): str(pseudonym) for person_id, pseudonym in tx.execute(query)}


def check_change(tx: sa.Connection, campaign_id: int, upto: int | None) -> None:
    """Refuse the number of a change that is not one of this campaign; 0 is before there was any."""
    if upto in (None, 0):
        return
    there = sa.select(_LEFT_OUT.id).where(_LEFT_OUT.campaign_id == campaign_id).order_by(_LEFT_OUT.id)
    numbers = list(tx.scalars(there))
    if upto not in numbers:
        known = f"0 (before any) and {', '.join(map(str, numbers))}" if numbers else "0, for nobody was ever left out"
        raise InputError(f"left out as of: got {upto}; allowed: {known}")


def is_counted(person: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    """The condition that someone is not left out now."""
    last, later = schema.left_out.alias("last"), schema.left_out.alias("later")
    newer = sa.exists().where(later.c.person_id == last.c.person_id, later.c.id > last.c.id)
    return ~sa.exists().where(last.c.person_id == person, last.c.out, ~newer)


def _change(db: Database, person: Person, *, out: bool, reason: str, by: int | None) -> int:
    reason = reason.strip()
    if person.role is not Role.JUDGE:
        raise InputError(f"{person.name!r} is {person.role}; only judges have answers that can be left out")
    if len(reason) > REASON_LENGTH or not all(sign.isprintable() or sign in "\r\n\t" for sign in reason):
        raise InputError(f"reason: got {len(reason)} characters; allowed: up to {REASON_LENGTH}, all of them printable")
    with db.begin() as tx:
        lock(tx, person.campaign_id)  # so that numbers are in the order in which changes are seen
        if (person.id in left_out_of(tx, person.campaign_id)) == out:
            state = "is left out already" if out else "is not left out, so there is nothing to take back"
            raise InputError(f"{person.name!r} {state}")
        values = {"campaign_id": person.campaign_id, "person_id": person.id, "out": out, "reason": reason or None}
        insert = schema.left_out.insert().values(**values, by_id=by, created_at=db.clock()).returning(_LEFT_OUT.id)
        number = int(tx.execute(insert).scalar_one())
        pair = schema.language_pair
        forgotten = {"least_compared": None, "compared_after": None}
        tx.execute(pair.update().where(pair.c.campaign_id == person.campaign_id).values(forgotten))
        kind = "left-out" if out else "taken-back"
        journal.record(
            tx, db, person.campaign_id, kind, person_id=person.id, by=by, reason=reason or None, change=number
        )
    return number
