"""What the store refuses, and what a database's own errors mean to whoever is waiting; each has its HTTP status."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import sqlalchemy as sa

from ..errors import PalmaresError

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


class CampaignError(PalmaresError):
    """Base of what the store refuses."""

    kind = "refused"
    status = 400


class DatabaseError(CampaignError):
    """The database cannot be opened, or is not one of ours, or of another version."""

    kind = "unavailable"
    status = 503


class ConsentNeeded(CampaignError):  # noqa: N818
    """A judge must have agreed before there is any work for them."""

    kind = "consent-needed"
    status = 403

    def __init__(self) -> None:
        super().__init__("you have not agreed to take part yet; read the instructions and agree first")


class UnknownScreen(CampaignError):  # noqa: N818 - named for what the judge meets
    """There is no such screen for this judge."""

    kind = "unknown-screen"
    status = 404

    def __init__(self) -> None:
        super().__init__("there is no such screen for you; go back to your work and open it from there")


class BadAnswer(CampaignError):  # noqa: N818
    """The answer does not fit the screen."""

    kind = "bad-answer"
    status = 422


class Incomplete(BadAnswer):
    """Some outputs have no rank yet; ``missing`` are their places."""

    kind = "incomplete"

    def __init__(self, missing: tuple[int, ...]) -> None:
        self.missing = missing
        places = ", ".join(map(str, missing))
        super().__init__(f"not every output has a rank: {places} {'is' if len(missing) == 1 else 'are'} missing")


class Conflict(CampaignError):  # noqa: N818
    """The screen has been answered differently since the form was made."""

    kind = "conflict"
    status = 409

    def __init__(
        self, revision: int, ranks: tuple[int, ...] | None, skipped: str | None, verdict: str | None = None
    ) -> None:
        self.revision, self.ranks, self.skipped, self.verdict = revision, ranks, skipped, verdict
        super().__init__(
            "this screen was answered differently in another window or on another device; "
            "look at what is stored and change it if you like"
        )


class DraftConflict(CampaignError):  # noqa: N818
    """A newer draft was saved elsewhere."""

    kind = "draft-conflict"
    status = 409

    def __init__(self, version: int, ranks: tuple[int | None, ...]) -> None:
        self.version, self.ranks = version, ranks
        super().__init__("a newer draft of this screen was saved in another window or on another device")


class Closed(CampaignError):  # noqa: N818
    """The campaign does not take answers now."""

    kind = "closed"
    status = 409


class TooMany(CampaignError):  # noqa: N818
    """A limit was reached; ``retry_after`` is in seconds."""

    kind = "too-many"
    status = 429

    def __init__(self, message: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class JudgesOnly(CampaignError):  # noqa: N818
    """Work is given to judges alone."""

    kind = "forbidden"
    status = 403

    def __init__(self) -> None:
        super().__init__("only judges are given work; to judge as well, have the organiser invite you as a judge")


class CampaignGone(CampaignError):  # noqa: N818
    """The campaign of whoever asks was deleted at this moment."""

    kind = "signed-out"
    status = 401

    def __init__(self) -> None:
        super().__init__("this campaign is not there any more; ask whoever invited you")


class Uninvited(CampaignError):  # noqa: N818
    """An invitation that does not work, or no more."""

    kind = "not-found"
    status = 404

    def __init__(self) -> None:
        super().__init__(
            "this invitation link does not work: it is mistyped, too old or withdrawn; ask the organiser for one"
        )


# -- faults of the database: nothing was stored, and whether to try again ---------------------------------


class StoreAway(CampaignError):  # noqa: N818 - named for what it says
    """The database does not answer now."""

    kind = "unavailable"
    status = 503
    retry_after = 5

    def __init__(self) -> None:
        super().__init__("the database does not answer, so nothing was stored; try again in a moment")


class FileGone(CampaignError):  # noqa: N818
    """The SQLite file is no longer the one that was opened."""

    kind = "unavailable"
    status = 503
    retry_after = 5

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"the database file {path.name} was removed or replaced while the server had it open, so nothing is "
            "stored; put the file back, or restart the server to use the one that is there now"
        )


class StoreFull(CampaignError):  # noqa: N818
    """The disk of the database is full."""

    kind = "not-stored"
    status = 507
    retry_after = 60

    def __init__(self) -> None:
        super().__init__("the server's disk is full, so this was not stored; try again later and tell the organiser")


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
