"""Models fitted to all judgments, and how far their scores agree with gold scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ... import compute
from ...compute import RngLike, generator, seed_of
from ...errors import PalmaresError
from ...judgments import Judgments
from ...models.base import Model, check_one_lang_pair
from ...ranking.record import signature
from .contenders import RUNS, contenders, names_text
from .folds import FITS
from .gold import Gold, GoldAgreement, agreement


@dataclass(frozen=True)
class GoldLine:
    """One model; without scores, or where it refused, there is no agreement."""

    model: str
    agreement: GoldAgreement | None
    refused: str | None = None


@dataclass(frozen=True)
class GoldComparison:
    """Models by Pearson's r with the gold scores, best first."""

    lines: tuple[GoldLine, ...]
    gold: str
    lang_pair: str | None
    signature: str
    facts: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {"gold": self.gold, "signature": self.signature, "models": [asdict(line) for line in self.lines]}


def against_gold(
    judgments: Judgments,
    gold: Gold,
    *,
    models: Sequence[str | Model] | None = None,
    runs: int = RUNS,
    rng: RngLike = None,
    executor: compute.ExecutorLike = None,
    workers: int | None = None,
    progress: compute.Progress | None = None,
) -> GoldComparison:
    """Fit every model to all judgments and compare its scores with gold scores.

    See `palmares.analysis.compare.run.compare` for the arguments.
    """
    check_one_lang_pair(judgments)
    gold.aligned(judgments.systems)  # refuse before any work is done
    chosen, seed = contenders(models, runs=runs), seed_of(rng)
    tasks = [(name,) for name in chosen]
    where: dict[str, Any] = {"executor": executor, "workers": workers, "progress": progress}
    lines = compute.run(_line, tasks, shared=(chosen, judgments, gold, seed), **where)
    facts = {"models": names_text(models, chosen), "gold": gold.label, "runs": runs, "seed": seed,
             "judgments": len(judgments), "data": judgments.hash}  # fmt: skip
    pair = judgments.lang_pairs[0] if judgments.lang_pairs else None
    return GoldComparison(tuple(sorted(lines, key=_place)), gold.source, pair, signature(facts), facts)


def _line(models: Mapping[str, Model], judgments: Judgments, gold: Gold, seed: int, name: str) -> GoldLine:
    try:
        fit = models[name].fit(judgments, rng=generator(seed, FITS))
    except PalmaresError as error:
        return GoldLine(name, None, str(error))
    if fit.scores is None:
        return GoldLine(name, None)
    return GoldLine(name, agreement(gold.aligned(fit.systems), fit.scores))


def _place(line: GoldLine) -> tuple[bool, float, str]:
    found = line.agreement
    return (found is None, -(found.pearson or 0.0) if found else 0.0, line.model)
