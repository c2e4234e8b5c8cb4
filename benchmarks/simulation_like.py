"""Plans fitted to campaigns: how like real ones they are, and whether a known plan comes back.

``python -m benchmarks simulation_like`` needs the published judgments in the folder that PALMARES_REAL_DATA names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from palmares import CampaignPlan, Judgments, agreement, plan_like, read, simulate
from palmares.design.likeness import LikePlan

from .common import report

FILES = {
    "WMT13 fr-en": "wmt13/fr-en.train.csv",
    "WMT16 ro-en": "wmt16/wmt16.ron-eng.csv",
    "llmfao": "llmfao/crowd-comparisons.csv",
}
#: Campaigns of each plan that κ is a mean over; and fits to campaigns of a known plan.
_KAPPAS, _FITS = 8, 20
KNOWN = CampaignPlan(
    systems=12, rankings=1200, outputs=3, judges=20, segments=120, spread=7.0, tie_radius=3.0, segment_effect=5.0,
    judge_effect=2.5, position_effect=2.0, work=0.8, sensitivity_spread=0.4, tie_spread=0.6,
)  # fmt: skip


def main() -> None:
    recovery()
    folder = os.environ.get("PALMARES_REAL_DATA")
    if not folder:
        sys.exit("PALMARES_REAL_DATA is not set; it names the folder with the published judgments")
    likeness(Path(folder))


def likeness(folder: Path) -> None:
    """Figures of real campaigns, and of campaigns of the plans that were fitted to them."""
    rows = []
    for name, file in FILES.items():
        judgments = read(folder / file)
        like = plan_like(judgments, rng=0)
        rows += _rows(name, judgments, like)
    report(
        "simulation-like",
        "Real campaigns, and campaigns of plans fitted to them",
        ["campaign", "figure", "real", "answered anew", "simulated", "sd of one campaign"],
        rows,
        [
            "σ: the scatter of an output where qualities are uniform on [0, 10], from the curve of significant pairs "
            "with its 95 % interval, and from the scores alone. Answered anew: simulated answers to the real screens; "
            "simulated: campaigns of the plan, in which comparisons are evenly spread. Plans are not fitted to κ (mean "
            f"over {_KAPPAS} campaigns).",
        ],
    )


def _rows(name: str, judgments: Judgments, like: LikePlan) -> list[list[object]]:
    low, high = like.scatter_interval
    rows: list[list[object]] = [
        [name, "σ", f"{like.scatter:.1f} ({low:.1f} to {high:.1f})", f"{like.scatter_of_scores:.1f} by scores", "", ""]
    ]
    for line in like.compared:
        numbers = (line.real, line.answered_anew, line.simulated, line.deviation)
        rows.append([name, line.figure, *(f"{number:.3f}" for number in numbers)])
    kappas = [_kappa(simulate(like.plan, rng=number).judgments) for number in range(_KAPPAS)]
    values = (_kappa(judgments), np.mean(kappas), np.std(kappas, ddof=1))
    real, mean, deviation = (f"{value:.3f}" for value in values)
    return [*rows, [name, "κ between judges", real, "", mean, deviation]]


def _kappa(judgments: Judgments) -> float:
    kappa = agreement(judgments, resamples=0, rng=0).inter.kappa.kappa
    return np.nan if kappa is None else kappa


def recovery() -> None:
    """Fits to campaigns of one known plan: their mean, how they vary, and the errors they state."""
    fits = [plan_like(simulate(KNOWN, rng=number).judgments, rng=number) for number in range(_FITS)]
    rows = []
    for name in (
        "spread", "tie_radius", "segment_effect", "judge_effect", "position_effect", "sensitivity_spread", "tie_spread",
    ):  # fmt: skip
        values = np.array([getattr(fit.plan, name) for fit in fits])
        stated = [
            line.error for fit in fits for line in fit.settings if line.setting == name and line.error is not None
        ]
        true = getattr(KNOWN, name)
        inside = sum(
            abs(line.value - true) < 1.96 * (line.error or 0.0)
            for fit in fits for line in fit.settings if line.setting == name
        )  # fmt: skip
        rows.append([
            name, true, f"{values.mean():.2f}", f"{values.std(ddof=1):.2f}", f"{np.mean(stated):.2f}",
            f"{inside} of {len(stated)}",
        ])  # fmt: skip
    whole = (KNOWN.spread**2 + KNOWN.segment_effect**2 + KNOWN.judge_effect**2) ** 0.5
    scatters = np.array([fit.scatter for fit in fits])
    inside = sum(fit.scatter_interval[0] < whole < fit.scatter_interval[1] for fit in fits)
    of_scores = np.array([fit.scatter_of_scores for fit in fits])
    rows.append(
        ["σ", f"{whole:.2f}", f"{scatters.mean():.2f}", f"{scatters.std(ddof=1):.2f}", "", f"{inside} of {_FITS}"]
    )
    rows.append(["σ by scores", f"{whole:.2f}", f"{of_scores.mean():.2f}", f"{of_scores.std(ddof=1):.2f}", "", ""])
    report(
        "simulation-recovery",
        "A known plan, fitted to its campaigns",
        ["setting", "true", "mean of fits", "sd of fits", "mean stated error", "true within 1.96 errors"],
        rows,
        [
            f"{_FITS} campaigns of {KNOWN.rankings:,} rankings of {KNOWN.outputs} outputs, {KNOWN.systems} systems, "
            f"{KNOWN.judges} judges who share the work unequally, {KNOWN.segments} segments. A preference for a "
            "place is fitted only where it can be told from nothing.",
        ],
    )


if __name__ == "__main__":
    main()
