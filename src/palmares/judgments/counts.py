"""The one code of what a judgment says (*cells*), and how often each system beat, tied with and lost to each other one.

`PairCounts` are the sufficient statistics of every direct score and of most preference models, so a model that
reads them costs the same on ten thousand judgments as on ten billion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from ..errors import InputError
from .arrays import BoolArray, CodeArray, FloatArray, IntArray
from .origin import Origin

# -- cells: the one code of what a judgment says ---------------------------------------------------------------------
#
# Two systems and an outcome as a whole number. The cells of n systems are the places of an array (n, n, 3), counted row
# by row; the last index is 0 where the first system is better, 1 for a tie and 2 where the second is better. A *pair*
# is a place of its (n, n) part.

#: How many outcomes a comparison has.
OUTCOMES = 3


def outcome_index(outcome: CodeArray) -> IntArray:
    """0, 1 and 2 for the outcomes +1 (first better), 0 (tie) and −1 (second better)."""
    return np.asarray(1 - outcome.astype(np.int64))


def cell_count(systems: int) -> int:
    """How many cells so many systems have."""
    return systems**2 * OUTCOMES


def encode_pairs(a: CodeArray, b: CodeArray, systems: int) -> IntArray:
    """The pairs of two columns of system codes."""
    return np.asarray(a.astype(np.int64) * systems + b)


def encode_cells(a: CodeArray, b: CodeArray, index: CodeArray, systems: int) -> IntArray:
    """The cells of system codes and outcome indices (`outcome_index`), which may broadcast."""
    return np.asarray(encode_pairs(a, b, systems) * OUTCOMES + index)


def decode_cells(cells: IntArray, systems: int) -> tuple[IntArray, IntArray, IntArray]:
    """The codes of both systems and the outcome index of every cell."""
    pair, index = np.divmod(cells, OUTCOMES)
    a, b = np.divmod(pair, systems)
    return a, b, index


def pairs_of(cells: IntArray) -> IntArray:
    """The pair of every cell, whatever its outcome."""
    return np.asarray(cells // OUTCOMES)


# -- counts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairCounts:
    """Counts for one table of judgments, or for a batch of resampled ones.

    ``wins[..., i, j]`` is how often i was judged better than j; ``ties`` is symmetric. Leading axes, if
    any, number the members of a batch. Counts are sums of weights where judgments carry weights.
    """

    systems: tuple[str, ...]
    wins: FloatArray = field(repr=False)
    ties: FloatArray = field(repr=False)
    lang_pair: str | None = None
    #: Where the judgments come from, if a reader counted them.
    origin: Origin | None = field(default=None, repr=False, compare=False)
    #: How many judgments these are, where a reader counted judgments that carry weights.
    judged: int | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        pair = f" {self.lang_pair}" if self.lang_pair else ""
        return f"<PairCounts{pair}: {self.total:,.6g} judgments of {len(self.systems)} systems>"

    @classmethod
    def from_cells(cls, systems: tuple[str, ...], cells: IntArray, weights: FloatArray | None) -> PairCounts:
        """Count rows given as cell indices (see `Judgments.cells`)."""
        if weights is not None:
            # Floating sums depend on their order: add in an order that does not depend on the rows'.
            order = np.lexsort((weights, cells))
            cells, weights = cells[order], weights[order]
        table = np.bincount(cells, weights, minlength=cell_count(len(systems)))
        return cls.from_table(systems, table.astype(np.float64))

    @classmethod
    def from_table(cls, systems: tuple[str, ...], table: FloatArray) -> PairCounts:
        """From counts by cell (the code of cells is above)."""
        n = len(systems)
        cube = table.reshape(*table.shape[:-1], n, n, OUTCOMES)
        # In the order of memory that compiled code was compiled for: numpy's own choice depends on the size.
        wins = np.add(cube[..., 0], np.swapaxes(cube[..., 2], -1, -2), order="C")
        ties = np.add(cube[..., 1], np.swapaxes(cube[..., 1], -1, -2), order="C")
        return cls(systems, wins, ties)

    @property
    def notes(self) -> tuple[str, ...]:
        """What any result made of these counts should say of how the judgments were read."""
        return self.origin.notes if self.origin else ()

    @property
    def total(self) -> float:
        """The number of judgments (their total weight); of a batch, of all its members together."""
        return float(self.wins.sum() + self.ties.sum() / 2)

    @property
    def decided(self) -> FloatArray:
        """``decided[i, j]``: comparisons of i and j that were not ties."""
        return self.wins + np.swapaxes(self.wins, -1, -2)

    @property
    def batch(self) -> PairCounts:
        """The same counts as a batch of one."""
        return PairCounts(self.systems, self.wins[None], self.ties[None], self.lang_pair)

    @property
    def hash(self) -> str:
        """A stable digest of the counts."""
        digest = sha256("\0".join(self.systems).encode())
        digest.update(self.wins.astype("<f8").tobytes())
        digest.update(self.ties.astype("<f8").tobytes())
        return "counts-" + digest.hexdigest()[:16]

    def components(self, *, decisive: bool = False) -> list[tuple[str, ...]]:
        """Groups of systems linked by judgments, largest first, then by name.

        With ``decisive`` a tie does not link.
        """
        linked = self.decided if decisive else self.decided + self.ties
        groups: dict[int, list[str]] = {}
        for name, label in zip(self.systems, circles(linked > 0), strict=True):
            groups.setdefault(int(label), []).append(name)
        return sorted((tuple(g) for g in groups.values()), key=lambda g: (-len(g), g))

    def plus(self, more: PairCounts) -> PairCounts:
        """These counts and ``more``, over the systems of both."""
        systems = tuple(sorted({*self.systems, *more.systems}))
        wins, ties = np.zeros((2, len(systems), len(systems)))
        for part in (self, more):
            index = [systems.index(name) for name in part.systems]
            wins[np.ix_(index, index)] += part.wins
            ties[np.ix_(index, index)] += part.ties
        return PairCounts(systems, wins, ties, self.lang_pair)

    def keep(self, systems: tuple[str, ...]) -> PairCounts:
        """The counts among some of the systems only."""
        missing = [name for name in systems if name not in self.systems]
        if missing:
            raise InputError(f"no system is called {missing[0]!r}; there are {', '.join(self.systems)}")
        index = [self.systems.index(name) for name in sorted(systems)]
        part = np.ix_(index, index)
        return PairCounts(tuple(sorted(systems)), self.wins[part], self.ties[part], self.lang_pair, self.origin)


def circles(links: BoolArray) -> IntArray:
    """Groups, numbered from 0, of those who can reach each other along ``links[i, j]``, which lead from i to j."""
    n = len(links)
    # Eight bits in a byte: Warshall's closure takes a second for three thousand.
    reached = np.packbits(links | np.eye(n, dtype=bool), axis=1)
    for via in range(n):
        reached[reached[:, via >> 3] & (128 >> (via & 7)) > 0] |= reached[via]
    reaches = np.unpackbits(reached, axis=1, count=n).astype(bool)
    return np.asarray(np.unique(np.argmax(reaches & reaches.T, axis=1), return_inverse=True)[1])
