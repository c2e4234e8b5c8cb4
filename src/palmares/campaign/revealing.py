"""Which system is which, told to those who follow a campaign: once, and for good."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from . import journal, schema
from .database import Database
from .definition import find_campaign, lock

_CAMPAIGN = schema.campaign.c


def revealed_at(tx: sa.Connection, campaign_id: int) -> datetime | None:
    """Since when observers may know; None if they may not yet, where the settings hide names at all."""
    moment: datetime | None = tx.execute(sa.select(_CAMPAIGN.revealed_at).where(_CAMPAIGN.id == campaign_id)).scalar()
    return moment


def reveal(db: Database, campaign: str, *, by: int | None = None) -> bool:
    """Tell observers which system is which; False if they were told before. Nothing takes this back."""
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        return reveal_in(tx, db, info.id, by=by)


def reveal_in(tx: sa.Connection, db: Database, campaign_id: int, *, by: int | None = None) -> bool:
    """`reveal` in a transaction of the caller's, who has locked the campaign."""
    if revealed_at(tx, campaign_id) is not None:
        return False
    tx.execute(schema.campaign.update().where(_CAMPAIGN.id == campaign_id).values(revealed_at=db.clock()))
    journal.record(tx, db, campaign_id, "names-revealed", by=by)
    return True
