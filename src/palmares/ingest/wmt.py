"""The CSV files of the Conference on Machine Translation: n-way rankings, and pairs with a ranking id."""

from __future__ import annotations

import re
from itertools import combinations

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import Judgments
from . import tables
from .base import RECORD, ReadOptions
from .columns import CONTEXT_ROLES, Roles, Sieve, quoted
from .ids import links_more, settle
from .names import NO_VALUE, without
from .rankings import (
    VALUE,
    check_not_merged,
    comparable,
    expand_merged,
    pairs,
    rebuild,
    shared_outputs,
    split_merged,
    with_ranking_ids,
)
from .shapes import SHARED
from .tables import TableFormat

_SYSTEM = re.compile(r"system(\d+)id", re.IGNORECASE)
_PLACEHOLDER = "PLACEHOLDER"
#: A pairwise file does not say how many outputs were ranked; no screen shows more than this.
_MOST_OUTPUTS = 99
_SKIPPED = "skipped by the judge (rank −1)"


class Wmt(TableFormat):
    """Five-way (or n-way) rankings: ``system1Id`` … ``system5Id`` and ``system1rank`` … ``system5rank``."""

    id = "wmt"
    holds = frozenset(("lang_pair", "segment", "judge", "ranking", "position"))
    implies = frozenset(("position",))
    endings = ("csv", "tsv")

    roles = CONTEXT_ROLES - {"ranking"}  # every line is a ranking
    unmistakable = True

    def matches(self, roles: Roles) -> bool:
        return len(_slots(roles)) > 2

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        places = _slots(roles)
        if len(places) < 2:
            raise InputError(
                f"a WMT file needs system1Id, system1rank, system2Id, …; it has {', '.join(roles.present)}"
            )
        roles = roles.without(*_NOT_HERE, "ranking")
        text = _labelled(places)
        sieve = Sieve.start(frame, roles, options, **text)
        outputs = _checked_outputs(sieve, len(places), max(5, len(places)))
        sieve.shared = shared_outputs(outputs)
        if options.merged == "expand":
            outputs = expand_merged(outputs)
        outputs = comparable(sieve, outputs)
        sieve.frame = with_ranking_ids(pairs(outputs, sieve.frame.drop(text)))
        return sieve

    def write(self, judgments: Judgments, ending: str) -> bytes:
        _check_names(judgments, self.id)
        outputs = rebuild(judgments, self.id)
        place = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over(RECORD)
        outputs = outputs.with_columns(place.alias("_slot"))
        if outputs.filter(pl.col("position").is_not_null() & (pl.col("position") != pl.col("_slot"))).height:
            raise LossyWriteError(
                "format 'wmt' has one output in each position 1, 2, …; these judgments do not; "
                "drop the positions (--drop position) or write the format 'pairwise'"
            )
        most = int(outputs["_slot"].max())  # type: ignore[arg-type]
        wide = _header_columns(judgments, outputs.unique(RECORD, maintain_order=True))
        if "srcIndex" in wide.columns:
            wide.insert_column(wide.columns.index("segmentId"), pl.lit(-1).alias("documentId"))
        for k in range(1, max(5, most) + 1):
            slot = outputs.filter(pl.col("_slot") == k).select(
                RECORD, pl.lit(-1).alias(f"system{k}Number"),
                pl.col("system").alias(f"system{k}Id"), pl.col("rank").alias(f"system{k}rank"),
            )  # fmt: skip
            wide = wide.join(slot, on=RECORD, how="left", maintain_order="left")
        systems = pl.col("^system.*Id$").fill_null(_PLACEHOLDER)
        wide = wide.with_columns(systems, pl.col("^system.*(Number|rank)$").fill_null(-1))
        ranks = [c for c in wide.columns if re.fullmatch(r"system\d+rank", c)]  # behind all systems
        return tables.to_bytes(wide.select(pl.exclude(RECORD, *ranks), *ranks), ending)


