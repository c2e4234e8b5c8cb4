"""The audit log: who did what, and when. It is only ever added to, and holds ids instead of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from . import schema
from .database import Database


@dataclass(frozen=True)
class Event:
    """One entry; ``by`` is None for what was done on the command line. Ids grow with time."""

    id: int
    at: datetime
    kind: str
    person: str | None
    by: str | None
    body: dict[str, Any]


def record(
    tx: sa.Connection,
    db: Database,
    campaign_id: int,
    kind: str,
    *,
    person_id: int | None = None,
    by: int | None = None,
    **body: Any,
) -> None:
    """Add an entry in the transaction of what it is about, so that there is never one without the other."""
    tx.execute(
        schema.event.insert().values(
            campaign_id=campaign_id, created_at=db.clock(), kind=kind, person_id=person_id, by_id=by, body=body
        )
    )


def entries(db: Database, campaign_id: int, *, limit: int = 200, before: int | None = None) -> Sequence[Event]:
    """The latest entries, newest first; people appear by the name they have now."""
    about, actor = schema.person.alias("about"), schema.person.alias("actor")
    event = schema.event
    query = (
        sa.select(event.c.id, event.c.created_at, event.c.kind, about.c.name, actor.c.name, event.c.body)
        .select_from(
            event.outerjoin(about, event.c.person_id == about.c.id).outerjoin(actor, event.c.by_id == actor.c.id)
        )
        .where(event.c.campaign_id == campaign_id)
        .order_by(event.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(event.c.id < before)
    with db.read() as tx:
        return [Event(*row) for row in tx.execute(query)]
