"""Numbers and times as tables have them."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

from ..judgments import VALUE_COLUMNS
from ..judgments.encoding import naive_utc
from .names import NO_VALUE, without

#: Weights are summed; within these bounds sums are exact to the last judgment, however many there are.
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e9
#: Seconds beyond this (the year 5138) are milliseconds, as JavaScript counts.
_MILLISECONDS = 1e11


#: How a table says yes and no.
_TRUE, _FALSE = ("true", "yes", "1", "t", "y"), ("false", "no", "0", "f", "n")


def marks(text: pl.Series) -> pl.Series:
    """True and false; null where a value is neither."""
    word = without(text, NO_VALUE).str.to_lowercase()
    return pl.select(pl.when(word.is_in(_TRUE)).then(True).when(word.is_in(_FALSE)).then(False)).to_series()


def numbers(text: pl.Series, role: str) -> pl.Series:
    """Finite numbers; null where a value is none, or none that the role allows."""
    number = without(text, NO_VALUE).cast(pl.Float64, strict=False)
    good = number.is_finite()
    if role == "weight":
        good &= number.is_between(LEAST_WEIGHT, MOST_WEIGHT)
    elif VALUE_COLUMNS[role].is_integer():
        good &= (number == number.round(0)) & (number.abs() < 2**31)
    return pl.select(pl.when(good).then(number)).to_series()


def are_counts(values: pl.Series) -> bool:
    """Whether these are whole numbers above 0, some of them above 1, that do not just number the records."""
    if not (values.dtype.is_numeric() or values.dtype == pl.String):
        return False
    counts = values.cast(pl.Float64, strict=False).drop_nulls().drop_nans()
    whole = len(counts) == len(values) and bool(((counts == counts.round(0)) & (counts > 0)).all())
    steps = counts.diff().drop_nulls()
    return whole and bool((counts > 1).any()) and (len(steps) == 0 or bool((steps != 1).any()))


def times(text: pl.Series) -> pl.Series:
    """Times as they are written: seconds since 1970, or ISO 8601; others become null."""
    seconds = text.cast(pl.Float64, strict=False)
    if seconds.null_count() > text.null_count():
        return _iso_times(text)
    if bool((seconds > _MILLISECONDS).all()):
        seconds = seconds / 1000
    moments = (seconds * 1e6).round(0).cast(pl.Int64, strict=False)
    return naive_utc(moments.cast(pl.Datetime("us")))


def _iso_times(text: pl.Series) -> pl.Series:
    """The usual form at once; other forms of ISO 8601, with time zones, one by one."""
    usual = text.str.replace(" ", "T", literal=True)
    known = usual.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    rest = text.filter(known.is_null() & text.is_not_null()).unique()
    slow = [_iso_time(value) for value in rest]
    if not any(slow):
        return naive_utc(known)
    read = text.replace_strict(rest, pl.Series(slow, dtype=pl.Datetime("us")), default=None)
    return naive_utc(pl.select(pl.coalesce(known, read)).to_series())


def _iso_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
        return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
