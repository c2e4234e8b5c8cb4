"""Which judgments belong to one ranking: whether a column's ids can be believed, and rankings rebuilt without ids.

A ranking is what one judge said of the outputs of one segment at one time: every two of them are compared once, and no
comparison contradicts another. A column that has other groups is no ranking id, whatever it is called.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ..errors import InputError, LossyWriteError
from .base import ColumnUse, ReadOptions
from .columns import Sieve
from .rebuilding import MOST_TORN, rebuilt
from .shapes import FIRST, GROUP, SECOND, SHARED, content, grouped, oriented, shapes

_WORDS = {"lang_pair": "language pairs", "segment": "segments", "judge": "judges"}


def settle(sieve: Sieve, options: ReadOptions, *, rebuilds: bool = False, ranks: tuple[str, str] | None = None) -> None:
    """Take ranking ids out of the sieve that are none, and rebuild rankings that have no ids where that is certain.

    Parameters
    ----------
    rebuilds
        Whether records of the format may be the pairs of rankings.
    ranks
        The columns that hold the ranks of both systems, if the records must be pairs of rankings.
    """
    if sieve.settled:
        return
    sieve.settled = True
    unused = {use.column for use in sieve.columns if use.why == "not used"}
    for role, column in options.columns.items():
        if column in unused:
            used = ", ".join(f"{use.role} from {use.column!r}" for use in sieve.columns if use.role)
            raise InputError(f"--column {role}={column} has no place beside what was read: {used}; leave it out")
    use = next((use for use in sieve.columns if use.role == "ranking"), None)
    given = use is not None and "ranking" in sieve.frame.columns
    if given and sieve.frame["ranking"].null_count() == sieve.frame.height:
        sieve.frame = sieve.frame.drop("ranking")
        # A table with an empty column of ids says that there are no rankings; words for nothing do not.
        rebuilds = rebuilds and (ranks is not None or use is None or bool(use.examples))
    elif given and use is not None:
        if (ranks is not None or use.why == "guessed") and use.why != "named" and links_more(sieve.frame, ranks):
            _refuse_ids(sieve, use, "it has another value on every line, though judge and segment link some")
        else:
            _check_ids(sieve, use)
    if rebuilds and "ranking" not in sieve.frame.columns and options.columns.get("ranking") != "":
        _rebuild(sieve, ranks)
    _say_guesses(sieve)


def _rebuild(sieve: Sieve, ranks: tuple[str, str] | None) -> None:
    """Give judgments that have no ranking ids those of the rankings that they surely come from."""
    frame = sieve.frame
    if not all(key in frame.columns and frame[key].null_count() < frame.height for key in ("judge", "segment")):
        if ranks is not None:
            sieve.notes.append("no column gives ranking ids, nor judge and segment, from which to rebuild rankings")
        return
    result = rebuilt(frame, ranks)
    if not result.certain:
        if ranks is not None and result.multiple:
            sieve.notes.append(
                "no column gives ranking ids, and rankings cannot be rebuilt for certain: what a judge said of a "
                "segment is often not every pair of some systems, once and without contradiction"
            )
        return
    sieve.frame = frame.with_columns(result.ids.alias("ranking"))
    number = result.ids.drop_nulls().n_unique()
    copies = f", {result.copies} of which repeat another one exactly and are counted" if result.copies else ""
    left = result.torn + result.alone
    alone = f"; {left} judgments, where that is not certain, stand alone" if left else ""
    sieve.notes.append(
        f"no column gives ranking ids: {number} rankings were rebuilt from judge and segment{copies}{alone}"
    )


def links_more(rows: pl.DataFrame, ranks: tuple[str, str] | None) -> bool:
    """Whether ids link no two judgments, and judge and segment for certain do."""
    if not {"judge", "segment"} <= set(rows.columns) or rows["ranking"].drop_nulls().n_unique() < rows.height:
        return False
    result = rebuilt(rows.drop("ranking"), ranks)
    return result.certain and result.ids.drop_nulls().n_unique() < result.ids.count()


def as_written(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of names such that a table of them is read back with the same rankings; refused if none is.

    An empty column of ids says that there are no rankings, where a reader would see some.
    """
    if "ranking" in rows.columns:
        reason, _ = fault_of(rows)
        if reason is not None:
            raise LossyWriteError(f"its rankings would not be read back: {reason}; drop them first (--drop ranking)")
    elif {"judge", "segment"} <= set(rows.columns) and rebuilt(rows).certain:
        return rows.with_columns(pl.lit(None, pl.String).alias("ranking"))
    return rows


