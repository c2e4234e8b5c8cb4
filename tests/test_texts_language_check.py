"""Text in another script or language: planted lines and whole files, and good text that must stay quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from parallel import ENGLISH, ENGLISH_TOO, FRENCH, GERMAN, clean, found, texts_of, with_line

from palmares.texts import Finding
from palmares.texts.checks import language

RUSSIAN = "Городской совет Фрайбурга в понедельник обсудил новый бюджет."
CHINESE = "弗赖堡市议会星期一讨论了新的预算，会议一直开到午夜前不久才结束。"
JAPANESE = "フライブルク市議会は月曜日に新しい予算について話し合いました。"
SPANISH = "El ayuntamiento de Friburgo debatió el lunes sobre el nuevo presupuesto de la ciudad."
ITALIAN = "Il consiglio comunale di Friburgo ha discusso lunedì il nuovo bilancio della città."


def in_line_4(text: str, langs: str = "de-en", system: tuple[str, ...] = ENGLISH) -> list[Finding]:
    return found(texts_of({"A": with_line(system, 4, text)}, langs=langs), "language")


# -- lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 9, 14, 24, 30])
def test_a_line_in_the_source_language(number: int) -> None:
    (finding,) = found(clean(B=with_line(ENGLISH_TOO, number, GERMAN[number - 1])), "language")
    assert (finding.severity, finding.system, finding.lines) == ("warning", "B", (number,))
    assert finding.message == "1 line looks like the source language, de, not en"


@pytest.mark.parametrize(("text", "code"), [(FRENCH[1], "fr"), (SPANISH, "es"), (ITALIAN, "it")])
def test_a_line_in_a_third_language(text: str, code: str) -> None:
    (finding,) = in_line_4(text)
    assert (finding.severity, finding.system, finding.lines) == ("warning", "A", (4,))
    assert finding.message == f"1 line looks like {code}, not en"


def test_several_lines_are_told_by_language() -> None:
    outputs = with_line(with_line(with_line(ENGLISH, 2, GERMAN[1]), 8, FRENCH[2]), 20, GERMAN[19])
    assert [(f.lines, f.message) for f in found(clean(A=outputs), "language")] == [
        ((2, 20), "2 lines look like the source language, de, not en"),
        ((8,), "1 line looks like fr, not en"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Jonas Keller", "Ja.", "OK", "Die Zeit, Der Spiegel", "Freiburg im Breisgau",
        "http://www.stadt-freiburg.de/haushalt",
        "Schwimmbad am Fluss", "1994: 48 %, 2014: 12500", "", "…", "X X X X X X X X",
    ],
)  # fmt: skip
def test_short_lines_and_names_prove_nothing(text: str) -> None:
    assert in_line_4(text) == []


def test_close_languages_are_not_told_apart_line_by_line() -> None:
    spanish = [SPANISH, *[f"{number} casas, {number} perros y el río" for number in range(29)]]
    texts = texts_of({"A": with_line(spanish, 4, ITALIAN)}, langs="de-es")
    assert found(texts, "language") == []


def test_but_the_source_language_is() -> None:
    spanish = [SPANISH, *[f"El perro de la casa número {number} no quiere cruzar el río" for number in range(29)]]
    italian = [
        ITALIAN,
        *[f"Il cane della casa numero {number} non vuole attraversare il fiume" for number in range(29)],
    ]
    texts = texts_of({"A": with_line(spanish, 4, italian[3])}, source=italian, langs="it-es")
    assert [finding.lines for finding in found(texts, "language")] == [(4,)]


# -- whole texts -------------------------------------------------------------------------------------


def test_a_system_given_the_file_of_sources() -> None:
    (finding,) = found(clean(A=GERMAN), "language")
    assert (finding.severity, finding.system, finding.lines) == ("error", "A", ())
    assert finding.message == "the whole text looks like the source language, de, not en"


def test_source_and_reference_swapped() -> None:
    texts = texts_of({"A": ENGLISH_TOO}, source=ENGLISH, reference=GERMAN)
    assert [(f.severity, f.message) for f in found(texts, "language")] == [
        ("error", "sources: the whole text looks like the target language, en, not de"),
        ("error", "references: the whole text looks like the source language, de, not en"),
    ]


def test_a_file_in_a_third_language() -> None:
    texts = texts_of({"A": ENGLISH[:6], "B": FRENCH}, source=GERMAN[:6])
    assert [(f.severity, f.system, f.message) for f in found(texts, "language")] == [
        ("error", "B", "the whole text looks like fr, not en")
    ]


def test_a_file_of_short_lines_is_judged_as_a_whole() -> None:
    words = [word for text in GERMAN for word in text.split()]
    outputs = [" ".join(words[n : n + 2]) for n in range(0, 60, 2)]
    (finding,) = found(clean(A=outputs), "language")
    assert (finding.severity, finding.system) == ("error", "A")


def test_close_languages_are_told_apart_in_long_texts() -> None:
    """Portuguese is not Spanish, given enough of it."""
    portuguese = [
        f"A câmara municipal discutiu na segunda-feira o novo orçamento, e a reunião número {n} não terminou cedo."
        for n in range(30)
    ]
    (finding,) = found(texts_of({"A": portuguese}, langs="de-es"), "language")
    assert (finding.severity, finding.message) == ("error", "the whole text looks like pt, not es")


# -- scripts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "words"), [(RUSSIAN, "Cyrillic"), (CHINESE, "Han"), (JAPANESE, "Hiragana and Han")])
def test_a_line_in_another_script(text: str, words: str) -> None:
    first = in_line_4(text)[0]
    assert (first.severity, first.system, first.lines) == ("warning", "A", (4,))
    assert first.message == f"1 line in {words} letters, though the language is en"


def test_a_whole_text_in_another_script_is_said_once() -> None:
    russian = [f"{RUSSIAN} {number}" for number in range(30)]
    (finding,) = found(clean(A=russian), "language")
    assert (finding.severity, finding.system) == ("error", "A")
    assert finding.message == (
        "the whole text (30 of 30 lines that can be judged) is in Cyrillic letters, though the language is en"
    )


def test_english_left_in_a_chinese_text() -> None:
    chinese = tuple(f"{CHINESE}{number}" for number in range(30))
    findings = in_line_4(ENGLISH[3], "de-zh", chinese)
    assert findings[0].message == "1 line in Latin letters, though the language is zh"
    assert {finding.lines for finding in findings} == {(4,)}


@pytest.mark.parametrize(
    "text",
    [
        "使用 Microsoft Windows Server 2012 R2 Standard",
        "请访问 https://www.example.org/download/index.html",
        "OpenStreetMap、Wikipedia 和 GitHub",
        "iPhone 14 Pro Max（128GB）",
        "48",
    ],
)
def test_names_in_latin_letters_are_no_fault_in_a_chinese_text(text: str) -> None:
    chinese = tuple(f"{CHINESE}{number}" for number in range(30))
    assert in_line_4(text, "de-zh", chinese) == []


def test_a_script_subtag_says_what_is_expected() -> None:
    latin = [f"Gradski savet je u ponedeljak raspravljao o novom budžetu, {number} sati." for number in range(30)]
    assert found(texts_of({"A": latin}, langs="de-sr"), "language") == []
    assert found(texts_of({"A": latin}, langs="de-sr_Latn"), "language") == []
    (finding,) = found(texts_of({"A": latin}, langs="de-sr_Cyrl"), "language")
    assert (finding.severity, finding.lines) == ("error", tuple(range(1, 31)))


def test_a_language_that_nobody_knows_is_left_alone() -> None:
    assert found(texts_of({"A": ENGLISH}, langs="de-xyz"), "language") == []


def test_a_test_set_in_one_language() -> None:
    texts = texts_of({"A": ENGLISH, "B": with_line(ENGLISH_TOO, 7, GERMAN[6])}, source=ENGLISH, langs="en-en")
    assert [(f.system, f.lines) for f in found(texts, "language")] == [("B", (7,))]


def test_norwegian_goes_by_another_name() -> None:
    """Bokmål is `nb` to us and `no` to py3langid."""
    norwegian = [f"Byrådet drøftet det nye budsjettet på mandag, og møtet varte i nesten {n} timer." for n in range(30)]
    assert found(texts_of({"A": norwegian}, langs="de-nb"), "language") == []
    texts = texts_of({"A": with_line(norwegian, 4, GERMAN[3])}, langs="de-nob")
    assert [finding.lines for finding in found(texts, "language")] == [(4,)]
    texts = texts_of({"A": with_line(ENGLISH, 4, norwegian[3])}, source=norwegian, langs="nb-en")
    assert [finding.message for finding in found(texts, "language")] == [
        "1 line looks like the source language, no, not en"
    ]


# -- without the package that knows languages --------------------------------------------------------


@pytest.fixture
def no_langid(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    language._ranking.cache_clear()
    yield
    language._ranking.cache_clear()


@pytest.mark.usefixtures("no_langid")
def test_without_py3langid_scripts_are_still_checked() -> None:
    findings = found(clean(A=with_line(GERMAN, 4, RUSSIAN)), "language")
    assert [(f.severity, f.system, f.message) for f in findings] == [
        ("warning", "A", "1 line in Cyrillic letters, though the language is en"),
        ("note", None, "only scripts were checked; to check languages too: pip install 'palmares[server]'"),
    ]


# -- lines that need no guess ------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that py3langid is asked about."""
    texts: list[str] = []
    rank = language._ranking()
    assert rank is not None

    def noting(text: str) -> language.Ranked:
        texts.append(text)
        return rank(text)

    monkeypatch.setattr(language, "_ranking", lambda: noting)
    return texts


def test_familiar_words_save_guesses_and_hide_nothing(asked: list[str]) -> None:
    guesser = language.guesser_of("en", "de")
    assert guesser is not None
    assert [guesser.foreign_line(text) for text in ENGLISH] == [None] * 30
    before = len(asked)
    assert [guesser.foreign_line(text) for text in ENGLISH] == [None] * 30
    assert len(asked) == before
    assert [guesser.foreign_line(text) for text in GERMAN] == ["de"] * 30


def test_a_foreign_line_is_foreign_twice() -> None:
    """Though its words stand untranslated in lines that are otherwise right."""
    mixed = f"The newspaper printed the words {GERMAN[1]} in the middle of an otherwise quite English sentence."
    guesser = language.guesser_of("en", "de")
    assert guesser is not None
    assert [guesser.foreign_line(text) for text in (GERMAN[1], mixed, GERMAN[1])] == ["de", None, "de"]
