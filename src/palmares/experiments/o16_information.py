"""Otani et al. 2016, Figure 5: at which systems single segments tell most."""

from __future__ import annotations

import numpy as np

from ..compute import ExperimentStream, generator
from ..judgments import FloatArray, IntArray, Judgments
from ..kernels.graded_response import item_information
from ..models.against_baseline import choose_baseline
from ..models.graded_response import GradedResponse
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import WMT13, wmt13_pool
from .o16 import against
from .published import load

#: Where the curves are read off.
_GRID = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
_FINE = np.linspace(-6, 6, 2401)


def _information(context: Context, *, size: int, trials: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    chosen = choose_baseline(pool.train)
    code = pool.train.systems.index(chosen.system)
    parts = context.run(_fitted, [(trial,) for trial in range(trials)], pool.train, code, size, context.seed)
    difficulty, theta = (np.stack([part[k] for part in parts]) for k in (0, 1))
    # Means of b over the data sets that a segment is in, of segments that are in at least half of them.
    seen = (~np.isnan(difficulty[:, :, 0])).sum(axis=0)
    often = np.flatnonzero(seen >= max(trials / 2, 1))
    mean = np.nanmean(difficulty[:, often], axis=0)
    middle = mean.mean(axis=1)
    ends = {"difficult to beat": int(middle.argmax()), "easy to beat": int(middle.argmin())}
    rows = _rows(ends, mean, [pool.train.segments[k] for k in often], seen[often])
    rows += [
        mean_row(name, None, theta[:, k], group="θ of systems", digits=2)
        for k, name in sorted(enumerate(pool.train.systems), key=lambda item: -theta[:, item[0]].mean())
    ]
    notes = [
        f"on {pool.name} (the paper: WMT13 Spanish–English, other segments), {trials} data sets of {size:,} "
        f"comparisons (the paper: 100); baseline {chosen.system}: {chosen.reason}. Of {len(often):,} segments that are "
        "in at least half of the data sets, the two of largest and least (b1 + b2) / 2 (the paper: two others); a = 1. "
        "n: data sets.",
    ]
    return Findings(rows, _checks(pool.train, code, often, mean, theta.mean(axis=0)), notes,
                    {pool.name: pool.train.hash})  # fmt: skip


def _fitted(judgments: Judgments, baseline: int, size: int, seed: int, trial: int) -> tuple[FloatArray, FloatArray]:
    """b of every segment (NaN where it is not in the data set), and the scores."""
    part = against(judgments, baseline, size, generator(seed, ExperimentStream.BASELINE_SETS, size, trial, baseline))
    fit = GradedResponse(baseline=judgments.systems[baseline]).fit(part)
    assert fit.scores is not None
    difficulty = np.full((len(judgments.segments), 2), np.nan)
    place = {name: number for number, name in enumerate(judgments.segments)}
    difficulty[[place[name] for name in fit.segments]] = fit.difficulty
    return difficulty, fit.scores


def _peaks(difficulty: FloatArray) -> FloatArray:
    """The θ at which each segment tells most."""
    told = item_information(_FINE[:, None], difficulty[:, 0], difficulty[:, 1])
    return np.asarray(_FINE[told.argmax(axis=0)])


def _rows(
    ends: dict[str, int], mean: FloatArray, names: list[str], seen: FloatArray
) -> list[Row]:  # fmt: skip
    published, rows, peaks = load("o16")["figure_5"], [], _peaks(mean)
    for word, k in ends.items():
        note = f"segment {names[k]}, b = ({mean[k, 0]:.2f}, {mean[k, 1]:.2f})"
        group = "θ at which the information of a segment peaks"
        rows.append(Row(word, published[word], float(peaks[k]), n=int(seen[k]), note=note, group=group, digits=2))
    for word, k in ends.items():
        told = item_information(np.array(_GRID), mean[k, 0], mean[k, 1])
        rows += [
            Row(word, None, float(value), n=int(seen[k]), group="information by θ", at=f"{at:+g}")
            for at, value in zip(_GRID, told, strict=True)
        ]
    return rows


def _checks(
    judgments: Judgments, baseline: int, often: IntArray, mean: FloatArray, theta: FloatArray
) -> list[Check]:  # fmt: skip
    middle = mean.mean(axis=1)
    spread = np.percentile(middle, [5, 95])
    low = np.flatnonzero(theta < np.median(theta))
    third = max(len(middle) // 3, 1)
    order = np.argsort(middle)
    lost = {word: _lost(judgments, baseline, often[part], low) for word, part in
            {"hard": order[-third:], "easy": order[:third]}.items()}  # fmt: skip
    return [
        Check("segments differ in the systems that they tell apart", bool(spread[1] - spread[0] > 0.1),
              f"90 % of (b1 + b2) / 2 lie between {spread[0]:+.2f} and {spread[1]:+.2f}, systems between "
              f"{theta.min():+.2f} and {theta.max():+.2f}"),
        Check("systems of low θ lose to the baseline on segments that are hard to beat more often than on easy ones",
              lost["hard"] > lost["easy"], f"{100 * lost['hard']:.0f} % and {100 * lost['easy']:.0f} % lost"),
    ]  # fmt: skip


def _lost(judgments: Judgments, baseline: int, segments: IntArray, systems: IntArray) -> float:
    """The share of comparisons with the baseline, on these segments and of these systems, that the baseline won."""
    a, b, outcome = (judgments.codes(name) for name in ("system_a", "system_b", "outcome"))
    other, won = np.where(a == baseline, b, a), np.where(a == baseline, outcome, -outcome) > 0
    mask = ((a == baseline) | (b == baseline)) & np.isin(other, systems) & np.isin(judgments.codes("segment"), segments)
    return float(won[mask].mean()) if mask.any() else float("nan")


INFORMATION = Experiment(
    "o16-information",
    "item information of two segments",
    "Otani et al. 2016, Figure 5",
    _information,
    settings={"size": 6400, "trials": 20, "rankings": 9996},
    quick={"size": 400, "trials": 2, "rankings": 600},
    files=WMT13,
)
