"""Learning curves (how many judgments does a model need?) and the noise test.

The noise test asks how much a model loses when some judges answer at random (Otani et al. 2016, §6.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from ...compute import Execution, RngLike, Stream, generator, seed_of
from ...errors import InputError
from ...ingest.given import judgments_of
from ...judgments import BoolArray, IntArray, Judgments
from ...models.base import Model, check_one_lang_pair
from .gold import Gold
from .grouping import SINGLE, Grouping, choose_by, judged_rows, units_of
from .run import contenders, models_text
from .testing import Folds, Testing, judge_folds, random_folds
from .trials import Curve, Plan, Result, one_trial

#: Of one trial: the rows that subsets are drawn from, and the rows that are tested.
Rows = tuple[IntArray, IntArray]
#: How many folds a noise test has, unless `Testing` says.
FOLDS = 10


def learning_curve(
    judgments: Judgments | Any,
    *,
    sizes: Sequence[int],
    trials: int = 5,
    models: Sequence[str | Model] | None = None,
    testing: Testing | None = None,
    gold: Gold | None = None,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Curve:
    """Train on random subsets of so many judgments, test on the rest, several times.

    In every trial, whole units are drawn at random until they hold half of the judgments, or as many as the largest
    size if that is more; the models are trained on random subsets of these judgments, smaller ones within larger ones,
    and tested on all the others.
    Where ``testing`` names judges, subsets come from the training judges and the judgments of the others are tested.

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
    judgments = judgments_of(judgments, "learning_curve").without_forced_ties()
    testing, execution = testing or Testing(), Execution.prepared(execution, rng)
    check_one_lang_pair(judgments)
    if testing.folds is not None:
        raise InputError("a learning curve has no folds: sizes say what is trained on; leave out folds")
    held, chosen = choose_by(judgments, testing.by), contenders(models, runs=testing.runs)
    plan = Plan("size", sorted(set(sizes)), trials, chosen, testing, gold, seed_of(execution.seed))
    facts: dict[str, Any] = {
        "models": models_text(models, chosen), "by": held.by, "hold_out": testing.by, "runs": testing.runs,
    }  # fmt: skip
    if testing.by_judges:
        split = judge_folds(judgments, testing.train_judges, testing.test_judges)
        judgments = split.judgments
        rows = [(np.flatnonzero(split.fold < 0), np.flatnonzero(split.tested_rows))] * trials
        facts |= testing.judge_facts
    else:
        units, may = units_of(judgments, held.by), judged_rows(judgments)
        pool = max(*sizes, -(-len(judgments) // 2), 0)
        rows = [_split(units, may, pool, execution.generator(Stream.SUBSETS, t)) for t in range(trials)]
    _check_sizes(sizes, rows)
    # Numbered by content, so that the order of the file plays no part in what is drawn.
    points = plan.run(_at_size, (judgments, units_of(judgments, SINGLE), rows), execution)
    note = None if testing.by_judges else _held_out_note(held)
    return plan.curve(points, judgments, facts, tested=float(np.mean([len(test) for _, test in rows])), note=note)


def _held_out_note(held: Grouping) -> str:
    return f"what is trained on and what is tested is divided by {held.by}: {held.why}"


def _split(units: IntArray, may: BoolArray, judgments: int, rng: np.random.Generator) -> Rows:
    """Rows to train on, of whole units, and the rows left that ``may`` be tested."""
    place = rng.permutation(int(units.max()) + 1)
    train = first_units(units, place, judgments)
    return train, np.setdiff1d(np.flatnonzero(may), train, assume_unique=True)


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


def _at_size(
    plan: Plan, judgments: Judgments, number: IntArray, rows: Sequence[Rows], name: str, size: int, trial: int
) -> Result:
    """One model trained on one subset."""
    pool, test = rows[trial]
    place = generator(plan.seed, Stream.SUBSETS, trial, 1).permutation(len(number))
    subset = np.sort(pool[np.argsort(place[number[pool]])[:size]])
    return one_trial(plan, name, judgments.take(subset), judgments.take(test), (trial, size))


# -- noise -----------------------------------------------------------------------------------------


def noise_test(
    judgments: Judgments | Any,
    *,
    shares: Sequence[float] = (0.1, 0.2, 0.3, 0.4, 0.5),
    trials: int = 5,
    models: Sequence[str | Model] | None = None,
    testing: Testing | None = None,
    gold: Gold | None = None,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Curve:
    """Let a share of the judges answer uniformly at random, and fit every model to what comes of it.

    In every trial one fold is set aside as it is; in the others, the judgments of randomly chosen judges are replaced
    by random ones, and the models fitted to these are tested on the fold. A larger share keeps the judges of a smaller
    one. No noise (share 0) is always among the conditions.

    Parameters
    ----------
    shares
        Shares of the judges.
    trials
        How often judges and their answers are drawn; at most as often as there are folds (10 by default).
    gold
        Also compare scores with these.

    See `palmares.analysis.compare.run.compare` for the others.
    """
    judgments = judgments_of(judgments, "noise_test").without_forced_ties()
    testing, execution = testing or Testing(), Execution.prepared(execution, rng)
    check_one_lang_pair(judgments)
    if not judgments.has("judge"):
        raise InputError("the noise test lets some judges answer at random, but the judgments have no judge")
    if testing.by_judges:
        raise InputError("the noise test draws judges by itself; leave out train_judges and test_judges")
    if bad := [share for share in shares if not 0 <= share <= 1]:
        raise InputError(f"noise: got {bad[0]:g}; allowed: shares of the judges, from 0 to 1")
    held, chosen = choose_by(judgments, testing.by), contenders(models, runs=testing.runs)
    values = sorted({0.0, *map(float, shares)})
    plan = Plan("noise", values, trials, chosen, testing, gold, seed_of(execution.seed))
    asked = FOLDS if testing.folds is None else testing.folds
    split = random_folds(judgments, folds=asked, by=held.by, rng=execution.generator(Stream.FOLDS))
    if trials > split.count:
        raise InputError(f"trials: got {trials}; allowed: at most the number of folds, {split.count}")
    facts = {
        "models": models_text(models, chosen), "folds": split.count, "by": held.by, "hold_out": testing.by,
        "runs": testing.runs,
    }  # fmt: skip
    points = plan.run(_with_share, (split, units_of(judgments, SINGLE)), execution)
    tested = float((split.tested_rows & (split.fold < trials)).sum() / trials)
    return plan.curve(points, judgments, facts, tested=tested, note=_held_out_note(held))


def noisy_judges(judges: int, share: float) -> int:
    """How many judges a share is; at least one of a share above 0, or it would say nothing."""
    return max(round(share * judges), int(share > 0))


def with_noise(judgments: Judgments, share: float, rng: np.random.Generator, number: IntArray) -> Judgments:
    """The judgments, with those of a share of the judges replaced by answers drawn uniformly from the three.

    Pairs of one ranking are answered one by one, so a noisy ranking need not be consistent.

    Parameters
    ----------
    number
        A number for every row that does not depend on the order of rows; the draws go by it.
    """
    judges = len(judgments.judges)
    noisy = rng.permutation(judges) < noisy_judges(judges, share)
    answers = rng.integers(-1, 2, len(judgments))[number]
    # Code −1, a row without a judge, picks the False at the end.
    replaced = np.append(noisy, False)[judgments.codes("judge")] & judged_rows(judgments)
    outcome = np.where(replaced, answers, judgments.codes("outcome"))
    column = pl.Series("outcome", outcome).cast(judgments.frame.schema["outcome"])
    return Judgments(judgments.frame.with_columns(column), judgments.names)


def _with_share(plan: Plan, folds: Folds, number: IntArray, name: str, share: float, trial: int) -> Result:
    """One model trained on noisy judgments and tested on one clean fold."""
    judgments, tested = folds.judgments, folds.fold == trial
    noisy = with_noise(judgments, share, generator(plan.seed, Stream.NOISE, trial), number)
    train, test = noisy.take(np.flatnonzero(~tested)), judgments.take(np.flatnonzero(tested))
    return one_trial(plan, name, train, test, (trial,))
