"""The tables of the study of uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .common import report
from .uncertainty_cells import GRID, UNITS, Cell
from .uncertainty_summary import DEFAULT, ENTRIES, Found, bars, calibration, campaigns_text, mixed


@dataclass(frozen=True)
class Table:
    """One file of results."""

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]


def write(found: Sequence[Found], *, keep: bool) -> None:
    """Print the tables, and with ``keep`` write them to the results that the docs show."""
    for make in (_scores, _widths, _ranks, _equals, _odd, _chances, _bars):
        table = make(found)
        if table.rows:
            report(f"uncertainty-{table.name}", table.title, table.head, table.rows, table.notes, keep=keep)


def _scores(found: Sequence[Found]) -> Table:
    units = _units(found)
    rows = _by_cell(found, units, lambda of, unit: _percent(of[unit], "score_misses"))
    notes = [f"± the standard error over campaigns, {campaigns_text(found)} a cell; level 5 %."]
    return Table("scores", "True scores outside their interval, in %", [*_CELL, *units], rows, notes)


def _widths(found: Sequence[Found]) -> Table:
    units = [unit for unit in _units(found) if unit != "ranking"]
    rows = _by_cell(found, units, _relative) if "ranking" in _units(found) else []
    notes = ["The mean width of score intervals, as a multiple of that of the unit `ranking` on the same campaigns."]
    return Table("widths", "Widths of score intervals", [*_CELL, *units], rows, notes)


def _ranks(found: Sequence[Found]) -> Table:
    units = _units(found)
    rows = _by_cell(found, units, _rank_cell)
    notes = [
        "Systems whose true rank is outside their own range, in %; in brackets the mean size of a range and, where "
        "there are joint ranges, the campaigns, in %, with any system outside its joint range, and the mean size of "
        "these."
    ]
    return Table("ranks", "True ranks outside their range, in %", [*_CELL, *units], rows, notes)


def _equals(found: Sequence[Found]) -> Table:
    head = [
        *_CELL, "unit", "wrong boundary", "wrong joint boundary", "equals ordered", "equals ordered jointly",
        "clusters", "joint clusters",
    ]  # fmt: skip
    names = ("boundary_wrong", "joint_boundary_wrong", "equals_ordered", "joint_equals_ordered")
    counts = ("clusters", "joint_clusters")
    rows = [
        [*_cell(f.cell), f.unit, *(_percent(f, name) for name in names), *(_number(f, name, 2) for name in counts)]
        for f in found
        if f.cell.kind.startswith(("pairs", "equal"))
    ]
    notes = [
        "Campaigns, in %, in which some boundary between clusters has equal systems, or a better one below it; in "
        "which the rank ranges of two equal systems do not overlap; and how many clusters there are. There are six in "
        "`pairs`, one in `equal`."
    ]
    return Table("equals", "Boundaries between equal systems", head, rows, notes)


def _odd(found: Sequence[Found]) -> Table:
    head = [
        *_CELL, "unit", "its score missed", "width", "other scores missed", "comes first", "mean P(best)", "truly best",
    ]  # fmt: skip
    rows = []
    for f in found:
        if f.cell.kind in ("one-system", "handful", "newcomer"):
            first, best = _percent(f, "odd_first"), [_number(f, name, 3) for name in ("odd_best", "odd_truly_best")]
            missed = [_percent(f, "odd_misses"), _number(f, "odd_width", 2), _percent(f, "others_misses")]
            rows.append([*_cell(f.cell), f.unit, *missed, first, *best])
    notes = [
        "Judges who disagree about one system only; a system in five rankings; a newcomer with one comparison, which "
        "it won. Misses and first places in %; “–”: there is no interval."
    ]
    return Table("odd", "One system that is not like the others", head, rows, notes)


def _chances(found: Sequence[Found]) -> Table:
    rows = []
    for kind in ("best", "better"):
        for unit in _units(found):
            rows += [
                [f"P({kind})", unit, str(n), f"{said:.3f}", f"{true:.3f} ± {error:.3f}", f"{said - true:+.3f}"]
                for n, said, true, error in calibration(mixed(found, unit), kind)
            ]
    clumps = [f for f in found if f.cell.kind == "clumps"]
    rows += [
        ["P(best) of the likeliest, two clumps", f.unit, str(f.campaigns), _number(f, "best_said", 3),
         _number(f, "best_true", 3), f"{f.mean['best_said'] - f.mean['best_true']:+.3f}"]
        for f in clumps
    ]  # fmt: skip
    notes = [f"Bins of .05 with at least {ENTRIES} entries, over all cells of mixed spreads; ± over campaigns."]
    head = ["", "unit", "entries", "said", "came true", "too sure by"]
    return Table("chances", "P(best) and P(better), said and come true", head, rows, notes)


def _bars(found: Sequence[Found]) -> Table:
    rows = [[bar.promise, "met" if bar.met else "**not met**", bar.worst] for bar in bars(found)]
    notes = ["Each with two standard errors allowed for. Last, where it is worst, or wherever it is not met."]
    return Table("bars", f"What was to be shown of `{DEFAULT}`", ["", "", ""], rows, notes)


# -- cells of tables ----------------------------------------------------------------------------------

_CELL = ("campaigns with", "generator", "judges")


def _by_cell(
    found: Sequence[Found], units: Sequence[str], text: Callable[[dict[str, Found], str], str]
) -> list[list[str]]:
    """A row for each cell, a column for each unit."""
    cells: dict[Cell, dict[str, Found]] = {}
    for f in found:
        cells.setdefault(f.cell, {})[f.unit] = f
    return [[*_cell(cell), *(text(of, unit) if unit in of else "–" for unit in units)] for cell, of in cells.items()]


def _cell(cell: Cell) -> list[str]:
    return [GRID.get(cell.kind, cell.kind), cell.generator, str(cell.judges)]


def _units(found: Sequence[Found]) -> list[str]:
    return [unit for unit in UNITS if any(f.unit == unit for f in found)]


def _percent(found: Found, name: str) -> str:
    if name not in found.mean:
        return "–"
    return f"{100 * found.mean[name]:.1f} ± {100 * found.error[name]:.1f}"


def _number(found: Found, name: str, digits: int) -> str:
    return f"{found.mean[name]:.{digits}f}" if name in found.mean else "–"


def _relative(of: dict[str, Found], unit: str) -> str:
    return f"{of[unit].mean['width'] / of['ranking'].mean['width']:.2f}" if "ranking" in of else "–"


def _rank_cell(of: dict[str, Found], unit: str) -> str:
    found = of[unit]
    text = f"{_percent(found, 'rank_misses')} ({_number(found, 'range_size', 1)}"
    if "joint_any_rank_missed" in found.mean:
        text += f"; {_percent(found, 'joint_any_rank_missed')}, {_number(found, 'joint_range_size', 1)}"
    return text + ")"
