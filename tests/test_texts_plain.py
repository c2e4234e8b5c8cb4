"""Plain files: line n of every file belongs to segment n, whatever the file is packed or encoded in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from palmares.errors import InputError
from palmares.ingest.source import compress
from palmares.texts import Segment, TestSet, read_texts

Write = Callable[..., Path]


def read(source: Path, *outputs: Path, **options: object) -> TestSet:
    systems = {chr(ord("A") + number): path for number, path in enumerate(outputs)}
    (texts,) = read_texts(langs="fr-en", source=source, systems=systems, **options)  # type: ignore[arg-type]
    return texts


def refusal(*arguments: object, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(*arguments, **options)  # type: ignore[arg-type]
    return str(caught.value)


def outputs_of(content: str | bytes, file: Write, *, lines: int, encoding: str = "utf-8") -> tuple[str, ...]:
    """What a file of outputs is read as, beside a source of so many lines."""
    source = file(("s\n" * lines).encode(encoding), "source.txt")
    return read(source, file(content, "a.txt"), encoding=encoding).outputs["A"]


def test_a_whole_test_set(file: Write) -> None:
    source, reference, documents = file("un\ndeux\n", "s"), file("one\ntwo\n", "r"), file("d1\n\n", "d")
    systems = {"B": file("1\n2\n", "b"), "A": file("one!\ntwo!\n", "a")}
    (texts,) = read_texts(
        langs="fr-en", source=source, reference=reference, systems=systems, documents=documents
    )  # fmt: skip
    assert texts.segments == (Segment("1", "d1", "un", "one"), Segment("2", None, "deux", "two"))
    assert texts.outputs == {"A": ("one!", "two!"), "B": ("1", "2")}
    assert texts.systems == ("A", "B")
    assert (str(texts.langs), len(texts), texts.lines, texts.missing, texts.notes) == (
        "fr-en", 2, (1, 2), frozenset(), (),
    )  # fmt: skip
    assert texts.has_references
    assert not read(source, systems["A"]).has_references


# -- lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\nb\n", ("a", "b")),
        ("a\nb", ("a", "b")),
        ("a\r\nb\r\n", ("a", "b")),
        ("a\r\nb", ("a", "b")),
        ("\ufeffa\nb\n", ("a", "b")),
        ("a\n\n", ("a", "")),
        ("\n", ("",)),
        (" a \n\tb\n", (" a ", "\tb")),
        ("a\u2028b\u2029c\n", ("a\u2028b\u2029c",)),
        ("a\x85b\n", ("a\x85b",)),
        ("a\x0bb\x0cc\n", ("a\x0bb\x0cc",)),
        ('"a, ""b"""\n', ('"a, ""b"""',)),
    ],
)
def test_only_line_feeds_end_lines(content: str, expected: tuple[str, ...], file: Write) -> None:
    assert outputs_of(content, file, lines=len(expected)) == expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "UTF_8", "utf-8-sig"])
def test_other_encodings(encoding: str, file: Write) -> None:
    assert outputs_of("Élan\r\nnaïf\r\n".encode(encoding), file, lines=2, encoding=encoding) == ("Élan", "naïf")


def test_the_next_line_character_of_latin_1_ends_no_line(file: Write) -> None:
    assert outputs_of(b"a\x85b\nc\n", file, lines=2, encoding="latin-1") == ("a\x85b", "c")


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_compressed_files(ending: str, file: Write) -> None:
    packed = file(compress(b"eins\nzwei\n", Path(f"x{ending}")), f"a.txt{ending}")
    assert read(file("1\n2\n", "s"), packed).outputs["A"] == ("eins", "zwei")
    # By content, not by name.
    assert read(file("1\n2\n", "s"), file(packed.read_bytes(), "a.txt")).outputs["A"] == ("eins", "zwei")


# -- what is refused ---------------------------------------------------------------------------------


def test_a_wrong_encoding_is_refused_by_line(file: Write) -> None:
    message = refusal(file("a\nb\n", "s"), file("ok\ncafé\n".encode("latin-1"), "a.txt"))
    assert "a.txt: line 2 is not valid UTF-8 (byte 0xe9)" in message
    assert "--encoding latin-1" in message


