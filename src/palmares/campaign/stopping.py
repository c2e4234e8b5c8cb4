"""When a language pair has enough judgments."""

from __future__ import annotations

from datetime import datetime
from math import comb

import sqlalchemy as sa

from . import schema
from .leases import alive, latest
from .settings import StopSettings


def has_stopped(tx: sa.Connection, pair_id: int, stop: StopSettings) -> bool:
    """Whether a rule of the settings says that no more work is to be given out."""
    if stop.screens is None and stop.per_pair is None:
        return False
    answered = answered_screens(tx, pair_id)
    if stop.screens is not None and answered >= stop.screens:
        return True
    return stop.per_pair is not None and _every_pair(tx, pair_id, stop.per_pair, answered)


def screens_left(tx: sa.Connection, pair_id: int, stop: StopSettings, now: datetime, minutes: float) -> int | None:
    """How many more screens may be given out; None if no rule limits them. The caller holds the pair's lock.

    What living leases hold is as good as answered. Unlike `has_stopped` this does not look at every answer.
    """
    if stop.screens is None and stop.per_pair is None:
        return None
    answered = _counted(tx, pair_id)
    if stop.per_pair is not None and _least_compared(tx, pair_id, stop.per_pair, answered) >= stop.per_pair:
        return 0
    return None if stop.screens is None else max(0, stop.screens - answered - _held(tx, pair_id, now, minutes))


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


def _every_pair(tx: sa.Connection, pair_id: int, wanted: int, answered: int) -> bool:
    column = schema.system.c
    systems = tx.execute(sa.select(sa.func.count()).where(column.language_pair_id == pair_id)).scalar_one()
    # A screen compares no more than all systems: with too few screens there is no need to count pairs.
    if answered < wanted or not comb(systems, 2):
        return False
    return min(comparisons(tx, pair_id).values()) >= wanted


def _counted(tx: sa.Connection, pair_id: int) -> int:
    """`answered_screens`, from the counts that HITs keep."""
    hit = schema.hit.c
    total = sa.select(sa.func.coalesce(sa.func.sum(hit.answers), 0)).where(hit.language_pair_id == pair_id)
    return int(tx.execute(total).scalar_one())


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


def _least_compared(tx: sa.Connection, pair_id: int, wanted: int, answered: int) -> int:
    """How often the two systems that met least were compared, or a number below ``wanted`` that it cannot exceed.

    Comparisons are not counted every time: a screen adds no more than one to those of any two systems.
    """
    pair = schema.language_pair
    known = sa.select(pair.c.least_compared, pair.c.compared_after).where(pair.c.id == pair_id)
    least, after = tx.execute(known).one()
    if least is not None and (answered == after or 0 <= answered - after < wanted - least):
        return int(least + answered - after)
    least = min(comparisons(tx, pair_id).values(), default=0)
    tx.execute(pair.update().where(pair.c.id == pair_id).values(least_compared=least, compared_after=answered))
    return least


def _answered(pair_id: int) -> sa.Select[int, int]:
    """Served screens whose latest revision has ranks."""
    served, screen, segment, judgment = schema.served, schema.screen, schema.segment, schema.judgment
    return (
        sa.select(served.c.id, served.c.screen_id)
        .select_from(served)
        .join(judgment, latest(served.c.id))
        .join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .where(segment.c.language_pair_id == pair_id, screen.c.purpose == "judge", served.c.repeat_of.is_(None))
        .where(judgment.c.skip.is_(None))
    )
