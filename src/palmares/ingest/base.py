"""What every format shares: its options, what a reader hands back, what a writer declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import EXTRA_PREFIX, Judgments
from .source import Source

#: In frames on their way through a reader: which record of the file a row came from.
RECORD = "_record"

#: What judgments can have and a format may or may not hold.
Feature = Literal["lang_pair", "segment", "judge", "ranking", "weight", "position", "time", "duration", "extra"]


@dataclass(frozen=True)
class ScoreOptions:
    """How scores become an order: differences up to ``margin`` are ties; errors count downwards."""

    margin: float = 0.0
    lower_is_better: bool = False

    def __post_init__(self) -> None:
        if not self.margin >= 0:
            raise InputError(f"margin: got {self.margin}; allowed: a number of at least 0")


@dataclass(frozen=True)
class ReadOptions:
    """How to read. Every reader takes all of them and uses those that apply."""

    columns: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[str, ...] = ()
    merged: Literal["expand", "collapse"] = "expand"
    scores: ScoreOptions = ScoreOptions()

    def __post_init__(self) -> None:
        if self.merged not in ("expand", "collapse"):
            raise InputError(f"merged outputs: got {self.merged!r}; allowed: expand, collapse")


@dataclass(frozen=True)
class Dropped:
    """One record that was left out; ``skipped`` if it says itself that it is no judgment, which is not a fault."""

    line: int
    reason: str
    skipped: bool = False


@dataclass(frozen=True)
class Table:
    """A frame with a `RECORD` column, and how to turn record numbers into line numbers (None: they are)."""

    frame: pl.DataFrame = field(repr=False)
    line_of: Callable[[int], int] | None = field(repr=False, default=None)
    dropped: tuple[Dropped, ...] = ()
    line_word: str = "line"

    def lines(self, dropped: Iterable[Dropped]) -> tuple[Dropped, ...]:
        """All that was dropped, by line number instead of record number."""
        if self.line_of is not None:
            dropped = [Dropped(self.line_of(d.line), d.reason, d.skipped) for d in dropped]
        return tuple(sorted([*self.dropped, *dropped], key=lambda d: d.line))


@dataclass(frozen=True)
class Parsed:
    """What a reader makes of a file: valid rows, and the records it left out."""

    rows: pl.DataFrame
    dropped: tuple[Dropped, ...] = ()
    records: int = 0
    line_word: str = "line"


@dataclass(frozen=True)
class ReadReport:
    """What was read, what was dropped and why."""

    source: str
    format: str
    records: int
    judgments: int
    dropped: tuple[Dropped, ...] = field(repr=False)
    line_word: str = "line"

    @property
    def rejected(self) -> tuple[Dropped, ...]:
        """The faulty records (skipped ones are not faults)."""
        return tuple(d for d in self.dropped if not d.skipped)

    def lines(self, shown: int = 5) -> list[str]:
        """One sentence per reason, with the first line numbers."""
        numbers: dict[tuple[bool, str], list[int]] = {}
        for item in self.dropped:
            numbers.setdefault((item.skipped, item.reason), []).append(item.line)
        return [
            f"{self.source}: {'skipped' if skipped else 'dropped'} {_listed(self.line_word, lines, shown)}: {reason}"
            for (skipped, reason), lines in numbers.items()
        ]

    def summary(self, reasons: int = 10) -> str:
        """The sentences of `lines`, cut after a few reasons."""
        lines = self.lines()
        more = len(lines) - reasons
        return "\n".join(lines[:reasons] + ([f"… and {more} more reasons"] if more > 0 else []))


def _listed(word: str, numbers: list[int], shown: int) -> str:
    listed = ", ".join(str(n) for n in sorted(numbers)[:shown])
    more = f" and {len(numbers) - shown} more" if len(numbers) > shown else ""
    return f"{word}{'s' if len(numbers) > 1 else ''} {listed}{more}"


class Format:
    """A kind of file. Subclasses read, and most write; each says what it can hold."""

    id: ClassVar[str]
    holds: ClassVar[frozenset[Feature]] = frozenset()
    #: What every file of this format has, whether or not the judgments written to it had it.
    implies: ClassVar[frozenset[Feature]] = frozenset()
    #: Endings (without compression) that a writer may be asked for; empty: read only.
    endings: ClassVar[tuple[str, ...]] = ()

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        raise NotImplementedError

    def write(self, judgments: Judgments, ending: str) -> bytes:
        raise NotImplementedError

    def write_empty(self, rows: pl.DataFrame, ending: str) -> bytes | None:
        """A file with the columns of ``rows`` and no judgment; None from a format that needs one."""
        return None

    def check_holds(self, judgments: Judgments) -> None:
        """Refuse, naming what would be lost, if the format cannot hold these judgments."""
        lost = sorted(features(judgments) - self.holds)
        if lost:
            raise LossyWriteError(
                f"format {self.id!r} cannot hold: {', '.join(lost)}; write the format 'pairwise', which holds "
                f"everything, or drop them first (--drop {','.join(lost)})"
            )


def features(judgments: Judgments) -> set[Feature]:
    """Which features these judgments have, so which ones a format must hold."""
    names: tuple[Feature, ...] = ("lang_pair", "segment", "judge", "weight", "time", "duration")
    present = {name for name in names if judgments.has(name)}
    if judgments.has("position_a") or judgments.has("position_b"):
        present.add("position")
    if judgments.extras:
        present.add("extra")
    ranking = judgments.codes("ranking")
    if len(np.unique(linked := ranking[ranking >= 0])) < len(linked):
        present.add("ranking")
    return present


def drop_features(judgments: Judgments, unwanted: set[str]) -> Judgments:
    """The judgments without some features (`Feature`), so that a format can hold them."""
    return Judgments.from_rows(judgments.to_rows().drop(columns_of(judgments.frame.columns, unwanted)))


def columns_of(columns: Iterable[str], features: set[str]) -> set[str]:
    """Which columns of a table hold some features (`Feature`)."""
    kinds = {"position_a": "position", "position_b": "position"}
    return {c for c in columns if ("extra" if c.startswith(EXTRA_PREFIX) else kinds.get(c, c)) in features}
