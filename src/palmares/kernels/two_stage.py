"""The two-stage model of Baba & Kashima (2013): author, artefact, reviewer; its joint density and where it is largest.

System i makes output (i, j) of quality μ_i + v, v ~ N(0, 1/λ_i); judge k sees quality + η_k + w, w ~ N(0, 1/κ_k), and
gives a grade above c with probability F(s − b_c), F the logistic distribution, b_1 < b_2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.special import expit

from ..judgments import BoolArray, FloatArray, IntArray
from .graded_response import Grades, summed

#: Steps longer than this, in any parameter, are shortened.
_LONGEST = 2.0
_TOLERANCE, _STEPS = 1e-9, 300
#: No step takes more than this share of the distance of b_1 and b_2 away.
_NEARER = 0.8


@dataclass(frozen=True)
class StagePrior:
    """λ, κ ~ Gamma(shape, rate); b_c ~ N(b[c], b_sd²) and log(b_2 − b_1); μ, η and δ ~ N(0, 1)."""

    shape: float
    rate: float
    b: tuple[float, float] = (-0.5, 0.5)
    b_sd: float = 2.0


@dataclass(frozen=True)
class Layout:
    """Where each kind of parameter stands in one long vector, and which judgments it is in.

    In order: μ of systems, η of judges, b_1, b_2, δ of segments (if any), log λ, log κ, v of outputs, w of cells.
    """

    data: Grades
    tasks: bool
    #: The output (system and segment) of every cell, and the system of every output.
    output: IntArray = field(repr=False)
    author: IntArray = field(repr=False)

    @classmethod
    def of(cls, data: Grades, *, tasks: bool) -> Layout:
        key, output = np.unique(data.segment * data.systems + data.system, return_inverse=True)
        return cls(data, tasks, output.reshape(-1), key % data.systems)

    @property
    def parts(self) -> dict[str, slice]:
        data = self.data
        sizes = {
            "mu": data.systems, "eta": data.judges, "b": 2, "delta": data.segments * self.tasks,
            "log_lambda": data.systems, "log_kappa": data.judges, "v": len(self.author), "w": len(data.grade),
        }  # fmt: skip
        ends = np.cumsum(list(sizes.values())).tolist()
        return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}

    @property
    def length(self) -> int:
        return int(self.parts["w"].stop)

    @property
    def precisions(self) -> BoolArray:
        """Which parameters are logs of precisions."""
        mask = np.zeros(self.length, dtype=bool)
        mask[self.parts["log_lambda"]] = mask[self.parts["log_kappa"]] = True
        return mask

    @property
    def design(self) -> sparse.csr_array:
        """s less the common part: ones where a parameter adds to what a judge sees, −1 for the task's difficulty."""
        data, parts, cells = self.data, self.parts, len(self.data.grade)
        columns = [data.system, parts["eta"].start + data.judge, parts["v"].start + self.output]
        columns.append(parts["w"].start + np.arange(cells))
        signs = [1.0, 1.0, 1.0, 1.0]
        if self.tasks:
            columns, signs = [*columns, parts["delta"].start + data.segment], [*signs, -1.0]
        place = (np.tile(np.arange(cells), len(columns)), np.concatenate(columns))
        return sparse.csr_array((np.repeat(signs, cells), place), shape=(cells, self.length))

    def start(self, prior: StagePrior) -> FloatArray:
        x = np.zeros(self.length)
        x[self.parts["b"]] = prior.b
        x[self.precisions] = np.log(prior.shape / prior.rate)
        return x


@dataclass(frozen=True)
class Seen:
    """Of every cell: log P, ∂ by s and by b (cells, 2), and −∂² by s², by s b_c and by b b (a pair that repels)."""

    value: FloatArray = field(repr=False)
    by_s: FloatArray = field(repr=False)
    by_b: FloatArray = field(repr=False)
    ss: FloatArray = field(repr=False)
    per_b: FloatArray = field(repr=False)
    apart: FloatArray = field(repr=False)


