"""`read` and `write`: the doors between files, data frames or databases and judgments."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Literal, TypeGuard, get_args

import polars as pl

from ..errors import InputError, MissingExtraError
from ..judgments import Judgments
from ..judgments.origin import joined
from . import FORMATS, STORES, Outcomes, tables
from .base import (
    MOST_DROPPED,
    Feature,
    Format,
    Parsed,
    ReadOptions,
    ReadReport,
    columns_of,
    drop_features,
)
from .columns import Roles
from .layouts import Layout
from .names import alike, check_names_are_read
from .source import Source, ending_of, load, put
from .tables import TableFormat

_PREFLIB = re.compile(rb"^#\s*(FILE NAME|ALTERNATIVE NAME)", re.MULTILINE)
#: Formats that are known by their columns, and not by their first characters.
_TABLES = tuple(id for id in FORMATS if id not in ("appraise", "preflib"))
#: Formats whose columns are named otherwise than those of the table: fields of tasks, answers to questions.
_TOOLS = ("label-studio", "potato")
#: So many judgments that are all the same in two files are no chance.
_TOO_MANY_ALIKE = 10
_WEB_PAGE = re.compile(rb"\s*<(!doctype\s+html|html)\b", re.IGNORECASE)
_URL = re.compile(r"([a-z][a-z0-9]*)(\+[a-z0-9]+)?://", re.IGNORECASE)


class DroppedRowsWarning(UserWarning):
    """Some records of a file were faulty and were left out."""


def read(
    source: str | Path | IO[Any] | Any,
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    extra: Iterable[str] = (),
    outcomes: Outcomes | Mapping[str, str] = "auto",
    encoding: str = "utf-8",
    faults: float | Literal["lenient"] = MOST_DROPPED,
    options: ReadOptions | None = None,
) -> Judgments:
    """Read judgments from a file, standard input, a data frame or the database of a campaign.

    Parameters
    ----------
    source
        A path (plain, ``.gz`` or ``.zst``), ``"-"`` for standard input, an open file, any data frame
        that speaks Arrow (polars, pandas, pyarrow, duckdb), or the URL of a database
        (``"sqlite:///palmares.db"``, with ``#NAME`` behind it where it holds several campaigns).
    format
        An id from `palmares.FORMATS`; ``"auto"`` looks at the content.
    columns
        Overrides for guessed column names, from role to column: ``{"judge": "worker"}``.
    extra
        Columns to keep as covariates.
    outcomes
        How outcomes are written, where several readings fit: ``"names"`` of systems, words for ``"sides"``,
        ``"numbers"``; or what every value means: ``{"1": "a", "0": "b"}``.
    encoding
        Of a text file that is not UTF-8: ``"latin-1"``, ``"utf-16"``.
    faults
        The largest share of faulty records that may be left out, with a `DroppedRowsWarning`; 0 refuses any,
        ``"lenient"`` none, and leaves out outcomes that cannot be read, too.
    options
        Everything else (`ReadOptions`): merged outputs, scores, a header for files without one.
    """
    named: dict[str, Any] = {"columns": columns, "extra": tuple(extra), "encoding": encoding, "faults": faults}
    named |= {"outcomes": outcomes} if isinstance(outcomes, str) else {"values": outcomes}
    given = {name: value for name, value in named.items() if value and value != getattr(_DEFAULT, name)}
    if faults == 0:
        given["faults"] = faults
    judgments, report = read_with_report(source, format=format, options=replace(options or _DEFAULT, **given))
    if report.rejected:
        warnings.warn(report.summary(), DroppedRowsWarning, stacklevel=2)
    return judgments


_DEFAULT = ReadOptions()


def read_with_report(
    source: Any, *, format: str = "auto", options: ReadOptions | None = None
) -> tuple[Judgments, ReadReport]:
    """Like `read`, and also return what was dropped and why."""
    options = options or _DEFAULT
    if is_url(source):
        return _finish(*_read_database(source, format, options), options)
    # A data frame with a column called "read" has an attribute of that name, too.
    if isinstance(source, str | os.PathLike) or callable(getattr(source, "read", None)):
        loaded = load(source, encoding=options.encoding)
        with named_in_errors(loaded.name):
            kind = _named(format) or detect(loaded, options)
            if not isinstance(kind, TableFormat):
                tables.check_no_header(loaded.name, options.header, f"of the format {kind.id!r}")
            if options.items and kind.id != "potato":
                raise InputError(f"is of the format {kind.id!r}, and --items is for exports of Potato")
            _check_outcomes(kind.id, options)
            parsed = kind.parse(loaded, options)
        return _finish(loaded.name, kind.id, parsed, options, loaded.digest, asked=format)
    frame = _to_polars(source)
    with named_in_errors("the data frame"):
        tables.check_no_header("the data frame", options.header, "a table")
        table = tables.from_frame(frame)
        kind = _named(format) or detect_columns(table.frame.columns, "the data frame", options)
        if not isinstance(kind, TableFormat):
            raise InputError(f"format {kind.id!r} is a file format; a data frame can be: {', '.join(_TABLES)}")
        _check_outcomes(kind.id, options)
        parsed = kind.parse_table(table, options)
    return _finish("data frame", kind.id, parsed, options, asked=format)


@contextmanager
def named_in_errors(source: str) -> Iterator[None]:
    """An error of the block says which source it is about: there may be several."""
    try:
        yield
    except InputError as error:
        if type(error) is not InputError or str(error).startswith(source):
            raise
        raise InputError(f"{source}: {error}") from None


def _check_outcomes(format_id: str, options: ReadOptions) -> None:
    """Refuse to be told how outcomes or scores are to be read by files that have none."""
    from .outcomes import refuse_settings

    if format_id not in ("arena", "pairwise", "chosen-rejected", *_TOOLS):
        refuse_settings(options, f"the format is {format_id!r}")
    if options.scores != _DEFAULT.scores and format_id not in ("scores", "direct-assessment"):
        raise InputError(
            "--margin, --lower-is-better and --across-judges say how scores become an order, and the format "
            f"{format_id!r} has no scores; leave them out"
        )


def is_url(source: object) -> TypeGuard[str]:
    """Whether this is the address of a database; a `Path` never is."""
    return isinstance(source, str) and _URL.match(source) is not None


def detect(source: Source, options: ReadOptions | None = None) -> Format:
    """Find out the format from the content."""
    start = source.data.lstrip()[:1]
    if _WEB_PAGE.match(source.data):
        raise InputError(f"{source.name}: is a web page, not a file of judgments; did a download fail?")
    if start == b"<":
        return _load("appraise")
    if start == b"#" and _PREFLIB.search(source.data):
        return _load("preflib")
    options = options or _DEFAULT
    if source.is_parquet or start in (b"{", b"["):
        return detect_columns(tables.column_names(source), source.name, options)
    layout = Layout.of(source, options.header)
    return detect_columns(list(layout.names), source.name, options, layout.doubt)


def write(judgments: Judgments, path: str | Path, *, format: str = "auto", drop: Iterable[str] = ()) -> str:
    """Write judgments; return the id of the format written.

    The ending of the path gives the container (``.csv``, ``.tsv``, ``.jsonl``, ``.parquet``, ``.xml``,
    ``.toc``, …, with ``.gz`` or ``.zst`` behind it); ``"-"`` is standard output. What the format cannot hold
    raises `LossyWriteError`, unless ``drop`` names it. The file appears whole or not at all.
    """
    kind, ending = _target(path, format)
    judgments = drop_features(judgments, _known_features(drop))
    kind.check_holds(judgments)
    check_names_are_read(judgments)
    put(kind.write(judgments, ending), path)
    return kind.id


def write_empty(
    rows: pl.DataFrame, path: str | Path, *, format: str = "auto", drop: Iterable[str] = ()
) -> tuple[str, bool]:
    """Write a table that has columns but no judgments; return the id of the format, and whether it can hold that.

    Only ``pairwise`` can. Otherwise nothing is written, and a file that is there already is refused, because it
    would be taken for this one.
    """
    kind, ending = _target(path, format)
    unwanted = columns_of(rows.columns, _known_features(drop))
    empty = kind.write_empty(rows.drop(unwanted), ending)
    if empty is not None:
        put(empty, path)
        return kind.id, True
    if Path(path).is_file():
        raise InputError(
            f"{path}: already exists, and there are no judgments to replace it with: format {kind.id!r} needs at "
            "least one; remove the file, name another, or write the format 'pairwise'"
        )
    return kind.id, False


def concat(parts: Iterable[Judgments]) -> Judgments:
    """Put tables below each other; rankings of different tables stay apart."""
    given = list(parts)
    if not given:
        raise InputError("no judgments: there is no table to put together")
    if len(given) == 1:
        return given[0]
    _check_differ(given)
    rows = []
    for number, part in enumerate(given, 1):
        frame = part.to_rows()
        if "weight" not in frame.columns and any(other.has("weight") for other in given):
            frame = frame.with_columns(pl.lit(1.0).alias("weight"))
        if "ranking" in frame.columns:
            frame = frame.with_columns(pl.format(f"{number}/{{}}", "ranking").alias("ranking"))
        rows.append(frame)
    return Judgments.from_rows(pl.concat(rows, how="diagonal_relaxed"), joined(part.origin for part in given))


def _check_differ(parts: list[Judgments]) -> None:
    """Refuse a file that is there twice: its judgments would count double."""
    whole = [o for part in parts if (o := part.origin) is not None and o.complete and not (o.selection or o.group)]
    names: dict[str, str] = {}
    for source in (source for origin in whole for source in origin.sources if source.digest is not None):
        first = names.get(source.digest or "")
        if first is not None:
            same = "is given twice" if first == source.name else f"has the same content as {first}"
            raise InputError(f"{source.name}: {same}, so its judgments would be counted twice; leave one of them out")
        names[source.digest or ""] = source.name
    seen: dict[str, str] = {}
    for part in (part for part in parts if part.origin in whole and len(part) >= _TOO_MANY_ALIKE):
        name = ", ".join(source.name for source in part.origin.sources) if part.origin else ""
        first = seen.setdefault(part.hash, name)
        if first != name:
            raise InputError(
                f"{name}: has the same judgments as {first}, which would be counted twice; leave one of them out"
            )


def _target(given: str | Path, format: str) -> tuple[Format, str]:
    """The format that a path asks for, and the ending that stands for its container."""
    if is_url(given):
        raise InputError("judgments are written to a file, not to a database; name a file, e.g. judgments.csv")
    path = Path("-.csv") if str(given) == "-" else Path(given)
    ending = ending_of(path)
    kind = _named(format) or _for_ending(ending, path)
    if not kind.endings:
        raise InputError(f"format {kind.id!r} can be read but not written; write another one, e.g. pairwise")
    if str(given) == "-":
        return kind, kind.endings[0]
    if ending not in kind.endings:
        allowed = ", ".join(f".{e}" for e in kind.endings)
        raise InputError(f"format {kind.id!r} is written as {allowed}, not .{ending}")
    return kind, ending


def _known_features(drop: Iterable[str]) -> set[str]:
    wanted, known = set(drop), get_args(Feature)
    if unknown := wanted.difference(known):
        raise InputError(f"cannot drop {', '.join(sorted(unknown))}; allowed: {', '.join(known)}")
    return wanted


def _finish(
    name: str,
    format_id: str,
    parsed: Parsed,
    options: ReadOptions,
    digest: str | None = None,
    *,
    asked: str = "auto",
) -> tuple[Judgments, ReadReport]:
    report = ReadReport(
        name, format_id, parsed.records, parsed.rows.height, parsed.dropped, parsed.line_word, digest, parsed.columns,
        (*parsed.notes, *alike(parsed.rows)), parsed.layout, parsed.shared,
    )  # fmt: skip
    if parsed.rows.height == 0 and not any(d.kind == "outcome" for d in parsed.dropped):
        reasons = f":\n{report.summary()}" if report.dropped else ""
        raise InputError(f"{name}: read as {format_id!r}, no judgment is left{reasons}")
    report.check(options)
    return Judgments.from_rows(parsed.rows, report.origin(options, asked)), report


def _read_database(url: str, format: str, options: ReadOptions) -> tuple[str, str, Parsed]:
    """What messages call the database, the id that stands for its format, and its judgments."""
    scheme = url.partition(":")[0].partition("+")[0].lower()
    if scheme not in STORES:  # the rest of the address may hold a password, and is not shown
        raise InputError(
            f"{scheme}://…: cannot be read; allowed: a file, sqlite:///FILE or postgresql://USER@HOST/NAME"
        )
    if format != "auto":
        raise InputError(f"format {format!r} is a file format, and {scheme}://… is a database; leave out --from")
    _check_outcomes("campaign", options)
    if options.columns:
        role = next(iter(options.columns))
        raise InputError(
            f"--column {role}={options.columns[role]}: {scheme}://… is a database, which knows what its columns mean; "
            "leave it out"
        )
    try:
        name, parsed = STORES[scheme](url, options)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "palmares":
            raise
        raise MissingExtraError("reading the database of a campaign", "server", error.name) from None
    return name, "campaign", parsed


def _load(format_id: str) -> Format:
    loaded: Format = FORMATS.load(format_id)()
    return loaded


def _named(format_id: str) -> Format | None:
    return None if format_id == "auto" else _load(format_id)


def detect_columns(names: list[str], source: str, options: ReadOptions, doubt: str = "") -> Format:
    """The first format that has these columns; ``doubt`` is what else to say where there is none."""
    try:
        roles = Roles.guess(names, options)
    except InputError:
        found = _matching(Roles.guess(names, replace(options, columns={})), _TOOLS)
        if found is None:
            raise
        return found
    found = _matching(roles, _TABLES)
    if found is not None and not found.unmistakable:
        found = _matching(roles, _TABLES, options) or found
    if found is not None:
        found.check_columns(options)
        return found
    raise InputError(
        f"{source}: no known format has the columns {', '.join(roles.present[:12])}; known formats: "
        f"{', '.join(FORMATS)}; name the columns, e.g. --column system_a=left_model --column outcome=verdict{doubt}"
    )


def _matching(roles: Roles, formats: Iterable[str], options: ReadOptions = _DEFAULT) -> TableFormat | None:
    """The first of some formats that has these columns, and the roles that the options name columns for."""
    for format_id in formats:
        kind = _load(format_id)
        if isinstance(kind, TableFormat) and kind.matches(roles) and not kind.foreign_roles(options):
            return kind
    return None


def _for_ending(ending: str, path: Path) -> Format:
    if ending == "xml":
        return _load("appraise")
    if ending in ("soc", "toc", "soi", "toi"):
        return _load("preflib")
    if ending in ("csv", "tsv", "jsonl", "parquet"):
        return _load("pairwise")
    raise InputError(
        f"{path}: cannot tell the format from the ending {path.suffix!r}; known endings: .csv .tsv .jsonl .parquet "
        ".xml .toc .toi .soc .soi, each also with .gz or .zst"
    )


def _to_polars(frame: Any) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if not hasattr(frame, "__arrow_c_stream__"):
        raise InputError(
            f"cannot read judgments from a {type(frame).__name__}; give a path, an open file, or a data frame of "
            "polars, pandas, pyarrow or duckdb"
        )
    try:
        return pl.DataFrame(frame)
    except Exception as error:  # whatever the other library raises for columns that Arrow cannot hold
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"the {type(frame).__name__} cannot be read through Arrow ({first})") from None
