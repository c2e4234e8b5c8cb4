"""`rank(looks=…)`: when ranges are for every look, what is said of it, and that they keep their word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from builders import judged
from click.testing import CliRunner

from palmares import rank
from palmares.analysis.audit.run import audit
from palmares.cli import cli
from palmares.design.simulate import simulate
from palmares.errors import InputError
from palmares.ingest.files import write
from palmares.judgments import Judgments, PairCounts
from palmares.models.bradley_terry import BradleyTerry
from palmares.ranking.anytime import claims, critical, evidence, ranges
from palmares.ranking.looks import adaptive

SIMULATED = simulate(systems=7, rankings=500, outputs=3, judges=12, segments=90, spread=6, judge_effect=0.5, rng=4)


def chosen_by(*strategies: str | None) -> Judgments:
    """The simulated judgments, as a campaign exports what these strategies chose, in turn."""
    frame = _rows(SIMULATED.judgments)
    names = [strategies[i % len(strategies)] for i in range(frame.height)]
    return Judgments.from_rows(frame.with_columns(pl.Series("extra.strategy", names, dtype=pl.String)))


def _rows(judgments: Judgments) -> pl.DataFrame:
    names = {"system_a": judgments.systems, "system_b": judgments.systems, "judge": judgments.judges,
             "segment": judgments.segments}  # fmt: skip
    columns = {key: [known[code] for code in judgments.codes(key)] for key, known in names.items()}
    return pl.DataFrame({**columns, "outcome": judgments.frame["outcome"]})


def test_what_a_learning_strategy_chose_is_ranked_for_every_look_and_says_so() -> None:
    active = rank(chosen_by("uniform", "open-boundaries", None), rng=1, resamples=200)
    assert active.looks == "any"
    assert "looks:any" in active.signature
    (note,) = [note for note in active.notes if "(open-boundaries)" in note]
    assert "hold at every look" in note
    assert "--looks once" in note
    assert active.to_dict()["looks"] == "any"


def test_what_could_be_stopped_by_answers_is_ranked_for_every_look_and_says_so() -> None:
    """A column ``extra.looks`` that says ``any`` of some judgments, as of two campaigns that are ranked as one."""
    says = pl.Series("extra.looks", [("any", None)[i % 2] for i in range(len(SIMULATED.judgments))], dtype=pl.String)
    rows = _rows(SIMULATED.judgments)
    watched = Judgments.from_rows(rows.with_columns(says))
    stopped, plain = rank(watched, rng=1, resamples=200), rank(SIMULATED.judgments, looks="any", rng=1, resamples=200)
    assert stopped.looks == "any"
    assert [line.range for line in stopped.lines] == [line.range for line in plain.lines]
    (note,) = [note for note in stopped.notes if "could stop the campaign (stop.rule): ranges" in note]
    assert "chosen by" not in note
    assert adaptive(chosen_by("s14")) == "comparisons were chosen by what earlier answers said (s14)"
    both = Judgments.from_rows(rows.with_columns(says, pl.lit("s14").alias("extra.strategy")))
    assert adaptive(both) == (
        "comparisons were chosen by what earlier answers said (s14), and what answers said so far could stop the "
        "campaign (stop.rule)"
    )
    once = rank(watched, looks="once", rng=1, resamples=200)
    assert any("(stop.rule), while ranges, intervals and boundaries are of the usual kind" in n for n in once.notes)


@pytest.mark.parametrize("strategies", [("uniform", "balanced"), (None,)])
def test_what_no_answer_chose_is_ranked_as_before(strategies: tuple[str | None, ...]) -> None:
    usual = rank(chosen_by(*strategies), rng=1, resamples=200)
    plain = rank(Judgments.from_rows(_rows(SIMULATED.judgments)), rng=1, resamples=200)
    assert usual.looks == "once"
    assert "looks" not in usual.signature
    assert "looks" not in usual.to_dict()
    assert usual.lines == plain.lines


def test_the_usual_ranges_of_active_choice_say_that_they_are_biased() -> None:
    once = rank(chosen_by("open-boundaries"), looks="once", rng=1, resamples=200)
    assert once.looks == "once"
    assert "looks:once" in once.signature  # so that it can be made again
    assert any("biased here" in note for note in once.notes)
    shares = rank(chosen_by("open-boundaries"), model="bojar", rng=1, resamples=200)
    assert shares.looks == "once"
    assert any("biased here: the scores of bojar depend on which comparisons" in note for note in shares.notes)


def test_intervals_are_as_wide_as_the_bound_and_pairs_too() -> None:
    every = rank(SIMULATED.judgments, looks="any", rng=1, resamples=200)
    once = rank(SIMULATED.judgments, looks="once", rng=1, resamples=200)
    for line, usual in zip(every.lines, once.lines, strict=True):
        assert line.error is not None
        assert line.interval is not None
        assert usual.interval is not None
        reach = line.error * np.sqrt(critical(line.error**-2, 1, df=every.df))
        assert line.interval == pytest.approx((line.score - reach, line.score + reach), abs=1e-9)
        assert line.interval[0] < usual.interval[0]
    assert every.difference_errors is not None
    first = every.pairs[0]
    reach = every.difference_errors[0, 1] * np.sqrt(critical(every.difference_errors[0, 1] ** -2, 1, df=every.df))
    assert first.interval == pytest.approx((first.difference - reach, first.difference + reach), abs=1e-9)


def test_boundaries_are_the_claims_and_clusters_never_miss_one() -> None:
    every = rank(SIMULATED.judgments, looks="any", rng=1, resamples=200)
    assert every.replicates is not None
    assert every.claims is not None
    made = claims(np.asarray(every.fit.scores), every.replicates.spread, df=every.df)
    assert every.claims.claimed.tolist() == made.claimed.tolist() == [b.joint for b in every.boundaries]
    assert 0 < made.claimed.sum() < len(made.claimed)
    assert all(b.marginal for b in every.boundaries if b.joint)
    code = {name: i for i, name in enumerate(every.fit.systems)}
    for line in every.lines:
        assert line.joint_range == tuple(made.ranges[code[line.system]])
        assert line.range is not None
        assert line.joint_range[0] <= line.range[0] <= line.range[1] <= line.joint_range[1]


def test_ranges_of_single_systems_are_never_wider_than_the_blocks_of_claims() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(2, 12))
        scores, root = rng.normal(0, 1.5, n), rng.normal(0, 0.08, (n, n))
        covariance = root @ root.T + 0.002 * np.eye(n)
        alone, blocks = ranges(evidence(scores, covariance)), claims(scores, covariance).ranges
        assert (alone[:, 0] >= blocks[:, 0]).all()
        assert (alone[:, 1] <= blocks[:, 1]).all()


def test_a_range_by_itself_counts_half_of_the_comparisons_left() -> None:
    # Four systems far apart in turn but for the last two, whose lead is just what one, or three halves, asks for.
    covariance = np.eye(4) * 0.02  # V = 25
    for factor, apart in ((1.001, True), (0.999, False)):
        lead = 0.2 * np.sqrt(float(critical(25.0, 1))) * factor
        found = ranges(evidence(np.array([90.0, 60.0, lead, 0.0]), covariance))
        assert found.tolist() == [[1, 1], [2, 2], *([[3, 3], [4, 4]] if apart else [[3, 4], [3, 4]])]
    close = 0.2 * np.sqrt(float(critical(25.0, 1.5)))
    for factor, apart in ((1.001, True), (0.999, False)):
        found = ranges(evidence(np.array([close * factor, 0.0, 0.0, 0.0]), covariance))
        assert (found[0] == [1, 1]).all() == apart


def test_the_scale_of_scores_changes_no_claim() -> None:
    natural = rank(SIMULATED.judgments, looks="any", rng=1, resamples=200)
    elo = rank(SIMULATED.judgments, model="bradley-terry:scale=elo", looks="any", rng=1, resamples=200)
    assert [line.range for line in elo.lines] == [line.range for line in natural.lines]
    assert [b.joint for b in elo.boundaries] == [b.joint for b in natural.boundaries]


def test_a_system_that_won_its_few_comparisons_is_not_claimed() -> None:
    rows = [("a", "b", 1), ("a", "b", -1), ("a", "c", 1), ("c", "a", 1), ("b", "c", 1), ("b", "c", -1)] * 60
    few, many = (judged([*rows, *[("new", other, 1) for other in "abc"] * times]) for times in (1, 30))
    # 2^k / (k + 1) must reach 2/.05 (M = 2 of four systems): not with 3 wins (2), but with 90.
    assert not rank(few, looks="any", resample="pair", resamples=200, rng=0).boundaries[0].joint
    assert rank(many, looks="any", resample="pair", resamples=200, rng=0).boundaries[0].joint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "bojar"}, "bojar depend on which comparisons were chosen"),
        ({"resample": "sign-test"}, "sign-test gives no variance"),
        ({"resample": "none"}, "without resampling there are no ranges"),
        ({"model": "lopez"}, "lopez depend"),
    ],
)
def test_what_cannot_hold_at_every_look_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rank(SIMULATED.judgments, looks="any", rng=1, **options)


def test_looks_is_one_of_three_words() -> None:
    with pytest.raises(InputError, match="looks: got 'often'; allowed: auto, once, any"):
        rank(SIMULATED.judgments, looks="often")


def test_an_audit_of_active_choice_uses_the_bounds_for_every_look() -> None:
    active = audit(chosen_by("s14"), resamples=200, rng=1)
    assert "looks:any" in active.signature
    pairs = {(pair.above, pair.below): pair for pair in active.ranking.pairs}
    for claim in active.claims:
        pair = pairs[claim.system, claim.other]
        assert claim.interval[0] <= pair.interval[0] + 1e-9
        assert claim.adjusted <= 0.05 or claim.verdict == "not shown"
    assert sum(b.joint for b in active.ranking.boundaries) == sum(c.joint for c in active.claims if c.kind == "above")


def test_the_command_line_says_it_and_makes_it_again(tmp_path: Path) -> None:
    path = tmp_path / "campaign.csv"
    write(chosen_by("information"), path)
    run = CliRunner()
    said = run.invoke(cli, ["rank", str(path), "--resamples", "200"])
    assert "note: comparisons were chosen by what earlier answers said (information)" in said.output
    head = run.invoke(cli, ["head-to-head", str(path), "--resamples", "200"])
    assert "chosen by what earlier answers said (information)" in head.output
    for looks, expected in (("auto", "any"), ("once", None)):
        result = tmp_path / f"{looks}.json"
        made = run.invoke(cli, ["rank", str(path), "--resamples", "200", "--looks", looks, "--format", "json"])
        result.write_text(made.stdout, encoding="utf-8")
        assert json.loads(made.stdout)[0].get("looks") == expected
        assert run.invoke(cli, ["verify", str(result)]).exit_code == 0


def test_counts_of_a_file_that_names_strategies_say_that_they_do_not_know_them(tmp_path: Path) -> None:
    path = tmp_path / "campaign.csv"
    write(chosen_by("information"), path)
    for quoted in (False, True):
        if quoted:  # a file that is read whole
            path.write_text(path.read_text(encoding="utf-8").replace("system-1", '"system-1"'), encoding="utf-8")
        said = CliRunner().invoke(cli, ["rank", str(path), "--scan", "--resamples", "200"])
        assert said.output.count("note: the file says which strategy chose each comparison") == 1
        assert "could stop" not in said.output
    frame = _rows(SIMULATED.judgments).with_columns(pl.lit("any").alias("extra.looks"))
    write(Judgments.from_rows(frame), path)
    said = CliRunner().invoke(cli, ["rank", str(path), "--scan", "--resamples", "200"])
    assert said.output.count("note: the file says whether what answers said so far could stop the campaign") == 1


# -- does it keep its word? ------------------------------------------------------------------------------


def _false_boundaries(pairs: int, gap: float, campaigns: int, judgments: int, step: int) -> tuple[float, float]:
    """Pairs of equals, compared evenly, looked at every so many judgments: campaigns with a boundary between equals at
    any look, by the usual bound and by the one for every look. A generator of its own: logistic, with ties.
    """
    true, rng, model = np.repeat(-gap * np.arange(pairs), 2), np.random.default_rng(8), BradleyTerry()
    n = len(true)
    names, (i, j) = tuple(f"s{k:02d}" for k in range(n)), np.triu_indices(n, 1)
    lead = true[i] - true[j]
    better, worse = 1 / (1 + np.exp(0.4 - lead)), 1 / (1 + np.exp(0.4 + lead))
    usual, every = np.zeros(campaigns, dtype=bool), np.zeros(campaigns, dtype=bool)
    for campaign in range(campaigns):
        wins, ties = np.zeros((n, n)), np.zeros((n, n))
        for _ in range(judgments // step):
            met = rng.multinomial(step, np.full(len(i), 1 / len(i)))
            won = rng.binomial(met, better)
            lost = rng.binomial(met - won, worse / (1 - better))
            wins[i, j] += won
            wins[j, i] += lost
            ties[i, j] += met - won - lost
            ties[j, i] = ties[i, j]
            fit = model.fit(PairCounts(names, wins, ties))
            scores, covariance = fit.theta, fit.covariance[:-1, :-1]
            order = np.argsort(-scores, kind="stable")
            wrong = np.array([true[order[:k]].min() <= true[order[k:]].max() for k in range(1, n)])
            own = np.diag(covariance)
            errors = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 1e-12))
            z = ((scores[:, None] - scores) / errors)[np.ix_(order, order)]
            clear = np.array([z[:k, k:].min() > 1.96 for k in range(1, n)])
            usual[campaign] |= (clear & wrong).any()
            every[campaign] |= (claims(scores, covariance).claimed & wrong).any()
    return float(usual.mean()), float(every.mean())


def test_pairs_of_equals_are_kept_together_at_every_look() -> None:
    usual, every = _false_boundaries(pairs=4, gap=0.8, campaigns=16, judgments=3000, step=150)
    assert usual > 0.3
    assert every <= 0.0625  # 1 of 16


@pytest.mark.slow
def test_seven_pairs_of_equals_are_kept_together_at_every_look_in_many_campaigns() -> None:
    usual, every = _false_boundaries(pairs=7, gap=0.5, campaigns=120, judgments=20_000, step=200)
    assert usual > 0.8
    assert every <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 120)