def test_a_wrong_encoding_that_was_named_is_refused_by_line(file: Write) -> None:
    message = refusal(file("a\nb\n", "s"), file(b"ok\n\x81\n", "a.txt"), encoding="cp1252")
    assert "a.txt: line 2 is not valid cp1252" in message
    assert "name the file's real encoding" in message


@pytest.mark.parametrize("encoding", ["utf-8", "utf8", "UTF_8", "utf-8-sig"])
def test_utf_16_is_recognised(encoding: str, file: Write) -> None:
    message = refusal(file("a\n".encode("utf-16"), "s.txt"), file("a\n", "a.txt"), encoding=encoding)
    assert "s.txt: looks like UTF-16, not UTF-8; say so with --encoding utf-16" in message


def test_an_unknown_encoding_is_refused(file: Write) -> None:
    message = refusal(file("a\n", "s.txt"), file("a\n", "a.txt"), encoding="klingon")
    assert message == "unknown encoding 'klingon'; examples: utf-8, latin-1, utf-16, cp1252"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a\nb\rc\n", "a.txt: line 2 has a carriage return (U+000D) inside; lines must end in LF or CR LF"),
        ("a\rb\r", "a.txt: line 1 has a carriage return"),
        ("a\r\r\nb\r\r\n", "a.txt: line 1 has a carriage return"),
        ("a\nb\x00c\n", "a.txt: line 2 has the control character U+0000, which no text should have"),
        ("a\n\x1b[0m\n", "a.txt: line 2 has the control character U+001B"),
        ("a\nb".encode("utf-16-le"), "a.txt: line 1 has the control character U+0000"),
    ],
)
def test_control_characters_are_refused_by_line(content: str | bytes, words: str, file: Write) -> None:
    assert words in refusal(file("a\nb\n", "s"), file(content, "a.txt"))


def test_files_of_different_lengths_are_refused_with_all_counts(file: Write) -> None:
    message = refusal(file("a\nb\n", "src"), file("1\n2\n3\n", "long"), file("1\n", "short"), file("1\n2\n\n", "end"))
    rows = [line.split() for line in message.splitlines()[1:-1]]
    assert [(count, Path(name).name) for count, name, *_ in rows] == [
        ("2", "src"), ("3", "long"), ("1", "short"), ("3", "end"),
    ]  # fmt: skip
    assert [row[2:] for row in rows] == [[], [], [], ["(its", "last", "line", "is", "empty)"]]
    assert message.startswith("the files differ in their number of lines:\n")
    assert message.endswith("find the missing or extra lines")


@pytest.mark.parametrize("role", ["reference", "documents"])
def test_references_and_documents_must_have_as_many_lines(role: str, file: Write) -> None:
    message = refusal(file("a\nb\n", "s"), file("a\nb\n", "a"), **{role: file("1\n", "beside.txt")})
    assert "1  " in message
    assert "beside.txt" in message


def test_empty_files_are_refused(file: Write) -> None:
    assert "s.txt: no segment" in refusal(file("", "s.txt"), file("", "a.txt"))


def test_missing_files_and_folders_are_refused(file: Write, tmp_path: Path) -> None:
    assert "nowhere.txt: no such file" in refusal(file("a\n", "s"), tmp_path / "nowhere.txt")
    assert "is a folder; name the files in it" in refusal(file("a\n", "s"), tmp_path)


def test_the_language_pair_is_needed(file: Write) -> None:
    with pytest.raises(
        InputError, match=r"plain text files do not name their languages; say them, e\.g\. --langs fr-en"
    ):
        read_texts(source=file("a\n", "s"), systems={"A": file("a\n", "a")})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "a system has no name"),
        (" ", "a system has no name"),
        (" A", "has white space around it or control characters in it"),
        ("A\tB", "has white space around it or control characters in it"),
        ("A\u2028B", "has white space around it or control characters in it"),
        ("palmares:reference", "is reserved"),
        ("Palmares:x", "is reserved"),
    ],
)
def test_system_names_that_cannot_be_are_refused(name: str, words: str, file: Write) -> None:
    with pytest.raises(InputError, match=words):
        read_texts(langs="fr-en", source=file("a\n", "s"), systems={name: file("a\n", "a")})


