"""Open the store: SQLite by default, PostgreSQL by URL; transactions, versions, backup."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import time_ns
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from . import migrations, schema
from .engines import PATIENCE, DatabaseFile, check_sqlite_file, parse_url, postgresql_engine, sqlite_engine
from .refusals import DatabaseError

#: Where the command line looks when nothing is said.
DEFAULT_URL = "sqlite:///palmares.db"

#: Two upgrades of a PostgreSQL database at once wait for each other on this number.
_UPGRADING = 7_256_273_770
#: Milliseconds; so long a checkpoint waits for those who are reading to end.
_READERS_END = 2000
#: So many pieces of work share a commit at most.
_TOGETHER = 64

T = TypeVar("T")
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def default_url() -> str:
    """The database that commands use if none is named: PALMARES_DATABASE, else one in this folder."""
    return os.environ.get("PALMARES_DATABASE") or DEFAULT_URL


def is_there(url: str) -> bool:
    """Whether a database has our tables; False for a file that does not exist, and for an empty database."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        if not Path(str(parsed.database)).exists():
            return False
        engine = sqlite_engine(parsed, read_only=True)
    else:
        engine = postgresql_engine(parsed)
    with closing(Database(engine)) as looked_at:
        return looked_at.revision() is not None


class Database:
    """One store. Reads and writes go through transactions; a write is on disk when its block ends.

    On SQLite there is more to that: whoever removes or replaces the file while it is open leaves us writing into a file
    without a name. So the file is never made in passing, and after every commit we look whether it is still the one
    that was opened; if not, nothing is acknowledged.
    """

    def __init__(self, engine: sa.Engine, clock: Clock = utc_now, file: DatabaseFile | None = None) -> None:
        self.engine = engine
        self.clock = clock
        self._file = file
        self._turn = threading.Lock()
        self._waiting: deque[_Work[Any]] = deque()

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
        parsed = parse_url(url)
        if parsed.get_backend_name() == "sqlite":
            check_sqlite_file(parsed, create)
            # A file that turns out not to be ours is left as it is.
            with closing(cls(sqlite_engine(parsed, read_only=True))) as looked_at:
                if looked_at.revision() is not None or not create:
                    looked_at.check_revision(outdated=outdated)
            file = DatabaseFile(Path(str(parsed.database)))
            database = cls(sqlite_engine(parsed, read_only, file), clock, file)
        else:
            database = cls(postgresql_engine(parsed), clock)
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
    def url(self) -> str:
        """The URL with its password, for a process that is to open the same database, wherever it runs."""
        url = self.engine.url
        if self.dialect == "sqlite":
            url = url.set(database=os.path.abspath(str(url.database)))
        return url.render_as_string(hide_password=False)

    @property
    def name(self) -> str:
        """The URL without its password."""
        shown = self.engine.url.difference_update_query(["password", "sslpassword"])
        return shown.render_as_string(hide_password=True)

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """A transaction that writes; on SQLite the only one at a time, from its start."""
        with self._one_writer(), self._committed() as connection:
            yield connection

    def write(self, work: Callable[[sa.Connection], T]) -> T:
        """Do a piece of work in a transaction that writes, and return what it returns once that is on disk.

        On SQLite, pieces that wait for each other share one commit, and so one wait for the disk; each still happens as
        a whole or not at all. PostgreSQL does this by itself. A piece may be done a second time if the connection broke
        before the commit, so it must change nothing but the database.
        """
        if self.dialect != "sqlite":
            return self._write_alone(work)
        mine = _Work(work)
        self._waiting.append(mine)
        try:
            with self._one_writer():
                # Whoever held the turn before may have done it already; if many wait, others may come first.
                while not mine.done:
                    self._write_together([self._waiting.popleft() for _ in range(min(len(self._waiting), _TOGETHER))])
        except BaseException:
            self._withdraw(mine)
            raise
        return mine.outcome()

    def _withdraw(self, work: _Work[Any]) -> None:
        """Let nobody do a piece whose sender is told that it failed, unless somebody is at it already."""
        with suppress(ValueError):
            self._waiting.remove(work)

    def _write_alone(self, work: Callable[[sa.Connection], T]) -> T:
        try:
            with self._committed() as connection:
                return work(connection)
        except sa.exc.DBAPIError as error:
            if not error.connection_invalidated or error.statement is None:  # without a statement it was the commit
                raise
        with self._committed() as connection:
            return work(connection)

    def _write_together(self, several: list[_Work[Any]]) -> None:
        try:
            with self._committed() as connection:
                for work in several:
                    work.attempt(connection)
        except Exception as error:
            for work in several:
                work.failed(error)
        except BaseException:  # whoever is interrupted stops; the others only have to try again
            for work in several:
                work.failed(sa.exc.TimeoutError("the transaction that was to store this was interrupted"))
            raise

    @contextmanager
    def _committed(self) -> Iterator[sa.Connection]:
        writing = {"palmares_writes": True}
        with self.engine.connect().execution_options(**writing) as connection, connection.begin():
            yield connection
        if self._file is not None:
            self._file.check()

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads, from one state of the store throughout."""
        if self._file is not None:
            self._file.check()
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
                raw.execute(f"pragma busy_timeout={PATIENCE * 1000}")
            return not busy

    def check_health(self) -> None:
        """Refuse a store that could not take an answer now: of another version, gone, replaced, full, read-only."""
        if self._file is not None:
            self._file.check()
            self._file.check_room()
        self.check_revision()
        self.write(_probe)

    @contextmanager
    def _one_writer(self) -> Iterator[None]:
        """On SQLite, threads wait here: who waits for the file looks only now and then whether it is free."""
        if self.dialect != "sqlite":
            yield
            return
        if not self._turn.acquire(timeout=PATIENCE):
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
            if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
                raise DatabaseError(
                    f"{self.engine.url.database}: cannot be opened, for it is damaged or is not an SQLite database; "
                    "name another file"
                ) from None
            reason = str(error.orig).strip().splitlines()[0]
            raise DatabaseError(f"{self.name}: cannot be opened ({reason}); is it a database, and running?") from None


def _probe(tx: sa.Connection) -> None:
    """Write something: whether a store can be written to is known only by trying."""
    rate, key = schema.rate, "health"
    tx.execute(rate.delete().where(rate.c.key == key))
    tx.execute(rate.insert().values(key=key, slot=time_ns(), count=0))  # a number that no one else has


class _Work(Generic[T]):
    """A piece of work that waits for its turn, and what became of it."""

    def __init__(self, work: Callable[[sa.Connection], T]) -> None:
        self._work = work
        self._result: T | None = None
        self._error: BaseException | None = None
        self.done = False

    def attempt(self, connection: sa.Connection) -> None:
        """Do it as a part of a transaction that others share; what it refuses undoes its own part alone."""
        connection.exec_driver_sql("savepoint piece")
        try:
            self._result = self._work(connection)
        except Exception as error:
            if isinstance(error, sa.exc.DBAPIError) and not isinstance(error, sa.exc.IntegrityError):
                raise  # the transaction itself may be gone: nobody's part is stored
            connection.exec_driver_sql("rollback to piece")
            self._error = error
        connection.exec_driver_sql("release piece")
        self.done = True

    def failed(self, error: BaseException) -> None:
        """The transaction came to nothing."""
        self._error, self.done = error, True

    def outcome(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # None only where T is
