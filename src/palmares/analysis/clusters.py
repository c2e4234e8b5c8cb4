"""How many clusters do so many judgments give? Rankings of random parts of the judgments that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compute import Execution, RngLike, Stream, generator
from ..errors import InputError, PalmaresError
from ..judgments import BoolArray, ForcedTies, Judgments, settle_forced_ties
from ..models.base import Model, check_one_lang_pair
from ..models.by_name import create, setting_text, settings
from ..ranking.rank import rank
from ..ranking.result import Ranking
from ..results import counted

#: Shares of the judgments that are looked at, unless sizes are given.
SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
#: Random sets that are drawn until one links all systems.
_TRIES = 50


@dataclass(frozen=True)
class ClusterPoint:
    """The clusters that so many judgments give: the mean over random sets, and what `ClusterCurve.spread` says."""

    judgments: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class ClusterCurve:
    """Clusters over numbers of judgments, by model or method.

    Attributes
    ----------
    spread
        What the lowest and the highest of a point are, in words.
    made
        How rankings were made, in words.
    """

    lines: Mapping[str, tuple[ClusterPoint, ...]]
    systems: int | None
    spread: str
    made: str
    lang_pair: str | None = None
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Counted:
    """The clusters of one part, and what its uncertainty was of."""

    clusters: int
    unit: str


@dataclass(frozen=True)
class Ranks:
    """How every part is ranked; see `palmares.rank`. ``joint``: clusters that hold all at once are counted."""

    models: tuple[Model, ...]
    resample: str | None = "auto"
    resamples: int = 1000
    p: float = 0.05
    looks: str = "auto"
    joint: bool = False

    def of(self, data: Judgments, model: Model, execution: Execution) -> Ranking:
        """Rank a part by one of the models."""
        return rank(
            data, model=model, resample=self.resample, resamples=self.resamples, p=self.p, looks=self.looks,
            execution=execution,
        )  # fmt: skip

    def clusters(self, ranking: Ranking) -> int:
        """The clusters of a ranking, as they are counted."""
        return max(int((line.joint_cluster if self.joint else line.cluster) or 0) for line in ranking.lines)


def clusters_by_judgments(
    judgments: Judgments,
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 5,
    models: Sequence[str | Model] = ("bradley-terry",),
    ranks: Ranks | None = None,
    forced_ties: ForcedTies = "auto",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> ClusterCurve:
    """Rank random parts of the judgments, and count clusters.

    Parts are whole rankings, drawn without repeats (single judgments where nothing says what was ranked together).
    Large ones share most of their judgments, so they differ less from each other than new campaigns of their size
    would; all judgments are ranked once.

    Parameters
    ----------
    sizes
        About how many judgments a part has; by default eight, from a twentieth to all of them.
    trials
        How many parts of a size are drawn.
    models
        What ranks them, unless ``ranks`` says.
    ranks
        How they are ranked.
    """
    check_one_lang_pair(judgments)
    execution = Execution.prepared(execution, rng)
    ranks = ranks or Ranks(tuple(create(model) for model in models))
    if trials < 1:
        raise InputError(f"trials: got {trials}; allowed: at least 1")
    forced: Any = "drop" if any(model.forced_ties == "drop" for model in ranks.models) else "keep"
    judgments = settle_forced_ties(judgments, forced_ties, forced)
    wanted = _sizes(sizes, len(judgments))
    tasks = [
        (k, size, trial)
        for size in wanted
        for trial in range(1 if size == len(judgments) else trials)
        for k in range(len(ranks.models))
    ]
    found = dict(zip(tasks, execution.run(_clusters_of, tasks, shared=(judgments, ranks, execution.seed)), strict=True))
    lines, missing = _summed_up(found, ranks, wanted)
    units = dict.fromkeys(result.unit for result in found.values() if isinstance(result, Counted))
    drawn = "rankings" if judgments.has("ranking") else "judgments"
    spread = f"lowest to highest of {trials} random sets of {drawn}" if trials > 1 else "a single random set"
    made = _made(ranks, len(judgments.systems), units)
    pair = judgments.lang_pairs[0] if judgments.lang_pairs else None
    return ClusterCurve(lines, len(judgments.systems), spread, made, pair, (*judgments.notes, *missing))


def _summed_up(
    found: Mapping[tuple[int, int, int], Counted | str], ranks: Ranks, sizes: Sequence[int]
) -> tuple[dict[str, tuple[ClusterPoint, ...]], list[str]]:
    """The points of every model, and what was not ranked."""
    lines: dict[str, tuple[ClusterPoint, ...]] = {}
    missing: list[str] = []
    for k, model in enumerate(ranks.models):
        points = []
        for size in sizes:
            results = [result for task, result in found.items() if task[:2] == (k, size)]
            counts = [result.clusters for result in results if isinstance(result, Counted)]
            reasons = [result for result in results if isinstance(result, str)]
            if reasons:
                missing.append(f"{model.id}, {size:,} judgments: {len(reasons)} sets not ranked ({reasons[0]})")
            if counts:
                points.append(ClusterPoint(size, float(np.mean(counts)), min(counts), max(counts)))
        if points:
            lines[_named(model, ranks.models)] = tuple(points)
    if not lines:
        raise InputError(f"no part of the judgments could be ranked: {missing[0]}")
    return lines, missing


def _sizes(sizes: Sequence[int] | None, total: int) -> list[int]:
    if sizes is None:
        return sorted({max(2, round(share * total)) for share in SHARES})
    if not sizes or min(sizes) < 2 or max(sizes) > total:
        given = ", ".join(map(str, sizes)) or "none"
        raise InputError(f"sizes: got {given}; allowed: whole numbers from 2 to {total}, the judgments that there are")
    return sorted(set(sizes))


def _clusters_of(judgments: Judgments, ranks: Ranks, seed: int, k: int, size: int, trial: int) -> Counted | str:
    """The clusters of one part by one model, or why there are none. All models rank the same part."""
    rng = generator(seed, Stream.SUBSETS, trial, size)
    try:
        part = random_part(judgments, size, rng)
        own = Execution("serial", 1, seed=int(rng.integers(0, 2**63)))
        ranking = ranks.of(part, ranks.models[k], own)
    except PalmaresError as error:
        return str(error)
    if not ranking.ranged:
        return "a ranking without resampling has no clusters; use --resample auto"
    return Counted(ranks.clusters(ranking), str(ranking.record.facts["unit"] or "runs"))


def random_part(judgments: Judgments, size: int, rng: np.random.Generator) -> Judgments:
    """Whole rankings, drawn at random until there are so many judgments, that link all systems."""
    if size >= len(judgments):
        return judgments
    # Numbered in an order that the file decides, not the names of rankings.
    _, unit = np.unique(judgments.group_codes("ranking"), return_inverse=True)
    sizes = np.bincount(unit)
    for _ in range(_TRIES):
        place = rng.permutation(len(sizes))
        ordered = np.argsort(place)
        kept: BoolArray = place[unit] <= np.searchsorted(np.cumsum(sizes[ordered]), size)
        part = judgments.filter(kept)
        if part.systems == judgments.systems and len(part.counts.components()) == 1:
            return part
    raise InputError(f"random sets of {size:,} judgments do not link all systems; use more")


def _named(model: Model, models: Sequence[Model]) -> str:
    """The model, with its settings where there are several of one kind."""
    if [each.id for each in models].count(model.id) == 1:
        return model.id
    given = {name: value for name, value in settings(model).items() if value not in ("", None)}
    return f"{model.id}:{','.join(f'{name}={setting_text(value)}' for name, value in given.items())}"


def _made(ranks: Ranks, systems: int, units: Iterable[str]) -> str:
    kind = "clusters that hold all at once" if ranks.joint else "clusters by rank ranges"
    return f"{counted(systems, 'system')}; {kind} at {100 * (1 - ranks.p):g} %, uncertainty: {', '.join(units)}"
