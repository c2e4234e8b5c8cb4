"""``--preset arena``: against logistic regression as leaderboards do it, and against another library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from builders import counted
from scipy.optimize import minimize

import palmares as pm
from palmares.errors import InputError
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.by_name import create

VOTES = counted(
    {
        ("a", "b"): (30, 12, 18),
        ("a", "c"): (25, 20, 9),
        ("b", "c"): (14, 31, 11),
        ("b", "d"): (22, 5, 20),
        ("c", "d"): (17, 8, 15),
        ("a", "d"): (28, 2, 10),
    }
)


def logistic_regression(judgments: pm.Judgments) -> dict[str, float]:
    """Every vote twice, a tie once for each side; 400 points are odds of ten to one; mean 1000. No penalty."""
    rows = judgments.to_rows().select("system_a", "system_b", "outcome").rows()
    names = sorted({name for a, b, _ in rows for name in (a, b)})
    x = np.zeros((2 * len(rows), len(names)))
    y = np.zeros(2 * len(rows))
    for k, (a, b, outcome) in enumerate(rows):
        x[2 * k : 2 * k + 2, names.index(a)], x[2 * k : 2 * k + 2, names.index(b)] = np.log(10), -np.log(10)
        y[2 * k : 2 * k + 2] = {1: (1, 1), 0: (1, 0), -1: (0, 0)}[outcome]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = x @ w
        return float(np.logaddexp(0, z).sum() - y @ z), x.T @ (1 / (1 + np.exp(-z)) - y)

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    return dict(zip(names, 400 * (found.x - found.x.mean()) + 1000, strict=True))


def test_the_preset_is_logistic_regression_with_ties_as_half_wins() -> None:
    expected = logistic_regression(VOTES)
    exact = pm.rank(VOTES, model="arena:prior=none", resample=None)
    assert {line.system: line.score for line in exact.lines} == pytest.approx(expected, abs=1e-3)
    usual = pm.rank(VOTES, model="arena", resample=None)
    # The weak prior draws strengths a little together.
    assert {line.system: line.score for line in usual.lines} == pytest.approx(expected, abs=0.3)
    assert np.mean([line.score for line in usual.lines]) == pytest.approx(1000)
    # Davidson's ties spread them: a tie is no news of equal wins, but of closeness in its own right.
    apart = pm.rank(VOTES, model="bradley-terry:scale=elo", resample=None)
    assert apart.lines[0].score > usual.lines[0].score + 20


def test_both_conventions_by_hand() -> None:
    # 40 won, 40 tied, 20 lost. Half wins: odds of 60 to 40. Davidson: of the decided ones, 40 to 20.
    votes = counted({("a", "b"): (40, 40, 20)})
    for model, odds in (("arena:prior=none", 60 / 40), ("bradley-terry:scale=elo,prior=none", 40 / 20)):
        above, below = (line.score for line in pm.rank(votes, model=model, resample=None).lines)
        assert above - below == pytest.approx(400 * np.log10(odds))
        assert above + below == pytest.approx(2000)


@pytest.mark.real
def test_the_preset_agrees_with_another_library_on_published_votes(real_data: Path) -> None:
    judgments = pm.read(real_data / "llmfao" / "crowd-comparisons.csv")
    golden = pl.read_csv(real_data / "llmfao" / "golden.csv").filter(pl.col("algorithm") == "bradley_terry")
    strength = dict(golden.select("item", "score").iter_rows())
    elo = 400 * np.log10([strength[name] for name in judgments.systems])
    found = create("arena:prior=none").fit(judgments).scores
    assert found == pytest.approx(elo - elo.mean() + 1000, abs=1e-6)
    assert create("arena").fit(judgments).scores == pytest.approx(found, abs=0.3)


def test_a_preset_stands_where_a_model_does() -> None:
    assert create("arena") == BradleyTerry(ties="half", scale="elo")
    assert create("arena:anchor=a=1114", {"sd": "2"}) == BradleyTerry("half", sd=2, scale="elo", anchor="a=1114")
    assert create("arena", {"ties": "half"}) == create("arena")


@pytest.mark.parametrize(
    ("model", "given"), [("arena:ties=davidson", {}), ("arena", {"ties": "davidson"}), ("arena", {"scale": "natural"})]
)
def test_a_setting_that_contradicts_the_preset_is_refused(model: str, given: dict) -> None:
    with pytest.raises(InputError, match=r"preset 'arena' means (ties=half|scale=elo), and .* was given"):
        create(model, given)


# -- on the command line ---------------------------------------------------------------------------


@pytest.fixture
def votes(file: Callable) -> Path:
    return file(VOTES.to_rows().select("system_a", "system_b", "outcome").write_csv())


@pytest.mark.parametrize("command", ["rank", "head-to-head", "audit"])
def test_one_option_sets_the_convention(ok: Callable, votes: Path, command: str) -> None:
    options = ("--resamples", 60, "--format", "json", "--seed", 1)
    short = ok(command, votes, "--preset", "arena", *options).json[0]
    long = ok(command, votes, "--model", "bradley-terry", "--set", "ties=half", "--set", "scale=elo", *options).json[0]
    assert short["record"].pop("command") != long["record"].pop("command")
    assert short == long
    assert {"ties:half", "scale:elo"} <= set(short["signature"].split("|"))


def test_compare_and_coverage_take_it_beside_models(ok: Callable, votes: Path) -> None:
    compared = ok("compare", votes, "--preset", "arena", "--model", "bojar", "--folds", 4, "--format", "json").json[0]
    assert {"bradley-terry(ties=half,scale=elo)", "bojar"} <= {line["model"] for line in compared["models"]}
    study = ok("coverage", "--preset", "arena", "--unit", "pair", "--campaigns", 2, "--resamples", 40,
               "--systems", 5, "--rankings", 30, "--executor", "serial", "--format", "json").json  # fmt: skip
    assert [method["model"] for method in study["methods"]] == ["bradley-terry(ties=half,scale=elo)"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--set", "ties=davidson"), "means ties=half"),
        (("--scale", "natural"), "means scale=elo"),
        (("--model", "expected-wins"), "a use of bradley-terry, not of expected-wins"),
    ],
)
def test_options_that_contradict_it_are_refused(refused: Callable, votes: Path, options: tuple, said: str) -> None:
    assert said in refused("rank", votes, "--preset", "arena", *options)


def test_what_it_leaves_open_can_be_set(ok: Callable, votes: Path) -> None:
    ranking = ok("rank", votes, "--preset", "arena", "--anchor", "c=1114", "--resample", "none", "--format", "json")
    assert {s["system"]: s["score"] for s in ranking.json[0]["systems"]}["c"] == pytest.approx(1114)
