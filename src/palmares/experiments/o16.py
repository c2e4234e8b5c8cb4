"""Otani et al. 2016: scores against gold by size and baseline (Figures 3–4), with noisy judges (Table 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..analysis.compare.curves import with_noise
from ..analysis.compare.gold import agreement, bootstrap_gold
from ..compute import ExperimentStream, generator
from ..errors import InputError
from ..judgments import FloatArray, Judgments
from ..models.base import Model
from ..models.graded_response import GradedResponse
from ..models.hopkins_may import HopkinsMay
from ..models.ratios import ExpectedWins
from ..models.two_stage import TwoStage
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import WMT13, Pool, wmt13_pool
from .predictions import drawn
from .published import load
from .s14_selection import by_difference, choose

MEASURES = ("correlation", "nDCG")
#: Models that are compared with every system as the baseline, and those that read random pairs of any systems.
AGAINST = ("GRM", "TSt")
_PAIRS: Mapping[str, Model] = {"HM": HopkinsMay(), "EW": ExpectedWins()}
_TRIES = 50


@dataclass(frozen=True)
class Source:
    """All judgments, and the gold score of every system."""

    judgments: Judgments = field(repr=False)
    gold: FloatArray = field(repr=False)

    @classmethod
    def of(cls, context: Context, pool: Pool, resamples: int) -> Source:
        gold = bootstrap_gold(pool.train, resamples=resamples, execution=context.execution)
        return cls(pool.train, gold.aligned(pool.train.systems))

    def measured(self, scores: FloatArray) -> tuple[float, float]:
        """Correlation and nDCG with the gold scores; 0 where all scores are equal."""
        found = agreement(self.gold, scores)
        return found.pearson or 0.0, found.ndcg or 0.0


def against(judgments: Judgments, baseline: int, size: int, rng: np.random.Generator) -> Judgments:
    """``size`` comparisons with a baseline, from random rankings that it is in (§6.1), of all other systems."""
    a, b = judgments.codes("system_a"), judgments.codes("system_b")
    rows = np.flatnonzero((a == baseline) | (b == baseline))
    ranking = judgments.group_codes("ranking")[rows]
    for _ in range(_TRIES):
        place = rng.permutation(int(ranking.max()) + 1)[ranking]
        part = judgments.take(rows[np.argsort(place, kind="stable")[:size]])
        met = np.unique([part.codes("system_a"), part.codes("system_b")])
        if len(met) == len(judgments.systems):
            return part
    raise InputError(f"{size} comparisons with {judgments.systems[baseline]} do not reach all other systems; use more")


def scored_against(source: Source, baseline: int, part: Judgments, models: tuple[str, ...]) -> FloatArray:
    """Correlation and nDCG of models of comparisons with a baseline: an array (models, 2)."""
    name = source.judgments.systems[baseline]
    kinds: dict[str, Model] = {"GRM": GradedResponse(baseline=name), "TSt": TwoStage(baseline=name)}
    fits = [kinds[model].fit(part) for model in models]
    assert all(fit.systems == source.judgments.systems for fit in fits)
    return np.array([source.measured(fit.scores) for fit in fits if fit.scores is not None])


def scored_pairs(source: Source, judgments: Judgments, size: int, key: tuple[int, ...]) -> FloatArray:
    """Of Hopkins & May's model and expected wins on random comparisons of any two systems: an array (models, 2)."""
    part = drawn(judgments, size, generator(*key))
    fits = [model.fit(part, rng=generator(*key, ExperimentStream.SCORING_FITS)) for model in _PAIRS.values()]
    return np.array([source.measured(fit.scores) for fit in fits if fit.scores is not None])


# -- Figures 3 and 4 -----------------------------------------------------------------------------------


