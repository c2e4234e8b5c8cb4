"""The server as a process of its own, to be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2 as httpx
from webs import free_port

START_SECONDS = 60.0


def wait_until_healthy(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Wait until a server is fit to work; if it ends or never is, its log says why."""
    end = time.monotonic() + START_SECONDS
    while not _healthy(address):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.02)


def _healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


class ServerProcess:
    """``palmares serve`` on a free port of this machine."""

    def __init__(self, database: str, folder: Path, *options: str, port: int | None = None) -> None:
        self.port = port or free_port()
        self.log = folder / f"server-{self.port}.log"
        self._command = [sys.executable, "-m", "palmares", "serve", "--database", database, "--port", str(self.port)]
        self._command += options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> ServerProcess:
        """Start it and wait until it is fit to work."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, start_new_session=True)
        wait_until_healthy(self._process, self.address, self.log)
        return self

    def kill9(self) -> None:
        """Kill it and its workers at once; nothing of theirs gets a chance to tidy up."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End it in order."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.kill9()

    def __enter__(self) -> ServerProcess:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
