"""Data frames of four libraries give the same judgments, whatever types their columns have."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from palmares.errors import InputError
from palmares.ingest.files import DroppedRowsWarning, read, write
from palmares.judgments import Judgments

_COLUMNS: dict[str, list[Any]] = {
    "system_a": ["A", "B", "A"],
    "system_b": ["B", "C", "C"],
    "outcome": ["a", "tie", "b"],
    "judge": [7, 7, 8],
    "segment": ["s1", None, "s2"],
    "time": [datetime(2014, 1, 1, 10), datetime(2014, 1, 1, 11), None],
    "duration": [1.5, None, 2.0],
    "read": [1, 2, 3],  # as an attribute of a pandas frame, this looks like a file's method
}

_LIBRARIES: dict[str, Callable[[], Any]] = {
    "polars": lambda: pl.DataFrame(_COLUMNS),
    "polars, lazy": lambda: pl.LazyFrame(_COLUMNS),
    "pandas": lambda: pd.DataFrame(_COLUMNS),
    "pandas, another index": lambda: pd.DataFrame(_COLUMNS, index=[3, 3, 3]),
    "pyarrow": lambda: pa.table(_COLUMNS),
    "duckdb": lambda: _relation(),
}


def _relation() -> Any:
    table = pa.table(_COLUMNS)
    return duckdb.connect().from_arrow(table)


def _expected() -> Judgments:
    rows = {k: v for k, v in _COLUMNS.items() if k not in ("read", "judge", "outcome")}
    return Judgments.from_rows(pl.DataFrame({**rows, "outcome": [1, 0, -1], "judge": ["7", "7", "8"]}))


@pytest.mark.parametrize("library", _LIBRARIES)
def test_all_libraries_give_the_same_judgments(library: str) -> None:
    assert read(_LIBRARIES[library](), faults=0) == _expected()


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "jsonl.zst", "parquet"])
def test_a_frame_and_its_file_give_the_same(ending: str, tmp_path: Path) -> None:
    judgments = read(pl.DataFrame(_COLUMNS), extra=["read"])
    write(judgments, tmp_path / f"x.{ending}")
    assert read(tmp_path / f"x.{ending}") == judgments


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pl.Series([1.0, None, 2.0]), ("1", "2")),  # what pandas makes of integers with a gap
        (pl.Series([1.5, None, 2.0]), ("1.5", "2.0")),
        (pl.Series([float("inf"), 2.0, None]), ("2.0", "inf")),
        (pl.Series([float("nan"), 2.0, 1.0]), ("1", "2")),
        (pl.Series(["x", "y", "x"], dtype=pl.Categorical), ("x", "y")),
        (pl.Series(["x", "y", "x"], dtype=pl.Enum(["y", "x"])), ("x", "y")),
        (pl.Series([True, False, None]), ("false", "true")),
        (pl.Series([Decimal("1.50"), None, None]), ("1.50",)),
        (pl.Series([b"x", b"y", None]), ("x", "y")),
        (pl.Series([" x ", "", "  "]), ("x",)),
        (pl.Series([None, None, None]), ()),
    ],
)
def test_names_of_odd_types(values: pl.Series, names: tuple[str, ...]) -> None:
    assert read(pl.DataFrame({**_COLUMNS, "judge": values})).judges == names


@pytest.mark.parametrize("column", [pd.Categorical(["x", "y", "x"]), pd.array(["x", "y", "x"], dtype="string")])
def test_pandas_types(column: Any) -> None:
    assert read(pd.DataFrame({**_COLUMNS, "judge": column})).judges == ("x", "y")


@pytest.mark.parametrize(
    "time",
    [
        pl.Series([datetime(2014, 1, 1, 10, tzinfo=UTC)] * 3).dt.convert_time_zone("Asia/Tokyo"),
        pl.Series([datetime(2014, 1, 1, 10)] * 3, dtype=pl.Datetime("ns")),
        pl.Series(["2014-01-01T10:00:00Z"] * 3),
        pl.Series([1388570400] * 3),
    ],
)
def test_times_of_odd_types(time: pl.Series) -> None:
    assert read(pl.DataFrame({**_COLUMNS, "time": time})).frame["time"].to_list() == [datetime(2014, 1, 1, 10)] * 3


def test_times_that_no_calendar_has() -> None:
    late = pl.Series([2**60, 0, 0]).cast(pl.Datetime("us"))
    with pytest.warns(DroppedRowsWarning, match="dropped row 1: time 'of another calendar' cannot be read"):
        assert len(read(pl.DataFrame({**_COLUMNS, "time": late}), faults="lenient")) == 2


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ([["x"], ["y"], ["z"]], "column 'judge' holds lists or objects, not names"),
        ([{"x": 1}] * 3, "column 'judge' holds lists or objects"),
        ([b"\xff", b"y", b"z"], "column 'judge' holds Binary values, which are not text"),
    ],
)
def test_columns_that_hold_no_names(judge: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(pl.DataFrame({**_COLUMNS, "judge": judge}))


def test_frames_that_cannot_be_read() -> None:
    with pytest.raises(InputError, match="columns but no rows"):
        read(pl.DataFrame(_COLUMNS).clear())
    with pytest.raises(InputError, match="format 'appraise' is a file format; a data frame can be: wmt-pairwise"):
        read(pl.DataFrame(_COLUMNS), format="appraise")
    with pytest.raises(InputError, match="cannot be read through Arrow"):
        read(pd.DataFrame({"system_a": ["A", 1], "system_b": [object(), "B"]}))
    twice = pd.DataFrame([["A", "B", "C"]], columns=["system_a", "system_b", "system_b"])
    with pytest.raises(InputError, match="cannot be read through Arrow"):
        read(twice)
