"""The bootstrap, for every model.

Replicate r draws from its own generator, made from the seed and r alone. So the same seed gives the same
numbers however the replicates are cut into pieces and wherever these run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compute import Execution, Stream, generator
from ..errors import InputError
from ..judgments import (
    FloatArray,
    IntArray,
    Judgments,
    PairCounts,
    Unit,
    UnitKinds,
    check_units,
    choose_unit,
    row_words,
    unit_codes,
    unit_count,
    unit_kinds,
)
from ..models.base import Fit, Model, Rescorer, Scorer

#: From this many units on, what is said of few ones changes intervals by less than a hundredth.
ENOUGH_UNITS = 200
#: A piece of work holds at most about this many numbers, which bounds memory.
_NUMBERS_IN_A_PIECE = 4_000_000
_PIECES_PER_WORKER = 4
#: Nobody can stop a piece that another machine has begun, so those of slow models are small.
_REFITS_IN_A_PIECE = 8


@dataclass(frozen=True)
class Replicates:
    """Scores of every bootstrap sample, and the places they give (1 = best); arrays (samples, systems).

    ``covariance`` is that of the scores if it is not simply that of the samples, ``df`` its degrees of freedom (None:
    many): samples of few units are stretched so that they are spread as a t distribution is.
    """

    systems: tuple[str, ...]
    scores: FloatArray = field(repr=False)
    places: IntArray = field(repr=False)
    covariance: FloatArray | None = field(default=None, repr=False)
    df: float | None = None

    @property
    def spread(self) -> FloatArray:
        """The covariance of the scores."""
        return np.atleast_2d(np.cov(self.scores, rowvar=False)) if self.covariance is None else self.covariance


def resample(
    model: Model, data: Judgments | PairCounts, *, unit: Unit, resamples: int, execution: Execution
) -> Replicates:
    """Score ``resamples`` bootstrap samples of the units of ``data``.

    A model that needs counts is scored on resampled counts; any other is refitted to resampled judgments. Of few units
    (rankings, segments, judges) samples vary too little; see `widened`.
    """
    samples = plain_samples(model, data, unit=unit, resamples=resamples, execution=execution)
    units = unit_count(data, unit)
    return samples if unit == "pair" or units >= ENOUGH_UNITS else widened(samples, model, units, execution)


def widened(samples: Replicates, model: Model, units: int, execution: Execution) -> Replicates:
    """The samples, stretched around their mean as few units ask for.

    Their variance is too small by (G − 1) / G, and was estimated with G − 1 degrees of freedom.
    """
    return stretched(samples, model, np.full(len(samples.systems), units / (units - 1)), units - 1.0, execution)


def stretched(samples: Replicates, model: Model, factors: FloatArray, df: float, execution: Execution) -> Replicates:
    """The samples with variances ``factors`` times as large, spread around their mean as a t distribution is."""
    rng = execution.generator(Stream.FEW_UNITS)
    mean, scale = samples.scores.mean(axis=0), np.sqrt(factors)
    heavy = np.sqrt(df / rng.chisquare(df, len(samples.scores)))[:, None]
    scores = np.clip(mean + (samples.scores - mean) * scale * heavy, *model.limits(len(samples.systems)))
    places = np.stack([places_of(row, rng) for row in scores])
    return Replicates(samples.systems, scores, places, scale[:, None] * samples.spread * scale, df)


def plain_samples(
    model: Model, data: Judgments | PairCounts, *, unit: Unit, resamples: int, execution: Execution
) -> Replicates:
    """The bootstrap samples as they are drawn."""
    if resamples < 1:
        raise InputError(f"resamples: got {resamples}; allowed: at least 1, or no resampling (--resample none)")
    choose_unit(data, unit)  # which refuses what cannot be drawn
    check_units(data, unit)
    if model.needs == "counts":
        kinds = unit_kinds(data, unit)
        numbers = len(kinds.copies) + 6 * len(kinds.systems) ** 2
        pieces = _pieces(resamples, _NUMBERS_IN_A_PIECE // max(numbers, 1), execution.slots)
        full = kinds.tables(kinds.copies[None])
        scorer = model.prepared(PairCounts(full.systems, full.wins[0], full.ties[0]))
        parts = execution.run(_score_counts, pieces, shared=(scorer, kinds, execution.seed))
    else:
        if isinstance(data, PairCounts):
            raise InputError(f"model {model.id!r} needs the judgments, not only their pair counts")
        if not model.ranks:
            raise InputError(f"model {model.id!r} predicts but does not rank, so there is nothing to resample")
        pieces = _pieces(resamples, _REFITS_IN_A_PIECE, execution.slots)
        units = unit_codes(data, unit)
        if model.warm_starts:
            own = np.ones(len(data)) if data.weights is None else data.weights
            parts = execution.run(_reweigh, pieces, shared=(model.warmed(data), own, units, execution.seed))
        else:
            parts = execution.run(_refit, pieces, shared=(model, data, units, execution.seed))
    # In rows, whatever the pieces were like in memory: sums over samples round differently in columns.
    scores, places = (np.ascontiguousarray(np.concatenate(column)) for column in zip(*parts, strict=True))
    return Replicates(data.systems, scores, places)


def from_draws(fit: Fit, execution: Execution) -> Replicates:
    """The fit's own posterior draws or runs in the place of bootstrap samples."""
    if fit.draws is None:
        raise InputError(
            f"model {fit.model.id!r} makes no draws to take ranges from; use --resample two-way, ranking or pair"
        )
    order = [places_of(row, execution.generator(Stream.DRAWS, r)) for r, row in enumerate(fit.draws)]
    return Replicates(fit.systems, fit.draws, np.stack(order))


