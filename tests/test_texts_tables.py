"""Tables and JSON Lines: everything about a segment on one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palmares.errors import InputError
from palmares.ingest.source import compress
from palmares.texts import TestSet, read_texts

Write = Callable[..., Path]


def one(path: Path, langs: str | None = "fr-en", **options: str) -> TestSet:
    (texts,) = read_texts(path=path, langs=langs, **options)  # type: ignore[arg-type]
    return texts


def refusal(path: Path, langs: str | None = "fr-en", **options: str) -> str:
    with pytest.raises(InputError) as caught:
        read_texts(path=path, langs=langs, **options)  # type: ignore[arg-type]
    return str(caught.value)


# -- tables ------------------------------------------------------------------------------------------


def test_tab_separated(file: Write) -> None:
    texts = one(
        file('id\tdocument\tsource\treference\tA\tB\n7\td\tun "1"\tone\t\ta, b\n8\t\tdeux\ttwo\tx\ty\n', "t.tsv")
    )
    assert [(s.id, s.document, s.source, s.reference) for s in texts.segments] == [
        ("7", "d", 'un "1"', "one"), ("8", None, "deux", "two"),
    ]  # fmt: skip
    assert texts.outputs == {"A": ("", "x"), "B": ("a, b", "y")}
    # An empty field is an output of nothing, no missing one.
    assert texts.missing == frozenset()


def test_comma_separated(file: Write) -> None:
    texts = one(file('source,A\n"un, deux","one\ntwo"\n\n"say ""oui""",x\n', "t.csv"))
    assert [segment.source for segment in texts.segments] == ["un, deux", 'say "oui"']
    assert texts.outputs["A"] == ("one\ntwo", "x")
    # The second row begins on the fifth line of the file: its first is the header, and a field has a line break.
    assert texts.lines == (2, 5)
    assert [segment.id for segment in texts.segments] == ["1", "2"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.txt", "source\tA\nun, deux\tone\n"),
        ("t.csv", 'source,A\n"un, deux",one\n'),
        ("t", 'source,A\r\n"un, deux",one\r\n'),
        ("t.tsv", "\ufeffSource\tA\r\nun, deux\tone\r\n"),
        ("t.tsv", "source\tA\n\nun, deux\tone\n\n"),
    ],
)
def test_the_separator_is_found_out(name: str, content: str, file: Write) -> None:
    texts = one(file(content, name))
    assert (texts.segments[0].source, dict(texts.outputs)) == ("un, deux", {"A": ("one",)})


def test_compressed_tables_keep_their_ending(file: Write) -> None:
    packed = compress(b"source,A\nun,a\tb\n", Path("t.csv.gz"))
    assert one(file(packed, "t.csv.gz")).outputs["A"] == ("a\tb",)


def test_several_language_pairs_in_one_table(file: Write) -> None:
    path = file("langs\tsource\tA\nfr-en\tun\tone\nde-en\teins\t1\n\tdeux\ttwo\n", "t.tsv")
    found = read_texts(path=path, langs="fr-en")
    assert [(str(t.langs), t.outputs["A"], t.lines) for t in found] == [("fr-en", ("one", "two"), (2, 4))]
    assert "line 4: no language pair; say it, e.g. --langs fr-en" in refusal(path, None)


def test_all_pairs_of_a_table_are_given_sorted(file: Write) -> None:
    path = file("langs\tsource\tA\nfr-en\tun\tone\nde-en\teins\t1\n", "t.tsv")
    assert [str(texts.langs) for texts in read_texts(path=path)] == ["de-en", "fr-en"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("src\tA\nx\ty\n", "no column 'source' in the header (it has: src, A); a table of texts needs 'source'"),
        ("source\n", "no segment"),
        ("source\nun\n", "no system; give the outputs of at least one"),
        ("source\tA\tA\nx\ty\tz\n", "the header names 'A' twice; column names must differ"),
        ("source\tSource\tA\nx\ty\tz\n", "the header names the column 'source' twice"),
        ("source\tA\t\nx\ty\t\n", "a system has no name"),
        ("source\t A\nx\ty\n", "system name ' A' has white space around it"),
        (
            "source\tA\nx\ty\nx\n",
            "t.tsv: line 3: 1 field, but the header has 2; is a separator or quotation mark missing or extra?",
        ),
        ("source\tA\nx\ty\tz\n", "t.tsv: line 2: 3 fields, but the header has 2"),
        ("id\tsource\tA\n1\tx\ty\n1\tx\ty\n", "segment ids must differ, but more than one segment has '1'"),
        ("langs\tsource\tA\nklingon\tx\ty\n", "t.tsv: line 2: language pair: got 'klingon'"),
        ("langs\tsource\tA\nfr-qq\tx\ty\n", "t.tsv: line 2: language code: got 'qq'"),
        ("source\tA\nx\ty\x07\n", "t.tsv: line 2: A has the control character U+0007"),
        ("source\tA\n\x00\ty\n", "t.tsv: line 2: the source has the control character U+0000"),
        ("source\treference\tA\nx\tr\rr\ty\n", "t.tsv: line 2: the reference has a carriage return"),
        ("id\tsource\tA\na\x07\tx\ty\n", "the id 'a\\x07' of a segment or document has control characters"),
    ],
)
def test_tables_that_are_refused(content: str, words: str, file: Write) -> None:
    assert words in refusal(file(content, "t.tsv"))


