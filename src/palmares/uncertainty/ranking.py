"""`rank`: from judgments to a ranking with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from .. import compute
from ..counts import PairCounts
from ..errors import InputError
from ..judgments import Judgments
from ..models import DEFAULT_MODEL
from ..models.base import Fit, Model, RngLike, RunsModel, check_one_lang_pair, counts_of, create
from .ranges import IntArray, clusters, rank_ranges
from .resampling import Replicates, comparable, from_draws, generator, resample
from .signature import signature
from .units import choose_unit, few_units


@dataclass(frozen=True)
class RankedSystem:
    """One line of a ranking."""

    system: str
    score: float
    rank: int
    range: tuple[int, int] | None
    cluster: int | None


@dataclass(frozen=True)
class Ranking:
    """Systems in order, with rank ranges and clusters where there was resampling."""

    fit: Fit = field(repr=False)
    lines: tuple[RankedSystem, ...]
    judgments: int
    lang_pair: str | None
    signature: str
    replicates: Replicates | None = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, best first."""
        return tuple(line.system for line in self.lines)

    @property
    def clusters(self) -> list[list[str]]:
        """Names by cluster, best first; all in one list without resampling."""
        grouped: dict[int | None, list[str]] = {}
        for line in self.lines:
            grouped.setdefault(line.cluster, []).append(line.system)
        return [grouped[number] for number in sorted(grouped, key=lambda c: c or 0)]

    def table(self) -> pl.DataFrame:
        """One row a system: cluster, rank, first and last rank of the range, score, system."""
        ranges = [line.range or (None, None) for line in self.lines]
        return pl.DataFrame(
            {
                "cluster": pl.Series([line.cluster for line in self.lines], dtype=pl.Int64),
                "rank": [line.rank for line in self.lines],
                "first": pl.Series([r[0] for r in ranges], dtype=pl.Int64),
                "last": pl.Series([r[1] for r in ranges], dtype=pl.Int64),
                "score": [line.score for line in self.lines],
                "system": [line.system for line in self.lines],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "model": self.fit.model.id,
            "lang_pair": self.lang_pair,
            "judgments": self.judgments,
            "systems": [
                {
                    "system": line.system,
                    "score": line.score,
                    "rank": line.rank,
                    "range": list(line.range) if line.range else None,
                    "cluster": line.cluster,
                }
                for line in self.lines
            ],
            "notes": list(self.notes),
        }


def rank(
    data: Judgments | PairCounts,
    *,
    model: str | Model = DEFAULT_MODEL,
    settings: Mapping[str, str] | None = None,
    resamples: int = 1000,
    resample: str | None = "auto",
    p: float = 0.05,
    rng: RngLike = None,
    largest_component: bool = False,
    executor: compute.ExecutorLike = None,
    workers: int | None = None,
    progress: compute.Progress | None = None,
) -> Ranking:
    """Rank the systems of one language pair.

    Parameters
    ----------
    data
        Judgments, or pair counts (from `palmares.scan`).
    model, settings
        A model, or its id and settings as text.
    resamples
        How many bootstrap samples.
    resample
        What is drawn: ``pair``, ``ranking``, ``segment`` or ``judge``; ``auto`` is ``ranking``, or ``pair`` where there
        are no ranking ids; None for no resampling.
    p
        A range leaves out p / 2 of the ranks at each end.
    rng
        A seed; None draws one. It is in the signature either way.
    largest_component
        Rank only the largest group of systems that judgments link.
    executor, workers, progress
        See `palmares.compute.run`.
    """
    made = create(model, settings)
    notes: list[str] = []
    if isinstance(data, Judgments):
        check_one_lang_pair(data)
    if largest_component:
        data = _largest_component(data, made, notes)
    seed = seed_of(rng)
    wanted = None if resample == "none" else resample
    if wanted == "auto" and made.ranges_from == "posterior":
        wanted = "posterior"
    # Where bootstrap samples are the runs, the fit itself needs only one.
    by_runs = wanted not in (None, "posterior") and made.ranges_from == "runs"
    point = made.single_run() if by_runs and isinstance(made, RunsModel) else made
    fit = point.fit(data, rng=generator(seed, 0))
    if fit.scores is None:
        raise InputError(f"model {made.id!r} predicts outcomes but gives no scores to rank by")
    replicates = None
    if wanted == "posterior" or (wanted is None and made.ranges_from == "runs"):
        replicates = from_draws(fit, seed)
    elif wanted is not None:
        wanted, fallback = choose_unit(data, wanted)
        notes += [note for note in (fallback, few_units(data, wanted)) if note]
        replicates = _resample(
            made, data, unit=wanted, resamples=resamples, seed=seed, executor=executor, workers=workers,
            progress=progress,
        )  # fmt: skip
        if by_runs:
            fit = replace(fit, model=made, scores=replicates.scores.mean(axis=0), draws=None)
    ranges = rank_ranges(replicates.places, p=p) if replicates is not None else None
    facts = {
        "unit": wanted,
        **({"resamples": len(replicates.scores), "p": p} if replicates is not None else {}),
        "seed": seed,
        "systems": len(data.systems),
        "judgments": _number(data),
        "data": data.hash,
    }
    lines = _lines(fit, ranges)
    return Ranking(
        fit, lines, _number(data), _lang_pair(data), signature(facts, made), replicates, (*notes, *fit.notes)
    )


#: `rank` has a parameter of the same name.
_resample = resample


def seed_of(rng: RngLike) -> int:
    """A whole number that stands for ``rng`` and can be printed."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 2**63))
    sequence = rng if isinstance(rng, np.random.SeedSequence) else np.random.SeedSequence(rng)
    if not isinstance(sequence.entropy, int | np.integer) or sequence.spawn_key:
        return int(sequence.generate_state(1, np.uint64)[0])
    return int(sequence.entropy)


def _number(data: Judgments | PairCounts) -> int:
    return len(data) if isinstance(data, Judgments) else round(data.total)


def _lang_pair(data: Judgments | PairCounts) -> str | None:
    if isinstance(data, PairCounts):
        return data.lang_pair
    return data.lang_pairs[0] if data.lang_pairs else None


def _largest_component(data: Judgments | PairCounts, model: Model, notes: list[str]) -> Judgments | PairCounts:
    groups = counts_of(data).components(decisive=model.linked_by == "decisive")
    if len(groups) == 1:
        return data
    if len(groups[0]) < 2:
        raise InputError("no two systems are linked by a judgment that decides, so there is nothing to rank")
    left_out = sorted(name for group in groups[1:] for name in group)
    notes.append(f"left out, because no judgment links them to the largest group: {', '.join(left_out)}")
    if isinstance(data, PairCounts):
        return data.keep(groups[0])
    inside = np.isin(np.array(data.systems), groups[0])
    return data.filter(inside[data.codes("system_a")] & inside[data.codes("system_b")])


def _lines(fit: Fit, ranges: IntArray | None) -> tuple[RankedSystem, ...]:
    scores = fit.scores
    assert scores is not None  # rank() refused other fits
    numbers = clusters(ranges) if ranges is not None else None
    # Equal scores share a rank and stand by name (codes are sorted names).
    level = comparable(scores)
    order = np.lexsort((np.arange(len(scores)), -level))
    return tuple(
        RankedSystem(
            system=fit.systems[i],
            score=float(level[i]),
            rank=1 + int((level > level[i]).sum()),
            range=(int(ranges[i, 0]), int(ranges[i, 1])) if ranges is not None else None,
            cluster=int(numbers[i]) if numbers is not None else None,
        )
        for i in order
    )
