"""Bootstrap samples of predictions of quality, each measure against a loop over samples in numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import rankdata

from palmares.compute import Execution, Stream, generator
from palmares.judgments import FloatArray, IntArray
from palmares.scoring.quality.ordering import Ordering, errors_of, pearson_of, place_weights
from palmares.scoring.quality.sentences import automatic_resamples, score_sentences
from palmares.scoring.resampling import BLOCK, Statistic, Units, resampled

from .common import report
from .scores_timing import in_turns

SYSTEMS, SENTENCES = 10, 1_000
#: Samples of the loops, which are scaled; whole blocks, so that both draw the same.
_LOOP, _LOOP_BY_DEFINITION = 8 * BLOCK, BLOCK
#: Samples of the package where one core is timed against a loop.
_ONE_CORE = 100 * BLOCK


@dataclass(frozen=True)
class Predictions:
    """Labels like HTER, and systems whose errors differ in size."""

    gold: FloatArray
    scores: FloatArray

    @classmethod
    def drawn(cls, systems: int = SYSTEMS, sentences: int = SENTENCES) -> Predictions:
        rng = np.random.default_rng(0)
        gold = np.clip(rng.gamma(2, 12, sentences), 0, 100)
        spread = np.linspace(8, 20, systems)[:, None]
        return cls(gold, gold + rng.normal(0, spread, (systems, sentences)))

    @property
    def units(self) -> Units:
        return Units.single(len(self.gold), "sentence")

    def ordering(self) -> Ordering:
        return Ordering.of(list(self.scores), -self.gold)


# -- loops over samples ------------------------------------------------------------------------------


def samples(sentences: int, count: int) -> Iterator[IntArray]:
    """The samples that the package draws with seed 0."""
    kind = np.uint16 if sentences <= 2**16 else np.uint32
    for block in range(count // BLOCK):
        rng = generator(0, Stream.SCORED_SEGMENTS, block)
        yield from rng.integers(0, sentences, (BLOCK, sentences), kind)


def looped_errors(given: Predictions, count: int) -> FloatArray:
    """MAE of every system, then RMSE."""
    errors = np.abs(given.scores - given.gold)
    values = []
    for picks in samples(len(given.gold), count):
        drawn = errors[:, picks]
        values.append([*drawn.mean(axis=1), *np.sqrt((drawn**2).mean(axis=1))])
    return np.array(values)


def looped_pearson(given: Predictions, count: int) -> FloatArray:
    drawn = samples(len(given.gold), count)
    return np.array([_correlations(given.scores[:, picks], given.gold[picks]) for picks in drawn])


def looped_ordering(given: Predictions, count: int) -> FloatArray:
    """DeltaAvg of every system by the weights of places, then ρ."""
    orders = np.argsort(given.scores, axis=1, kind="stable")
    places = np.argsort(orders, axis=1)
    weights = np.diff(place_weights(len(given.gold)))
    values = []
    for picks in samples(len(given.gold), count):
        first = np.take_along_axis(orders, np.sort(places[:, picks], axis=1), axis=1)
        values.append([*-(given.gold[first] * weights).sum(axis=1), *_spearman(given, picks)])
    return np.array(values)


def looped_by_definition(given: Predictions, count: int) -> FloatArray:
    """The same with DeltaAvg as it is defined, quantiles after quantiles."""
    values = []
    for picks in samples(len(given.gold), count):
        picks = np.sort(picks)  # equal predictions as the file has them
        deltas = []
        for scores in given.scores:
            gold = given.gold[picks[np.argsort(scores[picks], kind="stable")]]
            deltas.append(_delta_avg(-gold))
        values.append([*deltas, *_spearman(given, picks)])
    return np.array(values)


def _delta_avg(gold: FloatArray) -> float:
    """``gold`` from the best predicted on; higher is better."""
    items, before = len(gold), np.cumsum(gold)
    deltas = []
    for n in range(2, items // 2 + 1):
        ends = items // n * np.arange(1, n)
        deltas.append((before[ends - 1] / ends).mean() - before[-1] / items)
    return float(np.mean(deltas))


def _spearman(given: Predictions, picks: IntArray) -> FloatArray:
    return _correlations(rankdata(given.scores[:, picks], axis=1), rankdata(given.gold[picks]))


def _correlations(x: FloatArray, y: FloatArray) -> FloatArray:
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean()
    return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum()))


# -- the tables --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contest:
    """A statistic of the package beside loops, by name; ``whole`` is how many samples two cores are given."""

    measures: str
    statistic: Statistic
    loops: Mapping[str, tuple[Callable[[Predictions, int], FloatArray], int]]
    whole: int


def contests(given: Predictions) -> list[Contest]:
    sizes = automatic_resamples(*given.scores.shape)
    errors, pearson = (of(given.scores, given.gold, given.units) for of in (errors_of, pearson_of))
    orders = {
        "weights of places": (looped_ordering, _LOOP),
        "DeltaAvg by definition": (looped_by_definition, _LOOP_BY_DEFINITION),
    }
    return [
        Contest("MAE and RMSE", errors, {"numpy": (looped_errors, _LOOP)}, sizes["MAE"]),
        Contest("Pearson's r", pearson, {"numpy": (looped_pearson, _LOOP)}, sizes["Spearman"]),
        Contest("DeltaAvg and Spearman's ρ", given.ordering(), orders, sizes["Spearman"]),
    ]


def main() -> None:
    given = Predictions.drawn()
    rows = [row for contest in contests(given) for row in compared(given, contest)]
    systems = {f"s{i}": scores for i, scores in enumerate(given.scores)}
    whole = in_turns([lambda: score_sentences(given.gold, systems, label="hter", rng=0).to_dict()], repeats=1)[0]
    report(
        "scores-quality",
        f"Bootstrap samples of predictions of quality, {SYSTEMS} systems × {SENTENCES:,} sentences",
        ["measures", "samples", "two cores s", "samples a minute", "one core, s for 100,000", "loop",
         "loop, s for 100,000", "loop / one core", "largest difference"],
        rows,
        [
            "The loop takes one sample after the other with numpy (ranks: scipy), all systems at once. For one core "
            "and loops, seconds are those spent on the core, whatever else ran: the package was given "
            f"{_ONE_CORE:,} samples, a loop {_LOOP:,} (DeltaAvg by definition: {_LOOP_BY_DEFINITION:,}), scaled. Both "
            "draw the same samples; the largest difference is that of any value. In turns, best of 3; two cores by the "
            "clock, best of 3, with other work on the machine. The bar: a million samples of MAE within 10 s on two "
            "cores.",
            "",
            "`score_sentences` whole, once, all of these with their default numbers of samples, intervals and tests of "
            f"all pairs: {whole.wall:.1f} s by the clock, {whole.cpu:.1f} s on the cores.",
        ],
    )  # fmt: skip


def compared(given: Predictions, contest: Contest) -> list[list[object]]:
    """A row for every loop; the package is timed once."""
    ours = partial(drawn, given, contest.statistic)
    ours(BLOCK, Execution("serial", seed=0))  # compiled
    works = [partial(loop, given, count) for loop, count in contest.loops.values()]
    one, *loops = in_turns([partial(ours, _ONE_CORE, Execution("serial", seed=0)), *works])
    both = in_turns([partial(ours, contest.whole, Execution(seed=0))], repeats=3)[0].wall
    per_core = one.cpu * 100_000 / _ONE_CORE
    minute = float(f"{contest.whole * 60 / both:.2g}")
    own = [contest.measures, f"{contest.whole:,}", both, f"{minute:,.0f}", per_core]
    rows = []
    for (name, (_, count)), loop in zip(contest.loops.items(), loops, strict=True):
        seconds = loop.cpu * 100_000 / count
        apart = float(np.abs(one.result[:count] - loop.result).max())
        rows.append([*own, name, seconds, f"{seconds / per_core:,.0f}", f"{apart:.0e}"])
    return rows


def drawn(given: Predictions, statistic: Statistic, count: int, execution: Execution) -> FloatArray:
    return resampled({"": statistic}, given.units, resamples=count, execution=execution)[""]


if __name__ == "__main__":
    main()
