"""What judges who answer at random do to each model: ``python -m benchmarks noise --help``.

A study rather than a benchmark, after Table 1 of Otani et al. (2016). From 0 to half of the judges answer uniformly at
random; every model is fitted to what comes of it, and its scores are compared with gold scores by Pearson's r and nDCG.
The gold scores of WMT13 are mean TrueSkill scores over bootstrap samples of the clean judgments; those of simulated
crowds (`judge_world`) are the truth. All models see the same draws, and a larger share keeps the judges of a smaller
one. Results are kept as they come (`judge_store`).
"""

from __future__ import annotations

import argparse
import json
import os
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import palmares as pm
from palmares.analysis.compare.curves import with_noise
from palmares.analysis.compare.gold import agreement, bootstrap_gold
from palmares.errors import PalmaresError
from palmares.judgments import FloatArray, Judgments
from palmares.models.base import Model
from palmares.models.by_name import create

from .judge_store import Store
from .judge_world import CrowdWorld

STORE = Path(__file__).parent.parent / "build" / "noise"
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
MODELS = (
    "expected-wins", "hopkins-may", "bradley-terry", "ordinal", "crowd-bt", "graded-response",
    "graded-response:sensitivity_sd=0.3,difficulty_sd=0.3", "two-stage",
)  # fmt: skip
#: Models that read nothing but comparisons with one system, and are given as many of these as others of all.
AGAINST_BASELINE = ("graded-response", "two-stage")
#: Models without a judge in them, which the others are held against.
PLAIN = ("expected-wins", "hopkins-may")
SAMPLES = 1000


def against_baseline(model: str) -> bool:
    return model.split(":")[0] in AGAINST_BASELINE


@dataclass(frozen=True)
class Condition:
    """Judgments of one kind: a draw of them at every share of noise, with the gold scores of their systems."""

    name: str
    label: str
    trials: int = 40

    def draw(self, share: float, trial: int, model: str) -> tuple[Judgments, dict[str, float]]:
        raise NotImplementedError

    def of(self, model: str) -> Model:
        return create(model)

    def seed(self, trial: int) -> list[int]:
        return [zlib.crc32(self.name.encode()), trial]


@dataclass(frozen=True)
class Simulated(Condition):
    """A crowd whose truth is known."""

    world: CrowdWorld = field(default_factory=CrowdWorld)

    def draw(self, share: float, trial: int, model: str) -> tuple[Judgments, dict[str, float]]:
        crowd = replace(self.world, careless=share).draw(np.random.default_rng(self.seed(trial)))
        return crowd.judgments, dict(zip(crowd.judgments.systems, crowd.theta, strict=True))


@dataclass(frozen=True)
class Sampled(Condition):
    """Comparisons drawn from judgments that were made, some of whose judges answer at random.

    Attributes
    ----------
    size
        How many comparisons are drawn; None: all.
    consistent
        Whether a judge who answers at random ranks the outputs of a screen at random; else, as in the paper, every
        pair is answered by itself.
    baseline, all_against
        The system of models that compare all others with one, and whether all models get these comparisons alone.
    """

    judgments: Judgments = field(kw_only=True, repr=False)
    gold: Mapping[str, float] = field(kw_only=True, repr=False)
    size: int | None = None
    consistent: bool = False
    baseline: str = ""
    all_against: bool = False

    def draw(self, share: float, trial: int, model: str) -> tuple[Judgments, dict[str, float]]:
        whole, rng = self.judgments, np.random.default_rng(self.seed(trial))
        order = rng.permutation(len(whole))
        if self.all_against or against_baseline(model):
            code = whole.systems.index(self.baseline)
            order = order[(whole.codes("system_a") == code)[order] | (whole.codes("system_b") == code)[order]]
        chosen = np.sort(order[: self.size])
        noise = np.random.default_rng([*self.seed(trial), 1])
        if self.consistent:
            noisy = at_random(whole, share, noise)
        else:
            noisy = with_noise(whole, share, noise, np.arange(len(whole)))
        return noisy.take(chosen), dict(self.gold)

    def of(self, model: str) -> Model:
        return create(model, {"baseline": self.baseline} if against_baseline(model) else None)


def at_random(judgments: Judgments, share: float, rng: np.random.Generator) -> Judgments:
    """With the rankings of a share of the judges replaced by random ones: one of five ranks for every output."""
    judges, n = len(judgments.judges), len(judgments.systems)
    noisy = rng.permutation(judges) < round(share * judges)
    ranking, a, b = (judgments.codes(name).astype(np.int64) for name in ("ranking", "system_a", "system_b"))
    ranks = rng.integers(1, 6, (int(ranking.max()) + 1) * n)
    answers = np.sign(ranks[ranking * n + b] - ranks[ranking * n + a])
    outcome = np.where(noisy[judgments.codes("judge")], answers, judgments.codes("outcome"))
    column = pl.Series("outcome", outcome).cast(judgments.frame.schema["outcome"])
    return Judgments(judgments.frame.with_columns(column), judgments.names)


