"""Look at every language pair that is to be analysed, one after the other, as far as its answers are settled."""

from __future__ import annotations

import logging
import time

from ..database import Database
from .board import Boards
from .claim import Claim, ClaimLostError
from .process import Needing
from .reading import Settled
from .study import Study

log = logging.getLogger("palmares.campaign")

#: Seconds that a language pair is left alone once its analysis has failed.
_REST = 30.0


class Analyst:
    """What is kept in memory between two looks: a study of every language pair, and its judgments."""

    def __init__(self, db: Database, claim: Claim) -> None:
        self._db, self._claim = db, claim
        self._settled = Settled()
        self._studies: dict[int, Study] = {}
        self._boards = Boards(db, claim)
        self._resting: dict[int, float] = {}

    def look(self, needing: list[Needing]) -> None:
        """Take in new answers, write a snapshot wherever one is due, and the results that are."""
        with self._db.read() as tx:
            upto = self._settled.advance(tx)
        studied = [each for each in needing if each.studied]
        wanted = {each.pair.id for each in studied}
        self._studies = {key: study for key, study in self._studies.items() if key in wanted}
        for each in studied:
            if self._claim.is_held and time.monotonic() >= self._resting.get(each.pair.id, 0.0):
                self._study(each, upto)
        self._boards.look([each for each in needing if each.shown], upto)

    def _study(self, needing: Needing, upto: int) -> None:
        key = needing.pair.id
        try:
            study = self._studies.get(key) or Study.begun(self._db, self._claim, needing)
            self._studies[key] = study
            study.look(needing, upto)
        except ClaimLostError:
            raise
        except Exception:  # one campaign that cannot be analysed must not hold up the others
            log.exception("%s, %s: cannot be analysed; tried again in %g s", needing.campaign, needing.pair.name, _REST)
            self._studies.pop(key, None)
            self._resting[key] = time.monotonic() + _REST
