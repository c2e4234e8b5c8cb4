"""What is asked next: the logged probability is the true one, and the balance that is promised is kept."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from palmares.design.next import STRATEGIES, Candidate, Choices, Exposure, Pool, choose, drawing
from palmares.design.next.drawing import draws_of
from palmares.design.next.even import Balanced, Uniform
from palmares.errors import InputError
from palmares.registry import Entry, Registry


@dataclass
class Campaign:
    """Segments, systems and what has been chosen so far; ``outputs`` gives groups of systems that share an output."""

    segments: dict[int, list[tuple[int, ...]]]
    chosen: Counter[int] = field(default_factory=Counter)
    exposure: Exposure = field(default_factory=lambda: Exposure({}, {}))

    def __post_init__(self) -> None:
        for groups in self.segments.values():
            self.systems.update({system: 0 for group in groups for system in group})
        self.met.update(dict.fromkeys(combinations(sorted(self.systems), 2), 0))
        self.chosen.update(dict.fromkeys(self.segments, 0))

    @property
    def systems(self) -> dict[int, int]:
        return self.exposure.systems

    @property
    def met(self) -> dict[tuple[int, int], int]:
        return self.exposure.met

    def candidates(self, segment: int) -> tuple[Candidate, ...]:
        return tuple(Candidate(100 * segment + i, group) for i, group in enumerate(self.segments[segment]))

    def pool(self, size: int) -> Pool:
        return Pool(self.chosen, self.systems, self.met, self.candidates, size)

    def add(self, segment: int, outputs: tuple[int, ...]) -> None:
        self.chosen[segment] += 1
        self.exposure.add(c for c in self.candidates(segment) if c.output in outputs)


def plain(segments: int, systems: int) -> Campaign:
    """Every system has an output of its own on every segment."""
    return Campaign({key: [(system,) for system in range(1, systems + 1)] for key in range(1, segments + 1)})


def merged(segments: int, systems: int, share: float, rng: Random) -> Campaign:
    """A system joins the output of another with this probability."""
    made: dict[int, list[tuple[int, ...]]] = {}
    for key in range(1, segments + 1):
        groups: list[list[int]] = []
        for system in range(1, systems + 1):
            if len(groups) > 1 and rng.random() < share:
                rng.choice(groups).append(system)
            else:
                groups.append([system])
        made[key] = [tuple(group) for group in groups]
    return Campaign(made)


def possible(campaign: Campaign, size: int) -> list[tuple[int, tuple[int, ...]]]:
    """Every segment with every set of outputs that a screen could show."""
    found = []
    for segment in campaign.segments:
        outputs = [c.output for c in campaign.candidates(segment)]
        found += [(segment, shown) for shown in combinations(outputs, min(size, len(outputs)))]
    return found


def run(campaign: Campaign, size: int, screens: int, *, uniform_share: float = 0.0, seed: int = 0) -> int:
    """Choose so many screens; return how far any system was ever ahead of another."""
    rng, ahead = Random(seed), 0
    for _ in range(screens):
        choice = choose(campaign.pool(size), "balanced", uniform_share, rng)
        campaign.add(choice.segment, choice.outputs)
        ahead = max(ahead, spread(campaign.systems))
    return ahead


def spread(counts: Counter) -> int:
    return max(counts.values()) - min(counts.values())


# -- probabilities -------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", list(STRATEGIES))
@given(seed=st.integers(0, 10**6), systems=st.integers(2, 6), size=st.integers(1, 7), before=st.integers(0, 25))
def test_probabilities_of_everything_possible_add_up_to_one(
    strategy: str, seed: int, systems: int, size: int, before: int
) -> None:
    campaign = merged(3, systems, 0.3, Random(seed))
    run(campaign, size, before, uniform_share=0.5, seed=seed)
    chosen = draws_of(strategy)
    total = sum(chosen.probability(campaign.pool(size), *screen) for screen in possible(campaign, size))
    assert total == pytest.approx(1)


@pytest.mark.parametrize(("size", "share"), [(2, 0.0), (3, 0.0), (3, 0.25), (2, 1.0)])
def test_what_is_drawn_often_is_what_was_said_to_be_likely(size: int, share: float) -> None:
    campaign = Campaign(
        {
            1: [(1,), (2,), (3,), (4,), (5,)],
            2: [(1, 2), (3,), (4,), (5,)],
            3: [(1,), (2, 3, 4, 5)],
        }
    )
    # One system is certain, the others have equal claims but met each other more or less often.
    campaign.systems.update({1: 2, 2: 2, 3: 2, 4: 2, 5: 1})
    campaign.met.update({(1, 2): 2, (1, 4): 1, (1, 5): 1, (2, 3): 1, (2, 5): 1, (3, 4): 2, (3, 5): 1, (4, 5): 1})
    rng, draws, logged = Random(11), 6000, {}
    seen: Counter[tuple[int, frozenset[int]]] = Counter()
    for _ in range(draws):
        choice = choose(campaign.pool(size), "balanced", share, rng)
        key = choice.segment, frozenset(choice.outputs)
        seen[key] += 1
        logged[key] = choice.probability
    assert sum(logged.values()) == pytest.approx(1)  # all that can come has come
    assert len(logged) > 3
    keys = list(logged)
    assert chisquare([seen[k] for k in keys], [draws * logged[k] for k in keys]).pvalue > 0.001


def test_the_strategy_of_each_screen_is_on_record() -> None:
    campaign, rng = plain(4, 4), Random(0)
    named = Counter(choose(campaign.pool(2), "balanced", 0.25, rng).strategy for _ in range(2000))
    assert set(named) == {"balanced", "uniform"}
    assert named["uniform"] == pytest.approx(500, abs=80)  # four standard deviations


def test_a_uniform_choice_has_the_probability_of_textbooks() -> None:
    campaign = plain(10, 6)
    choice = choose(campaign.pool(3), "uniform", 1.0, Random(1))
    assert choice.probability == pytest.approx(1 / 10 / comb(6, 3))


def test_what_balance_rules_out_has_no_probability() -> None:
    campaign = plain(2, 4)
    campaign.add(1, (100, 101))
    chosen = Balanced()
    assert chosen.probability(campaign.pool(2), 1, (102, 103)) == 0  # the other segment is due
    assert chosen.probability(campaign.pool(2), 2, (200, 202)) == 0  # systems 3 and 4 are due
    assert chosen.probability(campaign.pool(2), 2, (202, 203)) == 1
    assert Uniform().probability(campaign.pool(2), 2, (200, 202)) == pytest.approx(1 / 2 / 6)


def test_systems_that_met_are_parted_where_their_claims_are_equal() -> None:
    campaign = plain(1, 4)
    campaign.add(1, (100, 101))
    campaign.add(1, (102, 103))
    # Whoever comes first, the one they met already is not the second: 4 pairs are left of 6, all alike.
    chosen = Balanced()
    likely = {shown: chosen.probability(campaign.pool(2), 1, shown) for shown in combinations((100, 101, 102, 103), 2)}
    assert likely.pop((100, 101)) == likely.pop((102, 103)) == 0
    assert list(likely.values()) == pytest.approx([0.25] * 4)


def test_an_unknown_strategy_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match="unknown strategy 'balance'; known: balanced, uniform, open-"):
        choose(plain(1, 2).pool(2), "balance", 0.0, Random(0))


# -- balance -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("systems", "size"), [(2, 2), (4, 2), (6, 5), (10, 5), (15, 5)])
def test_no_system_and_no_segment_is_more_than_one_screen_ahead(systems: int, size: int) -> None:
    campaign = plain(37, systems)
    assert run(campaign, size, 300) <= 1
    assert spread(campaign.chosen) <= 1
    assert sum(campaign.systems.values()) == 300 * size


@pytest.mark.parametrize(("systems", "size", "allowed"), [(4, 2, 1), (6, 3, 2), (10, 5, 6), (15, 5, 6), (15, 2, 3)])
def test_every_two_systems_meet_about_equally_often(systems: int, size: int, allowed: int) -> None:
    campaign = plain(37, systems)
    run(campaign, size, 420)
    mean = 420 * comb(size, 2) / comb(systems, 2)
    assert sum(campaign.met.values()) == 420 * comb(size, 2)
    assert min(campaign.met.values()) >= mean - allowed
    assert max(campaign.met.values()) <= mean + allowed


def test_balance_holds_with_shared_outputs_and_a_uniform_share() -> None:
    campaign = merged(37, 10, 0.2, Random(5))
    assert run(campaign, 5, 400, uniform_share=0.1) <= 6
    assert spread(campaign.systems) <= 6
    assert spread(campaign.chosen) <= 3


def test_chance_alone_would_not_be_so_balanced() -> None:
    campaign = plain(37, 15)
    run(campaign, 5, 300, uniform_share=1.0)
    assert spread(campaign.systems) > 6


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_a_segment_with_few_outputs_shows_all_it_has(strategy: str) -> None:
    campaign = Campaign({1: [(1, 2, 3), (4,)]})
    choice = choose(campaign.pool(5), strategy, 0.0, Random(0))
    assert sorted(choice.outputs) == [100, 101]
    assert choice.probability == 1


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_the_same_seed_gives_the_same_choice(strategy: str) -> None:
    campaign = plain(9, 6)
    assert choose(campaign.pool(3), strategy, 0.5, Random(3)) == choose(campaign.pool(3), strategy, 0.5, Random(3))


# -- exposure ------------------------------------------------------------------------------------------


def test_exposure_counts_each_system_and_each_two_once_a_screen() -> None:
    exposure = Exposure(dict.fromkeys((1, 2, 3), 0), dict.fromkeys(combinations((1, 2, 3), 2), 0))
    before = exposure.copy()
    exposure.add([Candidate(70, (3,)), Candidate(71, (1, 2))])
    exposure.add([Candidate(80, (2,)), Candidate(81, (1,))])
    assert exposure.systems == {1: 2, 2: 2, 3: 1}
    assert exposure.met == {(1, 2): 2, (1, 3): 1, (2, 3): 1}
    assert before == Exposure(dict.fromkeys((1, 2, 3), 0), dict.fromkeys(combinations((1, 2, 3), 2), 0))


# -- choices of a strategy that learns -----------------------------------------------------------------

#: Systems 1 to 5 of the campaign below, as a strategy knows them; the screens hold their places.
WANTED = Choices("open", tuple("abcde"), ((0, 1, 2), (1, 2, 4), (0, 3, 4)), (0.5, 0.3, 0.2), (1, 2, 3, 4, 5))


@pytest.fixture
def learning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy that learns, of which nothing is asked but its name."""
    entries = {**STRATEGIES, "open": Entry("nowhere:Nothing", "a strategy that learns")}
    monkeypatch.setattr(drawing, "STRATEGIES", Registry("strategy", entries))


