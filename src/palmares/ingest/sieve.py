"""Whole-column checks that keep the good rows and remember the bad ones."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from ..judgments import EXTRA_PREFIX, NAME_COLUMNS, VALUE_COLUMNS
from .base import RECORD, Dropped, ReadOptions
from .columns import Roles, context, given, name_values

_HOW_TO_IGNORE = "correct it, or ignore the column with --column {0}= (columns={{{0!r}: ''}} from Python)"


@dataclass
class Sieve:
    """A frame that loses rows check by check; what was lost, and why, is in ``dropped``."""

    frame: pl.DataFrame
    dropped: list[Dropped] = field(default_factory=list)

    @classmethod
    def start(cls, frame: pl.DataFrame, roles: Roles, options: ReadOptions, **text: str) -> Sieve:
        """Records with their context (segment, judge, …) and the columns ``text`` asks for, trimmed.

        Values that cannot be read (a weight that is no number) are rejected.
        """
        known = context(frame, roles, options)
        valued = [role for role in VALUE_COLUMNS if role in known]
        columns = {RECORD: frame[RECORD], **known}
        columns |= {name: name_values(frame, column) for name, column in text.items()}
        columns |= {f"_given_{role}": given(frame, roles[role]) for role in valued}
        sieve = cls(pl.DataFrame(columns))
        for role in valued:
            sieve._reject_unread(role)
        if "weight" in valued:
            sieve.frame = sieve.frame.with_columns(pl.col("weight").fill_null(1.0))
        return sieve

    def reject(self, bad: pl.Expr, reason: str | pl.Expr, *, skipped: bool = False) -> None:
        """Take out the rows where ``bad`` holds (null counts as false)."""
        said = pl.lit(reason) if isinstance(reason, str) else reason
        mask = self.frame.select(bad.fill_null(False)).to_series()
        if mask.any():
            lost = self.frame.filter(mask).select(RECORD, said.alias("reason"))
            self.dropped += [Dropped(record, text, skipped) for record, text in lost.iter_rows()]
            self.frame = self.frame.filter(~mask)

    def rows(self) -> pl.DataFrame:
        """What is left, with the columns that `Judgments.from_rows` takes."""
        wanted = {"system_a", "system_b", "outcome", *NAME_COLUMNS, *VALUE_COLUMNS}
        return self.frame.select(c for c in self.frame.columns if c in wanted or c.startswith(EXTRA_PREFIX))

    def _reject_unread(self, role: str) -> None:
        unread = pl.col(f"_given_{role}").is_not_null() & pl.col(role).is_null()
        allowed = {"weight": "a number above 0", "time": "ISO 8601 or seconds since 1970"}
        allowed |= dict.fromkeys(("position_a", "position_b"), "a whole number")
        what = f"{role} {{}} cannot be read; allowed: {allowed.get(role, 'a number')}; "
        how = _HOW_TO_IGNORE.format(role)
        self.reject(unread, pl.concat_str(pl.format(what, quoted(f"_given_{role}")), pl.lit(how)))


def quoted(column: str) -> pl.Expr:
    """A value as a message shows it: quoted, on one line, and cut if it is long."""
    text = pl.col(column).fill_null("").str.slice(0, 40).str.replace_all(r"[\r\n]", " ")
    return pl.concat_str(pl.lit("'"), text, pl.lit("'"))
