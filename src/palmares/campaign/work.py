"""Give a judge the next screen: practice first, then work left open, then work that others left, then new work."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

import sqlalchemy as sa

from . import journal, schema
from .database import Database
from .definition import PairInfo, language_pairs, settings_of
from .design import Designer, eligible_segments
from .errors import ConsentNeeded
from .leases import alive, close_if_done, needs, renew, unanswered
from .people import Person
from .settings import Settings
from .stopping import has_stopped

_RANDOM = secrets.SystemRandom()
#: HITs that others left are looked through so many at a time.
_LOOKED_AT = 100


def next_screen(db: Database, person: Person, *, rng: Random = _RANDOM) -> str | None:
    """The public id of the screen this judge is to see now; None if there is nothing for them."""
    if not person.consented:
        raise ConsentNeeded
    with db.begin() as tx:
        return _Desk(db, tx, person, settings_of(tx, person.campaign_id), rng, db.clock()).next_screen()


@dataclass(frozen=True)
class _Desk:
    """One judge asking for work, in one transaction."""

    db: Database
    tx: sa.Connection
    person: Person
    settings: Settings
    rng: Random
    now: datetime

    def next_screen(self) -> str | None:
        # One request of a judge at a time: two windows must be given the same work.
        self.tx.execute(sa.select(schema.person.c.id).where(schema.person.c.id == self.person.id).with_for_update())
        if self.settings.judge.practice and not self.person.practised:
            practice = self._practice()
            if practice is not None:
                return practice
        resumed = self._resume()
        if resumed is not None:
            return resumed
        if not self._open():
            return None
        for pair in self._pairs():
            self._lock(pair)
            if has_stopped(self.tx, pair.id, self.settings.stop):
                continue
            screen = self._left_by_others(pair) or self._new(pair)
            if screen is not None:
                return screen
        return None

    # -- practice --------------------------------------------------------------------------------

    def _practice(self) -> str | None:
        served, screen = schema.served, schema.screen
        mine = sa.select(served.c.public_id).join(screen, served.c.screen_id == screen.c.id)
        mine = mine.where(served.c.person_id == self.person.id, screen.c.purpose == "practice")
        known: str | None = self.tx.execute(mine).scalar()
        if known is not None:
            return known
        for pair in self._pairs():
            screen_id = self._designer(pair).practice_screen()
            if screen_id is not None:
                return self._serve(screen_id, None, 0)
        return None

    # -- work in hand ----------------------------------------------------------------------------

    def _resume(self) -> str | None:
        """Go on with a lease that is not finished, unless others have done the work in the meantime."""
        lease = schema.lease.c
        query = sa.select(lease.id, lease.hit_id).where(lease.person_id == self.person.id, lease.finished_at.is_(None))
        for lease_id, hit_id in self.tx.execute(query.order_by(lease.id)).all():
            left = unanswered(self.tx, lease_id)
            if left and self._still_wanted(lease_id, hit_id):
                renew(self.tx, lease_id, self.now)
                return left[0]
            self.tx.execute(schema.lease.update().where(lease.id == lease_id).values(finished_at=self.now))
            close_if_done(self.tx, hit_id, self.now, self.settings.hit.lease_minutes)
            if left:
                self._journal("lease-returned", lease=lease_id)
        return None

    def _still_wanted(self, lease_id: int, hit_id: int) -> bool:
        minutes = self.settings.hit.lease_minutes
        living = sa.select(schema.lease.c.id).where(schema.lease.c.id == lease_id, alive(self.now, minutes))
        if self.tx.execute(living).first():
            return True
        return bool(needs(self.tx, [hit_id], self.now, minutes, besides=self.person.id)[hit_id])

    # -- other work ------------------------------------------------------------------------------

    def _left_by_others(self, pair: PairInfo) -> str | None:
        """Take over a HIT that wants more judges than it has."""
        hit, lease = schema.hit, schema.lease
        mine = sa.exists().where(lease.c.hit_id == hit.c.id, lease.c.person_id == self.person.id)
        query = sa.select(hit.c.id).where(hit.c.language_pair_id == pair.id, hit.c.closed.is_(False), ~mine)
        candidates = list(self.tx.scalars(query.order_by(hit.c.id).limit(_LOOKED_AT)))
        if not candidates:
            return None
        wanted = needs(self.tx, candidates, self.now, self.settings.hit.lease_minutes)
        allowed = eligible_segments(self.tx, pair.id, self.person.id, self.settings.judge.per_segment)
        for hit_id, screens in wanted.items():
            if screens and self._segments(screens) <= allowed.keys():
                return self._lease(hit_id, screens)
        return None

    def _new(self, pair: PairInfo) -> str | None:
        hit_id = self._designer(pair).new_hit(self.person.id)
        if hit_id is None:
            return None
        column = schema.screen.c
        screens = self.tx.scalars(sa.select(column.id).where(column.hit_id == hit_id).order_by(column.position))
        return self._lease(hit_id, list(screens))

    def _lease(self, hit_id: int, screens: list[int]) -> str:
        """Give the judge these screens, perhaps with one they have answered before."""
        values = {"hit_id": hit_id, "person_id": self.person.id, "created_at": self.now, "renewed_at": self.now}
        insert = schema.lease.insert().values(values).returning(schema.lease.c.id)
        lease_id = int(self.tx.execute(insert).scalar_one())
        asked: list[tuple[int, int | None]] = [(screen_id, None) for screen_id in screens]
        for repeat in self._repeats(len(screens)):
            asked.insert(self.rng.randrange(len(asked) + 1), repeat)
        ids = [self._serve(screen, lease_id, i, repeat_of=of) for i, (screen, of) in enumerate(asked)]
        self._journal("leased", lease=lease_id, hit=hit_id, screens=len(ids))
        return ids[0]

    def _repeats(self, fresh: int) -> list[tuple[int, int]]:
        """Earlier screens to ask again, so that on average the wanted share of all screens are repeats."""
        share = self.settings.controls.repeats
        expected = fresh * share / (1 - share)
        number = int(expected) + (self.rng.random() < expected % 1)
        if not number:
            return []
        served, screen, judgment = schema.served, schema.screen, schema.judgment
        again = served.alias("again")
        query = (
            sa.select(served.c.screen_id, served.c.id)
            .join(screen, served.c.screen_id == screen.c.id)
            .where(served.c.person_id == self.person.id, served.c.repeat_of.is_(None), served.c.lease_id.is_not(None))
            .where(screen.c.control.is_(None))
            .where(sa.exists().where(judgment.c.served_id == served.c.id, judgment.c.ranks.is_not(None)))
            .where(~sa.exists().where(again.c.repeat_of == served.c.id))
            .order_by(served.c.id)
        )
        # The latest HIT is too fresh in mind.
        known = [(screen_id, served_id) for screen_id, served_id in self.tx.execute(query)][
            : -self.settings.hit.screens
        ]
        return self.rng.sample(known, min(number, len(known)))

    def _serve(self, screen_id: int, lease_id: int | None, position: int, repeat_of: int | None = None) -> str:
        column = schema.screen_output.c
        places = list(self.tx.scalars(sa.select(column.output_id).where(column.screen_id == screen_id)))
        self.rng.shuffle(places)
        public_id = secrets.token_urlsafe(16)
        self.tx.execute(
            schema.served.insert().values(
                public_id=public_id,
                lease_id=lease_id,
                screen_id=screen_id,
                person_id=self.person.id,
                position=position,
                places=places,
                repeat_of=repeat_of,
                created_at=self.now,
            )
        )
        return public_id

    # -- small questions -------------------------------------------------------------------------

    def _open(self) -> bool:
        state = sa.select(schema.campaign.c.state).where(schema.campaign.c.id == self.person.campaign_id)
        until = self.settings.stop.until
        return self.tx.execute(state).scalar_one() == "open" and (until is None or self.now < until)

    def _pairs(self) -> list[PairInfo]:
        """The judge's language pairs, the one with the fewest screens so far first."""
        allowed = self.person.langs
        pairs = [p for p in language_pairs(self.tx, self.person.campaign_id) if not allowed or p.name in allowed]
        hit = schema.hit.c
        query = sa.select(hit.language_pair_id, sa.func.count()).group_by(hit.language_pair_id)
        rows = self.tx.execute(query.where(hit.language_pair_id.in_([p.id for p in pairs])))
        made: dict[int, int] = dict(rows.all())
        return sorted(pairs, key=lambda pair: made.get(pair.id, 0))

    def _lock(self, pair: PairInfo) -> None:
        """Keep others from giving out work of this pair at the same time (SQLite has one writer anyway)."""
        column = schema.language_pair.c
        self.tx.execute(sa.select(column.id).where(column.id == pair.id).with_for_update())

    def _segments(self, screens: list[int]) -> set[int]:
        column = schema.screen.c
        return set(self.tx.scalars(sa.select(column.segment_id).where(column.id.in_(screens))))

    def _designer(self, pair: PairInfo) -> Designer:
        return Designer(self.tx, pair, self.settings, self.rng, self.now)

    def _journal(self, kind: str, **body: Any) -> None:
        journal.record(self.tx, self.db, self.person.campaign_id, kind, person_id=self.person.id, **body)
