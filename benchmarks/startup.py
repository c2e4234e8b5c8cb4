"""The command line, start-up included: once everything is in place, and the first time after an install."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import palmares

from .common import measure_command, report
from .data import pairwise_csv

_ROOT = Path(__file__).parent.parent
_CAMPAIGN = str(_ROOT / "examples" / "campaign.csv")


def main() -> None:
    _later_runs()
    _first_runs()


def _later_runs() -> None:
    command = [sys.executable, "-m", "palmares"]
    nothing = measure_command([sys.executable, "-c", "pass"])
    imports = measure_command([sys.executable, "-c", "import numpy, polars, scipy.sparse"])
    with tempfile.TemporaryDirectory() as folder:
        path = str(pairwise_csv(Path(folder) / "judgments.csv", 100_000))
        rows = [
            ["`palmares --help`", measure_command([*command, "--help"]), "`python -c pass`", nothing],
            ["`palmares rank`, 100,000 judgments, 1000 resamples", measure_command([*command, "rank", path]),
             "`import numpy, polars, scipy.sparse`", imports],
            ["`palmares rank --resample pair`", measure_command([*command, "rank", path, "--resample", "pair"]),
             "`import numpy, polars, scipy.sparse`", imports],
        ]  # fmt: skip
    report(
        "startup",
        "Whole commands, start-up included, second run and later",
        ["command", "seconds", "peer", "peer seconds", "ratio"],
        [[*row, row[1] / row[3]] for row in rows],
        ["Targets: `--help` under 0.25 s, `rank` under 2 s."],
    )


def _first_runs() -> None:
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for state, model, runs in (
            ("as pip leaves it", "bradley-terry", 3),
            ("no bytecode", "bradley-terry", 3),
            ("as pip leaves it", "hopkins-may", 1),
        ):
            pairs = [_first_and_second(Path(folder), model, bytecode=state != "no bytecode") for _ in range(runs)]
            first, second = (median(times) for times in zip(*pairs, strict=True))
            rows.append(
                [f"`palmares rank examples/campaign.csv --model {model}`", state, first, second, first / second]
            )
    report(
        "first-run",
        "The first ranking after an install",
        ["command", "installed packages", "first", "second", "ratio"],
        rows,
        [
            "Processor seconds, which other work on the machine changes little; medians of three runs, and one of "
            "`hopkins-may`. The first run finds nothing compiled by numba. pip compiles packages to bytecode as "
            "it installs them; uv leaves that to the first run, unless told `--compile-bytecode`. The standard library "
            "has its bytecode in both. `bradley-terry` is the default model. Target for it: 2.",
        ],
    )


def _first_and_second(folder: Path, model: str, *, bytecode: bool) -> tuple[float, float]:
    """Processor seconds of two runs, one after the other, of which the first finds nothing that numba compiled."""
    prefix, cache = folder / model, folder / "numba"
    shutil.rmtree(cache, ignore_errors=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"NUMBA_CACHE_DIR": str(cache), "PYTHONPYCACHEPREFIX": str(prefix)}
    environment["PYTHONPATH"] = str(Path(palmares.__file__).parent.parent)
    command = [sys.executable, "-m", "palmares", "rank", _CAMPAIGN, "--model", model]

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, env=environment, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    if not prefix.exists():
        seconds()  # bytecode of everything, the standard library included
        shutil.rmtree(cache, ignore_errors=True)
    if not bytecode:
        for installed in (Path(sys.prefix), Path(palmares.__file__).parent):
            shutil.rmtree(prefix.joinpath(*installed.resolve().parts[1:]), ignore_errors=True)
    return seconds(), seconds()


if __name__ == "__main__":
    main()
