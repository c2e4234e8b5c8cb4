"""One judgment per record: the generic table, LLM-arena votes, and chosen / rejected pairs."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import A_BETTER, B_BETTER, TIE, Judgments
from . import tables
from .base import Feature, ReadOptions
from .columns import CONTEXT_ROLES, Roles, Sieve, quoted
from .ids import as_written
from .tables import TableFormat

_EVERYTHING: frozenset[Feature] = frozenset(
    ("lang_pair", "segment", "judge", "ranking", "weight", "position", "time", "duration", "extra")
)
# fmt: off
_A = (
    "a", "model_a", "system_a", "left", "first", "x", "model_x", ">", "a>b", "a>>b", "win", "[[a]]", "a_better",
)
_B = (
    "b", "model_b", "system_b", "right", "second", "y", "model_y", "<", "b>a", "b>>a", "loss", "[[b]]", "b_better",
)
_TIE = (
    "tie", "draw", "=", "a=b", "equal", "same", "both", "neither", "[[c]]", "tie (bothbad)", "tie (both bad)",
    "both bad", "both-bad", "both_bad", "bothbad", "both good", "both-good", "both_good", "bothgood",
)
# fmt: on

#: Every word for an outcome, in lower case. Both-bad is a tie: neither output was preferred.
_WORDS: dict[str, int] = {
    **dict.fromkeys(_A, A_BETTER),
    **dict.fromkeys(_B, B_BETTER),
    **dict.fromkeys(_TIE, TIE),
}
#: Numbers have no fixed meaning; these two sets are told apart by the value only one of them has.
_SIGNED = {1.0: A_BETTER, 0.0: TIE, -1.0: B_BETTER}
_SHARE = {1.0: A_BETTER, 0.5: TIE, 0.0: B_BETTER}

_ALLOWED = "a, b, tie (or model_a, model_b; left, right; >, <, =; both-bad is a tie)"


class Pairwise(TableFormat):
    """The generic table: two systems and an outcome, a winner, a winner and a loser, or two ranks."""

    id = "pairwise"
    holds = _EVERYTHING
    rebuilds = True
    roles = CONTEXT_ROLES | {
        "system_a", "system_b", "outcome", "winner", "loser", "rank_a", "rank_b", "position_a", "position_b",
    }  # fmt: skip

    def matches(self, roles: Roles) -> bool:
        two = roles.has("system_a", "system_b")
        ranked = roles.has("rank_a", "rank_b")
        return (two and (roles.has("outcome") or roles.has("winner") or ranked)) or roles.has("winner", "loser")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "system_a and system_b with an outcome, a winner or two ranks"))
        if not roles.has("system_a", "system_b"):
            return _chosen_over(frame, roles, options, "winner", "loser")
        if roles.has("outcome"):
            return _with_outcome(frame, roles, options, roles["outcome"])
        if roles.has("winner"):
            return _with_winner(frame, roles, options, roles["winner"])
        return _with_ranks(frame, roles, options)

    def write(self, judgments: Judgments, ending: str) -> bytes:
        return _to_bytes(as_written(judgments.to_rows()), ending)

    def write_empty(self, rows: pl.DataFrame, ending: str) -> bytes:
        return _to_bytes(rows, ending)


def _to_bytes(rows: pl.DataFrame, ending: str) -> bytes:
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
    roles = CONTEXT_ROLES

    def matches(self, roles: Roles) -> bool:
        return {"model_a", "model_b", "winner"} <= set(roles.present)

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "model_a, model_b and winner"))
        fixed = {**roles.column, "system_a": "model_a", "system_b": "model_b"}
        roles = Roles(fixed, roles.present).without("position_a", "position_b")
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
    roles = CONTEXT_ROLES | {"chosen", "rejected", "position_a", "position_b"}

    def matches(self, roles: Roles) -> bool:
        return roles.has("chosen", "rejected")

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(_need(roles, "chosen and rejected (or chosen_model and rejected_model)"))
        return _chosen_over(frame, roles, options, "chosen", "rejected")

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


def _chosen_over(frame: pl.DataFrame, roles: Roles, options: ReadOptions, better: str, worse: str) -> Sieve:
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
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], _outcome=column)
    sieve.reject(pl.col("_outcome").is_null(), "the outcome is missing")
    sieve.frame = sieve.frame.with_columns(_codes(sieve.frame["_outcome"]).alias("outcome"))
    _reject_unknown(sieve, _ALLOWED)
    return sieve


def _with_winner(
    frame: pl.DataFrame, roles: Roles, options: ReadOptions, column: str, sure: tuple[str, ...] = ()
) -> Sieve:
    """Records that say which side is better, in a word or by its name.

    A word that is also the name of the other side could mean either, unless it is one of ``sure``.
    """
    sieve = _two_systems(frame, roles, options, roles["system_a"], roles["system_b"], _outcome=column)
    sieve.reject(pl.col("_outcome").is_null(), "the winner is missing")
    word = pl.col("_outcome")
    a, b = pl.lit(1, pl.Int8), pl.lit(-1, pl.Int8)
    named = pl.when(word == pl.col("system_a")).then(a).when(word == pl.col("system_b")).then(b)
    sieve.frame = sieve.frame.with_columns(named.alias("_named"))
    # A number that is the name of a side (models called 1 and 2) is no numeric outcome.
    is_number = word.cast(pl.Float64, strict=False).is_not_null()
    words = sieve.frame.select(pl.when(pl.col("_named").is_null() | ~is_number).then(word)).to_series()
    sieve.frame = sieve.frame.with_columns(_codes(words).alias("outcome"))
    clash = (pl.col("_named") != pl.col("outcome")) & ~word.is_in(list(sure))
    clashes = pl.format("winner {} is both a system and a word for another outcome", quoted("_outcome"))
    sieve.reject(clash, clashes, kind="outcome")
    sieve.frame = sieve.frame.with_columns(pl.coalesce("outcome", "_named").alias("outcome"))
    _reject_unknown(sieve, _ALLOWED + ", or the winner's name")
    return sieve


def _reject_unknown(sieve: Sieve, allowed: str) -> None:
    unknown = pl.format(f"unknown outcome {{}}; allowed: {allowed}", quoted("_outcome"))
    sieve.reject(pl.col("outcome").is_null(), unknown, kind="outcome")


def _codes(values: pl.Series) -> pl.Series:
    """+1, 0 or −1 for every value; null where it is no known word."""
    text = values.cast(pl.String).str.strip_chars().str.to_lowercase()
    distinct = text.drop_nulls().unique().to_list()
    words = {value: _WORDS[value] for value in distinct if value in _WORDS}
    numbers = {value: float(value) for value in distinct if value not in _WORDS and _is_number(value)}
    table = words | _numeric(numbers, among_words=bool(words))
    return text.replace_strict(list(table), list(table.values()), default=None, return_dtype=pl.Int8)


def _numeric(numbers: Mapping[str, float], *, among_words: bool) -> dict[str, int]:
    """What numbers mean, if they can be told to be of one of the two sets."""
    values = set(numbers.values())
    if -1.0 in values and 0.5 not in values:
        meaning = _SIGNED
    elif 0.5 in values and -1.0 not in values:
        meaning = _SHARE
    elif among_words or not values & {1.0, 0.0, -1.0, 0.5}:
        return {}
    else:
        raise InputError(
            f"numeric outcomes {', '.join(sorted(numbers)[:6])} are ambiguous: known sets are 1 / 0 / −1 (a "
            f"better, tie, b better) and 1 / 0.5 / 0; write words instead: {_ALLOWED}"
        )
    return {text: meaning[number] for text, number in numbers.items() if number in meaning}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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
