"""Audits: copies of a system, how few must go for another system to lead, and what checks could have found."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from audit_campaigns import campaign, case, clean, drawn, tying_system
from builders import judged
from scipy.stats import binom

import palmares as pm
from palmares.analysis.audit import CHECKS
from palmares.analysis.audit.duplicates import alike, at_least, duplicates
from palmares.analysis.audit.pulls import pulls_of
from palmares.analysis.audit.removal import removal
from palmares.analysis.audit.residuals import critical
from palmares.compute import Execution
from palmares.judgments import Judgments
from palmares.models.bradley_terry import BradleyTerry

LEVEL = 0.05 / 9


def always_tied(rows: pl.DataFrame, one: str = "system-01", other: str = "system-02") -> Judgments:
    both = pl.col("system_a").is_in([one, other]) & pl.col("system_b").is_in([one, other])
    return Judgments.from_rows(rows.with_columns(outcome=pl.when(both).then(0).otherwise("outcome")))


# -- duplicates ------------------------------------------------------------------------------------


def test_two_systems_that_are_always_tied_are_flagged() -> None:
    table = always_tied(campaign(3))
    audit = pm.audit(table, rng=0, resamples=100, execution=Execution("serial"))
    found = {f.check: f for f in audit.findings}["duplicates"]
    met = table.counts.ties[0, 1]
    assert table.counts.decided[0, 1] == 0
    assert found.flagged
    assert found.effect == 1
    assert f"system-01 – system-02 tied in {met:.0f} of {met:.0f} meetings" in found.sentence


def test_a_system_that_ties_with_everybody_is_no_copy() -> None:
    found = duplicates(case(tying_system()))
    assert found.effect > 0.9
    assert found.p > 0.5


def test_a_judge_who_ties_everything_makes_no_copies() -> None:
    # Only judge x compared a with b, and ties whatever they see; the others hardly ever tie.
    rng, rows, judges = np.random.default_rng(1), [], []
    for pair in ("ab", "ac", "ad", "bc", "bd", "cd"):
        rows += [(*pair, 0)] * 30
        judges += ["x"] * 30
        for judge in "yz" if pair != "ab" else "":
            rows += [(*pair, int(o)) for o in rng.choice([-1, 0, 1], 30, p=[0.45, 0.1, 0.45])]
            judges += [judge] * 30
    assert duplicates(case(judged(rows, judge=judges))).p > 0.05
    # Were each of their meetings another judge's, the same ties would be beyond chance.
    alone = [
        f"j{k}" if row[:2] == ("a", "b") else judge for k, (row, judge) in enumerate(zip(rows, judges, strict=True))
    ]
    assert duplicates(case(judged(rows, judge=alone))).p < 1e-4


def test_ties_on_one_segment_are_one_tie() -> None:
    rows = [("a", "b", 0)] * 40 + [(*pair, o) for pair in ("ac", "bc") for o in (1, -1, 0, 1, -1) * 8]
    many = judged(rows, segment=[str(k) for k in range(len(rows))])
    one = judged(rows, segment=["same"] * 40 + [str(k) for k in range(80)])
    assert duplicates(case(many)).p < 1e-6
    assert duplicates(case(one)).p > 0.05


def test_ties_that_nobody_judged_are_no_evidence_of_judges_but_a_fact() -> None:
    rows = [("a", "b", 0)] * 30 + [(*pair, o) for pair in ("ac", "bc") for o in (1, -1, 1) * 10]
    forced = [True] * 30 + [False] * 60
    found = duplicates(case(judged(rows, forced=forced)))
    assert found.flagged
    assert found.sentence.startswith("a – b shared their output in 30 of 30 meetings, where nobody compared them")


def test_at_least_so_many_events_by_enumeration() -> None:
    chances = np.array([0.2, 0.5, 0.9, 0.35])
    for count in range(6):
        exact = sum(
            np.prod(np.where(np.array(hit), chances, 1 - chances))
            for hit in product([0, 1], repeat=4)
            if sum(hit) >= count
        )
        assert at_least(count, chances) == pytest.approx(exact)
    # Of so many only a bound is given, no smaller than the binomial tail, and by less than √(2πn) larger.
    tail = binom.sf(2999, 5000, 0.5)
    assert tail <= at_least(3000, np.full(5000, 0.5)) <= 180 * tail


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("GPT-4", "gpt 4", True), ("kit_copy", "KIT", True), ("system-01", "system-02", False), ("a", "A", True)],
)
def test_names_that_look_alike(one: str, other: str, same: bool) -> None:
    assert alike(one, other) == same


# -- removal ---------------------------------------------------------------------------------------


def test_influences_are_what_a_refit_without_a_judgment_changes() -> None:
    counts = clean(3).counts
    pulls = pulls_of(BradleyTerry(), counts)
    gains = pulls.on(0, 1).reshape(6, 6, 3)
    for i, j in ((0, 1), (0, 3), (2, 5)):
        for k, wins in enumerate([(i, j), None, (j, i)]):
            less = pm.PairCounts(counts.systems, counts.wins.copy(), counts.ties.copy())
            if wins is not None:
                less.wins[wins] -= 1
            else:
                less.ties[i, j] -= 1
                less.ties[j, i] -= 1
            theta = BradleyTerry().fit(less).theta
            change = (pulls.scores[0] - pulls.scores[1]) - (theta[0] - theta[1])
            assert gains[i, j, k] == pytest.approx(change, rel=0.05, abs=1e-5)


def test_what_was_found_changes_the_leader() -> None:
    table = clean(4)
    made = case(table)
    found = {each.unit: each for each in removal(made).subjects}
    assert set(found) == {"judgment", "ranking", "segment", "judge"}
    leader = made.ranking.systems[0]
    for unit in ("ranking", "segment", "judge"):
        each = found[unit]
        assert each.removed == len(each.what) <= 20
        left = table.without(**{unit: list(each.what)})
        assert BradleyTerry().fit(left).scores[table.systems.index(leader)] < max(BradleyTerry().fit(left).scores)
        assert pm.rank(left, resample=None).systems[0] == each.then != leader


def test_fewer_judges_do_not_change_it_where_all_sets_were_tried() -> None:
    table = clean(4)
    found = {each.unit: each for each in removal(case(table)).subjects}["judge"]
    assert found.exact
    for count in range(1, found.removed):
        for gone in combinations(table.judges, count):
            assert pm.rank(table.without(judge=list(gone)), resample=None).systems[0] == found.leader


def test_by_hand_the_fewest_judgments_are_the_margin() -> None:
    # 60 to 50: with ten wins fewer the two are level, with eleven b leads.
    found = removal(case(judged([("a", "b", 1)] * 60 + [("a", "b", -1)] * 50))).subjects[0]
    assert (found.leader, found.then, found.removed, found.of, found.what) == ("a", "b", 11, 110, ("11 × a above b",))


def test_a_lead_that_little_can_undo_says_so() -> None:
    found = removal(case(judged([("a", "b", 1)] * 100 + [("a", "b", -1)] * 10)))
    assert found.subjects[0].removed is None
    assert "no set was found of up to 22 of 110 judgments without which a no longer leads" in found.sentence


# -- claims and boundaries ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spread", [4.0, 10.0])
def test_audit_and_rank_say_the_same_of_a_boundary(seed: int, spread: float) -> None:
    audit = pm.audit(clean(seed, spread=spread), rng=0, resamples=200, execution=Execution("serial"))
    for claim, boundary in zip(audit.claims[1:], audit.ranking.boundaries, strict=True):
        assert (claim.boundary, claim.joint) == (boundary.marginal, boundary.joint)
        if boundary.joint:
            assert claim.verdict in ("supported", "fragile")
        elif boundary.marginal and claim.verdict == "not shown":
            assert claim.reasons == ("the boundary below it holds by itself, not jointly with the others",)


@pytest.mark.parametrize("won", [3, 5, 6, 7, 10])
def test_they_also_agree_on_a_perfect_record(won: int) -> None:
    audit = pm.audit(judged([("a", "b", 1)] * won), rng=0, resamples=60, execution=Execution("serial"))
    # The exact sign test, two-sided: 2 / 2⁵ is more than .05, 2 / 2⁶ less.
    assert audit.ranking.boundaries[0].joint == (won >= 6)
    assert {claim.verdict for claim in audit.claims} == {"supported" if won >= 6 else "not shown"}


# -- power -----------------------------------------------------------------------------------------


def test_a_critical_value_is_where_the_tail_passes_the_level() -> None:
    simulated = np.arange(1.0, 1000.0)
    # More than 995 leaves at most 4 of 999, and (1 + 4) / 1000 ≤ .0055.
    assert critical(simulated, 0.0055) == 995
    assert critical(simulated, 0.0005) == np.inf


def test_every_test_states_its_power() -> None:
    audit = pm.audit(clean(1), rng=0, resamples=60, execution=Execution("serial"))
    for finding in audit.findings:
        assert (finding.power is None) == (finding.p is None), finding.check
        assert finding.power is None or 0 <= finding.power.probability <= 1
    assert audit.to_dict()["findings"][0]["power"]["alternative"].startswith("5 of 100")


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("judge-influence", {"random_judge": True}),
    ("judge-differences", {"tastes": 0.2}),
    ("intransitivity", {"circle": 0.65, "rankings": 200}),
    ("duplicates", {"copy_ties": 0.95, "rankings": 150}),
    ("drift", {"worse_later": 0.4, "rankings": 800, "segments": 700}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("check", "fault"), [pytest.param(c, f, id=c) for c, f in FAULTS])
def test_faults_are_found_as_often_as_stated(check: str, fault: dict[str, Any]) -> None:
    plan = {name: fault[name] for name in ("rankings", "segments") if name in fault}
    asked: Callable[..., Any] = CHECKS.load(check)
    found, stated = [], []
    for seed in range(60):
        flawed = asked(case(drawn(seed, **fault), rng=seed, resamples=40))
        found.append(flawed.p <= LEVEL and flawed.material)
        stated.append(asked(case(drawn(seed + 1000, **plan), rng=seed, resamples=40)).powered(LEVEL).probability)
    # Three standard errors of a share of 60, and .05 for what planted sizes differ from stated ones.
    assert np.mean(found) == pytest.approx(np.mean(stated), abs=0.05 + 3 * np.sqrt(0.25 / 60))


@pytest.mark.slow
def test_campaigns_of_a_generator_apart_raise_few_flags() -> None:
    flagged = [
        bool(pm.audit(drawn(seed), rng=seed, resamples=60, execution=Execution("serial")).flagged)
        for seed in range(150)
    ]
    assert np.mean(flagged) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)
