"""`scan`: a file of any size, straight to pair counts.

The file is streamed once and grouped by (systems, outcome); memory does not grow with its length. Checks look at
the groups, of which there are few; only if one is faulty does a second pass look for its lines.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import InputError
from ..judgments import EXTRA_PREFIX, Judgments, Kept, PairCounts, settle_forced_ties
from .answers import ONE_HOT
from .base import LEFT_OUT, RECORD, Dropped, ReadOptions, ReadReport
from .columns import Roles, name_values
from .files import DroppedRowsWarning, detect, detect_columns, named_in_errors, read_with_report
from .ids import settle
from .layouts import Layout
from .left_out import is_out, note_of
from .names import alike
from .outcomes import COPIES
from .pairwise import Arena, Pairwise, outcome_place
from .places import place_columns
from .source import Source

_HEAD, _BLOCK = 1 << 16, 1 << 20
#: So many faulty lines mean that the file is not what it was taken for.
_MOST_DROPPED = 100_000
_KEYS = (
    "system_a", "system_b", "outcome", "winner", *ONE_HOT, "loser", "rank_a", "rank_b", "position_a", "position_b",
    "lang_pair", "source_lang", "target_lang",
)  # fmt: skip


def scan(
    path: str | Path,
    *,
    lang_pair: str | None = None,
    columns: Mapping[str, str] | None = None,
    options: ReadOptions | None = None,
) -> PairCounts:
    """Count a file of pairwise judgments without holding it in memory.

    Delimited text and Parquet in the formats ``pairwise`` and ``arena`` are streamed; any other file, and text with
    quotation marks, comments or lines of unequal length, is read whole and then counted. Fields that the counts do
    not need (judges, segments, …) are not checked. Counts cannot tell forced ties from others, so these are left out,
    with a note; count `palmares.read` with them, ``judgments.counts``.

    Parameters
    ----------
    lang_pair
        Which language pair to count, needed if the file has several.
    columns, options
        As for `palmares.read`.
    """
    options = options or ReadOptions()
    counts, report = scan_with_report(path, replace(options, columns=columns) if columns else options)
    if report.rejected:
        warnings.warn(report.summary(), DroppedRowsWarning, stacklevel=2)
    known = ", ".join(map(str, counts))
    if lang_pair is None and len(counts) > 1:
        raise InputError(f"{report.source}: mixes {len(counts)} language pairs ({known}); choose one with lang_pair=")
    if lang_pair is not None and lang_pair not in counts:
        raise InputError(f"{report.source}: has no language pair {lang_pair!r}; it has: {known}")
    return counts[lang_pair] if lang_pair is not None else next(iter(counts.values()))


def scan_with_report(
    path: str | Path, options: ReadOptions, forced_ties: Kept = "drop"
) -> tuple[dict[str | None, PairCounts], ReadReport]:
    """Counts by language pair, with forced ties or without, and what was dropped."""
    with named_in_errors(str(path)):
        try:
            stream = _open(Path(path), options)
            if stream is not None:
                return _count(stream, options)
        except pl.exceptions.PolarsError:
            pass  # a wrong byte, or a header that is none: reading record by record says which
    judgments, report = read_with_report(path, options=options)
    parts = {
        pair: settle_forced_ties(part, forced_ties, forced_ties) for pair, part in judgments.split("lang_pair").items()
    }
    return {pair: replace(_counts(part, pair), judged=len(part)) for pair, part in parts.items()}, report


@dataclass(frozen=True)
class _Stream:
    """A file that can be streamed: its records, and which of its columns count; a delimiter if it is text."""

    name: str
    records: pl.LazyFrame
    format: Pairwise | Arena
    roles: Roles
    delimiter: str | None
    #: Whether some records are of judges who are left out.
    left_out: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns by which records are grouped."""
        return list(dict.fromkeys((*self.roles.column.values(), *((LEFT_OUT,) if self.left_out else ()))))


