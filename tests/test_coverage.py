"""How often true ranks lie outside their ranges."""

from __future__ import annotations

import dataclasses
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from palmares import CampaignPlan, coverage
from palmares.cli import COMMANDS, main
from palmares.compute import Execution
from palmares.design.coverage import MEASURES, SOURCES, Coverage, measure, methods_of
from palmares.errors import InputError
from palmares.models.by_name import create
from palmares.ranking.ranges import clusters
from palmares.ranking.result import RankedSystem
from palmares.report.tables import RENDERERS, Grouped, rendered

SMALL = CampaignPlan(systems=5, rankings=60, outputs=3, judges=6, segments=20)
#: The shape of a WMT campaign, with effects of judges and segments as large as in one (docs/coverage.md).
USUAL = CampaignPlan(
    systems=13, rankings=2000, judges=50, segments=1000, spread=8.0, segment_effect=6.0, judge_effect=1.5,
    tie_radius=4.0,
)  # fmt: skip
QUICK = methods_of(["expected-wins"], ["pair", "ranking"])


def study(plan: CampaignPlan = SMALL, **changes: object) -> Coverage:
    how = {"methods": QUICK, "campaigns": 4, "resamples": 50, "rng": 0, "execution": Execution("serial"), **changes}
    return coverage(plan, **how)


# -- what is measured ------------------------------------------------------------------------------


def measured(ranges: list[list[int]], truth: list[int], joint: list[list[int]] | None = None) -> list[float]:
    """The measures of systems with these ranges and true ranks; joint ones are all of one cluster unless given."""
    together = joint or [[1, len(ranges)]] * len(ranges)
    own, shared = (clusters(np.array(each)) for each in (ranges, together))
    lines = [
        RankedSystem(
            f"s{i}", 0.0, 1, tuple(ranges[i]), int(own[i]), joint_range=tuple(together[i]), joint_cluster=int(shared[i])
        )
        for i in range(len(ranges))
    ]
    return measure(SimpleNamespace(lines=lines), {f"s{i}": rank for i, rank in enumerate(truth)}).tolist()


def test_the_measures_of_four_systems_by_hand() -> None:
    # B, C and D are outside their ranges. Clusters: A and B, then D, then C; so C and D are the wrong way round.
    ranges = [[1, 2], [1, 1], [4, 4], [3, 3]]
    assert measured(ranges, [1, 2, 3, 4])[:5] == [3 / 4, 5 / 4, 3, 2 / 4, 1]


def test_one_system_far_too_high_violates_the_clusters_of_all_it_passed() -> None:
    # The worst of four alone in the first cluster, the others in one cluster below it.
    ranges = [[2, 4], [2, 4], [2, 4], [1, 1]]
    assert measured(ranges, [1, 2, 3, 4])[:5] == [2 / 4, 10 / 4, 2, 1, 1]


def test_ranges_that_span_everything_never_miss() -> None:
    assert measured([[1, 6]] * 6, [3, 1, 2, 6, 5, 4]) == [0, 6, 1, 0, 0, 0, 1, 0]


def test_joint_measures_are_of_whole_campaigns() -> None:
    # Jointly, one system of four is outside its range, and the first two are the wrong way round.
    joint = [[2, 2], [1, 1], [3, 4], [3, 4]]
    assert measured([[1, 4]] * 4, [1, 2, 3, 4], joint)[5:] == [1, 3, 1]
    assert measured([[1, 4]] * 4, [2, 1, 4, 3], joint)[5:] == [0, 3, 0]


def test_without_noise_every_range_is_the_true_rank() -> None:
    plan = CampaignPlan(systems=6, rankings=300, spread=1e-9, tie_radius=0.0)
    found = study(plan, methods=methods_of(["expected-wins"], ["pair", "judge", "sign-test"]))
    assert (found.measures == [0, 1, 6, 0, 0, 0, 6, 0]).all()


