"""``trueskill``: settings, what a fit gives, and how each mode is computed.

A `TrueSkill` is its settings; its ``mode`` selects an object that computes. ``replay``, ``shuffled`` and ``batch`` read
counts only; ``sequence`` and ``rankings`` need the rows in their order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ..compute import Execution, RngLike
from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, Kept, PairCounts
from . import trueskill_rows as reading
from .base import Convergence, Fit, ModelBase, Needs, OutcomeFit, RangeSource
from .cuts import FIT, Constant
from .playoffs import order_by_content
from .trueskill_predictions import cut_difference, prediction_constants

MODES = ("replay", "sequence", "shuffled", "rankings", "batch")
PRESETS = ("program", "paper")
#: When sweeps stop, in units of the prior's standard deviation; and after how many they give up.
_TOLERANCE, _SWEEPS = 1e-11, 1000

#: Means and variances.
Posterior = tuple[FloatArray, FloatArray]
Scale = tuple[float, float]  # β and ε
#: Where a pass over rows ends, how well its rankings converged, and what to say of them.
Ended = tuple[Posterior, Convergence, tuple[str, ...]]


@dataclass(frozen=True)
class TrueSkill(ModelBase):
    """Skills N(μ_i, σ_i²), updated judgment by judgment (Herbrich et al. 2007; Sakaguchi et al. 2014, §2.3).

    With t = μ1 − μ2 (1 the winner), c² = 2β² + σ1² + σ2² and margin ε: μ1 += σ1²/c · v, μ2 −= σ2²/c · v and
    σi² ← σi² (1 − σi²/c² · w), v and w taken at (t/c, ε/c). The score is μ.

    Attributes
    ----------
    mode
        ``replay``: the official WMT procedure, random runs over the counts. ``sequence``: one pass in the order of
        the rows. ``shuffled``: one pass in random order. ``rankings``: one pass, every ranking an update. ``batch``:
        all judgments at once, by expectation propagation.
    preset
        ``program``: β = σ n / 40 for n judgments, ε from the draw probability. ``paper``: β = 0.025 n σ², ε = 0.25.
    sigma
        σ that every system starts with.
    beta, margin
        β and ε; 0: by the preset.
    draw_probability
        p in ε = Φ⁻¹((p + 1) / 2) √2 β, for the preset ``program``.
    runs
        How many runs a fit by ``replay`` makes.
    radius
        A prediction is a tie where the difference of two systems is less than this; ``fit``: estimated from the
        judgments, given the skills.
    spread
        How many times √(σ1² + σ2²) the standard deviation of a predicted difference is: 1 as published, more because
        single judgments are noisy. ``fit``: estimated from the judgments.
    tie_order
        In ``rankings``, the chain of those that share a place: ``both`` orders averaged, or as ``given``.
    """

    id = "trueskill"
    updates = True
    fits: ClassVar[tuple[str, ...]] = ("radius", "spread")

    mode: str = "replay"
    preset: str = "program"
    sigma: float = 0.5
    beta: float = 0.0
    margin: float = 0.0
    draw_probability: float = 0.25
    runs: int = 1000
    radius: Constant = 0.1
    spread: Constant = 1.0
    tie_order: str = "both"

    def __post_init__(self) -> None:
        for name, allowed in {"mode": MODES, "preset": PRESETS, "tie_order": ("both", "given")}.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"setting {name}: got {getattr(self, name)!r}; allowed: {', '.join(allowed)}")
        constants = [name for name in self.fits if getattr(self, name) != FIT]
        for name in ("sigma", "beta", "margin", "draw_probability", *constants):
            object.__setattr__(self, name, float(getattr(self, name)))
        for name in ("sigma", *constants):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"setting {name}: got {getattr(self, name)}; allowed: a number above 0")
        for name in ("beta", "margin"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(
                    f"setting {name}: got {getattr(self, name)}; allowed: a number above 0, or 0 for the preset's"
                )
        if not 0 < self.draw_probability < 1:
            raise InputError(f"setting draw_probability: got {self.draw_probability}; allowed: between 0 and 1")
        if self.runs < 1:
            raise InputError(f"setting runs: got {self.runs}; allowed: at least 1")

    @property
    def computing(self) -> Mode:
        """What computes this model's mode."""
        return _MODES[self.mode]

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        return self.computing.needs

    @property
    def weights(self) -> bool:  # type: ignore[override]
        return self.computing.weights

    @property
    def forced_ties(self) -> Kept:  # type: ignore[override]
        return self.computing.forced_ties

    @property
    def ranges_from(self) -> RangeSource:  # type: ignore[override]
        return self.computing.ranges_from

    @property
    def lacks(self) -> Mapping[str, str]:  # type: ignore[override]
        return self.computing.lacks

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> TrueSkillFit:
        return self.computing.fit(self, data, rng)

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        members = zip(batch.wins, batch.ties, rngs, strict=True)
        return np.stack([self.computing.skills(self, wins, ties, rng)[0] for wins, ties, rng in members])

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        codes = np.arange(len(judgments.systems))
        return self.computing.passed(self, judgments, codes, _start(self, len(codes)), self.scale(len(judgments)))[0][0]

    def single_run(self) -> TrueSkill:
        return replace(self, runs=1) if self.ranges_from == "runs" else self

    def scale(self, judgments: float) -> Scale:
        """β and ε for so many judgments; ε = Φ⁻¹((p + 1) / 2) √2 β lets equal systems tie with probability p."""
        from scipy.special import ndtri

        program = self.preset == "program"
        beta = self.beta or (self.sigma * judgments / 40 if program else 0.025 * judgments * self.sigma**2)
        chance = float(ndtri((self.draw_probability + 1) / 2)) * math.sqrt(2)
        return beta, self.margin or (chance * beta if program else 0.25)


