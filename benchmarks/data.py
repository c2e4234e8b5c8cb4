"""Files to measure on: pairwise judgments of any length, written in pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

_PIECE = 2_000_000

#: Turns ``judgments`` into ``given``, what evalica's methods take.
EVALICA_VOTES = """
import evalica
votes = judgments.to_rows()
word = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
given = [votes["system_a"].to_list(), votes["system_b"].to_list(), [word[o] for o in votes["outcome"]]]
"""


def pairwise_csv(path: Path, rows: int, *, systems: int = 15) -> Path:
    """A CSV of ``rows`` judgments with segment, judge and ranking; ten rows a ranking."""
    rng = np.random.default_rng(0)
    name = pl.Series([f"system-{i:02d}" for i in range(systems)])
    word = pl.Series(["a", "tie", "b"])
    with path.open("wb") as file:
        for lo in range(0, rows, _PIECE):
            count = min(_PIECE, rows - lo)
            a = rng.integers(0, systems, count)
            b = (a + rng.integers(1, systems, count)) % systems
            # The lower code is the better system, so that there is something to find.
            better = (a < b) == (rng.random(count) < 0.6)
            outcome = np.where(rng.random(count) < 0.25, 1, np.where(better, 0, 2))
            frame = pl.DataFrame(
                {
                    "segment": rng.integers(0, 3000, count),
                    "judge": rng.integers(0, 200, count),
                    "ranking": np.arange(lo, lo + count) // 10,
                    "system_a": name.gather(a),
                    "system_b": name.gather(b),
                    "outcome": word.gather(outcome),
                }
            )
            file.write(frame.write_csv(include_header=lo == 0).encode())
    return path
