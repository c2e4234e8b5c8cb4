"""A folder with one file a system, or a folder of such folders named by language pair."""

from __future__ import annotations

from pathlib import Path as FilePath

from ..errors import InputError
from .languages import LanguagePair, base_language
from .lines import Path
from .plain import read_plain
from .testset import TestSet

#: Names (without ending) of the files that are no system's.
ROLES = {
    "source": "source", "src": "source",
    "reference": "reference", "ref": "reference",
    "documents": "documents", "docs": "documents",
}  # fmt: skip
_COMPRESSION = (".gz", ".zst")
#: Endings that are no part of a system's name; a code of the language pair is another.
_ENDINGS = (".txt", ".text", ".out", ".hyp", ".tok", ".sgm", ".sgml")


def read_folder(langs: LanguagePair | None, *, path: Path, encoding: str = "utf-8") -> tuple[TestSet, ...]:
    """One test set from a folder of files, or one a language pair from a folder of folders."""
    folder = FilePath(path)
    if not folder.is_dir():
        raise InputError(f"{path}: is no folder; the format 'folder' needs one with a file a system")
    entries = [entry for entry in sorted(folder.iterdir()) if not _is_ignored(entry)]
    inner = [entry for entry in entries if entry.is_dir()]
    if not inner:
        return _one_pair(folder, entries, langs, encoding)
    loose = [entry.name for entry in entries if not entry.is_dir()]
    if loose:
        raise InputError(f"{path}: has folders ({inner[0].name}, …) and files ({loose[0]}, …); give it one kind alone")
    return _many_pairs(inner, langs, encoding)


def _many_pairs(folders: list[FilePath], wanted: LanguagePair | None, encoding: str) -> tuple[TestSet, ...]:
    found: list[TestSet] = []
    for folder in folders:
        try:
            pair = LanguagePair.parse(folder.name)
        except InputError as error:
            raise InputError(f"{folder}: a folder inside must be named by its language pair; {error}") from None
        if wanted is None or pair.same_as(wanted):
            files = [entry for entry in sorted(folder.iterdir()) if not _is_ignored(entry)]
            found += _one_pair(folder, files, pair, encoding)
    if not found:
        there = ", ".join(folder.name for folder in folders)
        raise InputError(f"{folders[0].parent}: has no folder for {wanted}; it has {there}")
    return tuple(found)


def _one_pair(
    folder: FilePath, files: list[FilePath], langs: LanguagePair | None, encoding: str
) -> tuple[TestSet, ...]:
    roles: dict[str, FilePath] = {}
    systems: dict[str, FilePath] = {}
    for file in files:
        if file.is_dir():
            raise InputError(f"{file}: is a folder inside the folder of one language pair; it must hold files alone")
        name = system_name(file.name, langs)
        role = ROLES.get(name.lower())
        target, key = (roles, role) if role else (systems, name)
        if key in target:
            raise InputError(f"{folder}: both {target[key].name} and {file.name} would be {key!r}; rename one")
        target[key] = file
    if "source" not in roles:
        raise InputError(f"{folder}: no file of sources; name it source.txt (or src.txt, source.fr)")
    if not systems:
        raise InputError(f"{folder}: no file of a system's outputs; add one a system, named by the system")
    beside = {role: roles.get(role) for role in ("reference", "documents")}
    return read_plain(langs, source=roles["source"], systems=systems, encoding=encoding, **beside)


def system_name(file_name: str, langs: LanguagePair | None) -> str:
    """The name of a file without compression and ending: ``A`` for ``A.txt.gz``, ``online-B`` for ``online-B.en``.

    Only known endings are taken off, since ``llama-3.1`` is a whole name.
    """
    name = file_name
    for ending in _COMPRESSION:
        name = name.removesuffix(ending)
    stem, dot, last = name.rpartition(".")
    if dot and stem and (f".{last.lower()}" in _ENDINGS or _is_role(stem) or _is_language(last, langs)):
        return stem
    return name


def _is_role(stem: str) -> bool:
    return stem.lower() in ROLES


def _is_language(ending: str, langs: LanguagePair | None) -> bool:
    if langs is None:
        return False
    codes = {langs.source, langs.target, base_language(langs.source), base_language(langs.target)}
    return ending in codes


def _is_ignored(entry: FilePath) -> bool:
    return entry.name.startswith(".") or entry.name.upper().startswith(("README", "LICENSE", "LICENCE"))
