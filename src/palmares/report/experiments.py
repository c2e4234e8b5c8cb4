"""Reproduced experiments as tables: published and measured numbers side by side, figures, claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..experiments.base import Experiment, Reproduction, Row
from .tables import Column, Grouped, Table, View, or_dash

#: A number with the decimals it is shown with.
Shown = tuple[float | None, int]


def tables(results: Sequence[Grouped[Reproduction]], part: str | None = None) -> list[Table]:
    """The numbers, one table for every figure that was measured along an axis, and the claims."""
    return [table for each in results for table in _reproduction(each.result)]


def flat(results: Sequence[Grouped[Reproduction]], part: str | None = None) -> list[Table]:
    """Every number in a row of its own."""
    return [_flat(each.result) for each in results]


def _listed(results: Sequence[Grouped[Experiment]], part: str | None = None) -> list[Table]:
    """What can be reproduced."""
    columns = [
        Column(name, align="left", if_long="wrap")
        for name in ("experiment", "what it shows", "where", "published judgments")
    ]
    rows = [[e.result.id, e.result.title, e.result.reference, or_dash(_folders(e.result))] for e in results]
    rules = frozenset(i for i in range(1, len(rows)) if rows[i][0].split("-")[0] != rows[i - 1][0].split("-")[0])
    notes = ["Without the published judgments (--data), simulated campaigns of the same shape take their place."]
    return [Table(columns, rows, rules=rules, notes=notes)]


def _experiment_dict(experiment: Experiment) -> dict[str, Any]:
    """The documented JSON shape."""
    return {name: getattr(experiment, name) for name in ("id", "title", "reference", "files", "settings", "quick")}


VIEW = View(tables, flat)
EXPERIMENTS = View(_listed, to_dict=_experiment_dict)


def _reproduction(reproduction: Reproduction) -> list[Table]:
    single = [row for row in reproduction.rows if not row.at]
    figures: dict[str, list[Row]] = {}
    for row in reproduction.rows:
        if row.at:
            figures.setdefault(row.group, []).append(row)
    first, *more = [
        *([_side_by_side(single)] if single else []),
        *[_along_axis(rows, group) for group, rows in figures.items()],
    ]
    heading = f"{reproduction.id}: {reproduction.title}. {reproduction.reference}"
    title = f"{heading}: {first.title}" if first.title else heading
    return [replace(first, title=title), *more, _claims(reproduction)]


def _flat(reproduction: Reproduction) -> Table:
    names = ("experiment", "group", "label", "at", "published", "measured", "error", "difference", "n", "note")
    rows = [
        [reproduction.id, r.group, r.label, r.at, r.published, r.measured, r.error, r.difference, r.n, r.note]
        for r in reproduction.rows
    ]
    return Table([Column(name) for name in names], rows, signature=reproduction.signature, notes=_notes(reproduction))


def _folders(experiment: Experiment) -> str:
    return " ".join(dict.fromkeys(name.split("/")[0] for name in experiment.files))


def _side_by_side(rows: list[Row]) -> Table:
    columns = [
        Column("part", align="left", if_long="wrap"), Column("what", align="left", if_long="wrap"),
        Column("published", _number), Column("measured", _number), Column("±", _number),
        Column("difference", _signed), Column("n", lambda v: "" if v is None else f"{v:,}"),
    ]  # fmt: skip
    noted = any(row.note for row in rows)
    cells: list[list[Any]] = []
    for number, row in enumerate(rows):
        new = number == 0 or rows[number - 1].group != row.group
        values = [(value, row.digits) for value in (row.published, row.measured, row.error, row.difference)]
        cells.append([row.group if new else "", row.label, *values, row.n, *([row.note] if noted else [])])
    rules = frozenset(i for i in range(1, len(rows)) if rows[i].group != rows[i - 1].group)
    columns += [Column("note", align="left", if_long="wrap")] if noted else []
    return Table(columns, cells, rules=rules, keys=(0, 1))


def _along_axis(rows: list[Row], group: str) -> Table:
    """Measured numbers of a figure: one row a curve, one column a place on the axis."""
    places = list(dict.fromkeys(row.at for row in rows))
    labels = list(dict.fromkeys(row.label for row in rows))
    by_place = {(row.label, row.at): row for row in rows}
    cells = [[label, *[_cell(by_place.get((label, at))) for at in places]] for label in labels]
    errors = [row.error for row in rows if row.error is not None]
    most = f"; ± at most {max(errors):.{rows[0].digits}f}" if errors else ""
    sizes = sorted({row.n for row in rows if row.n is not None})
    n = f", n = {', '.join(f'{size:,}' for size in sizes)}" if sizes else ""
    return Table([Column("", align="left"), *[Column(at, _number) for at in places]], cells, f"{group}{n}{most}")


def _claims(reproduction: Reproduction) -> Table:
    columns = [Column(name, align="left", if_long="wrap") for name in ("holds", "claim", "here")]
    rows = [["yes" if check.holds else "no", check.claim, check.evidence] for check in reproduction.checks]
    return Table(columns, rows, None, frozenset(), reproduction.signature, _notes(reproduction))


def _notes(reproduction: Reproduction) -> list[str]:
    apart = reproduction.mean_absolute_difference
    summary = [] if apart is None else [
        f"{len(reproduction.compared)} numbers have a published one beside them; mean absolute difference {apart:.4f} "
        "(of those with as many decimals as the first)."
    ]  # fmt: skip
    notes = list(reproduction.notes)
    if reproduction.quick:
        notes.append("quick variant: fewer trials and judgments than the experiment; see the settings.")
    return [*summary, *[f"note: {note}" for note in notes]]


def _cell(row: Row | None) -> Shown:
    return (None, 0) if row is None else (row.measured, row.digits)


def _number(value: Shown) -> str:
    number, digits = value
    return "–" if number is None else f"{number:,.{digits}f}".replace("-", "−")


def _signed(value: Shown) -> str:
    number, digits = value
    return "–" if number is None else f"{number:+,.{digits}f}".replace("-", "−")
