"""How far a judge has come, and how far there is to go."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import bindparam

from . import leases, schema
from .admission import Admission, look_at
from .database import Database
from .definition import language_pairs
from .people import Person
from .stopping import screens_left_at_a_glance


@dataclass(frozen=True)
class Progress:
    """``done`` screens, skipped ones included, of the ``target``: what was asked for, or all there is if that is less.

    ``in_hand`` are screens that were given to the judge and still wait for their answer.
    """

    done: int
    target: int
    in_hand: int

    @property
    def reached(self) -> bool:
        """Whether the judge has done what was asked, and finished what was begun."""
        return self.done >= self.target and not self.in_hand


def judge_progress(db: Database, person: Person) -> Progress:
    """Count the screens this judge has dealt with; practice does not count."""
    with db.read() as tx:
        return progress_of(tx, look_at(tx, person.id), db)


def progress_of(tx: sa.Connection, judge: Admission, db: Database) -> Progress:
    """The same in a transaction, as the judge was found when it began: ``judge.done`` is believed."""
    now, minutes = db.clock(), judge.settings.hit.lease_minutes
    in_hand = tx.execute(_IN_HAND, {"judge": judge.person_id, **leases.living(now, minutes)}).scalar_one()
    asked = judge.settings.judge.screens
    there = judge.done + in_hand + _left_for(tx, judge, db, enough=asked)
    # Who has done all there is, or was asked for less than they did, is not told of more.
    return Progress(judge.done, max(min(asked, there), min(judge.done, asked)), in_hand)


def _left_for(tx: sa.Connection, judge: Admission, db: Database, *, enough: int) -> int:
    """How many screens there may still be for a judge, counted up to ``enough``; repeats are not foreseen."""
    settings, total = judge.settings, 0
    for pair in language_pairs(tx, judge.campaign_id):
        if judge.langs and pair.name not in judge.langs:
            continue
        segments = tx.execute(_SEGMENTS, {"pair": pair.id, "enough": enough}).scalar_one()
        left = segments * settings.judge.per_segment
        if left < enough:  # else there is enough, however much of it they have met
            met = tx.execute(_MET, {"judge": judge.person_id, "pair": pair.id}).scalar_one()
            left = max(0, left - met)
        if not settings.stop.is_open:
            minutes = settings.hit.lease_minutes
            by_rule = screens_left_at_a_glance(tx, pair.id, settings.stop, db.clock(), minutes)
            left = left if by_rule is None else min(left, by_rule)
        total += left
        if total >= enough:
            break
    most = judge.most
    return total if most is None else min(total, max(0, most - judge.done))


_SERVED, _SEGMENT = schema.served.c, schema.segment.c
_IN_HAND = (
    sa.select(sa.func.count())
    .select_from(schema.lease)
    .join(schema.served, _SERVED.lease_id == schema.lease.c.id)
    .where(schema.lease.c.person_id == bindparam("judge"), leases.ALIVE)
    .where(~sa.exists().where(schema.judgment.c.served_id == _SERVED.id))
)
#: Segments with something to compare; nobody has to count further than is asked for.
_SEGMENTS = sa.select(sa.func.count()).select_from(
    sa.select(_SEGMENT.id)
    .where(_SEGMENT.language_pair_id == bindparam("pair"), _SEGMENT.outputs > 1)
    .limit(bindparam("enough"))
    .subquery()
)
_MET = (
    sa.select(sa.func.coalesce(sa.func.sum(schema.met.c.times), 0))
    .join(schema.segment, _SEGMENT.id == schema.met.c.segment_id)
    .where(schema.met.c.person_id == bindparam("judge"), _SEGMENT.language_pair_id == bindparam("pair"))
)
