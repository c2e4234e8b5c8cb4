"""What it takes to choose the next screen: ``python -m benchmarks next_choice``.

Two million judgments lie behind it, as counts. A strategy gets what is known from them, beginning where it was 20
judgments ago, and plans 20 screens; a web worker draws one of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations
from random import Random
from statistics import median

import numpy as np

from palmares.design.next import STRATEGIES, Candidate, Choices, Exposure, Knowledge, Pool, choose
from palmares.judgments import PairCounts

from .common import report

SYSTEMS, SIZES, NUMBER, JUDGMENTS = (15, 50, 200), (2, 5), 20, 2_000_000
SEGMENTS, REPEATS = 500, 9


def counts(systems: int, judgments: int, rng: np.random.Generator) -> PairCounts:
    """Judgments of all pairs alike, with Davidson's ties; systems so alike that most boundaries stay open."""
    theta = np.sort(rng.normal(0, 0.01, systems))[::-1]
    r = np.exp((theta[:, None] - theta) / 2)
    share = np.stack([r, np.full_like(r, 0.25), 1 / r], axis=-1)
    first, second = np.triu_indices(systems, 1)
    p = (share / share.sum(-1, keepdims=True))[first, second]
    table = rng.multinomial(judgments // len(first), p)
    wins, ties = np.zeros((2, systems, systems))
    wins[first, second], wins[second, first] = table[:, 0], table[:, 2]
    ties[first, second] = ties[second, first] = table[:, 1]
    return PairCounts(tuple(f"system-{k:03d}" for k in range(systems)), wins, ties)


def milliseconds(function: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(1000 * (time.perf_counter() - start))
    return times


def drawing(choices: Choices, size: int) -> float:
    """Milliseconds to draw one screen from choices, of 500 segments."""
    systems = range(len(choices.systems))
    outputs = {key: tuple(Candidate(1000 * key + s, (s,)) for s in systems) for key in range(SEGMENTS)}
    exposure = Exposure(dict.fromkeys(systems, 0), dict.fromkeys(combinations(systems, 2), 0))
    chosen, rng = dict.fromkeys(range(SEGMENTS), 0), Random(1)
    pool = Pool(chosen, exposure.systems, exposure.met, outputs.__getitem__, size)
    return median(milliseconds(lambda: choose(pool, choices.strategy, 0.1, rng, choices), 200))


def main() -> None:
    rng, rows = np.random.default_rng(1), []
    for systems in SYSTEMS:
        data = counts(systems, JUDGMENTS, rng)
        before = Knowledge.of(data)
        more = PairCounts(data.systems, data.wins + rng.poisson(20 / systems**2, data.wins.shape), data.ties)
        fitting = min(milliseconds(lambda more=more, before=before: Knowledge.of(more, start=before)))  # type: ignore[misc]
        knowledge = Knowledge.of(more, start=before)
        for size in SIZES:
            for name in STRATEGIES:
                strategy = STRATEGIES.load(name)()
                planning = min(milliseconds(lambda s=strategy, k=knowledge, m=size: s.choices(k, m, NUMBER, rng)))  # type: ignore[misc]
                choices = strategy.choices(knowledge, size, NUMBER, rng)
                each, whole = planning / NUMBER, fitting + planning
                rows.append([systems, size, name, fitting, planning, each, whole, drawing(choices, size)])
    report(
        "next-choice",
        "Choosing the next screen",
        ["systems", "outputs", "strategy", "fit", f"plan of {NUMBER}", "a screen", f"fit and {NUMBER}", "draw"],
        rows,
        [
            f"Milliseconds on one core (`OPENBLAS_NUM_THREADS=1`), the least of {REPEATS}, since other work only adds "
            f"to it; {JUDGMENTS:,} judgments lie behind it, of systems so alike that most boundaries are open. fit: "
            "Bradley–Terry, its covariance and the claims, beginning at what was known 20 judgments ago. draw: one "
            f"screen from the plan, as a web worker does it, of {SEGMENTS} segments, a tenth uniform; median of 200."
        ],
    )


if __name__ == "__main__":
    main()
