"""Open the store: SQLite by default, PostgreSQL by URL; transactions, versions, backup."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from . import migrations
from .refusals import DatabaseError

#: Where the command line looks when nothing is said.
DEFAULT_URL = "sqlite:///palmares.db"

#: Two upgrades of a PostgreSQL database at once wait for each other on this number.
_UPGRADING = 7_256_273_770
#: Seconds; who waits longer to write is told to try again.
_PATIENCE = 30
#: Milliseconds; so long a checkpoint waits for those who are reading to end.
_READERS_END = 2000

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def default_url() -> str:
    """The database that commands use if none is named: PALMARES_DATABASE, else one in this folder."""
    return os.environ.get("PALMARES_DATABASE") or DEFAULT_URL


class Database:
    """One store. Reads and writes go through transactions; a write is on disk when its block ends."""

    def __init__(self, engine: sa.Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock
        self._turn = threading.Lock()

    @classmethod
    def open(
        cls,
        url: str,
        *,
        create: bool = False,
        read_only: bool = False,
        outdated: bool = False,
        clock: Clock = utc_now,
    ) -> Database:
        """Open the database at a URL.

        Parameters
        ----------
        create
            Make an SQLite file and the tables if they are missing. Without it, a database that is not there, is
            not one of ours or is of another version is refused.
        read_only
            Leave an SQLite file as it is, to the byte: a copy in an archive is only read.
        outdated
            Take a database of an earlier version too, to upgrade it.
        """
        parsed = _parse(url)
        if parsed.get_backend_name() == "sqlite":
            _check_sqlite_file(parsed, create)
            # A file that turns out not to be ours is left as it is.
            with closing(cls(_engine(parsed, read_only=True))) as looked_at:
                if looked_at.revision() is not None or not create:
                    looked_at.check_revision(outdated=outdated)
        database = cls(_engine(parsed, read_only), clock)
        try:
            if create and database.revision() is None:
                database.upgrade()
            database.check_revision(outdated=outdated)
        except BaseException:
            database.close()
            raise
        return database

    @property
    def dialect(self) -> str:
        return self.engine.dialect.name

    @property
    def name(self) -> str:
        """The URL without its password."""
        shown = self.engine.url.difference_update_query(["password", "sslpassword"])
        return shown.render_as_string(hide_password=True)

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """A transaction that writes; on SQLite the only one at a time, from its start."""
        writing = {"palmares_writes": True}
        with self._one_writer(), self.engine.connect().execution_options(**writing) as connection, connection.begin():
            yield connection

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads, from one state of the store throughout."""
        level = {} if self.dialect == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        with self.engine.connect().execution_options(**level) as connection, connection.begin():
            yield connection

    def close(self) -> None:
        self.engine.dispose()

    def checkpoint(self) -> bool:
        """Leave nothing in SQLite's write-ahead log that was overwritten in the database; False if someone is reading.

        Elsewhere there is nothing to do: PostgreSQL's log is its administrator's.
        """
        if self.dialect != "sqlite":
            return True
        with self._one_writer(), self.engine.connect() as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.execute(f"pragma busy_timeout={_READERS_END}")  # everyone who writes waits as long
            try:
                busy, _, _ = raw.execute("pragma wal_checkpoint(truncate)").fetchone()
            finally:
                raw.execute(f"pragma busy_timeout={_PATIENCE * 1000}")
            return not busy

    @contextmanager
    def _one_writer(self) -> Iterator[None]:
        """On SQLite, threads wait here: who waits for the file looks only now and then whether it is free."""
        if self.dialect != "sqlite":
            yield
            return
        if not self._turn.acquire(timeout=_PATIENCE):
            raise sa.exc.TimeoutError("another transaction has been writing for too long")
        try:
            yield
        finally:
            self._turn.release()

    # -- versions --------------------------------------------------------------------------------

    def revision(self) -> str | None:
        """The version of the tables; None in an empty database."""
        with self._reached() as connection:
            tables = set(sa.inspect(connection).get_table_names())
            if "alembic_version" not in tables:
                if tables:
                    raise DatabaseError(
                        f"{self.name}: has other tables ({', '.join(sorted(tables)[:5])}) and no campaign; "
                        "name an empty database or another file"
                    )
                return None
            revision = connection.execute(sa.text("select version_num from alembic_version")).scalar()
            return None if revision is None else str(revision)

    def check_revision(self, *, outdated: bool = False) -> None:
        """Refuse a database whose tables are not of this version; ``outdated``: nor of an earlier one."""
        revision = self.revision()
        if revision is None:
            raise DatabaseError(f"{self.name}: has no campaign yet; create one with 'palmares campaign new'")
        if revision not in migrations.known():
            raise DatabaseError(
                f"{self.name}: has version {revision}, which is newer than this palmares ({migrations.head()}); "
                "install the palmares that created it, or a later one"
            )
        if revision != migrations.head() and not outdated:
            raise DatabaseError(
                f"{self.name}: has version {revision}, this palmares needs {migrations.head()}; "
                "stop the server and run 'palmares campaign upgrade' (it keeps a copy first)"
            )

    def upgrade(self, target: str = "head") -> None:
        """Bring the tables to a version; all of it or nothing."""
        with self.begin() as connection:
            if self.dialect != "sqlite":  # two at once: the second finds the work done
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_UPGRADING)))
            migrations.upgrade(connection, target)

    def backup(self, path: Path) -> None:
        """Copy an SQLite database while it is in use; the copy is whole or absent."""
        if self.dialect != "sqlite":
            raise DatabaseError(
                f"{self.name}: is not an SQLite file; back it up with PostgreSQL's own 'pg_dump --format=custom'"
            )
        if path.exists():
            raise DatabaseError(f"{path}: exists already; name a new file for the copy")
        beside = path.with_name(f".{path.name}.part")
        try:
            beside.unlink(missing_ok=True)  # of an attempt that was killed
            with (
                closing(sqlite3.connect(str(self.engine.url.database))) as here,
                closing(sqlite3.connect(beside)) as there,
            ):
                here.backup(there)
                # A copy is read from anywhere, so it must not need the files of a write-ahead log beside it.
                there.execute("pragma journal_mode=delete")
            shutil.copymode(str(self.engine.url.database), beside)
            os.replace(beside, path)
        except (sqlite3.Error, OSError) as error:
            beside.unlink(missing_ok=True)
            raise DatabaseError(f"{path}: the copy could not be written ({error})") from None

    @contextmanager
    def _reached(self) -> Iterator[sa.Connection]:
        """A connection, or a word on why there is none."""
        try:
            with self.engine.connect() as connection:
                yield connection
        except sa.exc.DBAPIError as error:
            reason = str(error.orig).strip().splitlines()[0]
            raise DatabaseError(f"{self.name}: cannot be opened ({reason}); is it a database, and running?") from None


