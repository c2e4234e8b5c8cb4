"""Training the baseline: resources from corpora, features, settings by cross-validation, and how far they predict."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ...compute import Execution, Progress
from ...compute.streams import RngLike
from ...judgments import FloatArray
from ..comparison import Comparison, Measure, compared
from ..record import digest_of, record_of
from ..resampling import Sums, resampled
from ..result import Scored, notes_of
from .features import FEATURES, measured
from .model import BaselineModel
from .regression import FOLDS, Grid, Search, Settings, folds_of, learned, searched
from .training_data import TrainingData, TrainingFiles, resources_of
from .translations import ITERATIONS
from .words import Preparation

ORDER = 3
RESAMPLES = 10_000
#: What is compared: the baseline, and the mean label of the sentences it learned from.
SYSTEMS = ("baseline", "mean of the labels")
_MEASURES = tuple(Measure(name, higher_is_better=False, limits=(0.0, np.inf), digits=4) for name in ("MAE", "RMSE"))

#: Opens a bar with a title, and gives what is to be told how far work has come.
Bars = Callable[[str], AbstractContextManager[Progress | None]]


@dataclass(frozen=True)
class FeatureSummary:
    """One feature in the training data, with Pearson's correlation with the label (None if it does not vary)."""

    name: str
    mean: float
    deviation: float
    correlation: float | None


@dataclass(frozen=True)
class TrainedBaseline(Scored):
    """A trained baseline, and how well it predicts sentences of its own data that it was not shown.

    Attributes
    ----------
    model
        What predicts.
    settings
        The settings of its regression.
    nested
        Whether the errors are of settings that were chosen without the sentences they are measured on.
    """

    shown_by: ClassVar[str] = "score quality-estimation baseline"

    model: BaselineModel = field(kw_only=True, repr=False)
    features: tuple[FeatureSummary, ...] = field(kw_only=True, repr=False)
    sentences: int = field(kw_only=True)
    nested: bool = field(kw_only=True)

    @property
    def settings(self) -> Settings:
        return self.model.regression.settings

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        own = {
            "sentences": self.sentences,
            "settings": self.settings.facts,
            "support_vectors": len(self.model.regression.vectors),
            "nested": self.nested,
            "features": [asdict(feature) for feature in self.features],
            "model_digest": self.model.digest,
        }
        return {**super().to_dict(), **own}


def train_baseline(
    files: TrainingFiles,
    *,
    tokenize: str | None = None,
    lowercase: bool = False,
    order: int = ORDER,
    iterations: int = ITERATIONS,
    grid: Grid | None = None,
    folds: int = FOLDS,
    nested: bool = False,
    resamples: int = RESAMPLES,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
    bars: Bars = lambda title: nullcontext(),
) -> TrainedBaseline:
    """Train the baseline of WMT's tasks of quality estimation (Bojar et al. 2014, section 4.1).

    Parameters
    ----------
    tokenize, lowercase
        How texts are prepared: the languages of source and target (``en-es``) for Moses' tokeniser; small letters.
    order, iterations
        Of language models that are estimated: the words of their longest n-grams; of IBM model 1: iterations.
    grid, folds
        The settings of the regression that are tried, and the folds of the cross-validation that chooses.
        Translations of one source are in one fold.
    nested
        Choose settings for every fold among the others, so that the errors are not of settings chosen by them.
    resamples
        Bootstrap samples for intervals of the errors; 0 for none.
    """
    execution, grid = Execution.prepared(execution, rng), grid or Grid()
    preparation = Preparation(tokenize, lowercase)
    if resamples:  # before minutes of work, not after them
        Comparison(_MEASURES[0], SYSTEMS, np.zeros(2), np.zeros((resamples, 2)), p)
    data = TrainingData.read(files)
    with bars("resources") as progress:
        made = resources_of(files, data, preparation, order=order, iterations=iterations, progress=progress)
    texts = measured(preparation.source(data.source.texts), preparation.target(data.target.texts), made.resources)
    fold = folds_of(data.units.codes, folds, execution)
    with bars("grid search") as progress:
        told = execution if progress is None else replace(execution, progress=progress)
        search = searched(texts.values, data.labels, fold, grid, told, nested=nested)
    regression = learned(texts.values, data.labels, search.chosen)
    comparisons = _errors(search, data, resamples, p, execution)
    facts = {
        "task": "quality-estimation baseline", **preparation.facts, **_how(files, order, iterations),
        **{name: _short(value) for name, value in search.chosen.facts.items()}, "folds": folds,
        "settings_tried": len(grid.settings), "nested": nested or None, "sentences": len(data.labels),
        "unit": data.units.word if resamples else None, "resamples": resamples or None, "p": p, "seed": execution.seed,
        "data": digest_of(source.digest for source in (*data.files, *made.files)),
    }  # fmt: skip
    facts = {name: fact for name, fact in facts.items() if fact is not None}
    libraries = ["scikit-learn", *(["sacremoses"] if tokenize else [])]
    return TrainedBaseline(
        SYSTEMS,
        comparisons,
        record_of(facts, (*data.files, *made.files), libraries=libraries),
        notes_of(comparisons, *data.notes(), *preparation.notes(), *made.notes, *texts.notes,
                 *_search_notes(search, grid), *(data.units.notes() if resamples else ())),
        model=BaselineModel(preparation, made.resources, regression, facts),
        features=_summaries(texts.values, data.labels),
        sentences=len(data.labels),
        nested=nested,
    )  # fmt: skip


