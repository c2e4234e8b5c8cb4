"""Give a judge the next screen: practice first, then work left open, then work that others left, then new work."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

import sqlalchemy as sa

from . import Role, journal, leases, schema
from .crowd import ended
from .database import Database
from .definition import PairInfo, language_pairs, settings_of, state_of
from .hits import Designer, open_segments
from .people import Person
from .refusals import ConsentNeeded, JudgesOnly
from .settings import ControlSettings, Settings
from .stopping import screens_left

_RANDOM = secrets.SystemRandom()
#: Multiples of it, less their whole part, lie evenly between 0 and 1.
_GOLDEN = (5**0.5 - 1) / 2


def next_screen(db: Database, person: Person, *, rng: Random = _RANDOM) -> str | None:
    """The public id of the screen this judge is to see now; None if there is nothing for them."""
    tried: set[int] = set()
    while True:
        # A language pair a transaction: two judges who hold one each and want the other's would wait for ever.
        with db.begin() as tx:
            settings = settings_of(tx, person.campaign_id)
            screen, pair = _Desk(db, tx, person, settings, rng, db.clock()).serve(tried)
        if screen is not None or pair is None:
            return screen
        tried.add(pair.id)


@dataclass(frozen=True)
class _Desk:
    """One judge asking for work, in one transaction."""

    db: Database
    tx: sa.Connection
    person: Person
    settings: Settings
    rng: Random
    now: datetime

    def serve(self, tried: set[int]) -> tuple[str | None, PairInfo | None]:
        """A screen; else the language pair that had none, if there may be one in another."""
        practised, langs = self._admit()
        if ended(self.tx, self.person.id):
            return None, None
        state = state_of(self.tx, self.person.campaign_id)
        if state == "closed":  # no answer would be taken
            return None, None
        resumed = self._resume()
        until = self.settings.stop.until
        if resumed is not None or state != "open" or (until is not None and self.now >= until):
            return resumed, None
        pairs = self._pairs(langs)
        if self.settings.judge.practice and not practised:
            practice = self._practice(pairs)
            if practice is not None:
                return practice, None
        pair = next((pair for pair in pairs if pair.id not in tried), None)
        return (None if pair is None else self._work(pair)), pair

    def _admit(self) -> tuple[bool, list[str]]:
        """Hold this judge's place, and say whether they have practised, and which language pairs are theirs."""
        # One request of a judge at a time: two windows must be given the same work.
        column = schema.person.c
        query = sa.select(column.role, column.consented_at, column.practised_at, column.langs)
        row = self.tx.execute(query.where(column.id == self.person.id).with_for_update(key_share=True)).one()
        if row.role != Role.JUDGE:
            raise JudgesOnly
        if row.consented_at is None:
            raise ConsentNeeded
        return row.practised_at is not None, row.langs

    # -- practice --------------------------------------------------------------------------------

    def _practice(self, pairs: list[PairInfo]) -> str | None:
        served, screen = schema.served, schema.screen
        mine = sa.select(served.c.public_id).join(screen, served.c.screen_id == screen.c.id)
        mine = mine.where(served.c.person_id == self.person.id, screen.c.purpose == "practice")
        known: str | None = self.tx.execute(mine).scalar()
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
        lease = schema.lease.c
        query = sa.select(lease.id, lease.hit_id).where(lease.person_id == self.person.id, lease.finished_at.is_(None))
        for lease_id, hit_id in self.tx.execute(query.order_by(lease.id)).all():
            left = leases.unanswered(self.tx, lease_id)
            wanted = self._wanted(left, hit_id)
            if wanted is not None:
                leases.renew(self.tx, lease_id, self.now)
                return wanted
            leases.finish(self.tx, [lease_id], self.now)
            if left:
                self._journal("lease-returned", lease=lease_id, hit=hit_id, screens=len(left))
        return None

    def _wanted(self, left: dict[str, int | None], hit_id: int) -> str | None:
        """The first of these screens that still needs this judge."""
        if not left:
            return None
        minutes = self.settings.hit.lease_minutes
        state = leases.states(self.tx, [hit_id], self.now, minutes, besides=self.person.id)[hit_id]
        return next((key for key, screen in left.items() if screen is None or screen in state.needed), None)

    # -- other work ------------------------------------------------------------------------------

    def _work(self, pair: PairInfo) -> str | None:
        """Work of one language pair: what others left, else something new."""
        column = schema.language_pair.c
        # No one else gives out work of this pair meanwhile (on SQLite there is one writer anyway).
        self.tx.execute(sa.select(column.id).where(column.id == pair.id).with_for_update(key_share=True))
        hit = self.settings.hit
        left = screens_left(self.tx, pair.id, self.settings.stop.rule, self.now, hit.lease_minutes)
        if left == 0:
            return None
        per_segment = self.settings.judge.per_segment
        opening = leases.first_opening(
            self.tx, pair.id, self.person.id, per_segment=per_segment, now=self.now, minutes=hit.lease_minutes
        )
        if opening is not None:
            wanted = opening.screens[:left]
            return self._lease(opening.hit_id, wanted, self._repeats(len(wanted)))
        segments = open_segments(self.tx, pair.id, self.person.id, per_segment)
        if not segments:
            return None
        size = hit.screens if left is None else min(hit.screens, left)
        # Repeats take the places of new screens: a longer HIT would give them away.
        repeats = self._repeats(size)
        hit_id, screens = self._designer(pair).new_hit(segments, max(1, size - len(repeats)))
        return self._lease(hit_id, screens, repeats)

    def _repeats(self, screens: int) -> list[Repeat]:
        return choose_repeats(self.tx, self.person.id, screens, self.settings.controls, self.rng)

    def _lease(self, hit_id: int, screens: Sequence[int], repeats: list[Repeat]) -> str:
        """Give the judge these screens of a HIT, and some that they have answered before."""
        self._take_back(hit_id)
        lease_id = self._own_lease(hit_id)
        known = leases.unanswered(self.tx, lease_id)
        new = [screen for screen in screens if screen not in known.values()]
        asked: list[tuple[int, int | None]] = [(screen, None) for screen in new]
        for repeat in repeats:
            asked.insert(self.rng.randrange(len(asked) + 1), (repeat.screen_id, repeat.repeat_of))
        served = schema.served.c
        before = self.tx.execute(sa.select(sa.func.count()).where(served.lease_id == lease_id)).scalar_one()
        ids = self._serve(lease_id, asked, before) if asked else []
        self._journal("leased", lease=lease_id, hit=hit_id, screens=len(screens) + len(repeats))
        return next((public_id for public_id, screen in known.items() if screen in screens), None) or ids[0]

    def _own_lease(self, hit_id: int) -> int:
        """A lease of the HIT; one that was given back is taken up again."""
        lease = schema.lease
        mine = sa.and_(lease.c.hit_id == hit_id, lease.c.person_id == self.person.id)
        again = lease.update().where(mine).values(finished_at=None, renewed_at=self.now).returning(lease.c.id)
        known: int | None = self.tx.execute(again).scalar()
        if known is not None:
            return known
        values = {"hit_id": hit_id, "person_id": self.person.id, "created_at": self.now, "renewed_at": self.now}
        return int(self.tx.execute(lease.insert().values(values).returning(lease.c.id)).scalar_one())

    def _take_back(self, hit_id: int) -> None:
        """End the leases of those who left this HIT lying."""
        gone = leases.lapsed(self.tx, hit_id, self.now, self.settings.hit.lease_minutes)
        if gone:
            leases.finish(self.tx, list(gone), self.now)
        for lease_id, person_id in gone.items():
            self._journal("lease-returned", person_id=person_id, lease=lease_id, hit=hit_id)

    def _serve(self, lease_id: int | None, asked: list[tuple[int, int | None]], first: int = 0) -> list[str]:
        """Put screens before the judge, their outputs in an order by chance; return public ids.

        ``asked`` are screens, each with the record of its first showing if it is a repeat; ``first`` is a position.
        """
        column = schema.screen_output.c
        shown = sa.select(column.screen_id, column.output_id).where(column.screen_id.in_([key for key, _ in asked]))
        outputs: dict[int, list[int]] = {}
        for screen_id, output_id in self.tx.execute(shown.order_by(column.screen_id, column.output_id)):
            outputs.setdefault(screen_id, []).append(output_id)
        rows = [
            {
                "public_id": secrets.token_urlsafe(16),
                "lease_id": lease_id,
                "screen_id": screen_id,
                "person_id": self.person.id,
                "position": position,
                "places": self.rng.sample(outputs[screen_id], len(outputs[screen_id])),
                "repeat_of": repeat_of,
                "created_at": self.now,
            }
            for position, (screen_id, repeat_of) in enumerate(asked, first)
        ]
        self.tx.execute(schema.served.insert(), rows)
        return [str(row["public_id"]) for row in rows]

    # -- small questions -------------------------------------------------------------------------

    def _pairs(self, allowed: list[str]) -> list[PairInfo]:
        """The judge's language pairs, the one with the fewest HITs so far first."""
        pairs = [p for p in language_pairs(self.tx, self.person.campaign_id) if not allowed or p.name in allowed]
        hit = schema.hit.c
        query = sa.select(hit.language_pair_id, sa.func.count()).group_by(hit.language_pair_id)
        rows = self.tx.execute(query.where(hit.language_pair_id.in_([p.id for p in pairs])))
        hits: dict[int, int] = dict(rows.all())
        return sorted(pairs, key=lambda pair: hits.get(pair.id, 0))

    def _designer(self, pair: PairInfo) -> Designer:
        return Designer(self.tx, pair, self.settings, self.rng, self.now)

    def _journal(self, kind: str, person_id: int | None = None, **body: Any) -> None:
        about = person_id or self.person.id
        by = self.person.id
        journal.record(self.tx, self.db, self.person.campaign_id, kind, person_id=about, by=by, **body)


