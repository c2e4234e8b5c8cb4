"""Limits that all web workers share: how often someone may write, and how often an address may try a wrong link.

Counts are kept per window of a minute or an hour and are dropped when it has ended. An address is kept as a keyed
digest only, so that the table does not tell who came. (Libraries for rate limits count in the memory of one process
or in a Redis server; our workers share the database and nothing else.)
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from . import schema
from .database import Database
from .definition import settings_of
from .refusals import TooMany
from .settings import LimitSettings

MINUTE, HOUR = 60, 3600
_DROPPED_AT_ONCE = 500


def count_write(tx: sa.Connection, person_id: int, allowed: int, now: datetime) -> None:
    """Count a request that changes something; refuse it if its sender has sent too many, in all their sessions.

    Parameters
    ----------
    tx
        The transaction of the change itself, or one of its own. Others of the same sender wait for its end.
    person_id
        Who sent it.
    allowed
        How many they may send in a minute (``limits.writes_per_minute``).
    now
        The time by the store's clock.
    """
    if _add(tx, f"write:{person_id}", MINUTE, now) > allowed:
        raise TooMany(f"more than {allowed} changes in a minute; wait a little and go on", _left(MINUTE, now))


def check_joins(db: Database, address: str) -> None:
    """Refuse an address that has tried too many wrong invitation links; looks only, so that refusing costs little."""
    now = db.clock()
    with db.read() as tx:
        key, allowed = _door(tx, address)
        if _seen(tx, key, HOUR, now) >= allowed:
            raise _too_many_links(now)


def count_failed_join(db: Database, address: str) -> None:
    """Count a link that does not work, and refuse its sender if it is one too many.

    Counting decides: of many who passed `check_joins` at the same moment, only so many as are allowed pass here.
    """
    now = db.clock()
    with db.begin() as tx:
        key, allowed = _door(tx, address)
        if _add(tx, key, HOUR, now) > allowed:
            raise _too_many_links(now)


def count_client_write(tx: sa.Connection, client_id: int, now: datetime) -> None:
    """`count_write` for a program that belongs to no campaign: by the usual limit."""
    allowed = LimitSettings().writes_per_minute
    if _add(tx, f"write:token:{client_id}", MINUTE, now) > allowed:
        raise TooMany(f"more than {allowed} changes in a minute; wait a little and go on", _left(MINUTE, now))


def count_wrong_token(db: Database, address: str) -> None:
    """Count a token that nobody was given, and refuse its sender if it is one too many.

    It is counted apart from links: a program with a wrong token keeps nobody at its address from opening theirs.
    """
    now = db.clock()
    with db.begin() as tx:
        key, allowed = _door(tx, address, "token")
        if _add(tx, key, HOUR, now) > allowed:
            raise TooMany("too many tokens that do not work; try again later", _left(HOUR, now))


def _too_many_links(now: datetime) -> TooMany:
    return TooMany("too many invitation links that do not work; try again later", _left(HOUR, now))


def body_bytes(db: Database, campaign: str | None) -> int:
    """The longest body of a request to a campaign, or to what belongs to none."""
    with db.read() as tx:
        campaign_id = tx.execute(sa.select(schema.campaign.c.id).where(schema.campaign.c.name == campaign)).scalar()
        limits = LimitSettings() if campaign_id is None else settings_of(tx, campaign_id).limits
    return limits.body_bytes


def _door(tx: sa.Connection, address: str, kind: str = "join") -> tuple[str, int]:
    """The key of an address, and how often it may fail: a wrong link belongs to no campaign, so the strictest rules."""
    known = tx.execute(sa.select(schema.campaign.c.id, schema.campaign.c.secret).order_by(schema.campaign.c.id)).all()
    limits = [settings_of(tx, campaign_id).limits.failed_joins_per_hour for campaign_id, _ in known]
    secret = known[0][1] if known else ""
    hidden = hmac.new(secret.encode(), _network(address).encode(), hashlib.sha256).hexdigest()
    return f"{kind}:{hidden}", min(limits, default=LimitSettings().failed_joins_per_hour)


def _network(address: str) -> str:
    """The address, or the network of an IPv6 one: a household has as many of those as it likes."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    # On a socket for both kinds, an IPv4 address comes as one of IPv6; all of those are in one network.
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))


# -- the table: one row for a key and the end of its window, in seconds ------------------------------------


def _end(seconds: int, now: datetime) -> int:
    return (int(now.timestamp()) // seconds + 1) * seconds


def _left(seconds: int, now: datetime) -> int:
    return _end(seconds, now) - int(now.timestamp())


def _seen(tx: sa.Connection, key: str, seconds: int, now: datetime) -> int:
    rate = schema.rate.c
    return tx.execute(sa.select(rate.count).where(rate.key == key, rate.slot == _end(seconds, now))).scalar() or 0


def _add(tx: sa.Connection, key: str, seconds: int, now: datetime) -> int:
    rate = schema.rate
    insert = (sqlite if tx.dialect.name == "sqlite" else postgresql).insert(rate)
    added = insert.values(key=key, slot=_end(seconds, now), count=1).on_conflict_do_update(
        index_elements=[rate.c.key, rate.c.slot], set_={"count": rate.c.count + 1}
    )
    counted = tx.execute(added.returning(rate.c.count)).scalar_one()
    if counted == 1:
        _drop_ended(tx, now)
    return int(counted)


def _drop_ended(tx: sa.Connection, now: datetime) -> None:
    rate = schema.rate
    # Rows that another worker is dropping are left to it: two that wait for each other would both fail.
    ended = sa.select(rate.c.key, rate.c.slot).where(rate.c.slot <= int(now.timestamp()))
    rows = tx.execute(ended.limit(_DROPPED_AT_ONCE).with_for_update(skip_locked=True)).all()
    if rows:
        tx.execute(rate.delete().where(sa.tuple_(rate.c.key, rate.c.slot).in_([tuple(row) for row in rows])))
