"""Judges whose answers do not count. Nothing is deleted: every change is a row, and the last one of a judge says."""

from __future__ import annotations

import sqlalchemy as sa

from . import schema

_LEFT_OUT = schema.left_out.c


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
