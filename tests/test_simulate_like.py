"""Plans fitted to campaigns: what a campaign is known by, and that a known plan comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from math import asin, pi
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from palmares import CampaignPlan, Judgments, simulate
from palmares.cli import cli
from palmares.design.likeness import LikePlan, campaign, plan_like
from palmares.design.likeness.features import curve, shared_correlations, significant
from palmares.design.likeness.real_screens import RealScreens
from palmares.design.likeness.shape import Shape, steepness
from palmares.design.screens import shares
from palmares.errors import InputError
from palmares.ranking.significance import sign_test

KNOWN = CampaignPlan(
    systems=14, rankings=2400, outputs=3, judges=24, segments=200, spread=7.0, tie_radius=3.0, segment_effect=5.0,
    judge_effect=2.5, position_effect=2.0, work=0.8, sensitivity_spread=0.4, tie_spread=0.6, spacing="even",
)  # fmt: skip


@pytest.fixture(scope="module")
def fitted() -> LikePlan:
    return plan_like(simulate(KNOWN, rng=1).judgments, rng=2)


def test_a_known_plan_comes_back(fitted: LikePlan) -> None:
    """Within three standard errors, as the fit states them, and not because errors are huge."""
    assert fitted.plan.systems == 14
    assert (fitted.plan.rankings, fitted.plan.outputs, fitted.plan.judges, fitted.plan.segments) == (2400, 3, 24, 200)
    errors = {line.setting: line.error for line in fitted.settings}
    for name, most in (
        ("spread", 4.0), ("tie_radius", 2.0), ("segment_effect", 2.5), ("judge_effect", 2.0), ("position_effect", 1.2),
        ("sensitivity_spread", 0.25), ("tie_spread", 0.3),
    ):  # fmt: skip
        error = errors[name]
        assert error is not None
        assert error < most, name
        # Qualities that are evenly spaced spread a tenth more than uniform ones are taken to do.
        slack = 0.1 * getattr(KNOWN, name)
        assert abs(getattr(fitted.plan, name) - getattr(KNOWN, name)) < 3 * error + slack, name
    low, high = fitted.scatter_interval
    assert low < (7**2 + 5**2 + 2.5**2) ** 0.5 < high < 3.5 * low
    assert fitted.scatter_of_scores == pytest.approx(fitted.scatter, rel=0.35)
    assert fitted.plan.work == pytest.approx(0.8, abs=0.1)


def test_its_campaigns_measure_the_same(fitted: LikePlan) -> None:
    for line in fitted.compared:
        assert abs(line.simulated - line.real) < 3.5 * max(line.deviation, 0.01), line
        assert abs(line.answered_anew - line.real) < 2.5 * max(line.deviation, 0.01), line


def test_believed_qualities_follow_the_true_ones(fitted: LikePlan) -> None:
    truth = simulate(KNOWN, rng=1).quality
    believed = [fitted.systems[name][0] for name in truth]
    assert np.corrcoef(believed, list(truth.values()))[0, 1] > 0.9
    z = (np.array(believed) - 5 - (np.array(list(truth.values())) - 5)) / [fitted.systems[name][1] for name in truth]
    assert np.abs(z).mean() < 1.6
    assert fitted.with_its_systems.qualities == tuple(believed)
    assert np.std(believed) < 10 / 12**0.5


def test_the_words_say_what_was_fitted_and_what_was_not(fitted: LikePlan) -> None:
    text = "\n".join(fitted.lines())
    assert "an output scatters by" in text
    assert "not fitted: judge_noise, lazy_judges" in text
    assert "simulated  sd" in text
    content = json.loads(json.dumps(fitted.to_dict()))
    assert content["plan"]["systems"] == 14
    assert content["signature"].startswith("systems:14|")


def test_the_same_seed_gives_the_same_plan() -> None:
    judgments = simulate(systems=5, rankings=150, outputs=3, segments=30, judges=4, rng=0).judgments
    assert plan_like(judgments, rng=3).to_dict() == plan_like(judgments, rng=3).to_dict()


# -- figures of a campaign ---------------------------------------------------------------------------


def test_correlations_are_those_of_normal_variables() -> None:
    """Signs of two normal variables of correlation r correlate by (2/π) arcsin r: .36 and .16 here."""
    plan = CampaignPlan(
        systems=2, outputs=2, rankings=30_000, judges=400, segments=400, spread=24**0.5, tie_radius=0,
        segment_effect=3.0 * (5 / 6) ** 0.5 * 1.2649110640673518, judge_effect=2.0, qualities=(0.0, 0.0),
    )  # fmt: skip
    whole = plan.spread**2 + plan.segment_effect**2 + plan.judge_effect**2
    found = shared_correlations(simulate(plan, rng=1).judgments)
    for value, effect in zip(found, (plan.segment_effect, plan.judge_effect), strict=True):
        assert value == pytest.approx(2 / pi * asin(effect**2 / whole), abs=0.02)


def test_correlations_by_hand() -> None:
    """Of 4 judgments of a pair, mean 0: products +1 for one segment (two judges), −1 for one judge, −1, −1, −1, +1."""
    rows = pl.DataFrame(
        {
            "system_a": ["a"] * 4, "system_b": ["b"] * 4, "outcome": [1, 1, -1, -1],
            "segment": ["s", "s", "t", "u"], "judge": ["j", "k", "j", "l"],
        }
    )  # fmt: skip
    # Nothing in common: rows (1,4), (2,3), (2,4), (3,4): −1, −1, −1, +1, mean −½. Same segment: +1; same judge: −1.
    assert shared_correlations(Judgments.from_rows(rows)) == pytest.approx((1.5, -0.5))


def test_nothing_shared_is_unknown() -> None:
    judgments = simulate(systems=4, outputs=2, rankings=200, judges=1, rng=0).judgments
    assert np.isnan(shared_correlations(judgments)[0])


def test_the_curve_ends_at_the_sign_test_of_all_judgments() -> None:
    judgments = simulate(systems=8, rankings=300, rng=4).judgments
    share = (sign_test(judgments.counts)[np.triu_indices(8, 1)] <= 0.05).mean()
    found = curve(judgments, 3, np.random.default_rng(0))
    assert found[-1] == pytest.approx(share)
    assert significant(judgments.counts.wins) == pytest.approx(share)
    assert 0 <= found[0] <= found[-1]


# -- the screens of a campaign -----------------------------------------------------------------------


def test_screens_of_any_size_are_answered_by_quality() -> None:
    """Without noise, every judgment goes to the system of higher quality, whatever the size of its ranking."""
    rows = simulate(systems=6, outputs=4, rankings=50, rng=5).judgments.to_rows()
    part = rows.filter((pl.col("ranking") != "ranking-07") | (pl.col("system_a") != pl.col("system_a").first()))
    judgments = Judgments.from_rows(part.sample(fraction=0.8, seed=1))
    plan = CampaignPlan(systems=6, qualities=(3, 1, 4, 1.5, 5, 9), spread=0.0, tie_radius=0.6)
    answered = RealScreens.of(judgments).answered(plan, np.random.default_rng(0))
    quality = dict(zip(judgments.systems, plan.qualities, strict=True))
    for row in answered.to_rows().iter_rows(named=True):
        gap = quality[row["system_a"]] - quality[row["system_b"]]
        assert row["outcome"] == (0 if abs(gap) <= 0.6 else np.sign(gap))
    assert answered.to_rows().drop("outcome").equals(judgments.to_rows().drop("outcome"))


def test_places_of_real_screens_count() -> None:
    judgments = simulate(systems=6, outputs=3, rankings=50, rng=6).judgments
    plan = CampaignPlan(systems=6, spread=0.0, tie_radius=0.0, position_effect=1e6)
    rows = RealScreens.of(judgments).answered(plan, np.random.default_rng(0)).to_rows()
    assert ((rows["outcome"] > 0) == (rows["position_a"] < rows["position_b"])).all()


def test_work_is_as_unequal_as_it_was() -> None:
    for work in (0.3, 1.0, 2.0):
        share = shares(CampaignPlan(judges=30, work=work))
        assert steepness(30, 1 / (share**2).sum()) == pytest.approx(work)
    assert steepness(30, 30.0) == 0
    assert steepness(1, 1.0) == 0


def test_rankings_of_several_sizes_make_as_many_judgments() -> None:
    rows = simulate(systems=6, outputs=4, rankings=60, rng=7).judgments.to_rows()
    kept = rows.filter((pl.col("ranking") > "ranking-10") | (pl.int_range(pl.len()).over("ranking") < 3))
    shape = Shape.of(Judgments.from_rows(kept), "uniform")
    assert (shape.plan.outputs, shape.plan.rankings) == (4, round(len(kept) / 6))
    assert "rankings have from 3 to 6 judgments; simulated ones all have 4 outputs" in shape.notes[0]


def test_what_is_not_known_is_said() -> None:
    campaign = simulate(systems=4, outputs=2, rankings=400, spread=3.0, rng=8).judgments.to_rows()
    bare = Judgments.from_rows(campaign.select("system_a", "system_b", "outcome"))
    like = plan_like(bare, rng=0)
    assert (like.plan.judges, like.plan.segment_effect, like.plan.judge_effect, like.plan.outputs) == (1, 0, 0, 2)
    text = "\n".join(like.notes)
    for words in (
        "judges are not known", "segments are not known", "rankings are not known", "segment_effect was not fitted",
        "judge_effect was not fitted", "how judges differ was not fitted", "position_effect was not fitted: places are",
    ):  # fmt: skip
        assert words in text


def test_weights_are_left_out_aloud() -> None:
    judgments = simulate(systems=4, outputs=3, rankings=60, judges=3, segments=20, spread=2.0, rng=9).judgments
    like, weighed = plan_like(judgments, rng=1), plan_like(judgments.weighed("van-elteren"), rng=1)
    assert weighed.plan == like.plan
    assert any("weights are left out" in note for note in weighed.notes)


def test_of_large_campaigns_whole_rankings_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "_ENOUGH", 400)
    judgments = simulate(systems=5, outputs=3, rankings=400, judges=4, segments=30, spread=3.0, rng=9).judgments
    like = plan_like(judgments, rng=1)
    assert like.plan.rankings == 400
    (note,) = [note for note in like.notes if note.startswith("fitted to")]
    assert note.endswith("of 1,200 judgments, drawn as whole rankings")
    drawn = int(note.split()[2])
    assert drawn % 3 == 0
    assert 280 < drawn < 520


def refused(judgments: Judgments) -> str:
    with pytest.raises(InputError) as caught:
        plan_like(judgments, rng=0)
    return str(caught.value)


def test_campaigns_that_no_plan_can_be_fitted_to_are_refused() -> None:
    equal = simulate(systems=4, outputs=2, rankings=20, qualities=(1.0,) * 4, rng=0).judgments
    assert "no two systems are significantly different" in refused(equal)
    rows = simulate(systems=4, outputs=2, rankings=20, rng=0).judgments.to_rows()
    two = pl.concat([rows.with_columns(lang_pair=pl.lit(pair)) for pair in ("de-en", "fr-en")])
    assert "2 language pairs: de-en, fr-en; a plan is like one of them" in refused(Judgments.from_rows(two))
    apart = pl.DataFrame({"system_a": ["a", "c"] * 40, "system_b": ["b", "d"] * 40, "outcome": [1] * 80})
    assert "fall into 2 groups that no judgment links" in refused(Judgments.from_rows(apart))


# -- the command -------------------------------------------------------------------------------------


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli, ["simulate", *map(str, arguments)])


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("like") / "real.csv"
    size = "--systems 5 --rankings 200 --outputs 3 --judges 5 --segments 10 --spread 4"
    assert run(path, *size.split()).exit_code == 0
    return path


def test_the_command_simulates_campaigns_like_one(real: Path, tmp_path: Path) -> None:
    made, truth = tmp_path / "made.csv", tmp_path / "truth.json"
    result = run(made, "--like", real, "--rankings", 77, "--same-systems", "--truth", truth)
    assert result.exit_code == 0, result.output
    assert "share of ties" in result.stderr
    assert len(pl.read_csv(made)) == 77 * 3
    plan = json.loads(truth.read_text())["plan"]
    assert (plan["systems"], plan["judges"], plan["segments"], plan["outputs"], plan["rankings"]) == (5, 5, 10, 3, 77)
    assert len(plan["qualities"]) == 5


def test_same_systems_needs_a_campaign(tmp_path: Path) -> None:
    result = run(tmp_path / "made.csv", "--same-systems")
    assert "--same-systems: of which campaign?" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real
@pytest.mark.slow
def test_wmt13_scatters_as_koehn_found(real_data: Path) -> None:
    """Koehn 2012, Figure 2: 7 to 12 for real campaigns."""
    from palmares import read

    like = plan_like(read(real_data / "wmt13" / "fr-en.train.csv"), rng=0)
    assert 7 < like.scatter < 12
    assert like.plan == replace(like.plan, systems=13, judges=218)
