"""A baseline of quality estimation that was trained, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from ..results import counted
from ..scoring.baseline.training import TrainedBaseline
from .scores import mark_notes, number_text, value_column, value_text
from .tables import Column, Grouped, Table, View, chance_text


def tables(results: Sequence[Grouped[TrainedBaseline]], part: str | None = None) -> list[Table]:
    """The features in the training data; below, errors of cross-validation beside those of the mean label."""
    return [table for each in results for table in (_features(each), _errors(each))]


def flat(results: Sequence[Grouped[TrainedBaseline]], part: str | None = None) -> list[Table]:
    """One row per feature; errors and settings are in the lines beside it."""
    names = ("number", "feature", "mean", "sd", "correlation")
    flats = []
    for each in results:
        rows = [
            [number, feature.name, feature.mean, feature.deviation, feature.correlation]
            for number, feature in enumerate(each.result.features, 1)
        ]
        errors = [
            f"{comparison.measure.name}: {value_text(comparison, system)} {name}"
            for comparison in each.result.comparisons
            for system, name in enumerate(each.result.systems)
        ]
        notes = [*_how(each.result), *errors, *_notes(each.result)]
        flats.append(Table([Column(name) for name in names], rows, signature=each.result.signature, notes=notes))
    return flats


VIEW = View(tables, flat)


def _features(each: Grouped[TrainedBaseline]) -> Table:
    columns = [
        Column("#"),
        Column("mean", lambda value: number_text(value, 3)),
        Column("sd", lambda value: number_text(value, 3)),
        Column("r", lambda value: number_text(value, 2)),
        Column("feature", align="left"),
    ]
    rows = [
        [number, feature.mean, feature.deviation, feature.correlation, feature.name]
        for number, feature in enumerate(each.result.features, 1)
    ]
    note = f"r: Pearson's correlation with the label; {counted(each.result.sentences, 'sentence')}"
    return Table(columns, rows, each.title, notes=[note], keys=(4,))


def _errors(each: Grouped[TrainedBaseline]) -> Table:
    result = each.result
    columns = [*map(value_column, result.comparisons), Column("prediction", align="left")]
    rows = [
        [*(value_text(comparison, system) for comparison in result.comparisons), name]
        for system, name in enumerate(result.systems)
    ]
    notes = [*_how(result), *mark_notes(result.comparisons), *_tests(result), *_notes(result)]
    return Table(columns, rows, signature=result.signature, notes=notes, keys=(len(columns) - 1,))


def _how(result: TrainedBaseline) -> list[str]:
    kind = "nested cross-validation" if result.nested else "cross-validation"
    chosen = ", ".join(f"{name} = {value:g}" for name, value in result.settings.facts.items())
    vectors = counted(len(result.model.regression.vectors), "support vector")
    return [f"errors of {kind} on the training sentences; chosen for the model: {chosen} ({vectors})"]


def _tests(result: TrainedBaseline) -> list[str]:
    """In words: by how much the baseline is better or worse than the mean label, and how sure that is."""
    sentences = []
    for comparison in result.comparisons:
        for pair in comparison.pairs:
            difference = number_text(abs(pair["difference"]), comparison.measure.digits)
            p = chance_text(pair["p"])
            sentences.append(
                f"{comparison.measure.name}: the {pair['better']} is better by {difference} (paired, p "
                f"{p if p.startswith('<') else f'= {p}'})"
            )
    return sentences


def _notes(result: TrainedBaseline) -> list[str]:
    return [f"note: {note}" for note in result.notes]
