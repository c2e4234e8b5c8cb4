"""How ``ordinal`` is fitted: Fisher scoring, and EM for the spreads of judges and outputs, in turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray
from ..kernels.ordinal import Answers, Curvature, Place, Prior, climb, curvature
from ..kernels.segment_effects import Effects, Outputs, absorbed, averaged, posterior, start
from .base import Convergence
from .ordinal_data import Table
from .ordinal_fit import OrdinalFit, SegmentEffects

if TYPE_CHECKING:
    from .ordinal import Ordinal

#: Of θ, of the log of the common tie width, and of coefficients; as of Bradley–Terry.
_SD = 5.0
#: The spread of judges is estimated together with one imagined judge who departs so much, in logs: nothing is known of
#: a spread from one or two judges, and none is ever said to be exactly alike.
_IMAGINED = 0.5
#: The spread of sensitivities has a half-normal prior with this standard deviation. Judges of a few answers each would
#: else be found to differ wildly, and a handful of them to see what nobody sees.
_USUAL_SPREAD = 0.5
#: Where the spread of system × segment effects begins, and one imagined output that it is estimated with.
_FIRST_SEGMENT_SD = 0.7
_TOLERANCE, _STEPS = 1e-8, 200
#: The estimate of a spread has settled when it changes by less than this share of itself.
_SETTLED, _ROUGHLY, _ROUNDS = 2e-4, 1e-2, 200
#: With system × segment effects every round goes over all outputs; what is left to change is then far below an error.
_SETTLED_EFFECTS, _ROUNDS_EFFECTS = 1e-3, 150
#: EM's step of the spread of effects, lengthened in logs: it is always too short.
_FURTHER = 1.7


@dataclass(frozen=True)
class Search:
    """A fit on its way: the parameters so far, the spreads of judges, and the system × segment effects if any."""

    model: Ordinal
    table: Table
    data: Answers
    free: BoolArray
    to_fit: BoolArray
    at: Place
    spreads: FloatArray
    settles: bool = True
    outputs: Outputs | None = None
    effects: Effects | None = None
    #: How often each entry's segment is there, in a bootstrap of segments.
    copies: FloatArray | float = 1.0

    @property
    def prior(self) -> Prior:
        return prior_of(self.spreads, self.free)

    def settled(self, *, roughly: bool = False) -> Search:
        """A step of scoring and one of EM for the spreads of judges in turn, until these hardly change."""
        share, state, last = _ROUGHLY if roughly else _SETTLED, self, np.zeros(2)
        for number in range(_ROUNDS if self.to_fit.any() else 0):
            at, _, _ = climb(state.model.link, state.data, state.at, state.prior, tolerance=1e-3, steps=1)
            spreads = state._spread(state.data, at)
            step = np.log(spreads / state.spreads)
            done = bool(np.all(np.abs(step) <= share))
            if number % 3 == 2 and not done:  # where steps shrink slowly, the sum of all that would follow (Aitken)
                shrink = np.divide(step, last, out=np.zeros(2), where=last != 0)
                spreads = state.spreads * np.exp(np.clip(step / (1 - np.clip(shrink, 0.0, 0.95)), -0.5, 0.5))
            state, last = replace(state, at=at, spreads=spreads, settles=done), step
            if done:
                break
        return state

    def with_effects(self, outputs: Outputs) -> Search:
        sd = self.model.segment_sd
        first = _FIRST_SEGMENT_SD if sd == "fit" else float(sd)
        return replace(self, outputs=outputs, effects=start(outputs, first))

    def settled_with_effects(self) -> Search:
        """The same with the posterior of the effects before each step, which is one of their variance, too."""
        state, link = self, self.model.link
        for _ in range(_ROUNDS_EFFECTS):
            outputs, before = cast(Outputs, state.outputs), cast(Effects, state.effects)
            sd = before.sd
            if state.model.segment_sd == "fit" and before.mode.any():
                sd *= (before.next_sd / before.sd) ** _FURTHER
            effects = posterior(link, state.data, outputs, state.at, before, sd, steps=1)
            data = averaged(state.data, effects, state.copies)
            at, _, _ = climb(link, data, state.at, state.prior, tolerance=1e-3, steps=1)
            spreads = state._spread(data, at) if state.to_fit.any() else state.spreads
            later = replace(state, at=at, spreads=spreads, effects=effects)._recentred()
            state = replace(later, settles=later._change_from(state) < _SETTLED_EFFECTS)
            if state.settles:
                break
        return state

    def _recentred(self) -> Search:
        """With effects of mean 0 for every system, and judges of mean log sensitivity 0.

        Others fit alike, and EM moves along these directions slowly (parameter expansion, Liu, Rubin & Wu 1998).
        """
        effects, outputs = cast(Effects, self.effects), cast(Outputs, self.outputs)
        copies = np.zeros(len(outputs))
        copies[outputs.a] = copies[outputs.b] = self.copies * (self.data.counts.sum(axis=0) > 0)
        counts = np.bincount(outputs.system, copies, self.data.systems)
        mean = np.bincount(outputs.system, copies * effects.mode, self.data.systems) / np.maximum(counts, 1.0)
        effects = effects.less(mean[outputs.system], outputs)
        at = replace(self.at, theta=self.at.theta + mean)
        if self.to_fit[0] and self.model.segment_sd == "fit":
            middle = float(at.own[:, 0].mean())
            at = replace(at, own=at.own - np.array([middle, 0.0]), theta=at.theta * np.exp(middle))
            effects = effects.scaled(float(np.exp(middle)))
        return replace(self, at=at, effects=effects)

    def _change_from(self, before: Search) -> float:
        """The largest change of a strength, of the log of a spread of judges, or of the spread of effects: this one on
        the scale of strengths, since a spread that goes to 0 does so ever more slowly and matters ever less.
        """
        wider = cast(Effects, self.effects).sd - cast(Effects, before.effects).sd
        return float(np.abs([*(self.at.theta - before.at.theta), *np.log(self.spreads / before.spreads), wider]).max())

    def finished(self) -> OrdinalFit:
        """The last climb, with the spreads as they are, and what a reader should know."""
        link, data, effects = self.model.link, self.data, self.effects
        if effects is not None:
            effects = posterior(link, data, cast(Outputs, self.outputs), self.at, effects, effects.sd)
            data = averaged(data, effects)
        at, steps, converged = climb(link, data, self.at, self.prior, tolerance=_TOLERANCE, steps=_STEPS)
        notes = [] if converged else ["Fisher scoring did not converge"]
        notes += [] if self.settles else ["the estimates of spreads were still changing when they were stopped"]
        notes += self.table.notes
        curve = replace(self, effects=effects)._curve(data, at)
        fitted = dict(zip(("sensitivity_sd", "width_sd"), self.spreads.tolist(), strict=True))
        fitted = {name: value for (name, value), wanted in zip(fitted.items(), self.to_fit, strict=True) if wanted}
        if effects is not None and self.model.segment_sd == "fit":
            fitted["segment_sd"] = effects.sd
        fit = OrdinalFit(
            self.model,
            self.table.systems,
            at.theta,
            convergence=Convergence(converged and self.settles, steps, f"Fisher scoring, step below {_TOLERANCE:g}"),
            notes=tuple(notes),
            fitted=fitted,
            place=at,
            curve=curve,
            spreads=tuple(np.where(self.free, self.spreads, 0.0).tolist()),
            judges=self.table.judges,
            anonymous=self.table.anonymous,
            covariates=self.table.covariates,
            effects=None if effects is None else self._named(effects),
        )
        notes += fit.said_of_covariates
        return replace(fit, deviations=np.sqrt(np.diag(fit.covariance)), notes=tuple(notes))

    def _named(self, effects: Effects) -> SegmentEffects:
        outputs = cast(Outputs, self.outputs)
        codes = np.unique(cast(IntArray, self.table.segment))[outputs.segment]
        return SegmentEffects.of(effects, outputs, codes, self.table.segments, len(self.table.systems))

    def _curve(self, data: Answers, at: Place) -> Curvature:
        """Gradient and information; of the judges' parameters, what is left where effects are not known."""
        curve = curvature(self.model.link, data, at, self.prior)
        if self.effects is None:
            return curve
        lost = absorbed(self.model.link, self.data, cast(Outputs, self.outputs), at, self.effects)
        return replace(curve, blocks=curve.blocks - lost.own * self.free * self.free[:, None], taken=lost.common)

    def _spread(self, data: Answers, at: Place) -> FloatArray:
        """One step of EM: the mean of judges' squared departures and their posterior variances."""
        variance = np.diagonal(curvature(self.model.link, data, at, self.prior).inverse_blocks, axis1=1, axis2=2)
        real = np.arange(data.judges) != self.table.anonymous
        squares, count = (at.own**2 + variance)[real].sum(axis=0) + _IMAGINED**2, real.sum() + 1
        found = squares / count
        # The top of −K log s − Σ/2s² − s²/2τ².
        found[0] = _USUAL_SPREAD**2 / 2 * (np.sqrt(count**2 + 4 * squares[0] / _USUAL_SPREAD**2) - count)
        return np.where(self.to_fit, np.sqrt(found), self.spreads)


def prior_of(spreads: FloatArray, free: BoolArray) -> Prior:
    return Prior(_SD**-2, np.where(free, spreads**-2, 0.0), free)
