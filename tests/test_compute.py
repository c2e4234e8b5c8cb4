"""Where work runs, on this machine: Ctrl-C stops it at once, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from palmares import cli, compute
from palmares.errors import InputError

#: Tasks that would never end, each of which says that it has begun.
ENDLESS = """
import os, sys, time
from pathlib import Path
from palmares import compute

def task(folder, number):
    Path(folder, str(os.getpid())).with_suffix(f".{number}").touch()
    while True:
        time.sleep(0.01)

if __name__ == "__main__":
    try:
        compute.Execution(sys.argv[2], 2).run(task, [(n,) for n in range(6)], shared=(sys.argv[1],))
    except KeyboardInterrupt:
        print("interrupted")
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(("kind", "begun"), [("serial", 1), ("threads", 2), ("processes", 2)])
def test_an_interrupt_stops_what_runs(tmp_path: Path, kind: str, begun: int) -> None:
    script, folder = tmp_path / "endless.py", tmp_path / "begun"
    script.write_text(ENDLESS, encoding="utf-8")
    folder.mkdir()
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, script, folder, kind], stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )
    while len(list(folder.iterdir())) < begun:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the command
    assert process.communicate(timeout=60) == ("interrupted\n", "")
    assert process.returncode == 0
    assert len(list(folder.iterdir())) == begun  # no other task has begun
    assert not any(alive(int(path.stem)) for path in folder.iterdir())


def test_an_error_stops_the_other_tasks_too(tmp_path: Path) -> None:
    script, folder = tmp_path / "endless.py", tmp_path / "begun"
    folder.mkdir()
    script.write_text(ENDLESS.replace("    while True", "    assert number\n    while True"), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, script, folder, "threads"], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.stderr.splitlines()[-1] == "AssertionError"


@pytest.mark.parametrize("where", ["serial", "threads", "processes", None])
def test_what_is_shared_comes_before_what_is_not(where: Any) -> None:
    found = compute.Execution(where).run(divmod, [(2,), (3,)], shared=(7,))
    assert found == [(3, 1), (2, 1)]


@pytest.mark.parametrize("workers", [0, -1])
def test_there_is_at_least_one_worker(workers: int) -> None:
    with pytest.raises(InputError, match=f"workers: got {workers}; allowed: at least 1"):
        compute.Execution(workers=workers)


@pytest.mark.parametrize("seed", [-1, 1.5, "seven"])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(InputError, match=f"seed: got {seed!r}; allowed: a whole number of at least 0"):
        compute.Execution(seed=seed)


def test_an_execution_is_no_word() -> None:
    with pytest.raises(InputError, match=r"execution: got 'serial'; allowed: palmares.Execution\(…\)"):
        compute.Execution.prepared("serial", None)


def test_an_interrupt_of_compiled_code_is_an_interrupt(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def interrupted(**_: object) -> None:
        # What CPython makes of Ctrl-C when a compiled function returns.
        try:
            raise SystemError from KeyboardInterrupt()
        except SystemError as error:
            raise SystemError("returned a result with an exception set") from error

    monkeypatch.setattr(cli.cli, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == 1
    assert capsys.readouterr().err == "\nAborted!\n"


def test_a_full_disk_is_no_traceback() -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "palmares", "models"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("palmares: error: what is printed cannot be written (No space left")
    assert "Traceback" not in done.stderr


def test_another_system_error_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise SystemError("broken")

    monkeypatch.setattr(cli.cli, "main", broken)
    with pytest.raises(SystemError, match="broken"):
        cli.main([])


@pytest.mark.parametrize("rng", [-1, "seven", 1.5])
def test_a_seed_that_is_none(rng: Any) -> None:
    with pytest.raises(InputError, match=r"rng: got .*; allowed: a whole number of at least 0, a numpy Generator"):
        compute.seed_of(rng)


def test_a_seed_is_given_once() -> None:
    with pytest.raises(InputError, match=r"got two seeds: rng=3, and 0 in execution=; allowed: one; leave out either"):
        compute.Execution.prepared(compute.Execution(seed=0), 3)
