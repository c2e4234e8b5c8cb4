"""How far metrics agree with people: values by other programs, what is resampled together, intervals that hold."""

from __future__ import annotations

import io
import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import palmares
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.by_name import create
from palmares.scoring.translation import score_translations
from palmares.scoring.translation.agreement import Side, agreement_intervals, agreement_of, shares
from palmares.scoring.translation.human import human_side
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

SYSTEMS = {"A": 0.1, "B": 0.2, "C": 0.35, "D": 0.5}
WORDS = [f"{start}{end}" for start in ("ba", "ce", "di", "fo") for end in ("lin", "mar", "net", "pol")]


def a_test_set(seed: int = 1, segments: int = 60) -> TestSet:
    """Systems get each word wrong with a chance of their own."""
    rng = np.random.default_rng(seed)
    references = [rng.choice(WORDS, 12) for _ in range(segments)]
    outputs = {
        name: [" ".join(np.where(rng.random(12) < error, rng.choice(WORDS, 12), words)) for words in references]
        for name, error in SYSTEMS.items()
    }
    made = [Segment(f"s{n}", None, "", " ".join(words)) for n, words in enumerate(references)]
    return make(LanguagePair.parse("xh-en"), made, outputs, has_sources=False)


def people(segments: list[str], seed: int = 2, judges: int = 6) -> Judgments:
    """Everybody judges some pairs of each segment; fewer errors are better, with noise."""
    rng = np.random.default_rng(seed)
    rows = []
    for segment in segments:
        for a, b in itertools.combinations(SYSTEMS, 2):
            difference = SYSTEMS[b] - SYSTEMS[a] + 0.2 * rng.standard_normal()
            outcome = "tie" if abs(difference) < 0.05 else "a" if difference > 0 else "b"
            rows.append(f"{segment},j{rng.integers(judges)},{a},{b},{outcome}")
    text = "segment,judge,system_a,system_b,outcome\n" + "\n".join(rows) + "\n"
    return palmares.read(io.StringIO(text))


def test_values_are_those_of_scipy_and_of_the_definitions() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal(7), rng.standard_normal(7)
    x[2] = x[5]  # a tie
    mine, theirs = (side[None] + rng.standard_normal((400, 7)) for side in (x, y))
    values = agreement_of(Side(x, mine, shares(mine)), Side(y, theirs, shares(theirs)))
    assert values["pearson"] == pytest.approx(stats.pearsonr(x, y).statistic)
    assert values["kendall"] == pytest.approx(stats.kendalltau(x, y).statistic)
    pairs = list(itertools.combinations(range(7), 2))
    assert values["pairwise_accuracy"] == np.mean([np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i, j in pairs])
    better = [[(side[:, i] > side[:, j]).mean() for i, j in pairs] for side in (mine, theirs)]
    assert values["soft_pairwise_accuracy"] == pytest.approx(1 - np.mean(np.abs(np.subtract(*better))))


def test_the_segment_of_a_judgment_is_found_by_its_name() -> None:
    """Judged are the last three of ten: no code of a judgment's segment is its place in the test set."""
    ids = [str(n) for n in range(10)]
    judged = people(["7", "8", "9"], judges=2)
    side = human_side(judged, list(SYSTEMS), ids, model=create("bradley-terry"), resamples=50, p=0.05,
                      execution=palmares.Execution("serial", seed=0))  # fmt: skip
    assert side.statistic is not None
    assert set(side.statistic.places.tolist()) == {7, 8, 9}
    assert not any("each by itself" in note for note in side.notes)


def test_metrics_and_people_are_resampled_by_the_same_segments_where_all_are_known() -> None:
    texts = a_test_set()
    known = people([segment.id for segment in texts.segments])
    foreign = people([f"elsewhere-{n}" for n in range(40)])
    options: dict[str, Any] = {"prepare": ["original"], "metrics": ["per"], "accept": ("language",), "resamples": 200}
    together = score_translations(texts, human=known, rng=0, **options).human
    apart = score_translations(texts, human=foreign, rng=0, **options).human
    assert together is not None
    assert apart is not None
    assert (together.joint, apart.joint) == (True, False)
    for found in (together, apart):
        (agreement,) = found.agreements
        assert agreement.values["kendall"] == 1.0
        low, high = agreement.intervals["kendall"] or (0, 0)
        assert low <= 1.0 <= high


def simulated(rng: np.random.Generator, systems: int, spread: float, alike: float) -> dict[str, tuple[bool, bool]]:
    """One campaign: whether an interval was given, and whether it holds what noise hides.

    True scores of people have a standard deviation of ``spread`` and noise of 1; a metric's correlate with them and
    have noise of half that.
    """
    h = rng.normal(0, spread, systems)
    m = alike * h + np.sqrt(1 - alike**2) * rng.normal(0, spread, systems)
    seen = [rng.normal(true, noise) for true, noise in ((m, 0.5), (h, 1.0))]
    drawn = [rng.normal(each, noise, (200, systems)) for each, noise in zip(seen, (0.5, 1.0), strict=True)]
    sides = [Side(each, samples, shares(samples)) for each, samples in zip(seen, drawn, strict=True)]
    found = agreement_intervals(*sides, 0.05)
    pairs = list(itertools.combinations(range(systems), 2))
    same = np.mean([(h[i] > h[j]) == (m[i] > m[j]) for i, j in pairs])
    apart = [abs(ndtr((h[i] - h[j]) / 2**0.5) - ndtr((m[i] - m[j]) / 0.5**0.5)) for i, j in pairs]
    truth = {
        "pearson": np.corrcoef(h, m)[0, 1], "kendall": 2 * same - 1, "pairwise_accuracy": same,
        "soft_pairwise_accuracy": 1 - np.mean(apart),
    }  # fmt: skip
    return {
        name: (span is not None, span is not None and span[0] - 1e-9 <= truth[name] <= span[1] + 1e-9)
        for name, span in found.items()
    }


@pytest.mark.parametrize("systems", [4, 10])
@pytest.mark.parametrize(("spread", "alike"), [(0.5, 0.99), (1.0, 0.9), (3.0, 0.9), (10.0, 0.99), (10.0, 0.5)])
def test_intervals_hold_the_truth_whether_systems_are_close_or_far(systems: int, spread: float, alike: float) -> None:
    """Usual bootstrap intervals of τ hold it in as few as one in three of these campaigns."""
    rng = np.random.default_rng([systems, int(10 * spread)])
    campaigns = [simulated(rng, systems, spread, alike) for _ in range(150)]
    for name in campaigns[0]:
        given = [each[name][1] for each in campaigns if each[name][0]]
        # Of 150 at 95 %, fewer than 89 % happen once in two thousand.
        assert len(given) < 20 or np.mean(given) > 0.89, name
        assert len(given) == 150 or name == "pearson"


def test_pearson_has_no_interval_where_noise_is_much_of_what_differs() -> None:
    rng = np.random.default_rng(5)
    x = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    close, clear = rng.normal(x, 0.3, (300, 5)), rng.normal(x, 0.01, (300, 5))
    wanted = [agreement_intervals(Side(x, s, shares(s)), Side(x, clear, shares(clear)), 0.05)["pearson"]
              for s in (close, clear)]  # fmt: skip
    assert wanted[0] is None
    assert wanted[1] is not None


def test_too_few_systems_in_common_are_refused() -> None:
    with pytest.raises(InputError, match="agreement needs at least 3"):
        human_side(people(["1", "2"]), ["A", "B", "X"], ["1"], model=create("bradley-terry"), resamples=10, p=0.05,
                   execution=palmares.Execution("serial", seed=0))  # fmt: skip
