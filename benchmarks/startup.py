"""The command line, start-up included, against an interpreter that does nothing but import what is needed."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .common import measure_command, report
from .data import pairwise_csv


def main() -> None:
    palmares = [sys.executable, "-m", "palmares"]
    nothing = measure_command([sys.executable, "-c", "pass"])
    imports = measure_command([sys.executable, "-c", "import numpy, polars, scipy.sparse"])
    with tempfile.TemporaryDirectory() as folder:
        path = str(pairwise_csv(Path(folder) / "judgments.csv", 100_000))
        rows = [
            ["`palmares --help`", measure_command([*palmares, "--help"]), "`python -c pass`", nothing],
            ["`palmares rank`, 100,000 judgments, 1000 resamples", measure_command([*palmares, "rank", path]),
             "`import numpy, polars, scipy.sparse`", imports],
            ["`palmares rank --resample pair`", measure_command([*palmares, "rank", path, "--resample", "pair"]),
             "`import numpy, polars, scipy.sparse`", imports],
        ]  # fmt: skip
    report(
        "startup",
        "Whole commands, start-up included, second run and later",
        ["command", "seconds", "peer", "peer seconds", "ratio"],
        [[*row, row[1] / row[3]] for row in rows],
        ["Targets: `--help` under 0.25 s, `rank` under 2 s."],
    )


if __name__ == "__main__":
    main()
