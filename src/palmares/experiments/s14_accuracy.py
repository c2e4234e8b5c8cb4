"""Sakaguchi et al. 2014, Table 2 and Figures 3–4: accuracy and perplexity against training size."""

from __future__ import annotations

import numpy as np

from ..compute import generator
from ..judgments import FloatArray, PairCounts
from ..models.hopkins_may import HopkinsMay
from ..models.ratios import ExpectedWins
from ..models.trueskill import TrueSkill
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import WMT13, oracle, wmt13_pool
from .predictions import Split, drawn, split, tuned
from .published import load

LABELS = ("expected wins", "Hopkins & May", "TrueSkill", "TrueSkill, mean of 100 runs", "TrueSkill, same judgments")
#: Runs of a TrueSkill that is averaged.
RUNS = 100
WHO = {"all": "all judges", "res": "researchers only"}
#: What Sakaguchi et al. 2014 predict with where a model has no variance of its own.
_MAY_VARIANCE, _WINS_VARIANCE = 0.5, 0.001


def _run(context: Context, *, sizes: tuple[int, ...], trials: int, dev_rankings: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    parts = {who: split(pool, who, dev_rankings, context.seed) for who in WHO}
    tasks = [(trial,) for trial in range(trials)]
    results = {
        who: np.stack(context.run(_trial, tasks, part, sizes, (context.seed, k)))
        for k, (who, part) in enumerate(parts.items())
    }
    published = load("s14")["table_2"]
    rows = [row for who in WHO for row in _accuracies(who, results[who], sizes, published[who])]
    test = parts["all"].test
    rows.append(
        Row("upper bound", published["upper bound"], oracle(test), n=round(test.total), group="accuracy, oracle")
    )
    rows += [row for who in WHO for row in _perplexities(who, results[who], sizes)]
    notes = [
        f"on {pool.name}: test {test.total:g} and development {parts['all'].dev.total:g} expert judgments; the paper's "
        "numbers are means over ten language pairs. n: trials, each a random training set; ±: standard error.",
        "As in the paper, TrueSkill chooses its own training judgments from the whole pool, with replacement, in one "
        "run. The mean of 100 runs, each choosing anew, reads up to 100 times as many; “same judgments”: the mean of "
        "100 runs over those that the other models get.",
    ]  # fmt: skip
    return Findings(rows, _checks(results), notes, pool.data)


def _trial(part: Split, sizes: tuple[int, ...], key: tuple[int, int], trial: int) -> FloatArray:
    """Accuracy and perplexity of every model at every size: an array (sizes, models, 2)."""
    results = []
    for size in sizes:
        rng = generator(*key, trial, size)
        counts = drawn(part.train, min(size, len(part.train)), rng).counts
        results.append([tuned(*beliefs, part) for beliefs in _beliefs(part.train.counts, counts, size, rng)])
    return np.array(results)


def _beliefs(
    pool: PairCounts, counts: PairCounts, size: int, rng: np.random.Generator
) -> list[tuple[FloatArray, FloatArray]]:
    """Means and variances of the systems, by model."""
    n = len(pool.systems)
    wins = np.asarray(ExpectedWins().fit(counts).scores)
    may = np.asarray(HopkinsMay(sampler="projection", radius=0.5).fit(counts, rng=rng).scores)
    same = TrueSkill(runs=RUNS).fit(counts, rng=rng)
    assert same.scores is not None
    assert same.deviations is not None
    return [
        (wins, np.full(n, _WINS_VARIANCE)),
        (may, np.full(n, _MAY_VARIANCE)),
        choosing(pool, size, rng),
        averaged(pool, size, rng),
        (same.scores, same.deviations**2),
    ]


def choosing(pool: PairCounts, size: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Means and variances after one run of TrueSkill that chooses ``size`` judgments of the pool."""
    from ..kernels.trueskill import replay

    model = TrueSkill()
    mean, variance = replay(pool.wins, pool.ties, size, model.sigma, *model.scale(size), rng)
    return mean, variance


def averaged(pool: PairCounts, size: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """The mean of many such runs, each of which chooses anew."""
    runs = np.array([choosing(pool, size, rng) for _ in range(RUNS)])
    return runs[:, 0].mean(axis=0), runs[:, 1].mean(axis=0)


def _accuracies(who: str, results: FloatArray, sizes: tuple[int, ...], published: dict[str, list[float]]) -> list[Row]:
    rows = []
    for s, size in enumerate(sizes):
        printed = [*published.get(str(size), [None] * 3), None, None]
        for m, label in enumerate(LABELS):
            name = f"{label}, {size:,}"
            rows.append(mean_row(name, printed[m], results[:, s, m, 0], group=f"accuracy, {WHO[who]}"))
    return rows


def _perplexities(who: str, results: FloatArray, sizes: tuple[int, ...]) -> list[Row]:
    return [
        mean_row(LABELS[m], None, results[:, s, m, 1], group=f"perplexity, {WHO[who]}", at=f"{size:,}")
        for m in range(1, 5)
        for s, size in enumerate(sizes)
    ]


def _checks(results: dict[str, FloatArray]) -> list[Check]:
    accuracy = {who: values[..., 0].mean(axis=0) for who, values in results.items()}
    perplexity = {who: values[..., 1].mean(axis=0) for who, values in results.items()}
    falls = np.array([perplexity[who][0] - perplexity[who][-1] for who in WHO])[:, 1:3]
    summary = ", ".join(f"{LABELS[m]} ({who}) {falls[k, m - 1]:.3f}" for k, who in enumerate(WHO) for m in (1, 2))
    gain = float(accuracy["res"][:, :3].mean() - accuracy["all"][:, :3].mean())
    may, skill = perplexity["res"][-1, 1:3].tolist()
    return [
        *[_most_accurate(accuracy, m) for m in (2, 3, 4)],
        Check("perplexity falls from the smallest to the largest size", bool(falls.min() > 0), f"by: {summary}"),
        Check("training on researchers alone is more accurate", gain > 0, f"{100 * gain:+.2f} points on average"),
        Check("trained on researchers, Hopkins & May has lower perplexity than TrueSkill", may < skill,
              f"{may:.3f} against {skill:.3f} at the largest size"),
    ]  # fmt: skip


def _most_accurate(accuracy: dict[str, FloatArray], model: int) -> Check:
    best = sum(int((table[:, model] >= table[:, :2].max(axis=1)).sum()) for table in accuracy.values())
    cells = sum(map(len, accuracy.values()))
    lead = float(np.mean([table[:, model] - table[:, :2].max(axis=1) for table in accuracy.values()]))
    return Check(
        f"{LABELS[model]}: the most accurate at every size", best == cells,
        f"in {best} of {cells} training sets, on average {100 * lead:+.2f} points from the better of the two others",
    )  # fmt: skip


ACCURACY = Experiment(
    "s14-accuracy",
    "accuracy and perplexity of three models against training size",
    "Sakaguchi et al. 2014, Table 2 and Figures 3–4",
    _run,
    settings={"sizes": (400, 800, 1600, 3200, 6400), "trials": 20, "dev_rankings": 200, "rankings": 9996},
    quick={"sizes": (400, 800), "trials": 2, "dev_rankings": 50, "rankings": 600},
    files=WMT13,
)
