"""What to ask next: which segment, and which of its outputs.

A strategy says how likely it is to choose any segment and set of outputs, and chooses. A share of screens is chosen
uniformly whatever the strategy, and the probability of what was shown is logged, so that judgments collected by a
strategy that prefers some comparisons can still be weighted back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from random import Random
from typing import Protocol

from ..registry import Entry, Registry

STRATEGIES = Registry(
    "strategy",
    {
        "balanced": Entry("palmares.campaign.choice:Balanced", "what was shown least so far, at random among equals"),
        "uniform": Entry("palmares.campaign.choice:Uniform", "every segment and every set of outputs alike"),
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

    ``segments`` and ``systems`` map an id to how often it was chosen before; ``outputs`` gives the different outputs
    of a segment; ``size`` is how many of them a screen takes (fewer where there are not so many).
    """

    segments: Mapping[int, int]
    systems: Mapping[int, int]
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
    """A segment that was chosen least, and the outputs whose systems were chosen least; at random among equals."""

    def draw(self, pool: Pool, rng: Random) -> tuple[int, tuple[int, ...]]:
        segment_id = rng.choice(_least(pool.segments))
        certain, equal, places = _by_exposure(pool, segment_id)
        return segment_id, (*certain, *rng.sample(equal, places))

    def probability(self, pool: Pool, segment_id: int, output_ids: tuple[int, ...]) -> float:
        least = _least(pool.segments)
        if segment_id not in least:
            return 0.0
        certain, equal, places = _by_exposure(pool, segment_id)
        shown = set(output_ids)
        possible = shown.issuperset(certain) and shown.issubset({*certain, *equal})
        return 1 / len(least) / comb(len(equal), places) if possible else 0.0


def _least(counts: Mapping[int, int]) -> list[int]:
    fewest = min(counts.values())
    return sorted(key for key, count in counts.items() if count == fewest)


def _by_exposure(pool: Pool, segment_id: int) -> tuple[list[int], list[int], int]:
    """Outputs that are shown for certain, those of equal claim to the last places, and how many places those are.

    An output shared by several systems counts as its least shown one.
    """
    claims = {c.output_id: min(pool.systems[s] for s in c.systems) for c in pool.outputs(segment_id)}
    size = min(pool.size, len(claims))
    limit = sorted(claims.values())[size - 1]
    certain = sorted(key for key, count in claims.items() if count < limit)
    equal = sorted(key for key, count in claims.items() if count == limit)
    return certain, equal, size - len(certain)
