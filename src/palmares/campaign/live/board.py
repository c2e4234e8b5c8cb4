"""The results of language pairs, kept up to date while people judge.

A new answer makes a new ranking. Agreement and what is known of judges take longer: they are made beside it, when there
are clearly more judgments or when nobody answers for a moment, and say up to which answer they know. After a
computation comes a pause as long as it took, so that rankings never have more than half of a core, and less of it where
judges need it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from ...judgments import Judgments
from ...ranking.result import Ranking
from .. import schema
from ..boards import Board, board_of, last_milestone
from ..database import Database
from ..definition import was_watched
from ..left_out import last_change, left_out_of
from . import board_parts as parts
from .aside import Aside
from .claim import Claim, ClaimLostError
from .growing import Growing
from .process import Needing

log = logging.getLogger("palmares.campaign")

#: Seconds that a language pair is left alone once its results could not be made.
_REST = 30.0
#: A milestone is kept for so many more judgments, as a share of those at the last one.
_GROWTH = 0.05
#: A slow part is made again for so many more judgments, as a share; or once nobody has answered for so many seconds.
_SLOWLY, _QUIET = 0.1, 2.0
#: Results that nothing came for name a later answer all the same once they are so many answers behind the newest.
_BEHIND = 500


@dataclass
class Keeper:
    """What is kept of one language pair between two looks."""

    db: Database
    claim: Claim
    needing: Needing
    growing: Growing
    board: Board | None
    watched: bool = False
    #: Who is left out, by the last change to that.
    changed: int = -1
    left_out: Mapping[int, str] = field(default_factory=dict)
    #: The judgments behind the last ranking, and what names them.
    data: Judgments | None = None
    base: Mapping[str, int] = field(default_factory=dict)
    #: Up to which number the ranking knows all answers; whether there is anything that it does not know, or must know
    #: at once.
    said: int = 0
    unsaid: bool = True
    urgent: bool = False
    answered: float = 0.0
    written: float = 0.0

    @classmethod
    def begun(cls, db: Database, claim: Claim, needing: Needing) -> Keeper:
        with db.read() as tx:
            board, watched = board_of(tx, needing.pair.id), was_watched(tx, needing.campaign_id)
        growing = Growing(needing.campaign_id, needing.pair.id, f"{db.name}#{needing.campaign}")
        return cls(db, claim, needing, growing, board, watched)

    # -- what is new -----------------------------------------------------------------------------

    def take_in(self, needing: Needing, upto: int) -> None:
        """Read what has come since."""
        with self.db.read() as tx:
            new = self.growing.read(tx, upto) if upto > self.growing.upto else 0
            changed = last_change(tx, needing.campaign_id)
            if changed != self.changed:
                self.left_out = left_out_of(tx, needing.campaign_id, upto=changed)
                self.urgent = self.changed >= 0
                self.changed, self.unsaid = changed, True
            if needing.settings != self.needing.settings:
                watched = was_watched(tx, needing.campaign_id)
                ruled = needing.settings.stop.rule != self.needing.settings.stop.rule
                self.unsaid = self.unsaid or ruled or watched != self.watched
                self.watched = watched
        self.needing = needing
        if new:
            self.unsaid, self.answered = True, time.monotonic()
        self._keep_up()

    def lags(self, name: str) -> bool:
        """Whether a slow part is to be made again."""
        if self.board is None or self.data is None:
            return False
        known = self.board.body["parts"].get(name)
        if known is None or known["left_out"] != self.base["left_out"]:
            return True
        if known["answer"] == self.base["answer"]:
            return False
        grown = self.base["judgments"] >= known["judgments"] * (1 + _SLOWLY)
        return grown or time.monotonic() - self.answered >= _QUIET

    def knows(self, name: str) -> int:
        """The last answer that a part rests on; −1 before it was made."""
        known = None if self.board is None else self.board.body["parts"].get(name)
        return -1 if known is None else int(known["answer"])

    # -- what is said ----------------------------------------------------------------------------

    def rank(self) -> None:
        """Make the ranking and what goes with it, and store the results."""
        self.data = self.growing.judgments(list(self.left_out.values()), watched=self.watched)
        self.said, self.unsaid, self.urgent = self.growing.upto, False, False
        amount = 0 if self.data is None else len(self.data)
        self.base = {"answer": self.growing.last, "left_out": self.changed, "judgments": amount}
        known = {} if self.board is None else dict(self.board.body["parts"])
        ranking: Ranking | None = None
        if self.data is None:
            nothing = {**self.base, "found": None, "why": "there are no judgments yet"}
            known = dict.fromkeys(("ranking", "met", *parts.SLOW), nothing)
        else:
            made, ranking = parts.ranked(self.data, self.needing.settings.stop.rule)
            known["ranking"] = {**self.base, **made}
            met = parts.met(self.data, self.data.systems if ranking is None else ranking.systems)
            known["met"] = {**self.base, "found": met, "why": ""}
        self._store(known, ranking)

    def put(self, name: str, part: Mapping[str, Any]) -> None:
        """Store the results with a slow part that was made beside them."""
        if self.board is not None:
            self._store({**self.board.body["parts"], name: part}, None)

    def _complete(self, known: Mapping[str, Any]) -> int:
        """Up to which answer every part knows all; 0 if one of them lags."""
        names = ("answer", "left_out")
        newest = [self.base.get(name) for name in names]
        whole = all(
            name in known and [known[name][key] for key in names] == newest for name in ("ranking", "met", *parts.SLOW)
        )
        return self.said if whole else 0

    def _store(self, known: Mapping[str, Any], ranking: Ranking | None) -> None:
        row, pair_id = schema.board.c, self.needing.pair.id
        values = {
            "language_pair_id": pair_id,
            "version": 1 + (0 if self.board is None else self.board.version),
            "answer": self.said,
            "left_out": self.base["left_out"],
            "judgments": self.base["judgments"],
            "created_at": self.db.clock(),
        }
        body = {"parts": known, "complete": self._complete(known)}

        def store(tx: sa.Connection) -> Board | None:
            if not self.claim.check(tx):
                return None
            there = schema.board.update().where(row.language_pair_id == pair_id)
            if not tx.execute(there.values(**values, body=body)).rowcount:
                tx.execute(schema.board.insert().values(**values, body=body))
            if ranking is not None and self._is_milestone(tx):
                tx.execute(schema.milestone.insert().values(**values, body=parts.milestone_of(ranking)))
            return board_of(tx, pair_id)

        self._keep(self.db.write(store))
        self.written = time.monotonic()

    def _is_milestone(self, tx: sa.Connection) -> bool:
        last = last_milestone(tx, self.needing.pair.id)
        if last is None or last.left_out != self.base["left_out"]:
            return True
        return self.base["judgments"] >= last.judgments * (1 + _GROWTH)

    def _keep_up(self) -> None:
        """Say that nothing came for this language pair, where others got many answers."""
        if self.board is None or self.unsaid or self.growing.upto - self.said < _BEHIND:
            return
        self.said = self.growing.upto
        pair_id = self.needing.pair.id
        later = schema.board.update().where(schema.board.c.language_pair_id == pair_id).values(answer=self.said)

        def store(tx: sa.Connection) -> Board | None:
            if not self.claim.check(tx):
                return None
            tx.execute(later)
            return board_of(tx, pair_id)

        self._keep(self.db.write(store))

    def _keep(self, stored: Board | None) -> None:
        if stored is None:
            raise ClaimLostError
        self.board = stored


class Boards:
    """All language pairs whose results are shown; one ranking at a time, and a pause after each."""

    def __init__(self, db: Database, claim: Claim) -> None:
        self._db, self._claim = db, claim
        self._keepers: dict[int, Keeper] = {}
        self._resting: dict[int, float] = {}
        self._aside = Aside()
        self._pause_until = 0.0

    def look(self, needing: list[Needing], upto: int) -> None:
        """Take in new answers, and make what has waited longest if it is time."""
        wanted = {each.pair.id for each in needing}
        self._keepers = {key: keeper for key, keeper in self._keepers.items() if key in wanted}
        keepers = [keeper for each in needing if (keeper := self._looked(each, upto)) is not None]
        if not self._claim.is_held:
            return
        self._put()
        due = [keeper for keeper in keepers if keeper.unsaid]
        if due:
            first = min(due, key=lambda keeper: (not keeper.urgent, keeper.written))
            if first.urgent or time.monotonic() >= self._pause_until:
                began = time.monotonic()
                self._guarded(first.needing, Keeper.rank)
                self._pause_until = 2 * time.monotonic() - began
        if self._aside.is_free:
            self._begin([(keeper, name) for keeper in keepers for name in parts.SLOW if keeper.lags(name)])

    def _begin(self, late: list[tuple[Keeper, str]]) -> None:
        """Make the slow part that was made first, or never."""
        if not late:
            return
        keeper, name = min(late, key=lambda one: one[0].knows(one[1]))
        data, base = keeper.data, dict(keeper.base)
        assert data is not None  # nothing else lags
        self._aside.begin((keeper.needing, name), lambda: {**base, **parts.SLOW[name](data)})

    def _put(self) -> None:
        done = self._aside.done()
        if done is None:
            return
        needing, name = done.job
        if done.result is None:
            self._rest(needing)
        elif needing.pair.id in self._keepers:
            self._guarded(needing, lambda keeper: keeper.put(name, done.result))

    def _looked(self, needing: Needing, upto: int) -> Keeper | None:
        if time.monotonic() < self._resting.get(needing.pair.id, 0.0):
            return None
        return self._guarded(needing, lambda keeper: keeper.take_in(needing, upto))

    def _guarded(self, needing: Needing, work: Callable[[Keeper], None]) -> Keeper | None:
        """One language pair that cannot be shown must not hold up the others."""
        key = needing.pair.id
        try:
            keeper = self._keepers.get(key) or Keeper.begun(self._db, self._claim, needing)
            self._keepers[key] = keeper
            work(keeper)
        except ClaimLostError:
            raise
        except Exception:
            log.exception("%s, %s: no results; tried again in %g s", needing.campaign, needing.pair.name, _REST)
            self._rest(needing)
            return None
        return keeper

    def _rest(self, needing: Needing) -> None:
        self._keepers.pop(needing.pair.id, None)
        self._resting[needing.pair.id] = time.monotonic() + _REST
