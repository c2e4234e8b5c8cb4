"""The process that analyses: it looks for new answers while a campaign needs it, and does next to nothing otherwise.

``python -m palmares.campaign.live`` runs it, on the database that the environment names. Whoever starts it keeps its
standard input open: when that ends, so does the process, however its parent came to its end.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa

from .. import schema
from ..boards import head_of, last_answer
from ..database import Database, default_url
from ..definition import PairInfo, language_pairs, settings_of
from ..left_out import last_change
from ..settings import Settings
from .claim import Claim, ClaimLostError

log = logging.getLogger("palmares.campaign")

#: Of every ranking that decides whether to stop, so that it can be made again.
SEED = 1
#: The variable that names the process: who is started again under the same name takes up its claim at once.
NAME_VARIABLE = "PALMARES_ANALYSIS"
#: Seconds between two looks for answers, and for campaigns that need an analysis.
PAUSE, IDLE = 0.1, 1.0
#: Seconds that the rest of a look may take when the process is to end.
_GRACE = 2.0
_CAMPAIGN = schema.campaign.c
_CAMPAIGNS = (
    sa.select(_CAMPAIGN.id, _CAMPAIGN.name, _CAMPAIGN.state)
    .where(_CAMPAIGN.archived_at.is_(None))
    .order_by(_CAMPAIGN.state == "closed", _CAMPAIGN.id)
)


@dataclass(frozen=True)
class Needing:
    """A language pair whose campaign wants it analysed: ``studied`` for what to ask and when to stop, its results
    ``shown`` while they grow.
    """

    campaign_id: int
    campaign: str
    pair: PairInfo
    settings: Settings
    studied: bool
    shown: bool


class Looks(Protocol):
    """What looks at language pairs, and writes snapshots as long as its claim holds."""

    def look(self, needing: list[Needing]) -> None: ...


def needs_analysis(settings: Settings) -> bool:
    """Whether a campaign's settings ask for anything that is learnt from answers."""
    return settings.choice.learns or bool(settings.stop.rule)


def needing(db: Database) -> list[Needing]:
    """The language pairs to analyse."""
    return Watchlist(db).needing()


class Watchlist:
    """Which language pairs there is something to do for. Of closed campaigns: as long as results lag behind."""

    def __init__(self, db: Database) -> None:
        self._db = db
        #: Of closed campaigns, the last answer of every language pair.
        self._last: dict[int, int] = {}

    def needing(self, *, closed: bool = True) -> list[Needing]:
        """Look again; open campaigns before closed ones, which may be left out."""
        there: list[Needing] = []
        with self._db.read() as tx:
            for campaign_id, name, state in tx.execute(_CAMPAIGNS).all():
                settings = settings_of(tx, campaign_id)
                is_closed = state == "closed"
                studied, shown = needs_analysis(settings) and not is_closed, settings.results.live
                if not (studied or shown) or (is_closed and not closed):
                    continue
                changed = last_change(tx, campaign_id) if is_closed else 0
                for pair in language_pairs(tx, campaign_id):
                    if not is_closed:
                        self._last.pop(pair.id, None)
                    elif self._is_said(tx, pair.id, changed):
                        continue
                    there.append(Needing(campaign_id, name, pair, settings, studied, shown))
        return there

    def _is_said(self, tx: sa.Connection, pair_id: int, changed: int) -> bool:
        """Whether the results of a language pair that gets no more answers say all there is to say."""
        if pair_id not in self._last:
            self._last[pair_id] = last_answer(tx, pair_id)
        head = head_of(tx, pair_id)
        return head is not None and head.complete >= self._last[pair_id] and head.left_out == changed


def watch(db: Database, claim: Claim, analyst: Callable[[], Looks], ending: threading.Event) -> None:
    """Look until ``ending``; ``analyst`` is made once somebody needs one, and anew whenever the claim was lost."""
    at_work: Looks | None = None
    watchlist, wait = Watchlist(db), 0.0
    while not ending.wait(wait):
        try:
            wanted = watchlist.needing()
            if not wanted:
                claim.release()
            at_work = (at_work or analyst()) if wanted and claim.take() else None
            if at_work is not None:
                at_work.look(wanted)
            wait = IDLE if at_work is None else PAUSE
        except ClaimLostError:
            log.warning("another process analyses this database now")
            at_work, wait = None, IDLE
            watchlist = Watchlist(db)  # after a campaign was deleted, numbers may come again
        except Exception:  # a database that is away comes back
            log.exception("the analysis could not look for answers; it tries again in %g s", _GRACE)
            at_work, wait = None, _GRACE
    claim.release()


def main() -> None:
    """Run until standard input ends, or SIGTERM."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    logging.getLogger("palmares").setLevel(logging.INFO)
    ending = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; our parent ends us
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    threading.Thread(target=end_with_parent, args=(ending,), daemon=True).start()
    os.nice(5)  # judges come first
    with closing(Database.open(default_url())) as db:
        claim = Claim(db, os.environ.get(NAME_VARIABLE) or os.urandom(8).hex())
        watch(db, claim, lambda: _analyst(db, claim), ending)
    logging.shutdown()
    os._exit(0)  # not waiting for what is computed aside


def _analyst(db: Database, claim: Claim) -> Looks:
    from .analyst import Analyst  # numerics; most servers never need them

    return Analyst(db, claim)


def end_with_parent(ending: threading.Event) -> None:
    """End once standard input does: whoever started this process is gone."""
    sys.stdin.buffer.read()
    ending.set()
    time.sleep(_GRACE)
    os._exit(0)  # nothing is lost: what is not written is computed again
