"""Claims that no bootstrap sample can contradict, because the judgments themselves never do.

A system that won every comparison wins every comparison of every bootstrap sample too, be they three or three hundred:
its lead seems to have no error. The same holds for any two systems if no chain of wins leads from the lower one to the
higher one. How sure such a lead is, a fit has to say.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...judgments.counts import FloatArray, PairCounts
from ...models.bradley_terry import BradleyTerry
from .case import Case, IntArray

#: Half a win for each of two systems (Haldane 1955) makes the log odds of three wins to none finite, with an error.
_HALF = 0.5
#: A lead that varies less than this share of itself varies by rounding only.
_ROUNDING = 1e-9


def ceilings(case: Case, leads: FloatArray, errors: FloatArray, system: int, others: IntArray) -> FloatArray:
    """How many standard errors each lead can be at most: infinite where bootstrap samples could contradict it."""
    doubtful = ~can_lose(case.judgments.counts, system)[others] | (errors <= _ROUNDING * np.abs(leads))
    found = np.full(len(others), np.inf)
    counts = rows_counted(case)
    for k in np.flatnonzero(doubtful):
        found[k] = fitted_lead(counts, system, int(others[k]))
    return found


def can_lose(counts: PairCounts, system: int) -> npt.NDArray[np.bool_]:
    """From which systems a chain of wins leads to a system."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    beaten_by = csr_array((counts.wins.T > 0).astype(np.int8))
    reached = breadth_first_order(beaten_by, system, return_predecessors=False)
    return np.isin(np.arange(len(counts.systems)), reached)


def fitted_lead(counts: PairCounts, system: int, other: int) -> float:
    """The lead in standard errors of a Bradley–Terry fit to the counts and half a win for each against the other."""
    wins = counts.wins.copy()
    wins[[system, other], [other, system]] += _HALF
    fit = BradleyTerry().fit(PairCounts(counts.systems, wins, counts.ties))
    v = fit.covariance
    variance = v[system, system] + v[other, other] - 2 * v[system, other]
    return float((fit.theta[system] - fit.theta[other]) / np.sqrt(variance))


def rows_counted(case: Case) -> PairCounts:
    """Pair counts with weights of mean 1, so that heavy judgments are no more evidence than there are of them."""
    return PairCounts.from_cells(case.systems, case.judgments.cells, case.weights / case.weights.mean())
