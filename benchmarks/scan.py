"""`scan`: a file straight to pair counts, against polars only counting nulls."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .common import measure, report
from .data import pairwise_csv

_POLARS = 'pl.scan_csv({path!r}).select(pl.all().null_count()).collect(engine="streaming")'


def main() -> None:
    small = int(os.environ.get("PALMARES_BENCH_ROWS", 10_000_000))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (small, 10 * small):
            path = str(pairwise_csv(Path(folder) / "judgments.csv", count))
            size = Path(path).stat().st_size / 1e9
            measure(_POLARS.format(path=path), setup="import polars as pl", repeats=1)  # fill the file cache
            peer, peer_memory = measure(_POLARS.format(path=path), setup="import polars as pl")
            ours, our_memory = measure(f"pm.scan({path!r})", setup="import palmares as pm; pm.scan")
            rows.append([f"{count:,}", f"{size:.2f}", ours, peer, ours / peer, round(our_memory), round(peer_memory)])
    growth = rows[1][5] / rows[0][5]
    report(
        "scan",
        "Streaming a pairwise CSV to pair counts",
        ["rows", "GB", "`pm.scan` s", "polars null count s", "ratio", "`pm.scan` peak MiB", "polars peak MiB"],
        rows,
        [
            f"Peak memory of `pm.scan` at ten times the rows: {growth:.2f} ×. Targets: ratio ≤ 1.5, growth ≤ 1.3.",
            'Peer: `polars.scan_csv(f).select(pl.all().null_count()).collect(engine="streaming")`, same run.',
        ],
    )


if __name__ == "__main__":
    main()
