"""``ordinal``: ordered responses of judges who differ in tie width and sensitivity, for all pairs of systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, cast

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from ..kernels.ordinal import Answers, Place, climb, slopes
from ..kernels.segment_effects import WEIGHTS, averaged, row_pulls
from .base import Fit, ModelBase, Needs, RowInfluences, Shifting, check_placeable, counts_of
from .ordinal_data import Table
from .ordinal_fit import OrdinalFit
from .ordinal_search import Search, prior_of

_FREE = {"both": (True, True), "width": (False, True), "sensitivity": (True, False), "none": (False, False)}
#: A refit to a resampled table starts near its end; a step this short changes no rank.
_NEAR, _NEAR_STEPS = 1e-5, 25


@dataclass(frozen=True)
class Ordinal(ModelBase):
    r"""z = a_k (θ_i − θ_j + u_is − u_js) + xβ; judge k finds i better with probability F(z − δ_k), worse with
    F(−z − δ_k), else equal.

    a_k is the sensitivity of a judge, δ_k the tie width: log a_k ~ N(0, s_a²), log δ_k ~ N(γ, s_δ²), with s_a and s_δ
    estimated from the judgments (empirical Bayes by Laplace's approximation). If all a_k = 1 and δ_k are equal, this
    is Rao & Kupper's model (logit) or Thurstone's with ties (probit). u_is ~ N(0, σ_u²), if asked for, is what the
    output of system i for segment s is better than the system; it is integrated out.

    Attributes
    ----------
    link
        ``logit`` or ``probit``: which distribution F is.
    judges
        In what judges differ: ``both``, ``width``, ``sensitivity`` or ``none``.
    width_sd, sensitivity_sd
        s_δ and s_a; ``fit``, the default, estimates them.
    segment_effects
        Whether outputs of a system differ from segment to segment.
    segment_sd
        σ_u; ``fit``, the default, estimates it.
    covariates
        What judges may go by besides quality: ``position``, or columns of both outputs (``length`` for ``length_a`` and
        ``length_b``); several joined by ``+``.
    """

    id = "ordinal"
    needs: ClassVar[Needs] = "rows"
    warm_starts = True
    smooth = True
    fits: ClassVar[tuple[str, ...]] = ("width_sd", "sensitivity_sd", "segment_sd")
    lacks: ClassVar[Mapping[str, str]] = {
        "duplication": "the priors of systems and judges weigh less the more judgments there are",
        "monotone": "a win may be put down to a judge who says otherwise than the rest, and weigh others' answers anew",
    }

    link: str = "logit"
    judges: str = "both"
    width_sd: float | Literal["fit"] = "fit"
    sensitivity_sd: float | Literal["fit"] = "fit"
    segment_effects: bool = False
    segment_sd: float | Literal["fit"] = "fit"
    covariates: str = ""

    def __post_init__(self) -> None:
        for name, allowed in {"link": ("logit", "probit"), "judges": tuple(_FREE)}.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"setting {name}: got {getattr(self, name)!r}; allowed: {', '.join(allowed)}")
        for name in self.fits:
            value = getattr(self, name)
            if value != "fit" and not (isinstance(value, int | float) and 0 < value < np.inf):
                raise InputError(f"setting {name}: got {value!r}; allowed: a number above 0, or fit")
        names = self.covariate_names
        if not all(names) or len(set(names)) < len(names):
            raise InputError(
                f"setting covariates: got {self.covariates!r}; allowed: names of covariates joined by +, each once"
            )

    @property
    def logit(self) -> float:  # type: ignore[override]  # the link decides
        """How far apart odds of e put two systems: on a normal scale about 1/1.7."""
        return 1.0 if self.link == "logit" else 1 / 1.7

    @property
    def covariate_names(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.covariates.split("+")) if self.covariates else ()

    @property
    def knows(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset({"judge", *(["segment"] * self.segment_effects), *self.covariate_names})

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OrdinalFit:
        table = self._table(data)
        check_placeable(counts_of(data), linked_by="any")
        return self._fit(table, table.answers(None))

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        table = self._table(judgments)
        return self._fit(table, table.answers(None)).place.theta

    def warmed(self, judgments: Judgments) -> Warmed:
        """What scores resampled judgments, from the fit to all of them and with its spreads."""
        table = self._table(judgments)
        return Warmed(self, table, self._fit(table, table.answers(None)))

    def influence_rows(self, judgments: Judgments, fit: Fit) -> RowInfluences:
        """Every judgment's efficient score (rows, systems), roots of its information, and the whole information.

        The efficient score is the part of the gradient that the judge's own parameters, and whatever is common beside
        θ, cannot take up. A judgment's information is G M Gᵀ, where M is that of (z, δ) and G how both change with θ
        while the other parameters follow; and its share of what the prior of the judge knows, F Fᵀ / s². What a whole
        judge knows is then A_k − B_k D_k⁻¹ B_kᵀ, and all judges the whole information. With system × segment effects
        all is averaged over them (of the gradient this is exact, by Fisher's identity), and information is less by the
        share that they take.
        """
        own, table = cast(OrdinalFit, fit), self._table(judgments)
        data = table.answers(None)
        at = _AveragedSlopes.of(self.link, data, own)
        entry, weight = table.entry, table.weights
        n, rows, judge = data.systems, np.arange(len(entry)), data.judge[entry]
        follow, rest = _following(own)
        by_gap, by_alpha, by_g, by_z = (weight * values[table.outcome, entry] for values in at.by_outcome)
        score = np.concatenate([by_z[:, None] * data.x[entry], by_g[:, None]], axis=1)[:, : len(rest)] @ rest
        of_segments = None
        if own.effects is not None:
            of_segments = score.copy()
            score += by_gap[:, None] * row_pulls(table.outputs(), own.effects.posterior, n)[entry]
        of_gap = score if of_segments is None else of_segments
        of_gap[rows, data.a[entry]] += by_gap
        of_gap[rows, data.b[entry]] -= by_gap
        inner = np.stack([by_alpha, by_g], axis=1) * np.array(_FREE[self.judges])
        # A judge's own gradient is that of all their rows less the prior's, which leaves with the judge: every row
        # takes its share, so that the rows of a judge sum to nothing here and their pull on the scale is in θ.
        share = weight / np.maximum(np.bincount(judge, weight, data.judges), 1e-300)[judge]
        whole = np.stack([np.bincount(judge, column, data.judges) for column in inner.T], axis=1)
        inner -= whole[judge] * share[:, None]
        taken_up = np.einsum("rj,rnj->rn", inner, follow[judge])
        score -= taken_up
        of_segments = None if of_segments is None else of_segments - taken_up
        spreads = np.array(own.spreads)
        precision = np.divide(1.0, spreads, out=np.zeros(2), where=spreads > 0)
        per_row = np.sqrt(own.kept * weight / np.maximum(data.counts.sum(axis=0)[entry], 1e-300))

        def roots(chosen: IntArray) -> FloatArray:
            e, who, here = entry[chosen], judge[chosen], np.arange(len(chosen))
            by_z = data.x[e] @ rest[: data.x.shape[1]] - follow[who, :, 0] * at.scaled[e, None]
            by_z[here, data.a[e]] += at.sensitivity[e]
            by_z[here, data.b[e]] -= at.sensitivity[e]
            by_width = rest[-1] if own.place.width is not None else np.zeros(n)
            by_delta = (by_width - follow[who, :, 1]) * at.delta[e, None]
            # The root of M = [[zz, zd], [zd, dd]], by Cholesky; and of the prior.
            first = np.sqrt(np.maximum(at.zz[e], 1e-300))
            cross = at.zd[e] / first
            second = np.sqrt(np.maximum(at.dd[e] - cross**2, 0.0))
            scale = per_row[chosen, None]
            known = [scale * (first[:, None] * by_z + cross[:, None] * by_delta), scale * second[:, None] * by_delta]
            prior = follow[who] * precision * np.sqrt(share[chosen])[:, None, None]
            return np.stack([*known, prior[..., 0], prior[..., 1]], axis=1)

        return RowInfluences(score, roots, own.information, of_segments)

    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray:
        """From the information of the fit, as if the strengths of all others were known."""
        return np.asarray(1 / np.sqrt(np.diag(cast(OrdinalFit, fit).information)))

    def shifting(self, counts: PairCounts, fit: Fit) -> Shifting:
        known = np.diag(cast(OrdinalFit, fit).information)
        return Shifting(self, known / known.sum(), np.full(len(known), 1 / len(known)))

    # -- fitting ---------------------------------------------------------------------------------------

    def _table(self, data: Judgments | PairCounts) -> Table:
        return Table.of(data, by_segment=self.segment_effects, covariates=self.covariate_names)

    def _fit(self, table: Table, data: Answers) -> OrdinalFit:
        has_ties = bool(data.counts[1].sum() > 0)
        free = np.array(_FREE[self.judges]) & (data.judges > 0) & np.array([True, has_ties])
        spreads = np.array([1.0 if sd == "fit" else float(sd) for sd in (self.sensitivity_sd, self.width_sd)])
        to_fit = free & np.array([self.sensitivity_sd == "fit", self.width_sd == "fit"])
        at = Place(
            np.zeros(data.systems), 0.0 if has_ties else None, np.zeros((data.judges, 2)), np.zeros(data.x.shape[1])
        )
        state = Search(self, table, data, free, to_fit, at, spreads)
        if table.segment is not None:
            state = state.settled(roughly=True).with_effects(table.outputs()).settled_with_effects()
        else:
            state = state.settled()
        return state.finished()


def _following(own: OrdinalFit) -> tuple[FloatArray, FloatArray]:
    """How θ's gradient loses what judges' parameters take up, (judges, systems, 2), and what is common beside θ, β and
    γ, takes up, (parameters, systems).
    """
    n, full = len(own.systems), own.common_information
    follow = np.einsum("ckj,kji->kci", own.curve.cross, own.curve.inverse_blocks)
    rest = np.asarray(-np.linalg.solve(full[n:, n:], full[n:, :n]), dtype=np.float64)
    return follow[:, :n] + np.einsum("kcj,cn->knj", follow[:, n:], rest), rest


@dataclass(frozen=True)
class _AveragedSlopes:
    """`Slopes` averaged over the effects of segments, if there are any.

    ``by_outcome`` are, each (3, entries), the slopes by θ_a − θ_b, by the judge's α and g, and by z.
    """

    by_outcome: tuple[FloatArray, ...]
    sensitivity: FloatArray
    scaled: FloatArray
    delta: FloatArray
    zz: FloatArray
    zd: FloatArray
    dd: FloatArray

    @classmethod
    def of(cls, link: str, data: Answers, fit: OrdinalFit) -> _AveragedSlopes:
        nodes, weights = 1, np.ones((1, 1))
        if fit.effects is not None:
            nodes, weights, data = len(WEIGHTS), WEIGHTS[:, None], averaged(data, fit.effects.posterior)
        s = slopes(link, data, fit.place)
        values = (s.sensitivity * s.by_z, s.scaled * s.by_z, s.delta * s.by_delta, s.by_z)
        by_outcome = tuple((value.reshape(3, nodes, -1) * weights).sum(axis=1) for value in values)
        means = ((value.reshape(nodes, -1) * weights).sum(axis=0) for value in (s.sensitivity, s.scaled, s.delta))
        # The nodes' weights are in the counts, and these in the information.
        return cls(by_outcome, *means, *(value.reshape(nodes, -1).sum(axis=0) for value in (s.zz, s.zd, s.dd)))


@dataclass(frozen=True)
class Warmed:
    """The model near a known fit: what the bootstrap scores its samples with."""

    model: Ordinal
    table: Table
    fit: OrdinalFit

    def rescore(self, weights: FloatArray) -> FloatArray:
        """The scores if every judgment counted so many times."""
        spreads, link = np.array(self.fit.spreads), self.model.link
        free, spreads = spreads > 0, np.where(spreads > 0, spreads, 1.0)
        if self.fit.effects is None:
            data, prior = self.table.answers(weights), prior_of(spreads, free)
            return climb(link, data, self.fit.place, prior, tolerance=_NEAR, steps=_NEAR_STEPS)[0].theta
        model = replace(self.model, segment_sd=self.fit.effects.sd)
        copies, weights = self._copies(weights)
        data, none = self.table.answers(weights), np.zeros(2, dtype=bool)
        search = Search(model, self.table, data, free, none, self.fit.place, spreads, copies=copies)
        search = replace(search, outputs=self.fit.effects.outputs, effects=self.fit.effects.posterior)
        return search.settled_with_effects().at.theta

    def _copies(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How often every entry's segment is there, and the weights of judgments within it.

        A segment that was drawn twice is two segments, each as well known as the one, and not one that is known twice
        as well; so is any whose judgments all count alike.
        """
        segment = np.unique(cast(IntArray, self.table.segment), return_inverse=True)[1].reshape(-1)
        of_row = segment[self.table.entry]
        most, least = np.zeros(int(segment.max()) + 1), np.full(int(segment.max()) + 1, np.inf)
        np.maximum.at(most, of_row, weights)
        np.minimum.at(least, of_row, weights)
        copies = np.where((most == least) & (most > 0), most, 1.0)
        return copies[segment], weights / copies[of_row]


__all__ = ["Ordinal", "OrdinalFit", "Table", "Warmed"]
