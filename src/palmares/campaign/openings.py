"""Work that is there but has nobody: HITs that want more judges than they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from . import schema
from .exposure import met_enough
from .leases import settle, states

#: HITs are looked through so many at a time.
_LOOKED_AT = 100
_MINE = schema.served.alias("mine")


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
        found = states(tx, list(page), now, minutes)
        done = [hit_id for hit_id, state in found.items() if state.done]
        if done:  # the last one who worked on it never came back
            settle(tx, done, now, minutes)
        for hit_id, state in found.items():
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
