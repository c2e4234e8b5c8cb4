"""A folder with one file per system, or a folder of such folders named by language pair."""

from __future__ import annotations

from pathlib import Path as FilePath

from ..errors import InputError
from .languages import LanguagePair, base_language
from .lines import Path, uncompressed_name
from .plain import read_plain
from .testset import TestSet

#: Names (without ending) of the files that are no system's.
ROLES = {
    "source": "source", "sources": "source", "src": "source",
    "reference": "reference", "references": "reference", "ref": "reference",
    "documents": "documents", "docs": "documents",
}  # fmt: skip
#: Endings that are no part of a system's name; a code of the language pair is another.
_ENDINGS = (".txt", ".text", ".out", ".hyp", ".tok", ".sgm", ".sgml")
#: Files that come with texts and are none, by their names up to the first dot; and what systems leave in folders.
_BESIDE = ("readme", "license", "licence", "thumbs", "desktop", "__macosx")


def read_folder(
    langs: LanguagePair | None, *, path: Path, encoding: str = "utf-8", needs_source: bool = True
) -> tuple[TestSet, ...]:
    """One test set from a folder of files, or one per language pair from a folder of folders."""
    folder = FilePath(path)
    if not folder.is_dir():
        raise InputError(f"{path}: is not a folder; the format 'folder' needs one with one file per system")
    entries = _entries(folder)
    inner = [entry for entry in entries if entry.is_dir()]
    if not inner:
        return _one_pair(folder, entries, langs, encoding, needs_source)
    loose = [entry.name for entry in entries if not entry.is_dir()]
    if loose:
        raise InputError(f"{path}: has folders ({inner[0].name}, …) and files ({loose[0]}, …); give it one kind alone")
    return _many_pairs(inner, langs, encoding, needs_source)


def _many_pairs(
    folders: list[FilePath], wanted: LanguagePair | None, encoding: str, needs_source: bool
) -> tuple[TestSet, ...]:
    testsets: list[TestSet] = []
    for folder in folders:
        try:
            pair = LanguagePair.parse(folder.name)
        except InputError as error:
            raise InputError(f"{folder}: a folder inside must be named by its language pair; {error}") from None
        if wanted is None or pair.same_as(wanted):
            testsets += _one_pair(folder, _entries(folder), pair, encoding, needs_source)
    if not testsets:
        there = ", ".join(folder.name for folder in folders)
        raise InputError(f"{folders[0].parent}: has no folder for {wanted}; it has {there}")
    return tuple(testsets)


def _one_pair(
    folder: FilePath, files: list[FilePath], langs: LanguagePair | None, encoding: str, needs_source: bool
) -> tuple[TestSet, ...]:
    for file in files:
        if file.is_dir():
            raise InputError(f"{file}: is a folder inside the folder of one language pair; it must hold files alone")
    paths = {file.name: file for file in files}
    named, of_systems = roles_of(str(folder), list(paths), langs)
    roles = {role: paths[name] for role, name in named.items()}
    systems = {system: paths[name] for system, name in of_systems.items()}
    if "source" not in roles and needs_source:
        raise InputError(f"{folder}: no file of sources; name it source.txt (or src.txt, source.fr)")
    if not systems:
        raise InputError(f"{folder}: no file of a system's outputs; add one per system, named after it")
    beside = {role: roles.get(role) for role in ("reference", "documents")}
    return read_plain(langs, source=roles.get("source"), systems=systems, encoding=encoding, **beside)


def roles_of(where: str, names: list[str], langs: LanguagePair | None) -> tuple[dict[str, str], dict[str, str]]:
    """What the files of one language pair are by their names: those with a role, and those of systems.

    ``where`` says in messages where they lie.
    """
    roles: dict[str, str] = {}
    systems: dict[str, str] = {}
    for file_name in names:
        name = system_name(file_name, langs)
        role = ROLES.get(name.lower())
        target, key = (roles, role) if role else (systems, name)
        if key in target:
            raise InputError(f"{where}: both {target[key]} and {file_name} would be {key!r}; rename one")
        target[key] = file_name
    return roles, systems


def system_name(file_name: str, langs: LanguagePair | None) -> str:
    """The name of a file without compression and endings: ``A`` for ``A.txt.gz``, ``online-B`` for ``online-B.en.txt``.

    Only known endings are taken off, since ``llama-3.1`` is a whole name.
    """
    name = uncompressed_name(file_name)
    stem, dot, last = name.rpartition(".")
    while dot and stem and (f".{last.lower()}" in _ENDINGS or stem.lower() in ROLES or _is_language(last, langs)):
        name = stem
        stem, dot, last = name.rpartition(".")
    return name


def _is_language(ending: str, langs: LanguagePair | None) -> bool:
    """Whether an ending names a language of the pair, be it ``de``, ``deu`` or ``de_AT``."""
    if langs is None:
        return False
    try:
        return base_language(ending) in (base_language(langs.source), base_language(langs.target))
    except InputError:
        return False


def files_of(path: Path) -> list[FilePath]:
    """The files that a folder of texts, or of folders of them, is read from."""
    entries = _entries(FilePath(path))
    return [file for entry in entries for file in (_entries(entry) if entry.is_dir() else [entry])]


def _entries(folder: FilePath) -> list[FilePath]:
    """What is in a folder, but for hidden files, backups and files that explain the others."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error})") from None
    return [entry for entry in entries if not is_beside(entry.name)]


def is_beside(name: str) -> bool:
    """Whether a file in a folder of texts is none of them: hidden, a backup, or one that explains the others."""
    return name.startswith(".") or name.endswith("~") or name.partition(".")[0].lower() in _BESIDE
