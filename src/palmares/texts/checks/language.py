"""Text in another script or language than it should be, line by line or as a whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..testset import TestSet
from .columns import Column, columns
from .findings import Finding, counted
from .guess import Guesser, guesser_of
from .scripts import expected_scripts, letters

#: A line needs so many letters for its script or language to be judged (a Chinese or Korean one a third of that).
SCRIPT_LETTERS, LANGUAGE_LETTERS = 15, 25
#: Less than this share of letters in the right script is suspicious.
SCRIPT_SHARE = 0.3
#: From this share of the judged lines on (and from this many judged), the whole text is in the wrong script.
WHOLE_TEXT, FEWEST_JUDGED = 0.5, 3
#: The fewest letters that tell the language of a whole text, and so many characters of it as are enough.
LEAST_SAMPLE, SAMPLE = 100, 6_000
_ASCII_WORD, _OF_NAMES = re.compile(r"[!-~]+"), re.compile(r"[A-Z0-9@/\\_]")


def language(testset: TestSet) -> Iterator[Finding]:
    """Lines, or whole texts, in another script or language."""
    guessers = {langs: guesser_of(*langs) for langs in _directions(testset)}
    if None in guessers.values():
        message = "only scripts were checked; to check languages too: pip install 'palmares[server]'"
        yield Finding("language", "note", None, (), message)
    for column in columns(testset):
        found = list(_by_script(column))
        yield from found
        guesser = guessers[_expected_and_other(column, testset)]
        # A text in the wrong script is in the wrong language too, which need not be said.
        if guesser is not None and not any(finding.severity == "error" for finding in found):
            yield from _by_language(column, guesser)


def _directions(testset: TestSet) -> Iterator[tuple[str, str]]:
    yield testset.langs.source, testset.langs.target
    yield testset.langs.target, testset.langs.source


def _expected_and_other(column: Column, testset: TestSet) -> tuple[str, str]:
    source, target = _directions(testset)
    return source if column.what == "sources" else target


# -- scripts -----------------------------------------------------------------------------------------


def _by_script(column: Column) -> Iterator[Finding]:
    expected = expected_scripts(column.language)
    if expected is None:
        return
    judged, wrong, seen = 0, [], Counter[str]()
    for number, text in enumerate(column.texts, 1):
        found = letters(text)
        if _weight(found) < SCRIPT_LETTERS:
            continue
        judged += 1
        if _is_foreign(found, expected) and _is_foreign(unnamed := letters(_without_names(text)), expected):
            wrong.append(number)
            seen += unnamed
    if wrong:
        scripts = " and ".join(script.title() for script, _ in seen.most_common(2))
        yield _script_finding(column, wrong, judged, f"in {scripts} letters, though the language is {column.language}")


def _is_foreign(found: Counter[str], expected: frozenset[str]) -> bool:
    right = Counter({script: found[script] for script in expected})
    return _weight(found) >= SCRIPT_LETTERS and _weight(right) < SCRIPT_SHARE * _weight(found)


def _without_names(text: str) -> str:
    """Names, codes and addresses keep their Latin letters in all languages."""
    return _ASCII_WORD.sub(lambda word: " " if _OF_NAMES.search(word[0]) else word[0], text)


def _weight(found: Counter[str]) -> int:
    """Letters, where one that stands for a syllable or a word counts three times."""
    return found.total() + 2 * (found["HAN"] + found["HANGUL"] + found["HIRAGANA"] + found["KATAKANA"])


def _script_finding(column: Column, lines: list[int], judged: int, what: str) -> Finding:
    subject = "" if column.system else f"{column.what}: "
    if len(lines) > WHOLE_TEXT * judged and judged >= FEWEST_JUDGED:
        message = f"{subject}the whole text ({len(lines)} of {judged} lines that can be judged) is {what}"
        return Finding("language", "error", column.system, tuple(lines), message)
    return Finding("language", "warning", column.system, tuple(lines), f"{subject}{counted(len(lines), 'line')} {what}")


# -- languages ---------------------------------------------------------------------------------------


def _by_language(column: Column, guesser: Guesser) -> Iterator[Finding]:
    subject = "" if column.system else f"{column.what}: "
    sample = _sample(column)
    whole = guesser.contradiction(sample) if _weight(letters(sample)) >= LEAST_SAMPLE else None
    if whole is not None:
        message = f"{subject}the whole text looks like {_named(whole, column, guesser)}, not {column.language}"
        yield Finding("language", "error", column.system, (), message)
        return
    wrong: dict[str, list[int]] = {}
    for number, text in enumerate(column.texts, 1):
        guess = guesser.foreign_line(text) if _weight(letters(text)) >= LANGUAGE_LETTERS else None
        if guess is not None:
            wrong.setdefault(guess, []).append(number)
    for guess, lines in wrong.items():
        verb = "looks" if len(lines) == 1 else "look"
        what = f"{verb} like {_named(guess, column, guesser)}, not {column.language}"
        message = f"{subject}{counted(len(lines), 'line')} {what}"
        yield Finding("language", "warning", column.system, tuple(lines), message)


def _sample(column: Column) -> str:
    """Lines from all over a text, so many as tell its language even if each is short."""
    step = max(sum(len(text) for text in column.texts) // SAMPLE, 1)
    return " ".join(column.texts[::step])[: 2 * SAMPLE]


def _named(guess: str, column: Column, guesser: Guesser) -> str:
    role = "source" if column.what != "sources" else "target"
    return f"the {role} language, {guess}" if guesser.is_other(guess) else guess
