"""When a language pair has enough judgments."""

from __future__ import annotations

from math import comb

import sqlalchemy as sa

from . import schema
from .settings import StopSettings


def has_stopped(tx: sa.Connection, pair_id: int, stop: StopSettings) -> bool:
    """Whether a rule of the settings says that no more work is to be given out."""
    if stop.screens is None and stop.per_pair is None:
        return False
    answered = answered_screens(tx, pair_id)
    if stop.screens is not None and answered >= stop.screens:
        return True
    return stop.per_pair is not None and _every_pair(tx, pair_id, stop.per_pair, answered)


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


def _answered(pair_id: int) -> sa.Select[tuple[int, int]]:
    """Served screens whose latest revision has ranks."""
    served, screen, segment, judgment = schema.served, schema.screen, schema.segment, schema.judgment
    later = judgment.alias("later")
    return (
        sa.select(served.c.id, served.c.screen_id)
        .join(judgment, judgment.c.served_id == served.c.id)
        .join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .where(segment.c.language_pair_id == pair_id, screen.c.purpose == "judge", served.c.repeat_of.is_(None))
        .where(judgment.c.skip.is_(None))
        .where(~sa.exists().where(later.c.served_id == judgment.c.served_id, later.c.revision > judgment.c.revision))
    )
