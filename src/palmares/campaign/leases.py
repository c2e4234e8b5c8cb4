"""Who has which work, for how long, and what still needs an answer.

A lease lives while its judge shows signs of life (asks for work, saves a draft, sends an answer). It is dated by its
last sign, not by its end: were the clock ever wrong, a moment in the future would not lock work up for ever.

Rows are locked in this order, so that no two transactions wait for each other: a person, a served screen, its lease,
a language pair, HITs by number. The leases of others are locked only if they are free; a judge's own lease may come
late as well, since whoever else holds it waits for a HIT at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from . import schema
from .hits import met_enough

#: Clocks of several machines may differ by so much.
SKEW = timedelta(minutes=5)
#: A screen that so many more judges have dealt with than were to answer it is not offered again.
_SKIPS = 2
#: HITs are looked through so many at a time.
_LOOKED_AT = 100
_MINE = schema.served.alias("mine")


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
        if held[key] < lacking(wanted, answered[key], skipped[key]):
            needs.append(key)
        answers[hit_id] += answered[key]
        if held[key] and answered[key] < wanted:
            working.add(hit_id)
    return {hit_id: HitState(tuple(keys), answers[hit_id], hit_id in working) for hit_id, keys in needed.items()}


def lacking(wanted: int, answered: int, skipped: int) -> int:
    """How many answers a screen still waits for; none if too many have skipped it."""
    return 0 if answered + skipped >= wanted + _SKIPS else max(0, wanted - answered)


def settle(tx: sa.Connection, hit_ids: Sequence[int], now: datetime, minutes: float) -> None:
    """Note how many answers HITs have, and whether they need nobody any more."""
    hit = schema.hit
    # Two judges who answer last at the same time must see each other, or neither would close the HIT.
    tx.execute(sa.select(hit.c.id).where(hit.c.id.in_(hit_ids)).order_by(hit.c.id).with_for_update(key_share=True))
    for hit_id, state in states(tx, hit_ids, now, minutes).items():
        tx.execute(hit.update().where(hit.c.id == hit_id).values(answers=state.answers, closed=state.done))


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
        .outerjoin(judgment, schema.latest(served.id))
        .where(screen.hit_id.in_(hit_ids), served.repeat_of.is_(None))
    )
    answered, skipped, held = Counter[int](), Counter[int](), Counter[int]()
    for screen_id, person_id, answer_id, skip, lives in tx.execute(query):
        if answer_id is not None:
            (answered if skip is None else skipped)[screen_id] += 1
        elif lives and person_id != besides:
            held[screen_id] += 1
    return answered, skipped, held


# -- HITs that want more judges than they have ---------------------------------------------------------------


@dataclass(frozen=True)
class Opening:
    """A HIT and those of its screens that need this judge."""

    hit_id: int
    screens: tuple[int, ...]


def first_opening(
    tx: sa.Connection, pair_id: int, person_id: int, *, per_segment: int, now: datetime, minutes: float
) -> Opening | None:
    """The oldest HIT with something that this judge can do; HITs that turn out to be done are closed on the way."""
    for page in _pages(tx, pair_id, person_id, per_segment):
        hits = states(tx, list(page), now, minutes)
        done = [hit_id for hit_id, state in hits.items() if state.done]
        if done:  # the last one who worked on it never came back
            settle(tx, done, now, minutes)
        for hit_id, state in hits.items():
            screens = tuple(key for key in state.needed if key in page[hit_id])
            if screens:
                return Opening(hit_id, screens)
    return None


def _pages(tx: sa.Connection, pair_id: int, person_id: int, per_segment: int) -> Iterator[dict[int, set[int]]]:
    """Open HITs, oldest first, with the screens that a judge could do."""
    hit, screen = schema.hit.c, schema.screen.c
    possible = _possible(person_id, per_segment)
    last = 0
    while True:
        query = sa.select(hit.id).where(hit.language_pair_id == pair_id, hit.closed.is_(False), hit.id > last)
        query = query.where(possible.where(screen.hit_id == hit.id).correlate(schema.hit).exists())
        ids = list(tx.scalars(query.order_by(hit.id).limit(_LOOKED_AT)))
        if not ids:
            return
        page: dict[int, set[int]] = {hit_id: set() for hit_id in ids}
        for hit_id, screen_id in tx.execute(possible.where(screen.hit_id.in_(ids))):
            page[hit_id].add(screen_id)
        yield page
        last = ids[-1]


def _possible(person_id: int, per_segment: int) -> sa.Select[int, int]:
    """Screens that a judge could do: they had it and never answered, or they may still meet its segment."""
    screen, mine = schema.screen.c, _MINE.c
    given = sa.and_(mine.screen_id == screen.id, mine.person_id == person_id, mine.repeat_of.is_(None))
    answered = sa.exists().where(schema.judgment.c.served_id == mine.id)
    new = sa.and_(mine.id.is_(None), screen.segment_id.not_in(met_enough(person_id, per_segment)))
    return (
        sa.select(screen.hit_id, screen.id)
        .outerjoin(_MINE, given)
        .where(sa.or_(new, sa.and_(mine.id.is_not(None), ~answered)))
    )
