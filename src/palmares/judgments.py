"""`Judgments`: the one table in the middle.

Every reader makes one, everything else only reads it. A row is one pairwise judgment: two systems, an
outcome, and what is known about where it came from. Names are integer codes in sorted order, and the
two systems of a row stand in that order too, so neither the order of rows in a file nor the side a
system was shown on can change a result (which side it was is kept in the position columns).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from re import compile as compile_pattern

import numpy as np
import numpy.typing as npt
import polars as pl

from .counts import PairCounts
from .errors import InputError
from .fingerprint import fingerprint

#: Columns whose values are names; stored as codes, −1 where a row has none.
NAME_COLUMNS = ("lang_pair", "segment", "judge", "ranking")
#: Optional columns of plain values, with the type they are stored in; null where a row has none.
VALUE_COLUMNS: Mapping[str, pl.DataType] = {
    "weight": pl.Float64(),
    "position_a": pl.Int32(),
    "position_b": pl.Int32(),
    "time": pl.Datetime("us"),
    "duration": pl.Float64(),
}
#: A covariate called NAME lives in the column `extra.NAME`.
EXTRA_PREFIX = "extra."

#: Outcomes, seen from the first system of the row.
A_BETTER, TIE, B_BETTER = 1, 0, -1

IntArray = npt.NDArray[np.integer]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """An immutable table of pairwise judgments.

    Make one with `from_rows`, or with a reader (`palmares.read`). ``frame`` holds the codes, ``names``
    the name each code stands for; ``system_a`` < ``system_b`` in every row and ``outcome`` is +1 (a
    better), 0 (tie) or −1 (b better).
    """

    frame: pl.DataFrame
    names: Mapping[str, pl.Series]

    @classmethod
    def from_rows(cls, rows: pl.DataFrame) -> Judgments:
        """Build the table from a frame of names.

        Parameters
        ----------
        rows
            ``system_a``, ``system_b`` (text) and ``outcome`` (+1, 0, −1); optionally any of
            `NAME_COLUMNS` (text), `VALUE_COLUMNS` and ``extra.*``. Rows must be valid already: readers
            report bad ones by line number before they come here; what is still wrong raises.
        """
        _check_rows(rows)
        columns, names = _encode_systems(rows)
        for name in NAME_COLUMNS:
            if name in rows.columns and rows[name].null_count() < rows.height:
                columns[name], names[name] = _encode(rows[name])
        if ("position_a" in rows.columns) != ("position_b" in rows.columns):
            raise InputError("a position is known for one system of each judgment only; give both or neither")
        for name, dtype in VALUE_COLUMNS.items():
            if name in rows.columns:
                columns[name] = rows[name].cast(dtype)
        for name in rows.columns:
            if name.startswith(EXTRA_PREFIX):
                columns[name] = _plain(rows[name])
        return cls(_canonical(pl.DataFrame(columns)), names)

    # -- what is in it ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        counted = [f"{len(self.names[name])} {name}s" for name in self.names if name != "system"]
        return f"<Judgments: {len(self)} of {len(self.systems)} systems; {', '.join(counted) or 'no context'}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Judgments) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, sorted by name: code i is ``systems[i]``."""
        return tuple(self.names["system"])

    @property
    def lang_pairs(self) -> tuple[str, ...]:
        return self._names("lang_pair")

    @property
    def segments(self) -> tuple[str, ...]:
        return self._names("segment")

    @property
    def judges(self) -> tuple[str, ...]:
        return self._names("judge")

    @property
    def extras(self) -> tuple[str, ...]:
        """Names of the extra columns (covariates)."""
        return tuple(c.removeprefix(EXTRA_PREFIX) for c in self.frame.columns if c.startswith(EXTRA_PREFIX))

    def has(self, column: str) -> bool:
        """Whether any row has a value in this optional column."""
        return column in self.frame.columns

    def codes(self, column: str) -> IntArray:
        """The codes (or outcomes) of a column as an array; −1 where a row has no name."""
        if column not in self.frame.columns:
            return np.full(len(self), -1, dtype=np.int32)
        return self.frame[column].to_numpy()

    @cached_property
    def weights(self) -> npt.NDArray[np.float64] | None:
        """The weight of every judgment, or None where each counts once."""
        return self.frame["weight"].to_numpy() if self.has("weight") else None

    @cached_property
    def counts(self) -> PairCounts:
        """Win, tie and loss counts of every pair of systems."""
        return PairCounts.from_cells(self.systems, self.cells, self.weights)

    @cached_property
    def cells(self) -> npt.NDArray[np.int64]:
        """For every row, the index of its (a, b, outcome) among all n·n·3."""
        pair = self.codes("system_a").astype(np.int64) * len(self.systems) + self.codes("system_b")
        return pair * 3 + (1 - self.codes("outcome"))

    @cached_property
    def hash(self) -> str:
        """A stable digest of the content; the order of rows and the names of rankings do not matter."""
        return fingerprint(self.frame, {k: v for k, v in self.names.items() if k != "ranking"})

    def to_rows(self) -> pl.DataFrame:
        """The table with names instead of codes, in the form `from_rows` takes."""
        columns: dict[str, pl.Series] = {}
        for name in self.frame.columns:
            key = "system" if name.startswith("system_") else name
            column = self.frame[name]
            columns[name] = _decode(column, self.names[key]) if key in self.names else column
        return pl.DataFrame(columns)

    # -- parts of it -----------------------------------------------------------------------------

    def filter(self, mask: BoolArray | pl.Series) -> Judgments:
        """The rows where ``mask`` is true; names that no longer occur are forgotten."""
        return Judgments.from_rows(self.to_rows().filter(pl.Series(mask)))

    def take(self, rows: IntArray) -> Judgments:
        """Rows by index, repeats allowed; systems and codes stay as they are (for resampling)."""
        return Judgments(self.frame[rows], self.names)

    def where(self, column: str, wanted: str | Iterable[str]) -> BoolArray:
        """Which rows have a name that matches one of ``wanted`` (shell patterns) in ``column``.

        ``system`` means either system of the row.
        """
        if column == "system":
            hit = self._matching("system", wanted)
            return np.asarray(hit[self.codes("system_a")] | hit[self.codes("system_b")])
        if column not in NAME_COLUMNS:
            raise InputError(f"cannot select by {column!r}; allowed: {', '.join(NAME_COLUMNS)}, system")
        # One more place than there are names, so that code −1 (no name) picks the False at the end.
        hit = np.append(self._matching(column, wanted), False)
        return np.asarray(hit[self.codes(column)])

    def select(self, **wanted: str | Iterable[str]) -> Judgments:
        """Keep the rows that match, e.g. ``select(lang_pair="fr-en", judge="turker_*")``.

        With ``system=`` both systems of a row must match.
        """
        mask = np.ones(len(self), dtype=bool)
        for column, names in wanted.items():
            if column == "system":
                hit = self._matching("system", names)
                mask &= hit[self.codes("system_a")] & hit[self.codes("system_b")]
            else:
                mask &= self.where(column, names)
        return self.filter(mask)

    def without(self, **unwanted: str | Iterable[str]) -> Judgments:
        """Drop the rows that match, e.g. ``without(system=["ref*"])``."""
        mask = np.ones(len(self), dtype=bool)
        for column, names in unwanted.items():
            mask &= ~self.where(column, names)
        return self.filter(mask)

    def split(self, by: str = "lang_pair") -> dict[str | None, Judgments]:
        """One table per value of a column, sorted by it; the key of rows without a value is None.

        ``by`` is one of `NAME_COLUMNS` or the name of an extra column.
        """
        column = by if by in NAME_COLUMNS else EXTRA_PREFIX + by
        if column not in self.frame.columns:
            if by == "lang_pair":
                return {None: self}
            have = [c for c in NAME_COLUMNS if self.has(c)] + list(self.extras)
            raise InputError(f"cannot split by {by!r}: no such column; present: {', '.join(have) or 'none'}")
        rows = self.to_rows()
        if rows[column].n_unique() == 1:
            return {_key(rows[column][0]): self}
        parts = rows.partition_by(column, as_dict=True, maintain_order=True)
        return {_key(k[0]): Judgments.from_rows(parts[k]) for k in sorted(parts, key=lambda k: (k[0] is None, k[0]))}

    def _names(self, column: str) -> tuple[str, ...]:
        return tuple(self.names[column]) if column in self.names else ()

    def _matching(self, column: str, wanted: str | Iterable[str]) -> BoolArray:
        """For every name of the column, whether it is one of ``wanted`` or matches it as a shell pattern."""
        names = self._names(column)
        hit = np.zeros(len(names), dtype=bool)
        for pattern in [wanted] if isinstance(wanted, str) else wanted:
            match = compile_pattern(translate(pattern)).match
            found = np.array([name == pattern or match(name) is not None for name in names], dtype=bool)
            if not found.any():
                shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
                raise InputError(f"no {column} matches {pattern!r}; there are {len(names)}: {shown or 'none'}")
            hit |= found
        return hit


