"""Reports that the public may read: asked for by an organiser, made apart, shown at one address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from . import schema

_PUBLICATION = schema.publication.c


@dataclass(frozen=True)
class Publication:
    """A report of a campaign that was made: the last answer it rests on, and from when on it is public."""

    id: int
    answer: int
    left_out: int
    not_before: datetime | None
    created_at: datetime
    made_at: datetime


def public(tx: sa.Connection, campaign_id: int, now: datetime) -> Publication | None:
    """What the public may read at this moment; None if nothing is published."""
    query = (
        sa.select(*(_PUBLICATION[name] for name in Publication.__annotations__))
        .where(_PUBLICATION.campaign_id == campaign_id, _PUBLICATION.page.is_not(None))
        .where(_PUBLICATION.withdrawn_at.is_(None))
        .where(sa.or_(_PUBLICATION.not_before.is_(None), _PUBLICATION.not_before <= now))
        .order_by(_PUBLICATION.id.desc())
        .limit(1)
    )
    row = tx.execute(query).first()
    return None if row is None else Publication(**row._asdict())
