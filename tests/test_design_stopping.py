"""The rule of when it is enough, from counts alone: no database is near."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.design.next import STRATEGIES, Candidate, Exposure, Pool, choose
from palmares.design.stopping import LeastCompared, StoppingRule

counts = st.integers(0, 40)
limits = st.none() | st.integers(1, 20)
rules = st.builds(StoppingRule, screens=limits, per_pair=limits)


def test_without_limits_it_never_stops() -> None:
    rule = StoppingRule()
    assert rule.is_open
    assert not rule.has_stopped(10**6, 10**6)
    assert rule.screens_left(10**6, 10**6, 10**6) is None


@pytest.mark.parametrize(
    ("rule", "answered", "least", "stopped"),
    [
        (StoppingRule(screens=5), 4, 99, False),
        (StoppingRule(screens=5), 5, 0, True),
        (StoppingRule(per_pair=3), 99, 2, False),
        (StoppingRule(per_pair=3), 99, 3, True),
        (StoppingRule(screens=5, per_pair=3), 5, 0, True),
        (StoppingRule(screens=5, per_pair=3), 4, 3, True),
        (StoppingRule(screens=5, per_pair=3), 4, 2, False),
    ],
)
def test_the_first_limit_that_is_reached_stops(rule: StoppingRule, answered: int, least: int, stopped: bool) -> None:
    assert not rule.is_open
    assert rule.has_stopped(answered, least) is stopped


@pytest.mark.parametrize(
    ("rule", "answered", "held", "least", "left"),
    [
        (StoppingRule(screens=5), 1, 2, 0, 2),
        (StoppingRule(screens=5), 4, 3, 0, 0),  # more is held than wanted: another rule was in force
        (StoppingRule(per_pair=3), 9, 2, 2, None),
        (StoppingRule(per_pair=3), 9, 2, 3, 0),
        (StoppingRule(screens=50, per_pair=3), 9, 2, 3, 0),
        (StoppingRule(screens=50, per_pair=3), 9, 2, 2, 39),
    ],
)
def test_what_judges_hold_is_as_good_as_answered(
    rule: StoppingRule, answered: int, held: int, least: int, left: int | None
) -> None:
    assert rule.screens_left(answered, held, least) == left


@given(rules, counts, st.integers(0, 40))
def test_nothing_is_given_out_once_it_has_stopped(rule: StoppingRule, answered: int, least: int) -> None:
    least = min(least, answered)  # a screen compares two systems once at most
    assert rule.has_stopped(answered, least) is (rule.screens_left(answered, 0, least) == 0)


@given(rules, counts, st.data())
def test_comparisons_are_counted_only_where_they_decide(rule: StoppingRule, answered: int, data: st.DataObject) -> None:
    possible = st.integers(0, answered)
    least, other = data.draw(possible), data.draw(possible)
    if not rule.needs_comparisons(answered):
        assert rule.has_stopped(answered, least) is rule.has_stopped(answered, other)


@given(st.integers(1, 20), counts, st.integers(0, 20), st.integers(-5, 20), st.data())
def test_an_earlier_count_decides_what_a_new_one_would(
    wanted: int, before: int, least: int, further: int, data: st.DataObject
) -> None:
    known, answered = LeastCompared(min(least, before), before), max(0, before + further)
    rule = StoppingRule(per_pair=wanted)
    if not known.decides(rule, answered):
        return
    now = data.draw(st.integers(known.count, known.at_most(answered)))  # a further screen may or may not compare them
    assert rule.has_stopped(answered, now) is rule.has_stopped(answered, known.at_most(answered))


def test_an_answer_taken_back_makes_an_earlier_count_useless() -> None:
    known = LeastCompared(count=3, answered=10)
    assert not known.decides(StoppingRule(per_pair=3), 9)
    assert known.decides(StoppingRule(per_pair=3), 10)
    assert known.decides(StoppingRule(per_pair=5), 11)
    assert not known.decides(StoppingRule(per_pair=5), 12)


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_a_campaign_is_simulated_without_a_database(strategy: str) -> None:
    """Screens are chosen until the rule says that it is enough: what a plan needs."""
    systems, segments, rng = range(1, 6), range(1, 41), Random(3)
    outputs = {key: tuple(Candidate(10 * key + system, (system,)) for system in systems) for key in segments}
    chosen = dict.fromkeys(segments, 0)
    exposure = Exposure(dict.fromkeys(systems, 0), dict.fromkeys(combinations(systems, 2), 0))
    rule, answered = StoppingRule(screens=200, per_pair=4), 0
    while rule.screens_left(answered, 0, min(exposure.met.values())) != 0:
        pool = Pool(chosen, exposure.systems, exposure.met, outputs.__getitem__, 3)
        choice = choose(pool, strategy, 0.1, rng)
        exposure.add(c for c in outputs[choice.segment] if c.output in choice.outputs)
        chosen[choice.segment] += 1
        answered += 1
    assert rule.has_stopped(answered, min(exposure.met.values()))
    assert min(exposure.met.values()) == 4
    assert 14 <= answered < 200  # 10 pairs, 4 times, 3 on a screen
