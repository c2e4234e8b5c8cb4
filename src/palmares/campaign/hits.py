"""Make new work: HITs of screens, each with the choice behind it on record, some with a control among the outputs.

How often systems and segments were chosen so far is counted in the store; the lock of a language pair keeps the counts
right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from random import Random

import sqlalchemy as sa
from sqlalchemy import bindparam

from ..design.choice import Candidate, Choice, Exposure, Pool, choose
from . import schema
from .damage import degrade, looks_like
from .definition import PairInfo
from .settings import Settings


@dataclass(frozen=True)
class DesignedScreen:
    """A screen that was thought of, and is not stored yet."""

    choice: Choice
    outputs: tuple[int, ...]
    control: str | None


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
        return self.new_hits(segments, screens, 1)[0]

    def new_hits(self, segments: dict[int, int], screens: int, number: int) -> list[tuple[int, list[int]]]:
        """Make several HITs at once, which is cheaper than one by one."""
        before, chosen = stored_exposure(self.tx, self.pair.id), dict(segments)
        exposure = before.copy()
        designed = [self._design(chosen, screens, exposure) for _ in range(number)]
        count_designed(
            self.tx,
            systems={key: n - before.systems[key] for key, n in exposure.systems.items()},
            met={key: n - before.met[key] for key, n in exposure.met.items()},
            segments={key: n - segments[key] for key, n in chosen.items()},
        )
        count_hits(self.tx, self.pair.id, number)
        return self._store_hits(designed)

    def practice_screen(self) -> int | None:
        """A screen to try the page on; its answer does not count."""
        segments = dict.fromkeys(comparable_segments(self.tx, self.pair.id), 0)
        if not segments:
            return None
        choice = choose(self._pool(segments, Exposure({}, {})), "uniform", 1.0, self.rng)
        return self._store_screens([(None, 0, "practice", DesignedScreen(choice, choice.outputs, None))])[0]

    # -- inside ----------------------------------------------------------------------------------

    def _design(self, segments: dict[int, int], screens: int, exposure: Exposure) -> list[DesignedScreen]:
        """Choose the screens of a HIT, and count what was chosen."""
        left, hit = dict(segments), []
        for _ in range(min(screens, len(segments))):
            hit.append(self._new_screen(left, exposure))
            segment_id = hit[-1].choice.segment
            del left[segment_id]
            segments[segment_id] += 1
        return hit

    def _new_screen(self, segments: dict[int, int], exposure: Exposure) -> DesignedScreen:
        """Choose, and perhaps put a control in."""
        control = self._control()
        pool = self._pool(segments, exposure, reserved=1 if control else 0)
        choice = self._choose(pool)
        extra = self._control_output(control, choice) if control else None
        if control and extra is None:  # this segment offers none: an ordinary screen
            control = None
            choice = self._choose(replace(pool, reserved=0))
        exposure.add(c for c in pool.outputs(choice.segment) if c.output in choice.outputs)
        return DesignedScreen(choice, (*choice.outputs, *([] if extra is None else [extra])), control)

    def _pool(self, segments: dict[int, int], exposure: Exposure, reserved: int = 0) -> Pool:
        looked_up: Callable[[int], tuple[Candidate, ...]] = cache(lambda segment_id: outputs_of(self.tx, segment_id))
        return Pool(segments, exposure.systems, exposure.met, looked_up, self.settings.screen.outputs, reserved)

    def _choose(self, pool: Pool) -> Choice:
        return choose(pool, self.settings.choice.strategy, self.settings.choice.uniform_share, self.rng)

    def _store_hits(self, hits: list[list[DesignedScreen]]) -> list[tuple[int, list[int]]]:
        overlap = self.settings.overlap
        rows = [
            {
                "language_pair_id": self.pair.id,
                "wanted": overlap.judges if self.rng.random() < overlap.share else overlap.redundancy,
                "closed": False,
                "answers": 0,
                "created_at": self.now,
            }
            for _ in hits
        ]
        hit_ids = list(self.tx.scalars(_NEW_HITS, rows))
        flat = [(hit, n, "judge", s) for hit, screens in zip(hit_ids, hits, strict=True) for n, s in enumerate(screens)]
        screen_ids = iter(self._store_screens(flat))
        return [(hit, [next(screen_ids) for _ in screens]) for hit, screens in zip(hit_ids, hits, strict=True)]

    def _store_screens(self, screens: list[tuple[int | None, int, str, DesignedScreen]]) -> list[int]:
        """Store screens, each with its HIT, its position and its purpose; their ids."""
        rows = [
            {
                "hit_id": hit_id,
                "segment_id": screen.choice.segment,
                "position": position,
                "purpose": purpose,
                "control": screen.control,
                "strategy": screen.choice.strategy,
                "probability": screen.choice.probability,
                "created_at": self.now,
            }
            for hit_id, position, purpose, screen in screens
        ]
        ids = list(self.tx.scalars(_NEW_SCREENS, rows))
        shown = [
            {"screen_id": screen_id, "output_id": output_id}
            for screen_id, (*_, screen) in zip(ids, screens, strict=True)
            for output_id in sorted(screen.outputs)
        ]
        self.tx.execute(schema.screen_output.insert(), shown)
        return ids

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
        values = {"segment_id": choice.segment, "kind": kind, "text": text, "original_id": original}
        return int(self.tx.execute(schema.output.insert().values(values).returning(output.id)).scalar_one())

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
    systems: dict[int, int] = dict(tx.execute(_SYSTEMS, {"pair": pair_id}).all())
    rows = tx.execute(_TOGETHER, {"pair": pair_id})
    return Exposure(systems, {(first, second): designed for first, second, designed in rows})


def count_designed(
    tx: sa.Connection, systems: Mapping[int, int], met: Mapping[tuple[int, int], int], segments: Mapping[int, int]
) -> None:
    """Add to how often systems, pairs of them and segments were chosen; what is thrown away is added with a minus."""
    changes = (
        (_CHOSEN_SYSTEM, [{"key": key, "n": n} for key, n in systems.items() if n]),
        (_CHOSEN_TOGETHER, [{"a": a, "b": b, "n": n} for (a, b), n in met.items() if n]),
        (_CHOSEN, [{"key": key, "n": n} for key, n in segments.items() if n]),
    )
    for statement, rows in changes:
        if rows:
            tx.execute(statement, rows)


def count_hits(tx: sa.Connection, pair_id: int, number: int) -> None:
    """Add to the HITs that there are of a language pair."""
    tx.execute(_MORE_HITS, {"pair": pair_id, "n": number})


def open_segments(tx: sa.Connection, pair_id: int, person_id: int, per_segment: int) -> dict[int, int]:
    """Segments with something to compare that a judge may still meet, and how often each was chosen."""
    rows = tx.execute(_OPEN_SEGMENTS, {"pair": pair_id, "judge": person_id, "often": per_segment})
    return dict(rows.all())


def all_segments(tx: sa.Connection, pair_id: int) -> dict[int, int]:
    """Segments with something to compare, and how often each was chosen."""
    return dict(tx.execute(_SEGMENTS, {"pair": pair_id}).all())


def comparable_segments(tx: sa.Connection, pair_id: int) -> list[int]:
    """Segments with at least two different outputs."""
    return sorted(all_segments(tx, pair_id))


def outputs_of(tx: sa.Connection, segment_id: int) -> tuple[Candidate, ...]:
    """The different outputs of a segment, with the systems behind each."""
    behind: dict[int, list[int]] = {}
    for output_id, system_id in tx.execute(_OUTPUTS, {"segment": segment_id}):
        behind.setdefault(output_id, []).append(system_id)
    return tuple(Candidate(key, tuple(systems)) for key, systems in behind.items())


_SYSTEM, _PAIR_OF_SYSTEMS, _SEGMENT, _MET = schema.system.c, schema.system_pair.c, schema.segment.c, schema.met.c
_PAIR: sa.BindParameter[int] = bindparam("pair")
_SYSTEMS = sa.select(_SYSTEM.id, _SYSTEM.designed).where(_SYSTEM.language_pair_id == _PAIR)
_TOGETHER = (
    sa.select(_PAIR_OF_SYSTEMS.first_id, _PAIR_OF_SYSTEMS.second_id, _PAIR_OF_SYSTEMS.designed)
    .join(schema.system, _SYSTEM.id == _PAIR_OF_SYSTEMS.first_id)
    .where(_SYSTEM.language_pair_id == _PAIR)
)
_CHOSEN_SYSTEM = (
    schema.system.update().where(_SYSTEM.id == bindparam("key")).values(designed=_SYSTEM.designed + bindparam("n"))
)
_CHOSEN_TOGETHER = (
    schema.system_pair.update()
    .where(_PAIR_OF_SYSTEMS.first_id == bindparam("a"), _PAIR_OF_SYSTEMS.second_id == bindparam("b"))
    .values(designed=_PAIR_OF_SYSTEMS.designed + bindparam("n"))
)
_CHOSEN = (
    schema.segment.update().where(_SEGMENT.id == bindparam("key")).values(designed=_SEGMENT.designed + bindparam("n"))
)
_MORE_HITS = (
    schema.language_pair.update()
    .where(schema.language_pair.c.id == _PAIR)
    .values(hits=schema.language_pair.c.hits + bindparam("n"))
)
_NEW_HITS = schema.hit.insert().returning(schema.hit.c.id, sort_by_parameter_order=True)
_NEW_SCREENS = schema.screen.insert().returning(schema.screen.c.id, sort_by_parameter_order=True)
_SEGMENTS = (
    sa.select(_SEGMENT.id, _SEGMENT.designed)
    .where(_SEGMENT.language_pair_id == _PAIR, _SEGMENT.outputs > 1)
    .order_by(_SEGMENT.id)
)
_ENOUGH = sa.select(_MET.segment_id).where(_MET.person_id == bindparam("judge"), _MET.times >= bindparam("often"))
_OPEN_SEGMENTS = _SEGMENTS.where(_SEGMENT.id.not_in(_ENOUGH))
_OUTPUTS = (
    sa.select(schema.output.c.id, schema.output_system.c.system_id)
    .join(schema.output_system, schema.output_system.c.output_id == schema.output.c.id)
    .where(schema.output.c.segment_id == bindparam("segment"), schema.output.c.kind == "system")
    .order_by(schema.output.c.id, schema.output_system.c.system_id)
)
