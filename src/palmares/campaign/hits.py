"""Make new work: HITs of screens, each with the choice behind it on record, some with a control among the outputs.

How often systems and segments were chosen so far is counted in the store. A design is thought of first, which takes a
while, and stored then, which does not: nobody has to wait for the choosing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from random import Random
from typing import TypeAlias
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import bindparam

from ..design.next import Candidate, Choice, Exposure, Pool, choose
from . import schema
from .damage import degrade, looks_like
from .definition import PairInfo
from .settings import Settings
from .snapshots import Advice, advice

#: What tells outputs that are kept in memory from others: the campaign's secret, and its newest system.
Mark: TypeAlias = tuple[str, int]
#: A system that was added late is chosen for so many screens before a learning strategy chooses again.
TRIED = 10


@dataclass(frozen=True)
class ControlOutput:
    """An output that no system gave: a reference, or a damaged copy of ``original_id``."""

    segment_id: int
    kind: str
    text: str
    original_id: int | None


@dataclass(frozen=True)
class DesignedScreen:
    """A screen that was thought of, and is not stored yet; ``snapshot_id``: whose choices it was drawn from."""

    choice: Choice
    control: ControlOutput | None
    snapshot_id: int | None = None


@dataclass(frozen=True)
class Design:
    """HITs that were thought of, each with the judges it wants; and how often they choose what."""

    pair_id: int
    hits: list[tuple[int, list[DesignedScreen]]]
    systems: dict[int, int]
    met: dict[tuple[int, int], int]
    segments: dict[int, int]

    def store(self, tx: sa.Connection, now: datetime) -> list[tuple[int, list[int]]]:
        """Store the HITs; the id of each, and those of its screens."""
        count_designed(tx, self.systems, self.met, self.segments)
        count_hits(tx, self.pair_id, len(self.hits))
        common = {"language_pair_id": self.pair_id, "closed": False, "answers": 0, "created_at": now}
        ids = list(tx.scalars(_NEW_HITS, [{**common, "wanted": wanted} for wanted, _ in self.hits]))
        hits = [(hit_id, screens) for hit_id, (_, screens) in zip(ids, self.hits, strict=True)]
        flat = [(hit_id, n, "judge", screen) for hit_id, screens in hits for n, screen in enumerate(screens)]
        screen_ids = iter(store_screens(tx, flat, now))
        return [(hit_id, [next(screen_ids) for _ in screens]) for hit_id, screens in hits]


@dataclass(frozen=True)
class Designer:
    """What new screens of one language pair are made from. It only reads: a `Design` may be stored later."""

    tx: sa.Connection
    pair: PairInfo
    settings: Settings
    rng: Random

    def design(self, segments: dict[int, int], screens: int, number: int = 1) -> Design:
        """Think of HITs of so many screens, of these segments (with how often each was chosen).

        There are fewer screens if there are fewer segments: a HIT has each once. Several at once are cheaper than one
        by one.
        """
        before, chosen = self._before, dict(segments)
        exposure = before.copy()
        hits = [(self._wanted(), self._screens(chosen, screens, exposure)) for _ in range(number)]
        return Design(
            self.pair.id,
            hits,
            systems={key: n - before.systems[key] for key, n in exposure.systems.items()},
            met={key: n - before.met[key] for key, n in exposure.met.items()},
            segments={key: n - segments[key] for key, n in chosen.items()},
        )

    def practice(self) -> DesignedScreen | None:
        """A screen to try the page on; its answer does not count."""
        segments = dict.fromkeys(comparable_segments(self.tx, self.pair.id), 0)
        if not segments:
            return None
        return DesignedScreen(choose(self._pool(segments, Exposure({}, {})), "uniform", 1.0, self.rng), None)

    # -- inside ----------------------------------------------------------------------------------

    @cached_property
    def _before(self) -> Exposure:
        return stored_exposure(self.tx, self.pair.id)

    def _outputs(self, segment_id: int) -> tuple[Candidate, ...]:
        """The outputs of a segment, by the systems that this design knows of: others may be added meanwhile."""
        return outputs_of(self.tx, segment_id, self._mark)

    @cached_property
    def _mark(self) -> Mark:
        # SQLite gives the numbers of a campaign that was deleted to another one, which has another secret.
        secret = str(self.tx.execute(_SECRET, {"pair": self.pair.id}).scalar_one())
        return secret, max(self._before.systems)

    def _wanted(self) -> int:
        """How many judges are to do a HIT."""
        overlap = self.settings.overlap
        return overlap.judges if self.rng.random() < overlap.share else overlap.redundancy

    def _screens(self, segments: dict[int, int], screens: int, exposure: Exposure) -> list[DesignedScreen]:
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
        kind = self._control()
        pool = self._pool(segments, exposure, reserved=1 if kind else 0)
        choice = self._choose(pool)
        control = self._control_output(kind, choice) if kind else None
        if kind and control is None:  # this segment offers none: an ordinary screen
            choice = self._choose(replace(pool, reserved=0))
        exposure.add(c for c in pool.outputs(choice.segment) if c.output in choice.outputs)
        return DesignedScreen(choice, control, None if self._advice is None else self._advice.snapshot_id)

    def _pool(self, segments: dict[int, int], exposure: Exposure, reserved: int = 0) -> Pool:
        looked_up: Callable[[int], tuple[Candidate, ...]] = cache(self._outputs)
        return Pool(segments, exposure.systems, exposure.met, looked_up, self.settings.screen.outputs, reserved)

    def _choose(self, pool: Pool) -> Choice:
        given = None if self._advice is None else self._advice.choices
        return choose(pool, self.settings.choice.strategy, self.settings.choice.uniform_share, self.rng, given)

    @cached_property
    def _advice(self) -> Advice | None:
        """What a learning strategy wants asked: the same for all that is designed in one go.

        Of a system that was added late it knows next to nothing at first: screens are balanced until that was chosen
        for some.
        """
        if self.settings.choice.learns and self.tx.execute(_UNTRIED, {"pair": self.pair.id}).first() is not None:
            return None
        return advice(self.tx, self.pair.id, self.settings.choice)

    # -- controls --------------------------------------------------------------------------------

    def _control(self) -> str | None:
        """Which control a new screen is to have."""
        shares = self.settings.controls
        # The shares are of all screens; the repeats among them are not new, so of the new ones it is more.
        drawn = self.rng.random() * (1 - shares.repeats)
        if drawn < shares.reference:
            return "reference"
        return "degraded" if drawn < shares.reference + shares.degraded else None

    def _control_output(self, kind: str, choice: Choice) -> ControlOutput | None:
        """The output to put in: one that no system gave, to the eye; None if this segment offers none."""
        original = None if kind == "reference" else self.rng.choice(choice.outputs)
        if original is None:
            text = self.tx.execute(_REFERENCE, {"segment": choice.segment}).scalar_one()
        else:
            text = self._damaged(choice.segment, original)
        if not text:
            return None
        for row in self.tx.execute(_TEXTS, {"segment": choice.segment}):
            if looks_like(row.text, text) and (row.kind, row.original_id) != (kind, original):
                return None
        return ControlOutput(choice.segment, kind, text, original)

    def _damaged(self, segment_id: int, original: int) -> str | None:
        others = [key for key in comparable_segments(self.tx, self.pair.id) if key != segment_id]
        if not others:
            return None
        donor = self.rng.choice(self._outputs(self.rng.choice(others))).output
        return degrade(self._text(original), self._text(donor), self.rng)

    def _text(self, output_id: int) -> str:
        output = schema.output.c
        return str(self.tx.execute(sa.select(output.text).where(output.id == output_id)).scalar_one())


def store_screens(
    tx: sa.Connection, screens: list[tuple[int | None, int, str, DesignedScreen]], now: datetime
) -> list[int]:
    """Store screens, each with its HIT, its position and its purpose; their ids."""
    rows = [
        {
            "hit_id": hit_id,
            "segment_id": screen.choice.segment,
            "position": position,
            "purpose": purpose,
            "control": None if screen.control is None else screen.control.kind,
            "strategy": screen.choice.strategy,
            "probability": screen.choice.probability,
            "snapshot_id": screen.snapshot_id,
            "created_at": now,
        }
        for hit_id, position, purpose, screen in screens
    ]
    ids = list(tx.scalars(_NEW_SCREENS, rows))
    shown = [
        {"screen_id": screen_id, "output_id": output_id}
        for screen_id, (*_, screen) in zip(ids, screens, strict=True)
        for output_id in sorted((*screen.choice.outputs, *_stored_control(tx, screen.control)))
    ]
    tx.execute(schema.screen_output.insert(), shown)
    return ids


def _stored_control(tx: sa.Connection, control: ControlOutput | None) -> list[int]:
    """The id of a control's output, which is stored once."""
    if control is None:
        return []
    for row in tx.execute(_TEXTS, {"segment": control.segment_id}):
        if (row.kind, row.original_id) == (control.kind, control.original_id) and looks_like(row.text, control.text):
            return [int(row.id)]
    return [int(tx.execute(_NEW_OUTPUT, asdict(control)).scalar_one())]


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


