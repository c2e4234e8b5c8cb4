"""Measuring and reporting."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from statistics import median

RESULTS = Path(__file__).parent / "results"

# Peak memory is VmHWM: ru_maxrss would also count the process that started this one.
_MEASURE = """
import json, re, time
{setup}
start = time.perf_counter()
{statement}
seconds = time.perf_counter() - start
peak = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(json.dumps([seconds, peak]))
"""


def measure(statement: str, *, setup: str = "", repeats: int = 3) -> tuple[float, float]:
    """Median seconds of a statement and the largest peak memory (MiB), each run in a fresh interpreter."""
    code = _MEASURE.format(setup=setup, statement=statement)
    runs = [json.loads(_run([sys.executable, "-c", code])) for _ in range(repeats)]
    return median(r[0] for r in runs), max(r[1] for r in runs)


def measure_command(command: Sequence[str], *, repeats: int = 5) -> float:
    """Median wall-clock seconds of a whole command, start-up included, after one run to fill caches."""
    code = (
        "import subprocess, time, sys\n"
        "start = time.perf_counter()\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(time.perf_counter() - start)"
    )
    times = [float(_run([sys.executable, "-c", code, *command])) for _ in range(repeats + 1)]
    return median(times[1:])


def report(
    name: str,
    title: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    notes: Sequence[str],
    *,
    keep: bool = True,
) -> None:
    """Print a table and, unless it is only a first look, keep it in ``benchmarks/results``."""
    lines = [f"# {title}", "", machine(), "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(_shown(cell) for cell in row) + " |" for row in rows]
    lines += ["", *notes, ""]
    text = "\n".join(lines)
    print(text, flush=True)
    if keep:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")


def machine() -> str:
    """The date, and what it ran on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    return f"{date.today().isoformat()}, {cores} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _shown(cell: object) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)
