"""Weights by the size of rankings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import judged, random_rows

import palmares as pm
from palmares.errors import InputError
from palmares.judgments import Judgments

#: A ranking of four, one of three, and a pair outside any.
ROWS = [
    ("A", "B", 1), ("A", "C", 1), ("A", "D", 1), ("B", "C", 1), ("B", "D", 0), ("C", "D", -1),
    ("A", "B", -1), ("A", "C", 0), ("B", "C", 1),
    ("C", "D", 1),
]  # fmt: skip
IDS = ["r"] * 6 + ["s"] * 3 + [None]


@pytest.mark.parametrize(("by", "weights"), [("ranking", (1 / 3, 1 / 2, 1.0)), ("van-elteren", (3 / 5, 3 / 4, 1.0))])
def test_pairs_weigh_by_the_size_of_their_ranking(by: Any, weights: tuple[float, ...]) -> None:
    weighed = judged(ROWS, ranking=IDS).weighed(by)
    assert weighed.weights is not None
    expected = np.repeat(weights, (6, 3, 1))
    assert weighed.weights == pytest.approx(expected, abs=1e-15)
    assert weighed.counts.total == pytest.approx(expected.sum())
    (note,) = weighed.notes
    assert note.endswith("where m systems occur in it (from 2 to 4)")


def test_by_ranking_a_ranking_counts_half_its_outputs() -> None:
    weighed = judged(ROWS[:6], ranking=IDS[:6]).weighed("ranking")
    assert weighed.weights is not None
    assert weighed.weights.sum() == pytest.approx(4 / 2)


def test_weights_that_are_there_are_multiplied() -> None:
    weighed = judged(ROWS, ranking=IDS, weight=[2.0] * 6 + [1.0] * 3 + [5.0]).weighed("ranking")
    assert weighed.weights == pytest.approx(np.repeat([2 / 3, 1 / 2, 5.0], (6, 3, 1)))


def test_size_is_that_of_the_systems_that_are_left() -> None:
    """Without D, the ranking of four has three outputs left."""
    kept = judged(ROWS, ranking=IDS).without(system="D").weighed("ranking")
    assert kept.weights == pytest.approx([1 / 2] * 6)


def test_forced_ties_do_not_change_the_size() -> None:
    """A and B share an output: both are compared with C and D, whether or not their tie is there."""
    rows = [("A", "B", 0), *ROWS[1:6]]
    table = judged(rows, ranking=["r"] * 6, forced=[True] + [False] * 5)
    before, after = table.weighed("ranking").without_forced_ties(), table.without_forced_ties().weighed("ranking")
    assert before == after
    assert after.weights == pytest.approx([1 / 3] * 5)


def test_pairs_alone_stay_as_they_are() -> None:
    pairs = judged(ROWS[:3], ranking=["1", "2", "3"])
    assert pairs.weighed("ranking") == pairs


def test_without_ids_it_is_refused() -> None:
    with pytest.raises(InputError, match=r"no ranking ids; name their column with --column ranking=NAME"):
        judged(ROWS).weighed()
    with pytest.raises(InputError, match="weigh: got 'judge'; allowed: ranking, van-elteren"):
        judged(ROWS, ranking=IDS).weighed("judge")  # type: ignore[arg-type]


# -- what is made of them --------------------------------------------------------------------------


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rankings of three, of which some have lost a system and are pairs."""
    monkeypatch.chdir(tmp_path)
    rows = random_rows(np.random.default_rng(1), rankings=60)
    short = Judgments.from_rows(rows.filter(rows["ranking"].str.len_chars() == 2)).without(system="s0")
    path = tmp_path / "campaign.csv"
    pm.write(pm.concat([short, Judgments.from_rows(rows.filter(rows["ranking"].str.len_chars() > 2))]), path)
    return path


@pytest.mark.parametrize("model", ["bradley-terry", "expected-wins", "orig-wmt", "trueskill:mode=batch"])
@pytest.mark.parametrize("unit", ["ranking", "pair"])
def test_rankings_of_weighed_judgments(model: str, unit: str, campaign: Path) -> None:
    judgments = pm.read(campaign)
    weighed = pm.rank(judgments.weighed("ranking"), model=model, resample=unit, resamples=60, rng=0)
    plain = pm.rank(judgments, model=model, resample=unit, resamples=60, rng=0)
    assert weighed.judgments == plain.judgments == len(judgments)
    assert "|weigh:ranking|" in weighed.signature
    assert "weigh" not in plain.signature
    assert [s.score for s in weighed.lines] != [s.score for s in plain.lines]
    # A weight that was given in the file does the same.
    given = pm.rank(Judgments.from_rows(judgments.weighed("ranking").to_rows()), model=model, resample=None, rng=0)
    assert {s.system: s.score for s in given.lines} == {s.system: s.score for s in weighed.lines}


@pytest.mark.parametrize("model", ["hopkins-may", "irt-categorical", "trueskill:mode=shuffled"])
def test_models_without_weights_refuse(model: str, campaign: Path) -> None:
    with pytest.raises(InputError, match="cannot use weights"):
        pm.rank(pm.read(campaign).weighed("ranking"), model=model, resample=None, rng=0)


def test_sign_tests_count_judgments(campaign: Path) -> None:
    judgments = pm.read(campaign)
    weighed = pm.rank(judgments.weighed("ranking"), resample="sign-test", rng=0)
    plain = pm.rank(judgments, resample="sign-test", rng=0)
    assert weighed.tests == pytest.approx(plain.tests)


def test_the_option_is_recorded_and_repeated(campaign: Path, ok: Callable[..., Any]) -> None:
    text = ok("rank", "campaign.csv", "--weigh", "van-elteren", "--resamples", "60", "--format", "json").out
    Path("result.json").write_text(text)
    result = json.loads(text)[0]
    assert result["record"]["weigh"] == "van-elteren"
    assert result["record"]["input"]["selection"] == {"weigh": "van-elteren"}
    assert any("3/(m + 1) each" in note for note in result["notes"])
    ok("verify", "result.json")
    again = json.loads(ok("rank", "campaign.csv", "--again", "result.json", "--format", "json").out)[0]
    assert again["signature"] == result["signature"]


def test_results_from_python_are_repeated(campaign: Path, ok: Callable[..., Any]) -> None:
    ranking = pm.rank(pm.read("campaign.csv").weighed("ranking"), resamples=60, rng=0)
    Path("result.json").write_text(json.dumps(ranking.to_dict()))
    ok("verify", "result.json")


def test_what_cannot_be_weighed_is_refused(campaign: Path, refused: Callable[..., str]) -> None:
    assert "no ranking ids" in refused("rank", "campaign.csv", "--column", "ranking=", "--weigh", "ranking")
    assert "leave out --scan" in refused("rank", "campaign.csv", "--scan", "--weigh", "ranking")
