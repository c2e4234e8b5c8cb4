"""One score per output (direct assessment, ESA, Likert), reduced to the order each judge gave."""

from __future__ import annotations

import polars as pl

from ..errors import InputError
from .base import RECORD, ReadOptions
from .columns import Roles, Sieve, quoted
from .rankings import VALUE, pairs
from .tables import TableFormat


class Scores(TableFormat):
    """``segment``, ``system``, ``score``, usually ``judge``: what one judge scored of one segment is a ranking.

    Scores that differ by no more than the margin are a tie. A judge's repeated scores of one output
    are averaged. Read only: an order has no scores to write back.
    """

    id = "scores"
    endings = ()
    roles = frozenset(("system", "score", "segment", "judge", "ranking", "lang_pair", "source_lang", "target_lang"))

    def matches(self, roles: Roles) -> bool:
        return roles.has("system", "score", "segment") and not roles.has("winner")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(
                f"a table of scores needs the columns system, score and segment; it has {', '.join(roles.present)}; "
                "name yours, e.g. --column score=rating"
            )
        roles = roles.without("weight", "position_a", "position_b", "time", "duration")  # of an output, not of a pair
        sieve = Sieve.start(frame, roles, options, system=roles["system"], _score=roles["score"])
        number = pl.col("_score").cast(pl.Float64, strict=False)
        sieve.reject(pl.col("system").is_null(), "the system is missing")
        sieve.reject(pl.col("_score").is_null(), "the score is missing", kind="skipped")
        sieve.reject(~number.is_finite().fill_null(False), pl.format("score {} is not a number", quoted("_score")))
        sieve.reject(pl.col("segment").is_null(), "the segment is missing")
        alone = pl.col("system").n_unique().over(_keys(sieve.frame)) < 2
        sieve.reject(alone, "is the only output its judge scored here, so it compares nothing", kind="skipped")
        sieve.frame = _as_pairs(sieve.frame, number, options)
        return sieve


def _keys(frame: pl.DataFrame) -> list[str]:
    return [c for c in ("lang_pair", "segment", "judge", "ranking") if c in frame.columns]


def _as_pairs(frame: pl.DataFrame, number: pl.Expr, options: ReadOptions) -> pl.DataFrame:
    keys = _keys(frame)
    value = -number if options.scores.lower_is_better else number
    outputs = frame.group_by(*keys, "system").agg(value.sort().mean().alias(VALUE)).sort(*keys, "system")
    group = pl.struct(keys).rank("dense").cast(pl.Int64)
    outputs = outputs.with_columns(group.alias(RECORD), pl.lit(None, pl.Int32).alias("position"))
    contexts = outputs.select(RECORD, *keys).unique(RECORD, maintain_order=True)
    rows = pairs(outputs, contexts, margin=options.scores.margin)
    return rows.with_columns(pl.col(RECORD).cast(pl.String).alias("ranking")).drop("position_a", "position_b")
