"""Many machines: a Dask cluster as an executor.

What a run shares goes to the scheduler once, as a task of its own that unpacks it on whichever worker first needs it;
the others copy it from there. Scattered data would be gone with the worker that holds it. A task is run again. The
scheduler itself sees bytes only, so it needs Dask but not this package.
"""

from __future__ import annotations

import json
import logging
import operator
import pickle
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, MissingExtraError, PalmaresError

if TYPE_CHECKING:
    from distributed import Client

#: Seconds until a scheduler that does not answer is given up, and until one without workers is.
CONNECT_SECONDS = 10.0
WORKER_SECONDS = 60.0
#: Packages on which numbers depend.
PACKAGES = ("palmares", "numpy", "scipy", "numba", "polars")
#: An adaptive Dask cluster starts small and grows with the work it is given, so there must be enough of it.
_FEWEST_SLOTS = 16
_LOGGERS = ("distributed", "distributed.client")


class DaskError(PalmaresError):
    """The Dask cluster cannot do the work, or lost it."""


@dataclass(frozen=True)
class Work:
    """What every piece of a run has in common, and the versions it was made with."""

    function: Callable[..., Any]
    shared: tuple[Any, ...]
    versions: Mapping[str, str]

    def __call__(self, packed: bytes) -> Any:
        """Do one piece, on a worker. It may have joined after the others were checked, so check again."""
        from distributed.versions import get_versions

        if wrong := _differences(self.versions, _relevant(get_versions(PACKAGES))):
            raise DaskError(f"a worker has {wrong}; {_INSTALL}")
        return self.function(*self.shared, *pickle.loads(packed))


