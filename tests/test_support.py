"""What bootstrap samples say of pairs, of the best, of clusters and of scores; and when judges matter."""

from __future__ import annotations

import numpy as np
import pytest
from builders import counted, random_rows
from scipy.stats import norm

from palmares import rank
from palmares.judgments import Judgments
from palmares.models import MODELS
from palmares.models.by_name import create
from palmares.ranking.ranges import best, better, middle, score_intervals, stability
from palmares.ranking.significance import holm

#: Five samples of the places of three systems.
PLACES = np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3], [1, 2, 3]])


def test_better_is_the_share_of_samples_that_say_so() -> None:
    expected = [[0.5, 0.8, 1.0], [0.2, 0.5, 0.8], [0.0, 0.2, 0.5]]
    assert better(PLACES) == pytest.approx(np.array(expected))


def test_best_is_the_share_of_first_places() -> None:
    assert best(PLACES).tolist() == [0.8, 0.2, 0.0]


def test_a_cluster_is_stable_where_its_systems_alone_take_its_places() -> None:
    # {0} holds place 1 in four of five samples; {1, 2} hold places 2 and 3 in the same four.
    assert stability(PLACES, np.array([1, 2, 2])).tolist() == [0.8, 0.8]
    assert stability(PLACES, np.array([1, 1, 2])).tolist() == [0.8, 0.8]
    assert stability(PLACES, np.array([1, 1, 1])).tolist() == [1.0]


def test_an_interval_drops_as_many_scores_at_each_end_as_a_range_drops_ranks() -> None:
    scores = np.stack([np.arange(1000.0), -np.arange(1000.0)], axis=1)
    assert score_intervals(scores, p=0.05).tolist() == [[25, 974], [-974, -25]]
    assert middle(np.arange(40)[:, None], p=0.05).tolist() == [[1, 38]]


def test_score_intervals_are_as_wide_as_theory_says() -> None:
    # Two systems, n judgments by pair, expected wins: the score is a binomial share.
    ranking = rank(counted({("a", "b"): (240, 0, 160)}), model="expected-wins", resamples=4000, rng=1)
    low, high = ranking.lines[0].interval
    error = np.sqrt(0.6 * 0.4 / 400)
    assert ranking.lines[0].error == pytest.approx(error, rel=0.04)
    assert (low, high) == pytest.approx((0.6 - norm.ppf(0.975) * error, 0.6 + norm.ppf(0.975) * error), abs=0.004)


def test_a_ranking_says_in_its_own_order_who_is_better() -> None:
    data = Judgments.from_rows(random_rows(np.random.default_rng(3), rankings=120))
    ranking = rank(data, resamples=200, rng=0)
    places = dict(zip(ranking.beliefs.systems, ranking.beliefs.places.T, strict=True))
    for i, above in enumerate(ranking.systems):
        assert ranking.lines[i].best == (places[above] == 1).mean()
        for j, below in enumerate(ranking.systems):
            if i != j:
                assert ranking.better[i, j] == pytest.approx((places[above] < places[below]).mean())
    assert ranking.better + ranking.better.T == pytest.approx(np.ones((5, 5)))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_that_ranks_has_intervals_around_its_samples(name: str) -> None:
    if name in ("uniform", "adjusted-uniform"):
        pytest.skip("predicts only")
    short = {"iterations": "60", "burn_in": "20"}
    settings = {"hopkins-may": short, "irt-categorical": short}
    data = Judgments.from_rows(random_rows(np.random.default_rng(5), rankings=60))
    unit = "auto" if name in settings else "pair"
    ranking = rank(data, model=create(name, settings.get(name)), resample=unit, resamples=40, rng=0)
    assert sum(line.best for line in ranking.lines) == pytest.approx(1)
    for line in ranking.lines:
        scores = ranking.replicates.scores[:, ranking.replicates.systems.index(line.system)]
        if line.interval is None:  # a place that hardly any sample changes has no width
            assert np.quantile(scores, 0.025) == np.quantile(scores, 0.975)
            continue
        low, high = line.interval
        assert low <= np.median(scores) <= high
        assert line.error == pytest.approx(scores.std(ddof=1))


def test_without_resampling_nothing_is_said_of_certainty() -> None:
    ranking = rank(counted({("a", "b"): (9, 5, 3)}), resample=None, rng=0)
    line = ranking.to_dict()["systems"][0]
    assert [line[key] for key in ("range", "cluster", "interval", "error", "best")] == [None] * 5
    assert (ranking.better, ranking.stability, ranking.ranged) == (None, (), False)


def test_a_system_that_won_a_few_comparisons_and_lost_none_is_warned_of() -> None:
    few = counted({("a", "b"): (3, 0, 0), ("b", "c"): (60, 0, 40)})
    (note,) = [note for note in rank(few, resamples=60, rng=0).notes if "won or lost every one" in note]
    assert note.endswith("the fewer boundaries hold jointly: a")
    many = counted({("a", "b"): (40, 0, 0), ("b", "c"): (60, 0, 40)})
    assert not [note for note in rank(many, resamples=60, rng=0).notes if "won or lost every one" in note]


# -- many tests at once ----------------------------------------------------------------------------


def test_holms_correction_by_hand() -> None:
    # Sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .06, never falling.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
