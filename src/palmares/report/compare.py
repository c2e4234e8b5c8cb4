"""Comparisons of models, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..analysis.compare.comparison import Comparison, Measure, ModelScore
from ..analysis.compare.comparison import flat as flat_line
from ..analysis.compare.gold import GoldComparison, GoldLine
from ..analysis.compare.trials import AGAINST_GOLD, Curve, TrialMean
from ..analysis.compare.trials import MEASURES as TRIAL_MEASURES
from .tables import Column, Grouped, Table, View


@dataclass(frozen=True)
class Compared:
    """What was asked of the models: a comparison or a curve, and how far scores agree with gold scores."""

    result: Comparison | Curve
    gold: GoldComparison | None = None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {**self.result.to_dict(), **({"gold": self.gold.to_dict()} if self.gold else {})}


#: Names of measures for people.
NAMES = {
    "accuracy_clusters": "accuracy by clusters", "accuracy_outcome": "accuracy by outcome", "perplexity": "perplexity",
    "log_loss": "log loss", "brier": "Brier score", "pearson": "Pearson's r with gold scores",
    "spearman": "Spearman's ρ with gold scores", "kendall": "Kendall's τ with gold scores",
    "ndcg": "nDCG against gold scores",
}  # fmt: skip
_READ = (
    "accuracy: share predicted by clusters of the scores (radius tuned in training), and by the most probable outcome;",
    "±: standard error; Δ: distance from the best model; –: does not apply.",
)
#: A distance from the best with a larger p-value is called none.
LEVEL = 0.05
_BOUND = "no model that knows only the two systems predicts more"


#: What can be shown: also a comparison or a curve alone.
Shown = Compared | Comparison | Curve


def tables(results: Sequence[Grouped[Shown]], part: str | None = None) -> list[Table]:
    """Models, best first, or their curves; ``calibration``: below them, predicted against observed shares."""
    return [table for each in results for table in _tables(_compared(each.result), each.title, part)]


def flat(results: Sequence[Grouped[Shown]], part: str | None = None) -> list[Table]:
    """One row per model. CSV has one header: what was asked for beyond the comparison takes its place."""
    return [_grouped(_flat(_compared(each.result), part), each) for each in results]


VIEW = View(tables, flat, grouped=True, parts=("calibration",))


def _compared(result: Shown) -> Compared:
    return result if isinstance(result, Compared) else Compared(result)


def _grouped(table: Table, each: Grouped[Shown]) -> Table:
    """A flat table, which begins with the language pair, with what else judgments were split by behind that."""
    more = {name: value for name, value in each.group if name != "lang_pair"}
    columns = [table.columns[0], *[Column(name) for name in more], *table.columns[1:]]
    return replace(table, columns=columns, rows=[[row[0], *more.values(), *row[1:]] for row in table.rows])


def _tables(compared: Compared, title: str | None, part: str | None) -> list[Table]:
    if isinstance(compared.result, Curve):
        return _curves(compared.result, title)
    shown = [_comparison(compared.result, title)]
    shown += [_calibration(compared.result)] if part == "calibration" else []
    if compared.gold is None:
        return shown
    below = _gold(compared.gold)
    if below.rows:
        return [*shown, below]
    none = f"note: no model has scores that can be compared with {compared.gold.gold}"
    return [*shown[:-1], replace(shown[-1], notes=[*shown[-1].notes, none, *below.notes[1:]])]


def _flat(compared: Compared, part: str | None) -> Table:
    if isinstance(compared.result, Curve):
        return _flat_curve(compared.result)
    if compared.gold is not None:
        return _flat_gold(compared.gold)
    return _flat_calibration(compared.result) if part == "calibration" else _flat_comparison(compared.result)


def _comparison(comparison: Comparison, title: str | None) -> Table:
    """One row per model, best first; the bounds below a line."""
    columns = [
        Column("model", align="left"), Column("accuracy, clusters", _measure), Column("Δ", _difference),
        Column("radius", _radius), Column("accuracy, outcome", _measure), Column("perplexity", _measure),
        Column("Δ", _difference), Column("Brier", _value),
    ]  # fmt: skip
    rows: list[list[Any]] = [_cells(line) for line in comparison.lines]
    bounds = {"oracle": comparison.oracle}
    if comparison.record.facts["folds"] > 1:  # with a single fold both oracles are the same
        bounds["oracle by fold"] = comparison.oracle_by_fold
    rows += [[name, bound, None, None, bound, None, None, None] for name, bound in bounds.items()]
    notes = [_split(comparison), *_READ, *_oracles(comparison), *_close(comparison), *_warnings(comparison)]
    return Table(columns, rows, title, frozenset([len(comparison.lines)]), comparison.signature, notes)


def _flat_comparison(comparison: Comparison) -> Table:
    """One flat row per model, with the language pair in front; the oracles are models of this table."""
    bounds = {"oracle": comparison.oracle, "oracle-by-fold": comparison.oracle_by_fold}
    oracles = [ModelScore(name, accuracy_clusters=m, accuracy_outcome=m) for name, m in bounds.items()]
    rows = [{"lang_pair": comparison.lang_pair, **flat_line(line)} for line in (*comparison.lines, *oracles)]
    return Table(
        [Column(name) for name in rows[0]], [list(row.values()) for row in rows], signature=comparison.signature,
        notes=_warnings(comparison),
    )  # fmt: skip


def _calibration(comparison: Comparison) -> Table:
    """Predicted against observed shares, model by model."""
    columns = [
        Column("model", align="left"), Column("outcome", align="left"), Column("predicted from", _edge),
        Column("to", _edge), Column("mean", _places), Column("observed", _places), Column("±", _places),
        Column("judgments", lambda v: f"{v:,.0f}"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    rules = set()
    for line in comparison.lines:
        rules.add(len(rows))
        rows += [
            [line.model, b.outcome, b.low, b.high, b.predicted, b.observed, b.error, b.judgments]
            for b in line.calibration
        ]
    note = (
        "Of judgments that a model gave a probability in this range, the share that came true. decided: one system is "
        "better, counted for both systems of every judgment; tie: counted once per judgment."
    )
    return Table(
        columns, rows, rules=frozenset(rules - {0}), notes=[note], signature=comparison.signature, keys=(0, 1, 2, 3)
    )


def _flat_calibration(comparison: Comparison) -> Table:
    """Flat rows: the bins of every model, with the language pair in front."""
    names = ("lang_pair", "model", "outcome", "low", "high", "judgments", "predicted", "observed", "error")
    rows = [
        [comparison.lang_pair, line.model, b.outcome, b.low, b.high, b.judgments, b.predicted, b.observed, b.error]
        for line in comparison.lines
        for b in line.calibration
    ]
    return Table([Column(name) for name in names], rows, signature=comparison.signature)


def _gold(against: GoldComparison) -> Table:
    """One row per model that has scores: how far they agree with gold scores."""
    columns = [Column("model", align="left"), *[Column(name, _places) for name in ("Pearson", "Spearman", "Kendall")]]
    rows = [[line.model, *_agreement(line)] for line in against.lines if _agrees(line)]
    refused = [f"note: {line.model} refused: {line.refused}" for line in against.lines if line.refused]
    notes = [f"Scores of models fitted to all judgments against {against.gold}.", *refused]
    return Table([*columns, Column("nDCG", _places)], rows, notes=notes, signature=against.signature)


def _flat_gold(against: GoldComparison) -> Table:
    """The same flat, with the language pair in front, and with models that refused."""
    shown = [line for line in against.lines if _agrees(line) or line.refused]
    rows = [[against.lang_pair, line.model, *_agreement(line), line.refused] for line in shown]
    columns = [Column(name) for name in ("lang_pair", "model", *AGAINST_GOLD, "refused")]
    return Table(columns, rows, signature=against.signature)


def _curves(curve: Curve, title: str | None) -> list[Table]:
    """For every measure that people look at and some model has, a table of models by condition."""
    wanted = ("accuracy_clusters", "perplexity", *(("pearson", "ndcg") if curve.gold else ()))
    front = f"{title}: " if title else ""
    drawn = {measure: _curve_table(curve, measure, front) for measure in wanted}
    shown = [table for table in drawn.values() if table.rows] or [drawn["accuracy_clusters"]]
    missing = [f"note: no model has a value for {NAMES[m]}" for m, table in drawn.items() if not table.rows]
    notes = [_trials_text(curve), *[f"note: {note}" for note in curve.notes], *missing, *_refusals(curve)]
    return [*shown[:-1], replace(shown[-1], signature=curve.signature, notes=notes)]


def _flat_curve(curve: Curve) -> Table:
    """One flat row for every model and condition."""
    rows = []
    for value, row in curve.points.items():
        for trials in row:
            means = [kind.get(name) for name in TRIAL_MEASURES for kind in (trials.means, trials.changes)]
            cells = [x for mean in means for x in ((mean.value, mean.error) if mean else (None, None))]
            rows.append([curve.lang_pair, curve.condition, value, trials.model, trials.trials, trials.refused, *cells])
    suffixes = ("", "_error", "_change", "_change_error")
    names = [name + suffix for name in TRIAL_MEASURES for suffix in suffixes]
    front = ("lang_pair", "condition", "value", "model", "trials", "refused")
    return Table([Column(name) for name in (*front, *names)], rows, signature=curve.signature)


def _curve_table(curve: Curve, measure: str, front: str) -> Table:
    """Means by condition; of a noise test, the mean without noise and then the changes."""
    noise = curve.condition == "noise"
    columns = [Column("model", align="left")]
    columns += [Column(_condition(curve, v), _change if noise and i else _measure) for i, v in enumerate(curve.points)]
    rows = []
    for of_model in zip(*curve.points.values(), strict=True):
        cells = [(t.changes if noise and i else t.means).get(measure) for i, t in enumerate(of_model)]
        if any(cells):
            rows.append([of_model[0].model, *cells])
    return Table(columns, rows, front + NAMES[measure])


def _condition(curve: Curve, value: float) -> str:
    return f"{value:,.0f}" if curve.condition == "size" else f"{100 * value:g} %"


def _trials_text(curve: Curve) -> str:
    heads = "judgments to train on"
    if curve.condition == "noise":
        heads = "judges who answer at random (at 0 %: the mean; then: the change from it, trial by trial)"
    gold = f" Gold scores: {curve.gold}." if curve.gold else ""
    means = f"means over {curve.trials} trials, ± standard error" if curve.trials > 1 else "a single trial"
    return f"Columns: {heads}; tested on {curve.tested:,} judgments; {means}.{gold} –: does not apply."


def _refusals(curve: Curve) -> list[str]:
    return [
        f"note: {trials.model} refused {trials.refused} of {trials.trials} trials at {_condition(curve, value)}: "
        f"{trials.reason}"
        for value, row in curve.points.items()
        for trials in row
        if trials.refused
    ]


def _cells(line: ModelScore) -> list[Any]:
    radius = line.radius[0] if line.radius else None
    return [
        line.model, line.accuracy_clusters, line.accuracy_clusters, radius, line.accuracy_outcome, line.perplexity,
        line.perplexity, line.brier,
    ]  # fmt: skip


def _split(comparison: Comparison) -> str:
    facts = comparison.record.facts
    if facts["folds"] == 1:
        trained, tested = comparison.trained, comparison.judgments
        return f"Trained on {trained:,} judgments of some judges, tested on {tested:,} of others."
    return (
        f"{comparison.judgments:,} judgments, each tested once by models trained on the other {facts['folds'] - 1} of "
        f"{facts['folds']} folds."
    )


def _oracles(comparison: Comparison) -> list[str]:
    """What the last rows mean; over several folds only the second bounds what is trained and tested fold by fold."""
    if comparison.record.facts["folds"] == 1:
        return [f"oracle: the most frequent outcome of each pair, counted on what is tested; {_BOUND}."]
    return [
        "oracle: the most frequent outcome of each pair over all folds; a model, trained anew for each, may exceed it;",
        f"oracle by fold: the same counted in each fold alone; {_BOUND}.",
    ]


def _close(comparison: Comparison) -> list[str]:
    """Who cannot be told from the best, for the two measures that show their distance."""
    lines = []
    for measure in ("accuracy_clusters", "perplexity"):
        having = [(line.model, m) for line in comparison.lines if (m := line.measure(measure))]
        near = [name for name, m in having if m.difference and m.p is not None and m.p > LEVEL]
        if near:
            what = f"Not told from the best in {NAMES[measure]} (p > {LEVEL:g}, t with {comparison.df:,} degrees)"
            lines.append(f"{what}: {', '.join(near)}.")
    return lines


def _warnings(comparison: Comparison) -> list[str]:
    refused = [f"{line.model} refused {line.refused}" for line in comparison.lines if line.refused]
    wandered = [f"{line.model}: {note}" for line in comparison.lines for note in line.notes]
    fitted = [f"{line.model}: {_fitted(line)} in training" for line in comparison.lines if line.fitted]
    return [f"note: {text}" for text in (*comparison.notes, *refused, *fitted, *wandered)]


def _fitted(line: ModelScore) -> str:
    """Medians over folds, and from where to where they go."""
    return ", ".join(
        f"{name} {_radius(median)} ({_radius(low)} to {_radius(high)})"
        for name, (median, low, high) in line.fitted.items()
    )


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


def _measure(measure: Measure | TrialMean | None) -> str:
    return "–" if measure is None else _with_error(measure.value, measure.error)


def _change(mean: TrialMean | None) -> str:
    return "–" if mean is None else _with_error(mean.value, mean.error, True)


def _value(measure: Measure | None) -> str:
    return "–" if measure is None else _number(measure.value)


def _difference(measure: Measure | None) -> str:
    if measure is None or measure.difference is None:
        return "–"
    return "best" if measure.difference == 0 else _with_error(measure.difference, measure.difference_error, True)


def _radius(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _places(value: float | None) -> str:
    return "–" if value is None else _number(value)


def _edge(value: float) -> str:
    """Where a bin of probabilities begins or ends: a tenth."""
    return f"{value:.1f}"
