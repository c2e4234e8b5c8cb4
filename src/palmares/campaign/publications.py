"""Reports that the public may read: asked for by an organiser, made apart, shown at one address.

What is asked for names its judgments at once: those up to the last answer there is, and who is left out then. So it
does not matter when it is made, or how often that was tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ..errors import InputError
from . import journal, schema
from .database import Database
from .definition import CAMPAIGN_NAME, find_campaign, lock
from .left_out import last_change
from .revealing import reveal_in

#: Nobody means a later moment than so many days from now.
_LONGEST_DAYS = 3650
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


@dataclass(frozen=True)
class Wanted:
    """A report that was asked for and is not made yet."""

    id: int
    campaign_id: int
    campaign: str
    answer: int
    left_out: int


@dataclass(frozen=True)
class Request:
    """A report that was asked for, and what became of it; ``by`` is None for the command line."""

    id: int
    answer: int
    left_out: int
    not_before: datetime | None
    created_at: datetime
    by: str | None
    made_at: datetime | None
    failed: str | None
    withdrawn_at: datetime | None
    size: int | None

    @property
    def waits(self) -> bool:
        """Whether it is still to be made."""
        return self.made_at is None and self.failed is None and self.withdrawn_at is None

    def is_public(self, now: datetime) -> bool:
        """Whether anybody could read it now, if no later one stood in its place."""
        stands = self.made_at is not None and self.withdrawn_at is None
        return stands and (self.not_before is None or self.not_before <= now)


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


def requests(db: Database, campaign_id: int) -> Sequence[Request]:
    """Every report that was asked for, newest first."""
    actor = schema.person.alias("actor")
    names = [name for name in Request.__annotations__ if name not in ("by", "size")]
    query = (
        sa.select(*(_PUBLICATION[name] for name in names))
        .add_columns(actor.c.name.label("by"), sa.func.length(_PUBLICATION.page).label("size"))
        .select_from(schema.publication.outerjoin(actor, _PUBLICATION.by_id == actor.c.id))
        .where(_PUBLICATION.campaign_id == campaign_id)
        .order_by(_PUBLICATION.id.desc())
    )
    with db.read() as tx:
        return [Request(**row._asdict()) for row in tx.execute(query)]


def page_of(tx: sa.Connection, publication_id: int) -> bytes | None:
    """The report itself; None if it is not made."""
    page = tx.execute(sa.select(_PUBLICATION.page).where(_PUBLICATION.id == publication_id)).scalar()
    return None if page is None else bytes(page)


def published_page(db: Database, campaign: str) -> bytes | None:
    """What the public may read now of a campaign of this name, whether or not there is one."""
    column = schema.campaign.c
    if not CAMPAIGN_NAME.fullmatch(campaign):  # NUL is no text that every database can be asked for
        return None
    with db.read() as tx:
        campaign_id = tx.execute(sa.select(column.id).where(column.name == campaign)).scalar()
        found = None if campaign_id is None else public(tx, campaign_id, db.clock())
        return None if found is None else page_of(tx, found.id)


def publish(db: Database, campaign: str, *, not_before: datetime | None = None, by: int | None = None) -> int:
    """Ask for a report of the judgments that there are now; its number. Names are revealed at once.

    ``not_before``: the public sees it from this moment on, and not as soon as it is made.
    """
    now = db.clock()
    if not_before is not None and not now < not_before <= now + timedelta(days=_LONGEST_DAYS):
        raise InputError(
            f"not before: got {not_before.isoformat()}; allowed: a moment to come, within ten years (it is "
            f"{now.replace(microsecond=0).isoformat()} now)"
        )
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        answer = _last_answer(tx, info.id)
        if not answer:
            raise InputError(f"campaign {info.name!r} has no judgments yet, so there is nothing to report")
        if any(each.campaign_id == info.id for each in _waiting(tx)):
            raise InputError("a report is being made already; wait until it is there, or withdraw it")
        values = {"campaign_id": info.id, "not_before": not_before, "created_at": now, "by_id": by}
        about = {"answer": answer, "left_out": last_change(tx, info.id)}
        insert = schema.publication.insert().values(**values, **about).returning(_PUBLICATION.id)
        number = int(tx.execute(insert).scalar_one())
        moment = None if not_before is None else not_before.isoformat()
        journal.record(tx, db, info.id, "publication-asked", by=by, report=number, not_before=moment, **about)
        reveal_in(tx, db, info.id, by=by)
    return number


def withdraw(db: Database, campaign: str, *, by: int | None = None) -> int:
    """Let the public see nothing any more, and make no report that waits; how many were withdrawn."""
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        standing = sa.and_(_PUBLICATION.campaign_id == info.id, _PUBLICATION.withdrawn_at.is_(None))
        open_ones = sa.and_(standing, _PUBLICATION.failed.is_(None))
        numbers = list(tx.scalars(sa.select(_PUBLICATION.id).where(open_ones).order_by(_PUBLICATION.id)))
        if not numbers:
            raise InputError(f"campaign {info.name!r}: nothing is published, and no report is being made")
        tx.execute(schema.publication.update().where(standing).values(withdrawn_at=db.clock()))
        journal.record(tx, db, info.id, "publication-withdrawn", by=by, reports=numbers)
    return len(numbers)


def moment_of(text: str) -> datetime:
    """A moment as people write it, in UTC unless it says otherwise; anything else is refused."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # some moments are in no year that there is, once they are in UTC
        raise InputError(f"not before: got {text[:40]!r}; allowed: a moment such as 2026-09-01T12:00, in UTC") from None


