"""``uniform`` and ``balanced``: what needs no answers, only what was chosen so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from random import Random
from typing import TYPE_CHECKING

from .choices import Choices
from .pool import Pool, least

if TYPE_CHECKING:
    import numpy as np

    from ...judgments import IntArray
    from .knowledge import Knowledge


class Uniform:
    """Every segment alike, and every set of its outputs alike."""

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment = rng.choice(sorted(pool.segments))
        outputs = [c.output for c in pool.outputs(segment)]
        return segment, tuple(rng.sample(outputs, pool.places(segment)))

    def probability(self, pool: Pool, segment: int, outputs: tuple[int, ...]) -> float:
        number = len(pool.outputs(segment))
        return 1 / len(pool.segments) / comb(number, pool.places(segment))

    def named(self, pool: Pool, segment: int) -> str:
        return "uniform"

    def choices(self, knowledge: Knowledge, size: int, number: int, rng: np.random.Generator) -> Choices:
        return Choices.planned("uniform", knowledge.systems, self.sets(len(knowledge.systems), size, number, rng))

    def sets(self, systems: int, size: int, number: int, rng: np.random.Generator) -> IntArray:
        """Any sets of systems, without a pool: an array (number, size)."""
        return rng.random((number, systems)).argsort(axis=1)[:, :size]


class Balanced:
    """A segment that was chosen least, then the outputs whose systems were chosen least.

    Where several have an equal claim to the places that are left, these are filled one by one: by an output whose
    systems met the systems already there least, at random among equals. So no system is ever more than one screen
    ahead of another, as long as no two share an output, and every two of them meet about equally often.
    """

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment = rng.choice(pool.least_chosen)
        return segment, self.draw_from(pool, segment, rng)

    def draw_from(self, pool: Pool, segment: int, rng: Random) -> tuple[int, ...]:
        """Outputs of this segment."""
        contest = _Contest(pool, segment)
        chosen = contest.certain
        while len(chosen) < contest.size:
            chosen = (*chosen, rng.choice(contest.next(chosen)))
        return chosen

    def probability(self, pool: Pool, segment: int, outputs: tuple[int, ...]) -> float:
        chosen_least = pool.least_chosen
        if pool.segments[segment] != pool.segments[chosen_least[0]]:
            return 0.0
        return _Contest(pool, segment).probability(frozenset(outputs)) / len(chosen_least)

    def named(self, pool: Pool, segment: int) -> str:
        return "balanced"

    def choices(self, knowledge: Knowledge, size: int, number: int, rng: np.random.Generator) -> Choices:
        """Without a pool: place by place, whoever was compared least, and of these who met the others there least."""
        import numpy as np

        met, screens = knowledge.met.copy(), []
        size = min(size, len(met))
        for _ in range(number):
            judged, chance, screen = met.sum(axis=1), rng.random(len(met)), np.zeros(len(met), dtype=bool)
            for _ in range(size):
                claims = np.lexsort((chance, met[:, screen].sum(axis=1), judged))
                screen[claims[~screen[claims]][0]] = True
            met[np.ix_(screen, screen)] += 1 - np.eye(size)
            screens.append(np.flatnonzero(screen))
        return Choices.planned("balanced", knowledge.systems, screens)


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
        return least({key: sum(self._met(key, other) for other in chosen) for key in equal})

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
