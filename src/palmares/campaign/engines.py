"""Connections to SQLite and PostgreSQL: how they are made; whether an SQLite file is still the one that was opened."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import threading
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from .refusals import DatabaseError, FileGone, StoreFull

#: Seconds; who waits longer to write is told to try again.
PATIENCE = 30
#: A connection that has rested for so many seconds is tried before it is used.
_RESTED = 5.0
#: Bytes; a disk with less room than this cannot be counted on to store an answer.
_ROOM = 65536


def parse_url(url: str) -> sa.URL:
    allowed = "allowed: sqlite:///FILE or postgresql://USER@HOST/NAME"
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        shown = re.sub(r"//.*@", "//…@", url)  # a password may stand there
        raise DatabaseError(f"database: got {shown!r}; {allowed}") from None
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed
    if parsed.drivername == "postgresql+psycopg":
        return parsed
    raise DatabaseError(f"database: got {parsed.render_as_string(hide_password=True)!r}; {allowed}")


def check_sqlite_file(url: sa.URL, create: bool) -> None:
    path = Path(str(url.database))
    if path.is_dir() or not path.parent.is_dir():
        raise DatabaseError(f"{path}: is not a file, or its folder is missing; name a file in a folder that exists")
    # Nobody but SQLite opens a database: on closing it, this process would lose the locks that it may have on it, and
    # the next program that looks at it would take away the write-ahead log of a database that is in use.
    if path.exists():
        if not os.access(path, os.R_OK):
            raise DatabaseError(f"{path}: cannot be read ({os.strerror(errno.EACCES)}); check its permissions")
    elif not create:
        raise DatabaseError(
            f"{path}: no such file; create a campaign with 'palmares campaign new', or name its database"
        )
    else:
        _make_private(path)


def _make_private(path: Path) -> None:
    """An empty file that only its owner may read: it will hold the names of judges."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise DatabaseError(
            f"{path}: cannot be created ({error.strerror}); check the permissions of its folder"
        ) from None


def postgresql_engine(url: sa.URL) -> sa.Engine:
    # The store counts on seeing what others have done once it has their locks, whatever the server's default is.
    engine = sa.create_engine(url, pool_size=10, max_overflow=20, isolation_level="READ COMMITTED")

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"set lock_timeout = '{PATIENCE}s'")
        connection.commit()

    @sa.event.listens_for(engine, "checkin")
    def rest(_connection: Any, record: Any) -> None:
        record.info["rests_since"] = monotonic()

    @sa.event.listens_for(engine, "checkout")
    def wake(connection: Any, record: Any, _proxy: Any) -> None:
        # To try every time, as the pool's own option does, is a round trip for each transaction.
        if monotonic() - record.info.get("rests_since", monotonic()) < _RESTED:
            return
        try:
            connection.execute("select 1")
            connection.rollback()
        except Exception as error:
            raise sa.exc.DisconnectionError from error  # the pool makes a new connection

    return engine


def sqlite_engine(url: sa.URL, read_only: bool, file: DatabaseFile | None = None) -> sa.Engine:
    # A file that is gone is not made anew: an empty one would take answers that nobody finds again.
    path = f"file:{quote(os.path.abspath(str(url.database)))}?mode=rw"
    # What is removed is overwritten, so that a name that was to be forgotten is not left in the file.
    writing = ("journal_mode=wal", "synchronous=full", "foreign_keys=on", "secure_delete=on")
    engine = sa.create_engine(
        url,
        creator=lambda: sqlite3.connect(path, uri=True, timeout=PATIENCE, check_same_thread=False),
        poolclass=sa.QueuePool,
        pool_size=10,
        max_overflow=20,
        pool_use_lifo=True,  # what one has read is likely to be wanted next
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say, see below
        connection.create_function("palmares_fold", 1, _fold, deterministic=True)
        cursor = connection.cursor()
        for pragma in ("query_only=on",) if read_only else writing:
            cursor.execute(f"pragma {pragma}")
        cursor.close()
        if file is not None:
            file.opened()
            file.check()

    @sa.event.listens_for(engine, "close")
    def end(_connection: Any, _record: Any) -> None:
        if file is not None:
            file.closed()

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A transaction that turns from reading to writing can be refused; one that begins as a writer waits instead.
        writes = connection.get_execution_options().get("palmares_writes", False)
        connection.exec_driver_sql("begin immediate" if writes else "begin")

    return engine


def _fold(text: object) -> object:
    """For searching and sorting where capitals do not matter: SQLite by itself knows those of ASCII alone."""
    return text.casefold() if isinstance(text, str) else text


class DatabaseFile:
    """The SQLite file that was opened, and whether it is still there under its name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = Path(f"{path}-wal")
        self._opened = _identity(path)
        self._log_opened: tuple[int, int] | None = None
        self._connections = 0
        self._counting = threading.Lock()

    def opened(self) -> None:
        """A connection was made. All of them have one log: the last to be closed takes it away."""
        with self._counting:
            self._connections += 1

    def closed(self) -> None:
        """A connection is about to be closed."""
        with self._counting:
            self._connections -= 1
            if not self._connections:
                self._log_opened = None

    def check(self) -> None:
        """Refuse to go on with a file that was removed or replaced, or whose write-ahead log was."""
        if _identity(self.path) != self._opened:
            raise FileGone(self.path)
        with self._counting:
            log = _identity(self._log)
            if self._log_opened is None and self._connections:  # in an empty file, the first who writes makes it
                self._log_opened = log
            if self._log_opened not in (None, log):
                raise FileGone(self._log)

    def check_room(self) -> None:
        disk = os.statvfs(self.path.parent)
        if disk.f_bavail * disk.f_frsize < _ROOM:
            raise StoreFull


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