def test_broken_csv_is_refused_where_the_row_begins(file: Write) -> None:
    message = refusal(file('source,A\nx,y\n"open,z\nmore\n', "t.csv"))
    assert "t.csv: line 3: broken CSV" in message
    assert "is a quotation mark missing?" in message


def test_a_plain_text_taken_for_a_table_is_not_printed_whole(file: Write) -> None:
    message = refusal(file("word " * 1000, "t.txt"))
    assert "no column 'source'" in message
    assert len(message) < 400


# -- JSON Lines --------------------------------------------------------------------------------------


def lines_of(*values: object) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def test_json_lines(file: Write) -> None:
    first = {"id": 7, "document": "d", "source": "un", "reference": "one", "outputs": {"A": "a\r\nb", "B": ""}}
    second = {"id": "x", "source": "deux\u2028", "outputs": {"A": "two"}}
    texts = one(file(lines_of(first) + "\n" + lines_of(second), "t.jsonl"))
    assert [(s.id, s.document, s.source, s.reference) for s in texts.segments] == [
        ("7", "d", "un", "one"), ("x", None, "deux\u2028", None),
    ]  # fmt: skip
    assert texts.outputs == {"A": ("a\nb", "two"), "B": ("", "")}
    # B gave nothing for the first segment, and is not there for the second.
    assert texts.missing == {("B", 1)}
    assert (texts.lines, texts.notes) == ((1, 3), ())


def test_several_language_pairs_in_json_lines(file: Write) -> None:
    path = file(
        lines_of(
            {"langs": "fr-en", "source": "un", "outputs": {"A": "one"}},
            {"langs": "de-en", "source": "eins", "outputs": {"B": "1"}},
        )
    )
    assert [(str(t.langs), t.systems, t.lines) for t in read_texts(path=path)] == [
        ("de-en", ("B",), (2,)), ("fr-en", ("A",), (1,)),
    ]  # fmt: skip


def test_keys_without_meaning_are_told(file: Write) -> None:
    value = {"source": "un", "refrence": "one", "domain": 1, "outputs": {"A": "x"}}
    texts = one(file(lines_of(value), "t.jsonl"))
    (note,) = texts.notes
    assert note.endswith('t.jsonl: unknown keys were ignored: "domain", "refrence"')


GOOD = {"source": "un", "outputs": {"A": "x"}}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lines_of(GOOD) + "{oops\n", "t.jsonl: line 2: is not JSON"),
        ('{"source": "un",\n"outputs": {}}\n', "t.jsonl: line 1: is not JSON"),
        ('[{"source": "un"}]', 't.jsonl: line 1: "outputs" must be an object from system to text'),
        ('["un"]', "t.jsonl: line 1: is a JSON str; every line must be one object with 'source'"),
        ("[" * 100_000, "t.jsonl: line 1: is not JSON"),
        (lines_of(GOOD | {"source": None}), 't.jsonl: line 1: "source" must be a text'),
        (lines_of({"outputs": {"A": "x"}}), 't.jsonl: line 1: "source" must be a text'),
        (lines_of({"source": "un"}), 't.jsonl: line 1: "outputs" must be an object from system to text'),
        (lines_of(GOOD | {"outputs": {"A": 1}}), 't.jsonl: line 1: "outputs" must be an object from system to text'),
        (lines_of(GOOD | {"outputs": ["x"]}), 't.jsonl: line 1: "outputs" must be an object from system to text'),
        (lines_of(GOOD | {"outputs": {}}), "no system; give the outputs of at least one"),
        (lines_of(GOOD | {"reference": ["r"]}), 't.jsonl: line 1: "reference" must be a text; got ["r"]'),
        (lines_of(GOOD | {"id": True}), 't.jsonl: line 1: "id" must be a text; got true'),
        (lines_of(GOOD | {"langs": "french"}), "t.jsonl: line 1: language pair: got 'french'"),
        ('{"source": "\\ud800", "outputs": {"A": "x"}}', "t.jsonl: line 1: the source has half a character U+D800"),
        (lines_of(GOOD | {"source": "a\rb"}), "t.jsonl: line 1: the source has a carriage return"),
        (lines_of(GOOD | {"id": "1"}, GOOD | {"id": 1}), "segment ids must differ"),
        (lines_of(GOOD | {"document": "a\nb"}), "the id 'a\\nb' of a segment or document has control characters"),
    ],
)
def test_json_lines_that_are_refused(content: str, words: str, file: Write) -> None:
    assert words in refusal(file(content, "t.jsonl"))


def test_other_encodings(file: Write) -> None:
    path = file("source\tA\nété\tsummer\n".encode("latin-1"), "t.tsv")
    assert one(path, encoding="latin-1").segments[0].source == "été"
    assert "t.tsv: line 2 is not valid UTF-8" in refusal(path)
