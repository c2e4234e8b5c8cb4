"""How every kind of judgment pulls at a Bradley–Terry fit: influence functions of its strengths.

Near the fit the log posterior is a parabola, so a judgment more or less moves the strengths by the slope of its own log
likelihood times the inverse information. Sums of such moves by unit give standard errors without any refit (the
sandwich of Huber 1967), and say which judgments a lead rests on (Broderick, Giordano & Meager 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...judgments import OUTCOMES, FloatArray, IntArray, PairCounts, decode_cells
from ...models.bradley_terry import BradleyTerry


@dataclass(frozen=True)
class Pulls:
    """A fit's scores, its inverse information (systems and the tie parameter), and the slopes of every cell.

    ``difference[c]`` and ``tie[c]`` are the slopes of the log likelihood of one judgment in cell c by the difference of
    its two strengths and by the tie parameter.
    """

    scores: FloatArray = field(repr=False)
    inverse: FloatArray = field(repr=False)
    difference: FloatArray = field(repr=False)
    tie: FloatArray = field(repr=False)

    @property
    def systems(self) -> int:
        return len(self.scores)

    def on(self, above: int, below: int) -> FloatArray:
        """How much one judgment of every cell adds to the lead of one system over another."""
        pull = self.inverse[above] - self.inverse[below]
        first, second, _ = decode_cells(np.arange(len(self.difference)), self.systems)
        return np.asarray(self.difference * (pull[first] - pull[second]) + self.tie * pull[-1])

    def slopes(self, cells: IntArray, weights: FloatArray, units: IntArray) -> Any:
        """The slope of every unit's log likelihood by each parameter: a sparse array (units, systems + 1)."""
        from scipy.sparse import csr_array

        first, second, _ = decode_cells(cells, self.systems)
        difference, tie = weights * self.difference[cells], weights * self.tie[cells]
        last = np.full(len(cells), self.systems)
        shape = (int(units.max()) + 1, self.systems + 1)
        values = np.concatenate([difference, -difference, tie])
        return csr_array((values, (np.tile(units, 3), np.concatenate([first, second, last]))), shape=shape)


def pulls_of(model: BradleyTerry, counts: PairCounts) -> Pulls:
    """The pulls of a fit whose ties are Davidson's, half a win, or ignored."""
    fit = model.prepared(counts)
    chances = model.outcomes(fit.place)
    gap = (chances[..., 0] - chances[..., 2])[..., None]
    if model.ties == "davidson":
        difference = (np.array([1.0, 0.0, -1.0]) - gap) / 2
        tie = np.array([0.0, 1.0, 0.0]) - chances[..., 1][..., None]
    else:
        # A tie is half a win and half a loss, or nothing at all.
        difference = (np.array([1.0, 0.0, -1.0]) - gap) / 2
        difference[..., 1] *= model.ties == "half"
        tie = np.zeros_like(difference)
    cells = gap.size * OUTCOMES
    return Pulls(fit.place[:-1], fit.inverse, difference.reshape(cells), tie.reshape(cells))


def joint_covariance(slopes: Mapping[str, Any], inverses: Mapping[str, FloatArray]) -> FloatArray:
    """Covariances of several fits to the same units: an array (fits, systems, fits, systems).

    A unit more or less moves all fits at once, so their errors are dependent.
    """
    from scipy.sparse import hstack

    every = hstack([slopes[name] for name in slopes]).tocsr()
    units = every.shape[0]
    mean = np.asarray(every.sum(axis=0)).ravel() / units
    meat = np.asarray((every.T @ every).todense()) - units * np.outer(mean, mean)
    meat *= units / max(units - 1, 1)
    fits, size = len(slopes), every.shape[1] // len(slopes)
    bread = np.stack([inverses[name][: size - 1] for name in slopes])
    blocks = meat.reshape(fits, size, fits, size)
    covariance = np.empty((fits, size - 1, fits, size - 1))
    for i in range(fits):
        for j in range(fits):
            covariance[i, :, j] = bread[i] @ blocks[i, :, j] @ bread[j].T
    return covariance
