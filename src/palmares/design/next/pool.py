"""What can be chosen from: segments with their different outputs, and how often everything was chosen so far.

Segments, systems and outputs are numbers here, whoever gave them: a campaign brings those of its store, and a plan
that simulates a campaign can bring its own, without a database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations


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
        return least(self.segments)

    def places(self, segment: int) -> int:
        """How many outputs of a segment are chosen: where there are few, a reserved place is one of them, not more."""
        return max(1, min(self.size, len(self.outputs(segment))) - self.reserved)


@dataclass(frozen=True)
class Choice:
    segment: int
    outputs: tuple[int, ...]
    probability: float
    strategy: str


def least(counts: Mapping[int, int]) -> list[int]:
    """The keys of the smallest count, sorted."""
    fewest = min(counts.values())
    return sorted(key for key, count in counts.items() if count == fewest)