def _key(value: object) -> str | None:
    return None if value is None else str(value)


def _check_rows(rows: pl.DataFrame) -> None:
    missing = {"system_a", "system_b", "outcome"} - set(rows.columns)
    if missing:
        raise InputError(f"judgments need the column(s) {', '.join(sorted(missing))}; got {', '.join(rows.columns)}")
    known = {"system_a", "system_b", "outcome", *NAME_COLUMNS, *VALUE_COLUMNS}
    unknown = [c for c in rows.columns if c not in known and not c.startswith(EXTRA_PREFIX)]
    if unknown:
        raise InputError(
            f"unknown column(s) {', '.join(unknown)}; a covariate is named {EXTRA_PREFIX}NAME, "
            f"other columns are {', '.join(sorted(known))}"
        )
    if rows.height == 0:
        raise InputError("no judgments: the table is empty")
    bad = rows.select(
        same=(pl.col("system_a") == pl.col("system_b")).any(),
        null=pl.any_horizontal(pl.col("system_a", "system_b", "outcome").is_null().any()),
        outcome=(~pl.col("outcome").is_in([A_BETTER, TIE, B_BETTER])).any(),
        weight=(~(pl.col("weight") > 0) | pl.col("weight").is_infinite() | pl.col("weight").is_null()).any()
        if "weight" in rows.columns
        else pl.lit(False),
    ).row(0, named=True)
    if bad["null"]:
        raise InputError("a judgment lacks a system or an outcome; every row needs both systems and +1, 0 or −1")
    if bad["same"]:
        raise InputError("a system is compared with itself; drop such rows")
    if bad["outcome"]:
        raise InputError("an outcome is none of +1 (a better), 0 (tie), −1 (b better)")
    if bad["weight"]:
        raise InputError("a weight is not a positive finite number; drop judgments that should not count")


