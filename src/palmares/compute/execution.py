"""`Execution`: where work runs, here or on somebody else's machines, and the seed of what is random in it.

The one layer of parallelism. Work is a picklable function and a list of argument tuples; it runs through the standard
`concurrent.futures.Executor` interface, in this process, on its cores, or on a Dask cluster (`palmares.dask`, which is
imported only for one). What comes back never depends on where it ran.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Union

import numpy as np

from ..errors import InputError
from .streams import RngLike, generator, seed_of

if TYPE_CHECKING:
    from distributed import Client

    from .dask import DaskExecutor

T = TypeVar("T")

#: None means threads: compiled code and numpy release the interpreter lock.
ExecutorLike: TypeAlias = Union[Executor, "Client", Literal["serial", "threads", "processes"], None]
#: Called with (done, total) after every finished piece.
Progress = Callable[[int, int], None]
_Submit = Callable[..., Future[Any]]

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

    def __post_init__(self) -> None:
        if self.workers is not None and not (isinstance(self.workers, int | np.integer) and self.workers >= 1):
            raise InputError(f"workers: got {self.workers!r}; allowed: at least 1")
        if self.seed is not None and not (isinstance(self.seed, int | np.integer) and self.seed >= 0):
            raise InputError(f"seed: got {self.seed!r}; allowed: a whole number of at least 0; None draws one")
        known = self.executor is None or isinstance(self.executor, Executor)
        known = known or (isinstance(self.executor, str) and self.executor in KINDS)
        if not known and _dask_executor(self.executor) is None:
            raise InputError(f"executor: got {self.executor!r}; allowed: {', '.join(KINDS)}, or an Executor object")

    @classmethod
    def prepared(cls, given: Execution | None, rng: RngLike) -> Execution:
        """What a public function was given, with a seed: ``rng``'s, else the execution's own, else a new one."""
        if not isinstance(given, cls | None):
            raise InputError(f"execution: got {given!r}; allowed: palmares.Execution(…), such as Execution('serial')")
        execution = given or cls()
        if rng is not None and execution.seed is not None:
            raise InputError(
                f"got two seeds: rng={rng!r}, and {execution.seed} in execution=; allowed: one; leave out either"
            )
        return replace(execution, seed=seed_of(execution.seed if rng is None else rng))

    @property
    def slots(self) -> int:
        """How many pieces can run at once, by which work is cut up."""
        if self.workers is not None:
            return self.workers
        dask = _dask_executor(self.executor)
        return cores() if dask is None else dask.slots()

    def run(
        self, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], *, shared: tuple[Any, ...] = ()
    ) -> list[T]:
        """``[function(*shared, *task) for task in tasks]``, wherever this says, in the order of ``tasks``.

        What is ``shared`` is sent to other processes and machines once, not with every task. An interrupt or an error
        cancels what has not begun; an executor that was passed in stays open.
        """
        if self.executor == "serial" or (self.executor is None and len(tasks) == 1):
            results = []
            for done, task in enumerate(tasks, 1):
                results.append(function(*shared, *task))
                self._tell(done, len(tasks))
            return results
        with self._opened(function, shared) as submit:
            futures = [submit(*task) for task in tasks]
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                self._tell(done, len(tasks))
            return [future.result() for future in futures]

    def generator(self, *key: int) -> np.random.Generator:
        """The generator of one `Stream` and piece of work."""
        assert self.seed is not None  # `prepared` gave it one
        return generator(self.seed, *key)

    def _tell(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(done, total)

    @contextmanager
    def _opened(self, function: Callable[..., T], shared: tuple[Any, ...]) -> Iterator[Callable[..., Future[T]]]:
        """A function that submits one task; what was submitted is cancelled if the block is left by an error."""
        executor = self.executor
        if (dask := _dask_executor(executor)) is not None:
            with dask.sharing(function, shared) as submit:
                yield submit
        elif executor == "processes":
            with _processes(self.workers or cores(), function, shared) as submit:
                yield submit
        else:
            pool = _cancelling(executor) if isinstance(executor, Executor) else _threads(self.workers or cores())
            with pool as submit:
                yield lambda *task: submit(function, *shared, *task)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _dask_executor(executor: object) -> DaskExecutor | None:
    """The Dask cluster that this is, or that it is a client of; asked without importing Dask to find out."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    from .dask import DaskExecutor

    if isinstance(executor, DaskExecutor):
        return executor
    return DaskExecutor(executor) if isinstance(executor, distributed.Client) else None


# -- threads and processes of this machine that stop when they are told to ----------------------------
#
# A pool of the standard library finishes the tasks it has begun, so Ctrl-C would take as long as the longest of them.
# Each function here gives a ``submit``; if its block is left by an error or an interrupt, what runs is stopped too.


@contextmanager
def _cancelling(pool: Executor) -> Iterator[_Submit]:
    """Submit to somebody's pool, which stays open: only what has not begun is cancelled."""
    futures: list[Future[Any]] = []

    def submit(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        futures.append(pool.submit(function, *arguments))
        return futures[-1]

    try:
        yield submit
    except BaseException:
        for future in futures:
            future.cancel()
        raise


@contextmanager
def _threads(workers: int) -> Iterator[_Submit]:
    """Submit to new threads."""
    running = _Running()
    with ThreadPoolExecutor(workers) as pool, _cancelling(pool) as submit:
        try:
            yield lambda function, *arguments: submit(running.call, function, arguments)
        except BaseException:
            running.stop()
            raise


@contextmanager
def _processes(workers: int, function: Callable[..., Any], shared: tuple[Any, ...]) -> Iterator[_Submit]:
    """Submit tasks of one function to new processes, which are sent the function and what tasks share once each."""
    # Spawned, not forked: a fork copies locks that other threads hold.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_receive, initargs=(function, shared))

    def submit(*task: Any) -> Future[Any]:
        with _shielded():
            return pool.submit(_do, task)

    with pool:
        try:
            yield submit
        except BaseException:
            # No future is cancelled: the pool fails those that its processes leave, and trips over cancelled ones.
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise


class _Stopped(BaseException):
    """Raised in a thread whose result nobody waits for."""


class _Running:
    """The threads that are at work, and a way to stop them between two steps of the interpreter."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: set[int] = set()
        self._stopped = False

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        with self._lock:
            if self._stopped:
                raise _Stopped
            self._threads.add(threading.get_ident())
        try:
            return function(*arguments)
        finally:
            # Under the lock, so that no thread is stopped that has gone on to something else.
            with self._lock:
                self._threads.discard(threading.get_ident())

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for thread in self._threads:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Stopped))


@contextmanager
def _shielded() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: it is sent to all of a terminal, and the one that waits decides."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


#: In a process of a pool: the function it was started for, and what its tasks share.
_received: list[Any] = []


def _receive(function: Callable[..., Any], shared: tuple[Any, ...]) -> None:
    _received[:] = [function, shared]


def _do(task: tuple[Any, ...]) -> Any:
    function, shared = _received
    return function(*shared, *task)
