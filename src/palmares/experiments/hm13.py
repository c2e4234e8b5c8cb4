"""Hopkins & May 2013: perplexity against training size, with experts and the crowd (Figures 2–5); abilities (6)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..compute import ExperimentStream, generator
from ..judgments import Judgments
from ..judgments.arrays import FloatArray
from ..judgments.counts import PairCounts
from ..models.base import Model
from ..models.baselines import AdjustedUniform, IndependentPairs, IndependentSystems, Uniform
from ..models.hopkins_may import HopkinsMay
from ..models.irt_categorical import IrtCategorical
from .base import Check, Context, Experiment, Findings, Row, mean_row
from .campaigns import WMT13, track, wmt13_pool
from .predictions import drawn, measured, over
from .published import load

#: The models of the paper by the names it gives them, with its settings.
MODELS: Mapping[str, Model] = {
    "uniform": Uniform(),
    "adjusted uniform": AdjustedUniform(),
    "independent pairs": IndependentPairs(),
    "independent students, asymmetric": IndependentSystems(reconstruction="asymmetric"),
    "independent students, arithmetic": IndependentSystems(reconstruction="arithmetic"),
    "independent students, geometric": IndependentSystems(reconstruction="geometric"),
    "IRT-Gaussian": HopkinsMay(),
    "IRT-Categorical": IrtCategorical(),
}
PAIRS, GEOMETRIC, GAUSSIAN, CATEGORICAL = (
    "independent pairs", "independent students, geometric", "IRT-Gaussian", "IRT-Categorical",
)  # fmt: skip
#: The averaged reconstructions and the two IRT models, which the paper finds alike without references.
ALIKE = ("independent students, arithmetic", GEOMETRIC, GAUSSIAN, CATEGORICAL)


def scarce(judgments: Judgments, least: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The rows to test on (§4): those of segments in at most k judgments, k the smallest that gives ``least`` rows."""
    segment = judgments.codes("segment")
    size = np.bincount(segment)[segment]
    ordered = np.sort(size)
    return np.asarray(size <= ordered[min(least, len(ordered)) - 1])


def perplexities(
    train: Judgments, test: PairCounts, names: tuple[str, ...], sizes: tuple[int, ...], key: tuple[int, ...]
) -> FloatArray:
    """Perplexity of every model at every size, trained on random judgments: an array (models, sizes)."""
    results = np.zeros((len(names), len(sizes)))
    for s, size in enumerate(sizes):
        part = drawn(train, min(size, len(train)), generator(*key, s))
        for m, name in enumerate(names):
            fit = MODELS[name].fit(part, rng=generator(*key, s, m))
            results[m, s] = measured(fit.predict_pairs(), test)[1]
    return results


# -- Figures 2–4 -----------------------------------------------------------------------------------


def _run(
    context: Context, *, tracks: tuple[str, ...], systems: int, sizes: tuple[int, ...], trials: int, rankings: int
) -> Findings:
    pool = wmt13_pool(context, rankings)
    kinds = {"wmt10": (True, "Figure 2"), "wmt11": (True, "Figure 3"), "wmt12": (False, "Figure 4")}
    sets = {
        f"{figure}, like {year.upper()}, {'with' if reference else 'no'} reference": [
            (year, name, reference) for name in tracks
        ]
        for year, (reference, figure) in kinds.items()
    }
    tasks = [(campaign, trial) for group in sets.values() for campaign in group for trial in range(trials)]
    parts = context.run(_track_trial, tasks, systems, sizes, context.seed)
    real = context.run(_pool_trial, [(trial,) for trial in range(trials)], pool.train, sizes, context.seed)
    size = len(tracks) * trials
    results = {group: np.stack(parts[k * size : (k + 1) * size]) for k, group in enumerate(sets)}
    results[pool.name] = np.stack(real)
    rows = [row for group, values in results.items() for row in _rows(group, tuple(MODELS), values, sizes)]
    notes = [
        f"tracks {', '.join(tracks)} simulated with the sizes of Table 3 and {systems} systems, {trials} trials each; "
        "with references, one system far better than all. Columns: training size. The figures print no numbers.",
        "n: tracks × trials; ±: standard error over them. Test: judgments of the segments that have fewest (§4).",
    ]
    return Findings(rows, _checks(results, sizes), notes, {pool.name: pool.train.hash})


def _track_trial(
    systems: int, sizes: tuple[int, ...], seed: int, campaign: tuple[str, str, bool], trial: int
) -> FloatArray:
    year, name, reference = campaign
    tracks = load("hm13")["table_3"]
    train, test = tracks[year][name]
    number = 10 * list(tracks).index(year) + list(tracks[year]).index(name)
    judgments = track(
        train + test, systems=systems, reference=reference, rng=generator(seed, ExperimentStream.TRACK, number, trial)
    )
    mask = scarce(judgments, test)
    kept = judgments.take(np.flatnonzero(~mask))
    return perplexities(
        kept, over(kept, judgments.filter(mask)), tuple(MODELS), sizes, (seed, ExperimentStream.TRACK, number, trial, 1)
    )


