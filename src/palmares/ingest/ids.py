"""Which judgments belong to one ranking: whether a column's ids can be believed, and rankings rebuilt without ids.

A ranking is what one judge said of the outputs of one segment at one time: every two of them are compared once, and no
comparison contradicts another. A column that has other groups is no ranking id, whatever it is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, islice

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import EXTRA_PREFIX, NAME_COLUMNS, VALUE_COLUMNS
from .base import ColumnUse, ReadOptions
from .columns import Sieve

#: What all judgments of a ranking share.
_KEYS = ("lang_pair", "segment", "judge")
_WORDS = {"lang_pair": "language pairs", "segment": "segments", "judge": "judges"}
#: Records that were left out may tear a hole into this share of rankings.
_MOST_TORN = 0.05
#: What one judge said of one segment is not taken apart beyond so many systems, or sets of them.
_MOST_NODES, _MOST_SETS = 40, 100
_GROUP, _A, _B, _WON = "_group", "_a", "_b", "_won"


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
        sieve.frame = sieve.frame.drop("ranking")  # an empty column says that there are none
        rebuilds = False
    elif given and use is not None:
        _check_ids(sieve, use)
    if rebuilds and "ranking" not in sieve.frame.columns and options.columns.get("ranking") != "":
        _rebuild(sieve, ranks)
    _say_guesses(sieve)


def _rebuild(sieve: Sieve, ranks: tuple[str, str] | None) -> None:
    """Give judgments that have no ranking ids those of the rankings that they surely come from."""
    frame = sieve.frame
    if not {"judge", "segment"} <= set(frame.columns):
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
    alone = f"; {result.torn} judgments, where that is not certain, stand alone" if result.torn else ""
    sieve.notes.append(
        f"no column gives ranking ids: {number} rankings were rebuilt from judge and segment{copies}{alone}"
    )


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
    pairs = _oriented(rows.filter(pl.col("ranking").is_not_null()))
    keys = [key for key in _KEYS if key in pairs.columns]
    most = {key: int(pairs.select(pl.col(key).n_unique().over("ranking").max()).item()) for key in keys}
    repeats = any(number > 1 for number in most.values())
    grouped = _grouped(pairs, [*keys, "ranking"])
    shape = _shapes(grouped)
    twice = shape.filter(pl.col("_most") > 1)
    linked = int(shape["_rows"].sum())
    torn = int(shape.filter(~pl.col("_whole"))["_rows"].sum()) > _MOST_TORN * linked
    if repeats:
        nothing_linked = shape.filter(pl.col("_pairs") > 2).is_empty()
        if twice.height or torn or nothing_linked:
            worst = max(most, key=lambda key: most[key])
            return f"one value of it covers {most[worst]} {_WORDS[worst]}", True
        return None, True
    if twice.height:
        group, times = twice.sort("_most", _GROUP, descending=[True, False]).select(_GROUP, "_most").row(0)
        first = grouped.filter((pl.col(_GROUP) == group) & (pl.len().over(_GROUP, _A, _B) == times)).sort(_A, _B)
        a, b, name = first.select(_A, _B, "ranking").row(0)
        return f"{name[:40]!r} has {a[:40]!r} and {b[:40]!r} compared {times} times", False
    if whole and torn and not {"judge", "segment"} <= set(keys):
        return "its values do not hold whole rankings, with every pair of their systems", False
    return None, False


def _check_ids(sieve: Sieve, use: ColumnUse) -> None:
    reason, restarts = fault_of(sieve.frame, whole=use.why == "guessed")
    if reason is None:
        if restarts:
            sieve.notes.append(f"column {use.column!r} numbers the rankings of each judge and segment from the start")
        return
    if use.why == "named":
        raise InputError(
            f"column {use.column!r} is no ranking id: {reason}; a ranking is what one judge said of one segment, with "
            "every pair of systems once; name another column, or none with --column ranking="
        )
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


# -- groups and their shape ------------------------------------------------------------------------------------------


def _oriented(rows: pl.DataFrame) -> pl.DataFrame:
    """Every judgment with its systems in the order of their names; exact copies by one judge of one segment once."""
    swap = pl.col("system_a") > pl.col("system_b")
    sides = {_A: ("system_b", "system_a"), _B: ("system_a", "system_b")}
    oriented = rows.with_columns(
        *[pl.when(swap).then(other).otherwise(own).alias(name) for name, (other, own) in sides.items()],
        pl.when(swap).then(-pl.col("outcome")).otherwise("outcome").alias(_WON),
    )
    oriented = oriented.select(*_content(rows, but=("position_a", "position_b")), _A, _B, _WON)
    known = [key for key in ("judge", "segment") if key in rows.columns]
    if len(known) < 2:
        return oriented
    sure = pl.all_horizontal(pl.col(known).is_not_null())
    return pl.concat([oriented.filter(sure).unique(maintain_order=True), oriented.filter(~sure)])


def _content(rows: pl.DataFrame, *, but: tuple[str, ...] = ()) -> list[str]:
    """The columns that say something of a judgment besides its systems and outcome."""
    named = [c for c in rows.columns if c in NAME_COLUMNS or c in VALUE_COLUMNS or c.startswith(EXTRA_PREFIX)]
    return [c for c in named if c not in but]


def _grouped(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return rows.with_columns(pl.struct(keys).rank("dense").cast(pl.Int64).alias(_GROUP))


def _shapes(rows: pl.DataFrame) -> pl.DataFrame:
    """For every group: its rows and pairs, how often the commonest pair is there, and whether it is a whole ranking."""
    pairs = rows.group_by(_GROUP, _A, _B).agg(pl.len().alias("_times"), pl.col(_WON).first())
    sides = pl.concat(
        [
            pairs.select(_GROUP, pl.col(_A).alias("_system"), (pl.col(_WON) < 0).alias("_lost")),
            pairs.select(_GROUP, pl.col(_B).alias("_system"), (pl.col(_WON) > 0).alias("_lost")),
        ]
    )
    # In a weak order, how many beat a system tells its place.
    places = sides.group_by(_GROUP, "_system").agg(pl.len().alias("_met"), pl.col("_lost").sum().cast(pl.Int64))
    placed = pairs
    for side in (_A, _B):
        place = places.select(_GROUP, "_system", pl.col("_lost").alias(f"{side}_lost"))
        placed = placed.join(place, left_on=[_GROUP, side], right_on=[_GROUP, "_system"])
    agrees = (pl.col(f"{_B}_lost") - pl.col(f"{_A}_lost")).sign() == pl.col(_WON)
    ordered = placed.group_by(_GROUP).agg(
        pl.col("_times").sum().alias("_rows"), pl.len().alias("_pairs"), pl.col("_times").max().alias("_most"),
        agrees.all().alias("_ordered"),
    )  # fmt: skip
    complete = places.group_by(_GROUP).agg((pl.col("_met") == pl.len() - 1).all().alias("_complete"))
    whole = pl.col("_ordered") & pl.col("_complete") & (pl.col("_most") == 1)
    return ordered.join(complete, on=_GROUP).with_columns(whole.alias("_whole"))


# -- rankings without ids --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """A ranking by the numbers of its rows, and whether it repeats another one exactly."""

    rows: list[int]
    copy: bool


@dataclass(frozen=True)
class Rebuilt:
    """Ranking ids for rows that had none: null where it is not certain to which ranking a row belongs.

    ``multiple`` rows share judge and segment with another one, ``torn`` of them have no id; ``copies`` rankings repeat
    another one exactly.
    """

    ids: pl.Series
    multiple: int = 0
    torn: int = 0
    copies: int = 0

    @property
    def certain(self) -> bool:
        """Whether judge and segment tell rankings: some have several judgments, and few judgments are left over."""
        return self.multiple > self.torn and self.torn <= _MOST_TORN * self.multiple


def rebuilt(rows: pl.DataFrame, ranks: tuple[str, str] | None = None) -> Rebuilt:
    """The rankings that judgments surely come from, by what each judge said of each segment, in whatever order."""
    keys = [key for key in _KEYS if key in rows.columns]
    content = [*_content(rows), _A, _B, _WON]
    known = rows.with_row_index("_row").filter(pl.all_horizontal(pl.col("judge", "segment").is_not_null()))
    if not known.height:
        return Rebuilt(pl.Series(values=[None] * rows.height, dtype=pl.String))
    known = _grouped(_as_nodes(known, ranks), keys)
    shape = _shapes(known)
    simple = shape.filter(pl.col("_whole") & (pl.col("_pairs") != 2)).select(_GROUP)
    whole = known.join(simple, on=_GROUP, how="semi").select("_row", pl.col(_GROUP).cast(pl.String))
    ids: dict[int, str] = {}
    multiple, torn, copies = int(shape.filter(pl.col("_rows") > 1)["_rows"].sum()), 0, 0
    for group in known.join(simple, on=_GROUP, how="anti").partition_by(_GROUP):
        found = _taken_apart(group, content, ranked=ranks is not None)
        torn += 0 if found else group.height
        if torn > _MOST_TORN * multiple:
            break
        for number, ranking in enumerate(found):
            ids |= dict.fromkeys(ranking.rows, f"{group[_GROUP][0]}.{number}")
            copies += ranking.copy
    more = pl.DataFrame([list(ids), list(ids.values())], schema={"_row": pl.UInt32, _GROUP: pl.String})
    every = rows.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("_row"))
    named = every.join(pl.concat([whole, more]), on="_row", how="left", maintain_order="left")
    return Rebuilt(named[_GROUP], multiple, torn, copies)


def _as_nodes(rows: pl.DataFrame, ranks: tuple[str, str] | None) -> pl.DataFrame:
    """Oriented pairs of nodes: a system, and its rank where that is known, for it has one rank in a ranking."""
    nodes = [pl.col("system_a"), pl.col("system_b")]
    if ranks is not None:
        nodes = [pl.format("{}\0{}", node, rank) for node, rank in zip(nodes, ranks, strict=True)]
    swap = nodes[0] > nodes[1]
    return rows.with_columns(
        pl.when(swap).then(nodes[1]).otherwise(nodes[0]).alias(_A),
        pl.when(swap).then(nodes[0]).otherwise(nodes[1]).alias(_B),
        pl.when(swap).then(-pl.col("outcome")).otherwise("outcome").alias(_WON),
    )


def _taken_apart(group: pl.DataFrame, content: list[str], *, ranked: bool) -> list[_Found]:
    """The rankings in what one judge said of one segment in several goes; none if they are not certain.

    A ranking compares all of its systems, so rankings are the largest sets of nodes that are all linked. A pair that
    is in one such set only tells how often that set was ranked. In the end every judgment must have been needed once.
    """
    rows: dict[tuple[str, str], list[int]] = {}
    outcomes: dict[tuple[str, str], int] = {}
    for row, a, b, won in group.select("_row", _A, _B, _WON).iter_rows():
        rows.setdefault((a, b), []).append(row)
        outcomes[a, b] = won
    if group.select(content).unique().height > len(rows):
        return []  # copies of a pair that differ: which of them belongs to which ranking is not known
    met = Counter(node for pair in rows for node in pair)
    if len(met) > _MOST_NODES or (not ranked and min(met.values()) < 2):
        return []
    found: list[_Found] = []
    while left := [pair for pair, copies in rows.items() if copies]:
        sets = [tuple(sorted(nodes)) for nodes in islice(_largest_linked(left), _MOST_SETS)]
        within = Counter(pair for nodes in sets for pair in combinations(nodes, 2))
        own = {nodes: [pair for pair in combinations(nodes, 2) if within[pair] == 1] for nodes in sets}
        times = {nodes: min(len(rows[pair]) for pair in pairs) for nodes, pairs in own.items() if pairs}
        # Two outputs alone are a ranking where there are ranks; else they may be what is left of a larger one.
        small = any(len(nodes) < 3 and not (ranked and met[nodes[0]] == met[nodes[1]] == 1) for nodes in times)
        needed = Counter(dict.fromkeys(left, 0))
        for nodes, n in times.items():
            needed.update(dict.fromkeys(combinations(nodes, 2), n))
        if small or not times or any(n > len(rows[pair]) for pair, n in needed.items()):
            return []
        if not all(_is_order(nodes, outcomes) for nodes in times):
            return []
        for nodes, n in times.items():
            found += [_Found([rows[pair].pop() for pair in combinations(nodes, 2)], copy > 0) for copy in range(n)]
    return found


def _largest_linked(pairs: list[tuple[str, str]]) -> Iterator[set[str]]:
    """All sets of nodes every two of which are a pair, and to which no further node can be added."""
    linked: dict[str, set[str]] = {}
    for a, b in pairs:
        linked.setdefault(a, set()).add(b)
        linked.setdefault(b, set()).add(a)

    def grown(chosen: set[str], open_: set[str], closed: set[str]) -> Iterator[set[str]]:  # Bron & Kerbosch 1973
        if not open_ and not closed:
            yield chosen
            return
        pivot = max(open_ | closed, key=lambda node: len(linked[node] & open_))
        for node in sorted(open_ - linked[pivot]):
            yield from grown(chosen | {node}, open_ & linked[node], closed & linked[node])
            open_, closed = open_ - {node}, closed | {node}

    return grown(set(), set(linked), set())


def _is_order(nodes: tuple[str, ...], outcomes: Mapping[tuple[str, str], int]) -> bool:
    """Whether the outcomes are those of a weak order: none contradicts another."""
    lost = Counter(pair[1] if outcomes[pair] > 0 else pair[0] for pair in combinations(nodes, 2) if outcomes[pair])
    return all(outcomes[a, b] == (lost[b] > lost[a]) - (lost[b] < lost[a]) for a, b in combinations(nodes, 2))
