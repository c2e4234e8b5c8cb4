"""`compare`: which model predicts held-out judgments best?"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...compute import Execution, RngLike, Stream, generator
from ...errors import InputError, PalmaresError
from ...ingest.given import judgments_of
from ...judgments import Judgments
from ...models import MODELS
from ...models.base import Model, check_one_lang_pair
from ...models.by_name import create, model_name, parse_model
from ...ranking.record import Record
from .comparison import HIGHER_IS_BETTER, Comparison, ModelScore
from .grouping import Grouping, choose_by, errors_by, errors_by_judges, units_of
from .heldout import MEASURES, score
from .standings import FoldScore, Grouped, bound, standings, tally
from .testing import RUNS, Folds, Radii, Testing, judge_folds, random_folds

#: What every comparison shows beside the models, for what they say without looking at who is judged.
FLOORS = ("uniform", "adjusted-uniform")
#: How many folds, unless `Testing` says.
FOLDS = 100


def compare(
    judgments: Judgments | Any,
    *,
    models: Sequence[str | Model] | None = None,
    testing: Testing | None = None,
    sort: str = "accuracy_clusters",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Comparison:
    """Train every model on all folds but one, test it on that one, and so on for every fold.

    Parameters
    ----------
    judgments
        Of one language pair; a data frame or the path of a file is read.
    models
        Models, or texts like ``bradley-terry:ties=rao-kupper``; all that are registered if None.
    testing
        Folds or groups of judges, and the settings of fits; by default 100 folds of whole rankings, or segments.
    sort
        The measure that puts models in order.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where the work runs.
    """
    judgments = judgments_of(judgments, "compare")
    testing, execution = testing or Testing(), Execution.prepared(execution, rng)
    check_one_lang_pair(judgments)
    if sort not in HIGHER_IS_BETTER:
        raise InputError(f"sort: got {sort!r}; allowed: {', '.join(HIGHER_IS_BETTER)}")
    chosen, held = contenders(models, runs=testing.runs), choose_by(judgments, testing.by)
    facts: dict[str, Any] = {
        "models": models_text(models, chosen), "by": held.by, "hold_out": testing.by, "radii": testing.radii,
        "runs": testing.runs,
    }  # fmt: skip
    if testing.by_judges:
        split = judge_folds(judgments, testing.train_judges, testing.test_judges)
        facts |= {"by": "judge group", **testing.judge_facts}
        over = errors_by_judges(split.judgments, split.tested_rows, testing.by)
    else:
        asked = FOLDS if testing.folds is None else testing.folds
        split = random_folds(judgments, folds=asked, by=held.by, rng=execution.generator(Stream.FOLDS))
        over = errors_by(judgments, held)
    if not split.tested_rows.any():
        raise InputError("no judgment is left to test on: all of them are ties that no judge gave")
    scores = _scores(chosen, split, testing.radii, execution)
    groups = units_of(split.judgments, over.by)
    by_cell = Grouped.of(split, groups)
    by_row = Grouped.of(split, groups, by_row=True) if any(model.knows for model in chosen.values()) else by_cell
    lines = standings(scores, {name: by_row if model.knows else by_cell for name, model in chosen.items()}, sort)
    facts |= {
        "folds": split.count, "errors_by": over.by, "groups": by_cell.groups, "seed": execution.seed,
        "systems": len(split.judgments.systems), "judgments": len(split.judgments), "data": split.judgments.hash,
    }  # fmt: skip
    if fitted := _fitted_text(lines):
        facts["fitted"] = fitted
    tested = np.bincount(split.fold + 1, minlength=split.count + 1)[1:]
    return Comparison(
        lines=lines,
        oracle=bound(split, by_cell, by_fold=False),
        oracle_by_fold=bound(split, by_cell, by_fold=True),
        judgments=int(split.tested_rows.sum()),
        trained=round(float((len(split.judgments) - tested).mean())),
        lang_pair=judgments.lang_pairs[0] if judgments.lang_pairs else None,
        sort=sort,
        record=Record.of(facts, origin=judgments.origin),
        notes=(*judgments.notes, *_split_notes(split, held, over, by_cell.groups, testing), *_worse(lines, chosen)),
    )


def _split_notes(split: Folds, held: Grouping, over: Grouping, groups: int, testing: Testing) -> list[str]:
    """What was held out together and what errors are taken over, with the reasons; and what was not tested."""
    if testing.by_judges:
        notes = [f"standard errors are by {over.by} ({groups:,}): {over.why}"]
    elif held == over:
        notes = [f"folds and standard errors are by {held.by} ({groups:,}): {held.why}"]
    else:
        notes = [
            f"folds are by {held.by}: {held.why}",
            f"standard errors are by {over.by} ({groups:,}): {over.why}",
        ]
    asked = FOLDS if testing.folds is None else testing.folds
    if not testing.by_judges and split.count != asked:
        each = f"there are only {split.count} {held.by}s, so each is a fold of its own (asked for: {asked} folds)"
        notes.append(each)
    if untested := int((~split.testable).sum()):
        notes.append(f"{untested:,} ties that no judge gave (systems that share an output) are trained on, not tested")
    return notes


def _fitted_text(lines: Sequence[ModelScore]) -> str:
    """Medians over folds of what was fitted, for signatures."""
    medians = {line.model: {name: value[0] for name, value in line.fitted.items()} for line in lines if line.fitted}
    return ";".join(
        f"{model} {','.join(f'{name}={value:.6g}' for name, value in found.items())}"
        for model, found in medians.items()
    )


def _worse(lines: Sequence[ModelScore], chosen: Mapping[str, Model]) -> list[str]:
    """Who predicts worse than ⅓ for every outcome, and which of its constants could be fitted."""
    notes = []
    for line in lines:
        found = line.perplexity
        if found is None or round(found.value, 9) <= 3:
            continue
        model = chosen[line.model]
        error = "" if found.error is None else f" ± {found.error:.3f}"
        note = f"{line.model} predicts worse than uniform guessing (perplexity {found.value:.3f}{error}, uniform 3)"
        if fixed := [name for name in model.fits if getattr(model, name) != "fit"]:
            remedy = ",".join(f"{name}=fit" for name in fixed)
            note += f"; {model.id}:{remedy} fits in training what is fixed here"
        notes.append(note)
    return notes


def contenders(models: Sequence[str | Model] | None, *, runs: int = RUNS) -> dict[str, Model]:
    """The models of a comparison by names that tell them apart, the floors among them.

    Parameters
    ----------
    models
        Models, or texts like ``bradley-terry`` or ``bradley-terry:ties=rao-kupper,scale=elo``; None for all that are
        registered.
    runs
        How many runs a model of random runs makes, unless the text says so itself.
    """
    if runs < 1:
        raise InputError(f"runs: got {runs}; allowed: at least 1")
    asked = list(MODELS) if models is None else list(models)
    if not asked:
        raise InputError(f"got no model to compare; give at least one of: {', '.join(MODELS)}")
    chosen = [_with_runs(model, runs) if isinstance(model, str) else model for model in (*asked, *FLOORS)]
    # A comparison sets the number of runs itself, and its signature says how many.
    return {model_name(model, apart_from=["runs"] if model.ranges_from == "runs" else []): model for model in chosen}


def models_text(models: Sequence[str | Model] | None, chosen: Mapping[str, Model]) -> str:
    """What was compared, for signatures."""
    return "all" if models is None else "+".join(chosen)


def score_fold(models: Mapping[str, Model], folds: Folds, radii: Radii, seed: int, name: str, fold: int) -> FoldScore:
    """Train one model on all folds but one and score it on that one."""
    model = models[name]
    tested = folds.tested(model, fold)
    try:
        fit = model.fit(folds.training(model, fold), rng=generator(seed, Stream.FOLD_FITS, fold))
    except PalmaresError as error:
        return FoldScore(np.full((len(MEASURES), len(tested.outcome)), np.nan), refused=str(error))
    scores = score(fit, folds.training_counts(fold, judged=True), tested, radii=radii)
    tallied = None if scores.predicted is None else tally(scores.predicted, tested.outcome, tested.amounts)
    return FoldScore(scores.values, scores.radius, tallied, fit.convergence.converged, fitted=fit.fitted)


def _with_runs(text: str, runs: int) -> Model:
    model_id, given = parse_model(text)
    model = create(model_id, given)
    if model.ranges_from != "runs" or "runs" in given:
        return model
    return dataclasses.replace(model, runs=runs)  # type: ignore[type-var]  # models are dataclasses


def _scores(
    models: Mapping[str, Model], split: Folds, radii: Radii, execution: Execution
) -> dict[str, list[FoldScore]]:
    """Every model on every fold, in the order of folds."""
    # Fold by fold, so that slow and quick models take turns and the time left is guessed well.
    tasks = [(name, fold) for fold in range(split.count) for name in models]
    done = execution.run(score_fold, tasks, shared=(models, split, radii, execution.seed))
    if all(each.refused for each in done):
        raise InputError(f"no model could be trained: {done[0].refused}")
    return {name: done[number :: len(models)] for number, name in enumerate(models)}
