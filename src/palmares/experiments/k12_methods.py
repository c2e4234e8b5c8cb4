"""Koehn 2012, Figure 3: how often three ranking methods put two systems in the wrong order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..design.simulated_counts import SimulatedCounts
from ..judgments import FloatArray, IntArray
from ..models.orders import Lopez, optimum
from ..models.ratios import Bojar, ExpectedWins
from .base import Check, Context, Experiment, Findings, Row
from .k12 import LITERAL, PUBLISHED, Case, Counts, batch_of, error_of, simulated, thousands
from .published import load

METHODS = ("BOJAR", "EXPECTED", "LOPEZ", "LOPEZ, neighbours swapped")

#: By what the discordant pairs of n systems are divided to give an error.
SCALES: Mapping[str, str] = {
    "as published": "4 · discordant / n²",
    "share of pairs": "discordant / (n(n − 1)/2)",
    "equation 5 as printed": "discordant / (n(n − 2)/2)",
}


def scale(name: str, systems: int) -> float:
    """The error for one discordant pair."""
    divisor = {
        "as published": systems**2 / 4,
        "share of pairs": systems * (systems - 1) / 2,
        "equation 5 as printed": systems * (systems - 2) / 2,
    }
    return 1 / divisor[name]


def discordant(scores: FloatArray, quality: FloatArray) -> float:
    """Pairs of systems that scores put in the wrong order; equal scores are half wrong."""
    first, second = np.triu_indices(len(quality), 1)
    said = np.sign(scores[first] - scores[second])
    true = np.sign(quality[first] - quality[second])
    return float((1 - said * true).sum() / 2)


def swapped(order: IntArray, margins: FloatArray) -> IntArray:
    """Neighbours change places as long as the lower one has won more of their comparisons."""
    order, moved = order.copy(), True
    while moved:
        moved = False
        for k in range(len(order) - 1):
            if margins[order[k], order[k + 1]] < 0:
                order[[k, k + 1]] = order[[k + 1, k]]
                moved = True
    return order


def _orders(wins: Counts) -> FloatArray:
    """Scores by the four methods of one table of counts: an array (methods, systems)."""
    batch = batch_of(wins[None])
    bojar, expected = (model.score(batch, [])[0] for model in (Bojar(), ExpectedWins()))
    margins = Lopez().margins(batch_of(wins))
    near = swapped(np.argsort(-bojar, kind="stable"), margins)
    return np.stack([bojar, expected, -_places(optimum(margins).order), -_places(near)])


def _places(order: IntArray) -> FloatArray:
    return np.argsort(order).astype(np.float64)


def _errors(counts: SimulatedCounts) -> FloatArray:
    """Discordant pairs of some campaigns: an array (campaigns, looks, methods)."""
    return np.array(
        [
            [[discordant(scores, truth) for scores in _orders(look)] for look in campaign]
            for campaign, truth in zip(counts.wins, counts.quality, strict=True)
        ]
    )


def _run(context: Context, *, systems: int, sigma: int, sizes: tuple[int, ...], campaigns: int) -> Findings:
    found, literal = (
        simulated(context, _errors, [Case(systems, reading.spread(sigma), sizes, count, (3, reading.variance))])[0]
        for reading, count in ((PUBLISHED, campaigns), (LITERAL, max(campaigns // 4, 2)))
    )
    rows = [*_printed(found, literal, sizes, systems), *_curves(found, sizes, systems)]
    notes = [
        f"{campaigns:,} simulated campaigns (the paper: 10,000), {systems} systems, σ² = {sigma} as a standard "
        "deviation, no ties; with σ² a variance a quarter as many. Per cent. n: campaigns; ±: standard error.",
        "the paper's error is four times the discordant pairs over n², nearly twice the share of pairs in the wrong "
        f"order; its equation 5 has n(n − 2)/2 where {systems} systems have n(n − 1)/2 pairs. LOPEZ is solved exactly "
        "here; the paper does not say how it searched. “Neighbours swapped” starts from BOJAR's order and stops where "
        "no two neighbours gain by changing places: such a search stays nearer to BOJAR.",
    ]
    return Findings(rows, _checks(found, sizes, systems), notes)


def _printed(found: FloatArray, literal: FloatArray, sizes: tuple[int, ...], systems: int) -> list[Row]:
    """The numbers that the text names, in every reading."""
    published = load("k12")["figure_3"]
    rows = []
    for s, size in enumerate(sizes):
        if str(size) not in published:
            continue
        group = f"{size:,} judgments"
        for m, method in enumerate(METHODS):
            number = published[str(size)].get(method)
            for name in SCALES:
                shown = number if name == "as published" else None
                rows.append(_row(f"{method}: {name}", shown, found[:, s, m], scale(name, systems), group))
            rows.append(
                _row(f"{method}: share, σ² a variance", None, literal[:, s, m], scale("share of pairs", systems), group)
            )
    return rows


def _row(label: str, published: float | None, pairs: FloatArray, factor: float, group: str, at: str = "") -> Row:
    values = 100 * factor * pairs
    return Row(label, published, float(values.mean()), error_of(values), len(values), "", group, at, 1)


def _curves(found: FloatArray, sizes: tuple[int, ...], systems: int) -> list[Row]:
    return [
        _row(method, None, found[:, s, m], scale(name, systems), f"Figure 3, {name}: {SCALES[name]} (%)",
             thousands(size))
        for name in ("as published", "share of pairs")
        for m, method in enumerate(METHODS)
        for s, size in enumerate(sizes)
    ]  # fmt: skip


def _checks(found: FloatArray, sizes: tuple[int, ...], systems: int) -> list[Check]:
    share = 100 * found * scale("share of pairs", systems)
    mean, last = share.mean(axis=0), sizes[-1]
    bojar, expected, lopez, _ = mean.T
    apart = share[:, :, 0] - share[:, :, 1]
    paired = [(value.mean(), error_of(value) or 0.0) for value in apart.T]
    gain = ", ".join(f"{value:+.2f} ± {error:.2f}" for value, error in paired)
    printed = 100 * found[:, -1, 2] * scale("as published", systems)
    return [
        Check("BOJAR and EXPECTED err less than LOPEZ at every size", bool((mean[:, :2].max(axis=1) < lopez).all()),
              f"share of pairs at {last:,}: {bojar[-1]:.1f}, {expected[-1]:.1f} and {lopez[-1]:.1f} %"),
        Check("EXPECTED errs as much as BOJAR (within a tenth of a point)",
              all(abs(value) < 0.1 for value, _ in paired), f"BOJAR less EXPECTED, by size: {gain} points"),
        Check(f"LOPEZ errs as much with {last:,} judgments as with the fewest named (17.6 %)",
              bool(abs(lopez[-1] - lopez[sizes.index(_least(sizes))]) < 1),
              f"{printed.mean():.1f} ± {error_of(printed) or 0:.1f} % as published: the text repeats a number"),
    ]  # fmt: skip


def _least(sizes: tuple[int, ...]) -> int:
    """The smallest size that the text names, or the smallest of all."""
    return min((size for size in sizes if str(size) in load("k12")["figure_3"]), default=sizes[0])


RANKING = Experiment(
    "k12-methods",
    "error of three ranking methods against judgments",
    "Koehn 2012, Figure 3",
    _run,
    settings={
        "systems": 15, "sigma": 10, "sizes": (5000, 10000, 20000, 30000, 40000, 50000), "campaigns": 2000,
    },
    quick={"sizes": (5000, 10000), "campaigns": 10},
)  # fmt: skip
