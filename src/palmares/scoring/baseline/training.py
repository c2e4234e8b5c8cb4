"""Training the baseline: resources from corpora, features, settings by cross-validation, and how far they predict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ...compute import Execution, Progress
from ...compute.streams import RngLike
from ...errors import InputError
from ...judgments import FloatArray, IntArray
from ...judgments.origin import SourceFile
from ...results import counted
from ...texts.lines import Path, TextFile, read_lines, refuse_different_counts
from ..comparison import Comparison, Measure, compared
from ..numbers import read_numbers, refuse_misaligned
from ..record import digest_of, record_of, source_of
from ..resampling import Sums, Units, resampled
from ..result import Scored, notes_of
from .arpa import read_arpa
from .features import FEATURES, Resources, measured
from .language_model import LanguageModel
from .model import BaselineModel
from .ngrams import Frequencies
from .regression import FOLDS, Grid, Search, Settings, folds_of, learned, searched
from .translations import ITERATIONS, LONGEST, Order, Translations, read_translations, usable
from .words import Corpus, Preparation

#: Fewer sentences are refused, and of fewer than `_FEW` a note warns.
LEAST_SENTENCES, _FEW = 10, 200
ORDER = 3
RESAMPLES = 10_000
#: What is compared: the baseline, and the mean label of the sentences it learned from.
SYSTEMS = ("baseline", "mean of the labels")
_MEASURES = tuple(Measure(name, higher_is_better=False, limits=(0.0, np.inf), digits=4) for name in ("MAE", "RMSE"))

#: Opens a bar with a title, and gives what is to be told how far work has come.
Bars = Callable[[str], AbstractContextManager[Progress | None]]


@dataclass(frozen=True)
class TrainingFiles:
    """What the baseline is trained with.

    Attributes
    ----------
    source, target, gold
        Sources, their translations and the label of every translation, one per line.
    source_corpus
        A corpus of the source language.
    target_corpus
        Its translation, line by line. Not needed if both `target_model` and `translations` are given.
    source_model, target_model
        Language models in the ARPA format, instead of those that are estimated from the corpora.
    translations, translation_order
        A table of translation probabilities instead of IBM model 1, and the order of its first two columns.
    """

    source: Path
    target: Path
    gold: Path
    source_corpus: Path
    target_corpus: Path | None = None
    source_model: Path | None = None
    target_model: Path | None = None
    translations: Path | None = None
    translation_order: Order = "source-target"
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        if self.target_corpus is None and (self.target_model is None or self.translations is None):
            raise InputError(
                "there is no corpus of the target language; give --target-corpus, or both --target-lm and "
                "--translations instead"
            )


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
    data = _Data.read(files)
    with bars("resources") as progress:
        resources, sources, notes = _resources(files, preparation, order, iterations, progress)
    texts = measured(preparation.source(data.source.texts), preparation.target(data.target.texts), resources)
    fold = folds_of(data.groups, folds, execution)
    with bars("grid search") as progress:
        told = execution if progress is None else replace(execution, progress=progress)
        search = searched(texts.values, data.labels, fold, grid, told, nested=nested)
    regression = learned(texts.values, data.labels, search.chosen)
    comparisons = _errors(search, data, resamples, p, execution)
    facts = {
        "task": "quality-estimation baseline", **preparation.facts, **_made_of(files, order, iterations),
        **{name: _short(value) for name, value in search.chosen.facts.items()}, "folds": folds,
        "settings_tried": len(grid.settings), "nested": nested or None, "sentences": len(data.labels),
        "unit": data.units.word if resamples else None, "resamples": resamples or None, "p": p, "seed": execution.seed,
        "data": digest_of(source.digest for source in (*data.files, *sources)),
    }  # fmt: skip
    facts = {name: fact for name, fact in facts.items() if fact is not None}
    libraries = ["scikit-learn", *(["sacremoses"] if tokenize else [])]
    return TrainedBaseline(
        SYSTEMS,
        comparisons,
        record_of(facts, (*data.files, *sources), libraries=libraries),
        notes_of(comparisons, *data.notes(), *preparation.notes(), *notes, *texts.notes,
                 *_search_notes(search, grid), *_unit_notes(data, resamples)),
        model=BaselineModel(preparation, resources, regression, facts),
        features=_summaries(texts.values, data.labels),
        sentences=len(data.labels),
        nested=nested,
    )  # fmt: skip


# -- what is read ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Data:
    """Sources, translations and labels."""

    source: TextFile
    target: TextFile
    labels: FloatArray
    files: tuple[SourceFile, ...]

    @classmethod
    def read(cls, files: TrainingFiles) -> _Data:
        source, target = (read_lines(path, encoding=files.encoding) for path in (files.source, files.target))
        gold = read_numbers(files.gold, what="a label", encoding=files.encoding)
        refuse_misaligned([source, target, gold])
        if len(gold.values) < LEAST_SENTENCES:
            raise InputError(
                f"got {counted(len(gold.values), 'sentence')}; training needs at least {LEAST_SENTENCES}, and "
                "hundreds to learn anything"
            )
        if np.ptp(gold.values) == 0:
            raise InputError(f"{gold.name}: all labels are {gold.values[0]:g}; there is nothing to learn")
        roles = ((files.source, "source"), (files.target, "target"), (files.gold, "gold"))
        return cls(source, target, gold.values, tuple(source_of(p, role, len(gold.values)) for p, role in roles))

    @property
    def groups(self) -> IntArray:
        """The number of every sentence's source: translations of one source belong together."""
        return self.units.codes

    @property
    def units(self) -> Units:
        """What the bootstrap draws: sources with all their translations."""
        return Units.named(self.source.texts, "source sentence")

    def notes(self) -> list[str]:
        few = len(self.labels) < _FEW
        return [f"only {counted(len(self.labels), 'sentence')} to learn from"] if few else []


