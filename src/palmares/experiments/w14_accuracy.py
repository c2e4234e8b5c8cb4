"""Bojar et al. 2014, Table 7: how often the partial order of each model predicts held-out judgments."""

from __future__ import annotations

import numpy as np

from ..analysis.compare.heldout import partition, tuned_radius
from ..compute import generator
from ..judgments import FloatArray, IntArray, PairCounts
from ..models.base import Model
from ..models.hopkins_may import HopkinsMay
from ..models.ratios import ExpectedWins
from ..models.trueskill import TrueSkill
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import WMT13, from_table, oracle, tie_rate, wmt13_pool
from .published import head_to_head_tables, load

LABELS = ("expected wins", "Hopkins & May", "TrueSkill")


def models(runs: int) -> tuple[Model, ...]:
    """The three models with the settings behind the published figures."""
    return ExpectedWins(), HopkinsMay(sampler="projection", radius=0.5), TrueSkill(runs=runs)


def _run(context: Context, *, tasks: tuple[str, ...], folds: int, runs: int, rankings: int) -> Findings:
    rows, rates, accuracies = [], [], []
    published = load("w14")["table_7"]
    sizes = {name: judgments for name, _, judgments, _ in load("w14")["table_3"]}
    for table in head_to_head_tables():
        if table.pair not in tasks:
            continue
        wanted = published[table.pair][3] / 100
        ties = tie_rate(table, sizes[table.pair], wanted)
        counts = from_table(table, sizes[table.pair], ties)
        results = cross_validated(context, counts, folds, runs, key=table.table)
        accuracies.append(results)
        rows += _rows(table.pair, published[table.pair], results, counts)
        rates.append(f"{table.pair} {100 * ties:.1f} %")
    oracles = [row.measured or 0.0 for row in rows if row.label == "oracle"]
    by_task = np.array(accuracies).mean(axis=1)
    rows += _mean_rows(published["MEAN"], by_task, oracles, len(tasks) == 10)
    pool = wmt13_pool(context, rankings)
    results = cross_validated(context, pool.train.counts, folds, runs, key=13)
    rows += _rows(pool.name, [None] * 4, results, pool.train.counts)
    notes = [
        "campaigns are rebuilt from the win shares of Tables 28–37 and the sizes of Table 3, every pair judged and "
        f"tied alike; the tie rate is set so that the oracle comes out as published: {', '.join(rates)}.",
        "accuracies in %; ±: standard error over folds; n: judgments. Radius 0, .01, …, .25 tuned on training folds.",
    ]  # fmt: skip
    return Findings(rows, _checks(np.array(accuracies)), notes, {pool.name: pool.train.hash})


def cross_validated(context: Context, counts: PairCounts, folds: int, runs: int, *, key: int) -> FloatArray:
    """Accuracies of the three models on every fold: an array (folds, models)."""
    tasks = [(list(part),) for part in np.array_split(np.arange(folds), min(folds, 8)) if len(part)]
    parts = context.run(_folds, tasks, counts, folds, runs, (context.seed, key))
    return np.concatenate(parts)


def _folds(counts: PairCounts, folds: int, runs: int, key: tuple[int, int], some: list[int]) -> FloatArray:
    cells = np.repeat(np.arange(_table(counts).size), _table(counts).astype(np.int64))
    # A fixed split, whichever folds are asked for here.
    fold = generator(*key, 0).permutation(len(cells)) % folds
    results = []
    for number in some:
        test, train = (_counts(counts, cells[part]) for part in (fold == number, fold != number))
        fitted = [model.fit(train, rng=generator(*key, 1, number, m)) for m, model in enumerate(models(runs))]
        results.append([accuracy(np.asarray(fit.scores), train, test) for fit in fitted])
    return np.array(results)


def accuracy(scores: FloatArray, train: PairCounts, test: PairCounts) -> float:
    """The share of test judgments that the partial order of the scores predicts; its radius is tuned on ``train``."""
    cluster = partition(scores, tuned_radius(scores, train, "published"))
    above = cluster[:, None] < cluster
    level = np.triu(cluster[:, None] == cluster, 1)
    return float((test.wins[above].sum() + test.ties[level].sum()) / test.total)


def _table(counts: PairCounts) -> FloatArray:
    """Counts by cell, as `Judgments.cells` numbers them."""
    upper = np.triu(np.ones_like(counts.wins), 1)
    return (np.stack([counts.wins, counts.ties, counts.wins.T], axis=-1) * upper[..., None]).ravel()


def _counts(like: PairCounts, cells: IntArray) -> PairCounts:
    return PairCounts.from_cells(like.systems, cells, None)


def _rows(name: str, published: list[float | None], results: FloatArray, counts: PairCounts) -> list[Row]:
    total = round(counts.total)
    rows = [
        mean_row(label, value, 100 * results[:, m], n=total, group=name, digits=1)
        for m, (label, value) in enumerate(zip(LABELS, published[:3], strict=True))
    ]
    return [*rows, Row("oracle", published[3], 100 * oracle(counts), n=total, group=name, digits=1)]


def _mean_rows(published: list[float], accuracies: FloatArray, oracles: list[float], complete: bool) -> list[Row]:
    means = [*(100 * accuracies.mean(axis=0)), np.mean(oracles)]
    return [
        Row(label, value if complete else None, float(mean), n=len(accuracies), group="mean over tasks", digits=1)
        for label, value, mean in zip((*LABELS, "oracle"), published, means, strict=True)
    ]


def _checks(accuracies: FloatArray) -> list[Check]:
    """From accuracies (tasks, folds, models)."""
    by_task = accuracies.mean(axis=1)
    best = by_task >= by_task.max(axis=1, keepdims=True) - 1e-12
    summary = ", ".join(f"{label} {count}" for label, count in zip(LABELS, best.sum(axis=0).tolist(), strict=True))
    return [
        _ahead(accuracies, 1, 0, "48.1 against 48.0"),
        _ahead(accuracies, 2, 1, "48.2 against 48.1"),
        Check("no model is best for every task", not best.all(axis=0).any(), f"best, alone or shared: {summary}"),
    ]


def _ahead(accuracies: FloatArray, one: int, other: int, published: str) -> Check:
    """Whether one model is more accurate than another on average, fold by fold, by more than two standard errors."""
    apart = 100 * (accuracies[..., one] - accuracies[..., other])
    error = float(np.sqrt((apart.var(axis=1, ddof=1) / apart.shape[1]).sum()) / len(apart))
    mean = float(apart.mean())
    return Check(
        f"{LABELS[one]} is more accurate than {LABELS[other]} on average ({published})", mean > 2 * error,
        f"{mean:+.2f} ± {error:.2f} points over {len(apart)} tasks",
    )  # fmt: skip


ACCURACY = Experiment(
    "w14-accuracy",
    "accuracy of three models over 100 folds",
    "Bojar et al. 2014, Table 7",
    _run,
    settings={"tasks": tuple(table.pair for table in head_to_head_tables()), "folds": 100, "runs": 4, "rankings": 9996},
    quick={"tasks": ("Czech–English", "Hindi–English"), "folds": 3, "runs": 2, "rankings": 300},
    files=WMT13,
)
