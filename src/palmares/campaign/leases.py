"""Who has which work, for how long, and what still needs an answer.

A lease lives while its judge shows signs of life (asks for work, saves a draft, sends an answer). It is dated by its
last sign, not by its end: were the clock ever wrong, a moment in the future would not lock work up for ever.

Rows are locked in this order, so that no two transactions wait for each other: a person, a served screen, its lease,
a language pair, HITs by number. The leases of others, and HITs that are given out, are locked only if they are free; a
judge's own lease may come late as well, since whoever else holds it waits for a HIT at most.

Statements that run for every answer are built once: building one costs more than running it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import bindparam

from . import schema

#: Clocks of several machines may differ by so much.
SKEW = timedelta(minutes=5)
#: A screen that so many more judges have dealt with than were to answer it is not offered again.
_SKIPS = 2
#: HITs are looked through so many at a time.
_LOOKED_AT = 16

_LEASE, _HIT, _SERVED, _SCREEN, _JUDGMENT = (
    table.c for table in (schema.lease, schema.hit, schema.served, schema.screen, schema.judgment)
)


@dataclass(frozen=True)
class HitState:
    """Screens of a HIT that need one more judge, in order; whether someone holds what it lacks."""

    needed: tuple[int, ...]
    held: bool

    @property
    def done(self) -> bool:
        return not self.needed and not self.held


def alive(now: datetime, minutes: float) -> sa.ColumnElement[bool]:
    """The condition on `lease` that its judge is still at work."""
    since, until = living(now, minutes).values()
    return sa.and_(_LEASE.finished_at.is_(None), _LEASE.renewed_at > since, _LEASE.renewed_at <= until)


def living(now: datetime, minutes: float) -> dict[str, datetime]:
    """Between which moments a lease that lives was renewed: the parameters of `ALIVE`."""
    return {"since": now - timedelta(minutes=minutes), "until": now + SKEW}


#: The same condition with the parameters that `living` gives.
ALIVE = sa.and_(
    _LEASE.finished_at.is_(None), _LEASE.renewed_at > bindparam("since"), _LEASE.renewed_at <= bindparam("until")
)
_ITS = schema.lease.alias("its").c
_JUDGE_OF = sa.select(_ITS.person_id).where(_ITS.id == bindparam("lease")).scalar_subquery()
_RENEW = (
    schema.lease.update()
    .where(_LEASE.person_id == _JUDGE_OF, _LEASE.id >= bindparam("lease"), _LEASE.finished_at.is_(None))
    .values(renewed_at=bindparam("now"))
)
_FINISH = (
    schema.lease.update()
    .where(_LEASE.id == bindparam("lease"), _LEASE.finished_at.is_(None))
    .values(finished_at=bindparam("now"))
)
_UNANSWERED = (
    sa.select(_SERVED.public_id, sa.case((_SERVED.repeat_of.is_(None), _SERVED.screen_id)))
    .where(_SERVED.lease_id == bindparam("lease"), ~sa.exists().where(_JUDGMENT.served_id == _SERVED.id))
    .order_by(_SERVED.position, _SERVED.id)
)


def renew(tx: sa.Connection, lease_id: int | None, now: datetime) -> None:
    """Note a sign of life, for a lease and what its judge was given after it; a lease that has ended stays so."""
    if lease_id is not None:
        tx.execute(_RENEW, {"lease": lease_id, "now": now})


def finish(tx: sa.Connection, lease_ids: Sequence[int], now: datetime) -> None:
    if lease_ids:
        tx.execute(_FINISH, [{"lease": lease_id, "now": now} for lease_id in lease_ids])


def unanswered(tx: sa.Connection, lease_id: int) -> dict[str, int | None]:
    """The screens of a lease that have no answer yet, in order: public id and screen, None for a repeat."""
    return dict(tx.execute(_UNANSWERED, {"lease": lease_id}).all())


def lapsed(tx: sa.Connection, hit_id: int, now: datetime, minutes: float) -> dict[int, int]:
    """Leases of a HIT whose judges have gone, with these judges; one just being renewed is left alone."""
    gone = sa.select(_LEASE.id, _LEASE.person_id).where(_LEASE.hit_id == hit_id, _LEASE.finished_at.is_(None))
    gone = gone.where(~alive(now, minutes)).order_by(_LEASE.id)
    return dict(tx.execute(gone.with_for_update(key_share=True, skip_locked=True)).all())


# -- screens and HITs ----------------------------------------------------------------------------------------

_HITS: sa.BindParameter[Sequence[int]] = bindparam("hits", expanding=True)
_SCREENS = (
    sa.select(_HIT.id, _HIT.wanted, _SCREEN.id, _SCREEN.segment_id)
    .join_from(schema.hit, schema.screen, _SCREEN.hit_id == _HIT.id)
    .where(_HIT.id.in_(_HITS))
    .order_by(_HIT.id, _SCREEN.position, _SCREEN.id)
)
# Repeats are told apart here and not in the condition: SQLite would take "is null" as a reason to walk the index of
# repeats, which has nearly every row in it.
_GIVEN = (
    sa.select(_SERVED.screen_id, _SERVED.person_id, _SERVED.repeat_of, _JUDGMENT.id, _JUDGMENT.skip, ALIVE)
    .select_from(schema.served)
    .join(schema.screen, _SERVED.screen_id == _SCREEN.id)
    .join(schema.lease, _SERVED.lease_id == _LEASE.id)
    .outerjoin(schema.judgment, schema.latest(_SERVED.id))
    .where(_SCREEN.hit_id.in_(_HITS))
)
_DEALT_WITH = (
    sa.select(_SERVED.repeat_of, _JUDGMENT.skip)
    .select_from(schema.served)
    .join(schema.judgment, schema.latest(_SERVED.id))
    .where(_SERVED.screen_id == bindparam("screen"), _SERVED.person_id != bindparam("judge"))
)
_LOCK_HITS = sa.select(_HIT.id).where(_HIT.id.in_(_HITS)).order_by(_HIT.id).with_for_update(key_share=True)
_LOCK_FREE_HITS = _LOCK_HITS.with_for_update(key_share=True, skip_locked=True)
_CLOSE = schema.hit.update().where(_HIT.id == bindparam("hit")).values(closed=bindparam("done"))
_WANTED = sa.select(_HIT.wanted).where(_HIT.id == bindparam("hit"))


@dataclass(frozen=True)
class _Hit:
    """A HIT: how many judges it wants, its screens with their segments, and what became of them.

    ``answered``, ``skipped`` and ``held`` are counts of judges by screen; ``by`` has for every judge the screens they
    were given, with whether they dealt with each.
    """

    id: int
    wanted: int
    screens: dict[int, int]
    answered: Counter[int]
    skipped: Counter[int]
    held: Counter[int]
    by: dict[int, dict[int, bool]]

    def state(self) -> HitState:
        lacks = {key: lacking(self.wanted, self.answered[key], self.skipped[key]) for key in self.screens}
        held = any(self.held[key] and self.answered[key] < self.wanted for key in self.screens)
        return HitState(tuple(key for key, number in lacks.items() if self.held[key] < number), held)


def lacking(wanted: int, answered: int, skipped: int) -> int:
    """How many answers a screen still waits for; none if too many have skipped it."""
    return 0 if answered + skipped >= wanted + _SKIPS else max(0, wanted - answered)


def first_wanted(tx: sa.Connection, left: Mapping[str, int | None], hit_id: int, person_id: int) -> str | None:
    """The first of the screens left to a judge that still needs them; a repeat always does."""
    for public_id, screen in left.items():
        if screen is None or _is_needed(tx, hit_id, screen, person_id):
            return public_id
    return None


def _is_needed(tx: sa.Connection, hit_id: int, screen_id: int, person_id: int) -> bool:
    """Whether a screen that a judge holds still waits for them: others may have answered it late."""
    wanted = tx.execute(_WANTED, {"hit": hit_id}).scalar_one()
    rows = tx.execute(_DEALT_WITH, {"screen": screen_id, "judge": person_id})
    skips = [skip is not None for repeat_of, skip in rows if repeat_of is None]
    return lacking(wanted, skips.count(False), skips.count(True)) > 0


def settle(tx: sa.Connection, hit_ids: Sequence[int], now: datetime, minutes: float, *, waiting: bool = True) -> None:
    """Note whether HITs need nobody any more; without ``waiting``, those that are in nobody else's hands."""
    # Two judges who answer last at the same time must see each other, or neither would close the HIT.
    held = list(tx.scalars(_LOCK_HITS if waiting else _LOCK_FREE_HITS, {"hits": hit_ids}))
    hits = _looked_at(tx, held, now, minutes) if held else []
    if hits:
        tx.execute(_CLOSE, [{"hit": hit.id, "done": hit.state().done} for hit in hits])


