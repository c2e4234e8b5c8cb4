"""``palmares compare``: what it prints and draws, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from builders import counted, random_rows

from palmares import Testing, __version__, compare, learning_curve, noise_test, plots, read
from palmares.analysis.compare.comparison import HIGHER_IS_BETTER
from palmares.analysis.compare.testing import RUNS
from palmares.cli import COMMANDS
from palmares.report.plots.theme import PALETTE

MODELS = ("--model", "expected-wins", "--model", "independent-pairs")
QUICK = (*MODELS, "--folds", "4")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compare") / "campaign.csv"
    random_rows(np.random.default_rng(0)).write_csv(path)
    return path


@pytest.fixture
def run(run: Callable[..., Any]) -> Callable[..., Any]:
    """Run ``palmares compare``; what must succeed or be refused goes through it too."""
    return lambda *arguments: run("compare", *arguments)


@pytest.fixture
def ok(ok: Callable[..., Any]) -> Callable[..., str]:
    """What it prints."""
    return lambda *arguments: ok(*arguments).out


def test_the_table_shows_models_bounds_and_signature(ok: Callable[..., str], campaign: Path) -> None:
    out = ok(campaign, *QUICK).splitlines()
    firsts = [line.split(" ")[0] for line in out]
    assert set(firsts[2:6]) == {"expected-wins", "independent-pairs", "adjusted-uniform", "uniform"}
    assert [line.split("  ")[0] for line in out[7:9]] == ["oracle", "oracle by fold"]
    assert next(line for line in out if line.startswith("expected-wins")).count("–") == 4
    assert out[-1].startswith(
        "models:expected-wins+independent-pairs+uniform+adjusted-uniform|by:ranking|hold_out:auto|"
    )
    assert "|folds:4|errors_by:ranking|groups:40|seed:0|" in out[-1]


def test_any_column_of_the_file_can_be_held_out(ok: Callable[..., str], tmp_path: Path) -> None:
    rows = random_rows(np.random.default_rng(0)).drop("ranking", "segment")
    topics = pl.Series("topic", [f"t{row % 6}" for row in range(len(rows))])
    rows.with_columns(topics).write_csv(tmp_path / "topics.csv")
    out = ok(tmp_path / "topics.csv", *MODELS, "--hold-out", "topic", "--folds", "3")
    assert "note: folds and standard errors are by topic (6): as asked" in out
    assert "|by:topic|hold_out:topic|" in out
    assert "|folds:3|errors_by:topic|groups:6|" in out
    (found,) = json.loads(ok(tmp_path / "topics.csv", *QUICK, "--format", "json"))
    assert (found["by"], found["hold_out"], found["errors_by"], found["df"]) == ("judgment", "auto", "judgment", 119)
    assert any("neither ranking ids nor segments" in note and "--hold-out" in note for note in found["notes"])


def test_json_is_the_comparison(ok: Callable[..., str], campaign: Path) -> None:
    (found,) = json.loads(ok(campaign, *QUICK, "--format", "json"))
    assert found["record"].pop("command")["name"] == "compare"
    expected = compare(read(campaign), models=["expected-wins", "independent-pairs"], testing=Testing(4), rng=0)
    assert found == json.loads(json.dumps({**expected.to_dict(), "group": {"lang_pair": None}}))
    assert found["models"][0]["accuracy_clusters"]["difference"] == 0


@pytest.mark.parametrize("output", ["csv", "markdown", "latex"])
@pytest.mark.parametrize(
    "more", [(), ("--calibration",), ("--sizes", "20,40"), ("--noise", "0.5"), ("--gold", "bootstrap")], ids=str
)
def test_every_format_prints(ok: Callable[..., str], campaign: Path, output: str, more: tuple[str, ...]) -> None:
    if more[:1] == ("--gold",):
        gold = campaign.with_name("gold.csv")
        gold.write_text("system,score\ns0,0\ns1,1\ns2,2\ns3,3\ns4,4\n")
        more = ("--gold", str(gold))
    quick = MODELS if "--sizes" in more else QUICK
    out = ok(campaign, *quick, "--trials", "2", *more, "--format", output)
    assert "independent-pairs" in out
    if output == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert all(None not in row and None not in row.values() for row in rows)


def test_the_csv_has_the_oracles_as_rows(ok: Callable[..., str], campaign: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(ok(campaign, *QUICK, "--format", "csv"))))
    assert [row["model"] for row in rows[-2:]] == ["oracle", "oracle-by-fold"]
    assert {"lang_pair", "model", "perplexity", "perplexity_error", "brier_difference_error", "radius"} <= set(rows[0])


def test_curves_as_json(ok: Callable[..., str], campaign: Path) -> None:
    (found,) = json.loads(ok(campaign, *MODELS, "--sizes", "20,40", "--trials", "2", "--format", "json"))
    assert found["record"].pop("command")["options"]["sizes"] == "20,40"
    models = ["expected-wins", "independent-pairs"]
    expected = learning_curve(read(campaign), sizes=[20, 40], trials=2, models=models, rng=0)
    assert found == {**expected.to_dict(), "group": {"lang_pair": None}}
    (found,) = json.loads(ok(campaign, *QUICK, "--noise", "0.5", "--trials", "2", "--format", "json"))
    del found["record"]["command"]
    expected = noise_test(read(campaign), shares=[0.5], trials=2, testing=Testing(4), models=models, rng=0)
    assert found == {**expected.to_dict(), "group": {"lang_pair": None}}


def test_gold_csv_names_the_language_pair(ok: Callable[..., str], file: Callable[..., Path], tmp_path: Path) -> None:
    rows = random_rows(np.random.default_rng(0))
    both = pl.concat([rows.with_columns(lang_pair=pl.lit(pair)) for pair in ("de-en", "fr-en")])
    both.write_csv(tmp_path / "both.csv")
    gold = file("system,score\ns0,0\ns1,1\ns2,2\ns3,3\ns4,4\n")
    out = ok(tmp_path / "both.csv", "--model", "bojar", "--folds", "2", "--gold", gold, "--format", "csv")
    shown = [(row["lang_pair"], row["model"]) for row in csv.DictReader(io.StringIO(out))]
    # The baselines have no scores, so nothing to say of gold scores.
    assert shown == [("de-en", "bojar"), ("fr-en", "bojar")]


def test_gold_tables_have_no_empty_rows(ok: Callable[..., str], campaign: Path, file: Callable[..., Path]) -> None:
    gold = file("system,score\ns0,0\ns1,1\ns2,2\ns3,3\ns4,4\n")
    out = ok(campaign, *QUICK, "--gold", gold)
    below = out[out.index("nDCG") :]
    assert "expected-wins" in below
    assert "–" not in below.split("Scores of models")[0]


@pytest.mark.parametrize("more", [(), ("--noise", "0.5", "--trials", "2")], ids=str)
def test_a_table_without_rows_is_left_out(
    ok: Callable[..., str], campaign: Path, file: Callable[..., Path], more: tuple[str, ...]
) -> None:
    # Nothing correlates with gold scores that are all alike.
    gold = file("system,score\ns0,1\ns1,1\ns2,1\ns3,1\ns4,1\n")
    out = ok(campaign, *QUICK, "--gold", gold, *more)
    lines = out.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("model ")]
    assert len(heads) == (2 if more else 1)
    assert all(lines[number + 2].startswith(("expected-wins", "independent-pairs")) for number in heads)
    assert "note: no model has" in out
    assert lines[-1].endswith(f"version:{__version__}")


def test_only_the_oracle_by_fold_is_called_a_bound(ok: Callable[..., str], campaign: Path) -> None:
    lines = ok(campaign, *QUICK).splitlines()
    bound = [line.split(":")[0] for line in lines if "no model that knows only the two systems predicts more" in line]
    assert bound == ["oracle by fold"]
    assert any(line.startswith("oracle: ") and "may exceed it" in line for line in lines)
    # Trained and tested once, the two are the same.
    lines = ok(campaign, *MODELS, "--test-judges", "judge-1").splitlines()
    bound = [line.split(":")[0] for line in lines if "no model that knows only the two systems predicts more" in line]
    assert bound == ["oracle"]


def test_judges_and_gold_scores(ok: Callable[..., str], campaign: Path, file: Callable[..., Path]) -> None:
    gold = file("system,score\ns0,0\ns1,1\ns2,2\ns3,3\ns4,4\n")
    # Forty rankings of three judgments go to seven judges in turn: 6 each to the first five, 5 each to the others.
    out = ok(campaign, *MODELS, "--train-judges", "judge-[0-4]", "--gold", gold)
    assert "Trained on 90 judgments of some judges, tested on 30 of others." in out
    assert "nDCG" in out
    assert out.count("oracle by fold") == 0
    (found,) = json.loads(ok(campaign, *QUICK, "--gold", gold, "--format", "json"))
    assert set(found["gold"]["models"][0]["agreement"]) == {"pearson", "spearman", "kendall", "ndcg"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--model", "elo"), "unknown model 'elo'"),
        (("--model", "bojar:x=1"), "no setting 'x'"),
        (("--sizes", "10", "--noise", "0.1"), "two experiments; ask for one at a time"),
        (("--noise", "0.1", "--test-judges", "judge-1"), "--noise draws judges by itself"),
        (("--sizes", "ten"), "--sizes: got 'ten'; allowed: numbers with commas between them, e.g. 400,800,1600"),
        (("--sizes", "20", "--folds", "5"), "--sizes says what is trained on and what is tested; leave out --folds"),
        (("--test-judges", "judge-1", "--folds", "5"), "leave out --folds"),
        (("--noise", "0.1", "--calibration"), "--calibration needs a comparison by folds or judges"),
        (
            ("--gold", "bootstrap", "--calibration", "--format", "csv"),
            "two tables, and CSV has one header; ask for one, or use --format json",
        ),
        (("--noise", "2"), "noise: got 2; allowed: shares of the judges"),
        (("--sizes", "5000"), "some must be left to test"),
        (("--gold", "nowhere.csv"), "nowhere.csv: cannot be read"),
        (("--train-judges", "nobody"), "no judge matches 'nobody'"),
        (("--column", "judge=", "--hold-out", "judge"), "cannot make folds by judge: the judgments have no judge"),
        (("--hold-out", "topic"), "there is no column 'topic' to keep; present: "),
    ],
)
def test_what_is_refused(run: Callable[..., tuple], campaign: Path, more: tuple[str, ...], message: str) -> None:
    status, out, err = run(campaign, *MODELS, *more)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_the_choices_are_those_of_the_library() -> None:
    options = {option.name: option for option in COMMANDS.load("compare").params}
    assert options["sort"].type.choices == tuple(HIGHER_IS_BETTER)
    assert options["sort"].default in HIGHER_IS_BETTER
    assert options["runs"].default == RUNS


# -- plots -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [(), ("--calibration",), ("--sizes", "20,40"), ("--noise", "0.5")], ids=str)
def test_every_result_can_be_drawn(
    run: Callable[..., tuple], campaign: Path, more: tuple[str, ...], tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    target = tmp_path / "plot.svg"
    quick = MODELS if "--sizes" in more else QUICK
    status, _, err = run(campaign, *quick, *more, "--trials", "2", "--plot", target)
    assert status == 0, err
    assert f"wrote {target}" in err
    assert "independent-pairs" in target.read_text(encoding="utf-8")


def test_the_plot_shows_the_values(campaign: Path) -> None:
    pytest.importorskip("altair", reason="needs the extra 'report'")
    found = compare(read(campaign), models=["expected-wins", "independent-pairs"], testing=Testing(4), rng=0)
    text = json.dumps(plots.model_comparison(found).to_dict())
    for line in found.lines:
        if line.accuracy_clusters:
            assert json.dumps(line.accuracy_clusters.value) in text
    assert json.dumps(found.oracle.value) in text
    shown = json.dumps(plots.calibration_plot(found).to_dict())
    assert json.dumps(found["independent-pairs"].calibration[0].observed) in shown


def test_both_axes_of_a_calibration_have_the_same_ticks(campaign: Path) -> None:
    pytest.importorskip("altair", reason="needs the extra 'report'")
    found = compare(read(campaign), models=["independent-pairs"], testing=Testing(4), rng=0)
    spec = plots.calibration_plot(found).to_dict()
    axes = [
        layer["encoding"][channel]["axis"]
        for panel in spec["concat"] for layer in panel["layer"] for channel in ("x", "y")
    ]  # fmt: skip
    assert all(axis == axes[0] for axis in axes)
    assert axes[0]["labelFlush"] is False


@pytest.mark.parametrize("condition", ["size", "noise"])
def test_error_bars_at_one_condition_stand_apart(campaign: Path, condition: str) -> None:
    pytest.importorskip("altair", reason="needs the extra 'report'")
    models = ["expected-wins", "independent-pairs", "bradley-terry"]
    how = {"models": models, "trials": 3, "rng": 0}
    if condition == "size":
        found = learning_curve(read(campaign), sizes=[30, 60], **how)
    else:
        found = noise_test(read(campaign), shares=[0.3, 0.6], testing=Testing(4), **how)
    panel = plots.curve_plot(found).to_dict()["hconcat"][0]
    rows = panel["data"]["values"]
    for value in found.points:
        places = [row["place"] for row in rows if row["value"] == value and row["to"] > row["from"]]
        assert len(set(places)) == len(places)
    # They stay in order: the last of one condition is before the first of the next.
    spread = [[row["place"] for row in rows if row["value"] == value] for value in found.points]
    assert all(max(before) < min(after) for before, after in pairwise(spread))
    axis = panel["layer"][0]["encoding"]["x"]["axis"]
    assert axis["values"] == list(found.points)
    assert axis.get("format") == (",d" if condition == "size" else None)


def test_shares_are_written_with_a_space(campaign: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    found = noise_test(read(campaign), shares=[0.3], testing=Testing(4), models=["independent-pairs"], trials=2, rng=0)
    plots.save(plots.curve_plot(found), tmp_path / "noise.svg")
    text = (tmp_path / "noise.svg").read_text(encoding="utf-8")
    assert ">30 %</text>" in text
    assert "30%" not in text


def test_a_baseline_that_is_best_has_the_colour_of_the_best() -> None:
    pytest.importorskip("altair", reason="needs the extra 'report'")
    # A model of ten wins of either is no better than saying that there are no ties.
    data = counted({("A", "B"): (10, 0, 10)})
    found = compare(data, models=["independent-pairs"], testing=Testing(20), rng=0)
    assert found["adjusted-uniform"].perplexity.difference == 0
    text = json.dumps(plots.model_comparison(found).to_dict()["hconcat"][-1])
    colours = dict(re.findall(r'"model": "([\w-]+)", [^{}]*"colour": "(#\w+)"', text))
    assert colours["adjusted-uniform"] == PALETTE[1] != colours["independent-pairs"]
