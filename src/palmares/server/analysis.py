"""Keep the processes beside the server alive: started with it, started again when they die, ended with it.

One analyses campaigns while they run, one makes the reports that organisers ask to publish.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex

from ..campaign.live.process import NAME_VARIABLE

log = logging.getLogger("palmares.server")

#: Seconds before the first new attempt, doubled with every failure up to the longest; a process that lived longer than
#: that was a success.
_FIRST, _LONGEST = 0.5, 60.0
#: Seconds that the process has to end when the server does.
_GRACE = 5.0


@contextmanager
def analysing() -> Iterator[None]:
    """Run the analysis of the database that the environment names, and its reports, for as long as the block."""
    keepers = [
        Keeper("palmares.campaign.live", "the analysis process"),
        Keeper("palmares.server.reporting", "the process that makes reports"),
    ]
    for keeper in keepers:
        keeper.start()
    try:
        yield
    finally:
        for keeper in keepers:
            keeper.stop()


class Keeper:
    """A thread that waits for the end of a process, and starts another."""

    def __init__(self, module: str, called: str) -> None:
        self._module, self._called = module, called
        self._name = token_hex(8)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=module, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the process; it is told by the end of its standard input."""
        with self._lock:
            self._ending.set()
            process = self._process
        if process is not None and process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join()

    def _keep(self) -> None:
        pause = _FIRST
        while (process := self._started()) is not None:
            began = time.monotonic()
            status = process.wait()
            if self._ending.is_set():
                return
            pause = _FIRST if time.monotonic() - began > _LONGEST else min(2 * pause, _LONGEST)
            log.error("%s has ended with status %s; another one starts in %g s", self._called, status, pause)
            self._ending.wait(pause)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """A new process; None if there shall be no more."""
        with self._lock:
            if self._ending.is_set():
                return None
            # It looks for modules where this process does: in the working folder only if that is on our path.
            safely = [] if {"", os.getcwd()} & set(sys.path) else ["-P"]
            self._process = subprocess.Popen(
                [sys.executable, *safely, "-m", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env={**os.environ, NAME_VARIABLE: self._name},
            )
            return self._process