def comparable(scores: FloatArray) -> FloatArray:
    """The scores without the noise in the last bits of floating sums, so that equal ones are equal."""
    return np.round(scores, 12)


def places_of(scores: FloatArray, rng: np.random.Generator) -> IntArray:
    """Places from 1, best first; equal scores in random order."""
    order = np.lexsort((rng.random(len(scores)), -comparable(scores)))
    place = np.empty(len(scores), dtype=np.int64)
    place[order] = np.arange(1, len(scores) + 1)
    return place


def _pieces(resamples: int, most: int, slots: int) -> list[tuple[int, int]]:
    even = -(-resamples // (_PIECES_PER_WORKER * slots))
    step = max(1, min(most, even))
    return [(lo, min(lo + step, resamples)) for lo in range(0, resamples, step)]


def _score_counts(model: Scorer, kinds: UnitKinds, seed: int, lo: int, hi: int) -> tuple[FloatArray, IntArray]:
    rngs = [generator(seed, Stream.REPLICATES, r) for r in range(lo, hi)]
    drawn = np.stack([kinds.draw(rng) for rng in rngs])
    scores = model.score(kinds.tables(drawn), rngs)
    return scores, np.stack([places_of(row, rng) for row, rng in zip(scores, rngs, strict=True)])


def _refit(
    model: Model, judgments: Judgments, units: IntArray, seed: int, lo: int, hi: int
) -> tuple[FloatArray, IntArray]:
    # Rows by unit, then by content, so that the order of the file plays no part.
    order = np.lexsort((row_words(judgments.frame), units))
    starts = np.searchsorted(units[order], np.arange(units.max() + 2))
    results = []
    for r in range(lo, hi):
        rng = generator(seed, Stream.REPLICATES, r)
        picks = rng.integers(0, len(starts) - 1, len(starts) - 1)
        rows = np.concatenate([order[starts[u] : starts[u + 1]] for u in picks])
        scores = model.rescore(judgments.take(rows), rng=rng)
        results.append((scores, places_of(scores, rng)))
    return np.stack([s for s, _ in results]), np.stack([p for _, p in results])


def _reweigh(
    model: Rescorer, weights: FloatArray, units: IntArray, seed: int, lo: int, hi: int
) -> tuple[FloatArray, IntArray]:
    """The same samples as by `_refit`, as how often each judgment is in them."""
    count, results = int(units.max()) + 1, []
    for r in range(lo, hi):
        rng = generator(seed, Stream.REPLICATES, r)
        drawn = np.bincount(rng.integers(0, count, count), minlength=count)
        scores = model.rescore(weights * drawn[units])
        results.append((scores, places_of(scores, rng)))
    return np.stack([s for s, _ in results]), np.stack([p for _, p in results])
