"""Plots: one function per plot, one theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

__all__ = [
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

_MODULES = {
    "calibration_plot": "calibration",
    "curve_plot": "curves",
    "information_plot": "segments",
    "judge_sensitivities": "judges",
    "model_comparison": "comparisons",
    "outcome_bars": "predictions",
    "plan_plot": "plans",
    "rank_ranges": "ranges",
    "save": "files",
    "slope_plot": "segments",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'palmares.report.plots' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
