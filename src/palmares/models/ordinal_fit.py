"""What ``ordinal`` finds out: strengths, judges, outputs, and probabilities averaged over what is not known."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np

from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments
from ..kernels.ordinal import Curvature, Place, outcomes
from ..kernels.segment_effects import NODES, WEIGHTS, Effects, Outputs, covariances
from .base import Fit, Prediction
from .ordinal_data import POSITION, Covariates

#: Rows whose predictions are integrated at once, which bounds memory.
_AT_ONCE = 200_000


@dataclass(frozen=True)
class SegmentEffects:
    """How much better than its system the output for a segment is, where it was judged.

    ``value`` and ``error`` are (outputs,), ``segment`` and ``system`` their codes, ``names`` those of the segments.
    ``posterior`` has what the outputs of one segment share.
    """

    names: tuple[str, ...] = field(repr=False)
    segment: IntArray = field(repr=False)
    system: IntArray = field(repr=False)
    systems: int
    posterior: Effects = field(repr=False)
    outputs: Outputs = field(repr=False)

    @classmethod
    def of(
        cls, effects: Effects, outputs: Outputs, segment: IntArray, names: tuple[str, ...], systems: int
    ) -> SegmentEffects:
        return cls(names, segment, outputs.system, systems, effects, outputs)

    @property
    def sd(self) -> float:
        return self.posterior.sd

    @property
    def value(self) -> FloatArray:
        return self.posterior.mode

    @property
    def error(self) -> FloatArray:
        return np.asarray(np.sqrt(self.posterior.variance))

    def differences(self, judgments: Judgments, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of u_a − u_b for every row; outputs that were not judged have the prior's."""
        known = {name: code for code, name in enumerate(self.names)}
        code = np.array([*[known.get(name, -1) for name in judgments.segments], -1], dtype=np.int64)
        segment = code[judgments.codes("segment")]
        sides = [self._place(segment, side) for side in (a, b)]
        mean, variance = (
            [np.where(place >= 0, values[place], other) for place in sides]
            for values, other in ((self.value, 0.0), (self.posterior.variance, self.sd**2))
        )
        spread = variance[0] + variance[1] - 2 * covariances(self.outputs, self.posterior, *sides)
        return mean[0] - mean[1], np.sqrt(np.maximum(spread, 0.0))

    def _place(self, segment: IntArray, system: IntArray) -> IntArray:
        """The number of an output; −1 if it was not judged."""
        own = self.segment * self.systems + self.system  # sorted, as outputs are
        wanted = segment * self.systems + system
        place = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
        return np.where((segment >= 0) & (own[place] == wanted), place, -1)