def fault_of(rows: pl.DataFrame, *, whole: bool = False) -> tuple[str | None, bool]:
    """Why the column ``ranking`` is no ranking id, or None; and whether its ids start again in each judge or segment.

    Parameters
    ----------
    whole
        Refuse ids whose rankings are not whole, unless judge and segment say that they belong together.
    """
    linked_rows = rows.filter(pl.col("ranking").is_not_null())
    if linked_rows["ranking"].n_unique() == linked_rows.height:
        return None, False  # every ranking is one pair
    pairs = _without_copies(oriented(linked_rows))
    keys = [key for key in SHARED if key in pairs.columns]
    most = {key: int(pairs.select(pl.col(key).n_unique().over("ranking").max()).item()) for key in keys}
    repeats = any(number > 1 for number in most.values())
    groups = grouped(pairs, [*keys, "ranking"])
    shape = shapes(groups)
    twice = shape.filter(pl.col("_most") > 1)
    linked = int(shape["_rows"].sum())
    torn = int(shape.filter(~pl.col("_whole"))["_rows"].sum()) > MOST_TORN * linked
    if repeats:
        nothing_linked = shape.filter(pl.col("_pairs") > 2).is_empty()
        if twice.height or torn or nothing_linked:
            worst = max(most, key=lambda key: most[key])
            return f"one value of it covers {most[worst]} {_WORDS[worst]}", True
        return None, True
    if twice.height:
        group, times = twice.sort("_most", GROUP, descending=[True, False]).select(GROUP, "_most").row(0)
        first = groups.filter((pl.col(GROUP) == group) & (pl.len().over(GROUP, FIRST, SECOND) == times)).sort(
            FIRST, SECOND
        )
        a, b, name = first.select(FIRST, SECOND, "ranking").row(0)
        return f"{name[:40]!r} has {a[:40]!r} and {b[:40]!r} compared {times} times", False
    if whole and torn and not {"judge", "segment"} <= set(keys):
        return "its values do not hold whole rankings, with every pair of their systems", False
    return None, False


def _without_copies(pairs: pl.DataFrame) -> pl.DataFrame:
    """Exact copies of what one judge said of one segment once: they are repeated rows, and speak against no id."""
    said = [c for c in content(pairs) if c not in ("position_a", "position_b")]
    if not {"judge", "segment"} <= set(said):
        return pairs
    known = pl.all_horizontal(pl.col("judge", "segment").is_not_null())
    return pl.concat([pairs.filter(known).unique(said, maintain_order=True), pairs.filter(~known)])


def _check_ids(sieve: Sieve, use: ColumnUse) -> None:
    reason, restarts = fault_of(sieve.frame, whole=use.why == "guessed")
    if reason is None:
        if restarts:
            sieve.notes.append(
                f"column {use.column!r} uses ids again: each stands for one ranking of every judge and segment with it"
            )
        return
    if use.why == "named":
        raise InputError(
            f"column {use.column!r} is no ranking id: {reason}; a ranking is what one judge said of one segment, with "
            "every pair of systems once; name another column, or none with --column ranking="
        )
    _refuse_ids(sieve, use, reason)


def _refuse_ids(sieve: Sieve, use: ColumnUse, reason: str) -> None:
    sieve.frame = sieve.frame.drop("ranking")
    sieve.notes.append(f"column {use.column!r} was not taken for the ranking id: {reason}")
    remark = f"not taken for the ranking id: {reason}"
    refused = replace(use, role="", why="not used", remark=remark)
    sieve.columns = [*[other for other in sieve.columns if other is not use], refused]


def _say_guesses(sieve: Sieve) -> None:
    guessed = [f"{use.role} from {use.column!r}" for use in sieve.columns if use.why == "guessed"]
    if guessed:
        sieve.notes.append(
            f"guessed from the names of columns: {', '.join(guessed)} (--column ROLE=NAME says otherwise, and "
            "palmares describe --columns shows all)"
        )
