"""``graded-response``: systems graded against one baseline, by judges who differ, on segments that differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, Judgments, PairCounts
from ..kernels.graded_climb import Peak, climb, posterior
from ..kernels.graded_response import Grades, Items, Nodes, Prior, Terms, abilities, fixed_nodes, summed
from .against_baseline import AgainstBaseline, BaselineTable
from .base import Convergence
from .graded_response_fit import GradedResponseFit, placed

#: Nodes of the integral over θ (Otani et al. 2016: so many that 0 is one of them).
_NODES = 21
#: A refit to a resampled table starts near its end; a step this short changes no rank.
_NEAR, _NEAR_STEPS = 1e-3, 12


@dataclass(frozen=True)
class GradedResponse(AgainstBaseline):
    r"""P(u > c) = 1 / (1 + exp(−a_k (θ_i − b_jc))), u = 1 baseline better, 2 tie, 3 system better (Otani et al. 2016).

    θ_i ~ N(0, τ²), log a_k ~ N(log ``sensitivity``, s_a²), b_jc ~ N(b_c, s_b²), b_j1 < b_j2; s_a and s_b are
    ``sensitivity_sd`` and ``difficulty_sd``. First a and b by maximum marginal posterior, θ integrated out; then θ by
    maximum posterior.

    Attributes
    ----------
    baseline
        The system that the others are compared with; none: the one nearest the mean (`choose_baseline`).
    nodes
        Where θ is integrated: ``adaptive``, 21 Gauss–Hermite nodes around what is known of each system; ``prior``, the
        21 nodes √2 τ x_t of the prior; ``o16``, τ x_t as the paper prints them.
    theta_sd
        τ.
    sensitivity, sensitivity_sd
        The median of a, and the standard deviation of log a.
    easy, hard, difficulty_sd
        The means of b_1 and b_2, and their standard deviation.
    barrier
        The weight of log(b_2 − b_1) in what is maximised, which keeps the two apart.
    pairs
        How two systems that are not the baseline are predicted: ``averaged`` over judges and segments, or
        at ``typical`` values of them.
    """

    id = "graded-response"
    updates = True
    lacks: ClassVar[Mapping[str, str]] = {
        "relabelling": "of two systems that are equally near the mean, the first by name is the baseline",
        "duplication": "the priors of systems, judges and segments weigh less the more judgments there are",
        "monotone": "a win may change which system is the baseline, and a judge's sensitivity with it",
        "update": "sensitivities and difficulties are kept, and only the systems' places are estimated anew",
    }

    baseline: str = ""
    nodes: str = "adaptive"
    theta_sd: float = float(np.sqrt(2))
    sensitivity: float = 1.7
    sensitivity_sd: float = 1.0
    easy: float = -0.5
    hard: float = 0.5
    difficulty_sd: float = 2.0
    barrier: float = 1.0
    pairs: str = "averaged"

    def __post_init__(self) -> None:
        for name, allowed in {"nodes": ("adaptive", "prior", "o16"), "pairs": ("typical", "averaged")}.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"setting {name}: got {getattr(self, name)!r}; allowed: {', '.join(allowed)}")
        for name in ("theta_sd", "sensitivity", "sensitivity_sd", "difficulty_sd", "barrier"):
            if not 0 < getattr(self, name) < np.inf:
                raise InputError(f"setting {name}: got {getattr(self, name)}; allowed: a number above 0")
        if not -np.inf < self.easy < self.hard < np.inf:
            raise InputError(f"settings easy, hard: got {self.easy} and {self.hard}; allowed: easy below hard")

    @property
    def prior(self) -> Prior:
        return Prior(
            self.theta_sd, float(np.log(self.sensitivity)), self.sensitivity_sd, (self.easy, self.hard),
            self.difficulty_sd, self.barrier,
        )  # fmt: skip

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> GradedResponseFit:
        return self._fit(BaselineTable.of(data, self.baseline, self.id))

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        return cast(FloatArray, self._fit(BaselineTable.of(judgments, self.baseline, self.id, refuse=False)).scores)

    def warmed(self, judgments: Judgments) -> Warmed:
        """What scores resampled judgments, from the fit to all of them and against its baseline."""
        table = BaselineTable.of(judgments, self.baseline, self.id)
        return Warmed(self, table, self._fit(table).items)

    # -- fitting ---------------------------------------------------------------------------------------

    def climbed(self, data: Grades, start: Items | None = None, **options: float) -> Peak:
        """The a and b of largest marginal posterior."""
        if start is None:
            judges = np.full(data.judges, np.log(self.sensitivity))
            start = Items(judges, np.tile([self.easy, self.hard], (data.segments, 1)))
        nodes: Nodes | int = _NODES
        if self.nodes != "adaptive":
            nodes = fixed_nodes(data.systems, _NODES, self.theta_sd * (np.sqrt(2) if self.nodes == "prior" else 1.0))
        return climb(data, start, self.prior, nodes=nodes, **options)  # type: ignore[arg-type]

    def _fit(self, table: BaselineTable) -> GradedResponseFit:
        data = table.grades
        peak = self.climbed(data)
        theta, arrow = posterior(data, peak.items, self.prior)
        notes = table.notes
        if not peak.converged:
            notes += (f"the fit did not converge: its gradient is still {peak.gradient:.2g}",)
        if not arrow.definite:
            notes += ("standard errors are rough: the curvature at the fit is not that of a maximum",)
        fit = GradedResponseFit(
            self,
            table.systems,
            placed(theta, peak.items, table.baseline),
            convergence=Convergence(peak.converged, peak.steps, f"Newton's method, gradient {peak.gradient:.1g}"),
            notes=notes,
            baseline_code=table.baseline,
            theta=theta,
            items=peak.items,
            prior=self.prior,
            averaged=self.pairs == "averaged",
            arrow=arrow,
            table=table,
            answers=data,
        )
        return replace(fit, deviations=np.sqrt(np.diag(fit.covariance)))


@dataclass(frozen=True)
class Warmed:
    """The model near a known fit: what the bootstrap scores its samples with."""

    model: GradedResponse
    table: BaselineTable
    items: Items

    def rescore(self, weights: FloatArray) -> FloatArray:
        """The scores if every judgment counted so many times."""
        data, full = self.table.weighed(weights[self.table.rows]), self.table.grades
        peak = self.model.climbed(data, self.items, tolerance=_NEAR, steps=_NEAR_STEPS)
        theta, _ = abilities(Terms.of(data), peak.items, data.systems, self.model.prior)
        # A segment that was drawn twice is two segments, and one that was not drawn is none.
        drawn, there = (summed(grades.segment, grades.weight, data.segments) for grades in (data, full))
        shares = drawn / np.maximum(there, 1e-300)
        return placed(theta, peak.items, self.table.baseline, shares if shares.any() else None)
