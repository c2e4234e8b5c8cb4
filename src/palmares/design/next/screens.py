"""`next_screens`: what to judge next, from the judgments that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np

from ...compute import Execution, RngLike, Stream
from ...errors import InputError, UnplaceableError
from ...ingest.given import judgments_or_counts
from ...judgments import IntArray, Judgments, PairCounts, settle_forced_ties
from ...models.base import check_one_lang_pair
from ...models.bradley_terry import BradleyTerry
from ...ranking.evidence import as_independent
from ...ranking.rank import rank
from ...ranking.record import Record
from ...ranking.result import Ranking
from .boundaries import OpenBoundaries, open_needs
from .even import Uniform
from .knowledge import Knowledge
from .result import NextScreen, NextScreens, OpenBoundary
from .sizes import usual_outputs
from .strategies import STRATEGIES, Strategy

#: Systems of one planned screen, and the boundary it is for, if it is for one.
Planned = list[tuple[IntArray, int | None]]
_MODEL = BradleyTerry()
_INDEPENDENT = "errors are those of independent judgments"
#: Variances of scores that add up to no more than this are none: judgments that all say the same do not vary.
_LEAST_SPREAD = 1e-9


def next_screens(
    data: Judgments | PairCounts | Any,
    *,
    strategy: str = "open-boundaries",
    outputs: int | None = None,
    number: int = 20,
    uniform_share: float = 0.1,
    segments: Sequence[str] | None = None,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> NextScreens:
    """Say which systems to compare next.

    Parameters
    ----------
    data
        Judgments of one language pair, or pair counts (from `palmares.scan`). A data frame or the path of a file is
        read as `palmares.read` does.
    strategy
        Who chooses: an id of ``palmares.design.next.STRATEGIES``.
    outputs
        How many systems are compared on a screen; None: as many as most rankings so far compare, 2 where none are
        named. A note says which.
    number
        How many screens. They are planned one after the other, each as if those before it had been answered.
    uniform_share
        The chance with which any set of systems takes the place of a planned one.
    segments
        All segments there are, also those that nobody judged yet; otherwise those of the judgments.
    p
        Boundaries are claimed at the level 1 − p, at every look.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where to compute; see `palmares.Execution`.
    """
    data = judgments_or_counts(data, "next_screens")
    outputs, said = (outputs, []) if outputs is not None else _usual(data)
    execution = Execution.prepared(execution, rng)
    if isinstance(data, Judgments):
        check_one_lang_pair(data)
        data = settle_forced_ties(data, "auto", _MODEL.forced_ties)
    _check(len(data.systems), outputs, number, uniform_share)
    knowledge, facts, notes = _known(data, p, execution)
    generator = execution.generator(Stream.NEXT)
    planned = _plan(STRATEGIES.load(strategy)(), knowledge, outputs, number, generator)
    if not planned:
        strategy, uniform_share = "uniform", 1.0
        notes.append("every boundary is claimed: there is nothing left to separate, and screens are chosen uniformly")
    screens = drawn(knowledge, planned, strategy, outputs, number, uniform_share, generator)
    named = _least_judged(data, segments, number, generator)
    if named:
        screens = [replace(screen, segment=segment) for screen, segment in zip(screens, named, strict=True)]
    asked = {"strategy": strategy, "outputs": outputs, "uniform_share": uniform_share, "p": p, "seed": execution.seed}
    return NextScreens(
        strategy=strategy,
        screens=tuple(screens),
        boundaries=_boundaries(knowledge),
        claimed=int(knowledge.claims.claimed.sum()),
        lang_pair=data.lang_pair if isinstance(data, PairCounts) else next(iter(data.lang_pairs), None),
        record=Record.of({**asked, **facts, "systems": len(data.systems), "data": data.hash}, _MODEL, data.origin),
        notes=(*data.notes, *said, *notes),
    )


def _usual(data: Judgments | PairCounts) -> tuple[int, list[str]]:
    usual, note = usual_outputs(data)
    return usual, [note]


def _check(systems: int, outputs: int, number: int, uniform_share: float) -> None:
    if not 2 <= outputs <= systems:
        raise InputError(f"outputs: got {outputs}; allowed: 2 to {systems}, as many as there are systems")
    if number < 1:
        raise InputError(f"number: got {number}; allowed: at least 1")
    if not 0 <= uniform_share <= 1:
        raise InputError(f"uniform_share: got {uniform_share}; allowed: 0 to 1, e.g. 0.1")


def _known(data: Judgments | PairCounts, p: float, execution: Execution) -> tuple[Knowledge, dict[str, Any], list[str]]:
    """What the judgments say, with the errors and claims of `rank`; how they were made; what to know of them."""
    counts = as_independent(data)
    try:
        ranking = rank(data, model=_MODEL, looks="any", p=p, execution=execution)
    except UnplaceableError as error:
        return Knowledge.of(counts, p=p), {"unit": None}, [f"{error}; until then a weak prior places them"]
    plain = Knowledge.of(counts, p=p)
    unit = ranking.record.facts.get("unit")
    if ranking.claims is None or ranking.replicates is None:
        return plain, {"unit": unit}, [*_own(ranking, data), _INDEPENDENT]
    # The order of systems in a fit is that of the counts.
    wide = ranking.replicates.spread
    if not np.trace(wide) > _LEAST_SPREAD:
        return plain, {"unit": unit}, [*_own(ranking, data), "what varies cannot be seen: " + _INDEPENDENT]
    away = np.eye(len(wide)) - plain.shares
    covariance = away @ wide @ away.T
    stretch = np.sqrt(np.maximum(covariance.diagonal() / plain.covariance.diagonal(), 1.0))
    knowledge = replace(plain, covariance=covariance, claims=ranking.claims, stretch=stretch, df=ranking.df)
    times = f"{stretch.min():.2f} to {stretch.max():.2f} times those of independent judgments"
    return knowledge, {"unit": unit}, [*_own(ranking, data), f"errors of scores are {times}"]


def _own(ranking: Ranking, data: Judgments | PairCounts) -> list[str]:
    """What a ranking says of its errors, less what its judgments say, and what is about its ranges."""
    return [note for note in ranking.notes if note not in data.notes and "--looks" not in note]


def _plan(strategy: Strategy, knowledge: Knowledge, size: int, number: int, generator: np.random.Generator) -> Planned:
    if isinstance(strategy, OpenBoundaries):
        return [*strategy.plan(knowledge, size, number)]
    choices = strategy.choices(knowledge, size, number, generator)
    times = [round(weight * number) for weight in choices.weights]
    return [(np.array(screen), None) for screen, n in zip(choices.screens, times, strict=True) for _ in range(n)]


def drawn(
    knowledge: Knowledge,
    planned: Planned,
    strategy: str,
    size: int,
    number: int,
    uniform_share: float,
    generator: np.random.Generator,
) -> list[NextScreen]:
    """The plan in random order, in which chance takes some places for sets of its own.

    So every screen is a set with the same probability, that of all ways to it: by the plan and by chance.
    """
    n = len(knowledge.systems)
    any_set = uniform_share / comb(n, size)
    planned = [(np.sort(members), above) for members, above in planned]
    weights: dict[tuple[int, ...], float] = {}
    for members, _ in planned:
        weights[tuple(members.tolist())] = weights.get(tuple(members.tolist()), 0.0) + 1 / len(planned)
    order = generator.permutation(len(planned) or number)
    by_chance = generator.random(number) < uniform_share
    chance = Uniform().sets(n, size, number, generator)
    screens = []
    for place in range(number):
        members, above = (chance[place], None) if by_chance[place] else planned[order[place]]
        best_first = members[np.argsort(-knowledge.mean[members], kind="stable")]
        probability = any_set + (1 - uniform_share) * weights.get(tuple(np.sort(members).tolist()), 0.0)
        screens.append(
            NextScreen(
                tuple(knowledge.systems[code] for code in best_first.tolist()),
                "uniform" if by_chance[place] else strategy,
                above,
                None,
                probability,
            )
        )
    return screens


def _boundaries(knowledge: Knowledge) -> tuple[OpenBoundary, ...]:
    names = [knowledge.systems[code] for code in knowledge.claims.order.tolist()]
    return tuple(
        OpenBoundary(need.above, names[need.above - 1], names[need.above], need.z, need.critical, need.comparisons)
        for need in open_needs(knowledge)
    )


def _least_judged(
    data: Judgments | PairCounts, segments: Sequence[str] | None, number: int, generator: np.random.Generator
) -> list[str]:
    """A segment for every screen: those with the fewest judgments, at random among equals."""
    counts: dict[str, int] = {}
    if isinstance(data, Judgments) and data.has("segment"):
        codes = data.codes("segment")
        times = np.bincount(codes[codes >= 0], minlength=len(data.segments))
        counts = dict(zip(data.segments, times.tolist(), strict=True))
    names = list(dict.fromkeys(segments)) if segments is not None else list(counts)
    judged = np.array([counts.get(name, 0) for name in names])
    least = np.lexsort((generator.random(len(names)), judged))
    return [names[least[place % len(names)]] for place in range(number)] if names else []
