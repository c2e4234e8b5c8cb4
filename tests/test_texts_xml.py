"""WMT test sets and Appraise tasks in XML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from palmares.errors import InputError
from palmares.texts import TestSet, check, read_texts

Write = Callable[..., Path]

WMT = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest">
  <collection id="general">
    <doc origlang="de" id="d1" domain="news">
      <src lang="de"><p>
        <seg id="1">Eins &amp; eins</seg>
        <seg id="2">Zwei
           Zeilen</seg>
      </p><p><seg id="3">Drei</seg></p></src>
      <ref lang="en" translator="refB"><p><seg id="1">B one</seg><seg id="2">B two</seg></p></ref>
      <ref lang="en" translator="refA"><p><seg id="1">A one</seg></p></ref>
      <hyp system="X" lang="en"><p><seg id="2">two</seg><seg id="1">one</seg><seg id="3"/></p></hyp>
      <hyp system="Y" lang="en"><p><seg id="1">1</seg><seg id="2">2</seg></p></hyp>
    </doc>
    <doc origlang="de" id="d2">
      <src lang="de"><seg id="1">Vier</seg></src>
      <ref lang="en" translator="refA"><seg id="1">A four</seg></ref>
      <hyp system="X" lang="en"><seg id="1">four</seg></hyp>
    </doc>
  </collection>
</dataset>
"""

HITS = """<?xml version="1.0" encoding="UTF-8"?>
<hits>
  <hit block-id="1" source-language="deu" target-language="eng">
    <seg id="5" doc-id="none">
      <source>Eins</source>
      <reference>One</reference>
      <translation system="A, B">one</translation>
      <translation system="C">1</translation>
    </seg>
    <seg id="9" doc-id="none"><source>Zwei</source><translation system="A">two</translation></seg>
  </hit>
  <hit block-id="2" source-language="deu" target-language="eng">
    <seg id="5" doc-id="none"><source>Eins</source><translation system="D">ONE</translation></seg>
  </hit>
</hits>
"""


def read(text: str, file: Write, langs: str | None = None) -> tuple[TestSet, ...]:
    return read_texts(path=file(text, "t.xml"), langs=langs)


def one(text: str, file: Write, langs: str | None = None) -> TestSet:
    (texts,) = read(text, file, langs)
    return texts


def refusal(text: str, file: Write, langs: str | None = None, format: str = "auto") -> str:
    with pytest.raises(InputError) as caught:
        read_texts(path=file(text, "t.xml"), langs=langs, format=format)
    return str(caught.value)


# -- WMT ---------------------------------------------------------------------------------------------


def test_a_wmt_test_set(file: Write) -> None:
    texts = one(WMT, file)
    assert [(s.id, s.document, s.source, s.reference) for s in texts.segments] == [
        ("d1:1", "d1", "Eins & eins", "B one"),
        ("d1:2", "d1", "Zwei Zeilen", "B two"),
        ("d1:3", "d1", "Drei", None),
        ("d2:1", "d2", "Vier", None),
    ]
    assert texts.outputs == {"X": ("one", "two", "", "four"), "Y": ("1", "2", "", "")}
    assert texts.missing == {("Y", 2), ("Y", 3)}
    assert (str(texts.langs), texts.lines) == ("de-en", None)


def test_of_several_references_the_first_is_taken_and_said_so(file: Write) -> None:
    (note,) = one(WMT, file).notes
    assert note.endswith("t.xml: the reference is the one by 'refB'; other references were left out: 'refA'")


def test_findings_name_segments_of_xml_by_id(file: Write) -> None:
    lines = check(one(WMT, file), only=["missing", "empty"]).lines()
    assert lines == [
        "de-en: error: missing: system Y: no output for 2 of 4 segments (segments d1:3–d2:1)",
        "de-en: warning: missing: no reference for 2 of 4 segments (segments d1:3–d2:1)",
        "de-en: warning: empty: system X: empty outputs (segment d1:3)",
    ]


def test_a_document_alone(file: Write) -> None:
    text = '<doc><src><seg>eins</seg><seg>zwei</seg></src><hyp system="A"><seg>1</seg><seg>2</seg></hyp></doc>'
    texts = one(text, file, "de-en")
    assert [segment.id for segment in texts.segments] == ["1:1", "1:2"]
    assert texts.outputs["A"] == ("1", "2")
    assert "document '1', segment 1: no language pair; say it" in refusal(text, file)


def test_language_tags_with_hyphens(file: Write) -> None:
    text = WMT.replace('lang="en"', 'lang="pt-BR"').replace('lang="de"', 'lang="zh-Hans-CN"')
    assert str(one(text, file).langs) == "zh_Hans_CN-pt_BR"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("</dataset>", "", "t.xml: line 22: broken XML (no element found)"),
        ("Eins &amp; eins", "Eins & eins", "t.xml: line 6: broken XML (not well-formed (invalid token))"),
        ('<src lang="de"><seg id="1">Vier</seg></src>', "", "line 15: document 'd2' has 0 src elements; allowed: one"),
        ('<seg id="2">Zwei', '<seg id="1">Zwei', "document 'd1': line 7: segment id '1' stands twice in one src"),
        ('<seg id="3"/>', '<seg id="4"/>', "document 'd1': the hyp 'X' has a segment '4' that the source has not"),
        ("<seg id=\"1\">A one", "<seg id=\"9\">A one", "the ref 'refA' has a segment '9' that the source has not"),
        ('system="Y"', 'system="X"', "document 'd1' has two hyp elements of the system 'X'; allowed: one"),
        ('translator="refA"', 'translator="refB"', "document 'd1' has two ref elements of the translator 'refB'"),
        ('system="Y"', "", "a system has no name"),
        ('system="X" lang="en"', 'system="X" lang="cs"', "document 'd1' has outputs in several languages (cs, en)"),
        ('<src lang="de"><p>', '<src lang="german"><p>', "document 'd1': language code: got 'german'"),
        ("Drei", "Dr\u0007ei", "t.xml: line 9: broken XML"),
        ("Drei", "Dr&#13;ei", "document 'd1', segment 3: the source has a carriage return"),
        ('id="d2"', 'id="d1"', "segment ids must differ, but more than one segment has 'd1:1'"),
    ],
)  # fmt: skip
def test_wmt_test_sets_that_are_refused(old: str, new: str, words: str, file: Write) -> None:
    assert old in WMT
    assert words in refusal(WMT.replace(old, new), file)


