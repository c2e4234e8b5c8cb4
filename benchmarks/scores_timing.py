"""Timing what shares its cores with others: in turns, the best of several."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timed:
    """Wall-clock seconds, seconds of all its threads on cores, and what came out."""

    wall: float
    cpu: float
    result: Any


def timed(work: Callable[[], Any]) -> Timed:
    """Do something once."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return Timed(time.perf_counter() - wall, time.process_time() - cpu, result)


def in_turns(works: Sequence[Callable[[], Any]], repeats: int = 3) -> list[Timed]:
    """Do each in turn, ``repeats`` times, so that other load falls on all alike; of each the least of both times."""
    runs = [[timed(work) for work in works] for _ in range(repeats)]
    return [
        Timed(min(run.wall for run in own), min(run.cpu for run in own), own[0].result)
        for own in zip(*runs, strict=True)
    ]
