"""A digest of a table of judgments that does not depend on the order of its rows.

Every row is mixed into a 64-bit number; the numbers of one ranking are added, mixed again, and added over
rankings. Sums do not depend on order, and the name of a ranking does not enter: only which judgments
belong together does. Two independent sums and the sorted names go into SHA-256. This tells tables
apart and survives versions and machines; it is no defence against somebody who forges a table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

Words = npt.NDArray[np.uint64]

_LANES = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03))


def fingerprint(frame: pl.DataFrame, names: Mapping[str, pl.Series]) -> str:
    """Sixteen hexadecimal digits for the content of ``frame`` (codes) and ``names``."""
    columns = sorted(c for c in frame.columns if c != "ranking")
    digest = hashlib.sha256(f"palmares-1 {frame.height} {columns}".encode())
    for key in sorted(names):
        _update(digest, names[key])
    words = {}
    for column in columns:
        words[column], labels = _words(frame[column])
        if labels is not None:
            _update(digest, labels)
    for lane in _LANES:
        rows = mix_words([words[column] for column in columns], lane)
        digest.update(int(_mix(_by_ranking(frame, rows)).sum(dtype=np.uint64)).to_bytes(8, "little"))
    return digest.hexdigest()[:16]


def row_words(frame: pl.DataFrame) -> Words:
    """A 64-bit word for the content of every row, whatever its ranking is called."""
    return mix_words([_words(frame[column])[0] for column in sorted(frame.columns) if column != "ranking"])


def mix_words(columns: Sequence[Words], lane: np.uint64 = _LANES[0]) -> Words:
    """Mix parallel columns of words into one."""
    mixed = np.full(len(columns[0]), lane, dtype=np.uint64)
    for column in columns:
        mixed = _mix(mixed ^ column) + lane
    return mixed


def _by_ranking(frame: pl.DataFrame, rows: Words) -> Words:
    """Add the rows of each ranking; a row without one stands alone."""
    if "ranking" not in frame.columns:
        return rows
    ranking = frame["ranking"].to_numpy()
    linked = ranking >= 0
    sums = np.zeros(int(ranking.max()) + 1, dtype=np.uint64)
    np.add.at(sums, ranking[linked], rows[linked])
    present = np.zeros(len(sums), dtype=bool)
    present[ranking[linked]] = True
    return np.concatenate([sums[present], rows[~linked]])


def _words(column: pl.Series) -> tuple[Words, pl.Series | None]:
    """A column as 64-bit words, and the sorted labels if it is text."""
    if column.dtype == pl.String:
        labels = column.drop_nulls().unique().sort()
        codes = column.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).fill_null(-1)
        return codes.to_numpy().astype(np.int64).view(np.uint64), labels
    if column.dtype.is_float():
        # + 0.0 turns −0.0 into 0.0; every NaN and null becomes the same word.
        values = column.fill_null(float("nan")).to_numpy().astype(np.float64) + 0.0
        values[np.isnan(values)] = np.nan
        return values.view(np.uint64), None
    whole = column.to_physical().cast(pl.Int64).fill_null(np.iinfo(np.int64).min)
    return whole.to_numpy().astype(np.int64).view(np.uint64), None


def _mix(words: Words) -> Words:
    """The finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _update(digest: hashlib._Hash, labels: pl.Series) -> None:
    """Lengths go in front, so that no two lists of labels look the same."""
    digest.update(len(labels).to_bytes(4, "little"))
    for label in labels:
        encoded = label.encode()
        digest.update(len(encoded).to_bytes(4, "little"))
        digest.update(encoded)
