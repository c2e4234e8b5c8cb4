"""What judges, segments, styles and spacings do to simulated campaigns, against what theory says."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import norm

from palmares import CampaignPlan, rank, simulate
from palmares.cli import cli
from palmares.design.coverage import measure
from palmares.design.screens import Screens, drawn
from palmares.design.simulate import SimulatedCampaign
from palmares.design.simulated_counts import simulate_counts
from palmares.design.styles import advantage, intransitivity, preferences
from palmares.errors import InputError

#: Two systems, the first better by 6 where an output scatters by 8: it wins a decided comparison by .702.
DUEL = CampaignPlan(
    systems=2, outputs=2, qualities=(6.0, 0.0), spread=8.0, tie_radius=0.0, rankings=40_000, judges=10, segments=10
)
SCALE = 2**0.5 * 8


def rates(campaign: SimulatedCampaign, by: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The shares of wins of the first system and of ties, by judge or segment, and the numbers of judgments."""
    outcome, unit = campaign.judgments.codes("outcome"), campaign.judgments.codes(by)
    number = np.bincount(unit)
    return np.bincount(unit, outcome > 0) / number, np.bincount(unit, outcome == 0) / number, number


def assert_rates(observed: np.ndarray, expected: np.ndarray, number: np.ndarray) -> None:
    z = (observed - expected) / np.sqrt(expected * (1 - expected) / number)
    assert np.abs(z).max() < 4
    assert (z**2).mean() < 2.6


def test_a_sensitive_judge_sees_differences_larger() -> None:
    campaign = simulate(DUEL, sensitivity_spread=0.7, rng=1)
    wins, _, number = rates(campaign, "judge")
    sensitivity = campaign.truth.judges.sensitivity
    assert np.ptp(np.log(sensitivity)) > 1
    assert_rates(wins, norm.cdf(sensitivity * 6 / SCALE), number)


def test_judges_tie_as_wide_as_their_own_radius() -> None:
    campaign = simulate(DUEL, tie_radius=4.0, tie_spread=0.8, rng=2)
    radius = campaign.truth.judges.tie_radius
    wins, ties, number = rates(campaign, "judge")
    assert np.ptp(np.log(radius / 4)) > 1
    assert_rates(wins, norm.cdf((6 - radius) / SCALE), number)
    assert_rates(ties, norm.cdf((6 + radius) / SCALE) - norm.cdf((6 - radius) / SCALE), number)


def test_a_difficult_segment_shrinks_differences() -> None:
    campaign = simulate(DUEL, difficulty_spread=0.7, rng=3)
    wins, _, number = rates(campaign, "segment")
    assert_rates(wins, norm.cdf(6 / np.array(campaign.truth.difficulty) / SCALE), number)


@pytest.mark.parametrize("answers", [1.0, 0.4])
def test_lazy_judges_answer_at_random_so_often_and_tie_as_often(answers: float) -> None:
    campaign = simulate(DUEL, tie_radius=4.0, lazy_judges=0.3, lazy_answers=answers, rng=4)
    lazy = campaign.truth.judges.lazy
    assert lazy.sum() == 3
    win, loss = norm.cdf((6 - 4) / SCALE), norm.cdf((-6 - 4) / SCALE)
    wins, ties, number = rates(campaign, "judge")
    chance = np.where(lazy, answers * (win + loss) / 2 + (1 - answers) * win, win)
    assert_rates(wins, chance, number)
    assert_rates(ties, np.full(10, 1 - win - loss), number)


def test_reversed_judges_take_better_for_worse_but_not_the_place() -> None:
    campaign = simulate(DUEL, reversed_judges=0.2, rng=5)
    truth = campaign.truth.judges
    assert truth.reversed.sum() == 2
    wins, _, number = rates(campaign, "judge")
    assert_rates(wins, norm.cdf(np.where(truth.reversed, -6, 6) / SCALE), number)
    placed = simulate(DUEL, reversed_judges=1.0, position_effect=1e6, rng=5).judgments
    first = np.where(placed.codes("position_a") < placed.codes("position_b"), 1, -1)
    assert (placed.codes("outcome") == first).all()


def test_nobody_is_both_lazy_and_reversed() -> None:
    truth = simulate(DUEL, lazy_judges=0.5, reversed_judges=0.5, rankings=1, rng=6).truth.judges
    assert (truth.lazy ^ truth.reversed).all()


def test_work_falls_with_the_number_of_the_judge() -> None:
    campaign = simulate(DUEL, work=1.0, rng=7)
    expected = 1 / np.arange(1, 11) / sum(1 / k for k in range(1, 11))
    done = np.bincount(campaign.judgments.codes("judge"))
    assert campaign.truth.judges.share == pytest.approx(expected)
    assert (((done - 40_000 * expected) ** 2) / (40_000 * expected)).sum() < 27.9  # χ², 9 degrees, p = .001


