"""What the models that sample latent qualities share: items, what they refuse, and whether the chain has settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..judgments import Judgments
from ..judgments.arrays import FloatArray, IntArray
from ..judgments.counts import PairCounts
from ..kernels.comparisons import Comparisons
from .base import Convergence, ModelBase, Needs, RangeSource

#: Probabilities are kept away from 0, so that a surprise costs much but not everything.
_FLOOR = 1e-9
#: With fewer effective draws than this the chain is called not converged.
MIN_EFFECTIVE = 10.0
#: So is one whose halves differ by this much more than by chance.
MAX_SPLIT_R = 1.1


class GibbsModel(ModelBase):
    """Base of the models that sample a latent quality of every item.

    A fit keeps no latent qualities, so more judgments need a new chain; and every judgment has a latent difference of
    its own, so none can count more or less than once.
    """

    needs: ClassVar[Needs] = "rows"
    weights = False
    ranges_from: ClassVar[RangeSource] = "posterior"
    lacks: ClassVar[Mapping[str, str]] = {
        "relabelling": "names order the random draws, so renamed systems keep their scores up to Monte Carlo error "
        "only",
        "monotone": "a mean over a finite chain moves by its Monte Carlo error",
        "duplication": "the prior weighs less the more judgments there are",
    }


def check_chain(iterations: int, burn_in: int) -> None:
    """Refuse chains that leave fewer than two draws."""
    if burn_in < 0:
        raise InputError(f"setting burn_in: got {burn_in}; allowed: at least 0")
    if iterations < burn_in + 2:
        raise InputError(f"setting iterations: got {iterations}; allowed: at least 2 more than burn_in ({burn_in})")


def check_number(name: str, value: float, *, zero: bool = False) -> None:
    """Refuse what is not a finite number above 0 (or at least 0)."""
    if not np.isfinite(value) or value < 0 or (value == 0 and not zero):
        raise InputError(f"setting {name}: got {value}; allowed: a number {'of at least' if zero else 'above'} 0")


# -- items -----------------------------------------------------------------------------------------


def comparisons_of(data: Judgments | PairCounts, model: str) -> Comparisons:
    """Comparisons of items; without a segment every comparison has items of its own."""
    if isinstance(data, PairCounts):
        return _lone_only(_cells_of_counts(data, model))
    if data.weights is not None and (data.weights != 1).any():
        raise InputError(
            f"model {model!r} gives every judgment a latent difference of its own and cannot use weights, "
            "but the judgments have weights; drop the weights or use a model that reads counts"
        )
    n = len(data.systems)
    columns = [data.codes(c).astype(np.int64) for c in ("segment", "system_a", "system_b", "outcome")]
    rows = np.stack(columns, axis=1)
    # Equal rows are exchangeable, so this order does not depend on the one they came in.
    rows = rows[np.lexsort(rows.T[::-1])]
    placed = rows[:, 0] >= 0
    block, items = _blocks(rows[placed], n)
    lone = np.bincount(block, minlength=1)[block] == 1
    cells = np.concatenate([rows[~placed, 1:], rows[placed][lone][:, 1:]])
    return _assembled(cells, rows[placed][~lone], block[~lone], items[~lone], n)


def _blocks(rows: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """For rows (segment, a, b, outcome): the linked group of items of each, and its two items."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(rows):
        return np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    keys = rows[:, :1] * n + rows[:, 1:3]
    distinct, index = np.unique(keys, return_inverse=True)
    index = index.reshape(keys.shape)
    links = coo_array((np.ones(len(rows)), (index[:, 0], index[:, 1])), shape=(len(distinct), len(distinct)))
    _, group = connected_components(links, directed=False)
    return group[index[:, 0]].astype(np.int64), keys


