"""Give a judge the next screen: practice first, then work left open, then work that others left, then new work."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.dialects import postgresql, sqlite

from . import journal, leases, schema, stock
from .admission import Admission, admit, look_at
from .database import Database
from .definition import PairInfo, language_pairs
from .hits import Designer, open_segments
from .people import Person
from .repeats import Repeat, choose_repeats
from .stopping import screens_left

_RANDOM = secrets.SystemRandom()
#: A lease is renewed once this share of its time has passed, not at every look.
_RENEWED_AFTER = 0.1

_LEASE, _SERVED, _SCREEN = schema.lease.c, schema.served.c, schema.screen.c
_UNFINISHED = (
    sa.select(_LEASE.id, _LEASE.hit_id, _LEASE.renewed_at)
    .where(_LEASE.person_id == bindparam("judge"), _LEASE.finished_at.is_(None))
    .order_by(_LEASE.id)
)
_AGAIN = (
    schema.lease.update()
    .where(_LEASE.hit_id == bindparam("hit"), _LEASE.person_id == bindparam("judge"))
    .values(finished_at=None, renewed_at=bindparam("now"))
    .returning(_LEASE.id)
)
_NEW_LEASE = schema.lease.insert().returning(_LEASE.id)
_SHOWN = (
    sa.select(schema.screen_output.c.screen_id, schema.screen_output.c.output_id, _SCREEN.segment_id)
    .join(schema.screen, _SCREEN.id == schema.screen_output.c.screen_id)
    .where(schema.screen_output.c.screen_id.in_(bindparam("screens", expanding=True)))
    .order_by(schema.screen_output.c.screen_id, schema.screen_output.c.output_id)
)
_PRACTICE = (
    sa.select(_SERVED.public_id)
    .join(schema.screen, _SERVED.screen_id == _SCREEN.id)
    .where(_SERVED.person_id == bindparam("judge"), _SCREEN.purpose == "practice")
)


def next_screen(db: Database, person: Person, *, rng: Random = _RANDOM, tried: Sequence[int] = ()) -> str | None:
    """The public id of the screen this judge is to see now; None if there is nothing for them.

    ``tried`` are language pairs that have nothing for them, as far as is known.
    """
    with db.read() as tx:
        in_hand = _at_a_glance(tx, person.id, db.clock())
    if in_hand is not None:
        return in_hand
    without = set(tried)
    while True:
        # A language pair a transaction: two judges who hold one each and want the other's would wait for ever.
        screen, pair = db.write(lambda tx: Desk(db, tx, admit(tx, person.id), rng, db.clock()).serve(without))
        if screen is not None or pair is None:
            return screen
        without.add(pair.id)


def _at_a_glance(tx: sa.Connection, person_id: int, now: datetime) -> str | None:
    """The screen that a judge was about to answer, if nothing has to be written down to say so."""
    admission = look_at(tx, person_id)
    admission.check_judge()
    if admission.state == "closed" or admission.is_through:
        return None
    held = tx.execute(_UNFINISHED, {"judge": person_id}).all()
    fresh = now - timedelta(minutes=_RENEWED_AFTER * admission.settings.hit.lease_minutes)
    if not held or not fresh < held[0].renewed_at <= now:
        return None
    return leases.first_wanted(tx, leases.unanswered(tx, held[0].id), held[0].hit_id, person_id)


@dataclass(frozen=True)
class Desk:
    """One judge asking for work, in one transaction that has admitted them."""

    db: Database
    tx: sa.Connection
    admission: Admission
    rng: Random
    now: datetime

    def serve(self, tried: set[int]) -> tuple[str | None, PairInfo | None]:
        """A screen; else the language pair that had none, if there may be one in another."""
        self.admission.check_judge()
        settings, state = self.admission.settings, self.admission.state
        if state == "closed" or self.admission.is_through:  # no answer would be taken
            return None, None
        resumed = self._resume()
        until = settings.stop.until
        if resumed is not None or state != "open" or (until is not None and self.now >= until):
            return resumed, None
        pairs = self._pairs()
        if settings.judge.practice and not self.admission.practised:
            practice = self._practice(pairs)
            if practice is not None:
                return practice, None
        pair = next((pair for pair in pairs if pair.id not in tried), None)
        return (None if pair is None else self._work(pair)), pair

    @property
    def _judge(self) -> int:
        return self.admission.person_id

    # -- practice --------------------------------------------------------------------------------

    def _practice(self, pairs: list[PairInfo]) -> str | None:
        known: str | None = self.tx.execute(_PRACTICE, {"judge": self._judge}).scalar()
        if known is not None:
            return known
        for pair in pairs:
            screen_id = self._designer(pair).practice_screen()
            if screen_id is not None:
                return self._serve(None, [(screen_id, None)])[0]
        return None

    # -- work in hand ----------------------------------------------------------------------------

    def _resume(self) -> str | None:
        """Go on with a lease that is not finished, unless others have done the work in the meantime."""
        for lease_id, hit_id, _ in self.tx.execute(_UNFINISHED, {"judge": self._judge}).all():
            left = leases.unanswered(self.tx, lease_id)
            wanted = leases.first_wanted(self.tx, left, hit_id, self._judge)
            if wanted is not None:
                leases.renew(self.tx, lease_id, self.now)
                return wanted
            leases.finish(self.tx, [lease_id], self.now)
            if left:
                self._journal("lease-returned", lease=lease_id, hit=hit_id, screens=len(left))
        return None

    # -- other work ------------------------------------------------------------------------------

    def _work(self, pair: PairInfo) -> str | None:
        """Work of one language pair: what others left or what was designed ahead, else something new."""
        if self.db.dialect != "sqlite":  # where there is one writer anyway: no one else gives out work of this pair
            self.tx.execute(stock.LOCK_PAIR, {"pair": pair.id})
        settings = self.admission.settings
        hit = settings.hit
        left = self._limit(screens_left(self.tx, pair.id, settings.stop.rule, self.now, hit.lease_minutes))
        if left == 0:
            return None
        size = hit.screens if left is None else min(hit.screens, left)
        repeats = choose_repeats(self.tx, self.admission, size, self.rng)
        # Repeats take the places of new screens.
        new = max(1, size - len(repeats))
        stock.discard_outdated(self.tx, pair.id, self.admission, self.now)
        per_segment = settings.judge.per_segment
        opening = leases.first_opening(
            self.tx, pair.id, self._judge, per_segment=per_segment, now=self.now, minutes=hit.lease_minutes
        )
        if opening is not None:
            return self._lease(opening.hit_id, opening.screens[:new], repeats, fresh=opening.fresh)
        segments = open_segments(self.tx, pair.id, self._judge, per_segment)
        if not segments:
            return None
        hit_id, screens = self._designer(pair).new_hit(segments, new)
        return self._lease(hit_id, screens, repeats, fresh=True)

    def _limit(self, left: int | None) -> int | None:
        """What the stopping rule leaves, and what this judge may do at most."""
        most = self.admission.most
        if most is None:
            return left
        own = most - self.admission.done
        return own if left is None else min(left, own)

    def _lease(self, hit_id: int, screens: Sequence[int], repeats: list[Repeat], *, fresh: bool) -> str:
        """Give the judge these screens of a HIT, and some that they have answered before.

        ``fresh``: the HIT was given to nobody before.
        """
        known: dict[str, int | None] = {}
        before = 0
        lease_id = None if fresh else self._taken_up(hit_id)
        if lease_id is None:
            values = {"hit_id": hit_id, "person_id": self._judge, "created_at": self.now, "renewed_at": self.now}
            lease_id = int(self.tx.execute(_NEW_LEASE, values).scalar_one())
        else:
            known = leases.unanswered(self.tx, lease_id)
            count = sa.select(sa.func.count()).where(_SERVED.lease_id == lease_id)
            before = self.tx.execute(count).scalar_one()
        asked: list[tuple[int, int | None]] = [(screen, None) for screen in screens if screen not in known.values()]
        for repeat in repeats:
            asked.insert(self.rng.randrange(len(asked) + 1), (repeat.screen_id, repeat.repeat_of))
        ids = self._serve(lease_id, asked, before) if asked else []
        self._journal("leased", lease=lease_id, hit=hit_id, screens=len(screens) + len(repeats))
        return next((public_id for public_id, screen in known.items() if screen in screens), None) or ids[0]

    def _taken_up(self, hit_id: int) -> int | None:
        """End the leases of those who left this HIT lying; the judge's own that was given back is taken up again."""
        gone = leases.lapsed(self.tx, hit_id, self.now, self.admission.settings.hit.lease_minutes)
        leases.finish(self.tx, list(gone), self.now)
        for lease_id, person_id in gone.items():
            self._journal("lease-returned", person_id=person_id, lease=lease_id, hit=hit_id)
        mine = {"hit": hit_id, "judge": self._judge, "now": self.now}
        known: int | None = self.tx.execute(_AGAIN, mine).scalar()
        return known

    def _serve(self, lease_id: int | None, asked: list[tuple[int, int | None]], first: int = 0) -> list[str]:
        """Put screens before the judge, their outputs in an order by chance; return public ids.

        ``asked`` are screens, each with the record of its first showing if it is a repeat; ``first`` is a position.
        """
        outputs: dict[int, list[int]] = {}
        segments: dict[int, int] = {}
        for screen_id, output_id, segment_id in self.tx.execute(_SHOWN, {"screens": [key for key, _ in asked]}):
            outputs.setdefault(screen_id, []).append(output_id)
            segments[screen_id] = segment_id
        rows = [
            {
                "public_id": secrets.token_urlsafe(16),
                "lease_id": lease_id,
                "screen_id": screen_id,
                "person_id": self._judge,
                "position": position,
                "places": self.rng.sample(outputs[screen_id], len(outputs[screen_id])),
                "repeat_of": repeat_of,
                "created_at": self.now,
            }
            for position, (screen_id, repeat_of) in enumerate(asked, first)
        ]
        self.tx.execute(schema.served.insert(), rows)
        if lease_id is not None:
            new = [segments[screen_id] for screen_id, repeat_of in asked if repeat_of is None]
            if new:
                self.tx.execute(_MEET[self.db.dialect], [{"person_id": self._judge, "segment_id": s} for s in new])
        return [str(row["public_id"]) for row in rows]

    # -- small questions -------------------------------------------------------------------------

    def _pairs(self) -> list[PairInfo]:
        """The judge's language pairs, the one of which the fewest HITs were given out first."""
        allowed = self.admission.langs
        pairs = [p for p in language_pairs(self.tx, self.admission.campaign_id) if not allowed or p.name in allowed]
        if len(pairs) < 2:
            return pairs
        return sorted(pairs, key=lambda pair: pair.hits - stock.in_stock(self.tx, pair.id))

    def _designer(self, pair: PairInfo) -> Designer:
        return Designer(self.tx, pair, self.admission.settings, self.rng, self.now)

    def _journal(self, kind: str, person_id: int | None = None, **body: Any) -> None:
        about, campaign_id = person_id or self._judge, self.admission.campaign_id
        journal.record(self.tx, self.db, campaign_id, kind, person_id=about, by=self._judge, **body)


def _meet(insert: Any) -> Any:
    """Count that a judge is given a segment."""
    added = insert.values(person_id=bindparam("person_id"), segment_id=bindparam("segment_id"), times=1)
    met = schema.met.c
    return added.on_conflict_do_update(index_elements=[met.person_id, met.segment_id], set_={"times": met.times + 1})


_MEET = {"sqlite": _meet(sqlite.insert(schema.met)), "postgresql": _meet(postgresql.insert(schema.met))}