@dataclass(frozen=True)
class TrueSkillFit(OutcomeFit):
    """Means as scores, standard deviations as deviations; predictions follow from them.

    The difference of two systems is N(μ1 − μ2, k²(σ1² + σ2²)), cut at ± the radius; with the spread k = 1 as by
    Sakaguchi et al. 2014, §3.2.
    """

    model: TrueSkill
    outcomes: FloatArray = field(init=False, repr=False)
    #: β and ε that were used.
    beta: float = field(kw_only=True)
    margin: float = field(kw_only=True)
    #: The counts so far: modes that read counts start over when judgments are added, and constants are fitted to them.
    counts: PairCounts = field(kw_only=True, repr=False)
    #: Seeds the generator of an update.
    entropy: int = field(kw_only=True, default=0, repr=False)

    def __post_init__(self) -> None:
        assert self.scores is not None
        assert self.deviations is not None
        radius, spread = prediction_constants((self.model.radius, self.model.spread), *self.posterior, self.counts)
        found = {"radius": radius, "spread": spread}
        fitted = {name: value for name, value in found.items() if getattr(self.model, name) == FIT}
        object.__setattr__(self, "fitted", fitted)
        object.__setattr__(self, "outcomes", cut_difference(self.scores, spread * self.deviations, radius))

    def update(self, more: Judgments | PairCounts) -> Fit:
        """The fit with ``more`` judgments of the same systems: the pass goes on, or the counts are added."""
        return self.model.computing.added(self, more)

    @property
    def posterior(self) -> Posterior:
        assert self.scores is not None
        assert self.deviations is not None
        return self.scores, self.deviations**2


# -- the modes -------------------------------------------------------------------------------------


class Mode:
    """How one mode computes, and what follows from that for the model. It has no state: settings come with a model."""

    needs: ClassVar[Needs] = "counts"
    weights: ClassVar[bool] = True
    forced_ties: ClassVar[Kept] = "drop"
    ranges_from: ClassVar[RangeSource] = "resampling"
    lacks: ClassVar[Mapping[str, str]] = {}

    def fit(self, model: TrueSkill, data: Judgments | PairCounts, rng: RngLike) -> TrueSkillFit:
        raise NotImplementedError

    def added(self, fit: TrueSkillFit, more: Judgments | PairCounts) -> Fit:
        """The fit with more judgments; a mode that reads counts starts over from all of them."""
        return self.fit(fit.model, reading.counts_with(fit.counts, more), fit.entropy)

    def skills(self, model: TrueSkill, wins: FloatArray, ties: FloatArray, rng: np.random.Generator) -> Posterior:
        """Of a mode that reads counts: means and variances from them."""
        raise NotImplementedError

    def passed(self, model: TrueSkill, judgments: Judgments, codes: IntArray, start: Posterior, scale: Scale) -> Ended:
        """Of a mode that reads rows: what a pass over them comes to, from a start and with given β and ε."""
        raise NotImplementedError


_BETA_GROWS = "β grows with the number of judgments"
_ONE_BY_ONE = {"duplication": _BETA_GROWS, "update": "the pass goes on with the β of the first judgments"}
_ONE_PASS = Convergence(True, 1, "one pass")


