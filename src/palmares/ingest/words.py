"""The words that people write for an outcome: sides in many vocabularies, ties, skips, and nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..judgments import A_BETTER, B_BETTER, TIE
from . import OUTCOME_WORDS

#: Beside the codes of outcomes: the judge gave none, and says so.
SKIP = 2
#: Nothing was written, or a word for nothing.
MISSING = 3
#: What the user may say that a value means.
MEANINGS = dict(zip(OUTCOME_WORDS, (A_BETTER, B_BETTER, TIE, SKIP), strict=True))


@dataclass(frozen=True)
class Word:
    """What a word means where it is no name: a side in one ``family`` of words, a tie, or that there is no answer."""

    kind: Literal["side", "tie", "skip", "missing"]
    code: int
    family: str = ""
    #: A tie that another reader might have counted as something else: notes name it.
    unusual: bool = False
    both_bad: bool = False


_PAIRS = (("a", "b"), ("x", "y"), ("left", "right"), ("first", "second"), ("1st", "2nd"), ("1", "2"))
_SIDES = {word: (f"{pair[0]}/{pair[1]}", code) for pair in _PAIRS for word, code in zip(pair, (1, -1), strict=True)}
_THINGS = (
    "model|system|sys|response|output|answer|assistant|option|candidate|translation|text|summary|completion|item|side|"
    "version|hypothesis|hyp|bot|chatbot"
)
_SIDE = re.compile(rf"(?:the )?(?:(?P<thing>{_THINGS}) ?)?(?P<side>{'|'.join(_SIDES)})(?: (?P<after>{_THINGS}))?")
_HOW_MUCH = "(?: (?:much|far|slightly|somewhat|a bit|clearly|significantly|strongly))?"
#: What may stand around a name or a word for a side: ``prefer A``, ``A is slightly better``, ``A wins``.
_SENTENCE = re.compile(
    rf"(?:prefers? )?(.+?)(?: (?:is|was){_HOW_MUCH} (?:better|best|preferred)|{_HOW_MUCH} better| wins?| won)?"
)
_RELATION = re.compile(r"(.*[^<>=~≈ ]) ?(>+|<+|=+|~|≈) ?([^<>=~≈ ].*)")
_BRACKETS = re.compile(r"\[\[(.*)\]\]")

_OTHER_SIDES = {
    word: (family, code)
    for family, code, words in (
        ("> / <", A_BETTER, "> >>"), ("> / <", B_BETTER, "< <<"),
        ("win / loss", A_BETTER, "win wins won better"), ("win / loss", B_BETTER, "loss lose loses lost worse"),
    )
    for word in words.split()
}  # fmt: skip
_TIES = {"tie", "ties", "tied", "draw", "drawn", "equal", "=", "==", "~", "≈"}
_UNUSUAL_TIES = {
    "same", "the same", "about the same", "same quality", "similar", "even", "equals", "equally good", "both equal",
    "both", "neither", "both good", "bothgood", "both are good", "tie (bothgood)", "tie (both good)", "no preference",
    "nopreference", "no difference", "no winner", "indifferent", "unsure", "not sure", "uncertain", "undecided",
    "cannot decide", "can't decide", "can not decide", "cannot tell", "can't tell", "don't know", "dont know",
}  # fmt: skip
_BOTH_BAD = {
    "tie (bothbad)", "tie (both bad)", "tie(bothbad)", "tie bothbad", "tie both bad", "both bad", "bothbad",
    "both are bad", "equally bad", "neither good", "neither is good",
}  # fmt: skip
_SKIPS = {"skip", "skipped"}
_MISSING = {"", "nan", "null", "n/a", "na", "#n/a"}


def normal(text: str) -> str:
    """A text as words are compared: in small letters, with single spaces for white space, ``_`` and hyphens."""
    words = re.sub(r"[\s_\u2010-\u2015-]+", " ", text.lower().replace("\u2019", "'")).strip()
    return words or text.strip()


def subject(text: str) -> str:
    """What a text is about, in its normal form: ``A`` in ``A is better``; the whole of any other text."""
    word = normal(text)
    match = _SENTENCE.fullmatch(word)
    return match[1] if match else word


def relation(text: str) -> tuple[str, str, str] | None:
    """The parts of ``a>b``, ``b >> a``, ``left = right``: two names or words, and one of >, < and =."""
    match = _RELATION.fullmatch(normal(text))
    return None if match is None else (match[1], match[2][0] if match[2][0] in "<>" else "=", match[3])


@lru_cache(maxsize=4096)
def meaning(text: str) -> Word | None:
    """What a text means as a word for an outcome; None if it is none."""
    word = normal(text)
    if (brackets := _BRACKETS.fullmatch(word)) is not None:
        return _bracketed(brackets[1].strip())
    return _plain(word) or _plain(subject(word)) or _related(word)


def side_of(name: str) -> int | None:
    """Which side a column is on by its name: +1 for ``model_a``, −1 for ``right``."""
    known = _side(normal(name), bare_numbers=True)
    return known[1] if known else None


def _plain(word: str) -> Word | None:
    if word in _BOTH_BAD:
        return Word("tie", TIE, unusual=True, both_bad=True)
    if word in _TIES or word in _UNUSUAL_TIES:
        return Word("tie", TIE, unusual=word in _UNUSUAL_TIES)
    if word in _SKIPS:
        return Word("skip", SKIP)
    if word in _MISSING:
        return Word("missing", MISSING)
    known = _OTHER_SIDES.get(word) or _side(word)
    return Word("side", known[1], known[0]) if known else None


def _side(word: str, *, bare_numbers: bool = False) -> tuple[str, int] | None:
    match = _SIDE.fullmatch(word)
    if match is None:
        return None
    family, code = _SIDES[match["side"]]
    thing = match["thing"] or match["after"]
    if family == "1/2" and not (thing or bare_numbers):
        return None  # a number: it has no fixed meaning
    return f"{thing} {family}" if thing else family, code


def _related(word: str) -> Word | None:
    """A relation between the words for two sides."""
    parts = relation(word)
    if parts is None:
        return None
    left, right = (_side(part, bare_numbers=True) for part in (parts[0], parts[2]))
    if left is None or right is None or left[0] != right[0] or left[1] == right[1]:
        return None
    if parts[1] == "=":
        return Word("tie", TIE)
    return Word("side", left[1] if parts[1] == ">" else right[1], f"{left[0]} with > and <")


def _bracketed(inner: str) -> Word | None:
    """``[[A]]``, ``[[B]]``, ``[[C]]`` (a tie) and ``[[A>>B]]``, as prompts for language models ask for."""
    if inner == "c":
        return Word("tie", TIE)
    known = _plain(inner) or _related(inner)
    if known is None or known.kind != "side":
        return known
    return Word("side", known.code, f"[[{known.family}]]")
