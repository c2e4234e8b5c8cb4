"""Make new work: a HIT of screens, each with the choice behind it on record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from random import Random

import sqlalchemy as sa

from ..design.choice import Candidate, Choice, Pool, choose
from . import schema
from .controls import degrade, looks_like
from .definition import PairInfo
from .exposure import Exposure, comparable_segments, outputs_of
from .settings import Settings


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
        values = {"language_pair_id": self.pair.id, "wanted": self._wanted(), "closed": False, "answers": 0}
        hit_id = self._insert(schema.hit, created_at=self.now, **values)
        before, left = Exposure.of(self.tx, self.pair.id), dict(segments)
        exposure, made = before.copy(), []
        for position in range(min(screens, len(segments))):
            screen_id, segment_id = self._new_screen(hit_id, position, left, exposure)
            made.append(screen_id)
            del left[segment_id]
        exposure.store(self.tx, before)
        segment = schema.segment
        chosen = segment.update().where(segment.c.id.in_(segments.keys() - left.keys()))
        self.tx.execute(chosen.values(designed=segment.c.designed + 1))
        return hit_id, made

    def practice_screen(self) -> int | None:
        """A screen to try the page on; its answer does not count."""
        segments = dict.fromkeys(comparable_segments(self.tx, self.pair.id), 0)
        if not segments:
            return None
        choice = choose(self._pool(segments, Exposure({}, {}), self.settings.screen.outputs), "uniform", 1.0, self.rng)
        return self._store(None, 0, choice, choice.output_ids, purpose="practice", control=None)

    # -- inside ----------------------------------------------------------------------------------

    def _wanted(self) -> int:
        overlap = self.settings.overlap
        return overlap.judges if self.rng.random() < overlap.share else overlap.redundancy

    def _new_screen(self, hit_id: int, position: int, segments: dict[int, int], exposure: Exposure) -> tuple[int, int]:
        """Choose, perhaps put a control in, store and count; return the screen and its segment."""
        control, size = self._control(), self.settings.screen.outputs
        pool = self._pool(segments, exposure, size - 1 if control else size)
        choice = self._choose(pool)
        extra = self._control_output(control, choice) if control else None
        if control and extra is None:  # this segment offers none: an ordinary screen
            control = None
            choice = self._choose(replace(pool, size=size))
        outputs = (*choice.output_ids, *([] if extra is None else [extra]))
        screen_id = self._store(hit_id, position, choice, outputs, purpose="judge", control=control)
        shown = [c for c in pool.outputs(choice.segment_id) if c.output_id in choice.output_ids]
        exposure.add(system for candidate in shown for system in candidate.systems)
        return screen_id, choice.segment_id

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
            segment_id=choice.segment_id,
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
        original = None if kind == "reference" else self.rng.choice(choice.output_ids)
        text = self._reference(choice.segment_id) if original is None else self._damaged(choice.segment_id, original)
        if not text:
            return None
        output = schema.output.c
        there = sa.select(output.id, output.kind, output.original_id, output.text)
        for row in self.tx.execute(there.where(output.segment_id == choice.segment_id).order_by(output.id)):
            if looks_like(row.text, text):
                return int(row.id) if (row.kind, row.original_id) == (kind, original) else None
        return self._insert(schema.output, segment_id=choice.segment_id, kind=kind, text=text, original_id=original)

    def _reference(self, segment_id: int) -> str | None:
        segment = schema.segment.c
        found: str | None = self.tx.execute(sa.select(segment.reference).where(segment.id == segment_id)).scalar_one()
        return found

    def _damaged(self, segment_id: int, original: int) -> str | None:
        others = [key for key in comparable_segments(self.tx, self.pair.id) if key != segment_id]
        if not others:
            return None
        donor = self.rng.choice(outputs_of(self.tx, self.rng.choice(others))).output_id
        return degrade(self._text(original), self._text(donor), self.rng)

    def _text(self, output_id: int) -> str:
        output = schema.output.c
        return str(self.tx.execute(sa.select(output.text).where(output.id == output_id)).scalar_one())
