"""Links for many: whoever presses the button of a group link becomes a judge, as long as there are places.

A worker has a place unless they were screened out, gave it up, or were inactive for so long that it is free again.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import sqlalchemy as sa

from ..errors import InputError
from . import LONGEST_DAYS, journal, schema
from .database import Database
from .definition import find_campaign, lock, settings_of
from .people import checked_langs, checked_name, digest

#: How a worker stands; the last three may be stored as the outcome.
WORKER_STATES = ("working", "completed", "screened-out", "dropped-out")
MOST_PLACES = 1_000_000
Row: TypeAlias = sa.Row[tuple[object, ...]]


@dataclass(frozen=True)
class GroupLink:
    """A link without its token, which nobody but its holders knows."""

    id: int
    campaign_id: int
    campaign: str
    name: str
    places: int
    langs: tuple[str, ...]
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None

    def shut(self, now: datetime) -> str | None:
        """Why it lets nobody new in: ``revoked``, ``expired``, or None."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= now else None


@dataclass(frozen=True)
class LinkStatus:
    """A link and those who came by it; ``state`` is ``open``, ``revoked`` or ``expired``."""

    link: GroupLink
    state: str
    workers: dict[str, int]

    @property
    def taken(self) -> int:
        """Places that nobody else can have."""
        return self.workers["working"] + self.workers["completed"]


def make_link(
    db: Database,
    campaign: str,
    *,
    places: int,
    name: str | None = None,
    langs: Iterable[str] = (),
    days: float | None = None,
    by: int | None = None,
) -> tuple[GroupLink, str]:
    """Make a group link; the token, which comes with it, cannot be had again.

    Parameters
    ----------
    places
        How many workers it may make judges of.
    name
        What organisers call it; without one it gets a number.
    langs
        Language pairs of those who come by it; none: all.
    days
        How long it works; without it the setting ``access.invite_days``.
    by
        The id of the organiser; None on the command line.
    """
    if not 1 <= places <= MOST_PLACES:
        raise InputError(f"places: got {places}; allowed: 1 to {MOST_PLACES}")
    if days is not None and not 0 < days <= LONGEST_DAYS:
        raise InputError(f"days: got {days}; allowed: more than 0, up to {LONGEST_DAYS}")
    name = None if name is None else checked_name(name)
    token = secrets.token_urlsafe(32)
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)  # two of one name at once: one of them is refused
        wanted = checked_langs(tx, info, langs)
        known = {link.name for link in _links(tx, info.id)}
        if name in known:
            raise InputError(f"group link: {name!r} is there already; choose another name")
        name = name or next(f"link-{n}" for n in range(1, len(known) + 2) if f"link-{n}" not in known)
        days = settings_of(tx, info.id).access.invite_days if days is None else days
        now = db.clock()
        values = {"campaign_id": info.id, "name": name, "digest": digest(token), "places": places, "langs": wanted}
        tx.execute(schema.group_link.insert().values(created_at=now, expires_at=now + timedelta(days=days), **values))
        journal.record(tx, db, info.id, "group-link-made", by=by, link=name, places=places, days=days, langs=wanted)
        return next(link for link in _links(tx, info.id) if link.name == name), token


def find_link(tx: sa.Connection, token: str) -> GroupLink | None:
    """The link of a token, also if it lets nobody in any more; None if there is none."""
    row = tx.execute(_query().where(schema.group_link.c.digest == digest(token))).first()
    return None if row is None else _link(row)


def link_by_id(tx: sa.Connection, link_id: int) -> GroupLink:
    return _link(tx.execute(_query().where(schema.group_link.c.id == link_id)).one())


def links(db: Database, campaign_id: int) -> list[LinkStatus]:
    """The links of a campaign with their places, oldest first."""
    now = db.clock()
    with db.read() as tx:
        minutes = settings_of(tx, campaign_id).crowd.return_minutes
        states = Counter[tuple[int, str]]()
        for row in worker_rows(tx, schema.worker.c.campaign_id == campaign_id):
            states[row.group_link_id, state_of_worker(row, now, minutes)] += 1
        return [
            LinkStatus(link, link.shut(now) or "open", {state: states[link.id, state] for state in WORKER_STATES})
            for link in _links(tx, campaign_id)
        ]


def revoke_link(db: Database, campaign: str, name: str, *, by: int | None = None) -> GroupLink:
    """Let nobody new in by a link; those who came by it go on."""
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        known = {link.name: link for link in _links(tx, info.id)}
        if name not in known:
            raise InputError(f"group link: got {name!r}; campaign {campaign!r} has: {', '.join(known) or 'none'}")
        link = known[name]
        if link.revoked_at is None:
            column = schema.group_link.c
            tx.execute(schema.group_link.update().where(column.id == link.id).values(revoked_at=db.clock()))
            journal.record(tx, db, info.id, "group-link-revoked", by=by, link=name)
        return link


