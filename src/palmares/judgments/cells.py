"""The one code of what a judgment says: two systems and an outcome as a whole number, its *cell*.

The cells of n systems are the places of an array (n, n, 3), counted row by row; the last index is 0 where the first
system is better, 1 for a tie and 2 where the second is better. A *pair* is a place of its (n, n) part.
"""

from __future__ import annotations

import numpy as np

from .arrays import CodeArray, IntArray

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