class _Replay(Mode):
    """The official WMT procedure: as many random steps as there are judgments, and the mean over many such runs."""

    forced_ties = "keep"
    ranges_from = "runs"
    lacks = {  # noqa: RUF012
        "monotone": "a mean over random runs moves by its Monte Carlo error",
        "duplication": f"{_BETA_GROWS}, and so does the length of a run",
    }

    def skills(self, model: TrueSkill, wins: FloatArray, ties: FloatArray, rng: np.random.Generator) -> Posterior:
        """Where one run ends."""
        from ..kernels.trueskill import replay

        judgments = reading.judgment_count(wins, ties)
        mean, variance = replay(wins, ties, round(judgments), model.sigma, *model.scale(judgments), rng)
        return mean, variance

    def fit(self, model: TrueSkill, data: Judgments | PairCounts, rng: RngLike) -> TrueSkillFit:
        counts = reading.checked(data)
        # Draws go by content, not by name, so that renamed systems keep their scores.
        order, alike = order_by_content(reading.content(counts))
        part = np.ix_(order, order)
        seeds = np.random.default_rng(rng).integers(0, 2**63, model.runs)
        execution = Execution()
        pieces = np.array_split(seeds, min(model.runs, 4 * execution.slots))
        tasks = [(model, counts.wins[part], counts.ties[part], piece) for piece in pieces]
        runs = np.concatenate(execution.run(_runs, tasks), axis=1)[..., np.argsort(order)]
        mean, variance = (reading.shared(runs[k].mean(axis=0), alike) for k in (0, 1))
        fit = _fit(model, counts, (mean, variance))
        done = Convergence(True, model.runs, "random runs")
        return replace(fit, convergence=done, draws=runs[0], entropy=int(seeds[0]))


def _runs(model: TrueSkill, wins: FloatArray, ties: FloatArray, seeds: IntArray) -> FloatArray:
    """Means and variances at the end of one run per seed: an array (2, seeds, systems)."""
    ends = [model.computing.skills(model, wins, ties, np.random.default_rng(int(seed))) for seed in seeds]
    return np.stack(ends, axis=1)


class _Batch(Mode):
    """All judgments at once: expectation propagation to convergence, whatever their order."""

    lacks = {"duplication": _BETA_GROWS}  # noqa: RUF012

    def skills(self, model: TrueSkill, wins: FloatArray, ties: FloatArray, rng: np.random.Generator) -> Posterior:
        return self._propagated(model, wins, ties)[0]

    def fit(self, model: TrueSkill, data: Judgments | PairCounts, rng: RngLike) -> TrueSkillFit:
        counts = reading.checked(data)
        ended, sweeps, change = self._propagated(model, counts.wins, counts.ties)
        done = _convergence(change <= _TOLERANCE * model.sigma, sweeps, change)
        return replace(_fit(model, counts, ended), convergence=done)

    def _propagated(self, model: TrueSkill, wins: FloatArray, ties: FloatArray) -> tuple[Posterior, int, float]:
        """Means and variances, sweeps made and the last change."""
        from ..kernels.trueskill_ep import Matches, propagate

        beta, margin = model.scale(reading.judgment_count(wins, ties))
        won, tied = np.nonzero(wins), np.nonzero(np.triu(ties, 1))
        first, second = np.concatenate([won, tied], axis=1)
        count = np.concatenate([wins[won], ties[tied]])
        is_tie = np.arange(len(first)) >= len(won[0])
        matches, limits = Matches(first, second, is_tie, count), (_TOLERANCE * model.sigma, _SWEEPS)
        start = _start(model, len(wins))
        mean, variance, sweeps, change = propagate(*start, matches, 2 * beta**2, margin, *limits)
        return (mean, variance), sweeps, change


class _Shuffled(Mode):
    """One pass over the judgments in random order."""

    weights = False
    lacks = {  # noqa: RUF012
        **_ONE_BY_ONE,
        "monotone": "the order of the judgments is random, and it matters",
        "relabelling": "which judgment comes when depends on the order of the systems' names",
    }

    def skills(self, model: TrueSkill, wins: FloatArray, ties: FloatArray, rng: np.random.Generator) -> Posterior:
        scale = model.scale(reading.judgment_count(wins, ties))
        return _played(_start(model, len(wins)), reading.shuffled(wins, ties, rng), scale)

    def fit(self, model: TrueSkill, data: Judgments | PairCounts, rng: RngLike) -> TrueSkillFit:
        counts = reading.checked(data)
        generator = np.random.default_rng(rng)
        ended = self.skills(model, counts.wins, counts.ties, generator)
        fit = _fit(model, counts, ended)
        return replace(fit, convergence=_ONE_PASS, entropy=int(generator.integers(0, 2**63)))

    def added(self, fit: TrueSkillFit, more: Judgments | PairCounts) -> Fit:
        counts = reading.counts_among(fit.systems, more)
        generator = np.random.default_rng(fit.entropy)
        rows = reading.shuffled(counts.wins, counts.ties, generator)
        ended = _played(fit.posterior, rows, (fit.beta, fit.margin))
        return _moved(fit, ended, reading.counts_with(fit.counts, more), int(generator.integers(0, 2**63)))


