"""``palmares plan``: what it prints, draws and refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import palmares as pm
from palmares.cli import cli
from palmares.errors import InputError
from palmares.report.plan import summary
from palmares.report.plots.plans import plan_plot

CAMPAIGN = Path(__file__).parents[1] / "examples" / "campaign.csv"
SMALL = (
    "--systems",
    "5",
    "--spread",
    "4",
    "--judges",
    "8",
    "--judge-effect",
    "0.3",
    "--segment-effect",
    "1",
    "--try-judges",
    "20",
    "--try-segments",
    "500",
)
QUICK = ("--target", "clusters=3", "--campaigns", "50")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, ["plan", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_plan_from_scratch_says_what_it_takes_and_what_it_assumes() -> None:
    text = run(*SMALL, *QUICK).stdout
    assert text.startswith("Until there are at least 3 clusters, on average: about ")
    assert "assumed is a campaign of 5 systems, 8 judges and 2,000 segments; true qualities uniform between 0" in text
    assert "WMT13 French-English: --tie-radius; how far" in text  # the only one of four that nobody gave
    for words in ("one by one", "all at once", "at every look", "How many judges", "How many segments", "seed:0"):
        assert words in text
    assert "a ranking is assumed to take 60 seconds" in text
    assert "in real campaigns" not in text
    alike = run(*SMALL, *QUICK, "--judge-effect", "0", "--seconds", "30").stdout
    assert "judges have no effects of their own in this plan" in alike
    assert "a ranking takes 30 seconds (--seconds)" in alike


def test_json_has_the_documented_shape_and_can_be_made_again(tmp_path: Path) -> None:
    text = run(*SMALL, *QUICK, "--format", "json", "--joint").stdout
    (entry,) = json.loads(text)
    keys = {
        "signature", "record", "lang_pair", "target", "sure", "bounds", "p", "systems", "outputs", "judges", "segments",
        "rankings_so_far", "seconds", "likeness", "campaigns", "plan", "needed", "prices", "cheapest", "curve",
        "judges_table", "segments_table", "notes", "group",
    }  # fmt: skip
    assert set(entry) == keys
    assert entry["bounds"] == entry["needed"]["bounds"] == "joint"
    assert [price["bounds"] for price in entry["prices"]] == ["marginal", "joint", "any"]
    assert entry["needed"]["judgments"] == 10 * entry["needed"]["rankings"]
    hours = entry["needed"]["rankings"] / 60 + 8 * 0.25
    assert entry["needed"]["hours"] == pytest.approx(hours)
    kept = tmp_path / "plan.json"
    kept.write_text(text, encoding="utf-8")
    verified = CliRunner().invoke(cli, ["verify", str(kept)])
    assert verified.exit_code == 0, verified.output


def test_csv_has_one_header_for_all_parts_and_another_for_the_curve() -> None:
    rows = list(csv.DictReader(io.StringIO(run(*SMALL, *QUICK, "--format", "csv").stdout)))
    assert [row["part"] for row in rows] == ["needed"] * 3 + ["judges"] * 2 + ["segments"] * 2
    points = list(csv.DictReader(io.StringIO(run(*SMALL, *QUICK, "--format", "csv", "--curve").stdout)))
    means = [float(point["mean"]) for point in points]
    assert means[0] < 3 < means[-1]
    assert all(float(point["low"]) <= float(point["high"]) for point in points)


def test_a_campaign_under_way_is_planned_from_where_it_is(tmp_path: Path) -> None:
    plot = tmp_path / "plan.svg"
    options = ("--target", "clusters=9", "--campaigns", "50", "--try-judges", "30", "--try-segments", "600")
    result = run(str(CAMPAIGN), *options, "--plot", str(plot))
    assert result.stdout.startswith("fr-en: until there are at least 9 clusters, on average")
    assert "further rankings" in result.stdout
    assert "further judgments" in plot.read_text(encoding="utf-8")
    (entry,) = json.loads(run(str(CAMPAIGN), *options, "--judges", "40", "--format", "json").stdout)
    assert entry["plan"] is None
    assert entry["rankings_so_far"] == pm.read(CAMPAIGN).codes("ranking").max() + 1
    assert entry["judges"] == 40


def test_a_campaign_like_an_earlier_one_has_its_settings() -> None:
    result = run("--like", str(CAMPAIGN), "--systems", "7", *QUICK, "--try-judges", "20", "--try-segments", "500")
    assert result.exit_code == 0
    signature = next(line for line in result.stdout.splitlines() if line.startswith("systems:"))
    facts = dict(part.split(":", 1) for part in signature.split("|"))
    assert facts["systems"] == "7"
    assert facts["judges"] == "8"  # those of the example
    assert float(facts["spread"]) != 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--target", "clusters=30"), "only 10 systems"),
        (("--target", "clusters"), "clusters takes a whole number"),
        ((str(CAMPAIGN), "--target", "best", "--spread", "3"), "the judgments say what the campaign is like"),
        (("--target", "best", "--p", "1e-300"), "p: got 1e-300; allowed: at least 0.0001"),
        (("--target", "best", "--by", "judge"), "there is no FILE to read"),
        (("--target", "best", "--like", str(CAMPAIGN), "--spread", "3"), "--like says what the campaign is like"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        run(*arguments)


def test_a_target_out_of_reach_says_first_what_would_reach_it() -> None:
    shape = "--systems 5 --judges 6 --segment-effect 1 --judge-effect 3 --try-segments 500 --target clusters=4"
    reached = run(*shape.split(), "--campaigns", "50", "--try-judges", "7,300").stdout
    first = "Until there are at least 4 clusters, on average: not by 6 judges of 2,000 segments"
    assert reached.startswith(f"{first}, but by 300 judges of 2,000 segments in ")
    assert "It is reached by 300 judges of 2,000 segments with about" in reached
    never = run(*shape.split(), "--campaigns", "50", "--try-judges", "7").stdout
    assert never.startswith(f"{first}\n")
    assert "Neither do up to 7 judges, nor up to 2,000 segments: plan with more of both" in never


@pytest.mark.parametrize(
    ("rows", "words"), [(1, r"1 judgment \(made at one go"), (30, r"30 judgments \(all of them ties")]
)
def test_judgments_that_all_say_the_same_are_no_ground_for_a_plan(tmp_path: Path, rows: int, words: str) -> None:
    file = tmp_path / "alike.csv"
    outcome = "A" if rows == 1 else "tie"
    lines = [f"j{k % 3},s{k % 7},A,B,{outcome}\n" for k in range(rows)]
    file.write_text("judge,segment,system_a,system_b,winner\n" + "".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=words):
        run(str(file), "--target", "best")


def test_help_leads_with_the_target_and_has_examples() -> None:
    text = run("--help").stdout
    order = ("\nExamples:\n", "--target KIND", "--systems INTEGER", "\nReading input:\n")
    places = [text.index(words) for words in order]
    assert places == sorted(places)


@pytest.mark.parametrize("target", ["pairs=0.5", "clusters=3", "widest=3", "best", "best=0.6"])
def test_every_target_can_be_planned_shown_and_drawn(target: str) -> None:
    shape = pm.CampaignPlan(systems=5, spread=3, judges=30, segments=30_000, judge_effect=0.1, segment_effect=2)
    plan = pm.plan(shape, target=target, campaigns=50, try_judges=[20], try_segments=[], rng=1)
    assert plan.needed.rankings is not None
    assert "judgments" in summary(plan)
    assert len(plan.prices) == (1 if target == "best=0.6" else 3)
    chart = plan_plot(plan).to_dict()
    assert len(chart["hconcat"]) == (1 if target.startswith("best") else 2)
    answers = {rows[0]["at"] for rows in _data(chart) if rows and "at" in rows[0]}
    assert answers == {plan.needed.judgments}
    assert plan.sure == (0.8 if target == "best" else None)


def _data(chart: object) -> list[list[dict[str, float]]]:
    """The rows of every layer."""
    if isinstance(chart, dict):
        own = [chart["data"]["values"]] if isinstance(chart.get("data"), dict) and "values" in chart["data"] else []
        return own + [rows for part in chart.values() for rows in _data(part)]
    return [rows for part in chart for rows in _data(part)] if isinstance(chart, list) else []


def test_a_target_out_of_reach_is_said_to_be() -> None:
    shape = pm.CampaignPlan(systems=6, judges=5, segments=50, judge_effect=6, segment_effect=6)
    plan = pm.plan(shape, target="clusters=6", campaigns=50, try_judges=[], try_segments=[], rng=1)
    assert plan.needed.rankings is None
    assert plan.needed.hours is None
    assert summary(plan).startswith("No number of rankings by 5 judges of 50 segments reaches it; with any number")
    assert plan.needed.limit < 6
    assert "out of reach" in repr(plan)
    assert plan.cheapest is None
