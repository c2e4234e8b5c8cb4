"""What the uncertainty of a ranking rests on: bootstrap samples, judges and segments at once, draws, or sign tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from ..compute import Execution, Stream
from ..errors import InputError
from ..judgments import (
    TWO_WAY,
    UNITS,
    FloatArray,
    IntArray,
    Judgments,
    PairCounts,
    Unit,
    UnitKinds,
    choose_unit,
    few_units,
    linked_unit,
    sitting_kinds,
    unit_count,
    unit_kinds,
)
from ..models.base import Fit, Model, counts_of
from . import SOURCES
from .beliefs import posterior
from .bootstrap import Replicates, from_draws, places_of, plain_samples, resample, stretched
from .intervals import (
    EXACT,
    Spread,
    Trials,
    agreed_by_chance,
    few_one_sided,
    named,
    normal_spread,
    sampled_spread,
    spread,
)
from .joint import Joint, joint, joint_of_tests
from .looks import at_every_look, spread_at_every_look
from .ranges import rank_ranges
from .significance import decisions, sign_test_ranges, sign_tests, worse_than
from .two_way import Grouping, Uncertainty, combined, jackknife, lifted, row_jackknife

#: How many sides a sign test has.
SIGN_TESTS = {"sign-test": 2, "one-sided-sign-test": 1}
#: Draws from what is believed of the scores, which cost little: a probability of ½ is known to ± .008.
_BELIEFS = 4000


@dataclass(frozen=True)
class Request:
    """What ranges were asked for: the source that `source_of` gave, how many samples, the level, and where to draw.

    ``looks``: whether they are for one look (``once``) or for every look (``any``).
    """

    source: str | None
    resamples: int
    p: float
    execution: Execution
    looks: str = "once"

    def draw(self, model: Model, data: Judgments | PairCounts, unit: Unit) -> Replicates:
        return resample(model, data, unit=unit, resamples=self.resamples, execution=self.execution)


@dataclass(frozen=True)
class Evidence:
    """Ranges (systems, 2), the samples or tests behind them, and what signature and reader should know of them.

    ``beliefs`` are draws from what is believed of the scores (`beliefs.posterior`); probabilities are counted in them.
    ``shared`` is the share of every score's variance that comes of what judgments of one judge or segment share.
    """

    ranges: IntArray | None = field(default=None, repr=False)
    replicates: Replicates | None = field(default=None, repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    spread: Spread | None = field(default=None, repr=False)
    tests: FloatArray | None = field(default=None, repr=False)
    beliefs: Replicates | None = field(default=None, repr=False)
    joint: Joint | None = field(default=None, repr=False)
    shared: FloatArray | None = field(default=None, repr=False)


def source_of(model: Model, wanted: str | None) -> str | None:
    """Where ranges come from: one of `SOURCES`.

    ``auto`` is ``posterior`` for a model that draws from one, and ``pair`` for one whose published procedure draws
    single judgments and runs it anew on each sample.
    """
    if wanted in (None, "none"):
        return None
    if wanted not in SOURCES:
        raise InputError(f"unknown resampling unit {wanted!r}; allowed: {', '.join(SOURCES)}")
    own = {"posterior": "posterior", "runs": "pair", "resampling": wanted}
    return own[model.ranges_from] if wanted == "auto" else wanted


def collect(model: Model, data: Judgments | PairCounts, fit: Fit, request: Request) -> Evidence:
    """The evidence for the ranks of a fit: bootstrap samples, a model's own draws, sign tests, or nothing."""
    source, p = request.source, request.p
    if source in SIGN_TESTS:
        decided, sided = decisions(data), SIGN_TESTS[source]
        ranges = sign_test_ranges(decided, p=p, sided=sided)
        facts = {"unit": "sign-test", "sided": sided, "p": p}
        return Evidence(ranges, None, facts, tests=sign_tests(decided, sided=sided))
    if source == "posterior" or (source is None and model.ranges_from == "runs"):
        draws = from_draws(fit, request.execution)
        return _from_samples(draws, spread(draws, model, p), source, p)
    if source is None:
        return Evidence(facts={"unit": None})
    unit, why = choose_unit(data, source)
    if unit == TWO_WAY:
        found = _two_way(model, cast(Judgments, data), fit, request)
        return replace(found, notes=tuple(note for note in (why, few_one_sided(decisions(data)), *found.notes) if note))
    if source == "auto" and unit_count(data, unit) < 2:
        one = "judgment" if unit == "pair" else unit
        return Evidence(
            facts={"unit": None}, notes=(f"only one {one}, so there is nothing to resample and there are no ranges",)
        )
    samples = request.draw(model, data, unit)
    evidence = _from_samples(samples, sampled_spread(samples, model, data, unit, p), unit, p)
    notes = [why, few_units(data, unit), few_one_sided(decisions(data)), *evidence.notes]
    return replace(evidence, notes=tuple(note for note in notes if note))