def _looked_at(tx: sa.Connection, hit_ids: Sequence[int], now: datetime, minutes: float) -> list[_Hit]:
    hits: dict[int, _Hit] = {}
    of_screen: dict[int, _Hit] = {}
    for hit_id, wanted, screen_id, segment_id in tx.execute(_SCREENS, {"hits": hit_ids}):
        hit = hits.setdefault(hit_id, _Hit(hit_id, wanted, {}, Counter(), Counter(), Counter(), {}))
        hit.screens[screen_id] = segment_id
        of_screen[screen_id] = hit
    rows = tx.execute(_GIVEN, {"hits": hit_ids, **living(now, minutes)})
    for screen_id, person_id, repeat_of, answer_id, skip, lives in rows:
        if repeat_of is not None:
            continue
        hit = of_screen[screen_id]
        hit.by.setdefault(person_id, {})[screen_id] = answer_id is not None
        if answer_id is not None:
            (hit.answered if skip is None else hit.skipped)[screen_id] += 1
        elif lives:
            hit.held[screen_id] += 1
    return list(hits.values())


# -- HITs that want more judges than they have ---------------------------------------------------------------

#: As many judges as a HIT wants are at work on it: nothing is open while they are.
_TAKEN = sa.select(sa.func.count()).where(_LEASE.hit_id == _HIT.id, ALIVE).scalar_subquery()
#: The judge is at work on it: what they have left of it is no other work.
_IN_HAND = sa.exists().where(
    _LEASE.hit_id == _HIT.id, _LEASE.person_id == bindparam("judge"), _LEASE.finished_at.is_(None)
)
# A judge who is ahead of the others leaves many HITs behind that wait for someone else. (Repeats apart, as above.)
_MINE = schema.lease.alias("mine")
_NUMBER = sa.select(sa.func.count()).where(_SCREEN.hit_id == _MINE.c.hit_id).scalar_subquery()
_DONE_BY_ME = (
    sa.select(sa.func.sum(sa.case((_SERVED.repeat_of.is_(None), 1), else_=0)))
    .where(_SERVED.lease_id == _MINE.c.id, sa.exists().where(_JUDGMENT.served_id == _SERVED.id))
    .scalar_subquery()
)
_THROUGH = sa.exists().where(_MINE.c.hit_id == _HIT.id, _MINE.c.person_id == bindparam("judge"), _DONE_BY_ME >= _NUMBER)
_OPEN_HITS = (
    sa.select(_HIT.id)
    .where(_HIT.language_pair_id == bindparam("pair"), sa.text("not hit.closed"), _HIT.id > bindparam("last"))
    .where(_HIT.wanted > _TAKEN, ~_IN_HAND, ~_THROUGH)
    .order_by(_HIT.id)
    .limit(_LOOKED_AT)
)
_MET = sa.select(schema.met.c.segment_id, schema.met.c.times).where(
    schema.met.c.person_id == bindparam("judge"), schema.met.c.segment_id.in_(bindparam("segments", expanding=True))
)


