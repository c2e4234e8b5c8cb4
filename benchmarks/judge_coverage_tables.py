"""Tables of the coverage study of judges who differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmares.judgments import FloatArray

from .common import report
from .judge_coverage import KINDS, Cell
from .judge_plots import IMAGES, widths

#: Rank ranges and intervals promise to miss at most so many.
_PROMISE = 0.05
_BOOTSTRAPS = 400


@dataclass(frozen=True)
class Crowds:
    """What one model said of the crowds of one or several cells; the first axis is always the crowd."""

    #: (crowds, 4, systems): truth on the model's scale, score, and the ends of its interval.
    scores: FloatArray
    misses: FloatArray
    sizes: FloatArray
    plain: Mapping[str, FloatArray]

    @classmethod
    def of(cls, lines: Sequence[Mapping[str, Any]]) -> Crowds:
        scores = np.array([line["scores"] for line in lines])
        truth, found = scores[:, 0], scores[:, 1]
        scale = float((truth * found).sum() / (truth**2).sum())
        scores[:, 1:] /= scale
        names = ("rank_misses", "range_size", "joint_boundary_wrong", "joint_clusters")
        plain = {name: np.array([line[name] for line in lines]) for name in names}
        levels = (np.array([line[name] for line in lines]) for name in ("level_misses", "level_sizes"))
        return cls(scores, *levels, {**plain, "scale": np.full(len(lines), scale)})

    @classmethod
    def together(cls, parts: Sequence[Crowds]) -> Crowds:
        """Of several cells, each on its own scale."""
        plain = {name: np.concatenate([part.plain[name] for part in parts]) for name in parts[0].plain}
        scores, misses, sizes = (np.concatenate([getattr(p, n) for p in parts]) for n in ("scores", "misses", "sizes"))
        return cls(scores, misses, sizes, plain)

    @property
    def missed(self) -> FloatArray:
        """The share of scores outside their interval, by crowd."""
        truth, _, low, high = np.moveaxis(self.scores, 1, 0)
        return np.asarray(((truth < low) | (truth > high)).mean(axis=1))

    def size_at_promise(self, chosen: Any = slice(None)) -> float:
        """The mean size of rank ranges at the level at which they miss 5 %."""
        misses, sizes = self.misses[chosen].mean(axis=0), self.sizes[chosen].mean(axis=0)
        return float(np.interp(_PROMISE, misses, sizes))

    def width_at_promise(self, chosen: Any = slice(None)) -> float:
        """The mean half width of intervals, all stretched by the factor at which they miss 5 % of the scores."""
        truth, found, low, high = np.moveaxis(self.scores[chosen], 1, 0)
        half = (high - low) / 2
        return float(np.quantile(np.abs(found - truth) / half, 1 - _PROMISE) * half.mean())


def write(lines: Mapping[Cell, Sequence[Mapping[str, Any]]], models: Sequence[str], crowds: int, *, keep: bool) -> None:
    """One table by number of judges and share at random, over the kinds in which judges differ; one of all cells."""
    found = {
        cell: {
            model: Crowds.of([line for line in kept if line["model"] == model and line["crowd"] < crowds])
            for model in models
        }
        for cell, kept in lines.items()
        if {line["model"] for line in kept} >= set(models)
    }
    notes = _notes(found)
    rows = []
    for key in dict.fromkeys(_shape(cell) for cell in found):
        parts = [of for cell, of in found.items() if _shape(cell) == key and cell.kind in _POOLED]
        if parts:
            rows.append([*key, *_row({m: Crowds.together([part[m] for part in parts]) for m in models})])
    head = ["outputs", "judges", "at random", *_head(models)]
    title = "Judges who differ: coverage, over " + "; ".join(KINDS[kind] for kind in _POOLED)
    report("judge-coverage", title, head, rows, notes, keep=keep)
    every: list[list[object]] = [[KINDS[cell.kind], *_shape(cell), *_row(of)] for cell, of in found.items()]
    report(
        "judge-coverage-cells", "Judges who differ: coverage, every cell", ["crowds", *head], every, notes, keep=keep
    )
    _equals(found, models, keep)
    if keep:
        from palmares import plots

        plots.save(picture(found), IMAGES / "judge-ranges.svg")


def picture(found: Mapping[Cell, Mapping[str, Crowds]]) -> Any:
    """How many ranks a range has, by model, over the pooled kinds."""
    sizes: dict[tuple[int, int], dict[str, list[tuple[str, float, float]]]] = {}
    for key in dict.fromkeys(_shape(cell) for cell in found if cell.kind in _POOLED):
        parts = [of for cell, of in found.items() if _shape(cell) == key and cell.kind in _POOLED]
        for model in parts[0]:
            values = np.concatenate([part[model].plain["range_size"] for part in parts])
            lines = sizes.setdefault(key[:2], {}).setdefault(model, [])
            lines.append((key[2], float(values.mean()), _error(values)))
    return widths(sizes)


#: The kinds that the first table takes together.
_POOLED = ("differ", "unequal", "segments")


def _shape(cell: Cell) -> tuple[int, int, str]:
    return cell.world.outputs, cell.world.judges, f"{round(100 * cell.world.careless)} %"


def _head(models: Sequence[str]) -> list[str]:
    names = [f"`{model}`" for model in models]
    each = ["score misses, %", "rank misses, %", "ranks in a range"]
    return [
        *(f"{what}: {name}" for what in each for name in names),
        f"{names[0]} less {names[1]}: ranks in a range",
        "the same where both miss 5 % of ranks",
        "half widths where both miss 5 % of scores: ratio",
    ]


def _row(of: Mapping[str, Crowds]) -> list[object]:
    first, second = list(of.values())[:2]
    narrower = first.plain["range_size"] - second.plain["range_size"]
    return [
        *(_percent(crowds.missed) for crowds in of.values()),
        *(_percent(crowds.plain["rank_misses"]) for crowds in of.values()),
        *(f"{crowds.plain['range_size'].mean():.2f}" for crowds in of.values()),
        f"{narrower.mean():+.2f} ± {_error(narrower):.2f}",
        _bootstrapped(len(narrower), lambda c: first.size_at_promise(c) - second.size_at_promise(c), "+.2f"),
        _bootstrapped(len(narrower), lambda c: first.width_at_promise(c) / second.width_at_promise(c), ".2f"),
    ]


def _equals(found: Mapping[Cell, Mapping[str, Crowds]], models: Sequence[str], keep: bool) -> None:
    """Pairs of equal systems: boundaries that are not there."""
    rows: list[list[object]] = []
    for cell, of in found.items():
        if cell.kind == "equals":
            wrong = [_counted(of[m].plain["joint_boundary_wrong"]) for m in models]
            rows.append([*_shape(cell), *wrong, *(f"{of[m].plain['joint_clusters'].mean():.2f}" for m in models)])
    names = [f"`{model}`" for model in models]
    head = ["outputs", "judges", "at random", *(f"wrong: {n}" for n in names), *(f"clusters: {n}" for n in names)]
    note = (
        "Ten systems in five pairs of equals, .4 apart. Wrong: crowds in which a joint boundary parts two equal "
        "systems, or any that are not in this order; at most 5 % are promised. Clusters: by joint boundaries."
    )
    if rows:
        report("judge-coverage-equals", "Judges who differ: boundaries between equals", head, rows, [note], keep=keep)


def _counted(happened: FloatArray) -> str:
    return f"{round(happened.sum())} of {len(happened)}"


def _percent(shares: FloatArray) -> str:
    return f"{100 * shares.mean():.1f} ± {100 * _error(shares):.1f}"


def _error(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _bootstrapped(crowds: int, value: Any, form: str) -> str:
    """A value of crowds, with its standard error over bootstrap samples of them."""
    rng = np.random.default_rng(0)
    samples = [value(rng.integers(0, crowds, crowds)) for _ in range(_BOOTSTRAPS)]
    return f"{value(slice(None)):{form}} ± {np.std(samples):.2f}"


def _notes(found: Mapping[Cell, Mapping[str, Crowds]]) -> list[str]:
    counts = sorted({len(crowds.missed) for of in found.values() for crowds in of.values()})
    number = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    return [
        f"Ten systems, 600 rankings of five outputs or 3000 pairs; {number} crowds a cell, the same for all models; "
        "`two-way`, 95 %. Judges differ with standard deviations .4 (log sensitivity) and .6 (log tie width). Unequal "
        "work: the k-th judge has a share in proportion to 1/k. System × segment: effects of .7 on 300 segments. After "
        "±: standard errors over crowds.",
        "Scores are compared with the truth up to one common scale for each model and cell: judges who answer at "
        "random draw the usual sensitivity, and with it the unit of the scores, away from that of the others.",
    ]
