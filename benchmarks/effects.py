"""How large the effects of judges and segments are in real campaigns, and in simulated ones of the same shape.

``python -m benchmarks effects`` needs the published judgments in the folder that PALMARES_REAL_DATA names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from palmares import Execution, Judgments, read, simulate
from palmares.models.by_name import create
from palmares.ranking.bootstrap import resample

from .common import report
from .coverage import EFFECTS, PLAIN

FILES = {
    "WMT13 fr-en": "wmt13/fr-en.train.csv",
    "WMT16 de-en": "wmt16/wmt16.deu-eng.csv",
    "WMT16 ro-en": "wmt16/wmt16.ron-eng.csv",
    "WMT16 tr-en": "wmt16/wmt16.tur-eng.csv",
}
RESAMPLES = 600


def main() -> None:
    folder = os.environ.get("PALMARES_REAL_DATA")
    if not folder:
        sys.exit("PALMARES_REAL_DATA is not set; it names the folder with the published judgments")
    campaigns = {name: read(Path(folder) / file) for name, file in FILES.items()}
    shape = {"systems": 13, "rankings": 9996, "judges": 218, "segments": 2278}  # of WMT13 fr-en
    campaigns["simulated, effects"] = simulate(replace(EFFECTS, **shape), rng=0).judgments
    campaigns["simulated, no effects"] = simulate(replace(PLAIN, **shape), rng=0).judgments
    report(
        "coverage-effects",
        "Effects of judges and segments",
        ["campaign", "systems", "rankings", "judges", "segments", "ties", "same segment", "same judge",
         "`ranking`", "`segment`", "`judge`"],
        [[name, *_row(judgments)] for name, judgments in campaigns.items()],
        [
            "same segment, same judge: correlation of the outcomes of two comparisons of the same two systems that "
            "share nothing else. `ranking`, `segment`, `judge`: design effects, how many times the bootstrap variance "
            f"of an expected-wins score is that of the unit `pair` ({RESAMPLES} resamples, mean over systems).",
        ],
    )  # fmt: skip


def _row(judgments: Judgments) -> list[object]:
    sizes = [len(judgments.names[name]) for name in ("system", "ranking", "judge", "segment")]
    ties = (judgments.codes("outcome") == 0).mean()
    shared = [f"{correlation:.3f}" for correlation in correlations(judgments)]
    return [*sizes, f"{100 * ties:.0f} %", *shared, *[f"{effect:.1f}" for effect in design_effects(judgments)]]


def correlations(judgments: Judgments) -> tuple[float, float]:
    """How two judgments of a pair of systems resemble each other that share a segment, and that share a judge.

    Both are told from what judgments with nothing in common have, which is a little below 0.
    """
    pair = judgments.codes("system_a").astype(np.int64) * len(judgments.systems) + judgments.codes("system_b")
    rows = pl.DataFrame({"pair": pair, "judge": judgments.codes("judge"), "segment": judgments.codes("segment")})
    outcome = pl.Series("outcome", judgments.codes("outcome").astype(np.float64))
    rest = rows.with_columns(outcome).with_columns(pl.col("outcome") - pl.col("outcome").mean().over("pair"))
    every, judge, segment, both = (
        _products(rest, keys) for keys in ([], ["judge"], ["segment"], ["judge", "segment"])
    )  # fmt: skip
    variance = float((rest["outcome"] ** 2).mean())
    nothing = every - judge - segment + both
    means = [float(part[0] / part[1]) / variance for part in (segment - both, judge - both, nothing)]
    return means[0] - means[2], means[1] - means[2]


def _products(rest: pl.DataFrame, keys: Sequence[str]) -> np.ndarray:
    """Sum and number of the products of the residuals of two judgments of a pair that share ``keys``."""
    groups = rest.group_by("pair", *keys).agg(
        pl.col("outcome").sum().alias("sum"), (pl.col("outcome") ** 2).sum().alias("squares"), pl.len().alias("n")
    )
    n = groups["n"].to_numpy().astype(np.float64)
    return np.array([(groups["sum"] ** 2 - groups["squares"]).sum() / 2, (n * (n - 1)).sum() / 2])


def design_effects(judgments: Judgments) -> list[float]:
    """Bootstrap variances by ranking, segment and judge over those by pair; means over systems."""
    model = create("expected-wins")
    variances = [
        resample(model, judgments, unit=unit, resamples=RESAMPLES, execution=Execution(seed=0)).scores.var(axis=0)
        for unit in ("pair", "ranking", "segment", "judge")
    ]
    return [float((variance / variances[0]).mean()) for variance in variances[1:]]


if __name__ == "__main__":
    main()