# -- what is found ---------------------------------------------------------------------------------


def _errors(
    search: Search, data: TrainingData, resamples: int, p: float, execution: Execution
) -> tuple[Comparison, ...]:  # fmt: skip
    """Errors of predictions of sentences that were left out, beside those of the mean label of the others."""
    own = search.predictions if search.nested is None else search.nested
    errors = np.column_stack([own, search.means]) - data.labels[:, None]
    ones = np.ones((len(errors), 1))
    statistics = {
        "MAE": Sums(np.hstack([np.abs(errors), ones]), _mean),
        "RMSE": Sums(np.hstack([errors**2, ones]), _root),
    }
    values = {name: statistic.full() for name, statistic in statistics.items()}
    samples = resampled(statistics, data.units, resamples=resamples, execution=execution) if resamples else None
    return compared(_MEASURES, SYSTEMS, values, samples, p)


def _mean(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[:, :-1] / sums[:, -1:])


def _root(sums: FloatArray) -> FloatArray:
    return np.sqrt(_mean(sums))


def _summaries(values: FloatArray, labels: FloatArray) -> tuple[FeatureSummary, ...]:
    summaries = []
    for name, column in zip(FEATURES, values.T, strict=True):
        varies = np.ptp(column) > 0
        r = float(np.corrcoef(column, labels)[0, 1]) if varies else None
        deviation = float(column.std(ddof=1)) if varies else 0.0
        summaries.append(FeatureSummary(name, float(column.mean()), deviation, r))
    return tuple(summaries)


def _search_notes(search: Search, grid: Grid) -> list[str]:
    notes = [f"{edge}; values beyond it may predict better" for edge in grid.edges(search.chosen)]
    if search.nested is None and len(grid.settings) > 1:
        notes.append(
            f"the errors are those of the best of {len(grid.settings)} settings by the same cross-validation, which is "
            "a little too good; nested cross-validation (--nested) has no such advantage"
        )
    return notes


def _how(files: TrainingFiles, order: int, iterations: int) -> dict[str, str]:
    """Where language models and translations are from, for the signature."""

    def model(path: object) -> str:
        return f"witten-bell {order}" if path is None else "arpa"

    return {
        "source_lm": model(files.source_model),
        "target_lm": model(files.target_model),
        "translations": f"ibm1 {iterations}" if files.translations is None else f"table {files.translation_order}",
    }


def _short(value: float) -> float:
    """As many digits as a signature needs."""
    return float(f"{value:.6g}")
