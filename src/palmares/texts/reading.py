"""`read_texts`: the one door between files of texts and test sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath

from ..errors import InputError
from . import TEXT_FORMATS
from .languages import LanguagePair
from .lines import Path, read_text
from .testset import TestSet

_PLAIN = "plain"
_JSON_ENDINGS = (".jsonl", ".ndjson", ".json")


def read_texts(
    *,
    langs: str | None = None,
    source: Path | None = None,
    reference: Path | None = None,
    systems: Mapping[str, Path] | None = None,
    documents: Path | None = None,
    path: Path | None = None,
    format: str = "auto",
    encoding: str = "utf-8",
) -> tuple[TestSet, ...]:
    """Read sources, references and outputs; one test set a language pair, sorted by pair.

    Parameters
    ----------
    langs
        The language pair, ``"fr-en"``. Needed where files do not name it; where they name several, it selects one.
    source, reference, systems, documents
        Plain files (plain, ``.gz``, ``.zst``; ``.sgm`` too), one segment a line; ``systems`` from name to file.
    path
        Everything in one place instead: a folder, or a file of another format.
    format
        An id from `palmares.texts.TEXT_FORMATS`; ``"auto"`` looks at the place.
    """
    pair = LanguagePair.parse(langs) if langs is not None else None
    if path is None:
        _check_plain(format, source, systems)
        arguments = {"source": source, "reference": reference, "systems": systems, "documents": documents}
        return tuple(TEXT_FORMATS.load(_PLAIN)(pair, **arguments, encoding=encoding))
    if source is not None or reference is not None or systems or documents is not None:
        raise InputError(
            f"got {str(path)!r} and single files besides; give a folder or file of everything, or the files"
        )
    chosen = _guessed(path, encoding) if format == "auto" else format
    if chosen == _PLAIN:
        raise InputError("format 'plain' has no one file; give source and systems, or a folder of them")
    found: tuple[TestSet, ...] = TEXT_FORMATS.load(chosen)(pair, path=path, encoding=encoding)
    return _selected(found, pair, str(path))


def _check_plain(format: str, source: Path | None, systems: Mapping[str, Path] | None) -> None:
    if format not in ("auto", _PLAIN):
        raise InputError(f"format {format!r} needs one path of its own; give one, or leave the format out")
    if source is None:
        raise InputError("no source text; give --source FILE, or a folder or file of everything")
    if not systems:
        raise InputError("no system outputs; give at least one, e.g. --system A=a.txt")


def _guessed(path: Path, encoding: str) -> str:
    """A folder, or what the first characters of a file say."""
    if FilePath(path).is_dir():
        return "folder"
    _, text = read_text(path, encoding=encoding)
    start = text.lstrip()[:2000]
    if start.startswith("<"):
        return "appraise-hits" if "<hit" in start else "wmt-xml"
    name = str(path).lower().removesuffix(".gz").removesuffix(".zst")
    return "jsonl" if start.startswith("{") or name.endswith(_JSON_ENDINGS) else "tsv"


def _selected(found: tuple[TestSet, ...], pair: LanguagePair | None, name: str) -> tuple[TestSet, ...]:
    """Of several language pairs, the one that was asked for."""
    chosen = [texts for texts in found if pair is None or texts.langs.same_as(pair)]
    if not chosen:
        there = ", ".join(str(texts.langs) for texts in found)
        raise InputError(f"{name}: has no {pair}; it has {there}; ask for one of these, or leave the pair out")
    return tuple(sorted(chosen, key=lambda texts: texts.langs))