def _baselines(
    context: Context, *, sizes: tuple[int, ...], trials: int, baselines: int, gold: int, rankings: int
) -> Findings:
    pool = wmt13_pool(context, rankings)
    source = Source.of(context, pool, gold)
    interim = _interim(pool.train)
    codes = _spread(interim, baselines)
    tasks = [(size, trial) for size in sizes for trial in range(trials)]
    parts = context.run(_sized, tasks, source, tuple(codes), context.seed)
    shape = (len(sizes), trials)
    by_baseline = np.stack([part[0] for part in parts]).reshape(*shape, len(codes), len(AGAINST), 2)
    others = np.stack([part[1] for part in parts]).reshape(*shape, 3, 2)
    names = [pool.train.systems[code] for code in codes]
    standing = interim[codes] - interim.mean()
    rows = [*_figure_3(names, by_baseline, others, sizes), *_figure_4(names, by_baseline, standing)]
    notes = [
        f"on {pool.name} (the paper: WMT13 Spanish–English), {trials} data sets of each size (the paper: 100), "
        f"{len(codes)} baselines, gold by TrueSkill over {gold:,} bootstrap samples; the figures print no numbers.",
        "the baseline's own score is where the model places it; GRM integrates over adaptive nodes. In place of BLEU "
        "and METEOR, which are not at hand, Figure 4 has expected wins of all judgments. n: data sets.",
    ]
    return Findings(rows, _baseline_checks(names, by_baseline, others, standing), notes, {pool.name: pool.train.hash})


def _interim(judgments: Judgments) -> FloatArray:
    return np.asarray(ExpectedWins().score(judgments.counts.batch, [np.random.default_rng(0)])[0])


def _spread(interim: FloatArray, count: int) -> list[int]:
    """Baselines from the weakest to the strongest: all, or so many of them evenly by rank."""
    order = np.argsort(interim, kind="stable")
    return [int(order[place]) for place in np.round(np.linspace(0, len(order) - 1, min(count, len(order)))).astype(int)]


def _sized(source: Source, codes: tuple[int, ...], seed: int, size: int, trial: int) -> tuple[FloatArray, FloatArray]:
    """One data set of every kind: (baselines, models, 2), and (HM, EW and TS, 2)."""
    found = []
    for code in codes:
        rng = generator(seed, ExperimentStream.BASELINE_SETS, size, trial, code)
        found.append(scored_against(source, code, against(source.judgments, code, size, rng), AGAINST))
    key = (seed, ExperimentStream.RANDOM_SETS, size, trial)
    pairs = scored_pairs(source, source.judgments, size, key)
    _, skill = choose(source.judgments.counts, size, by_difference, generator(*key, 1))
    return np.stack(found), np.concatenate([pairs, [source.measured(skill)]])


def _ends(results: FloatArray) -> tuple[int, int]:
    """The baselines of largest and least correlation at the largest size, from (sizes, trials, baselines)."""
    mean = results[-1].mean(axis=0)
    return int(mean.argmax()), int(mean.argmin())


def _figure_3(
    names: list[str], by_baseline: FloatArray, others: FloatArray, sizes: tuple[int, ...]
) -> list[Row]:  # fmt: skip
    curves = {"TS": others[:, :, 2], "HM": others[:, :, 0], "EW": others[:, :, 1]}
    for m, model in enumerate(AGAINST):
        for word, code in zip(("best", "worst"), _ends(by_baseline[:, :, :, m, 0]), strict=True):
            curves[f"{model} ({word}: {names[code]})"] = by_baseline[:, :, code, m]
    return [
        mean_row(label, None, curve[s, :, k], group=f"Figure 3, {measure}", at=f"{size:,}")
        for k, measure in enumerate(MEASURES)
        for label, curve in curves.items()
        for s, size in enumerate(sizes)
    ]


def _figure_4(names: list[str], by_baseline: FloatArray, standing: FloatArray) -> list[Row]:
    mean = by_baseline[-1, :, :, 0].mean(axis=0)
    trials, group = by_baseline.shape[1], "Figure 4, GRM at the largest size by baseline"
    rows = []
    for code, name in enumerate(names):
        rows.append(Row(name, None, float(standing[code]), n=trials, group=group, at="expected wins less the mean"))
        rows += [
            Row(name, None, float(mean[code, k] - mean[:, k].max()), n=trials, group=group, at=f"{measure} less best")
            for k, measure in enumerate(MEASURES)
        ]
    return rows


