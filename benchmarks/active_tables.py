"""Tables of the study of active choice, from what is kept of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .active_cells import FULL, Cell, honesty, replay, saving, stricter
from .active_measures import Share, share, stacked, wilson
from .active_race import EVERY, geometric
from .active_runs import lines
from .active_world import JUDGE_EFFECT, JUDGES, SEGMENT_EFFECT, SEGMENTS, SYSTEMS, Floats
from .common import report

Curve = tuple[Floats, Floats]
NAMES = {"package": "", "own": ", written apart"}


def write(store: Path, keep: bool) -> None:
    """All tables for which there are runs."""
    write_saving(store, keep)
    write_replay(store, keep)
    write_stopping(store, keep)
    write_honesty(store, keep)


def flat(text: str) -> str:
    return " ".join(text.split())


def curve(store: Path, cell: Cell, rule: str) -> Curve | None:
    """Looks, and clusters (runs, looks) by a rule; runs are numbered from 0 without gaps."""
    kept = lines(cell, store)
    if len(kept) < 10 or rule not in kept[0]["clusters"]:
        return None
    numbers = [line["run"] for line in kept]
    assert numbers == list(range(len(numbers))), cell.name
    clusters = stacked([line["clusters"][rule] for line in kept])
    return np.array(kept[0]["looks"][: clusters.shape[1]], dtype=np.float64), clusters


def up_to(full: Curve, judgments: int) -> Curve:
    looks, clusters = full
    return looks[looks <= judgments], clusters[:, looks <= judgments]


def reference(store: Path, cells: Sequence[Cell], size: int, rule: str) -> Curve | None:
    [cell] = [c for c in cells if c.size == size and c.strategy == "uniform"]
    found = curve(store, cell, rule)
    return None if found is None else up_to(found, FULL)


def write_saving(store: Path, keep: bool) -> None:
    cells, rows = saving(0), []
    for cell in cells:
        if cell.strategy != "uniform":
            rows += saving_rows(store, cells, cell)
    report(
        "active-saving",
        "Share of uniform's judgments at uniform's 60 % point, Koehn's campaigns",
        ["systems on a screen", "strategy", "open by", "runs", "usual ranges", "valid rule",
         f"against an end known to be {FULL:,}", "known to be 20,000", "against one planned look"],
        rows,
        [
            flat(f"""15 systems, qualities uniform on [0, 10], sd 10, 11 % ties among equals. At {FULL:,} judgments
                uniform has {"; ".join(levels(store, cells))}. Shares are of the judgments at which uniform's mean
                reaches 60 % of that, with 95 % intervals over 2000 resamples of runs (same systems for all strategies).
                The first column of shares has the usual ranges on both sides; the second the valid rule on both sides;
                the others have the valid rule against uniform with Wang and Tsiatis's bounds (∆ = ¼) for a known end
                and looks every {EVERY} judgments, and against uniform looked at once, as planned.""")
        ],
        keep=keep,
    )  # fmt: skip


def levels(store: Path, cells: Sequence[Cell]) -> list[str]:
    words = []
    for size in (2, 5):
        for rule, name in (("usual", "by the usual ranges"), ("any", "by the valid rule")):
            found = reference(store, cells, size, rule)
            if found is not None:
                wanted = 0.6 * found[1][:, -1].mean()
                words.append(f"{screens(size)}: {found[1][:, -1].mean():.2f} clusters {name} (60 %: {wanted:.2f})")
    return words


def screens(size: int) -> str:
    return {2: "pairs", 5: "five-way"}[size]


def saving_rows(store: Path, cells: Sequence[Cell], cell: Cell) -> list[list[object]]:
    """The row of a cell, if it has runs."""
    valid = reference(store, cells, cell.size, "any")
    kept = curve(store, cell, cell.rule)
    if valid is None or kept is None:
        return []
    # A strategy that asks nothing of claims is the same under both rules.
    rules = [cell.rule] if cell.strategy == "open-boundaries" else ["usual", "any"]
    cellwise: dict[str, object] = dict.fromkeys(("usual", "any", "horizon", "early", "once"), "")
    for rule in rules:
        own, ref = curve(store, cell, rule), reference(store, cells, cell.size, rule)
        if own is not None and ref is not None:
            cellwise[rule] = shown(share(own, ref))
    if "any" in rules:
        against = {rule: reference(store, cells, cell.size, rule) for rule in ("horizon", "once")}
        against["early"] = _early(store, cell)
        for rule, ref in against.items():
            if ref is not None:
                cellwise[rule] = shown(share(kept, ref, valid[1][:, -1]))
    label = cell.strategy + NAMES[cell.code]
    open_by = {"any": "valid rule", "usual": "usual ranges"}[cell.rule] if cell.strategy == "open-boundaries" else ""
    return [[screens(cell.size), label, open_by, min(len(kept[1]), len(valid[1])), *cellwise.values()]]


def _early(store: Path, cell: Cell) -> Curve | None:
    """Uniform with an end that is known and near where it comes to the target."""
    end = 20_000
    found = [c for c in stricter(0) if c.size == cell.size and cell.world == "koehn"]
    whole = curve(store, found[0], f"horizon-{end}") if found else None
    return None if whole is None else up_to(whole, end)


def shown(found: Share) -> str:
    """Two digits with the interval; ≥ where the strategy never came so far."""
    if np.isnan(found.share):
        return "not reached"
    high = "…" if np.isinf(found.high) else f"{found.high:.2f}"
    return f"{found.share:.2f} [{found.low:.2f}, {high}]"


def write_replay(store: Path, keep: bool) -> None:
    cells, rows = replay(0), []
    for cell in cells:
        if cell.strategy != "uniform":
            rows += saving_rows(store, cells, cell)
    report(
        "active-replay",
        "Share of uniform's judgments, real judgments of WMT13 French–English asked for in another order",
        ["systems on a screen", "strategy", "open by", "runs", "usual ranges", "valid rule",
         f"against an end known to be {FULL:,}", "known to be 20,000", "against one planned look"],
        rows,
        [
            flat(f"""13 systems; at {FULL:,} judgments uniform has {"; ".join(levels(store, cells))}. Pairs: the answer
                is one of the 439–1,827 real judgments of the two systems, drawn with replacement. Five-way: an unused
                real ranking of the chosen systems or, if there is none, of as many of them as any has; covariance by
                ranking. One campaign, so intervals are of chance in choosing and drawing alone.""")
        ],
        keep=keep,
    )  # fmt: skip


#: Mean numbers of clusters that a stopping rule might ask for.
TARGETS = (2, 3, 4, 5)


def write_stopping(store: Path, keep: bool) -> None:
    cells, rows = saving(0), []
    for size in (2, 5):
        by_name = {(c.strategy, c.code): c for c in cells if c.size == size and c.rule == "any"}
        uniform = by_name["uniform", "own"]
        naive, valid = curve(store, uniform, "usual"), curve(store, uniform, "any")
        if naive is None or valid is None:
            continue
        for target in TARGETS:
            row: list[object] = [screens(size), target, stops(naive, target), stops(valid, target)]
            row.append(shown(share(valid, naive, fixed=target)))
            for code in ("package", "own"):
                active = curve(store, by_name["open-boundaries", code], "any")
                if active is None:
                    row += [""] * 3
                    continue
                row += [stops(active, target), shown(share(active, naive, fixed=target))]
                row.append(shown(share(active, valid, fixed=target)))
            rows.append(row)
    report(
        "active-stopping",
        "Where campaigns stop, and what a rule costs that is valid at every look",
        ["systems on a screen", "clusters", "uniform, usual ranges", "uniform, valid rule", "factor",
         "open-boundaries, valid rule", "factor", "share", "the same, written apart", "factor", "share"],
        rows,
        [
            flat(f"""Koehn's campaigns. Judgments at the first look at which a campaign has so many clusters: median,
                and the share of campaigns that came so far (uniform: within {2 * FULL:,}; the others within what they
                were followed for). Factor: judgments at which the *mean* number of clusters reaches the target, over
                those of uniform looked at with the usual ranges, which have no right to stop there. Share: over those
                of uniform with the valid rule.""")
        ],
        keep=keep,
    )  # fmt: skip


def stops(found: Curve, target: int) -> str:
    """Median judgments until a campaign has so many clusters, and how many campaigns had within what was run."""
    looks, clusters = found
    reached = clusters >= target
    came = reached.any(axis=1)
    first = np.where(came, looks[reached.argmax(axis=1)], np.inf)
    middle = np.median(first)
    words = f"> {looks[-1]:,.0f}" if np.isinf(middle) else f"{middle:,.0f}"
    return f"{words} ({100 * came.mean():.0f} %)"


def write_honesty(store: Path, keep: bool) -> None:
    """One table of all cells, and one pooled over the kinds of systems."""
    kept = {cell: lines(cell, store) for cell in honesty(0)}
    kept = {cell: runs for cell, runs in kept.items() if len(runs) >= 10}
    entries = [(cell, rule) for cell in kept for rule in ("usual", "any") if rule in kept[cell][0]["wrong"]]
    head = [
        "effects", "on a screen", "strategy", "open by", "judged by", "runs", "false split, ever %", "95 %",
        "false split, last look %", "ranks missed, ever %", "ranks missed, last look %", "clusters",
    ]  # fmt: skip
    notes = [_honesty_note()]
    rows = [[cell.world, *_key(cell, rule), *_errors(kept[cell], rule)] for cell, rule in entries]
    title = "Boundaries between equals, and ranks missed"
    report("active-honesty-cells", title, ["systems", *head], rows, notes, keep=keep)
    pooled: dict[tuple[str, ...], list[tuple[str, list[dict[str, Any]]]]] = {}
    for cell, rule in entries:
        pooled.setdefault((*_key(cell, rule), rule), []).append((cell.world, kept[cell]))
    rows = []
    for (*key, rule), groups in sorted(pooled.items(), key=lambda entry: entry[0]):
        share, world = max((np.mean([line["wrong"][rule] for line in runs]), world) for world, runs in groups)
        worst = f"{100 * share:.1f} ({world})" if share > 0 else "0"
        rows.append([*key, *_errors([line for _, runs in groups for line in runs], rule), worst])
    title = "Boundaries between equals, and ranks missed: four kinds of systems together"
    report("active-honesty", title, [*head, "worst kind of systems, %"], rows, notes, keep=keep)


def _key(cell: Cell, rule: str) -> tuple[str, ...]:
    open_by = {"any": "valid rule", "usual": "usual ranges"}[cell.rule] if cell.strategy != "uniform" else ""
    judged_by = {"usual": "usual ranges", "any": "valid rule"}[rule]
    return ("yes" if cell.effects else "no", screens(cell.size), cell.strategy, open_by, judged_by)


def _errors(kept: Sequence[dict[str, Any]], rule: str) -> list[object]:
    """Runs, and what was wrong in them, in per cent."""
    runs, ever = len(kept), sum(line["wrong"][rule] for line in kept)
    low, high = wilson(ever, runs)
    return [
        runs,
        f"{100 * ever / runs:.1f}",
        f"{100 * low:.1f}–{100 * high:.1f}",
        f"{100 * np.mean([line['wrong_last'][rule] for line in kept]):.1f}",
        f"{100 * np.mean([line['ever_missed'][rule] for line in kept]):.1f}",
        f"{100 * np.mean([line['missed'][rule] for line in kept]) / SYSTEMS:.1f}",
        f"{np.mean([line['clusters'][rule][-1] for line in kept]):.1f}",
    ]


def _honesty_note() -> str:
    return flat(f"""{FULL:,} judgments of 15 systems: seven pairs of equals and one alone, near (.5 apart) or far (over
        [0, 10]); five groups of three over [0, 10]; fifteen from 0 to .3. sd 10 of an output, ties within 2, refitted
        every 100 judgments. With effects: {JUDGES} judges who like systems (sd {JUDGE_EFFECT:g}), luck of a system on
        one of {SEGMENTS} segments (sd {SEGMENT_EFFECT:g}); the covariance is then the package's by judges and segments
        at once, at {len(geometric(FULL))} looks a factor 1.6 apart; without, looks are every {EVERY} judgments. A false
        split is a boundary with a system above it that is not better than one below; ranks missed is the share of
        systems whose range holds none of the ranks that they may truly have (equal systems share theirs); with the
        valid rule these are the ranges of `rank --looks any`, each at 5 % for itself. Intervals: Wilson's.""")
