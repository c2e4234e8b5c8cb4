"""HTER (Snover et al. 2006): how many edits lie between a translation and what a post-editor made of it, per word.

The edits are TER's, counted by sacrebleu. A sentence has 100 edits in percent at most, as in W14 §4.1, unless told
otherwise.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ...compute import Execution
from ...compute.streams import RngLike
from ...errors import InputError, MissingExtraError
from ...judgments import FloatArray
from ...texts.lines import Path, TextFile, read_lines, refuse_different_counts
from ..checked import AlignedText, empty_lines, pair_notes
from ..comparison import Comparison, Measure, compared
from ..record import digest_of, record_of, source_of
from ..resampling import Sums, Units, resampled
from ..result import Scored, notes_of
from .units import DocumentsLike, Unit, by_unit, is_path, read_documents, units_of

RESAMPLES = 10_000
#: Sentences that are counted at a time.
_PIECE = 50


@dataclass(frozen=True)
class PostEditing(Scored):
    """Systems by how much of their translations was edited.

    Attributes
    ----------
    sentences
        How many there are.
    edits, words
        Arrays (systems, sentences): edits, and words of the post-edits.
    hter
        The same as percent of the words, capped if asked for.
    """

    shown_by: ClassVar[str] = "score quality-estimation hter"

    sentences: int = field(kw_only=True)
    edits: FloatArray = field(kw_only=True, repr=False)
    words: FloatArray = field(kw_only=True, repr=False)
    hter: FloatArray = field(kw_only=True, repr=False)

    @property
    def untouched(self) -> FloatArray:
        """The percentage of each system's sentences that nobody edited."""
        return np.asarray(100 * (self.edits == 0).mean(axis=1))

    def lines(self, system: str) -> str:
        """The HTER of every sentence of a system, one per line: gold labels for `score_sentences`."""
        if system not in self.systems:
            raise InputError(f"system: got {system!r}; there are {', '.join(self.systems)}")
        return "".join(f"{value:.4f}\n" for value in self.hter[self.systems.index(system)])

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        texts = [
            {"system": name, "edits": float(self.edits[i].sum()), "words": float(self.words[i].sum()),
             "untouched": float(self.untouched[i]), "hter": self.hter[i].tolist()}
            for i, name in enumerate(self.systems)
        ]  # fmt: skip
        return {**super().to_dict(), "sentences": self.sentences, "post_editing": texts}