# -- screens that come back: a judge's agreement with themselves is measured on what they answered before ---------


@dataclass(frozen=True)
class Repeat:
    """A screen to be shown again, and the record of its first showing."""

    screen_id: int
    repeat_of: int


def choose_repeats(
    tx: sa.Connection, person_id: int, screens: int, controls: ControlSettings, rng: Random
) -> list[Repeat]:
    """Screens of this judge, in whatever language pair, to be asked again among their next ``screens``.

    The share that the settings want is made good over time: at first there is nothing to repeat.
    """
    if not controls.repeats:
        return []
    rows = _given(tx, person_id)
    dealt_with = [row for row in rows if row.answer_id is not None]
    repeated = sum(row.repeat_of is not None for row in dealt_with)
    # Where on the way to a repeat a judge begins is spread evenly: judges of few screens each come right together.
    start = person_id * _GOLDEN % 1
    due = int(controls.repeats * (len(dealt_with) + screens) + start) - repeated
    known = _repeatable(rows, dealt_with[: max(0, len(dealt_with) - controls.repeat_after)])
    number = min(due, max(1, screens - 1), len(known))
    return rng.sample(known, number) if number > 0 else []


def _given(tx: sa.Connection, person_id: int) -> list[sa.Row[tuple[object, ...]]]:
    """What this judge was given, practice apart, in the order in which they last dealt with it."""
    served, screen, judgment = schema.served.c, schema.screen.c, schema.judgment.c
    query = (
        sa.select(served.id, served.screen_id, served.repeat_of, screen.control, judgment.skip)
        .add_columns(judgment.id.label("answer_id"))
        .select_from(schema.served)
        .join(schema.screen, served.screen_id == screen.id)
        .outerjoin(schema.judgment, schema.latest(served.id))
        .where(served.person_id == person_id, screen.purpose == "judge")
        .order_by(judgment.id, served.id)
    )
    return list(tx.execute(query))


def _repeatable(given: list[sa.Row[tuple[object, ...]]], long_ago: list[sa.Row[tuple[object, ...]]]) -> list[Repeat]:
    """Of what was dealt with long ago: screens with ranks and without a control that have not come back yet."""
    back = {row.repeat_of for row in given}
    fit = [row for row in long_ago if row.repeat_of is None and row.control is None and row.skip is None]
    return [Repeat(row.screen_id, row.id) for row in fit if row.id not in back]