def _baseline_checks(
    names: list[str], by_baseline: FloatArray, others: FloatArray, standing: FloatArray
) -> list[Check]:  # fmt: skip
    mean, last = by_baseline[-1].mean(axis=0), others[-1].mean(axis=0)
    ends = {model: _ends(by_baseline[:, :, :, m, 0]) for m, model in enumerate(AGAINST)}
    (best, worst), (best_tst, worst_tst) = ends["GRM"], ends["TSt"]
    behind, far = mean[best, 0] - mean[best_tst, 1], np.abs(standing)
    link = float(np.corrcoef(np.argsort(np.argsort(far)), np.argsort(np.argsort(mean[:, 0, 0])))[0, 1])
    weakest = int(standing.argmin())
    return [
        Check("TrueSkill has the highest correlation and nDCG at the largest size",
              bool((last[2] >= np.maximum(last[:2].max(axis=0), mean.max(axis=(0, 1)))).all()),
              f"TS {_pair(last[2])}, HM {_pair(last[0])}, EW {_pair(last[1])}, GRM {_pair(mean[best, 0])}, "
              f"TSt {_pair(mean[best_tst, 1])}"),
        Check("GRM with its best baseline is almost as good as TrueSkill (within .02 in both)",
              bool((np.abs(mean[best, 0] - last[2]) < 0.02).all()),
              f"{names[best]}: {_pair(mean[best, 0])}, TS {_pair(last[2])}"),
        Check("TSt with its best baseline is accurate in correlation (within .02 of GRM), but not in nDCG",
              bool(behind[0] < 0.02 < behind[1]),
              f"TSt {_pair(mean[best_tst, 1])}, GRM {_pair(mean[best, 0])}"),
        Check("with its worst baseline GRM is behind HM in correlation",
              bool(mean[worst, 0, 0] < last[0, 0]), f"{names[worst]}: {_pair(mean[worst, 0])}, HM {_pair(last[0])}"),
        Check("with its worst baseline GRM is above TSt with its worst in nDCG",
              bool(mean[worst, 0, 1] > mean[worst_tst, 1, 1]),
              f"GRM {_pair(mean[worst, 0])}, TSt {_pair(mean[worst_tst, 1])}"),
        Check("the weakest system is the worst baseline", worst == weakest,
              f"worst {names[worst]}, weakest {names[weakest]} ({_pair(mean[weakest, 0])})"),
        Check("baselines near the mean are better: the rank correlation of the distance from it with r is below −.5",
              link < -0.5, f"{link:.2f} over {len(names)} baselines; best {names[best]} at {standing[best]:+.3f}"),
    ]  # fmt: skip


def _pair(values: FloatArray) -> str:
    return f"{values[0]:.3f} / {values[1]:.3f}"


BASELINES = Experiment(
    "o16-baselines",
    "correlation and nDCG with gold scores against comparisons, by model and baseline",
    "Otani et al. 2016, Figures 3 and 4",
    _baselines,
    settings={
        "sizes": (800, 1600, 3200, 6400), "trials": 8, "baselines": 13, "gold": 1000, "rankings": 9996,
    },
    quick={"sizes": (200, 400), "trials": 2, "baselines": 3, "gold": 20, "rankings": 600},
    files=WMT13,
)  # fmt: skip


# -- Table 1 -------------------------------------------------------------------------------------------


