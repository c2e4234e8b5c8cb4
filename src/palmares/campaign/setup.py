"""Who may make campaigns in the browser: whoever opened a set-up link, in the browser that did.

A link holds 256 random bits, of which the database keeps a digest, and works once: opening it shows a page, and the
button there begins a session.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from . import schema
from .database import Database
from .people import digest
from .refusals import CampaignError

#: Hours that a link waits to be opened, and that its session lasts.
LINK_HOURS, SESSION_HOURS = 24, 24
_LINK, _DRAFT = schema.setup_link.c, schema.setup_draft


class NoSetup(CampaignError):  # noqa: N818 - named for what is missing
    """Nobody here may make campaigns."""

    kind = "setup-needed"
    status = 401

    def __init__(self) -> None:
        super().__init__(
            "this browser may not make campaigns, or not any more; 'palmares campaign setup-link', on the machine of "
            "the server, prints a link with which it may"
        )


class SpentLink(CampaignError):  # noqa: N818
    """A set-up link that lets nobody in."""

    kind = "link-spent"
    status = 404

    def __init__(self) -> None:
        super().__init__(
            "this set-up link is unknown, too old or was used already: it works once; 'palmares campaign setup-link', "
            "on the machine of the server, prints another"
        )


@dataclass(frozen=True)
class SetupSession:
    """Someone who may make campaigns, until ``expires``."""

    id: int
    expires: datetime


def make_setup_link(db: Database) -> str:
    """Make a link; return its token, which cannot be had again."""
    token, now = secrets.token_urlsafe(32), db.clock()
    values = {"digest": digest(token), "created_at": now, "expires_at": now + timedelta(hours=LINK_HOURS)}
    with db.begin() as tx:
        drop_ended(tx, now)
        tx.execute(schema.setup_link.insert().values(values))
    return token


def link_works(db: Database, token: str) -> bool:
    """Whether a link would let someone in now."""
    with db.read() as tx:
        return tx.execute(sa.select(_LINK.id).where(_fresh(token, db.clock()))).first() is not None


def begin_setup(db: Database, token: str) -> tuple[str, datetime]:
    """Use a link up: the token of the session that begins, and when it ends. Of two at once, one is refused."""
    session, now = secrets.token_urlsafe(32), db.clock()
    expires = now + timedelta(hours=SESSION_HOURS)
    begun = {"used_at": now, "session_digest": digest(session), "session_expires_at": expires}
    with db.begin() as tx:
        if not tx.execute(schema.setup_link.update().where(_fresh(token, now)).values(begun)).rowcount:
            raise SpentLink
    return session, expires


def setup_session(db: Database, token: str) -> SetupSession | None:
    """Whose session this is; None if it is unknown or has ended."""
    live = sa.and_(_LINK.session_digest == digest(token), _LINK.session_expires_at > db.clock())
    with db.read() as tx:
        row = tx.execute(sa.select(_LINK.id, _LINK.session_expires_at).where(live)).first()
    return None if row is None else SetupSession(*row)


def end_setup(db: Database, session: SetupSession) -> None:
    """End a session; what was uploaded in it is gone."""
    with db.begin() as tx:
        tx.execute(_DRAFT.delete().where(_DRAFT.c.setup_link_id == session.id))
        tx.execute(schema.setup_link.delete().where(_LINK.id == session.id))


def tidy(db: Database) -> None:
    """Remove what has ended, if there is any: nobody may come by for a long time who would."""
    now = db.clock()
    with db.read() as tx:
        waiting = any(tx.execute(sa.select(table.c.id).limit(1)).first() for table in (schema.setup_link, _DRAFT))
    if waiting:
        with db.begin() as tx:
            drop_ended(tx, now)


def drop_ended(tx: sa.Connection, now: datetime) -> None:
    """Remove links and sessions that let nobody in any more, and what was uploaded and not used in a day."""
    live = sa.or_(
        sa.and_(_LINK.used_at.is_(None), _LINK.expires_at > now),
        sa.and_(_LINK.used_at.is_not(None), _LINK.session_expires_at > now),
    )
    ended = sa.select(_LINK.id).where(~live)
    old = _DRAFT.c.created_at < now - timedelta(hours=SESSION_HOURS)
    tx.execute(_DRAFT.delete().where(sa.or_(old, _DRAFT.c.setup_link_id.in_(ended))))
    tx.execute(schema.setup_link.delete().where(~live))


def _fresh(token: str, now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(_LINK.digest == digest(token), _LINK.used_at.is_(None), _LINK.expires_at > now)