def _open(path: Path, options: ReadOptions) -> _Stream | None:
    """A lazy frame of what can be streamed; None where the file has to be read whole."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return None
    if (
        options.header
        or options.scores != ReadOptions.scores
        or options.encoding.lower().replace("_", "-") not in ("utf-8", "utf8")
    ):
        return None
    source = Source(str(path), head[: head.rfind(b"\n") + 1])
    if head.startswith(b"PAR1"):
        lazy, delimiter = pl.scan_parquet(path), None
    elif (
        head[:1] in (b"{", b"[", b"<", b"#", b"\n", b"\r", b"\x1f", b"\x28", b"\xff", b"\xfe", b"\xef")
        or not source.data.strip()
        or b"\r\r\n" in head
        or b"\r" in head.replace(b"\r\n", b"")
        or options.encoding != ReadOptions.encoding
    ):
        return None
    else:
        layout = Layout.of(source, options.header)
        if not layout.plain or not _is_even(path, layout):
            return None
        delimiter = layout.delimiter
        lazy = pl.scan_csv(path, separator=delimiter, infer_schema=False, new_columns=list(layout.names))
    names = lazy.collect_schema().names()
    roles = Roles.guess(names, options)
    kind = detect(source, options) if delimiter else detect_columns(names, str(path), options)
    if not isinstance(kind, Pairwise | Arena) or roles.has("weight") or roles.has("forced"):
        return None
    if roles.has("system_a", "system_b") and outcome_place(roles, options) == "raters":
        return None  # several judgments a record
    if place_columns(roles) is not None:
        return None  # which are compared with the outcomes
    counted = Roles({k: v for k, v in roles.column.items() if k in _KEYS}, roles.present)
    return _Stream(str(path), lazy, kind, counted, delimiter, LEFT_OUT in names and options.left_out == "drop")


def _is_even(path: Path, layout: Layout) -> bool:
    """Whether every line is a record with as many fields as the header, so that any reader sees the same records.

    Quotation marks, comments, empty, short and long lines are for the reader of whole files to make sense of.
    """
    width, delimiter = len(layout.names), layout.delimiter.encode()
    empty, line = b"\n" + delimiter * (width - 1), delimiter * (width - 1) + b"\n"
    odd = (b'"', b"\n#", empty + b"\n", empty + b"\r")
    others = bytes(set(range(256)) - set(line))
    lines = line * (_BLOCK // width + 2)
    column, before = 0, b""
    with path.open("rb") as file:
        while data := file.read(_BLOCK):
            seen = before + data  # an odd line may lie across two blocks
            if any(text in seen for text in odd):
                return False
            before = seen[-len(empty) - 1 :]
            marks = data.translate(None, others)
            # The marks repeat those of a line, from the column in which the last block ended.
            if marks != lines[column : column + len(marks)]:
                return False
            column = (column + len(marks)) % width
    return column == (0 if before.endswith(b"\n") else width - 1)


def _count(stream: _Stream, options: ReadOptions) -> tuple[dict[str | None, PairCounts], ReadReport]:
    name, keys = stream.name, stream.keys
    groups = stream.records.group_by(keys).len(COPIES).collect(engine="streaming").sort(keys)
    if groups.height == 0:
        raise InputError(f"{name}: has a header but no rows")
    groups = groups.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(RECORD))
    counting, left_out = _counting(stream, groups)
    names = tuple(key for key in keys if key in counting.columns)
    sieve = stream.format.sift(counting, Roles(stream.roles.column, names), replace(options, extra=()))
    settle(sieve, options)
    faulty = {d.line: d for d in sieve.dropped}
    dropped = tuple(_find(stream, groups.filter(pl.col(RECORD).is_in(list(faulty))), faulty))
    kept = sieve.frame
    total = int(kept[COPIES].sum())
    word = "line" if stream.delimiter else "row"
    records = total + len(dropped) + left_out
    notes = [note_of(left_out, records, None, "records")] if left_out else []
    report = ReadReport(
        name,
        stream.format.id,
        records,
        total,
        dropped,
        word,
        _digest(name),
        notes=(*notes, *sieve.notes, *alike(kept), *_unread(stream.records.collect_schema().names())),
    )
    report.check(options)
    if not total:
        raise InputError(f"{name}: read as {stream.format.id!r}, no judgment is left:\n{report.summary()}")
    columns = [c for c in ("system_a", "system_b", "outcome", "lang_pair") if c in kept.columns]
    # The copies ride along as weights, which sum to whole numbers.
    rows = kept.select(*columns, pl.col(COPIES).cast(pl.Float64).alias("weight"))
    by_pair = Judgments.from_rows(rows, report.origin(options)).split("lang_pair")
    return {pair: _counts(part, pair) for pair, part in by_pair.items()}, report


def _counting(stream: _Stream, groups: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The groups without those of judges who are left out, and how many records these have."""
    if not stream.left_out:
        return groups, 0
    out = is_out(name_values(groups, LEFT_OUT))
    gone = int(groups.filter(out)[COPIES].sum())
    if out.all():
        raise InputError(f"all {gone} records are of judges who are left out; --left-out keep reads them all the same")
    return groups.filter(~out).drop(LEFT_OUT), gone


