"""Put a campaign away: it is in no list, and nobody works on it; and take it out again, as it was."""

from __future__ import annotations

import sqlalchemy as sa

from . import journal, schema
from .database import Database
from .definition import find_campaign, lock

_CAMPAIGN, _EVENT = schema.campaign.c, schema.event.c


def archive(db: Database, name: str, *, by: int | None = None) -> bool:
    """Close a campaign and take it out of the lists; False if it was archived already."""
    with db.begin() as tx:
        lock(tx, find_campaign(tx, name).id)
        info = find_campaign(tx, name)
        if is_archived(tx, info.id):
            return False
        put = schema.campaign.update().where(_CAMPAIGN.id == info.id)
        tx.execute(put.values(archived_at=db.clock(), state="closed"))
        journal.record(tx, db, info.id, "archived", by=by, was=info.state)
    return True


def restore(db: Database, name: str, *, by: int | None = None) -> str | None:
    """Put a campaign back into the lists, in the state it had before; which, or None if it was not archived."""
    with db.begin() as tx:
        info = find_campaign(tx, name)
        lock(tx, info.id)
        if not is_archived(tx, info.id):
            return None
        last = sa.select(_EVENT.body).where(_EVENT.campaign_id == info.id, _EVENT.kind == "archived")
        body = tx.execute(last.order_by(_EVENT.id.desc()).limit(1)).scalar_one()
        state = str(body["was"])
        back = schema.campaign.update().where(_CAMPAIGN.id == info.id)
        tx.execute(back.values(archived_at=None, state=state))
        journal.record(tx, db, info.id, "restored", by=by, now=state)
    return state


def is_archived(tx: sa.Connection, campaign_id: int) -> bool:
    """Whether a campaign was put away."""
    return tx.execute(sa.select(_CAMPAIGN.archived_at).where(_CAMPAIGN.id == campaign_id)).scalar_one() is not None


def archived_now(db: Database, campaign_id: int) -> bool:
    """The same for who has no transaction of their own."""
    with db.read() as tx:
        return is_archived(tx, campaign_id)
