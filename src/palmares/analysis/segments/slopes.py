"""Slopes of segments: how much further apart systems are on one segment than on the average one.

On segment s, judge k sees z = a_k (c_s (θ_i − θ_j) + u_is − u_js): the slope c_s stretches the differences of systems,
u_is is how one output departs from what its system usually gives. Let h_s be the gradient of the log likelihood by the
qualities of the outputs and Λ_s its expected information, a Laplacian. Then

    E h_s = Λ_s (θ x_s + u_s),   Cov h_s = κ Λ_s + σ_u² Λ_s²,   x_s = log c_s,

near x = 0, with κ for the dependence of what is judged at one sitting. The score of x_s is c θᵀ(κ + σ_u² Λ)⁻¹ h and its
information c² θᵀ(κ + σ_u² Λ)⁻¹ Λ θ; with σ_u = 0 they are those of the likelihood, divided by κ.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...judgments import FloatArray, IntArray
from .outputs import Block, Outputs
from .rows import Rows, slopes_by_z, summed

#: No variance of sittings is less.
_LEAST = 0.05


@dataclass(frozen=True)
class Noise:
    """What makes answers on a segment vary besides its slope.

    κ, ``dispersion``: the variance of what is judged at one sitting, relative to independent judgments (after weights).
    σ_u², ``outputs``: the variance of outputs around their system's quality.
    """

    dispersion: float
    outputs: float
    #: The variance of log slopes by the same moments; a cross-check only.
    slopes: float = 0.0
    #: Segments judged at more than one sitting, which tell outputs and sittings apart.
    repeated: int = 0


# -- what outputs, sittings and slopes add to the variance ------------------------------------------------


@dataclass(frozen=True)
class Sums:
    """Of every unit: hᵀh, (θᵀh)², tr Λ, tr Λ², |Λθ|² and (θᵀΛθ)²."""

    values: FloatArray = field(repr=False)

    @classmethod
    def of(cls, rows: Rows, unit: IntArray, h: FloatArray, info: FloatArray) -> Sums:
        gap, count = rows.gap, int(unit.max(initial=-1)) + 1
        outputs = Outputs.of(unit, rows.a, rows.b, len(rows.theta))
        size = len(outputs.segment)
        gradient, pull = (outputs.differences(values) for values in (h, info * gap))
        degree = summed(outputs.a, info, size) + summed(outputs.b, info, size)
        between = summed(outputs.pair, info, len(outputs.pair_a))
        pairs = summed(outputs.segment[outputs.pair_a], between**2, count)
        return cls(np.stack([
            summed(outputs.segment, gradient**2, count), summed(unit, h * gap, count) ** 2,
            summed(outputs.segment, degree, count), summed(outputs.segment, degree**2, count) + 2 * pairs,
            summed(outputs.segment, pull**2, count), summed(unit, info * gap**2, count) ** 2,
        ]))  # fmt: skip


def noise_of(rows: Rows) -> Noise:
    """κ and σ_u² by moments: products of what two sittings say of one segment know nothing of either's own noise.

    Over two sittings r ≠ r′ of a segment, E h_rᵀh_r′ = σ_u² tr Λ_rΛ_r′ + s² (Λ_rθ)ᵀ(Λ_r′θ) and
    E (θᵀh_r)(θᵀh_r′) = σ_u² (Λ_rθ)ᵀ(Λ_r′θ) + s² (θᵀΛ_rθ)(θᵀΛ_r′θ); within one, E (θᵀh_r)² = κ θᵀΛ_rθ + the same. Where
    no segment was judged twice, σ_u² is 0, κ takes what outputs add, and s² is what lies along θ beyond the rest.
    """
    by_z, expected = slopes_by_z(rows.reach * rows.gap, rows.delta, rows.outcome)
    h, info = rows.weight * rows.reach * by_z, rows.weight * rows.reach**2 * expected
    whole = Sums.of(rows, rows.segment, h, info).values
    sittings = Sums.of(rows, rows.sitting, h, info).values
    owner = np.zeros(sittings.shape[1], dtype=np.int64)
    owner[rows.sitting] = rows.segment
    count = whole.shape[1]
    # Segments with very many judgments say little more of these variances than others, and must not drown them.
    worth = 1 / (1 + whole[2] / max(len(rows.theta) - 1, 1)) ** 2
    own = np.array([worth @ summed(owner, values, count) for values in sittings])
    cross = whole @ worth - own
    repeated = int((np.bincount(owner, minlength=count) > 1).sum())
    # Along θ, which is the direction that slopes lie in.
    reach = float(worth[owner] @ np.sqrt(sittings[5]))
    if repeated < 2 or cross[3] <= 1e-9 * own[3]:
        slopes, dispersion = _nonnegative(np.array([[own[5], reach], [own[4], own[2]]]), own[[1, 0]])
        return Noise(max(dispersion, _LEAST), 0.0, slopes, repeated)
    outputs, slopes = _nonnegative(np.array([[cross[3], cross[4]], [cross[4], cross[5]]]), cross[[0, 1]])
    dispersion = (own[1] - outputs * own[4] - slopes * own[5]) / reach
    return Noise(max(float(dispersion), _LEAST), outputs, slopes, repeated)


def _nonnegative(matrix: FloatArray, values: FloatArray) -> tuple[float, float]:
    """The solution of two equations; where one variance would be negative it is 0, and the other from its own."""
    if np.linalg.det(matrix) > 1e-12 * abs(matrix[0, 0] * matrix[1, 1]):
        first, second = np.linalg.solve(matrix, values).tolist()
        if min(first, second) >= 0:
            return first, second
        if first < 0:
            return 0.0, max(0.0, float(values[1] / matrix[1, 1]))
    return max(0.0, float(values[0] / matrix[0, 0])), 0.0


# -- scores and information of slopes ----------------------------------------------------------------------


def score(rows: Rows, x: FloatArray, noise: Noise) -> tuple[FloatArray, FloatArray]:
    """Score and information of every log slope at x, without a prior."""
    slope, gap, count = np.exp(x), rows.gap, rows.segments
    by_z, expected = slopes_by_z(rows.reach * slope[rows.segment] * gap, rows.delta, rows.outcome)
    h, info = rows.weight * rows.reach * by_z, rows.weight * rows.reach**2 * expected
    if noise.outputs == 0:
        pull, known = (summed(rows.segment, values * gap, count) / noise.dispersion for values in (h, info * gap))
        return slope * pull, slope**2 * known
    outputs = rows.outputs
    vectors = np.stack([outputs.differences(values) for values in (h, info * gap)], axis=1)
    between = summed(outputs.pair, info, len(outputs.pair_a))
    solved = np.empty_like(vectors)
    for block in outputs.blocks:
        solved[block.outputs] = _solved(block, between, vectors, noise)
    pull, known = (summed(outputs.segment, rows.theta[outputs.system] * column, count) for column in solved.T)
    return slope * pull, slope**2 * known


def _solved(block: Block, between: FloatArray, vectors: FloatArray, noise: Noise) -> FloatArray:
    """(κ + σ_u² Λ)⁻¹ times the vectors of the segments of a block; ``between`` has the information of their pairs."""
    k, places = block.size, np.arange(block.size)
    matrix = np.zeros((block.segments, k, k))
    matrix[block.pair_segment, block.pair_a, block.pair_b] = between[block.pairs]
    matrix += matrix.transpose(0, 2, 1)
    degree = matrix.sum(axis=2)
    matrix *= -noise.outputs
    matrix[:, places, places] = noise.dispersion + noise.outputs * degree
    right = np.zeros((block.segments, k, 2))
    right[block.segment, block.place] = vectors[block.outputs]
    return np.asarray(np.linalg.solve(matrix, right)[block.segment, block.place])
