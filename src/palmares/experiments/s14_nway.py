"""Sakaguchi et al. 2014, Tables 3–4: TrueSkill trained on matches of two to five systems."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compute import generator
from ..judgments import Judgments
from ..judgments.arrays import FloatArray, IntArray
from ..models.trueskill import TrueSkill
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import WMT13, wmt13_pool
from .predictions import Split, split, tuned
from .published import load

WAYS = (2, 3, 4, 5)
#: What each table holds fixed.
FIXED = {"table_3": "Table 3, fixed number of matches", "table_4": "Table 4, fixed number of pairs"}


@dataclass(frozen=True)
class Matches:
    """Five-way rankings: the systems of each, and the row of every two of them."""

    judgments: Judgments = field(repr=False)
    members: IntArray = field(repr=False)  # (rankings, 5)
    rows: IntArray = field(repr=False)  # (rankings, systems, systems)

    def drawn(self, ways: int, size: int, rng: np.random.Generator) -> Judgments:
        """``size`` rankings in random order, of each ``ways`` systems at random."""
        ranking = rng.permutation(len(self.members))[:size]
        shuffled = rng.permuted(self.members[ranking], axis=1)
        first, second = np.triu_indices(ways, 1)
        rows = self.rows[ranking[:, None], shuffled[:, first], shuffled[:, second]]
        return self.judgments.take(rows.ravel())


def matches_of(judgments: Judgments) -> Matches:
    """The complete five-way rankings."""
    code, a, b = (judgments.codes(c).astype(np.int64) for c in ("ranking", "system_a", "system_b"))
    n = len(judgments.systems)
    rows: IntArray = np.full((int(code.max()) + 1, n, n), -1)
    rows[code, a, b] = rows[code, b, a] = np.arange(len(judgments))
    present = rows.max(axis=2) >= 0
    judged = (rows >= 0).reshape(len(rows), -1).sum(axis=1)
    whole = np.flatnonzero((present.sum(axis=1) == 5) & (judged == 20))
    members = np.nonzero(present[whole])[1].reshape(-1, 5)
    return Matches(judgments, members, rows[whole])


def _run(context: Context, *, sizes: tuple[int, ...], trials: int, dev_rankings: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    part = split(pool, "all", dev_rankings, context.seed)
    matches = matches_of(part.train)
    tasks = [(trial,) for trial in range(trials)]
    results = np.stack(context.run(_trial, tasks, part, matches, sizes, context.seed))
    rows = _rows(results, sizes)
    notes = [
        f"on {pool.name} (the paper: mean over ten language pairs), training on all judges, one update per match in "
        "random order. n: trials; ±: standard error over them.",
        f"test {part.test.total:g}, development {part.dev.total:g} expert judgments.",
    ]
    return Findings(rows, _checks(results), notes, pool.data)


def _trial(part: Split, matches: Matches, sizes: tuple[int, ...], seed: int, trial: int) -> FloatArray:
    """Accuracies: an array (tables, sizes, ways)."""
    results = np.zeros((2, len(sizes), len(WAYS)))
    for fixed, s, w in np.ndindex(*results.shape):
        ways, size = WAYS[w], sizes[s]
        count = size if fixed == 0 else max(size // (ways * (ways - 1) // 2), 1)
        chosen = matches.drawn(ways, count, generator(seed, trial, fixed, s, w))
        fit = TrueSkill(mode="rankings").fit(chosen)
        assert fit.scores is not None
        assert fit.deviations is not None
        results[fixed, s, w] = tuned(fit.scores, fit.deviations**2, part)[0]
    return results


def _rows(results: FloatArray, sizes: tuple[int, ...]) -> list[Row]:
    rows = []
    for fixed, (table, group) in enumerate(FIXED.items()):
        for s, size in enumerate(sizes):
            printed = load("s14")[table].get(str(size), [None] * len(WAYS))
            for w, ways in enumerate(WAYS):
                rows.append(mean_row(f"N = {ways}, {size:,}", printed[w], results[:, fixed, s, w], group=group))
    return rows


def _checks(results: FloatArray) -> list[Check]:
    mean = results.mean(axis=0)
    gain = 100 * (mean[:, 0, -1] - mean[:, 0, 0])
    spread = 100 * float(np.ptp(mean[1, -1]))
    return [
        Check("with as many matches, 5-way is ahead of 2-way at the smallest size (+1.3 points)", bool(gain[0] > 0),
              f"{gain[0]:+.2f} points"),
        Check("with as many pairs, 5-way is behind 2-way at the smallest size (−2.0 points)", bool(gain[1] < 0),
              f"{gain[1]:+.2f} points"),
        Check("with as many pairs, N matters little at the largest size (0.2 points apart)", spread < 1,
              f"{spread:.2f} points between the best and the worst N"),
    ]  # fmt: skip


NWAY = Experiment(
    "s14-nway",
    "accuracy of TrueSkill trained on N-way matches",
    "Sakaguchi et al. 2014, Tables 3–4",
    _run,
    settings={"sizes": (400, 800, 1600, 3200, 6400), "trials": 10, "dev_rankings": 200, "rankings": 9996},
    quick={"sizes": (200, 400), "trials": 2, "dev_rankings": 50, "rankings": 600},
    files=WMT13,
)
