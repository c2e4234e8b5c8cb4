"""What comparisons tell: covariances after them, and how much they shrink the variances of contrasts.

A contrast c is a difference of two systems, e_i − e_j. A comparison of x and y with information J takes Σ to
Σ − u uᵀ/(1/J + v_xy), u = Σ(e_x − e_y), v_xy the variance of their difference; so it shrinks the variance of c by
(cᵀu)²/(1/J + v_xy).
"""

from __future__ import annotations

import numpy as np

from ...judgments import FloatArray, IntArray


def spreads(covariance: FloatArray) -> FloatArray:
    """Variances of all differences, Σ_ii + Σ_jj − 2 Σ_ij; of any quadratic form, its values at all contrasts."""
    diagonal = covariance.diagonal()
    return np.asarray(diagonal[:, None] + diagonal - 2 * covariance)


def laplacian(weights: FloatArray) -> FloatArray:
    """Σ w_ij (e_i − e_j)(e_i − e_j)ᵀ over pairs, of a symmetric table of weights."""
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def told(covariance: FloatArray, members: IntArray, precision: FloatArray) -> FloatArray:
    """The covariance once comparisons among ``members`` have added ``precision`` (a table of these): (Σ⁻¹ + PWPᵀ)⁻¹."""
    columns = covariance[:, members]
    inner = np.eye(len(members)) + precision @ columns[members]
    return np.asarray(covariance - columns @ np.linalg.solve(inner, precision @ columns.T))


def told_pair(covariance: FloatArray, x: int, y: int, information: float) -> FloatArray:
    """The covariance after one comparison of two systems."""
    u = covariance[x] - covariance[y]
    return np.asarray(covariance - np.outer(u, u / (1 / information + u[x] - u[y])))


def shrunk(covariance: FloatArray, wanted: FloatArray) -> FloatArray:
    """Σ λ_c (cᵀΣ(e_x − e_y))² of all pairs x, y, where ``wanted``, symmetric, holds λ of the contrast of i and j.

    The sum over contrasts is a quadratic form in e_x − e_y, of Σ C Σ with C = Σ λ_c c cᵀ: two products of matrices.
    """
    return spreads(covariance @ laplacian(wanted) @ covariance)


def clique(values: FloatArray, size: int) -> IntArray:
    """Systems with a large sum of ``values`` (symmetric) over all pairs of them: greedily, then swapped while it helps.

    Begins with the best pair; the best of all sets is only certain for two.
    """
    n = len(values)
    size = min(size, n)
    table = values.copy()
    np.fill_diagonal(table, 0.0)
    inside = np.zeros(n, dtype=bool)
    inside[list(best_pair(table))] = True
    for _ in range(size - 2):
        inside[np.where(inside, -np.inf, table[inside].sum(axis=0)).argmax()] = True
    while 2 < size < n:
        sums = table[inside].sum(axis=0)
        here, there = np.flatnonzero(inside), np.flatnonzero(~inside)
        # Without a and with b: what b has with all of them, less what it has with a, less what a has.
        better = sums[there] - sums[here, None] - table[np.ix_(here, there)]
        a, b = divmod(int(better.argmax()), len(there))
        if not better[a, b] > 1e-12 * abs(sums[here]).sum():  # nor with what is not a number
            break
        inside[here[a]], inside[there[b]] = False, True
    return np.flatnonzero(inside)


def best_pair(values: FloatArray) -> tuple[int, int]:
    """The pair of the largest value of a symmetric table; of equal ones, the one that comes first."""
    n = len(values)
    x, y = divmod(int(np.where(np.tri(n, dtype=bool), -np.inf, values).argmax()), n)
    return x, y


def spanning_tree(values: FloatArray) -> list[tuple[int, int]]:
    """The n − 1 pairs that link all systems and have the largest sum of ``values`` (Prim 1957), largest first."""
    n = len(values)
    best, nearest = values[0].copy(), np.zeros(n, dtype=np.int64)
    best[0] = -np.inf
    outside = np.ones(n, dtype=bool)
    outside[0] = False
    tree = []
    for _ in range(n - 1):
        new = int(np.where(outside, best, -np.inf).argmax())
        tree.append((int(nearest[new]), new))
        outside[new] = False
        closer = outside & (values[new] > best)
        best[closer], nearest[closer] = values[new, closer], new
    return sorted(tree, key=lambda pair: -values[pair])
