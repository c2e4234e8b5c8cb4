"""Plans against `rank`: what a plan says a number of judgments shows, and what `rank` shows of simulated campaigns."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from palmares.compute import Execution, Stream, generator
from palmares.design.planning.beginnings import from_judgments, from_scratch
from palmares.design.planning.bounds import BOUNDS, Noise, measured
from palmares.design.simulate import CampaignPlan, simulate
from palmares.design.targets import Target
from palmares.ingest.files import read
from palmares.judgments import Judgments
from palmares.ranking.rank import rank

#: Campaigns that are ranked in each cell, and that a plan draws.
RANKED, DRAWN = 60, 400
MEASURES = {"clusters": Target("clusters", 2), "pairs": Target("pairs", 1.0)}
WITHOUT = CampaignPlan(systems=15, judges=20, segments=500)
SHAPES = {
    "15 systems, no effects": WITHOUT,
    "15 systems, effects": replace(WITHOUT, spread=8.0, tie_radius=4.0, judge_effect=1.0, segment_effect=6.0),
    "8 systems, pairs": CampaignPlan(
        systems=8, outputs=2, judges=10, segments=200, spread=6.0, tie_radius=1.0, judge_effect=1.5, segment_effect=3.0
    ),
}


def main() -> None:
    """Print a table: clusters and share of pairs separated, planned and ranked, for every kind of boundary."""
    print("| campaigns | judgments | boundaries | clusters planned | ranked | pairs planned | ranked |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for name, shape in SHAPES.items():
        execution = Execution("threads", seed=1)
        begun = from_scratch(shape, DRAWN, execution)
        noise = Noise.drawn(shape.systems, 0.05, execution.generator(Stream.PLAN_RANGES))
        for judgments in (3_000, 12_000) if shape.outputs == 2 else (10_000, 50_000):
            rankings = round(judgments / begun.comparisons)
            states = begun.prospect.states(rankings, begun.staff)
            ranked = _ranked(replace(shape, rankings=rankings))
            for k, kind in enumerate(BOUNDS):
                cells = []
                for m, target in enumerate(MEASURES.values()):
                    planned = measured(states, target, kind, noise, 0.05).values.mean()
                    shown, error = ranked[:, k, m].mean(), ranked[:, k, m].std(ddof=1) / RANKED**0.5
                    cells += [f"{planned:.2f}", f"{shown:.2f} ± {error:.2f}"]
                print(f"| {name} | {judgments:,} | {kind} | {' | '.join(cells)} |", flush=True)

    if folder := os.environ.get("PALMARES_REAL_DATA"):
        _first_thirds(read(Path(folder) / "wmt13" / "fr-en.train.csv"))


def _first_thirds(judgments: Judgments) -> None:
    """From a third of WMT13's rankings, the first or random ones: what is said of all of them, and what they show."""
    codes = judgments.group_codes("ranking")
    number = int(codes.max()) + 1
    came = _measures([line.cluster or 0 for line in rank(judgments, rng=1).lines])
    print(f"\nWMT13, all {number:,} rankings: {came[0]:.0f} clusters, {came[1]:.2f} of the pairs separated\n")
    print("| a third | clusters: mean, 10 to 90 % | pairs: mean, 10 to 90 % |")
    print("| --- | ---: | ---: |")
    noise = Noise.drawn(len(judgments.systems), 0.05, np.random.default_rng(1))
    for seed in (None, 0, 1, 2, 3):
        place = np.arange(number) if seed is None else np.random.default_rng(seed).permutation(number)
        begun = from_judgments(judgments.filter(place[codes] < number // 3), DRAWN, Execution("serial", seed=1))
        states = begun.prospect.states(float(number - begun.done), begun.staff)
        cells = []
        for target in MEASURES.values():
            values = measured(states, target, "marginal", noise, 0.05).values
            low, high = np.quantile(values, [0.1, 0.9])
            cells.append(f"{values.mean():.2f}, {low:.2g} to {high:.2g}")
        print(f"| {'the first' if seed is None else f'at random, {seed}'} | {' | '.join(cells)} |", flush=True)


def _ranked(plan: CampaignPlan) -> np.ndarray:
    """Clusters and share of pairs separated (campaigns, kinds of boundary, measures) that `rank` shows."""
    rows = []
    for number in range(RANKED):
        judgments = simulate(plan, rng=generator(5, 99, number)).judgments
        once, ever = (rank(judgments, resamples=400, looks=looks, rng=number) for looks in ("once", "any"))
        numbers = [[getattr(line, name) for line in once.lines] for name in ("cluster", "joint_cluster")]
        rows.append([_measures(each) for each in (*numbers, [line.joint_cluster for line in ever.lines])])
    return np.array(rows)


def _measures(numbers: list[int]) -> list[float]:
    sizes = np.bincount(numbers)[1:]
    return [max(numbers), 1 - (sizes * (sizes - 1)).sum() / (len(numbers) * (len(numbers) - 1))]


if __name__ == "__main__":
    main()
