"""HITs that are designed ahead of demand, so that nobody waits for a design: made, counted, thrown away when too old.

A HIT of the stock is an open HIT that was given to nobody yet; who asks for work is given the oldest one that suits
them. What a design should know changes with every answer, and with the settings: a HIT that is older than
``hit.ahead_minutes``, or than the settings in force, is thrown away, and what it counted for is taken back.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from itertools import combinations
from math import ceil

import sqlalchemy as sa
from sqlalchemy import bindparam

from . import schema
from .admission import Admission
from .database import Database
from .definition import PairInfo, language_pairs, lock, settings_of, state_of
from .hits import Designer, all_segments, count_designed, count_hits
from .leases import alive
from .stopping import screens_left_at_a_glance

log = logging.getLogger("palmares.campaign")

#: HITs that are kept ready for a language pair: so many for each judge at work, and between these numbers in all.
_PER_JUDGE, _FEWEST, _MOST = 2, 4, 32
#: Seconds; no more often is a campaign's stock looked at.
_PAUSE = 0.02

_HIT, _LEASE, _SCREEN, _SHOWN = schema.hit.c, schema.lease.c, schema.screen.c, schema.screen_output.c
_IN_STOCK = sa.and_(
    _HIT.language_pair_id == bindparam("pair"),
    sa.text("not hit.closed"),
    ~sa.exists().where(_LEASE.hit_id == _HIT.id),
)
_COUNT = sa.select(sa.func.count()).select_from(schema.hit).where(_IN_STOCK)
_OUTDATED = sa.select(_HIT.id).where(_IN_STOCK, _HIT.created_at < bindparam("since"))
_PAIR = schema.language_pair.c
LOCK_PAIR = sa.select(_PAIR.id).where(_PAIR.id == bindparam("pair")).with_for_update(key_share=True)


def discard_outdated(tx: sa.Connection, pair_id: int, judge: Admission, now: datetime) -> int:
    """Throw HITs away that were designed too long ago, or under other settings; how many. The caller holds the pair."""
    since = max(now - timedelta(minutes=judge.settings.hit.ahead_minutes), judge.set_at)
    hits = list(tx.scalars(_OUTDATED, {"pair": pair_id, "since": since}))
    if hits:
        _discard(tx, hits)
        count_hits(tx, pair_id, -len(hits))
    return len(hits)


def in_stock(tx: sa.Connection, pair_id: int) -> int:
    """How many HITs of a language pair were given to nobody yet."""
    return int(tx.execute(_COUNT, {"pair": pair_id}).scalar_one())


def _discard(tx: sa.Connection, hits: list[int]) -> None:
    output, link = schema.output.c, schema.output_system.c
    query = (
        sa.select(_SCREEN.id, _SCREEN.segment_id, link.system_id)
        .join(schema.screen_output, _SHOWN.screen_id == _SCREEN.id)
        .join(schema.output, output.id == _SHOWN.output_id)
        .outerjoin(schema.output_system, link.output_id == output.id)
        .where(_SCREEN.hit_id.in_(hits))
    )
    segments: dict[int, int] = {}
    systems: dict[int, list[int]] = {}
    for screen_id, segment_id, system_id in tx.execute(query):
        segments[screen_id] = segment_id
        if system_id is not None:
            systems.setdefault(screen_id, []).append(system_id)
    chosen, met = Counter[int](), Counter[tuple[int, int]]()
    for several in systems.values():
        chosen.subtract(several)
        met.subtract(combinations(sorted(several), 2))
    fewer = Counter[int]()
    fewer.subtract(segments.values())
    count_designed(tx, chosen, met, fewer)
    tx.execute(schema.screen_output.delete().where(_SHOWN.screen_id.in_(segments)))
    tx.execute(schema.screen.delete().where(_SCREEN.hit_id.in_(hits)))
    tx.execute(schema.hit.delete().where(_HIT.id.in_(hits)))


def restock(db: Database, campaign_id: int) -> int:
    """Design HITs for the language pairs of a campaign that have few ready; how many."""
    with db.read() as tx:
        lacking = [pair for pair in language_pairs(tx, campaign_id) if _lacking(tx, campaign_id, pair, db.clock())]
    return sum(db.write(partial(_design, db=db, campaign_id=campaign_id, pair=pair)) for pair in lacking)


def _lacking(tx: sa.Connection, campaign_id: int, pair: PairInfo, now: datetime) -> int:
    """How many HITs to design now; none while half of those wanted are there."""
    settings = settings_of(tx, campaign_id)
    until, minutes = settings.stop.until, settings.hit.lease_minutes
    if state_of(tx, campaign_id) != "open" or not settings.hit.ahead_minutes or (until is not None and now >= until):
        return 0
    at_work = (
        sa.select(sa.func.count(_LEASE.person_id.distinct()))
        .join(schema.hit, _LEASE.hit_id == _HIT.id)
        .where(_HIT.language_pair_id == pair.id, alive(now, minutes))
    )
    judges = tx.execute(at_work).scalar_one()
    wanted = min(max(_PER_JUDGE * judges, _FEWEST), _MOST) if judges else 0
    left = screens_left_at_a_glance(tx, pair.id, settings.stop.rule, now, minutes)
    if left is not None:
        wanted = min(wanted, ceil(left / settings.hit.screens))
    there = in_stock(tx, pair.id)
    return wanted - there if 2 * there < wanted else 0


def _design(tx: sa.Connection, db: Database, campaign_id: int, pair: PairInfo) -> int:
    lock(tx, campaign_id)  # what is designed under settings that are just being replaced would pass for new
    tx.execute(LOCK_PAIR, {"pair": pair.id})
    now = db.clock()
    number = _lacking(tx, campaign_id, pair, now)  # another worker may have been faster
    segments = all_segments(tx, pair.id) if number else {}
    if not segments:
        return 0
    settings = settings_of(tx, campaign_id)
    designer = Designer(tx, pair, settings, secrets.SystemRandom(), now)
    return len(designer.new_hits(segments, settings.hit.screens, number))


class Restocker:
    """A thread that keeps stocks filled while judges work. It is told of every answer, and looks when it can."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._campaigns: set[int] = set()
        self._news = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="palmares-restocker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._news:
            self._stopped = True
            self._news.notify()
        self._thread.join()

    def look_at(self, campaign_id: int) -> None:
        """Say that work of this campaign was given out."""
        with self._news:
            self._campaigns.add(campaign_id)
            self._news.notify()

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._campaigns or self._stopped)
                if self._stopped:
                    return
                campaigns, self._campaigns = self._campaigns, set()
            for campaign_id in campaigns:
                try:
                    restock(self._db, campaign_id)
                except Exception:  # judges still get work, designed while they wait
                    log.exception("designing ahead failed")
            time.sleep(_PAUSE)
