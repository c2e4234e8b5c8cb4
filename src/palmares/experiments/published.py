"""Numbers that the papers print, as they print them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from ..judgments import FloatArray


@dataclass(frozen=True)
class HeadToHeadTable:
    """One of Bojar et al. 2014, Tables 28–37.

    ``better[i, j]`` is the share of decided comparisons in which the system of *column* j beat that of row i, as
    printed; the diagonal is NaN. Systems stand in the official order.
    """

    table: int
    pair: str
    systems: tuple[str, ...]
    score: tuple[float, ...]
    rank: tuple[str, ...]
    better: FloatArray = field(repr=False)

    @property
    def wins(self) -> FloatArray:
        """``[i, j]``: the share that i won against j; a cell printed as .00 is taken from its mirror image."""
        share = self.better.T.copy()
        lost = share == 0
        share[lost] = (1 - share.T)[lost]
        return share

    @property
    def clusters(self) -> list[set[str]]:
        """The systems by official cluster: ranges that overlap share one."""
        groups: list[set[str]] = []
        end = 0
        for name, text in zip(self.systems, self.rank, strict=True):
            first, _, last = text.partition("-")
            if int(first) > end:
                groups.append(set())
            groups[-1].add(name)
            end = max(end, int(last or first))
        return groups


@cache
def load(name: str) -> Any:
    """A file of published numbers."""
    text = files(__package__).joinpath("data", f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)


@cache
def head_to_head_tables() -> tuple[HeadToHeadTable, ...]:
    """Bojar et al. 2014, Tables 28–37; the marks of significance are left out."""
    return tuple(
        HeadToHeadTable(
            item["table"], item["pair"], tuple(item["systems"]), tuple(item["score"]), tuple(item["rank"]),
            np.array(item["better"], dtype=np.float64),
        )
        for item in load("w14_head_to_head")
    )  # fmt: skip
