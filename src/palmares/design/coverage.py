"""How often the true rank of a system lies outside its rank range, in campaigns whose truth is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from ..compute import Execution, RngLike, Stream, generator
from ..errors import InputError
from ..judgments import BoolArray, FloatArray, IntArray, Judgments
from ..models import DEFAULT_MODEL
from ..models.base import Model
from ..models.by_name import create, model_name
from ..ranking.rank import rank
from ..ranking.record import Record
from ..ranking.result import Ranking
from ..results import Shown, counted
from .simulate import CampaignPlan, simulate

#: What ranges can come from: a bootstrap of one of the units, judges and segments at once, the draws of a model that
#: makes some, or sign tests.
Source = Literal["pair", "ranking", "segment", "judge", "two-way", "posterior", "sign-test"]
SOURCES: tuple[Source, ...] = get_args(Source)

#: What is measured of the ranges of one campaign, in the order of the columns of `Coverage.measures`.
MEASURES = ("misses", "size", "clusters", "violations", "wrong", "joint_misses", "joint_clusters", "joint_wrong")


@dataclass(frozen=True)
class Method:
    """One way to get rank ranges. A sign test has no model; only a sign test has sides."""

    model: Model | None
    unit: Source
    sided: int | None = None

    @property
    def name(self) -> str:
        """``bradley-terry/ranking``, ``trueskill(mode=batch)/pair`` or ``sign-test/1-sided``."""
        return f"{self.unit}/{self.sided}-sided" if self.model is None else f"{self.model_name}/{self.unit}"

    @property
    def model_name(self) -> str | None:
        """The id of the model, and those of its settings that are not the usual ones."""
        return None if self.model is None else model_name(self.model)


@dataclass(frozen=True)
class MethodCoverage:
    """What one method came to: means over campaigns, each with its Monte Carlo standard error.

    ``misses`` is the share of systems whose true rank is outside their range, ``size`` the number of ranks in a
    range, ``violations`` the share of systems with a truly better system in a lower cluster or a worse one in a
    higher, ``wrong`` the share of campaigns with any. ``joint_misses`` and ``joint_wrong`` are the shares of campaigns
    in which any true rank is outside its joint range, and any joint cluster is wrong.
    """

    model: str | None
    unit: Source
    sided: int | None
    misses: float
    misses_error: float
    size: float
    size_error: float
    clusters: float
    clusters_error: float
    violations: float
    violations_error: float
    wrong: float
    wrong_error: float
    joint_misses: float
    joint_misses_error: float
    joint_clusters: float
    joint_clusters_error: float
    joint_wrong: float
    joint_wrong_error: float


@dataclass(frozen=True)
class Coverage(Shown):
    """How far the ranges of several methods can be trusted. All methods saw the same campaigns."""

    shown_by: ClassVar[str] = "coverage"

    plan: CampaignPlan
    lines: tuple[MethodCoverage, ...]
    p: float
    resamples: int
    record: Record
    #: (campaigns, methods, `MEASURES`)
    measures: FloatArray = field(repr=False)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return self._line(f"{counted(len(self.lines), 'method')} on {counted(self.campaigns, 'simulated campaign')}")

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    @property
    def campaigns(self) -> int:
        """How many campaigns were simulated."""
        return len(self.measures)

    def more_misses(self, one: int, other: int) -> tuple[float, float]:
        """By how much method number ``one`` misses more than ``other``, campaign by campaign; and the error of that."""
        means, errors = _means(self.measures[:, [one]] - self.measures[:, [other]])
        return float(means[0, 0]), float(errors[0, 0])

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "plan": dataclasses.asdict(self.plan),
            "campaigns": self.campaigns,
            "resamples": self.resamples,
            "p": self.p,
            "methods": [dataclasses.asdict(line) for line in self.lines],
            "notes": list(self.notes),
        }


def methods_of(models: Sequence[str | Model], units: Sequence[str], *, sided: int = 2) -> tuple[Method, ...]:
    """Every model with every unit; the sign test, which has no model, once and last."""
    sources = [_source(unit) for unit in dict.fromkeys(units)]
    rankers = [create(model) for model in dict.fromkeys(models)]
    drawn = [source for source in sources if source != "sign-test"]
    tests = [Method(None, source, _sides(sided)) for source in sources if source == "sign-test"]
    return (*(Method(_checked(model, source), source) for model in rankers for source in drawn), *tests)


def coverage(
    plan: CampaignPlan | None = None,
    *,
    methods: Sequence[Method] | None = None,
    campaigns: int = 200,
    resamples: int = 400,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Coverage:
    """Simulate campaigns, rank each by every method, and compare rank ranges with the true ranks.

    Parameters
    ----------
    plan
        The shape of a campaign.
    methods
        See `methods_of`; without any, the default model with the units ``pair``, ``ranking``, ``segment``, ``judge``,
        ``two-way``.
    campaigns
        How many to simulate.
    resamples
        Bootstrap samples for each campaign and method.
    p
        The level of ranges and sign tests.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where it runs; a piece of work is a campaign.
    """
    if campaigns < 2:
        raise InputError(f"campaigns: got {campaigns}; allowed: at least 2, because one has no spread")
    plan = plan or CampaignPlan()
    chosen = tuple(methods) if methods is not None else methods_of([DEFAULT_MODEL], SOURCES[:5])
    if not chosen:
        raise InputError("methods: got none; name at least one, e.g. methods_of(['bradley-terry'], ['ranking'])")
    execution = Execution.prepared(execution, rng)
    tasks = [(number,) for number in range(campaigns)]
    measures = np.stack(execution.run(_campaign, tasks, shared=(plan, chosen, resamples, p, execution.seed)))
    facts = {
        **plan.facts,
        "methods": "+".join(method.name for method in chosen),
        "campaigns": campaigns, "resamples": resamples, "p": p, "seed": execution.seed,
    }  # fmt: skip
    return Coverage(
        plan=plan,
        lines=_lines(chosen, measures),
        p=p,
        resamples=resamples,
        record=Record.of(facts),
        measures=measures,
        notes=_notes(plan),
    )


def measure(ranking: Ranking, truth: Mapping[str, int]) -> FloatArray:
    """The `MEASURES` of one ranking, given the true ranks; equal systems have the same, the best of theirs."""
    lines = ranking.lines
    ranks = np.array([truth[line.system] for line in lines])
    ranges, joint_ranges = (np.array([getattr(line, name) for line in lines]) for name in ("range", "joint_range"))
    numbers, joint_numbers = (
        np.array([getattr(line, name) for line in lines]) for name in ("cluster", "joint_cluster")
    )
    violated = _violated(ranks, numbers)
    return np.array([
        _outside(ranks, ranges).mean(), (ranges[:, 1] - ranges[:, 0] + 1).mean(), numbers.max(),
        violated.mean(), violated.any(),
        _outside(ranks, joint_ranges).any(), joint_numbers.max(), _violated(ranks, joint_numbers).any(),
    ])  # fmt: skip


def _outside(ranks: IntArray, ranges: IntArray) -> BoolArray:
    """Whose range has none of their true ranks: a system has one, or those that it shares with its equals."""
    last = (ranks <= ranks[:, None]).sum(axis=1)
    return np.asarray((last < ranges[:, 0]) | (ranks > ranges[:, 1]))


def _violated(ranks: IntArray, numbers: IntArray) -> BoolArray:
    """Which systems have a better one in a lower cluster or a worse one in a higher; of such a pair, both."""
    wrong = (ranks[:, None] < ranks) & (numbers[:, None] > numbers)
    return np.asarray(wrong.any(axis=0) | wrong.any(axis=1))


def _campaign(
    plan: CampaignPlan, methods: Sequence[Method], resamples: int, p: float, seed: int, number: int
) -> FloatArray:
    """Simulate campaign ``number`` and measure every method on it: an array (methods, measures)."""
    # A seed of its own, under which a campaign has all the streams that an analysis has.
    own = Execution("serial", 1, seed=int(generator(seed, number).integers(0, 2**63)))
    campaign = simulate(plan, rng=own.generator(Stream.CAMPAIGN))
    judgments = campaign.judgments
    quality = campaign.quality
    truth = {name: 1 + sum(other > quality[name] for other in quality.values()) for name in judgments.systems}
    if fault := _unplaceable(judgments, plan, methods):
        raise InputError(
            f"simulated campaign {number + 1} cannot be ranked: {fault}; "
            "plan more rankings, fewer systems or a smaller tie radius"
        )
    return np.stack([measure(_ranking(method, judgments, resamples, p, own), truth) for method in methods])


def _unplaceable(judgments: Judgments, plan: CampaignPlan, methods: Sequence[Method]) -> str | None:
    """Why the systems of a campaign cannot be put on one scale, if they cannot."""
    if missing := plan.systems - len(judgments.systems):
        return f"{missing} of its {plan.systems} systems were never shown"
    links = {method.model.linked_by for method in methods if method.model is not None}
    groups = judgments.counts.components(decisive="decisive" in links) if links else []
    return f"its systems fall into {len(groups)} groups that no judgment decides between" if len(groups) > 1 else None


def _ranking(method: Method, judgments: Judgments, resamples: int, p: float, execution: Execution) -> Ranking:
    # One seed for all methods: models with the same unit see the same samples. A sign test asks no model for ranges.
    sided = "one-sided-sign-test" if method.sided == 1 else method.unit
    model = method.model or create(DEFAULT_MODEL)
    return rank(judgments, model=model, resample=sided, resamples=resamples, p=p, execution=execution)


def _lines(methods: Sequence[Method], measures: FloatArray) -> tuple[MethodCoverage, ...]:
    means, errors = _means(measures)
    lines = []
    for method, mean, error in zip(methods, means.tolist(), errors.tolist(), strict=True):
        values = dict(zip(MEASURES, mean, strict=True))
        values |= {f"{name}_error": value for name, value in zip(MEASURES, error, strict=True)}
        lines.append(MethodCoverage(method.model_name, method.unit, method.sided, **values))
    return tuple(lines)


def _means(measures: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means over campaigns and their errors: campaigns are independent, the systems of one are not."""
    return measures.mean(axis=0), measures.std(axis=0, ddof=1) / np.sqrt(len(measures))


def _notes(plan: CampaignPlan) -> tuple[str, ...]:
    if plan.judge_effect or plan.segment_effect:
        return ()
    return ("judges and segments have no effects of their own here; in real campaigns they do, and ranges miss more",)


def _source(unit: str) -> Source:
    for source in SOURCES:
        if source == unit:
            return source
    raise InputError(f"unknown unit {unit!r}; allowed: {', '.join(SOURCES)}")


def _sides(sided: int) -> int:
    if sided not in (1, 2):
        raise InputError(f"sided: got {sided}; allowed: 1 (one-sided), 2 (two-sided)")
    return sided


def _checked(model: Model, unit: Source) -> Model:
    if unit == "posterior" and model.ranges_from != "posterior":
        raise InputError(f"model {model.id!r} has no posterior draws to take ranges from; use ranking or pair")
    return model
