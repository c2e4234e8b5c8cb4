"""Where work runs: this process, its cores, or a Dask cluster; and the random streams that never depend on it.

Public functions take an `Execution`; code below them calls its `run` and draws from its `generator`. A Dask cluster is
an executor like any other (`palmares.compute.dask.connect`); nothing else here imports Dask.
"""

from __future__ import annotations

from .execution import KINDS, Execution, ExecutorLike, Progress, cores
from .streams import ExperimentStream, RngLike, Stream, generator, seed_of

__all__ = [
    "KINDS",
    "Execution",
    "ExecutorLike",
    "ExperimentStream",
    "Progress",
    "RngLike",
    "Stream",
    "cores",
    "generator",
    "seed_of",
]
