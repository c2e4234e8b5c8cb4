"""What stands in the place of a name and is none: the words of programs that know no value, and WMT's −1."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ..errors import LossyWriteError
from ..judgments import NAME_COLUMNS, Judgments

#: What programs write where there is no value, in small letters. A system of such a name is a missing system.
NO_VALUE = ("nan", "null", "none", "n/a", "#n/a", "<na>")
#: The same for a segment, judge, ranking or language: WMT's files have −1 where they do not know one.
UNKNOWN = (*NO_VALUE, "-1")


def without(text: pl.Series, nothing: Iterable[str]) -> pl.Series:
    """The names of a column, null where one of these words (in any case) stands for none."""
    return pl.select(pl.when(~text.str.to_lowercase().is_in(list(nothing))).then(text).alias(text.name)).to_series()


def is_unknown(name: str | None) -> bool:
    """Whether a name says that there is none."""
    return name is None or not name.strip() or name.strip().lower() in UNKNOWN


def check_names_are_read(judgments: Judgments) -> None:
    """Refuse to write names that every reader would take for a missing value."""
    for kind in ("system", *NAME_COLUMNS):
        words = NO_VALUE if kind == "system" else UNKNOWN
        lost = [name for name in judgments.names.get(kind, ()) if name.lower() in words]
        if lost:
            raise LossyWriteError(
                f"the {kind} name {lost[0]!r} stands for a missing value in files, so it would not be read back; "
                "rename it"
            )
