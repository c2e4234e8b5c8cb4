"""Real judgments, asked for in another order: WMT13 French–English, 13 systems, 9,996 five-way rankings.

Pairs: the answer to a chosen pair is one of the real judgments of these two systems (439–1,827 of each), drawn with
replacement. So the pool stands for the world, and a pair never runs out.

Five-way: a chosen set is answered by a real ranking that was not used yet: one of exactly these systems, or, where none
is left, one that has as many of them as any. It is the systems of that ranking that were judged, and nothing is used
twice; a set is worth little that only ever has the same two rankings to give.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from palmares import read

from . import active_fit
from .active_world import Floats, Ints, count

FILE = "wmt13/fr-en.train.csv"


@dataclass(frozen=True)
class Pool:
    """All outcomes, seen from the first system, sorted by pair, and all rankings; the truth is a fit to all."""

    quality: Floats
    outcomes: Ints = field(repr=False)
    starts: Ints = field(repr=False)
    shown: Ints = field(repr=False)
    ranks: Ints = field(repr=False)
    effects: bool = False

    @property
    def systems(self) -> int:
        return len(self.quality)

    def collect(self, size: int, most: int, rng: np.random.Generator) -> Replayed:
        return Replayed(self, size, most, rng)


@cache
def pool() -> Pool:
    """Of the published file."""
    folder = os.environ.get("PALMARES_REAL_DATA")
    if not folder:
        sys.exit("PALMARES_REAL_DATA is not set; it names the folder with the published judgments")
    judgments = read(Path(folder) / FILE)
    n = len(judgments.names["system"])
    a, b, outcome, ranking = (
        judgments.codes(name).astype(np.int64) for name in ("system_a", "system_b", "outcome", "ranking")
    )
    order = np.argsort(a * n + b, kind="stable")
    starts = np.searchsorted((a * n + b)[order], np.arange(n * n + 1))
    counts = judgments.counts
    x, _ = active_fit.fitted(np.zeros(n + 1), counts.wins.astype(float), counts.ties.astype(float))
    return Pool(x[:-1], outcome[order], starts, *_rankings(a, b, outcome, ranking, n))


def _rankings(a: Ints, b: Ints, outcome: Ints, ranking: Ints, n: int) -> tuple[Ints, Ints]:
    """Systems of every ranking, and ranks that say the same as its pairs: one more for each system that was better."""
    worse_than = np.zeros((ranking.max() + 1, n), dtype=np.int64)
    inside = np.zeros((ranking.max() + 1, n), dtype=bool)
    inside[ranking, a] = inside[ranking, b] = True
    np.add.at(worse_than, (ranking, a), outcome < 0)
    np.add.at(worse_than, (ranking, b), outcome > 0)
    shown = np.nonzero(inside)[1].reshape(len(inside), -1)
    return shown, np.take_along_axis(worse_than, shown, axis=1)


class Replayed:
    """What was asked of the pool so far, as `active_world.Collected` has it of a simulated campaign."""

    def __init__(self, world: Pool, size: int, most: int, rng: np.random.Generator) -> None:
        n = world.systems
        self.world, self.size, self.rng, self.screens = world, size, rng, 0
        self.wins, self.ties = np.zeros((n, n)), np.zeros((n, n))
        self.shown = np.zeros((most, size), dtype=np.int64)
        self.ranks = np.zeros((most, size), dtype=np.int64)
        self.left = np.ones(len(world.shown), dtype=bool)
        self.inside = np.zeros((len(world.shown), n), dtype=np.int8)
        np.put_along_axis(self.inside, world.shown, 1, axis=1)
        self.exact = 0

    @property
    def judgments(self) -> int:
        return self.screens * self.size * (self.size - 1) // 2

    def ask(self, screens: Ints) -> None:
        """Answers to these sets of systems."""
        for systems in screens:
            shown, ranks = self._pair(systems) if self.size == 2 else self._ranking(systems)
            self.shown[self.screens], self.ranks[self.screens] = shown, ranks
            count(shown, ranks, self.wins, self.ties)
            self.screens += 1

    def log(self) -> tuple[Ints, Ints]:
        return self.shown[: self.screens], self.ranks[: self.screens]

    def _pair(self, systems: Ints) -> tuple[Ints, Ints]:
        a, b = np.sort(systems)
        cell = a * self.world.systems + b
        outcome = self.world.outcomes[self.rng.integers(self.world.starts[cell], self.world.starts[cell + 1])]
        return np.array([a, b]), np.array([1, 1]) + np.array([outcome < 0, outcome > 0])

    def _ranking(self, systems: Ints) -> tuple[Ints, Ints]:
        shared = np.where(self.left, self.inside[:, systems].sum(axis=1), -1)
        most = shared.max()
        self.exact += int(most == self.size)
        number = self.rng.choice(np.flatnonzero(shared == most))
        self.left[number] = False
        return self.world.shown[number], self.world.ranks[number]
