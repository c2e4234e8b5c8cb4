"""``bradley-terry``: strengths on a logistic scale, with ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, cast

import numpy as np

from ..compute import RngLike
from ..errors import InputError, UnplaceableError
from ..judgments import BoolArray, FloatArray, IntArray, Judgments, PairCounts, UnitKinds, circles, decode_cells
from ..kernels.bradley_terry import Meetings, information, newton, refit
from ..kernels.leaving_out import Entries, moves
from .base import Convergence, CountModel, Fit, Links, OutcomeFit, Shifting, check_placeable, counts_of

_KINDS = {"ignore": 0, "half": 0, "davidson": 1, "rao-kupper": 2}
#: Points of an Elo scale per unit of log odds, and where its mean is without an anchor.
ELO, ELO_MEAN = 400 / np.log(10), 1000.0
_TOLERANCE = 1e-10
_STEPS = 200
#: No outcome is impossible.
_LEAST = 1e-300


@dataclass(frozen=True)
class BradleyTerry(CountModel):
    r"""Strengths π = e^θ; i beats j with probability π_i / (π_i + π_j), if there are no ties (Bradley & Terry 1952).

    With ties, of Davidson (1970): win π_i / (π_i + π_j + ν √(π_i π_j)), tie ν √(π_i π_j) / (the same); of Rao and
    Kupper (1967): win π_i / (π_i + η π_j), tie (η² − 1) π_i π_j / ((π_i + η π_j)(π_j + η π_i)).

    Attributes
    ----------
    ties
        ``davidson``, ``rao-kupper``, ``half`` (a tie is half a win for both) or ``ignore``.
    prior
        ``normal``: θ and the tie parameter (log ν, log(η² − 1)) ~ N(0, sd²), which keeps estimates finite; ``none``:
        maximum likelihood, refused where it is infinite.
    sd
        Of the prior, in units of log odds.
    scale
        ``natural`` (log odds, mean 0) or ``elo`` (400 points are odds of ten to one, mean 1000).
    anchor
        ``NAME=VALUE``: shift the scale so that this system has this score.
    """

    id = "bradley-terry"
    predicts = True
    updates = True
    smooth = True
    lacks: ClassVar[Mapping[str, str]] = {"duplication": "the prior weighs less the more judgments there are"}

    ties: str = "davidson"
    prior: str = "normal"
    sd: float = 5.0
    scale: str = "natural"
    anchor: str = ""

    def __post_init__(self) -> None:
        for name, allowed in {"ties": tuple(_KINDS), "prior": ("normal", "none"), "scale": ("natural", "elo")}.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"setting {name}: got {getattr(self, name)!r}; allowed: {', '.join(allowed)}")
        if not 0 < self.sd < np.inf:
            raise InputError(f"setting sd: got {self.sd}; allowed: a number above 0")
        self._anchor()

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> BradleyTerryFit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        return self._fit(counts, np.zeros(len(counts.systems) + 1))

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        """One fit for each; without a fit to all of the data there is nothing near to start from."""
        data = self._meetings(batch)
        start = np.zeros((len(batch.systems) + 1, data.members))
        x, _, _ = newton(self.kind, data, start, self.precision, _TOLERANCE, _STEPS)
        return self._scaled(x[:-1].T, batch.systems)

    def prepared(self, counts: PairCounts) -> Resampled:
        """The same model, to be resampled around its fit to the full data."""
        x, curvature = self._maximum(counts)
        return Resampled(self, x, np.asarray(np.linalg.inv(curvature), dtype=np.float64))

    def influences(self, counts: PairCounts, kinds: UnitKinds) -> FloatArray:
        """By one Newton step: −(H − H_g)⁻¹ s_g, where s_g and H_g are the unit's shares in gradient and information.

        H is the information of the log posterior at the fit to ``counts``, prior included.
        """
        a, b, index = decode_cells(kinds.cells, len(kinds.systems))
        win, tie, loss = (kinds.amounts * (index == outcome) for outcome in range(3))
        if self.ties == "half":
            win, loss = win + tie / 2, loss + tie / 2
        if not self.kind:
            tie = np.zeros_like(tie)
        unit = np.repeat(np.arange(len(kinds.copies)), np.diff(kinds.starts))
        entries = Entries(unit, a, b, win, tie, loss)
        moved = moves(self.kind, entries, *self._maximum(counts))[:, :-1]
        nothing = self._scaled(np.zeros((1, len(counts.systems))), counts.systems)
        return np.asarray(self._scaled(moved, counts.systems) - nothing)

    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray:
        """From the information of the fit, the prior's included, as if the strengths of all others were known.

        Scores are relative to their mean, so one of which little is known makes all seem unsure.
        """
        place = cast(BradleyTerryFit, fit).place[:, None]
        known = information(self.kind, self._meetings(counts.batch), place, self.precision)[0]
        variance = 1 / np.diag(known)[:-1]
        if (anchor := self._anchor()) is not None:
            fixed = counts.systems.index(anchor[0])
            variance = variance + variance[fixed]
            variance[fixed] = 0.0
        return np.asarray((ELO if self.scale == "elo" else 1.0) * np.sqrt(variance))

    def shifting(self, counts: PairCounts, fit: Fit) -> Shifting:
        """Seen from the mean by information; without the anchor, which says nothing of how sure differences are."""
        free, n = replace(self, anchor=""), len(counts.systems)
        errors = free.independent_errors(counts, fit)
        anchor = self._anchor()
        fixed = np.full(n, 1 / n) if anchor is None else np.eye(n)[counts.systems.index(anchor[0])]
        return Shifting(free, errors**-2 / (errors**-2).sum(), fixed)

    def one_sided(self, counts: PairCounts) -> BoolArray:
        """Systems whose strength only the prior keeps finite, seen from the anchor or else the largest group."""
        label = _groups(counts, ties_bind=self.ties != "ignore")
        if (anchor := self._anchor()) is not None:
            return np.asarray(label != label[counts.systems.index(anchor[0])])
        sizes = np.bincount(label)
        largest = np.flatnonzero(sizes == sizes.max())
        return np.asarray(label != largest[0]) if len(largest) == 1 else np.ones(len(label), dtype=bool)

    @property
    def logit(self) -> float:  # type: ignore[override]  # the scale decides
        """How far apart odds of e put two systems."""
        return ELO if self.scale == "elo" else 1.0

    @property
    def kind(self) -> int:
        """The number the kernel knows this way of ties by."""
        return _KINDS[self.ties]

    @property
    def linked_by(self) -> Links:  # type: ignore[override]  # one setting decides
        """Which judgments put two systems on one scale: ties do, unless they are ignored."""
        return "decisive" if self.ties == "ignore" else "any"

    @property
    def precision(self) -> float:
        return self.sd**-2 if self.prior == "normal" else 0.0

    def _maximum(self, counts: PairCounts) -> tuple[FloatArray, FloatArray]:
        """The parameters at the maximum, and the information there."""
        data = self._meetings(counts.batch)
        start = np.zeros((len(counts.systems) + 1, 1))
        x, _, _ = newton(self.kind, data, start, self.precision, _TOLERANCE, _STEPS)
        return x[:, 0], information(self.kind, data, x, self.precision)[0]

    def _fit(self, counts: PairCounts, start: FloatArray) -> BradleyTerryFit:
        if self.prior == "none":
            _check_bounded(counts, ties_bind=self.ties != "ignore")
        data = self._meetings(counts.batch)
        places, steps, converges = newton(self.kind, data, start[:, None], self.precision, _TOLERANCE, _STEPS)
        x, converged = places[:, 0], bool(converges[0])
        scores = self._scaled(x[None, :-1], counts.systems)[0]
        inverse = np.linalg.inv(information(self.kind, data, places, self.precision)[0])
        covariance = self._centred(inverse, counts.systems)
        unit = ELO if self.scale == "elo" else 1.0
        return BradleyTerryFit(
            self,
            counts.systems,
            scores,
            unit * np.sqrt(np.diag(covariance)[:-1]),
            Convergence(converged, int(steps[0]), "Newton's method, step below 1e-10"),
            () if converged else ("Newton's method did not converge",),
            outcomes=self.outcomes(x),
            theta=x[:-1],
            tie_parameter=self._tie_parameter(x[-1]),
            covariance=covariance,
            counts=counts,
            place=x,
        )

    def outcomes(self, x: FloatArray) -> FloatArray:
        """P(win), P(tie), P(loss) of every two systems."""
        d = x[:-1, None] - x[None, :-1]
        if self.ties == "davidson":
            logits = np.stack([d / 2, np.full_like(d, x[-1]), -d / 2], axis=-1)
        elif self.ties == "rao-kupper":
            shift = np.log1p(np.exp(x[-1])) / 2
            win, loss = -np.logaddexp(0, shift - d), -np.logaddexp(0, shift + d)
            logits = np.stack([win, x[-1] + win + loss, loss], axis=-1)
        else:
            logits = np.stack([-np.logaddexp(0, -d), np.full_like(d, -np.inf), -np.logaddexp(0, d)], axis=-1)
        share = np.maximum(np.exp(logits - logits.max(-1, keepdims=True)), _LEAST)
        return np.asarray(share / share.sum(-1, keepdims=True))

    def _meetings(self, batch: PairCounts) -> Meetings:
        """Wins and ties as the likelihood counts them."""
        wins = batch.wins + batch.ties / 2 if self.ties == "half" else batch.wins
        return Meetings.of(wins, batch.ties if self.kind else np.zeros_like(batch.ties))

    def _tie_parameter(self, kappa: float) -> float | None:
        values = {"davidson": np.exp(kappa), "rao-kupper": np.sqrt(1 + np.exp(kappa))}
        return float(values[self.ties]) if self.ties in values else None

    def _scaled(self, theta: FloatArray, systems: tuple[str, ...]) -> FloatArray:
        """Rows of strengths on the scale that was asked for."""
        scores = theta * ELO + ELO_MEAN if self.scale == "elo" else theta
        anchor = self._anchor()
        if anchor is None:
            return scores
        name, value = anchor
        if name not in systems:
            raise InputError(f"setting anchor: there is no system {name!r}; there are: {', '.join(systems)}")
        return np.asarray(scores - scores[:, [systems.index(name)]] + value)

    def _centred(self, covariance: FloatArray, systems: tuple[str, ...]) -> FloatArray:
        """Covariance of strengths relative to what the scale holds fixed: their mean, or the anchor."""
        n = len(systems)
        anchor = self._anchor()
        fixed = np.full(n, 1 / n) if anchor is None else np.eye(n)[systems.index(anchor[0])]
        shift = np.eye(n + 1)
        shift[:n, :n] -= fixed
        return np.asarray(shift @ covariance @ shift.T)

    def _anchor(self) -> tuple[str, float] | None:
        if not self.anchor:
            return None
        name, sign, value = self.anchor.rpartition("=")
        try:
            if name and sign and np.isfinite(float(value)):
                return name, float(value)
        except ValueError:
            pass
        raise InputError(f"setting anchor: got {self.anchor!r}; allowed: NAME=VALUE, e.g. some-system=1000")


@dataclass(frozen=True)
class BradleyTerryFit(OutcomeFit):
    """Strengths with their covariance (of θ and, last, the tie parameter κ) and the tie parameter, ν or η."""

    theta: FloatArray = field(kw_only=True, repr=False)
    tie_parameter: float | None = field(kw_only=True)
    covariance: FloatArray = field(kw_only=True, repr=False)
    counts: PairCounts = field(kw_only=True, repr=False)
    place: FloatArray = field(kw_only=True, repr=False)

    def update(self, more: Judgments | PairCounts) -> Fit:
        """Newton's method from where this fit ended, which takes few steps for few judgments."""
        model = cast(BradleyTerry, self.model)
        counts = self.counts.plus(counts_of(more))
        check_placeable(counts, linked_by=model.linked_by)
        known = dict(zip(self.systems, self.theta, strict=True))
        start = np.array([*[known.get(name, 0.0) for name in counts.systems], self.place[-1]])
        return model._fit(counts, start)


