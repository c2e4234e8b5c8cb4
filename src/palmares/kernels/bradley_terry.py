"""Bradley–Terry with ties: derivatives of the log posterior, and Newton's method on them, for a batch of tables.

The parameters are log strengths θ and, last in every vector, a tie parameter κ: log ν of Davidson, log(η² − 1) of Rao
and Kupper. In these the log likelihood is concave. Without ties the model is Davidson's with ν = 0.

Nothing here is compiled: this is the default model, and its first fit should not wait for a compiler. Arrays have a
row for each pair of systems that met, or each parameter, and a column for each member of the batch. What a member gets
is the same to the last bit whatever batch it is in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray

#: How ties are modelled.
NONE, DAVIDSON, RAO_KUPPER = 0, 1, 2
#: Where there is no prior and the data know no bound, estimates stop here: exp(±30) is as good as 0 or infinite.
BOUND = 30.0
#: Work is cut so that no array holds many more numbers than this.
_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Meetings:
    """How often the first of two systems won, tied and lost, in each member of a batch: arrays (pairs, members).

    Only pairs that met in some member have a row, so systems that met few others cost little.
    """

    systems: int
    first: IntArray = field(repr=False)
    second: IntArray = field(repr=False)
    wins: FloatArray = field(repr=False)
    ties: FloatArray = field(repr=False)
    losses: FloatArray = field(repr=False)

    @classmethod
    def of(cls, wins: FloatArray, ties: FloatArray) -> Meetings:
        """From tables of wins and of ties, (members, systems, systems)."""
        n = wins.shape[-1]
        met = wins.any(axis=0) | ties.any(axis=0)
        first, second = np.nonzero(np.triu(met | met.T, 1))
        there, back = first * n + second, second * n + first
        flat_wins, flat_ties = wins.reshape(len(wins), n * n), ties.reshape(len(ties), n * n)
        columns = [np.ascontiguousarray(t.T) for t in (flat_wins[:, there], flat_ties[:, there], flat_wins[:, back])]
        return cls(n, first, second, *columns)

    @property
    def members(self) -> int:
        return int(self.wins.shape[1])

    def take(self, members: IntArray | slice) -> Meetings:
        """Some members of the batch."""
        part = [np.ascontiguousarray(table[:, members]) for table in (self.wins, self.ties, self.losses)]
        found = Meetings(self.systems, self.first, self.second, *part)
        if "ends" in self.__dict__:
            found.__dict__["ends"] = self.ends  # the pairs are the same
        return found

    def by_system(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values of pairs, added up by their first and by their second system: two arrays (systems, members).

        One pair after the other, whatever the size of the batch: a product of dense matrices would round by it.
        """
        n = self.systems
        if self.members == 1:
            ends = (np.bincount(end, values[:, 0], n)[:, None] for end in (self.first, self.second))
            of_first, of_second = (np.asarray(end, dtype=np.float64) for end in ends)
            return of_first, of_second
        both = np.asarray(self.ends @ values)
        return both[:n], both[n:]

    @cached_property
    def ends(self) -> Any:
        """Sparse, (2 systems, pairs): the first systems of the pairs, and below these the second."""
        from scipy.sparse import csr_array

        pair, rows = np.arange(len(self.first)), np.concatenate([self.first, self.systems + self.second])
        return csr_array((np.ones(len(rows)), (rows, np.tile(pair, 2))), shape=(2 * self.systems, len(pair)))

    def ratio(self, x: FloatArray) -> FloatArray:
        """√(π_i / π_j) of every pair."""
        root = np.exp(x[:-1] / 2)
        return np.asarray(root[self.first] * (1 / root)[self.second])


def gradient(kind: int, data: Meetings, x: FloatArray, precision: float) -> FloatArray:
    """The gradient of the log posterior at x (a column for each member)."""
    n = data.systems
    by_difference, by_tie = first_derivatives(kind, data.ratio(x), x[n], data.wins, data.ties, data.losses)
    out = -precision * x
    given, taken = data.by_system(by_difference)
    out[:n] += given - taken - _summed(x[:n]) / n
    out[n] += _summed(by_tie)
    if kind == NONE:
        out[n] = 0.0
    return np.asarray(out)


