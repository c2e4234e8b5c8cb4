"""Make new work: HITs of screens, each with the choice behind it on record, some with a control among the outputs.

How often systems and segments were chosen so far is counted in the store; the lock of a language pair keeps the counts
right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from random import Random

import sqlalchemy as sa

from ..design.choice import Candidate, Choice, Exposure, Pool, choose
from . import schema
from .definition import PairInfo
from .settings import Settings

#: A text of fewer words is damaged by the character, and so is one in a script without spaces.
_SHORTEST = 4
#: Two texts may have much in common; of so many cuts the one that puts most in is taken.
_ATTEMPTS = 20


@dataclass(frozen=True)
class Designer:
    """What new screens of one language pair are made from; the caller holds the pair's lock."""

    tx: sa.Connection
    pair: PairInfo
    settings: Settings
    rng: Random
    now: datetime

    def new_hit(self, segments: dict[int, int], screens: int) -> tuple[int, list[int]]:
        """Make a HIT of so many screens, of these segments (with how often each was chosen); its id and the screens'.

        There are fewer screens if there are fewer segments: a HIT has each once.
        """
        overlap = self.settings.overlap
        wanted = overlap.judges if self.rng.random() < overlap.share else overlap.redundancy
        values = {"language_pair_id": self.pair.id, "wanted": wanted, "closed": False, "answers": 0}
        hit_id = self._insert(schema.hit, created_at=self.now, **values)
        before, left = stored_exposure(self.tx, self.pair.id), dict(segments)
        exposure, screen_ids = before.copy(), []
        for position in range(min(screens, len(segments))):
            screen_id, segment_id = self._new_screen(hit_id, position, left, exposure)
            screen_ids.append(screen_id)
            del left[segment_id]
        store_exposure(self.tx, exposure, before)
        segment = schema.segment
        chosen = segment.update().where(segment.c.id.in_(segments.keys() - left.keys()))
        self.tx.execute(chosen.values(designed=segment.c.designed + 1))
        return hit_id, screen_ids

    def practice_screen(self) -> int | None:
        """A screen to try the page on; its answer does not count."""
        segments = dict.fromkeys(comparable_segments(self.tx, self.pair.id), 0)
        if not segments:
            return None
        choice = choose(self._pool(segments, Exposure({}, {}), self.settings.screen.outputs), "uniform", 1.0, self.rng)
        return self._store(None, 0, choice, choice.outputs, purpose="practice", control=None)

    # -- inside ----------------------------------------------------------------------------------

    def _new_screen(self, hit_id: int, position: int, segments: dict[int, int], exposure: Exposure) -> tuple[int, int]:
        """Choose, perhaps put a control in, store and count; return the screen and its segment."""
        control, size = self._control(), self.settings.screen.outputs
        pool = self._pool(segments, exposure, size - 1 if control else size)
        choice = self._choose(pool)
        extra = self._control_output(control, choice) if control else None
        if control and extra is None:  # this segment offers none: an ordinary screen
            control = None
            choice = self._choose(replace(pool, size=size))
        outputs = (*choice.outputs, *([] if extra is None else [extra]))
        screen_id = self._store(hit_id, position, choice, outputs, purpose="judge", control=control)
        exposure.add(c for c in pool.outputs(choice.segment) if c.output in choice.outputs)
        return screen_id, choice.segment

    def _pool(self, segments: dict[int, int], exposure: Exposure, size: int) -> Pool:
        looked_up: Callable[[int], tuple[Candidate, ...]] = cache(lambda segment_id: outputs_of(self.tx, segment_id))
        return Pool(segments, exposure.systems, exposure.met, looked_up, size)

    def _choose(self, pool: Pool) -> Choice:
        return choose(pool, self.settings.choice.strategy, self.settings.choice.uniform_share, self.rng)

    def _store(
        self,
        hit_id: int | None,
        position: int,
        choice: Choice,
        outputs: tuple[int, ...],
        *,
        purpose: str,
        control: str | None,
    ) -> int:
        screen_id = self._insert(
            schema.screen,
            hit_id=hit_id,
            segment_id=choice.segment,
            position=position,
            purpose=purpose,
            control=control,
            strategy=choice.strategy,
            probability=choice.probability,
            created_at=self.now,
        )
        rows = [{"screen_id": screen_id, "output_id": output_id} for output_id in sorted(outputs)]
        self.tx.execute(schema.screen_output.insert(), rows)
        return screen_id

    def _insert(self, table: sa.Table, **values: object) -> int:
        return int(self.tx.execute(table.insert().values(values).returning(table.c.id)).scalar_one())

    # -- controls --------------------------------------------------------------------------------

    def _control(self) -> str | None:
        """Which control a new screen is to have."""
        shares = self.settings.controls
        # The shares are of all screens; the repeats among them are not new, so of the new ones it is more.
        drawn = self.rng.random() * (1 - shares.repeats)
        if drawn < shares.reference:
            return "reference"
        return "degraded" if drawn < shares.reference + shares.degraded else None

    def _control_output(self, kind: str, choice: Choice) -> int | None:
        """The output to put in: one that no system gave, to the eye; None if this segment offers none."""
        original = None if kind == "reference" else self.rng.choice(choice.outputs)
        segment, output = schema.segment.c, schema.output.c
        if original is None:
            query = sa.select(segment.reference).where(segment.id == choice.segment)
            text = self.tx.execute(query).scalar_one()
        else:
            text = self._damaged(choice.segment, original)
        if not text:
            return None
        there = sa.select(output.id, output.kind, output.original_id, output.text)
        for row in self.tx.execute(there.where(output.segment_id == choice.segment).order_by(output.id)):
            if looks_like(row.text, text):
                return int(row.id) if (row.kind, row.original_id) == (kind, original) else None
        return self._insert(schema.output, segment_id=choice.segment, kind=kind, text=text, original_id=original)

    def _damaged(self, segment_id: int, original: int) -> str | None:
        others = [key for key in comparable_segments(self.tx, self.pair.id) if key != segment_id]
        if not others:
            return None
        donor = self.rng.choice(outputs_of(self.tx, self.rng.choice(others))).output
        return degrade(self._text(original), self._text(donor), self.rng)

    def _text(self, output_id: int) -> str:
        output = schema.output.c
        return str(self.tx.execute(sa.select(output.text).where(output.id == output_id)).scalar_one())


