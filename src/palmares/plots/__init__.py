"""Plots: one function a plot, one theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .files import save
    from .predictions import outcome_bars
    from .ranges import rank_ranges

__all__ = ["outcome_bars", "rank_ranges", "save"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'palmares.plots' has no attribute {name!r}")
    module = {"outcome_bars": "predictions", "rank_ranges": "ranges", "save": "files"}[name]
    return getattr(import_module(f"{__name__}.{module}"), name)
