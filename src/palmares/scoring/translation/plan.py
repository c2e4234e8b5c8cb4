"""What is scored: which metrics on which texts, against which references, and what there is to say of the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError
from ...judgments import FloatArray
from ...results import counted
from ...texts import TestSet
from ...texts.languages import base_language
from ..comparison import Measure
from . import preparing
from .metrics import METRICS, Metric, default_tokenizer, metric
from .preparing import TEXTS, Truecasing
from .segment_scores import SegmentScores

#: The preparations of WMT14's medical task.
DEFAULT_TEXTS = ("original", "truecased", "lowercased")


@dataclass(frozen=True)
class Task:
    """One metric on one kind of text."""

    measure: Measure
    metric: Metric = field(repr=False)
    kind: str


@dataclass(frozen=True)
class Plan:
    """All that is measured: tasks by text and metric, the outputs by text and system, and scores from elsewhere."""

    tasks: tuple[Task, ...]
    outputs: Mapping[str, Mapping[str, tuple[str, ...]]] = field(repr=False)
    references: tuple[tuple[str, ...], ...] = field(repr=False)
    given: tuple[SegmentScores, ...]
    facts: Mapping[str, object]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        texts: TestSet,
        more: Sequence[Sequence[str]],
        metrics: Sequence[str] | None,
        prepare: Sequence[str],
        tokenize: str | None,
        truecasing: Truecasing | None,
        given: Sequence[SegmentScores],
    ) -> Plan:
        references = _references(texts, more)
        target = base_language(texts.langs.target)
        if unknown := [kind for kind in prepare if kind not in TEXTS]:
            raise InputError(f"text: got {unknown[0]!r}; allowed: {', '.join(TEXTS)}")
        kinds = tuple(kind for kind in TEXTS if kind in prepare)
        wanted = _metrics_by_text(metrics, kinds)
        if "truecased" in kinds and truecasing is None:
            truecasing = Truecasing.of_references(references)
        split = tokenize or default_tokenizer(target)
        changes = preparing.changes(kinds, target, truecasing)
        facts = _preparation_facts(kinds, split, target, truecasing if "truecased" in kinds else None)
        tasks = []
        for kind in kinds:
            changed = [[changes[kind](text) for text in reference] for reference in references]
            for id in wanted[kind]:
                lower = kind == "lowercased"
                made = metric(id, changed, tokenize=split, target=target, lowercase=lower)
                tasks.append(Task(_measure(id, kind), made, kind))
        outputs = {k: {s: tuple(map(changes[k], t)) for s, t in texts.outputs.items()} for k in kinds}
        names = [task.measure.label for task in tasks] + [scores.name for scores in given]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"segment scores: two measures are called {twice!r}; give each its own name")
        return cls(
            tuple(tasks),
            outputs,
            tuple(references),
            tuple(given),
            facts,
            _plan_notes(truecasing, kinds, references, given),
        )

    @property
    def measures(self) -> tuple[Measure, ...]:
        others = [
            Measure(s.name, higher_is_better=s.higher_is_better, digits=_digits(list(s.scores.values())))
            for s in self.given
        ]
        return (*(task.measure for task in self.tasks), *others)

    @property
    def signatures(self) -> dict[str, str]:
        return {task.measure.label: task.metric.signature for task in self.tasks}

    @property
    def prepared(self) -> bool:
        return any(task.kind != "original" for task in self.tasks)


def _references(texts: TestSet, more: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    own = [segment.reference for segment in texts.segments]
    references = [tuple(reference) for reference in more]
    if texts.has_references:
        if missing := [segment.id for segment in texts.segments if segment.reference is None]:
            raise InputError(
                f"no reference for {counted(len(missing), 'segment')} ({', '.join(missing[:5])}"
                f"{', …' if len(missing) > 5 else ''}); every segment needs one to be scored"
            )
        references.insert(0, tuple(text or "" for text in own))
    if not references:
        raise InputError("no reference translation; scores need one: give --reference FILE")
    for reference in references:
        if len(reference) != len(texts):
            raise InputError(f"a reference has {len(reference)} texts, but there are {len(texts)} segments")
    return references


def _metrics_by_text(metrics: Sequence[str] | None, kinds: Sequence[str]) -> dict[str, tuple[str, ...]]:
    if not kinds:
        raise InputError(f"text: got none; allowed: {', '.join(TEXTS)}")
    if metrics is not None:
        if unknown := [id for id in metrics if id not in METRICS]:
            raise InputError(f"metric: got {unknown[0]!r}; allowed: {', '.join(METRICS)}")
        return dict.fromkeys(kinds, tuple(id for id in METRICS if id in metrics))
    several = len(kinds) > 1
    return {kind: ("bleu",) if several and kind == "original" else tuple(METRICS) for kind in kinds}


def _measure(id: str, kind: str) -> Measure:
    least = -np.inf if id in ("ter", "per", "cder") else 0.0
    return Measure(METRICS[id], kind, limits=(least, 100.0))


def _digits(scores: Sequence[FloatArray]) -> int:
    """Two decimals for scores up to 100 and more, four for those around 1."""
    return 2 if np.abs(np.concatenate(scores)).max() > 5 else 4


def _preparation_facts(
    kinds: Sequence[str], tokenize: str, target: str, truecasing: Truecasing | None
) -> dict[str, object]:
    facts: dict[str, object] = {"scores": "translation", "texts": "+".join(kinds), "tokenize": tokenize}
    if set(kinds) - {"original"}:
        facts["normalizer"] = preparing.normaliser_name(target)
    if truecasing is not None:
        facts["truecaser"] = f"sacremoses, {truecasing.name}"
    return facts


def _plan_notes(
    truecasing: Truecasing | None,
    kinds: Sequence[str],
    references: Sequence[Sequence[str]],
    given: Sequence[SegmentScores],
) -> tuple[str, ...]:
    notes = [note for scores in given for note in scores.notes]
    if truecasing is not None and truecasing.improvised and "truecased" in kinds:
        sentences = counted(sum(map(len, references)), "sentence")
        notes.append(
            f"the truecaser learnt the case of words from the references alone ({sentences}); give a corpus or a model "
            "with --truecase"
        )
    if len(references) > 1:
        notes.append(
            f"{len(references)} references: TER, PER and CDER count the errors against the closest one of a segment, "
            "per word of a reference of mean length"
        )
        if any(references.count(reference) > 1 for reference in references):
            notes.append("two of the references are equal; is it the same file twice?")
    return tuple(notes)