def _encode(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Codes in sorted order of the names, −1 for null, and the sorted names."""
    text = column.cast(pl.String)
    names = text.drop_nulls().unique().sort()
    codes = text.cast(pl.Enum(names)).to_physical().cast(pl.Int32).fill_null(-1)
    return codes, names


def _encode_systems(rows: pl.DataFrame) -> tuple[dict[str, pl.Series], dict[str, pl.Series]]:
    a, b = rows["system_a"].cast(pl.String), rows["system_b"].cast(pl.String)
    names = pl.concat([a.unique(), b.unique()]).unique().sort()
    kind = pl.Enum(names)
    columns = {
        "system_a": a.cast(kind).to_physical().cast(pl.Int32),
        "system_b": b.cast(kind).to_physical().cast(pl.Int32),
        "outcome": rows["outcome"].cast(pl.Int8),
    }
    return columns, {"system": names}


def _decode(codes: pl.Series, names: pl.Series) -> pl.Series:
    return names.gather(pl.select(pl.when(codes >= 0).then(codes)).to_series())


def _plain(column: pl.Series) -> pl.Series:
    """Numbers if all values are, else text: so a covariate is the same from CSV, JSON and Parquet."""
    if column.dtype == pl.Boolean or column.dtype.is_temporal():
        return column.cast(pl.String)
    numbers = column.cast(pl.Float64, strict=False)
    return column.cast(pl.String) if numbers.null_count() > column.null_count() else numbers


def _canonical(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the systems of every row in code order and drop optional columns that say nothing."""
    swap = pl.col("system_a") > pl.col("system_b")
    mirrored = [
        pl.when(swap).then("system_b").otherwise("system_a").alias("system_a"),
        pl.when(swap).then("system_a").otherwise("system_b").alias("system_b"),
        pl.when(swap).then(-pl.col("outcome")).otherwise("outcome").alias("outcome"),
    ]
    if "position_a" in frame.columns:
        mirrored += [
            pl.when(swap).then("position_b").otherwise("position_a").alias("position_a"),
            pl.when(swap).then("position_a").otherwise("position_b").alias("position_b"),
        ]
    frame = frame.with_columns(mirrored)
    if "weight" in frame.columns and bool((frame["weight"] == 1.0).all()):
        frame = frame.drop("weight")
    optional = [c for c in frame.columns if c in VALUE_COLUMNS or c.startswith(EXTRA_PREFIX)]
    empty = {c for c in optional if frame[c].null_count() == frame.height}
    if len(empty & {"position_a", "position_b"}) == 1:
        empty -= {"position_a", "position_b"}
    return frame.drop(empty)
