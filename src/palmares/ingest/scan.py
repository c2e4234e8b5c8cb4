"""`scan`: a file of any size, straight to pair counts.

The file is streamed once and grouped by (systems, outcome); memory does not grow with its length. Checks look at
the groups, of which there are few; only if one is faulty does a second pass look for its lines.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from ..errors import InputError
from ..judgments import Judgments
from ..judgments.counts import PairCounts
from . import tables
from .base import RECORD, Dropped, ReadOptions, ReadReport
from .columns import Roles
from .files import DroppedRowsWarning, detect, read_with_report
from .pairwise import Arena, Pairwise, TableFormat
from .source import Source

_HEAD = 1 << 16
#: So many faulty lines mean that the file is not what it was taken for.
_MOST_DROPPED = 100_000
_KEYS = ("system_a", "system_b", "outcome", "winner", "loser", "rank_a", "rank_b", "lang_pair")


def scan(
    path: str | Path, *, lang_pair: str | None = None, columns: Mapping[str, str] | None = None, strict: bool = False
) -> PairCounts:
    """Count a file of pairwise judgments without holding it in memory.

    Delimited text and Parquet in the formats ``pairwise`` and ``arena`` are streamed; any other file
    is read whole and then counted. Fields that the counts do not need (judges, segments, …) are not checked.

    Parameters
    ----------
    lang_pair
        Which language pair to count, needed if the file has several.
    columns, strict
        As for `palmares.read`.
    """
    found, report = scan_with_report(path, columns=columns, strict=strict)
    if report.rejected:
        warnings.warn(report.summary(), DroppedRowsWarning, stacklevel=2)
    if lang_pair is None and len(found) > 1:
        raise InputError(
            f"{report.source}: mixes {len(found)} language pairs ({', '.join(map(str, found))}); "
            "choose one with lang_pair="
        )
    if lang_pair is not None and lang_pair not in found:
        raise InputError(f"{report.source}: has no language pair {lang_pair!r}; it has: {', '.join(map(str, found))}")
    return found[lang_pair] if lang_pair is not None else next(iter(found.values()))


def scan_with_report(
    path: str | Path, *, columns: Mapping[str, str] | None = None, strict: bool = False
) -> tuple[dict[str | None, PairCounts], ReadReport]:
    """Counts by language pair, and what was dropped."""
    options = ReadOptions(columns or {})
    opened = _open(Path(path), options)
    if opened is not None:
        frame, kind, roles, delimiter = opened
        try:
            return _count(str(path), frame, kind, roles, delimiter, strict)
        except pl.exceptions.PolarsError:
            pass  # a ragged line or a wrong byte: reading record by record says which
    judgments, report = read_with_report(path, options=options, strict=strict)
    parts = judgments.split("lang_pair")
    return {pair: _labelled(part.counts, pair) for pair, part in parts.items()}, report


def _open(path: Path, options: ReadOptions) -> tuple[pl.LazyFrame, TableFormat, Roles, str | None] | None:
    """A lazy frame of what can be streamed; None where the file has to be read whole."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return None
    source = Source(str(path), head[: head.rfind(b"\n") + 1])
    if head.startswith(b"PAR1"):
        lazy, delimiter = pl.scan_parquet(path), None
    elif (
        head[:1] in (b"{", b"[", b"<", b"#", b"\x1f", b"\x28", b"\xff", b"\xfe", b"\xef")
        or not source.data.strip()
        or b"\r\r\n" in head
        or b"\r" in head.replace(b"\r\n", b"")
    ):
        return None
    else:
        names, delimiter = tables.header(source.data, str(path))
        lazy = pl.scan_csv(path, separator=delimiter, infer_schema=False, new_columns=names)
    roles = Roles.guess(lazy.collect_schema().names(), options)
    kind = detect(source, options) if delimiter else _parquet_format(roles)
    if not isinstance(kind, Pairwise | Arena) or roles.has("weight"):
        return None
    return lazy, kind, Roles({k: v for k, v in roles.column.items() if k in _KEYS}, roles.present), delimiter


def _parquet_format(roles: Roles) -> TableFormat | None:
    return next((kind for kind in (Arena(), Pairwise()) if kind.matches(roles)), None)


def _count(
    name: str, lazy: pl.LazyFrame, kind: TableFormat, roles: Roles, delimiter: str | None, strict: bool
) -> tuple[dict[str | None, PairCounts], ReadReport]:
    keys = list(dict.fromkeys(roles.column.values()))
    groups = lazy.group_by(keys).len("_copies").collect(engine="streaming").sort(keys)
    if groups.height == 0:
        raise InputError(f"{name}: has a header but no rows")
    groups = groups.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(RECORD))
    sieve = kind.sift(groups, Roles(roles.column, tuple(keys)), ReadOptions())
    faulty = {d.line: d.reason for d in sieve.dropped}
    dropped = tuple(_find(name, groups.filter(pl.col(RECORD).is_in(list(faulty))), keys, faulty, delimiter))
    kept = sieve.frame.join(groups.select(RECORD, "_copies"), on=RECORD, how="left", maintain_order="left")
    total = int(kept["_copies"].sum())
    report = ReadReport(name, kind.id, total + len(dropped), total, dropped, "line" if delimiter else "row")
    if strict and dropped:
        raise InputError(f"refused, because --strict allows no faulty record:\n{report.summary()}")
    if not total:
        raise InputError(f"{name}: read as {kind.id!r}, no judgment is left:\n{report.summary()}")
    return _counts(kept), report


def _counts(groups: pl.DataFrame) -> dict[str | None, PairCounts]:
    columns = [c for c in ("system_a", "system_b", "outcome", "lang_pair") if c in groups.columns]
    # The copies ride along as weights, which sum to whole numbers.
    rows = groups.select(*columns, pl.col("_copies").cast(pl.Float64).alias("weight"))
    return {pair: _labelled(part.counts, pair) for pair, part in Judgments.from_rows(rows).split("lang_pair").items()}


def _labelled(counts: PairCounts, pair: str | None) -> PairCounts:
    return PairCounts(counts.systems, counts.wins, counts.ties, pair)


def _find(
    name: str, groups: pl.DataFrame, keys: list[str], faulty: Mapping[int, str], delimiter: str | None
) -> Iterator[Dropped]:
    """The lines of the faulty groups."""
    if not faulty:
        return
    reasons = {tuple(row[:-1]): faulty[row[-1]] for row in groups.select(*keys, RECORD).iter_rows()}
    records = _delimited_records(name, keys, delimiter) if delimiter else _parquet_records(name, keys)
    found = 0
    for line, key in records:
        reason = reasons.get(key)
        if reason is not None:
            found += 1
            if found > _MOST_DROPPED:
                raise InputError(
                    f"{name}: more than {_MOST_DROPPED:,} faulty lines, such as line {line} ({reason}); "
                    "is this the right format, and are these the right columns?"
                )
            yield Dropped(line, reason)


def _delimited_records(name: str, keys: list[str], delimiter: str) -> Iterator[tuple[int, tuple[str | None, ...]]]:
    with open(name, encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        names = [column.strip() for column in next(reader)]
        index = [names.index(key) for key in keys]
        line = reader.line_num + 1
        for fields in reader:
            if fields:
                yield line, tuple((fields[i] or None) if i < len(fields) else None for i in index)
            line = reader.line_num + 1


def _parquet_records(name: str, keys: list[str]) -> Iterator[tuple[int, tuple[str | None, ...]]]:
    yield from enumerate(pl.read_parquet(name, columns=keys).select(keys).iter_rows(), 1)
