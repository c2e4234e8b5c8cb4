"""Files with one number per line: gold labels, predictions, the scores of a metric. The rest is refused by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from ..judgments import FloatArray
from ..texts.lines import Path, TextFile, read_lines, refuse_different_counts

#: Larger numbers are no measurement, and their squares and sums overflow.
LARGEST = 1e100


@dataclass(frozen=True)
class Numbers:
    """The numbers of a file, one per line."""

    file: TextFile = field(repr=False)
    values: FloatArray = field(repr=False)

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.file.name


def read_numbers(path: Path, *, what: str, encoding: str = "utf-8") -> Numbers:
    """Read one number per line; ``what`` says in messages what the numbers are: ``"a prediction"``."""
    file = read_lines(path, encoding=encoding)
    if not file.texts:
        raise InputError(f"{file.name}: the file is empty; give {what} on every line")
    values = [number(text, f"{file.name}: line {line}", what) for line, text in enumerate(file.texts, 1)]
    return Numbers(file, np.array(values))


def number(text: str, place: str, what: str) -> float:
    """A finite number as it stands in a file; ``place`` says where, for messages."""
    stripped = text.strip()
    if not stripped:
        raise InputError(f"{place} is empty; it must hold {what}")
    try:
        value = float(stripped) if "_" not in stripped else np.nan
        known = "_" not in stripped
    except ValueError:
        known = False
    if not known:
        comma = "; write decimals with a point" if "," in stripped else ""
        raise InputError(f"{place}: got {_short(stripped)!r}; allowed: {what}, one number per line{comma}")
    if not np.isfinite(value):
        raise InputError(f"{place}: got {_short(stripped)!r}; {what} must be a finite number")
    if abs(value) > LARGEST:
        raise InputError(f"{place}: got {_short(stripped)!r}; {what} must lie between {-LARGEST:g} and {LARGEST:g}")
    return value


def refuse_outside(numbers: Numbers, least: float, largest: float, what: str) -> None:
    """Refuse numbers outside a scale, by line."""
    outside = np.flatnonzero((numbers.values < least) | (numbers.values > largest))
    if len(outside):
        lines = ", ".join(str(i + 1) for i in outside[:5])
        more = f" and {len(outside) - 5} more" if len(outside) > 5 else ""
        raise InputError(
            f"{numbers.name}: line{'s' if len(outside) > 1 else ''} {lines}{more}: {what} must lie between "
            f"{least:g} and {largest:g}, but line {outside[0] + 1} has {numbers.values[outside[0]]:g}"
        )


def refuse_misaligned(files: Sequence[Numbers | TextFile]) -> None:
    """Refuse files that differ in their number of lines, naming each with its count."""
    refuse_different_counts([each.file if isinstance(each, Numbers) else each for each in files])


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
