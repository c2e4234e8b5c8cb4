"""What is known of every judge, as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..analysis.judges import JudgeLine, Judges
from ..errors import InputError
from . import diff
from .tables import Column, Grouped, Table, View, front, level_text, or_dash

_LEGEND = (
    "sensitivity: 1 is usual, 0 unrelated to the systems, below 0 against the others. agrees: share of decided "
    "judgments that go with the others' order; usual: what an ordinary judge would reach on the same comparisons."
)
_FIRST = "first: how often the output shown first would win, of two equal ones that are not tied."
_QUESTIONS = "A flag is a question to you, not a verdict on a person:"
_CHANGES = "Ranking of people's judgments, with everybody → without flagged judges"


def tables(results: Sequence[Grouped[Judges]], part: str | None = None) -> list[Table]:
    """One row per judge; below it the questions, and what a ranking without flagged judges changes if asked for."""
    if part == "changes":
        return [diff.tables([each])[0] for each in _changes(results)]
    found = []
    for each in results:
        found.append(_people(each))
        if (changes := each.result.changes) is not None:
            title = f"{each.title}: {_CHANGES}" if each.title else _CHANGES
            found += [replace(table, title=title) for table in diff.tables([Grouped(changes, each.group)])]
    return found


def flat(results: Sequence[Grouped[Judges]], part: str | None = None) -> list[Table]:
    """One row per judge, flags divided by semicolons; ``changes``: one row per system of the two rankings."""
    return diff.flat(_changes(results)) if part == "changes" else [_flat(each) for each in results]


VIEW = View(tables, flat, grouped=True, parts=("changes",))


def _changes(results: Sequence[Grouped[Judges]]) -> list[Grouped[Any]]:
    kept = [Grouped(each.result.changes, each.group) for each in results if each.result.changes is not None]
    if not kept:
        raise InputError(
            "there are no changes to show: nobody was left out; ask for it with exclude_flagged=True "
            "(--exclude-flagged)"
        )
    return kept


def _people(each: Grouped[Judges]) -> Table:
    judges, lines = each.result, each.result.lines
    programs, timed = any(line.program for line in lines), any(line.seconds is not None for line in lines)
    placed, kappas = any(line.first is not None for line in lines), any(line.kappa is not None for line in lines)
    level = f"{level_text(judges.p)} interval"
    columns: list[tuple[bool, Column, Callable[[JudgeLine], Any]]] = [
        (True, Column("judge", align="left"), lambda line: line.judge),
        (programs, Column("kind", align="left"), lambda line: "program" if line.program else "person"),
        (True, Column("judgments", _count), lambda line: line.judgments),
        (judges.answer != "judgment", Column(f"{judges.answer}s", _count), lambda line: line.answers),
        (timed, Column("time", _seconds), lambda line: line.seconds),
        (True, Column("ties", _percent), lambda line: line.ties),
        (True, Column("tie width", _number), lambda line: line.tie_width),
        (True, Column("sensitivity", _number), lambda line: line.sensitivity),
        (True, Column(level, _interval, "left", "whole"), lambda line: line.sensitivity_interval),
        (True, Column("agrees", _percent), lambda line: line.agreement),
        (True, Column("usual", _percent), lambda line: line.expected),
        (kappas, Column("kappa", _number), lambda line: line.kappa.kappa if line.kappa else None),
        (placed, Column("first", _percent), lambda line: line.first),
        (True, Column("ask about", or_dash, "left"), lambda line: ", ".join(flag.name for flag in line.flags)),
    ]
    shown = [(column, cell) for wanted, column, cell in columns if wanted]
    rows = [[cell(line) for _, cell in shown] for line in lines]
    starts = {next((i for i, line in enumerate(lines) if not line.flagged), 0)}
    starts |= {next((i for i, line in enumerate(lines) if line.program), 0)}
    notes = [_LEGEND, *([_FIRST] if placed else []), *_questions(judges), *_notes(judges)]
    rules = frozenset(starts - {0})
    return Table([column for column, _ in shown], rows, each.title, rules, judges.signature, notes)


def _questions(judges: Judges) -> list[str]:
    asked = [f"{line.judge}: {flag}" for line in judges.flagged for flag in line.flags]
    return [_QUESTIONS, *asked] if asked else ["Nobody stands out."]


def _notes(judges: Judges) -> list[str]:
    return [f"note: {note}" for note in judges.notes]


_NAMES = (
    "judge", "program", "judgments", "answers", "ties", "seconds", "sensitivity", "sensitivity_low", "sensitivity_high",
    "tie_width", "tie_width_low", "tie_width_high", "decided", "agreement", "expected", "kappa", "kappa_low",
    "kappa_high", "kappa_pairs", "first", "first_low", "first_high", "random", "enough", "shared", "flags",
)  # fmt: skip


def _flat(each: Grouped[Judges]) -> Table:
    group = front(each)
    rows = [[*group.values(), *_cells(line)] for line in each.result.lines]
    notes = [*_questions(each.result), *_notes(each.result)]
    return Table([Column(name) for name in (*group, *_NAMES)], rows, notes=notes, signature=each.result.signature)


def _cells(line: JudgeLine) -> list[Any]:
    kappa, ends = line.kappa, (None, None)
    return [
        line.judge, line.program, line.judgments, line.answers, line.ties, line.seconds,
        line.sensitivity, *(line.sensitivity_interval or ends), line.tie_width, *(line.tie_width_interval or ends),
        line.decided, line.agreement, line.expected,
        *((kappa.kappa, *(kappa.interval or ends), kappa.pairs) if kappa else (None, *ends, 0)),
        line.first, *(line.first_interval or ends), line.random, line.enough, line.shared,
        ";".join(flag.name for flag in line.flags),
    ]  # fmt: skip


def _count(value: int) -> str:
    return f"{value:,}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _interval(span: tuple[float, float] | None) -> str:
    return "–" if span is None else f"[{_number(span[0])}, {_number(span[1])}]"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _seconds(value: float | None) -> str:
    from ..analysis.judges.flags import seconds_text

    return "–" if value is None else seconds_text(value)
