"""How large the effects of judges and segments are in real campaigns, and in simulated ones of the same shape.

``python -m benchmarks effects`` needs the published judgments in the folder that PALMARES_REAL_DATA names.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from palmares import Execution, Judgments, read, simulate
from palmares.design.likeness.features import shared_correlations
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
    shared = [f"{correlation:.3f}" for correlation in shared_correlations(judgments)]
    return [*sizes, f"{100 * ties:.0f} %", *shared, *[f"{effect:.1f}" for effect in design_effects(judgments)]]


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
