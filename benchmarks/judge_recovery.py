"""What ``ordinal`` finds out about judges whose truth is known, from pairs and from rankings."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from palmares.judgments import FloatArray, Judgments
from palmares.models.ordinal import Ordinal
from palmares.models.ordinal_fit import OrdinalFit

from .common import report
from .judge_world import Crowd, CrowdWorld

#: Judges, and rankings of five; there are ten times as many single pairs.
SIZES = ((20, 600), (50, 600), (200, 2000))
WAYS = ("single pairs", "rankings, pairs taken for independent", "rankings")


def main(arguments: Sequence[str] = ()) -> None:
    """Print and keep the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks judge_recovery", description=__doc__)
    parser.add_argument("--crowds", type=int, default=30, help="a line")
    crowds = parser.parse_args(arguments).crowds
    rows: list[list[object]] = []
    for judges, rankings in SIZES:
        for differ in (False, True):
            spreads = (0.4, 0.6) if differ else (0.0, 0.0)
            for way in WAYS:
                found = np.array([_found(_world(way, judges, rankings, spreads), way, k) for k in range(crowds)])
                rows.append([judges, rankings, ".4, .6" if differ else "0, 0", way, *_cells(found)])
    head = ["judges", "rankings", "true spreads", "judgments", "s_a", "s_δ", "log a missed, %", "log δ missed, %"]
    note = (
        f"Ten systems of standard deviation .3; {crowds} crowds a line; after ±: standard errors over crowds. Single "
        "pairs are ten times as many as rankings. Missed: judges outside estimate ± 1.96 standard errors "
        "(`fit.log_errors`). One imagined judge keeps the spreads above 0."
    )
    report("judge-recovery", "Judges who differ: what is found out about them", head, rows, [note])


def _world(way: str, judges: int, rankings: int, spreads: tuple[float, float]) -> CrowdWorld:
    world = CrowdWorld(judges=judges, spread=0.3, sensitivity_sd=spreads[0], width_sd=spreads[1])
    if way == WAYS[0]:
        return replace(world, outputs=2, screens=10 * rankings)
    return replace(world, screens=rankings)


def _found(world: CrowdWorld, way: str, number: int) -> list[float]:
    crowd = world.draw(np.random.default_rng([world.judges, number]))
    judgments = crowd.judgments
    if way == WAYS[1]:
        judgments = Judgments.from_rows(judgments.to_rows().drop("ranking"))
    fit = Ordinal().fit(judgments)
    return [*fit.spreads, *missed(fit, crowd)]


def missed(fit: OrdinalFit, crowd: Crowd) -> list[float]:
    number = np.array([int(name[1:]) for name in fit.judges])
    found = np.log(np.stack([fit.sensitivity, fit.tie_width], axis=1))
    truth = np.stack([crowd.log_sensitivity, crowd.log_width], axis=1)[number]
    return (np.abs(found - truth) > 1.96 * fit.log_errors).mean(axis=0).tolist()


def _cells(found: FloatArray) -> list[str]:
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
    spreads = [f"{mean[k]:.2f} ± {error[k]:.2f}" for k in (0, 1)]
    return spreads + [f"{100 * mean[k]:.1f} ± {100 * error[k]:.1f}" for k in (2, 3)]
