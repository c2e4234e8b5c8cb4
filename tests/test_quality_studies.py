"""Do intervals and tests of predictions of quality keep their word? Simulated sentences whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from palmares.compute import Execution
from palmares.scoring.quality.sentences import score_sentences

CAMPAIGNS, SENTENCES, RESAMPLES = 400, 208, 500
LABELS = ("MAE", "RMSE", "Pearson", "DeltaAvg", "Spearman")


def sentences(rng: np.random.Generator, noises: tuple[float, ...], count: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Seconds of post-editing, skewed as such times are, and predictions that are shrunk and noisy.

    The noise of a prediction grows with the time, and is partly the same for all systems.
    """
    seconds = rng.gamma(2.0, 19.0, count)
    hard = rng.normal(size=count)
    predictions = [
        15 + 0.6 * seconds + noise * (1 + seconds / 80) * (0.6 * hard + 0.8 * rng.normal(size=count))
        for noise in noises
    ]
    return seconds, predictions


def truth(noises: tuple[float, ...]) -> dict[str, np.ndarray]:
    """What the measures are on average over many test sets of this size."""
    rng = np.random.default_rng(99)
    found: dict[str, list[np.ndarray]] = {}
    for _ in range(4000):
        gold, predicted = sentences(rng, noises, SENTENCES)
        result = score_sentences(gold, dict(zip("abcdef", predicted, strict=False)), label="time", resamples=0,
                                 savings=(0.25,), rng=0)  # fmt: skip
        for comparison in (*result.comparisons, result.savings[0].gained):
            found.setdefault(comparison.measure.label, []).append(comparison.values)
    return {label: np.mean(values, axis=0) for label, values in found.items()}


@pytest.mark.slow
def test_intervals_cover_the_truth_and_tests_of_equals_err_as_often_as_they_say() -> None:
    noises = (12.0, 12.0, 20.0)
    true = truth(noises)
    rng = np.random.default_rng(5)
    covered = dict.fromkeys(true, 0)
    differ = dict.fromkeys(true, 0)
    found = dict.fromkeys(true, 0)
    for number in range(CAMPAIGNS):
        gold, predicted = sentences(rng, noises, SENTENCES)
        result = score_sentences(
            gold, dict(zip("abc", predicted, strict=True)), label="time", resamples=RESAMPLES, savings=(0.25,),
            rng=number, execution=Execution("threads"),
        )  # fmt: skip
        for comparison in (*result.comparisons, result.savings[0].gained):
            label = comparison.measure.label
            low, high = comparison.intervals[2]
            covered[label] += low <= true[label][2] <= high
            differ[label] += min(comparison.chances[0, 1], comparison.chances[1, 0]) <= 0.05
            found[label] += comparison.chances[0, 2] <= 0.05
    # The percentile bootstrap of skewed data covers a little less than it says: half a point to two (docs). The band is
    # that of the count itself, 99.9 %, around 93.5 %; tests are to err in 5 % of all cases.
    least = binom.ppf(0.0005, CAMPAIGNS, 0.935)
    most_errors = binom.ppf(0.9995, CAMPAIGNS, 0.055)
    for label in true:
        shares = (f"{100 * counts[label] / CAMPAIGNS:.1f} %" for counts in (covered, differ, found))
        print(label, "covers {}, equals differ in {}, a worse one is found in {}".format(*shares))
    for label in true:
        assert covered[label] >= least, label
        assert differ[label] <= most_errors, label
        assert found[label] > 0.5 * CAMPAIGNS, label
