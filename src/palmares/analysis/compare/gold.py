"""Scores against gold scores: do they order the systems alike? (Otani et al. 2016, §6.1)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ...compute import Execution, RngLike, Stream, generator
from ...errors import InputError, PalmaresError
from ...judgments import FloatArray, Judgments, linked_unit
from ...models.base import Model, check_one_lang_pair, check_placeable
from ...models.by_name import create
from ...ranking.bootstrap import comparable, resample
from ...ranking.record import Record
from .run import contenders, models_text
from .testing import RUNS


@dataclass(frozen=True)
class Gold:
    """What the scores of systems should have been, and where that comes from."""

    systems: tuple[str, ...]
    scores: FloatArray = field(repr=False)
    source: str
    #: The source in a word, for signatures.
    label: str

    def aligned(self, systems: tuple[str, ...]) -> FloatArray:
        """The scores of these systems, in this order."""
        if missing := [name for name in systems if name not in self.systems]:
            raise InputError(
                f"{self.source} has no score for {', '.join(missing[:5])}{', …' * (len(missing) > 5)}; "
                "give every system that was judged a score, or exclude it (--exclude-system)"
            )
        return self.scores[[self.systems.index(name) for name in systems]]


@dataclass(frozen=True)
class GoldAgreement:
    """How far scores agree with gold scores; a correlation is None where either side is constant."""

    pearson: float | None
    spearman: float | None
    kendall: float | None
    ndcg: float | None


def agreement(gold: FloatArray, scores: FloatArray) -> GoldAgreement:
    """Pearson's r, Spearman's ρ, Kendall's τ-b and nDCG of scores, system by system."""
    from scipy.stats import kendalltau, pearsonr, spearmanr

    gold, scores = comparable(gold), comparable(scores)
    if len(gold) < 2:
        raise InputError(f"got {len(gold)} system(s); a correlation needs at least two")
    if np.ptp(gold) == 0 or np.ptp(scores) == 0:
        return GoldAgreement(None, None, None, ndcg(gold, scores))
    pearson, spearman, kendall = (float(f(gold, scores).statistic) for f in (pearsonr, spearmanr, kendalltau))
    return GoldAgreement(pearson, spearman, kendall, ndcg(gold, scores))


def ndcg(gold: FloatArray, scores: FloatArray) -> float | None:
    """Σ gain / log2(rank + 1) in the order of ``scores``, divided by what it is in the order of ``gold``.

    The gain of a system is its gold score − the least; there is no cut-off. Systems with equal scores share the mean
    discount of the ranks that they take. None where all gold scores are equal.
    """
    gain = gold - gold.min()
    best = float(gain @ _discounts(gold))
    return None if best == 0 else float(gain @ _discounts(scores)) / best


def bootstrap_gold(
    judgments: Judgments,
    *,
    resamples: int = 1000,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Gold:
    """The mean TrueSkill score over bootstrap samples of all judgments, each replayed once."""
    execution = Execution.prepared(execution, rng)
    model = create("trueskill")
    check_placeable(judgments.counts, linked_by=model.linked_by)
    unit = linked_unit(judgments)
    samples = resample(model.single_run(), judgments, unit=unit, resamples=resamples, execution=execution)
    source = f"the mean TrueSkill score over {resamples} bootstrap samples"
    return Gold(judgments.systems, samples.scores.mean(axis=0), source, f"trueskill-{resamples}")


def read_gold(path: str | Path) -> Gold:
    """Gold scores from a CSV file with the columns ``system`` and ``score``."""
    try:
        frame = pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: cannot be read as a CSV file of gold scores ({error})") from None
    if missing := [name for name in ("system", "score") if name not in frame.columns]:
        raise InputError(f"{path}: no column {missing[0]!r}; gold scores are a CSV file with columns system, score")
    names = frame["system"].fill_null("").str.strip_chars()
    scores = frame["score"].str.strip_chars().cast(pl.Float64, strict=False).fill_nan(None)
    for line, (text, score) in enumerate(zip(frame["score"], scores, strict=True), 2):
        if score is None or not np.isfinite(score):
            raise InputError(f"{path}, line {line}: score is {text!r}; allowed: a number")
    if names.is_duplicated().any():
        raise InputError(f"{path}: system {names.filter(names.is_duplicated())[0]!r} has more than one score")
    return Gold(tuple(names), scores.to_numpy(), str(path), Path(path).name)


def _discounts(scores: FloatArray) -> FloatArray:
    """1 / log2(rank + 1) of every system, rank 1 the best."""
    _, group = np.unique(-comparable(scores), return_inverse=True)
    by_rank = 1 / np.log2(np.arange(2, len(scores) + 2))
    order = np.argsort(group, kind="stable")
    shared = np.bincount(group[order], by_rank) / np.bincount(group)
    return np.asarray(shared[group])


# -- models against gold scores --------------------------------------------------------------------


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
    record: Record = field(repr=False)

    @property
    def signature(self) -> str:
        """How the comparison was made, on one line."""
        return str(self.record)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "gold": self.gold,
            "signature": self.signature,
            "record": self.record.to_dict(),
            "models": [asdict(line) for line in self.lines],
        }


def against_gold(
    judgments: Judgments,
    gold: Gold,
    *,
    models: Sequence[str | Model] | None = None,
    runs: int = RUNS,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> GoldComparison:
    """Fit every model to all judgments and compare its scores with gold scores.

    ``runs`` is how many random runs a model of random runs makes, unless its own settings say. See
    `palmares.analysis.compare.run.compare` for the other arguments.
    """
    check_one_lang_pair(judgments)
    gold.aligned(judgments.systems)  # refuse before any work is done
    chosen, execution = contenders(models, runs=runs), Execution.prepared(execution, rng)
    lines = execution.run(_line, [(name,) for name in chosen], shared=(chosen, judgments, gold, execution.seed))
    facts = {"models": models_text(models, chosen), "gold": gold.label, "runs": runs, "seed": execution.seed,
             "judgments": len(judgments), "data": judgments.hash}  # fmt: skip
    pair = judgments.lang_pairs[0] if judgments.lang_pairs else None
    return GoldComparison(
        tuple(sorted(lines, key=_place)), gold.source, pair, Record.of(facts, origin=judgments.origin)
    )


def _line(models: Mapping[str, Model], judgments: Judgments, gold: Gold, seed: int, name: str) -> GoldLine:
    try:
        fit = models[name].fit(judgments, rng=generator(seed, Stream.FOLD_FITS))
    except PalmaresError as error:
        return GoldLine(name, None, str(error))
    if fit.scores is None:
        return GoldLine(name, None)
    return GoldLine(name, agreement(gold.aligned(fit.systems), fit.scores))


def _place(line: GoldLine) -> tuple[bool, float, str]:
    pearson = line.agreement.pearson if line.agreement else None
    return (line.agreement is None, -(pearson or 0.0), line.model)
