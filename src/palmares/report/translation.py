"""Translations by automatic scores, as tables: in the layout of WMT14's medical task, and agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..scoring.comparison import JOINT_WINNER, WINNER, Comparison
from ..scoring.result import Scored
from ..scoring.translation.agreement import AGREEMENTS
from ..scoring.translation.result import Translations
from .scores import flat_pairs, flat_values, mark_notes, number_text, pair_tables, value_text
from .tables import Column, Grouped, Table, View, front, level_text

#: Beside the usual table, one can ask for every two systems, or for the agreement with people alone.
PAIRS, AGREEMENT = "pairs", "agreement"


def tables(results: Sequence[Grouped[Translations]], part: str | None = None) -> list[Table]:
    """One row per system, and below, if there are judgments, one per measure."""
    if part == PAIRS:
        return pair_tables(results)
    made = []
    for each in results:
        if part is None:
            made.append(_systems(each.result, each.title))
        if each.result.human is not None:
            made.append(_agreement(each.result, each.title))
    return made


def flat(results: Sequence[Grouped[Translations]], part: str | None = None) -> list[Table]:
    """One row per system and measure, per pair, or per measure and kind of agreement."""
    if part == PAIRS:
        return flat_pairs(results)
    if part == AGREEMENT:
        return [_flat_agreement(each) for each in results]
    return [_labelled(table, each.result) for table, each in zip(flat_values(results), results, strict=True)]


VIEW = View(tables, flat, parts=(PAIRS, AGREEMENT))


def _systems(result: Translations, title: str | None) -> Table:
    """Constrained systems first, each part with primary submissions before contrastive ones, best first."""
    order = sorted(result.comparisons[0].order.tolist(), key=lambda i: _section(result, i))
    labelled = bool(result.contrastive or result.unconstrained)
    kinds = {c.measure.group for c in result.comparisons if c.measure.group}
    columns = [Column("system", align="left"), *([Column("submission", align="left")] if labelled else [])]
    columns += [Column(f"{c.measure.group} {c.measure.name}".strip() if len(kinds) > 1 else c.measure.name)
                for c in result.comparisons]  # fmt: skip
    rows: list[list[Any]] = [
        [result.systems[i], *([_label(result, i)] if labelled else []), *_cells(result, i)] for i in order
    ]
    sections = [_section(result, i) for i in order]
    starts = [n for n in range(1, len(order)) if sections[n] != sections[n - 1]]
    rules = frozenset(n for n in starts if sections[n][0] != sections[n - 1][0])
    notes = [*_marks(result, rows), *_signatures(result), *_notes(result)]
    return Table(columns, rows, title, rules, result.signature, notes, dashed=frozenset(starts) - rules)


def _section(result: Translations, system: int) -> tuple[bool, bool]:
    name = result.systems[system]
    return name in result.unconstrained, name in result.contrastive


def _label(result: Translations, system: int) -> str:
    unconstrained, contrastive = _section(result, system)
    return ("contrastive" if contrastive else "primary") + (", unconstrained" if unconstrained else "")


def _cells(result: Translations, system: int) -> list[str]:
    """A constrained system has the mark that it has among these."""
    name = result.systems[system]
    if name in result.unconstrained or not result.constrained:
        return [value_text(comparison, system) for comparison in result.comparisons]
    return [value_text(comparison, comparison.systems.index(name)) for comparison in result.constrained]


def _marks(result: Translations, rows: Sequence[Sequence[str]]) -> list[str]:
    """What the signs that are there mean; those of constrained systems are among these."""
    shown = {cell[:1] for row in rows for cell in row}
    unseen = {WINNER, JOINT_WINNER} - shown
    notes = [note for note in mark_notes((*result.comparisons, *result.constrained)) if note[0] not in unseen]
    if result.constrained and any(comparison.usable is not None for comparison in result.comparisons):
        notes.append("constrained systems are compared with each other; unconstrained ones with all")
    return notes


def _signatures(result: Translations) -> list[str]:
    """The signature of every metric; where they differ by text, of each."""
    by_metric: dict[str, dict[str, list[str]]] = {}
    for comparison in result.comparisons:
        if signature := result.metric_signatures.get(comparison.measure.label):
            texts = by_metric.setdefault(comparison.measure.name, {}).setdefault(signature, [])
            texts.append(comparison.measure.group)
    return [
        f"{name}: " + "; ".join(f"{signature} ({', '.join(texts)})" for signature, texts in signatures.items())
        for name, signatures in by_metric.items()
    ]


def _notes(result: Scored) -> list[str]:
    return [f"note: {note}" for note in result.notes]


# -- agreement with people ----------------------------------------------------------------------------


def _agreement(result: Translations, title: str | None) -> Table:
    human = result.human
    assert human is not None  # nobody else asks
    columns = [Column("measure", align="left"), *(Column(name) for name in AGREEMENTS.values())]
    rows = [
        [_measure(entry.measure, entry.group), *(_spanned(entry.values[n], entry.intervals[n]) for n in AGREEMENTS)]
        for entry in human.agreements
    ]
    p = result.comparisons[0].p
    notes = [
        f"agreement of {len(human.systems)} systems with {human.judgments:,} judgments ranked by {human.model}; "
        f"in brackets: {level_text(p)} intervals (bootstrap)",
        "pairs in order: the share of pairs of systems that both put in the same order; soft accuracy: 1 − mean "
        "difference of how sure both are of each pair",
        *_notes(result),
    ]
    about = f"{title}, agreement with people" if title else "agreement with people"
    return Table(columns, rows, about, frozenset(), human.signature, notes)


def _measure(name: str, group: str) -> str:
    return f"{name} ({group})" if group else name


def _spanned(value: float | None, span: tuple[float, float] | None) -> str:
    if span is None:
        return number_text(value, 3)
    return f"{number_text(value, 3)} [{number_text(span[0], 3)}, {number_text(span[1], 3)}]"


def _flat_agreement(each: Grouped[Translations]) -> Table:
    ahead = front(each)
    human = each.result.human
    rows = [
        [*ahead.values(), entry.measure, entry.group or None, name, entry.values[name], *(span or (None, None))]
        for entry in (human.agreements if human is not None else ())
        for name, span in entry.intervals.items()
    ]
    columns = [Column(name) for name in (*ahead, "measure", "group", "agreement", "value", "low", "high")]
    signature = None if human is None else human.signature
    return Table(columns, rows, signature=signature, notes=_notes(each.result))


# -- CSV ----------------------------------------------------------------------------------------------


def _labelled(table: Table, result: Translations) -> Table:
    """Rows of values with what kind of submission each is of, and who may be best among constrained systems."""
    names = [column.name for column in table.columns]
    system, measure, group = (names.index(name) for name in ("system", "measure", "group"))
    inner = {(c.measure.name, c.measure.group): c for c in result.constrained}
    rows = []
    for row in table.rows:
        name = row[system]
        comparison = inner.get((row[measure], row[group] or ""))
        rows.append(
            [*row, name not in result.contrastive, name not in result.unconstrained, *_best_within(comparison, name)]
        )
    more = ("primary", "constrained", "constrained_winner", "constrained_joint_winner")
    notes = [*_signatures(result), *table.notes]
    return Table([*table.columns, *map(Column, more)], rows, signature=table.signature, notes=notes)


def _best_within(comparison: Comparison | None, name: str) -> tuple[bool | None, bool | None]:
    if comparison is None or name not in comparison.systems:
        return None, None
    at = comparison.systems.index(name)
    return bool(comparison.winners[at]), bool(comparison.joint_winners[at])
