"""Sakaguchi et al. 2014, Figures 8–10: clusters against judgments, and rank boxes of TrueSkill."""

from __future__ import annotations

import numpy as np

from ..compute import Execution, ExperimentStream, Stream, generator
from ..judgments import Judgments
from ..judgments.arrays import FloatArray, IntArray
from ..models.base import Model
from ..models.hopkins_may import HopkinsMay
from ..models.ratios import ExpectedWins
from ..models.trueskill import TrueSkill
from ..ranking.bootstrap import from_draws, places_of, resample
from ..ranking.ranges import clusters, rank_ranges
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import WMT13, wmt13_pool
from .predictions import drawn
from .s14_accuracy import choosing
from .w14_models import spearman

METHODS = (
    "expected wins, bootstrap",
    "Hopkins & May, bootstrap",
    "TrueSkill, runs that choose from all judgments",
    "TrueSkill, runs over the same judgments",
    "TrueSkill, bootstrap",
)
#: The 2 best and 2 worst of 100 ranks are dropped.
P = 0.04


def _run(context: Context, *, sizes: tuple[int, ...], trials: int, resamples: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    tasks = [(size, trial) for trial in range(trials) for size in sizes]
    parts = context.run(_clusters, tasks, pool.train, resamples, context.seed)
    results = np.array(parts).reshape(trials, len(sizes), len(METHODS))
    rows = [
        mean_row(label, None, results[:, s, m].astype(np.float64), group="clusters", at=_size(size), digits=1)
        for m, label in enumerate(METHODS)
        for s, size in enumerate(sizes)
    ]
    notes = [
        f"on {pool.name}, {len(pool.train.systems)} systems. n: trials, each a random set of judgments; {resamples} "
        f"bootstrap samples of pairs or runs, 2 % of the ranks dropped at each end.",
        "Runs measure only TrueSkill's own chance (which pairs it takes, in which order); a bootstrap measures what "
        "other judgments would have given. The paper compares TrueSkill's runs with bootstraps of the other models.",
    ]
    return Findings(rows, _checks(results, sizes), notes, {pool.name: pool.train.hash})


def _size(size: int) -> str:
    return f"{size // 1000}k" if size % 1000 == 0 else f"{size:,}"


def _clusters(judgments: Judgments, resamples: int, seed: int, size: int, trial: int) -> list[int]:
    """The number of clusters by every method, from one random set of judgments."""
    rng = generator(seed, trial, size)
    part = drawn(judgments, min(size, len(judgments)), rng)
    own = Execution("serial", 1, seed=int(rng.integers(0, 2**63)))
    ranks = [_bootstrap(model, part, resamples, own) for model in (ExpectedWins(), _MAY)]
    chosen = [
        choosing(judgments.counts, size, own.generator(ExperimentStream.CHOOSING_RUNS, run))[0]
        for run in range(resamples)
    ]
    ties = [own.generator(ExperimentStream.CHOOSING_PLACES, run) for run in range(resamples)]
    ranks.append(np.stack([places_of(mean, rng) for mean, rng in zip(chosen, ties, strict=True)]))
    ranks.append(from_draws(TrueSkill(runs=resamples).fit(part.counts, rng=own.generator(Stream.FIT)), own).places)
    ranks.append(_bootstrap(TrueSkill(), part, resamples, own))
    return [int(clusters(rank_ranges(place, p=P)).max()) for place in ranks]


_MAY = HopkinsMay(sampler="projection", radius=0.5)


def _bootstrap(model: Model, part: Judgments, resamples: int, execution: Execution) -> IntArray:
    return resample(model, part, unit="pair", resamples=resamples, execution=execution).places


def _checks(results: FloatArray, sizes: tuple[int, ...]) -> list[Check]:
    mean = results.mean(axis=0)
    summary = ", ".join(f"{label} {value:.1f}" for label, value in zip(METHODS, mean[-1], strict=True))
    return [
        _ahead(mean, 2, "as published (runs that choose from all judgments)"),
        _ahead(mean, 4, "bootstrapped as the others"),
        Check(
            "more judgments give more clusters", bool((mean[-1] > mean[0]).all()), f"at {_size(sizes[-1])}: {summary}"
        ),
    ]


def _ahead(mean: FloatArray, method: int, variant: str) -> Check:
    others = mean[:, :2].max(axis=1)
    ahead = int((mean[:, method] >= others).sum())
    lead = float((mean[:, method] - others).mean())
    return Check(
        f"TrueSkill {variant} finds at least as many clusters as the others", ahead == len(mean),
        f"at {ahead} of {len(mean)} sizes, on average {lead:+.1f} clusters",
    )  # fmt: skip


CLUSTERS = Experiment(
    "s14-clusters",
    "number of clusters against judgments",
    "Sakaguchi et al. 2014, Figure 8",
    _run,
    settings={
        "sizes": (1000, 2000, 5000, 10000, 15000, 20000, 25000), "trials": 4, "resamples": 100, "rankings": 9996,
    },
    quick={"sizes": (500, 1000), "trials": 2, "resamples": 50, "rankings": 400},
    files=WMT13,
)  # fmt: skip


# -- rank boxes ------------------------------------------------------------------------------------

#: What a box shows of the ranks of a system.
BOX = ("mean", "lowest", "quartile 1", "quartile 3", "highest")


def _boxes(context: Context, *, sizes: tuple[int, ...], resamples: int, sets: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    tasks = [(size,) for size in sizes]
    results = dict(zip(sizes, context.run(_places, tasks, pool.train, resamples, context.seed), strict=True))
    many = results[sizes[-1]].mean(axis=0)
    order = np.argsort(many)
    alike = context.run(_order_of_few, [(number,) for number in range(sets)], pool.train, sizes[0], many, context.seed)
    rows = [
        Row(pool.train.systems[i], None, value, n=resamples, group=f"ranks with {_size(size)} judgments", at=what,
            digits=1)
        for size in sizes for i in order for what, value in _box(results[size][:, i])
    ]  # fmt: skip
    notes = [f"on {pool.name}; {resamples} bootstrap samples of pairs, each scored by one run of TrueSkill."]
    checks = [
        *_box_checks(results, sizes, np.array(alike)),
        _chosen_by_runs(context.seed, pool.train, sizes, resamples),
    ]
    return Findings(rows, checks, notes, {pool.name: pool.train.hash})


def _places(judgments: Judgments, resamples: int, seed: int, size: int) -> IntArray:
    part = drawn(judgments, min(size, len(judgments)), generator(seed, ExperimentStream.BOX_SETS, size))
    return _bootstrap(TrueSkill(), part, resamples, Execution("serial", 1, seed=seed))


def _order_of_few(judgments: Judgments, size: int, many: FloatArray, seed: int, number: int) -> float:
    """Spearman's ρ of the order from another random set of judgments with the mean ranks from many."""
    part = drawn(judgments, min(size, len(judgments)), generator(seed, ExperimentStream.OTHER_BOX_SETS, number))
    fit = TrueSkill(runs=20).fit(part.counts, rng=generator(seed, ExperimentStream.OTHER_BOX_FITS, number))
    return spearman(np.asarray(fit.scores), -many)


def _chosen_by_runs(seed: int, judgments: Judgments, sizes: tuple[int, ...], runs: int) -> Check:
    """The orders where every run chooses its judgments anew from all of them, as in the paper."""
    few, many = (
        np.mean(
            [
                choosing(judgments.counts, size, generator(seed, ExperimentStream.BOX_CHOOSING_RUNS, size, run))[0]
                for run in range(runs)
            ],
            axis=0,
        )
        for size in (sizes[0], sizes[-1])
    )
    rho = spearman(few, many)
    return Check(
        "the two orders are equal where every run chooses anew from all judgments", rho > 1 - 1e-9,
        f"Spearman {rho:.3f}; {runs} runs of {_size(sizes[0])} draw {runs * sizes[0]:,} judgments with replacement",
    )  # fmt: skip


def _box(ranks: IntArray) -> list[tuple[str, float]]:
    low, first, third, high = np.quantile(ranks, [0, 0.25, 0.75, 1]).tolist()
    return list(zip(BOX, (float(ranks.mean()), low, first, third, high), strict=True))


def _box_checks(results: dict[int, IntArray], sizes: tuple[int, ...], alike: FloatArray) -> list[Check]:
    few, many = results[sizes[0]], results[sizes[-1]]
    rho = spearman(-few.mean(axis=0), -many.mean(axis=0))
    width = [float(np.mean(np.diff(np.quantile(p, [0.25, 0.75], axis=0), axis=0))) for p in (few, many)]
    number = int(clusters(rank_ranges(many, p=0.05)).max())
    names = (_size(sizes[0]), _size(sizes[-1]))
    return [
        Check(f"the order with {names[0]} judgments is that with {names[1]}", rho > 1 - 1e-9, f"Spearman {rho:.3f}"),
        Check(f"so it is for other random sets of {names[0]}", bool((alike > 1 - 1e-9).all()),
              f"in {int((alike > 1 - 1e-9).sum())} of {len(alike)}; Spearman {alike.mean():.3f} on average, "
              f"from {alike.min():.3f} to {alike.max():.3f}"),
        Check("boxes become narrower", width[1] < width[0], f"mean box {width[0]:.2f} ranks, then {width[1]:.2f}"),
        Check(f"{names[1]} judgments separate clusters", number > 1, f"{number} clusters at p = .05"),
    ]  # fmt: skip


BOXES = Experiment(
    "s14-boxes",
    "rank boxes of TrueSkill with few and many judgments",
    "Sakaguchi et al. 2014, Figures 9–10",
    _boxes,
    settings={"sizes": (1000, 25000), "resamples": 1000, "sets": 100, "rankings": 9996},
    quick={"sizes": (500, 2000), "resamples": 50, "sets": 4, "rankings": 400},
    files=WMT13,
)