def _pool_trial(judgments: Judgments, sizes: tuple[int, ...], seed: int, trial: int) -> FloatArray:
    mask = scarce(judgments, 2000)
    kept = judgments.filter(~mask)
    return perplexities(
        kept, over(kept, judgments.filter(mask)), tuple(MODELS), sizes, (seed, ExperimentStream.POOL_TRIALS, trial)
    )


def _rows(group: str, names: tuple[str, ...], results: FloatArray, sizes: tuple[int, ...]) -> list[Row]:
    return [
        mean_row(name, None, results[:, m, s], group=f"perplexity, {group}", at=f"{size:,}")
        for m, name in enumerate(names)
        for s, size in enumerate(sizes)
    ]


#: For every data set and model, mean perplexities by size.
Curves = Mapping[str, Mapping[str, FloatArray]]


def _checks(results: Mapping[str, FloatArray], sizes: tuple[int, ...]) -> list[Check]:
    curves = {group: dict(zip(MODELS, values.mean(axis=0), strict=True)) for group, values in results.items()}
    known, plain = ([group for group in curves if ("with reference" in group) is wanted] for wanted in (True, False))
    return [
        *[_lowest(group, curves[group]) for group in known],
        _alike(curves, known, plain),
        *_by_size(curves, sizes),
    ]


def _lowest(group: str, curves: Mapping[str, FloatArray]) -> Check:
    last = {name: float(curve[-1]) for name, curve in curves.items()}
    best = min(last, key=lambda name: last[name])
    summary = ", ".join(f"{name} {last[name]:.3f}" for name in (GAUSSIAN, CATEGORICAL, GEOMETRIC, PAIRS))
    return Check(f"{group}: IRT-Gaussian has the lowest perplexity", best == GAUSSIAN, f"{best} has; {summary}")


def _alike(curves: Curves, known: list[str], plain: list[str]) -> Check:
    """The two IRT and the two averaged models: how far apart are they at the largest size?"""
    apart = {group: float(np.ptp([curves[group][name][-1] for name in ALIKE])) for group in (*known, *plain)}
    summary = "; ".join(f"{group} {value:.3f}" for group, value in apart.items())
    return Check(
        "without references IRT and averaged independent students are closer to each other than with",
        max(apart[group] for group in plain) < min(apart[group] for group in known),
        f"largest less smallest: {summary}",
    )  # fmt: skip


def _by_size(curves: Curves, sizes: tuple[int, ...]) -> list[Check]:
    small = [s for s, size in enumerate(sizes) if size <= 800]
    ahead = sum(int((c[GAUSSIAN][small] < c[PAIRS][small]).sum()) for c in curves.values())
    falls = sum(bool(c[GAUSSIAN][-1] < c[GAUSSIAN][0]) for c in curves.values())
    left = {name: max(float(c[name][-2] - c[name][-1]) for c in curves.values()) for name in (GEOMETRIC, GAUSSIAN)}
    summary = ", ".join(f"{name} {value:.3f}" for name, value in left.items())
    cells = len(small) * len(curves)
    return [
        Check("IRT-Gaussian is below independent pairs up to size 800", ahead == cells, f"in {ahead} of {cells} cells"),
        Check("perplexity of IRT-Gaussian falls with size", falls == len(curves), f"in {falls} of {len(curves)} sets"),
        Check("geometric students and IRT-Gaussian are close to convergence at around 1,000 comparisons",
              max(left.values()) < 0.01, f"from {sizes[-2]:,} to {sizes[-1]:,} they fall by at most: {summary}"),
    ]  # fmt: skip


PERPLEXITY = Experiment(
    "hm13-perplexity",
    "perplexity of eight preference models against training size",
    "Hopkins & May 2013, Figures 2–4",
    _run,
    settings={
        "tracks": ("ce", "fe", "ge", "se", "ec", "ef", "eg", "es"), "systems": 12,
        "sizes": (100, 200, 400, 800, 1600, 3200), "trials": 5, "rankings": 9996,
    },
    quick={"tracks": ("es",), "sizes": (100, 400), "trials": 2, "rankings": 400},
    files=WMT13,
)  # fmt: skip


# -- Figure 5 --------------------------------------------------------------------------------------

CROWD_MODELS = (GEOMETRIC, GAUSSIAN, CATEGORICAL)


