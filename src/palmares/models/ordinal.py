"""``ordinal``: ordered responses of judges who differ in tie width and sensitivity, for all pairs of systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal, cast

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import BoolArray, FloatArray, IntArray, Judgments, PairCounts, outcome_index
from ..kernels.ordinal import Answers, Curvature, Place, Prior, climb, curvature, outcomes, slopes
from .base import (
    Convergence,
    Fit,
    ModelBase,
    Needs,
    Prediction,
    Shifting,
    check_one_lang_pair,
    check_placeable,
    counts_of,
)

_FREE = {"both": (True, True), "width": (False, True), "sensitivity": (True, False), "none": (False, False)}
#: Of θ and of the log of the common tie width; as of Bradley–Terry.
_SD = 5.0
#: The spread of judges is estimated together with one imagined judge who departs so much, in logs: nothing is known of
#: a spread from one or two judges, and none is ever said to be exactly alike.
_IMAGINED = 0.5
_TOLERANCE, _STEPS = 1e-8, 200
#: The estimate of a spread has settled when it changes by less than this share of itself.
_SETTLED, _ROUNDS = 2e-4, 200
#: A refit to a resampled table starts near its end; a step this short changes no rank.
_NEAR, _NEAR_STEPS = 1e-5, 25
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
#: Rows whose predictions are integrated at once, which bounds memory.
_AT_ONCE = 200_000


@dataclass(frozen=True)
class Ordinal(ModelBase):
    r"""z = a_k (θ_i − θ_j); judge k finds i better with probability F(z − δ_k), worse with F(−z − δ_k), else equal.

    a_k is the sensitivity of a judge, δ_k the tie width: log a_k ~ N(0, s_a²), log δ_k ~ N(γ, s_δ²), with s_a and s_δ
    estimated from the judgments (empirical Bayes by Laplace's approximation). If all a_k = 1 and δ_k are equal, this
    is Rao & Kupper's model (logit) or Thurstone's with ties (probit).

    Attributes
    ----------
    link
        ``logit`` or ``probit``: which distribution F is.
    judges
        In what judges differ: ``both``, ``width``, ``sensitivity`` or ``none``.
    width_sd, sensitivity_sd
        s_δ and s_a; ``fit``, the default, estimates them.
    """

    id = "ordinal"
    needs: ClassVar[Needs] = "rows"
    knows: ClassVar[frozenset[str]] = frozenset({"judge"})
    warm_starts = True
    smooth = True
    fits: ClassVar[tuple[str, ...]] = ("width_sd", "sensitivity_sd")
    lacks: ClassVar[Mapping[str, str]] = {
        "duplication": "the priors of systems and judges weigh less the more judgments there are",
        "monotone": "a win may be put down to a judge who says otherwise than the rest, and weigh others' answers anew",
    }

    link: str = "logit"
    judges: str = "both"
    width_sd: float | Literal["fit"] = "fit"
    sensitivity_sd: float | Literal["fit"] = "fit"

    def __post_init__(self) -> None:
        for name, allowed in {"link": ("logit", "probit"), "judges": tuple(_FREE)}.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"setting {name}: got {getattr(self, name)!r}; allowed: {', '.join(allowed)}")
        for name in self.fits:
            value = getattr(self, name)
            if value != "fit" and not (isinstance(value, int | float) and 0 < value < np.inf):
                raise InputError(f"setting {name}: got {value!r}; allowed: a number above 0, or fit")

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OrdinalFit:
        table = Table.of(data)
        check_placeable(counts_of(data), linked_by="any")
        return self._fit(table, table.answers(None))

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        table = Table.of(judgments)
        return self._fit(table, table.answers(None)).place.theta

    def warmed(self, judgments: Judgments) -> Warmed:
        """What scores resampled judgments, from the fit to all of them and with its spreads of judges."""
        table = Table.of(judgments)
        return Warmed(self, table, self._fit(table, table.answers(None)))

    def influence_rows(self, judgments: Judgments, fit: Fit) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Every judgment's efficient score (rows, systems), its information on θ_a − θ_b, and the whole information.

        The efficient score is the part of the gradient that the judge's own parameters cannot take up.
        """
        own = cast(OrdinalFit, fit)
        table = Table.of(judgments)
        data = table.answers(None)
        found = slopes(self.link, data, own.place)
        n, entry, outcome = data.systems, table.entry, table.outcome
        weight = table.weights
        gz, gd = weight * found.by_z[outcome, entry], weight * found.by_delta[outcome, entry]
        rows, wide = np.arange(len(entry)), int(own.place.width is not None)
        score = np.zeros((len(entry), n + wide))
        slope = found.sensitivity[entry] * gz
        score[rows, data.a[entry]], score[rows, data.b[entry]] = slope, -slope
        if wide:
            score[:, n] = gd * found.delta[entry]
        inner = np.stack([gz * found.z[entry], gd * found.delta[entry]], axis=1) * np.array(_FREE[self.judges])
        # A judge's own gradient is that of all their rows less the prior's, which leaves with the judge: every row
        # takes its share, so that the rows of a judge sum to nothing here and their pull on the scale is in θ.
        judge = data.judge[entry]
        work = np.bincount(judge, weight, data.judges)
        whole = np.stack([np.bincount(judge, column, data.judges) for column in inner.T], axis=1)
        inner -= (whole / np.maximum(work, 1e-300)[:, None])[judge] * weight[:, None]
        curve = own.curve
        follow = np.einsum("ckj,kji->kic", curve.cross, curve.inverse_blocks)
        score -= np.einsum("rj,rjc->rc", inner, follow[data.judge[entry]])
        per_row = weight / np.maximum(data.counts.sum(axis=0)[entry], 1e-300)
        known = per_row * (found.sensitivity**2 * found.zz)[entry]
        if wide:  # θ alone: the common width follows, too
            score = score[:, :n] - score[:, n:] * (curve.reduced[n, :n] / curve.reduced[n, n])
        return score, known, own.information

    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray:
        """From the information of the fit, as if the strengths of all others were known."""
        return np.asarray(1 / np.sqrt(np.diag(cast(OrdinalFit, fit).information)))

    def shifting(self, counts: PairCounts, fit: Fit) -> Shifting:
        known = np.diag(cast(OrdinalFit, fit).information)
        return Shifting(self, known / known.sum(), np.full(len(known), 1 / len(known)))

    # -- fitting ---------------------------------------------------------------------------------------

    def _fit(self, table: Table, data: Answers) -> OrdinalFit:
        spreads = np.array([1.0 if sd == "fit" else float(sd) for sd in (self.sensitivity_sd, self.width_sd)])
        has_ties = bool(data.counts[1].sum() > 0)
        at = Place(np.zeros(data.systems), 0.0 if has_ties else None, np.zeros((data.judges, 2)))
        free = np.array(_FREE[self.judges]) & (data.judges > 0) & np.array([True, has_ties])
        to_fit = free & np.array([self.sensitivity_sd == "fit", self.width_sd == "fit"])
        settled = True
        for _ in range(_ROUNDS if to_fit.any() else 0):
            prior = _prior(spreads, free)
            at, _, _ = climb(self.link, data, at, prior, tolerance=1e-3, steps=1)
            before, spreads = spreads, np.where(to_fit, self._spread(table, data, at, prior), spreads)
            settled = bool(np.all(np.abs(spreads - before) <= _SETTLED * before))
            if settled:
                break
        prior = _prior(spreads, free)
        at, steps, converged = climb(self.link, data, at, prior, tolerance=_TOLERANCE, steps=_STEPS)
        notes = [] if converged else ["Fisher scoring did not converge"]
        notes += [] if settled else ["the spread of judges was still changing when its estimate was stopped"]
        notes += table.notes
        curve = curvature(self.link, data, at, prior)
        names = dict(zip(("sensitivity_sd", "width_sd"), zip(to_fit, spreads, strict=True), strict=True))
        fit = OrdinalFit(
            self,
            table.systems,
            at.theta,
            convergence=Convergence(converged and settled, steps, f"Fisher scoring, step below {_TOLERANCE:g}"),
            notes=tuple(notes),
            fitted={name: float(value) for name, (fitted, value) in names.items() if fitted},
            place=at,
            curve=curve,
            spreads=tuple(np.where(free, spreads, 0.0).tolist()),
            judges=table.judges,
            anonymous=table.anonymous,
        )
        return replace(fit, deviations=np.sqrt(np.diag(fit.covariance)))

    def _spread(self, table: Table, data: Answers, at: Place, prior: Prior) -> FloatArray:
        """One step of EM: the mean of judges' squared departures and their posterior variances."""
        variance = np.diagonal(curvature(self.link, data, at, prior).inverse_blocks, axis1=1, axis2=2)
        real = np.arange(data.judges) != table.anonymous
        squares = (at.own**2 + variance)[real].sum(axis=0)
        return np.asarray(np.sqrt((squares + _IMAGINED**2) / (real.sum() + 1)))


def _prior(spreads: FloatArray, free: BoolArray) -> Prior:
    return Prior(_SD**-2, np.where(free, spreads**-2, 0.0), free)


@dataclass(frozen=True)
class OrdinalFit(Fit):
    """Strengths, and what is known of every judge.

    Attributes
    ----------
    judges
        Names; ``sensitivity`` and ``tie_width`` follow their order, with ``log_errors`` (judges, 2) of their logs.
    spreads
        s_a and s_δ.
    """

    place: Place = field(kw_only=True, repr=False)
    curve: Curvature = field(kw_only=True, repr=False)
    spreads: tuple[float, float] = field(kw_only=True)
    judges: tuple[str, ...] = field(kw_only=True, repr=False)
    #: The number of the judge of all rows that name none; −1 if there are none.
    anonymous: int = field(kw_only=True, repr=False)

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

    @cached_property
    def information(self) -> FloatArray:
        """Of θ, when the common tie width and the judges' parameters follow."""
        n, full = len(self.systems), self.curve.reduced
        if len(full) == n:
            return full
        return np.asarray(full[:n, :n] - np.outer(full[:n, n], full[n, :n]) / full[n, n])

    @cached_property
    def covariance(self) -> FloatArray:
        """Of θ less its mean, by Laplace's approximation."""
        n = len(self.systems)
        away = np.eye(n) - 1 / n
        return np.asarray(away @ np.linalg.inv(self.information) @ away)

    def predict(self, a: str | int, b: str | int) -> Prediction:
        """By a judge of whom nothing is known: over the spread of judges."""
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
        """By the judge of every row, over what is not known of them."""
        a, b = self.row_codes(judgments)
        gap = self.place.theta[a] - self.place.theta[b]
        known = {name: number for number, name in enumerate(self.judges)}
        number = np.array([*[known.get(name, -1) for name in judgments.judges], -1], dtype=np.int64)
        judge = number[judgments.codes("judge")]
        judge = np.where((judge < 0) & (judgments.codes("judge") < 0), self.anonymous, judge)
        return np.concatenate([
            self._integrated(gap[lo : lo + _AT_ONCE], judge[lo : lo + _AT_ONCE])
            for lo in range(0, max(len(gap), 1), _AT_ONCE)
        ])  # fmt: skip

    def _by_a_stranger(self, gap: FloatArray) -> FloatArray:
        return self._integrated(gap, np.full(len(gap), -1))

    def _integrated(self, gap: FloatArray, judge: IntArray) -> FloatArray:
        """P(win), P(tie), P(loss), averaged over the posterior of the judge's parameters; of judge −1 the prior."""
        roots = np.concatenate([np.linalg.cholesky(self.curve.inverse_blocks), np.diag(self.spreads)[None]])
        roots = roots * (np.array(self.spreads) > 0)[:, None]
        centres = np.concatenate([self.place.own, np.zeros((1, 2))])
        weights = _WEIGHTS / _WEIGHTS.sum()
        total = np.zeros((3, len(gap)))
        for x, wx in zip(_NODES, weights, strict=True):
            for y, wy in zip(_NODES, weights, strict=True):
                own = (centres + roots @ np.array([x, y]))[judge]
                delta = 0.0 if self.place.width is None else np.exp(self.place.width + own[:, 1])
                total += wx * wy * outcomes(cast(Ordinal, self.model).link, np.exp(own[:, 0]) * gap, delta)
        return np.asarray((total / total.sum(axis=0)).T)


@dataclass(frozen=True)
class Warmed:
    """The model near a known fit: what the bootstrap scores its samples with."""

    model: Ordinal
    table: Table
    fit: OrdinalFit

    def rescore(self, weights: FloatArray) -> FloatArray:
        """The scores if every judgment counted so many times."""
        spreads = np.array(self.fit.spreads)
        prior = _prior(np.where(spreads > 0, spreads, 1.0), spreads > 0)
        data = self.table.answers(weights)
        at, _, _ = climb(self.model.link, data, self.fit.place, prior, tolerance=_NEAR, steps=_NEAR_STEPS)
        return at.theta


@dataclass(frozen=True)
class Table:
    """Judgments by judge and pair: the entry and outcome of every row, and what the entries are."""

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    anonymous: int
    entry: IntArray = field(repr=False)
    outcome: IntArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    #: Judge, a and b of every entry: an array (3, entries).
    keys: IntArray = field(repr=False)
    #: Rows in an order that does not depend on the file's, since floating sums depend on theirs; None: all weigh 1.
    order: IntArray | None = field(repr=False)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Judgments | PairCounts) -> Table:
        if isinstance(data, PairCounts):
            raise InputError("model 'ordinal' needs the judgments, not only their pair counts")
        check_one_lang_pair(data)
        a, b, judge = (data.codes(name).astype(np.int64) for name in ("system_a", "system_b", "judge"))
        names, missing = data.judges, int((judge < 0).sum())
        anonymous = len(names) if missing else -1
        judge = np.where(judge < 0, anonymous, judge)
        n = len(data.systems)
        key, entry = np.unique((judge * n + a) * n + b, return_inverse=True)
        keys = np.stack([key // (n * n), key // n % n, key % n])
        outcome = outcome_index(data.codes("outcome")).astype(np.int64)
        weights, order = data.weights, None
        if weights is None:
            weights = np.ones(len(data))
        else:
            order = np.lexsort((weights, outcome, entry.reshape(-1)))
        note = (
            (f"{missing:,} of {len(data):,} judgments name no judge and are taken for one judge's",) if missing else ()
        )
        return cls(data.systems, names, anonymous, entry.reshape(-1), outcome, weights, keys, order, note)

    def answers(self, weights: FloatArray | None) -> Answers:
        """The counts, with other weights than the rows' own if given."""
        weights, entries = self.weights if weights is None else weights, self.keys.shape[1]
        place = self.outcome * entries + self.entry
        order = slice(None) if self.order is None else self.order
        counts = np.bincount(place[order], weights[order], 3 * entries).reshape(3, entries).astype(np.float64)
        judges = len(self.judges) + (self.anonymous >= 0)
        return Answers(len(self.systems), judges, self.keys[0], self.keys[1], self.keys[2], counts)
