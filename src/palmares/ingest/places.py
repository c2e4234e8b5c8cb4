"""Words for places (left, first) as outcomes, in tables that also say which system was in which place."""

from __future__ import annotations

import polars as pl

from ..errors import InputError
from ..judgments import A_BETTER
from .base import RECORD, ReadOptions
from .columns import Roles, Sieve, name_values
from .outcomes import COPIES, WRITTEN, plain
from .words import Word, meaning

_FAMILIES = ("left/right", "first/second", "1st/2nd")


def _place(text: str) -> Word | None:
    """What a text means if it is a word for a place."""
    word = meaning(text)
    return word if word is not None and word.kind == "side" and word.family.endswith(_FAMILIES) else None


def place_columns(roles: Roles) -> tuple[str, str] | None:
    """Columns called ``left`` and ``right`` (``first_system``, …) beside those of the two systems, if there are."""
    systems = (roles.column.get("system_a"), roles.column.get("system_b"))
    others = {name: word for name in roles.present if name not in systems and (word := _place(name)) is not None}
    for name, word in others.items():
        for other, its in others.items():
            if word.code == A_BETTER and (its.family, its.code) == (word.family, -word.code):
                return name, other
    return None


def refuse_other_places(sieve: Sieve, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> None:
    """Refuse outcomes in words for places if a system was in another place than in that of its column.

    ``left`` is read as ``system_a``; where the table says that ``system_b`` was on the left, one of them is wrong.
    """
    told = {plain(value) for value in options.values}
    codes = {
        text: word.code
        for text in sieve.frame[WRITTEN].unique()
        if plain(text) not in told and (word := _place(text)) is not None
    }
    code = pl.col(WRITTEN).replace_strict(list(codes), list(codes.values()), default=None, return_dtype=pl.Int8)
    # Systems may be called so: then the word is a name, unless sides were asked for.
    named = (pl.col(WRITTEN) == pl.col("system_a")) | (pl.col(WRITTEN) == pl.col("system_b"))
    read_so = (pl.col("outcome") == code) & (pl.lit(options.outcomes == "sides") | ~named)
    rows = sieve.frame.filter(read_so.fill_null(False)) if codes else sieve.frame.clear()
    if rows.is_empty():
        return
    copies = pl.col(COPIES).sum() if COPIES in rows.columns else pl.len()
    words = ",".join(f"{text}={'a' if code == A_BETTER else 'b'}" for text, code in sorted(codes.items()))
    columns = place_columns(roles)
    if columns is not None:
        shown = frame.select(
            RECORD, name_values(frame, columns[0]).alias("_left"), name_values(frame, columns[1]).alias("_right")
        )
        other_way = (pl.col("_left") == pl.col("system_b")) & (pl.col("_right") == pl.col("system_a"))
        swapped = rows.join(shown, on=RECORD).filter(other_way)
        if swapped.height:
            _refuse(
                rows, swapped, copies, f"columns {columns[0]!r} and {columns[1]!r}",
                f"--column system_a={columns[0]} --column system_b={columns[1]} if they mean places", words,
            )  # fmt: skip
    if {"position_a", "position_b"} <= set(rows.columns):
        swapped = rows.filter(pl.col("position_a") > pl.col("position_b"))
        if swapped.height:
            _refuse(
                rows, swapped, copies, f"the positions ({roles['position_a']}, {roles['position_b']})",
                f"put the system that was shown first into {roles['system_a']!r} if they mean places", words,
            )  # fmt: skip


def _refuse(rows: pl.DataFrame, swapped: pl.DataFrame, copies: pl.Expr, where: str, remedy: str, words: str) -> None:
    a, b, word = swapped.select("system_a", "system_b", WRITTEN).row(0)
    affected, all_ = (records.select(copies).item() for records in (swapped, rows))
    raise InputError(
        f"outcomes are words for places, and in {affected} of {all_} records {where} say that the two systems were the "
        f"other way round, e.g. {a!r} : {b!r} with {word!r}: who won is not certain. Say what they mean: {remedy}, "
        f"or --outcome {words} if they mean columns (outcomes={{'left': 'a', …}} from Python)"
    )
