"""How often systems and segments were chosen so far; the lock of a language pair keeps the counts right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import sqlalchemy as sa

from ..design.choice import Candidate
from . import schema


@dataclass(frozen=True)
class Exposure:
    """Screens that each system, and each two systems (the lower id first), were chosen for."""

    systems: dict[int, int]
    met: dict[tuple[int, int], int]

    @classmethod
    def of(cls, tx: sa.Connection, pair_id: int) -> Exposure:
        system, both = schema.system.c, schema.system_pair.c
        counts = sa.select(system.id, system.designed).where(system.language_pair_id == pair_id)
        systems: dict[int, int] = dict(tx.execute(counts).all())
        rows = tx.execute(sa.select(both.first_id, both.second_id, both.designed).where(both.first_id.in_(systems)))
        return cls(systems, {(first, second): designed for first, second, designed in rows})

    def add(self, systems: Iterable[int]) -> None:
        """Count a screen with these systems."""
        chosen = sorted(systems)
        for key in chosen:
            self.systems[key] += 1
        for two in combinations(chosen, 2):
            self.met[two] += 1

    def store(self, tx: sa.Connection, before: Exposure) -> None:
        """Write down the counts that have changed since."""
        system, both = schema.system, schema.system_pair
        systems = [{"a": key, "n": n} for key, n in self.systems.items() if n != before.systems[key]]
        met = [{"a": a, "b": b, "n": n} for (a, b), n in self.met.items() if n != before.met[a, b]]
        one = system.update().where(system.c.id == sa.bindparam("a"))
        two = both.update().where(both.c.first_id == sa.bindparam("a"), both.c.second_id == sa.bindparam("b"))
        if systems:
            tx.execute(one.values(designed=sa.bindparam("n")), systems)
        if met:
            tx.execute(two.values(designed=sa.bindparam("n")), met)

    def copy(self) -> Exposure:
        return Exposure(dict(self.systems), dict(self.met))


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
