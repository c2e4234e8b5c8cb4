"""Tables of the noise study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from palmares.judgments import FloatArray

from .common import report
from .judge_plots import IMAGES, noise
from .noise import PLAIN, SHARES

MEASURES = {"pearson": "Pearson's r", "ndcg": "nDCG"}
#: The shares of noise at which losses are compared; None: the mean over all above 0.
_AT = {None: "saves on average", 0.5: "saves at 50 %"}


def write(lines: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], models: Sequence[str], *, keep: bool) -> None:
    """One table a measure: its mean at every share, and how much less a model loses than those without judges."""
    for measure, name in MEASURES.items():
        rows: list[list[object]] = []
        for (_, label), kept in lines.items():
            tables = {model: table_of(kept, model, measure) for model in models}
            for model, table in tables.items():
                if table.size:
                    rows.append([f"{label} ({len(table)} draws)", f"`{model}`", *_means(table), *_saved(tables, model)])
        head = ["judgments", "model", *(f"{share:.0%}" for share in SHARES)]
        head += [f"{words}, of `{plain}`'s loss" for plain in PLAIN for words in _AT.values()]
        report(f"noise-{measure}", f"Judges at random: {name} with the gold", head, rows, _NOTES, keep=keep)
    if keep:
        from palmares import plots

        plots.save(picture(lines, models), IMAGES / "judge-noise.svg")


def picture(lines: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], models: Sequence[str]) -> Any:
    """The correlation that each model loses, with the settings it has by itself."""
    usual = [model for model in models if ":" not in model]
    tables = {
        label: {model: table for model in usual if (table := table_of(kept, model, "pearson")).size}
        for (_, label), kept in lines.items()
    }
    return noise({label: of for label, of in tables.items() if of}, SHARES)


def table_of(lines: Sequence[Mapping[str, Any]], model: str, measure: str) -> FloatArray:
    """(draws, shares), of the draws that the model was fitted to at every share."""
    found = {(line["trial"], line["share"]): line.get(measure) for line in lines if line["model"] == model}
    trials = sorted({trial for trial, _ in found})
    rows = [[found.get((trial, share)) for share in SHARES] for trial in trials]
    # A model may refuse a draw: then it has no row, and the table is as long as that of the others.
    values = [[np.nan if value is None else value for value in row] for row in rows]
    return np.array(values, dtype=np.float64).reshape(-1, len(SHARES))


def saved(table: FloatArray, plain: FloatArray, share: float | None) -> tuple[float, float]:
    """How much less is lost than by another model on the same draws, in thousandths, with its standard error."""
    count = min(len(table), len(plain))
    at = slice(1, None) if share is None else slice(SHARES.index(share), SHARES.index(share) + 1)
    lost, lost_plain = (part[:count, 0] - part[:count, at].mean(axis=1) for part in (table, plain))
    difference = 1000 * (lost_plain - lost)
    difference = difference[~np.isnan(difference)]
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(len(difference)))


def _means(table: FloatArray) -> list[str]:
    return [f"{value:.4f}".lstrip("0") for value in np.nanmean(table, axis=0)]


def _saved(tables: Mapping[str, FloatArray], model: str) -> list[str]:
    cells = []
    for plain in PLAIN:
        for share in _AT:
            if plain not in tables or plain == model or not tables[plain].size:
                cells.append("–")
                continue
            mean, error = saved(tables[model], tables[plain], share)
            cells.append(f"{mean:+.1f} ± {error:.1f}")
    return cells


_NOTES = [
    "Means over draws, the same for all models. *Saves*: how much less the model loses from no noise to this share "
    "(on average: to 10, 20, … 50 %) than the one named, in thousandths, with the standard error of the paired "
    "difference; below 0 it loses more.",
    "Simulated crowds: ten systems; judges differ with standard deviations .4 (log sensitivity) and .6 (log tie "
    "width); 600 rankings of five or 3000 pairs; gold: the true strengths. WMT13: French–English; gold: mean TrueSkill "
    "over 1000 bootstrap samples of the clean judgments; comparisons drawn one by one.",
]