def _unread(columns: Sequence[str]) -> list[str]:
    """Warnings that counts do not say what earlier answers decided, although the file does."""
    notes = []
    if f"{EXTRA_PREFIX}strategy" in columns:
        notes.append(
            "the file says which strategy chose each comparison, which pair counts do not know; if one learnt from "
            "earlier answers, ranges must hold at every look (--looks any)"
        )
    if f"{EXTRA_PREFIX}looks" in columns:
        notes.append(
            "the file says whether what answers said so far could stop the campaign, which pair counts do not know; "
            "if so, ranges must hold at every look (--looks any)"
        )
    return notes


def _digest(name: str) -> str:
    with open(name, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _counts(judgments: Judgments, lang_pair: str | None) -> PairCounts:
    """The counts of one language pair; their origin says that they are not the judgments themselves."""
    origin = judgments.origin
    if origin is not None:
        notes = (*judgments.notes, *_unread(judgments.frame.columns))
        origin = replace(origin, reading={**origin.reading, "scan": True}, notes=notes)
    return replace(judgments.counts, lang_pair=lang_pair, origin=origin)


def _find(stream: _Stream, groups: pl.DataFrame, faulty: Mapping[int, Dropped]) -> Iterator[Dropped]:
    """The lines of the faulty groups."""
    if not faulty:
        return
    reasons = {_key(row[:-1]): faulty[row[-1]] for row in groups.select(*stream.keys, RECORD).iter_rows()}
    dropped = 0
    for line, values in _records(stream):
        fault = reasons.get(_key(values))
        if fault is not None:
            dropped += 1
            if dropped > _MOST_DROPPED:
                raise InputError(
                    f"{stream.name}: more than {_MOST_DROPPED:,} faulty lines, such as line {line} ({fault.reason}); "
                    "is this the right format, and are these the right columns?"
                )
            yield replace(fault, line=line)


def _key(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values as they are compared: an empty text, quoted or not, is none."""
    return tuple(None if value == "" else value for value in values)


def _records(stream: _Stream) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The number of every line or row, and its values in the columns that count."""
    keys = stream.keys
    if stream.delimiter is None:
        yield from enumerate(pl.read_parquet(stream.name, columns=keys).select(keys).iter_rows(), 1)
        return
    with open(stream.name, encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=stream.delimiter)
        names = [column.strip() for column in next(reader)]
        index = [names.index(key) for key in keys]
        line = reader.line_num + 1
        for fields in reader:
            if fields:
                yield line, tuple(fields[i] if i < len(fields) else None for i in index)
            line = reader.line_num + 1
