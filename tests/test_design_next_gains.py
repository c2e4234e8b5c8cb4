"""What comparisons tell: matrix forms against loops, downdates against refits, greedy choices against all of them."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from palmares.design.next.gains import best_pair, clique, laplacian, shrunk, spanning_tree, spreads, told, told_pair


def covariance(n: int, seed: int) -> np.ndarray:
    root = np.random.default_rng(seed).normal(size=(n, n + 2))
    return root @ root.T / n


def symmetric(n: int, seed: int) -> np.ndarray:
    values = np.triu(np.random.default_rng(seed).exponential(size=(n, n)), 1)
    return values + values.T


def contrast(n: int, i: int, j: int) -> np.ndarray:
    c = np.zeros(n)
    c[i], c[j] = 1, -1
    return c


def test_what_all_pairs_shrink_is_the_sum_over_contrasts_one_by_one() -> None:
    n, sigma, weights = 6, covariance(6, 1), symmetric(6, 2)
    gains = shrunk(sigma, weights)
    for x, y in combinations(range(n), 2):
        u = sigma @ contrast(n, x, y)
        expected = sum(weights[i, j] * (u[i] - u[j]) ** 2 for i, j in combinations(range(n), 2))
        assert gains[x, y] == pytest.approx(expected)
        assert spreads(sigma)[x, y] == pytest.approx(contrast(n, x, y) @ u)


def test_a_downdate_is_a_gaussian_with_one_more_observation() -> None:
    n, sigma, information = 7, covariance(7, 3), 0.2
    c = contrast(n, 2, 5)
    expected = np.linalg.inv(np.linalg.inv(sigma) + information * np.outer(c, c))
    assert told_pair(sigma, 2, 5, information) == pytest.approx(expected)
    pair = laplacian(np.array([[0, information], [information, 0]]))
    assert told(sigma, np.array([2, 5]), pair) == pytest.approx(expected)


def test_several_comparisons_at_once_are_one_after_the_other() -> None:
    sigma, weights, members = covariance(7, 4), symmetric(4, 5), np.array([0, 2, 3, 6])
    one_by_one = sigma
    for a, b in combinations(range(4), 2):
        one_by_one = told_pair(one_by_one, members[a], members[b], weights[a, b])
    assert told(sigma, members, laplacian(weights)) == pytest.approx(one_by_one)


def test_a_laplacian_is_the_sum_of_squared_contrasts() -> None:
    weights = symmetric(5, 6)
    expected = sum(weights[i, j] * np.outer(c := contrast(5, i, j), c) for i, j in combinations(range(5), 2))
    assert laplacian(weights) == pytest.approx(expected)


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_the_clique_is_nearly_the_best_of_all(size: int) -> None:
    exact = 0
    for seed in range(30):
        values = symmetric(8, seed)
        sums = {c: sum(values[i, j] for i, j in combinations(c, 2)) for c in combinations(range(8), size)}
        chosen = tuple(clique(values, size).tolist())
        best = max(sums.values())
        exact += sums[chosen] == best
        assert sums[chosen] >= 0.85 * best
        # No single swap is better.
        swapped = (tuple(sorted({*chosen} - {a} | {b})) for a, b in product(chosen, {*range(8)} - {*chosen}))
        assert all(sums[other] <= sums[chosen] + 1e-9 for other in swapped)
    assert exact >= (30 if size in (2, 8) else 20)


def test_the_best_pair_is_the_largest_value_and_the_first_of_equals() -> None:
    values = symmetric(6, 9)
    x, y = best_pair(values)
    assert values[x, y] == values.max()
    assert x < y
    assert best_pair(np.zeros((4, 4))) == (0, 1)


def test_the_spanning_tree_is_the_best_of_all_trees() -> None:
    n = 5
    for seed in range(10):
        values = symmetric(n, seed)
        edges = list(combinations(range(n), 2))
        trees = [tree for tree in combinations(edges, n - 1) if _spans(n, tree)]
        assert len(trees) == n ** (n - 2)  # Cayley
        chosen = spanning_tree(values)
        assert _spans(n, chosen)
        assert sum(values[e] for e in chosen) == pytest.approx(max(sum(values[e] for e in tree) for tree in trees))
        # The same tree has the least sum of inverses, as ASAP is written.
        inverse = min(sum(1 / values[e] for e in tree) for tree in trees)
        assert sum(1 / values[e] for e in chosen) == pytest.approx(inverse)
        assert [values[e] for e in chosen] == sorted((values[e] for e in chosen), reverse=True)


def _spans(n: int, tree: tuple[tuple[int, int], ...] | list[tuple[int, int]]) -> bool:
    group = {0}
    for _ in range(n):
        group |= {v for a, b in tree for v in (a, b) if a in group or b in group}
    return len(group) == n
