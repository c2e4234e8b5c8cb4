"""Runs of a cell, kept as they come: a study that was stopped goes on where it was."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from . import active_copy, active_own
from .active_cells import ENDS, Cell
from .active_own import Chooser
from .active_race import race
from .active_replay import Pool, pool
from .active_world import World, equals, koehn

STORE = Path(__file__).parent.parent / "build" / "active" / "runs"
#: Held out: strategies were tuned on other seeds.
SEED = 20_261_118
#: What the study's own strategy takes a boundary to be closed at; of 2.25 … 5 best on seeds of its own.
_CLOSED = {"any": 3.0, "usual": None}


def world_of(cell: Cell, run: int) -> World | Pool:
    """The systems of a run, the same for every strategy."""
    if cell.world == "koehn":
        return koehn(np.random.default_rng([SEED, run]))
    if cell.world == "wmt13":
        return pool()
    return equals(cell.world, cell.effects)


def chooser_of(cell: Cell) -> Chooser | None:
    if cell.strategy == "uniform":
        return None
    if cell.code == "package":
        return active_copy.choosing(cell.strategy, cell.rule)
    if cell.strategy == "open-boundaries":
        return partial(active_own.open_boundaries, c=_CLOSED[cell.rule])
    return active_own.OWN[cell.strategy]


def lines(cell: Cell, folder: Path = STORE) -> list[dict[str, Any]]:
    """What is kept, by number of run."""
    path = folder / f"{cell.name}.jsonl"
    kept = list(_parsed(path)) if path.exists() else []
    return sorted(kept, key=lambda line: line["run"])


def extend(cell: Cell, runs: Sequence[int], folder: Path = STORE) -> int:
    """Run what is missing; how many that were."""
    folder.mkdir(parents=True, exist_ok=True)
    had = {line["run"] for line in lines(cell, folder)}
    missing = [run for run in runs if run not in had]
    rules = rules_of(cell)
    with (folder / f"{cell.name}.jsonl").open("a", encoding="utf-8") as file:
        for run in missing:
            start = time.perf_counter()
            rng = np.random.default_rng([SEED, run, zlib.crc32(cell.name.encode())])
            result = race(
                world_of(cell, run),
                cell.size,
                chooser_of(cell),
                cell.rule,
                cell.until,
                rng,
                rules=rules,
                batch=cell.batch,
            )
            line = {"run": run, "seconds": round(time.perf_counter() - start, 3), **vars(result)}
            file.write(json.dumps(line) + "\n")
            file.flush()
    return len(missing)


def rules_of(cell: Cell) -> tuple[str, ...]:
    if cell.part == "stricter":
        return tuple(f"horizon-{end}" for end in ENDS)
    if cell.part != "honesty" and cell.strategy == "uniform":
        return ("usual", "any", "once", "horizon")
    return ("usual",) if cell.rule == "usual" else ("usual", "any")


def _parsed(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:  # stopped in the middle of it
                continue
