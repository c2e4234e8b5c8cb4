"""What a database's own errors mean to the one who is waiting: nothing was stored, and whether to try again."""

from __future__ import annotations

import errno
import sqlite3

import sqlalchemy as sa

from .errors import CampaignError

#: PostgreSQL's codes (its manual, appendix A): classes that pass, and the ones for a lack of room.
_PASSING = ("08", "40", "53", "55", "57", "58")
_FULL = ("53100", "53200")
_READ_ONLY = "25006"  # a server that has become a copy of another
_SQLITE_FULL = (sqlite3.SQLITE_FULL,)
_SQLITE_PASSING = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL,
)


class StoreAway(CampaignError):  # noqa: N818 - named for what it says
    """The database does not answer now."""

    kind = "unavailable"
    status = 503
    retry_after = 5

    def __init__(self) -> None:
        super().__init__("the database does not answer, so nothing was stored; try again in a moment")


class StoreFull(CampaignError):  # noqa: N818
    """The disk of the database is full."""

    kind = "not-stored"
    status = 507
    retry_after = 60

    def __init__(self) -> None:
        super().__init__("the server has no room left, so this was not stored; try again later and tell the organiser")


def fault_of(error: BaseException) -> CampaignError | None:
    """The fault behind an error of the database or the disk; None if it is something else, a bug most likely."""
    if isinstance(error, OSError):
        return StoreFull() if error.errno in (errno.ENOSPC, errno.EDQUOT) else None
    if isinstance(error, sa.exc.TimeoutError):  # no connection became free
        return StoreAway()
    if not isinstance(error, sa.exc.DBAPIError):
        return None
    if isinstance(error.orig, sqlite3.Error):
        return _sqlite_fault(error.orig)
    return _postgresql_fault(error)


def _sqlite_fault(error: sqlite3.Error) -> CampaignError | None:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says more than is needed
    if code in _SQLITE_FULL:
        return StoreFull()
    return StoreAway() if code in _SQLITE_PASSING else None


def _postgresql_fault(error: sa.exc.DBAPIError) -> CampaignError | None:
    state = getattr(error.orig, "sqlstate", None)
    if state in _FULL:
        return StoreFull()
    if state is None:  # it did not come from the server: there was no connection, or it broke
        return StoreAway() if error.connection_invalidated or isinstance(error, sa.exc.OperationalError) else None
    return StoreAway() if state == _READ_ONLY or str(state)[:2] in _PASSING else None
