"""From a frame of names to codes: the checks and the canonical form behind `Judgments`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from ..errors import InputError

#: Columns whose values are names; stored as codes, −1 where a row has none.
NAME_COLUMNS = ("lang_pair", "segment", "judge", "ranking")
#: Optional columns of plain values, with the type they are stored in; null where a row has none.
VALUE_COLUMNS: Mapping[str, pl.DataType] = {
    "weight": pl.Float64(),
    "position_a": pl.Int32(),
    "position_b": pl.Int32(),
    "time": pl.Datetime("us"),
    "duration": pl.Float64(),
    "forced": pl.Boolean(),
}
#: A covariate called NAME lives in the column `extra.NAME`.
EXTRA_PREFIX = "extra."

#: The words by which columns say which of the two outputs they speak for.
_OTHER_SIDE = {"a": "b", "left": "right", "1": "2"}
_SIDE = re.compile(r"(?<![A-Za-z0-9])(?:a|left|1)(?![A-Za-z0-9])", re.IGNORECASE)

#: Outcomes, seen from the first system of the row.
A_BETTER, TIE, B_BETTER = 1, 0, -1

#: Microseconds since 1970 of the first and last moments that Python's calendar has.
_CALENDAR = (-62_135_596_800_000_000, 253_402_300_799_999_999)
#: Whole numbers up to here are exact as floating point.
EXACT = 2.0**53
#: Weights that are further apart than this cannot be added up: floating point has fifteen digits.
_MOST_APART = 1e15


def encode_rows(rows: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Codes in canonical form, and the names they stand for; what is not a judgment raises."""
    _check_columns(rows)
    rows = qualify_rankings(rows)
    columns, names = _encode_systems(rows)
    for name in NAME_COLUMNS:
        if name in rows.columns and rows[name].null_count() < rows.height:
            columns[name], names[name] = _encode(rows[name])
    for name, dtype in VALUE_COLUMNS.items():
        if name in rows.columns:
            columns[name] = _value(rows[name], dtype)
    for name in rows.columns:
        if name.startswith(EXTRA_PREFIX):
            columns[name] = _covariate(rows[name])
    frame = pl.DataFrame(columns)
    _check_values(frame)
    for kind, known in names.items():
        check_names(kind, known)
    return _canonical(frame), names


def compact(frame: pl.DataFrame, names: Mapping[str, pl.Series]) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """The canonical form of a frame of codes; names that do not occur in it are forgotten.

    ``names`` must be sorted; codes of what is left keep that order.
    """
    if frame.height == 0:
        raise InputError("no judgments: the table is empty")
    columns = dict(frame.to_dict())
    kept: dict[str, pl.Series] = {}
    for kind, known in names.items():
        of_kind = [c for c in ("system_a", "system_b") if kind == "system"] or [kind]
        codes = np.concatenate([columns[c].to_numpy() for c in of_kind])
        used = np.zeros(len(known) + 1, dtype=bool)
        used[codes] = True  # code −1 (no name) marks the place at the end
        used[-1] = False
        if not used.any():
            del columns[kind]
            continue
        kept[kind] = known.filter(pl.Series(used[:-1]))
        number = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
        for c in of_kind:
            columns[c] = pl.Series(c, number[columns[c].to_numpy()])
    return _canonical(pl.DataFrame(columns)), kept


def decode(codes: pl.Series, names: pl.Series) -> pl.Series:
    """Names for codes; null for −1."""
    return names.gather(pl.select(pl.when(codes >= 0).then(codes)).to_series())


def as_text(column: pl.Series) -> pl.Series:
    """A column as text; refused if its values are not plain ones."""
    try:
        return column.cast(pl.String)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # a panic: times that no calendar has
        raise InputError(
            f"column {column.name!r} holds {column.dtype} values, which are not text; use another column"
        ) from None


def naive_utc(column: pl.Series) -> pl.Series:
    """Date-times in universal time, without a time zone; null outside the years 1 to 9999."""
    zone = column.dtype.time_zone if isinstance(column.dtype, pl.Datetime) else None
    moments = column.cast(pl.Datetime("us", zone), strict=False).to_physical()
    sane = pl.when(moments.is_between(*_CALENDAR)).then(moments)
    return pl.select(sane.cast(pl.Datetime("us"))).to_series()


