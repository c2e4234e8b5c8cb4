"""Make new work: a HIT of screens, each with the choice behind it on record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from random import Random

import sqlalchemy as sa

from . import schema
from .choice import Candidate, Choice, Pool, choose
from .controls import degrade
from .definition import PairInfo
from .settings import Settings


@dataclass(frozen=True)
class Designer:
    """What new screens of one language pair are made from; the caller holds the pair's lock."""

    tx: sa.Connection
    pair: PairInfo
    settings: Settings
    rng: Random
    now: datetime

    def new_hit(self, person_id: int) -> int | None:
        """Make a HIT that this judge can do; None if there is no segment left for them."""
        segments = eligible_segments(self.tx, self.pair.id, person_id, self.settings.judge.per_segment)
        if not segments:
            return None
        hit_id = self._insert(schema.hit, language_pair_id=self.pair.id, wanted=self._wanted(), closed=False)
        for position in range(min(self.settings.hit.screens, len(segments))):
            segment_id = self._new_screen(hit_id, position, segments)
            del segments[segment_id]
        return hit_id

    def practice_screen(self) -> int | None:
        """A screen to try the page on; its answer does not count."""
        segments = comparable_segments(self.tx, self.pair.id)
        if not segments:
            return None
        choice = choose(self._pool(segments, self.settings.screen.outputs), "uniform", 1.0, self.rng)
        return self._store(None, 0, choice, choice.output_ids, purpose="practice", control=None)

    # -- inside ----------------------------------------------------------------------------------

    def _wanted(self) -> int:
        overlap = self.settings.overlap
        return overlap.judges if self.rng.random() < overlap.share else overlap.redundancy

    def _new_screen(self, hit_id: int, position: int, segments: dict[int, int]) -> int:
        """Choose, perhaps put a control in, store and count; return the segment."""
        control, size = self._control(), self.settings.screen.outputs
        settings = self.settings.choice
        pool = self._pool(segments, size - 1 if control else size)
        choice = choose(pool, settings.strategy, settings.uniform_share, self.rng)
        extra = self._control_output(control, choice) if control else None
        if control and extra is None:  # this segment offers none: an ordinary screen
            control = None
            choice = choose(self._pool(segments, size), settings.strategy, settings.uniform_share, self.rng)
        outputs = (*choice.output_ids, *([] if extra is None else [extra]))
        self._store(hit_id, position, choice, outputs, purpose="judge", control=control)
        self._count(choice)
        return choice.segment_id

    def _control(self) -> str | None:
        shares, drawn = self.settings.controls, self.rng.random()
        if drawn < shares.reference:
            return "reference"
        return "degraded" if drawn < shares.reference + shares.degraded else None

    def _control_output(self, control: str, choice: Choice) -> int | None:
        output, segment = schema.output.c, schema.segment.c
        if control == "reference":
            text = self.tx.execute(sa.select(segment.reference).where(segment.id == choice.segment_id)).scalar_one()
            original = None
        else:
            original = self.rng.choice(choice.output_ids)
            whole = self.tx.execute(sa.select(output.text).where(output.id == original)).scalar_one()
            donor = self._text_of_another(choice.segment_id)
            text = None if donor is None else degrade(whole, donor, self.rng)
        shown = sa.select(output.id).where(output.segment_id == choice.segment_id, output.text == text)
        if not text or self.tx.execute(shown).first():  # it must differ from every output there is
            return None
        return self._insert_output(choice.segment_id, control, text, original)

    def _insert_output(self, segment_id: int, kind: str, text: str, original: int | None) -> int:
        values = {"segment_id": segment_id, "kind": kind, "text": text, "original_id": original}
        return int(self.tx.execute(schema.output.insert().values(values).returning(schema.output.c.id)).scalar_one())

    def _text_of_another(self, segment_id: int) -> str | None:
        others = [s for s in comparable_segments(self.tx, self.pair.id) if s != segment_id]
        if not others:
            return None
        candidates = outputs_of(self.tx, self.rng.choice(others))
        chosen = self.rng.choice(candidates).output_id
        return str(self.tx.execute(sa.select(schema.output.c.text).where(schema.output.c.id == chosen)).scalar_one())

    def _pool(self, segments: dict[int, int], size: int) -> Pool:
        system = schema.system.c
        counts = self.tx.execute(sa.select(system.id, system.designed).where(system.language_pair_id == self.pair.id))
        looked_up: Callable[[int], tuple[Candidate, ...]] = cache(lambda segment_id: outputs_of(self.tx, segment_id))
        return Pool(segments, dict(counts.all()), looked_up, size)

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
            segment_id=choice.segment_id,
            position=position,
            purpose=purpose,
            control=control,
            strategy=choice.strategy,
            probability=choice.probability,
        )
        rows = [{"screen_id": screen_id, "output_id": output_id} for output_id in sorted(outputs)]
        self.tx.execute(schema.screen_output.insert(), rows)
        return screen_id

    def _count(self, choice: Choice) -> None:
        """Note that these systems and this segment were chosen once more; the lock keeps the counts right."""
        link, system, segment = schema.output_system.c, schema.system, schema.segment
        behind = sa.select(link.system_id).where(link.output_id.in_(choice.output_ids))
        self.tx.execute(system.update().where(system.c.id.in_(behind)).values(designed=system.c.designed + 1))
        one_more = segment.update().where(segment.c.id == choice.segment_id)
        self.tx.execute(one_more.values(designed=segment.c.designed + 1))

    def _insert(self, table: sa.Table, **values: object) -> int:
        statement = table.insert().values(created_at=self.now, **values).returning(table.c.id)
        return int(self.tx.execute(statement).scalar_one())


def comparable_segments(tx: sa.Connection, pair_id: int) -> dict[int, int]:
    """Segments with at least two different outputs, and how often each was chosen."""
    segment = schema.segment.c
    query = sa.select(segment.id, segment.designed).where(segment.language_pair_id == pair_id, segment.outputs > 1)
    return dict(tx.execute(query).all())


def eligible_segments(tx: sa.Connection, pair_id: int, person_id: int, per_segment: int) -> dict[int, int]:
    """The comparable segments that this judge may still meet."""
    served, screen = schema.served, schema.screen
    met = (
        sa.select(screen.c.segment_id)
        .join(served, served.c.screen_id == screen.c.id)
        .where(served.c.person_id == person_id, served.c.repeat_of.is_(None), screen.c.purpose == "judge")
        .group_by(screen.c.segment_id)
        .having(sa.func.count() >= per_segment)
    )
    seen = set(tx.scalars(met))
    return {key: count for key, count in comparable_segments(tx, pair_id).items() if key not in seen}


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