def shared() -> Campaign:
    """Segments where everything, something and nothing of `WANTED` can be shown; 2 and 3 share an output on one."""
    return Campaign(
        {
            1: [(1,), (2,), (3,), (4,), (5,)],
            2: [(1,), (2, 3), (4,), (5,)],
            3: [(2,), (3,), (4,)],
        }
    )


@pytest.mark.parametrize(("reserved", "share"), [(0, 0.0), (0, 0.2), (1, 0.0), (1, 0.2), (2, 0.1)])
@pytest.mark.usefixtures("learning")
def test_what_is_drawn_from_choices_has_the_probability_that_is_logged(reserved: int, share: float) -> None:
    campaign, rng, draws = shared(), Random(5), 6000
    pool = replace(campaign.pool(3), reserved=reserved)
    seen: Counter[tuple[int, frozenset[int]]] = Counter()
    logged = {}
    for _ in range(draws):
        choice = choose(pool, "open", share, rng, WANTED)
        key = choice.segment, frozenset(choice.outputs)
        seen[key] += 1
        logged[key] = choice.probability
        assert len(choice.outputs) == 3 - reserved
    assert sum(logged.values()) == pytest.approx(1)
    keys = list(logged)
    assert chisquare([seen[k] for k in keys], [draws * logged[k] for k in keys]).pvalue > 0.001


