"""`compare`: which model foretells held-out judgments best?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import compute
from ...compute import RngLike, generator, seed_of
from ...errors import InputError, PalmaresError
from ...judgments import Judgments
from ...judgments.arrays import FloatArray
from ...models.base import Model, check_one_lang_pair
from ...ranking.record import signature
from .calibration import tally
from .comparison import HIGHER_IS_BETTER, Comparison
from .contenders import RUNS, contenders, names_text
from .folds import FITS, Folds, Patterns, choose_by, clusters_of, judge_folds, patterns_text, random_folds
from .heldout import MEASURES, score_cells
from .radius import Radii, check_radii
from .standard_errors import Grouped
from .standings import bound, standings


@dataclass(frozen=True)
class FoldScore:
    """One model on one fold: `MEASURES` of the fold's cells, and what else is wanted of it."""

    values: FloatArray = field(repr=False)
    radius: float | None = None
    calibration: FloatArray | None = field(default=None, repr=False)
    converged: bool = True
    refused: str | None = None


def compare(
    judgments: Judgments,
    *,
    models: Sequence[str | Model] | None = None,
    folds: int = 100,
    by: str = "auto",
    radii: Radii = "every",
    runs: int = RUNS,
    train_judges: Patterns = None,
    test_judges: Patterns = None,
    sort: str = "accuracy_clusters",
    rng: RngLike = None,
    executor: compute.ExecutorLike = None,
    workers: int | None = None,
    progress: compute.Progress | None = None,
) -> Comparison:
    """Train every model on all folds but one, test it on that one, and so on for every fold.

    Parameters
    ----------
    judgments
        Of one language pair.
    models
        Models, or texts like ``bradley-terry:ties=rao-kupper``; all that are registered if None.
    folds
        How many. Where there are fewer units, each is a fold of its own.
    by
        What a fold is made of: ``judgment``, ``ranking``, ``segment`` or ``judge``; ``auto`` is ``ranking``, or
        ``judgment`` where there are no ranking ids.
    radii
        Decision radii to try on training judgments; see `palmares.analysis.compare.radius.tuned_radius`.
    runs
        How many random runs a model of random runs makes for each fit, unless its own settings say.
    train_judges, test_judges
        Shell patterns: train on these judges and test on those, once, instead of folds. One of the two is enough.
    sort
        The measure that puts models in order.
    rng
        A seed; None draws one. It is in the signature either way.
    executor, workers, progress
        See `palmares.compute.run`.
    """
    check_radii(radii)
    check_one_lang_pair(judgments)
    if sort not in HIGHER_IS_BETTER:
        raise InputError(f"sort: got {sort!r}; allowed: {', '.join(HIGHER_IS_BETTER)}")
    chosen, seed = contenders(models, runs=runs), seed_of(rng)
    unit = choose_by(judgments, by)
    notes: tuple[str, ...] = ()
    facts: dict[str, Any] = {"models": names_text(models, chosen), "by": unit, "radii": radii, "runs": runs}
    if train_judges is not None or test_judges is not None:
        split = judge_folds(judgments, train_judges, test_judges)
        groups = {"train_judges": patterns_text(train_judges), "test_judges": patterns_text(test_judges)}
        facts |= {"by": "judge group", **groups}
    else:
        split = random_folds(judgments, folds=folds, by=unit, seed=seed)
        notes = _few_units(split.count, folds, unit)
    where: dict[str, Any] = {"executor": executor, "workers": workers, "progress": progress}
    found = _scores(chosen, split, radii, seed, **where)
    rows, errors_by = clusters_of(split.judgments, unit)
    grouped = Grouped.of(split, rows)
    facts |= {
        "folds": split.count, "errors_by": errors_by, "groups": grouped.groups, "seed": seed,
        "systems": len(split.judgments.systems), "judgments": len(split.judgments), "data": split.judgments.hash,
    }  # fmt: skip
    return Comparison(
        lines=standings(found, grouped, sort),
        oracle=bound(split, grouped, by_fold=False),
        oracle_by_fold=bound(split, grouped, by_fold=True),
        judgments=int((split.fold >= 0).sum()),
        trained=_trained(split),
        lang_pair=judgments.lang_pairs[0] if judgments.lang_pairs else None,
        sort=sort,
        signature=signature(facts),
        facts=facts,
        notes=notes,
    )


def _scores(
    models: Mapping[str, Model], split: Folds, radii: Radii, seed: int, **where: Any
) -> dict[str, list[FoldScore]]:
    """Every model on every fold, in the order of folds."""
    # Fold by fold, so that slow and quick models take turns and the time left is guessed well.
    tasks = [(name, fold) for fold in range(split.count) for name in models]
    done = compute.run(score_fold, tasks, shared=(models, split, radii, seed), **where)
    if all(score.refused for score in done):
        raise InputError(f"no model could be trained: {done[0].refused}")
    return {name: done[number :: len(models)] for number, name in enumerate(models)}


def score_fold(models: Mapping[str, Model], folds: Folds, radii: Radii, seed: int, name: str, fold: int) -> FoldScore:
    """Train one model on all folds but one and score it on that one."""
    model, cells = models[name], folds.cells(fold)
    try:
        fit = model.fit(folds.training(model, fold), rng=generator(seed, FITS, fold))
    except PalmaresError as error:
        return FoldScore(np.full((len(MEASURES), len(cells)), np.nan), refused=str(error))
    scored = score_cells(fit, folds.training_counts(fold), cells, radii=radii)
    tallied = None
    if scored.predicted is not None:
        tallied = tally(scored.predicted, cells % 3, folds.tables[fold + 1][cells])
    return FoldScore(scored.values, scored.radius, tallied, fit.convergence.converged)


def _trained(split: Folds) -> int:
    """How many judgments a model was trained on; the mean over folds."""
    tested = np.bincount(split.fold + 1, minlength=split.count + 1)
    return round(float((len(split.judgments) - tested[1:]).mean()))


def _few_units(made: int, asked: int, unit: str) -> tuple[str, ...]:
    if made == asked:
        return ()
    return (f"there are only {made} {unit}s, so each is a fold of its own (asked for: {asked} folds)",)