def information(kind: int, data: Meetings, x: FloatArray, precision: float) -> FloatArray:
    """Minus the Hessian of the log posterior at x: an array (members, parameters, parameters)."""
    n = data.systems
    both, mixed, tie = second_derivatives(kind, data.ratio(x), x[n], data.wins, data.ties, data.losses)
    h = np.zeros((data.members, n + 1, n + 1))
    h[:, data.first, data.second] = h[:, data.second, data.first] = -both.T
    # 1/n everywhere pins the mean of θ at 0, which the likelihood leaves open.
    h[:, :n, :n] += 1.0 / n
    diagonal = np.arange(n)
    given, taken = data.by_system(both)
    h[:, diagonal, diagonal] += precision + (given + taken).T
    given, taken = data.by_system(mixed)
    h[:, n, :n] = h[:, :n, n] = (given - taken).T
    h[:, n, n] = 1.0 if kind == NONE else precision + _summed(tie)
    return h


def log_posterior(kind: int, data: Meetings, x: FloatArray, precision: float) -> FloatArray:
    """The log posterior of every member at x, up to a constant."""
    n = data.systems
    free = x[:n] if kind == NONE else x
    prior = -precision / 2 * _summed(free * free) - _summed(x[:n]) ** 2 / (2 * n)
    ratio = data.ratio(x)
    tie, _, _ = _tie_constants(kind, x[n])
    if kind == RAO_KUPPER:
        odds = ratio * ratio
        terms = (data.wins + data.ties) * np.log1p(tie / odds) + (data.losses + data.ties) * np.log1p(tie * odds)
    else:
        total = data.wins + data.ties + data.losses
        terms = total * np.log(ratio + 1 / ratio + tie) - (data.wins - data.losses) * np.log(ratio)
    return np.asarray(prior + (_summed(data.ties) * x[n] if kind != NONE else 0.0) - _summed(terms))


