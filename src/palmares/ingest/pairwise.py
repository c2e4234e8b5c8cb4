"""One judgment a record: the generic table, LLM-arena votes, and chosen / rejected pairs."""

from __future__ import annotations

from typing import ClassVar

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import Judgments
from . import outcomes, tables
from .base import Feature, Format, Parsed, ReadOptions
from .columns import Roles
from .sieve import Sieve, quoted
from .source import Source

_EVERYTHING: frozenset[Feature] = frozenset(
    ("lang_pair", "segment", "judge", "ranking", "weight", "position", "time", "duration", "extra")
)


class TableFormat(Format):
    """A format whose files are tables; subclasses say how columns become judgments."""

    endings: ClassVar[tuple[str, ...]] = ("csv", "tsv", "jsonl", "parquet")

    def matches(self, roles: Roles) -> bool:
        """Whether a table with these columns is of this format."""
        raise NotImplementedError

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        """Turn the records of a table into rows of judgments."""
        raise NotImplementedError

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        return self.parse_table(tables.from_source(source), options)

    def parse_table(self, table: tables.Table, options: ReadOptions) -> Parsed:
        sieve = self.sift(table.frame, Roles.guess(table.frame.columns, options), options)
        records = table.frame.height + len(table.dropped)
        return Parsed(sieve.rows(), table.lines(sieve.dropped), records, table.line_word)


class Pairwise(TableFormat):
    """The generic table: two systems and an outcome, a winner, a winner and a loser, or two ranks."""

    id = "pairwise"
    holds = _EVERYTHING

    def matches(self, roles: Roles) -> bool:
        two = roles.has("system_a", "system_b")
        ranked = roles.has("rank_a", "rank_b")
        return (two and (roles.has("outcome") or roles.has("winner") or ranked)) or roles.has("winner", "loser")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "system_a and system_b with an outcome, a winner or two ranks"))
        if not roles.has("system_a", "system_b"):
            return chosen_over(frame, roles, options, "winner", "loser")
        if roles.has("outcome"):
            return _with_outcome(frame, roles, options, roles["outcome"])
        if roles.has("winner"):
            return _with_winner(frame, roles, options, roles["winner"])
        return _with_ranks(frame, roles, options)

    def write(self, judgments: Judgments, ending: str) -> bytes:
        return self.to_bytes(judgments.to_rows(), ending)

    def to_bytes(self, rows: pl.DataFrame, ending: str) -> bytes:
        """Rows as `Judgments` takes them, which this format can hold even if there are none."""
        words = pl.Series(["b", "tie", "a"])
        front = ["lang_pair", "segment", "judge", "ranking", "system_a", "system_b", "outcome"]
        named = rows.with_columns(words.gather(rows["outcome"].cast(pl.Int64) + 1).alias("outcome"))
        order = [c for c in front if c in rows.columns] + [c for c in rows.columns if c not in front]
        return tables.to_bytes(named.select(order), ending)


class Arena(TableFormat):
    """LLM-arena votes: ``model_a``, ``model_b``, ``winner``; model_a was shown first."""

    id = "arena"
    holds = frozenset(("segment", "judge", "position", "time", "weight", "duration"))
    implies = frozenset(("position",))
    endings = ("jsonl", "csv", "parquet")

    def matches(self, roles: Roles) -> bool:
        return {"model_a", "model_b", "winner"} <= set(roles.present)

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "model_a, model_b and winner"))
        fixed = {**roles.column, "system_a": "model_a", "system_b": "model_b"}
        roles = Roles({k: v for k, v in fixed.items() if k not in ("position_a", "position_b")}, roles.present)
        sieve = _with_winner(frame, roles, options, "winner", sure=("model_a", "model_b", "tie"))
        shown = [pl.lit(1, pl.Int32).alias("position_a"), pl.lit(2, pl.Int32).alias("position_b")]
        sieve.frame = sieve.frame.with_columns(shown)
        return sieve

    def write(self, judgments: Judgments, ending: str) -> bytes:
        rows = judgments.to_rows()
        first = _shown_first(rows)
        won = pl.when((pl.col("outcome") == 1) == first).then(pl.lit("model_a")).otherwise(pl.lit("model_b"))
        names = {"segment": "question_id", "time": "timestamp"}
        kept = [c for c in ("segment", "judge", "time", "weight", "duration") if c in rows.columns]
        named = rows.select(
            pl.when(first).then("system_a").otherwise("system_b").alias("model_a"),
            pl.when(first).then("system_b").otherwise("system_a").alias("model_b"),
            pl.when(pl.col("outcome") == 0).then(pl.lit("tie")).otherwise(won).alias("winner"),
            *[pl.col(c).alias(names.get(c, c)) for c in kept],
        )
        return tables.to_bytes(named, ending)


