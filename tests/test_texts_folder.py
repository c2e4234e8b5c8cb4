"""Folders with one file per system, and folders of them named by language pair."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from palmares.errors import InputError
from palmares.ingest.source import compress
from palmares.texts import TestSet, read_texts
from palmares.texts.folder import system_name
from palmares.texts.languages import LanguagePair


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "texts"


def fill(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def read(folder: Path, langs: str | None = "fr-en") -> tuple[TestSet, ...]:
    return read_texts(path=folder, langs=langs)


def refusal(folder: Path, langs: str | None = "fr-en", format: str = "auto") -> str:
    with pytest.raises(InputError) as caught:
        read_texts(path=folder, langs=langs, format=format)
    return str(caught.value)


def test_one_file_a_system(folder: Path) -> None:
    files = {
        "source.fr": "un\ndeux\n", "ref.en": "one\ntwo\n", "docs.txt": "d\nd\n", "online-B.en": "1\n2\n",
        "llama-3.1": "x\ny\n", "A.txt.gz": compress(b"a\nb\n", Path("A.gz")),
    }  # fmt: skip
    (texts,) = read(fill(folder, files))
    assert texts.outputs == {"A": ("a", "b"), "llama-3.1": ("x", "y"), "online-B": ("1", "2")}
    assert [(s.source, s.reference, s.document) for s in texts.segments] == [("un", "one", "d"), ("deux", "two", "d")]
    assert texts.lines == (1, 2)


def test_what_is_no_text_is_left_alone(folder: Path) -> None:
    files = {"src.txt": "un\n", "A.txt": "one\n", "README.md": "x", "LICENSE": "x", ".hidden": "x", "A.txt~": "old\n"}
    (texts,) = read(fill(folder, files))
    assert texts.systems == ("A",)


def test_a_system_may_be_called_almost_like_a_licence(folder: Path) -> None:
    (texts,) = read(fill(folder, {"src.txt": "un\n", "Licensed-MT.txt": "one\n"}))
    assert texts.systems == ("Licensed-MT",)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("A.txt", "A"),
        ("A", "A"),
        ("A.txt.gz", "A"),
        ("A.hyp.zst", "A"),
        ("A.en", "A"),
        ("A.en.txt", "A"),
        ("A.eng", "A"),
        ("A.de", "A.de"),
        ("A.en_GB", "A"),
        ("online-B.tok.en.sgm", "online-B"),
        ("llama-3.1", "llama-3.1"),
        ("gpt-4.0.txt", "gpt-4.0"),
        ("source.anything", "source"),
        ("REF.txt", "REF"),
        (".txt", ".txt"),
    ],
)
def test_names_of_systems(file: str, name: str) -> None:
    assert system_name(file, LanguagePair.parse("fr-en")) == name


def test_without_a_language_pair_codes_are_part_of_names() -> None:
    assert system_name("A.en", None) == "A.en"


def test_a_folder_of_folders(folder: Path) -> None:
    for pair, word in (("fr-en", "one"), ("de-en", "1")):
        fill(folder / pair, {"src.txt": "x\n", "A.txt": f"{word}\n"})
    assert [(str(t.langs), t.outputs["A"]) for t in read(folder, None)] == [("de-en", ("1",)), ("fr-en", ("one",))]
    assert [str(t.langs) for t in read(folder, "fra-eng")] == ["fr-en"]


@pytest.mark.parametrize(
    ("files", "langs", "words"),
    [
        ({"A.txt": "a\n"}, "fr-en", "no file of sources; name it source.txt (or src.txt, source.fr)"),
        ({"src.txt": "a\n", "README": ""}, "fr-en", "no file of a system's outputs; add one per system"),
        ({"src.txt": "a\n", "A.txt": "a\n"}, None, "say them, e.g. --langs fr-en"),
        ({"src.txt": "a\n", "A.txt": "a\n", "A.out": "b\n"}, "fr-en", "both A.out and A.txt would be 'A'; rename one"),
        ({"src.txt": "a\n", "source.fr": "a\n", "A": "b\n"}, "fr-en", "would be 'source'; rename one"),
        ({"src.txt": "a\n", "A.txt": "a\nb\n"}, "fr-en", "the files differ in their number of lines"),
        ({"fr-en/src.txt": "a\n", "A.txt": "a\n"}, None, "has folders (fr-en, …) and files (A.txt, …)"),
        ({"french/src.txt": "a\n"}, None, "a folder inside must be named by its language pair"),
        ({"fr-en/src.txt": "a\n", "fr-en/A.txt": "b\n"}, "de-en", "has no folder for de-en; it has fr-en"),
        ({"fr-en/x/src.txt": "a\n"}, "fr-en", "is a folder inside the folder of one language pair"),
    ],
)
def test_refusals(files: Mapping[str, str], langs: str | None, words: str, folder: Path) -> None:
    assert words in refusal(fill(folder, files), langs)


def test_one_language_pair_under_two_names_is_refused(folder: Path) -> None:
    for pair in ("de-en", "deu-eng"):
        fill(folder / pair, {"src.txt": "x\n", "A.txt": "y\n"})
    assert "de-en and deu-eng mean the same languages; write them in one way" in refusal(folder, None)
    assert "de-en and deu-eng mean the same languages" in refusal(folder, "de-en")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a\n")
    assert "x.txt: is not a folder; the format 'folder' needs one with one file per system" in refusal(
        path, format="folder"
    )
