"""What judgments share, and so what is drawn in a bootstrap: pairs, rankings, segments or judges.

Judgments of one unit are drawn together. For models that read counts, a unit is only its vector of counts, so
units with equal vectors are one *kind* with a number of copies: a campaign of ten million pairs of 15 systems
has at most 315 kinds. Kinds are sorted by content, so neither the order of rows nor the names
of rankings can change a draw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast, get_args

import numpy as np

from ..errors import InputError
from .arrays import FloatArray, IntArray
from .counts import OUTCOMES, PairCounts, cell_count, encode_cells
from .digest import mix_words, row_words
from .table import Judgments

Unit = Literal["pair", "ranking", "segment", "judge"]
UNITS: tuple[Unit, ...] = get_args(Unit)

#: Judges and segments at once: not drawn, but put together from what each of the other units shows.
TWO_WAY: Literal["two-way"] = "two-way"

#: Below this, intervals from resampled groups are known to be too short (Cameron, Gelbach & Miller 2008).
FEW_UNITS = 30
#: Fewer judges than this do not show how much judges differ, nor fewer segments how much segments do.
LEAST_UNITS = 5


@dataclass(frozen=True)
class UnitKinds:
    """The kinds of unit: kind k has ``copies[k]`` units, each with ``amounts[lo:hi]`` judgments in ``cells[lo:hi]``."""

    systems: tuple[str, ...]
    copies: IntArray = field(repr=False)
    starts: IntArray = field(repr=False)  # one more than there are kinds
    cells: IntArray = field(repr=False)
    amounts: FloatArray = field(repr=False)

    @property
    def units(self) -> int:
        """How many units there are, and so how many a bootstrap sample draws."""
        return int(self.copies.sum())

    def draw(self, rng: np.random.Generator) -> IntArray:
        """How often each kind is in one bootstrap sample."""
        kinds, units = len(self.copies), self.units
        if kinds * 4 <= units:
            return rng.multinomial(units, self.copies / units)
        picks = rng.integers(0, units, units)
        if kinds < units:
            picks = np.repeat(np.arange(kinds), self.copies)[picks]
        return np.bincount(picks, minlength=kinds)

    def tables(self, drawn: IntArray) -> PairCounts:
        """The pair counts of samples given as how often each kind was drawn: one row a sample."""
        from scipy.sparse import csr_array

        shape = (len(self.copies), cell_count(len(self.systems)))
        content = csr_array((self.amounts, self.cells, self.starts), shape=shape)
        return PairCounts.from_table(self.systems, np.asarray(drawn.astype(np.float64) @ content))


def linked_unit(data: Judgments | PairCounts) -> Literal["ranking", "pair"]:
    """The smallest piece that was judged at one go: rankings, or single judgments where there are no ranking ids."""
    return "ranking" if isinstance(data, Judgments) and data.has("ranking") else "pair"


def known_units(data: Judgments | PairCounts) -> dict[str, int]:
    """How many judges, segments and rankings there are, of those that every judgment names."""
    if isinstance(data, PairCounts):
        return {}
    named = [unit for unit in ("judge", "segment", "ranking") if data.has(unit) and not (data.codes(unit) < 0).any()]
    return {unit: len(data.names[unit]) for unit in named}


def choose_unit(data: Judgments | PairCounts, unit: str) -> tuple[Unit | Literal["two-way"], str | None]:
    """The unit to use, and what a reader should know of that choice."""
    if isinstance(data, PairCounts):
        if unit not in ("auto", "pair"):
            raise InputError(
                f"resampling unit {unit!r} needs the judgments; pair counts can be resampled by 'pair' only"
            )
        return "pair", "pair counts do not know rankings, so judgments are resampled one by one (unit pair)"
    if unit == "auto":
        return _usual_unit(data)
    if unit not in (*UNITS, TWO_WAY):
        raise InputError(f"unknown resampling unit {unit!r}; allowed: auto, {TWO_WAY}, {', '.join(UNITS)}, none")
    for part in ("judge", "segment") if unit == TWO_WAY else (unit,):
        if part != "pair" and not data.has(part):
            raise InputError(f"cannot resample by {unit}: the judgments have no {part}; use --resample pair")
        if part in ("segment", "judge") and (missing := int((data.codes(part) < 0).sum())):
            raise InputError(
                f"cannot resample by {unit}: {missing} of {len(data)} judgments have no {part}; name it in all of "
                "them, leave those out, or use --resample auto"
            )
        if unit == TWO_WAY and unit_count(data, part) < 2:
            raise InputError(f"cannot resample by {unit}: there is only one {part}; use --resample ranking or pair")
    return cast(Unit, unit), None


def _usual_unit(data: Judgments) -> tuple[Unit | Literal["two-way"], str]:
    """Judges and segments at once where there are enough of both; else what there is, and what that leaves out."""
    units = known_units(data)
    judges, segments = units.get("judge", 0), units.get("segment", 0)
    if min(judges, segments) >= LEAST_UNITS:
        return TWO_WAY, (
            f"uncertainty allows for other judges and other segments (two-way; {judges} judges, {segments} segments)"
        )
    lacking = {
        name: f"there are only {count} {name}s" if count > 1 else f"there is only one {name}" if count
        else f"not every judgment names its {name}" if data.has(name) else f"judgments do not name their {name}s"
        for name, count in (("judge", judges), ("segment", segments))
    }  # fmt: skip
    if segments >= LEAST_UNITS:
        return "segment", f"uncertainty allows for other segments, but is for these judges: {lacking['judge']}"
    if judges >= LEAST_UNITS:
        return "judge", f"uncertainty allows for other judges, but is for these segments: {lacking['segment']}"
    unit = linked_unit(data)
    return unit, (
        f"uncertainty is for these judges and segments, with {unit}s drawn as if independent: {lacking['judge']}, and "
        f"{lacking['segment']}"
    )


def unit_count(data: Judgments | PairCounts, unit: Unit) -> int:
    """How many units there are to draw from."""
    if isinstance(data, PairCounts):
        return round(data.total)
    return len(data) if unit == "pair" else len(np.unique(_plain_codes(data, unit)))


def few_units(data: Judgments | PairCounts, unit: Unit) -> str | None:
    """A word of warning where there are too few units for a bootstrap to show how uncertain a ranking is."""
    count = unit_count(data, unit)
    if count >= FEW_UNITS:
        return None
    if unit == "pair":
        return f"only {count} pairs to draw from; with fewer than {FEW_UNITS}, ranges come out too narrow"
    return (
        f"only {count} {unit}s to draw from; intervals and ranges are widened for that (t distribution with "
        f"{count - 1} degrees of freedom)"
    )


def check_units(data: Judgments | PairCounts, unit: Unit) -> None:
    """Refuse a bootstrap of one unit, every sample of which is the same."""
    if unit_count(data, unit) < 2:
        raise InputError(
            f"cannot resample by {unit}: there is only one {unit}, so every sample would be the same; "
            "use another unit (pair, ranking, segment, judge), or none"
        )


def unit_codes(judgments: Judgments, unit: Unit) -> IntArray:
    """The unit of every row, numbered in an order that the names of rankings and the order of rows do not change."""
    codes = _plain_codes(judgments, unit)
    if unit in ("segment", "judge"):
        return codes
    words = row_words(judgments.frame)
    order = np.lexsort((words, codes))
    heads = np.flatnonzero(np.diff(codes[order], prepend=-1))
    place = np.empty(len(heads), dtype=np.int64)
    place[np.argsort(np.add.reduceat(words[order], heads), kind="stable")] = np.arange(len(heads))
    number = np.empty(len(judgments), dtype=np.int64)
    number[order] = np.repeat(place, np.diff(heads, append=len(order)))
    return number


def unit_kinds(data: Judgments | PairCounts, unit: Unit) -> UnitKinds:
    """Reduce judgments to the kinds of their units."""
    if isinstance(data, PairCounts):
        return _pair_kinds(data)
    if unit == "pair" and data.weights is None:
        return _pair_kinds(data.counts)
    return _kinds(data, _plain_codes(data, unit))


def sitting_kinds(data: Judgments) -> UnitKinds:
    """The kinds of what one judge said of one segment, be it in one ranking or in several."""
    judge, segment = data.group_codes("judge"), data.group_codes("segment")
    return _kinds(data, judge * (segment.max() + 1) + segment)


def _kinds(data: Judgments, codes: IntArray) -> UnitKinds:
    """The kinds of units that are numbered row by row."""
    items, cells, weights = _items(data)
    # One sort puts the judgments of a unit side by side and counts those that are alike.
    key, counts = np.unique(codes * len(cells) + items, return_counts=True)
    unit_of, item = np.divmod(key, len(cells))
    heads = np.flatnonzero(np.diff(unit_of, prepend=-1))
    sizes = np.diff(heads, append=len(key))
    words = mix_words([cells.view(np.uint64)[item], weights.view(np.uint64)[item], counts.view(np.uint64)])
    # The sum of 64 mixed bits stands for the whole vector; sorted, it also orders the kinds.
    _, first, copies = np.unique(np.add.reduceat(words, heads), return_index=True, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(sizes[first])])
    rows = np.repeat(heads[first] - starts[:-1], sizes[first]) + np.arange(starts[-1])
    return UnitKinds(data.systems, copies, starts, cells[item[rows]], counts[rows] * weights[item[rows]])


def _items(judgments: Judgments) -> tuple[IntArray, IntArray, FloatArray]:
    """The distinct (cell, weight) among the rows: the number of each row's, and what the numbers stand for."""
    cells = np.arange(cell_count(len(judgments.systems)))
    if judgments.weights is None:
        return judgments.cells, cells, np.ones(len(cells))
    distinct, code = np.unique(judgments.weights, return_inverse=True)
    # Only those that occur: all weights × all cells would be far more than there are judgments.
    present, item = np.unique(code * len(cells) + judgments.cells, return_inverse=True)
    return item, present % len(cells), distinct[present // len(cells)]


def _plain_codes(judgments: Judgments, unit: Unit) -> IntArray:
    """The unit of every row by its code in the table; a row without one is a unit of its own."""
    if unit == "pair":
        return np.arange(len(judgments))
    return judgments.group_codes(unit)


def _pair_kinds(counts: PairCounts) -> UnitKinds:
    """Every (pair, outcome) that occurs is a kind, its count the copies."""
    first, second = np.triu_indices(len(counts.systems), 1)
    table = np.stack([counts.wins[first, second], counts.ties[first, second], counts.wins[second, first]], axis=1)
    cells = encode_cells(first[:, None], second[:, None], np.arange(OUTCOMES), len(counts.systems))
    seen = table > 0
    copies = table[seen]
    if not np.array_equal(copies, np.round(copies)):
        raise InputError("pair counts are sums of weights, which cannot be resampled; give the judgments")
    kinds = len(copies)
    return UnitKinds(counts.systems, copies.astype(np.int64), np.arange(kinds + 1), cells[seen], np.ones(kinds))