# -- places ----------------------------------------------------------------------------------------------


def has_room(tx: sa.Connection, link: GroupLink, now: datetime, minutes: float) -> bool:
    """Whether one more may come; ``minutes`` is how long a worker may be silent."""
    return _holding(tx, link.id) < link.places or bool(_silent(tx, link.id, now, minutes))


def take_place(tx: sa.Connection, db: Database, link: GroupLink, minutes: float) -> bool:
    """Make room for one more, in a transaction that holds the campaign; False if there is none.

    Where all places are held, whoever has been silent for longest gives theirs up.
    """
    if _holding(tx, link.id) < link.places:
        return True
    silent = _silent(tx, link.id, db.clock(), minutes)
    if not silent:
        return False
    gone = min(silent, key=last_sign)
    worker = schema.worker
    given_up = worker.update().where(worker.c.person_id == gone.person_id, worker.c.outcome.is_(None))
    tx.execute(given_up.values(outcome="dropped-out", ended_at=last_sign(gone)))
    journal.record(tx, db, link.campaign_id, "worker-dropped-out", person_id=gone.person_id, link=link.name)
    return True


def worker_rows(tx: sa.Connection, which: sa.ColumnElement[bool]) -> list[Row]:
    """Workers with the moments at which they were last active, in the order in which they came."""
    worker, person = schema.worker, schema.person
    leases = sa.select(sa.func.max(schema.lease.c.renewed_at)).where(schema.lease.c.person_id == worker.c.person_id)
    came = sa.select(sa.func.max(schema.session.c.created_at)).where(schema.session.c.person_id == worker.c.person_id)
    answers = sa.select(sa.func.max(schema.judgment.c.created_at)).join(schema.served)
    answers = answers.where(schema.served.c.person_id == worker.c.person_id)
    query = (
        sa.select(worker, person.c.pseudonym, person.c.created_at, person.c.consented_at, person.c.practised_at)
        .add_columns(leases.scalar_subquery().label("asked_at"), came.scalar_subquery().label("came_at"))
        .add_columns(answers.scalar_subquery().label("answered_at"))
        .join(person, worker.c.person_id == person.c.id)
        .where(which)
        .order_by(worker.c.person_id)
    )
    return list(tx.execute(query))


def last_sign(row: Row) -> datetime:
    """When a worker was last active: came, agreed, practised, asked for work, saved a draft or answered."""
    moments: tuple[datetime | None, ...] = (
        row.created_at,
        row.came_at,
        row.consented_at,
        row.practised_at,
        row.asked_at,
        row.answered_at,
    )
    return max(moment for moment in moments if moment is not None)


def state_of_worker(row: Row, now: datetime, minutes: float) -> str:
    """One of `WORKER_STATES`: as it was stored, else by the last sign."""
    if row.outcome is not None:
        return str(row.outcome)
    return "dropped-out" if last_sign(row) < now - timedelta(minutes=minutes) else "working"


# -- inside ----------------------------------------------------------------------------------------------


def _holding(tx: sa.Connection, link_id: int) -> int:
    """Workers whose place was not given up, silent ones among them."""
    worker = schema.worker.c
    held = sa.or_(worker.outcome.is_(None), worker.outcome == "completed")
    return int(tx.execute(sa.select(sa.func.count()).where(worker.group_link_id == link_id, held)).scalar_one())


def _silent(tx: sa.Connection, link_id: int, now: datetime, minutes: float) -> list[Row]:
    worker = schema.worker.c
    rows = worker_rows(tx, sa.and_(worker.group_link_id == link_id, worker.outcome.is_(None)))
    return [row for row in rows if state_of_worker(row, now, minutes) == "dropped-out"]


def _query() -> sa.Select[tuple[object, ...]]:
    link = schema.group_link
    return (
        sa.select(link, schema.campaign.c.name.label("campaign"))
        .join(schema.campaign, link.c.campaign_id == schema.campaign.c.id)
        .order_by(link.c.id)
    )


def _links(tx: sa.Connection, campaign_id: int) -> list[GroupLink]:
    return [_link(row) for row in tx.execute(_query().where(schema.group_link.c.campaign_id == campaign_id))]


def _link(row: Row) -> GroupLink:
    return GroupLink(
        id=row.id,
        campaign_id=row.campaign_id,
        campaign=row.campaign,
        name=row.name,
        places=row.places,
        langs=tuple(row.langs),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )
