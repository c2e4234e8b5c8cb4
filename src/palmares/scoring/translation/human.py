"""How far metrics agree with people: the scores of systems beside those of a ranking of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...compute import Execution, Stream
from ...errors import InputError
from ...judgments import FloatArray, IntArray, Judgments
from ...judgments.units import UnitKinds
from ...models.base import Model
from ...ranking.result import Ranking
from ..comparison import Comparison
from ..resampling import Samples
from .agreement import Side, agreement_intervals, agreement_of, shares

#: Fewer systems than this have nothing that could agree.
LEAST_SYSTEMS = 3


@dataclass(frozen=True)
class Agreement:
    """How far one metric agrees with people: values and intervals by the names in `AGREEMENTS`, None if undefined."""

    measure: str
    group: str
    values: Mapping[str, float | None]
    intervals: Mapping[str, tuple[float, float] | None] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        entry: dict[str, Any] = {"measure": self.measure, "group": self.group or None}
        for name, value in self.values.items():
            span = self.intervals[name]
            entry[name] = {"value": value, "interval": None if span is None else list(span)}
        return entry


@dataclass(frozen=True)
class HumanComparison:
    """All measures beside one ranking of judgments. ``joint``: both sides were resampled by the same segments."""

    systems: tuple[str, ...]
    judgments: int
    model: str
    joint: bool
    signature: str
    agreements: tuple[Agreement, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "systems": list(self.systems),
            "judgments": self.judgments,
            "model": self.model,
            "signature": self.signature,
            "resampled": "jointly" if self.joint else "independently",
            "agreements": [agreement.to_dict() for agreement in self.agreements],
        }


@dataclass(frozen=True)
class HumanScores:
    """Scores of a model of judgments, in bootstrap samples of the segments that were judged (a `Statistic`).

    ``places`` is the segment of every judgment, by its place in the test set.
    """

    judgments: Judgments = field(repr=False)
    places: IntArray = field(repr=False)
    model: Model
    scores: FloatArray = field(repr=False)
    seed: int

    def full(self) -> FloatArray:
        return self.scores

    def of_samples(self, samples: Samples) -> FloatArray:
        counts = samples.counts
        rngs = [np.random.default_rng([self.seed, Stream.METRIC_CORRELATIONS, *row[:8]]) for row in samples.picks]
        if self.model.needs == "counts":
            return np.asarray(self.model.score(self._tables(counts), rngs))
        rows = [np.repeat(np.arange(len(self.judgments)), row[self.places]) for row in counts]
        return np.stack(
            [self.model.rescore(self.judgments.take(r), rng=rng) for r, rng in zip(rows, rngs, strict=True)]
        )

    def _tables(self, counts: IntArray) -> Any:
        """The pair counts of samples: every judged segment with what was said of it."""
        judged, unit = np.unique(self.places, return_inverse=True)
        order = np.argsort(unit, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(unit))])
        weights = self.judgments.weights
        amounts = np.ones(len(order)) if weights is None else weights
        kinds = UnitKinds(
            self.judgments.systems, np.ones_like(judged), starts, self.judgments.cells[order], amounts[order]
        )
        return kinds.tables(counts[:, judged])


@dataclass(frozen=True)
class Human:
    """A ranking of judgments, to be compared with metrics; ``statistic`` if both can be resampled by segments."""

    ranking: Ranking
    statistic: HumanScores | None
    common: tuple[str, ...]
    notes: tuple[str, ...] = ()


def human_side(
    judgments: Judgments,
    systems: Sequence[str],
    segments: Sequence[str],
    *,
    model: Model,
    resamples: int,
    p: float,
    execution: Execution,
) -> Human:
    """Rank the judgments, and see what they have in common with a test set: its systems, and its segments by id."""
    from ...judgments import settle_forced_ties
    from ...ranking.rank import rank

    common = tuple(name for name in systems if name in judgments.systems)
    if len(common) < LEAST_SYSTEMS:
        named = ", ".join(common) or "none"
        raise InputError(
            f"human judgments: of the systems scored here, {len(common)} are judged there ({named}); agreement needs "
            f"at least {LEAST_SYSTEMS}. Judged are: {', '.join(judgments.systems[:10])}; names can be changed with "
            "`palmares convert --rename`"
        )
    settings = {"resample": "auto", "resamples": resamples} if resamples else {"resample": None}
    ranking = rank(judgments, model=model, p=p, execution=replace(execution, progress=None), **settings)
    data = settle_forced_ties(judgments, "auto", model.forced_ties)
    places = _places(data, segments)
    statistic = None
    if places is not None and resamples:
        assert ranking.fit.scores is not None  # it was ranked
        statistic = HumanScores(data, places, model, ranking.fit.scores, int(execution.seed or 0))
    return Human(ranking, statistic, common, tuple(_notes(ranking, systems, common, statistic is not None, resamples)))


def _places(judgments: Judgments, segments: Sequence[str]) -> IntArray | None:
    """The segment of every judgment in a test set; None unless it has all of them."""
    if not judgments.has("segment"):
        return None
    known = {id: place for place, id in enumerate(segments)}
    place_of = np.array([known.get(name, -1) for name in judgments.segments] + [-1], dtype=np.int64)
    places = place_of[judgments.codes("segment")]  # the code of no segment is −1, the last
    return None if (places < 0).any() else places


def _notes(ranking: Ranking, systems: Sequence[str], common: Sequence[str], joint: bool, resamples: int) -> list[str]:
    unscored = [name for name in ranking.fit.systems if name not in common]
    unjudged = [name for name in systems if name not in common]
    notes = [f"human judgments of systems that are not scored here count in the ranking alone: {', '.join(unscored)}"]
    notes = notes if unscored else []
    if unjudged:
        notes.append(f"without human judgments, so left out of the agreement: {', '.join(unjudged)}")
    if not resamples:
        return notes
    if joint:
        notes.append("agreement: metrics and judgments are resampled by the same segments, matched by their ids")
    else:
        notes.append(
            "agreement: metrics and judgments are resampled each by itself, since judgments do not all name segments "
            "of the texts"
        )
    return [
        *notes,
        "agreement: intervals are of these systems on other segments; other systems would vary more. Those of τ, pairs "
        "in order and soft accuracy allow every order that the samples do not rule out, so they are wide",
        *[f"human ranking: {note}" for note in ranking.notes],
    ]


def compared_with(human: Human, comparisons: Sequence[Comparison], samples: FloatArray | None) -> HumanComparison:
    """The agreement of every measure with a ranking; ``samples`` are those of its scores, by the fit's order."""
    fit = human.ranking.fit
    assert fit.scores is not None
    codes = [fit.systems.index(name) for name in human.common]
    if samples is None and human.ranking.replicates is not None:
        samples = human.ranking.replicates.scores
    drawn = None if samples is None else samples[:, codes]
    better = None
    if human.ranking.better is not None:
        order = [human.ranking.systems.index(name) for name in human.common]
        better = human.ranking.better[np.ix_(order, order)]
    people = Side(np.asarray(fit.scores)[codes], drawn, better)
    return HumanComparison(
        human.common,
        human.ranking.judgments,
        fit.model.id,
        human.statistic is not None,
        human.ranking.signature,
        tuple(_agreement(comparison, human.common, people) for comparison in comparisons),
    )


def _agreement(comparison: Comparison, systems: Sequence[str], people: Side) -> Agreement:
    kept = [comparison.systems.index(name) for name in systems]
    sign = 1.0 if comparison.measure.higher_is_better else -1.0
    samples = None if comparison.usable is None or comparison.samples is None else sign * comparison.samples[:, kept]
    metric = Side(sign * comparison.values[kept], samples, None if samples is None else shares(samples))
    values = agreement_of(metric, people)
    measure = comparison.measure
    return Agreement(measure.name, measure.group, values, agreement_intervals(metric, people, comparison.p))
