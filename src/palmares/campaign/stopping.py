"""When a language pair has enough judgments: the counts of the store that `palmares.design.stopping` decides by."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from ..design.stopping import LeastCompared, StoppingRule
from . import schema
from .leases import alive


def has_stopped(tx: sa.Connection, pair_id: int, rule: StoppingRule) -> bool:
    """Whether the rule says that no more work is to be given out."""
    if rule.is_open:
        return False
    answered = answered_screens(tx, pair_id)
    least = least_compared(tx, pair_id) if rule.needs_comparisons(answered) else 0
    return rule.has_stopped(answered, least)


def screens_left(tx: sa.Connection, pair_id: int, rule: StoppingRule, now: datetime, minutes: float) -> int | None:
    """How many more screens may be given out; None if the rule does not limit them. The caller holds the pair's lock.

    Unlike `has_stopped` this does not look at every answer.
    """
    if rule.is_open:
        return None
    # In this order: an answer that comes in between is then counted twice for now, and not missed.
    held = 0 if rule.screens is None else _held(tx, pair_id, now, minutes)
    hit = schema.hit.c
    # HITs keep the count of their answers, which is `answered_screens` in all.
    counted = sa.select(sa.func.coalesce(sa.func.sum(hit.answers), 0)).where(hit.language_pair_id == pair_id)
    answered = int(tx.execute(counted).scalar_one())
    least = 0 if rule.per_pair is None else _least_compared_or_more(tx, pair_id, rule, answered)
    return rule.screens_left(answered, held, least)


def answered_screens(tx: sa.Connection, pair_id: int) -> int:
    """Screens with ranks, one for each judge who answered; practice and repeats do not count."""
    return int(tx.execute(sa.select(sa.func.count()).select_from(_answered(pair_id).subquery())).scalar_one())


def comparisons(tx: sa.Connection, pair_id: int) -> dict[tuple[int, int], int]:
    """How often every two systems were compared (ids in order); pairs that never met are there with 0."""
    answered = _answered(pair_id).subquery()
    shown = (
        sa.select(answered.c.id, schema.output_system.c.system_id)
        .join(schema.screen_output, schema.screen_output.c.screen_id == answered.c.screen_id)
        .join(schema.output_system, schema.output_system.c.output_id == schema.screen_output.c.output_id)
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


def _held(tx: sa.Connection, pair_id: int, now: datetime, minutes: float) -> int:
    """Screens that judges have in hand."""
    served, lease, hit = schema.served.c, schema.lease, schema.hit
    query = (
        sa.select(sa.func.count())
        .select_from(schema.served)
        .join(lease, served.lease_id == lease.c.id)
        .join(hit, lease.c.hit_id == hit.c.id)
        .where(hit.c.language_pair_id == pair_id, alive(now, minutes), served.repeat_of.is_(None))
        .where(~sa.exists().where(schema.judgment.c.served_id == served.id))
    )
    return int(tx.execute(query).scalar_one())


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


def _answered(pair_id: int) -> sa.Select[int, int]:
    """Served screens whose latest revision has ranks."""
    served, screen, segment, judgment = schema.served, schema.screen, schema.segment, schema.judgment
    return (
        sa.select(served.c.id, served.c.screen_id)
        .select_from(served)
        .join(judgment, schema.latest(served.c.id))
        .join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .where(segment.c.language_pair_id == pair_id, screen.c.purpose == "judge", served.c.repeat_of.is_(None))
        .where(judgment.c.skip.is_(None))
    )
