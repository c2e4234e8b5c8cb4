"""Uploaded texts: hostile names, sizes and contents are refused by name and line; what is good is as from a folder."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from palmares.campaign.packed_texts import pack, unpack
from palmares.errors import InputError
from palmares.texts import TestSet, read_texts
from palmares.texts.uploads import LARGEST_TEXTS, MOST_FILES, Upload, read_uploads, stored_ending

LINES = 8
SOURCES = "".join(f"Phrase numéro {n} du texte de la campagne.\n" for n in range(LINES))
A = "".join(f"Sentence number {n} of the text of the campaign.\n" for n in range(LINES))
B = "".join(f"This is phrase number {n} from the campaign text.\n" for n in range(LINES))
PLAIN = {"source.txt": SOURCES, "A.txt": A, "B.txt": B}
PIXEL = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"


def stored(folder: Path, files: dict[str, str | bytes]) -> list[Upload]:
    """Files under numbers, as the server keeps them."""
    kept = []
    for number, (name, body) in enumerate(files.items()):
        path = folder / f"{number:03}{stored_ending(name)}"
        path.write_bytes(body.encode() if isinstance(body, str) else body)
        kept.append(Upload(name, path))
    return kept


def as_folder(folder: Path, files: dict[str, str]) -> tuple[TestSet, ...]:
    inner = folder / "texts"
    inner.mkdir()
    for name, body in files.items():
        (inner / name).write_text(body, encoding="utf-8")
    return read_texts(path=inner, langs="fr-en")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"../../etc/passwd": SOURCES, "A.txt": A}, "file name: got '../../etc/passwd'"),
        ({"C:\\source.txt": SOURCES}, "file name: got 'C:"),
        ({"a\x00b.txt": SOURCES}, "file name: got"),
        ({"x" * 201: SOURCES}, "file name: got"),
        ({**PLAIN, "C.txt": A[: len(A) // 2]}, "the files differ in their number of lines"),
        ({**PLAIN, "C.txt": b"\xff\xfe\x00\x01" * 50}, "C.txt: looks like UTF-16"),
        ({**PLAIN, "C.txt": b"\x80" * 500}, "C.txt: line 1 is not valid UTF-8"),
        ({**PLAIN, "C.txt": A.replace("number 3", "\x07")}, "C.txt: line 4 has the control character U+0007"),
        ({"texts.zip": b"PK\x03\x04" + b"x" * 99}, "texts.zip: is a ZIP archive"),
        ({"empty.tsv": b""}, "empty.tsv: the file is empty"),
        ({"A.txt": A, "B.txt": B}, "none is the source text"),
        ({"source.txt": SOURCES, "A.txt": A, "a.txt.gz": gzip.compress(A.encode())[:40]}, "damaged"),
        ({"twice.tsv.gz": gzip.compress(gzip.compress(A.encode()))}, "is compressed twice"),
        ({"x.xml": "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><dataset>&e;</dataset>"}, "x.xml"),
        ({"deep.json": b"[" * 100_000}, "deep.json"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_refused_by_name_and_line(tmp_path: Path, files: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as refused:
        read_uploads(stored(tmp_path, files), langs="fr-en")
    assert says in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    assert "root:" not in str(refused.value)


def test_a_bomb_is_stopped_while_it_is_unpacked(tmp_path: Path) -> None:
    bomb = gzip.compress(b"a\n" * (LARGEST_TEXTS // 2 + 1), compresslevel=1)
    assert len(bomb) < 2**20
    files = stored(tmp_path, {"source.txt": SOURCES, "A.txt.gz": bomb, "B.txt": B})
    with pytest.raises(InputError, match="the texts have more than 64 MiB in all, decompressed"):
        read_uploads(files, langs="fr-en")
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1.1 * LARGEST_TEXTS


def test_no_more_files_than_are_allowed(tmp_path: Path) -> None:
    files = stored(tmp_path, {f"{n}.txt": "x" for n in range(MOST_FILES + 1)})
    with pytest.raises(InputError, match=f"got {MOST_FILES + 1} files; allowed: at most {MOST_FILES}"):
        read_uploads(files, langs="fr-en")


def test_files_are_what_a_folder_of_them_is(tmp_path: Path) -> None:
    files = {**PLAIN, "reference.en.txt": B, "online-B.en": A, "README.md": "about", "documents": "d\n" * LINES}
    assert read_uploads(stored(tmp_path, dict(files)), langs="fr-en") == as_folder(tmp_path, files)


def test_one_file_is_what_it_is_by_its_path(tmp_path: Path) -> None:
    table = "source\tA\tB\n" + "".join(f"s{n}\ta{n}\tb{n}\n" for n in range(3))
    path = tmp_path / "table.tsv"
    path.write_text(table, encoding="utf-8")
    for name, body in {"table.tsv": table.encode(), "table.tsv.gz": gzip.compress(table.encode())}.items():
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        assert read_uploads(stored(folder, {name: body}), langs="fr-en") == read_texts(path=path, langs="fr-en")


def test_images_are_found_by_the_names_that_texts_give_them(tmp_path: Path) -> None:
    line = '{"prompt": "Look: ![x](images/a.png)", "answers": {"one": "1", "two": "![no](../../etc/passwd)"}}\n'
    (tmp_path / "images").mkdir()
    images = stored(tmp_path / "images", {"a.png": PIXEL})
    (texts,) = read_uploads(stored(tmp_path, {"x.jsonl": line}), images=images)
    assert {name: image and image.body for name, image in texts.images.items()} == {"images/a.png": PIXEL}
    assert any("../../etc/passwd" in note for note in texts.notes)
    assert unpack(pack([texts])) == (texts,)


def test_texts_come_out_of_a_pack_as_they_went_in(tmp_path: Path) -> None:
    chat = (
        '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}, '
        '{"role": "user", "content": "Go"}], '
        '"answers": {"one": [{"role": "assistant", "content": "1"}], "two": "2"}}\n'
        '{"prompt": "Alone", "answers": {"one": "1"}}\n'
    )
    for files, langs in ((PLAIN, "fr-en"), ({"x.jsonl": chat}, None)):
        folder = tmp_path / str(langs)
        folder.mkdir()
        testsets = read_uploads(stored(folder, dict(files)), langs=langs)
        again = unpack(pack(testsets))
        assert again == testsets
        assert [(texts.notes, texts.lines) for texts in again] == [(texts.notes, texts.lines) for texts in testsets]
