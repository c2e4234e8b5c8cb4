"""What changed between two rankings, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..analysis.diff import Changes, SystemChange
from .tables import Column, Grouped, Table, View, chance_text, interval_text, level_text, range_text, score_text

#: So many pairs are named; the JSON has them all.
_NAMED = 6


def tables(results: Sequence[Grouped[Changes]], part: str | None = None) -> list[Table]:
    """One row per system: rank, range and score, before and after; below it, in words, what else changed."""
    return [_changes(each.result, each.title) for each in results]


def flat(results: Sequence[Grouped[Changes]], part: str | None = None) -> list[Table]:
    """One row per system, with the group in front."""
    return [_flat(each) for each in results]


VIEW = View(tables, flat, grouped=True)


def _changes(changes: Changes, title: str | None) -> Table:
    interval = f"{level_text(changes.record.facts['p'])} interval"
    columns = [Column("rank"), Column("range")]
    if scored := any(c.change is not None for c in changes.systems):
        columns += [
            Column("change", _signed),
            Column(interval, lambda span: interval_text(span) or "–"),
            Column("p", chance_text),
        ]
    columns += [Column("verdict", align="left"), Column("system", align="left")]
    rows: list[list[Any]] = [
        [
            _from_to(c.old_rank, c.new_rank),
            _from_to(range_text(c.old_range), range_text(c.new_range)),
            *([c.change, c.interval, c.p] if scored else []),
            c.verdict,
            c.system,
        ]
        for c in changes.systems
    ]
    by_name = (len(columns) - 1,)
    return Table(columns, rows, title, frozenset(), changes.signature, _sentences(changes), keys=by_name)


def _flat(each: Grouped[Changes]) -> Table:
    changes = each.result
    rows = [{**dict(each.group), **_fields(change)} for change in changes.systems]
    return Table(
        [Column(name) for name in rows[0]], [list(row.values()) for row in rows], signature=changes.signature,
        notes=_sentences(changes),
    )  # fmt: skip


def _fields(change: SystemChange) -> dict[str, Any]:
    """The fields of a change, with a column for each end of a span."""
    flat: dict[str, Any] = {}
    ends = {"old_range": ("old_first", "old_last"), "new_range": ("new_first", "new_last"), "interval": ("low", "high")}
    for name, value in asdict(change).items():
        flat.update(zip(ends[name], value or (None, None), strict=True) if name in ends else {name: value}.items())
    return flat


def _sentences(changes: Changes) -> list[str]:
    old, new = changes.judgments
    lines = [_summary(changes), *_order(changes), f"judgments: {old:,} → {new:,}"]
    lines += [f"{name}: {was or 'none'} → {now or 'none'}" for name, (was, now) in changes.settings.items()]
    lines += [
        f"reversed: {r.above} stood above {r.below} (P = {r.old:.3f}), now stands below (P = {1 - r.new:.3f})"
        for r in changes.reversals[:_NAMED]
    ]
    if (more := len(changes.reversals) - _NAMED) > 0:
        lines.append(f"reversed: and {more} more pair{'s' * (more > 1)}")
    reversed_pairs = {(r.below, r.above) for r in changes.reversals}
    clusters = "different clusters" + ", of which all boundaries hold jointly" * (changes.clusters == "joint")
    if turned := [pair for pair in changes.turned if pair not in reversed_pairs]:
        lines.append(f"told apart the other way round ({clusters}): {_pairs(turned, ' above ')}")
    if changes.told_apart:
        lines.append(f"newly told apart ({clusters}): {_pairs(changes.told_apart, ' above ')}")
    if changes.merged:
        lines.append(f"no longer told apart: {_pairs(changes.merged, ' and ')}")
    return [*lines, *[f"note: {note}" for note in changes.notes]]


def _summary(changes: Changes) -> str:
    compared = [c for c in changes.systems if c.change is not None]
    if not compared:
        return "scores were not compared"
    moved = [f"{c.system} {c.verdict}" for c in changes.real]
    what = "; ".join(moved) if moved else "no score changed by more than chance explains"
    return f"{what} ({len(compared)} systems compared, p corrected for that)"


def _order(changes: Changes) -> list[str]:
    if changes.kendall_tau is None:
        return []
    return [f"Kendall's τ between the two orders: {score_text(changes.kendall_tau)} over {changes.common} systems"]


def _pairs(pairs: Sequence[tuple[str, str]], word: str) -> str:
    named = "; ".join(word.join(pair) for pair in pairs[:_NAMED])
    more = len(pairs) - _NAMED
    return named + (f"; and {more} more pair{'s' * (more > 1)}" if more > 0 else "")


def _from_to(old: Any, new: Any) -> str:
    if not (old or new):
        return ""
    return str(new) if old == new else f"{old or '–'} → {new or '–'}"


def _signed(value: float | None) -> str:
    if value is None:
        return "–"
    return ("+" if round(value, 3) > 0 else "") + score_text(value)
