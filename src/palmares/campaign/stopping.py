"""When a language pair has enough judgments: the counts of the store that `palmares.design.stopping` decides by, and
what the analysis says of ``stop.rule``, which is looked up and never computed here. Answers of judges who are left out
are not counted: others are asked in their place.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from ..design.stopping import LeastCompared, StoppingRule
from . import schema
from .leases import ALIVE, living
from .left_out import is_counted
from .settings import StopSettings
from .snapshots import is_met


def has_stopped(tx: sa.Connection, pair_id: int, stop: StopSettings) -> bool:
    """Whether a rule says that no more work is to be given out."""
    if is_met(tx, pair_id, stop):
        return True
    rule = stop.limits
    if rule.is_open:
        return False
    answered = answered_screens(tx, pair_id)
    least = least_compared(tx, pair_id) if rule.needs_comparisons(answered) else 0
    return rule.has_stopped(answered, least)


def screens_left(tx: sa.Connection, pair_id: int, stop: StopSettings, now: datetime, minutes: float) -> int | None:
    """How many more screens may be given out; None if no rule limits them. The caller holds the pair's lock.

    Unlike `has_stopped` this does not look at every answer.
    """
    if is_met(tx, pair_id, stop):
        return 0
    rule = stop.limits
    if rule.is_open:
        return None
    held, answered = _held_and_answered(tx, pair_id, rule, now, minutes)
    least = 0 if rule.per_pair is None else _least_compared_or_more(tx, pair_id, rule, answered)
    return rule.screens_left(answered, held, least)


def screens_left_at_a_glance(
    tx: sa.Connection, pair_id: int, stop: StopSettings, now: datetime, minutes: float
) -> int | None:
    """`screens_left` as far as it is known, for who only wants to say so: nothing is written, no comparison counted.

    Whether every two systems were compared often enough is known from the last time that somebody was given work.
    """
    if is_met(tx, pair_id, stop):
        return 0
    rule = stop.limits
    if rule.is_open:
        return None
    pair = schema.language_pair.c
    least = tx.execute(sa.select(pair.least_compared).where(pair.id == pair_id)).scalar_one() or 0
    held, answered = (0, 0) if rule.screens is None else _held_and_answered(tx, pair_id, rule, now, minutes)
    return rule.screens_left(answered, held, least)


def answered_screens(tx: sa.Connection, pair_id: int) -> int:
    """Screens with ranks, one for each judge who answered; practice, repeats and judges left out do not count."""
    return int(tx.execute(sa.select(sa.func.count()).select_from(_answered(pair_id).subquery())).scalar_one())


def comparisons(tx: sa.Connection, pair_id: int) -> dict[tuple[int, int], int]:
    """How often every two systems were compared (ids in order); pairs that never met are there with 0."""
    answered = _answered(pair_id).subquery()
    shown = (
        sa.select(answered.c.id, schema.output_system.c.system_id)
        .join(schema.screen_output, schema.screen_output.c.screen_id == answered.c.screen_id)
        .join(schema.output_system, schema.output_system.c.output_id == schema.screen_output.c.output_id)
        .join(schema.system, schema.system.c.id == schema.output_system.c.system_id)
        .where(answered.c.answer > schema.system.c.added_after)
        .subquery()
    )
    first, second = shown.alias("first"), shown.alias("second")
    query = (
        sa.select(first.c.system_id, second.c.system_id, sa.func.count())
        .join(second, sa.and_(first.c.id == second.c.id, first.c.system_id < second.c.system_id))
        .group_by(first.c.system_id, second.c.system_id)
    )
    systems = sorted(tx.scalars(sa.select(schema.system.c.id).where(schema.system.c.language_pair_id == pair_id)))
    counts = {(a, b): 0 for i, a in enumerate(systems) for b in systems[i + 1 :]}
    counts.update({(a, b): int(n) for a, b, n in tx.execute(query)})
    return counts


def least_compared(tx: sa.Connection, pair_id: int) -> int:
    """How often the two systems that met least were compared."""
    return min(comparisons(tx, pair_id).values(), default=0)


def _held_and_answered(
    tx: sa.Connection, pair_id: int, rule: StoppingRule, now: datetime, minutes: float
) -> tuple[int, int]:
    # In this order: an answer that comes in between is then counted twice for now, and not missed.
    held = 0 if rule.screens is None else _held(tx, pair_id, now, minutes)
    hit = schema.hit.c
    # HITs keep the count of their answers, which is `answered_screens` in all, but for those of judges left out.
    counted = sa.select(sa.func.coalesce(sa.func.sum(hit.answers), 0)).where(hit.language_pair_id == pair_id)
    return held, int(tx.execute(counted).scalar_one()) - answered_by_left_out(tx, pair_id)


def answered_by_left_out(tx: sa.Connection, pair_id: int) -> int:
    """Screens with ranks of judges who are left out; nearly always there are none, which costs next to nothing."""
    if tx.execute(_ANYBODY_OUT).first() is None:
        return 0
    answered = sa.select(sa.func.count()).select_from(_answered(pair_id, left_out=True).subquery())
    return int(tx.execute(answered).scalar_one())


def _held(tx: sa.Connection, pair_id: int, now: datetime, minutes: float) -> int:
    """Screens that judges have in hand."""
    return int(tx.execute(_HELD, {"pair": pair_id, **living(now, minutes)}).scalar_one())


def _least_compared_or_more(tx: sa.Connection, pair_id: int, rule: StoppingRule, answered: int) -> int:
    """`least_compared`, or a number it cannot exceed where that decides the rule; a count is kept for the next time."""
    pair = schema.language_pair
    stored = tx.execute(sa.select(pair.c.least_compared, pair.c.compared_after).where(pair.c.id == pair_id)).one()
    if stored.least_compared is not None:
        known = LeastCompared(*stored)
        if known.decides(rule, answered):
            return known.at_most(answered)
    least = least_compared(tx, pair_id)
    tx.execute(pair.update().where(pair.c.id == pair_id).values(least_compared=least, compared_after=answered))
    return least


def _answered(pair_id: int, *, left_out: bool = False) -> sa.Select[int, int, int]:
    """Served screens whose latest revision has ranks, and its number; of judges who count, or who are left out."""
    counting = is_counted(schema.served.c.person_id)
    served, screen, segment, judgment = schema.served, schema.screen, schema.segment, schema.judgment
    return (
        sa.select(served.c.id, served.c.screen_id, judgment.c.id.label("answer"))
        .select_from(served)
        .join(judgment, schema.latest(served.c.id))
        .join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .where(segment.c.language_pair_id == pair_id, screen.c.purpose == "judge", served.c.repeat_of.is_(None))
        .where(judgment.c.skip.is_(None), ~counting if left_out else counting)
    )


_SERVED, _HIT = schema.served.c, schema.hit.c
_ANYBODY_OUT = sa.select(schema.left_out.c.id).where(schema.left_out.c.out).limit(1)
# Repeats are told apart in the sum and not in the condition: SQLite would take "is null" as a reason to walk the index
# of repeats, which has nearly every row in it.
_HELD = (
    sa.select(sa.func.coalesce(sa.func.sum(sa.case((_SERVED.repeat_of.is_(None), 1), else_=0)), 0))
    .select_from(schema.lease)
    .join(schema.hit, schema.lease.c.hit_id == _HIT.id)
    .join(schema.served, _SERVED.lease_id == schema.lease.c.id)
    .where(_HIT.language_pair_id == sa.bindparam("pair"), ALIVE)
    .where(~sa.exists().where(schema.judgment.c.served_id == _SERVED.id))
)