def qualify_rankings(rows: pl.DataFrame) -> pl.DataFrame:
    """Make ranking ids unique: one that several judges or segments use is a number within each of them."""
    keys = [c for c in ("lang_pair", "segment", "judge") if c in rows.columns]
    if "ranking" not in rows.columns or not keys:
        return rows
    distinct = rows.select("ranking", *keys).filter(pl.col("ranking").is_not_null()).unique()
    if distinct["ranking"].n_unique() == distinct.height:
        return rows
    # JSON keeps apart what a separator could join: segment "1/2" of judge "3", segment "1" of judge "2/3".
    full = pl.struct(pl.col(*keys, "ranking").cast(pl.String)).struct.json_encode()
    return rows.with_columns(pl.when(pl.col("ranking").is_not_null()).then(full).alias("ranking"))


def _check_columns(rows: pl.DataFrame) -> None:
    needed = ("system_a", "system_b", "outcome")
    missing = [c for c in needed if c not in rows.columns]
    if missing:
        raise InputError(f"judgments need the columns {', '.join(needed)}; got {', '.join(rows.columns)}")
    known = {*needed, *NAME_COLUMNS, *VALUE_COLUMNS}
    unknown = [c for c in rows.columns if c not in known and not _is_covariate(c)]
    if unknown:
        raise InputError(
            f"unknown column(s) {', '.join(map(repr, unknown))}; a covariate is named {EXTRA_PREFIX}NAME, "
            f"other columns are {', '.join(sorted(known))}"
        )
    if ("position_a" in rows.columns) != ("position_b" in rows.columns):
        raise InputError("a position is known for one system of each judgment only; give both or neither")
    if rows.height == 0:
        raise InputError("no judgments: the table is empty")


def _is_covariate(column: str) -> bool:
    name = column.removeprefix(EXTRA_PREFIX)
    return name != column and name != "" and name == name.strip()


def _check_values(frame: pl.DataFrame) -> None:
    if frame["system_a"].null_count() + frame["system_b"].null_count():
        raise InputError("a judgment lacks a system; every row needs two")
    if frame["outcome"].null_count():
        raise InputError("an outcome is none of +1 (a better), 0 (tie), −1 (b better)")
    if bool((frame["system_a"] == frame["system_b"]).any()):
        raise InputError("a system is compared with itself; drop such rows")
    if "forced" in frame.columns and bool((frame["forced"] & (frame["outcome"] != TIE)).any()):
        raise InputError("a judgment is marked as a forced tie, and its outcome is no tie; correct one of the two")
    if "weight" in frame.columns:
        weight = frame["weight"]
        # polars takes NaN for larger than any number, so "> 0" alone would let it pass.
        if not bool((weight.is_finite() & (weight > 0)).fill_null(False).all()):
            raise InputError("a weight is not a positive finite number; drop judgments that should not count")
        least, most = float(weight.min()), float(weight.max())  # type: ignore[arg-type]
        if most > _MOST_APART * least or not _MOST_APART**-1 <= least <= most <= _MOST_APART:
            raise InputError(
                f"weights reach from {least:g} to {most:g}; allowed: from {1 / _MOST_APART:g} to {_MOST_APART:g}, and "
                f"none more than {_MOST_APART:g} times another, since sums of them would not be exact"
            )
    if "duration" in frame.columns and bool(frame["duration"].is_infinite().any()):
        raise InputError("a duration is infinite; leave it empty where it is not known")


def check_names(kind: str, names: pl.Series) -> None:
    """Refuse names that are empty or have white space around them."""
    bad = names.filter((names != names.str.strip_chars()) | (names == ""))
    if len(bad):
        raise InputError(f"{kind} name {bad[0]!r} is empty or has white space around it; trim names first")


