"""Small tables of judgments, built by hand or at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from palmares.judgments import Judgments
from palmares.judgments.counts import PairCounts


def judged(rows: Sequence[tuple[str, str, int]], **columns: Sequence[object]) -> Judgments:
    """A table of (a, b, outcome), with more columns by name."""
    a, b, outcome = zip(*rows, strict=True)
    return Judgments.from_rows(pl.DataFrame({"system_a": a, "system_b": b, "outcome": outcome, **columns}))


def counted(pairs: Mapping[tuple[str, str], tuple[int, int, int]]) -> Judgments:
    """A table in which a beat, tied with and lost to b so many times."""
    rows = []
    for (a, b), (won, tied, lost) in pairs.items():
        rows += [(a, b, 1)] * won + [(a, b, 0)] * tied + [(a, b, -1)] * lost
    return judged(rows)


def pair_counts(wins: Sequence[Sequence[float]], ties: Sequence[Sequence[float]] | None = None) -> PairCounts:
    """Counts of systems s0, s1, … from a matrix of wins (row beat column)."""
    table = np.array(wins, dtype=float)
    names = tuple(f"s{i}" for i in range(len(table)))
    return PairCounts(names, table, np.zeros_like(table) if ties is None else np.array(ties, dtype=float))


def random_rows(
    rng: np.random.Generator, *, systems: int = 5, rankings: int = 40, weights: bool = False
) -> pl.DataFrame:
    """Three-way rankings with ties, of systems of which later ones are better, with judges and segments."""
    rows = []
    for number in range(rankings):
        shown = rng.permutation(systems)[:3]
        seen = np.round(shown / 2 + rng.normal(0, 1.5, 3))
        rows += [
            (f"s{shown[i]}", f"s{shown[j]}", int(np.sign(seen[i] - seen[j])), f"r{number}")
            for i, j in ((0, 1), (0, 2), (1, 2))
        ]
    frame = pl.DataFrame(rows, schema=["system_a", "system_b", "outcome", "ranking"], orient="row")
    unit = pl.int_range(pl.len()) // 3
    frame = frame.with_columns(
        (pl.lit("judge-") + (unit % 7).cast(pl.String)).alias("judge"),
        (pl.lit("segment-") + (unit % 19).cast(pl.String)).alias("segment"),
    )
    return frame.with_columns(weight=rng.uniform(0.1, 3, frame.height)) if weights else frame


# -- lines of generic tables, as readers meet them ----------------------------------------------------

_SYSTEMS = "ABCDEFG"


def ranked_pairs(ranks: dict[str, int], **context: Any) -> list[dict[str, Any]]:
    """The pairs of one ranking as lines of a generic table."""
    return [
        {
            "system_a": a,
            "system_b": b,
            "outcome": "tie" if ranks[a] == ranks[b] else "ab"[ranks[b] < ranks[a]],
            **context,
        }
        for a, b in combinations(ranks, 2)
    ]


def ranked_table(judges: int = 5, segments: int = 8, size: int = 4) -> pl.DataFrame:
    """Every judge ranks some systems on every segment; ``ranking`` numbers all of them."""
    rng = random.Random(5)
    rows = []
    for judge in range(judges):
        for segment in range(segments):
            ranks = {system: rng.randint(1, 3) for system in rng.sample(_SYSTEMS, size)}
            number = judge * segments + segment
            rows += ranked_pairs(ranks, judge=f"j{judge}", segment=f"s{segment}", ranking=f"r{number}")
    rng.shuffle(rows)
    return pl.DataFrame(rows)


def loose_table(rows: int = 900, **columns: Callable[[int], Any]) -> pl.DataFrame:
    """Random pairs that are of no ranking."""
    rng = random.Random(9)
    found = []
    for n in range(rows):
        a, b = rng.sample(_SYSTEMS, 2)
        context = {name: value(n) for name, value in columns.items()}
        found.append({"system_a": a, "system_b": b, "outcome": rng.choice(["a", "b", "tie"]), **context})
    return pl.DataFrame(found)
