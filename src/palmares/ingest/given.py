"""What public functions take for judgments: a table of them, or anything that can be read as one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..judgments import Judgments, Kept, PairCounts, settle_forced_ties

#: How many calls lie between the caller of a public function and the warning about faulty rows.
_CALLS = 4


def judgments_of(data: Judgments | Any, function: str, *, forced_ties: Kept = "drop") -> Judgments:
    """Judgments as they are; a data frame or a file as `palmares.read` reads it, with its warnings and notes.

    Parameters
    ----------
    function
        What was called, for messages.
    forced_ties
        What the function does with ties of systems that shared an output, unless something else was asked of the
        judgments; nobody made these judgments, so most leave them out.
    """
    if isinstance(data, PairCounts):
        raise InputError(
            f"{function}: got pair counts, which do not know who judged what; give the judgments (palmares.read)"
        )
    judgments = data if isinstance(data, Judgments) else _read(data, function, "")
    return settle_forced_ties(judgments, "auto", forced_ties)


def judgments_or_counts(data: Judgments | PairCounts | Any, function: str) -> Judgments | PairCounts:
    """The same where pair counts do as well."""
    if isinstance(data, Judgments | PairCounts):
        return data
    return _read(data, function, "PairCounts (palmares.scan), ")


def _read(data: Any, function: str, counts: str) -> Judgments:
    if not _readable(data):
        raise InputError(
            f"{function}: got {_named(data)}; allowed: Judgments (palmares.read), {counts}a data frame of polars, "
            f"pandas, pyarrow or duckdb, the path of a file{_advice(data)}"
        )
    from .files import DroppedRowsWarning, read_with_report

    judgments, report = read_with_report(data)
    if report.rejected:
        warnings.warn(report.summary(), DroppedRowsWarning, stacklevel=_CALLS)
    return judgments


def _readable(data: Any) -> bool:
    is_file = isinstance(data, str | os.PathLike) or callable(getattr(data, "read", None))
    return is_file or hasattr(data, "__arrow_c_stream__") or hasattr(data, "collect_schema")


def _named(data: Any) -> str:
    kind = type(data).__name__
    return "None" if data is None else f"{'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}"


def _advice(data: Any) -> str:
    if isinstance(data, Mapping) and data and all(isinstance(value, Judgments | PairCounts) for value in data.values()):
        return "; take one of its values, or one after the other"
    if isinstance(data, list | tuple) and data and all(isinstance(value, Judgments) for value in data):
        return "; put several tables together with palmares.concat"
    if isinstance(data, Mapping | list | tuple):
        return "; make a frame of rows first, e.g. polars.DataFrame(…)"
    return ""
