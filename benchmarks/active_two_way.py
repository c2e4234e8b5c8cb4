"""The package's covariance by judges and segments at once, of a log of screens."""

from __future__ import annotations

import numpy as np
import polars as pl

from palmares.judgments import Judgments, sitting_kinds, unit_kinds
from palmares.models.bradley_terry import BradleyTerry
from palmares.ranking.two_way import combined, jackknife

from .active_world import Collected, Floats


def judgments_of(data: Collected) -> Judgments:
    """The package's table of what was collected."""
    shown, ranks = data.log()
    first, second = np.triu_indices(data.size, 1)
    repeat, n = len(first), data.world.systems
    a, b = shown[:, first].ravel(), shown[:, second].ravel()
    outcome = np.sign(ranks[:, second] - ranks[:, first]).ravel()
    screens = np.arange(data.screens)
    ids = {"judge": data.judge[: data.screens], "segment": data.segment[: data.screens], "ranking": screens}
    names = {"system": pl.Series([f"s{i:02d}" for i in range(n)])}
    columns = {
        "system_a": np.where(a < b, a, b).astype(np.int32),
        "system_b": np.where(a < b, b, a).astype(np.int32),
        "outcome": np.where(a < b, outcome, -outcome).astype(np.int8),
    }
    for kind, codes in ids.items():
        known, code = np.unique(codes, return_inverse=True)
        names[kind] = pl.Series([f"{kind[0]}{i:06d}" for i in known])
        columns[kind] = np.repeat(code, repeat).astype(np.int32)
    return Judgments.from_codes(pl.DataFrame(columns), names)


def two_way(data: Collected, p: float = 0.05) -> tuple[Floats, Floats, float]:
    """Scores, their covariance and its degrees of freedom, as ``palmares rank`` has them."""
    judgments, model = judgments_of(data), BradleyTerry()
    fit = model.fit(judgments)
    counts = judgments.counts
    groups = {unit: jackknife(model, counts, unit_kinds(judgments, unit)) for unit in ("segment", "judge")}
    errors = model.independent_errors(counts, fit)
    found = combined(
        jackknife(model, counts, sitting_kinds(judgments)), groups, floor=None if errors is None else errors**2, p=p
    )
    assert fit.scores is not None
    return fit.scores, found.covariance, found.df
