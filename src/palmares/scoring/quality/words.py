"""Predictions of which words are wrong, as in W14 §4.2: F1 and Matthews' correlation of every class, averaged by how
often the classes are, with paired bootstrap tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ...compute import Execution
from ...compute.streams import RngLike
from ...errors import InputError
from ...judgments import FloatArray, IntArray
from ...texts.lines import Path
from ..comparison import Comparison, Measure
from ..record import digest_of, record_of, source_of
from ..resampling import Sums, Units, resampled
from ..result import Scored, notes_of
from .typology import BINARY, LABELS, OK
from .units import DocumentsLike, Unit, by_unit, is_path, read_documents, units_of
from .word_labels import WordLabels, read_annotations, read_word_predictions

RESAMPLES = 10_000
ALWAYS_OK = "always OK"
#: The primary measure first.
_MEASURES = {BINARY: ("F1-BAD", "F1-ALL", "MCC", "ACC")}
_DETAILED = ("F1-ERR", "F1-ALL", "MCC-ERR", "MCC-ALL", "ACC")


# -- one table of labels -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ClassScores:
    """What a table of predicted against gold labels says: of every class against the rest, and averaged.

    Attributes
    ----------
    counts
        How often a class is among the gold labels; all averages are weighted by it.
    f1, mcc
        By class. Both are 0 where a class is never predicted or is all that there is, W14's convention; F1 has no value
        (NaN) for a class that is neither among the gold labels nor predicted.
    f1_all, mcc_all, f1_err, mcc_err
        Averages over all classes, and over those that are errors; NaN without any.
    """

    classes: tuple[str, ...]
    counts: FloatArray = field(repr=False)
    precision: FloatArray = field(repr=False)
    recall: FloatArray = field(repr=False)
    f1: FloatArray = field(repr=False)
    mcc: FloatArray = field(repr=False)
    f1_all: float
    f1_err: float
    mcc_all: float
    mcc_err: float
    accuracy: float


def class_scores(
    confusion: Sequence[Sequence[float]] | FloatArray, classes: Sequence[str], ok: str = OK
) -> ClassScores:
    """Score a table of counts: a row for every predicted class, a column for every gold one (W14 §4.2).

    Parameters
    ----------
    ok
        The class that is no error.
    """
    table = np.asarray(confusion, dtype=np.float64)
    if table.shape != (len(classes), len(classes)) or len(set(classes)) < len(classes):
        raise InputError(f"confusion: got an array of shape {table.shape} for the classes {', '.join(classes)}")
    if not (np.isfinite(table).all() and (table >= 0).all() and table.any()):
        raise InputError("confusion: got counts that are negative, not finite, or all 0")
    right, predicted, gold = np.diag(table)[None], table.sum(axis=1)[None], table.sum(axis=0)[None]
    f1, mcc = _by_class(right, predicted, gold)
    err = np.array([name != ok for name in classes])
    return ClassScores(
        tuple(classes), gold[0], _ratio(right, predicted)[0], _ratio(right, gold)[0], f1[0], mcc[0],
        f1_all=float(_average(f1, gold)[0]), f1_err=float(_average(f1, gold * err)[0]),
        mcc_all=float(_average(mcc, gold)[0]), mcc_err=float(_average(mcc, gold * err)[0]),
        accuracy=float(right.sum() / gold.sum()),
    )  # fmt: skip


def label_scores(gold: Sequence[str], predicted: Sequence[str], ok: str = OK) -> ClassScores:
    """The same from labels, one per word."""
    if len(gold) != len(predicted) or not gold:
        raise InputError(
            f"got {len(gold):,} gold labels and {len(predicted):,} predicted ones; give one for every word"
        )
    classes = sorted({*gold, *predicted, ok}, key=lambda name: (name != ok, name))
    table = np.zeros((len(classes), len(classes)))
    np.add.at(table, (_codes(predicted, classes), _codes(gold, classes)), 1)
    return class_scores(table, classes, ok)


def _codes(labels: Sequence[str], classes: Sequence[str]) -> IntArray:
    number = {name: code for code, name in enumerate(classes)}
    return np.array([number[label] for label in labels], dtype=np.int64)


def _by_class(right: FloatArray, predicted: FloatArray, gold: FloatArray) -> tuple[FloatArray, FloatArray]:
    """F1 and Matthews' correlation of every class against the rest; the last axis is that of the classes."""
    total = gold.sum(axis=-1, keepdims=True)
    spread = predicted * (total - predicted) * gold * (total - gold)
    mcc = np.where(spread > 0, (right * total - predicted * gold) / np.sqrt(np.where(spread > 0, spread, 1)), 0.0)
    return _ratio(2 * right, predicted + gold), mcc


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    none = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    return np.asarray(np.divide(part, whole, out=none, where=whole > 0))


