"""The next screen: which segment, and which of its outputs, with the probability of exactly that.

A share of screens is chosen uniformly whatever the strategy, and the probability of what was shown is logged, so that
judgments collected by a strategy that prefers some comparisons can still be weighted back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from random import Random
from typing import Protocol

from .choices import Choices
from .even import Balanced, Uniform
from .pool import Choice, Pool
from .strategies import STRATEGIES


class Draws(Protocol):
    """How a screen is drawn from a pool. All methods must agree; a test draws many and counts."""

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        """A segment and outputs of it."""
        ...

    def probability(self, pool: Pool, segment: int, outputs: tuple[int, ...]) -> float:
        """How likely `draw` is to give this segment and this set of outputs."""
        ...

    def named(self, pool: Pool, segment: int) -> str:
        """The strategy that chooses the outputs of this segment."""
        ...


#: Strategies that need no `Choices`: what was chosen so far is enough.
UNTAUGHT: dict[str, type[Uniform | Balanced]] = {"uniform": Uniform, "balanced": Balanced}


def choose(pool: Pool, strategy: str, uniform_share: float, rng: Random, choices: Choices | None = None) -> Choice:
    """Choose by the strategy, or, for a share of screens, uniformly; with the probability of both together.

    Parameters
    ----------
    choices
        What a strategy that learns from answers wants asked. Without them, or where none fits a segment, the choice is
        balanced, and the strategy of the `Choice` says so.
    """
    chosen, uniform = draws_of(strategy, choices), Uniform()
    by_chance = rng.random() < uniform_share
    segment, outputs = (uniform if by_chance else chosen).draw(pool, rng)
    probability = uniform_share * uniform.probability(pool, segment, outputs)
    probability += (1 - uniform_share) * chosen.probability(pool, segment, outputs)
    return Choice(segment, outputs, probability, (uniform if by_chance else chosen).named(pool, segment))


def draws_of(strategy: str, choices: Choices | None = None) -> Draws:
    """How a strategy draws; choices of another strategy (that of settings since changed) are none."""
    STRATEGIES[strategy]  # which refuses it by name
    if strategy in UNTAUGHT:
        return UNTAUGHT[strategy]()
    return Planned(choices) if choices is not None and choices.strategy == strategy else Balanced()


@dataclass(frozen=True)
class Planned:
    """A segment that was chosen least, then one of the screens that a strategy wants, by weight.

    A screen fits a segment where all its systems have outputs, all different; it shows these outputs, and so also
    other systems that share them. Where it has more than there are places, because one is reserved, chance drops some.
    Where no screen fits, the choice is balanced.
    """

    choices: Choices

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment = rng.choice(pool.least_chosen)
        fitting = list(self._fitting(pool, segment))
        if not fitting:
            return segment, Balanced().draw_from(pool, segment, rng)
        [outputs] = rng.choices([shown for shown, _ in fitting], [weight for _, weight in fitting])
        return segment, tuple(rng.sample(outputs, pool.places(segment)))

    def probability(self, pool: Pool, segment: int, outputs: tuple[int, ...]) -> float:
        least = pool.least_chosen
        if pool.segments[segment] != pool.segments[least[0]]:
            return 0.0
        fitting = list(self._fitting(pool, segment))
        if not fitting:
            return Balanced().probability(pool, segment, outputs)
        shown, places = set(outputs), pool.places(segment)
        if len(shown) != places:
            return 0.0
        ways = sum(weight / comb(len(wanted), places) for wanted, weight in fitting if shown.issubset(wanted))
        return ways / sum(weight for _, weight in fitting) / len(least)

    def named(self, pool: Pool, segment: int) -> str:
        return self.choices.strategy if any(self._fitting(pool, segment)) else Balanced().named(pool, segment)

    def _fitting(self, pool: Pool, segment: int) -> Iterator[tuple[list[int], float]]:
        """The outputs of every screen that this segment can show, with its weight."""
        behind = {system: c.output for c in pool.outputs(segment) for system in c.systems}
        places = pool.places(segment)
        for systems, weight in self.choices.entries:
            outputs = {behind.get(system) for system in systems}
            if len(systems) == len(outputs) >= places and None not in outputs:
                yield sorted(output for output in outputs if output is not None), weight
