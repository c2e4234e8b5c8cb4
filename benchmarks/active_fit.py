"""Bradley–Terry with Davidson's ties from counts, and how its scores may err: written apart from the package.

Newton's method on the log posterior with θ, log ν ~ N(0, 5²), as the package has it. Rankings of more than two give
dependent pairs: then the covariance is H⁻¹ (Σ s sᵀ) H⁻¹, s the gradient of one ranking at the present estimate, summed
anew over all rankings at every look (a tenth of a millisecond for a thousand of them). A ranking's own part in the
information is allowed for by R / (R − n), and few rankings by raising variances towards the model's.
"""

from __future__ import annotations

import numba
import numpy as np

PRECISION = 0.04
_WORTH = 20.0


@numba.njit(cache=True)
def derivatives(x, wins, ties):  # type: ignore[no-untyped-def]
    """Gradient and information of the log posterior at x = (θ, log ν)."""
    n = len(x) - 1
    g, h = -PRECISION * x, np.eye(n + 1) * PRECISION
    nu = np.exp(x[n])
    g[:n] -= x[:n].mean()
    h[:n, :n] += 1.0 / n
    for i in range(n):
        for j in range(i + 1, n):
            total = wins[i, j] + wins[j, i] + ties[i, j]
            if total == 0:
                continue
            ratio = np.exp((x[i] - x[j]) / 2)
            z = ratio + 1 / ratio + nu
            gap, tied = (ratio - 1 / ratio) / z, nu / z
            pull = (wins[i, j] - wins[j, i] - total * gap) / 2
            g[i] += pull
            g[j] -= pull
            g[n] += ties[i, j] - total * tied
            both = total * (1 - tied - gap * gap) / 4
            mixed = -total * tied * gap / 2
            h[i, i] += both
            h[j, j] += both
            h[i, j] -= both
            h[j, i] -= both
            h[i, n] += mixed
            h[n, i] += mixed
            h[j, n] -= mixed
            h[n, j] -= mixed
            h[n, n] += total * tied * (1 - tied)
    return g, h


@numba.njit(cache=True)
def fitted(start, wins, ties):  # type: ignore[no-untyped-def]
    """The estimate from ``start``, and the inverse of the information there (θ and log ν)."""
    x = start.copy()
    for _ in range(100):
        g, h = derivatives(x, wins, ties)
        step = np.linalg.solve(h, g)
        largest = np.abs(step).max()
        if largest > 1:
            step /= largest
        x += step
        if largest < 1e-8:
            break
    _, h = derivatives(x, wins, ties)
    return x, np.linalg.inv(h)


@numba.njit(cache=True)
def by_ranking(x, inverse, shown, ranks):  # type: ignore[no-untyped-def]
    """The covariance of θ by ranking: a sandwich, raised where a system is in few rankings."""
    n, size = len(x) - 1, shown.shape[1]
    nu = np.exp(x[n])
    gaps, tied = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            ratio = np.exp((x[i] - x[j]) / 2)
            z = ratio + 1 / ratio + nu
            gaps[i, j], tied[i, j] = (ratio - 1 / ratio) / z, nu / z
    middle, own, number = np.zeros((n + 1, n + 1)), np.zeros(size + 1), np.zeros(n)
    code = np.zeros(size + 1, dtype=np.int64)
    code[size] = n
    for r in range(len(shown)):
        own[:] = 0
        for a in range(size):
            i = shown[r, a]
            code[a] = i
            number[i] += 1
            for b in range(a + 1, size):
                j = shown[r, b]
                outcome = np.sign(ranks[r, b] - ranks[r, a])
                pull = (outcome - gaps[i, j]) / 2
                own[a] += pull
                own[b] -= pull
                own[size] += (outcome == 0) - tied[i, j]
        for a in range(size + 1):
            for b in range(size + 1):
                middle[code[a], code[b]] += own[a] * own[b]
    total = len(shown)
    v = (inverse @ middle @ inverse)[:n, :n] * (total / max(1.0, total - n))
    return _raised(v, inverse, number)


@numba.njit(cache=True)
def _raised(v, inverse, number):  # type: ignore[no-untyped-def]
    """With variances of contrasts with the mean raised towards the model's, times its usual deff."""
    n = len(v)
    away = np.eye(n) - 1.0 / n
    v = away @ v @ away
    model = np.diag(away @ inverse[:n, :n] @ away)
    seen = np.diag(v)
    deff = max(1.0, np.sum(seen / model * number) / np.sum(number))
    for i in range(n):
        v[i, i] += max(0.0, deff * model[i] - seen[i]) * _WORTH / (_WORTH + number[i])
    return v


def information(x):  # type: ignore[no-untyped-def]
    """Of one comparison of equals, on θ_i − θ_j."""
    return 1 / (2 * (2 + np.exp(x[-1])))
