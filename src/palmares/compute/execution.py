"""Where work runs: this process, its cores, or somebody else's.

The one layer of parallelism. Work is a picklable function and a list of argument tuples; it runs through the
standard `concurrent.futures.Executor` interface, here or on a Dask cluster (`palmares.compute.dask`). What comes back
never depends on where it ran.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar, Union

import numpy as np

from ..errors import InputError
from . import dask as cluster
from . import pools
from .streams import RngLike, generator, seed_of

T = TypeVar("T")

#: None means threads: compiled code and numpy release the interpreter lock.
ExecutorLike: TypeAlias = Union[Executor, "cluster.Client", Literal["serial", "threads", "processes"], None]
#: Called with (done, total) after every finished piece.
Progress = Callable[[int, int], None]

KINDS = ("serial", "threads", "processes")


@dataclass(frozen=True)
class Execution:
    """Where work runs, who is told how far it has come, and the seed of all that is random in it.

    Attributes
    ----------
    executor
        ``threads`` (the default), ``processes``, ``serial``, or any `concurrent.futures.Executor`, a Dask cluster
        among them (`palmares.dask.connect`). It never changes a result.
    workers
        How many pieces run at once; as many as there are cores if None.
    progress
        Called with (done, total) after every finished piece.
    seed
        What every random stream is made from; None draws one, which results then name.
    """

    executor: ExecutorLike = None
    workers: int | None = None
    progress: Progress | None = field(default=None, repr=False)
    seed: int | None = None

    @classmethod
    def prepared(cls, given: Execution | None, rng: RngLike) -> Execution:
        """What a public function was given, with a seed: ``rng``'s, else the execution's own, else a new one."""
        execution = given or cls()
        if rng is not None and execution.seed is not None:
            raise InputError("got a seed twice: as rng= and in execution=; leave out one of them")
        return replace(execution, seed=seed_of(execution.seed if rng is None else rng))

    @property
    def slots(self) -> int:
        """How many pieces can run at once, by which work is cut up."""
        return slots(self.executor, self.workers)

    def run(
        self, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], *, shared: tuple[Any, ...] = ()
    ) -> list[T]:
        """``[function(*shared, *task) for task in tasks]``, wherever this says, in the order of ``tasks``."""
        return run(function, tasks, shared=shared, executor=self.executor, workers=self.workers, progress=self.progress)

    def generator(self, *key: int) -> np.random.Generator:
        """The generator of one `Stream` and piece of work."""
        assert self.seed is not None  # `prepared` gave it one
        return generator(self.seed, *key)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def slots(executor: ExecutorLike, workers: int | None) -> int:
    """How many tasks can run at once there, by which work is cut up."""
    _check(workers)
    if workers is not None:
        return workers
    if cluster.is_client(executor):
        return cluster.Cluster(executor).slots()
    return executor.slots() if isinstance(executor, cluster.Cluster) else cores()


def run(
    function: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
    *,
    shared: tuple[Any, ...] = (),
    executor: ExecutorLike = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """``[function(*shared, *task) for task in tasks]``, wherever ``executor`` says, in the order of ``tasks``.

    What is ``shared`` is sent to other processes and machines once, not with every task. An interrupt or an error
    cancels what has not begun; an executor that was passed in stays open.
    """
    _check(workers)
    if executor == "serial" or (executor is None and len(tasks) == 1):
        return _serial(function, tasks, shared, progress)
    with _open(executor, workers, function, shared) as submit:
        futures = [submit(*task) for task in tasks]
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            if progress is not None:
                progress(done, len(tasks))
        return [future.result() for future in futures]


def _check(workers: int | None) -> None:
    if workers is not None and workers < 1:
        raise InputError(f"workers: got {workers}; allowed: at least 1")


def _serial(
    function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], shared: tuple[Any, ...], progress: Progress | None
) -> list[T]:
    results = []
    for done, task in enumerate(tasks, 1):
        results.append(function(*shared, *task))
        if progress is not None:
            progress(done, len(tasks))
    return results


@contextmanager
def _open(
    executor: ExecutorLike, workers: int | None, function: Callable[..., T], shared: tuple[Any, ...]
) -> Iterator[Callable[..., Future[T]]]:
    """A function that submits one task; what was submitted is cancelled if the block is left by an error."""
    if cluster.is_client(executor):
        executor = cluster.Cluster(executor)
    if isinstance(executor, cluster.Cluster):
        with executor.sharing(function, shared) as submit:
            yield submit
    elif executor is None or executor == "threads":
        with pools.threads(workers or cores()) as submit:
            yield lambda *task: submit(function, *shared, *task)
    elif executor == "processes":
        with pools.processes(workers or cores(), function, shared) as submit:
            yield submit
    elif isinstance(executor, Executor):
        with pools.cancelling(executor) as submit:
            yield lambda *task: submit(function, *shared, *task)
    else:
        raise InputError(f"executor: got {executor!r}; allowed: {', '.join(KINDS)}, or an Executor object")
