"""The outputs that were judged, segment by segment: few of all systems on most segments of a large campaign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...judgments import FloatArray, IntArray

#: Numbers in the matrices of the segments that are solved at once, which bounds memory.
_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Block:
    """Segments on which at most ``size`` systems were judged: numbers of their outputs and pairs, and their places."""

    size: int
    segments: int
    outputs: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    place: IntArray = field(repr=False)
    pairs: IntArray = field(repr=False)
    pair_segment: IntArray = field(repr=False)
    pair_a: IntArray = field(repr=False)
    pair_b: IntArray = field(repr=False)


@dataclass(frozen=True)
class Outputs:
    """Every (segment, system) that was judged, and every pair of them that met.

    ``a``, ``b`` and ``pair`` are by judgment; ``segment`` and ``system`` by output; ``pair_a`` and ``pair_b`` are the
    outputs of a pair. Outputs are sorted by segment.
    """

    a: IntArray = field(repr=False)
    b: IntArray = field(repr=False)
    pair: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    system: IntArray = field(repr=False)
    pair_a: IntArray = field(repr=False)
    pair_b: IntArray = field(repr=False)

    @classmethod
    def of(cls, segment: IntArray, a: IntArray, b: IntArray, systems: int) -> Outputs:
        keys, both = np.unique(np.concatenate([segment * systems + a, segment * systems + b]), return_inverse=True)
        first, last = np.split(both.reshape(-1), 2)
        pairs, pair = np.unique(first * len(keys) + last, return_inverse=True)
        return cls(first, last, pair.reshape(-1), *np.divmod(keys, systems), *np.divmod(pairs, max(len(keys), 1)))

    def differences(self, values: FloatArray) -> FloatArray:
        """Of every output: the values of judgments in which it is named first, less those in which it is second."""
        size = len(self.segment)
        return np.bincount(self.a, values, size).astype(np.float64) - np.bincount(self.b, values, size)

    @cached_property
    def _places(self) -> tuple[IntArray, IntArray, IntArray]:
        """The number of every output's segment among those judged, its place there, and how many each has."""
        _, starts, number, counts = np.unique(self.segment, return_index=True, return_inverse=True, return_counts=True)
        number = number.reshape(-1)
        return number, np.arange(len(self.segment)) - starts[number], counts

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Segments by the number of their outputs, up to a power of two, a block holding no more than fits memory."""
        return tuple(self._cut())

    def _cut(self) -> Iterator[Block]:
        number, place, counts = self._places
        classes = np.ceil(np.log2(np.maximum(counts, 2))).astype(np.int64)
        for power in np.unique(classes).tolist():
            members = np.flatnonzero(classes == power)
            size = int(counts[members].max())
            step = max(1, _AT_ONCE // (size * size))
            for lo in range(0, len(members), step):
                yield self._block(members[lo : lo + step], size, number, place)

    def _block(self, members: IntArray, size: int, number: IntArray, place: IntArray) -> Block:
        where = np.full(int(number.max()) + 1, -1, dtype=np.int64)
        where[members] = np.arange(len(members))
        outputs = np.flatnonzero(where[number] >= 0)
        pairs = np.flatnonzero(where[number[self.pair_a]] >= 0)
        a, b = self.pair_a[pairs], self.pair_b[pairs]
        return Block(
            size,
            len(members),
            outputs,
            where[number[outputs]],
            place[outputs],
            pairs,
            where[number[a]],
            place[a],
            place[b],
        )