def newton(
    kind: int, data: Meetings, start: FloatArray, precision: float, tolerance: float, most: int
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Maximise by Newton steps, halved while they lead downhill, for every member by itself.

    Returns
    -------
    tuple
        The places (parameters, members), the steps each took, and whether it converged.
    """
    at_once = max(1, _NUMBERS // (data.systems + 1) ** 2)
    if data.members > at_once:
        cuts = [slice(lo, lo + at_once) for lo in range(0, data.members, at_once)]
        parts = [newton(kind, data.take(c), start[:, c], precision, tolerance, most) for c in cuts]
        return (
            np.concatenate([places for places, _, _ in parts], axis=1),
            np.concatenate([steps for _, steps, _ in parts]),
            np.concatenate([converged for _, _, converged in parts]),
        )
    found, steps, converged = start.copy(), np.full(data.members, most), np.zeros(data.members, dtype=bool)
    active = np.arange(data.members)
    x, value = found, log_posterior(kind, data, found, precision)
    for number in range(1, most + 1):
        step = _solve(information(kind, data, x, precision), gradient(kind, data, x, precision))
        trial, value = _uphill(kind, data, x, step, value, precision)
        done = np.abs(trial - x).max(axis=0) < tolerance
        x = trial
        found[:, active] = x
        if done.any():
            steps[active[done]], converged[active[done]] = number, True
            active, x, value, data = active[~done], x[:, ~done], value[~done], data.take(np.flatnonzero(~done))
            if not len(active):
                break
    return found, steps, converged


def refit(
    kind: int, data: Meetings, start: FloatArray, inverse: Any, precision: float, tolerance: float, most: int
) -> FloatArray:
    """Maximise for every member of a batch that lies near ``start``: a column of parameters each.

    Steps use the inverse information at ``start`` throughout, which costs no factorisation; each shrinks the error by
    how much the member differs from what the start was fitted to. Where that is too much, Newton's method takes over.
    """
    from scipy.sparse import csr_array

    # Sparse, though it is not, because that adds up one column after the other; a dense product rounds by batch.
    inverse = csr_array(inverse)
    found = np.repeat(start[:, None], data.members, axis=1)
    active, part, x = np.arange(data.members), data, found.copy()
    ended, before = np.zeros(data.members, dtype=bool), np.full(data.members, np.inf)
    far: list[IntArray] = []
    # A member that runs away is found out by its steps, which grow or are not numbers.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(most):
            step = inverse @ gradient(kind, part, x, precision)
            moved = np.abs(step).max(axis=0)
            x += step
            shrinks, before = moved < 0.7 * before, moved
            done = shrinks & (moved < tolerance) & ~ended
            found[:, active[done]] = x[:, done]
            far.append(active[~shrinks & ~ended])
            ended |= done | ~shrinks
            # Those that ended are worked on in vain, until there are enough of them to be worth a copy of the others.
            if 2 * ended.sum() > len(active):
                on = np.flatnonzero(~ended)
                active, x, before, ended = active[on], x[:, on], before[on], ended[on]
                if not len(active):
                    break
                part = part.take(on)
    rest = np.concatenate([*far, active[~ended]])
    if len(rest):
        begin = np.repeat(start[:, None], len(rest), axis=1)
        found[:, rest], _, _ = newton(kind, data.take(rest), begin, precision, tolerance, 200)
    return found


def first_derivatives(
    kind: int, ratio: FloatArray, kappa: FloatArray, wins: FloatArray, ties: FloatArray, losses: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Of a pair's log likelihood by θ_i − θ_j and by κ; ``ratio`` is √(π_i / π_j)."""
    tie, slope, _ = _tie_constants(kind, kappa)
    if kind == RAO_KUPPER:
        first, second, _, _ = _at_stake(ratio, tie, wins, ties, losses)
        return first - second, ties - slope * (first + second)
    inverse = 1 / ratio
    # In place, since this is what the bootstrap spends its time on: total / (ratio + inverse + tie).
    share = ratio + inverse
    share += tie
    np.divide(wins + ties + losses, share, out=share)
    pull = np.subtract(ratio, inverse, out=inverse)
    pull *= share
    np.subtract(wins - losses, pull, out=pull)
    pull *= 0.5
    share *= tie
    return pull, np.subtract(ties, share, out=share)


def second_derivatives(
    kind: int, ratio: FloatArray, kappa: FloatArray, wins: FloatArray, ties: FloatArray, losses: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Minus those of a pair's log likelihood: twice by θ_i − θ_j, by it and κ, twice by κ."""
    tie, slope, curve = _tie_constants(kind, kappa)
    if kind == RAO_KUPPER:
        first, second, p, q = _at_stake(ratio, tie, wins, ties, losses)
        fp, sq = first * (1 - p), second * (1 - q)
        return fp + sq, -slope * (fp - sq), slope**2 * (fp + sq) + curve * (first + second)
    inverse = 1 / ratio
    z = ratio + inverse + tie
    gap, tied, total = (ratio - inverse) / z, tie / z, wins + ties + losses
    # (1 − tied − gap²) / 4, without the difference of numbers near 1.
    return total * (1 + tie * (ratio + inverse) / 4) / (z * z), -total * tied * gap / 2, total * tied * (1 - tied)


def _at_stake(
    ratio: FloatArray, tie: FloatArray, wins: FloatArray, ties: FloatArray, losses: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Rao and Kupper's chances p of not winning and q of not losing, after how often each was at stake times them."""
    odds = ratio * ratio
    p, q = tie / (odds + tie), tie * odds / (1 + tie * odds)
    return (wins + ties) * p, (losses + ties) * q, p, q


def _summed(table: FloatArray) -> FloatArray:
    """Sums of columns, row after row: in what order they are added up must not depend on how large the batch is."""
    rows = np.ascontiguousarray(table)
    return np.asarray(np.cumsum(rows)[-1:] if rows.shape[1] == 1 and len(rows) else rows.sum(axis=0))


def _tie_constants(kind: int, kappa: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """ν, or η with the first and second derivative of log η by κ."""
    nothing = np.zeros_like(kappa)
    if kind == DAVIDSON:
        return np.exp(kappa), nothing, nothing
    if kind == RAO_KUPPER:
        s = 1 / (1 + np.exp(-kappa))
        return np.sqrt(1 + np.exp(kappa)), s / 2, s * (1 - s) / 2
    return nothing, nothing, nothing


def _solve(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """The Newton steps; along what a table leaves quite open, none."""
    try:
        return np.asarray(np.linalg.solve(matrices, right.T[:, :, None])[:, :, 0].T)
    except np.linalg.LinAlgError:
        if len(matrices) > 1:  # not all because of one
            return np.hstack([_solve(matrices[[k]], right[:, [k]]) for k in range(len(matrices))])
        return np.asarray((np.linalg.pinv(matrices, rcond=1e-10, hermitian=True) @ right.T[:, :, None])[:, :, 0].T)


def _uphill(
    kind: int, data: Meetings, x: FloatArray, step: FloatArray, value: FloatArray, precision: float
) -> tuple[FloatArray, FloatArray]:
    """Where the steps lead, halved as often as needed not to lead downhill; and the log posterior there."""
    trial = np.clip(x + step, -BOUND, BOUND)
    found = log_posterior(kind, data, trial, precision)
    least = value - 1e-12 * np.abs(value)
    scale = 0.5
    while scale > 1e-10 and len(low := np.flatnonzero(~(found >= least))):
        trial[:, low] = np.clip(x[:, low] + scale * step[:, low], -BOUND, BOUND)
        found[low] = log_posterior(kind, data.take(low), trial[:, low], precision)
        scale /= 2
    return trial, found