# -- systems -----------------------------------------------------------------------------------------


def quality(**changes: Any) -> np.ndarray:
    return simulate_counts(CampaignPlan(rankings=1, segments=1, **changes), 2000, rng=8).quality


def test_spacings_have_the_same_mean_and_width() -> None:
    uniform, normal, even = (quality(spacing=spacing, quality_range=4.0) for spacing in ("uniform", "normal", "even"))
    assert 0 <= uniform.min() < 0.01 < 3.99 < uniform.max() <= 4
    assert normal.mean() == pytest.approx(2, abs=0.03)
    assert normal.std() == pytest.approx(uniform.std(), abs=0.03) == pytest.approx(4 / 12**0.5, abs=0.03)
    assert abs((((normal - 2) / normal.std()) ** 4).mean() - 3) < 0.15
    assert np.sort(even, axis=1) == pytest.approx(np.tile(np.linspace(0, 4, 10), (2000, 1)))
    assert len({row.argmax() for row in even}) == 10


def test_groups_are_of_equal_or_nearly_equal_systems() -> None:
    equal = quality(systems=8, groups=(3, 3, 2))
    assert all(len(set(row[part])) == 1 for row in equal for part in (slice(3), slice(3, 6), slice(6, 8)))
    assert all(len(set(row)) == 3 for row in equal)
    near = quality(systems=8, groups=(3, 3, 2), group_spread=0.5) - equal
    assert near.std() == pytest.approx(0.5, abs=0.01)
    even = quality(systems=8, groups=(3, 3, 2), spacing="even")
    assert all(set(row) == {0, 5, 10} for row in even)


def test_given_qualities_are_those_of_every_campaign() -> None:
    assert (quality(systems=5, qualities=(1, 2.5, 2.5, -3, 0)) == [1, 2.5, 2.5, -3, 0]).all()


def test_a_range_misses_the_ranks_of_equals_only_if_it_has_none_of_them() -> None:
    campaign = simulate(systems=4, outputs=2, groups=(2, 2), rankings=4000, spread=2.0, tie_radius=0.0, rng=3)
    ranking = rank(campaign.judgments, resamples=100, rng=0)
    true = sorted(campaign.quality.values(), reverse=True)
    truth = {name: 1 + true.index(value) for name, value in campaign.quality.items()}
    assert sorted(truth.values()) == [1, 1, 3, 3]
    assert [line.range for line in ranking.lines] == [(1, 2), (1, 2), (3, 4), (3, 4)]
    assert measure(ranking, truth)[0] == 0
    assert measure(ranking, {name: 4 - place for name, place in truth.items()})[0] == 1


# -- styles ------------------------------------------------------------------------------------------


def test_three_styles_a_third_of_a_turn_apart_go_round() -> None:
    """Condorcet: a third of the segments for each order, so that each is preferred to one other by two thirds."""
    third = np.array([0, 1 / 3, 2 / 3])
    preference = preferences(np.zeros(3), third, 1.0, 0.0)
    assert preference[[1, 2, 0], [0, 1, 2]] == pytest.approx([2 / 3] * 3)
    measured = intransitivity(preference)
    assert (measured.cycles, measured.triples, measured.unexplained) == (1, 1, pytest.approx(1))


def test_qualities_alone_are_no_cycle() -> None:
    measured = intransitivity(preferences(np.array([0.0, 1, 5, 2]), np.array([0.1, 0.2, 0.7, 0.9]), 0.0, 3.0))
    assert (measured.cycles, measured.triples) == (0, 4)
    assert measured.unexplained == pytest.approx(0, abs=1e-12)


def test_what_a_style_adds_is_nothing_on_average_with_the_stated_deviation() -> None:
    gain = advantage(np.array(0.3), (np.arange(10_000) + 0.5) / 10_000, 2.0)
    assert gain.mean() == pytest.approx(0, abs=1e-9)
    assert gain.std() == pytest.approx(2, rel=1e-6)


