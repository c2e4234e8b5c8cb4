"""Language codes and pairs: how they are written, and what a page must know of a language."""

from __future__ import annotations

import pytest

from palmares.errors import InputError
from palmares.texts import LanguagePair
from palmares.texts.checks.scripts import expected_scripts, letters
from palmares.texts.languages import base_language, direction, html_lang, parse_code, script_of


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("fr-en", "fr-en"),
        (" FR-EN ", "fr-en"),
        ("deu-eng", "deu-eng"),
        ("pt_BR-en", "pt_BR-en"),
        ("PT_br-EN_gb", "pt_BR-en_GB"),
        ("zh_hans-en", "zh_Hans-en"),
        ("zh_hant_tw-es_419", "zh_Hant_TW-es_419"),
        ("cz-jp", "cz-jp"),
        ("en-en", "en-en"),
    ],
)
def test_pairs_keep_their_codes(text: str, written: str) -> None:
    pair = LanguagePair.parse(text)
    assert str(pair) == written
    assert LanguagePair.parse(str(pair)) == pair


@pytest.mark.parametrize("text", ["", "fr", "fr_en", "fr-en-de", "pt-BR-en", "fr–en", "french", "fr en"])
def test_what_is_no_pair_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="allowed: two codes joined by a hyphen") as caught:
        LanguagePair.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["f-en", "frrr-en", "fr-e n", "fr_X-en", "fr_12-en", "1r-en", "-en", "fr-", "-"])
def test_what_is_no_code_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"language code: got .*; allowed: two codes"):
        LanguagePair.parse(text)


@pytest.mark.parametrize("code", ["qq", "uk_", "xx", "eu_XYZ"])
def test_codes_that_do_not_exist_are_refused(code: str) -> None:
    with pytest.raises(InputError, match=f"got '{code}'"):
        parse_code(code)


def test_two_letters_that_are_no_language_are_told_as_such() -> None:
    with pytest.raises(InputError, match="and ISO 639-1 has no 'xx'"):
        parse_code("xx_Latn")


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("de", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("cz", "cs"),
        ("cze", "cs"),
        ("jp", "ja"),
        ("iw", "he"),
        ("ua", "uk"),
        ("zh_Hans", "zh-Hans"),
        ("cmn_Hant_TW", "zh-Hant-TW"),
        ("pt_BR", "pt-BR"),
        ("es_419", "es-419"),
        ("arz", "arz"),
        ("gsw", "gsw"),
        ("nob", "nb"),
    ],
)
def test_tags_for_pages(code: str, tag: str) -> None:
    """The shortest code of ISO 639 in the syntax of BCP 47."""
    assert html_lang(code) == tag


@pytest.mark.parametrize("code", ["ar", "ara", "he", "iw", "heb", "fa", "pes", "ur", "ckb", "yi", "dv", "arz", "arq"])
def test_languages_from_right_to_left(code: str) -> None:
    assert direction(code) == "rtl"


@pytest.mark.parametrize("code", ["en", "zh", "ja", "hi", "ku", "tr", "ha", "az", "pa", "mt", "so", "deu"])
def test_languages_from_left_to_right(code: str) -> None:
    assert direction(code) == "ltr"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("az_Arab", "rtl"),
        ("pa_Arab_PK", "rtl"),
        ("ku_arab", "rtl"),
        ("ff_Adlm", "rtl"),
        ("he_Latn", "ltr"),
        ("ar_Latn", "ltr"),
        ("ks_Deva", "ltr"),
        ("yi_Hebr", "rtl"),
        ("ar_EG", "rtl"),
        ("en_IL", "ltr"),
    ],
)
def test_a_script_decides_before_the_language(code: str, expected: str) -> None:
    assert direction(code) == expected


def test_the_parts_of_a_code() -> None:
    assert (base_language("deu_AT"), script_of("deu_AT")) == ("de", None)
    assert (base_language("zh_Hans_CN"), script_of("zh_Hans_CN")) == ("zh", "Hans")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("de-en", "deu-eng", True),
        ("cz-en", "ces-en", True),
        ("de-en", "en-de", False),
        ("pt_BR-en", "pt-en", False),
        ("zh_Hans-en", "zho_Hans-eng", True),
    ],
)
def test_pairs_that_mean_the_same(one: str, other: str, same: bool) -> None:
    assert LanguagePair.parse(one).same_as(LanguagePair.parse(other)) is same


def test_pairs_are_ordered_by_source_then_target() -> None:
    pairs = [LanguagePair.parse(text) for text in ("fr-en", "de-fr", "de-en")]
    assert [str(pair) for pair in sorted(pairs)] == ["de-en", "de-fr", "fr-en"]


# -- scripts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ("en", {"LATIN"}),
        ("vi", {"LATIN"}),
        ("rus", {"CYRILLIC"}),
        ("el", {"GREEK"}),
        ("ja", {"HAN", "HIRAGANA", "KATAKANA"}),
        ("zh_Hant", {"HAN"}),
        ("sr_Latn", {"LATIN"}),
        ("sr_Cyrl", {"CYRILLIC"}),
    ],
)
def test_scripts_of_languages(code: str, scripts: set[str]) -> None:
    assert expected_scripts(code) == scripts


@pytest.mark.parametrize("code", ["sr", "az", "uz", "kk", "mn", "gsw", "en_Shaw"])
def test_nothing_is_expected_where_scripts_vary_or_are_not_known(code: str) -> None:
    assert expected_scripts(code) is None


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("a1, é!", {"LATIN": 2}),
        ("abc 12", {"LATIN": 3}),
        ("мир ok", {"CYRILLIC": 3, "LATIN": 2}),
        ("東京タワーへ", {"HAN": 2, "KATAKANA": 3, "HIRAGANA": 1}),
        ("ＡＢ", {"LATIN": 2}),
        ("123 …", {}),
    ],
)
def test_letters_are_counted_by_script(text: str, counts: dict[str, int]) -> None:
    assert {script: count for script, count in letters(text).items() if count} == counts
