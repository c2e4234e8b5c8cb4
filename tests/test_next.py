"""`next_screens`: what to judge next from judgments, with the probability of every screen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest

import palmares as pm
from palmares.design.next import STRATEGIES, Knowledge
from palmares.design.next.screens import drawn
from palmares.design.next.sizes import usual_outputs
from palmares.errors import InputError


@pytest.fixture(scope="module")
def judgments() -> pm.Judgments:
    return pm.simulate(systems=6, rankings=300, outputs=3, segments=40, judges=8, spread=3, rng=4).judgments


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_screens_have_different_systems_best_first_and_a_probability(
    judgments: pm.Judgments, strategy: str, size: int
) -> None:
    result = pm.next_screens(judgments, strategy=strategy, outputs=size, number=30, rng=1)
    order = {name: place for place, name in enumerate(pm.rank(judgments, resample=None).systems)}
    assert len(result.screens) == 30
    for screen in result.screens:
        assert len(set(screen.systems)) == size
        assert sorted(screen.systems, key=order.__getitem__) == list(screen.systems)
        assert 0.1 / comb(6, size) <= screen.probability <= 1
        assert screen.strategy in (strategy, "uniform")
        assert (screen.boundary is not None) == (screen.strategy == strategy == "open-boundaries")


def test_boundaries_are_those_that_a_ranking_for_every_look_does_not_claim(judgments: pm.Judgments) -> None:
    result = pm.next_screens(judgments, outputs=2, rng=1)
    ranking = pm.rank(judgments, looks="any", rng=1)
    assert ranking.claims is not None
    assert tuple(each.rank for each in result.boundaries) == ranking.claims.open
    assert result.claimed == int(ranking.claims.claimed.sum()) > 0
    for each in result.boundaries:
        assert (each.above, each.below) == (ranking.systems[each.rank - 1], ranking.systems[each.rank])
        assert each.comparisons > 0
    cheapest = min(result.boundaries, key=lambda each: each.comparisons)
    assert {screen.boundary for screen in result.screens if screen.boundary} == {cheapest.rank}


def test_the_probability_is_how_often_a_set_is_drawn() -> None:
    """Of one plan, in many random orders with many places taken by chance."""
    knowledge = Knowledge.of(pm.PairCounts(tuple("abcd"), np.zeros((4, 4)), np.zeros((4, 4))))
    planned = [(np.array(members), None) for members in [(0, 1), (2, 1), (0, 1), (3, 0)]]
    seen: Counter = Counter()
    chances: dict[frozenset, float] = {}
    rounds = 1500
    for seed in range(rounds):
        screens = drawn(knowledge, planned, "s14", 2, 4, 0.4, np.random.default_rng(seed))
        seen.update(frozenset(screen.systems) for screen in screens)
        chances.update({frozenset(screen.systems): screen.probability for screen in screens})
    # By hand: any of the six pairs by chance, and by plan half of the time a and b.
    assert chances[frozenset("ab")] == pytest.approx(0.4 / 6 + 0.6 / 2)
    assert chances[frozenset("bc")] == chances[frozenset("ad")] == pytest.approx(0.4 / 6 + 0.6 / 4)
    assert chances[frozenset("cd")] == pytest.approx(0.4 / 6)
    assert sum(chances.values()) == pytest.approx(1)
    for pair, chance in chances.items():
        assert seen[pair] / (4 * rounds) == pytest.approx(chance, abs=4.5 * np.sqrt(chance / (4 * rounds)))


def test_segments_with_the_fewest_judgments_come_first(judgments: pm.Judgments) -> None:
    result = pm.next_screens(judgments, number=12, rng=1)
    judged = Counter(judgments.to_rows()["segment"].to_list())
    fewest = sorted(judged.values())[:12]
    assert sorted(judged[screen.segment] for screen in result.screens) == fewest
    assert len({screen.segment for screen in result.screens}) == 12
    named = pm.next_screens(judgments, number=5, segments=["new-1", judgments.segments[0], "new-2"], rng=1)
    shown = [screen.segment for screen in named.screens]
    assert set(shown[:2]) == {"new-1", "new-2"}
    assert shown[2:] == [judgments.segments[0], *shown[:2]]
    assert pm.next_screens(judgments.counts, number=2, rng=1).screens[0].segment is None


def test_where_every_boundary_is_claimed_screens_are_uniform_and_it_says_so() -> None:
    rows = [{"system_a": a, "system_b": b, "outcome": 1 if k % 10 else -1}
            for a, b in combinations("abc", 2) for k in range(400)]  # fmt: skip
    result = pm.next_screens(pm.Judgments.from_rows(pl.DataFrame(rows)), number=6, rng=0)
    assert result.boundaries == ()
    assert result.claimed == 2
    assert {screen.strategy for screen in result.screens} == {"uniform"}
    assert [screen.probability for screen in result.screens] == pytest.approx([1 / 3] * 6)
    assert any("every boundary is claimed" in note for note in result.notes)


def test_systems_that_nothing_links_are_compared_and_it_says_so() -> None:
    rows = [{"system_a": a, "system_b": b, "outcome": outcome} for a, b in ("ab", "cd") for outcome in (1, -1) * 40]
    result = pm.next_screens(pm.Judgments.from_rows(pl.DataFrame(rows)), strategy="information", number=3, rng=0)
    assert any("no judgment links" in note and "a weak prior" in note for note in result.notes)
    first = [screen for screen in result.screens if screen.strategy == "information"]
    assert any(({*screen.systems} & {"a", "b"}) and ({*screen.systems} & {"c", "d"}) for screen in first)


def test_where_nobody_says_screens_are_as_large_as_most_rankings(judgments: pm.Judgments) -> None:
    result = pm.next_screens(judgments, number=4, rng=0)
    assert {len(screen.systems) for screen in result.screens} == {3}
    assert "screens have 3 outputs, as all rankings so far have (--outputs says otherwise)" in result.notes
    # Two rankings of three systems, a, b and c, and one of two.
    rows = [{"ranking": str(k), "system_a": a, "system_b": b, "outcome": 1 if k % 2 else -1}
            for k in range(2) for a, b in combinations("abc", 2)]  # fmt: skip
    mixed = pl.DataFrame([*rows, {"ranking": "2", "system_a": "a", "system_b": "b", "outcome": 1}])
    assert usual_outputs(pm.Judgments.from_rows(mixed))[0] == 3
    assert "as 67 % of the rankings so far have" in usual_outputs(pm.Judgments.from_rows(mixed))[1]
    for data in (pm.Judgments.from_rows(mixed.drop("ranking")), judgments.counts):
        result = pm.next_screens(data, number=4, rng=0)
        assert {len(screen.systems) for screen in result.screens} == {2}
        assert any(note.startswith("screens have 2 outputs, because") for note in result.notes)


def test_outputs_that_systems_share_count_once() -> None:
    """Three outputs, the first of them of a, b and c."""
    rows = [{"ranking": "1", "system_a": a, "system_b": b, "outcome": 0 if {a, b} <= set("abc") else 1,
             "forced": {a, b} <= set("abc")} for a, b in combinations("abcde", 2)]  # fmt: skip
    assert usual_outputs(pm.Judgments.from_rows(pl.DataFrame(rows)))[0] == 3


def test_only_ties_leave_errors_that_a_weak_prior_gives() -> None:
    rows = [{"system_a": a, "system_b": b, "outcome": 0, "segment": str(k % 7), "judge": str(k % 3)}
            for k, (a, b) in enumerate(list(combinations("abc", 2)) * 10)]  # fmt: skip
    result = pm.next_screens(pm.Judgments.from_rows(pl.DataFrame(rows)), number=6, rng=0)
    assert len(result.boundaries) == 2
    assert len(result.screens) == 6
    assert any("what varies cannot be seen" in note for note in result.notes)


def test_the_same_seed_gives_the_same_screens(judgments: pm.Judgments) -> None:
    one, other = (pm.next_screens(judgments, strategy="s14", rng=7) for _ in range(2))
    assert one.screens == other.screens
    assert pm.next_screens(judgments, strategy="s14", rng=8).screens != one.screens


def test_errors_of_judges_who_differ_make_boundaries_dearer() -> None:
    plain, wide = (
        pm.simulate(systems=5, rankings=400, outputs=2, judges=6, segments=60, judge_effect=effect, rng=3).judgments
        for effect in (0.0, 8.0)
    )
    (note,) = [n for n in pm.next_screens(wide, rng=0).notes if n.startswith("errors of scores are")]
    largest = float(note.split(" to ")[1].split(" times")[0])
    (usual,) = [n for n in pm.next_screens(plain, rng=0).notes if n.startswith("errors of scores are")]
    assert largest > 1.5 * float(usual.split(" to ")[1].split(" times")[0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"strategy": "best"}, "unknown strategy 'best'"),
        ({"outputs": 1}, "outputs: got 1; allowed: 2 to 6"),
        ({"outputs": 7}, "outputs: got 7; allowed: 2 to 6"),
        ({"number": 0}, "number: got 0; allowed: at least 1"),
        ({"uniform_share": 1.5}, "uniform_share: got 1.5; allowed: 0 to 1"),
        ({"p": 0.0}, "p: got 0.0"),
    ],
)
def test_what_cannot_be_is_refused(judgments: pm.Judgments, changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pm.next_screens(judgments, **changes)


def test_a_result_is_a_line_and_a_frame(judgments: pm.Judgments) -> None:
    result = pm.next_screens(judgments, outputs=2, number=4, rng=1)
    assert repr(result).startswith("<NextScreens: 4 screens by open-boundaries; ")
    assert repr(replace(result, boundaries=())).endswith(f"0 of {result.claimed} boundaries open>")
    frame = result.table()
    assert frame["probability"].to_list() == [screen.probability for screen in result.screens]
    assert frame.select("system_1", "system_2").rows() == [screen.systems for screen in result.screens]
