"""The words of the pages: every language says everything the pages ask for, and readers get the language they want."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest
from jinja2 import nodes
from starlette.requests import Request

from palmares.campaign import STATES, Role
from palmares.campaign.answers import SKIP_REASONS
from palmares.campaign.crowd import AWAY
from palmares.campaign.group_links import WORKER_STATES
from palmares.server.judging import script_words
from palmares.server.markup import to_html
from palmares.server.pages import HERE, LANGUAGE_COOKIE, STATIC, environment, render
from palmares.server.problems import IN_WORDS
from palmares.server.words import LANGUAGES, choose_language, words
from palmares.server.words.catalogue import CATALOGUES, preferred

ENGLISH = words("en").texts
OTHERS = [language for language in LANGUAGES if language != "en"]

#: What may be the same in English, and why.
SAME_AS_ENGLISH = {
    "list.separator": {"de", "fr", "cs", "es"},  # a comma and a space part a list there too
    "keys.enter": {"de", "cs", "ar"},  # what is printed on the key
    "crowd.minutes": {"de", "fr", "cs", "es"},  # the sign of the unit
}
#: The keys that templates put together: how they begin, and what comes next.
PUT_TOGETHER = {
    "crowd.away.": set(AWAY),
    "crowd.end.": set(WORKER_STATES) - {"working"},
    "error.": IN_WORDS | {"refused"},
    "home.role.": {role.value for role in Role},
    "home.state.": set(STATES),
    "join.": {role.value for role in Role},
    "skip.reason.": set(SKIP_REASONS),
    "pair.": {"first", "tie", "both-bad", "second"},
}
each_language = pytest.mark.parametrize("language", LANGUAGES)
each_other = pytest.mark.parametrize("language", OTHERS)


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


# -- the catalogues ----------------------------------------------------------------------------------------


def test_there_is_one_catalogue_a_language() -> None:
    assert {path.stem for path in CATALOGUES.glob("*.toml")} == set(LANGUAGES)


@each_other
def test_a_catalogue_has_the_keys_of_english_in_their_order(language: str) -> None:
    assert list(words(language).texts) == list(ENGLISH)


@each_language
def test_placeholders_are_those_of_english(language: str) -> None:
    texts = words(language).texts
    assert {key: placeholders(text) for key, text in texts.items()} == {
        key: placeholders(text) for key, text in ENGLISH.items()
    }


@each_language
def test_scripts_find_the_placeholders_that_python_finds(language: str) -> None:
    for key, text in words(language).texts.items():
        assert set(re.findall(r"\{(\w+)\}", text)) == placeholders(text), key
        assert text.count("{") == text.count("}") == len(re.findall(r"\{\w+\}", text)), key


@each_language
def test_values_stand_where_the_placeholders_were(language: str) -> None:
    say = words(language)
    assert re.search(r"\b7\b.*\b9\b", say("progress.count", done=7, target=9))
    assert "{" not in say("join.judge", name="Ann", campaign="wmt")


@each_language
def test_no_text_is_empty_or_has_loose_spaces(language: str) -> None:
    for key, text in words(language).texts.items():
        assert text.strip(), key
        assert text == text.strip() or key == "list.separator" or key.endswith(".default"), key
        assert "  " not in text, key


@each_other
def test_only_what_may_be_is_the_same_as_in_english(language: str) -> None:
    same = {key for key, text in words(language).texts.items() if text == ENGLISH[key]}
    assert same == {key for key, languages in SAME_AS_ENGLISH.items() if language in languages}


@each_language
@pytest.mark.parametrize("key", ["screen.best", "screen.worst"])
def test_the_ends_of_the_scale_are_short(language: str, key: str) -> None:
    assert len(words(language)(key)) <= 12  # five ranks are 13.75 rem wide, and two such words share that


@each_language
def test_the_ends_of_the_scale_can_be_told_apart(language: str) -> None:
    say = words(language)
    assert say("screen.best") != say("screen.worst")
    choices = [say(f"pair.{choice}") for choice in ("first", "tie", "both-bad", "second")]
    assert len(set(choices)) == 4
    assert max(map(len, choices)) <= 24  # half the width of a phone, on two lines at most


@each_language
def test_reasons_for_skipping_can_be_told_apart(language: str) -> None:
    reasons = words(language).beginning("skip.reason.")
    assert len(set(reasons.values())) == len(SKIP_REASONS)


@each_language
@pytest.mark.parametrize(
    ("vocabulary", "key", "points"),
    [
        *(("translation", "instructions.default", 6), ("prompt", "instructions.default", 6)),
        *(("translation", "instructions.pair", 6), ("prompt", "instructions.pair", 5)),
    ],
)
def test_built_in_instructions_are_markdown(language: str, vocabulary: str, key: str, points: int) -> None:
    html = to_html(words(language).in_vocabulary(vocabulary)(key))
    assert html.count("<strong>") == 4
    assert html.count("<li>") == points
    assert html.count("<ul>") == 1
    assert html.count("<p>") == 2
    assert "**" not in html


@each_language
def test_default_consent_is_one_plain_paragraph(language: str) -> None:
    html = to_html(words(language)("consent.default"))
    assert re.findall(r"<(\w+)", html) == ["p"]
    assert html.count(".") == ENGLISH["consent.default"].count(".")  # as many sentences


# -- typography --------------------------------------------------------------------------------------------

#: What must not be found in a language.
MISPRINTS = {
    "de": r"[\"'“](?=\w)|[»«]|\.\.\.",
    "fr": r"[^\u202f][:;?!»]|«[^\u202f]|[\"']|\.\.\.",
    "cs": r"[\"'“](?=\w)|[»«]|\.\.\.",
    "es": r"^[^¿]*\?|^[^¡]*!|[\"']|\s[:;?!]|\.\.\.",
    "ar": r"\u0640|[,;?\"'“”]|\.\.\.|[٠-٩]",
}


@each_other
def test_typography_is_that_of_the_language(language: str) -> None:
    found = {key: text for key, text in words(language).texts.items() if re.search(MISPRINTS[language], text)}
    assert found == {}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Sie (“so“)"),
        ("fr", "Pourquoi ?"),
        ("fr", "Pourquoi?"),
        ("fr", "(«so»)"),
        ("fr", "l'adresse"),
        ("cs", '"tak"'),
        ("es", "Por qué?"),
        ("ar", "لـ Ann"),
        ("ar", "1, 2"),
    ],
)
def test_a_planted_misprint_is_caught(language: str, text: str) -> None:
    assert re.search(MISPRINTS[language], text)


def test_arabic_is_written_in_arabic_letters() -> None:
    without = [key for key, text in words("ar").texts.items() if not re.search("[\u0600-\u06ff]", text)]
    assert without == ["keys.enter"]


# -- what the pages and scripts ask for ----------------------------------------------------------------------


class Said(NamedTuple):
    """One ``say(…)`` of a template: the keys it may mean and the values it gives."""

    keys: list[str]
    values: set[str]


def templates() -> Iterator[nodes.Template]:
    for name in environment().list_templates(extensions=["html"]):
        yield environment().parse((HERE / "templates" / name).read_text(encoding="utf-8"), name)


def keys_of(node: nodes.Node) -> list[str]:
    """The keys that an expression can come to; none if a template hands them on by name."""
    if isinstance(node, nodes.Const):
        return [node.value]
    if isinstance(node, nodes.CondExpr):
        return [key for branch in (node.expr1, node.expr2) if branch for key in keys_of(branch)]
    if isinstance(node, nodes.Concat):
        first, _, *rest = node.nodes
        return [f"{first.value}{middle}{''.join(c.value for c in rest)}" for middle in PUT_TOGETHER[first.value]]
    return []


def said_in(template: nodes.Template) -> list[Said]:
    calls = [call for call in template.find_all(nodes.Call) if getattr(call.node, "name", None) == "say"]
    return [Said(keys_of(call.args[0]), {value.key for value in call.kwargs}) for call in calls]


def literals_of_python() -> set[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in HERE.glob("*.py")]
    found = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {value for value in found if isinstance(value, str)}


def scripts() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js")))


def said_anywhere() -> list[Said]:
    return [said for template in templates() for said in said_in(template)]


def test_every_key_that_a_template_says_exists_and_gets_its_values() -> None:
    wanted = {(key, frozenset(said.values)) for said in said_anywhere() for key in said.keys}
    assert len(wanted) > 80  # the templates were found and read
    assert {(key, values) for key, values in wanted if placeholders(ENGLISH.get(key, "{missing}")) != values} == set()


def test_every_key_that_a_script_says_is_given_to_it() -> None:
    said = {key for call in re.findall(r"\bsay\(([^){]*)", scripts()) for key in re.findall(r'"([\w.-]+)"', call)}
    assert {"all-ranked", "missing.one", "missing.many", "progress.count"} <= said  # the scripts were found and read
    assert said - set(script_words(words("en"))) == set()


def test_every_key_is_used() -> None:
    used = {key for said in said_anywhere() for key in said.keys}
    used |= {const.value for template in templates() for const in template.find_all(nodes.Const)}
    used |= literals_of_python()
    used |= {f"js.{key}" for key in re.findall(r'"([a-z-]+)"', scripts())}
    assert [key for key in ENGLISH if key.removeprefix("prompt.") not in used] == []


# -- prompts and answers instead of sources and outputs --------------------------------------------------------

#: What the texts of a translation campaign are called, as words begin; none may be left where there are prompts.
SOURCES_AND_OUTPUTS = {
    "en": r"\b(source|output)",
    "de": r"\b(ausgangstext|ausgabe)",
    "fr": r"\b(texte source|proposition)",
    "cs": r"\b(zdrojov|výstup)",
    "es": r"\b(texto de origen|propuesta)",
    "ar": r"(النص المصدر|مُخرَج|نص مصدر)",
}


@each_language
def test_where_there_are_prompts_nothing_speaks_of_sources_and_outputs(language: str) -> None:
    usual, texts = words(language).texts, words(language).in_vocabulary("prompt").texts
    other = {key.removeprefix("prompt.") for key in usual if key.startswith("prompt.")}
    assert {"screen.source", "screen.output", "js.ranked", "missing.one", "instructions.default"} <= other <= set(usual)
    left = {key: text for key, text in texts.items() if re.search(SOURCES_AND_OUTPUTS[language], text, re.IGNORECASE)}
    assert left == {}
    assert re.search(SOURCES_AND_OUTPUTS[language], usual["missing.one"], re.IGNORECASE)  # the pattern finds them


#: "Answer" as words begin, where the system's own text is called so; in Arabic the two have different names anyway.
ANSWER = {"en": r"\banswer", "de": r"\bantwort", "fr": r"\bréponse", "cs": r"\bodpov", "es": r"\brespuesta"}
OWN = ("screen.answered", "screen.change-last", "comment.sent", "conflict.title", "conflict.changed", "closed.text")


@pytest.mark.parametrize("language", ANSWER)
def test_where_there_are_prompts_what_a_judge_gives_is_not_called_an_answer(language: str) -> None:
    texts = words(language).in_vocabulary("prompt").texts
    scripts_say = [
        key for key in texts if key.startswith(("js.stor", "js.queued", "js.refused", "js.last", "js.signed"))
    ]
    assert [key for key in (*OWN, *scripts_say) if re.search(ANSWER[language], texts[key], re.IGNORECASE)] == []
    assert re.search(ANSWER[language], texts["screen.title"], re.IGNORECASE)  # the pattern finds them


@each_language
def test_what_takes_the_place_of_a_text_has_its_placeholders(language: str) -> None:
    texts = words(language).texts
    for key, text in texts.items():
        assert placeholders(texts[key.removeprefix("prompt.")]) == placeholders(text), key


def test_the_usual_vocabulary_is_the_catalogue() -> None:
    assert words("cs").in_vocabulary("translation") == words("cs")
    assert words("en").in_vocabulary("prompt")("screen.output", place=3) == "Answer 3"
    assert script_words(words("en").in_vocabulary("prompt"))["missing.one"] == "Answer {places} is not ranked yet."
    assert script_words(words("en").in_vocabulary("prompt"))["ranked"] == "Answer {place}: rank {rank}."


# -- which language a reader gets ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "codes"),
    [
        ("cs", ["cs"]),
        ("de-AT, en;q=0.8", ["de", "en"]),
        ("en;q=0.3, fr;q=0.9, cs", ["cs", "fr", "en"]),
        ("es;q=0.5,fr;q=0.5", ["es", "fr"]),
        ("DE-ch ; q=0.5", ["de"]),
        ("zh-Hant-TW;q=1.0, ar;q=0.999", ["zh", "ar"]),
        ("de;q=0, fr;q=0.1", ["fr"]),
        ("de;q=0.000", []),
        ("", []),
        (",,;;q=1,", []),
        ("*", []),
        ("de;q=much, fr;q=-1, ar", ["ar"]),
        ("<script>, ../../cs, de fr", []),
    ],
)
def test_the_browser_names_languages_by_weight(header: str, codes: list[str]) -> None:
    assert preferred(header) == codes


@pytest.mark.parametrize(
    ("asked", "remembered", "accepted", "chosen"),
    [
        ("ar", "cs", "de", "ar"),
        (None, "cs", "de", "cs"),
        (None, None, "de", "de"),
        (None, None, None, "en"),
        ("xx", "cs", "de", "cs"),
        ("../en", "", "es-MX,es;q=0.9", "es"),
        (None, "tlh", "tlh, ja;q=0.9, fr;q=0.2", "fr"),
        (None, None, "de;q=0, ja", "en"),
        (None, None, "\x00;;", "en"),
    ],
)
def test_what_is_asked_for_comes_first(
    asked: str | None, remembered: str | None, accepted: str | None, chosen: str
) -> None:
    assert choose_language(asked, remembered, accepted) == chosen


def request(headers: Mapping[str, str], query: str = "") -> Request:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    server = ("localhost", 80)
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "http", "server": server, "headers": raw}
    return Request({**scope, "query_string": query.encode()})


@each_language
@pytest.mark.parametrize("way", ["address", "cookie", "browser"])
def test_a_page_speaks_the_language_and_says_so(language: str, way: str) -> None:
    headers = {"cookie": {"cookie": f"{LANGUAGE_COOKIE}={language}"}, "browser": {"accept-language": language}}
    page = render(
        request(headers.get(way, {}), f"ui={language}" if way == "address" else ""),
        "home.html",
        campaigns=[],
        maker=None,
        empty=False,
    )
    text = bytes(page.body).decode()
    direction = "rtl" if language == "ar" else "ltr"
    assert f'<html lang="{language}" dir="{direction}">' in text
    assert words(language)("home.open-link") in text
    assert page.headers["content-language"] == language
    assert (f"{LANGUAGE_COOKIE}={language}" in page.headers.get("set-cookie", "")) == (way == "address")


@each_language
def test_only_arabic_runs_from_right_to_left(language: str) -> None:
    assert words(language).direction == ("rtl" if language == "ar" else "ltr")


@pytest.mark.parametrize(
    ("language", "two", "three"),
    [
        ("en", "1 and 2", "1, 2 and 4"),
        ("de", "1 und 2", "1, 2 und 4"),
        ("fr", "1 et 2", "1, 2 et 4"),
        ("cs", "1 a 2", "1, 2 a 4"),
        ("es", "1 y 2", "1, 2 y 4"),
        ("ar", "1 و2", "1، 2 و4"),
    ],
)
def test_a_list_is_joined_as_the_language_does(language: str, two: str, three: str) -> None:
    say = words(language)
    assert [say.listed([3]), say.listed([1, 2]), say.listed([1, 2, 4])] == ["3", two, three]