def _resources(
    files: TrainingFiles, preparation: Preparation, order: int, iterations: int, progress: Progress | None
) -> tuple[Resources, list[SourceFile], list[str]]:
    """Language models, frequencies and translations; the files they are made of; and notes."""
    if not 1 <= order <= 5:
        raise InputError(f"order: got {order}; allowed: 1 to 5 words")
    if iterations < 1:
        raise InputError(f"iterations: got {iterations}; allowed: at least 1")
    source = read_lines(files.source_corpus, encoding=files.encoding)
    target = None if files.target_corpus is None else read_lines(files.target_corpus, encoding=files.encoding)
    if files.translations is None and target is not None:
        refuse_different_counts([source, target])
    own = Corpus.of(preparation.source(_with_text(source)))
    other = None if target is None else Corpus.of(preparation.target(_with_text(target)))
    sources = [source_of(files.source_corpus, "source corpus", len(source.texts))]
    if files.target_corpus is not None and target is not None:
        sources.append(source_of(files.target_corpus, "target corpus", len(target.texts)))
    models = []
    for path, corpus, role in ((files.source_model, own, "source"), (files.target_model, other, "target")):
        if path is not None:
            models.append(read_arpa(path, encoding=files.encoding))
            sources.append(source_of(path, f"{role} language model", sum(len(each.keys) for each in models[-1].levels)))
        elif corpus is not None:
            models.append(LanguageModel.estimated(corpus, order))
    notes: list[str] = []
    if files.translations is not None:
        translations = read_translations(
            files.translations, order=files.translation_order, encoding=files.encoding
        )  # fmt: skip
        sources.append(source_of(files.translations, "translations", len(translations.vocabulary)))
    else:
        assert other is not None  # TrainingFiles saw to it
        notes += _unused(own, other)
        translations = Translations.estimated(own, other, iterations=iterations, progress=progress)
    return Resources(models[0], models[1], Frequencies.of(own), translations), sources, notes


def _with_text(corpus: TextFile) -> Sequence[str]:
    if not any(text.strip() for text in corpus.texts):
        raise InputError(f"{corpus.name}: the corpus is empty; give one sentence per line")
    return corpus.texts


def _unused(source: Corpus, target: Corpus) -> list[str]:
    left = int((~usable(source.sentences, target.sentences)).sum())
    total = len(source.sentences.lengths)
    if not left:
        return []
    return [
        f"translations are not learned from {counted(left, 'pair')} of {total:,} of the corpora: one side is empty or "
        f"longer than {LONGEST} words"
    ]


# -- what is found ---------------------------------------------------------------------------------


def _errors(
    search: Search, data: _Data, resamples: int, p: float, execution: Execution
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


def _unit_notes(data: _Data, resamples: int) -> tuple[str, ...]:
    return data.units.notes() if resamples else ()


def _made_of(files: TrainingFiles, order: int, iterations: int) -> dict[str, str]:
    """Where language models and translations are from, for the signature."""

    def model(path: Path | None) -> str:
        return f"witten-bell {order}" if path is None else "arpa"

    return {
        "source_lm": model(files.source_model),
        "target_lm": model(files.target_model),
        "translations": f"ibm1 {iterations}" if files.translations is None else f"table {files.translation_order}",
    }


def _short(value: float) -> float:
    """As many digits as a signature needs."""
    return float(f"{value:.6g}")