def _assembled(cells: IntArray, rows: IntArray, block: IntArray, keys: IntArray, n: int) -> Comparisons:
    """Count the lone comparisons; number items and rows block by block."""
    # Not the code of `judgments.counts`: random draws follow this order of outcomes (−1, 0, +1).
    kinds, copies = np.unique((cells[:, 0] * n + cells[:, 1]) * 3 + cells[:, 2] + 1, return_counts=True)
    order = np.argsort(block, kind="stable")
    block, keys = block[order], keys[order]
    # The block in front of the key: items come out sorted by block.
    size = int(keys.max(initial=0)) + 1
    items, index = np.unique(block[:, None] * size + keys, return_inverse=True)
    index = index.reshape(keys.shape).astype(np.int64)
    return Comparisons(
        np.stack([kinds // (3 * n), kinds // 3 % n, kinds % 3 - 1], axis=1), copies.astype(np.int64),
        items % size % n, index[:, 0].copy(), index[:, 1].copy(), rows[order, 3].copy(),
        _starts(items // size), _starts(block),
    )  # fmt: skip


def _starts(sorted_codes: IntArray) -> IntArray:
    """Where each run of equal codes begins, and the end."""
    return np.append(np.flatnonzero(np.diff(sorted_codes, prepend=-1)), len(sorted_codes)).astype(np.int64)


def _lone_only(table: tuple[IntArray, IntArray]) -> Comparisons:
    none = np.zeros(0, dtype=np.int64)
    return Comparisons(*table, none, none, none, none, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))


def all_lone(data: Comparisons, n: int) -> Comparisons:
    """The same comparisons as if no two of them shared an item."""
    rows = np.stack([data.author[data.first], data.author[data.second], data.outcome], axis=1)
    cells = np.concatenate([np.repeat(data.cells, data.copies, axis=0), rows])
    none = np.zeros(0, dtype=np.int64)
    return _assembled(cells, np.zeros((0, 4), dtype=np.int64), none, np.zeros((0, 2), dtype=np.int64), n)


def _cells_of_counts(counts: PairCounts, model: str) -> tuple[IntArray, IntArray]:
    a, b = np.triu_indices(len(counts.systems), 1)
    table = np.stack([counts.wins[b, a], counts.ties[a, b], counts.wins[a, b]], axis=1)
    if not np.array_equal(table, np.round(table)):
        raise InputError(f"model {model!r} needs whole judgments, but the pair counts are sums of weights")
    pair, column = np.nonzero(table)
    return np.stack([a[pair], b[pair], column - 1], axis=1), table[pair, column].astype(np.int64)


# -- after sampling --------------------------------------------------------------------------------


def positive(win: FloatArray, tie: FloatArray) -> FloatArray:
    """Outcomes (n, n, 3) from P(win) and P(tie): symmetric, above 0 and summing to 1."""
    outcomes = np.stack([win, (tie + tie.T) / 2, win.T], axis=-1)
    outcomes = np.maximum(outcomes, _FLOOR)
    return np.asarray(outcomes / outcomes.sum(-1, keepdims=True))


def convergence(draws: FloatArray, iterations: int) -> tuple[Convergence, tuple[str, ...]]:
    """Whether the chain has settled, and what to tell the reader if it has not.

    Looked at are the systems' distances from their common mean, which is all that a ranking depends on.
    """
    apart = draws - draws.mean(1, keepdims=True)
    r, effective = float(split_r(apart).max()), float(effective_draws(apart).min())
    detail = f"split R-hat at most {r:.3f}, at least {effective:.0f} effective of {len(draws)} draws"
    # Halves of a chain of few effective draws differ by chance alone: by R² − 1 ≈ χ²₁ / (effective / 2).
    chance = 2 * 9.0 / effective
    settled = effective >= MIN_EFFECTIVE and r * r - 1 <= MAX_SPLIT_R**2 - 1 + chance
    if settled:
        return Convergence(True, iterations, detail), ()
    return Convergence(False, iterations, detail), (f"the chain has not settled ({detail}); set more iterations",)


# arviz-stats needs only numpy and scipy, but has no R-hat of a single chain, and splits it for effective sizes, which
# halves the lags that a chain of 150 draws can show; these are the two formulas in twenty lines.
def split_r(draws: FloatArray) -> FloatArray:
    """Gelman & Rubin's R for the two halves of a chain, for every column."""
    half = len(draws) // 2
    halves = np.stack([draws[:half], draws[len(draws) - half :]])
    if half < 2:
        return np.full(draws.shape[1], np.inf)
    within = halves.var(1, ddof=1).mean(0)
    between = half * halves.mean(1).var(0, ddof=1)
    total = (half - 1) / half * within + between / half
    return np.asarray(np.sqrt(np.divide(total, within, out=np.ones_like(total), where=within > 0)))


def effective_draws(draws: FloatArray) -> FloatArray:
    """Effective number of draws of every column, by Geyer's (1992) initial monotone sequence."""
    k = len(draws)
    centred = draws - draws.mean(0)
    spectrum = np.abs(np.fft.rfft(centred, 2 * k, axis=0)) ** 2
    covariance = np.fft.irfft(spectrum, axis=0)[:k]
    correlation = np.divide(covariance, covariance[0], out=np.zeros_like(covariance), where=covariance[0] > 0)
    pairs = correlation[: k // 2 * 2].reshape(-1, 2, draws.shape[1]).sum(1)
    falling = np.maximum(np.minimum.accumulate(pairs, axis=0), 0)
    time = np.maximum(2 * falling.sum(0) - 1, 1 / k)
    return np.asarray(np.minimum(k / time, k))
