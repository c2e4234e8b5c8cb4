"""Learning curves: how many judgments does a model need?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import compute
from ...compute import RngLike, generator, seed_of
from ...errors import InputError
from ...judgments import Judgments
from ...judgments.arrays import IntArray
from ...models.base import Model, check_one_lang_pair
from .contenders import RUNS, contenders, names_text
from .folds import SUBSETS, Patterns, choose_by, judge_folds, patterns_text, units_of
from .gold import Gold
from .radius import Radii
from .trials import Curve, Plan, Result, one_trial

#: Of one trial: the rows that subsets are drawn from, and the rows that are tested.
Rows = tuple[IntArray, IntArray]


def learning_curve(
    judgments: Judgments,
    *,
    sizes: Sequence[int],
    trials: int = 5,
    models: Sequence[str | Model] | None = None,
    by: str = "auto",
    radii: Radii = "every",
    runs: int = RUNS,
    train_judges: Patterns = None,
    test_judges: Patterns = None,
    gold: Gold | None = None,
    rng: RngLike = None,
    executor: compute.ExecutorLike = None,
    workers: int | None = None,
    progress: compute.Progress | None = None,
) -> Curve:
    """Train on random subsets of so many judgments, test on the rest, several times.

    In every trial, whole units are drawn at random until they hold half of the judgments, or as many as the largest
    size if that is more; the models are trained on random subsets of these judgments, smaller ones within larger ones,
    and tested on all the others.
    With ``train_judges`` or ``test_judges``, subsets come from the former's judgments and the latter's are tested.

    Parameters
    ----------
    sizes
        How many judgments to train on.
    trials
        How often subsets are drawn.
    gold
        Also compare scores with these.

    See `palmares.analysis.compare.run.compare` for the others.
    """
    check_one_lang_pair(judgments)
    seed, unit = seed_of(rng), choose_by(judgments, by)
    ordered = sorted(set(sizes))
    chosen = contenders(models, runs=runs)
    plan = Plan("size", ordered, trials, chosen, gold, seed, radii)
    facts: dict[str, Any] = {"models": names_text(models, chosen), "by": unit, "runs": runs}
    if train_judges is not None or test_judges is not None:
        split = judge_folds(judgments, train_judges, test_judges)
        judgments = split.judgments
        rows = [(np.flatnonzero(split.fold < 0), np.flatnonzero(split.fold == 0))] * trials
        facts |= {"train_judges": patterns_text(train_judges), "test_judges": patterns_text(test_judges)}
    else:
        units = units_of(judgments, unit)
        pool = max(*sizes, -(-len(judgments) // 2), 0)
        rows = [_split(units, pool, generator(seed, SUBSETS, t)) for t in range(trials)]
    _check_sizes(sizes, rows)
    # Numbered by content, so that the order of the file plays no part in what is drawn.
    data = (judgments, units_of(judgments, "judgment"), rows)
    tested = float(np.mean([len(test) for _, test in rows]))
    where: dict[str, Any] = {"executor": executor, "workers": workers, "progress": progress}
    return plan.run(_point, data, judgments, facts, tested=tested, **where)


def _split(units: IntArray, judgments: int, rng: np.random.Generator) -> Rows:
    """Rows to train on, of whole units, and the rows left to test."""
    place = rng.permutation(int(units.max()) + 1)
    train = first_units(units, place, judgments)
    return train, np.setdiff1d(np.arange(len(units)), train, assume_unique=True)


def first_units(units: IntArray, place: IntArray, judgments: int) -> IntArray:
    """Rows of the first units by ``place`` that together hold at least so many judgments; all rows if none do."""
    sizes = np.bincount(units)[np.argsort(place)]
    needed = np.searchsorted(np.cumsum(sizes), judgments) + 1
    return np.flatnonzero(place[units] < needed)


def _check_sizes(sizes: Sequence[int], rows: Sequence[Rows]) -> None:
    if not sizes or min(sizes) < 2:
        raise InputError(f"sizes: got {', '.join(map(str, sizes)) or 'none'}; allowed: whole numbers of at least 2")
    most = min(len(train) for train, _ in rows)
    if max(sizes) > most or not all(len(test) for _, test in rows):
        total = len(rows[0][0]) + len(rows[0][1])
        raise InputError(
            f"sizes: got {max(sizes)}, but there are {most} judgments to train on of {total} in all, and some must be "
            "left to test; give smaller sizes"
        )


def _point(
    plan: Plan, judgments: Judgments, number: IntArray, rows: Sequence[Rows], name: str, size: int, trial: int
) -> Result:
    """One model trained on one subset."""
    pool, test = rows[trial]
    place = generator(plan.seed, SUBSETS, trial, 1).permutation(len(number))
    subset = np.sort(pool[np.argsort(place[number[pool]])[:size]])
    return one_trial(plan, name, judgments.take(subset), judgments.take(test), (trial, size))
