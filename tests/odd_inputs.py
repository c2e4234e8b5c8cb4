"""Odd files of judgments: how each is written, with which options it is read, and what is said of it.

`tests/test_odd_inputs.py` writes every one and runs `palmares rank` on it; `docs/odd-files.md` shows them as a table.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import Literal

_A40_B10 = "B,A,A\n" * 40 + "A,B,B\n" * 10
_PAIRS = "A,B,a\n" * 6 + "B,C,a\n" * 5 + "A,C,tie\n" * 4 + "C,A,a\n"


def _table(header: str, rows: str, separator: str = ",") -> str:
    return f"{header}\n{rows}".replace(",", separator)


@dataclass(frozen=True)
class Odd:
    """One odd file. ``says`` is part of what is printed: of the error, or of a note or report beside the ranking.

    ``order`` is the ranking that is right, best first, where there is one.
    """

    kind: str
    content: str | bytes
    says: str
    ends: Literal["ranked", "refused"]
    order: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    name: str = "votes.csv"

    @property
    def data(self) -> bytes:
        return self.content.encode() if isinstance(self.content, str) else self.content