def test_xml_that_is_no_test_set(file: Write) -> None:
    assert "t.xml: no doc element; a WMT test set has <doc>" in refusal("<a><b/></a>", file, "de-en")
    assert "no hit element; Appraise tasks are <hit> elements" in refusal("<a/>", file, "de-en", "appraise-hits")


# -- entities ----------------------------------------------------------------------------------------

BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))


@pytest.mark.parametrize("root", ["dataset", "hits"])
def test_entities_are_refused_before_they_expand(root: str, file: Write) -> None:
    text = f'<!DOCTYPE {root} [\n<!ENTITY e0 "ha">{BOMB}]>\n<{root}>&e8;</{root}>'
    assert "t.xml: line 2: declares entities, which are refused; take the DOCTYPE out" in refusal(text, file)


def test_an_external_entity_is_refused(file: Write) -> None:
    text = '<!DOCTYPE doc [<!ENTITY x SYSTEM "file:///etc/hostname">]><doc><src><seg>&x;</seg></src></doc>'
    assert "declares entities, which are refused" in refusal(text, file)


def test_an_entity_of_a_document_type_elsewhere_is_not_left_out_in_silence(file: Write) -> None:
    text = '<!DOCTYPE doc SYSTEM "wmt.dtd">\n<doc><src lang="fr">\n<seg>caf&eacute;</seg></src></doc>'
    assert "t.xml: line 3: unknown entity 'eacute'; write the character itself" in refusal(text, file)


def test_a_document_type_without_entities_is_no_harm(file: Write) -> None:
    assert one(WMT.replace("<dataset", '<!DOCTYPE dataset SYSTEM "wmt.dtd">\n<dataset', 1), file) == one(WMT, file)


def test_the_declared_encoding_counts_no_more(file: Write) -> None:
    path = file(WMT.replace("Drei", "Größe").replace("utf-8", "iso-8859-1").encode("utf-16"), "t.xml")
    (texts,) = read_texts(path=path, encoding="utf-16")
    assert texts.segments[2].source == "Größe"


# -- Appraise ----------------------------------------------------------------------------------------


def test_appraise_tasks_are_put_together(file: Write) -> None:
    texts = one(HITS, file)
    assert [(s.id, s.document, s.source, s.reference) for s in texts.segments] == [
        ("5", "none", "Eins", "One"), ("9", "none", "Zwei", None),
    ]  # fmt: skip
    assert texts.outputs == {"A": ("one", "two"), "B": ("one", ""), "C": ("1", ""), "D": ("ONE", "")}
    assert texts.missing == {("B", 1), ("C", 1), ("D", 1)}
    assert str(texts.langs) == "deu-eng"


def test_ids_counted_within_documents_get_the_document(file: Write) -> None:
    text = HITS.replace('<seg id="9" doc-id="none">', '<seg id="5" doc-id="other">')
    assert [segment.id for segment in one(text, file).segments] == ["none:5", "other:5"]


def test_a_segment_without_document_keeps_its_id(file: Write) -> None:
    text = HITS.replace('<seg id="9" doc-id="none">', '<seg id="5">')
    assert [segment.id for segment in one(text, file).segments] == ["none:5", "5"]


def test_several_pairs_in_appraise_tasks(file: Write) -> None:
    text = HITS.replace('block-id="2" source-language="deu"', 'block-id="2" source-language="fra"')
    assert [(str(t.langs), t.systems) for t in read(text, file)] == [
        ("deu-eng", ("A", "B", "C")), ("fra-eng", ("D",)),
    ]  # fmt: skip
    assert [str(t.langs) for t in read(text, file, "fr-en")] == ["fra-eng"]


def test_a_hit_alone_and_its_pair_from_outside(file: Write) -> None:
    text = '<hit><seg id="1"><source>un</source><translation system="A">one</translation></seg></hit>'
    assert one(text, file, "fr-en").outputs == {"A": ("one",)}
    assert "t.xml: line 1: no language pair" in refusal(text, file)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<source>Zwei</source>", "", "t.xml: line 10: a seg element with 0 source elements; allowed: one"),
        ('<seg id="9" doc-id="none">', "<seg>", "t.xml: line 10: a seg element without id"),
        ('system="C"', "", "t.xml: line 8: a translation lacks its system"),
        ('system="C"', 'system="A"', "t.xml: line 4: two different translations by 'A' in one segment"),
        ('system="D"', 'system="C"', "t.xml: line 13: another output of 'C' for segment '5' than before"),
        ("<source>Eins</source><tr", "<source>Two</source><tr", "segment '5' has another source than at line 4; ids"),
        ('target-language="eng"', 'target-language="english"', "t.xml: line 3: language code: got 'english'"),
        ('system="C"', 'system="palmares:x"', "system name 'palmares:x' is reserved"),
    ],
)
def test_appraise_tasks_that_are_refused(old: str, new: str, words: str, file: Write) -> None:
    assert old in HITS
    assert words in refusal(HITS.replace(old, new), file)
