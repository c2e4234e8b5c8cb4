"""How far the uncertainty that a ranking prints can be trusted: ``python -m benchmarks uncertainty --help``.

A study rather than a benchmark. Campaigns from two generators (`uncertainty_normal`, `uncertainty_plan`) are ranked by
`palmares.rank` with every unit; what it prints is held against the truth (`uncertainty_measures`). Results are kept as
they come, one line for each campaign and unit, so a run that was stopped goes on where it was; results of other code
or other cells are left aside. Tables, and pictures for the docs, are made from what is kept (`uncertainty_tables`,
`uncertainty_plots`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import palmares as pm
from palmares.errors import InputError

from .uncertainty_cells import UNITS, Cell, chosen
from .uncertainty_measures import measures

#: Campaign by campaign, which is too much to keep with the code.
STORE = Path(__file__).parent.parent / "build" / "uncertainty"
RESAMPLES = 400
#: The parts of the library that decide what a ranking says.
_DECIDING = ("judgments", "ranking", "models", "kernels", "compute", "design/simulate.py")


def main(arguments: Sequence[str] = ()) -> None:
    """Draw and rank what is missing, then print the tables."""
    options = _options(arguments)
    cells = chosen(options.cells, options.generators, options.judges)
    store = Store(options.store)
    if not options.tables:
        run(cells, options.units, options.campaigns, store, options.workers)
    from .uncertainty_summary import summarised
    from .uncertainty_tables import write

    found = summarised({cell: store.lines(cell) for cell in cells}, options.units, options.campaigns)
    write(found, keep=options.keep)
    if options.keep:
        from .uncertainty_plots import draw

        draw(found)


class Store:
    """Results on disk, one file a cell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.name.replace('/', '-')}.jsonl"

    def lines(self, cell: Cell) -> Iterator[dict[str, Any]]:
        """Those of this code and this cell, of the earlier campaigns first."""
        path, own = self.path(cell), digest(cell)
        if path.exists():
            with path.open(encoding="utf-8") as file:
                kept = [line for line in map(_parsed, file) if line is not None and line["of"] == own]
            yield from sorted(kept, key=lambda line: line["campaign"])


def run(cells: Sequence[Cell], units: Sequence[str], campaigns: int | None, store: Store, workers: int) -> None:
    """Rank all campaigns that the store does not have yet."""
    start = time.perf_counter()
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # A fresh interpreter for every worker: what polars and numba run in threads does not survive a fork.
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for number, cell in enumerate(cells, 1):
            had = {(line["campaign"], line["unit"]) for line in store.lines(cell)}
            wanted = range(campaigns or cell.campaigns)
            tasks = [(cell, c, missing) for c in wanted if (missing := [u for u in units if (c, u) not in had])]
            own = digest(cell)
            with store.path(cell).open("a", encoding="utf-8") as file:
                for lines in pool.imap_unordered(_ranked, tasks, chunksize=4):
                    file.writelines(json.dumps({"of": own, **line}) + "\n" for line in lines)
            took = time.perf_counter() - start
            print(
                f"{number} of {len(cells)} cells, {cell.name}: {len(tasks)} campaigns, {took:.0f} s so far", flush=True
            )


def digest(cell: Cell) -> str:
    """Of the cell and of the code that its results rest on."""
    return hashlib.sha256(f"{cell.world!r} {_code()} {RESAMPLES}".encode()).hexdigest()[:12]


def _code() -> str:
    if not _CODE:
        root = Path(pm.__file__).parent
        files = [
            f for part in _DECIDING for f in ([root / part] if part.endswith(".py") else (root / part).rglob("*.py"))
        ]
        files += [Path(__file__).parent / f"uncertainty_{part}.py" for part in ("truth", "normal", "plan", "measures")]
        text = b"".join(f.read_bytes() for f in sorted(files))
        _CODE.append(hashlib.sha256(text).hexdigest())
    return _CODE[0]


_CODE: list[str] = []


def _ranked(task: tuple[Cell, int, Sequence[str]]) -> list[dict[str, Any]]:
    """One campaign, ranked by several units."""
    cell, number, units = task
    campaign = cell.world.draw(np.random.default_rng([zlib.crc32(cell.name.encode()), number]))
    lines = []
    for unit in units:
        start = time.perf_counter()
        ranking = pm.rank(
            campaign.judgments, resample=unit, resamples=RESAMPLES, rng=number, execution=pm.Execution("serial", 1)
        )
        seconds = round(time.perf_counter() - start, 4)
        lines.append({"campaign": number, "unit": unit, "seconds": seconds, **measures(ranking, campaign)})
    return lines


def known_units(wanted: Sequence[str]) -> list[str]:
    """Those units that this version of the library has."""
    tiny = pm.simulate(rankings=20, systems=5, rng=0).judgments
    known = []
    for unit in wanted:
        try:
            pm.rank(tiny, resample=unit, resamples=40, rng=0)
            known.append(unit)
        except InputError as error:
            print(f"without {unit}: {error}")
    return known


def _parsed(line: str) -> dict[str, Any] | None:
    """A line of the store; None if a run was stopped in the middle of it."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return None


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    def listed(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks uncertainty", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--cells", type=listed, default=[], help="kinds (clean,both) or names (both/normal/10); all")
    parser.add_argument("--generators", type=listed, default=[], help="normal, project; both")
    parser.add_argument("--judges", type=lambda text: [int(n) for n in text.split(",")], default=[], help="e.g. 10,20")
    parser.add_argument("--units", type=listed, default=None, help=f"of {','.join(UNITS)}; all there are")
    parser.add_argument("--campaigns", type=int, help="a cell; without, as many as the cell has")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes")
    parser.add_argument("--store", type=Path, default=STORE, help="the folder of results by campaign")
    parser.add_argument("--tables", action="store_true", help="rank nothing; tables of what is stored")
    parser.add_argument(
        "--keep", action="store_true", help="write tables to benchmarks/results, pictures to docs/images"
    )
    options = parser.parse_args(arguments)
    options.units = known_units(options.units or UNITS)
    return options
