"""``crowd-bt``: Bradley–Terry where every judge tells the truth with a probability of their own (Chen et al. 2013)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
from scipy.special import expit, ndtri

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from ..kernels.crowd_bt import Curvature, Place, Prior, curvature, mean_honesty, outcomes, slopes, top
from ..kernels.ordinal import Answers
from .base import Convergence, Fit, ModelBase, Needs, Prediction, RowInfluences, Shifting, check_placeable, counts_of
from .ordinal_data import Table

#: Of log ν; as of Bradley–Terry.
_TIE_SD = 5.0
_TOLERANCE, _STEPS = 1e-8, 200
#: A refit to a resampled table starts near its end; a step this short changes no rank.
_NEAR, _NEAR_STEPS = 1e-5, 50
#: No outcome is impossible.
_LEAST = 1e-300


@dataclass(frozen=True)
class CrowdBT(ModelBase):
    r"""P(i ≻ j | k) = η_k σ(s_i − s_j) + (1 − η_k) σ(s_j − s_i); with ties, the same mix of Davidson's win and loss.

    η_k is the honesty of judge k: 1 always tells the truth, ½ answers at random, 0 always says the opposite. The
    posterior Σ log P + penalty · Σ_i [log σ(s_i) + log σ(−s_i)] + Σ_k log p(η_k) is climbed in s and η together, with
    p the density of the prior in arcsin √η: η^(prior_true − ½) (1 − η)^(prior_false − ½). On this scale an estimate of
    η is about as unsure everywhere; the top of the density in η itself is at 1 for most judges.

    Attributes
    ----------
    penalty
        How often every system is imagined to have won, and lost, against a virtual one of strength 0.
    prior_true, prior_false
        η_k ~ Beta(prior_true, prior_false): as if so many answers of each judge were known to be true, and false.
    """

    id = "crowd-bt"
    needs: ClassVar[Needs] = "rows"
    knows: ClassVar[frozenset[str]] = frozenset({"judge"})
    updates = True
    warm_starts = True
    smooth = True
    logit = 1.0
    lacks: ClassVar[Mapping[str, str]] = {
        "duplication": "the virtual system and the prior of judges weigh less the more judgments there are",
        "monotone": "a win may be put down to a judge who says the opposite, and weigh others' answers anew",
    }

    penalty: float = 1.0
    prior_true: float = 10.0
    prior_false: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (("penalty", 0.0), ("prior_true", 0.5), ("prior_false", 0.5)):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and least < value < np.inf):
                raise InputError(f"setting {name}: got {value!r}; allowed: a number above {least:g}")
        if self.prior_true <= self.prior_false:
            raise InputError(
                f"setting prior_true: got {self.prior_true:g}, with prior_false {self.prior_false:g}; allowed: "
                "more than prior_false, since otherwise the order of the systems and its reverse fit alike"
            )

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> CrowdBTFit:
        table = _table(data)
        check_placeable(counts_of(data), linked_by="any")
        return self._fit(Crowd.of(table), self._start(table.answers(None)))

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        data = _table(judgments).answers(None)
        at, _, _ = top(data, self._start(data), self.prior, tolerance=_TOLERANCE, steps=_STEPS)
        return _centred(at.strengths)

    def warmed(self, judgments: Judgments) -> Warmed:
        """What scores resampled judgments, from the fit to all of them."""
        table = _table(judgments)
        return Warmed(self, table, self._fit(Crowd.of(table), self._start(table.answers(None))))

    def influence_rows(self, judgments: Judgments, fit: Fit) -> RowInfluences:
        """Every judgment's efficient score (rows, systems), roots of its information, and the whole information.

        The efficient score is the part of the gradient that the judge's honesty and the ties cannot take up. The
        information of a judgment is the mean square of what its score would be for each outcome; and its share of what
        the prior of the judge knows.
        """
        own, table = cast(CrowdBTFit, fit), _table(judgments)
        data, n = table.answers(None), len(fit.systems)
        found, entry, weight = slopes(data, own.place), table.entry, table.weights
        judge, follow = data.judge[entry], (own.curve.cross[:n] / own.curve.blocks).T
        by_tie = np.zeros(n)
        if own.place.tie is not None:  # strengths alone: the tie parameter follows, too
            reduced = own.curve.reduced()
            by_tie = reduced[n, :n] / reduced[n, n]
            follow = follow - np.outer(own.curve.cross[n] / own.curve.blocks, by_tie)

        def pulls(rows: IntArray, gap: FloatArray, logit: FloatArray, tie: FloatArray) -> FloatArray:
            e, here = entry[rows], np.arange(len(rows))
            found = -logit[:, None] * follow[judge[rows]] - np.outer(tie, by_tie)
            found[here, data.a[e]] += gap
            found[here, data.b[e]] -= gap
            return found

        # A judge's own gradient is that of all their rows less the prior's, which leaves with the judge: every row
        # takes its share, so that the rows of a judge sum to nothing here.
        work = np.maximum(np.bincount(judge, weight, data.judges), _LEAST)
        by_gap, by_logit, ties = (
            weight * slope[table.outcome, entry] for slope in (found.by_gap, found.by_logit, found.by_tie)
        )
        by_logit = by_logit - (np.bincount(judge, by_logit, data.judges) / work)[judge] * weight
        gap = own.place.strengths[data.a] - own.place.strengths[data.b]
        chance = outcomes(gap, own.place.tie, expit(own.place.logits)[data.judge])
        told = (data.counts.sum(axis=0) * chance * found.by_logit**2).sum(axis=0)
        prior = np.sqrt(np.maximum(own.curve.blocks - np.bincount(data.judge, told, data.judges), 0.0) / work)

        def roots(rows: IntArray) -> FloatArray:
            e, scale = entry[rows], np.sqrt(weight[rows] * chance[:, entry[rows]])
            known = [
                pulls(rows, root * found.by_gap[o, e], root * found.by_logit[o, e], root * found.by_tie[o, e])
                for o, root in enumerate(scale)
            ]
            share = (prior[judge[rows]] * np.sqrt(weight[rows]))[:, None] * follow[judge[rows]]
            return np.stack([*known, share], axis=1)

        return RowInfluences(pulls(np.arange(len(entry)), by_gap, by_logit, ties), roots, own.information)

    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray:
        """From the information of the fit, as if the strengths of all others were known."""
        return np.asarray(1 / np.sqrt(np.diag(cast(CrowdBTFit, fit).information)))

    def shifting(self, counts: PairCounts, fit: Fit) -> Shifting:
        known = np.diag(cast(CrowdBTFit, fit).information)
        return Shifting(self, known / known.sum(), np.full(len(known), 1 / len(known)))

    # -- fitting ---------------------------------------------------------------------------------------

    @property
    def prior(self) -> Prior:
        return Prior(self.penalty, self.prior_true - 0.5, self.prior_false - 0.5, _TIE_SD**-2)

    def _start(self, data: Answers) -> Place:
        """All systems alike, and every judge as honest as the prior says."""
        logit = np.log(self.prior.true / self.prior.false)
        return Place(np.zeros(data.systems), 0.0 if data.counts[1].any() else None, np.full(data.judges, logit))

    def _fit(self, crowd: Crowd, start: Place) -> CrowdBTFit:
        at, steps, converged = top(crowd.answers, start, self.prior, tolerance=_TOLERANCE, steps=_STEPS)
        curve = curvature(crowd.answers, at, self.prior)
        notes = [] if converged else ["Newton's method did not converge"]
        if not curve.concave:
            notes.append("the fit did not end at a top of the posterior; its standard errors are too small")
            curve = replace(curve, joint=curve.complete, blocks=curve.complete_blocks, cross=0.0 * curve.cross)
            converged = False
        fit = CrowdBTFit(
            self,
            crowd.systems,
            _centred(at.strengths),
            convergence=Convergence(converged, steps, f"Newton's method, step below {_TOLERANCE:g}"),
            notes=(*notes, *crowd.notes),
            place=at,
            curve=curve,
            crowd=crowd,
        )
        return replace(fit, deviations=np.sqrt(np.diag(fit.covariance)))


def _table(data: Judgments | PairCounts) -> Table:
    if isinstance(data, PairCounts):
        raise InputError("model 'crowd-bt' needs the judgments, not only their pair counts")
    return Table.of(data)


def _centred(strengths: FloatArray) -> FloatArray:
    return np.asarray(strengths - strengths.mean())


@dataclass(frozen=True)
class Crowd:
    """Who answered, on what, and how: all that a fit was made from."""

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    #: The number of the judge of all rows that name none, after all others; −1 if there are none.
    anonymous: int
    answers: Answers = field(repr=False)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table) -> Crowd:
        return cls(table.systems, table.judges, table.anonymous, table.answers(None), table.notes)

    def merged(self, more: Crowd, codes: IntArray) -> Crowd:
        """With answers of the same systems; ``codes`` are the numbers here of the systems there."""
        judges = tuple(sorted({*self.judges, *more.judges}))
        anonymous = len(judges) if max(self.anonymous, more.anonymous) >= 0 else -1
        number = {name: code for code, name in enumerate(judges)}
        mine, theirs = (np.array([*[number[name] for name in c.judges], anonymous]) for c in (self, more))
        one, two = self.answers, more.answers
        merged = Answers(
            one.systems,
            len(judges) + (anonymous >= 0),
            np.concatenate([mine[one.judge], theirs[two.judge]]),
            np.concatenate([one.a, codes[two.a]]),
            np.concatenate([one.b, codes[two.b]]),
            np.concatenate([one.counts, two.counts], axis=1),
            np.concatenate([one.x, two.x]),
        )
        return Crowd(self.systems, judges, anonymous, merged, tuple(dict.fromkeys((*self.notes, *more.notes))))


@dataclass(frozen=True)
class CrowdBTFit(Fit):
    """Strengths, and how honest every judge is.

    Attributes
    ----------
    place
        s as it was fitted, with the virtual system at 0 (scores are s less its mean), log ν and logit η.
    """

    place: Place = field(kw_only=True, repr=False)
    curve: Curvature = field(kw_only=True, repr=False)
    crowd: Crowd = field(kw_only=True, repr=False)

    @property
    def centred(self) -> FloatArray:
        """The scores: s less its mean."""
        return _centred(self.place.strengths)

    @property
    def judges(self) -> tuple[str, ...]:
        """Names; ``honesty`` and its errors follow their order."""
        return self.crowd.judges

    @cached_property
    def _means(self) -> FloatArray:
        model = cast(CrowdBT, self.model)
        return mean_honesty(self.crowd.answers, self.place, model.prior_true, model.prior_false)

    @property
    def honesty(self) -> FloatArray:
        """The posterior mean of η of every judge who has a name; predictions are linear in η, so they need no more."""
        return self._means[: len(self.judges)]

    @cached_property
    def logit_errors(self) -> FloatArray:
        """Standard errors of logit η of every judge, strengths being unsure, too."""
        curve = self.curve
        follow = curve.cross / curve.blocks
        variance = 1 / curve.blocks + np.einsum("ck,ck->k", follow, np.linalg.solve(curve.reduced(), follow))
        return np.asarray(np.sqrt(variance)[: len(self.judges)])

    @property
    def honesty_errors(self) -> FloatArray:
        """Standard errors of η, to first order; near 0 and 1 `honesty_intervals` say more."""
        return np.asarray(self.honesty * (1 - self.honesty) * self.logit_errors)

    def honesty_intervals(self, p: float = 0.05) -> FloatArray:
        """Intervals of η of level 1 − p, (judges, 2), by Laplace's approximation in logit η."""
        reach = ndtri(1 - p / 2) * self.logit_errors
        centre = self.place.logits[: len(self.judges)]
        return np.asarray(expit(np.stack([centre - reach, centre + reach], axis=1)))

    @property
    def usual_honesty(self) -> float:
        """Of a judge of whom nothing is known: the mean of those who are."""
        return float((self.honesty if self.judges else self._means).mean())

    @property
    def tie_parameter(self) -> float:
        """Davidson's ν; 0 where nobody ever tied."""
        return 0.0 if self.place.tie is None else float(np.exp(self.place.tie))

    @cached_property
    def information(self) -> FloatArray:
        """Of s, when the tie parameter and the judges' honesty follow."""
        n, full = len(self.systems), self.curve.reduced()
        if len(full) == n:
            return full
        return np.asarray(full[:n, :n] - np.outer(full[:n, n], full[n, :n]) / full[n, n])

    @cached_property
    def covariance(self) -> FloatArray:
        """Of s less its mean, by Laplace's approximation."""
        n = len(self.systems)
        away = np.eye(n) - 1 / n
        return np.asarray(away @ np.linalg.inv(self.information) @ away)

    def predict(self, a: str | int, b: str | int) -> Prediction:
        """By a judge of whom nothing is known, who gets the mean η."""
        i, j = self.code(a), self.code(b)
        if i == j:
            raise InputError(f"system {self.systems[i]!r} is not compared with itself; name two systems")
        return Prediction(*map(float, self._outcomes(self.centred[[i]] - self.centred[[j]], self.usual_honesty)[0]))

    def predict_pairs(self) -> FloatArray:
        n = len(self.systems)
        table = self._outcomes(self.centred[:, None] - self.centred, self.usual_honesty)
        table[np.arange(n), np.arange(n)] = 1 / 3
        return table

    def predict_rows(self, judgments: Judgments) -> FloatArray:
        """By the judge of every row; one who was never seen gets the mean η."""
        a, b = self.row_codes(judgments)
        known = dict(zip(self.judges, self.honesty.tolist(), strict=True))
        unnamed = self._means[-1] if self.crowd.anonymous >= 0 else self.usual_honesty
        honesty = np.array([*[known.get(name, self.usual_honesty) for name in judgments.judges], unnamed])
        return self._outcomes(self.centred[a] - self.centred[b], honesty[judgments.codes("judge")])

    def _outcomes(self, gap: FloatArray, honesty: FloatArray | float) -> FloatArray:
        return np.moveaxis(np.maximum(outcomes(gap, self.place.tie, honesty), _LEAST), 0, -1)

    def update(self, more: Judgments | PairCounts) -> CrowdBTFit:
        """The fit to these judgments and ``more`` of the same systems, from where this one ended.

        The same as a fit to all of them together; `palmares.models.crowd_beliefs` learns from single answers.
        """
        further = Crowd.of(_table(more))
        codes = np.array([self.code(name) for name in further.systems])
        crowd, model = self.crowd.merged(further, codes), cast(CrowdBT, self.model)
        start = model._start(crowd.answers)
        known = dict(zip(self.judges, self.place.logits.tolist(), strict=False))
        logits = [known.get(name, usual) for name, usual in zip(crowd.judges, start.logits.tolist(), strict=False)]
        if crowd.anonymous >= 0:
            logits.append(self.place.logits[-1] if self.crowd.anonymous >= 0 else start.logits[-1])
        tie = start.tie if self.place.tie is None else self.place.tie
        return model._fit(crowd, Place(self.place.strengths, tie, np.array(logits)))


@dataclass(frozen=True)
class Warmed:
    """The model near a known fit: what the bootstrap scores its samples with."""

    model: CrowdBT
    table: Table
    fit: CrowdBTFit

    def rescore(self, weights: FloatArray) -> FloatArray:
        """The scores if every judgment counted so many times."""
        data = self.table.answers(weights)
        at, _, _ = top(data, self.fit.place, self.model.prior, tolerance=_NEAR, steps=_NEAR_STEPS)
        return _centred(at.strengths)
