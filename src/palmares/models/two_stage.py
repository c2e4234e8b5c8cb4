"""``two-stage``: systems, the outputs they make, and biased judges who grade these against one baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, cast

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from ..kernels.graded_response import Grades, outcomes, summed
from ..kernels.two_stage import Layout, StagePrior, climb, curvature, eliminated, seen
from .against_baseline import AgainstBaseline, BaselineFit, BaselineTable, centred, matched
from .base import Convergence, Prediction

#: A refit to a resampled table starts near its end; a step this short changes no rank.
_NEAR, _NEAR_STEPS = 1e-3, 12
_X, _W = np.polynomial.hermite_e.hermegauss(9)


@dataclass(frozen=True)
class TwoStage(AgainstBaseline):
    r"""q_ij = μ_i + v_ij, s_ijk = q_ij + η_k + w_ijk, P(u > c | s) = F(s − b_c) (Baba & Kashima 2013).

    v_ij ~ N(0, 1/λ_i), w_ijk ~ N(0, 1/κ_k), μ_i, η_k ~ N(0, 1), λ_i, κ_k ~ Gamma(``shape``, ``rate``); u = 1 baseline
    better, 2 tie, 3 system better. Everything, v and w too, by joint maximum posterior; the score is μ_i.

    Attributes
    ----------
    baseline
        The system that the others are compared with; none: the one nearest the mean (`choose_baseline`).
    shape, rate
        Of the precisions' prior.
    tasks
        Whether segments differ in difficulty: b_jc = b_c + δ_j, δ_j ~ N(0, 1).
    """

    id = "two-stage"
    lacks: ClassVar[Mapping[str, str]] = {
        "relabelling": "of two systems that are equally near the mean, the first by name is the baseline",
        "duplication": "the priors of systems, outputs and judges weigh less the more judgments there are",
        "monotone": "a win may change which system is the baseline, and a judge's bias with it",
    }

    baseline: str = ""
    shape: float = 100.0
    rate: float = 100.0
    tasks: bool = False

    def __post_init__(self) -> None:
        if not 1 < self.shape < np.inf:
            raise InputError(f"setting shape: got {self.shape}; allowed: a number above 1")
        if not 0 < self.rate < np.inf:
            raise InputError(f"setting rate: got {self.rate}; allowed: a number above 0")

    @property
    def prior(self) -> StagePrior:
        return StagePrior(self.shape, self.rate)

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> TwoStageFit:
        return self._fit(BaselineTable.of(data, self.baseline, self.id))

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        return cast(FloatArray, self._fit(BaselineTable.of(judgments, self.baseline, self.id, refuse=False)).scores)

    def warmed(self, judgments: Judgments) -> WarmedStages:
        """What scores resampled judgments, from the fit to all of them and against its baseline."""
        fit = self.fit(judgments)
        return WarmedStages(self, fit.table, fit.x)

    def _fit(self, table: BaselineTable) -> TwoStageFit:
        layout = Layout.of(table.grades, tasks=self.tasks)
        summit = climb(layout, self.prior)
        notes = table.notes
        if not summit.converged:
            notes += (f"the fit did not converge: its gradient is still {summit.gradient:.2g}",)
        fit = TwoStageFit(
            self,
            table.systems,
            _placed(layout, summit.x, table.baseline),
            convergence=Convergence(summit.converged, summit.steps, f"Newton's method, gradient {summit.gradient:.1g}"),
            notes=notes,
            baseline_code=table.baseline,
            table=table,
            layout=layout,
            x=summit.x,
            prior=self.prior,
        )
        return replace(fit, deviations=np.sqrt(np.diag(fit.covariance)))


def _placed(layout: Layout, x: FloatArray, baseline: int) -> FloatArray:
    """Scores of all systems; the baseline is at (b_1 + b_2) / 2, where it would win as often as lose."""
    return np.insert(x[layout.parts["mu"]], baseline, x[layout.parts["b"]].mean())


@dataclass(frozen=True)
class TwoStageFit(BaselineFit):
    """Abilities of systems, qualities of their outputs, and judges' biases and precisions.

    Attributes
    ----------
    judges, bias, precision
        Names, η_k and κ_k of judges who compared something with the baseline.
    thresholds
        b_1 and b_2.
    """

    layout: Layout = field(kw_only=True, repr=False)
    x: FloatArray = field(kw_only=True, repr=False)
    prior: StagePrior = field(kw_only=True, repr=False)

    def _part(self, name: str) -> FloatArray:
        return self.x[self.layout.parts[name]]

    @property
    def bias(self) -> FloatArray:
        return self._part("eta")[: len(self.judges)]

    @property
    def precision(self) -> FloatArray:
        return np.exp(self._part("log_kappa")[: len(self.judges)])

    @property
    def thresholds(self) -> FloatArray:
        return self._part("b")

    @cached_property
    def _reach(self) -> FloatArray:
        """How the scores move with a pull on every parameter: (parameters, systems)."""
        layout, n = self.layout, len(self.systems)
        ways = np.zeros((layout.length, n))
        ways[np.arange(n - 1), self.table.others] = 1.0
        ways[layout.parts["b"], self.baseline_code] = 0.5
        design = layout.design
        answer = seen(layout.data.grade, design @ self.x, self.thresholds)
        whole = curvature(layout, design, self.x, answer, self.prior)
        return eliminated(layout, whole).solve(ways)

    @cached_property
    def covariance(self) -> FloatArray:
        reach = self._reach
        middle = reach[self.layout.parts["b"]].mean(axis=0)
        whole = np.insert(reach[: len(self.systems) - 1], self.baseline_code, middle, axis=0)
        return np.asarray((whole + whole.T) / 2)

    def influences(self, table: BaselineTable) -> tuple[FloatArray, FloatArray]:
        layout, entry = self.layout, table.entry
        data, parts, reach = layout.data, layout.parts, self._reach
        weight = np.ones(len(table.rows)) if table.weights is None else table.weights
        kappa, lam = np.exp(self._part("log_kappa")), np.exp(self._part("log_lambda"))
        answer = seen(data.grade, layout.design @ self.x, self.thresholds)
        system, judge, segment, output = (
            codes[entry] for codes in (data.system, data.judge, data.segment, layout.output)
        )
        by_s = weight * answer.by_s[entry]
        scatter = weight * (1 - kappa[judge] * self._part("w")[entry] ** 2) / 2
        # An output's own spread is shared out among its judgments; priors leave with outputs, judges and segments.
        spread = (1 - lam[layout.author] * self._part("v") ** 2) / 2
        spread = spread[output] * weight / summed(output, weight, len(layout.author))[output]
        pulls = [
            ("mu", system, by_s),
            ("eta", judge, _left_alone(by_s, weight, judge)),
            ("v", output, _left_alone(by_s, weight, output)),
            ("log_kappa", judge, _left_alone(scatter, weight, judge)),
            ("log_lambda", system, spread),
        ]
        if layout.tasks:
            pulls.append(("delta", segment, -_left_alone(by_s, weight, segment)))
        moved = (weight[:, None] * answer.by_b[entry]) @ reach[parts["b"]]
        for name, number, pull in pulls:
            moved += pull[:, None] * reach[parts[name]][number]
        noise = 1 / kappa[judge] + 1 / lam[system]
        return moved, weight / (1 / answer.ss[entry] + noise)

    # -- predictions -------------------------------------------------------------------------------

    def predict(self, a: str | int, b: str | int) -> Prediction:
        """By a judge and on a segment of which nothing is known."""
        i, j = self.code(a), self.code(b)
        if i == j:
            raise InputError(f"system {self.systems[i]!r} is not compared with itself; name two systems")
        unknown = np.array([-1])
        return Prediction(*map(float, self._outcomes(np.array([i]), np.array([j]), unknown, unknown)[0]))

    def predict_rows(self, judgments: Judgments) -> FloatArray:
        """By the judge of every row, and on its output where that was judged before."""
        a, b = self.row_codes(judgments)
        judge = matched(judgments, "judge", self.judges, self.table.nameless[0])
        segment = matched(judgments, "segment", self.segments, self.table.nameless[1])
        return self._outcomes(a, b, judge, segment)

    def _outcomes(self, a: IntArray, b: IntArray, judge: IntArray, segment: IntArray) -> FloatArray:
        """P(a better), P(tie), P(b better): against the baseline by the model, of two others by the extension."""
        scores, base, (b1, b2) = cast(FloatArray, self.scores), self.baseline_code, self.thresholds
        one, half = np.ones(len(a)), (b2 - b1) / 2
        found = outcomes(one, scores[a] - scores[b], -half * one, 2 * half * one)
        against = (a == base) != (b == base)
        other = np.where(a == base, b, a)[against]
        graded = self._graded(other - (other > base), judge[against], segment[against])
        found[:, against] = np.where(a[against] == base, graded[::-1], graded)
        return np.asarray((found / found.sum(axis=0)).T)

    def _graded(self, system: IntArray, judge: IntArray, segment: IntArray) -> FloatArray:
        """Outcomes against the baseline, averaged over what a judge sees: w, v of a new output, η of a new judge."""
        kappa, eta = np.exp(self._part("log_kappa")), self._part("eta")
        noise = np.append(1 / kappa, (1 / kappa).mean() + 1.0)[judge]
        at = self._part("mu")[system] + np.append(eta, 0.0)[judge]
        if self.layout.tasks:
            delta = self._part("delta")
            noise, at = noise + np.append(np.zeros(len(delta)), 1.0)[segment], at - np.append(delta, 0.0)[segment]
        known = self._known_outputs[system, segment]
        at = at + np.append(self._part("v"), 0.0)[known]
        noise = noise + np.where(known < 0, np.exp(-self._part("log_lambda"))[system], 0.0)
        (b1, b2), one, total = self.thresholds, np.ones(len(system)), np.zeros((3, len(system)))
        for x, weight in zip(_X, _W / _W.sum(), strict=True):
            total += weight * outcomes(one, at + np.sqrt(noise) * x, b1 * one, (b2 - b1) * one)
        return total

    @cached_property
    def _known_outputs(self) -> IntArray:
        """The number of every (system, segment), −1 where it was not judged; the last column is of new segments."""
        data, table = self.layout.data, np.full((self.layout.data.systems, self.layout.data.segments + 1), -1)
        table[data.system, data.segment] = self.layout.output
        return table


def _left_alone(values: FloatArray, weight: FloatArray, group: IntArray) -> FloatArray:
    return centred(values[:, None], weight, group, int(group.max()) + 1)[:, 0]


@dataclass(frozen=True)
class WarmedStages:
    """The model near a known fit: what the bootstrap scores its samples with."""

    model: TwoStage
    table: BaselineTable
    x: FloatArray

    def rescore(self, weights: FloatArray) -> FloatArray:
        """The scores if every judgment counted so many times."""
        data: Grades = self.table.weighed(weights[self.table.rows])
        layout = Layout.of(data, tasks=self.model.tasks)
        summit = climb(layout, self.model.prior, start=self.x, tolerance=_NEAR, steps=_NEAR_STEPS)
        return _placed(layout, summit.x, self.table.baseline)