def concluded(found: Evidence, data: Judgments | PairCounts, fit: Fit, request: Request, order: IntArray) -> Evidence:
    """With what can be said of all systems at once, and what is believed of each.

    Parameters
    ----------
    order
        The codes of the systems, best first.
    """
    if found.tests is not None:
        return replace(found, joint=joint_of_tests(worse_than(decisions(data)), order))
    if found.replicates is None:
        return found
    assert fit.scores is not None  # rank() refused other fits
    samples = _floored(found.replicates, data, fit, found.facts["unit"])
    beliefs = _beliefs(fit, samples, request) or found.replicates
    if request.looks == "any":
        found = _for_every_look(found, samples, data, fit, order)
        return replace(found, beliefs=beliefs)
    return replace(found, joint=joint(fit.scores, samples, order, agreed_by_chance(data)), beliefs=beliefs)


def _for_every_look(
    found: Evidence, samples: Replicates, data: Judgments | PairCounts, fit: Fit, order: IntArray
) -> Evidence:
    """The evidence, with ranges, intervals and boundaries that hold whenever one looks."""
    p = found.facts["p"]
    ranges, together = at_every_look(samples, data, fit, order, p)
    assert found.spread is not None  # samples have one
    spread = spread_at_every_look(found.spread, fit, samples.df, p)
    notes = tuple(note for note in found.notes if not note.startswith(EXACT))
    return replace(
        found,
        ranges=ranges,
        joint=together,
        spread=spread,
        notes=(*notes, *spread.notes),
    )


def _floored(samples: Replicates, data: Judgments | PairCounts, fit: Fit, unit: str | None) -> Replicates:
    """Bootstrap samples, spread as far as a system of a few units asks for: few that agree by chance seem sure.

    Ranges and intervals of the published procedures stay as these make them.
    """
    errors = fit.model.independent_errors(as_independent(data), fit) if unit in UNITS else None
    if errors is None:
        return samples
    covariance, shares = samples.spread, unit_kinds(data, cast(Unit, unit))
    variance = np.diag(covariance)
    raised = lifted(variance, Grouping.of(covariance, shares).effective, errors**2)
    stretch = np.sqrt(np.divide(raised, variance, out=np.ones_like(variance), where=variance > 0))
    mean = samples.scores.mean(axis=0)
    return replace(
        samples, scores=mean + (samples.scores - mean) * stretch, covariance=stretch[:, None] * covariance * stretch
    )


def as_independent(data: Judgments | PairCounts) -> PairCounts:
    """The counts as of so many judgments as weights are worth, (Σ w)² / Σ w²: a factor of all weights says nothing."""
    counts = counts_of(data)
    weights = data.weights if isinstance(data, Judgments) else None
    if weights is None:
        return counts
    weights = np.sort(weights)  # so that the order of rows changes no bit of the sums
    factor = float(weights.sum() / (weights**2).sum())
    return PairCounts(counts.systems, counts.wins * factor, counts.ties * factor)


def _from_samples(replicates: Replicates, spread: Spread, unit: str | None, p: float) -> Evidence:
    facts = {"unit": unit, "resamples": len(replicates.scores), "p": p}
    ranges = rank_ranges(replicates.places, p=p)
    return Evidence(ranges, replicates, facts, spread.notes, spread)


