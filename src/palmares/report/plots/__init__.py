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
    from .calibration import calibration_plot
    from .comparisons import model_comparison
    from .curves import curve_plot
    from .files import save
    from .judges import judge_sensitivities
    from .plans import plan_plot
    from .predictions import outcome_bars
    from .ranges import rank_ranges
    from .segments import information_plot, slope_plot

#: Every plot: the function that draws it, and what it shows. In the order that help and the gallery have.
PLOTS = Registry(
    "plot",
    {
        "ranges": Entry("palmares.report.plots.ranges:rank_ranges", "Rank ranges and clusters of systems."),
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
    },
)

__all__ = [
    "PLOTS",
    "calibration_plot",
    "curve_plot",
    "information_plot",
    "judge_sensitivities",
    "model_comparison",
    "outcome_bars",
    "plan_plot",
    "rank_ranges",
    "save",
    "slope_plot",
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
