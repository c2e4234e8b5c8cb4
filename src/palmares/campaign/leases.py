"""Who has which work, for how long, and what still needs an answer.

A lease lives while its judge shows signs of life (asks for work, saves a draft, sends an answer). It is dated by its
last sign, not by its end: were the clock ever wrong, a moment in the future would not lock work up for ever.

Rows are locked in this order, so that no two transactions wait for each other: a person, a served screen, its lease,
a language pair, HITs by number. The leases of others are locked only if they are free; a judge's own lease may come
late as well, since whoever else holds it waits for a HIT at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from . import schema

#: Clocks of several machines may differ by so much.
SKEW = timedelta(minutes=5)
#: A screen that so many more judges skipped than were to answer it is not offered again.
SKIPS = 2
_LATER = schema.judgment.alias("later")


@dataclass(frozen=True)
class HitState:
    """Screens of a HIT that need one more judge, in order; answers it has; whether someone holds what it lacks."""

    needed: tuple[int, ...]
    answers: int
    held: bool

    @property
    def done(self) -> bool:
        return not self.needed and not self.held


def alive(now: datetime, minutes: float) -> sa.ColumnElement[bool]:
    """The condition on `lease` that its judge is still at work."""
    lease = schema.lease.c
    last = sa.and_(lease.renewed_at > now - timedelta(minutes=minutes), lease.renewed_at <= now + SKEW)
    return sa.and_(lease.finished_at.is_(None), last)


def renew(tx: sa.Connection, lease_id: int | None, now: datetime) -> None:
    """Note a sign of life; a lease that has ended stays so."""
    if lease_id is not None:
        lease = schema.lease
        tx.execute(lease.update().where(lease.c.id == lease_id, lease.c.finished_at.is_(None)).values(renewed_at=now))


def finish_if_answered(tx: sa.Connection, lease_id: int, now: datetime) -> None:
    """End a lease whose every screen has an answer."""
    if not unanswered(tx, lease_id):
        finish(tx, [lease_id], now)


def finish(tx: sa.Connection, lease_ids: Sequence[int], now: datetime) -> None:
    lease = schema.lease
    tx.execute(lease.update().where(lease.c.id.in_(lease_ids), lease.c.finished_at.is_(None)).values(finished_at=now))


def unanswered(tx: sa.Connection, lease_id: int) -> dict[str, int | None]:
    """The screens of a lease that have no answer yet, in order: public id and screen, None for a repeat."""
    served, judgment = schema.served.c, schema.judgment
    screen = sa.case((served.repeat_of.is_(None), served.screen_id))
    query = (
        sa.select(served.public_id, screen)
        .where(served.lease_id == lease_id, ~sa.exists().where(judgment.c.served_id == served.id))
        .order_by(served.position, served.id)
    )
    return dict(tx.execute(query).all())


def lapsed(tx: sa.Connection, hit_id: int, now: datetime, minutes: float) -> dict[int, int]:
    """Leases of a HIT whose judges have gone, with these judges; one that stirs at this very moment is left alone."""
    lease = schema.lease.c
    gone = sa.select(lease.id, lease.person_id).where(lease.hit_id == hit_id, lease.finished_at.is_(None))
    gone = gone.where(~alive(now, minutes)).order_by(lease.id)
    return dict(tx.execute(gone.with_for_update(key_share=True, skip_locked=True)).all())


# -- HITs --------------------------------------------------------------------------------------------------


def states(
    tx: sa.Connection, hit_ids: Sequence[int], now: datetime, minutes: float, *, besides: int | None = None
) -> dict[int, HitState]:
    """How HITs stand, in the order of their ids.

    A screen needs as many answers as its HIT wants judges; one that a living lease holds is as good as answered.
    ``besides`` is a judge whose own lease does not count.
    """
    screen, hit = schema.screen.c, schema.hit.c
    asked = sa.select(screen.hit_id, screen.id, hit.wanted).join(schema.hit).where(screen.hit_id.in_(hit_ids))
    answered, skipped, held = _given(tx, hit_ids, now, minutes, besides)
    needed: dict[int, list[int]] = {}
    answers, working = Counter[int](), set[int]()
    for hit_id, key, wanted in tx.execute(asked.order_by(screen.hit_id, screen.position)):
        needs = needed.setdefault(hit_id, [])
        given_up = answered[key] + skipped[key] >= wanted + SKIPS
        if not given_up and answered[key] + held[key] < wanted:
            needs.append(key)
        answers[hit_id] += answered[key]
        if held[key] and answered[key] < wanted:
            working.add(hit_id)
    return {hit_id: HitState(tuple(keys), answers[hit_id], hit_id in working) for hit_id, keys in needed.items()}


def settle(tx: sa.Connection, hit_ids: Sequence[int], now: datetime, minutes: float) -> None:
    """Note how many answers HITs have, and whether they need nobody any more."""
    hit = schema.hit
    # Two judges who answer last at the same time must see each other, or neither would close the HIT.
    tx.execute(sa.select(hit.c.id).where(hit.c.id.in_(hit_ids)).order_by(hit.c.id).with_for_update(key_share=True))
    for hit_id, state in states(tx, hit_ids, now, minutes).items():
        tx.execute(hit.update().where(hit.c.id == hit_id).values(answers=state.answers, closed=state.done))


def latest(served_id: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    """The condition on `judgment` that it is the latest answer to a served screen."""
    judgment, later = schema.judgment.c, _LATER.c
    newer = sa.exists().where(later.served_id == judgment.served_id, later.revision > judgment.revision)
    return sa.and_(judgment.served_id == served_id, ~newer)


def _given(
    tx: sa.Connection, hit_ids: Sequence[int], now: datetime, minutes: float, besides: int | None
) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """Per screen: judges who answered, judges who skipped, living leases that have yet to."""
    served, screen, lease, judgment = schema.served.c, schema.screen.c, schema.lease, schema.judgment
    query = (
        sa.select(served.screen_id, served.person_id, judgment.c.id, judgment.c.skip, alive(now, minutes))
        .select_from(schema.served)
        .join(schema.screen, served.screen_id == screen.id)
        .join(lease, served.lease_id == lease.c.id)
        .outerjoin(judgment, latest(served.id))
        .where(screen.hit_id.in_(hit_ids), served.repeat_of.is_(None))
    )
    answered, skipped, held = Counter[int](), Counter[int](), Counter[int]()
    for screen_id, person_id, answer_id, skip, lives in tx.execute(query):
        if answer_id is not None:
            (answered if skip is None else skipped)[screen_id] += 1
        elif lives and person_id != besides:
            held[screen_id] += 1
    return answered, skipped, held
