"""Between a ranking of several outputs and the pairwise judgments it stands for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from ..errors import LossyWriteError
from ..judgments import Judgments
from .base import RECORD
from .columns import Sieve, quoted

#: In frames of outputs: larger is better; ranks are negated.
VALUE = "_value"
#: In rebuilt rankings: the first, by name, of the systems that share an output.
OUTPUT = "_output"


def split_merged(names: Iterable[str], *, always: str = "") -> dict[str, list[str]]:
    """The systems behind each name; two or more where identical outputs were shown once.

    A name is split at ``,``, ``+`` or a space if one of its parts also stands alone as a name (so
    ``moses+lm`` stays whole unless ``moses`` or ``lm`` is a system too). Separators in ``always`` split
    without that proof.
    """
    known = set(names)
    parts: dict[str, list[str]] = {}
    for name in known:
        parts[name] = [name]
        for separator in ",+ ":
            pieces = sorted({p.strip() for p in name.split(separator) if p.strip()})
            if len(pieces) > 1 and (separator in always or known & set(pieces)):
                parts[name] = pieces
                break
    return parts


def shared_outputs(outputs: pl.DataFrame, *, always: str = "") -> int:
    """How many outputs several systems share."""
    parts = split_merged(outputs["system"].unique(), always=always)
    merged = [name for name, systems in parts.items() if len(systems) > 1]
    return int(outputs["system"].is_in(merged).sum())


def expand_merged(outputs: pl.DataFrame, *, always: str = "") -> pl.DataFrame:
    """One row per system instead of one per output; systems of one output keep its value and position."""
    parts = split_merged(outputs["system"].unique(), always=always)
    if all(len(p) == 1 for p in parts.values()):
        return outputs
    table = pl.DataFrame({"system": list(parts), "_parts": list(parts.values())})
    joined = outputs.join(table, on="system", how="left", maintain_order="left").explode("_parts")
    return joined.drop("system").rename({"_parts": "system"})


def comparable(sieve: Sieve, outputs: pl.DataFrame) -> pl.DataFrame:
    """The outputs of rankings that compare something; other rankings are taken out of the sieve."""
    per_system = outputs.group_by(RECORD, "system").len("_copies")
    facts = per_system.group_by(RECORD).agg(
        pl.len().alias("_systems"),
        pl.col("system").filter(pl.col("_copies") > 1).sort().first().alias("_twice"),
    )
    sieve.frame = sieve.frame.join(facts, on=RECORD, how="left", maintain_order="left")
    itself = pl.format("system {} is compared with itself", quoted("_twice"))
    sieve.reject(pl.col("_twice").is_not_null(), itself)
    few = pl.col("_systems").fill_null(0) < 2
    sieve.reject(few, "has fewer than two outputs, so it compares nothing", kind="skipped")
    sieve.frame = sieve.frame.drop("_systems", "_twice")
    return outputs.join(sieve.frame.select(RECORD), on=RECORD, how="semi", maintain_order="left")


def check_not_merged(systems: Iterable[str], format_id: str, *, always: str = "") -> None:
    """Refuse to write names that would be read as several systems with one output."""
    for name, parts in sorted(split_merged(systems, always=always).items()):
        if len(parts) > 1:
            raise LossyWriteError(
                f"format {format_id!r} would be read with {name!r} as the systems {', '.join(map(repr, parts))}, "
                "which share an output; rename it, or write the format 'pairwise'"
            )


def pairs(outputs: pl.DataFrame, context: pl.DataFrame, *, margin: float = 0.0) -> pl.DataFrame:
    """All pairwise judgments of every ranking; a tie of systems in one position, which share an output, is forced.

    Parameters
    ----------
    outputs
        One row per ranked output: `RECORD`, ``system``, `VALUE` (larger is better) and ``position``.
    context
        One row per ranking: `RECORD` and whatever every judgment of it shares.
    margin
        Values that differ by no more than this are a tie.
    """
    numbered = outputs.select(RECORD, "system", VALUE, "position").with_row_index("_n")
    both = numbered.join(numbered, on=RECORD, suffix="_b", maintain_order="left_right")
    difference = pl.col(VALUE) - pl.col(VALUE + "_b")
    # 0.4 − 0.3 is a little more than 0.1 in floating point; a margin of 0.1 means to include it.
    slack = 1e-12 * (pl.col(VALUE).abs() + pl.col(VALUE + "_b").abs())
    tied = difference.abs() <= margin + slack
    rows = both.filter(pl.col("_n") < pl.col("_n_b")).select(
        RECORD,
        pl.col("system").alias("system_a"),
        pl.col("system_b"),
        pl.when(tied).then(0).otherwise(difference.sign()).cast(pl.Int8).alias("outcome"),
        pl.col("position").alias("position_a"),
        pl.col("position_b"),
        (pl.col("position") == pl.col("position_b")).fill_null(False).alias("forced"),
    )
    if not rows["forced"].any():
        rows = rows.drop("forced")
    return rows.join(context, on=RECORD, how="left", maintain_order="left")


def with_ranking_ids(rows: pl.DataFrame) -> pl.DataFrame:
    """Name every ranking after its record where the file gave it no id."""
    if "ranking" in rows.columns:
        return rows
    return rows.with_columns(pl.col(RECORD).cast(pl.String).alias("ranking"))


def rebuild(judgments: Judgments, format_id: str) -> pl.DataFrame:
    """The rankings behind pairwise judgments: one row per system, with ``rank``, ``position`` and `OUTPUT`.

    The inverse of `pairs`. A judgment outside any ranking is a ranking of two. Refused where the pairs
    of a ranking are not all there once, contradict each other or their context: no ranking says that.
    """
    rows = judgments.to_rows()
    group = judgments.group_codes("ranking")
    # Judgments outside any ranking go first, the last of them at the top.
    numbers = np.where(judgments.codes("ranking") < 0, -group, group)
    rows = rows.with_columns(pl.Series(RECORD, numbers, dtype=pl.Int64))
    shared = [c for c in rows.columns if c not in _OF_A_PAIR]
    contexts = rows.select(shared).unique(maintain_order=True)
    if contexts[RECORD].n_unique() < contexts.height:
        raise _not_a_ranking(format_id, "the judgments of a ranking differ in judge, segment or other context")
    outputs = _outputs(rows)
    if outputs.filter(pl.col("position").list.len() > 1).height:
        raise _not_a_ranking(format_id, "a system has several positions in one ranking")
    ranked = outputs.with_columns(pl.col("position").list.first())
    if "position_a" in rows.columns and ranked["position"].null_count():
        raise _not_a_ranking(format_id, "the positions of some outputs are not known (--drop position)")
    _check_complete(ranked, rows, format_id)
    dense = pl.col("rank").rank("dense").over(RECORD).cast(pl.Int64)
    order = ranked.with_columns(dense.alias("rank")).sort(RECORD, "position", "system", nulls_last=True)
    ordered = _with_output(order.select(RECORD, "system", "rank", "position"), rows, format_id)
    return ordered.join(contexts, on=RECORD, how="left", maintain_order="left")


def _with_output(ranked: pl.DataFrame, rows: pl.DataFrame, format_id: str) -> pl.DataFrame:
    """Rankings with the `OUTPUT` of every system; refused where forced ties do not make whole outputs."""
    if "forced" not in rows.columns:
        return ranked.with_columns(pl.col("system").alias(OUTPUT))
    tied = rows.filter("forced")
    sides = [tied.select(RECORD, pl.col(f"system_{s}").alias("system"), f"system_{o}") for s, o in ("ab", "ba")]
    others = pl.concat([side.rename({side.columns[-1]: "_other"}) for side in sides])
    first = others.group_by(RECORD, "system").agg(pl.col("_other").min())
    shared = ranked.join(first, on=[RECORD, "system"], how="left", maintain_order="left")
    shared = shared.with_columns(pl.min_horizontal("system", "_other").alias(OUTPUT)).drop("_other")
    output = shared.select(RECORD, "system", OUTPUT)
    pairs = rows.join(output, left_on=[RECORD, "system_a"], right_on=[RECORD, "system"]).join(
        output, left_on=[RECORD, "system_b"], right_on=[RECORD, "system"], suffix="_b"
    )
    if pairs.filter((pl.col(OUTPUT) == pl.col(OUTPUT + "_b")) != pl.col("forced")).height:
        raise _not_a_ranking(format_id, "some forced ties of systems that share an output are missing or not marked")
    return shared


def _outputs(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per output: how many it met, its rank, and the list of its positions."""
    known = "position_a" in rows.columns
    sides = [
        rows.select(
            RECORD,
            pl.col(f"system_{side}").alias("system"),
            (pl.col(f"position_{side}") if known else pl.lit(None, pl.Int32)).alias("position"),
            (pl.col("outcome") * sign).alias("_won"),
        )
        for side, sign in (("a", 1), ("b", -1))
    ]
    # In a weak order, the number of outputs that beat one is its rank (less one).
    return (
        pl.concat(sides)
        .group_by(RECORD, "system")
        .agg(
            (1 + (pl.col("_won") < 0).sum().cast(pl.Int64)).alias("rank"),
            pl.col("position").unique(),
            pl.len().alias("_met"),
        )
    )


_OF_A_PAIR = {"system_a", "system_b", "outcome", "position_a", "position_b", "forced", "ranking"}


def _check_complete(ranked: pl.DataFrame, rows: pl.DataFrame, format_id: str) -> None:
    size = pl.len().over(RECORD)
    if ranked.filter(pl.col("_met") != size - 1).height:
        raise _not_a_ranking(format_id, "some pairs of a ranking are missing or there twice")
    rank_of = ranked.select(RECORD, "system", "rank")
    ranked_pairs = rows.join(rank_of, left_on=[RECORD, "system_a"], right_on=[RECORD, "system"]).join(
        rank_of, left_on=[RECORD, "system_b"], right_on=[RECORD, "system"], suffix="_b"
    )
    if ranked_pairs.filter((pl.col("rank_b") - pl.col("rank")).sign() != pl.col("outcome")).height:
        raise _not_a_ranking(format_id, "the judgments of a ranking contradict each other (a > b > c > a)")


def _not_a_ranking(format_id: str, what: str) -> LossyWriteError:
    return LossyWriteError(
        f"format {format_id!r} holds whole rankings, and {what}; write the format 'pairwise', which holds any pair"
    )