def _encode(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Codes in sorted order of the names, −1 for null, and the sorted names."""
    text = as_text(column)
    names = text.drop_nulls().unique().sort()
    return _codes(text, names).fill_null(-1), names


def _encode_systems(rows: pl.DataFrame) -> tuple[dict[str, pl.Series], dict[str, pl.Series]]:
    a, b = as_text(rows["system_a"]), as_text(rows["system_b"])
    names = pl.concat([a.drop_nulls().unique(), b.drop_nulls().unique()]).unique().sort()
    columns = {"system_a": _codes(a, names), "system_b": _codes(b, names), "outcome": _outcome(rows["outcome"])}
    return columns, {"system": names.alias("system")}


def _outcome(column: pl.Series) -> pl.Series:
    """+1, 0 and −1 as small integers; null for anything else."""
    try:
        number = column.cast(pl.Float64, strict=False)
    except pl.exceptions.PolarsError:
        raise InputError(f"outcomes are of type {column.dtype}; allowed: the numbers +1, 0 and −1") from None
    known = number.is_in([float(A_BETTER), float(TIE), float(B_BETTER)])
    return pl.select(pl.when(known).then(number)).to_series().cast(pl.Int8)


def _codes(text: pl.Series, names: pl.Series) -> pl.Series:
    return text.cast(pl.Enum(names)).to_physical().cast(pl.Int32)


def _value(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    try:
        if isinstance(dtype, pl.Datetime):
            times = naive_utc(column)
            if times.null_count() > column.null_count():
                raise InputError(f"column {column.name!r}: a value is no time in the years 1 to 9999")
            return times
        if dtype == pl.Boolean:
            return column.cast(pl.Boolean).fill_null(False)
        values = column.cast(pl.Float64).fill_nan(None)
        if dtype.is_integer() and not bool((values == values.round(0)).fill_null(True).all()):
            raise InputError(f"column {column.name!r}: a value is not a whole number")
        return values.cast(dtype)
    except pl.exceptions.PolarsError:
        raise InputError(f"column {column.name!r}: a value is not of type {dtype}") from None


def _covariate(column: pl.Series) -> pl.Series:
    """Numbers if all values are, else trimmed text: so a covariate is the same from CSV, JSON and Parquet.

    Numbers that floating point cannot tell apart (long ids) stay text.
    """
    text = as_text(column).str.strip_chars()
    text = pl.select(pl.when(text != "").then(text).alias(column.name)).to_series()
    exact = column if column.dtype.is_float() else text
    read = exact.cast(pl.Float64, strict=False)
    numbers = read.fill_nan(None)
    usable = read.null_count() <= text.null_count() and not bool((numbers.abs() >= EXACT).any())
    return numbers if usable else text


def side_pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Names that differ in one word alone, which is a and b, left and right, or 1 and 2: a value of each output."""
    known = list(names)
    return [
        (name, other)
        for name in known
        for word in _SIDE.finditer(name)
        if word[0] != name.removeprefix(EXTRA_PREFIX)
        and (other := name[: word.start()] + _OTHER_SIDE[word[0].lower()] + name[word.end() :]) in known
    ]


def sides_of(name: str, columns: Iterable[str]) -> tuple[str, str] | None:
    """The two columns of a covariate, named by what they have in common (``length``) or by the first of them."""
    for a, b in side_pairs(columns):
        common = {a[: word.start()].rstrip("_.- ") + a[word.end() :] for word in _SIDE.finditer(a)}
        common |= {a[: word.start()] + a[word.end() :].lstrip("_.- ") for word in _SIDE.finditer(a)}
        if name == a or name in common:
            return a, b
    return None


def _canonical(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the systems of every row in code order and drop optional columns that say nothing."""
    swap = pl.col("system_a") > pl.col("system_b")
    mirrored = [pl.when(swap).then(-pl.col("outcome")).otherwise("outcome").alias("outcome")]
    pairs = [(f"{kind}_a", f"{kind}_b") for kind in ("system", "position") if f"{kind}_a" in frame.columns]
    pairs += side_pairs(c for c in frame.columns if c.startswith(EXTRA_PREFIX) and frame[c].dtype.is_numeric())
    mirrored += [
        pl.when(swap).then(pl.col(other)).otherwise(pl.col(own)).alias(own)
        for a, b in pairs
        for own, other in ((a, b), (b, a))
    ]
    frame = frame.with_columns(mirrored)
    if "weight" in frame.columns and bool((frame["weight"] == 1.0).all()):
        frame = frame.drop("weight")
    if "forced" in frame.columns and not frame["forced"].any():
        frame = frame.drop("forced")
    optional = [c for c in frame.columns if c in VALUE_COLUMNS or c.startswith(EXTRA_PREFIX)]
    empty = {c for c in optional if frame[c].null_count() == frame.height}
    if len(empty & {"position_a", "position_b"}) == 1:
        empty -= {"position_a", "position_b"}
    return frame.drop(empty)
