"""Plots: one function per plot, one theme, one list of them all.

`PLOTS` names every plot: ``palmares plot KIND`` draws it, and so do reports and servers, with the same function. Each
takes what it draws and, by name, ``title``, ``group``, ``width`` and ``height``, and returns an Altair chart, which
`save` writes to a file. A new plot is a module here with one such function, an entry in `PLOTS`, and a command in
`palmares.cli.plot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...registry import Entry, Registry

if TYPE_CHECKING:
    from .abilities import abilities_plot
    from .boxes import rank_boxes
    from .calibration import calibration_plot
    from .clusters import cluster_curve
    from .comparisons import model_comparison
    from .curves import curve_plot
    from .files import save
    from .head_to_head import win_shares
    from .item_curves import item_information_plot, response_curves
    from .judges import judge_sensitivities
    from .meetings import meeting_maps
    from .plans import plan_plot
    from .predictions import outcome_bars
    from .ranges import rank_ranges
    from .scores import score_intervals
    from .segments import information_plot, slope_plot
    from .win_ratios import ranking_error_plot, separation_plot, win_ratio_plot

#: Every plot: the function that draws it, and what it shows. In the order that help and the gallery have.
PLOTS = Registry(
    "plot",
    {
        "ranges": Entry("palmares.report.plots.ranges:rank_ranges", "Rank ranges and clusters of systems."),
        "scores": Entry("palmares.report.plots.scores:score_intervals", "Scores of systems with their intervals."),
        "rank-boxes": Entry("palmares.report.plots.boxes:rank_boxes", "How ranks are spread over bootstrap samples."),
        "head-to-head": Entry("palmares.report.plots.head_to_head:win_shares", "Shares of wins of every two systems."),
        "meetings": Entry("palmares.report.plots.meetings:meeting_maps", "How often every two systems met."),
        "clusters-by-judgments": Entry(
            "palmares.report.plots.clusters:cluster_curve", "How many clusters so many judgments give."
        ),
        "outcomes": Entry(
            "palmares.report.plots.predictions:outcome_bars", "What models predict for a system against every other."
        ),
        "judges": Entry("palmares.report.plots.judges:judge_sensitivities", "How well judges tell systems apart."),
        "segments": Entry("palmares.report.plots.segments:slope_plot", "Segments that tell systems apart most, least."),
        "information": Entry(
            "palmares.report.plots.segments:information_plot", "What segments tell about systems, against a baseline."
        ),
        "comparison": Entry(
            "palmares.report.plots.comparisons:model_comparison", "Models beside each other on held-out judgments."
        ),
        "calibration": Entry(
            "palmares.report.plots.calibration:calibration_plot", "Predicted against observed shares."
        ),
        "learning-curve": Entry(
            "palmares.report.plots.curves:curve_plot", "Models over numbers of judgments, or with noisy judges."
        ),
        "plan": Entry("palmares.report.plots.plans:plan_plot", "How many judgments a target takes."),
        "abilities": Entry(
            "palmares.report.plots.abilities:abilities_plot", "Abilities ± one sd, and who is expected to beat whom."
        ),
        "item-curves": Entry(
            "palmares.report.plots.item_curves:response_curves", "Losing, tying and winning against a baseline."
        ),
        "item-information": Entry(
            "palmares.report.plots.item_curves:item_information_plot", "A hard and an easy segment of an experiment."
        ),
        "win-ratios": Entry(
            "palmares.report.plots.win_ratios:win_ratio_plot", "Win ratios of printed and of simulated campaigns."
        ),
        "separated-pairs": Entry(
            "palmares.report.plots.win_ratios:separation_plot", "Pairs told apart, by judgments, in simulations too."
        ),
        "ranking-errors": Entry(
            "palmares.report.plots.win_ratios:ranking_error_plot", "How often ranking methods err, by judgments."
        ),
    },
)

__all__ = [
    "PLOTS",
    "abilities_plot",
    "calibration_plot",
    "cluster_curve",
    "curve_plot",
    "information_plot",
    "item_information_plot",
    "judge_sensitivities",
    "meeting_maps",
    "model_comparison",
    "outcome_bars",
    "plan_plot",
    "rank_boxes",
    "rank_ranges",
    "ranking_error_plot",
    "response_curves",
    "save",
    "score_intervals",
    "separation_plot",
    "slope_plot",
    "win_ratio_plot",
    "win_shares",
]

#: Where the public functions are: those that draw, by the registry, and the others.
_TARGETS = {
    "save": "palmares.report.plots.files:save",
    **{entry.target.partition(":")[2]: entry.target for entry in PLOTS.values()},
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'palmares.report.plots' has no attribute {name!r}")
    return getattr(import_module(_TARGETS[name].partition(":")[0]), name)
