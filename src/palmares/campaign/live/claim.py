"""Which process analyses a database: one at a time, however many servers there are.

PostgreSQL keeps the claim with a connection, and gives it back as soon as that ends, whatever became of the process. On
SQLite it is a row, and lapses if its holder shows no sign of life. On both the row is there, for people and monitors to
see; and every write of the analysis asks it once more, in its own transaction, so that who has lost the claim without
noticing writes nothing.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from .. import schema
from ..database import Database
from ..leases import SKEW

log = logging.getLogger("palmares.campaign")

#: Seconds between two signs of life, and without one until a claim lapses.
BEAT, LAPSES = 2.0, 10.0
#: The number under which PostgreSQL keeps the claim.
_ANALYSING = 1_178_421
_ROW = schema.analysis.c
_SEEN = sa.select(_ROW.holder, _ROW.process, _ROW.since, _ROW.seen_at)
_GIVE_BACK = sa.select(sa.func.pg_advisory_unlock(_ANALYSING, 0))
_TRY = sa.select(sa.func.pg_try_advisory_lock(_ANALYSING, 0))


class ClaimLostError(Exception):
    """Another process analyses this database now."""


@dataclass(frozen=True)
class Holder:
    """The process that has the claim, or had it last."""

    process: str
    since: datetime
    seen_at: datetime

    def lives(self, now: datetime) -> bool:
        """Whether it has shown a sign of life lately; a moment in the future counts as none."""
        return now - timedelta(seconds=LAPSES) < self.seen_at <= now + SKEW


def holder(tx: sa.Connection) -> Holder | None:
    """Who analyses this database, or did last; None if nobody ever did."""
    row = tx.execute(_SEEN).first()
    return None if row is None else Holder(row.process, row.since, row.seen_at)


class Claim:
    """One process's claim. ``name`` tells it from all others; who comes back under the same name takes it up again."""

    def __init__(self, db: Database, name: str) -> None:
        self._db, self._name = db, name
        self._process = f"{os.getpid()}@{socket.gethostname()}"
        self._connection: sa.Connection | None = None
        self._stopped = threading.Event()
        self._beating: threading.Thread | None = None
        self.is_held = False

    def take(self) -> bool:
        """Take the claim if it is free; whether we have it now."""
        if self.is_held:
            return True
        self.release()  # what may be left of a claim that was lost
        if self._db.dialect != "sqlite" and not self._locked():
            return False
        if not self._is_free() or not self._db.write(self._take):
            return False
        self.is_held = True
        self._stopped.clear()
        self._beating = threading.Thread(target=self._beat, name="palmares-claim", daemon=True)
        self._beating.start()
        return True

    def release(self) -> None:
        """Give it back, if we have it."""
        if self._beating is not None:
            self._stopped.set()
            self._beating.join()
            self._beating = None
        if self.is_held:
            self.is_held = False
            with suppress(sa.exc.SQLAlchemyError):
                self._db.write(lambda tx: tx.execute(schema.analysis.delete().where(_ROW.holder == self._name)))
        self._unlock()

    def check(self, tx: sa.Connection) -> bool:
        """Whether the claim is still ours, in a transaction that writes: nobody takes it until that ends."""
        ours = sa.select(_ROW.id).where(_ROW.holder == self._name).with_for_update()
        self.is_held = self.is_held and tx.execute(ours).first() is not None
        return self.is_held

    # -- inside ----------------------------------------------------------------------------------

    def _locked(self) -> bool:
        """Whether PostgreSQL gives us the claim, on a connection of its own."""
        connection = self._db.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if not connection.execute(_TRY).scalar_one():
            connection.close()
            return False
        self._connection = connection
        return True

    def _unlock(self) -> None:
        if self._connection is not None:
            with suppress(sa.exc.SQLAlchemyError):
                self._connection.execute(_GIVE_BACK)
            with suppress(sa.exc.SQLAlchemyError):
                self._connection.invalidate()  # it ends, and the lock with it, whatever state it is in
            self._connection.close()
            self._connection = None

    def _is_free(self) -> bool:
        """A look, so that who waits for the claim does not write."""
        if self._connection is not None:
            return True
        with self._db.read() as tx:
            return self._may_take(tx)

    def _may_take(self, tx: sa.Connection) -> bool:
        row = tx.execute(_SEEN).first()
        if row is None or row.holder == self._name:
            return True
        return not Holder(row.process, row.since, row.seen_at).lives(self._db.clock()) or _has_ended(row.process)

    def _take(self, tx: sa.Connection) -> bool:
        if self._connection is None and not self._may_take(tx):
            return False
        now = self._db.clock()
        tx.execute(schema.analysis.delete())
        values = {"holder": self._name, "process": self._process, "since": now, "seen_at": now}
        tx.execute(schema.analysis.insert().values(id=1, **values))
        return True

    def _beat(self) -> None:
        """Show signs of life, also while something long is computed."""
        while not self._stopped.wait(BEAT):
            try:
                if self._connection is not None:
                    self._connection.execute(sa.select(1))
                signed = schema.analysis.update().where(_ROW.holder == self._name).values(seen_at=self._db.clock())
                if self._db.write(lambda tx, signed=signed: tx.execute(signed).rowcount):  # type: ignore[misc]
                    continue
            except Exception as error:
                log.warning("the analysis cannot show that it lives (%s)", error)
                if self._connection is None:  # the row may still be ours when the database is back
                    continue
            self.is_held = False
            return


def _has_ended(process: str) -> bool:
    """Whether a process of this machine is surely no more; of others nobody knows."""
    number, _, machine = process.partition("@")
    if machine != socket.gethostname() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