def conditions(data: Path | None) -> list[Condition]:
    """The simulated crowds, and those of a WMT file of rankings if there is one."""
    pairs = CrowdWorld(outputs=2, screens=3000, spread=0.3)
    rankings = CrowdWorld(spread=0.3)
    worlds = {
        "pairs-50": ("pairs, 50 judges of 60", replace(pairs, judges=50)),
        "pairs-200": ("pairs, 200 judges of 15", replace(pairs, judges=200)),
        "rankings-20": ("rankings, 20 judges of 30", replace(rankings, judges=20)),
        "rankings-50": ("rankings, 50 judges of 12", replace(rankings, judges=50)),
        "unequal-50": ("rankings, 50 judges, unequal work", replace(rankings, judges=50, unequal=1.0)),
    }
    against = replace(pairs, judges=50, baseline=True)
    worlds["baseline-50"] = ("pairs, all with one system, 50 judges of 60", against)
    found: list[Condition] = [Simulated(name, label, 60, world) for name, (label, world) in worlds.items()]
    return found + (_wmt(data) if data else [])


def _wmt(data: Path) -> list[Condition]:
    judgments = pm.read(data).without_forced_ties()
    baseline = _middle(judgments)
    given: dict[str, Any] = {"judgments": judgments, "gold": _gold(judgments), "baseline": baseline}
    sampled = [
        Sampled(f"wmt13-{size}", f"WMT13, {size:,} comparisons", size=size, **given) for size in (800, 1600, 6400)
    ]
    return [
        *sampled,
        Sampled("wmt13-against", "WMT13, 6,400 with one system", size=6400, all_against=True, **given),
        Sampled("wmt13-all", f"WMT13, all {len(judgments):,}", 10, **given),
        Sampled("wmt13-rankings", "WMT13, all, random rankings", 10, consistent=True, **given),
    ]


def _middle(judgments: Judgments) -> str:
    """The system whose expected wins are nearest the mean: one that always wins tells little of the others."""
    fit = create("expected-wins").fit(judgments)
    assert fit.scores is not None
    return fit.systems[int(np.abs(fit.scores - fit.scores.mean()).argmin())]


def _gold(judgments: Judgments) -> dict[str, float]:
    """Kept on disk: a thousand TrueSkill runs take minutes."""
    path = STORE / f"gold-{judgments.hash}.json"
    if not path.exists():
        gold = bootstrap_gold(judgments, resamples=SAMPLES, rng=0, execution=pm.Execution("serial", 1))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dict(zip(gold.systems, gold.scores.tolist(), strict=True))), "utf-8")
    return dict(json.loads(path.read_text("utf-8")))


def _run(chosen: Sequence[Condition], models: Sequence[str], trials: int | None, store: Store) -> None:
    start = time.perf_counter()
    for condition in chosen:
        had = {(line["trial"], line["share"], line["model"]) for line in store.lines(condition.name)}
        for trial in range(min(trials or condition.trials, condition.trials)):
            for share in SHARES:
                if missing := [model for model in models if (trial, share, model) not in had]:
                    store.add(condition.name, fitted(condition, share, trial, missing))
        print(f"{condition.name}: {time.perf_counter() - start:.0f} s so far", flush=True)


def fitted(condition: Condition, share: float, trial: int, models: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every model on one draw."""
    for model in models:
        judgments, gold = condition.draw(share, trial, model)
        line: dict[str, Any] = {"trial": trial, "share": share, "model": model}
        try:
            fit = condition.of(model).fit(judgments, rng=np.random.default_rng(condition.seed(trial)))
        except PalmaresError as error:
            yield {**line, "refused": str(error)}
            continue
        assert fit.scores is not None
        found = agreement(_aligned(gold, fit.systems), fit.scores)
        yield {**line, "pearson": found.pearson, "ndcg": found.ndcg}


def _aligned(gold: Mapping[str, float], systems: Sequence[str]) -> FloatArray:
    return np.array([gold[name] for name in systems])


def main(arguments: Sequence[str] = ()) -> None:
    """Fit what is missing, then print the tables."""
    options = _options(arguments)
    everything = conditions(options.data)
    chosen = [c for c in everything if not options.conditions or c.name in options.conditions]
    store = Store(options.store)
    if not options.tables:
        _run(chosen, options.models, options.trials, store)
    from .noise_tables import write

    write({(c.name, c.label): store.lines(c.name) for c in chosen}, options.models, keep=options.keep)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    def listed(text: str) -> list[str]:
        return text.split(",")

    real = os.environ.get("PALMARES_REAL_DATA")
    usual = Path(real) / "wmt13" / "fr-en.train.csv" if real else None
    parser = argparse.ArgumentParser(prog="python -m benchmarks noise", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=usual, help="a WMT file of rankings; simulated crowds alone")
    parser.add_argument("--conditions", type=listed, default=[], help="by name; all")
    parser.add_argument(
        "--models",
        type=lambda text: text.split("+"),
        default=list(MODELS),
        help="joined by +",
    )
    parser.add_argument("--trials", type=int, help="at most so many a condition")
    parser.add_argument("--store", type=Path, default=STORE, help="the folder of results by draw")
    parser.add_argument("--tables", action="store_true", help="fit nothing; tables of what is stored")
    parser.add_argument("--keep", action="store_true", help="write the tables to benchmarks/results")
    return parser.parse_args(arguments)