class WmtPairwise(TableFormat):
    """WMT15 and WMT16: one pair per line, ``rankingID`` links the pairs of a ranking.

    Where it is missing, rankings are rebuilt: a system has one rank in all pairs of a ranking.
    """

    id = "wmt-pairwise"
    holds = frozenset(("lang_pair", "segment", "judge", "ranking"))
    endings = ("csv", "tsv")

    roles = CONTEXT_ROLES
    unmistakable = True

    def matches(self, roles: Roles) -> bool:
        return len(_slots(roles)) == 2

    def sift(self, frame: pl.DataFrame, roles: Roles, options: ReadOptions) -> Sieve:
        if not self.matches(roles):
            raise InputError(
                "a WMT pairwise file needs system1Id, system1rank, system2Id and system2rank; "
                f"it has {', '.join(roles.present)}"
            )
        roles = roles.without(*_NOT_HERE)
        sieve = Sieve.start(frame, roles, options, **_labelled(_slots(roles)))
        outputs = comparable(sieve, _checked_outputs(sieve, 2, _MOST_OUTPUTS))
        parts = split_merged(outputs["system"].unique())
        expands = options.merged == "expand"
        if expands:
            _reject_overlaps(sieve, parts)
            outputs = outputs.join(sieve.frame.select(RECORD), on=RECORD, how="semi", maintain_order="left")
        sieve.frame = pairs(outputs, sieve.frame).drop("position_a", "position_b")
        # Before outputs become systems: two of one output are tied once in a ranking.
        settle(sieve, options, rebuilds=True, ranks=(_RANK.format(1), _RANK.format(2)))
        merged = {name: systems for name, systems in parts.items() if len(systems) > 1}
        shown = _shown_once(sieve.frame, list(merged))
        sieve.shared = shown.height
        if expands and merged:
            sieve.frame = _expand_pairs(sieve.frame, shown, merged)
        return sieve

    def write(self, judgments: Judgments, ending: str) -> bytes:
        _check_names(judgments, self.id)
        rankings = rebuild(judgments, self.id)
        outputs = rankings.select(RECORD, "system", "rank")
        both = outputs.join(outputs, on=RECORD, suffix="_b", maintain_order="left_right")
        both = both.filter(pl.col("system") < pl.col("system_b"))
        _check_ids(both, rankings)
        context = _header_columns(judgments, rankings.unique(RECORD, maintain_order=True))
        wide = both.join(context, on=RECORD, how="left", maintain_order="left").select(
            *[c for c in context.columns if c != RECORD],
            pl.col("system").alias("system1Id"),
            pl.col("rank").alias("system1rank"),
            pl.col("system_b").alias("system2Id"),
            pl.col("rank_b").alias("system2rank"),
            (pl.col(RECORD).rank("dense") - 1).alias("rankingID"),
        )
        return tables.to_bytes(wide, ending)


#: Roles that a WMT header would be guessed to have, and does not mean.
_NOT_HERE = {"system_a", "system_b", "rank_a", "rank_b", "position_a", "position_b", "forced", "source"}


#: In frames on their way: the columns of the output in each slot.
_NAME, _RANK = "_system {}", "_rank {}"


def _labelled(places: list[tuple[str, str]]) -> dict[str, str]:
    """The columns of every slot, by what they are called here."""
    text = {_NAME.format(k): system for k, (system, _) in enumerate(places, 1)}
    return text | {_RANK.format(k): rank for k, (_, rank) in enumerate(places, 1)}


def _slots(roles: Roles) -> list[tuple[str, str]]:
    """The (system, rank) columns of a WMT header, by number."""
    lower = {name.lower(): name for name in roles.present}
    numbered = []
    for name in roles.present:
        match = _SYSTEM.fullmatch(name)
        if match and f"system{match[1]}rank" in lower:
            numbered.append((int(match[1]), name, lower[f"system{match[1]}rank"]))
    return [(system, rank) for _, system, rank in sorted(numbered)]


def _checked_outputs(sieve: Sieve, n: int, most: int) -> pl.DataFrame:
    """One row per ranked output, after the rankings with something wrong were rejected."""
    numbers = range(1, n + 1)
    system, rank = {k: _NAME.format(k) for k in numbers}, {k: _RANK.format(k) for k in numbers}
    sieve.frame = sieve.frame.with_columns(without(sieve.frame[name], NO_VALUE) for name in system.values())
    # pandas writes 1.0 where a rank is missing elsewhere.
    ranks = {k: pl.col(rank[k]).cast(pl.Float64, strict=False) for k in numbers}
    values = {k: pl.when(ranks[k] == ranks[k].round(0)).then(ranks[k].cast(pl.Int64, strict=False)) for k in numbers}
    for k in numbers:
        unnamed = pl.col(system[k]).is_null() & (values[k] > 0)
        sieve.reject(unnamed, pl.format("a system is missing: output {} has rank {}", pl.lit(k), quoted(rank[k])))
    empty = {k: pl.col(system[k]).is_null() | (pl.col(system[k]) == _PLACEHOLDER) for k in numbers}
    held = [pl.when(~empty[k]).then(pl.col(rank[k])).alias(rank[k]) for k in numbers]
    held += [pl.when(~empty[k]).then(pl.col(system[k])).alias(system[k]) for k in numbers]
    sieve.frame = sieve.frame.with_columns(*held)
    used = {k: pl.col(system[k]).is_not_null() for k in numbers}
    sieve.reject(pl.any_horizontal(used[k] & (values[k] == -1) for k in numbers), _SKIPPED, kind="skipped")
    for k in numbers:
        fault = pl.format("rank {} of output {} is out of range; allowed: whole numbers from 1 to {} (−1: skipped)",
                          quoted(rank[k]), pl.lit(k), pl.lit(most))  # fmt: skip
        sieve.reject(used[k] & ~values[k].is_between(1, most).fill_null(False), fault)
    long = [
        sieve.frame.filter(used[k]).select(
            RECORD,
            pl.col(system[k]).alias("system"),
            (-values[k]).cast(pl.Float64).alias(VALUE),
            pl.lit(k, pl.Int32).alias("position"),
        )
        for k in numbers
    ]
    return pl.concat(long).sort(RECORD, "position")


