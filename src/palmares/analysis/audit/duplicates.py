"""``duplicates``: are two systems one and the same?

Two names for one output are tied whenever they meet. How often two different systems would be tied is the fitted
probability of a tie, given their strengths, corrected for judges, segments, rankings and systems that tie more or less
than others: a judge who ties everything says nothing of two systems.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...judgments import BoolArray, FloatArray, IntArray
from ...ranking.significance import holm
from .case import Case
from .findings import Finding, Power, Subject, number, percent, skipped, span
from .judges import exact_interval

#: Systems that are tied in so many of their meetings may be one …
NEARLY_ALWAYS = 0.9
#: … if they met at least so often.
LEAST_MEETINGS = 5
#: How often a copy is tied with its original: judges are not always attentive.
_COPY_TIES = 0.95
#: How far, in log odds, judges, segments and systems are taken to differ in how readily they tie.
_SPREAD = 1.0
_SWEEPS = 25
#: So many of the most tied pairs are tested with what is expected without them; of others it is expected with them.
_MOST_APART = 20
_MOST_PAIRS = 20
_LARGEST_EXACT = 4000


def duplicates(case: Case) -> Finding:
    """Test for every two systems whether they are tied more often than strengths, judges and segments explain.

    Meetings on one segment are one item, tied if all of them are; under any dependence that is no likelier than the
    least likely of its ties. Forced ties are nobody's judgment and are left out; where two systems share nearly all
    outputs, that is a fact and no test.
    """
    if not case.judgments.counts.ties.any() and not case.shared.any():
        return skipped("duplicates", "there are no ties")
    met = meetings(case)
    tested = met.all >= LEAST_MEETINGS
    shared = [_shared_subject(case, met, int(k)) for k in np.flatnonzero(_mostly_forced(case, met))]
    if not tested.any() and not shared:
        return skipped("duplicates", f"no two systems met {LEAST_MEETINGS} times or more")
    share = np.where(tested, met.ties / met.all, 0.0)
    order = np.lexsort((-met.all, -share))[: int(tested.sum())]
    suspects = order[share[order] >= NEARLY_ALWAYS]
    p = np.ones(len(order))
    p[: len(suspects)] = _chances(case, met, suspects)
    adjusted = np.array(holm(p.tolist()))
    listed = np.argsort(adjusted, kind="stable")[: min(max(len(suspects), 1), _MOST_PAIRS, len(order))]
    found = [_subject(case, met, int(order[k]), float(adjusted[k])) for k in listed]
    first = (*shared, *found)[0]
    place = "segment" if len(case.judgments.segments) > 1 else case.unit_name
    return Finding(
        "duplicates",
        _sentence(found, shared, len(suspects)),
        "exact test of ties per segment, Holm over pairs",
        found[0].p if found else 1.0,
        effect=first.effect,
        effect_name="share of meetings tied, of two systems",
        interval=first.interval,
        subjects=(*shared, *found)[:_MOST_PAIRS],
        flagged=bool(shared),
        powered=partial(_power, met, _tie_of_equals(case), place) if found else None,
    )


def _sentence(found: Sequence[Subject], shared: Sequence[Subject], suspects: int) -> str:
    told = [f"{s.name} {s.detail}" for s in (*shared[:3], *found[: min(suspects, 1)])]
    if suspects > 1:
        told.append(f"{number(suspects - 1, 'more pair')} tied in {percent(NEARLY_ALWAYS)} of meetings or more")
    if not told and found:
        told.append(f"no two systems are nearly always tied; most often, {found[0].name}: {found[0].detail}")
    return "; ".join(told)


# -- meetings -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meetings:
    """Who met, without forced ties: arrays over the pairs that met, and over judgments (``row…``).

    ``row_pair`` is the pair of every judgment, ``row_item`` its item: the pair on one segment, or in one unit where
    segments are unknown. ``items`` counts them by pair.
    """

    pairs: IntArray = field(repr=False)
    all: FloatArray = field(repr=False)
    ties: FloatArray = field(repr=False)
    items: IntArray = field(repr=False)
    kept: IntArray = field(repr=False)
    row_pair: IntArray = field(repr=False)
    row_item: IntArray = field(repr=False)
    row_tied: BoolArray = field(repr=False)


def meetings(case: Case) -> Meetings:
    """The meetings of every two systems that somebody judged."""
    kept = np.flatnonzero(~case.judgments.forced)
    pairs, row_pair = np.unique(case.judgments.pairs[kept], return_inverse=True)
    place = case.segments_or_units[kept]
    item_key, row_item = np.unique(row_pair * (int(place.max(initial=0)) + 1) + place, return_inverse=True)
    tied = case.judgments.codes("outcome")[kept] == 0
    return Meetings(
        pairs=pairs,
        all=np.bincount(row_pair, minlength=len(pairs)).astype(np.float64),
        ties=np.bincount(row_pair, tied, minlength=len(pairs)).astype(np.float64),
        items=np.bincount(item_key // (int(place.max(initial=0)) + 1), minlength=len(pairs)),
        kept=kept,
        row_pair=row_pair,
        row_item=row_item,
        row_tied=tied,
    )


def _mostly_forced(case: Case, met: Meetings) -> BoolArray:
    """By code of the pair: whether nearly all meetings are ties that outputs shared by the two forced."""
    forced = case.shared.ravel()
    judged = np.zeros(len(forced))
    judged[met.pairs] = met.all
    return np.asarray((forced >= LEAST_MEETINGS) & (forced >= NEARLY_ALWAYS * (forced + judged)))


# -- how often two different systems would be tied ---------------------------------------------------------


@dataclass(frozen=True)
class Readiness:
    """How readily judges, segments, rankings and systems tie, in log odds beside what strengths say.

    ``labels`` has a column of codes for each kind of effect; the two systems of a judgment share one kind.
    """

    offset: FloatArray = field(repr=False)
    tied: FloatArray = field(repr=False)
    labels: list[list[IntArray]] = field(repr=False)

    def fitted(self, effects: list[FloatArray], used: FloatArray, sweeps: int) -> tuple[list[FloatArray], FloatArray]:
        """Effects after some sweeps of Newton steps, kind by kind, and the log odds of a tie of every judgment."""
        effects = [each.copy() for each in effects]
        odds = self.offset + sum(each[code] for each, codes in zip(effects, self.labels, strict=True) for code in codes)
        for _ in range(sweeps):
            for each, codes in zip(effects, self.labels, strict=True):
                chance = 1 / (1 + np.exp(-odds))
                slope, bend = -each / _SPREAD**2, np.full(len(each), 1 / _SPREAD**2)
                for code in codes:
                    slope += np.bincount(code, used * (self.tied - chance), minlength=len(each))
                    # Both systems of a judgment move at once: half a step for each.
                    bend += len(codes) * np.bincount(code, used * chance * (1 - chance), minlength=len(each))
                step = slope / bend
                each += step
                odds += sum(step[code] for code in codes)
        return effects, odds


def _readiness(case: Case, met: Meetings) -> tuple[Readiness, list[FloatArray]]:
    judgments, kept = case.judgments, met.kept
    a, b = (judgments.codes(f"system_{side}")[kept].astype(np.int64) for side in "ab")
    chance = case.fit.outcomes[a, b, 1]
    known = [judgments.codes(name)[kept] for name in ("judge", "segment", "ranking") if judgments.has(name)]
    # The first is one for all: the fit has followed a suspected pair's own ties.
    labels = [[np.zeros_like(a)], [a, b], *([np.unique(codes, return_inverse=True)[1]] for codes in known)]
    effects = [np.zeros(max(int(code.max()) for code in codes) + 1) for codes in labels]
    offset = np.log(chance) - np.log1p(-chance)
    return Readiness(offset, met.row_tied.astype(np.float64), labels), effects


def _chances(case: Case, met: Meetings, suspects: IntArray) -> FloatArray:
    """How likely each suspected pair would be tied so often, were they two systems."""
    if len(suspects) == 0:
        return np.zeros(0)
    ready, nothing = _readiness(case, met)
    everyone = np.ones(len(ready.tied))
    odds = ready.fitted(nothing, everyone, _SWEEPS)[1]
    chances = []
    for number_of, pair in enumerate(suspects.tolist()):
        own = met.row_pair == pair
        if number_of < _MOST_APART:
            # Their own ties must not make them expected.
            odds = ready.fitted(nothing, everyone * ~own, _SWEEPS)[1]
        chance = np.maximum(1 / (1 + np.exp(-odds[own])), _rate_with_others(case, met, pair))
        item = np.unique(met.row_item[own], return_inverse=True)[1]
        least, tied = np.ones(int(item.max()) + 1), np.ones(int(item.max()) + 1, dtype=bool)
        np.minimum.at(least, item, chance)
        np.logical_and.at(tied, item, met.row_tied[own])
        chances.append(at_least(int(tied.sum()), least))
    return np.array(chances)


def _rate_with_others(case: Case, met: Meetings, pair: int) -> float:
    """The share of ties that either of two systems has with all others, whichever is larger.

    A system that ties with everybody ties with each: that makes it no copy of any.
    """
    both = np.stack(np.divmod(met.pairs, len(case.systems)))
    rates = []
    for system in both[:, pair]:
        others = (both == system).any(axis=0)
        others[pair] = False
        rates.append((met.ties[others].sum() + 0.5) / (met.all[others].sum() + 1) if others.any() else 0.0)
    return float(max(rates))


def at_least(count: int, chances: FloatArray) -> float:
    """The probability that so many or more of independent events occur (Poisson–binomial)."""
    if count <= 0:
        return 1.0
    if count > len(chances):
        return 0.0
    if count == len(chances):
        return float(np.exp(np.log(chances).sum()))
    if len(chances) > _LARGEST_EXACT:
        # Chernoff's bound; Hoeffding (1956): no sum with this mean has a larger one than the binomial.
        share, mean = count / len(chances), float(chances.mean())
        if share <= mean:
            return 1.0
        distance = share * np.log(share / mean) + (1 - share) * np.log((1 - share) / (1 - mean))
        return float(np.exp(-len(chances) * distance))
    # failures[k]: the probability of k events that did not occur; rare ones are what is counted here.
    allowed = len(chances) - count
    failures = np.zeros(allowed + 1)
    failures[0] = 1.0
    for chance in chances:
        failures[1:] = failures[1:] * chance + failures[:-1] * (1 - chance)
        failures[0] *= chance
    return float(min(failures.sum(), 1.0))


# -- words --------------------------------------------------------------------------------------------


def _subject(case: Case, met: Meetings, pair: int, p: float) -> Subject:
    n, ties, total = len(case.systems), met.ties[pair], met.all[pair]
    i, j = divmod(int(met.pairs[pair]), n)
    names = case.systems[i], case.systems[j]
    interval = exact_interval(ties, total, case.p)
    rate = float(met.ties.sum() / met.all.sum())
    detail = [
        f"tied in {ties:,.0f} of {number(total, 'meeting')} ({span((100 * interval[0], 100 * interval[1]), 0)} %), "
        f"where all pairs together are tied in {percent(rate)}"
    ]
    same, both = against_others(case, i, j) if ties >= NEARLY_ALWAYS * total else (0, 0)
    if both:
        detail.append(f"the same result against a third system in {same:,} of {both:,} cases (one judge, one segment)")
    if forced := int(case.shared[i, j]):
        detail.append(f"{number(forced, 'more tie')} because they shared an output")
    if alike(*names):
        detail.append("their names differ in case, spaces or punctuation only")
    return Subject(_named(names), float(ties / total), interval, p, "; ".join(detail))


def _shared_subject(case: Case, met: Meetings, pair: int) -> Subject:
    names = (case.systems[pair // len(case.systems)], case.systems[pair % len(case.systems)])
    forced = int(case.shared.flat[pair])
    judged = int(met.all[met.pairs == pair].sum())
    detail = f"shared their output in {forced:,} of {number(forced + judged, 'meeting')}, where nobody compared them"
    return Subject(_named(names), forced / (forced + judged), None, None, detail)


def _named(names: tuple[str, str]) -> str:
    return f"{names[0]} – {names[1]}"


def against_others(case: Case, i: int, j: int) -> tuple[int, int]:
    """How often a judge gave both systems the same result against a third on one segment, and of how many cases."""
    judgments, block = case.judgments, case.blocks.of_unit[case.units]
    a, b = (judgments.codes(f"system_{side}").astype(np.int64) for side in "ab")
    outcome, n = judgments.codes("outcome"), len(case.systems)
    results = []
    for one, other in ((i, j), (j, i)):
        mine = ((a == one) | (b == one)) & (a != other) & (b != other)
        key = block[mine] * n + np.where(a == one, b, a)[mine]
        # The first of repeated comparisons stands for all.
        keys, first = np.unique(key, return_index=True)
        results.append((keys, np.where(a == one, outcome, -outcome)[mine][first]))
    common, left, right = np.intersect1d(results[0][0], results[1][0], return_indices=True)
    return int((results[0][1][left] == results[1][1][right]).sum()), len(common)


def alike(one: str, other: str) -> bool:
    """Whether two names differ only in case, spaces or punctuation, or one is called a copy."""

    def bare(name: str) -> str:
        plain = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", name).casefold()).strip()
        return re.sub(r" (copy|dup|duplicate)$", "", plain).replace(" ", "") or name

    return bare(one) == bare(other)


# -- power --------------------------------------------------------------------------------------------


def _tie_of_equals(case: Case) -> float:
    tie = case.fit.tie_parameter or 0.0
    return tie / (2 + tie)


def _power(met: Meetings, tie: float, place: str, level: float) -> Power:
    """How likely a copy is found that meets its original as often as two systems do, over all pairs."""
    from scipy.special import bdtrc

    tested = met.all >= LEAST_MEETINGS
    sizes, often = np.unique(np.stack([met.all, met.items])[:, tested], axis=1, return_counts=True)
    found = 0.0
    for (rows, items), pairs in zip(sizes.T.tolist(), often.tolist(), strict=True):
        counts = np.arange(1, int(items) + 1)
        enough = counts[bdtrc(counts - 1, int(items), tie) <= level / tested.sum()]
        if len(enough):
            # An item is tied if all of its meetings are; the share that matters is that of meetings.
            sure = bdtrc(enough[0] - 1, int(items), _COPY_TIES ** (rows / items))
            found += pairs * float(min(sure, bdtrc(np.ceil(NEARLY_ALWAYS * rows - 1e-9) - 1, int(rows), _COPY_TIES)))
    typical = f"{number(np.median(met.all[tested]), 'time')} on {number(np.median(met.items[tested]), place)}"
    return Power(
        f"a copy of a system, tied with it in {percent(_COPY_TIES)} of their meetings and met as often as two systems "
        f"meet (in the median, {typical})",
        found / len(met.all),
    )