@dataclass(frozen=True)
class OrdinalFit(Fit):
    """Strengths, and what is known of every judge.

    Attributes
    ----------
    judges
        Names; ``sensitivity`` and ``tie_width`` follow their order, with ``log_errors`` (judges, 2) of their logs.
    spreads
        s_a and s_δ.
    covariates
        Names and scales; ``coefficients`` and ``coefficient_errors`` follow their order.
    effects
        What is known of outputs, where segments have effects.
    """

    place: Place = field(kw_only=True, repr=False)
    curve: Curvature = field(kw_only=True, repr=False)
    spreads: tuple[float, float] = field(kw_only=True)
    judges: tuple[str, ...] = field(kw_only=True, repr=False)
    #: The number of the judge of all rows that name none; −1 if there are none.
    anonymous: int = field(kw_only=True, repr=False)
    covariates: Covariates = field(kw_only=True, default_factory=Covariates)
    effects: SegmentEffects | None = field(kw_only=True, default=None, repr=False)

    @property
    def sensitivity(self) -> FloatArray:
        return np.exp(self.place.own[: len(self.judges), 0])

    @property
    def tie_width(self) -> FloatArray:
        """Zero where nobody ever tied."""
        if self.place.width is None:
            return np.zeros(len(self.judges))
        return np.exp(self.place.width + self.place.own[: len(self.judges), 1])

    @property
    def log_errors(self) -> FloatArray:
        """Standard errors of log sensitivity and log tie width of every judge, strengths taken as known."""
        variance = np.diagonal(self.curve.inverse_blocks, axis1=1, axis2=2)
        return np.asarray(np.sqrt(variance)[: len(self.judges)] * (np.array(self.spreads) > 0))

    @property
    def coefficients(self) -> FloatArray:
        return self.place.beta

    @property
    def coefficient_errors(self) -> FloatArray:
        n, c = len(self.systems), len(self.place.beta)
        return np.asarray(np.sqrt(np.diag(np.linalg.inv(self.common_information))[n : n + c]))

    @property
    def said_of_covariates(self) -> list[str]:
        """What each covariate does to a comparison, for readers."""
        per = {POSITION: "the first place against the last"}
        found = zip(
            self.covariates.names, self.covariates.scales, self.coefficients, self.coefficient_errors, strict=True
        )
        return [
            f"covariate {name}: {value:+.3f} ± {error:.3f} for "
            f"{per.get(name, f'{scale:.3g} more of it')}, on the scale of scores (z of a judge of sensitivity 1)"
            for name, scale, value, error in found
        ]

    @cached_property
    def common_information(self) -> FloatArray:
        """Of θ, β and γ, when the judges' parameters follow.

        With system × segment effects, the variances that these and the judges add are summed, which is exact if
        neither tells of the other.
        """
        if self.curve.taken is None:
            return self.curve.reduced
        inverse = np.linalg.inv
        alone = inverse(self.curve.joint)
        return np.asarray(inverse(inverse(self.curve.joint - self.curve.taken) + inverse(self.curve.reduced) - alone))

    @cached_property
    def information(self) -> FloatArray:
        """Of θ, when all else follows."""
        n, full = len(self.systems), self.common_information
        if len(full) == n:
            return full
        return np.asarray(full[:n, :n] - full[:n, n:] @ np.linalg.solve(full[n:, n:], full[n:, :n]))

    @cached_property
    def kept(self) -> float:
        """The share of the information on θ that is left once system × segment effects are integrated out."""
        if self.curve.taken is None:
            return 1.0
        n = len(self.systems)
        return float(1 - np.trace(self.curve.taken[:n, :n]) / np.trace(self.curve.joint[:n, :n]))

    @cached_property
    def covariance(self) -> FloatArray:
        """Of θ less its mean, by Laplace's approximation."""
        n = len(self.systems)
        away = np.eye(n) - 1 / n
        return np.asarray(away @ np.linalg.inv(self.information) @ away)

    def predict(self, a: str | int, b: str | int) -> Prediction:
        """By a judge of whom nothing is known, of outputs that are equal in all covariates: over the spread of both."""
        i, j = self.code(a), self.code(b)
        if i == j:
            raise InputError(f"system {self.systems[i]!r} is not compared with itself; name two systems")
        return Prediction(*map(float, self._by_a_stranger(np.array([self.place.theta[i] - self.place.theta[j]]))[0]))

    def predict_pairs(self) -> FloatArray:
        theta, n = self.place.theta, len(self.systems)
        table = self._by_a_stranger((theta[:, None] - theta).ravel()).reshape(n, n, 3)
        table[np.arange(n), np.arange(n)] = 1 / 3
        return table

    def predict_rows(self, judgments: Judgments) -> FloatArray:
        """By the judge of every row, over what is not known of them and of the two outputs."""
        a, b = self.row_codes(judgments)
        gap = self.place.theta[a] - self.place.theta[b]
        known = {name: number for number, name in enumerate(self.judges)}
        number = np.array([*[known.get(name, -1) for name in judgments.judges], -1], dtype=np.int64)
        judge = number[judgments.codes("judge")]
        judge = np.where((judge < 0) & (judgments.codes("judge") < 0), self.anonymous, judge)
        shift, spread = np.zeros(len(gap)), np.zeros(len(gap))
        if self.effects is not None:
            shift, spread = self.effects.differences(judgments, a, b)
        extra = self.covariates.values(judgments) @ self.place.beta
        parts = [slice(lo, lo + _AT_ONCE) for lo in range(0, max(len(gap), 1), _AT_ONCE)]
        return np.concatenate([self._integrated((gap + shift)[p], judge[p], spread[p], extra[p]) for p in parts])

    def _by_a_stranger(self, gap: FloatArray) -> FloatArray:
        spread = 0.0 if self.effects is None else np.sqrt(2) * self.effects.sd
        return self._integrated(gap, np.full(len(gap), -1), np.full(len(gap), spread), np.zeros(len(gap)))

    def _integrated(self, gap: FloatArray, judge: IntArray, spread: FloatArray, extra: FloatArray) -> FloatArray:
        """P(win), P(tie), P(loss), averaged over the posterior of the judge's parameters (of judge −1 the prior) and
        of the difference of the two outputs.
        """
        roots = np.concatenate([np.linalg.cholesky(self.curve.inverse_blocks), np.diag(self.spreads)[None]])
        roots = roots * (np.array(self.spreads) > 0)[:, None]
        centres = np.concatenate([self.place.own, np.zeros((1, 2))])
        outer = list(zip(NODES, WEIGHTS, strict=True)) if spread.any() else [(0.0, 1.0)]
        link = cast(str, getattr(self.model, "link"))  # noqa: B009
        total = np.zeros((3, len(gap)))
        for x, wx in zip(NODES, WEIGHTS, strict=True):
            for y, wy in zip(NODES, WEIGHTS, strict=True):
                own = (centres + roots @ np.array([x, y]))[judge]
                delta = 0.0 if self.place.width is None else np.exp(self.place.width + own[:, 1])
                for node, weight in outer:
                    z = np.exp(own[:, 0]) * (gap + node * spread) + extra
                    total += wx * wy * weight * outcomes(link, z, delta)
        return np.asarray((total / total.sum(axis=0)).T)