def _reject_overlaps(sieve: Sieve, parts: dict[str, list[str]]) -> None:
    """A pair of outputs that share a system compares it with itself."""
    both_names = [_NAME.format(1), _NAME.format(2)]
    seen = sieve.frame.select(both_names).unique().iter_rows()
    shared = [(a, b, min(both)) for a, b in seen if (both := set(parts[a]) & set(parts[b]))]
    if shared:
        table = pl.DataFrame(shared, schema=[*both_names, "_twice"], orient="row")
        sieve.frame = sieve.frame.join(table, on=both_names, how="left", maintain_order="left")
        itself = pl.format("system {} is compared with itself", quoted("_twice"))
        sieve.reject(pl.col("_twice").is_not_null(), itself)


def _shown_once(rows: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Pairs in which one of these outputs was shown: one for every ranking and output, which is in ``_name``."""
    of_a_ranking = [c for c in ("lang_pair", "segment", "judge", "ranking") if c in rows.columns]
    sides = [rows.select(pl.all(), pl.col(side).alias("_name")) for side in ("system_a", "system_b")]
    shown = pl.concat(sides).filter(pl.col("_name").is_in(names))
    return shown.unique([*of_a_ranking, "_name"], keep="first", maintain_order=True)


def _expand_pairs(rows: pl.DataFrame, shown: pl.DataFrame, merged: dict[str, list[str]]) -> pl.DataFrame:
    """Pairs between outputs become pairs between systems, plus a forced tie for any two systems of one output."""
    twos = [[list(two) for two in combinations(parts, 2)] for parts in merged.values()]
    table = pl.DataFrame({"_name": list(merged), "_parts": list(merged.values()), "_two": twos})
    sides = rows
    for side in ("system_a", "system_b"):
        sides = sides.join(table, left_on=side, right_on="_name", how="left", maintain_order="left")
        parts = pl.coalesce("_parts", pl.concat_list(side))
        sides = sides.with_columns(parts.alias(side)).drop("_parts", "_two").explode(side)
    sides = sides.with_columns(pl.lit(False).alias("forced"))
    ties = shown.join(table, on="_name", maintain_order="left").explode("_two")
    ties = ties.with_columns(
        pl.col("_two").list.get(0).alias("system_a"),
        pl.col("_two").list.get(1).alias("system_b"),
        pl.lit(0, pl.Int8).alias("outcome"),
        pl.lit(True).alias("forced"),
    )
    return pl.concat([sides, ties.select(sides.columns)])


def _check_names(judgments: Judgments, format_id: str) -> None:
    if _PLACEHOLDER in judgments.systems:
        raise LossyWriteError(f"format {format_id!r} takes a system called {_PLACEHOLDER!r} for an empty slot")
    check_not_merged(judgments.systems, format_id)


def _header_columns(judgments: Judgments, contexts: pl.DataFrame) -> pl.DataFrame:
    """The columns before the systems; what is unknown is −1, as in the published files."""
    split = _languages(judgments)
    columns: list[pl.Expr] = [pl.col(RECORD)]
    if "lang_pair" in contexts.columns:
        keys, source, target = list(split), [s for s, _ in split.values()], [t for _, t in split.values()]
        columns.append(pl.col("lang_pair").replace_strict(keys, source, default="").alias("srclang"))
        columns.append(pl.col("lang_pair").replace_strict(keys, target, default="").alias("trglang"))
    if "segment" in contexts.columns:
        columns += [pl.col("segment").alias("srcIndex"), pl.col("segment").alias("segmentId")]
    if "judge" in contexts.columns:
        columns.append(pl.col("judge").alias("judgeID"))
    return contexts.select(columns)


def _check_ids(both: pl.DataFrame, rankings: pl.DataFrame) -> None:
    """Refuse ids that a reader would not believe."""
    context = rankings.select(RECORD, *[c for c in SHARED if c in rankings.columns]).unique(RECORD)
    outcome = (pl.col("rank_b") - pl.col("rank")).sign().cast(pl.Int8).alias("outcome")
    rows = both.rename({"system": "system_a"}).with_columns(outcome, pl.col(RECORD).alias("ranking"))
    if links_more(rows.join(context, on=RECORD, how="left", maintain_order="left"), ("rank", "rank_b")):
        raise LossyWriteError(
            "format 'wmt-pairwise' cannot hold pairs that are no rankings but could be; write the format 'pairwise'"
        )


def _languages(judgments: Judgments) -> dict[str, tuple[str, str]]:
    split = {}
    for pair in judgments.lang_pairs:
        source, _, target = pair.partition("-")
        if not (source.strip() and target.strip()) or "-" in target or pair != f"{source.strip()}-{target.strip()}":
            raise LossyWriteError(f"language pair {pair!r} is not of the form source-target, which WMT files need")
        split[pair] = (source, target)
    return split