def test_errors_are_those_of_a_mean_over_campaigns() -> None:
    found = study(campaigns=7)
    line, values = found.lines[1], found.measures[:, 1]
    for k, name in enumerate(MEASURES):
        mean = math.fsum(values[:, k]) / 7
        spread = math.sqrt(math.fsum((values[:, k] - mean) ** 2) / 6)
        assert getattr(line, name) == pytest.approx(mean)
        assert getattr(line, f"{name}_error") == pytest.approx(spread / math.sqrt(7))


def test_methods_are_compared_campaign_by_campaign() -> None:
    found = study(campaigns=6)
    apart = [float(one - other) for one, other in found.measures[:, :, 0]]
    mean = sum(apart) / 6
    error = math.sqrt(sum((x - mean) ** 2 for x in apart) / 5 / 6)
    assert found.more_misses(0, 1) == pytest.approx((mean, error))
    assert found.more_misses(1, 0)[0] == pytest.approx(-mean)


# -- the same whatever the surroundings ------------------------------------------------------------


@pytest.mark.parametrize(("executor", "workers"), [("threads", 1), ("threads", 3)])
def test_workers_change_nothing(executor: str, workers: int) -> None:
    assert study(execution=Execution(executor, workers)).to_dict() == study().to_dict()


@pytest.mark.slow
def test_processes_change_nothing() -> None:
    assert study(execution=Execution("processes", 2)).to_dict() == study().to_dict()


def test_a_method_sees_the_same_campaigns_alone_as_among_others() -> None:
    together = study(methods=methods_of(["bojar", "expected-wins"], ["segment", "pair", "sign-test"]))
    alone = study(methods=methods_of(["expected-wins"], ["pair"]))
    assert np.array_equal(together.measures[:, 3], alone.measures[:, 0])


def test_more_campaigns_go_on_from_the_first() -> None:
    assert np.array_equal(study(campaigns=6).measures[:4], study(campaigns=4).measures)


def test_the_seed_decides() -> None:
    assert study(rng=1).to_dict() == study(rng=1).to_dict()
    assert not np.array_equal(study(rng=1).measures, study(rng=2).measures)


def test_a_campaign_is_counted_after_it_was_done() -> None:
    seen: list[tuple[int, int]] = []
    study(execution=Execution("serial", progress=lambda done, total: seen.append((done, total))))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


# -- methods ---------------------------------------------------------------------------------------


def test_every_model_goes_with_every_unit_and_the_sign_test_comes_once() -> None:
    methods = methods_of(["bojar", "trueskill", "bojar"], ["sign-test", "pair", "judge", "pair"], sided=1)
    named = ["bojar/pair", "bojar/judge", "trueskill/pair", "trueskill/judge", "sign-test/1-sided"]
    assert [method.name for method in methods] == named


def test_settings_of_a_model_are_in_its_name() -> None:
    (method,) = methods_of([create("trueskill", {"mode": "batch"})], ["pair"])
    assert method.name == "trueskill(mode=batch)/pair"
    assert study(methods=[method]).lines[0].model == "trueskill(mode=batch)"


def test_without_methods_it_is_the_default_model_by_every_unit() -> None:
    lines = study(methods=None, campaigns=2).lines
    assert [(line.model, line.unit) for line in lines] == [
        ("bradley-terry", unit) for unit in ("pair", "ranking", "segment", "judge", "two-way")
    ]


def test_a_model_with_a_posterior_needs_no_resampling() -> None:
    found = study(methods=methods_of(["irt-categorical"], ["posterior"]), campaigns=2, resamples=1)
    assert 1 <= found.lines[0].size <= 5


