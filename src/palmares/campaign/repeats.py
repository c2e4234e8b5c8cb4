"""Screens that come back: a judge's agreement with themselves is measured on what they have answered before."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import sqlalchemy as sa

from . import schema
from .leases import latest
from .settings import ControlSettings

#: Multiples of it, less their whole part, lie evenly between 0 and 1.
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Repeat:
    """A screen to be shown again, and the record of its first showing."""

    screen_id: int
    repeat_of: int


def choose_repeats(
    tx: sa.Connection, person_id: int, screens: int, controls: ControlSettings, rng: Random
) -> list[Repeat]:
    """Screens of this judge, in whatever language pair, to be asked again among their next ``screens``.

    The share that the settings want is made good over time: at first there is nothing to repeat.
    """
    if not controls.repeats:
        return []
    rows = _given(tx, person_id)
    dealt_with = [row for row in rows if row.answer_id is not None]
    repeated = sum(row.repeat_of is not None for row in dealt_with)
    due = int(controls.repeats * (len(dealt_with) + screens) + _start(person_id)) - repeated
    known = _repeatable(rows, dealt_with[: max(0, len(dealt_with) - controls.repeat_after)])
    number = min(due, max(1, screens - 1), len(known))
    return rng.sample(known, number) if number > 0 else []


def _start(person_id: int) -> float:
    """Where on the way to a repeat a judge begins. Evenly spread: judges of few screens each come right together."""
    return person_id * _GOLDEN % 1


def _given(tx: sa.Connection, person_id: int) -> list[sa.Row[tuple[object, ...]]]:
    """What this judge was given, practice apart, in the order in which they last dealt with it."""
    served, screen, judgment = schema.served.c, schema.screen.c, schema.judgment.c
    query = (
        sa.select(served.id, served.screen_id, served.repeat_of, screen.control, judgment.skip)
        .add_columns(judgment.id.label("answer_id"))
        .select_from(schema.served)
        .join(schema.screen, served.screen_id == screen.id)
        .outerjoin(schema.judgment, latest(served.id))
        .where(served.person_id == person_id, screen.purpose == "judge")
        .order_by(judgment.id, served.id)
    )
    return list(tx.execute(query))


def _repeatable(given: list[sa.Row[tuple[object, ...]]], long_ago: list[sa.Row[tuple[object, ...]]]) -> list[Repeat]:
    """Of what was dealt with long ago: screens with ranks and without a control that have not come back yet."""
    back = {row.repeat_of for row in given}
    fit = [row for row in long_ago if row.repeat_of is None and row.control is None and row.skip is None]
    return [Repeat(row.screen_id, row.id) for row in fit if row.id not in back]