def _noise(
    context: Context,
    *,
    shares: tuple[float, ...],
    sizes: tuple[int, ...],
    trials: int,
    baselines: int,
    gold: int,
    rankings: int,
) -> Findings:
    pool = wmt13_pool(context, rankings)
    source = Source.of(context, pool, gold)
    codes = _spread(_interim(pool.train), baselines)
    tasks = [(share, size, trial) for share in shares for size in sizes for trial in range(trials)]
    parts = context.run(_noisy, tasks, source, tuple(codes), context.seed)
    # By share and data set: GRM over baselines, HM, EW.
    results = np.stack(parts).reshape(len(shares), len(sizes) * trials, 3, 2)
    notes = [
        f"on {pool.name} (the paper: WMT13 Spanish–English), {trials} data sets of each of the sizes "
        f"{', '.join(f'{size:,}' for size in sizes)} (the paper: 100) and {len(codes)} baselines; the judges who "
        "answer at random are the same for all models. GRM: mean over baselines and data sets; HM and EW: difference "
        "from it.",
        "minus signs of Table 1 are lost in the text at hand and restored: it prints + where a model is ahead. "
        "n: data sets; ±: standard error over them.",
    ]
    data = {pool.name: pool.train.hash}
    return Findings(_table_1(results, shares), _noise_checks(results, shares), notes, data)


def _noisy(source: Source, codes: tuple[int, ...], seed: int, share: float, size: int, trial: int) -> FloatArray:
    """GRM (mean over baselines), HM and EW, where a share of the judges answers at random: an array (3, 2)."""
    judgments = source.judgments
    # The same judges and answers at every size; more of them, the larger the share.
    rng = generator(seed, ExperimentStream.NOISY_JUDGES, trial)
    noisy = with_noise(judgments, share, rng, np.arange(len(judgments))) if share else judgments
    found = []
    for code in codes:
        part = against(noisy, code, size, generator(seed, ExperimentStream.BASELINE_SETS, size, trial, code))
        found.append(scored_against(source, code, part, ("GRM",))[0])
    pairs = scored_pairs(source, noisy, size, (seed, ExperimentStream.RANDOM_SETS, size, trial))
    return np.concatenate([[np.mean(found, axis=0)], pairs])


def _table_1(results: FloatArray, shares: tuple[float, ...]) -> list[Row]:
    published = load("o16")["table_1"]
    rows = []
    for k, measure in enumerate(MEASURES):
        for m, model in enumerate(("GRM", "HM", "EW")):
            for s, share in enumerate(shares):
                values = results[s, :, m, k] - (results[s, :, 0, k] if m else 0.0)
                printed = dict(zip(published["noise"], published[measure][model], strict=True))
                label = model if not m else f"{model} less GRM"
                rows.append(
                    mean_row(label, printed.get(round(100 * share)), values, group=measure, at=f"{100 * share:.0f} %")
                )
    return rows


def _noise_checks(results: FloatArray, shares: tuple[float, ...]) -> list[Check]:
    checks = []
    worst = f"{100 * shares[-1]:.0f} %"
    for k, measure in enumerate(MEASURES):
        lost = results[0, :, :, k] - results[-1, :, :, k]
        mean, count = lost.mean(axis=0), len(lost)
        for m, model in ((1, "HM"), (2, "EW")):
            more = lost[:, m] - lost[:, 0]
            error = float(more.std(ddof=1) / np.sqrt(count)) if count > 1 else float("inf")
            checks.append(
                Check(f"{measure}: {worst} noisy judges cost GRM less than {model}", bool(more.mean() > 0),
                      f"GRM −{mean[0]:.3f}, {model} −{mean[m]:.3f}; {more.mean():+.3f} ± {error:.3f} more")
            )  # fmt: skip
        ahead = results[:, :, :, k].mean(axis=1)
        checks.append(
            Check(f"{measure}: with {worst} noisy judges GRM is ahead of HM and EW", bool(ahead[-1].argmax() == 0),
                  f"GRM {ahead[-1, 0]:.3f}, HM {ahead[-1, 1]:.3f}, EW {ahead[-1, 2]:.3f}")
        )  # fmt: skip
    return checks


NOISE = Experiment(
    "o16-noise",
    "correlation and nDCG with gold scores where judges answer at random",
    "Otani et al. 2016, Table 1",
    _noise,
    settings={
        "shares": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), "sizes": (800, 1600, 3200, 6400), "trials": 4, "baselines": 13,
        "gold": 1000, "rankings": 9996,
    },
    quick={"shares": (0.0, 0.5), "sizes": (400,), "trials": 2, "baselines": 3, "gold": 20, "rankings": 600},
    files=WMT13,
)  # fmt: skip
