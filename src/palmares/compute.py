"""Where work runs: this process, its cores, or somebody else's.

The one layer of parallelism. Work is a picklable function and a list of argument tuples; it runs through the
standard `concurrent.futures.Executor` interface, so a Dask client's ``get_executor()`` fits as well as a
thread pool. What comes back never depends on where it ran.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from .errors import InputError

T = TypeVar("T")

#: None means threads: compiled code and numpy release the interpreter lock.
ExecutorLike = Executor | Literal["serial", "threads", "processes"] | None
#: Called with (done, total) after every finished piece.
Progress = Callable[[int, int], None]

KINDS = ("serial", "threads", "processes")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    function: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
    *,
    executor: ExecutorLike = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """``[function(*task) for task in tasks]``, wherever ``executor`` says, in the order of ``tasks``.

    An interrupt or an error cancels what has not begun; an executor that was passed in stays open.
    """
    if workers is not None and workers < 1:
        raise InputError(f"workers: got {workers}; allowed: at least 1")
    if executor == "serial" or (executor is None and len(tasks) == 1):
        return _serial(function, tasks, progress)
    with _open(executor, workers) as pool:
        futures = [pool.submit(function, *task) for task in tasks]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                if progress is not None:
                    progress(done, len(tasks))
        except BaseException:
            for future in futures:
                future.cancel()
            raise
        return [future.result() for future in futures]


def _serial(function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], progress: Progress | None) -> list[T]:
    results = []
    for done, task in enumerate(tasks, 1):
        results.append(function(*task))
        if progress is not None:
            progress(done, len(tasks))
    return results


@contextmanager
def _open(executor: ExecutorLike, workers: int | None) -> Iterator[Executor]:
    if executor is None or executor == "threads":
        with ThreadPoolExecutor(workers or cores()) as pool:
            yield pool
    elif executor == "processes":
        # Spawned, not forked: a fork copies locks that other threads hold.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers or cores(), mp_context=context) as pool:
            yield pool
    elif hasattr(executor, "submit"):
        yield executor  # type: ignore[misc]
    else:
        raise InputError(f"executor: got {executor!r}; allowed: {', '.join(KINDS)}, or an Executor object")
