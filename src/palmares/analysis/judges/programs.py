"""Which judges are programs."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import numpy as np
import polars as pl

from ...errors import InputError
from ...judgments import EXTRA_PREFIX, BoolArray, Judgments

#: The column by which campaigns mark what programs judged.
MARK = "program"
#: What a column that marks programs may say, in small letters.
PROGRAM = ("program", "programs", "llm", "model", "machine", "bot", "ai", "automatic", "yes", "y", "true", "t", "1")
PERSON = ("person", "people", "human", "humans", "crowd", "manual", "no", "n", "false", "f", "0")


def programs_of(judgments: Judgments, column: str | None, patterns: Iterable[str]) -> BoolArray:
    """For every judge, whether it is a program: by a column that says so, or by patterns of names.

    Parameters
    ----------
    column
        An extra column whose values are among `PROGRAM` and `PERSON`; without one, that by which campaigns mark
        programs (`MARK`), if it is there.
    patterns
        Names of judges, or shell patterns of them; each must match somebody.
    """
    marked = np.zeros(len(judgments.judges), dtype=bool)
    column = MARK if column is None and EXTRA_PREFIX + MARK in judgments.frame.columns else column
    if column is not None:
        marked |= _by_column(judgments, column)
    for pattern in patterns:
        matching = matching_judges(judgments.judges, pattern)
        if not matching.any():
            shown = ", ".join(judgments.judges[:8]) + (", …" if len(judgments.judges) > 8 else "")
            raise InputError(
                f"program: no judge matches {pattern!r}; there are {len(judgments.judges)}: {shown or 'none'}"
            )
        marked |= matching
    return marked


def matching_judges(names: Iterable[str], pattern: str) -> BoolArray:
    """Which names are ``pattern`` or match it."""
    return np.array([name == pattern or fnmatchcase(name, pattern) for name in names], dtype=bool)


def _by_column(judgments: Judgments, column: str) -> BoolArray:
    name = EXTRA_PREFIX + column
    if name not in judgments.frame.columns:
        have = ", ".join(judgments.extras) or "none"
        raise InputError(
            f"programs: the judgments have no extra column {column!r}; there are: {have}. From Python, keep it with "
            f"ReadOptions(extra=({column!r},))"
        )
    words = _words(judgments.frame[name])
    unknown = sorted({word for word in words if word not in (*PROGRAM, *PERSON)})
    if unknown:
        shown = ", ".join(repr(word) if word else "empty cells" for word in unknown[:6])
        say = "does" if len(unknown) == 1 and unknown[0] else "do"
        raise InputError(
            f"programs: column {column!r} holds {shown}, which {say} not say whether a program judged; allowed: "
            f"{', '.join(PROGRAM)} for programs, {', '.join(PERSON)} for people; or name programs with --program"
        )
    judge = judgments.codes("judge")
    by_program = np.isin(np.array(words), PROGRAM)
    said = [np.bincount(judge[(judge >= 0) & mask], minlength=len(judgments.judges)) > 0 for mask in
            (by_program, ~by_program)]  # fmt: skip
    if (both := np.flatnonzero(said[0] & said[1])).size:
        raise InputError(
            f"programs: column {column!r} says both of judge {judgments.judges[both[0]]!r}, program and person; give "
            "them different names, or name programs with --program"
        )
    return np.asarray(said[0])


def _words(values: pl.Series) -> list[str]:
    """Values in small letters; whole numbers without decimals, '' where there is none."""
    if values.dtype.is_numeric():
        return ["" if v is None else str(int(v)) if float(v).is_integer() else str(v) for v in values.to_list()]
    return ["" if v is None else str(v).strip().lower() for v in values.to_list()]