@pytest.mark.usefixtures("learning")
def test_probabilities_from_choices_by_hand() -> None:
    pool = shared().pool(3)
    planned = draws_of("open", WANTED)
    # A third for each segment. On the first, all three screens can be shown; on the second, systems 2 and 3 share an
    # output, so that only the third screen shows three outputs; on the third, system 1 and 5 have none.
    assert planned.probability(pool, 1, (100, 101, 102)) == pytest.approx(0.5 / 3)
    assert planned.probability(pool, 1, (101, 102, 103)) == 0
    assert planned.probability(pool, 2, (200, 202, 203)) == pytest.approx(1 / 3)
    assert planned.probability(pool, 3, (300, 301, 302)) == pytest.approx(1 / 3)
    assert [planned.named(pool, segment) for segment in (1, 2, 3)] == ["open", "open", "balanced"]
    # With a place reserved, systems 2 and 3 remain of the first screen, and of the second, in one of three ways each.
    pool = replace(pool, reserved=1)
    assert planned.probability(pool, 1, (101, 102)) == pytest.approx((0.5 / 3 + 0.3 / 3) / 3)


@pytest.mark.usefixtures("learning")
def test_without_choices_of_this_strategy_the_choice_is_balanced_and_says_so() -> None:
    pool = shared().pool(3)
    for choices in (None, replace(WANTED, strategy="other"), replace(WANTED, screens=(), weights=())):
        assert choose(pool, "open", 0.0, Random(1), choices).strategy == "balanced"
    assert choose(pool, "balanced", 0.0, Random(1), WANTED).strategy == "balanced"


