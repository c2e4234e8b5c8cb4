"""Threads and processes of this machine that stop when they are told to.

A pool of the standard library finishes the tasks it has begun, so Ctrl-C would take as long as the longest of them.
Each function here gives a ``submit``; if its block is left by an error or an interrupt, what runs is stopped too.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

Submit = Callable[..., Future[Any]]


@contextmanager
def cancelling(pool: Executor) -> Iterator[Submit]:
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
def threads(workers: int) -> Iterator[Submit]:
    """Submit to new threads."""
    running = _Running()
    with ThreadPoolExecutor(workers) as pool, cancelling(pool) as submit:
        try:
            yield lambda function, *arguments: submit(running.call, function, arguments)
        except BaseException:
            running.stop()
            raise


@contextmanager
def processes(workers: int, function: Callable[..., Any], shared: tuple[Any, ...]) -> Iterator[Submit]:
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
