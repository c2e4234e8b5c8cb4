"""Segments, as tables: the most and the least telling ones, whether choosing them beats chance, and difficulties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ..analysis.segments import Check, Difficulties, DifficultyLine, SegmentLine, Segments
from .tables import (
    Column,
    Grouped,
    Table,
    View,
    front,
    interval_text,
    level_text,
    score_text,
    share_text,
)


def tables(results: Sequence[Grouped[Segments]], part: str | None = None) -> list[Table]:
    """The most telling segments of every group, a line, and the least telling; below, the check of a choice."""
    return [table for each in results for table in _of(each)]


def flat(results: Sequence[Grouped[Segments]], part: str | None = None) -> list[Table]:
    """One row per segment, most telling first."""
    return [_flat(each) for each in results]


VIEW = View(tables, flat, grouped=True)


def difficulty_tables(results: Sequence[Grouped[Difficulties]], part: str | None = None) -> list[Table]:
    """The segments that tell most about the systems by their judgments against the baseline, a line, and the least."""
    return [_difficulties(each) for each in results]


def flat_difficulties(results: Sequence[Grouped[Difficulties]], part: str | None = None) -> list[Table]:
    """One row per segment, most telling first."""
    return [_flat_difficulties(each) for each in results]


BASELINE = View(difficulty_tables, flat_difficulties, grouped=True)


def _of(each: Grouped[Segments]) -> list[Table]:
    result = each.result
    checked = result.choice is not None and bool(result.choice.checks)
    return [_segments(each, last=not checked), *([_checks(each)] if checked else [])]


def _segments(each: Grouped[Segments], *, last: bool) -> Table:
    result, top = each.result, each.result.top
    lines = result.lines
    whole = len(lines) <= 2 * top
    shown = lines if whole else (*lines[:top], *lines[-top:])
    columns = [
        Column("segment", align="left"), Column("judgments", _count), Column("judges", _count),
        Column("ties", share_text), Column("agree", share_text), Column("expected", share_text),
        Column("slope", _two), Column(f"{level_text(result.p)} interval", interval_text, "left"),
        Column("information", _two),
    ]  # fmt: skip
    rows = [
        [line.segment, line.judgments, line.judges, line.ties, line.agreement, line.expected, line.slope, line.interval,
         line.information]
        for line in shown
    ]  # fmt: skip
    rules = frozenset() if whole else frozenset({top})
    title = each.title or result.lang_pair
    return Table(columns, rows, title, rules, result.signature if last else None, _notes(result, whole, last=last))


def _checks(each: Grouped[Segments]) -> Table:
    """One row per kind of held-out judgments."""
    result = each.result
    choice = result.choice
    assert choice is not None  # or there would be no check
    level = level_text(result.p)
    columns = [
        Column("chosen by one half, tested on", align="left"), Column("slope", _two),
        Column(f"{level} interval", interval_text, "left"), Column("agree beyond expected", _signed),
        Column(f"{level} interval", interval_text, "left"), Column("τ", _three), Column("τ of random", _three),
        Column("choosing is", align="left"),
    ]  # fmt: skip
    rows = [_check_cells(check) for check in choice.checks]
    head = f"{len(choice.segments):,} of {len(result.lines):,} segments chosen"
    name = each.title or result.lang_pair
    notes = [
        f"The chosen segments have {100 * choice.kept:.1f} % of the expected information, as many random ones "
        f"{100 * choice.share:.1f} %; JSON and CSV name them.",
        f"slope: of the chosen segments relative to all, over {choice.splits} splits; 1 is no better than chance. "
        "agree beyond expected: more decided judgments in the order of the scores than expected, less the same of all "
        "segments. τ: rank correlation with the scores of all, from the chosen segments and from random ones with "
        "about as many judgments.",
        "Other judges see the same outputs, which may follow the order by chance; only the row on other systems says "
        "what the choice would do for systems to come.",
        *[f"note: {note}" for note in result.notes],
    ]
    return Table(columns, rows, f"{name}: {head}" if name else head, frozenset(), result.signature, notes)


def _check_cells(check: Check) -> list[Any]:
    slope, agreement = check.slope, check.agreement
    return [
        check.kind, slope and slope.value, slope and slope.interval, agreement and agreement.value,
        agreement and agreement.interval, check.correlation, check.random, check.verdict,
    ]  # fmt: skip


def _flat(each: Grouped[Segments]) -> Table:
    result, before = each.result, front(each)
    chosen = frozenset(result.choice.segments) if result.choice is not None else None
    names = [*before, "segment", "judgments", "judges", "ties", "agreement", "expected", "slope", "slope_low",
             "slope_high", "information", "against", *([] if chosen is None else ["chosen"])]  # fmt: skip
    rows = [
        [*before.values(), *_flat_cells(line), *([] if chosen is None else [line.segment in chosen])]
        for line in result.lines
    ]
    notes = [f"note: {note}" for note in result.notes]
    return Table([Column(name) for name in names], rows, signature=result.signature, notes=notes)


def _flat_cells(line: SegmentLine) -> list[Any]:
    return [
        line.segment, line.judgments, line.judges, line.ties, line.agreement, line.expected, line.slope, *line.interval,
        line.information, line.against,
    ]  # fmt: skip


def _notes(result: Segments, whole: bool, *, last: bool) -> list[str]:
    low, high = result.spread_interval
    shown = (
        "" if whole else f"The {result.top} most and the {result.top} least telling of {len(result.lines):,} segments. "
    )
    if last and result.choice is not None:
        named = f"{len(result.choice.segments):,} segments are chosen; JSON and CSV name them. "
        shown = f"{shown}{named}Whether that beats chance was not checked (--splits). "
    said = [
        f"{shown}slope: how much further apart systems are than on the typical segment. agree: decided judgments in "
        "the order of the scores; expected: of these judgments on the average segment. information: expected of a "
        "judgment, 1 on average.",
        f"Spread of log slopes {score_text(result.spread)} {interval_text((low, high))}, of which "
        f"{share_text(result.reliability)} is known (reliability); single outputs depart from their system by "
        f"{score_text(result.outputs)}.",
    ]
    return [*said, *[f"note: {note}" for note in result.notes]] if last else said


# -- against a baseline ------------------------------------------------------------------------------------


def _difficulties(each: Grouped[Difficulties]) -> Table:
    result, top = each.result, each.result.top
    lines = result.lines
    whole = len(lines) <= 2 * top
    columns = [
        Column("segment", align="left"), Column("judgments", _count), Column("judges", _count),
        Column("wins", share_text), Column("ties", share_text), Column("losses", share_text),
        Column("not losing", score_text), Column("±", _error), Column("winning", score_text), Column("±", _error),
        Column("peak", score_text), Column("information", _three),
    ]  # fmt: skip
    rows = [
        [line.segment, line.judgments, line.judges, line.wins, line.ties, line.losses, line.not_losing,
         line.not_losing_error, line.winning, line.winning_error, line.peak, line.information]
        for line in (lines if whole else (*lines[:top], *lines[-top:]))
    ]  # fmt: skip
    shown = "" if whole else f"The {top} most and the {top} least telling of {len(lines):,} segments. "
    ends = list(result.places.items())
    notes = [
        f"{shown}wins, ties, losses: of systems against {result.baseline}. not losing, winning: the place θ at which a "
        "system does so half of the time (b1, b2), ± standard error. peak: the θ that the segment tells most about. "
        "information: expected of a judgment, mean over the systems.",
        f"Places of systems: {ends[0][0]} {score_text(ends[0][1])} to {ends[-1][0]} {score_text(ends[-1][1])}; "
        f"{result.baseline} {score_text(result.place)}.",
        *[f"note: {note}" for note in result.notes],
    ]
    title = each.title or result.lang_pair
    rules: frozenset[int] = frozenset() if whole else frozenset({top})
    return Table(columns, rows, title, rules, result.signature, notes)


def _flat_difficulties(each: Grouped[Difficulties]) -> Table:
    result, before = each.result, front(each)
    own = [field.name for field in fields(DifficultyLine)]
    rows = [[*before.values(), result.baseline, *(getattr(line, name) for name in own)] for line in result.lines]
    columns = [Column(name) for name in (*before, "baseline", *own)]
    return Table(columns, rows, signature=result.signature, notes=[f"note: {note}" for note in result.notes])


def _error(value: float) -> str:
    return f"{value:.2f}"


def _count(value: int) -> str:
    return f"{value:,}"


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _three(value: float | None) -> str:
    return "–" if value is None else score_text(value)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}".replace("-", "−")