def measure_hter(
    translations: Mapping[str, Path],
    post_edits: Mapping[str, Path],
    *,
    case_sensitive: bool = False,
    normalize: bool = False,
    capped: bool = True,
    documents: DocumentsLike | None = None,
    unit: Unit = "auto",
    resamples: int = RESAMPLES,
    p: float = 0.05,
    accept: Collection[str] = (),
    encoding: str = "utf-8",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> PostEditing:
    """Count the edits between translations and post-edits, sentence by sentence.

    Parameters
    ----------
    translations, post_edits
        Of every system a file with one translation per line, and one with what became of them. Line n of all files
        belongs to sentence n.
    case_sensitive, normalize
        Whether a change of case is an edit; whether punctuation is first set apart, as tercom's normalisation does.
    capped
        Whether 100 is the most that a sentence can have.
    documents
        The document of every sentence. They are drawn whole then.
    resamples
        Bootstrap samples; 0 for no intervals and tests.
    accept
        Checks of the texts (``misaligned``, ``encoding``) whose errors are accepted.
    """
    execution = Execution.prepared(execution, rng)
    if resamples < 0:
        raise InputError(f"resamples: got {resamples}; allowed: at least 0")
    names = _check_systems(translations, post_edits)
    before = [read_lines(translations[name], encoding=encoding) for name in names]
    after = [read_lines(post_edits[name], encoding=encoding) for name in names]
    refuse_different_counts([*before, *after])
    sentences = len(before[0].texts)
    notes = _check_empty(names, before, after, capped)
    for name, old, new in zip(names, before, after, strict=True):
        edited = AlignedText("its post-edits", new.texts, new.name)
        notes += pair_notes(AlignedText(name, old.texts, old.name), edited, one_language=True, accept=accept)
    given = None if documents is None else read_documents(documents, sentences, encoding)
    units, unit_notes = units_of(given, unit, sentences)
    counts = _counted(before, after, {"case_sensitive": case_sensitive, "normalized": normalize}, execution)
    edits, words = counts[..., 0], counts[..., 1]
    hter = _per_word(edits, words)
    if capped:
        notes += _capped(names, hter)
        hter = np.minimum(hter, 100)
    comparisons = _compared(names, hter, edits, words, units, resamples, p, execution)
    facts = {
        "metric": "hter", "case": "mixed" if case_sensitive else "lc", "tok": "tercom",
        "norm": normalize, "cap": 100 if capped else None, "sentences": sentences, "systems": len(names),
        **({"unit": units.word} if resamples else {}), "resamples": resamples, "p": p, "seed": execution.seed,
        "data": digest_of([*names, *(text for file in (*before, *after) for text in file.texts)]),
    }  # fmt: skip
    sources = [
        source_of(paths[name], f"{role} {name}", sentences)
        for paths, role in ((translations, "system"), (post_edits, "post-edit"))
        for name in names
    ]
    if documents is not None and is_path(documents):
        sources.append(source_of(documents, "documents", sentences))
    notes += [*_shared(names, before, after), *(unit_notes if resamples else ())]
    return PostEditing(
        names, comparisons, record_of(facts, sources, libraries=["sacrebleu"]), notes_of(comparisons, *notes),
        sentences=sentences, edits=edits, words=words, hter=hter,
    )  # fmt: skip


def _check_systems(translations: Mapping[str, Path], post_edits: Mapping[str, Path]) -> tuple[str, ...]:
    if not translations:
        raise InputError("got no system; give at least one: --system NAME=FILE")
    if missing := [name for name in translations if name not in post_edits]:
        raise InputError(f"there is no post-edit of {missing[0]}; give --post-edit {missing[0]}=FILE")
    if unknown := [name for name in post_edits if name not in translations]:
        raise InputError(f"there is a post-edit of {unknown[0]}, but no translation; give --system {unknown[0]}=FILE")
    return tuple(translations)


def _check_empty(
    names: Sequence[str], before: Sequence[TextFile], after: Sequence[TextFile], capped: bool
) -> list[str]:
    """Refuse what has no HTER; notes on what was deleted or added whole."""
    if not before[0].texts:
        raise InputError(f"{before[0].name}: the file is empty; give one translation per line")
    notes = []
    for name, old, new in zip(names, before, after, strict=True):
        empty = [line for line, text in enumerate(new.texts, 1) if not text.strip()]
        if nothing := [line for line in empty if not old.texts[line - 1].strip()]:
            raise InputError(
                f"{new.name}: line {nothing[0]} is empty, and so is that of {old.name}; a sentence without words has "
                "no HTER; leave it out of all files"
            )
        if empty and not capped:
            raise InputError(
                f"{new.name}: line {empty[0]} is empty; edits per word of an empty post-edit have no value unless HTER "
                "is capped at 100; leave out --uncapped, or the sentence"
            )
        if found := empty_lines(new.texts, "post-edit", name):
            notes.append(f"{found}, taken for an HTER of 100")
        if found := empty_lines(old.texts, "translation", name):
            notes.append(f"{found}; all words of what they became are edits")
    return notes


def _capped(names: Sequence[str], hter: FloatArray) -> list[str]:
    over = {name: int((values > 100).sum()) for name, values in zip(names, hter, strict=True)}
    if not any(over.values()):
        return []
    shown = ", ".join(f"{name} ({number:,})" for name, number in over.items() if number)
    return [f"HTER is capped at 100, which corpus HTER is not; so many of {hter.shape[1]:,} sentences: {shown}"]


def _shared(names: Sequence[str], before: Sequence[TextFile], after: Sequence[TextFile]) -> list[str]:
    """Systems with one output, and post-edits that cannot be of both outputs."""
    notes = []
    for j in range(len(names)):
        for i in range(j):
            if before[i].texts == before[j].texts:
                notes.append(f"{names[i]} and {names[j]} have the same translations")
            elif after[i].texts == after[j].texts:
                notes.append(
                    f"{names[i]} and {names[j]} have the same post-edits; those of another system's translation are "
                    "references, and say less of the effort"
                )
    return notes


def _counted(
    before: Sequence[TextFile], after: Sequence[TextFile], settings: Mapping[str, bool], execution: Execution
) -> FloatArray:
    """Edits and words, an array (systems, sentences, 2)."""
    _sacrebleu()
    pairs = [pair for old, new in zip(before, after, strict=True) for pair in zip(old.texts, new.texts, strict=True)]
    pieces = [(pairs[lo : lo + _PIECE],) for lo in range(0, len(pairs), _PIECE)]
    parts = execution.run(_edits, pieces, shared=(dict(settings),))
    return np.concatenate(parts).reshape(len(before), -1, 2)


def _edits(settings: Mapping[str, bool], pairs: Sequence[tuple[str, str]]) -> FloatArray:
    scorer = _sacrebleu().TER(**settings)
    scores = [scorer.sentence_score(old, [new]) for old, new in pairs]
    return np.array([[score.num_edits, score.ref_length] for score in scores], dtype=np.float64)


def _sacrebleu() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError:
        raise MissingExtraError("HTER", "scoring", "sacrebleu") from None
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it advises on texts that look tokenized
    return metrics


def _per_word(edits: FloatArray, words: FloatArray) -> FloatArray:
    """Percent; of a translation that was deleted whole, every word is wrong."""
    without = np.where(edits > 0, 100.0, 0.0)
    return np.asarray(np.divide(100 * edits, words, out=without, where=words > 0))


def _compared(
    names: tuple[str, ...], hter: FloatArray, edits: FloatArray, words: FloatArray, units: Units, resamples: int,
    p: float, execution: Execution,
) -> tuple[Comparison, ...]:  # fmt: skip
    measures = [
        Measure("HTER", higher_is_better=False, limits=(0, float(max(100, hter.max())))),
        Measure("corpus HTER", higher_is_better=False, limits=(0, np.inf), undefined="its post-edits have no words"),
    ]
    rows = np.vstack([hter, edits, words, np.ones((1, hter.shape[1]))]).T
    sums = Sums(by_unit(rows, units), partial(_values, len(names)))
    single = Units.single(units.count, units.word)
    samples = None
    if resamples:
        drawn = resampled({"": sums}, single, resamples=resamples, execution=execution)[""]
        samples = _by_measure(measures, drawn)
    values = {label: each[0] for label, each in _by_measure(measures, sums.full()[None]).items()}
    return compared(measures, names, values, samples, p)


def _values(systems: int, sums: FloatArray) -> FloatArray:
    """Mean HTER of every system, then that of the corpus."""
    hter, edits, words = (sums[:, lo : lo + systems] for lo in range(0, 3 * systems, systems))
    whole = np.divide(100 * edits, words, out=np.full(edits.shape, np.nan), where=words > 0)
    return np.hstack([hter / sums[:, -1:], whole])


def _by_measure(measures: Sequence[Measure], values: FloatArray) -> dict[str, FloatArray]:
    columns = np.split(values, len(measures), axis=1)
    return {measure.label: column for measure, column in zip(measures, columns, strict=True)}
