"""How sure differences are depends neither on what holds a scale in place, nor on the unit of weights."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import palmares
from palmares import Judgments


def campaign(seed: int, weight: float | None = None, newcomer: float = 0.02) -> Judgments:
    """Six equal systems, one of them rarely judged; twelve judges with tastes of their own."""
    rng = np.random.default_rng(seed)
    taste, luck = rng.normal(0, 0.4, (12, 6)), rng.normal(0, 0.2, (80, 6))
    share = np.array([1, 1, 1, 1, 1, newcomer]) / (5 + newcomer)
    rows = []
    for sitting in range(480):
        judge, segment = sitting % 12, int(rng.integers(80))
        chosen = rng.choice(6, 3, replace=False, p=share)
        seen = taste[judge, chosen] + luck[segment, chosen] + rng.normal(0, 1, 3)
        for a, b in combinations(range(3), 2):
            outcome = 0 if abs(seen[a] - seen[b]) < 0.3 else int(np.sign(seen[a] - seen[b]))
            rows.append((f"j{judge}", f"g{segment}", f"r{sitting}", f"s{chosen[a]}", f"s{chosen[b]}", outcome))
    frame = pl.DataFrame(rows, ["judge", "segment", "ranking", "system_a", "system_b", "outcome"], orient="row")
    return Judgments.from_rows(frame if weight is None else frame.with_columns(weight=pl.lit(weight)))


def difference_errors(data: Judgments, model: str) -> np.ndarray:
    ranking = palmares.rank(data, model=model, rng=1)
    order = np.argsort([line.system for line in ranking.lines])
    return np.array(ranking.to_dict()["difference_errors"], dtype=float)[np.ix_(order, order)]


@pytest.mark.parametrize("anchor", ["s0=0", "s5=1000"])
def test_an_anchor_changes_no_error_of_a_difference(anchor: str) -> None:
    data = campaign(1)
    np.testing.assert_allclose(
        difference_errors(data, f"bradley-terry:anchor={anchor}"), difference_errors(data, "bradley-terry"), atol=1e-9
    )


def test_a_newcomer_makes_no_difference_of_others_seem_surer() -> None:
    """Six pairs of equal systems: over campaigns, their differences vary as much as errors say."""
    ratios = []
    for seed in range(25):
        data = campaign(seed)
        ranking = palmares.rank(data, rng=1)
        score = {line.system: line.score for line in ranking.lines}
        errors = difference_errors(data, "bradley-terry")
        ratios += [(score[f"s{i}"] - score[f"s{j}"]) / errors[i, j] for i, j in combinations(range(5), 2)]
    # 1.4 where the newcomer's doubt is taken for that of all.
    assert 0.8 < np.sqrt(np.mean(np.square(ratios))) < 1.2


@pytest.mark.parametrize("model", ["bradley-terry:sd=100", "expected-wins"])
@pytest.mark.parametrize("weight", [0.25, 1e3])
def test_a_factor_of_all_weights_changes_no_error(model: str, weight: float) -> None:
    plain, weighed = (difference_errors(campaign(2, each), model) for each in (None, weight))
    np.testing.assert_allclose(weighed, plain, rtol=1e-3)
