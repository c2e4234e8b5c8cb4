"""Whole-column checks that keep the good rows and remember the bad ones."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from ..judgments import EXTRA_PREFIX, NAME_COLUMNS, VALUE_COLUMNS
from .base import RECORD, Dropped, ReadOptions
from .columns import Roles, context, name_values


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
        given = {role: name_values(frame, roles[role]) for role in VALUE_COLUMNS if role in known}
        named = {name: name_values(frame, column) for name, column in text.items()}
        sieve = cls(
            pl.DataFrame({RECORD: frame[RECORD], **known, **named, **{f"_given_{r}": v for r, v in given.items()}})
        )
        for role in given:
            unread = pl.col(f"_given_{role}").is_not_null() & pl.col(role).is_null()
            sieve.reject(unread, pl.format(f"{role} {{}} cannot be read", quoted(f"_given_{role}")))
        if "weight" in known:
            sieve.frame = sieve.frame.with_columns(pl.col("weight").fill_null(1.0))
            bad = ~(pl.col("weight") > 0) | pl.col("weight").is_infinite() | pl.col("weight").is_nan()
            sieve.reject(bad, pl.format("weight {} is not a positive number", "weight"))
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
        kept = self.frame.select(c for c in self.frame.columns if c in wanted or c.startswith(EXTRA_PREFIX))
        return qualify_rankings(kept)


def quoted(column: str) -> pl.Expr:
    """A value as a message shows it: quoted, and cut if it is long."""
    text = pl.col(column).fill_null("")
    return pl.concat_str(pl.lit("'"), text.str.slice(0, 40), pl.lit("'"))


def qualify_rankings(rows: pl.DataFrame) -> pl.DataFrame:
    """Make ranking ids unique: one that several judges or segments use is a number within each of them."""
    keys = [c for c in ("lang_pair", "segment", "judge") if c in rows.columns]
    if "ranking" not in rows.columns or not keys:
        return rows
    shared = rows.group_by("ranking").agg(pl.struct(keys).n_unique().alias("n")).filter(pl.col("n") > 1)
    if shared.height == 0:
        return rows
    text = [pl.col(c).cast(pl.String).fill_null("") for c in (*keys, "ranking")]
    full = pl.when(pl.col("ranking").is_not_null()).then(pl.concat_str(text, separator="/"))
    return rows.with_columns(full.alias("ranking"))
