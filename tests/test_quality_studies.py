"""Do intervals and tests of predictions of quality keep their word? Simulated sentences whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from palmares.compute import Execution
from palmares.scoring.quality.sentences import score_sentences
from palmares.scoring.quality.words import WordScores, score_words

CAMPAIGNS, SENTENCES, RESAMPLES = 1000, 208, 500


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
    _print(true, covered, differ, found)
    for label in true:
        _check(covered[label], differ[label], label)
        assert found[label] > 0.3 * CAMPAIGNS, label


def _print(labels: Iterable[str], *counts: dict[str, int]) -> None:
    for label in labels:
        shares = (f"{100 * each[label] / CAMPAIGNS:.1f} %" for each in counts)
        print(label, "covers {}, equals differ in {}, a worse one is found in {}".format(*shares))


def _check(covered: int, differ: int, label: str) -> None:
    """Counts within 99.9 % of binomial ones where intervals cover 93.5 to 97 % and equals differ in 5 ± .5 %.

    The percentile bootstrap of some hundred skewed items covers a little less than it says (Hall 1988: by a term of the
    order of 1 / N).
    """
    assert binom.ppf(0.0005, CAMPAIGNS, 0.935) <= covered <= binom.ppf(0.9995, CAMPAIGNS, 0.97), label
    assert binom.ppf(0.0005, CAMPAIGNS, 0.045) <= differ <= binom.ppf(0.9995, CAMPAIGNS, 0.055), label


# -- words -------------------------------------------------------------------------------------------

KINDS = ("OK", "Omission", "Word_order")


def words(rng: np.random.Generator, keep: tuple[float, ...]) -> list[list[str]]:
    """Labels of 120 sentences, gold and of each system, as lines: errors come in sentences, and so do misses."""
    lines: list[list[str]] = [[] for _ in range(len(keep) + 1)]
    for segment in range(120):
        bad, hard = rng.beta(1, 3), rng.beta(2, 2)
        size = int(rng.integers(6, 25))
        gold = rng.choice(3, size, p=[1 - bad, 0.4 * bad, 0.6 * bad])
        answers = [np.where(rng.random(size) < k * (1 - 0.5 * hard), gold, rng.choice(3, size)) for k in keep]
        for own, labels in zip(lines, (gold, *answers), strict=True):
            own += [f"{segment}\t{i}\tw\t{KINDS[label]}\n" for i, label in enumerate(labels)]
    return lines


def word_scores(rng: np.random.Generator, folder: Path, resamples: int, seed: int) -> WordScores:
    paths = [folder / name for name in ("gold", "a", "b", "c")]
    for path, lines in zip(paths, words(rng, (0.8, 0.8, 0.7)), strict=True):
        path.write_text("".join(lines))
    return score_words(paths[0], {path.name: path for path in paths[1:]}, resamples=resamples, rng=seed)


@pytest.mark.slow
def test_intervals_and_tests_of_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(98)
    first = [word_scores(rng, tmp_path, 0, 0).comparisons for _ in range(2000)]
    true = {c.measure.label: np.mean([run[i].values for run in first], axis=0) for i, c in enumerate(first[0])}
    rng = np.random.default_rng(6)
    covered, differ, found = (dict.fromkeys(true, 0) for _ in range(3))
    for number in range(CAMPAIGNS):
        for comparison in word_scores(rng, tmp_path, RESAMPLES, number).comparisons:
            label = comparison.measure.label
            low, high = comparison.intervals[2]
            covered[label] += low <= true[label][2] <= high
            differ[label] += min(comparison.chances[0, 1], comparison.chances[1, 0]) <= 0.05
            found[label] += comparison.chances[0, 2] <= 0.05
    _print(true, covered, differ, found)
    for label in true:
        _check(covered[label], differ[label], label)