# -- what was chosen so far ------------------------------------------------------------------------------


def stored_exposure(tx: sa.Connection, pair_id: int) -> Exposure:
    """Screens that the systems of a language pair were chosen for."""
    system, both = schema.system.c, schema.system_pair.c
    counts = sa.select(system.id, system.designed).where(system.language_pair_id == pair_id)
    systems: dict[int, int] = dict(tx.execute(counts).all())
    rows = tx.execute(sa.select(both.first_id, both.second_id, both.designed).where(both.first_id.in_(systems)))
    return Exposure(systems, {(first, second): designed for first, second, designed in rows})


def store_exposure(tx: sa.Connection, exposure: Exposure, before: Exposure) -> None:
    """Write down the counts that have changed since."""
    system, both = schema.system, schema.system_pair
    systems = [{"a": key, "n": n} for key, n in exposure.systems.items() if n != before.systems[key]]
    met = [{"a": a, "b": b, "n": n} for (a, b), n in exposure.met.items() if n != before.met[a, b]]
    one = system.update().where(system.c.id == sa.bindparam("a"))
    two = both.update().where(both.c.first_id == sa.bindparam("a"), both.c.second_id == sa.bindparam("b"))
    if systems:
        tx.execute(one.values(designed=sa.bindparam("n")), systems)
    if met:
        tx.execute(two.values(designed=sa.bindparam("n")), met)


def open_segments(tx: sa.Connection, pair_id: int, person_id: int, per_segment: int) -> dict[int, int]:
    """Segments with something to compare that a judge may still meet, and how often each was chosen."""
    segment = schema.segment.c
    query = sa.select(segment.id, segment.designed).where(segment.language_pair_id == pair_id, segment.outputs > 1)
    return dict(tx.execute(query.where(segment.id.not_in(met_enough(person_id, per_segment)))).all())


def comparable_segments(tx: sa.Connection, pair_id: int) -> list[int]:
    """Segments with at least two different outputs."""
    segment = schema.segment.c
    query = sa.select(segment.id).where(segment.language_pair_id == pair_id, segment.outputs > 1).order_by(segment.id)
    return list(tx.scalars(query))


def met_enough(person_id: int, per_segment: int) -> sa.Select[int]:
    """Segments that a judge has been given as often as they may; practice and repeats do not count."""
    served, screen = schema.served.c, schema.screen.c
    return (
        sa.select(screen.segment_id)
        .join(schema.served, served.screen_id == screen.id)
        .where(served.person_id == person_id, served.repeat_of.is_(None), screen.purpose == "judge")
        .group_by(screen.segment_id)
        .having(sa.func.count() >= per_segment)
    )


def outputs_of(tx: sa.Connection, segment_id: int) -> tuple[Candidate, ...]:
    """The different outputs of a segment, with the systems behind each."""
    output, link = schema.output.c, schema.output_system.c
    query = (
        sa.select(output.id, link.system_id)
        .join(schema.output_system, link.output_id == output.id)
        .where(output.segment_id == segment_id, output.kind == "system")
        .order_by(output.id, link.system_id)
    )
    behind: dict[int, list[int]] = {}
    for output_id, system_id in tx.execute(query):
        behind.setdefault(output_id, []).append(system_id)
    return tuple(Candidate(key, tuple(systems)) for key, systems in behind.items())


# -- control outputs ---------------------------------------------------------------------------------------


def degrade(text: str, donor: str, rng: Random) -> str | None:
    """Replace a run of words by a run from another text; None where the text cannot be damaged so that it shows.

    A third of the words, at least two, are replaced in one run, so the result still looks like a sentence but
    cannot mean the same; at least one word that is put in is not in the text. (The idea of the "bad references" of
    Graham et al. 2013, Continuous measurement scales in human evaluation of machine translation.)
    """
    words, other, glue = text.split(), donor.split(), " "
    if len(words) < _SHORTEST or len(other) < 2:
        words, other, glue = characters(text), characters(donor), ""
    if len(words) < _SHORTEST or len(other) < 2:
        return None
    length = min(max(2, len(words) // 3), len(other))
    cuts = [(rng.randrange(len(words) - length + 1), rng.randrange(len(other) - length + 1)) for _ in range(_ATTEMPTS)]
    start, taken = max(cuts, key=lambda cut: _new(words, other[cut[1] : cut[1] + length]))
    put_in = other[taken : taken + length]
    return glue.join([*words[:start], *put_in, *words[start + length :]]) if _new(words, put_in) else None


def _new(words: list[str], put_in: list[str]) -> int:
    """How many of the words put in were not there before."""
    return sum(word not in words for word in put_in)


def characters(text: str) -> list[str]:
    """The characters of a text, each with the marks that belong to it."""
    signs: list[str] = []
    for sign in text:
        if signs and unicodedata.category(sign).startswith("M"):
            signs[-1] += sign
        else:
            signs.append(sign)
    return signs


def looks_like(text: str, other: str) -> bool:
    """Whether two texts are the same to a reader, whatever white space there is."""
    return text.split() == other.split()