@dataclass(frozen=True)
class Opening:
    """A HIT and those of its screens that need this judge. ``fresh``: it was never given to anyone."""

    hit_id: int
    screens: tuple[int, ...]
    fresh: bool


def first_opening(
    tx: sa.Connection, pair_id: int, person_id: int, *, per_segment: int, now: datetime, minutes: float
) -> Opening | None:
    """The oldest HIT with something that this judge can do; HITs that turn out to be done are closed on the way.

    The HIT is held until the transaction ends. One that somebody else holds is passed over: they are giving it out, or
    answering it, at this very moment.
    """
    for hits in _pages(tx, pair_id, person_id, now, minutes):
        done = [hit.id for hit in hits if hit.state().done]
        if done:  # the last one who worked on it never came back
            settle(tx, done, now, minutes, waiting=False)
        segments = sorted({segment for hit in hits for segment in hit.screens.values()})
        met: dict[int, int] = dict(tx.execute(_MET, {"judge": person_id, "segments": segments}).all())
        for hit in hits:
            if not _open_to(hit, person_id, met, per_segment):
                continue
            held = _held(tx, hit, now, minutes)
            screens = () if held is None else _open_to(held, person_id, met, per_segment)
            if held is not None and screens:
                return Opening(hit.id, screens, fresh=not held.by)
    return None


def _open_to(hit: _Hit, person_id: int, met: Mapping[int, int], per_segment: int) -> tuple[int, ...]:
    """The screens of a HIT that need this judge: they had it and never answered, or may still meet its segment."""
    mine = hit.by.get(person_id, {})
    possible = {
        key
        for key, segment in hit.screens.items()
        if (not mine[key] if key in mine else met.get(segment, 0) < per_segment)
    }
    return tuple(key for key in hit.state().needed if key in possible)


def _held(tx: sa.Connection, hit: _Hit, now: datetime, minutes: float) -> _Hit | None:
    """Hold a HIT, and look at it again: it may have been given out since. None if somebody else holds it."""
    if tx.dialect.name == "sqlite":  # nobody else writes
        return hit
    if tx.execute(_LOCK_FREE_HITS, {"hits": [hit.id]}).first() is None:
        return None
    return next(iter(_looked_at(tx, [hit.id], now, minutes)), None)


def _pages(tx: sa.Connection, pair_id: int, person_id: int, now: datetime, minutes: float) -> Iterator[list[_Hit]]:
    """Open HITs that have room for a judge who is not through with them, oldest first."""
    last = 0
    while True:
        asked = {"pair": pair_id, "judge": person_id, "last": last, **living(now, minutes)}
        ids = list(tx.scalars(_OPEN_HITS, asked))
        if not ids:
            return
        yield _looked_at(tx, ids, now, minutes)
        last = ids[-1]