@pytest.mark.parametrize(
    ("models", "units", "sided", "wording"),
    [
        (["bojar"], ["document"], 2, "unknown unit 'document'; allowed: pair, ranking, segment, judge, two-"),
        (["bojar"], ["sign-test"], 3, "sided: got 3; allowed: 1"),
        (["bojar"], ["posterior"], 2, "model 'bojar' has no posterior draws"),
        (["lopes"], ["pair"], 2, "unknown model 'lopes'.*did you mean 'lopez'"),
    ],
)  # fmt: skip
def test_an_impossible_method_is_refused(models: list[str], units: list[str], sided: int, wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        methods_of(models, units, sided=sided)


@pytest.mark.parametrize(
    ("changes", "wording"),
    [
        ({"campaigns": 1}, "campaigns: got 1; allowed: at least 2"),
        ({"methods": methods_of(["uniform"], ["pair"])}, "model 'uniform' predicts outcomes but gives no scores"),
        ({"methods": []}, "methods: got none; name at least one"),
        ({"resamples": 20}, "20 resamples are too few for p = 0.05; use at least 40"),
        ({"p": 1.0}, "p: got 1.0; allowed: between 0 and 1"),
        (
            {"plan": dataclasses.replace(SMALL, rankings=1)},
            r"2 of its 5 systems were never shown; plan more rankings",
        ),
        (
            {"plan": dataclasses.replace(SMALL, tie_radius=1e9)},
            "into 5 groups .*or a smaller tie radius",
        ),
    ],
)
def test_an_impossible_study_is_refused(changes: dict[str, object], wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        study(**changes)


# -- how it is shown -------------------------------------------------------------------------------


def test_the_signature_has_the_plan_the_methods_and_the_seed() -> None:
    given = study(rng=7).signature
    assert given.startswith("systems:5|rankings:60|outputs:3|judges:6|segments:20|spread:10|")
    assert "|methods:expected-wins/pair+expected-wins/ranking|campaigns:4|resamples:50|p:0.05|seed:7|" in given


def test_a_plan_without_effects_is_remarked_upon() -> None:
    assert "no effects" in study().notes[0]
    assert study(dataclasses.replace(SMALL, judge_effect=1.0)).notes == ()


@pytest.mark.parametrize("output", RENDERERS)
def test_tables_have_a_row_for_every_method(output: str) -> None:
    found = study(methods=methods_of(["bojar", "lopez"], ["pair", "sign-test"]))
    text = rendered("coverage", [Grouped(found)], output).text
    assert text.count("bojar") == (1 if output == "csv" else 2)  # the signature has it too, and goes elsewhere
    assert "sign-test" in text


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    return (end.value.code, *capfd.readouterr())


CHEAP = ("coverage", "--systems", 5, "--rankings", 60, "--campaigns", 3, "--resamples", 50, "--executor", "serial")


def test_the_command_prints_the_documented_json(capfd: pytest.CaptureFixture[str]) -> None:
    options = ("--unit", "sign-test", "--sided", 1, "--unit", "judge", "--judge-effect", 2, "--format", "json")
    status, out, _ = run(capfd, *CHEAP, *options)
    found = json.loads(out)
    assert status == 0
    assert list(found) == ["signature", "record", "plan", "campaigns", "resamples", "p", "methods", "notes"]
    assert found["plan"]["judge_effect"] == 2
    assert [(m["model"], m["unit"], m["sided"]) for m in found["methods"]] == [
        ("bradley-terry", "judge", None),
        (None, "sign-test", 1),
    ]
    assert all(0 <= m["misses"] <= 1 and f"{name}_error" in m for m in found["methods"] for name in MEASURES)


def test_the_command_prints_a_table_that_ends_with_its_signature(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, *CHEAP, "--model", "bojar")
    lines = out.splitlines()
    assert status == 0
    assert [line.split()[:2] for line in lines[2:6]] == [["bojar", unit] for unit in SOURCES[:4]]
    assert lines[-1].startswith("systems:5|")


def test_the_command_refuses_what_cannot_be(capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capfd, *CHEAP, "--outputs", 9)
    assert (status, err) == (2, "palmares: error: outputs: got 9, but there are only 5 systems to rank\n")


@pytest.mark.parametrize("command", ["simulate", "coverage"])
def test_the_options_have_the_defaults_of_the_plan(command: str) -> None:
    given = {option.name: option.default for option in COMMANDS.load(command).params}
    for setting in dataclasses.fields(CampaignPlan):
        assert (command, setting.name) == ("coverage", "lang_pair") or given[setting.name] == setting.default


def test_the_command_knows_every_unit_and_takes_the_default_ones() -> None:
    option = next(option for option in COMMANDS.load("coverage").params if option.name == "units")
    assert option.type.choices == SOURCES
    assert tuple(option.default) == SOURCES[:5]


# -- published figures -----------------------------------------------------------------------------


def table_1(rankings: int, campaigns: int, resamples: int) -> Coverage:
    """Koehn 2012, Table 1. His variance acts as a standard deviation, and his sign test is one-sided."""
    plan = CampaignPlan(systems=15, rankings=rankings, tie_radius=0.0, spread=10.0)
    methods = methods_of(["bojar"], ["pair", "sign-test"], sided=1)
    return study(plan, methods=methods, campaigns=campaigns, resamples=resamples)


def test_bootstrap_ranges_are_half_as_wide_as_those_of_sign_tests() -> None:
    bootstrap, sign_test = table_1(1000, campaigns=16, resamples=200).lines
    # Published: 8.1 and 4.6; an independent simulation with 2.5 % cut at each end: 8.0 and 4.0.
    assert sign_test.size == pytest.approx(8.0, abs=0.05 + 3 * sign_test.size_error)
    assert bootstrap.size == pytest.approx(4.0, abs=0.05 + 3 * bootstrap.size_error)
    assert 0.4 < bootstrap.size / sign_test.size < 0.6
    assert bootstrap.clusters > 1.5 * sign_test.clusters


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rankings", "size", "misses", "clusters"),
    [(1000, 8.1, 0.008, 1.0), (2000, 6.3, 0.008, 1.1), (5000, 4.5, 0.009, 2.0)],
)
def test_sign_test_ranges_come_out_as_koehn_published_them(
    rankings: int, size: float, misses: float, clusters: float
) -> None:
    bootstrap, sign_test = table_1(rankings, campaigns=60, resamples=400).lines
    # Half of the last printed digit, the error of his 400 runs, and that of these.
    wider = math.sqrt(1 + 60 / 400)
    assert sign_test.size == pytest.approx(size, abs=0.05 + 2.5 * wider * sign_test.size_error)
    assert sign_test.misses == pytest.approx(misses, abs=0.0005 + 2.5 * wider * sign_test.misses_error)
    assert sign_test.clusters == pytest.approx(clusters, abs=0.05 + 2.5 * wider * sign_test.clusters_error)
    assert 0.4 < bootstrap.size / sign_test.size < 0.6


# -- what the default unit is for ------------------------------------------------------------------


def check_default_unit(found: Coverage) -> None:
    """`ranking` keeps its word, within the error of the simulation; `pair` misses more."""
    ranking = found.lines[1]
    assert ranking.unit == "ranking"
    assert ranking.misses <= 0.05 + 2 * ranking.misses_error
    more, error = found.more_misses(0, 1)
    assert more > 2 * error


@pytest.mark.slow
def test_the_default_unit_keeps_its_word_where_pair_does_not() -> None:
    check_default_unit(
        study(USUAL, methods=methods_of(["bradley-terry"], ["pair", "ranking"]), campaigns=20, resamples=200)
    )


@pytest.mark.slow
def test_the_default_unit_keeps_its_word_in_a_larger_study() -> None:
    found = study(USUAL, methods=methods_of(["bradley-terry"], SOURCES[:4]), campaigns=150, resamples=400)
    check_default_unit(found)
    pair, ranking, segment, judge = found.lines
    assert pair.misses > 0.05 + 2 * pair.misses_error
    assert max(segment.misses, judge.misses) <= 0.05
    assert ranking.misses_error < 0.006


@pytest.mark.slow
def test_ten_judges_are_too_few_for_the_default_unit() -> None:
    few = dataclasses.replace(USUAL, judges=10)
    pair, ranking, judge = (found := study(
        few, methods=methods_of(["bradley-terry"], ["pair", "ranking", "judge"]), campaigns=100, resamples=400
    )).lines  # fmt: skip
    assert pair.misses > ranking.misses > 0.05 + 2 * ranking.misses_error
    more, error = found.more_misses(1, 2)
    assert more > 2 * error
    assert judge.misses < 0.08