def _crowd(context: Context, *, sizes: tuple[int, ...], trials: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    experts = pool.experts
    sources = {"experts": experts, "crowd": _among(pool.crowd, experts.systems)}
    test = over(experts, pool.test)
    tasks = [(trial,) for trial in range(trials)]
    results = {
        who: np.stack(context.run(_crowd_trial, tasks, train, test, sizes, (context.seed, k)))
        for k, (who, train) in enumerate(sources.items())
    }
    rows = [row for who, values in results.items() for row in _rows(f"trained on {who}", CROWD_MODELS, values, sizes)]
    summary = " and ".join(f"{len(train):,} by {who}" for who, train in sources.items())
    notes = [
        f"on {pool.name} (the paper: WMT10): {summary} to train on, {test.total:g} expert judgments to test on. "
        "Columns: training size; n: trials; ±: standard error over them.",
    ]
    return Findings(rows, _crowd_checks(results), notes, pool.data)


def _crowd_trial(
    train: Judgments, test: PairCounts, sizes: tuple[int, ...], key: tuple[int, int], trial: int
) -> FloatArray:
    return perplexities(train, test, CROWD_MODELS, sizes, (*key, trial))


def _among(judgments: Judgments, systems: tuple[str, ...]) -> Judgments:
    inside = np.isin(np.array(judgments.systems), systems)
    return judgments.filter(inside[judgments.codes("system_a")] & inside[judgments.codes("system_b")])


def _crowd_checks(results: Mapping[str, FloatArray]) -> list[Check]:
    expert, crowd = (results[who].mean(axis=0)[:, -1] for who in ("experts", "crowd"))
    loss = dict(zip(CROWD_MODELS, (crowd - expert).tolist(), strict=True))
    summary = ", ".join(f"{name} {value:+.3f}" for name, value in loss.items())
    near = float(crowd[1] - expert[0])
    return [
        Check("the crowd costs the geometric model more than IRT-Gaussian", loss[GEOMETRIC] > loss[GAUSSIAN], summary),
        Check("crowd-trained IRT-Gaussian comes close to the expert-trained geometric model", abs(near) < 0.02,
              f"{near:+.3f} at the largest size"),
    ]  # fmt: skip


CROWD = Experiment(
    "hm13-crowd",
    "perplexity of models trained on the crowd or on experts",
    "Hopkins & May 2013, Figure 5",
    _crowd,
    settings={"sizes": (100, 200, 400, 800, 1600, 3200), "trials": 10, "rankings": 9996},
    quick={"sizes": (100, 400), "trials": 2, "rankings": 400},
    files=WMT13,
)


# -- Figure 6 --------------------------------------------------------------------------------------


def _abilities(context: Context, *, size: int, trainings: int, rankings: int) -> Findings:
    pool = wmt13_pool(context, rankings)
    tasks = [(number,) for number in range(trainings)]
    parts = context.run(_training, tasks, pool.train, size, context.seed)
    abilities, preference = (np.stack([part[k] for part in parts]) for k in (0, 1))
    mean, spread = abilities.mean(axis=0), abilities.std(axis=0, ddof=1)
    order = np.argsort(-mean).tolist()
    names = pool.train.systems
    rows = [
        Row(names[i], None, float(mean[i]), float(spread[i]), trainings, group="ability ± standard deviation", digits=2)
        for i in order
    ]
    # One of the preference models, as in the paper: Q(win) − Q(loss), row against column.
    rows += [
        Row(names[i], None, float(preference[0, i, j]) if i != j else None, n=size, digits=2,
            group="preference Q(win) − Q(loss) against the systems in the same order", at=str(column))
        for i in order for column, j in enumerate(order, 1)
    ]  # fmt: skip
    notes = [
        f"on {pool.name} (the paper: WMT11 English–Czech, whose judgments are not available); {trainings} trainings on "
        f"{size:,} random comparisons. n: trainings; of preferences, comparisons of the first training."
    ]
    return Findings(rows, _ability_checks(mean[order], spread[order]), notes, {pool.name: pool.train.hash})


def _training(judgments: Judgments, size: int, seed: int, number: int) -> tuple[FloatArray, FloatArray]:
    """Abilities, and Q(win) − Q(loss) of every pair."""
    part = drawn(judgments, min(size, len(judgments)), generator(seed, ExperimentStream.ABILITY_SETS, number))
    fit = HopkinsMay().fit(part, rng=generator(seed, ExperimentStream.ABILITY_FITS, number))
    assert fit.scores is not None
    return fit.scores, fit.outcomes[..., 0] - fit.outcomes[..., 2]


def _ability_checks(mean: FloatArray, spread: FloatArray) -> list[Check]:
    gaps = -np.diff(mean)
    close = int((gaps < np.maximum(spread[1:], spread[:-1])).sum())
    strata = 1 + int((gaps > spread[1:] + spread[:-1]).sum())
    return [
        Check("some neighbours are so close that their order is arbitrary (less than one sd apart)", close > 0,
              f"{close} of {len(gaps)} neighbouring pairs"),
        Check("a few strata stand apart (four in the paper)", 1 < strata < len(mean),
              f"{strata} strata that are more than the sum of two sd apart"),
    ]  # fmt: skip


ABILITIES = Experiment(
    "hm13-abilities",
    "abilities over five trainings, and a heat map of preferences",
    "Hopkins & May 2013, Figure 6",
    _abilities,
    settings={"size": 1600, "trainings": 5, "rankings": 9996},
    quick={"size": 600, "trainings": 3, "rankings": 400},
    files=WMT13,
)