@pytest.mark.usefixtures("learning")
def test_choices_go_by_the_least_chosen_segments() -> None:
    campaign = shared()
    campaign.chosen.update([1])
    assert draws_of("open", WANTED).probability(campaign.pool(3), 1, (100, 101, 102)) == 0
    assert draws_of("open", WANTED).probability(campaign.pool(3), 2, (200, 202, 203)) == pytest.approx(1 / 2)


def test_a_plan_weighs_screens_by_how_often_they_are_in_it() -> None:
    choices = Choices.planned("s14", ("a", "b", "c"), [(1, 0), (2, 0), (0, 1), (1, 2)])
    assert dict(zip(choices.screens, choices.weights, strict=True)) == {(0, 1): 0.5, (0, 2): 0.25, (1, 2): 0.25}


def test_choices_survive_json_and_take_the_numbers_of_a_pool() -> None:
    choices = replace(WANTED, numbers=())
    assert Choices.of_dict(json.loads(json.dumps(choices.to_dict()))) == choices
    assert Choices.of_dict(json.loads(json.dumps(WANTED.to_dict()))) == WANTED
    assert choices.numbered(dict(zip("abcde", range(1, 6), strict=True))) == WANTED
    partial = choices.numbered({"a": 10, "b": 20, "c": 30, "d": 40})
    assert partial.entries == (((10, 20, 30), 1.0),)


@pytest.mark.parametrize(
    "change",
    [{"weights": [1.0]}, {"weights": [0.5, 0.5, 0.5]}, {"screens": [[0, 9], [1, 2], [0, 1]]}, {"screens": 3},
     {"screens": [[1, 0], [1, 2], [0, 4]]}, {"numbers": [1]}, {"systems": None}],
)  # fmt: skip
def test_what_is_no_choices_is_refused(change: dict) -> None:
    with pytest.raises(InputError, match="no choices of a strategy"):
        Choices.of_dict({**WANTED.to_dict(), **change})
