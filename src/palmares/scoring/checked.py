"""Texts are checked before they are scored, by the same checks as those of campaigns (`palmares.texts.check`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ..errors import InputError
from ..results import counted
from ..texts import LanguagePair, Segment, TestSet

#: What can be looked for where nobody has named a language.
PAIR_CHECKS = ("encoding", "misaligned")
#: Two languages that differ, whichever they are.
_SOME_LANGUAGES = LanguagePair("mis", "und")
#: What the checks of a test set call its columns; here they have names of their own.
_COLUMNS = ("in the sources, ", "in the references, ")
_NAMED = 3


@dataclass(frozen=True)
class AlignedText:
    """One text per line; ``name`` is for notes, which outlive the files, and ``place`` is for errors."""

    name: str
    texts: Sequence[str] = field(repr=False)
    place: str


def pair_notes(own: AlignedText, other: AlignedText, *, one_language: bool, accept: Collection[str] = ()) -> list[str]:
    """Look at two texts of which line n of one belongs to line n of the other.

    Errors are refused, unless their check is in ``accept``; then they are notes, as warnings are. If lines do not fit,
    those of ``own`` are said to be out of step.
    """
    from ..texts import check

    if unknown := [name for name in accept if name not in PAIR_CHECKS]:
        raise InputError(f"accept: got {unknown[0]!r}; allowed: {', '.join(PAIR_CHECKS)}")
    errors, notes = [], []
    for finding in check(_test_set(own, other, one_language), only=PAIR_CHECKS).findings:
        message = finding.message
        for column in _COLUMNS:
            message = message.removeprefix(column)
        at_fault = other if finding.system is None else own
        beside = (f" beside {other.name}", f" beside {other.place}") if finding.check == "misaligned" else ("", "")
        where = f" ({_listed(finding.lines)})" if finding.lines else ""
        notes.append(f"{at_fault.name}{beside[0]}: {message}{where}")
        if finding.severity == "error":
            errors.append((finding.check, f"{finding.check}: {at_fault.place}{beside[1]}: {message}{where}"))
    refuse_faults(errors, accept)
    return notes


def refuse_faults(errors: Sequence[tuple[str, str]], accept: Collection[str]) -> None:
    """Refuse errors, each the id of a check and a sentence, but for those that somebody accepted."""
    blocking = [(check, sentence) for check, sentence in errors if check not in accept]
    if blocking:
        said = "\n".join(f"  {sentence}" for _, sentence in blocking)
        checks = " ".join(f"--accept {check}" for check in dict.fromkeys(check for check, _ in blocking))
        raise InputError(f"the texts have faults:\n{said}\nmend them, or accept them with {checks}")


def empty_lines(texts: Sequence[str], what: str, of: str) -> str | None:
    """``2 post-edits of A (lines 3, 7) are empty``; None if no line is."""
    from ..texts.checks.base import is_blank

    lines = [line for line, text in enumerate(texts, 1) if is_blank(text)]
    if not lines:
        return None
    shown = ", ".join(map(str, lines[:_NAMED])) + (", …" if len(lines) > _NAMED else "")
    where = f"(line {shown}) is" if len(lines) == 1 else f"(lines {shown}) are"
    return f"{counted(len(lines), what)} of {of} {where} empty"


def _listed(lines: tuple[int, ...]) -> str:
    from ..texts.checks.base import Places

    return Places().text(lines, 5)


def _test_set(own: AlignedText, other: AlignedText, one_language: bool) -> TestSet:
    segments = tuple(
        Segment(str(line), None, "", text) if one_language else Segment(str(line), None, text, None)
        for line, text in enumerate(other.texts, 1)
    )
    return TestSet(_SOME_LANGUAGES, segments, {own.name: tuple(own.texts)}, has_sources=not one_language)
