"""Means over held-out judgments and their standard errors, when judgments come in dependent groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...judgments.arrays import FloatArray, IntArray
from .folds import Folds


@dataclass(frozen=True)
class Grouped:
    """The tested judgments, counted by group and by (fold, cell): a sparse matrix ``amounts`` (groups, keys).

    Keys are the (fold, cell) that occur, fold by fold and in the order of `Folds.cells`.
    """

    amounts: Any = field(repr=False)

    @classmethod
    def of(cls, folds: Folds, groups: IntArray) -> Grouped:
        from scipy.sparse import csr_array

        rows = np.flatnonzero(folds.fold >= 0)
        size = folds.tables.shape[1]
        weights = folds.judgments.weights
        weight = np.ones(len(rows)) if weights is None else weights[rows]
        key = folds.fold[rows] * size + folds.judgments.cells[rows]
        group = np.unique(groups[rows], return_inverse=True)[1].reshape(-1)
        order = np.lexsort((weight, key, group))
        _, column = np.unique(key[order], return_inverse=True)
        column = column.reshape(-1)
        shape = (int(group.max()) + 1, int(column.max()) + 1)
        return cls(csr_array((weight[order], (group[order], column)), shape=shape))

    @property
    def groups(self) -> int:
        return int(self.amounts.shape[0])

    def mean(self, values: FloatArray) -> float:
        """The mean over judgments of a value that every key has."""
        weight = self.amounts.sum(axis=0)
        return float(values @ weight / weight.sum())

    def influence(self, values: FloatArray) -> FloatArray:
        """By how much each group moves the mean: (its sum − its weight × mean) / total weight."""
        weight = self.amounts.sum(axis=1)
        return np.asarray((self.amounts @ values - weight * self.mean(values)) / weight.sum())


def standard_error(influence: FloatArray) -> float | None:
    """√(G / (G − 1) Σ influence²) over G groups; None for a single group, which shows no spread."""
    groups = len(influence)
    return None if groups < 2 else float(np.sqrt(groups / (groups - 1) * (influence**2).sum()))
