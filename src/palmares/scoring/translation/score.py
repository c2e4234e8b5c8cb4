"""`score_translations`: systems of a test set by automatic metrics, with intervals and tests of all pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...compute import Execution, RngLike
from ...errors import InputError
from ...judgments import LEAST_UNITS, FloatArray, Judgments
from ...judgments.origin import SourceFile
from ...models import DEFAULT_MODEL
from ...models.base import Model
from ...models.by_name import create
from ...ranking.ranges import least_samples
from ...results import counted
from ...texts import Finding, TestSet
from ..checked import PAIR_CHECKS, AlignedText, pair_notes, refuse_faults
from ..comparison import Comparison, compared
from ..record import digest_of, record_of
from ..resampling import Statistic, Sums, Units, resampled
from ..result import notes_of
from .human import HumanComparison, compared_with, human_side
from .plan import DEFAULT_TEXTS, Plan
from .preparing import Truecasing
from .result import Translations
from .segment_scores import SegmentScores

UNITS = ("auto", "document", "segment")
_HUMAN = "human"


def score_translations(
    texts: TestSet,
    *,
    references: Sequence[Sequence[str]] = (),
    metrics: Sequence[str] | None = None,
    prepare: Sequence[str] = DEFAULT_TEXTS,
    tokenize: str | None = None,
    truecasing: Truecasing | None = None,
    segment_scores: Sequence[SegmentScores] = (),
    contrastive: Collection[str] = (),
    unconstrained: Collection[str] = (),
    human: Judgments | None = None,
    human_model: str | Model = DEFAULT_MODEL,
    unit: str = "auto",
    resamples: int = 1000,
    p: float = 0.05,
    accept: Collection[str] = (),
    sources: Sequence[SourceFile] = (),
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Translations:
    """Score the systems of a test set by automatic metrics.

    Parameters
    ----------
    texts
        References and outputs, from `palmares.texts.read_texts`; sources are not needed.
    references
        More reference translations, each a list with one text per segment.
    metrics
        Ids from `METRICS`. By default all of them, but only BLEU on original texts if there are prepared ones beside.
    prepare
        Which texts are scored, from `TEXTS`.
    tokenize
        How BLEU, PER and CDER split words, from `TOKENIZERS`; sacrebleu's choice for the target language if None.
    truecasing
        What a truecaser learns from; the references if None.
    segment_scores
        Other metrics, computed elsewhere (`read_segment_scores`).
    contrastive, unconstrained
        Systems that are no primary submissions, and systems that used more than the task allowed.
    human, human_model
        Judgments of the same systems, and how to rank them: how far do metrics agree with people?
    unit
        What bootstrap samples are drawn of: ``document``, ``segment``; ``auto`` is documents where they are known and
        there are five.
    resamples, p
        How many bootstrap samples (0 for no intervals and tests), and the level.
    accept
        Checks of texts (`palmares.texts.TEXT_CHECKS`) whose errors are accepted.
    sources
        The files that all this was read from, for the record.
    rng, execution
        A seed, and where to compute.
    """
    execution = Execution.prepared(execution, rng)
    if resamples and resamples < least_samples(p):
        raise InputError(f"resamples: got {resamples}, too few for p = {p}; use 0, or at least {least_samples(p)}")
    plan = Plan.of(texts, references, metrics, prepare, tokenize, truecasing, segment_scores)
    _check_labels(contrastive, unconstrained, texts.systems)
    notes = [*_checked(texts, accept), *_references_checked(plan.references, accept), *plan.notes, *_empty_notes(texts)]
    units, unit_notes = _units(texts, unit)
    if resamples:
        units.check()
    people = None
    if human is not None:
        judgments = _of_pair(human, texts)
        people = human_side(
            judgments, texts.systems, [segment.id for segment in texts.segments],
            model=create(human_model), resamples=resamples, p=p, execution=execution,
        )  # fmt: skip
    statistics, values = _statistics(plan, execution)
    samples = None
    if resamples:
        joint: dict[str, Statistic] = {_HUMAN: people.statistic} if people and people.statistic else {}
        samples = resampled({**statistics, **joint}, units, resamples=resamples, execution=execution)
        notes += [*unit_notes, *units.notes()]
    comparisons = compared(plan.measures, texts.systems, values, samples, p)
    agreement = None
    if people is not None:
        agreement = compared_with(people, comparisons, None if samples is None else samples.get(_HUMAN))
        notes += people.notes
    facts = {**plan.facts, **_facts(texts, plan, units, resamples, p, execution), **_human_facts(agreement)}
    return Translations(
        systems=texts.systems,
        comparisons=comparisons,
        record=record_of(facts, sources, libraries=("sacrebleu", *(["sacremoses"] if plan.prepared else []))),
        notes=notes_of(comparisons, *notes),
        lang_pair=str(texts.langs),
        contrastive=frozenset(contrastive),
        unconstrained=frozenset(unconstrained),
        constrained=_among(comparisons, [name for name in texts.systems if name not in set(unconstrained)]),
        metric_signatures=plan.signatures,
        human=agreement,
    )


# -- the texts ----------------------------------------------------------------------------------------


def _checked(texts: TestSet, accept: Collection[str]) -> list[str]:
    """Warnings of the checks of texts, as notes; errors are refused unless somebody accepted them."""
    from ...texts import check

    if texts.missing:
        system, place = min(texts.missing)
        raise InputError(
            f"{system} has no output for segment {texts.segments[place].id!r} ({counted(len(texts.missing), 'output')} "
            "missing in all); every system needs one for every segment, be it empty"
        )
    report = check(texts)
    refuse_faults(
        [(finding.check, finding.text(places=report.places).removeprefix("error: ")) for finding in report.errors],
        accept,
    )
    return [
        f"texts: {finding.text(places=report.places).removeprefix(f'{finding.severity}: {finding.check}: ')}"
        for finding in report.findings
        if not (finding.severity == "note" or _is_of_outputs(finding) or _is_for_judges(finding))
    ]


def _is_of_outputs(finding: Finding) -> bool:
    """Empty outputs have a note of their own, without a system as its subject."""
    return finding.check == "empty" and finding.system is not None


def _is_for_judges(finding: Finding) -> bool:
    """AlignedText on which all systems are equal leave judges nothing to say, but scores are what they are."""
    return finding.check == "identical" and finding.system is None and bool(finding.lines)


def _references_checked(references: Sequence[Sequence[str]], accept: Collection[str]) -> list[str]:
    """The same of further references, beside the first."""
    notes = []
    accepted = [check for check in accept if check in PAIR_CHECKS]
    parts = [AlignedText(name, texts, name) for n, texts in enumerate(references, 1) for name in [f"reference {n}"]]
    for other in parts[1:]:
        notes += pair_notes(other, parts[0], one_language=True, accept=accepted)
    return notes


def _empty_notes(texts: TestSet) -> list[str]:
    from ...texts.checks.base import is_blank

    empty = {system: sum(map(is_blank, outputs)) for system, outputs in texts.outputs.items()}
    if named := [f"{system} {number}" for system, number in empty.items() if number]:
        return [f"empty outputs are scored as they are: {', '.join(named)} of {len(texts)}"]
    return []


def _check_labels(contrastive: Collection[str], unconstrained: Collection[str], systems: Sequence[str]) -> None:
    for option, names in (("contrastive", contrastive), ("unconstrained", unconstrained)):
        if unknown := sorted(set(names) - set(systems)):
            raise InputError(f"{option}: no system is called {unknown[0]!r}; there are: {', '.join(systems)}")


def _units(texts: TestSet, unit: str) -> tuple[Units, list[str]]:
    """What is drawn in bootstrap samples, and what there is to say of the choice."""
    if unit not in UNITS:
        raise InputError(f"unit: got {unit!r}; allowed: {', '.join(UNITS)}")
    documents = [segment.document for segment in texts.segments]
    known = {name for name in documents if name is not None}
    segments = Units.single(len(texts), "segment")
    if unit == "segment":
        return segments, []
    if not known:
        if unit == "document":
            raise InputError(
                "unit: got 'document', but no documents are known; give --documents FILE, or --unit segment"
            )
        return segments, []
    if unit == "auto" and len(known) < LEAST_UNITS:
        few = counted(len(known), "document")
        note = f"only {few}: segments are drawn instead, as if they did not depend on each other"
        return segments, [note]
    alone = sum(name is None for name in documents)
    notes = [f"{counted(alone, 'segment')} without a document: each counts as one of its own"] if alone else []
    names = [("segment", place) if name is None else ("document", name) for place, name in enumerate(documents)]
    return Units.named(names, "document"), notes


def _of_pair(judgments: Judgments, texts: TestSet) -> Judgments:
    """The judgments of the texts' language pair, if they name any."""
    from ...texts import LanguagePair

    if not judgments.has("lang_pair"):
        return judgments
    parts = judgments.split("lang_pair")
    for name, part in parts.items():
        try:
            if name is not None and LanguagePair.of(name).same_as(texts.langs):
                return part
        except InputError:
            continue
    raise InputError(f"human judgments: none are of {texts.langs}; there are {', '.join(map(str, parts))}")