def _two_way(model: Model, judgments: Judgments, fit: Fit, request: Request) -> Evidence:
    """Draws that allow for other judges and other segments."""
    kinds = {"segment": unit_kinds(judgments, "segment"), "judge": unit_kinds(judgments, "judge")}
    counts, p = judgments.counts, request.p
    if model.smooth:
        assert fit.scores is not None  # rank() refused other fits
        sittings = sitting_kinds(judgments)
        word = "judge-and-segment combination"
        scale = model.shifting(counts, fit)
        free = model if scale is None else scale.model
        errors = free.independent_errors(as_independent(judgments), fit)
        seen_from = None if scale is None else scale.known
        grouped = _jackknives(free, judgments, fit, {"sitting": sittings, **kinds}, seen_from)
        uncertainty = combined(
            grouped.pop("sitting"), grouped, floor=None if errors is None else errors**2, p=p
        )  # fmt: skip
        if scale is not None:
            uncertainty = uncertainty.seen_from(scale.fixed)
        draws = _drawn(fit, uncertainty, model, request)
    else:
        word = linked = linked_unit(judgments)
        sittings = unit_kinds(judgments, linked)
        units: tuple[Unit, ...] = (linked, "segment", "judge")
        samples = {unit: _plain(model, judgments, unit, request) for unit in units}
        uncertainty = combined(
            _grouping(samples[linked], sittings),
            {unit: _grouping(samples[unit], kinds[unit]) for unit in units[1:]},
            floor=None, p=p,
        )  # fmt: skip
        own = np.diag(samples[linked].spread)
        factors = np.divide(np.diag(uncertainty.covariance), own, out=np.ones(len(own)), where=own > 0)
        draws = stretched(samples[linked], model, factors, uncertainty.df, request.execution)
    trials = Trials(sittings, word, uncertainty.effects)
    scores = fit.scores if model.smooth and fit.scores is not None else draws.scores.mean(axis=0)
    found = normal_spread(scores, uncertainty, model, judgments, trials, p)
    evidence = _from_samples(draws, found, TWO_WAY, p)
    notes = (*_stand_apart(judgments.systems, uncertainty), *evidence.notes)
    return replace(evidence, notes=notes, shared=1 - 1 / uncertainty.effects)


def _jackknives(
    model: Model, judgments: Judgments, fit: Fit, kinds: Mapping[str, UnitKinds], seen_from: FloatArray | None
) -> dict[str, Grouping]:
    """What leaving out units of every kind shows, from counts or from rows, whichever the model reads."""
    if model.needs == "counts":
        return {unit: jackknife(model, judgments.counts, parts, seen_from) for unit, parts in kinds.items()}
    rows = model.influence_rows(judgments, fit)
    whole = rows if rows.of_segments is None else rows._replace(scores=rows.of_segments)
    codes = {unit: judgments.group_codes(unit) for unit in ("segment", "judge")}
    codes["sitting"] = codes["judge"] * (codes["segment"].max() + 1) + codes["segment"]
    return {
        unit: row_jackknife(whole if unit == "segment" else rows, codes[unit], parts, seen_from)
        for unit, parts in kinds.items()
    }


def _plain(model: Model, judgments: Judgments, unit: Unit, request: Request) -> Replicates:
    return plain_samples(model, judgments, unit=unit, resamples=request.resamples, execution=request.execution)


def _grouping(samples: Replicates, kinds: UnitKinds) -> Grouping:
    return Grouping.of(samples.spread * kinds.units / (kinds.units - 1), kinds)


def _drawn(fit: Fit, uncertainty: Uncertainty, model: Model, request: Request) -> Replicates:
    """Draws around the scores, from a t distribution with the covariance that was found."""
    rng = request.execution.generator(Stream.TWO_WAY)
    variance, directions = np.linalg.eigh(uncertainty.covariance)
    # The symmetric root, because it changes little if the covariance does: directions alone may turn.
    root = (directions * np.sqrt(np.maximum(variance, 0.0))) @ directions.T
    normal = rng.standard_normal((request.resamples, len(variance)))
    heavy = np.sqrt(uncertainty.df / rng.chisquare(uncertainty.df, request.resamples))[:, None]
    scores = np.clip(fit.scores + (normal @ root) * heavy, *model.limits(len(fit.systems)))
    places = np.stack([places_of(row, rng) for row in scores])
    return Replicates(fit.systems, scores, places, uncertainty.covariance, uncertainty.df)


def _stand_apart(systems: tuple[str, ...], uncertainty: Uncertainty) -> list[str]:
    """A note on systems about which judges, or segments, differ far more than about the others."""
    return [
        f"{unit}s differ about {named([systems[i] for i in apart])} far more than about the others, and the "
        "uncertainty of that score is larger for it"
        for unit, apart in uncertainty.apart.items()
        if apart
    ]


def _beliefs(fit: Fit, samples: Replicates, request: Request) -> Replicates | None:
    """Draws of what is believed of the scores; None where the samples themselves are beliefs, runs or orders."""
    if request.source in (None, "posterior") or fit.order is not None:
        return None
    assert fit.scores is not None  # rank() refused other fits
    rng = request.execution.generator(Stream.POSTERIOR)
    drawn = posterior(fit.scores, samples.spread, samples.df, _BELIEFS, rng)
    # No two are equal, so that they need not be put in random order.
    return Replicates(fit.systems, drawn, 1 + (-drawn).argsort(axis=1).argsort(axis=1))
