"""The one door to all readers: which format a place is in, what may go together, and damaged files."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from test_texts_xml import HITS, WMT

import palmares.texts
from palmares.errors import InputError
from palmares.ingest.source import compress
from palmares.texts import TEXT_CHECKS, TEXT_FORMATS, TestSet, check, read_texts

Write = Callable[..., Path]

TABLE = 'id\tlangs\tsource\treference\tA\tB\n1\tfr-en\t"un\tone\tone\t1\n2\tde-en\tzwei\ttwo\t\té\n'
CSV = 'id,source,reference,langs,A,B\n1,"""un, deux",one,de-en,one,1\n2,zwei,two,fr-en,,é\n'
JSON = '{"id": 1, "langs": "de-en", "source": "eins", "outputs": {"A": "one", "B": "é"}}\n'
SGM = '<srcset><doc docid="d"><p><seg id="1">un &amp; un</seg><seg id=2>deux</seg></p></doc></srcset>\n'
#: One valid file of every format.
FILES = {
    "plain": "un\r\ndeux é\n", "sgm": SGM, "tsv": TABLE, "csv": CSV,
    "jsonl": JSON, "wmt-xml": WMT, "appraise-hits": HITS,
}  # fmt: skip


def refusal(**arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_texts(**arguments)
    return str(caught.value)


# -- what may be given -------------------------------------------------------------------------------


def test_what_must_and_must_not_go_together(file: Write, tmp_path: Path) -> None:
    path = file("a\n", "a.txt")
    assert refusal(langs="fr-en") == "no source text; give --source FILE, or a folder or file of everything"
    assert refusal(langs="fr-en", source=path) == "no system outputs; give at least one, e.g. --system A=a.txt"
    assert "and single files besides; give a folder or file of everything, or the files" in refusal(
        langs="fr-en", source=path, path=tmp_path
    )
    assert "format 'tsv' needs one path of its own" in refusal(format="tsv", source=path, systems={"A": path})
    assert "format 'plain' has no one file; give source and systems" in refusal(format="plain", path=path)
    assert "unknown text format 'tvs'; known: plain, folder, tsv" in refusal(format="tvs", path=path)
    assert "language pair: got 'french'" in refusal(langs="french", path=path)
    assert "no such file" in refusal(path=tmp_path / "nowhere")
    assert "x.sgm: an SGML file holds one text; give it as source, reference or system" in refusal(
        path=file(SGM, "x.sgm"), langs="fr-en"
    )


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
@pytest.mark.parametrize("format", ["auto", "tsv", "jsonl", "wmt-xml", "appraise-hits"])
def test_empty_files_are_called_so(content: str, format: str, file: Write) -> None:
    assert "x: the file is empty" in refusal(path=file(content, "x"), langs="fr-en", format=format)


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl", "wmt-xml", "appraise-hits"])
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_the_format_is_found_out(name: str, ending: str, file: Write) -> None:
    path = file(compress(FILES[name].encode(), Path(f"x{ending}")), f"x.{name}{ending}")
    named = "tsv" if name == "csv" else name
    assert read_texts(path=path) == read_texts(path=path, format=named)


def test_a_long_comment_hides_no_format(file: Write) -> None:
    comment = f"<!-- {'licence ' * 1000} -->"
    assert read_texts(path=file(HITS.replace("<hits>", f"{comment}<hits>"), "x.xml"))[0].systems == tuple("ABCD")


def test_a_pair_that_is_not_there_is_refused(file: Write) -> None:
    message = refusal(path=file(TABLE, "t.tsv"), langs="cs-en")
    assert "has no cs-en; it has de-en, fr-en; ask for one of these, or leave the pair out" in message


def test_pairs_are_selected_whatever_their_codes(file: Write) -> None:
    assert [str(t.langs) for t in read_texts(path=file(TABLE, "t.tsv"), langs="fra-eng")] == ["fr-en"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(JSON.encode())))
    (texts,) = read_texts(path="-")
    assert texts.outputs["A"] == ("one",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """As in ``palmares … <(zcat texts.jsonl.gz)``."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    with subprocess.Popen([sys.executable, "-c", code, str(pipe), JSON]):
        assert len(read_texts(path=pipe)) == 1


# -- registries --------------------------------------------------------------------------------------


@pytest.mark.parametrize("registry", [TEXT_FORMATS, TEXT_CHECKS], ids=lambda registry: registry.kind)
def test_every_entry_can_be_loaded(registry: Any) -> None:
    for name in registry:
        assert callable(registry.load(name))
        assert registry[name].summary


def test_the_package_exports_what_it_says() -> None:
    for name in palmares.texts.__all__:
        assert getattr(palmares.texts, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        palmares.texts.nothing  # noqa: B018


_WITHOUT_EXTRAS = """
import sys
blocked = {"sqlalchemy", "alembic", "psycopg", "fastapi", "starlette", "uvicorn", "jinja2", "markdown_it", "py3langid"}
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in blocked:
            raise ImportError(f"{name} is not installed")
sys.meta_path.insert(0, Finder())
from palmares.texts import check, read_texts
(texts,) = read_texts(path=sys.argv[1])
print(check(texts).summary())
"""


def test_nothing_of_the_server_is_needed(file: Write) -> None:
    lines = [f'{{"langs": "de-en", "source": "Satz {n}", "outputs": {{"A": "sentence {n}"}}}}' for n in range(10)]
    command = [sys.executable, "-c", _WITHOUT_EXTRAS, str(file("\n".join(lines), "x.jsonl"))]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout == (
        "de-en: note: language: only scripts were checked; to check languages too: pip install 'palmares[server]'\n"
    ), run.stderr


# -- damaged files -----------------------------------------------------------------------------------

_BITS = (
    b'"', b"\n", b"\r", b",", b"\t", b"\x00", b"\xff", b"{", b"}", b"\\ud800", b"<", b">", b"&", b"&x;", b"<![x", b"<!",
    b"</seg>", b"<seg>", b"<doc>", b"<hit>", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"<!DOCTYPE a SYSTEM 'b'>",
)  # fmt: skip


def damaged(data: bytes, seed: int) -> bytes:
    """Flip, cut out, put in or cut short, up to four times."""
    random = Random(seed)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(data) + 1)
        how = random.choice(["flip", "delete", "insert", "insert", "cut"])
        if how == "flip":
            data = data[:at] + random.randbytes(1) + data[at + 1 :]
        elif how == "delete":
            data = data[:at] + data[at + random.randint(1, 20) :]
        elif how == "insert":
            data = data[:at] + random.choice([*_BITS, random.randbytes(3)]) + data[at:]
        else:
            data = data[:at]
    return data


def read_as(name: str, path: Path, encoding: str) -> tuple[TestSet, ...]:
    if name in ("plain", "sgm"):
        return read_texts(langs="de-en", source=path, systems={"A": path}, encoding=encoding)
    if name == "folder":
        return read_texts(langs="de-en", path=path.parent, encoding=encoding)
    return read_texts(langs="de-en", path=path, format=name, encoding=encoding)


def try_to_read(name: str, path: Path, encoding: str = "utf-8") -> None:
    """Either test sets that can be checked, or a refusal; anything else is a fault of the reader."""
    try:
        found = read_as(name, path, encoding)
    except InputError:
        return
    for texts in found:
        assert len(texts) >= 1
        assert all(len(outputs) == len(texts) for outputs in texts.outputs.values())
        assert texts.lines is None or len(texts.lines) == len(texts)
        check(texts).summary()


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / (f"x.{name}" if name in ("sgm", "tsv", "csv", "jsonl") else "x")
    formats = ["tsv"] if name == "csv" else [name] if name in ("plain", "sgm") else [name, "auto"]

    @examples(60)
    @given(st.integers(0, 2**32), st.sampled_from(formats))
    def trial(seed: int, format: str) -> None:
        path.write_bytes(damaged(FILES[name].encode(), seed))
        try_to_read(format, path)

    trial()


@pytest.mark.parametrize("name", ["sgm", *TEXT_FORMATS, "auto"])
def test_any_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / ("source.sgm" if name == "sgm" else "source.txt")
    (tmp_path / "A.txt").write_bytes(b"a\n")

    @examples(60)
    @given(st.binary(max_size=120), st.sampled_from(["utf-8", "latin-1", "utf-16", "utf-7"]))
    def trial(data: bytes, encoding: str) -> None:
        path.write_bytes(data)
        try_to_read(name, path, encoding)

    trial()


@examples(100)
@given(
    st.text(st.sampled_from('<>&/! ="[]-\n\tdocsegphitxé;:?'), max_size=60), st.sampled_from(["sgm", "wmt-xml", "auto"])
)
def test_any_markup(tmp_path_factory: pytest.TempPathFactory, text: str, name: str) -> None:
    path = tmp_path_factory.getbasetemp() / "markup.sgm"
    path.write_text(f"<doc>{text}", encoding="utf-8")
    try_to_read(name, path)


@pytest.mark.parametrize("name", FILES)
def test_the_undamaged_files_are_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{name}"
    path.write_text(FILES[name], encoding="utf-8")
    found = read_as("auto" if name == "csv" else name, path, "utf-8")
    assert sum(len(texts) for texts in found) >= 1
