"""Predictions of the quality of sentences against gold labels, as in W14 §4: scores by MAE and RMSE, rankings by
DeltaAvg and Spearman's ρ, with paired bootstrap tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from ...compute import Execution
from ...compute.streams import RngLike
from ...errors import InputError
from ...judgments import FloatArray
from ...results import counted
from ..comparison import Against, Comparison, Measure, compared
from ..record import record_of
from ..resampling import Statistic, Units, resampled
from ..result import Scored, notes_of
from .ordering import LEAST_SENTENCES, Ordering, errors_of, in_top, pearson_of
from .scales import Scale, scale_named
from .sentence_data import NumbersLike, SentenceData, read_data
from .units import DocumentsLike, Unit, units_of

#: What is scored, and the measures of each in the order of W14's tables: by the first, then by the second.
VARIANTS = {"scoring": ("MAE", "RMSE", "Pearson"), "ranking": ("DeltaAvg", "Spearman")}
Variant = Literal["both", "scoring", "ranking"]
#: Shares of the sentences that look best, of which is said what they save.
SAVINGS = (0.25, 0.5)

#: Bootstrap samples of MAE and RMSE, as W14 took; and the most of all others.
_MANY, _MOST = 1_000_000, 100_000
#: About how many visits of a sentence by a system fit in a minute on two cores: for sums, and for orders.
_SUMS_A_MINUTE, _ORDERS_A_MINUTE = 4e10, 4e9
_LEAST = 1_000


@dataclass(frozen=True)
class Savings:
    """What is gained by taking the sentences that a system predicts to be best.

    Attributes
    ----------
    share, sentences
        How many are taken.
    best
        What a perfect order would gain.
    gained
        The mean label of all sentences less that of those taken (the other way round for ``quality``), per system.
    """

    share: float
    sentences: int
    best: float
    gained: Comparison = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {"share": self.share, "sentences": self.sentences, "best": self.best, **self.gained.to_dict()}


@dataclass(frozen=True)
class SentenceScores(Scored):
    """Systems that predict the quality of sentences.

    Attributes
    ----------
    scale
        What labels and measures are in.
    sentences, mean
        How many there are, and their mean gold label.
    baseline
        The system that others are compared with.
    savings
        What the best sentences by each system save, if it was asked for.
    """

    shown_by: ClassVar[str] = "score quality-estimation sentences"

    scale: Scale = field(kw_only=True, repr=False)
    sentences: int = field(kw_only=True)
    mean: float = field(kw_only=True)
    baseline: str | None = field(default=None, kw_only=True)
    savings: tuple[Savings, ...] = field(default=(), kw_only=True, repr=False)

    @property
    def variants(self) -> tuple[str, ...]:
        """What was scored."""
        names = {comparison.measure.name for comparison in self.comparisons}
        return tuple(variant for variant, measures in VARIANTS.items() if names & set(measures))

    def against_baseline(self, comparison: Comparison) -> tuple[Against | None, ...]:
        """How the systems of a comparison do against the baseline; None for all if there is none."""
        if self.baseline is None:
            return (None,) * len(comparison.systems)
        return comparison.against(comparison.systems.index(self.baseline))

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        entry = super().to_dict()
        for shape, comparison in zip(entry["measures"], self.comparisons, strict=True):
            for name, word in zip(comparison.systems, self.against_baseline(comparison), strict=True):
                shape["systems"][name]["against_baseline"] = word
        scale = {**asdict(self.scale), "limits": [_or_none(end) for end in self.scale.limits]}
        own = {"label": scale, "sentences": self.sentences, "mean": self.mean, "baseline": self.baseline}
        return {**entry, **own, "savings": [each.to_dict() for each in self.savings]}


def score_sentences(
    gold: NumbersLike,
    systems: Mapping[str, NumbersLike],
    *,
    label: str,
    variant: Variant = "both",
    baseline: str | None = None,
    documents: DocumentsLike | None = None,
    unit: Unit = "auto",
    savings: Sequence[float] = (),
    resamples: int | None = None,
    p: float = 0.05,
    encoding: str = "utf-8",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> SentenceScores:
    """Compare predictions of the quality of sentences with gold labels.

    Parameters
    ----------
    gold
        A file with one label per line, or the labels.
    systems
        Of every system a file (one prediction per line, or a WMT submission), or its predictions.
    label
        One of `SCALES`: what labels are, and which way is better.
    variant
        ``scoring``: MAE, RMSE, Pearson's r; ``ranking``: DeltaAvg, Spearman's ρ; or ``both``.
    baseline
        The system that all others are compared with.
    documents
        The document of every sentence: a file with one name per line, or the names. They are drawn whole then.
    savings
        Shares of sentences, such as `SAVINGS`: what is saved by post-editing so many of them, best predicted first.
    resamples
        Bootstrap samples; 0 for no intervals and tests. None: a million for MAE and RMSE and 100,000 for the others,
        less only where that would take much longer than a minute, by the numbers of systems and sentences alone.
    """
    execution = Execution.prepared(execution, rng)
    data = read_data(gold, systems, documents, scale_named(label), encoding)
    _check_options(data, variant, baseline, savings, resamples)
    measures = _measures(data.scale, _wanted(data, variant))
    saved = _savings_measures(data.scale, savings)
    sizes = _resamples(len(data.systems), len(data.gold), resamples)
    units, notes = units_of(data.documents, unit, len(data.gold))
    parts = _parts(data, [measure.name for measure in measures], savings, units, sizes)
    values = _together(part.values(len(data.systems)) for part in parts)
    samples = _together(part.samples(len(data.systems), execution) for part in parts) if sizes["MAE"] else None
    comparisons = compared(measures, data.names, values, samples, p)
    gained = compared(saved, data.names, values, samples, p)
    best = Ordering.perfect(data.scale.goodness(data.gold), savings) if savings else []
    facts = {
        "label": label, "variant": variant, "sentences": len(data.gold), "systems": len(data.systems),
        "baseline": baseline, "unit": units.word if samples else None,
        **_resample_facts(sizes, comparisons), "p": p, "seed": execution.seed, "data": data.digest,
    }  # fmt: skip
    return SentenceScores(
        data.names,
        comparisons,
        record_of({name: fact for name, fact in facts.items() if fact is not None}, data.sources),
        notes_of([*comparisons, *gained], *data.notes(), *(notes if samples else ())),
        scale=data.scale,
        sentences=len(data.gold),
        mean=float(data.gold.mean()),
        baseline=baseline,
        savings=tuple(
            Savings(share, in_top(len(data.gold), share), most, each)
            for share, most, each in zip(savings, best, gained, strict=True)
        ),
    )


def automatic_resamples(systems: int, sentences: int) -> dict[str, int]:
    """How many bootstrap samples are drawn unless told: of MAE and RMSE, and of the others (``Spearman``).

    As many as fit in about a minute on two cores, in round numbers, and fixed by the sizes so that it is always the
    same.
    """

    def rounded(most: int, budget: float) -> int:
        fits = budget / (systems * sentences)
        digit = 10 ** int(np.floor(np.log10(max(fits, 1))))
        return int(min(most, max(_LEAST, fits // digit * digit)))

    return {"MAE": rounded(_MANY, _SUMS_A_MINUTE), "Spearman": rounded(_MOST, _ORDERS_A_MINUTE)}


# -- options ------------------------------------------------------------------------------


def _check_options(
    data: SentenceData, variant: str, baseline: str | None, savings: Sequence[float], resamples: int | None
) -> None:
    if variant not in (*VARIANTS, "both"):
        raise InputError(f"variant: got {variant!r}; allowed: both, {', '.join(VARIANTS)}")
    if baseline is not None and baseline not in data.names:
        raise InputError(f"baseline: got {baseline!r}; the systems are {', '.join(data.names)}")
    if wrong := [share for share in savings if not 0 < share < 1]:
        raise InputError(f"savings: got {wrong[0]:g}; allowed: shares between 0 and 1, such as 0.25")
    if len(set(savings)) < len(savings):
        raise InputError("savings: got a share twice; give each once")
    if savings and variant == "scoring":
        raise InputError("savings are of the ranking variant; leave out --variant scoring, or the savings")
    if resamples is not None and resamples < 0:
        raise InputError(f"resamples: got {resamples}; allowed: at least 0")
    if variant != "scoring" and len(data.gold) < LEAST_SENTENCES:
        raise InputError(
            f"got {counted(len(data.gold), 'sentence')}; DeltaAvg needs at least {LEAST_SENTENCES}; "
            "--variant scoring does without"
        )
    if variant == "scoring" and all(each.scores is None for each in data.systems):
        raise InputError("no system has scores, only rankings; use --variant ranking")


# -- what is measured --------------------------------------------------------------------------------


def _wanted(data: SentenceData, variant: str) -> list[str]:
    """The measures of what is scored; scores are left out where nobody has any."""
    unscored = all(each.scores is None for each in data.systems)
    kept = [each for each in VARIANTS if variant in (each, "both") and not (each == "scoring" and unscored)]
    return [name for each in kept for name in VARIANTS[each]]


def _measures(scale: Scale, wanted: Sequence[str]) -> list[Measure]:
    alike = "its predictions are all alike, or the labels are"
    measures = (
        Measure("MAE", higher_is_better=False, limits=(0, np.inf), digits=scale.digits, undefined="it has no scores"),
        Measure("RMSE", higher_is_better=False, limits=(0, np.inf), digits=scale.digits, undefined="it has no scores"),
        Measure("Pearson", limits=(-1, 1), digits=3, undefined=f"it has no scores, or {alike}"),
        Measure("DeltaAvg", digits=scale.digits),
        Measure("Spearman", limits=(-1, 1), digits=3, undefined=alike),
    )
    return [measure for measure in measures if measure.name in wanted]


def _savings_measures(scale: Scale, shares: Sequence[float]) -> list[Measure]:
    word = "saved" if scale.lower_is_better else "gained"
    return [Measure(word, f"best {100 * share:g} %", digits=scale.digits) for share in shares]


def _resamples(systems: int, sentences: int, given: int | None) -> dict[str, int]:
    return automatic_resamples(systems, sentences) if given is None else {"MAE": given, "Spearman": given}


def _resample_facts(sizes: Mapping[str, int], comparisons: Sequence[Comparison]) -> dict[str, int]:
    """How many samples were drawn, for the signature; one fact if all measures had as many."""
    drawn = dict.fromkeys(sizes["MAE" if each.measure.name in ("MAE", "RMSE") else "Spearman"] for each in comparisons)
    return dict(zip(("resamples", "other_resamples"), drawn, strict=False))


def _together(parts: Iterable[dict[str, FloatArray]]) -> dict[str, FloatArray]:
    return {label: values for part in parts for label, values in part.items()}


def _parts(
    data: SentenceData, wanted: Sequence[str], tops: Sequence[float], units: Units, sizes: Mapping[str, int]
) -> list[_Part]:
    parts = []
    # Sums are added up by unit once; then every unit is an item, and the same samples are drawn.
    single = Units.single(units.count, units.word)
    scored = [i for i, each in enumerate(data.systems) if each.scores is not None]
    if scored and "MAE" in wanted:
        scores = np.array([data.systems[i].scores for i in scored])
        parts.append(_Part(("MAE", "RMSE"), scored, errors_of(scores, data.gold, units), single, sizes["MAE"]))
        parts.append(_Part(("Pearson",), scored, pearson_of(scores, data.gold, units), single, sizes["Spearman"]))
    if "DeltaAvg" in wanted:
        labels = ("DeltaAvg", "Spearman", *(measure.label for measure in _savings_measures(data.scale, tops)))
        badness = [each.badness(data.scale.lower_is_better) for each in data.systems]
        order = Ordering.of(badness, data.scale.goodness(data.gold), tops)
        parts.append(_Part(labels, list(range(len(data.systems))), order, units, sizes["Spearman"]))
    return parts


@dataclass(frozen=True)
class _Part:
    """Measures that are taken together, of the systems that have them."""

    labels: tuple[str, ...]
    systems: list[int]
    statistic: Statistic
    units: Units
    resamples: int

    def values(self, systems: int) -> dict[str, FloatArray]:
        return {label: each[0] for label, each in self._spread(self.statistic.full()[None], systems).items()}

    def samples(self, systems: int, execution: Execution) -> dict[str, FloatArray]:
        drawn = resampled({"": self.statistic}, self.units, resamples=self.resamples, execution=execution)[""]
        return self._spread(drawn, systems)

    def _spread(self, values: FloatArray, systems: int) -> dict[str, FloatArray]:
        """Columns by measure, NaN for the other systems."""
        spread = {}
        for label, own in zip(self.labels, np.split(values, len(self.labels), axis=1), strict=True):
            spread[label] = np.full((len(values), systems), np.nan)
            spread[label][:, self.systems] = own
        return spread


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