class ChosenRejected(TableFormat):
    """Preference pairs as DPO data sets have them: which of two was chosen, which rejected."""

    id = "chosen-rejected"
    holds = frozenset(("segment", "judge", "lang_pair", "weight", "time", "duration"))
    endings = ("jsonl", "csv", "parquet")

    def matches(self, roles: Roles) -> bool:
        return roles.has("chosen", "rejected")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "chosen and rejected (or chosen_model and rejected_model)"))
        return chosen_over(frame, roles, options, "chosen", "rejected")

    def write(self, judgments: Judgments, ending: str) -> bytes:
        rows = judgments.to_rows()
        tied = int((rows["outcome"] == 0).sum())
        if tied:
            raise LossyWriteError(
                f"format {self.id!r} cannot hold ties, and {tied} of {rows.height} judgments are; write another "
                "format, e.g. pairwise"
            )
        won = pl.col("outcome") == 1
        named = rows.with_columns(
            pl.when(won).then("system_a").otherwise("system_b").alias("chosen_model"),
            pl.when(won).then("system_b").otherwise("system_a").alias("rejected_model"),
        ).drop("system_a", "system_b", "outcome", "ranking", strict=False)
        return tables.to_bytes(named, ending)


def chosen_over(frame: pl.DataFrame, roles: Roles, options: ReadOptions, better: str, worse: str) -> Sieve:
    """Records that name the better and the worse system."""
    sieve = _two_systems(frame, roles, options, roles[better], roles[worse])
    sieve.frame = sieve.frame.with_columns(pl.lit(1, pl.Int8).alias("outcome"))
    return sieve


def _two_systems(frame: pl.DataFrame, roles: Roles, options: ReadOptions, a: str, b: str, **more: str) -> Sieve:
    """A sieve with both systems (and ``more`` columns as text), each record checked for them."""
    sieve = Sieve.start(frame, roles, options, system_a=a, system_b=b, **more)
    sieve.reject(pl.col("system_a").is_null() | pl.col("system_b").is_null(), "a system is missing")
    sieve.reject(
        pl.col("system_a") == pl.col("system_b"), pl.format("system {} is compared with itself", quoted("system_a"))
    )
    return sieve


def _with_outcome(frame: pl.DataFrame, roles: Roles, options: ReadOptions, column: str) -> Sieve:
    """Records that say in a word or a number which side is better."""
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], _said=column)
    sieve.reject(pl.col("_said").is_null(), "the outcome is missing")
    sieve.frame = sieve.frame.with_columns(outcomes.codes(sieve.frame["_said"]).alias("outcome"))
    _reject_unknown(sieve, outcomes.ALLOWED)
    return sieve


def _with_winner(
    frame: pl.DataFrame, roles: Roles, options: ReadOptions, column: str, sure: tuple[str, ...] = ()
) -> Sieve:
    """Records that say which side is better, in a word or by its name.

    A word that is also the name of the other side could mean either, unless it is one of ``sure``.
    """
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], _said=column)
    sieve.reject(pl.col("_said").is_null(), "the winner is missing")
    said = pl.col("_said")
    a, b = pl.lit(1, pl.Int8), pl.lit(-1, pl.Int8)
    named = pl.when(said == pl.col("system_a")).then(a).when(said == pl.col("system_b")).then(b)
    sieve.frame = sieve.frame.with_columns(named.alias("_named"))
    # A number that is the name of a side (models called 1 and 2) is no numeric outcome.
    word = pl.when(pl.col("_named").is_null() | ~said.cast(pl.Float64, strict=False).is_not_null()).then(said)
    sieve.frame = sieve.frame.with_columns(outcomes.codes(sieve.frame.select(word).to_series()).alias("outcome"))
    clash = (pl.col("_named") != pl.col("outcome")) & ~said.is_in(list(sure))
    sieve.reject(clash, pl.format("winner {} is both a system and a word for another outcome", quoted("_said")))
    sieve.frame = sieve.frame.with_columns(pl.coalesce("outcome", "_named").alias("outcome"))
    _reject_unknown(sieve, outcomes.ALLOWED + ", or the winner's name")
    return sieve


def _reject_unknown(sieve: Sieve, allowed: str) -> None:
    unknown = pl.format(f"unknown outcome {{}}; allowed: {allowed}", quoted("_said"))
    sieve.reject(pl.col("outcome").is_null(), unknown)


def _with_ranks(frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
    more = {"_ra": roles["rank_a"], "_rb": roles["rank_b"]}
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], **more)
    ranks = pl.col("_ra", "_rb").cast(pl.Float64, strict=False)
    sieve.frame = sieve.frame.with_columns(ranks.name.suffix("_n"))
    for side in ("_ra", "_rb"):
        unread = ~pl.col(f"{side}_n").is_finite().fill_null(False)
        sieve.reject(unread, pl.format("rank {} is out of range; allowed: any number", quoted(side)))
    sign = (pl.col("_rb_n") - pl.col("_ra_n")).sign().cast(pl.Int8)
    sieve.frame = sieve.frame.with_columns(sign.alias("outcome"))
    return sieve


def _shown_first(rows: pl.DataFrame) -> pl.Expr:
    """Whether system a was shown before system b; by name where that is not known."""
    if "position_a" not in rows.columns:
        return pl.lit(True)
    if set(rows.select("position_a", "position_b").unique().iter_rows()) - {(1, 2), (2, 1)}:
        raise LossyWriteError("format 'arena' shows one system in position 1, the other in 2; --drop position")
    return pl.col("position_a") == 1


def _need(roles: Roles, wanted: str) -> str:
    return (
        f"the table needs columns for {wanted}; it has {', '.join(roles.present)}; name yours, e.g. "
        "--column system_a=left_model (columns={'system_a': 'left_model'} from Python)"
    )
