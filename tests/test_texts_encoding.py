"""Wrongly decoded text and leftovers of processing, planted and not."""

from __future__ import annotations

import pytest
from parallel import ENGLISH, FRENCH, GERMAN, clean, found, texts_of, with_line

from palmares.texts import Finding

WRONG = "UTF-8 taken for another encoding (such as Ã© for é)"


def in_line_3(text: str, source: str | None = None) -> list[Finding]:
    sources = GERMAN if source is None else with_line(GERMAN, 3, source)
    return found(texts_of({"A": with_line(ENGLISH, 3, text)}, source=sources), "encoding")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize(
    "text",
    [
        "un café", "naïf", "Ça va", "die Größe", "el niño", "ESPAÑA", "CAFÉ", "“so”", "it’s", "eins – zwei", "zehn €",
        "já není", "že ne", "Łódź leży", "não", "déjà là", "tiếng Việt", "Привет мир", "Ελληνικά", "日本語の文",
        "中文文本", "한국어 문장", "İstanbul’da ışık",
    ],
)  # fmt: skip
def test_utf_8_taken_for_western_encodings(text: str, encoding: str) -> None:
    wrong = text.encode().decode(encoding, errors="replace").replace("\ufffd", "")
    assert WRONG in [finding.message for finding in in_line_3(wrong)]


@pytest.mark.parametrize("text", ["Привет", "это «цитата»", "it’s"])
def test_utf_8_taken_for_windows_cyrillic(text: str) -> None:
    wrong = text.encode().decode("cp1251", errors="replace").replace("\ufffd", "")
    assert WRONG in [finding.message for finding in in_line_3(wrong)]


@pytest.mark.parametrize("text", [*FRENCH, *GERMAN])
def test_accents_are_no_fault(text: str) -> None:
    assert in_line_3(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "AMANHÃ…", "A IRMÃ” disse", "MAÇÃ’", "NÃO", "São Tomé", "„weiß“", "Åland”", "Ångström", "Đà Nẵng – Ấn Độ",
        "РІЧНИЦЯ", "СІЧЕНЬ", "«Là…»", "façade—no", "in Köln‘", "ÄÖÜ", "Ü–Wagen", "5 µm, 20 °C, ½ ©", "x² · y³",
        "ÀÉÎ «»", "Úštěk a Ížek", "voilà…", "\u200b", "soft\u00adhyphen", "m\xa0€",
        "AT&T; R&D", "me@@you.org", "< 3 > 2", "a < b",
        '"so"', '"Yes," she said, "no."', '""', "<b>bold</b>", "٪ ۱۲ ،", "नमस्ते", "สวัสดี",
    ],
)  # fmt: skip
def test_good_text_is_quiet(text: str) -> None:
    assert in_line_3(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("caf\ufffd", "the replacement character U+FFFD"),
        ("AT&amp;T", "HTML entities (such as &quot; or &amp;) left in"),
        ("&quot;so&quot;", "HTML entities"),
        ("it &apos;s", "HTML entities"),
        ("a &#91; b", "HTML entities"),
        ("&#x27;", "HTML entities"),
        ("&amp ;", "HTML entities"),
        ("un@@ related", "word pieces (@@ or ▁) that were not joined"),
        ("cut off un@@", "word pieces"),
        ("▁The ▁end", "word pieces"),
        ("the <unk> said", "tokens of a model (such as <unk> or </s>) left in"),
        ("the end</s>", "tokens of a model"),
        ("over<|im_end|>", "tokens of a model"),
        ("a ⁇ b", "tokens of a model"),
        ('"He said ""no"" to it"', 'quotation marks of a table ("…""…") left in'),
        ("a\u2028b", "control characters or separators of lines inside a text"),
        ("a\x85b", "control characters"),
        ("a\x0cb", "control characters"),
        ("a\ufeffb", "control characters"),
    ],
)
def test_leftovers(text: str, words: str) -> None:
    (finding,) = in_line_3(text)
    assert (finding.severity, finding.system, finding.lines) == ("warning", "A", (3,))
    assert finding.message.startswith(words)
    # What the source has, the system did not do.
    assert [finding.system for finding in in_line_3(text, source=text)] == [None]


def test_sources_and_references_are_looked_at_too() -> None:
    texts = texts_of({"A": ENGLISH}, source=with_line(GERMAN, 2, "Ã¼ber"), reference=with_line(ENGLISH, 5, "x &amp; y"))
    assert [(f.system, f.lines, f.message) for f in found(texts, "encoding")] == [
        (None, (2,), f"in the sources, {WRONG}"),
        (None, (5,), "in the references, HTML entities (such as &quot; or &amp;) left in"),
    ]


@pytest.mark.parametrize(("count", "severity"), [(1, "warning"), (2, "warning"), (3, "error"), (30, "error")])
def test_many_wrongly_decoded_lines_are_an_error(count: int, severity: str) -> None:
    """From a tenth of the lines on, and at least three of them."""
    outputs = [f"{text} Ã©" if number < count else text for number, text in enumerate(ENGLISH)]
    (finding,) = found(clean(A=outputs), "encoding")
    assert (finding.severity, finding.lines) == (severity, tuple(range(1, count + 1)))


def test_many_entities_stay_a_warning() -> None:
    (finding,) = found(clean(A=[f"{text} &amp;" for text in ENGLISH]), "encoding")
    assert finding.severity == "warning"


def test_a_text_over_several_lines() -> None:
    texts = texts_of({"A": ['"a\nb ""c"" d"', "▁x\ny@@\nz"]}, source=["eins", "zwei"])
    assert [finding.lines for finding in found(texts, "encoding")] == [(2,)]