@pytest.mark.parametrize("of", ["segment", "judge"])
def test_preferences_are_those_of_the_campaign(of: str) -> None:
    plan = CampaignPlan(
        systems=4, outputs=2, rankings=60_000, judges=20_000, segments=20_000, spread=5, tie_radius=0,
        style_effect=6, style_of=of, qualities=(0, 1, 2, 1.5),
    )  # fmt: skip
    campaign = simulate(plan, rng=9)
    counts = campaign.judgments.counts
    styles = campaign.truth.styles
    assert len(styles.wanted) == 20_000
    i, j = np.triu_indices(4, 1)
    expected = preferences(np.array(plan.qualities), styles.systems, 6, 5)[i, j]
    # Three rankings for every style asked for: a little more variance than single ones have.
    z = (counts.wins / np.maximum(counts.decided, 1))[i, j] - expected
    assert np.abs(z).max() < 4.5 * (0.25 / 10_000) ** 0.5
    assert campaign.truth.intransitivity == intransitivity(preferences(np.array(plan.qualities), styles.systems, 6, 5))


# -- one at a time -----------------------------------------------------------------------------------

EACH: dict[str, dict[str, Any]] = {
    "segment_effect": {"segment_effect": 6.0},
    "judge_effect": {"judge_effect": 3.0},
    "position_effect": {"position_effect": 5.0},
    "sensitivity_spread": {"sensitivity_spread": 0.9},
    "tie_spread": {"tie_spread": 0.9},
    "lazy_judges": {"lazy_judges": 0.25},
    "reversed_judges": {"reversed_judges": 0.25},
    "difficulty_spread": {"difficulty_spread": 0.9},
    "style_effect": {"style_effect": 6.0},
}
PLAN = CampaignPlan(rankings=150)


def screens(**changes: Any) -> Screens:
    return drawn(replace(PLAN, **changes), np.random.default_rng(10))


@pytest.mark.parametrize("name", EACH)
def test_an_effect_changes_what_is_seen_and_nothing_else(name: str) -> None:
    plain, changed = screens(), screens(**EACH[name])
    for same in ("quality", "shown", "judge", "segment"):
        assert np.array_equal(getattr(plain, same), getattr(changed, same)), same
    moved = "radius" if name == "tie_spread" else "seen"
    assert not np.array_equal(getattr(plain, moved), getattr(changed, moved))


def test_no_effect_changes_the_draws_of_another() -> None:
    every = {key: value for settings in EACH.values() for key, value in settings.items()}
    together = screens(**every, work=1.0)
    for name, settings in EACH.items():
        alone = screens(**settings)
        without = screens(**{key: value for key, value in every.items() if key not in settings})
        for which in ("sensitivity", "tie_radius", "lazy", "reversed"):
            values = [getattr(one.judges, which) for one in (together, alone, without)]
            on = {"sensitivity": "sensitivity_spread", "tie_radius": "tie_spread"}.get(which, f"{which}_judges")
            assert np.array_equal(values[0], values[1 if on == name else 2]), (name, which)
        if name == "style_effect":
            assert np.array_equal(together.styles.wanted, alone.styles.wanted)
        if name == "difficulty_spread":
            assert np.array_equal(together.difficulty, alone.difficulty)


def test_unequal_work_changes_who_judges_alone() -> None:
    plain, uneven = screens(), screens(work=1.0)
    assert np.array_equal(plain.shown, uneven.shown)
    assert np.array_equal(plain.seen, uneven.seen)
    assert not np.array_equal(plain.judge, uneven.judge)


def test_counts_are_those_of_the_judgments_with_everything_at_once() -> None:
    every = {key: value for settings in EACH.values() for key, value in settings.items()}
    plan = replace(PLAN, **every, work=0.7, spacing="normal", groups=(4, 1, 5), group_spread=0.3, judge_noise=2.0)
    counted = simulate_counts(plan, 2, rng=11)
    for number in range(2):
        counts = counted.campaign(number).judgments.counts
        assert np.array_equal(counts.wins, counted.wins[number, 0])
        assert np.array_equal(counts.ties, counted.ties[number, 0])


