"""Audits: clean campaigns raise no flags, planted defects their own, and nothing depends on order or workers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from audit_campaigns import (
    campaign,
    case,
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
from palmares.analysis.audit import CHECKS
from palmares.analysis.audit.cycles import intransitivity
from palmares.analysis.audit.run import Audit
from palmares.compute import Execution
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.by_name import create


def audited(judgments: Judgments, **changes: object) -> Audit:
    return pm.audit(judgments, **{"rng": 0, "resamples": 200, "execution": Execution("serial"), **changes})


def flags(audit: Audit) -> set[str]:
    return {finding.check for finding in audit.flagged}


# -- where nothing is wrong ------------------------------------------------------------------------


@pytest.mark.slow
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
    audits = [audited(clean(seed, **changes), rng=seed, resamples=100, execution=None) for seed in range(120)]
    # Three standard errors of a share of 120.
    allowed = 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(audits))
    assert np.mean([bool(flags(a)) for a in audits]) <= allowed
    for number, finding in enumerate(audits[0].findings):
        p = [a.findings[number].p for a in audits]
        assert finding.p is None or np.mean([v is not None and v <= 0.05 for v in p]) <= allowed, finding.check


def _nested(seed: int, outputs: int, rankings: int, segments: int) -> Judgments:
    """Judges alike, of whom each has segments of their own, works through them one by one, and judges each often."""
    plan = {"systems": 8, "outputs": outputs, "rankings": rankings, "segments": segments}
    rows = campaign(seed, **plan, segment_effect=6.0, spread=8.0, tie_radius=2.0)
    number = pl.col("segment").cast(pl.Enum(rows["segment"].unique().sort())).to_physical().cast(pl.Int64)
    turn = np.random.default_rng(seed).permutation(segments)
    moment = pl.Series(turn)[rows.select(number).to_series()] * 1000 + pl.Series(np.arange(len(rows)) % 900)
    rows = rows.with_columns(judge=pl.format("judge-{}", number % 8), time=moment.cast(pl.Datetime("us")))
    return Judgments.from_rows(rows.drop("ranking") if outputs == 2 else rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outputs", "rankings", "segments"),
    [pytest.param(5, 400, 200, id="rankings"), pytest.param(2, 1500, 240, id="pairs")],
)
def test_judges_of_segments_of_their_own_are_not_taken_to_differ(outputs: int, rankings: int, segments: int) -> None:
    made = [case(_nested(seed, outputs, rankings, segments), rng=seed, resamples=50) for seed in range(80)]
    for check in ("judge-differences", "judge-influence", "drift"):
        small = [CHECKS.load(check)(one).p <= 0.05 for one in made]
        assert np.mean(small) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(made)), check


@pytest.mark.slow
def test_many_systems_and_few_segments_stand_in_circles_only_if_they_do() -> None:
    plan = {"systems": 20, "rankings": 6000, "segments": 35, "outputs": 2, "spread": 30.0, "tie_radius": 2.0}
    calm = [intransitivity(case(clean(seed, **plan), resamples=50)) for seed in range(40)]
    assert np.mean([found.p <= 0.05 for found in calm]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)
    # Of about 200 circular triples; counting strengths as well as groups would expect some 50 too many.
    assert abs(np.mean([found.effect for found in calm])) < 15
    around = [intransitivity(case(circle(seed, win=0.97, **plan), resamples=50)) for seed in range(15)]
    assert np.mean([found.p <= 0.05 for found in around]) >= 0.7


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
        "duplicates": "there are no ties",
        "ties": "there are no ties",
        "drift": "the judgments do not say when they were made",
    }
    assert all(claim.by_judge is None and claim.breaking == () and claim.ties == {} for claim in audit.claims)


def test_two_systems_and_one_judge_are_enough() -> None:
    rows = pl.DataFrame({"system_a": ["a"] * 40, "system_b": ["b"] * 40, "outcome": [1] * 30 + [-1] * 10, "judge": "j"})
    audit = audited(Judgments.from_rows(rows))
    assert {f.check for f in audit.findings if f.skipped is None} == {"removal", "groups"}
    assert [claim.verdict for claim in audit.claims] == ["supported", "supported"]


@pytest.mark.parametrize("resample", ["none", "sign-test"])
def test_an_audit_without_samples_is_refused(resample: str) -> None:
    with pytest.raises(InputError, match=f"needs samples.*resample '{resample}'|resample: got '{resample}'"):
        audited(clean(1), resample=resample)


def test_scores_that_are_places_need_a_large_share_of_samples() -> None:
    # Every lead of an order is one place, which a normal test would take for a quantity.
    for claim in audited(clean(3), model="lopez").claims:
        assert claim.p >= 2 * (1 - claim.probability) - 1e-12 or claim.kind == "best"


def test_judges_are_not_told_apart_by_rounding() -> None:
    ties = Judgments.from_rows(clean(1).to_rows().with_columns(outcome=pl.lit(0, pl.Int8)))
    found = {f.check: f.skipped for f in audited(ties).findings}
    assert "as when all are ties" in str(found["judge-differences"])
    assert "as when all are ties" in str(found["judge-influence"])


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
    one, two = (audited(Judgments.from_rows(r)).to_dict() for r in (rows, other))
    # Rankings that would have to go are named.
    named = [
        [subject.pop(key) for key in ("what", "detail")]
        for audit in (one, two)
        for finding in audit["findings"]
        for subject in finding["subjects"]
        if subject.get("unit") == "ranking"
    ]
    assert sorted(name[::-1] for name in named[1][0]) == sorted(named[0][0])
    assert one == two


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


@pytest.mark.parametrize("execution", [Execution(workers=1), Execution("threads", 3)])
def test_the_same_seed_gives_the_same_audit_wherever_it_runs(execution: Execution) -> None:
    judgments = clean(4, judge_effect=2.0)
    assert audited(judgments).to_dict() == audited(judgments, execution=execution).to_dict()


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
    _, above = audited(Judgments.from_rows(table), resample="pair").claims
    assert (above.system, above.other, above.verdict, above.breaking) == ("a", "b", "fragile", ("judge-0",))
    assert above.reasons[0] == "without judge-0"
    assert above.reasons[1].startswith("with other judges (holds in .")
    # 226 wins of 370: the log odds are log(226 / 144), their error √(1/226 + 1/144).
    assert above.difference == pytest.approx(np.log(226 / 144), rel=0.01)
    assert above.interval[1] - above.difference == pytest.approx(1.96 * np.sqrt(1 / 226 + 1 / 144), rel=0.15)


@pytest.mark.parametrize("model", ["bradley-terry", "expected-wins"])
@pytest.mark.parametrize(("won", "verdict"), [(3, "not shown"), (5, "not shown"), (40, "supported")])
def test_a_perfect_record_is_as_good_as_it_is_long(model: str, won: int, verdict: str) -> None:
    rows = pl.DataFrame([("a", "b", 1)] * won, ["system_a", "system_b", "outcome"], orient="row")
    best, above = audited(Judgments.from_rows(rows), model=model).claims
    assert (best.verdict, above.verdict) == (verdict, verdict)
    low, high = best.interval
    assert (low > 0) == (verdict == "supported")
    assert high > best.difference > low
    # No surer than the exact sign test, where either is near a level.
    assert best.p >= min(0.1, 2 * 0.5**won)


def test_weights_make_a_perfect_record_no_longer() -> None:
    rows = pl.DataFrame([("a", "b", 1)] * 3, ["system_a", "system_b", "outcome"], orient="row")
    heavy = audited(Judgments.from_rows(rows.with_columns(weight=pl.lit(1000.0))))
    assert heavy.claims[0].p == pytest.approx(audited(Judgments.from_rows(rows)).claims[0].p)


def test_two_systems_that_beat_all_others_are_no_surer_of_it_than_one() -> None:
    # a and b beat each other now and then; each beat c once, and c and d are even.
    rows = [("a", "b", 1), ("a", "b", -1)] * 20 + [("a", "c", 1), ("b", "c", 1)] + [("c", "d", 1), ("c", "d", -1)] * 20
    table = pl.DataFrame(rows, ["system_a", "system_b", "outcome"], orient="row")
    assert {c.verdict for c in audited(Judgments.from_rows(table)).claims} == {"not shown"}


def _met_once(seed: int) -> Judgments:
    """Four equal systems, of which A met each of the others once."""
    rng = np.random.default_rng(seed)
    pairs = [("A", x) for x in "BCD"] + [pair for pair in ("BC", "BD", "CD") for _ in range(60)]
    rows = [(*pair, int(rng.choice([-1, 1]))) for pair in pairs]
    return Judgments.from_rows(pl.DataFrame(rows, ["system_a", "system_b", "outcome"], orient="row"))


@pytest.mark.slow
@pytest.mark.parametrize("model", ["bradley-terry", "expected-wins"])
def test_of_equal_systems_one_that_was_hardly_compared_is_seldom_set_apart(model: str) -> None:
    made = [audited(_met_once(seed), model=model, resamples=100, rng=seed) for seed in range(150)]
    asserted = [any(claim.verdict != "not shown" for claim in audit.claims) for audit in made]
    assert np.mean(asserted) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(made))


def test_a_model_that_bradley_terry_contradicts_does_not_hang_on_ties() -> None:
    # A won nearly all against weak W, S its fair share against all others: shares of wins put A first, strengths S.
    rows = []
    for pair, won, lost in (("AW", 780, 20), ("AM", 240, 160), ("BS", 280, 520), ("BM", 280, 120), ("SM", 320, 80)):
        rows += [(*pair, 1)] * won + [(*pair, -1)] * lost + [(*pair, 0)] * 5
    rows += [("M", "W", 1)] * 340 + [("M", "W", -1)] * 60
    table = pl.DataFrame(rows, ["system_a", "system_b", "outcome"], orient="row")
    for given in (table, table.filter(pl.col("outcome") != 0)):
        best = audited(Judgments.from_rows(given), model="expected-wins").claims[0]
        assert (best.sentence, best.verdict) == ("A is best", "fragile")
        assert best.reasons == ("by bradley-terry, which orders them otherwise",)


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
    audit = audited(clean(6, rankings=60), model=create("hopkins-may", {"iterations": "60", "burn_in": "10"}))
    assert len(audit.claims) == 6
    assert "|unit:posterior|" in audit.signature
    assert all(claim.by_judge is not None for claim in audit.claims)


# -- published campaigns ---------------------------------------------------------------------------


@pytest.mark.real
def test_the_judges_of_wmt13_differ_and_a_few_made_half_of_it(real_data: object) -> None:
    audit = audited(pm.read(real_data / "wmt13" / "fr-en.train.csv"))
    assert flags(audit) == {"judge-differences", "judge-influence", "concentration", "rare-pairs"}
    assert audit.claims[0].sentence.endswith("uedin-heafield-unconstrained.2755 is best")
    # By ranking it would be; with other judges and segments, a lead of two standard errors is not.
    assert audit.claims[0].verdict == "not shown"
    assert (
        audited(pm.read(real_data / "wmt13" / "fr-en.train.csv"), resample="ranking").claims[0].verdict == "supported"
    )


@pytest.mark.real
def test_votes_without_rankings_or_positions_can_be_audited(real_data: object) -> None:
    audit = audited(pm.read(real_data / "llmfao" / "crowd-comparisons.csv"), resamples=60)
    assert {f.check for f in audit.findings if f.skipped} == {"position", "drift"}
    # Judge 15 departed too if judgments of one of the 13 prompts were taken to be independent.
    assert flags(audit) == {"judge-differences", "concentration"}


@pytest.mark.real
def test_shared_outputs_are_not_taken_for_an_effect_of_position(real_data: object) -> None:
    # With them, the earlier output would seem to win 7.5 of 100 comparisons more: they stand first more often.
    audit = audited(pm.read(real_data / "gec15" / "judgments.xml"))
    # Three systems hardly changed their input: they shared nearly all outputs, and were hardly ever compared.
    assert flags(audit) == {"judge-differences", "judge-influence", "duplicates", "rare-pairs"}
    assert "INPUT – UFC shared their output" in next(f.sentence for f in audit.flagged if f.check == "duplicates")
    low, high = audit.findings[0].interval
    assert low < 0 < high