class DaskExecutor(Executor):
    """The workers of a Dask cluster, behind the interface of `concurrent.futures`. See `connect`."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._pool = client.get_executor(pure=False)

    @cached_property
    def versions(self) -> dict[str, str]:
        """The versions here, after making sure that every worker has them too."""
        return _checked_versions(self.client)

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return str(self.client.scheduler.address)

    def slots(self) -> int:
        """How many pieces can run at once, now or when the Dask cluster has grown."""
        threads: int = sum(self.client.nthreads().values())
        return max(_FEWEST_SLOTS, threads)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """One call, on some worker."""
        future: Future[Any] = self._pool.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work. The Dask cluster itself goes on."""
        self._pool.shutdown(wait=wait and not cancel_futures)

    @contextmanager
    def sharing(self, function: Callable[..., Any], shared: tuple[Any, ...]) -> Iterator[Callable[..., Future[Any]]]:
        """A ``submit`` of pieces of ``function(*shared, *piece)``; an error or an interrupt cancels them all."""
        import cloudpickle

        # Not pure: keys are random, so that nothing is hashed and no run can touch another's results.
        pool = self.client.get_executor(pure=False)
        work = self._sent(cloudpickle.dumps(Work(function, shared, self.versions)))
        try:
            yield lambda *piece: pool.submit(operator.call, work, cloudpickle.dumps(piece))
        except BaseException as error:
            pool.shutdown(wait=False)  # one message cancels every piece, where each future's own `cancel` sends one
            if problem := self._problem(error):
                raise DaskError(f"Dask cluster {self.address}: {problem}") from error
            raise
        finally:
            work.release()

    def _sent(self, packed: bytes) -> Any:
        import dask

        # Dask would warn of large tasks, since it does not know that this one is sent once.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": len(packed) + 10_000_000}):
            return self.client.submit(pickle.loads, packed, pure=False)

    def _problem(self, error: BaseException) -> str | None:
        """What to say of an error that Dask raised; None for those of the work itself."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return (
                "a piece of work was lost with its worker too many times; perhaps the workers have too little memory: "
                "see their logs, or start them with a higher --memory-limit"
            )
        if isinstance(error, CancelledError):
            return "lost the connection to the scheduler, and the work with it; see the scheduler's log, and run again"
        if isinstance(error, ModuleNotFoundError):
            return f"a worker cannot load the work ({error}); {_INSTALL}"
        return None


_INSTALL = "numbers could differ: install the same versions on every worker as here"


@contextmanager
def connect(
    scheduler: str | Path,
    *,
    timeout: float | None = None,
    wait: float | None = None,
    notify: Callable[[str], None] | None = None,
) -> Iterator[DaskExecutor]:
    """Connect to a Dask cluster, for the time of a ``with`` block; it is then the ``executor`` of an `Execution`.

    Parameters
    ----------
    scheduler : str or Path
        Address of the scheduler (``tcp://host:8786``), or the file that ``dask scheduler --scheduler-file`` wrote.
    timeout : float, optional
        Seconds until a scheduler that does not answer is given up. Default 10.
    wait : float, optional
        Seconds to wait for a first worker. Default 60.
    notify : callable, optional
        Called with a message if there is a wait.

    Examples
    --------
    >>> with palmares.dask.connect("tcp://10.0.0.7:8786") as executor:  # doctest: +SKIP
    ...     ranking = palmares.rank(judgments, execution=palmares.Execution(executor))
    """
    address = scheduler_address(scheduler)
    with _quiet():
        client = _client(address, CONNECT_SECONDS if timeout is None else timeout)
        try:
            _await_worker(client, address, WORKER_SECONDS if wait is None else wait, notify)
            executor = DaskExecutor(client)
            _ = executor.versions  # now, not when the data have been read
            yield executor
        finally:
            client.close()


def scheduler_address(scheduler: str | Path) -> str:
    """The address itself, or the one that a scheduler file holds."""
    if "://" in str(scheduler):
        return str(scheduler)
    allowed = "allowed: the address of a Dask scheduler (tcp://HOST:PORT), or the scheduler file it wrote"
    try:
        text = Path(scheduler).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text"
        raise InputError(f"dask: got {str(scheduler)!r}, which cannot be read ({reason}); {allowed}") from None
    try:
        return str(json.loads(text)["address"])
    except (ValueError, TypeError, KeyError):
        raise InputError(
            f"dask: got {str(scheduler)!r}, which is not a scheduler file (no 'address'); {allowed}"
        ) from None


def _client(address: str, timeout: float) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("work on a Dask cluster", "dask", "distributed") from None
    try:
        return Client(address, timeout=timeout, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        reason = f"no answer in {timeout:g} s" if isinstance(error, OSError) else str(error)
        raise DaskError(
            f"dask: cannot connect to {address} ({reason}); is a scheduler running there, and is its port open?"
        ) from None


def _await_worker(client: Client, address: str, wait: float, notify: Callable[[str], None] | None) -> None:
    if client.nthreads():
        return
    if notify is not None:
        notify(f"waiting for a worker of {address}")
    # A task, because an adaptive Dask cluster starts no worker before there is work.
    first = client.submit(operator.truth, True, pure=False)
    try:
        first.result(timeout=wait)
    except TimeoutError:
        raise DaskError(
            f"Dask cluster {address}: no worker joined in {wait:g} s; start some with: dask worker {address}"
        ) from None


def _checked_versions(client: Client) -> dict[str, str]:
    """The versions here, which all workers must have too."""
    reported = client.get_versions(packages=PACKAGES)
    here = _relevant(reported["client"])
    wrong = {worker: _differences(here, _relevant(info)) for worker, info in reported["workers"].items()}
    faults = [f"worker {worker} has {text}" for worker, text in sorted(wrong.items()) if text]
    if faults:
        more = f" (and {len(faults) - 1} more workers)" if len(faults) > 1 else ""
        raise DaskError(f"Dask cluster {client.scheduler.address}: {faults[0]}{more}; {_INSTALL}")
    return here


def _relevant(info: Mapping[str, Any]) -> dict[str, str]:
    """Of what Dask knows of an installation, the versions that matter here."""
    python = ".".join(info["packages"]["python"].split(".")[:2])
    return {"python": python, **{name: info["packages"][name] or "missing" for name in PACKAGES}}


def _differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {there[name]} (here {here[name]})" for name in here if there[name] != here[name])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's logs off standard error: what matters of them is raised."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
