"""What the modes of ``trueskill`` read: counts by content, single judgments, chains of ranked systems."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..judgments import BoolArray, FloatArray, IntArray, Judgments, PairCounts
from .base import check_placeable, counts_of


class Rows(NamedTuple):
    """Single judgments: two systems, and +1 (first better), 0 (tie) or −1."""

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    outcome: npt.NDArray[np.int8]


class Chains(NamedTuple):
    """Rankings: number r has ``members[starts[r]:starts[r + 1]]``, best first, ``tied`` with the one before or not."""

    starts: IntArray
    members: IntArray
    tied: BoolArray
    note: str | None


def checked(data: Judgments | PairCounts) -> PairCounts:
    """The counts of data whose systems can be placed."""
    counts = counts_of(data)
    check_placeable(counts, linked_by="any")
    return counts


def judgment_count(wins: FloatArray, ties: FloatArray) -> float:
    """|A|: how many judgments there are, or what they weigh."""
    return float(wins.sum() + ties.sum() / 2)


def content(counts: PairCounts) -> FloatArray:
    """A matrix whose cell (i, j) has the same number where wins, ties and losses are the same."""
    sides = [np.unique(side, return_inverse=True)[1].ravel() for side in (counts.wins, counts.wins.T, counts.ties)]
    code = np.unique(np.stack(sides, axis=1), axis=0, return_inverse=True)[1]
    return code.reshape(counts.wins.shape).astype(np.float64)


def shared(values: FloatArray, alike: IntArray) -> FloatArray:
    """The mean over systems that only their names tell apart."""
    return np.asarray((np.bincount(alike, values) / np.bincount(alike))[alike])


def expanded(wins: FloatArray, ties: FloatArray) -> Rows:
    """Single judgments from counts."""
    won, tied = np.nonzero(wins), np.nonzero(np.triu(ties, 1))
    count = np.concatenate([wins[won], ties[tied]])
    if not np.array_equal(count, np.round(count)):
        raise InputError("mode shuffled takes every judgment once and cannot use weights; use mode replay or batch")
    copies = count.astype(np.int64)
    outcome = np.repeat([1, 0], [copies[: len(won[0])].sum(), copies[len(won[0]) :].sum()])
    first, second = np.repeat(np.concatenate([won, tied], axis=1), copies, axis=1)
    return Rows(first.astype(np.int32), second.astype(np.int32), outcome.astype(np.int8))


def shuffled(wins: FloatArray, ties: FloatArray, rng: np.random.Generator) -> Rows:
    """Single judgments from counts, in random order."""
    rows = expanded(wins, ties)
    order = rng.permutation(len(rows.first))
    return Rows(rows.first[order], rows.second[order], rows.outcome[order])


def needs_rows(data: Judgments | PairCounts, mode: str) -> Judgments:
    """The judgments, for a mode that takes them one by one."""
    if isinstance(data, PairCounts):
        raise InputError(f"mode {mode} needs the judgments in their order, not only pair counts; use mode replay")
    if data.weights is not None:
        raise InputError(f"mode {mode} takes every judgment once and cannot use weights; use mode replay or batch")
    return data


def codes_among(systems: tuple[str, ...], some: tuple[str, ...]) -> IntArray:
    """The codes of ``some`` systems of those that were fitted."""
    unknown = sorted(set(some) - set(systems))
    if unknown:
        raise InputError(f"the fit has no system {unknown[0]!r}, so judgments of it cannot be added; fit all together")
    return np.array([systems.index(name) for name in some], dtype=np.int64)


def counts_among(systems: tuple[str, ...], more: Judgments | PairCounts) -> PairCounts:
    """The counts of more judgments, by the codes of the systems that were fitted."""
    counts = counts_of(more)
    part = np.ix_(*[codes_among(systems, counts.systems)] * 2)
    wins, ties = (np.zeros([len(systems)] * 2) for _ in range(2))
    wins[part], ties[part] = counts.wins, counts.ties
    return PairCounts(systems, wins, ties, counts.lang_pair)


def counts_with(counts: PairCounts, more: Judgments | PairCounts) -> PairCounts:
    """The counts and those of more judgments of the same systems."""
    added = counts_among(counts.systems, more)
    return replace(counts, wins=counts.wins + added.wins, ties=counts.ties + added.ties)


def rows_of(judgments: Judgments, codes: IntArray) -> Rows:
    """The rows, with ``codes`` in the place of the table's own."""
    first, second = (codes[judgments.codes(side)].astype(np.int32) for side in ("system_a", "system_b"))
    return Rows(first, second, judgments.codes("outcome").astype(np.int8))


def chains_of(judgments: Judgments) -> Chains:
    """The rankings in the order they begin in.

    The place of a system is how many more it beat than lost to. Rows without a ranking, and rankings whose pairs are
    not all there or contradict each other, are taken pair by pair. A ranking drawn k times in a bootstrap is k
    rankings.
    """
    n = len(judgments.systems)
    number = _ranking_numbers(judgments)
    first, second, outcome = (judgments.codes(c).astype(np.int64) for c in ("system_a", "system_b", "outcome"))
    places, code = np.unique(np.concatenate([number * n + first, number * n + second]), return_inverse=True)
    net = np.bincount(code, np.concatenate([outcome, -outcome]))
    rows, size = np.bincount(number), np.bincount(places // n)
    agrees = np.sign(np.subtract(*net[code].reshape(2, -1))) == outcome
    even = _occurrences((number * n + first) * n + second) * (size * (size - 1) // 2)[number] == rows[number]
    broken = np.bincount(number, ~(agrees & even)) > 0

    order = np.lexsort((places, -net, places // n))
    whole = order[~broken[places[order] // n]]
    single = np.flatnonzero(broken[number])
    won = outcome[single] >= 0
    pair = np.where(won, [first[single], second[single]], [second[single], first[single]])
    pair_tied = np.stack([np.zeros(len(single), dtype=bool), outcome[single] == 0], axis=1)
    tied = np.diff(net[whole], prepend=np.nan) == 0
    tied &= np.diff(places[whole] // n, prepend=-1) == 0
    members, flags = np.concatenate([places[whole] % n, pair.T.ravel()]), np.concatenate([tied, pair_tied.ravel()])

    kept = np.flatnonzero(~broken)
    copies = rows[kept] // (size[kept] * (size[kept] - 1) // 2)
    begins = np.repeat(np.cumsum(size[kept]) - size[kept], copies)
    begins = np.concatenate([begins, len(whole) + 2 * np.arange(len(single))])
    lengths = np.concatenate([np.repeat(size[kept], copies), np.full(len(single), 2)])
    turn = np.argsort(np.concatenate([np.repeat(kept, copies), number[single]]), kind="stable")
    starts, pick = _gathered(begins[turn], lengths[turn])
    note = f"{broken.sum()} rankings are not complete orders and were taken pair by pair" if broken.any() else None
    return Chains(starts, members[pick], flags[pick], note)


def _ranking_numbers(judgments: Judgments) -> IntArray:
    """The ranking of every row, numbered in the order of their first rows; a row without one is one of its own."""
    _, begins, inverse = np.unique(judgments.group_codes("ranking"), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(begins))[inverse]


def _occurrences(values: IntArray) -> IntArray:
    """For every value, how often it occurs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse])


def _gathered(begins: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Where blocks start when put one after the other, and the indices that put them there."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return starts, np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1])
