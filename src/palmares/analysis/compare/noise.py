"""The noise test: how much does a model lose when some judges answer at random? (Otani et al. 2016, §6.4)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from ... import compute
from ...compute import RngLike, generator, seed_of
from ...errors import InputError
from ...judgments import Judgments
from ...judgments.arrays import IntArray
from ...models.base import Model, check_one_lang_pair
from .contenders import RUNS, contenders, names_text
from .folds import NOISE, Folds, choose_by, random_folds, units_of
from .gold import Gold
from .radius import Radii
from .trials import Curve, Plan, Result, one_trial


def noise_test(
    judgments: Judgments,
    *,
    shares: Sequence[float] = (0.1, 0.2, 0.3, 0.4, 0.5),
    trials: int = 5,
    models: Sequence[str | Model] | None = None,
    folds: int = 10,
    by: str = "auto",
    radii: Radii = "every",
    runs: int = RUNS,
    gold: Gold | None = None,
    rng: RngLike = None,
    executor: compute.ExecutorLike = None,
    workers: int | None = None,
    progress: compute.Progress | None = None,
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
        How often judges and their answers are drawn; at most ``folds``.
    gold
        Also compare scores with these.

    See `palmares.analysis.compare.run.compare` for the others.
    """
    check_one_lang_pair(judgments)
    if not judgments.has("judge"):
        raise InputError("the noise test lets some judges answer at random, but the judgments have no judge")
    if bad := [share for share in shares if not 0 <= share <= 1]:
        raise InputError(f"noise: got {bad[0]:g}; allowed: shares of the judges, from 0 to 1")
    seed, unit = seed_of(rng), choose_by(judgments, by)
    ordered = sorted({0.0, *map(float, shares)})
    chosen = contenders(models, runs=runs)
    plan = Plan("noise", ordered, trials, chosen, gold, seed, radii)
    split = random_folds(judgments, folds=folds, by=unit, seed=seed)
    if trials > split.count:
        raise InputError(f"trials: got {trials}; allowed: at most the number of folds, {split.count}")
    facts = {"models": names_text(models, chosen), "folds": split.count, "by": unit, "runs": runs}
    tested = float((split.fold < trials).sum() / trials)
    where: dict[str, Any] = {"executor": executor, "workers": workers, "progress": progress}
    return plan.run(_point, (split, units_of(judgments, "judgment")), judgments, facts, tested=tested, **where)


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
    replaced = np.append(noisy, False)[judgments.codes("judge")]
    outcome = np.where(replaced, answers, judgments.codes("outcome"))
    column = pl.Series("outcome", outcome).cast(judgments.frame.schema["outcome"])
    return Judgments(judgments.frame.with_columns(column), judgments.names)


def _point(plan: Plan, folds: Folds, number: IntArray, name: str, share: float, trial: int) -> Result:
    """One model trained on noisy judgments and tested on one clean fold."""
    judgments, tested = folds.judgments, folds.fold == trial
    noisy = with_noise(judgments, share, generator(plan.seed, NOISE, trial), number)
    train, test = noisy.take(np.flatnonzero(~tested)), judgments.take(np.flatnonzero(tested))
    return one_trial(plan, name, train, test, (trial,))
