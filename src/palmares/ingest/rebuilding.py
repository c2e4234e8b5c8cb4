"""Rankings rebuilt from pairs that have no ranking ids, where judge and segment allow only one way to do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, islice

import polars as pl

from .shapes import FIRST, GROUP, SECOND, SHARED, WON, content, grouped, oriented, shapes

#: Records that were left out may tear a hole into this share of rankings.
MOST_TORN = 0.05
#: What one judge said of one segment is not taken apart beyond so many systems, or sets of them.
_MOST_NODES, _MOST_SETS = 40, 100


@dataclass(frozen=True)
class _Found:
    """A ranking by the numbers of its rows, and whether it repeats another one exactly."""

    rows: list[int]
    copy: bool


@dataclass(frozen=True)
class Rebuilt:
    """Ranking ids for rows that had none: null where it is not certain to which ranking a row belongs.

    ``multiple`` of the rows share judge and segment with another one; ``torn`` of these fit no ranking, and ``alone``
    are copies of single rows of one. ``copies`` rankings repeat another one exactly.
    """

    ids: pl.Series
    multiple: int = 0
    torn: int = 0
    alone: int = 0
    copies: int = 0

    @property
    def certain(self) -> bool:
        """Whether rows that share judge and segment are rankings, but for those that a lost record tore apart."""
        return self.multiple > self.torn + self.alone and self.torn <= MOST_TORN * self.multiple


def rebuilt(rows: pl.DataFrame, ranks: tuple[str, str] | None = None) -> Rebuilt:
    """The rankings that judgments surely come from, by what each judge said of each segment, in whatever order.

    Parameters
    ----------
    ranks
        Columns with the ranks of both systems, if they are known.
    """
    keys = [key for key in SHARED if key in rows.columns]
    known = rows.with_row_index("_row").filter(pl.all_horizontal(pl.col("judge", "segment").is_not_null()))
    sizes = known.group_by(keys).len()["len"]
    none = Rebuilt(pl.repeat(None, rows.height, dtype=pl.String, eager=True), int(sizes.filter(sizes > 1).sum()))
    # Where few judgments share judge and segment, they may do so by chance; pairs with ranks are of rankings.
    if not none.multiple or (ranks is None and 2 * none.multiple <= rows.height):
        return replace(none, torn=none.multiple)
    known = grouped(oriented(known, ranks), keys)
    shape = shapes(known)
    simple = shape.filter(pl.col("_whole")).select(GROUP)
    whole = known.join(simple, on=GROUP, how="semi").select("_row", pl.col(GROUP).cast(pl.String))
    ids: dict[int, str] = {}
    torn, alone, copies = 0, 0, 0
    for group in known.join(simple, on=GROUP, how="anti").partition_by(GROUP):
        found = _taken_apart(group, ranked=ranks is not None)
        if not found:
            torn += group.height
            if torn > MOST_TORN * none.multiple:
                break
            continue
        alone += group.height - sum(len(ranking.rows) for ranking in found)
        copies += sum(ranking.copy for ranking in found)
        for number, ranking in enumerate(found):
            ids |= dict.fromkeys(ranking.rows, f"{group[GROUP][0]}.{number}")
    more = pl.DataFrame([list(ids), list(ids.values())], schema={"_row": pl.UInt32, GROUP: pl.String})
    every = rows.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("_row"))
    named = every.join(pl.concat([whole, more]), on="_row", how="left", maintain_order="left")
    return Rebuilt(named[GROUP], none.multiple, torn, alone, copies)


def _taken_apart(group: pl.DataFrame, *, ranked: bool) -> list[_Found]:
    """The rankings in what one judge said of one segment in several goes; none if they are not certain.

    A ranking compares all of its systems, so rankings are the largest sets of nodes that are all linked. A pair that
    is in one such set only tells how often that set was ranked. What is left in the end must be copies of judgments.
    """
    rows: dict[tuple[str, str], list[int]] = {}
    outcomes: dict[tuple[str, str], int] = {}
    for row, a, b, won in group.select("_row", FIRST, SECOND, WON).iter_rows():
        rows.setdefault((a, b), []).append(row)
        outcomes[a, b] = won
    if group.select(content(group)).unique().height > len(rows):
        return []  # copies of a pair that differ: which of them belongs to which ranking is not known
    met = Counter(node for pair in rows for node in pair)
    if len(met) > _MOST_NODES or (not ranked and min(met.values()) < 2):
        return []
    found: list[_Found] = []
    used: set[tuple[str, str]] = set()
    while left := [pair for pair, copies in rows.items() if copies]:
        times = _times_ranked({pair: len(rows[pair]) for pair in left})
        # Two outputs alone are a ranking where there are ranks; else they may be what is left of a larger one.
        small = any(len(nodes) < 3 and not (ranked and met[nodes[0]] == met[nodes[1]] == 1) for nodes in times)
        if small or not times or not all(_is_order(nodes, outcomes) for nodes in times):
            break
        for nodes, n in times.items():
            pairs = list(combinations(nodes, 2))
            used.update(pairs)
            found += [_Found([rows[pair].pop() for pair in pairs], copy > 0) for copy in range(n)]
    return found if used == set(rows) else []


def _times_ranked(copies: Mapping[tuple[str, str], int]) -> dict[tuple[str, ...], int]:
    """How often each largest set of nodes was ranked that has a pair of its own; none if there are too few copies."""
    sets = [tuple(sorted(nodes)) for nodes in islice(_largest_linked(copies), _MOST_SETS)]
    within = Counter(pair for nodes in sets for pair in combinations(nodes, 2))
    own = {nodes: [pair for pair in combinations(nodes, 2) if within[pair] == 1] for nodes in sets}
    times = {nodes: min(copies[pair] for pair in pairs) for nodes, pairs in own.items() if pairs}
    needed: Counter[tuple[str, str]] = Counter()
    for nodes, n in times.items():
        needed.update(dict.fromkeys(combinations(nodes, 2), n))
    return times if all(n <= copies[pair] for pair, n in needed.items()) else {}


def _largest_linked(pairs: Iterable[tuple[str, str]]) -> Iterator[set[str]]:
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