# -- making them -----------------------------------------------------------------------------------------


def waiting(db: Database) -> list[Wanted]:
    """What is to be made, in the order in which it was asked for."""
    with db.read() as tx:
        return _waiting(tx)


def made(db: Database, wanted: Wanted, page: bytes) -> bool:
    """Store a report; False if it was withdrawn meanwhile, or somebody else has made it."""
    return _settle(db, wanted, "report-made", {"page": page, "made_at": db.clock()}, size=len(page))


def could_not_be_made(db: Database, wanted: Wanted, reason: str) -> bool:
    """Store why there is no report."""
    return _settle(db, wanted, "report-failed", {"failed": reason}, reason=reason)


# -- inside ----------------------------------------------------------------------------------------------


_OPEN = sa.and_(_PUBLICATION.page.is_(None), _PUBLICATION.failed.is_(None), _PUBLICATION.withdrawn_at.is_(None))


def _waiting(tx: sa.Connection) -> list[Wanted]:
    query = (
        sa.select(_PUBLICATION.id, _PUBLICATION.campaign_id, schema.campaign.c.name, _PUBLICATION.answer)
        .add_columns(_PUBLICATION.left_out)
        .join(schema.campaign, _PUBLICATION.campaign_id == schema.campaign.c.id)
        .where(_OPEN)
        .order_by(_PUBLICATION.id)
    )
    return [Wanted(*row) for row in tx.execute(query)]


def _settle(db: Database, wanted: Wanted, kind: str, values: dict[str, Any], **said: Any) -> bool:
    with db.begin() as tx:
        update = schema.publication.update().where(_PUBLICATION.id == wanted.id, _OPEN).values(values)
        if not tx.execute(update).rowcount:
            return False
        journal.record(tx, db, wanted.campaign_id, kind, report=wanted.id, **said)
        return True


def _last_answer(tx: sa.Connection, campaign_id: int) -> int:
    """The last answer of a campaign that is no practice; 0 if there is none."""
    judgment, served, screen = schema.judgment, schema.served, schema.screen
    query = (
        sa.select(sa.func.coalesce(sa.func.max(judgment.c.id), 0))
        .join(served, judgment.c.served_id == served.c.id)
        .join(screen, served.c.screen_id == screen.c.id)
        .join(schema.segment, screen.c.segment_id == schema.segment.c.id)
        .join(schema.language_pair, schema.segment.c.language_pair_id == schema.language_pair.c.id)
        .where(schema.language_pair.c.campaign_id == campaign_id, screen.c.purpose == "judge")
    )
    return int(tx.execute(query).scalar_one())
