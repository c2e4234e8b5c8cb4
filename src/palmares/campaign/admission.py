"""What a judge's request must know first, in one look: who asks, in which campaign, under which settings.

The judge's row is held until the transaction ends: one request of a judge at a time, so that two windows are given the
same work and nothing is counted twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from . import Role, schema
from .definition import parsed_settings
from .limits import count_write
from .refusals import CampaignGone, ConsentNeeded, JudgesOnly
from .settings import Settings

_PERSON, _CAMPAIGN, _SETTING, _WORKER = schema.person.c, schema.campaign.c, schema.setting.c, schema.worker.c
_NEWER = schema.setting.alias("newer")
_NEWEST = sa.select(sa.func.max(_NEWER.c.revision)).where(_NEWER.c.campaign_id == _PERSON.campaign_id).scalar_subquery()
_LOOK = (
    sa.select(
        *(_PERSON.id, _PERSON.campaign_id, _PERSON.role, _PERSON.consented_at, _PERSON.practised_at, _PERSON.langs),
        *(_PERSON.done, _PERSON.program, _CAMPAIGN.state, _SETTING.body, _SETTING.created_at.label("set_at")),
        *(_WORKER.person_id.label("worker_id"), _WORKER.outcome),
    )
    .join_from(schema.person, schema.campaign, _PERSON.campaign_id == _CAMPAIGN.id)
    .join(schema.setting, sa.and_(_SETTING.campaign_id == _CAMPAIGN.id, _SETTING.revision == _NEWEST))
    .outerjoin(schema.worker, _WORKER.person_id == _PERSON.id)
    .where(_PERSON.id == bindparam("judge"))
)
_HOLD = sa.select(_PERSON.id).where(_PERSON.id == bindparam("judge")).with_for_update(key_share=True)


@dataclass(frozen=True)
class Admission:
    """``done`` screens, practice apart. ``langs`` are names of language pairs; empty: all. ``set_at``: when
    the settings were put in force. Programs need not agree to anything, nor practise on a page that they do not see:
    for them both hold from the start. ``is_worker``: they came by a group link, and it ended for them with ``outcome``.
    """

    person_id: int
    campaign_id: int
    role: str
    consented: bool
    practised: bool
    langs: tuple[str, ...]
    done: int
    state: str
    settings: Settings
    set_at: datetime
    is_worker: bool
    outcome: str | None

    @property
    def most(self) -> int | None:
        """How many screens they may do at most; workers, who are paid for so many, no more than was asked of them."""
        settings = self.settings.judge
        return settings.screens if self.is_worker and settings.most is None else settings.most

    @property
    def is_through(self) -> bool:
        """Whether there is no more work for them: they have done the most, or it has ended for them.

        A worker who has completed goes on only where the campaign says how many screens they may do.
        """
        if self.outcome is not None and (self.outcome != "completed" or self.settings.judge.most is None):
            return True
        return self.most is not None and self.done >= self.most

    def check_judge(self) -> None:
        """Refuse work to who is no judge or has not agreed."""
        if self.role != Role.JUDGE:
            raise JudgesOnly
        if not self.consented:
            raise ConsentNeeded


def admit(tx: sa.Connection, person_id: int, *, counting: datetime | None = None) -> Admission:
    """Hold a person's place; with ``counting``, a moment, count this as a change against their limit."""
    if tx.dialect.name != "sqlite":  # first hold, then look: who looks while waiting sees how it was before
        tx.execute(_HOLD, {"judge": person_id})
    admission = look_at(tx, person_id)
    if counting is not None:
        count_write(tx, person_id, admission.settings.limits.writes_per_minute, counting)
    return admission


def look_at(tx: sa.Connection, person_id: int) -> Admission:
    """The same for who only reads: nobody waits."""
    row = tx.execute(_LOOK, {"judge": person_id}).first()
    if row is None:
        raise CampaignGone
    return _admission(row)


def _admission(row: Any) -> Admission:
    return Admission(
        person_id=row.id,
        campaign_id=row.campaign_id,
        role=row.role,
        consented=row.program or row.consented_at is not None,
        practised=row.program or row.practised_at is not None,
        langs=tuple(row.langs),
        done=row.done,
        state=row.state,
        settings=parsed_settings(row.body),
        set_at=row.set_at,
        is_worker=row.worker_id is not None,
        outcome=row.outcome,
    )
