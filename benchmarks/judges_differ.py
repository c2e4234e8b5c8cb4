"""The judge-aware model: what it costs to fit and to resample, against Bradley–Terry on the same judgments."""

from __future__ import annotations

from .common import measure, report

#: Judges differ in sensitivity and tie width; drawn without the code of the model.
_SETUP = """
import numpy as np, palmares as pm, polars as pl
from palmares.judgments import Judgments
rng = np.random.default_rng(0)
n, systems, judges = {judgments}, {systems}, {judges}
theta = rng.normal(0, .5, systems)
sensitivity, width = np.exp(rng.normal(0, .4, judges)), .5 * np.exp(rng.normal(0, .8, judges))
judge, a = rng.integers(0, judges, n), rng.integers(0, systems, n)
b = (a + rng.integers(1, systems, n)) % systems
seen = sensitivity[judge] * (theta[a] - theta[b]) + rng.logistic(0, 1, n)
outcome = np.where(seen > width[judge], 1, np.where(seen < -width[judge], -1, 0))
name = lambda letter, codes: pl.Series(codes).cast(pl.String).str.pad_start(5, "0").str.replace("^", letter)
judgments = Judgments.from_rows(pl.DataFrame(dict(
    system_a=name("s", a), system_b=name("s", b), outcome=outcome, judge=name("j", judge))))
judgments.counts, judgments.cells
"""
_FITS = (
    ("`ordinal`", "fit = pm.models.Ordinal().fit(judgments); assert fit.convergence.converged"),
    ("`bradley-terry`, Rao–Kupper", "pm.models.BradleyTerry(ties='rao-kupper').fit(judgments)"),
)
_RESAMPLED = "pm.rank(judgments, model={model!r}, resample='judge', resamples=1000, rng=0)"


def main() -> None:
    rows: list[list[object]] = []
    for n, systems, judges, repeats in ((100_000, 15, 200, 3), (2_000_000, 200, 10_000, 1)):
        setup = _SETUP.format(judgments=n, systems=systems, judges=judges)
        size = f"{n:,} judgments, {systems} systems, {judges:,} judges"
        for label, statement in _FITS:
            rows.append([size, f"fit of {label}", *_cells(measure(statement, setup=setup, repeats=repeats))])
    setup = _SETUP.format(judgments=100_000, systems=15, judges=200)
    for model in ("ordinal", "bradley-terry"):
        found = measure(_RESAMPLED.format(model=model), setup=setup, repeats=1)
        rows.append(
            ["100,000 judgments, 15 systems, 200 judges", f"1000 resamples by judge, `{model}`", *_cells(found)]
        )
    report(
        "judges-differ",
        "Judges who differ: fits and resamples",
        ["size", "what", "seconds", "peak MiB"],
        rows,
        [
            "Single comparisons by judges who differ in both. Bradley–Terry reads nothing but pair "
            "counts, which were counted beforehand: it is the floor, not a rival.",
        ],
    )


def _cells(measured: tuple[float, float]) -> list[object]:
    seconds, peak = measured
    return [seconds, round(peak)]
