"""Give a judge the next screen: practice first, then work left open, then work that others left, then new work.

The next HIT may be given while its judge still reads the last screen of the one before, so that nobody waits for it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from .hits import Designer, open_segments, store_screens
from .people import Person
from .progress import progress_of
from .repeats import Repeat, choose_repeats
from .stopping import screens_left

_RANDOM = secrets.SystemRandom()
#: A lease is renewed once this share of its time has passed, not at every look.
_RENEWED_AFTER = 0.1
#: Screens; more than judges can be given at the same moment.
_NEAR_THE_END = 1000

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
        in_hand = at_a_glance(tx, look_at(tx, person.id), db.clock())
    return in_hand if in_hand is not None else _given(db, person, rng, Desk.serve, set(tried))


def lease_ahead(db: Database, person: Person, *, rng: Random = _RANDOM) -> str | None:
    """Give the next HIT to a judge who has one screen left to answer: the public id of its first screen.

    However often they ask, it is the same HIT. None if they hold more than one screen, will have done what was asked
    with it, or there is nothing for them. A HIT that they never come to goes back to the pool as any other.
    """
    return _given(db, person, rng, Desk.serve_ahead, set())


def _given(
    db: Database,
    person: Person,
    rng: Random,
    serve: Callable[[Desk, set[int]], tuple[str | None, PairInfo | None]],
    tried: set[int],
) -> str | None:
    """Ask for work until there is some, or no language pair is left to try."""
    while True:
        # A language pair a transaction: two judges who hold one each and want the other's would wait for ever.
        screen, pair = db.write(lambda tx: serve(Desk(db, tx, admit(tx, person.id), rng, db.clock()), tried))
        if screen is not None or pair is None:
            return screen
        tried.add(pair.id)


def at_a_glance(tx: sa.Connection, admission: Admission, now: datetime) -> str | None:
    """The screen that a judge was about to answer, if nothing has to be written down to say so."""
    admission.check_judge()
    person_id = admission.person_id
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
        if self.admission.state == "closed" or self.admission.is_through:  # no answer would be taken
            return None, None
        resumed = self._resume()
        if resumed is not None or not self._gives_new_work:
            return resumed, None
        pairs = self._pairs()
        if self._needs_practice:
            practice = self._practice(pairs)
            if practice is not None:
                return practice, None
        pair = next((pair for pair in pairs if pair.id not in tried), None)
        return (None if pair is None else self._work(pair)), pair

    def serve_ahead(self, tried: set[int]) -> tuple[str | None, PairInfo | None]:
        """As `serve`, for a judge who is about to answer the last screen in hand: what comes after it."""
        self.admission.check_judge()
        judge = replace(self.admission, done=self.admission.done + 1)  # as it will be then
        if judge.state == "closed" or judge.is_through:
            return None, None
        held = [
            (hit_id, left)
            for lease_id, hit_id, _ in self.tx.execute(_UNFINISHED, {"judge": self._judge}).all()
            if (left := leases.unanswered(self.tx, lease_id))
        ]
        if not held or len(held[0][1]) > 1:
            return None, None
        if len(held) > 1:  # it was given before
            hit_id, left = held[1]
            return leases.first_wanted(self.tx, left, hit_id, self._judge), None
        if not self._gives_new_work or self._needs_practice:
            return None, None
        if judge.done >= progress_of(self.tx, self.admission, self.db).target:  # then it is for them to say
            return None, None
        pair = next((pair for pair in self._pairs() if pair.id not in tried), None)
        return (None if pair is None else replace(self, admission=judge)._work(pair)), pair

    @property
    def _gives_new_work(self) -> bool:
        until = self.admission.settings.stop.until
        return self.admission.state == "open" and (until is None or self.now < until)

    @property
    def _needs_practice(self) -> bool:
        return self.admission.settings.judge.practice and not self.admission.practised

    @property
    def _judge(self) -> int:
        return self.admission.person_id

    # -- practice --------------------------------------------------------------------------------

    def _practice(self, pairs: list[PairInfo]) -> str | None:
        known: str | None = self.tx.execute(_PRACTICE, {"judge": self._judge}).scalar()
        if known is not None:
            return known
        for pair in pairs:
            screen = self._designer(pair).practice()
            if screen is not None:
                (screen_id,) = store_screens(self.tx, [(None, 0, "practice", screen)], self.now)
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
        left = self._left(pair)
        if left == 0:
            return None
        settings = self.admission.settings
        hit = settings.hit
        size = hit.screens if left is None else min(hit.screens, left)
        # Repeats take the places of new screens, but for one: whoever may do only one more is given no repeat with it.
        repeats = [] if self._limit(None) == 1 else choose_repeats(self.tx, self.admission, size, self.rng)
        new = max(1, size - len(repeats))
        if stock.is_outdated(self.tx, pair.id, self.admission, self.now):
            self._lock(pair)
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
        design = self._designer(pair).design(segments, new)
        self._lock(pair)  # after the choosing: others would wait for it
        ((hit_id, screens),) = design.store(self.tx, self.now)
        return self._lease(hit_id, screens, repeats, fresh=True)

    def _left(self, pair: PairInfo) -> int | None:
        """How many screens may still be given out to this judge; None if nothing limits them.

        Far from the end, work is given to several judges at once; near it, to one after the other, so that there is
        never more than the rule allows.
        """
        stop, minutes = self.admission.settings.stop, self.admission.settings.hit.lease_minutes
        left = screens_left(self.tx, pair.id, stop, self.now, minutes)
        if left is not None and left <= _NEAR_THE_END:
            self._lock(pair)
            left = screens_left(self.tx, pair.id, stop, self.now, minutes)
        return self._limit(left)

    def _lock(self, pair: PairInfo) -> None:
        """Let nobody else store a design for this language pair, or near its end give out work of it, until the end."""
        if self.db.dialect != "sqlite":  # where there is one writer anyway
            self.tx.execute(stock.LOCK_PAIR, {"pair": pair.id})

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
        return Designer(self.tx, pair, self.admission.settings, self.rng)

    def _journal(self, kind: str, person_id: int | None = None, **body: Any) -> None:
        about, campaign_id = person_id or self._judge, self.admission.campaign_id
        journal.record(self.tx, self.db, campaign_id, kind, person_id=about, by=self._judge, **body)


def _meet(insert: Any) -> Any:
    """Count that a judge is given a segment."""
    added = insert.values(person_id=bindparam("person_id"), segment_id=bindparam("segment_id"), times=1)
    met = schema.met.c
    return added.on_conflict_do_update(index_elements=[met.person_id, met.segment_id], set_={"times": met.times + 1})


_MEET = {"sqlite": _meet(sqlite.insert(schema.met)), "postgresql": _meet(postgresql.insert(schema.met))}
