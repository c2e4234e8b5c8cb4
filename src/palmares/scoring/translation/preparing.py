"""Texts as they are scored: as they came, with punctuation normalised, truecased, lower-cased.

Normalising and truecasing are those of Moses, by sacremoses. A truecaser changes the case of words alone, where they
stand, so that texts keep the spaces they have.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version as installed
from typing import Any

from ...errors import InputError, MissingExtraError
from ...texts.lines import Path, read_lines
from ..record import digest_of

#: How texts can be prepared, with what tables call it.
TEXTS = {
    "original": "as they are",
    "normalized": "punctuation normalized, case as it is",
    "truecased": "punctuation normalized and truecased",
    "lowercased": "punctuation normalized and lower-cased",
}
_REFERENCES = "references"
#: A word, with the marks that stand inside words, or another sign by itself.
_TOKEN = re.compile(r"\w+(?:[.'’\-]\w+)*|[^\w\s]")
#: A line of a truecaser's model: words, each with how often it was seen.
_MODEL_LINE = re.compile(r"(?:\S+ \(\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?)?\) ?)+")
_MODEL_WORD = re.compile(r"(\S+) \((\d+(?:\.\d+)?)(?:/\d+(?:\.\d+)?)?\)")

Change = Callable[[str], str]


@dataclass(frozen=True)
class Truecasing:
    """A corpus to learn the case of words from, or a model that was learnt.

    ``name`` says in signatures what it is: by a digest, since a file may be elsewhere when a result is made again.
    """

    name: str
    corpus: tuple[str, ...] = field(default=(), repr=False)
    model: tuple[tuple[tuple[str, float], ...], ...] = field(default=(), repr=False)

    @classmethod
    def read(cls, path: Path, *, encoding: str = "utf-8") -> Truecasing:
        """From a file: a model in the format of Moses, or else a corpus with one sentence per line."""
        file = read_lines(path, encoding=encoding)
        lines = [line for line in file.texts if line.strip()]
        if not lines:
            raise InputError(f"{file.name}: the file is empty; give a corpus, or a truecaser's model")
        if not _MODEL_LINE.fullmatch(lines[0].strip()):
            return cls(f"corpus {digest_of(lines)}", tuple(lines))
        entries = []
        for number, line in enumerate(file.texts, 1):
            if line.strip() and not _MODEL_LINE.fullmatch(line.strip()):
                raise InputError(
                    f"{file.name}: line {number} is not of a truecaser's model, as the first line is; "
                    "allowed: words, each with its count in brackets: Oslo (5/6) oslo (1)"
                )
            entries.append(tuple((word, float(count)) for word, count in _MODEL_WORD.findall(line)))
        return cls(f"model {digest_of(lines)}", model=tuple(entries))

    @classmethod
    def of_references(cls, references: Iterable[Sequence[str]]) -> Truecasing:
        """From the references themselves, for want of anything better."""
        return cls(_REFERENCES, tuple(text for reference in references for text in reference))

    @property
    def improvised(self) -> bool:
        return self.name == _REFERENCES


def changes(kinds: Iterable[str], language: str, truecasing: Truecasing | None) -> dict[str, Change]:
    """What makes each kind of text (in `TEXTS`) of an original one.

    ``language`` is that of the texts, by its shortest code.
    """
    kinds = tuple(kinds)
    made: dict[str, Change] = {"original": str}
    if set(kinds) - {"original"}:
        normalised = _normaliser(language)
        made |= {"normalized": normalised, "lowercased": lambda text: normalised(text).lower()}
        if "truecased" in kinds:
            assert truecasing is not None
            truecased = _truecaser(truecasing, normalised)
            made["truecased"] = lambda text: truecased(normalised(text))
    return {kind: made[kind] for kind in kinds}


def normaliser_name(language: str) -> str:
    """What a signature says of the normaliser."""
    return f"sacremoses {installed('sacremoses')} ({language or 'en'})"


def _normaliser(language: str) -> Change:
    sacremoses = _sacremoses()
    normalise: Change = sacremoses.MosesPunctNormalizer(lang=language or "en").normalize
    return normalise


def _truecaser(truecasing: Truecasing, normalised: Change) -> Change:
    sacremoses = _sacremoses()

    class Truecaser(sacremoses.MosesTruecaser):  # type: ignore[misc, name-defined]  # sacremoses has no types
        """Takes words that are told apart already."""

        @staticmethod
        def split_xml(line: Any) -> Any:
            return line

    truecaser = Truecaser()
    if truecasing.model:
        casing: dict[str, Counter[str]] = defaultdict(Counter)
        for entry in truecasing.model:
            for word, count in entry:
                casing[word.lower()][word] += count  # type: ignore[assignment]  # of a corpus it may be a tenth
        truecaser.model = truecaser._casing_to_model(casing)
    else:
        truecaser.train([_TOKEN.findall(normalised(text)) for text in truecasing.corpus])

    def truecased(text: str) -> str:
        words = iter(truecaser.truecase(_TOKEN.findall(text), use_known=True))
        return _TOKEN.sub(lambda match: next(words), text)

    return truecased


def _sacremoses() -> Any:
    try:
        import sacremoses
    except ImportError:
        raise MissingExtraError("normalizing texts", "scoring", "sacremoses") from None
    return sacremoses
