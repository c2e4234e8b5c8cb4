"""Scores of other tasks (`palmares score … --format json`), as tables of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ...scoring.comparison import JOINT_WINNER, WINNER
from ..scores import number_text
from ..tables import Column, Table

#: What a task is called in a report, by the command that scored it.
TASKS = {
    "score translation": "Automatic scores of the translations",
    "score quality-estimation sentences": "Quality estimation: sentences",
    "score quality-estimation words": "Quality estimation: words",
    "score quality-estimation hter": "Post-edits (HTER)",
    "score retrieval": "Retrieval with translated queries",
}
_EXPECTED = "give what `palmares score … --format json` printed"


@dataclass(frozen=True)
class ScoreTable:
    """One result of another task: its title, its table, and the whole as it was read."""

    title: str
    table: Table
    entry: Mapping[str, Any]


def score_tables(results: Sequence[Mapping[str, Any]], path: str) -> list[ScoreTable]:
    """The results of one file, checked; it says what is wrong with one that is none."""
    return [_score_table(entry, path) for entry in results]


def _score_table(entry: Mapping[str, Any], path: str) -> ScoreTable:
    command = (entry.get("record") or {}).get("command") or {}
    name = str(command.get("name", ""))
    if name not in TASKS:
        raise InputError(f"{path}: was printed by {f'`palmares {name}`' if name else 'no command'}; {_EXPECTED}")
    try:
        table = _table(entry)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{path}: is damaged ({type(error).__name__}: {error}); {_EXPECTED}") from None
    pair = entry.get("lang_pair")
    return ScoreTable(f"{TASKS[name]}, {pair}" if pair else TASKS[name], table, entry)


def _table(entry: Mapping[str, Any]) -> Table:
    """One row per system, best first by the first measure; a column for each measure."""
    measures = entry["measures"]
    first = measures[0]
    columns = [Column("system", align="left"), *[Column(_label(each)) for each in measures]]
    order = sorted(first["systems"], key=lambda name: _place(first, name))
    rows = [[name, *[_cell(each, name) for each in measures]] for name in order]
    notes = [*_legend(measures), *[f"note: {note}" for note in entry.get("notes", ())]]
    return Table(columns, rows, notes=notes, signature=str(entry["signature"]))


def _label(measure: Mapping[str, Any]) -> str:
    return f"{measure['measure']} ({measure['group']})" if measure.get("group") else str(measure["measure"])


def _place(measure: Mapping[str, Any], name: str) -> tuple[bool, float]:
    value = measure["systems"][name]["value"]
    return (value is None, 0.0 if value is None else -value if measure["higher_is_better"] else value)


def _cell(measure: Mapping[str, Any], name: str) -> str:
    known = measure["systems"].get(name)
    if known is None or known["value"] is None:
        return "–"
    largest = max(abs(each["value"]) for each in measure["systems"].values() if each["value"] is not None)
    digits = 2 if largest >= 2 else 4
    mark = f"{WINNER} " if known["winner"] else f"{JOINT_WINNER} " if known["joint_winner"] else ""
    # Without a test, who has the highest value is marked in JSON, but nothing is known of how sure that is.
    mark = mark if _tested(measure) else ""
    span = known["interval"]
    half = f" ±{number_text((span[1] - span[0]) / 2, digits)}" if span else ""
    return f"{mark}{number_text(known['value'], digits)}{half}"


def _tested(measure: Mapping[str, Any]) -> bool:
    """Whether systems were compared: there are several, and a bootstrap or another test."""
    return bool(measure["pairs"])


def _legend(measures: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if lower := [_label(each) for each in measures if not each["higher_is_better"]]:
        yield f"Lower is better: {', '.join(lower)}."
    lines = [line for each in measures for line in each["systems"].values()]
    if any(line["interval"] for line in lines):
        yield "±: half of the bootstrap interval."
    lines = [line for each in measures if _tested(each) for line in each["systems"].values()]
    if any(line["winner"] for line in lines):
        yield f"{WINNER} not significantly worse than the best, compared by itself."
    if any(line["joint_winner"] and not line["winner"] for line in lines):
        yield f"{JOINT_WINNER} significantly worse by itself, but not if all pairs of systems are to hold at once."