def _average(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Over the last axis; classes of no weight need no value."""
    kept = np.where(weights > 0, values, 0.0)
    return _ratio((kept * weights).sum(axis=-1), weights.sum(axis=-1))


# -- systems -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordScores(Scored):
    """Systems that predict which words are wrong.

    Attributes
    ----------
    granularities
        Those that were scored, from fine to coarse; each is the group of its measures.
    words, sentences
        How many there are.
    with_baselines
        As many comparisons, in which the trivial baselines stand beside the systems.
    classes
        By granularity and system (baselines too): scores of every class.
    """

    shown_by: ClassVar[str] = "score quality-estimation words"

    granularities: tuple[str, ...] = field(kw_only=True)
    words: int = field(kw_only=True)
    sentences: int = field(kw_only=True)
    with_baselines: tuple[Comparison, ...] = field(kw_only=True, repr=False)
    classes: Mapping[str, Mapping[str, ClassScores]] = field(kw_only=True, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        baselines = [
            {"measure": c.measure.name, "group": c.measure.group,
             "systems": {name: float(value) for name, value in zip(c.systems, c.values, strict=True)
                         if name not in self.systems and value == value}}
            for c in self.with_baselines
        ]  # fmt: skip
        classes = [
            {"group": group, "system": system, "class": name, "words": int(scores.counts[i]),
             **{k: _or_none(getattr(scores, k)[i]) for k in ("precision", "recall", "f1", "mcc")}}
            for group, by_system in self.classes.items()
            for system, scores in by_system.items()
            for i, name in enumerate(scores.classes)
        ]  # fmt: skip
        own = {"granularities": list(self.granularities), "words": self.words, "sentences": self.sentences}
        return {**super().to_dict(), **own, "baselines": baselines, "classes": classes}


def score_words(
    gold: Path,
    systems: Mapping[str, Path] | None = None,
    *,
    training: Path | None = None,
    documents: DocumentsLike | None = None,
    unit: Unit = "auto",
    resamples: int = RESAMPLES,
    p: float = 0.05,
    encoding: str = "utf-8",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> WordScores:
    """Compare predictions of which words are wrong with gold labels, at every granularity that both have.

    Parameters
    ----------
    gold
        A file of annotations (`word_labels`).
    systems
        Of every system a file with the same words, or a WMT submission. None: the trivial baselines alone.
    training
        Annotations in which the commonest error is counted, for the baseline that always answers it; the gold labels
        unless given.
    documents
        The document of every sentence, in the order in which ``gold`` has them. They are drawn whole then.
    resamples
        Bootstrap samples; 0 for no intervals and tests.
    """
    execution = Execution.prepared(execution, rng)
    if resamples < 0:
        raise InputError(f"resamples: got {resamples}; allowed: at least 0")
    labels = read_annotations(gold, encoding=encoding)
    files = dict(systems or {})
    predictions = [
        each for name, path in files.items() for each in read_word_predictions(name, path, labels, encoding=encoding)
    ]
    _check_names([each.name for each in predictions])
    trained = labels if training is None else read_annotations(training, "the training file", encoding=encoding)
    segments = dict.fromkeys(word[0] for word in labels.words)
    named = None if documents is None else read_documents(documents, len(segments), encoding)
    units, unit_notes = units_of(named, unit, len(segments))
    places = dict(zip(segments, units.codes.tolist(), strict=True))
    drawn = Units(units.word, np.array([places[word[0]] for word in labels.words]), units.count)
    tables = [_Table.of(granularity, labels, predictions, trained) for granularity in labels.labels]
    samples = _drawn(tables, drawn, resamples, execution)
    pairs = [pair for table in tables for pair in table.compared(samples.get(table.granularity), p)]
    facts = {
        "granularities": ",".join(labels.labels), "words": len(labels.words), "sentences": len(segments),
        "systems": len(predictions), "baselines": "gold" if training is None else "training",
        **({"unit": units.word} if resamples else {}), "resamples": resamples, "p": p, "seed": execution.seed,
        "data": _digest(labels, predictions),
    }  # fmt: skip
    sources = [source_of(gold, "gold labels", len(labels.words))]
    sources += [source_of(path, f"system {name}", len(labels.words)) for name, path in files.items()]
    if training is not None:
        sources.append(source_of(training, "training labels", len(trained.words)))
    if documents is not None and is_path(documents):
        sources.append(source_of(documents, "documents", len(segments)))
    notes = _notes(labels, predictions, tables, training is not None)
    return WordScores(
        tuple(each.name for each in predictions),
        tuple(alone for alone, _ in pairs),
        record_of(facts, sources),
        notes_of([each for pair in pairs for each in pair], *notes, *(unit_notes if resamples else ())),
        granularities=tuple(table.granularity for table in tables),
        words=len(labels.words),
        sentences=len(segments),
        with_baselines=tuple(both for _, both in pairs),
        classes={table.granularity: table.scores() for table in tables},
    )


def _notes(gold: WordLabels, systems: Sequence[WordLabels], tables: Sequence[_Table], trained: bool) -> list[str]:
    """What a reader should know of files and baselines."""
    notes = [note for each in (gold, *systems) for note in each.notes]
    for number, each in enumerate(systems):
        if alike := [other.name for other in systems[:number] if other.labels == each.labels]:
            notes.append(f"{each.name} and {alike[0]} predict the same for every word")
    notes += [note for table in tables for note in table.notes]
    if not trained:
        notes.append("the commonest error is counted in the gold labels; --training FILE counts it in training data")
    return notes


@dataclass(frozen=True)
class _Table:
    """Gold and predicted labels of one granularity, the baselines' last, as codes of classes."""

    granularity: str
    classes: tuple[str, ...]
    names: tuple[str, ...]
    systems: int
    gold: IntArray = field(repr=False)
    predicted: IntArray = field(repr=False)
    notes: tuple[str, ...]

    @classmethod
    def of(cls, granularity: str, gold: WordLabels, systems: Sequence[WordLabels], trained: WordLabels) -> _Table:
        answers = {each.name: each.labels[granularity] for each in systems if granularity in each.labels}
        notes = [f"{each.name} has no {granularity} labels" for each in systems if granularity not in each.labels]
        right, baselines = gold.labels[granularity], {ALWAYS_OK: (OK,) * len(gold.words)}
        counted_in = trained.labels.get(granularity)
        if counted_in is None:
            counted_in = right
            notes.append(
                f"the training data have no {granularity} labels; the commonest error is that of the gold ones"
            )
        errors = Counter(label for label in counted_in if label != OK)
        if errors:
            most = max(errors, key=lambda label: (errors[label], -LABELS[granularity].index(label)))
            baselines[f"always {most}"] = (most,) * len(gold.words)
        else:
            notes.append(f"no {granularity} label is an error, so there is no baseline that always answers one")
        everything = {**answers, **baselines}
        used = {*right, *(label for labels in everything.values() for label in set(labels))}
        classes = tuple(label for label in LABELS[granularity] if label in used)
        codes = np.array([_codes(labels, classes) for labels in everything.values()])
        return cls(granularity, classes, tuple(everything), len(answers), _codes(right, classes), codes, tuple(notes))

    @property
    def measures(self) -> list[Measure]:
        """The primary one first."""
        names = _MEASURES.get(self.granularity, _DETAILED)
        no_error = "no gold label is an error"
        return [
            Measure(name, self.granularity, limits=(-100 if name.startswith("MCC") else 0, 100), undefined=no_error)
            for name in names
        ]

    def sums(self, units: Units) -> Sums:
        """Per system and class, how often it is predicted rightly, and at all; at the end how often it is right."""
        size, words = len(self.classes), np.arange(len(self.gold))
        rows = np.zeros((len(words), 2 * len(self.names) + 1, size), dtype=np.float32)
        for number, codes in enumerate(self.predicted):
            rows[words, 2 * number, codes] = codes == self.gold
            rows[words, 2 * number + 1, codes] = 1
        rows[words, -1, self.gold] = 1
        summed = by_unit(rows.reshape(len(words), -1).astype(np.float64), units)
        return Sums(summed, partial(_values, size, self.classes.index(OK), self.granularity == BINARY))

    def compared(self, samples: FloatArray | None, p: float) -> list[tuple[Comparison, Comparison]]:
        """By every measure: the systems alone (or the baselines, if there are none), and with the baselines."""
        one = Units("corpus", np.zeros(len(self.gold), dtype=np.int64), 1)
        values = np.split(self.sums(one).full(), len(self.measures))
        parts = None if samples is None else np.split(samples, len(self.measures), axis=1)
        kept = self.systems or len(self.names)
        pairs = []
        for number, measure in enumerate(self.measures):
            drawn = None if parts is None else parts[number]
            alone = Comparison(
                measure, self.names[:kept], values[number][:kept], None if drawn is None else drawn[:, :kept], p
            )
            pairs.append((alone, Comparison(measure, self.names, values[number], drawn, p)))
        return pairs

    def scores(self) -> dict[str, ClassScores]:
        """Scores of every class, by system."""
        scores = {}
        for name, codes in zip(self.names, self.predicted, strict=True):
            confusion = np.zeros((len(self.classes),) * 2)
            np.add.at(confusion, (codes, self.gold), 1)
            scores[name] = class_scores(confusion, self.classes)
        return scores


def _values(classes: int, ok: int, binary: bool, sums: FloatArray) -> FloatArray:
    """All measures of all systems in percent, an array (samples, measures × systems)."""
    counts = sums.reshape(len(sums), -1, classes)
    gold, right, predicted = counts[:, -1:], counts[:, :-1:2], counts[:, 1:-1:2]
    f1, mcc = _by_class(right, predicted, gold)
    err = np.arange(classes) != ok
    accuracy = _ratio(right.sum(axis=-1), gold.sum(axis=-1))
    f1_err, f1_all = _average(f1, gold * err), _average(f1, gold)
    mcc_err, mcc_all = _average(mcc, gold * err), _average(mcc, gold)
    columns = [f1_err, f1_all, mcc_all, accuracy] if binary else [f1_err, f1_all, mcc_err, mcc_all, accuracy]
    return np.asarray(100 * np.hstack(columns))


def _drawn(tables: Sequence[_Table], units: Units, resamples: int, execution: Execution) -> dict[str, FloatArray]:
    """Samples by granularity; none without resampling."""
    if not resamples:
        return {}
    single = Units.single(units.count, units.word)
    statistics = {table.granularity: table.sums(units) for table in tables}
    return resampled(statistics, single, resamples=resamples, execution=execution)


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two systems are called {name}; give each its own name")
        if name.startswith("always "):
            raise InputError(f"a system is called {name!r}, as the baselines are; give it another name")


def _digest(gold: WordLabels, systems: Sequence[WordLabels]) -> str:
    parts: list[object] = [part for word in gold.words for part in word]
    for each in (gold, *systems):
        parts += ["" if each is gold else each.name, *(label for kinds in each.labels.values() for label in kinds)]
    return digest_of(parts)


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
