"""Models whose answer is an order: ``lopez`` and ``most-probable-ranking``.

Both are the minimum feedback arc set problem: every pair placed against its majority costs its margin. Systems
fall into strongly connected groups of the "not beaten by" relation; between groups the order is forced, so
only within groups is there anything to solve. A group of up to `EXACT_BY_SUBSETS` systems is solved by
dynamic programming over subsets, a larger one by an integer program. When several orders are optimal, a
system's score is its mean place over all of them (subsets) or its place in one of them (integer program), so that
names play no part in it. The order of these means need not be optimal; the order that a fit gives is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from ..compute import RngLike
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from .base import CountModel, Fit, check_placeable, counts_of

#: 2²⁰ subsets take 25 MB and, on the machine of the benchmark table, tens of milliseconds.
EXACT_BY_SUBSETS = 20
#: How long the integer program may search for a proof, in seconds.
SECONDS = 60.0
#: Beside an order of the integer program, so many others that are as good are looked for.
MOST_FOUND = 1000


@dataclass(frozen=True)
class OrderFit(Fit):
    """A fit whose `order` is optimal; ``optimal`` orders are, or at least so many if not all were ``counted``."""

    optimal: int = field(kw_only=True, default=1)
    counted: bool = field(kw_only=True, default=True)


class _OrderModel(CountModel):
    """Places systems by the optimal order for a matrix of margins; the score is minus the place."""

    def margins(self, batch: PairCounts) -> FloatArray:
        """``margins[..., i, j]``: what is gained by placing i before j rather than after; antisymmetric."""
        raise NotImplementedError

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OrderFit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        margins = self.margins(counts)
        found = optimum(margins)
        optimal = found.optimal
        if found.searched > 1 and found.proven:
            optimal *= _as_good(margins, found.order)
        return OrderFit(
            self,
            counts.systems,
            -(1.0 + found.places),
            notes=_remarks(found, optimal),
            order=found.order,
            optimal=optimal,
            counted=found.searched == 1,
        )

    def limits(self, systems: int) -> tuple[float, float]:
        return -float(systems), -1.0

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        return np.stack([-(1.0 + optimum(margins).places) for margins in self.margins(batch)])


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


def groups(margins: FloatArray) -> list[IntArray]:
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


@dataclass(frozen=True)
class Optimum:
    """Orders of least cost: each system's mean place over them, from 0, one of them, and how many there are.

    ``searched`` is the size of the largest group that the integer program had to order, 1 if there was none. In such a
    group places are those of the one order, and others that are as good are not among the ``optimal``.
    """

    places: FloatArray
    order: IntArray
    optimal: int
    searched: int
    proven: bool


def optimum(margins: FloatArray) -> Optimum:
    """The orders in which what stands against a margin is least."""
    from ..kernels.linear_order import optimal_orders

    places, orders, ways = np.zeros(len(margins)), [], [1]
    searched, proven, start = 1, True, 0
    for group in groups(margins):
        inner = margins[np.ix_(group, group)]
        if len(group) == 1:
            order, inside = np.zeros(1, dtype=np.int64), np.zeros(1)
        elif len(group) <= EXACT_BY_SUBSETS:
            cost = np.maximum(0.0, -inner)
            _, count, inside, order = optimal_orders(cost, 1e-12 * max(cost.sum(), 1.0))
            ways.append(int(count))
        else:
            order, optimal = _integer_program(inner)
            inside = np.argsort(order).astype(np.float64)
            searched, proven = max(searched, len(group)), proven and optimal
        places[group] = start + inside
        orders.append(group[order])
        start += len(group)
    return Optimum(places, np.concatenate(orders), prod(ways), searched, proven)


def _as_good(margins: FloatArray, order: IntArray) -> int:
    """How many orders are reached from an optimal one by moving single systems at no cost, `MOST_FOUND` at most.

    Only within groups that the integer program ordered: the optimal orders of the others are counted already.
    """
    large = [group for group in groups(margins) if len(group) > EXACT_BY_SUBSETS]
    return prod(_found_by_moves(margins, order[np.isin(order, group)]) for group in large)


def _found_by_moves(margins: FloatArray, order: IntArray) -> int:
    tolerance = 1e-9 * max(np.abs(margins).sum(), 1.0)
    seen, waiting = {tuple(order.tolist())}, [order.tolist()]
    while waiting and len(seen) < MOST_FOUND:
        current = waiting.pop()
        for place, moved in enumerate(current):
            rest = current[:place] + current[place + 1 :]
            # gained[k]: what is gained by standing at place k of the rest rather than first.
            gained = np.concatenate([[0.0], np.cumsum(margins[rest, moved])])
            for k in np.flatnonzero(np.abs(gained - gained[place]) <= tolerance).tolist():
                other = (*rest[:k], moved, *rest[k:])
                if other not in seen and len(seen) < MOST_FOUND:
                    seen.add(other)
                    waiting.append(list(other))
    return len(seen)


def _remarks(found: Optimum, optimal: int) -> tuple[str, ...]:
    """What a reader should know of an order."""
    if found.searched == 1:
        several = f"{optimal:,} orders are optimal; one is shown, and scores are mean places over all of them"
        return (several,) if optimal > 1 else ()
    cycles = f"{found.searched} systems beat each other in cycles"
    if not found.proven:
        return (f"{cycles}: the best order found in {SECONDS:.0f} s; not proven optimal",)
    others = f"at least {optimal:,} orders are optimal" if optimal > 1 else "there may be others"
    return (f"{cycles}: one optimal order, by integer programming; {others}",)


def _integer_program(margins: FloatArray) -> tuple[IntArray, bool]:
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
