"""`rank`: from judgments to a ranking with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .. import compute
from ..compute import RngLike, generator, seed_of
from ..errors import InputError
from ..judgments import Judgments
from ..judgments.counts import PairCounts
from ..models import DEFAULT_MODEL
from ..models.base import Fit, Model, check_one_lang_pair, counts_of, create
from .bootstrap import comparable
from .evidence import Bootstrap, Evidence, gather, source_of
from .ranges import clusters, score_intervals
from .record import signature
from .result import RankedSystem, Ranking
from .support import best

__all__ = ["RankedSystem", "Ranking", "rank"]


def rank(
    data: Judgments | PairCounts,
    *,
    model: str | Model = DEFAULT_MODEL,
    settings: Mapping[str, str] | None = None,
    resamples: int = 1000,
    resample: str | None = "auto",
    p: float = 0.05,
    sided: int = 2,
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
        are no ranking ids; ``posterior`` for the model's own draws; ``sign-test`` for ranges from pairwise sign tests;
        None for no ranges.
    p
        A range or interval leaves out p / 2 of the samples at each end; the level of sign tests.
    sided
        Whether sign tests are two-sided (2) or one-sided (1).
    rng
        A seed; None draws one. It is in the signature either way.
    largest_component
        Rank only the largest group of systems that judgments link.
    executor, workers, progress
        See `palmares.compute.run`.
    """
    made = create(model, settings)
    source = source_of(made, resample)
    notes: list[str] = []
    if isinstance(data, Judgments):
        check_one_lang_pair(data)
    if largest_component:
        data = _largest_component(data, made, notes)
    seed = seed_of(rng)
    # Where bootstrap samples are the runs, the fit itself needs only one.
    by_runs = source not in (None, "posterior", "sign-test") and made.ranges_from == "runs"
    point = made.single_run() if by_runs else made
    fit = point.fit(data, rng=generator(seed, 0))
    if fit.scores is None:
        raise InputError(f"model {made.id!r} predicts outcomes but gives no scores to rank by")
    bootstrap = Bootstrap(resamples, seed, executor, workers, progress)
    evidence = gather(made, data, fit, source, bootstrap, p=p, sided=sided)
    if by_runs and evidence.replicates is not None:
        fit = replace(fit, model=made, scores=evidence.replicates.scores.mean(axis=0), draws=None)
    judged = len(data) if isinstance(data, Judgments) else round(data.total)
    what = {"seed": seed, "systems": len(data.systems), "judgments": judged, "data": data.hash}
    return Ranking(
        fit=fit,
        lines=_lines(fit, evidence, p),
        judgments=judged,
        lang_pair=_lang_pair(data),
        signature=signature({**evidence.facts, **what}, made),
        replicates=evidence.replicates,
        facts={**evidence.facts, **what},
        notes=(*notes, *evidence.notes, *fit.notes),
    )


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


def _lines(fit: Fit, evidence: Evidence, p: float) -> tuple[RankedSystem, ...]:
    assert fit.scores is not None  # rank() refused other fits
    level = comparable(fit.scores)
    ranges, numbers, sampled = None, None, None
    if evidence.ranges is not None:
        ranges, numbers = evidence.ranges.tolist(), clusters(evidence.ranges).tolist()
    if evidence.replicates is not None:
        scores = evidence.replicates.scores
        intervals = comparable(score_intervals(scores, p=p)).tolist()
        sampled = list(
            zip(intervals, scores.std(axis=0, ddof=1).tolist(), best(evidence.replicates.places).tolist(), strict=True)
        )
    # Equal scores share a rank and stand by name (codes are sorted names).
    order = np.lexsort((np.arange(len(level)), -level))
    return tuple(
        RankedSystem(
            system=fit.systems[i],
            score=float(level[i]),
            rank=1 + int((level > level[i]).sum()),
            range=tuple(ranges[i]) if ranges else None,
            cluster=numbers[i] if numbers else None,
            interval=tuple(sampled[i][0]) if sampled else None,
            error=sampled[i][1] if sampled else None,
            best=sampled[i][2] if sampled else None,
        )
        for i in order.tolist()
    )
