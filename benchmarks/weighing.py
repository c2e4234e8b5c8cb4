"""What it is worth to weigh pairs by the size of their ranking: ``python -m benchmarks weighing``.

Campaigns whose truth is known, by a generator of its own: latent qualities, an effect of every output that all judges
see, and noise of the judge who ranks; outputs that differ by little are tied. Bradley–Terry is fitted with and without
weights, and its scores are compared with those of a campaign so large that nothing is left to chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from palmares.judgments import WEIGHINGS, FloatArray, Judgments, Weighing
from palmares.models.by_name import create

from .common import report

_SYSTEMS, _CAMPAIGNS, _SEED = 8, 300, 11
_QUALITIES = np.linspace(-0.6, 0.6, _SYSTEMS)
#: Sizes of rankings; of these every ranking draws one.
_SIZES = {
    "2 to 6": (2, 3, 4, 5, 6),
    "2 or 6": (2, 6),
    "3 to 5": (3, 4, 5),
    "four of five 2, else 6": (2, 2, 2, 2, 6),
    "nine of ten 2, else 8": (2, 2, 2, 2, 2, 2, 2, 2, 2, 8),
    "5": (5,),
}
#: Standard deviations of what an output adds to its system's quality on a segment, and of a judge's noise.
_EFFECTS = {"small": (0.3, 1.0), "middling": (1.0, 0.7), "large": (1.5, 0.3)}
_RANKINGS, _MANY = 150, 60_000


def main() -> None:
    rows = [
        (sizes, effect, *_errors(_SIZES[sizes], *_EFFECTS[effect]))
        for sizes in _SIZES
        for effect in _EFFECTS
    ]  # fmt: skip
    report(
        "weighing",
        "Errors of Bradley–Terry's scores where judgments are weighed by ranking",
        ("outputs of a ranking", "effect of the output", "error, not weighed", "ranking", "van-elteren"),
        rows,
        (
            f"Root mean squared error of the scores over {_CAMPAIGNS} campaigns of {_RANKINGS} rankings of {_SYSTEMS} "
            "systems, against the scores that the same way of fitting has on 60,000 rankings; changes are those of "
            "the error, its own error in brackets. Weights of a pair of m outputs: `ranking` 1/(m − 1), `van-elteren` "
            "3/(m + 1). Effects of the output: how much of what is judged is the "
            "output on this segment (standard deviations .3, 1 and 1.5, beside noise of 1, .7 and .3).",
            "`python -m benchmarks weighing`",
        ),
    )


def _campaign(rankings: int, sizes: Sequence[int], effect: float, noise: float, rng: np.random.Generator) -> Judgments:
    """Rankings of outputs as they are seen: quality of the system, of this output, and the judge's own noise."""
    size = rng.choice(sizes, rankings)
    shown = rng.permuted(np.tile(np.arange(_SYSTEMS), (rankings, 1)), axis=1)
    seen = _QUALITIES[shown] + effect * rng.normal(size=shown.shape) + noise * rng.normal(size=shown.shape)
    parts = []
    for i in range(max(sizes)):
        for j in range(i + 1, max(sizes)):
            there = size > j
            difference = seen[there, i] - seen[there, j]
            outcome = np.where(np.abs(difference) < 0.25, 0, np.sign(difference)).astype(int)
            parts.append((shown[there, i], shown[there, j], outcome, np.flatnonzero(there)))
    a, b, outcome, ranking = (np.concatenate(column) for column in zip(*parts, strict=True))
    columns = {"system_a": a, "system_b": b, "outcome": outcome, "ranking": ranking}
    frame = pl.DataFrame(columns).with_columns(pl.col("system_a", "system_b", "ranking").cast(pl.String))
    return Judgments.from_rows(frame)


#: Ways to weigh; the first is not to.
_WAYS: tuple[Weighing | None, ...] = (None, *WEIGHINGS)


def _scores(judgments: Judgments, way: Weighing | None) -> FloatArray:
    scores = create("bradley-terry").fit(judgments if way is None else judgments.weighed(way)).scores
    assert scores is not None
    return np.asarray(scores - scores.mean())


def _errors(sizes: tuple[int, ...], effect: float, noise: float) -> list[str]:
    """The error without weights, and by how much weights change it."""
    large = _campaign(_MANY, sizes, effect, noise, np.random.default_rng(_SEED))
    limits = [_scores(large, way) for way in _WAYS]
    rng = np.random.default_rng(_SEED + 1)
    squares = np.empty((_CAMPAIGNS, len(_WAYS)))
    for number in range(_CAMPAIGNS):
        campaign = _campaign(_RANKINGS, sizes, effect, noise, rng)
        squares[number] = [((_scores(campaign, w) - limit) ** 2).mean() for w, limit in zip(_WAYS, limits, strict=True)]
    means = squares.mean(axis=0)
    ratio = np.sqrt(means / means[0])
    # The delta method, for the ratio of two roots of means over the same campaigns.
    relative = squares / means
    error = ratio * (relative - relative[:, :1]).std(axis=0) / 2 / np.sqrt(_CAMPAIGNS)
    changes = [f"{100 * (r - 1):+.1f} % ({100 * e:.1f})" for r, e in zip(ratio[1:], error[1:], strict=True)]
    return [f"{np.sqrt(means[0]):.4f}", *changes]


if __name__ == "__main__":
    main()