class _Sequence(Mode):
    """One pass over the rows in the order they are given."""

    needs = "rows"
    weights = False
    lacks = {  # noqa: RUF012
        **_ONE_BY_ONE,
        "monotone": "the order of the judgments matters",
        "relabelling": "the chain of a tie follows the order of the systems' names",
        "row order": "judgments are taken in the order of the rows",
    }

    def passed(self, model: TrueSkill, judgments: Judgments, codes: IntArray, start: Posterior, scale: Scale) -> Ended:
        return _played(start, reading.rows_of(judgments, codes), scale), _ONE_PASS, ()

    def fit(self, model: TrueSkill, data: Judgments | PairCounts, rng: RngLike) -> TrueSkillFit:
        counts = reading.checked(data)
        judgments = reading.needs_rows(data, model.mode)
        codes = np.arange(len(judgments.systems))
        start, scale = _start(model, len(codes)), model.scale(len(judgments))
        ended, done, notes = self.passed(model, judgments, codes, start, scale)
        fit = _fit(model, counts, ended)
        return replace(fit, convergence=done, notes=(*fit.notes, *notes))

    def added(self, fit: TrueSkillFit, more: Judgments | PairCounts) -> Fit:
        judgments = reading.needs_rows(more, fit.model.mode)
        codes = reading.codes_among(fit.systems, judgments.systems)
        ended, _, _ = self.passed(fit.model, judgments, codes, fit.posterior, (fit.beta, fit.margin))
        return _moved(fit, ended, reading.counts_with(fit.counts, more), fit.entropy)


class _Rankings(_Sequence):
    """One pass over whole rankings in the order they begin in."""

    def passed(self, model: TrueSkill, judgments: Judgments, codes: IntArray, start: Posterior, scale: Scale) -> Ended:
        from ..kernels.trueskill_ep import Rankings, play_rankings

        chains = reading.chains_of(judgments)
        mean, variance = start[0].copy(), start[1].copy()
        rankings, both = Rankings(chains.starts, codes[chains.members], chains.tied), model.tie_order == "both"
        change = play_rankings(mean, variance, rankings, *scale, both, _TOLERANCE)
        done = _convergence(change <= _TOLERANCE, 1, change)
        return (mean, variance), done, (chains.note,) if chains.note else ()


_MODES: Mapping[str, Mode] = {
    "replay": _Replay(), "sequence": _Sequence(), "shuffled": _Shuffled(), "rankings": _Rankings(), "batch": _Batch(),
}  # fmt: skip


def _start(model: TrueSkill, systems: int) -> Posterior:
    return np.zeros(systems), np.full(systems, model.sigma**2)


def _played(start: Posterior, rows: reading.Rows, scale: Scale) -> Posterior:
    from ..kernels.trueskill import play_sequence

    mean, variance = start[0].copy(), start[1].copy()
    play_sequence(mean, variance, *rows, *scale)
    return mean, variance


def _convergence(converged: bool, iterations: int, change: float) -> Convergence:
    return Convergence(bool(converged), iterations, f"expectation propagation, last change {change:.1g}")


def _fit(model: TrueSkill, counts: PairCounts, ended: Posterior) -> TrueSkillFit:
    beta, margin = model.scale(counts.total)
    note = f"β = {beta:.4g}, ε = {margin:.4g}: preset {model.preset} for {counts.total:.10g} judgments"
    if model.beta and model.margin:
        note = f"β = {beta:.4g} and ε = {margin:.4g} as set"
    return TrueSkillFit(
        model, counts.systems, ended[0], np.sqrt(ended[1]), notes=(note,), beta=beta, margin=margin, counts=counts
    )


def _moved(fit: TrueSkillFit, ended: Posterior, counts: PairCounts, entropy: int) -> TrueSkillFit:
    return replace(fit, scores=ended[0], deviations=np.sqrt(ended[1]), counts=counts, entropy=entropy)
