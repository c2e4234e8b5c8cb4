"""Models whose answer is an order: ``lopez`` and ``most-probable-ranking``.

Both are the minimum feedback arc set problem: every pair placed against its majority costs its margin. Systems
fall into strongly connected groups of the "not beaten by" relation; between groups the order is forced, so
only within groups is there anything to solve. A group of up to `EXACT_BY_SUBSETS` systems is solved by
dynamic programming over subsets, a larger one by an integer program. When several orders are optimal, a
system's place is its mean place over all of them (subsets) or its place in one of them (integer program).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..judgments import FloatArray, PairCounts
from .base import CountModel

#: 2²⁰ subsets take 25 MB and, on the machine of the benchmark table, tens of milliseconds.
EXACT_BY_SUBSETS = 20
#: How long the integer program may search for a proof, in seconds.
SECONDS = 60.0


class _OrderModel(CountModel):
    """Places systems by the optimal order for a matrix of margins; the score is minus the place."""

    def margins(self, batch: PairCounts) -> FloatArray:
        """``margins[..., i, j]``: what is gained by placing i before j rather than after; antisymmetric."""
        raise NotImplementedError

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        return np.stack([-(1.0 + best_places(margins)[0]) for margins in self.margins(batch)])

    def notes(self, counts: PairCounts) -> tuple[str, ...]:
        largest = max(len(g) for g in groups(self.margins(counts)))
        if largest <= EXACT_BY_SUBSETS:
            return ()
        _, proven = best_places(self.margins(counts))
        state = "one optimal order, by integer programming" if proven else (
            f"the best order found in {SECONDS:.0f} s; not proven optimal"
        )  # fmt: skip
        return (f"{largest} systems beat each other in cycles: {state}",)


@dataclass(frozen=True)
class Lopez(_OrderModel):
    """The order that contradicts the fewest majority votes (Lopez 2012; Koehn 2012, §4.2).

    Minimises the sum, over pairs ranked j before k, of max(0, win(k, j) − win(j, k)).
    """

    id = "lopez"
    lacks = {"monotone": "the optimal order may change as a whole when one vote is added"}  # noqa: RUF012

    def margins(self, batch: PairCounts) -> FloatArray:
        return batch.wins - np.swapaxes(batch.wins, -1, -2)


@dataclass(frozen=True)
class MostProbableRanking(_OrderModel):
    """The order that maximises the product of win probabilities (Callison-Burch et al. 2012).

    Maximises the sum, over pairs ranked j before k, of log p(j beats k), p = (win + ½) / (win + loss + 1).
    """

    id = "most-probable-ranking"
    lacks = {  # noqa: RUF012
        "monotone": "the optimal order may change as a whole when one vote is added",
        "duplication": "the half win that every pair is given weighs less the more judgments there are",
    }

    def margins(self, batch: PairCounts) -> FloatArray:
        # log p(j, k) − log p(k, j): the common denominator cancels.
        odds = np.log(batch.wins + 0.5)
        return odds - np.swapaxes(odds, -1, -2)


def groups(margins: FloatArray) -> list[np.ndarray]:
    """The systems in strongly connected groups of "i is not beaten by j", best group first.

    Any two systems are related one way or both, so the groups form one chain, and a member of an earlier
    group beats every member of a later one.
    """
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(margins >= 0, directed=True, connection="strong")
    if count == 1:
        return [np.arange(len(margins))]
    members = [np.flatnonzero(label == k) for k in range(count)]
    return sorted(members, key=lambda m: -int((margins[m[0]] > 0).sum()))


def best_places(margins: FloatArray) -> tuple[FloatArray, bool]:
    """Places from 0 in an order of least cost, and whether it is proven to be one."""
    from ..kernels.linear_order import mean_places

    places = np.zeros(len(margins))
    proven = True
    start = 0
    for group in groups(margins):
        inner = margins[np.ix_(group, group)]
        if len(group) == 1:
            places[group] = start
        elif len(group) <= EXACT_BY_SUBSETS:
            cost = np.maximum(0.0, -inner)
            places[group] = start + mean_places(cost, 1e-12 * max(cost.sum(), 1.0))[1]
        else:
            order, optimal = _integer_program(inner)
            places[group[order]] = start + np.arange(len(group))
            proven &= optimal
        start += len(group)
    return places, proven


def _integer_program(margins: FloatArray) -> tuple[np.ndarray, bool]:
    """The linear ordering problem: x[i, j] = 1 if i stands before j, no cycle of three."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    n = len(margins)
    first, second = np.triu_indices(n, 1)
    index = np.zeros((n, n), dtype=np.int64)
    index[first, second] = np.arange(len(first))
    i, j, k = (t.ravel() for t in np.meshgrid(*[np.arange(n)] * 3, indexing="ij"))
    i, j, k = (t[(i < j) & (j < k)] for t in (i, j, k))
    rows = np.repeat(np.arange(len(i)), 3)
    columns = np.stack([index[i, j], index[j, k], index[i, k]], axis=1).ravel()
    triangles = csr_array((np.tile([1.0, 1.0, -1.0], len(i)), (rows, columns)), shape=(len(i), len(first)))
    solution = milp(
        -margins[first, second],
        integrality=np.ones(len(first)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(triangles, 0, 1),
        options={"time_limit": SECONDS},
    )
    if solution.x is None:
        # No order in time: by net margin, which is a good start and says that it is no proof.
        return np.argsort(-margins.sum(1), kind="stable"), False
    before = np.zeros((n, n))
    before[first, second] = np.round(solution.x)
    before[second, first] = 1 - np.round(solution.x)
    return np.argsort(-before.sum(1), kind="stable"), bool(solution.status == 0)