def _parse(url: str) -> sa.URL:
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


def _check_sqlite_file(url: sa.URL, create: bool) -> None:
    path = Path(str(url.database))
    if path.is_dir() or not path.parent.is_dir():
        raise DatabaseError(f"{path}: is not a file, or its folder is missing; name a file in a folder that exists")
    if path.exists():
        try:
            with path.open("rb") as file:
                start = file.read(16)
        except OSError as error:
            raise DatabaseError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
        if start and start != b"SQLite format 3\0":
            raise DatabaseError(f"{path}: is not an SQLite database; name another file")
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


def _engine(url: sa.URL, read_only: bool) -> sa.Engine:
    return _sqlite_engine(url, read_only) if url.get_backend_name() == "sqlite" else _postgresql_engine(url)


def _postgresql_engine(url: sa.URL) -> sa.Engine:
    # The store counts on seeing what others have done once it has their locks, whatever the server's default is.
    engine = sa.create_engine(url, pool_pre_ping=True, pool_size=10, max_overflow=20, isolation_level="READ COMMITTED")

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"set lock_timeout = '{_PATIENCE}s'")
        connection.commit()

    return engine


def _sqlite_engine(url: sa.URL, read_only: bool) -> sa.Engine:
    # What is removed is overwritten, so that a name that was to be forgotten is not left in the file.
    writing = ("journal_mode=wal", "synchronous=full", "foreign_keys=on", "secure_delete=on")
    engine = sa.create_engine(url, connect_args={"timeout": _PATIENCE, "check_same_thread": False})

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say, see below
        cursor = connection.cursor()
        for pragma in ("query_only=on",) if read_only else writing:
            cursor.execute(f"pragma {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A transaction that turns from reading to writing can be refused; one that begins as a writer waits instead.
        writes = connection.get_execution_options().get("palmares_writes", False)
        connection.exec_driver_sql("begin immediate" if writes else "begin")

    return engine
