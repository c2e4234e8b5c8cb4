"""Sakaguchi et al. 2014, Figures 5–7: which pairs TrueSkill chooses to compare, early and late."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..compute import generator
from ..judgments import FloatArray, IntArray, PairCounts
from ..models.trueskill import TrueSkill
from .base import Check, Context, Experiment, Findings, Row
from .campaigns import WMT13, wmt13_pool

#: Weights of opponents from differences of means, variances of the pair and β.
Weights = Callable[[FloatArray, FloatArray, float], FloatArray]

PARTS = ("all judgments of the pool", "first 20 % chosen", "last 20 % chosen")


def by_difference(apart: FloatArray, variance: FloatArray, beta: float) -> FloatArray:
    """exp(−|μa − μb|), which the paper uses."""
    return np.asarray(np.exp(-np.abs(apart)))


def by_quality(apart: FloatArray, variance: FloatArray, beta: float) -> FloatArray:
    """p_draw = √(2β²/c²) exp(−(μa − μb)²/2c²), TrueSkill's own match quality."""
    c2 = 2 * beta**2 + variance
    return np.asarray(np.sqrt(2 * beta**2 / c2) * np.exp(-(apart**2) / (2 * c2)))


RULES: dict[str, Weights] = {"exp(−|Δμ|)": by_difference, "p_draw": by_quality}


def _run(context: Context, *, steps: int, runs: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    counts = pool.train.counts
    tasks = [(rule, run) for rule in RULES for run in range(runs)]
    chosen = context.run(_distances, tasks, counts, steps, context.seed)
    rows, late = [], {}
    for k, rule in enumerate(RULES):
        mine = np.stack(chosen[k * runs : (k + 1) * runs]).mean(axis=0)
        late[rule] = mine
        rows += _rows(rule, mine, [len(pool.train), steps * runs // 5, steps * runs // 5])
    n = len(counts.systems)
    notes = [
        f"on {pool.name}: {runs} runs of {steps:,} steps for each rule; systems in the order of the run's final means. "
        f"A uniform choice among {n} systems has a mean distance of {(n + 1) / 3:.2f} and {200 / n:.1f} % neighbours.",
        "columns: distance of the two systems in rank; cells: % of comparisons. n: comparisons.",
    ]
    return Findings(rows, _checks(late), notes, {pool.name: pool.train.hash})


def _distances(counts: PairCounts, steps: int, seed: int, rule: str, run: int) -> FloatArray:
    """Shares by distance in final rank 1 … n − 1, of the pool and of the first and last fifth: (3, n − 1)."""
    pairs, mean = choose(counts, steps, RULES[rule], generator(seed, list(RULES).index(rule), run))
    place = np.argsort(np.argsort(-mean))
    apart = np.abs(place[:, None] - place)
    n, fifth = len(mean), steps // 5
    met = counts.decided + counts.ties
    parts = [np.bincount(apart[some[:, 0], some[:, 1]], minlength=n) for some in (pairs[:fifth], pairs[-fifth:])]
    table = np.stack([np.bincount(apart.ravel(), met.ravel(), minlength=n), *parts])[:, 1:]
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def choose(counts: PairCounts, steps: int, weights: Weights, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """The pairs that a run chooses, in order, and the means it ends with.

    As `palmares.kernels.trueskill.replay`, which keeps no record: the system of highest variance, an opponent by
    weight, one of their judgments with replacement.
    """
    from ..kernels.trueskill import play_pair

    model = TrueSkill()
    beta, margin = model.scale(steps)
    met = counts.decided + counts.ties
    share = np.divide(counts.wins, met, out=np.zeros_like(met), where=met > 0)
    tied = np.divide(counts.ties, met, out=np.zeros_like(met), where=met > 0)
    mean, variance = np.zeros(len(met)), np.full(len(met), model.sigma**2)
    pairs = np.empty((steps, 2), dtype=np.int64)
    for step in range(steps):
        a = int((variance + 1e-12 * rng.random(len(met))).argmax())
        weight = np.cumsum(weights(mean[a] - mean, variance[a] + variance, beta) * (met[a] > 0))
        b = int(np.searchsorted(weight, rng.random() * weight[-1], side="right"))
        seen = rng.random()
        first, second = (a, b) if seen < share[a, b] + tied[a, b] else (b, a)
        play_pair(mean, variance, first, second, share[a, b] <= seen < share[a, b] + tied[a, b], 2 * beta**2, margin)
        pairs[step] = a, b
    return pairs, mean


def _rows(rule: str, table: FloatArray, sizes: list[int]) -> list[Row]:
    distance = np.arange(1, table.shape[1] + 1)
    rows = [
        Row(part, None, float(table[k] @ distance), n=sizes[k], group=f"mean distance in rank, {rule}", digits=2)
        for k, part in enumerate(PARTS)
    ]
    return rows + [
        Row(part, None, float(100 * table[k, d - 1]), n=sizes[k], group=f"% by distance, {rule}", at=str(d), digits=1)
        for k, part in enumerate(PARTS)
        for d in distance
    ]


def _checks(results: dict[str, FloatArray]) -> list[Check]:
    checks = []
    for rule, table in results.items():
        means = table @ np.arange(1, table.shape[1] + 1)
        checks.append(
            Check(
                f"{rule}: late choices are closer matches than early ones",
                bool(means[2] < means[1]),
                f"mean distance {means[1]:.2f}, then {means[2]:.2f} (pool {means[0]:.2f}); "
                f"neighbours {100 * table[1, 0]:.1f} %, then {100 * table[2, 0]:.1f} %",
            )
        )
    half = {rule: float(table[2, :2].sum()) for rule, table in results.items()}
    summary = ", ".join(f"{rule} {100 * share:.1f} %" for rule, share in half.items())
    return [*checks, Check("the bulk of the last choices lies along the diagonal (more than half within two ranks)",
                           half["exp(−|Δμ|)"] > 0.5, f"within two ranks: {summary}")]  # fmt: skip


SELECTION = Experiment(
    "s14-selection",
    "which pairs TrueSkill chooses to compare",
    "Sakaguchi et al. 2014, Figures 5–7",
    _run,
    settings={"steps": 25000, "runs": 5, "rankings": 9996},
    quick={"steps": 600, "runs": 2, "rankings": 300},
    files=WMT13,
)
