"""``rare-pairs`` and ``groups``: who was compared with whom?"""

from __future__ import annotations

import numpy as np

from ...judgments.counts import FloatArray
from ...ranking.multiple import holm
from .case import Case
from .concentration import exact_interval
from .findings import Finding, Subject, skipped
from .wording import decimals, number, some, span

#: Pairs compared less than this share of an even one are rare.
_RARE = 0.5
_MOST_PAIRS = 20


def rare_pairs(case: Case) -> Finding:
    """Test every pair's number of units against an even design."""
    from scipy.special import bdtr

    n = len(case.systems)
    if n < 3:
        return skipped("rare-pairs", "there is one pair only")
    first, second = np.triu_indices(n, 1)
    counts, units = together(case)[first, second], case.amount
    even = float(counts.sum() / len(counts) / units)
    adjusted = holm(bdtr(counts, units, even).tolist()) if even < 1 else [1.0] * len(counts)
    order = np.argsort(counts, kind="stable")
    never = [_pair(case, first[k], second[k]) for k in order if counts[k] == 0]
    subjects = tuple(_subject(case, (first[k], second[k]), counts[k], even, adjusted[k]) for k in order[:_MOST_PAIRS])
    least = subjects[0]
    share, interval = least.effect or 0.0, least.interval or (0.0, 0.0)
    unmet = f"{number(len(never), 'pair')} of {len(counts):,} never met ({some(never)}); " if never else ""
    return Finding(
        "rare-pairs",
        f"{unmet}{least.name} met in {number(counts[order[0]], case.unit_name)}, {decimals(share)} "
        f"({span(interval)}) of an even share of {even * units:,.1f}",
        "exact binomial test of few meetings, Holm over pairs",
        least.p,
        effect=share,
        effect_name="meetings of the rarest pair / an even share",
        interval=interval,
        material=share < _RARE,
        subjects=subjects,
    )


def together(case: Case) -> FloatArray:
    """In how many units every two systems were compared."""
    n = len(case.systems)
    pairs = case.judgments.cells // 3
    once = np.unique(case.units * (n * n) + pairs) % (n * n)
    met = np.bincount(once, minlength=n * n).reshape(n, n).astype(np.float64)
    return np.asarray(met + met.T)


def compared(case: Case) -> FloatArray:
    """How many judgments compare every two systems, whatever each of them counts."""
    n = len(case.systems)
    met = np.bincount(case.judgments.cells // 3, minlength=n * n).reshape(n, n).astype(np.float64)
    return np.asarray(met + met.T)


def groups(case: Case) -> Finding:
    """Say whether judgments link all systems, and how few of them hold the systems together."""
    linked = case.linked
    weight, side = minimum_cut(compared(case))
    cut = [name for name, inside in zip(case.systems, side, strict=True) if inside]
    held = f"{number(weight, 'judgment')} hold{'s' * (weight == 1)} {some(cut)} to the others"
    says = f"all {len(case.systems)} systems are linked; {held}, the weakest link"
    if len(linked) > 1:
        others = [name for group in linked[1:] for name in group]
        says = (
            f"the systems fall into {len(linked)} groups that no judgment links; this audit is of the largest, of "
            f"{len(linked[0])}, without {some(others)}; in it, {held}"
        )
    return Finding(
        "groups",
        says,
        "exact count",
        effect=float(len(linked)),
        effect_name="groups",
        flagged=len(linked) > 1,
        subjects=tuple(Subject(some(group, 8), float(len(group)), detail="systems in the group") for group in linked),
    )


def minimum_cut(links: FloatArray) -> tuple[float, list[bool]]:
    """The least total of links whose loss splits the systems in two, and who is on the smaller side.

    Stoer & Wagner (1997): systems are added one by one, each time the one most linked to those added before; what links
    the last one to the rest is a candidate, and the last two become one.
    """
    links, members = links.copy(), [{i} for i in range(len(links))]
    best, side, left = np.inf, set[int](), list(range(len(links)))
    while len(left) > 1:
        reach, before, last = links[left[0]].copy(), left[0], left[0]
        waiting = left[1:]
        while waiting:
            before, last = last, max(waiting, key=lambda i: reach[i])
            waiting.remove(last)
            weight = reach[last]
            reach += links[last]
        if weight < best:
            best, side = float(weight), set(members[last])
        members[before] |= members[last]
        links[before] += links[last]
        links[:, before] += links[:, last]
        links[before, before] = 0.0
        left.remove(last)
    smaller = 2 * len(side) <= len(links)
    return best, [(i in side) == smaller for i in range(len(links))]


def _pair(case: Case, i: int, j: int) -> str:
    return f"{case.systems[i]} – {case.systems[j]}"


def _subject(case: Case, pair: tuple[int, int], count: float, even: float, p: float) -> Subject:
    low, high = exact_interval(count, case.amount, case.p)
    share = float(count) / case.amount / even
    detail = f"met in {number(count, case.unit_name)}"
    return Subject(_pair(case, *pair), share, (low / even, high / even), float(p), detail)
