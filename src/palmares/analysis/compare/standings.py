"""From scores of single folds to models in order, each with its distance from the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...judgments.arrays import FloatArray
from .calibration import bins
from .comparison import HIGHER_IS_BETTER, Measure, ModelScore
from .folds import Folds
from .heldout import MEASURES
from .standard_errors import Grouped, standard_error

if TYPE_CHECKING:
    from .run import FoldScore


@dataclass(frozen=True)
class Mean:
    """A mean over judgments, and by how much each group of them moves it."""

    value: float
    influence: FloatArray = field(repr=False)


def standings(found: Mapping[str, Sequence[FoldScore]], grouped: Grouped, sort: str) -> tuple[ModelScore, ...]:
    """Every model's measures, by ``sort`` best first; those without it by the next measure that they have."""
    means = {name: _means(scores, grouped) for name, scores in found.items()}
    best = {measure: _best(means, measure) for measure in HIGHER_IS_BETTER}
    lines = [_line(name, scores, means[name], best) for name, scores in found.items()]
    return tuple(sorted(lines, key=lambda line: _place(line, sort)))


def bound(folds: Folds, grouped: Grouped, *, by_fold: bool) -> Measure:
    """Accuracy of the oracle: the most frequent outcome of every pair, counted on what is tested.

    Counted by fold it is a bound for every model that knows only the two systems; over all folds only for models that
    answer alike in all of them.
    """
    tested = folds.tables[1:]
    counted = (tested if by_fold else np.broadcast_to(tested.sum(axis=0), tested.shape)).reshape(len(tested), -1, 3)
    # The first of equally frequent outcomes: which one makes no difference to the accuracy.
    right = (np.arange(3) == counted.argmax(axis=2)[..., None]).reshape(len(tested), -1)
    values = np.concatenate([right[fold][folds.cells(fold)] for fold in range(folds.count)]).astype(np.float64)
    return Measure(grouped.mean(values), standard_error(grouped.influence(values)))


def _means(scores: Sequence[FoldScore], grouped: Grouped) -> dict[str, Mean]:
    """The measures that apply; none if the model refused any fold, for all must be tested on the same judgments."""
    values = np.concatenate([score.values for score in scores], axis=1)
    means = {
        measure: Mean(grouped.mean(row), grouped.influence(row))
        for measure, row in zip(MEASURES, values, strict=True)
        if not np.isnan(row).any()
    }
    if loss := means.get("log_loss"):
        # The perplexity is e^loss, so it moves e^loss times as much.
        means["perplexity"] = Mean(float(np.exp(loss.value)), loss.influence * np.exp(loss.value))
    return means


def _best(means: Mapping[str, Mapping[str, Mean]], measure: str) -> Mean | None:
    having = [each[measure] for each in means.values() if measure in each]
    if not having:
        return None
    return (max if HIGHER_IS_BETTER[measure] else min)(having, key=lambda mean: mean.value)


def _line(
    name: str, scores: Sequence[FoldScore], means: Mapping[str, Mean], best: Mapping[str, Mean | None]
) -> ModelScore:
    refusals = [score.refused for score in scores if score.refused is not None]
    radii = [score.radius for score in scores if score.radius is not None]
    tallies = [score.calibration for score in scores if score.calibration is not None]
    wandering = sum(not score.converged for score in scores)
    complete = not refusals
    return ModelScore(
        model=name,
        **{measure: _measure(mean, best[measure]) for measure, mean in means.items()},
        radius=(float(np.median(radii)), min(radii), max(radii)) if radii and complete else None,
        refused=_refusal(refusals, len(scores)) if refusals else None,
        notes=(f"{wandering} of {len(scores)} fits did not converge",) if wandering else (),
        calibration=bins(tallies) if tallies and complete else (),
    )


def _measure(mean: Mean, best: Mean | None) -> Measure:
    assert best is not None  # this model has the measure, so some model is best
    behind = standard_error(mean.influence - best.influence)
    return Measure(mean.value, standard_error(mean.influence), mean.value - best.value, behind)


def _refusal(refusals: Sequence[str], folds: int) -> str:
    return refusals[0] if folds == 1 else f"{len(refusals)} of {folds} folds: {refusals[0]}"


def _place(line: ModelScore, sort: str) -> tuple[object, ...]:
    for number, name in enumerate((sort, *HIGHER_IS_BETTER)):
        if found := line.measure(name):
            level = round(found.value, 12)
            return (number, -level if HIGHER_IS_BETTER[name] else level, line.model)
    return (len(HIGHER_IS_BETTER) + 1, 0.0, line.model)
