"""How far a judge has come."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from . import schema
from .database import Database
from .definition import settings_of
from .leases import alive
from .people import Person


@dataclass(frozen=True)
class Progress:
    """``done`` screens, skipped ones included, of the ``target`` that the organiser asked for.

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
    served, lease = schema.served, schema.lease
    answered = sa.exists().where(schema.judgment.c.served_id == served.c.id)
    mine = sa.select(sa.func.count()).select_from(served.join(lease)).where(served.c.person_id == person.id)
    with db.read() as tx:
        settings = settings_of(tx, person.campaign_id)
        held = alive(db.clock(), settings.hit.lease_minutes)
        done = tx.execute(mine.where(answered)).scalar_one()
        in_hand = tx.execute(mine.where(~answered, held)).scalar_one()
        return Progress(int(done), settings.judge.screens, int(in_hand))