_SIGNS = np.array([[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])


def seen(grade: IntArray, s: FloatArray, b: FloatArray) -> Seen:
    """The response, as the graded response model's with a = 1."""
    z, sign = s[:, None] - b, _SIGNS[grade]
    used = np.abs(sign)
    miss = sign * expit(-sign * z)
    v = used * expit(z) * expit(-z)
    width = float(b[1] - b[0])
    tied = grade == 1
    repel = np.where(tied, 1 / np.expm1(width), 0.0)
    value = -(used * np.logaddexp(0, -sign * z)).sum(axis=1) + np.where(tied, np.log(-np.expm1(-width)), 0.0)
    by_b = -miss + repel[:, None] * np.array([-1.0, 1.0])
    apart = np.where(tied, np.exp(-width) / np.expm1(-width) ** 2, 0.0)
    return Seen(value, miss.sum(axis=1), by_b, v.sum(axis=1), v, apart)


def log_joint(layout: Layout, x: FloatArray, prior: StagePrior) -> float:
    """log P(judgments and all parameters), up to a constant; a density of λ and κ themselves, not of their logs."""
    return _joint(layout, layout.design, x, prior)[0]


def _joint(
    layout: Layout, design: sparse.csr_array, x: FloatArray, prior: StagePrior
) -> tuple[float, FloatArray, Seen]:
    """Its value, its gradient, and the responses."""
    data, parts = layout.data, layout.parts
    weight, here = data.weight, _present(layout)
    part = {name: x[place] for name, place in parts.items()}
    b, logs = part["b"], x[layout.precisions]
    kappa, lam = np.exp(part["log_kappa"])[data.judge], np.exp(part["log_lambda"])[layout.author]
    answer = seen(data.grade, design @ x, b)
    gradient = np.asarray(design.T @ (weight * answer.by_s))
    value = float(weight @ (answer.value + part["log_kappa"][data.judge] / 2 - kappa * part["w"] ** 2 / 2))
    value += float(here @ part["log_lambda"][layout.author] - lam @ part["v"] ** 2) / 2
    for name in ("mu", "eta", "delta"):
        value -= float(part[name] @ part[name]) / 2
        gradient[parts[name]] -= part[name]
    value += float((prior.shape - 1) * logs.sum() - prior.rate * np.exp(logs).sum())
    gradient[layout.precisions] += prior.shape - 1 - prior.rate * np.exp(logs)
    value += float(np.log(b[1] - b[0]) - 0.5 * (((b - prior.b) / prior.b_sd) ** 2).sum())
    gradient[parts["b"]] += weight @ answer.by_b - (b - prior.b) / prior.b_sd**2 + np.array([-1.0, 1.0]) / (b[1] - b[0])
    gradient[parts["w"]] -= weight * kappa * part["w"]
    gradient[parts["v"]] -= lam * part["v"]
    gradient[parts["log_kappa"]] += summed(data.judge, weight * (1 - kappa * part["w"] ** 2), data.judges) / 2
    gradient[parts["log_lambda"]] += summed(layout.author, here - lam * part["v"] ** 2, data.systems) / 2
    return value, gradient, answer


def _present(layout: Layout) -> FloatArray:
    """1 for every output that a judgment which counts is about; 0 for the others, which tell nothing of λ."""
    return np.asarray(summed(layout.output, layout.data.weight, len(layout.author)) > 0, dtype=np.float64)


def curvature(
    layout: Layout, design: sparse.csr_array, x: FloatArray, answer: Seen, prior: StagePrior
) -> sparse.csr_array:
    """−∂² of the log joint density."""
    data, parts, n = layout.data, layout.parts, layout.length
    weight, b = data.weight, x[parts["b"]]
    v, w = x[parts["v"]], x[parts["w"]]
    lam, kappa = np.exp(x[parts["log_lambda"]])[layout.author], np.exp(x[parts["log_kappa"]])[data.judge]
    diagonal = np.zeros(n)
    for name in ("mu", "eta", "delta"):
        diagonal[parts[name]] = 1.0
    # A cell that counts for nothing must not make the matrix singular.
    diagonal[parts["w"]], diagonal[parts["v"]] = np.where(weight > 0, weight * kappa, 1.0), lam
    squares = summed(data.judge, weight * kappa * w**2, data.judges)
    diagonal[parts["log_kappa"]] = prior.rate * np.exp(x[parts["log_kappa"]]) + squares / 2
    squares = summed(layout.author, lam * v**2, data.systems)
    diagonal[parts["log_lambda"]] = prior.rate * np.exp(x[parts["log_lambda"]]) + squares / 2
    whole = design.T @ sparse.diags_array(weight * answer.ss) @ design + sparse.diags_array(diagonal)
    cross_b = np.asarray(design.T @ (-weight[:, None] * answer.per_b))
    repel = float(weight @ answer.apart) + (b[1] - b[0]) ** -2
    block = np.diag(weight @ answer.per_b + prior.b_sd**-2) + repel * np.array([[1.0, -1.0], [-1.0, 1.0]])
    cross_b[parts["b"]] = block / 2
    first, places = parts["b"].start, {name: np.arange(place.start, place.stop) for name, place in parts.items()}
    rows = [np.arange(n), np.arange(n), places["w"], places["v"]]
    columns = [np.full(n, first), np.full(n, first + 1), places["log_kappa"][data.judge]]
    columns.append(places["log_lambda"][layout.author])
    values = np.concatenate([*cross_b.T, weight * kappa * w, lam * v])
    cross = sparse.csr_array((values, (np.concatenate(rows), np.concatenate(columns))), shape=(n, n))
    return sparse.csr_array(whole + cross + cross.T)


@dataclass(frozen=True)
class Summit:
    """Where the joint density is largest: all parameters, the largest part of the gradient, steps, and whether so."""

    x: FloatArray = field(repr=False)
    gradient: float
    steps: int
    converged: bool


def climb(
    layout: Layout,
    prior: StagePrior,
    *,
    start: FloatArray | None = None,
    tolerance: float = _TOLERANCE,
    steps: int = _STEPS,
) -> Summit:
    """Maximise `log_joint` by Newton's method.

    With λ and κ held, the density is concave in all else; they have a closed form given v and w. Steps of all at once
    are taken where they make the gradient smaller, which is near the top.
    """
    design, x = layout.design, layout.start(prior) if start is None else start
    value, gradient, answer = _joint(layout, design, x, prior)
    taken, size = 0, np.inf
    while taken < steps and size >= tolerance:
        whole = curvature(layout, design, x, answer, prior)
        step = eliminated(layout, whole).solve(gradient)
        new, size, near = _moved(layout, x, step, 1.0), float(np.abs(step).max()), False
        if size < _LONGEST:
            found = _joint(layout, design, new, prior)
            near = size < tolerance or np.abs(found[1]).max() < 0.5 * np.abs(gradient).max()
        if not near:
            new, found = _in_turn(layout, design, x, prior, whole, (value, gradient))
            size = float(np.abs(new - x).max())
        x, (value, gradient, answer), taken = new, found, taken + 1
    return Summit(x, float(np.abs(gradient).max()), taken, size < tolerance)


def _in_turn(
    layout: Layout,
    design: sparse.csr_array,
    x: FloatArray,
    prior: StagePrior,
    whole: sparse.csr_array,
    before: tuple[float, FloatArray],
) -> tuple[FloatArray, tuple[float, FloatArray, Seen]]:
    """One step with λ and κ held, halved until it gains, and then the best λ and κ."""
    free = np.flatnonzero(~layout.precisions)
    step = np.zeros(layout.length)
    step[free] = eliminated(layout, whole[free][:, free]).solve(before[1][free])
    share = min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
    for _ in range(40):
        new = _moved(layout, x, step, share)
        if _joint(layout, design, new, prior)[0] > before[0] - 1e-9:
            break
        share /= 2
    new = _with_precisions(layout, new, prior)
    return new, _joint(layout, design, new, prior)


def _with_precisions(layout: Layout, x: FloatArray, prior: StagePrior) -> FloatArray:
    """λ = (shape − 1 + n/2) / (rate + Σ v²/2), n outputs of the system; κ likewise, by judgments of the judge."""
    data, parts, new = layout.data, layout.parts, x.copy()
    here, weight = _present(layout), data.weight
    for name, group, count, groups, squares in (
        ("log_lambda", layout.author, here, data.systems, x[parts["v"]] ** 2),
        ("log_kappa", data.judge, weight, data.judges, weight * x[parts["w"]] ** 2),
    ):
        shape = prior.shape - 1 + summed(group, count, groups) / 2
        new[parts[name]] = np.log(shape / (prior.rate + summed(group, squares, groups) / 2))
    return new


def _moved(layout: Layout, x: FloatArray, step: FloatArray, share: float) -> FloatArray:
    """Along a step, but not so far that b_1 and b_2 cross."""
    place, new = layout.parts["b"], x + share * step
    width, change = np.diff(x[place])[0], share * np.diff(step[place])[0]
    if change < -_NEARER * width:
        new[place] = x[place] + share * step[place] * (_NEARER * width / -change)
    return new


@dataclass(frozen=True)
class Eliminated:
    """A curvature ready to solve with: w, and then v, are eliminated, each of which meets no other of its kind."""

    to_w: sparse.csr_array = field(repr=False)
    inverse_w: FloatArray = field(repr=False)
    to_v: sparse.csr_array = field(repr=False)
    inverse_v: FloatArray = field(repr=False)
    common: FloatArray = field(repr=False)

    @classmethod
    def of(cls, matrix: sparse.csr_array, outputs: int, cells: int) -> Eliminated:
        """Of a matrix whose last rows are those of so many v and w."""
        w, v = matrix.shape[0] - cells, matrix.shape[0] - cells - outputs
        to_w, inverse_w = matrix[w:, :w], 1 / matrix.diagonal()[w:]
        rest = sparse.csr_array(matrix[:w, :w] - to_w.T @ sparse.diags_array(inverse_w) @ to_w)
        to_v, inverse_v = rest[v:, :v], 1 / rest.diagonal()[v:]
        common = rest[:v, :v] - to_v.T @ sparse.diags_array(inverse_v) @ to_v
        return cls(to_w, inverse_w, to_v, inverse_v, np.asarray(common.todense()))

    def solve(self, right: FloatArray) -> FloatArray:
        """Of a right-hand side (parameters,) or several (parameters, …)."""
        v = len(self.common)
        w = v + len(self.inverse_v)
        by_w, by_v = (d.reshape(-1, *(1,) * (right.ndim - 1)) for d in (self.inverse_w, self.inverse_v))
        upper = right[:w] - self.to_w.T @ (by_w * right[w:])
        common = np.linalg.solve(self.common, upper[:v] - self.to_v.T @ (by_v * upper[v:]))
        known = np.concatenate([common, by_v * (upper[v:] - self.to_v @ common)])
        return np.concatenate([known, by_w * (right[w:] - self.to_w @ known)])


def eliminated(layout: Layout, matrix: sparse.csr_array) -> Eliminated:
    return Eliminated.of(matrix, len(layout.author), len(layout.data.grade))
