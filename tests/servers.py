"""The server as a process of its own, to be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
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


def _running() -> Iterator[tuple[int, int]]:
    """Process ids and the leaders of their groups, but for zombies."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, group = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
            if state != "Z":
                yield int(folder.name), int(group)


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


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

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def group(self) -> list[int]:
        """Every process that runs and was started by this one, by its children and so on, and itself."""
        return [pid for pid, leader in _running() if leader == self.pid]

    def workers(self) -> list[int]:
        return [pid for pid in self.group() if pid != self.pid and b"spawn_main" in _command(pid)]

    def kill_parent(self) -> None:
        """Kill the first process alone."""
        os.kill(self.pid, signal.SIGKILL)
        assert self._process is not None
        self._process.wait()

    def status(self) -> int:
        """The exit status of the first process, once it has ended."""
        assert self._process is not None
        return self._process.wait(timeout=START_SECONDS)

    def wait_until_ended(self) -> None:
        """Wait until no process of the group is left."""
        end = time.monotonic() + START_SECONDS
        while self.group():
            assert time.monotonic() < end, f"still there: {self.group()}\n{self.log.read_text()}"
            time.sleep(0.02)

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
        if self._process is not None:  # a test that failed may have left some of the group
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def __enter__(self) -> ServerProcess:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
