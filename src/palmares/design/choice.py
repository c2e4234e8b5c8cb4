"""What to ask next: which segment, and which of its outputs.

A strategy says how likely it is to choose any segment and set of outputs, and chooses. A share of screens is chosen
uniformly whatever the strategy, and the probability of what was shown is logged, so that judgments collected by a
strategy that prefers some comparisons can still be weighted back.

Segments, systems and outputs are numbers here, whoever gave them: a campaign brings those of its store, and a plan
that simulates a campaign can bring its own, without a database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
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

    output: int
    systems: tuple[int, ...]


@dataclass(frozen=True)
class Exposure:
    """Screens that each system, and each two systems (the lower number first), were chosen for so far."""

    systems: dict[int, int]
    met: dict[tuple[int, int], int]

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Count a screen with these outputs."""
        chosen = sorted(system for candidate in candidates for system in candidate.systems)
        for system in chosen:
            self.systems[system] += 1
        for both in combinations(chosen, 2):
            self.met[both] += 1

    def copy(self) -> Exposure:
        return Exposure(dict(self.systems), dict(self.met))


@dataclass(frozen=True)
class Pool:
    """What can be chosen from.

    ``segments`` and ``systems`` say how often each was chosen before, ``met`` how often two systems, the lower number
    first, were chosen for one screen; ``outputs`` gives the different outputs of a segment; ``size`` is how many a
    screen takes (fewer where there are not so many), and ``reserved`` how many of these places something else gets.
    """

    segments: Mapping[int, int]
    systems: Mapping[int, int]
    met: Mapping[tuple[int, int], int]
    outputs: Callable[[int], tuple[Candidate, ...]]
    size: int
    reserved: int = 0

    @cached_property
    def least_chosen(self) -> list[int]:
        """The segments that were chosen least."""
        return _least(self.segments)

    def places(self, segment: int) -> int:
        """How many outputs of a segment are chosen: where there are few, a reserved place is one of them, not more."""
        return max(1, min(self.size, len(self.outputs(segment))) - self.reserved)


@dataclass(frozen=True)
class Choice:
    segment: int
    outputs: tuple[int, ...]
    probability: float
    strategy: str


class Strategy(Protocol):
    """How screens are chosen. Both methods must agree; a test draws many and counts."""

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        """A segment and outputs of it."""
        ...

    def probability(self, pool: Pool, segment: int, outputs: tuple[int, ...]) -> float:
        """How likely `draw` is to give this segment and this set of outputs."""
        ...


def choose(pool: Pool, strategy: str, uniform_share: float, rng: Random) -> Choice:
    """Choose by the strategy, or, for a share of screens, uniformly; with the probability of both together."""
    chosen: Strategy = STRATEGIES.load(strategy)()
    uniform = Uniform()
    by_chance = rng.random() < uniform_share
    segment, outputs = (uniform if by_chance else chosen).draw(pool, rng)
    probability = uniform_share * uniform.probability(pool, segment, outputs)
    probability += (1 - uniform_share) * chosen.probability(pool, segment, outputs)
    return Choice(segment, outputs, probability, "uniform" if by_chance else strategy)


class Uniform:
    """Every segment alike, and every set of its outputs alike."""

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment = rng.choice(sorted(pool.segments))
        outputs = [c.output for c in pool.outputs(segment)]
        return segment, tuple(rng.sample(outputs, pool.places(segment)))

    def probability(self, pool: Pool, segment: int, outputs: tuple[int, ...]) -> float:
        number = len(pool.outputs(segment))
        return 1 / len(pool.segments) / comb(number, pool.places(segment))


class Balanced:
    """A segment that was chosen least, then the outputs whose systems were chosen least.

    Where several have an equal claim to the places that are left, these are filled one by one: by an output whose
    systems met the systems already there least, at random among equals. So no system is ever more than one screen
    ahead of another, as long as no two share an output, and every two of them meet about equally often.
    """

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment = rng.choice(pool.least_chosen)
        contest = _Contest(pool, segment)
        chosen = contest.certain
        while len(chosen) < contest.size:
            chosen = (*chosen, rng.choice(contest.next(chosen)))
        return segment, chosen

    def probability(self, pool: Pool, segment: int, outputs: tuple[int, ...]) -> float:
        least = pool.least_chosen
        if pool.segments[segment] != pool.segments[least[0]]:
            return 0.0
        return _Contest(pool, segment).probability(frozenset(outputs)) / len(least)


def _least(counts: Mapping[int, int]) -> list[int]:
    fewest = min(counts.values())
    return sorted(key for key, count in counts.items() if count == fewest)


@dataclass(frozen=True)
class _Contest:
    """The outputs of one segment and their claims to a place on the screen."""

    pool: Pool
    segment: int

    @cached_property
    def outputs(self) -> dict[int, tuple[int, ...]]:
        return {c.output: c.systems for c in sorted(self.pool.outputs(self.segment), key=lambda c: c.output)}

    @cached_property
    def claims(self) -> dict[int, int]:
        """How often an output's systems were chosen; one that several share counts as its least chosen one."""
        return {key: min(self.pool.systems[s] for s in systems) for key, systems in self.outputs.items()}

    @cached_property
    def size(self) -> int:
        return self.pool.places(self.segment)

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
