"""Who has which work, for how long, and what still needs an answer.

A lease lives while its judge shows signs of life (a screen opened, a draft saved, an answer sent). It is dated by its
last sign, not by its end: were the clock ever wrong, a moment in the future would not lock work up for ever.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import sqlalchemy as sa

from . import schema

#: Clocks of several machines may differ by so much.
SKEW = timedelta(minutes=5)
#: A screen that so many more judges skipped than were to answer it is not offered again.
SKIPS = 2


def alive(now: datetime, minutes: float) -> sa.ColumnElement[bool]:
    """The condition on `lease` that its judge is still at work."""
    lease = schema.lease.c
    last = sa.and_(lease.renewed_at > now - timedelta(minutes=minutes), lease.renewed_at <= now + SKEW)
    return sa.and_(lease.finished_at.is_(None), last)


def renew(tx: sa.Connection, lease_id: int | None, now: datetime) -> None:
    """Note a sign of life."""
    if lease_id is not None:
        tx.execute(schema.lease.update().where(schema.lease.c.id == lease_id).values(renewed_at=now))


def needs(
    tx: sa.Connection, hit_ids: list[int], now: datetime, minutes: float, *, besides: int | None = None
) -> dict[int, list[int]]:
    """For every HIT the screens that need one more judge, in order.

    A screen needs as many answers as its HIT wants judges; one that a living lease holds is as good as answered.
    ``besides`` is a judge whose own lease does not count.
    """
    asked = sa.select(schema.screen.c.id, schema.screen.c.hit_id, schema.hit.c.wanted).join(schema.hit)
    asked = asked.where(schema.screen.c.hit_id.in_(hit_ids)).order_by(schema.screen.c.hit_id, schema.screen.c.position)
    answered, skipped, held = _given(tx, hit_ids, now, minutes, besides)
    found: dict[int, list[int]] = {hit_id: [] for hit_id in hit_ids}
    for screen_id, hit_id, wanted in tx.execute(asked):
        given_up = answered[screen_id] + skipped[screen_id] >= wanted + SKIPS
        if not given_up and answered[screen_id] + held[screen_id] < wanted:
            found[hit_id].append(screen_id)
    return found


def close_if_done(tx: sa.Connection, hit_id: int, now: datetime, minutes: float) -> None:
    """Close a HIT that needs nobody any more and that nobody is working on."""
    working = sa.select(schema.lease.c.id).where(schema.lease.c.hit_id == hit_id, alive(now, minutes))
    if not needs(tx, [hit_id], now, minutes)[hit_id] and not tx.execute(working).first():
        tx.execute(schema.hit.update().where(schema.hit.c.id == hit_id).values(closed=True))


def finish_if_answered(tx: sa.Connection, lease_id: int, now: datetime) -> bool:
    """End a lease whose every screen has an answer; say whether it has ended."""
    if unanswered(tx, lease_id):
        return False
    open_ = sa.and_(schema.lease.c.id == lease_id, schema.lease.c.finished_at.is_(None))
    tx.execute(schema.lease.update().where(open_).values(finished_at=now))
    return True


def unanswered(tx: sa.Connection, lease_id: int) -> list[str]:
    """Public ids of the screens of a lease that have no answer yet, in order."""
    served, judgment = schema.served, schema.judgment
    query = (
        sa.select(served.c.public_id)
        .where(served.c.lease_id == lease_id)
        .where(~sa.exists().where(judgment.c.served_id == served.c.id))
        .order_by(served.c.position)
    )
    return list(tx.scalars(query))


def _given(
    tx: sa.Connection, hit_ids: list[int], now: datetime, minutes: float, besides: int | None
) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """Per screen: judges who answered, judges who skipped, living leases that have yet to."""
    served, screen, lease, judgment = schema.served, schema.screen, schema.lease, schema.judgment
    newest = sa.select(judgment.c.served_id, sa.func.max(judgment.c.revision).label("revision")).group_by(
        judgment.c.served_id
    )
    newest_of = newest.subquery()
    query = (
        sa.select(served.c.screen_id, served.c.person_id, judgment.c.skip, newest_of.c.served_id, alive(now, minutes))
        .join(screen, served.c.screen_id == screen.c.id)
        .join(lease, served.c.lease_id == lease.c.id)
        .outerjoin(newest_of, newest_of.c.served_id == served.c.id)
        .outerjoin(judgment, sa.and_(judgment.c.served_id == served.c.id, judgment.c.revision == newest_of.c.revision))
        .where(screen.c.hit_id.in_(hit_ids), served.c.repeat_of.is_(None))
    )
    answered, skipped, held = Counter[int](), Counter[int](), Counter[int]()
    for screen_id, person_id, skip, is_answered, lives in tx.execute(query):
        if is_answered is not None:
            (answered if skip is None else skipped)[screen_id] += 1
        elif lives and person_id != besides:
            held[screen_id] += 1
    return answered, skipped, held
