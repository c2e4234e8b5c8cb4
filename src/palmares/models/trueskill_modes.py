"""How each mode of ``trueskill`` is computed.

``replay``, ``shuffled`` and ``batch`` read counts only; ``sequence`` and ``rankings`` need the rows in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .. import compute
from ..compute import RngLike
from ..judgments import Judgments
from ..judgments.arrays import FloatArray, IntArray
from ..judgments.counts import PairCounts
from .base import Convergence, CountModel, Fit, counts_of
from .playoffs import order_by_content
from .trueskill import TrueSkill, TrueSkillFit
from .trueskill_rows import (
    Chains,
    Rows,
    chains_of,
    checked,
    codes_among,
    content,
    expanded,
    needs_rows,
    rows_of,
    shared,
    total,
)

#: When sweeps stop, in units of the prior's standard deviation; and after how many they give up.
_TOLERANCE = 1e-11
_SWEEPS = 1000

#: Means and variances.
Posterior = tuple[FloatArray, FloatArray]
#: β and ε.
Scale = tuple[float, float]

_BETA_GROWS = "β grows with the number of judgments"
_ONE_BY_ONE = {
    "duplication": _BETA_GROWS,
    "weights": "every judgment is taken once, so weights are refused",
    "update": "the pass goes on with the β of the first judgments",
}


class _Recounted(TrueSkill, CountModel):
    """The modes that start over from all counts when judgments are added."""

    def add(self, fit: TrueSkillFit, more: Judgments | PairCounts) -> Fit:
        counts = _counts_among(fit, more)
        assert fit.counts is not None
        both = replace(fit.counts, wins=fit.counts.wins + counts.wins, ties=fit.counts.ties + counts.ties)
        return self.fit(both, rng=fit.entropy)


class ReplayedTrueSkill(_Recounted):
    """The official WMT procedure: as many random steps as there are judgments, and the mean over many such runs."""

    modes = ("replay",)
    ranges_from = "runs"
    lacks = {  # noqa: RUF012
        "monotone": "a mean over random runs moves by its Monte Carlo error",
        "duplication": f"{_BETA_GROWS}, and so does the length of a run",
    }

    def single_run(self) -> ReplayedTrueSkill:
        """The same model with one run: all that a bootstrap needs of a fit, since its samples are the runs."""
        return replace(self, runs=1)

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        """One run for every member of the batch."""
        members = zip(batch.wins, batch.ties, rngs, strict=True)
        return np.stack([self.run(wins, ties, rng)[0] for wins, ties, rng in members])

    def run(self, wins: FloatArray, ties: FloatArray, rng: np.random.Generator) -> Posterior:
        """Means and variances at the end of one run."""
        from ..kernels.trueskill import replay

        judgments = total(wins, ties)
        mean, variance = replay(wins, ties, round(judgments), self.sigma, *self.scale(judgments), rng)
        return mean, variance

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        counts = checked(data)
        # Draws go by content, not by name, so that renamed systems keep their scores.
        order, alike = order_by_content(content(counts))
        part = np.ix_(order, order)
        seeds = np.random.default_rng(rng).integers(0, 2**63, self.runs)
        pieces = np.array_split(seeds, min(self.runs, 4 * compute.cores()))
        tasks = [(self, counts.wins[part], counts.ties[part], piece) for piece in pieces]
        runs = np.concatenate(compute.run(_runs, tasks), axis=1)[..., np.argsort(order)]
        mean, variance = (shared(runs[k].mean(axis=0), alike) for k in (0, 1))
        fit = _fit(self, counts.systems, (mean, variance), self.scale(counts.total), counts.total)
        done = Convergence(True, self.runs, "random runs")
        return replace(fit, convergence=done, draws=runs[0], counts=counts, entropy=int(seeds[0]))


def _runs(model: ReplayedTrueSkill, wins: FloatArray, ties: FloatArray, seeds: IntArray) -> FloatArray:
    """Means and variances at the end of one run a seed: an array (2, seeds, systems)."""
    return np.stack([model.run(wins, ties, np.random.default_rng(int(seed))) for seed in seeds], axis=1)


class BatchTrueSkill(_Recounted):
    """All judgments at once: expectation propagation to convergence, whatever their order."""

    modes = ("batch",)
    lacks = {"duplication": _BETA_GROWS}  # noqa: RUF012

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        return np.stack([self.run(wins, ties)[0] for wins, ties in zip(batch.wins, batch.ties, strict=True)])

    def run(self, wins: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray, int, float]:
        """Means, variances, sweeps made and the last change."""
        from ..kernels.trueskill_ep import propagate

        beta, margin = self.scale(total(wins, ties))
        won, tied = np.nonzero(wins), np.nonzero(np.triu(ties, 1))
        first, second = np.concatenate([won, tied], axis=1)
        count = np.concatenate([wins[won], ties[tied]])
        is_tie = np.arange(len(first)) >= len(won[0])
        limits = (2 * beta**2, margin, _TOLERANCE * self.sigma, _SWEEPS)
        mean, variance, sweeps, change = propagate(*_start(self, len(wins)), first, second, is_tie, count, *limits)
        return mean, variance, sweeps, change

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        counts = checked(data)
        mean, variance, sweeps, change = self.run(counts.wins, counts.ties)
        done = _convergence(change <= _TOLERANCE * self.sigma, sweeps, change)
        fit = _fit(self, counts.systems, (mean, variance), self.scale(counts.total), counts.total)
        return replace(fit, convergence=done, counts=counts)


class ShuffledTrueSkill(TrueSkill, CountModel):
    """One pass over the judgments in random order."""

    modes = ("shuffled",)
    lacks = {  # noqa: RUF012
        **_ONE_BY_ONE,
        "monotone": "the order of the judgments is random, and it matters",
        "relabelling": "which judgment comes when depends on the order of the systems' names",
    }

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        start = _start(self, len(batch.systems))
        members = zip(batch.wins, batch.ties, rngs, strict=True)
        return np.stack([_shuffled(start, w, t, self.scale(total(w, t)), rng)[0] for w, t, rng in members])

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        counts = checked(data)
        generator = np.random.default_rng(rng)
        scale = self.scale(counts.total)
        ended = _shuffled(_start(self, len(counts.systems)), counts.wins, counts.ties, scale, generator)
        fit = _fit(self, counts.systems, ended, scale, counts.total)
        return replace(fit, convergence=_ONE_PASS, entropy=int(generator.integers(0, 2**63)))

    def add(self, fit: TrueSkillFit, more: Judgments | PairCounts) -> Fit:
        counts = _counts_among(fit, more)
        generator = np.random.default_rng(fit.entropy)
        ended = _shuffled(_reached(fit), counts.wins, counts.ties, (fit.beta, fit.margin), generator)
        return _moved(fit, ended, int(generator.integers(0, 2**63)))


class OrderedTrueSkill(TrueSkill):
    """One pass over the rows, or over whole rankings, in the order they are given."""

    modes = ("sequence", "rankings")
    needs = "rows"
    lacks = {  # noqa: RUF012
        **_ONE_BY_ONE,
        "monotone": "the order of the judgments matters",
        "relabelling": "the chain of a tie follows the order of the systems' names",
        "row order": "judgments are taken in the order of the rows",
    }

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        codes = np.arange(len(judgments.systems))
        return self.run(judgments, codes, _start(self, len(codes)), self.scale(len(judgments)))[0][0]

    def run(
        self, judgments: Judgments, codes: IntArray, start: Posterior, scale: Scale
    ) -> tuple[Posterior, Convergence, tuple[str, ...]]:
        """Where the pass ends, how well its rankings converged, and what to say of them."""
        if self.mode == "sequence":
            return _played(start, rows_of(judgments, codes), scale), _ONE_PASS, ()
        chains = chains_of(judgments)
        ended, change = self.chained(chains._replace(members=codes[chains.members]), start, scale)
        done = _convergence(change <= _TOLERANCE, 1, change)
        return ended, done, (chains.note,) if chains.note else ()

    def chained(self, chains: Chains, start: Posterior, scale: Scale) -> tuple[Posterior, float]:
        from ..kernels.trueskill_ep import play_rankings

        mean, variance = start[0].copy(), start[1].copy()
        both = self.tie_order == "both"
        change = play_rankings(mean, variance, *chains[:3], *scale, both, _TOLERANCE)
        return (mean, variance), change

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        checked(data)
        judgments = needs_rows(data, self.mode)
        scale = self.scale(len(judgments))
        codes = np.arange(len(judgments.systems))
        ended, done, notes = self.run(judgments, codes, _start(self, len(codes)), scale)
        fit = _fit(self, judgments.systems, ended, scale, len(judgments))
        return replace(fit, convergence=done, notes=(*fit.notes, *notes))

    def add(self, fit: TrueSkillFit, more: Judgments | PairCounts) -> Fit:
        judgments = needs_rows(more, self.mode)
        codes = codes_among(fit.systems, judgments.systems)
        return _moved(fit, self.run(judgments, codes, _reached(fit), (fit.beta, fit.margin))[0], fit.entropy)


CLASSES: tuple[type[TrueSkill], ...] = (ReplayedTrueSkill, ShuffledTrueSkill, BatchTrueSkill, OrderedTrueSkill)

_ONE_PASS = Convergence(True, 1, "one pass")


def _counts_among(fit: TrueSkillFit, more: Judgments | PairCounts) -> PairCounts:
    """The counts of more judgments, by the codes of the systems that were fitted."""
    counts = counts_of(more)
    part = np.ix_(*[codes_among(fit.systems, counts.systems)] * 2)
    wins, ties = (np.zeros([len(fit.systems)] * 2) for _ in range(2))
    wins[part], ties[part] = counts.wins, counts.ties
    return PairCounts(fit.systems, wins, ties, counts.lang_pair)


def _start(model: TrueSkill, systems: int) -> Posterior:
    return np.zeros(systems), np.full(systems, model.sigma**2)


def _reached(fit: TrueSkillFit) -> Posterior:
    assert fit.scores is not None
    assert fit.deviations is not None
    return fit.scores, fit.deviations**2


def _shuffled(
    start: Posterior, wins: FloatArray, ties: FloatArray, scale: Scale, rng: np.random.Generator
) -> Posterior:
    rows = expanded(wins, ties)
    order = rng.permutation(len(rows.first))
    return _played(start, Rows(rows.first[order], rows.second[order], rows.outcome[order]), scale)


def _played(start: Posterior, rows: Rows, scale: Scale) -> Posterior:
    from ..kernels.trueskill import play_sequence

    mean, variance = start[0].copy(), start[1].copy()
    play_sequence(mean, variance, *rows, *scale)
    return mean, variance


def _convergence(converged: bool, iterations: int, change: float) -> Convergence:
    return Convergence(bool(converged), iterations, f"expectation propagation, last change {change:.1g}")


def _fit(model: TrueSkill, systems: tuple[str, ...], ended: Posterior, scale: Scale, judgments: float) -> TrueSkillFit:
    notes = (model.scale_note(judgments),)
    beta, margin = scale
    return TrueSkillFit(model, systems, ended[0], np.sqrt(ended[1]), notes=notes, beta=beta, margin=margin)


def _moved(fit: TrueSkillFit, ended: Posterior, entropy: int) -> TrueSkillFit:
    return replace(fit, scores=ended[0], deviations=np.sqrt(ended[1]), entropy=entropy)
