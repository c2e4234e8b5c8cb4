"""Screens that come back: a judge's agreement with themselves is measured on what they answered before."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import sqlalchemy as sa
from sqlalchemy import bindparam

from . import schema
from .admission import Admission

#: Multiples of it, less their whole part, lie evenly between 0 and 1.
_GOLDEN = (5**0.5 - 1) / 2

_SERVED, _SCREEN, _JUDGMENT, _LEASE = schema.served.c, schema.screen.c, schema.judgment.c, schema.lease.c
#: Those that were answered, and one that the judge is about to answer.
_REPEATED = sa.select(sa.func.count()).where(
    _SERVED.person_id == bindparam("judge"),
    sa.text("served.repeat_of is not null"),
    sa.or_(
        sa.exists().where(_JUDGMENT.served_id == _SERVED.id),
        sa.exists().where(_LEASE.id == _SERVED.lease_id, _LEASE.finished_at.is_(None)),
    ),
)
_DEALT_WITH = (
    sa.select(_SERVED.id, _SERVED.screen_id, _SERVED.repeat_of, _SCREEN.control, _JUDGMENT.skip)
    .select_from(schema.served)
    .join(schema.screen, _SERVED.screen_id == _SCREEN.id)
    .join(schema.judgment, schema.latest(_SERVED.id))
    .where(_SERVED.person_id == bindparam("judge"), _SCREEN.purpose == "judge")
    .order_by(_JUDGMENT.id)
)
_GIVEN_BACK = sa.select(_SERVED.repeat_of).where(
    _SERVED.person_id == bindparam("judge"), sa.text("served.repeat_of is not null")
)


@dataclass(frozen=True)
class Repeat:
    """A screen to be shown again, and the record of its first showing."""

    screen_id: int
    repeat_of: int


def choose_repeats(tx: sa.Connection, judge: Admission, screens: int, rng: Random) -> list[Repeat]:
    """Screens of this judge, in whatever language pair, to be asked again among their next ``screens``.

    The share that the settings want is made good over time: at first there is nothing to repeat.
    """
    controls, asked = judge.settings.controls, {"judge": judge.person_id}
    if not controls.repeats:
        return []
    # Where on the way to a repeat a judge begins is spread evenly: judges of few screens each come right together.
    start = judge.person_id * _GOLDEN % 1
    wanted = int(controls.repeats * (judge.done + screens) + start)
    due = wanted and wanted - tx.execute(_REPEATED, asked).scalar_one()
    if due <= 0:
        return []
    dealt_with = tx.execute(_DEALT_WITH, asked).all()
    back = set(tx.scalars(_GIVEN_BACK, asked))
    long_ago = dealt_with[: max(0, len(dealt_with) - controls.repeat_after)]
    fit = [row for row in long_ago if row.repeat_of is None and row.control is None and row.skip is None]
    known = [Repeat(row.screen_id, row.id) for row in fit if row.id not in back]
    number = min(due, max(1, screens - 1), len(known))
    return rng.sample(known, number) if number > 0 else []
