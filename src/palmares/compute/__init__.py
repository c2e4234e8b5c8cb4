"""Where work runs: this process, its cores, or a Dask cluster."""

from __future__ import annotations

from .execution import KINDS, ExecutorLike, Progress, cores, run, slots

__all__ = ["KINDS", "ExecutorLike", "Progress", "cores", "run", "slots"]