def outputs_of(tx: sa.Connection, segment_id: int, mark: Mark) -> tuple[Candidate, ...]:
    """The different outputs of a segment, with the systems behind each, of those with numbers up to the mark's.

    Outputs never change, and systems are only ever added, so what is there up to one is kept; and since a design asks
    for one segment after the other, many are fetched at a time.
    """
    known = _KNOWN.setdefault(tx.engine, {})
    if segment_id not in known or known[segment_id][0] != mark:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        behind: dict[int, dict[int, list[int]]] = {segment_id: {}}
        rows = tx.execute(_OUTPUTS, {"first": segment_id, "last": segment_id + _FETCHED - 1, "newest": mark[1]})
        for segment, output, system in rows:
            behind.setdefault(segment, {}).setdefault(output, []).append(system)
        for segment, outputs in behind.items():
            known[segment] = mark, tuple(Candidate(key, tuple(systems)) for key, systems in outputs.items())
    return known[segment_id][1]


#: Segments whose outputs are kept in memory, and those that are fetched at a time.
_MOST_KNOWN, _FETCHED = 10_000, 200
_KNOWN: WeakKeyDictionary[sa.Engine, dict[int, tuple[Mark, tuple[Candidate, ...]]]] = WeakKeyDictionary()
_OUTPUT = schema.output.c
_TEXTS = (
    sa.select(_OUTPUT.id, _OUTPUT.kind, _OUTPUT.original_id, _OUTPUT.text)
    .where(_OUTPUT.segment_id == bindparam("segment"))
    .order_by(_OUTPUT.id)
)
_NEW_OUTPUT = schema.output.insert().returning(_OUTPUT.id)
_REFERENCE = sa.select(schema.segment.c.reference).where(schema.segment.c.id == bindparam("segment"))
_SYSTEM, _PAIR_OF_SYSTEMS, _SEGMENT, _MET = schema.system.c, schema.system_pair.c, schema.segment.c, schema.met.c
_PAIR: sa.BindParameter[int] = bindparam("pair")
_SYSTEMS = sa.select(_SYSTEM.id, _SYSTEM.designed).where(_SYSTEM.language_pair_id == _PAIR)
_TOGETHER = (
    sa.select(_PAIR_OF_SYSTEMS.first_id, _PAIR_OF_SYSTEMS.second_id, _PAIR_OF_SYSTEMS.designed)
    .join(schema.system, _SYSTEM.id == _PAIR_OF_SYSTEMS.first_id)
    .where(_SYSTEM.language_pair_id == _PAIR)
)
_SECRET = (
    sa.select(schema.campaign.c.secret)
    .join(schema.language_pair, schema.language_pair.c.campaign_id == schema.campaign.c.id)
    .where(schema.language_pair.c.id == _PAIR)
)
#: Systems that were added late and chosen for few screens as yet.
_UNTRIED = (
    sa.select(_SYSTEM.id)
    .where(_SYSTEM.language_pair_id == _PAIR, _SYSTEM.added_after > 0, _SYSTEM.designed < TRIED)
    .limit(1)
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
    sa.select(_OUTPUT.segment_id, _OUTPUT.id, schema.output_system.c.system_id)
    .join(schema.output_system, schema.output_system.c.output_id == _OUTPUT.id)
    .where(_OUTPUT.segment_id.between(bindparam("first"), bindparam("last")), _OUTPUT.kind == "system")
    .where(schema.output_system.c.system_id <= bindparam("newest"))
    .order_by(_OUTPUT.segment_id, _OUTPUT.id, schema.output_system.c.system_id)
)