# -- statistics and the record ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Values:
    """Scores of all systems from their sums side by side: from (samples, systems × columns) to (samples, systems)."""

    formula: Callable[[FloatArray], FloatArray]
    systems: int

    def __call__(self, sums: FloatArray) -> FloatArray:
        return self.formula(sums.reshape(len(sums), self.systems, -1))


def _statistics(plan: Plan, execution: Execution) -> tuple[dict[str, Statistic], dict[str, FloatArray]]:
    """What every segment adds to every measure, and the scores of the texts as they are."""
    systems = tuple(next(iter(plan.outputs.values())))
    pairs = [(t, s) for t in range(len(plan.tasks)) for s in systems]
    # A system's texts beside each other: TER meets the same words again.
    pairs.sort(key=lambda pair: (plan.tasks[pair[0]].measure.name, systems.index(pair[1])))
    rows = dict(zip(pairs, execution.run(_rows, pairs, shared=(plan,)), strict=True))
    statistics: dict[str, Statistic] = {}
    values: dict[str, FloatArray] = {}
    for number, task in enumerate(plan.tasks):
        own = [rows[number, system] for system in systems]
        values[task.measure.label] = np.array([task.metric.exact(part.sum(axis=0)) for part in own])
        statistics[task.measure.label] = Sums(np.concatenate(own, axis=1), _Values(task.metric.formula, len(systems)))
    for scores in plan.given:
        table = np.stack([scores.scores[system] for system in systems], axis=1)
        values[scores.name] = table.mean(axis=0)
        statistics[scores.name] = Sums(np.column_stack([np.ones(len(table)), table]), _means)
    return statistics, values


