"""Checks that need no statistics, and how findings are told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from parallel import ENGLISH, ENGLISH_TOO, GERMAN, clean, found, report, texts_of, with_line

from palmares.errors import InputError
from palmares.texts import TEXT_CHECKS, CheckReport, Finding, LanguagePair
from palmares.texts.checks.base import Places

DE_EN = LanguagePair.parse("de-en")


@pytest.mark.parametrize("name", TEXT_CHECKS)
def test_good_texts_are_quiet(name: str) -> None:
    assert found(clean(), name) == []
    assert found(texts_of({"A": ENGLISH}), name) == []


@pytest.mark.parametrize("name", TEXT_CHECKS)
@pytest.mark.parametrize("lines", [1, 2, 3, 7])
def test_small_test_sets_are_quiet(name: str, lines: int) -> None:
    texts = texts_of({"A": ENGLISH[:lines], "B": ENGLISH_TOO[:lines]}, source=GERMAN[:lines])
    assert found(texts, name) == []


def test_the_report_says_when_there_is_nothing() -> None:
    assert report(clean()).summary() == "de-en: 30 segments, nothing to report"
    assert CheckReport(DE_EN, 1, ()).summary() == "de-en: 1 segment, nothing to report"


def test_only_some_checks() -> None:
    texts = clean(A=with_line(ENGLISH, 3, ""))
    assert [f.check for f in found(texts, "names", "empty")] == ["empty"]
    assert found(texts, "names") == []
    with pytest.raises(InputError, match=r"unknown text check 'emty'; known: reading, names.*did you mean 'empty'"):
        found(texts, "emty")


# -- reading, names ----------------------------------------------------------------------------------


def test_notes_of_the_reader_are_passed_on() -> None:
    (finding,) = found(replace(clean(), notes=("x.jsonl: keys were ignored",)), "reading")
    assert finding == Finding("reading", "warning", None, (), "x.jsonl: keys were ignored")


@pytest.mark.parametrize(
    ("one", "other"), [("online-A", "Online-a"), ("A", "\uff21"), ("A", "A\u200b"), ("Stra\xdfe", "STRASSE")]
)
def test_names_that_look_alike(one: str, other: str) -> None:
    (finding,) = found(texts_of({one: ENGLISH, other: ENGLISH_TOO, "C": ENGLISH}), "names")
    assert finding.severity == "warning"
    assert finding.message.startswith("system names that are hard to tell apart: ")
    assert repr(one) in finding.message
    assert "'C'" not in finding.message


# -- missing and empty -------------------------------------------------------------------------------


def test_missing_outputs_are_an_error() -> None:
    texts = replace(clean(), missing=frozenset({("B", 4), ("B", 1)}))
    (finding,) = found(texts, "missing")
    assert (finding.severity, finding.system, finding.lines) == ("error", "B", (2, 5))
    assert finding.message == "no output for 2 of 30 segments"


def test_some_missing_references_are_a_warning_and_none_at_all_are_nothing() -> None:
    texts = texts_of({"A": ENGLISH}, reference=[None, None, *ENGLISH_TOO[2:]])
    (finding,) = found(texts, "missing")
    assert (finding.severity, finding.system, finding.lines) == ("warning", None, (1, 2))
    assert finding.message == "no reference for 2 of 30 segments"
    assert found(texts_of({"A": ENGLISH}), "missing") == []


@pytest.mark.parametrize("nothing", ["", "  ", "\t", "\u200b", "\ufeff", "\xa0\u2003"])
def test_empty_texts(nothing: str) -> None:
    texts = texts_of(
        {"A": with_line(ENGLISH, 30, nothing), "B": ENGLISH_TOO},
        source=with_line(GERMAN, 1, nothing),
        reference=with_line(ENGLISH, 2, nothing),
    )
    assert found(texts, "empty") == [
        Finding("empty", "error", None, (1,), "empty sources"),
        Finding("empty", "warning", None, (2,), "empty references"),
        Finding("empty", "warning", "A", (30,), "empty outputs"),
    ]


def test_a_system_of_empty_outputs_is_an_error() -> None:
    (finding,) = found(clean(B=[""] * 30), "empty")
    assert (finding.severity, finding.system, len(finding.lines)) == ("error", "B", 30)
    assert finding.message == "all outputs are empty"


def test_what_is_missing_is_not_called_empty_too() -> None:
    texts = replace(clean(B=with_line(ENGLISH_TOO, 5, "")), missing=frozenset({("B", 4)}))
    assert found(texts, "empty") == []
    assert [finding.lines for finding in found(texts, "missing")] == [(5,)]


# -- identical ---------------------------------------------------------------------------------------


def test_the_same_file_twice() -> None:
    findings = found(clean(B=[f" {text} " for text in ENGLISH]), "identical")
    assert [(f.severity, f.message) for f in findings] == [
        ("warning", "A and B are equal on 30 of 30 lines; is it the same file twice?"),
        ("warning", "all systems give the same output on 30 lines; there is nothing to judge"),
    ]


def test_lines_on_which_all_or_some_agree_are_notes() -> None:
    third = [f"{text} Indeed." for text in ENGLISH]
    texts = clean(B=with_line(ENGLISH_TOO, 3, ENGLISH[2]), C=with_line(third, 3, ENGLISH[2]))
    texts = replace(texts, outputs=texts.outputs | {"C": with_line(texts.outputs["C"], 7, ENGLISH_TOO[6])})
    assert [(f.severity, f.system, f.lines, f.message) for f in found(texts, "identical")] == [
        ("note", None, (3,), "all systems give the same output on 1 line; there is nothing to judge"),
        ("note", None, (7,), "some systems give the same output on 1 line"),
    ]


def test_empty_outputs_are_not_called_identical() -> None:
    texts = clean(A=with_line(ENGLISH, 3, ""), B=with_line(ENGLISH_TOO, 3, ""))
    assert found(texts, "identical") == []


def test_one_system_agrees_with_nobody() -> None:
    assert found(texts_of({"A": ENGLISH}), "identical") == []


def test_copies_of_the_source() -> None:
    (finding,) = found(clean(A=with_line(ENGLISH, 9, f" {GERMAN[8]}")), "identical")
    assert (finding.severity, finding.system, finding.lines) == ("warning", "A", (9,))
    assert finding.message == "copies of the source on 1 line"


def test_most_lines_copied_from_the_source_are_an_error() -> None:
    (finding,) = found(clean(A=[*GERMAN[:16], *ENGLISH[16:]]), "identical")
    assert (finding.severity, finding.lines) == ("error", tuple(range(1, 17)))


@pytest.mark.parametrize("text", ["Jonas Keller, Freiburg", "1994 – 2014", "Shakespeare: Hamlet", "http://x.org"])
def test_names_and_numbers_may_stay_as_they_are(text: str) -> None:
    texts = texts_of({"A": with_line(ENGLISH, 4, text)}, source=with_line(GERMAN, 4, text))
    assert found(texts, "identical") == []


def test_copies_are_found_without_spaces_between_words() -> None:
    texts = texts_of(
        {"A": ["東京都は新しい予算案を発表した", "x"]}, source=["東京都は新しい予算案を発表した", "二"], langs="ja-zh"
    )
    assert [finding.lines for finding in found(texts, "identical")] == [(1,)]


def test_copying_is_no_fault_where_the_language_stays_the_same() -> None:
    assert found(texts_of({"A": ENGLISH}, source=ENGLISH, langs="en-en_GB"), "identical") == []


def test_a_leaked_reference() -> None:
    half = texts_of({"A": ENGLISH}, reference=[*ENGLISH[:15], *ENGLISH_TOO[15:]])
    assert found(half, "identical") == []
    (finding,) = found(texts_of({"A": ENGLISH}, reference=[*ENGLISH[:16], *ENGLISH_TOO[16:]]), "identical")
    assert (finding.severity, finding.system, finding.lines) == ("warning", "A", tuple(range(1, 17)))
    assert finding.message == "equal to the reference on 16 of 30 lines; has the reference leaked?"


def test_a_system_that_says_the_same_again_and_again() -> None:
    refusal = "I am sorry, but I cannot translate this text for you."
    outputs = list(ENGLISH)
    for number in (2, 5, 6, 20, 30):
        outputs[number - 1] = refusal
    (finding,) = found(clean(A=outputs), "identical")
    assert (finding.severity, finding.system, finding.lines) == ("warning", "A", (2, 5, 6, 20, 30))
    assert finding.message == "the same output for 5 different sources: 'I am sorry, but I cannot translate this …'"


def test_the_same_output_for_the_same_source_is_right() -> None:
    source = [*GERMAN[:25], *["Das sagte der Sprecher der Stadt."] * 5]
    outputs = [*ENGLISH[:25], *["This is what the spokesman said."] * 5]
    assert found(texts_of({"A": outputs}, source=source), "identical") == []


# -- how it is told ----------------------------------------------------------------------------------


def test_errors_come_first_and_can_be_accepted() -> None:
    texts = clean(A=with_line(ENGLISH, 3, ""), B=[""] * 30)
    whole = report(texts, "empty", "names")
    assert [finding.severity for finding in whole.findings] == ["error", "warning"]
    assert (len(whole.errors), len(whole.warnings)) == (1, 1)
    assert whole.blocking() == whole.errors
    assert whole.blocking(["names"]) == whole.errors
    assert whole.blocking(["empty"]) == ()


def test_a_finding_in_words() -> None:
    finding = Finding("empty", "warning", "A", (3, 4, 5, 9, 11, 13, 14, 20), "empty outputs")
    assert finding.text() == "warning: empty: system A: empty outputs (lines 3–5, 9, 11, 13–14, 20)"
    assert finding.text(2) == "warning: empty: system A: empty outputs (lines 3–5, 9 and 4 more)"
    assert Finding("names", "note", None, (), "x").text() == "note: names: x"
    assert Finding("empty", "error", None, (7,), "empty sources").text() == "error: empty: empty sources (line 7)"


def test_lines_are_those_of_the_file_where_it_has_some() -> None:
    texts = clean(A=with_line(with_line(ENGLISH, 1, ""), 2, ""))
    table = replace(texts, lines=tuple(range(2, 32)))
    assert report(table, "empty").lines() == ["de-en: warning: empty: system A: empty outputs (lines 2–3)"]
    assert report(replace(texts, lines=None), "empty").lines() == [
        "de-en: warning: empty: system A: empty outputs (segments 1–2)"
    ]
    # Whoever computes with findings gets numbers of segments.
    assert report(table, "empty").findings[0].lines == (1, 2)


def test_a_long_report_is_cut() -> None:
    findings = tuple(Finding("names", "warning", None, (), str(number)) for number in range(23))
    lines = CheckReport(DE_EN, 5, findings, Places()).summary(most=21).split("\n")
    assert lines[0] == "de-en: warning: names: 0"
    assert lines[-1] == "… and 2 more findings"
    assert len(lines) == 22
    assert CheckReport(DE_EN, 5, findings).summary(most=22).endswith("… and 1 more finding")
