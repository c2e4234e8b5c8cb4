"""Several scores of one judge for one output: what tells them apart, or else that they are averaged."""

from __future__ import annotations

import polars as pl

from ..errors import InputError
from ..judgments import EXTRA_PREFIX
from .base import RECORD
from .columns import Sieve, name_values
from .rankings import VALUE

#: What an output of a segment and its judge are known by.
_OUTPUT = ("lang_pair", "segment", "judge", "ranking", "system")
#: A criterion, a test set or a language has no more values than this.
_MOST_VALUES = 50
#: A column tells scores apart if they vary in it so often, and if so many of them then still have something to be
#: compared with; a time or a comment leaves every score alone.
_LEAST_SHARE = 0.5


def told_apart(sieve: Sieve, frame: pl.DataFrame, others: tuple[str, ...]) -> list[str]:
    """The covariates that tell several scores of one output apart; refused if only a column that was not kept does.

    Parameters
    ----------
    frame
        The table, of which the sieve holds the scores.
    others
        Columns that belong to single outputs, and so tell nothing apart.
    """
    keys = [name for name in _OUTPUT if name in sieve.frame.columns]
    extras = [name for name in sieve.frame.columns if name.startswith(EXTRA_PREFIX)]
    apart = [name for name in extras if _varies(sieve.frame, keys, name)]
    scores = sieve.frame.filter(pl.len().over(*keys, *apart) > 1)
    if scores.is_empty():
        return apart
    unused = [use.column for use in sieve.columns if use.why == "not used" and use.column not in others]
    flat = [c for c in unused if not (frame[c].dtype.is_nested() or frame[c].dtype == pl.Object)]
    found: dict[str, list[str]] = {}
    for column in flat:
        values = frame.select(RECORD, name_values(frame, column).alias("_column"))
        rows = sieve.frame.join(values, on=RECORD, how="left", maintain_order="left")
        if _varies(rows, [*keys, *apart], "_column") and _explains(rows, [*keys, *apart]):
            found[column] = sorted(rows["_column"].drop_nulls().unique())
    whose = "of one judge " if "judge" in sieve.frame.columns else ""
    several = f"{scores.height} of {sieve.frame.height} scores are several {whose}for one output of a segment"
    if found:
        raise InputError(f"{several}, and {_advice(found, judged=bool(whose))}")
    sieve.notes.append(f"{several}, and are averaged")
    return apart


def _varies(rows: pl.DataFrame, keys: list[str], column: str) -> bool:
    """Whether scores of one output differ in a column, as they do in a criterion, and as in no time or comment."""
    if rows[column].n_unique() > _MOST_VALUES:
        return False
    repeated = rows.filter(pl.len().over(keys) > 1).group_by(keys).agg(pl.col(column).n_unique())
    if repeated.is_empty() or (repeated[column] > 1).mean() < _LEAST_SHARE:  # type: ignore[operator]
        return False
    place = [key for key in keys if key != "system"]
    before, after = (
        rows.select((pl.col("system").n_unique().over(k) > 1).sum()).item() for k in (place, [*place, column])
    )
    return bool(after >= _LEAST_SHARE * before)


def _explains(rows: pl.DataFrame, keys: list[str]) -> bool:
    """Whether no output has two different scores with the same value of the column."""
    return rows.select(*keys, "_column", VALUE).n_unique() == rows.select(*keys, "_column").n_unique()


def _advice(found: dict[str, list[str]], *, judged: bool) -> str:
    column, values = next(iter(found.items()))
    which = " and ".join(map(repr, list(found)[:3]))
    shown = ", ".join(values[:3]) + (", …" if len(values) > 3 else "")
    judge = "" if judged else f"; --column judge={column} if it names judges"
    return (
        f"column {which} tells them apart ({column}: {shown}), so their mean may mix what is not the same. Choose one "
        f"(--where {column}={values[0]}) or take each by itself (--by {column}; extra=[{column!r}] in Python); "
        f"--column document={column} if segments are numbered within each{judge}; to average, remove the column"
    )