def _rows(plan: Plan, task: int, system: str) -> FloatArray:
    return plan.tasks[task].metric.rows(plan.outputs[plan.tasks[task].kind][system])


def _means(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[:, 1:] / sums[:, :1])


def _among(comparisons: Sequence[Comparison], names: Sequence[str]) -> tuple[Comparison, ...]:
    """The same comparisons among some of the systems; none if that is all of them, or none."""
    if not names or not comparisons or len(names) == len(comparisons[0].systems):
        return ()
    kept = [comparisons[0].systems.index(name) for name in names]
    return tuple(
        replace(
            each, systems=tuple(names), values=each.values[kept],
            samples=None if each.samples is None else each.samples[:, kept],
        )
        for each in comparisons
    )  # fmt: skip


def _facts(
    texts: TestSet, plan: Plan, units: Units, resamples: int, p: float, execution: Execution
) -> dict[str, object]:
    content = [text for reference in plan.references for text in reference]
    outputs = [part for system, outputs in texts.outputs.items() for part in (system, *outputs)]
    given = [part for s in plan.given for system in texts.systems for part in (s.name, *s.scores[system].tolist())]
    drawn = {"unit": units.word, f"{units.word}s": units.count} if resamples and units.word != "segment" else {}
    return {
        **drawn,
        **({"unit": units.word} if resamples and not drawn else {}),
        "segments": len(texts),
        "systems": len(texts.systems),
        "resamples": resamples,
        "p": p,
        "seed": execution.seed,
        "data": digest_of([*content, *outputs, *given]),
    }


def _human_facts(agreement: HumanComparison | None) -> dict[str, object]:
    return {} if agreement is None else {"human_model": agreement.model, "human_judgments": agreement.judgments}
