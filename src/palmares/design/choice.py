"""What to ask next: which segment, and which of its outputs.

A strategy says how likely it is to choose any segment and set of outputs, and chooses. A share of screens is chosen
uniformly whatever the strategy, and the probability of what was shown is logged, so that judgments collected by a
strategy that prefers some comparisons can still be weighted back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from random import Random
from typing import Protocol

from ..registry import Entry, Registry

STRATEGIES = Registry(
    "strategy",
    {
        "balanced": Entry("palmares.design.choice:Balanced", "what was chosen least so far, at random among equals"),
        "uniform": Entry("palmares.design.choice:Uniform", "every segment and every set of outputs alike"),
    },
)


@dataclass(frozen=True)
class Candidate:
    """An output that could be shown, and the systems behind it."""

    output_id: int
    systems: tuple[int, ...]


@dataclass(frozen=True)
class Pool:
    """What can be chosen from.

    ``segments`` and ``systems`` map an id to how often it was chosen before, ``met`` two ids of systems, the lower
    first, to how often both were chosen for one screen; ``outputs`` gives the different outputs of a segment; ``size``
    is how many of them a screen takes (fewer where there are not so many).
    """

    segments: Mapping[int, int]
    systems: Mapping[int, int]
    met: Mapping[tuple[int, int], int]
    outputs: Callable[[int], tuple[Candidate, ...]]
    size: int


@dataclass(frozen=True)
class Choice:
    segment_id: int
    output_ids: tuple[int, ...]
    probability: float
    strategy: str


class Strategy(Protocol):
    """How screens are chosen. Both methods must agree; a test draws many and counts."""

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        """A segment and outputs of it."""
        ...

    def probability(self, pool: Pool, segment_id: int, output_ids: tuple[int, ...]) -> float:
        """How likely `draw` is to give this segment and this set of outputs."""
        ...


def choose(pool: Pool, strategy: str, uniform_share: float, rng: Random) -> Choice:
    """Choose by the strategy, or, for a share of screens, uniformly; with the probability of both together."""
    chosen, uniform = STRATEGIES.load(strategy)(), Uniform()
    by_chance = rng.random() < uniform_share
    segment_id, output_ids = (uniform if by_chance else chosen).draw(pool, rng)
    probability = uniform_share * uniform.probability(pool, segment_id, output_ids)
    probability += (1 - uniform_share) * chosen.probability(pool, segment_id, output_ids)
    return Choice(segment_id, output_ids, probability, "uniform" if by_chance else strategy)


class Uniform:
    """Every segment alike, and every set of its outputs alike."""

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment_id = rng.choice(sorted(pool.segments))
        ids = [c.output_id for c in pool.outputs(segment_id)]
        return segment_id, tuple(rng.sample(ids, min(pool.size, len(ids))))

    def probability(self, pool: Pool, segment_id: int, output_ids: tuple[int, ...]) -> float:
        there = len(pool.outputs(segment_id))
        return 1 / len(pool.segments) / comb(there, min(pool.size, there))


class Balanced:
    """A segment that was chosen least, then the outputs whose systems were chosen least.

    Where several have an equal claim to the places that are left, these are filled one by one: by an output whose
    systems met the systems already there least, at random among equals. So no system is ever more than one screen
    ahead of another, as long as no two share an output, and every two of them meet about equally often.
    """

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment_id = rng.choice(_least(pool.segments))
        contest = _Contest(pool, segment_id)
        chosen = contest.certain
        while len(chosen) < contest.size:
            chosen = (*chosen, rng.choice(contest.next(chosen)))
        return segment_id, chosen

    def probability(self, pool: Pool, segment_id: int, output_ids: tuple[int, ...]) -> float:
        least = _least(pool.segments)
        if segment_id not in least:
            return 0.0
        return _Contest(pool, segment_id).probability(frozenset(output_ids)) / len(least)


def _least(counts: Mapping[int, int]) -> list[int]:
    fewest = min(counts.values())
    return sorted(key for key, count in counts.items() if count == fewest)


@dataclass(frozen=True)
class _Contest:
    """The outputs of one segment and their claims to a place on the screen."""

    pool: Pool
    segment_id: int

    @cached_property
    def outputs(self) -> dict[int, tuple[int, ...]]:
        return {c.output_id: c.systems for c in sorted(self.pool.outputs(self.segment_id), key=lambda c: c.output_id)}

    @cached_property
    def claims(self) -> dict[int, int]:
        """How often an output's systems were chosen; one that several share counts as its least chosen one."""
        return {key: min(self.pool.systems[s] for s in systems) for key, systems in self.outputs.items()}

    @cached_property
    def size(self) -> int:
        return min(self.pool.size, len(self.outputs))

    @cached_property
    def limit(self) -> int:
        return sorted(self.claims.values())[self.size - 1]

    @cached_property
    def certain(self) -> tuple[int, ...]:
        return tuple(key for key, claim in self.claims.items() if claim < self.limit)

    def next(self, chosen: Collection[int]) -> list[int]:
        """Who may take the next place: of those with an equal claim, the ones that met the chosen least."""
        equal = [key for key, claim in self.claims.items() if claim == self.limit and key not in chosen]
        return _least({key: sum(self._met(key, other) for other in chosen) for key in equal})

    def probability(self, shown: frozenset[int]) -> float:
        """How likely this set is, over every order in which the places could have been filled."""
        if not shown.issuperset(self.certain):
            return 0.0
        ways = {frozenset(self.certain): 1.0}
        for _ in range(self.size - len(self.certain)):
            further: defaultdict[frozenset[int], float] = defaultdict(float)
            for chosen, chance in ways.items():
                equal = self.next(chosen)
                for key in shown.intersection(equal):
                    further[chosen | {key}] += chance / len(equal)
            ways = further
        return ways.get(shown, 0.0)

    @cached_property
    def _met(self) -> Callable[[int, int], int]:
        """How often two outputs' systems met; of several pairs of them, the one that met least."""
        met, behind = self.pool.met, self.outputs
        return cache(lambda key, other: min(met[min(a, b), max(a, b)] for a in behind[key] for b in behind[other]))