@pytest.mark.parametrize(
    ("change", "wording"),
    [
        ({"spacing": "odd"}, "spacing: got 'odd'; allowed: uniform, normal, even"),
        ({"style_of": "page"}, "style_of: got 'page'; allowed: segment, judge"),
        ({"quality_range": -1.0}, "quality_range: got -1.0; allowed: a number of at least 0"),
        ({"groups": (5, 0, 5)}, "groups: got 5,0,5; allowed: the sizes of groups, each at least 1"),
        ({"groups": (5, 4)}, "groups: got 5,4, which is 9 systems; there are 10"),
        ({"group_spread": 1.0}, "group_spread: got 1.0, but there are no groups"),
        ({"qualities": (1.0, 2.0)}, "qualities: got 2 of them; there are 10 systems"),
        ({"qualities": (float("nan"),) * 10}, "qualities: got nan,nan"),
        ({"qualities": (1.0,) * 10, "groups": (10,)}, "got qualities and groups; allowed: one of them"),
        ({"spread": 1e200}, "spread: got 1e[+]200; allowed: at most 1,000,000,000"),
        ({"position_effect": -1e200}, "position_effect: got -1e[+]200; allowed: a number, at most"),
        ({"sensitivity_spread": 11.0}, "sensitivity_spread: got 11.0; allowed: at most 10"),
        ({"systems": 10**12}, "systems: got 1000000000000; allowed: at most 10,000"),
        ({"rankings": 10**12}, "rankings: got 1000000000000; allowed: at most 100,000,000"),
        ({"work": float("inf")}, "work: got inf; allowed: a number of at least 0"),
        ({"lazy_judges": 1.2}, "lazy_judges: got 1.2; allowed: a share between 0 and 1"),
        ({"lazy_answers": -0.1}, "lazy_answers: got -0.1; allowed: a share between 0 and 1"),
        ({"reversed_judges": 0.01}, "reversed_judges: got 0.01, which is none of 12 judges"),
        ({"lazy_judges": 0.6, "reversed_judges": 0.5}, "7 and 6 of 12 judges; allowed: together not more than all"),
    ],
)
def test_an_impossible_plan_is_refused(change: dict[str, Any], wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        CampaignPlan(**change)


# -- the truth ---------------------------------------------------------------------------------------


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli, ["simulate", *map(str, arguments)])


def test_the_truth_never_takes_the_place_of_the_judgments(tmp_path: Path) -> None:
    result = run(tmp_path / "a.csv", "--truth", tmp_path / "." / "a.csv")
    assert isinstance(result.exception, InputError)
    assert "where the judgments are to go" in str(result.exception)
    assert not (tmp_path / "a.csv").exists()


EVERYTHING = "--judges 5 --rankings 40 --groups 2,2,3 --lazy-judges .2 --style-effect 4 --difficulty-spread .3 --seed 3"


def test_the_truth_is_written_as_json(tmp_path: Path) -> None:
    result = run(tmp_path / "a.csv", *EVERYTHING.split(), "--truth", tmp_path / "t.json")
    assert result.exit_code == 0, result.output
    truth = json.loads((tmp_path / "t.json").read_text())
    campaign = simulate(
        systems=7, judges=5, rankings=40, groups=(2, 2, 3), lazy_judges=0.2, style_effect=4.0, difficulty_spread=0.3,
        rng=3,
    )  # fmt: skip
    assert truth == json.loads(json.dumps(campaign.truth.to_dict()))
    assert truth["signature"].startswith("systems:7|rankings:40|")
    assert "|groups:2,2,3|lazy_judges:0.2|difficulty_spread:0.3|style_effect:4|seed:3|version:" in truth["signature"]
    assert {row["system"]: row["quality"] for row in truth["systems"]} == campaign.quality
    assert [row["lazy"] for row in truth["judges"]].count(True) == 1
    assert len(truth["segments"]) == 300
    (lazy,) = [row["judge"] for row in truth["judges"] if row["lazy"]]
    assert f"lazy: {lazy}\n" in result.stderr


def test_the_truth_is_written_as_a_table(tmp_path: Path) -> None:
    assert run(tmp_path / "a.csv", "--judges", 2, "--truth", tmp_path / "t.csv").exit_code == 0
    with (tmp_path / "t.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows if row["kind"] == "system"] == [f"system-{k:02d}" for k in range(1, 11)]
    assert {row["parameter"] for row in rows if row["kind"] == "judge"} == {
        "share", "noise", "sensitivity", "tie_radius", "lazy", "reversed"
    }  # fmt: skip
    assert not [row for row in rows if row["kind"] == "segment"]


@pytest.mark.parametrize(
    ("name", "wording"), [("t.txt", "ends in .json or .csv"), ("nowhere/t.json", "there is no folder")]
)
def test_a_truth_that_cannot_be_written_is_refused_before_anything_is(tmp_path: Path, name: str, wording: str) -> None:
    result = run(tmp_path / "a.csv", "--truth", tmp_path / name)
    assert isinstance(result.exception, InputError)
    assert wording in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_numbers_that_are_none_are_refused_in_words(tmp_path: Path) -> None:
    result = run(tmp_path / "a.csv", "--groups", "3,x")
    assert result.exit_code == 2
    assert "'3,x' is not whole numbers joined by commas, such as 3,3,4" in result.output


def test_the_help_has_its_options_in_sections() -> None:
    text = run("--help").output
    sections = ["\nSize:\n", "\nSystems:\n", "\nOutputs and segments:\n", "\nJudges:\n", "\nWork:\n"]
    places = [text.index(section) for section in sections]
    assert places == sorted(places)
    assert text.index("--truth FILE") < places[0] < places[3] < text.index("--lazy-judges") < places[4]