@dataclass(frozen=True)
class Resampled:
    """Bradley–Terry near a known fit: what the bootstrap scores its samples with."""

    model: BradleyTerry
    place: FloatArray = field(repr=False)
    inverse: FloatArray = field(repr=False)

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        model = self.model
        data = model._meetings(batch)
        near = refit(model.kind, data, self.place, self.inverse, model.precision, _TOLERANCE, _STEPS)
        return model._scaled(near[:-1].T, batch.systems)


def _groups(counts: PairCounts, *, ties_bind: bool) -> IntArray:
    """Groups of systems, by number, that beat, or tie with, each other in circles; 0 for all if there is only one.

    Of two groups, one won every comparison with the other: how far apart they are only a prior can say (Ford 1957).
    """
    beats = counts.wins + (counts.ties if ties_bind else 0)
    return circles(beats > 0)


def _check_bounded(counts: PairCounts, *, ties_bind: bool) -> None:
    """Maximum likelihood is finite only if no group of systems beats all others every time (Ford 1957)."""
    label = _groups(counts, ties_bind=ties_bind)
    if not label.any():
        return
    number = label.max() + 1
    groups = ["; ".join(n for n, g in zip(counts.systems, label, strict=True) if g == k) for k in range(number)]
    raise UnplaceableError(
        f"without a prior the strengths are infinite: of these {number} groups, each won or lost all its comparisons "
        f"with others: {' | '.join(groups[:6])}; use the prior (--set prior=normal)"
    )
