"""Counts behind the overview of a campaign, each in one query for all its language pairs or judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from . import schema
from .leases import SKIPS, alive, latest


def segments(tx: sa.Connection, ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Per language pair: segments, and those with something to compare."""
    column = schema.segment.c
    query = sa.select(column.language_pair_id, sa.func.count(), _number_of(column.outputs > 1))
    query = query.where(column.language_pair_id.in_(ids)).group_by(column.language_pair_id)
    return {pair: (int(all_), int(comparable)) for pair, all_, comparable in tx.execute(query)}


def systems(tx: sa.Connection, ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
    column = schema.system.c
    query = sa.select(column.language_pair_id, column.name).where(column.language_pair_id.in_(ids))
    names: dict[int, list[str]] = {}
    for pair, name in tx.execute(query):
        names.setdefault(pair, []).append(name)
    return {pair: tuple(sorted(found)) for pair, found in names.items()}


def answers(tx: sa.Connection, ids: Iterable[int]) -> tuple[Counter[int], Counter[int]]:
    """Per language pair: screens whose latest answer has ranks, and those whose latest answer is a skip."""
    served, screen, segment, judgment = schema.served, schema.screen, schema.segment, schema.judgment
    query = (
        sa.select(segment.c.language_pair_id, judgment.c.skip.is_(None), sa.func.count())
        .select_from(
            served.join(screen, served.c.screen_id == screen.c.id).join(segment).join(judgment, latest(served.c.id))
        )
        .where(segment.c.language_pair_id.in_(ids), screen.c.purpose == "judge", served.c.repeat_of.is_(None))
        .group_by(segment.c.language_pair_id, judgment.c.skip.is_(None))
    )
    answered, skipped = Counter[int](), Counter[int]()
    for pair, has_ranks, count in tx.execute(query):
        (answered if has_ranks else skipped)[pair] += count
    return answered, skipped


def open_screens(
    tx: sa.Connection, ids: Iterable[int], now: datetime, minutes: float
) -> tuple[Counter[int], Counter[int]]:
    """Per language pair: answers that screens given out still wait for, and how many are in the hands of judges."""
    hit, screen, served, judgment, lease = schema.hit, schema.screen, schema.served, schema.judgment, schema.lease
    first = sa.and_(served.c.screen_id == screen.c.id, served.c.repeat_of.is_(None))
    query = (
        sa.select(
            hit.c.language_pair_id,
            hit.c.wanted,
            _number_of(sa.and_(judgment.c.id.is_not(None), judgment.c.skip.is_(None))),
            _number_of(judgment.c.skip.is_not(None)),
            _number_of(sa.and_(judgment.c.id.is_(None), alive(now, minutes))),
        )
        .select_from(
            screen.join(hit)
            .outerjoin(served, first)
            .outerjoin(judgment, latest(served.c.id))
            .outerjoin(lease, served.c.lease_id == lease.c.id)
        )
        .where(hit.c.language_pair_id.in_(ids), hit.c.closed.is_(False))
        .group_by(screen.c.id, hit.c.language_pair_id, hit.c.wanted)
    )
    waiting, held = Counter[int](), Counter[int]()
    for pair, wanted, answered, skipped, in_hand in tx.execute(query):
        given_up = answered + skipped >= wanted + SKIPS
        waiting[pair] += 0 if given_up else max(0, wanted - answered)
        held[pair] += in_hand
    return waiting, held


def judges(tx: sa.Connection, campaign_id: int) -> int:
    person = schema.person.c
    query = sa.select(sa.func.count()).where(person.campaign_id == campaign_id, person.role == "judge")
    return int(tx.execute(query).scalar_one())


def done(tx: sa.Connection, campaign_id: int) -> dict[int, tuple[int, int, datetime]]:
    """Per judge: screens dealt with, how many of them skipped, and when the last answer came."""
    served, person, judgment = schema.served, schema.person, schema.judgment
    query = (
        sa.select(
            served.c.person_id,
            sa.func.count(),
            _number_of(judgment.c.skip.is_not(None)),
            sa.func.max(judgment.c.created_at),
        )
        .select_from(served.join(person, served.c.person_id == person.c.id).join(judgment, latest(served.c.id)))
        .where(person.c.campaign_id == campaign_id, served.c.lease_id.is_not(None))
        .group_by(served.c.person_id)
    )
    return {id: (int(count), int(skipped), last) for id, count, skipped, last in tx.execute(query)}


def at_work(tx: sa.Connection, campaign_id: int, now: datetime, minutes: float) -> set[tuple[int, int]]:
    """Language pairs with the judges who have work of them in hand."""
    lease, hit, pair = schema.lease, schema.hit, schema.language_pair
    query = (
        sa.select(pair.c.id, lease.c.person_id)
        .select_from(lease.join(hit).join(pair))
        .where(pair.c.campaign_id == campaign_id, alive(now, minutes))
    )
    return {(pair_id, person_id) for pair_id, person_id in tx.execute(query)}


def _number_of(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)
