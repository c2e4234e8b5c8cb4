"""The picture of the study of active choice: clusters against judgments, by strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from palmares import plots
from palmares.report.plots.theme import INK, PALETTE, altair, themed

from .active_cells import FULL, Cell, saving
from .active_tables import reference, screens, up_to

IMAGES = Path(__file__).parent.parent / "docs" / "images"
#: What is drawn, and in which colour.
STRATEGIES = ("open-boundaries", "information", "s14", "match-quality", "balanced", "baseline", "uniform")
COLOURS = dict(zip(STRATEGIES, (PALETTE[0], PALETTE[2], PALETTE[1], PALETTE[4], PALETTE[3], PALETTE[5], INK), strict=True))
_SHOWN = 36_000


def draw(store: Path, folder: Path = IMAGES) -> None:
    """The picture, as far as there are runs."""
    plots.save(clusters(store), folder / "active-clusters.svg")


def clusters(store: Path) -> Any:
    """Mean number of clusters by the valid rule, pairs and five-way side by side."""
    alt = altair()
    panels = [_panel(alt, store, size) for size in (2, 5)]
    lines = [
        "mean number of clusters of 15 simulated systems, by the rule that is valid at every look, against judgments;",
        "dashed: 60 % of what uniform has at 50,000 judgments; bands of two standard errors",
    ]
    title = alt.Title("What choosing comparisons saves", subtitle=lines)
    return themed(alt.hconcat(*panels, spacing=36).properties(title=title, padding={"left": 10, "top": 10, "right": 16, "bottom": 10}))


def _panel(alt: Any, store: Path, size: int) -> Any:
    cells = saving(0)
    values, ends = [], []
    for name in STRATEGIES:
        [cell] = [c for c in cells if (c.size, c.strategy, c.rule) == (size, name, "any") and _counts(c)]
        found = curve(cell, "any", store)
        if found is None:
            continue
        looks, seen = up_to(found, _SHOWN)
        mean, error = seen.mean(axis=0), seen.std(axis=0, ddof=1) / np.sqrt(len(seen))
        values += [
            {"strategy": name, "x": float(x), "y": float(m), "low": float(m - 2 * e), "high": float(m + 2 * e), "colour": COLOURS[name]}
            for x, m, e in list(zip(looks, mean, error, strict=True))[:: 2]
        ]
        ends.append({"strategy": name, "x": float(looks[-1]), "y": float(mean[-1]), "colour": COLOURS[name]})
    return values, ends
