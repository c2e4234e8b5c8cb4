"""Do the ranges of the judge-aware model keep their promise? ``python -m benchmarks judge_coverage --help``.

A study rather than a benchmark. Crowds whose judges differ (`judge_world`) are ranked by `palmares.rank` with every
model and ``two-way`` uncertainty, the same crowds by all; what it prints is held against the truth. Results are kept as
they come (`judge_store`).
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import palmares as pm
from palmares.ranking.ranges import rank_ranges

from .judge_store import Store
from .judge_world import Crowd, CrowdWorld
from .uncertainty_measures import measures
from .uncertainty_truth import Campaign

STORE = Path(__file__).parent.parent / "build" / "judge-coverage"
MODELS = ("ordinal", "bradley-terry")
RESAMPLES = 1000
#: Levels at which rank ranges are taken, to find the one at which a model misses 5 %.
LEVELS = (0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.13, 0.17, 0.22, 0.3, 0.4, 0.5)
KINDS = {
    "alike": "judges alike",
    "differ": "judges differ",
    "unequal": "differ, unequal work",
    "segments": "differ, unequal work, system × segment",
    "equals": "differ, pairs of equal systems",
}


@dataclass(frozen=True)
class Cell:
    """Crowds of one kind."""

    kind: str
    world: CrowdWorld

    @property
    def name(self) -> str:
        w = self.world
        return f"{self.kind}-{w.outputs}-{w.judges}-{round(100 * w.careless)}"


def cells() -> list[Cell]:
    """Every kind, for rankings of five and for pairs, 10, 20 and 50 judges, and 0, 20 and 30 % at random."""
    differ = CrowdWorld()
    kinds = {
        "alike": replace(differ, sensitivity_sd=0.0, width_sd=0.0),
        "differ": differ,
        "unequal": replace(differ, unequal=1.0),
        "segments": replace(differ, unequal=1.0, segment_effect=0.7),
        "equals": replace(differ, qualities="pairs", spread=0.4),
    }
    shapes = {5: {"outputs": 5, "screens": 600}, 2: {"outputs": 2, "screens": 3000}}
    return [
        Cell(kind, replace(world, judges=judges, careless=careless, **shape))
        for kind, world in kinds.items()
        for shape in shapes.values()
        for judges in (10, 20, 50)
        for careless in (0.0, 0.2, 0.3)
    ]


def main(arguments: Sequence[str] = ()) -> None:
    """Draw and rank what is missing, then print the tables."""
    options = _options(arguments)
    chosen = [cell for cell in cells() if not options.kinds or cell.kind in options.kinds]
    store = Store(options.store)
    if not options.tables:
        _run(chosen, options.models, options.crowds, store)
    from .judge_coverage_tables import write

    write({cell: store.lines(cell.name) for cell in chosen}, options.models, options.crowds, keep=options.keep)


def _run(chosen: Sequence[Cell], models: Sequence[str], crowds: int, store: Store) -> None:
    start = time.perf_counter()
    for number, cell in enumerate(chosen, 1):
        had = {(line["crowd"], line["model"]) for line in store.lines(cell.name)}
        for c in range(crowds):
            if missing := [model for model in models if (c, model) not in had]:
                store.add(cell.name, ranked(cell, c, missing))
        print(f"{number} of {len(chosen)}, {cell.name}: {time.perf_counter() - start:.0f} s so far", flush=True)


def ranked(cell: Cell, number: int, models: Sequence[str]) -> Iterator[dict[str, Any]]:
    """One crowd, ranked by several models."""
    crowd = cell.world.draw(np.random.default_rng([zlib.crc32(cell.name.encode()), number]))
    campaign = Campaign.of(crowd.judgments, crowd.theta, crowd.theta)
    for model in models:
        ranking = pm.rank(
            crowd.judgments, model=model, resample="two-way", resamples=RESAMPLES, rng=number,
            execution=pm.Execution("serial", 1),
        )  # fmt: skip
        found = {k: v for k, v in measures(ranking, campaign).items() if not k.endswith("_bins")}
        yield {"crowd": number, "model": model, **found, **_scores(ranking, crowd), **_levels(ranking, campaign)}


def _scores(ranking: pm.Ranking, crowd: Crowd) -> dict[str, Any]:
    """Truth, score and interval of every system, for a comparison up to a common scale."""
    codes = [crowd.judgments.systems.index(name) for name in ranking.systems]
    ends = np.array([line.interval for line in ranking.lines])
    table = np.stack([crowd.theta[codes], [line.score for line in ranking.lines], *ends.T])
    return {"scores": np.round(table, 5).tolist(), "spreads": list(getattr(ranking.fit, "spreads", ()))}


def _levels(ranking: pm.Ranking, campaign: Campaign) -> dict[str, Any]:
    """Misses and sizes of rank ranges at every level."""
    assert ranking.replicates is not None  # two-way makes draws
    first, last = campaign.places.T
    misses, sizes = [], []
    for p in LEVELS:
        low, high = rank_ranges(ranking.replicates.places, p=p).T
        misses.append(float(((last < low) | (first > high)).mean()))
        sizes.append(float((high - low + 1).mean()))
    return {"level_misses": misses, "level_sizes": np.round(sizes, 4).tolist()}


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    def listed(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks judge_coverage", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--kinds", type=listed, default=[], help=f"of {','.join(KINDS)}; all")
    parser.add_argument(
        "--models",
        type=lambda text: text.split("+"),
        default=list(MODELS),
        help="joined by +; the first is held against the second",
    )
    parser.add_argument("--crowds", type=int, default=200, help="a cell")
    parser.add_argument("--store", type=Path, default=STORE, help="the folder of results by crowd")
    parser.add_argument("--tables", action="store_true", help="rank nothing; tables of what is stored")
    parser.add_argument("--keep", action="store_true", help="write the tables to benchmarks/results")
    return parser.parse_args(arguments)
