"""Audits: clean campaigns raise no flags, planted defects their own, and nothing depends on order or workers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from audit_campaigns import (
    campaign,
    circle,
    clean,
    contrary_judge,
    drifting,
    position_bias,
    tastes,
    two_busy_judges,
    two_groups,
    tying_system,
    unmet_pair,
)  # fmt: skip

import palmares as pm
from palmares.auditing.run import Audit
from palmares.errors import InputError
from palmares.judgments import Judgments


def audited(judgments: Judgments, **changes: object) -> Audit:
    return pm.audit(judgments, **{"rng": 0, "resamples": 200, "executor": "serial", **changes})


def flags(audit: Audit) -> set[str]:
    return {finding.check for finding in audit.flagged}


# -- where nothing is wrong ------------------------------------------------------------------------


def test_clean_campaigns_raise_few_flags() -> None:
    # Were the rate .05, more than 4 of 24 would come up once in 200 such tests; the slow test below is sharper.
    found = [flags(audited(clean(seed, rankings=200), rng=seed, resamples=60)) for seed in range(24)]
    assert sum(map(bool, found)) <= 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="as planned"),
        pytest.param({"spread": 300.0, "tie_radius": 60.0}, id="systems alike"),
        pytest.param({"segment_effect": 6.0}, id="segments differ"),
        pytest.param({"outputs": 2, "rankings": 1500, "systems": 8}, id="pairs"),
    ],
)
def test_the_chance_of_any_flag_and_of_a_small_p_is_what_it_says(changes: dict[str, float]) -> None:
    audits = [audited(clean(seed, **changes), rng=seed, resamples=100, executor=None) for seed in range(120)]
    # Three standard errors of a share of 120.
    allowed = 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(audits))
    assert np.mean([bool(flags(a)) for a in audits]) <= allowed
    for number, finding in enumerate(audits[0].findings):
        p = [a.findings[number].p for a in audits]
        assert finding.p is None or np.mean([v is not None and v <= 0.05 for v in p]) <= allowed, finding.check


# -- where one thing is wrong ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("planted", "expected", "named"),
    [
        pytest.param(position_bias, {"position"}, "the earlier of two outputs wins", id="position"),
        pytest.param(contrary_judge, {"judge-differences", "judge-influence"}, "judge-03 (", id="contrary judge"),
        pytest.param(tastes, {"judge-differences", "judge-influence"}, "departs from the others", id="tastes"),
        pytest.param(two_busy_judges, {"concentration"}, "2 judges of 8 hold half of the rankings", id="busy judges"),
        pytest.param(circle, {"intransitivity"}, "system-01 > system-02 (", id="circle"),
        pytest.param(tying_system, {"ties"}, "T is above W by", id="ties"),
        pytest.param(drifting, {"drift"}, "system-04 changes most: −", id="drift"),
        pytest.param(unmet_pair, {"rare-pairs"}, "1 pair of 15 never met (system-01 – system-02)", id="unmet pair"),
        pytest.param(two_groups, {"groups"}, "without system-01, system-02; in it", id="two groups"),
    ],
)
def test_a_planted_defect_raises_its_own_flag_only(
    planted: Callable[[], Judgments], expected: set[str], named: str
) -> None:
    audit = audited(planted())
    assert flags(audit) == expected
    assert any(named in finding.sentence for finding in audit.flagged)
    assert all(finding.adjusted is None or finding.adjusted <= 0.05 for finding in audit.flagged)


def test_effects_have_the_size_that_was_planted() -> None:
    found = {f.check: f for f in audited(two_busy_judges()).findings}
    assert found["concentration"].effect == pytest.approx(0.375 + 0.25 / 8, abs=0.04)
    met = {f.check: f for f in audited(unmet_pair()).findings}["rare-pairs"]
    assert met.effect == 0
    assert met.interval == (0, pytest.approx((1 - 0.025 ** (1 / 300)) / (2790 / 15 / 300), rel=0.05))


def test_a_contrary_judge_is_named_with_what_changes_without_them() -> None:
    influence = {f.check: f for f in audited(contrary_judge()).findings}["judge-influence"]
    first = influence.subjects[0]
    assert (first.name, first.p) == ("judge-03", 0.001)
    assert "without them, " in first.detail
    assert all(subject.p is not None and subject.p > 0.05 for subject in influence.subjects[1:])


# -- what could not be checked ---------------------------------------------------------------------


def test_checks_that_need_a_column_say_so() -> None:
    bare = Judgments.from_rows(campaign(1).select("system_a", "system_b", "outcome").with_columns(outcome=pl.lit(1)))
    audit = audited(bare)
    reasons = {f.check: f.skipped for f in audit.findings if f.skipped}
    assert reasons == {
        "position": "the judgments do not say in which order outputs were shown",
        "judge-differences": "the judgments do not say who judged",
        "judge-influence": "the judgments do not say who judged",
        "concentration": "the judgments do not say who judged",
        "ties": "there are no ties",
        "drift": "the judgments do not say when they were made",
    }
    assert all(claim.by_judge is None and claim.breaking == () and claim.ties == {} for claim in audit.claims)


def test_two_systems_and_one_judge_are_enough() -> None:
    rows = pl.DataFrame({"system_a": ["a"] * 40, "system_b": ["b"] * 40, "outcome": [1] * 30 + [-1] * 10, "judge": "j"})
    audit = audited(Judgments.from_rows(rows))
    assert {f.check for f in audit.findings if f.skipped is None} == {"groups"}
    assert [claim.verdict for claim in audit.claims] == ["carried", "carried"]


@pytest.mark.parametrize("resample", ["none", "sign-test"])
def test_an_audit_without_samples_is_refused(resample: str) -> None:
    with pytest.raises(InputError, match=f"resample: got '{resample}'"):
        audited(clean(1), resample=resample)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_level_that_is_none_is_refused(p: float) -> None:
    with pytest.raises(InputError, match="p: got"):
        audited(clean(1), p=p)


def test_several_language_pairs_are_refused() -> None:
    rows = campaign(1).with_columns(
        lang_pair=pl.when(pl.col("judge") == "judge-01").then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    with pytest.raises(InputError, match="mix 2 language pairs"):
        audited(Judgments.from_rows(rows))


# -- what must not matter --------------------------------------------------------------------------


def test_order_of_rows_and_names_of_rankings_change_nothing() -> None:
    rows = campaign(3, judge_effect=3.0)
    other = rows.sample(fraction=1.0, shuffle=True, seed=1).with_columns(pl.col("ranking").str.reverse())
    one, two = (audited(Judgments.from_rows(r)) for r in (rows, other))
    assert one.to_dict() == two.to_dict()


def test_names_that_sort_alike_change_nothing_but_names() -> None:
    rows = campaign(3, judge_effect=3.0)
    renamed = rows.with_columns(
        pl.col("judge").str.replace("judge", "x"), pl.col("system_a", "system_b").str.replace("s", "z")
    )
    one, two = (audited(Judgments.from_rows(r)) for r in (rows, renamed))
    assert [(f.check, f.p, f.effect, f.interval) for f in one.findings] == [
        (f.check, f.p, f.effect, f.interval) for f in two.findings
    ]


def test_mirrored_names_change_p_values_by_no_more_than_chance() -> None:
    rows = campaign(3)
    mirror = {f"system-0{i}": f"system-0{7 - i}" for i in range(1, 7)}
    judges = {f"judge-0{i}": f"judge-0{9 - i}" for i in range(1, 9)}
    other = rows.with_columns(pl.col("system_a", "system_b").replace(mirror), pl.col("judge").replace(judges))
    one, two = (audited(Judgments.from_rows(r)) for r in (rows, other))
    for a, b in zip(one.findings, two.findings, strict=True):
        # Five standard errors of a share of 999 permutations; exact tests agree far better.
        assert a.p == pytest.approx(b.p, abs=5 * np.sqrt(0.25 / 999)), a.check
        if a.check in ("position", "concentration", "rare-pairs"):
            assert a.p == pytest.approx(b.p, rel=1e-6)


@pytest.mark.parametrize("how", [{"workers": 1, "executor": None}, {"workers": 3, "executor": "threads"}])
def test_the_same_seed_gives_the_same_audit_wherever_it_runs(how: dict[str, object]) -> None:
    judgments = clean(4, judge_effect=2.0)
    assert audited(judgments).to_dict() == audited(judgments, **how).to_dict()


def test_another_seed_changes_permutation_tests_a_little() -> None:
    judgments = clean(4)
    one, two = audited(judgments), audited(judgments, rng=1)
    assert one.findings[1].p != two.findings[1].p
    assert one.findings[1].p == pytest.approx(two.findings[1].p, abs=0.1)
    assert "seed:1|" in two.signature


# -- claims ----------------------------------------------------------------------------------------


def test_claims_are_that_the_first_is_best_and_each_above_the_next() -> None:
    audit = audited(clean(5))
    systems = audit.ranking.systems
    assert [c.sentence for c in audit.claims] == [
        f"{systems[0]} is best", *[f"{a} is above {b}" for a, b in pairwise(systems)],
    ]  # fmt: skip
    scores = {line.system: line.score for line in audit.ranking.lines}
    for claim in audit.claims[1:]:
        assert claim.difference == pytest.approx(scores[claim.system] - scores[claim.other])


def test_a_claim_that_one_judge_makes_is_fragile() -> None:
    # Judge 0 says a is better a hundred times; the nine others together say the opposite by a little.
    rows = [("a", "b", 1, "judge-0")] * 100
    for judge in range(1, 10):
        rows += [("a", "b", 1, f"judge-{judge}")] * 14 + [("a", "b", -1, f"judge-{judge}")] * 16
    table = pl.DataFrame(rows, ["system_a", "system_b", "outcome", "judge"], orient="row")
    _, above = audited(Judgments.from_rows(table)).claims
    assert (above.system, above.other, above.verdict, above.breaking) == ("a", "b", "fragile", ("judge-0",))
    assert above.reasons[0] == "without judge-0"
    assert above.reasons[1].startswith("with other judges (holds in .")
    # 226 wins of 370: the log odds are log(226 / 144), their error √(1/226 + 1/144).
    assert above.difference == pytest.approx(np.log(226 / 144), rel=0.01)
    assert above.interval[1] - above.difference == pytest.approx(1.96 * np.sqrt(1 / 226 + 1 / 144), rel=0.15)


def test_a_claim_that_hangs_on_ties_is_fragile() -> None:
    claims = {c.sentence: c for c in audited(tying_system()).claims}
    claim = claims["W is best"]
    assert claim.verdict == "fragile"
    assert claim.ties == {"half": True, "ignore": False, "davidson": True}
    assert "if ties are ignored" in claim.reasons


def test_another_model_is_audited_with_its_own_scores() -> None:
    judgments = clean(6)
    audit = audited(judgments, model="expected-wins")
    assert audit.to_dict()["model"] == "expected-wins"
    assert audit.claims[1].difference == pytest.approx(audit.ranking.lines[0].score - audit.ranking.lines[1].score)
    assert "model:expected-wins" in audit.signature


def test_a_model_with_posterior_draws_is_audited_by_them() -> None:
    audit = audited(clean(6, rankings=60), model="hopkins-may", settings={"iterations": "60", "burn_in": "10"})
    assert len(audit.claims) == 6
    assert "|unit:posterior|" in audit.signature
    assert all(claim.by_judge is not None for claim in audit.claims)


# -- published campaigns ---------------------------------------------------------------------------


@pytest.mark.real
def test_the_judges_of_wmt13_differ_and_a_few_made_half_of_it(real_data: object) -> None:
    audit = audited(pm.read(real_data / "wmt13" / "fr-en.train.csv"))
    assert flags(audit) == {"judge-differences", "judge-influence", "concentration", "rare-pairs"}
    assert audit.claims[0].sentence.endswith("uedin-heafield-unconstrained.2755 is best")
    assert audit.claims[0].verdict == "carried"


@pytest.mark.real
def test_votes_without_rankings_or_positions_can_be_audited(real_data: object) -> None:
    audit = audited(pm.read(real_data / "llmfao" / "crowd-comparisons.csv"), resamples=60)
    assert {f.check for f in audit.findings if f.skipped} == {"position", "drift"}
    assert {"judge-differences", "judge-influence"} <= flags(audit)


@pytest.mark.real
def test_shared_outputs_are_not_taken_for_an_effect_of_position(real_data: object) -> None:
    # With them, the earlier output would seem to win 7.5 of 100 comparisons more: they stand first more often.
    audit = audited(pm.read(real_data / "gec15" / "judgments.xml"))
    assert flags(audit) == {"judge-differences", "judge-influence"}
    low, high = audit.findings[0].interval
    assert low < 0 < high
