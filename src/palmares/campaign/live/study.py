"""One language pair: its counts, what is known of its systems, and the snapshots that are made of it.

Counts and the fit follow every answer. What judges, segments and rankings share makes the fit too sure of itself; by
how much is taken from a ranking of all judgments so far, which is computed again for every few per cent more.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sqlalchemy as sa

from ...design.next import STRATEGIES, Choices
from ...design.next.knowledge import Knowledge
from ...errors import InputError
from ...judgments import FloatArray
from ...ranking.result import Ranking
from .. import journal, schema
from ..database import Database
from ..left_out import last_change, left_out_of
from ..snapshots import Snapshot, newest
from .claim import Claim, ClaimLostError
from .deciding import Verdict, decided, ranking_json, ranking_upto
from .outstanding import outstanding
from .process import Needing
from .tally import Tally

log = logging.getLogger("palmares.campaign")

#: A snapshot is due after so large a share of ``choice.lag`` answers, and after so many seconds if there are any. All
#: of them are kept, so judges who are slow must not get one for every answer.
_SHARE, _SECONDS = 0.1, 30.0
#: The ranking is computed again after so many more judgments, as a share of those there were; at first after so many.
_GROWTH, _FEWEST = 0.05, 30
#: The same where the online counts say that it may be enough.
_GROWTH_NEAR = 0.01
#: Screens that are planned ahead in a snapshot, at least and at most.
_FEW, _MANY = 16, 64
#: Ranges are not narrowed by luck, and no single system makes choices go astray.
_LEAST_STRETCH, _MOST_STRETCH = 1.0, 10.0


@dataclass
class Study:
    """What is kept of a language pair between two looks."""

    db: Database
    claim: Claim
    tally: Tally
    last: Snapshot | None
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    knowledge: Knowledge | None = None
    stretch: FloatArray | None = None
    #: Comparisons behind the last ranking.
    ranked: int = 0
    unread: int = 0
    written: float = 0.0
    asked: Any = None

    @classmethod
    def begun(cls, db: Database, claim: Claim, needing: Needing) -> Study:
        """Take up where the last snapshot ended."""
        with db.read() as tx:
            tally, last = Tally(tx, needing.pair.id), newest(tx, needing.pair.id)
            known = 0 if last is None or last.standing is None else last.standing.get("left_out", 0)
            tally.leave_out(left_out_of(tx, needing.campaign_id, upto=known), known)
            tally.read(tx, 0 if last is None else last.answer)
        return cls(db, claim, tally, last)

    def look(self, needing: Needing, upto: int) -> None:
        """Take in the answers up to a number, and write a snapshot if one is due."""
        widened = self._takes_in_systems()
        recounted = replaced = self._follow(needing)
        if upto > self.tally.upto:
            with self.db.read() as tx:
                new, changed_answer = self.tally.read(tx, upto)
            self.unread += new
            replaced = min((each for each in (replaced, changed_answer) if each is not None), default=None)
        asked = (needing.settings.choice, needing.settings.stop, needing.settings.screen.outputs)
        retracted = widened or self._retracts(replaced)
        changed = self.asked is not None and asked != self.asked
        said = self.last is not None and not self.unread and recounted is None and self._says(needing)
        if self.asked is None and said:
            self.asked = asked  # all of it was said before this process began
        if asked == self.asked and not retracted and recounted is None and not self._is_due(needing):
            return
        self._write(needing, retracted=retracted, changed=changed or recounted is not None)
        self.asked, self.unread, self.written = asked, 0, time.monotonic()

    def _takes_in_systems(self) -> bool:
        """Begin anew if systems were added: all that was decided is open again."""
        with self.db.read() as tx:
            if not self.tally.lacks_systems(tx):
                return False
            self.tally = self.tally.anew(tx)
        self.knowledge, self.stretch, self.ranked = None, None, 0
        return True

    def _follow(self, needing: Needing) -> int | None:
        """Take in who is left out now: the lowest number of the answers that this changes something for."""
        with self.db.read() as tx:
            change = last_change(tx, needing.campaign_id)
            if change == self.tally.left_out:
                return None
            return self.tally.leave_out(left_out_of(tx, needing.campaign_id, upto=change), change)

    # -- when ------------------------------------------------------------------------------------

    def _is_due(self, needing: Needing) -> bool:
        enough = max(1, int(_SHARE * needing.settings.choice.lag))
        late = time.monotonic() - self.written >= _SECONDS
        return self.unread >= enough or (self.unread > 0 and late)

    def _says(self, needing: Needing) -> bool:
        """Whether the last snapshot answers what the settings ask now."""
        assert self.last is not None
        return self.last.decides(needing.settings.stop) and self.last.strategy == needing.settings.choice.strategy

    def _retracts(self, replaced: int | None) -> bool:
        """Whether an answer was changed, left out or taken back that a decision to stop rests on."""
        if replaced is None or self.last is None or not self.last.met:
            return False
        return replaced <= self.last.standing["answer"]  # type: ignore[index,no-any-return]  # every decision names one

    # -- what ------------------------------------------------------------------------------------

    def _write(self, needing: Needing, *, retracted: bool, changed: bool) -> None:
        """Compute what a snapshot says, and store it as long as the claim holds."""
        settings = needing.settings
        stands = self.last is not None and self.last.met and self.last.decides(settings.stop) and not retracted
        self._fit(settings.stop.p)
        verdict = self._verdict(needing, anew=retracted or changed, stands=stands)
        if verdict.ranking is not None:
            self._learn(verdict.ranking)
        with self.db.read() as tx:
            coming = outstanding(tx, self.tally)
        choices, ranking = self._choices(needing, coming), verdict.ranking
        standing = self.last.standing if stands and self.last is not None else verdict.standing
        values = {
            "language_pair_id": needing.pair.id,
            "version": 1 + (0 if self.last is None else self.last.version),
            "answer": self.tally.upto,
            "answers": self.tally.answers,
            "strategy": settings.choice.strategy,
            "choices": None if choices is None else choices.to_dict(),
            "rule": settings.stop.rule,
            "p": settings.stop.p,
            "met": stands or verdict.met,
            "standing": standing,
            "ranking": None if ranking is None else ranking_json(ranking, self.tally.upto, self.tally.left_out),
            "created_at": self.db.clock(),
        }
        self._store(needing, values)

    def _store(self, needing: Needing, values: dict[str, Any]) -> None:
        said_before = self.last is not None and self.last.met and self.last.decides(needing.settings.stop)

        def store(tx: sa.Connection) -> Snapshot | None:
            if not self.claim.check(tx):
                return None
            tx.execute(schema.snapshot.insert().values(values))
            if values["met"] != said_before:
                kind = "rule-met" if values["met"] else "rule-not-met-any-more"
                body = {"langs": needing.pair.name, "rule": values["rule"], "answer": values["standing"]["answer"]}
                journal.record(tx, self.db, needing.campaign_id, kind, **body)
            return newest(tx, needing.pair.id)

        stored = self.db.write(store)
        if stored is None:
            raise ClaimLostError
        self.last = stored

    def _fit(self, p: float) -> None:
        """What is known from answers alone; None before there are any, or if none of them counts any more."""
        known = None
        if self.tally.total:
            known = Knowledge.of(self.tally.counts, stretch=self.stretch, p=p, start=self.knowledge)
        self.knowledge = known

    def _verdict(self, needing: Needing, *, anew: bool, stands: bool) -> Verdict:
        """Where the rule stands: by the ranking, if it is computed now, or else by what the online counts say."""
        stop = needing.settings.stop
        if self.knowledge is None:
            return Verdict.unknown(stop, self.tally)
        near = decided(self.knowledge.claims, stop) and not stands
        growth = _GROWTH_NEAR if near else _GROWTH
        ranking = None
        if anew or self.tally.total >= max(self.ranked * (1 + growth), _FEWEST):
            ranking = self._ranking(needing)
            self.ranked = self.tally.total
        return Verdict.of(stop, self.tally, self.knowledge, ranking)

    def _ranking(self, needing: Needing) -> Ranking | None:
        try:
            return ranking_upto(self.db, needing, self.tally.upto, self.tally.left_out)
        except InputError as error:  # too few judgments as yet, or not linked
            log.debug("%s: not ranked: %s", needing.pair.name, error)
            return None

    def _learn(self, ranking: Ranking) -> None:
        """Take from a ranking by how much standard errors are too small."""
        assert self.knowledge is not None
        alone = np.sqrt(np.diag(self.knowledge.covariance)) / self.knowledge.stretch
        errors = {line.system: line.error for line in ranking.lines}
        ratio = [(errors.get(name) or 0.0) / own for name, own in zip(self.tally.systems, alone, strict=True)]
        self.stretch = np.clip(ratio, _LEAST_STRETCH, _MOST_STRETCH)
        self._fit(self.knowledge.claims.p)

    def _choices(self, needing: Needing, coming: FloatArray) -> Choices | None:
        """What the strategy wants asked next, in the numbers of the store."""
        choice, size = needing.settings.choice, min(needing.settings.screen.outputs, len(self.tally.systems))
        if not choice.learns or self.knowledge is None:
            return None
        number = min(max(_FEW, int(2 * _SHARE * choice.lag)), _MANY)
        strategy = STRATEGIES.load(choice.strategy)()
        try:
            planned: Choices = strategy.choices(self.knowledge.awaiting(coming), size, number, self.rng)
        except Exception:  # whether it is enough is said all the same
            log.exception("%s: %s could not choose; screens are balanced", needing.pair.name, choice.strategy)
            return None
        return planned.numbered(self.tally.numbers) if planned.screens else None
