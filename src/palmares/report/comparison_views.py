"""Comparisons of models laid out as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..analysis.compare.comparison import Comparison, Measure, ModelScore, flat
from ..analysis.compare.gold import GoldComparison, GoldLine
from ..analysis.compare.trials import AGAINST_GOLD, Curve, TrialMean
from ..analysis.compare.trials import MEASURES as TRIAL_MEASURES
from .tables import Column, Table

#: Names of measures for people.
NAMES = {
    "accuracy_clusters": "accuracy by clusters", "accuracy_outcome": "accuracy by outcome", "perplexity": "perplexity",
    "log_loss": "log loss", "brier": "Brier score", "pearson": "Pearson's r with gold scores",
    "spearman": "Spearman's ρ with gold scores", "kendall": "Kendall's τ with gold scores",
    "ndcg": "nDCG against gold scores",
}  # fmt: skip
_READ = (
    "accuracy: share foretold by clusters of the scores (radius tuned in training), and by the most probable outcome;",
    "±: standard error; Δ: distance from the best model; –: does not apply.",
)
_BOUND = "no model that knows only the two systems foretells more"


def comparison_table(found: Comparison, *, title: str | None = None) -> Table:
    """One row a model, best first; the bounds below a line."""
    columns = [
        Column("model", align="left"), Column("accuracy, clusters", _measure), Column("Δ", _difference),
        Column("radius", _radius), Column("accuracy, outcome", _measure), Column("perplexity", _measure),
        Column("Δ", _difference), Column("Brier", _value),
    ]  # fmt: skip
    rows: list[list[Any]] = [_cells(line) for line in found.lines]
    bounds = [("oracle", found.oracle), ("oracle by fold", found.oracle_by_fold)]
    rows += [[name, m, None, None, m, None, None, None] for name, m in bounds if _telling(name, found)]
    notes = [_what(found), *_READ, *_oracles(found), *_close(found), *_warnings(found)]
    return Table(columns, rows, title, frozenset([len(found.lines)]), found.signature, notes)


def comparison_csv_table(found: Comparison) -> Table:
    """One flat row a model, with the language pair in front; the oracles are models of this table."""
    lines = [*found.lines, _bound("oracle", found.oracle), _bound("oracle-by-fold", found.oracle_by_fold)]
    rows = [{"lang_pair": found.lang_pair, **flat(line)} for line in lines]
    return Table(
        [Column(name) for name in rows[0]], [list(row.values()) for row in rows], signature=found.signature,
        notes=_warnings(found),
    )  # fmt: skip


def calibration_table(found: Comparison) -> Table:
    """Predicted against observed shares, model by model."""
    columns = [
        Column("model", align="left"), Column("outcome", align="left"), Column("predicted from", _share),
        Column("to", _share), Column("mean", _places), Column("observed", _places), Column("±", _places),
        Column("judgments", lambda v: f"{v:,.0f}"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    rules = set()
    for line in found.lines:
        rules.add(len(rows))
        rows += [
            [line.model, b.outcome, b.low, b.high, b.predicted, b.observed, b.error, b.judgments]
            for b in line.calibration
        ]
    note = (
        "Of judgments that a model gave a probability in this range, the share that came true. decided: one system is "
        "better, asked of both systems of every judgment; tie: once of every judgment."
    )
    return Table(columns, rows, rules=frozenset(rules - {0}), notes=[note], signature=found.signature)


def calibration_csv_table(found: Comparison) -> Table:
    """Flat rows: the bins of every model, with the language pair in front."""
    names = ("lang_pair", "model", "outcome", "low", "high", "judgments", "predicted", "observed", "error")
    rows = [
        [found.lang_pair, line.model, b.outcome, b.low, b.high, b.judgments, b.predicted, b.observed, b.error]
        for line in found.lines
        for b in line.calibration
    ]
    return Table([Column(name) for name in names], rows, signature=found.signature)


def with_gold(tables: Sequence[Table], found: GoldComparison) -> list[Table]:
    """Tables, and that of gold scores below them; if it would be empty, a note under the last one says so."""
    below = gold_table(found)
    if below.rows:
        return [*tables, below]
    none = f"note: no model has scores that can be compared with {found.gold}"
    return [*tables[:-1], replace(tables[-1], notes=[*tables[-1].notes, none, *below.notes[1:]])]


def gold_table(found: GoldComparison) -> Table:
    """One row a model that has scores: how far they agree with gold scores."""
    columns = [Column("model", align="left"), *[Column(name, _places) for name in ("Pearson", "Spearman", "Kendall")]]
    rows = [[line.model, *_agreement(line)] for line in found.lines if _agrees(line)]
    refused = [f"note: {line.model} refused: {line.refused}" for line in found.lines if line.refused]
    notes = [f"Scores of models fitted to all judgments against {found.gold}.", *refused]
    return Table([*columns, Column("nDCG", _places)], rows, notes=notes, signature=found.signature)


def gold_csv_table(found: GoldComparison) -> Table:
    """The same flat, with the language pair in front, and with models that refused."""
    shown = [line for line in found.lines if _agrees(line) or line.refused]
    rows = [[found.lang_pair, line.model, *_agreement(line), line.refused] for line in shown]
    return Table([Column(n) for n in ("lang_pair", "model", *AGAINST_GOLD, "refused")], rows, signature=found.signature)


def curve_tables(found: Curve, *, title: str | None = None) -> list[Table]:
    """For every measure that people look at and some model has, a table of models by condition."""
    wanted = ("accuracy_clusters", "perplexity", *(("pearson", "ndcg") if found.gold else ()))
    front = f"{title}: " if title else ""
    drawn = {measure: _curve_table(found, measure, front) for measure in wanted}
    tables = [table for table in drawn.values() if table.rows] or [drawn["accuracy_clusters"]]
    missing = [f"note: no model has a value for {NAMES[m]}" for m, table in drawn.items() if not table.rows]
    notes = [_trials_text(found), *missing, *_refusals(found)]
    return [*tables[:-1], replace(tables[-1], signature=found.signature, notes=notes)]


def curve_csv_table(found: Curve) -> Table:
    """One flat row for every model and condition."""
    rows = []
    for value, row in found.points.items():
        for trials in row:
            means = [kind.get(name) for name in TRIAL_MEASURES for kind in (trials.means, trials.changes)]
            cells = [x for mean in means for x in ((mean.value, mean.error) if mean else (None, None))]
            rows.append([found.lang_pair, found.condition, value, trials.model, trials.trials, trials.refused, *cells])
    suffixes = ("", "_error", "_change", "_change_error")
    names = [name + suffix for name in TRIAL_MEASURES for suffix in suffixes]
    front = ("lang_pair", "condition", "value", "model", "trials", "refused")
    return Table([Column(name) for name in (*front, *names)], rows, signature=found.signature)


def _curve_table(found: Curve, measure: str, front: str) -> Table:
    """Means by condition; of a noise test, the mean without noise and then the changes."""
    noise = found.condition == "noise"
    columns = [Column("model", align="left")]
    columns += [Column(_condition(found, v), _change if noise and i else _measure) for i, v in enumerate(found.points)]
    rows = []
    for of_model in zip(*found.points.values(), strict=True):
        cells = [(t.changes if noise and i else t.means).get(measure) for i, t in enumerate(of_model)]
        if any(cells):
            rows.append([of_model[0].model, *cells])
    return Table(columns, rows, front + NAMES[measure])


def _condition(found: Curve, value: float) -> str:
    return f"{value:,.0f}" if found.condition == "size" else f"{100 * value:g} %"


def _trials_text(found: Curve) -> str:
    heads = "judgments to train on"
    if found.condition == "noise":
        heads = "judges who answer at random (without any: the mean; with some: the change from that, trial by trial)"
    gold = f" Gold scores: {found.gold}." if found.gold else ""
    means = f"means over {found.trials} trials, ± standard error" if found.trials > 1 else "a single trial"
    return f"Columns: {heads}; tested on {found.tested:,} judgments; {means}.{gold} –: does not apply."


def _refusals(found: Curve) -> list[str]:
    return [
        f"note: {trials.model} refused {trials.refused} of {trials.trials} trials at {_condition(found, value)}: "
        f"{trials.reason}"
        for value, row in found.points.items()
        for trials in row
        if trials.refused
    ]


def _cells(line: ModelScore) -> list[Any]:
    radius = line.radius[0] if line.radius else None
    return [
        line.model, line.accuracy_clusters, line.accuracy_clusters, radius, line.accuracy_outcome, line.perplexity,
        line.perplexity, line.brier,
    ]  # fmt: skip


def _what(found: Comparison) -> str:
    facts = found.record.facts
    if facts["folds"] == 1:
        return f"Trained on {found.trained:,} judgments of some judges, tested on {found.judgments:,} of others."
    return (
        f"{found.judgments:,} judgments, each tested once by models trained on the other {facts['folds'] - 1} of "
        f"{facts['folds']} folds, made by {facts['by']}; standard errors by {facts['errors_by']}."
    )


def _oracles(found: Comparison) -> list[str]:
    """What the last rows mean; over several folds only the second bounds what is trained and tested fold by fold."""
    if not _telling("oracle by fold", found):
        return [f"oracle: the most frequent outcome of each pair, counted on what is tested; {_BOUND}."]
    return [
        "oracle: the most frequent outcome of each pair over all folds; a model, trained anew for each, may exceed it;",
        f"oracle by fold: the same counted in each fold alone; {_BOUND}.",
    ]


def _close(found: Comparison) -> list[str]:
    """Who is within two standard errors of the best, for the two measures that show their distance."""
    lines = []
    for measure in ("accuracy_clusters", "perplexity"):
        having = [(line.model, m) for line in found.lines if (m := line.measure(measure))]
        near = [
            name for name, m in having
            if m.difference and m.difference_error is not None and abs(m.difference) <= 2 * m.difference_error
        ]  # fmt: skip
        if near:
            lines.append(f"Within two standard errors of the best in {NAMES[measure]}: {', '.join(near)}.")
    return lines


def _warnings(found: Comparison) -> list[str]:
    refused = [f"{line.model} refused {line.refused}" for line in found.lines if line.refused]
    wandered = [f"{line.model}: {note}" for line in found.lines for note in line.notes]
    return [f"note: {text}" for text in (*found.notes, *refused, *wandered)]


def _telling(name: str, found: Comparison) -> bool:
    """With a single fold both oracles are the same."""
    return name == "oracle" or found.record.facts["folds"] > 1


def _bound(name: str, measure: Measure) -> ModelScore:
    return ModelScore(name, accuracy_clusters=measure, accuracy_outcome=measure)


def _agreement(line: GoldLine) -> Sequence[float | None]:
    return [None if line.agreement is None else getattr(line.agreement, name) for name in AGAINST_GOLD]


def _agrees(line: GoldLine) -> bool:
    """Models that only predict, or whose scores are all alike, have nothing to show."""
    return any(value is not None for value in _agreement(line))


def _number(value: float, signed: bool = False) -> str:
    # + 0.0 so that what rounds to zero has no sign.
    return f"{round(value, 4) + 0.0:{'+' if signed else ''}.4f}".replace("-", "−")


def _with_error(value: float, error: float | None, signed: bool = False) -> str:
    return _number(value, signed) + ("" if error is None else f" ± {_number(error)}")


def _measure(found: Measure | TrialMean | None) -> str:
    return "–" if found is None else _with_error(found.value, found.error)


def _change(found: TrialMean | None) -> str:
    return "–" if found is None else _with_error(found.value, found.error, True)


def _value(found: Measure | None) -> str:
    return "–" if found is None else _number(found.value)


def _difference(found: Measure | None) -> str:
    if found is None or found.difference is None:
        return "–"
    return "best" if found.difference == 0 else _with_error(found.difference, found.difference_error, True)


def _radius(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _places(value: float | None) -> str:
    return "–" if value is None else _number(value)


def _share(value: float) -> str:
    return f"{value:.1f}"
