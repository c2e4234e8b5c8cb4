"""Computations that take seconds, beside those that must not wait: one at a time, and a long pause after each."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

log = logging.getLogger("palmares.campaign")

#: A pause is so many times as long as the computation took: what can wait has a quarter of a core.
_PAUSE = 3.0


@dataclass(frozen=True)
class Done:
    """What came out: of which job, and the result; None if it failed, which the log explains."""

    job: Any
    result: Any


class Aside:
    """A thread for one job at a time; numerics let others run meanwhile."""

    def __init__(self) -> None:
        self._job: Any = None
        self._result: Any = None
        self._thread: threading.Thread | None = None
        self._pause_until = 0.0

    @property
    def is_free(self) -> bool:
        return self._thread is None and time.monotonic() >= self._pause_until

    def begin(self, job: Any, work: Callable[[], Any]) -> None:
        """Start a job; only one that is free is asked to."""
        self._job, self._result = job, None
        self._thread = threading.Thread(target=self._run, args=(work,), name="palmares-aside", daemon=True)
        self._thread.start()

    def done(self) -> Done | None:
        """The job that has ended since this was asked last."""
        if self._thread is None or self._thread.is_alive():
            return None
        self._thread = None
        return Done(self._job, self._result)

    def _run(self, work: Callable[[], Any]) -> None:
        began = time.monotonic()
        try:
            self._result = work()
        except Exception:
            log.exception("a part of the results could not be made")
        self._pause_until = time.monotonic() + _PAUSE * (time.monotonic() - began)
