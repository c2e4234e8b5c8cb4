"""Bradley–Terry with ties: derivatives of the log posterior, and Newton's method on them.

The parameters are log strengths θ and, last in every vector, a tie parameter κ: log ν of Davidson, log(η² − 1) of Rao
and Kupper. In these the log likelihood is concave. Strengths enter the loop over pairs as u = exp(θ/2), so it takes no
exponential.
"""

from __future__ import annotations

import numba
import numpy as np

from ..judgments import FloatArray

#: How ties are modelled.
NONE, DAVIDSON, RAO_KUPPER = 0, 1, 2
#: Where there is no prior and the data know no bound, estimates stop here: exp(±30) is as good as 0 or infinite.
BOUND = 30.0


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def gradient(kind: int, wins: FloatArray, ties: FloatArray, x: FloatArray, precision: float, out: FloatArray) -> None:
    """The gradient of the log posterior at x, into ``out``."""
    n = len(x) - 1
    u = np.exp(x[:n] / 2)
    tie, slope, _ = _tie_constants(kind, x[n])
    out[:n] = -precision * x[:n] - x[:n].sum() / n
    out[n] = -precision * x[n]
    for i in range(n):
        for j in range(i + 1, n):
            w, t, lost = wins[i, j], ties[i, j], wins[j, i]
            if w + t + lost > 0.0:
                by_difference, by_tie, _, _, _ = _pair(kind, u[i], u[j], tie, slope, 0.0, w, t, lost)
                out[i] += by_difference
                out[j] -= by_difference
                out[n] += by_tie
    if kind == NONE:
        out[n] = 0.0


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def information(kind: int, wins: FloatArray, ties: FloatArray, x: FloatArray, precision: float) -> FloatArray:
    """Minus the Hessian of the log posterior at x."""
    n = len(x) - 1
    u = np.exp(x[:n] / 2)
    tie, slope, curve = _tie_constants(kind, x[n])
    # 1/n everywhere pins the mean of θ at 0, which the likelihood leaves open.
    h = np.full((n + 1, n + 1), 1.0 / n)
    h[n, :] = 0.0
    h[:, n] = 0.0
    for i in range(n + 1):
        h[i, i] += precision
    for i in range(n):
        for j in range(i + 1, n):
            w, t, lost = wins[i, j], ties[i, j], wins[j, i]
            if w + t + lost > 0.0:
                _, _, dd, dk, kk = _pair(kind, u[i], u[j], tie, slope, curve, w, t, lost)
                h[i, i] += dd
                h[j, j] += dd
                h[i, j] -= dd
                h[j, i] -= dd
                h[i, n] += dk
                h[j, n] -= dk
                h[n, n] += kk
    h[n, :n] = h[:n, n]
    if kind == NONE:
        h[n, n] = 1.0
    return h


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def log_posterior(kind: int, wins: FloatArray, ties: FloatArray, x: FloatArray, precision: float) -> float:
    """The log posterior at x, up to a constant."""
    n = len(x) - 1
    kappa = 0.0 if kind == NONE else x[n]
    total: float = -precision / 2 * ((x[:n] * x[:n]).sum() + kappa * kappa) - x[:n].sum() ** 2 / (2 * n)
    tie, _, _ = _tie_constants(kind, x[n])
    for i in range(n):
        for j in range(i + 1, n):
            w, t, lost = wins[i, j], ties[i, j], wins[j, i]
            d = x[i] - x[j]
            if kind == DAVIDSON:
                total += (w - lost) * d / 2 + t * x[n] - (w + t + lost) * np.log(2 * np.cosh(d / 2) + tie)
            elif kind == RAO_KUPPER:
                shift = np.log(tie)  # γ = log η
                total += t * x[n] - (w + t) * _softplus(shift - d) - (lost + t) * _softplus(shift + d)
            else:
                total -= w * _softplus(-d) + lost * _softplus(d)
    return total


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def newton(
    kind: int, wins: FloatArray, ties: FloatArray, start: FloatArray, precision: float, tolerance: float, most: int
) -> tuple[FloatArray, int, bool]:
    """Maximise by Newton steps, halved while they lead downhill: the place, the steps taken, whether it converged."""
    x = start.copy()
    g = np.empty_like(x)
    value = log_posterior(kind, wins, ties, x, precision)
    for step_number in range(1, most + 1):
        gradient(kind, wins, ties, x, precision, g)
        step = np.linalg.solve(information(kind, wins, ties, x, precision), g)
        scale = 1.0
        while scale > 1e-10:
            trial = np.minimum(np.maximum(x + scale * step, -BOUND), BOUND)
            found = log_posterior(kind, wins, ties, trial, precision)
            if found >= value - 1e-12 * abs(value):
                break
            scale /= 2
        moved = np.abs(trial - x).max()
        x, value = trial, found
        if moved < tolerance:
            return x, step_number, True
    return x, most, False


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def refit(
    kind: int, wins: FloatArray, ties: FloatArray, start: FloatArray, inverse: FloatArray, precision: float,
    tolerance: float, most: int,
) -> FloatArray:  # fmt: skip
    """Maximise for every member of a batch that lies near ``start``: one row of parameters each.

    Steps use the inverse information at ``start`` throughout, which costs no factorisation; each shrinks the error by
    how much the member differs from what the start was fitted to. Where that is too much, Newton's method takes over.
    """
    found = np.empty((len(wins), len(start)))
    g = np.empty_like(start)
    for r in range(len(wins)):
        x = start.copy()
        before = np.inf
        done = False
        for _ in range(most):
            gradient(kind, wins[r], ties[r], x, precision, g)
            step = inverse @ g
            moved = np.abs(step).max()
            if not moved < 0.7 * before:
                break
            x += step
            before = moved
            if moved < tolerance:
                done = True
                break
        if not done:
            x, _, _ = newton(kind, wins[r], ties[r], start, precision, tolerance, 200)
        found[r] = x
    return found


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _tie_constants(kind: int, kappa: float) -> tuple[float, float, float]:
    """ν, or η with the first and second derivative of log η by κ."""
    if kind == DAVIDSON:
        return np.exp(kappa), 0.0, 0.0
    if kind == RAO_KUPPER:
        s = 1 / (1 + np.exp(-kappa))
        return np.sqrt(1 + np.exp(kappa)), s / 2, s * (1 - s) / 2
    return 0.0, 0.0, 0.0


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[untyped-decorator]
def _pair(
    kind: int, ui: float, uj: float, tie: float, slope: float, curve: float, w: float, t: float, lost: float
) -> tuple[float, float, float, float, float]:
    """First derivatives of a pair's log likelihood by θi − θj and κ; minus its second ones (both, mixed, κ)."""
    a, b = ui * ui, uj * uj
    total = w + t + lost
    if kind == DAVIDSON:
        c = tie * ui * uj
        z = a + b + c
        gap, tied = (a - b) / z, c / z
        spread = total / 4 * (1 - tied - gap * gap)
        mixed, curved = -total * tied * gap / 2, total * tied * (1 - tied)
        return (w - lost - total * gap) / 2, t - total * tied, spread, mixed, curved
    if kind == RAO_KUPPER:
        # Chances of not winning and of not losing; w + t and lost + t are how often each was at stake.
        p, q = tie * b / (a + tie * b), tie * a / (b + tie * a)
        first, second = (w + t) * p, (lost + t) * q
        fp, sq = first * (1 - p), second * (1 - q)
        by_tie = t - slope * (first + second)
        return first - second, by_tie, fp + sq, -slope * (fp - sq), slope**2 * (fp + sq) + curve * (first + second)
    p = a / (a + b)
    return w - (w + lost) * p, 0.0, (w + lost) * p * (1 - p), 0.0, 0.0


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[untyped-decorator]
def _softplus(x: float) -> float:
    """log(1 + eˣ) without overflow."""
    return max(x, 0.0) + float(np.log1p(np.exp(-abs(x))))
