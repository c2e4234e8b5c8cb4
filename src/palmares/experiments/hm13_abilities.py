"""Hopkins & May 2013, Figure 6: abilities with their spread over trainings, and a heat map of preferences."""

from __future__ import annotations

import numpy as np

from ..compute import generator
from ..judgments import Judgments
from ..judgments.arrays import FloatArray
from ..models.hopkins_may import HopkinsMay
from .base import Check, Context, Experiment, Findings, Row
from .campaigns import WMT13, wmt13_pool
from .predictions import drawn


def _run(context: Context, *, size: int, trainings: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    tasks = [(number,) for number in range(trainings)]
    parts = context.run(_training, tasks, pool.train, size, context.seed)
    abilities, preference = (np.stack([part[k] for part in parts]) for k in (0, 1))
    mean, spread = abilities.mean(axis=0), abilities.std(axis=0, ddof=1)
    order = np.argsort(-mean).tolist()
    names = pool.train.systems
    rows = [
        Row(names[i], None, float(mean[i]), float(spread[i]), trainings, group="ability ± standard deviation", digits=2)
        for i in order
    ]
    # One of the preference models, as in the paper: Q(win) − Q(loss), row against column.
    rows += [
        Row(names[i], None, float(preference[0, i, j]) if i != j else None, n=size, digits=2,
            group="preference Q(win) − Q(loss) against the systems in the same order", at=str(column))
        for i in order for column, j in enumerate(order, 1)
    ]  # fmt: skip
    notes = [
        f"on {pool.name} (the paper: WMT11 English–Czech, whose judgments are not at hand); {trainings} trainings on "
        f"{size:,} random comparisons. n: trainings; of preferences, comparisons of the first training."
    ]
    return Findings(rows, _checks(mean[order], spread[order]), notes, {pool.name: pool.train.hash})


def _training(judgments: Judgments, size: int, seed: int, number: int) -> tuple[FloatArray, FloatArray]:
    """Abilities, and Q(win) − Q(loss) of every pair."""
    part = drawn(judgments, min(size, len(judgments)), generator(seed, 8, number))
    fit = HopkinsMay().fit(part, rng=generator(seed, 9, number))
    assert fit.scores is not None
    return fit.scores, fit.outcomes[..., 0] - fit.outcomes[..., 2]


def _checks(mean: FloatArray, spread: FloatArray) -> list[Check]:
    gaps = -np.diff(mean)
    close = int((gaps < np.maximum(spread[1:], spread[:-1])).sum())
    strata = 1 + int((gaps > spread[1:] + spread[:-1]).sum())
    return [
        Check("some neighbours are so close that their order is arbitrary (less than one sd apart)", close > 0,
              f"{close} of {len(gaps)} neighbouring pairs"),
        Check("a few strata stand apart (four in the paper)", 1 < strata < len(mean),
              f"{strata} strata that are more than the sum of two sd apart"),
    ]  # fmt: skip


ABILITIES = Experiment(
    "hm13-abilities",
    "abilities over five trainings, and a heat map of preferences",
    "Hopkins & May 2013, Figure 6",
    _run,
    settings={"size": 1600, "trainings": 5, "rankings": 9996},
    quick={"size": 600, "trainings": 3, "rankings": 400},
    files=WMT13,
)
