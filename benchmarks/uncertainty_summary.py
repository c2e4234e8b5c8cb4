"""Means over campaigns with their standard errors, and whether the study's bars are met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from palmares.judgments import FloatArray

from .uncertainty_cells import Cell
from .uncertainty_measures import BINS

#: Bars, to each of which two standard errors are added.
MOST_MISSES, MOST_WRONG, MOST_OFF, MOST_WIDER = 0.065, 0.05, 0.05, 1.2
#: A bin of probabilities counts from so many on.
ENTRIES = 400
#: A unit covers if its misses are not surely above this.
NOMINAL = 0.05
DEFAULT = "two-way"


@dataclass(frozen=True)
class Found:
    """What one unit came to in one cell: means over campaigns and their standard errors."""

    cell: Cell
    unit: str
    campaigns: int
    mean: Mapping[str, float] = field(repr=False)
    error: Mapping[str, float] = field(repr=False)
    #: For ``best`` and ``better``: (campaigns, bins, [entries, sum of what was said, how many came true])
    bins: Mapping[str, FloatArray] = field(repr=False)

    def within(self, name: str, most: float) -> bool:
        """Whether a mean is at most that, two standard errors allowed for."""
        return self.mean[name] <= most + 2 * self.error[name]


@dataclass(frozen=True)
class Bar:
    """A promise, whether it was kept, and the figures of where it was kept worst."""

    promise: str
    met: bool
    worst: str


def summarised(
    stored: Mapping[Cell, Iterable[Mapping[str, Any]]], units: Sequence[str], campaigns: int | None
) -> list[Found]:
    """One for each cell and unit that there are results of, from the first campaigns of each."""
    found = []
    for cell, lines in stored.items():
        by_unit: dict[str, dict[int, Mapping[str, Any]]] = {unit: {} for unit in units}
        for line in lines:
            if line["unit"] in by_unit and line["campaign"] < (campaigns or cell.campaigns):
                by_unit[line["unit"]][line["campaign"]] = line
        found += [_found(cell, unit, list(of.values())) for unit, of in by_unit.items() if len(of) > 1]
    return found


def _found(cell: Cell, unit: str, lines: Sequence[Mapping[str, Any]]) -> Found:
    names = [name for name, value in lines[0].items() if not isinstance(value, str | list) and name != "campaign"]
    mean, error = {}, {}
    for name in names:
        values = np.array([np.nan if line.get(name) is None else line[name] for line in lines], dtype=float)
        values = values[~np.isnan(values)]
        if len(values) > 1:
            mean[name] = float(values.mean())
            error[name] = _error(values)
    bins = {}
    for kind in ("best", "better"):
        bins[kind] = np.zeros((len(lines), BINS, 3))
        for number, line in enumerate(lines):
            for k, *sums in line[f"{kind}_bins"]:
                bins[kind][number, k] = sums
    return Found(cell, unit, len(lines), mean, error, bins)


def _error(values: FloatArray) -> float:
    if np.ptp(values) > 0:
        return float(values.std(ddof=1) / np.sqrt(len(values)))
    if values[0] not in (0.0, 1.0):
        return 0.0
    # None of 300 is not an error of 0 (Agresti & Coull).
    share = 2 / (len(values) + 4)
    return float(np.sqrt(share * (1 - share) / (len(values) + 4)))


def calibration(found: Sequence[Found], kind: str, width: int = 1) -> list[tuple[int, float, float, float]]:
    """Per bin with enough entries: how many, the mean of what was said, how often it came true, and the error of that.

    Parameters
    ----------
    width
        How many of the stored bins make one.
    """
    if not found:
        return []
    sums = np.concatenate([f.bins[kind] for f in found])
    sums = sums.reshape(len(sums), BINS // width, width, 3).sum(axis=2)
    result = []
    for k in range(BINS // width):
        entries, said, true = sums[:, k].sum(axis=0)
        if entries >= ENTRIES:
            # Entries of one campaign depend on each other, so the error is over campaigns.
            off = (sums[:, k, 2] - sums[:, k, 1]) - (true - said) / entries * sums[:, k, 0]
            error = float(np.sqrt((off**2).sum()) / entries)
            result.append((int(entries), said / entries, true / entries, error))
    return result


def campaigns_text(found: Sequence[Found]) -> str:
    """How many campaigns a cell has."""
    counts = sorted({f.campaigns for f in found})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def mixed(found: Iterable[Found], unit: str) -> list[Found]:
    """The cells over whose campaigns the spread of qualities varies."""
    return [f for f in found if f.cell.kind.startswith("mixed") and f.unit == unit]


def bars(found: Sequence[Found]) -> list[Bar]:
    """Whether each promise is kept, as far as there are cells for it."""
    own = [f for f in found if f.unit == DEFAULT]
    many = [f for f in own if f.cell.judges >= 10]
    checks = [
        _most(many, "score_misses", MOST_MISSES, "score misses with ten judges or more at most 6.5 %"),
        _narrow(found),
        _most(
            [f for f in own if f.cell.kind.startswith("pairs")],
            "joint_boundary_wrong", MOST_WRONG, "six pairs of equals: a wrong joint boundary in at most 5 %",
        ),
        _most(
            [f for f in own if f.cell.kind.startswith("equal")],
            "joint_equals_ordered", MOST_WRONG, "all equal: any two ordered jointly in at most 5 %",
        ),
        *(_calibrated(mixed(own, DEFAULT), kind) for kind in ("best", "better")),
        _consistent(found),
    ]  # fmt: skip
    return [check for check in checks if check is not None]


def _most(found: Sequence[Found], name: str, most: float, promise: str) -> Bar | None:
    measured = [f for f in found if name in f.mean]
    if not measured:
        return None
    over = [f for f in measured if not f.within(name, most)]
    by_excess: Callable[[Found], float] = lambda f: f.mean[name] - 2 * f.error[name]  # noqa: E731
    shown = sorted(over, key=by_excess, reverse=True) or [max(measured, key=lambda f: f.mean[name])]
    worst = "; ".join(f"{f.cell.name}: {100 * f.mean[name]:.1f} ± {100 * f.error[name]:.1f} %" for f in shown)
    return Bar(f"{promise} ({len(measured) - len(over)} of {len(measured)} cells)", not over, worst)


def _consistent(found: Sequence[Found]) -> Bar | None:
    """One ranking must not contradict itself, so nothing is allowed for here."""
    said = [f for f in found if "boundaries_differ" in f.mean]
    differ = [f"{f.cell.name}, {f.unit}" for f in said if f.mean["boundaries_differ"] > 0]
    if not said:
        return None
    return Bar("joint clusters and joint boundaries say the same", not differ, "; ".join(differ[:5]) or "–")


def _narrow(found: Sequence[Found]) -> Bar | None:
    """On clean data, against the narrowest unit that covers."""
    ratios = []
    for own in found:
        others = [f for f in found if f.cell.name == own.cell.name and f.unit != DEFAULT]
        covering = [f for f in others if f.within("score_misses", NOMINAL)]
        if own.unit == DEFAULT and own.cell.kind == "clean" and own.cell.judges >= 10 and covering:
            least = min(covering, key=lambda f: f.mean["width"])
            ratios.append((own.mean["width"] / least.mean["width"], f"{own.cell.name}, unit {least.unit}"))
    if not ratios:
        return None
    ratio, where = max(ratios)
    return Bar(
        "no effects: width within 20 % of the narrowest unit that covers",
        ratio <= MOST_WIDER,
        f"{ratio:.2f} × ({where})",
    )


def _calibrated(found: Sequence[Found], kind: str) -> Bar | None:
    """All mixed cells together in bins of .05, and each by itself in bins of .1."""
    if not found:
        return None
    looks = [("all", calibration(found, kind)), *((f.cell.name, calibration([f], kind, 2)) for f in found)]
    bins = [
        (abs(said - true) - 2 * error, where, n, said, true, error) for where, b in looks for n, said, true, error in b
    ]
    if not bins:
        return None
    over = [b for b in bins if b[0] > MOST_OFF]
    shown = sorted(over, reverse=True)[:4] or [max(bins)]
    worst = "; ".join(f"{w}: said {said:.2f}, came true {true:.2f} ± {e:.2f} ({n})" for _, w, n, said, true, e in shown)
    promise = (
        f"P({kind}) within .05 of its frequency ({len(bins) - len(over)} of {len(bins)} bins with {ENTRIES} entries)"
    )
    return Bar(promise, not over, worst)
