"""Campaigns for the study of active choice, written apart from the package: who is better, and what judges answer.

An output's quality is N(mean of its system, spread²); judges see it through what they like of the system and the luck
of the system on the segment. Outputs no more than ``radius`` below the best of their group share its rank (which makes
outcomes ternary). The screen's systems are the caller's choice; judges and segments take turns at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SYSTEMS = 15
#: Of Koehn's campaigns: qualities uniform on [0, 10], a standard deviation of 10. With this radius 11 % of the
#: comparisons of equals are ties, so that one of them holds .222 of information.
SPREAD, RADIUS = 10.0, 2.0
JUDGES, SEGMENTS = 20, 500
#: Standard deviations of what a judge likes of a system, and of a system's luck on a segment, where there are any.
JUDGE_EFFECT, SEGMENT_EFFECT = 1.5, 6.0


@dataclass(frozen=True)
class World:
    """Systems of given mean qualities, and how they are seen."""

    quality: Floats
    judge_effect: float = 0.0
    segment_effect: float = 0.0

    @property
    def systems(self) -> int:
        return len(self.quality)

    @property
    def effects(self) -> bool:
        return bool(self.judge_effect or self.segment_effect)

    def collect(self, size: int, most: int, rng: np.random.Generator) -> Collected:
        return Collected(self, size, most, rng)


def koehn(rng: np.random.Generator) -> World:
    """Fifteen systems whose qualities are uniform on [0, 10]."""
    return World(rng.uniform(0, 10, SYSTEMS))


def equals(kind: str, effects: bool) -> World:
    """Groups of equal systems, and fifteen that are nearly equal."""
    quality = {
        "pairs near": np.append(np.repeat(np.arange(7) * 0.5, 2), 3.5),
        "pairs far": np.append(np.repeat(np.linspace(0, 10, 8)[:7], 2), 10.0),
        "threes": np.repeat(np.linspace(0, 10, 5), 3),
        "near-identical": np.linspace(0, 0.3, 15),
    }[kind]
    return World(quality, *((JUDGE_EFFECT, SEGMENT_EFFECT) if effects else (0.0, 0.0)))


class Collected:
    """The judgments of one campaign: counts, and the log of screens that judges and segments are looked up in."""

    def __init__(self, world: World, size: int, most: int, rng: np.random.Generator) -> None:
        n = world.systems
        self.world, self.size, self.rng = world, size, rng
        self.wins, self.ties = np.zeros((n, n)), np.zeros((n, n))
        self.shown = np.zeros((most, size), dtype=np.int64)
        self.ranks = np.zeros((most, size), dtype=np.int64)
        self.judge, self.segment = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
        self.screens = 0
        self.likes = rng.normal(0, 1, (JUDGES, n)) * world.judge_effect
        self.luck = rng.normal(0, 1, (SEGMENTS, n)) * world.segment_effect

    @property
    def judgments(self) -> int:
        return self.screens * self.size * (self.size - 1) // 2

    def ask(self, screens: Ints) -> None:
        """Show these sets of systems, (screens, size), each to some judge on some segment."""
        lo, hi = self.screens, self.screens + len(screens)
        self.shown[lo:hi], mean = screens, self.world.quality[screens]
        if self.world.effects:
            judge, segment = self.rng.integers(0, JUDGES, len(screens)), self.rng.integers(0, SEGMENTS, len(screens))
            mean = mean + self.likes[judge[:, None], screens] + self.luck[segment[:, None], screens]
            self.judge[lo:hi], self.segment[lo:hi] = judge, segment
        seen = self.rng.normal(mean, SPREAD)
        _add(seen, screens, self.ranks[lo:hi], self.wins, self.ties)
        self.screens = hi

    def log(self) -> tuple[Ints, Ints]:
        return self.shown[: self.screens], self.ranks[: self.screens]


@numba.njit(cache=True)
def _add(seen, shown, ranks, wins, ties):  # type: ignore[no-untyped-def]
    """Rank what was seen, and count."""
    for r in range(seen.shape[0]):
        order = np.argsort(-seen[r])
        leader, rank = seen[r, order[0]], 1
        for place in order:
            if leader - seen[r, place] > RADIUS:
                leader = seen[r, place]
                rank += 1
            ranks[r, place] = rank
        count(shown[r], ranks[r], wins, ties)


@numba.njit(cache=True)
def count(shown, ranks, wins, ties):  # type: ignore[no-untyped-def]
    """Every pair of one ranking."""
    for a in range(len(shown)):
        for b in range(a + 1, len(shown)):
            i, j = shown[a], shown[b]
            if ranks[a] < ranks[b]:
                wins[i, j] += 1
            elif ranks[a] > ranks[b]:
                wins[j, i] += 1
            else:
                ties[i, j] += 1
                ties[j, i] += 1
