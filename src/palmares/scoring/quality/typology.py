"""Labels of words: types of error after MQM, as WMT14 used them, and what they are at coarser granularities."""

from __future__ import annotations

from collections.abc import Sequence

OK, BAD = "OK", "BAD"
#: From fine to coarse.
GRANULARITIES = ("multi-class", "level 1", "binary")
MULTI, LEVEL1, BINARY = GRANULARITIES

#: Types of error by what they are at level 1 (W14 §4.1, and the labels of its data).
ERRORS = {
    "Accuracy": ("Accuracy", "Addition", "Mistranslation", "Omission", "Terminology", "Untranslated"),
    "Fluency": (
        "Fluency", "Agreement", "Capitalization", "Function_words", "Grammar", "Morphology_(word_form)",
        "Part_of_speech", "Punctuation", "Spelling", "Style/register", "Tense/aspect/mood", "Typography",
        "Unintelligible", "Word_order",
    ),
}  # fmt: skip
_LEVEL1 = {OK: OK} | {kind: coarse for coarse, kinds in ERRORS.items() for kind in kinds}

#: All labels of a granularity.
LABELS: dict[str, tuple[str, ...]] = {MULTI: tuple(_LEVEL1), LEVEL1: (OK, *ERRORS), BINARY: (OK, BAD)}
_KNOWN = {label.casefold(): label for labels in LABELS.values() for label in labels}


def canonical(text: str) -> str | None:
    """A label as it is written here, whatever its case and spaces; None if it is none."""
    return _KNOWN.get("_".join(text.split()).casefold())


def coarser(label: str, granularity: str) -> str:
    """What a label is at a granularity that is no finer than its own."""
    if granularity == BINARY:
        return OK if label == OK else BAD
    return label if granularity == MULTI else _LEVEL1[label]


def granularity_of(labels: Sequence[str]) -> str:
    """The coarsest granularity that has all of these labels: Accuracy and Fluency alone are of level 1."""
    kinds = set(labels)
    return next(each for each in reversed(GRANULARITIES) if kinds <= set(LABELS[each]))
