"""Up to which answer everything is known for good: no answer with a lower number can still come in.

SQLite has one writer, and numbers answers in the order in which they are stored. PostgreSQL gives a number before the
answer is stored: of two transactions the later number may be there first. A number that is missing is waited for until
every transaction that was at work when it was missed has ended; if it is not there then, it was given back.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import bindparam

from .. import schema

_JUDGMENT = schema.judgment.c
#: Answers that are looked at in one go.
_AT_ONCE = 50_000
_NUMBERS = sa.select(_JUDGMENT.id).where(_JUDGMENT.id > bindparam("after")).order_by(_JUDGMENT.id).limit(_AT_ONCE)
_LAST = sa.select(sa.func.coalesce(sa.func.max(_JUDGMENT.id), 0))
#: The oldest transaction that is still at work, and the first that has not begun.
_AT_WORK = sa.text("select txid_snapshot_xmin(txid_current_snapshot()), txid_snapshot_xmax(txid_current_snapshot())")


class Settled:
    """The number of the last answer before which none is missing."""

    def __init__(self) -> None:
        self.number = 0
        #: Numbers that are missing, and the first transaction that had not begun when they were missed.
        self._missing: dict[int, int] = {}

    def advance(self, tx: sa.Connection) -> int:
        """Look again, in a transaction that sees one state of the store throughout."""
        if tx.dialect.name == "sqlite":
            self.number = int(tx.execute(_LAST).scalar_one())
            return self.number
        there = list(tx.scalars(_NUMBERS, {"after": self.number}))
        if there:
            self._step(there, *tx.execute(_AT_WORK).one())
        return self.number

    def _step(self, there: list[int], oldest: int, coming: int) -> None:
        """Go on to the first number that may still come."""
        missing = sorted(set(range(self.number + 1, there[-1])) - set(there))
        since = {number: self._missing.get(number, coming) for number in missing}
        self._missing = {number: first for number, first in since.items() if oldest < first}
        awaited = min(self._missing, default=there[-1] + 1)
        self.number = max((number for number in there if number < awaited), default=self.number)
