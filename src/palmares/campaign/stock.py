"""HITs that are designed ahead of demand, so that nobody waits for a design: made, counted, thrown away when too old.

A HIT of the stock is an open HIT that was given to nobody yet; who asks for work is given the oldest one that suits
them. What a design should know changes with every answer, and with the settings: a HIT that is older than
``hit.ahead_minutes``, than the settings in force, or, where a strategy learns, than the last ``choice.lag`` answers, is
thrown away, and what it counted for is taken back.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
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
from .hits import Design, Designer, all_segments, count_designed, count_hits, stored_exposure
from .leases import alive
from .settings import Settings
from .snapshots import outdated_since
from .stopping import screens_left_at_a_glance

log = logging.getLogger("palmares.campaign")

#: HITs that are kept ready for a language pair: so many for each judge at work, and between these numbers in all.
_PER_JUDGE, _FEWEST, _MOST = 2, 4, 48
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
#: One worker at a time designs ahead for a language pair. PostgreSQL keeps such claims by number; on SQLite, one that
#: nobody gave back ends by itself.
_DESIGNING = 1_178_420
_LONGEST_DESIGN = timedelta(seconds=10)
_CLAIM = (
    schema.language_pair.update()
    .where(_PAIR.id == bindparam("pair"))
    .where(sa.or_(_PAIR.designing_until.is_(None), _PAIR.designing_until < bindparam("now")))
    .values(designing_until=bindparam("until"))
)
_RELEASE = schema.language_pair.update().where(_PAIR.id == bindparam("pair")).values(designing_until=None)


def is_outdated(tx: sa.Connection, pair_id: int, judge: Admission, now: datetime) -> bool:
    """Whether there are HITs that were designed too long ago, or under other settings."""
    return tx.execute(_OUTDATED, {"pair": pair_id, "since": _since(tx, pair_id, judge, now)}).first() is not None


def discard_outdated(tx: sa.Connection, pair_id: int, judge: Admission, now: datetime) -> None:
    """Throw such HITs away. The caller holds the pair; those that are being given out at this moment are left alone."""
    outdated = {"pair": pair_id, "since": _since(tx, pair_id, judge, now)}
    held = set(tx.scalars(_OUTDATED.with_for_update(of=schema.hit, skip_locked=True), outdated))
    hits = held.intersection(tx.scalars(_OUTDATED, outdated))  # not those that were given out before they were held
    if hits:
        _discard(tx, sorted(hits))
        count_hits(tx, pair_id, -len(hits))


def discard_all(tx: sa.Connection, pair_id: int) -> None:
    """Throw away all that was given to nobody yet: it was designed without knowing what has just changed.

    The caller holds the pair; what is being given out at this moment is left alone.
    """
    every = sa.select(_HIT.id).where(_IN_STOCK)
    held = set(tx.scalars(every.with_for_update(of=schema.hit, skip_locked=True), {"pair": pair_id}))
    hits = held.intersection(tx.scalars(every, {"pair": pair_id}))
    if hits:
        _discard(tx, sorted(hits))
        count_hits(tx, pair_id, -len(hits))


def _since(tx: sa.Connection, pair_id: int, judge: Admission, now: datetime) -> datetime:
    since = max(now - timedelta(minutes=judge.settings.hit.ahead_minutes), judge.set_at)
    unlearned = outdated_since(tx, pair_id, judge.settings.choice)
    return since if unlearned is None else max(since, unlearned)


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
    """Design HITs for the language pairs of a campaign that have few ready; how many.

    They are thought of by what was chosen when this began. What judges are given meanwhile is not known to them.
    """
    with db.read() as tx:
        lacking = [pair for pair in language_pairs(tx, campaign_id) if _lacking(tx, campaign_id, pair, db.clock())]
    return sum(_restock(db, campaign_id, pair) for pair in lacking)


def _restock(db: Database, campaign_id: int, pair: PairInfo) -> int:
    now = db.clock()
    with _claimed(db, pair.id, now) as tx:
        if tx is None:  # another worker is at it
            return 0
        number = _lacking(tx, campaign_id, pair, now)  # the one before may have been through with it
        segments = all_segments(tx, pair.id) if number else {}
        if not segments:
            return 0
        settings = settings_of(tx, campaign_id)
        design = Designer(tx, pair, settings, secrets.SystemRandom()).design(segments, settings.hit.screens, number)
        return db.write(partial(_stored, db=db, campaign_id=campaign_id, settings=settings, design=design))


def _stored(tx: sa.Connection, db: Database, campaign_id: int, settings: Settings, design: Design) -> int:
    lock(tx, campaign_id)  # what is stored while settings are being replaced would pass for new
    if settings_of(tx, campaign_id) != settings:
        return 0
    tx.execute(LOCK_PAIR, {"pair": design.pair_id})
    if set(stored_exposure(tx, design.pair_id).systems) != set(design.systems):  # a system was added meanwhile
        return 0
    return len(design.store(tx, db.clock()))


@contextmanager
def _claimed(db: Database, pair_id: int, now: datetime) -> Iterator[sa.Connection | None]:
    """A transaction to design in that only one worker has for a language pair; None for the others."""
    if db.dialect != "sqlite":
        with db.read() as tx:
            claimed = tx.execute(sa.select(sa.func.pg_try_advisory_xact_lock(_DESIGNING, pair_id))).scalar_one()
            yield tx if claimed else None
        return
    claim = {"pair": pair_id, "now": now, "until": now + _LONGEST_DESIGN}
    if not db.write(lambda tx: tx.execute(_CLAIM, claim).rowcount):
        yield None
        return
    try:
        with db.read() as tx:
            yield tx
    finally:
        db.write(lambda tx: tx.execute(_RELEASE, {"pair": pair_id}))


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
    left = screens_left_at_a_glance(tx, pair.id, settings.stop, now, minutes)
    if left is not None:
        wanted = min(wanted, ceil(left / settings.hit.screens))
    there = in_stock(tx, pair.id)
    return wanted - there if 2 * there < wanted else 0


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
