"""``removal``: how few judgments, rankings, segments or judges would have to go for another system to lead?

The influence of every unit on the lead of the first system over each rival says which units to take, the most
influential first (Broderick, Giordano & Meager 2020); a refit without them says whether the leader did change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ...compute import Stream
from ...judgments import FloatArray, IntArray, PairCounts, cell_count, decode_cells
from ...models.base import Scorer
from ...models.bradley_terry import BradleyTerry
from ...ranking.bootstrap import comparable
from .case import Case
from .findings import Finding, Subject, decimals, number, percent, some
from .pulls import Pulls, pulls_of

#: No more than this share is taken out; of few units, up to three, or half of them.
LIMIT, _OF_FEW = 0.2, 3
#: Rivals that are looked at, and of them those whose units are taken out in earnest.
_RIVALS, _TRIED = 20, 2
_MOST_NAMES = 20
#: All sets are tried if their tables together have no more entries than this.
_NUMBERS_TRIED = 200_000


@dataclass(frozen=True, kw_only=True)
class Removal(Subject):
    """The fewest units of one kind found without which another system leads; ``effect`` is their share.

    Attributes
    ----------
    unit
        ``judgment``, ``ranking``, ``segment`` or ``judge``.
    removed, of
        How many of how many; None where no set of at most ``limit`` was found.
    leader, then
        Who leads now, and who without them.
    predicted
        How many the influences alone ask for, before any refit; None where all together are not enough.
    chance
        How many it takes to undo a lead that is just significant: how large sampling error is, in units.
    what
        Which they are: names, or kinds of judgment with their numbers; the first twenty.
    exact
        Whether all smaller sets were tried too, so that there is none with fewer.
    """

    unit: str
    of: int
    limit: int
    leader: str
    removed: int | None = None
    then: str | None = None
    predicted: int | None = None
    chance: int | None = None
    what: tuple[str, ...] = field(default=(), repr=False)
    exact: bool = False


def removal(case: Case) -> Finding:
    """Say how few units of each kind would have to go; a fact about the data, and no test."""
    search = Search.of(case)
    found = [search.fewest(pool) for pool in pools(case)]
    return Finding(
        "removal",
        _sentence(case, search, found),
        "influence functions, verified by refits",
        effect=found[0].effect,
        effect_name="share of judgments whose loss changes the leader",
        subjects=tuple(_described(each) for each in found),
    )


def _sentence(case: Case, search: Search, found: Sequence[Removal]) -> str:
    told = [each for each in found if each.removed is not None]
    missed = [each for each in found if each.removed is None]
    parts = []
    if told:
        heirs = sorted({str(each.then) for each in told})
        without = ", ".join(_words(each) for each in told)
        parts.append(
            f"{found[0].leader} no longer leads without {without}, each verified by a refit; then {_or(heirs)} does"
        )
    for exact, none in ((True, "there is no set"), (False, "no set was found")):
        sets = [f"{each.limit:,} of {number(each.of, each.unit)}" for each in missed if each.exact == exact]
        if sets:
            parts.append(f"{none} of up to {_or(sets)} without which {found[0].leader} no longer leads")
    chance = [number(each.chance, each.unit) for each in found if each.chance is not None]
    if search.nearest is not None:
        parts.append(f"the lead is {decimals(search.nearest, 1)} standard errors")
    if chance:
        parts.append(f"undoing one of {decimals(search.just)}, just significant, takes about {_or(chance)}")
    by = "" if case.scorer is case.model else f"by {case.scorer.id}, "
    return by + "; ".join(parts)


def _or(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _words(found: Removal) -> str:
    assert found.effect is not None
    named = f": {found.what[0]}" if found.unit == "judge" and found.removed == 1 else ""
    return f"{found.removed:,} of {number(found.of, found.unit)} ({percent(found.effect)}{named})"


def _described(found: Removal) -> Removal:
    if found.removed is None:
        return replace(found, detail=f"none found of up to {found.limit:,} of {found.of:,}")
    return replace(found, detail=f"{found.removed:,} of {found.of:,}, then {found.then} leads: {some(found.what, 8)}")


# -- the search ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pool:
    """What may go: kinds of unit alike, how many there are of each, and their judgments (a sparse array by cell)."""

    unit: str
    copies: IntArray = field(repr=False)
    content: Any = field(repr=False)
    names: tuple[str, ...] = field(repr=False)

    @property
    def units(self) -> int:
        return int(self.copies.sum())

    def first(self, order: IntArray, count: int) -> IntArray:
        """How many of each kind are among the first ``count`` units in an order of kinds."""
        copies = self.copies[order]
        taken = np.zeros_like(self.copies)
        taken[order] = np.clip(count - (np.cumsum(copies) - copies), 0, copies)
        return taken

    def enough(self, order: IntArray, gains: FloatArray, gap: float) -> int | None:
        """How many units in this order add up to a gap; None if all that help do not."""
        helping = order[gains[order] > 0]
        copies, each = self.copies[helping], gains[helping]
        total = np.cumsum(copies * each)
        k = int(np.searchsorted(total, gap * (1 - 1e-12)))
        if k == len(helping):
            return None
        before = total[k] - copies[k] * each[k]
        return int(copies[:k].sum() + max(1, np.ceil((gap - before) / each[k] - 1e-9)))


def pools(case: Case) -> list[Pool]:
    """Judgments, rankings, segments and judges, as far as they are known and there are at least two."""
    judgments, cells = case.judgments, case.judgments.cells
    kinds, kind = np.unique(np.stack([cells.astype(np.float64), case.weights]), axis=1, return_inverse=True)
    kind = kind.ravel()
    first, second, outcome = decode_cells(kinds[0].astype(np.int64), len(case.systems))
    verb = np.array(["above", "tied with", "below"])[outcome]
    named = [f"{case.systems[a]} {v} {case.systems[b]}" for a, v, b in zip(first, verb, second, strict=True)]
    single = _content(np.arange(len(named)), kinds[0].astype(np.int64), kinds[1], len(case.systems))
    made = [Pool("judgment", np.bincount(kind), single, tuple(named))]
    for unit in ("ranking", "segment", "judge"):
        codes = judgments.codes(unit).astype(np.int64)
        if not judgments.has(unit) or bool((codes < 0).any()) or codes.max() < 1:
            continue
        # What rankings are called must not decide which of two alike goes.
        number_of = case.units if unit == "ranking" else codes
        content = _content(number_of, cells, case.weights, len(case.systems))
        first = np.unique(number_of, return_index=True)[1]
        names = tuple(judgments.names[unit][code] for code in codes[first].tolist())
        made.append(Pool(unit, np.ones(content.shape[0], dtype=np.int64), content, names))
    return made


def _content(units: IntArray, cells: IntArray, weights: FloatArray, systems: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((weights, (units, cells)), shape=(int(units.max()) + 1, cell_count(systems)))


@dataclass(frozen=True)
class Search:
    """What all searches for sets share: the whole table, what refits it, and the pulls of judgments on its fit.

    ``errors`` are the leads over each system in standard errors of the ranking; not finite where they are unknown.
    """

    case: Case
    table: FloatArray = field(repr=False)
    scorer: Scorer = field(repr=False)
    pulls: Pulls = field(repr=False)
    leader: int
    rivals: IntArray
    errors: FloatArray = field(repr=False)
    #: So many standard errors are just significant.
    just: float

    @classmethod
    def of(cls, case: Case) -> Search:
        counts = case.judgments.counts
        table = np.bincount(case.judgments.cells, case.weights, minlength=cell_count(len(case.systems)))
        pulls = case.pulls
        scores = case.scorer.score(counts.batch, [case.execution.generator(Stream.AUDIT_LEFT_OUT, 0)])[0]
        leader = int(np.argmax(comparable(scores)))
        variance = np.diag(pulls.inverse)[:-1]
        spread = variance + variance[leader] - 2 * pulls.inverse[leader, :-1]
        z = (pulls.scores[leader] - pulls.scores) / np.sqrt(np.maximum(spread, 1e-300))
        z[leader] = np.inf
        rivals = np.argsort(z, kind="stable")[: min(_RIVALS, len(z) - 1)]
        return cls(
            case=case,
            table=table.astype(np.float64),
            scorer=case.scorer.prepared(counts),
            pulls=pulls,
            leader=leader,
            rivals=rivals,
            errors=_in_errors(case, leader),
            just=case.reach,
        )

    @property
    def nearest(self) -> float | None:
        """The smallest lead in standard errors."""
        least = float(np.delete(self.errors, self.leader).min())
        return least if np.isfinite(least) else None

    def fewest(self, pool: Pool) -> Removal:
        limit = max(int(LIMIT * pool.units), min(_OF_FEW, pool.units // 2))
        names = self.case.systems
        found = Removal(name=f"{pool.unit}s", unit=pool.unit, of=pool.units, limit=limit, leader=names[self.leader])
        plans = []
        for rival in self.rivals.tolist():
            gains, gap = pool.content @ self.pulls.on(self.leader, rival), self._gap(self.pulls, rival)
            order = np.argsort(-gains, kind="stable")
            needed = pool.enough(order, gains, gap)
            plans.append((needed or pool.units + 1, rival, order, self._chance(pool, rival, order, gains)))
        plans.sort(key=lambda plan: plan[:2])
        needed, _, _, chance = plans[0]
        found = replace(found, predicted=needed if needed <= pool.units else None, chance=chance)
        sets = sum(comb(pool.units, k) for k in range(1, limit + 1)) if limit <= _OF_FEW else np.inf
        if sets * len(names) ** 2 <= _NUMBERS_TRIED:
            return self._of_all_sets(found, pool)
        for needed, rival, order, _ in plans[:_TRIED]:
            found = self._tried(found, pool, rival, order, needed)
        return found

    def _of_all_sets(self, found: Removal, pool: Pool) -> Removal:
        """The smallest of all sets, of the first size that has any."""
        each = np.repeat(np.arange(len(pool.copies)), pool.copies)
        for count in range(1, found.limit + 1):
            for members in combinations(each.tolist(), count):
                taken = np.bincount(members, minlength=len(pool.copies))
                if self._changes(pool, taken):
                    return replace(self._with(found, pool, taken), exact=True)
        return replace(found, exact=True)

    def _with(self, found: Removal, pool: Pool, taken: IntArray) -> Removal:
        count = int(taken.sum())
        then = self.case.systems[int(np.argmax(comparable(self._without(pool, taken))))]
        return replace(found, removed=count, effect=count / pool.units, then=then, what=_told(pool, taken))

    def _tried(self, found: Removal, pool: Pool, rival: int, order: IntArray, needed: int) -> Removal:
        """The better of what was found and what taking out in this order finds, then in that of influences halfway."""
        for again in (False, True):
            most = found.limit if found.removed is None else found.removed - 1
            count = self._least(pool, order, min(needed, most), most)
            if count is not None:
                found = self._with(found, pool, pool.first(order, count))
            if again or most < 2:
                break
            # Half of the way there, the influences are others.
            halfway = pool.first(order, min(needed, most) // 2)
            pulls = pulls_of(BradleyTerry(), self._counts(pool, halfway))
            order = np.argsort(-(pool.content @ pulls.on(self.leader, rival)), kind="stable")
        return found

    def _least(self, pool: Pool, order: IntArray, guess: int, most: int) -> int | None:
        """The fewest of the first units in an order without which another system leads, by refits around a guess."""
        if most < 1:
            return None
        low, high, step = 0, max(guess, 1), max(1, guess // 16)
        while not self._changes(pool, pool.first(order, high)):
            if high == most:
                return None
            low, high, step = high, min(high + step, most), 2 * step
        step = max(1, high // 16)
        while high - low > 1:
            middle = max(high - step, (low + high) // 2)
            if self._changes(pool, pool.first(order, middle)):
                high, step = middle, 2 * step
            else:
                low = middle
        return high

    def _changes(self, pool: Pool, taken: IntArray) -> bool:
        scores = comparable(self._without(pool, taken))
        return bool(np.isfinite(scores).all() and (scores > scores[self.leader]).any())

    def _without(self, pool: Pool, taken: IntArray) -> FloatArray:
        rng = self.case.execution.generator(Stream.AUDIT_LEFT_OUT, 0)
        return np.asarray(self.scorer.score(self._counts(pool, taken).batch, [rng])[0])

    def _counts(self, pool: Pool, taken: IntArray) -> PairCounts:
        left = np.maximum(self.table - taken @ pool.content, 0.0)
        # Differences of sums of weights leave crumbs.
        left[left < 1e-9] = 0.0
        return PairCounts.from_table(self.case.systems, left)

    def _gap(self, pulls: Pulls, rival: int) -> float:
        return float(pulls.scores[self.leader] - pulls.scores[rival])

    def _chance(self, pool: Pool, rival: int, order: IntArray, gains: FloatArray) -> int | None:
        """How many units it takes to undo a lead over this rival that is just significant."""
        gap, errors = self._gap(self.pulls, rival), self.errors[rival]
        return pool.enough(order, gains, gap * self.just / errors) if gap > 0 and 0 < errors < np.inf else None


def _in_errors(case: Case, leader: int) -> FloatArray:
    """The leads over every system in standard errors of the ranking; infinite if another one leads it."""
    scores = np.asarray(case.ranking.fit.scores)
    gaps, spread = scores[leader] - scores, case.difference_errors[leader]
    known = (spread > 1e-9 * np.abs(gaps)) & (case.scorer is case.model)
    return np.asarray(np.divide(gaps, spread, out=np.full_like(gaps, np.inf), where=known))


def _told(pool: Pool, taken: IntArray) -> tuple[str, ...]:
    kinds = np.flatnonzero(taken)
    if pool.unit != "judgment":
        return tuple(pool.names[k] for k in kinds)[:_MOST_NAMES]
    kinds = kinds[np.argsort(-taken[kinds], kind="stable")]
    return tuple(f"{taken[k]:,} × {pool.names[k]}" for k in kinds[:_MOST_NAMES])