# -- SGML --------------------------------------------------------------------------------------------


def sgm(kind: str, documents: dict[str, list[str]], **attributes: str) -> str:
    extra = "".join(f' {name}="{value}"' for name, value in attributes.items())
    body = "".join(
        f'<doc docid="{id}" origlang=en{extra}>\n<p>\n'
        + "".join(f'<seg id="{number}"> {text} </seg>\n' for number, text in enumerate(texts, 1))
        + "</p>\n</doc>\n"
        for id, texts in documents.items()
    )
    return f'<{kind} setid="test" srclang="any">\n{body}</{kind}>\n'


def test_sgml_files(file: Write) -> None:
    source = file(sgm("srcset", {"d1": ['R&amp;D & "x"', "a &lt; b"], "d2": ["trois"]}), "src.sgm")
    output = file(sgm("tstset", {"d1": ["1", "2"], "d2": ["3"]}, sysid="A").replace("seg", "SEG"), "a.SGM")
    texts = read(source, output)
    assert [(s.id, s.document, s.source) for s in texts.segments] == [
        ("d1:1", "d1", 'R&D & "x"'), ("d1:2", "d1", "a < b"), ("d2:1", "d2", "trois"),
    ]  # fmt: skip
    assert texts.outputs["A"] == ("1", "2", "3")
    # A line of the file is no segment, so that messages must speak of ids.
    assert texts.lines is None


def test_sgml_beside_plain_files(file: Write) -> None:
    texts = read(file(sgm("srcset", {"d": ["un", "deux"]}), "s.sgm"), file("one\ntwo\n", "a.txt"))
    assert texts.outputs["A"] == ("one", "two")
    assert [segment.id for segment in texts.segments] == ["d:1", "d:2"]


def test_compressed_sgml(file: Write) -> None:
    packed = compress(sgm("tstset", {"d": ["one"]}).encode(), Path("a.gz"))
    assert read(file("un\n", "s"), file(packed, "a.sgm.gz")).outputs["A"] == ("one",)


def test_documents_without_ids_are_counted(file: Write) -> None:
    text = "<srcset><doc><seg>un</seg></doc><doc><seg>deux\n  et plus</seg></doc></srcset>"
    texts = read(file(text, "s.sgm"), file("1\n2\n", "a"))
    assert [(s.id, s.source) for s in texts.segments] == [("1:1", "un"), ("2:1", "deux et plus")]


def test_sgml_files_with_other_segments_are_refused(file: Write) -> None:
    source = file(sgm("srcset", {"d1": ["un", "deux"], "d2": ["trois"]}), "s.sgm")
    output = file(sgm("tstset", {"d1": ["un"], "d2": ["deux", "trois"]}), "a.sgm")
    message = refusal(source, output)
    assert "a.sgm: segment 2 has the id 'd2:1', but" in message
    assert "s.sgm has 'd1:2' there" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing here\n", "no seg element inside a doc element; this is not an SGML test set"),
        ("<seg id=1>x</seg>", "line 1: a seg element outside a doc element"),
        ("<doc>\n<seg>x\n<seg>y</seg></doc>", "line 3: a seg element inside another; is an end tag missing?"),
        ("<doc>\n<seg>x</seg>\n<seg>cut sh", "line 3: a seg element without an end; is the file cut short?"),
        ("<doc sysid=a><seg>x</seg></doc><doc sysid=b><seg>y</seg></doc>", "outputs of several systems (a, b)"),
        ("<doc>\n<seg>x\x07</seg></doc>", "line 2 has the control character U+0007"),
    ],
)
def test_broken_sgml_is_refused(text: str, words: str, file: Write) -> None:
    assert words in refusal(file(text, "s.sgm"), file("x\n", "a"))
