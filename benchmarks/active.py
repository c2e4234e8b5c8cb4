"""What choosing comparisons saves, and whether it is honest: ``python -m benchmarks active --help``.

A study rather than a benchmark. Campaigns of a generator of its own, and real judgments asked for in another order, are
collected by the package's strategies and by one written apart, and looked at again and again by rules that may claim a
boundary. Runs are kept as they come, so a study that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from .active_cells import all_cells
from .active_runs import STORE, extend

#: Runs of every cell before the next of any: there is something of all of them early on.
_TURN = 20
PARTS = ("saving", "stricter", "replay", "honesty")


def main(arguments: Sequence[str] = ()) -> None:
    """Run what is missing, then print the tables."""
    options = _options(arguments)
    warnings.filterwarnings("ignore", message=".*is faster on contiguous arrays")
    if options.check:
        from .active_check import check

        check(keep=options.keep)
        return
    if options.judges:
        from .active_judges import main as judges

        judges(options.runs, options.keep, options.store)
        return
    if not options.tables:
        run(options)
    from .active_plots import draw
    from .active_tables import write

    write(options.store, keep=options.keep)
    if options.keep:
        draw(options.store)


def run(options: argparse.Namespace) -> None:
    """A few runs of every cell in turn."""
    cells = [c for c in all_cells() if c.part in options.parts and all(word in c.name for word in options.only)]
    start = time.perf_counter()
    for first in range(options.first, options.runs, _TURN):
        for cell in cells:
            count = extend(cell, range(first, min(first + _TURN, options.runs)), options.store)
            if count:
                print(f"{cell.name}: {first + count} runs, {time.perf_counter() - start:.0f} s so far", flush=True)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    def listed(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(prog="python -m benchmarks active", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--parts", type=listed, default=PARTS, help=f"of {','.join(PARTS)}; all")
    parser.add_argument("--only", type=listed, default=[], help="cells whose names hold all of these, e.g. .2.,s14")
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--runs", type=int, default=200, help="of every cell")
    parser.add_argument("--store", type=Path, default=STORE, help="the folder of results by run")
    parser.add_argument("--tables", action="store_true", help="run nothing; tables of what is stored")
    parser.add_argument("--check", action="store_true", help="compare the package with what is written apart, no more")
    parser.add_argument("--judges", action="store_true", help="careful and careless judges, no more")
    parser.add_argument(
        "--keep", action="store_true", help="write tables to benchmarks/results, the picture to docs/images"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
