"""The shape of groups of judgments: whether each is a whole ranking, with every pair of its systems once."""

from __future__ import annotations

import polars as pl

from ..judgments import EXTRA_PREFIX, NAME_COLUMNS, VALUE_COLUMNS

#: In frames of pairs: the group of a row, its systems in the order of their names, and the outcome seen from the first.
GROUP, FIRST, SECOND, WON = "_group", "_first", "_second", "_won"
#: What all judgments of a ranking share.
SHARED = ("lang_pair", "segment", "judge")


def oriented(rows: pl.DataFrame, ranks: tuple[str, str] | None = None) -> pl.DataFrame:
    """Every judgment with its systems in the order of their names.

    Parameters
    ----------
    ranks
        Columns with the ranks of both systems. A system then has one name for each rank that it was given, because
        within a ranking it has one rank.
    """
    names = [pl.col("system_a"), pl.col("system_b")]
    if ranks is not None:
        names = [pl.format("{}\0{}", name, rank) for name, rank in zip(names, ranks, strict=True)]
    swap = names[0] > names[1]
    return rows.with_columns(
        pl.when(swap).then(names[1]).otherwise(names[0]).alias(FIRST),
        pl.when(swap).then(names[0]).otherwise(names[1]).alias(SECOND),
        pl.when(swap).then(-pl.col("outcome")).otherwise("outcome").alias(WON),
    )


def content(rows: pl.DataFrame) -> list[str]:
    """The columns that say something of a judgment, its `oriented` systems and outcome included."""
    named = [c for c in rows.columns if c in NAME_COLUMNS or c in VALUE_COLUMNS or c.startswith(EXTRA_PREFIX)]
    return [*named, FIRST, SECOND, WON]


def grouped(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The rows with the number of their group: what they have in these columns."""
    groups = rows.select(keys).unique().sort(keys).with_row_index(GROUP)
    return rows.join(groups, on=keys, how="left", nulls_equal=True, maintain_order="left")


def shapes(rows: pl.DataFrame) -> pl.DataFrame:
    """For every group: its rows and pairs, how often the commonest pair is there, and whether it is a whole ranking."""
    pairs = rows.group_by(GROUP, FIRST, SECOND).agg(pl.len().alias("_times"), pl.col(WON).first())
    sides = pl.concat(
        [
            pairs.select(GROUP, pl.col(FIRST).alias("_system"), (pl.col(WON) < 0).alias("_lost")),
            pairs.select(GROUP, pl.col(SECOND).alias("_system"), (pl.col(WON) > 0).alias("_lost")),
        ]
    )
    # In a weak order, how many beat a system tells its place.
    places = sides.group_by(GROUP, "_system").agg(pl.len().alias("_met"), pl.col("_lost").sum().cast(pl.Int64))
    placed = pairs
    for side in (FIRST, SECOND):
        place = places.select(GROUP, "_system", pl.col("_lost").alias(f"{side}_lost"))
        placed = placed.join(place, left_on=[GROUP, side], right_on=[GROUP, "_system"])
    agrees = (pl.col(f"{SECOND}_lost") - pl.col(f"{FIRST}_lost")).sign() == pl.col(WON)
    ordered = placed.group_by(GROUP).agg(
        pl.col("_times").sum().alias("_rows"), pl.len().alias("_pairs"), pl.col("_times").max().alias("_most"),
        agrees.all().alias("_ordered"),
    )  # fmt: skip
    complete = places.group_by(GROUP).agg((pl.col("_met") == pl.len() - 1).all().alias("_complete"))
    whole = pl.col("_ordered") & pl.col("_complete") & (pl.col("_most") == 1)
    return ordered.join(complete, on=GROUP).with_columns(whole.alias("_whole"))
