"""Whether it helps to choose who sees what: ``python -m benchmarks assignment``.

Campaigns whose truth is known, by a generator of its own: judges with unequal sensitivity and tie width, a fifth of
whom answer at random. In every round some judges are there and some screens are open; who gets which is drawn, or
chosen by what the answer is expected to tell (``palmares.design.assignment``). After every 40 judgments the model is
fitted anew. All ways of choosing meet the same systems and judges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from palmares.design.assignment import Assignment, Screen, assign
from palmares.judgments import FloatArray, Judgments
from palmares.models.base import Fit
from palmares.models.by_name import create

from .common import report

_SYSTEMS, _JUDGES, _RANDOM = 10, 40, 0.2
_PRESENT, _OPEN, _REFIT = 10, 20, 40
_MOST, _RUNS, _SEED = 800, 50, 5
#: What drawing has got to after so many judgments is the target.
_AT = 560


@dataclass(frozen=True)
class World:
    """The truth: strengths, and what judges are like; the first fifth answer at random."""

    theta: FloatArray
    sensitivity: FloatArray
    width: FloatArray

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> World:
        sensitivity = np.exp(rng.normal(0, 0.4, _JUDGES))
        return cls(rng.normal(0, 0.7, _SYSTEMS), sensitivity, 0.5 * np.exp(rng.normal(0, 0.6, _JUDGES)))

    def answer(self, judge: int, a: int, b: int, rng: np.random.Generator) -> int:
        if judge < _RANDOM * _JUDGES:
            return int(rng.integers(-1, 2))
        seen = self.sensitivity[judge] * (self.theta[a] - self.theta[b]) + rng.logistic()
        return 0 if abs(seen) <= self.width[judge] else int(np.sign(seen))


Chooser = Callable[[Fit, Sequence[str], Sequence[Screen], np.random.Generator], Sequence[Assignment]]


def _drawn(fit: Fit, judges: Sequence[str], screens: Sequence[Screen], rng: np.random.Generator) -> list[Assignment]:
    return [Assignment(judge, screen, rng.random()) for judge, screen in zip(judges, screens, strict=False)]


def _chosen(judge_weight: float) -> Chooser:
    return lambda fit, judges, screens, rng: assign(fit, judges, screens, judge_weight=judge_weight)


_WAYS: dict[str, Chooser] = {
    "drawn": _drawn,
    "systems alone (0)": _chosen(0.0),
    "both alike (1)": _chosen(1.0),
}


def _campaign(model: str, way: Chooser, asked: int, seed: int) -> list[tuple[float, float]]:
    """1 − the correlation with the truth, and the total posterior variance, after every 40 judgments from 80 on."""
    world, rng = World.drawn(np.random.default_rng([_SEED, seed])), np.random.default_rng([_SEED, seed, 1])
    rows: list[tuple[str, str, int, str]] = []
    curve: list[tuple[float, float]] = []
    fit: Fit | None = None
    while len(rows) < _MOST:
        judges = [f"j{k:02}" for k in rng.permutation(_JUDGES)[:_PRESENT]]
        pairs = [rng.permutation(_SYSTEMS)[:2] for _ in range(_OPEN)]
        screens = [Screen(number, (f"s{a}", f"s{b}")) for number, (a, b) in enumerate(pairs)]
        chosen = (_drawn if fit is None else way)(fit, judges, screens, rng)  # type: ignore[arg-type]
        for choice in sorted(chosen, key=lambda choice: -choice.gain)[:asked]:
            a, b = choice.screen.systems
            rows.append((a, b, world.answer(int(choice.judge[1:]), int(a[1:]), int(b[1:]), rng), choice.judge))
        if len(rows) % _REFIT == 0 and len(rows) >= 2 * _REFIT:
            frame = pl.DataFrame(rows, schema=["system_a", "system_b", "outcome", "judge"], orient="row")
            fit = create(model).fit(Judgments.from_rows(frame))
            apart = 1 - float(np.corrcoef(fit.scores, world.theta)[0, 1])
            curve.append((apart, float(np.trace(fit.covariance))))  # type: ignore[attr-defined]
    return curve


def _needed(curves: FloatArray, level: float) -> float:
    """Judgments after which the mean over campaigns, which falls, is at the level; the most, if never."""
    mean = curves.mean(axis=0)
    first = int(np.argmax(mean <= level)) if (mean <= level).any() else len(mean) - 1
    before = mean[max(first - 1, 0)]
    part = (before - level) / (before - mean[first]) if before > level >= mean[first] else 1.0
    return float(_REFIT * (first + 1 + part))


def _compared(curves: FloatArray, drawn: FloatArray) -> list[object]:
    """Judgments to be where drawing is after ``_AT``, and the ratio, with a 95 % interval over campaigns."""
    at = _AT // _REFIT - 2

    def ratio(chosen: FloatArray, base: FloatArray) -> float:
        return _needed(chosen, float(base.mean(axis=0)[at])) / _AT

    draws = np.random.default_rng(0).integers(0, len(curves), (2000, len(curves)))
    low, high = np.quantile([ratio(curves[draw], drawn[draw]) for draw in draws], [0.025, 0.975])
    found = ratio(curves, drawn)
    return [round(found * _AT), f"{found:.2f} [{low:.2f}, {high:.2f}]"]


def _lines(model: str, asked: int) -> list[list[object]]:
    found = {
        name: np.array([_campaign(model, way, asked, seed) for seed in range(_RUNS)]) for name, way in _WAYS.items()
    }
    who, drawn = "all" if asked == _PRESENT else f"{asked} of {_PRESENT}", found["drawn"]
    return [
        [f"`{model}`", who, name, *_compared(curves[..., 0], drawn[..., 0]), *_compared(curves[..., 1], drawn[..., 1])]
        for name, curves in found.items()
    ]


def main() -> None:
    summary([line for model in ("ordinal", "crowd-bt") for asked in (_PRESENT, 5) for line in _lines(model, asked)])


def summary(rows: list[list[object]]) -> None:
    report(
        "assignment",
        "Who sees what: judgments needed, drawn and chosen",
        ["model", "of the judges who are there, asked", "chosen by (`judge_weight`)",
         "judgments to the correlation", "ratio", "judgments to the variance", "ratio"],
        rows,
        [
            f"{_RUNS} campaigns a line, of the same systems and judges for every way of choosing; {_SYSTEMS} systems, "
            f"{_JUDGES} judges, a fifth of whom answer at random; {_PRESENT} judges are there at a time, {_OPEN} pairs "
            f"are open, a new fit after every {_REFIT} judgments. Judgments until the mean over campaigns is where "
            f"drawing is after {_AT:,} (at most {_MOST:,}): of the correlation of scores with the truth, and of the "
            "total variance that the posterior says is left. Ratios to drawing, with 95 % intervals from resampled "
            "campaigns.",
        ],
    )  # fmt: skip
