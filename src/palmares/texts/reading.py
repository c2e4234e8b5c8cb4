"""`read_texts`: the one door between files of texts and test sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path as FilePath

from ..errors import InputError
from . import TEXT_FORMATS
from .bundling import with_images
from .images import Folder
from .json_objects import first_object
from .languages import LanguagePair
from .lines import Path, read_text, uncompressed_name
from .sgm import is_sgm
from .testset import TestSet

_PLAIN, _FOLDER, _TABLE = "plain", "folder", "tsv"
_JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
_FIRST_ELEMENT = re.compile(r"<(hits?|dataset|doc)[\s/>]")


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
    images: Path | Folder | None = None,
    needs_source: bool = True,
) -> tuple[TestSet, ...]:
    """Read sources, references and outputs; one test set per language pair, sorted by pair.

    Parameters
    ----------
    langs
        The language pair, ``"fr-en"``, or one language, ``"en"``. Needed where files do not name it and do not hold
        prompts; where they name several, it selects one.
    source, reference, systems, documents
        Plain files (plain, ``.gz``, ``.zst``; ``.sgm`` too), one segment per line; ``systems`` from name to file.
    path
        Everything in one place instead: a folder, or a file of another format.
    format
        An id from `palmares.texts.TEXT_FORMATS`; ``"auto"`` looks at the place.
    images
        The folder of the images that texts show.
    needs_source
        False if plain files, folders and tables may be without sources: scores need none. What judges are to read
        needs them.
    """
    pair = LanguagePair.of(langs) if langs is not None else None
    folder = Folder.open(images) if images is not None and not isinstance(images, Folder) else images
    if path is None:
        _check_plain(format, source, systems, needs_source)
        arguments = {"source": source, "reference": reference, "systems": systems, "documents": documents}
        made: tuple[TestSet, ...] = TEXT_FORMATS.load(_PLAIN)(pair, **arguments, encoding=encoding)
        return tuple(with_images(texts, folder) for texts in made)
    if source is not None or reference is not None or systems or documents is not None:
        raise InputError(
            f"got {str(path)!r} and single files besides; give a folder or file of everything, or the files"
        )
    chosen = _selected(_read_place(path, pair, format, encoding, needs_source), pair, str(path))
    return tuple(with_images(texts, folder) for texts in chosen)


def read_content(text: str, *, name: str, langs: str | None = None, format: str = "auto") -> tuple[TestSet, ...]:
    """`read_texts` for the content of one file that holds everything; ``name`` is what messages call it."""
    pair = LanguagePair.of(langs) if langs is not None else None
    if format in (_PLAIN, _FOLDER):
        raise InputError(f"{name}: format {format!r} has several files; give the content of one that holds everything")
    if not text.strip():
        raise InputError(f"{name}: is empty; give texts")
    kind = _guessed(name, text) if format == "auto" else format
    chosen = _selected(tuple(TEXT_FORMATS.load(kind)(pair, name=name, text=text)), pair, name)
    return tuple(with_images(texts, None) for texts in chosen)


def _check_plain(format: str, source: Path | None, systems: Mapping[str, Path] | None, needs_source: bool) -> None:
    if format not in ("auto", _PLAIN):
        raise InputError(f"format {format!r} needs one path of its own; give one, or leave the format out")
    if source is None and needs_source:
        raise InputError("no source text; give --source FILE, or a folder or file of everything")
    if not systems:
        raise InputError("no system outputs; give at least one, e.g. --system A=a.txt")


def _read_place(
    path: Path, pair: LanguagePair | None, format: str, encoding: str, needs_source: bool
) -> tuple[TestSet, ...]:
    sourceless = {} if needs_source else {"needs_source": False}
    if format == _PLAIN:
        raise InputError("format 'plain' has no one file; give source and systems, or a folder of them")
    if format == _FOLDER or (format == "auto" and FilePath(path).is_dir()):
        return tuple(TEXT_FORMATS.load(_FOLDER)(pair, path=path, encoding=encoding, **sourceless))
    if format == "auto" and is_sgm(path):
        raise InputError(f"{path}: an SGML file holds one text; give it as source, reference or system")
    # Read once and passed on, so that standard input and pipes will do.
    name, text = read_text(path, encoding=encoding)
    if not text.strip():
        raise InputError(f"{name}: the file is empty; give a file with texts")
    kind = _guessed(name, text) if format == "auto" else format
    return tuple(TEXT_FORMATS.load(kind)(pair, name=name, text=text, **(sourceless if kind == _TABLE else {})))


def _guessed(name: str, text: str) -> str:
    """What the first characters of a file say."""
    start = text.lstrip()[:1]
    if start == "<":
        element = _FIRST_ELEMENT.search(text)
        return "appraise-hits" if element and element[1].startswith("hit") else "wmt-xml"
    if start in ("{", "[") or uncompressed_name(name).lower().endswith(_JSON_ENDINGS):
        first = first_object(text)
        if first is not None or start == "{" or uncompressed_name(name).lower().endswith(_JSON_ENDINGS):
            return "arena" if first is not None and "conversation_a" in first else "jsonl"
    return "tsv"


def _selected(testsets: tuple[TestSet, ...], pair: LanguagePair | None, name: str) -> tuple[TestSet, ...]:
    """Of several language pairs, the one that was asked for."""
    chosen = sorted((texts for texts in testsets if pair is None or texts.langs.same_as(pair)), key=lambda t: t.langs)
    if not chosen:
        there = ", ".join(str(texts.langs) for texts in testsets)
        raise InputError(f"{name}: has no {pair}; it has {there}; ask for one of these, or leave the pair out")
    for first, second in ((a, b) for a in chosen for b in chosen if a.langs < b.langs and a.langs.same_as(b.langs)):
        raise InputError(f"{name}: {first.langs} and {second.langs} mean the same languages; write them in one way")
    return tuple(chosen)
