"""Texts as Markdown on a page: what is shown, and that nothing hostile gets through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from palmares.server import markup
from palmares.server.markup import LONGEST, Reader, reading, to_content, to_html
from palmares.server.pages import STATIC, environment
from palmares.server.words import LANGUAGES, words
from palmares.texts.conversations import ROLES
from palmares.texts.markdown import DEEPEST, image_names

#: Everything that a rendered text may consist of.
TAGS = set(
    ["p", "strong", "em", "s", "a", "span", "br", "hr", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "div", "table", "thead", "tbody", "tr", "th", "td", "img"]
)  # fmt: skip
ATTRIBUTES = {"class", "href", "rel", "target", "title", "start", "src", "alt", "tabindex", "dir"}


class Page(HTMLParser):
    """The elements of a page, its text, and whether what was opened is closed again."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.said, self.open = "", []
        self.feed(str(html))  # a Markup escapes what is added to it
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("img", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(autouse=True)
def _reader() -> Iterator[None]:
    """An English page of a campaign with one image."""
    with reading(Reader(words("en"), {"dot.png": "/c/news/images/00"}.get)):
        yield


def shown(text: str) -> Page:
    return Page(to_content(text, 3))


# -- what is shown ---------------------------------------------------------------------------------------


def test_what_answers_are_made_of() -> None:
    page = shown("Some **bold** and *slanted* `code`.\n\n- one\n- two\n\n1. first\n\n> said\n\n~~not~~")
    assert [tag for tag, _ in page.elements] == (
        ["p", "strong", "em", "code", "ul", "li", "li", "ol", "li", "blockquote", "p", "p", "s"]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "below", "tags"),
    [
        ("# A\n\n## B\n\n### C", 3, ["h4", "h5", "h6"]),
        ("### A\n\n##### B", 3, ["h4", "h5"]),
        ("## B\n\n# A", 2, ["h4", "h3"]),
        ("# A\n\n## B\n\n### C\n\n#### D", 3, ["h4", "h5", "h6", "h6"]),
    ],
)
def test_headings_go_below_those_of_the_page_without_gaps(text: str, below: int, tags: list[str]) -> None:
    assert [tag for tag, _ in Page(to_content(text, below)).elements] == tags


def test_tables_are_aligned_by_classes_since_styles_are_forbidden() -> None:
    page = shown("| a | b | c |\n| --- | :-: | --: |\n| 1 | 2 | 3 |")
    assert [cell.get("class") for cell in page.named("td")] == [None, "center", "right"]
    assert page.named("div") == [{"class": "table", "tabindex": "0"}]
    organisers = to_html("| a | b |\n| --- | --: |\n| 1 | 2 |")
    assert 'class="right"' in organisers
    assert "style" not in organisers


def test_code_is_coloured_by_classes() -> None:
    page = shown("```python\ndef f(x):\n    return '<b>'  # why\n```")
    assert page.said.strip() == "def f(x):\n    return '<b>'  # why"
    assert {span["class"] for span in page.named("span")} >= {"k", "nf", "s1", "c1"}


@pytest.mark.parametrize("language", ["", "klingon", '"><script>'])
def test_code_in_no_known_language_is_shown_as_it_is(language: str) -> None:
    page = shown(f"```{language}\nx < 1 && y\n```")
    assert (page.said.strip(), page.named("span")) == ("x < 1 && y", [])


def test_every_class_of_code_that_has_a_colour_is_one_that_pygments_gives() -> None:
    from pygments.token import STANDARD_TYPES

    css = (STATIC / "content.css").read_text()
    classes = {name for rule in re.findall(r"\.code :is\((.*?)\)", css) for name in re.findall(r"\.(\w+)", rule)}
    assert len(classes) > 30
    assert classes <= set(STANDARD_TYPES.values())


@pytest.mark.parametrize(
    "formula", [r"$a_1 * b * c_2$", r"$$\sum_i x_i$$", r"\(x_1 * y * z\)", "\\[\na_1 \\\\ b_2 *c*\n\\]", r"$\$5$"]
)
def test_formulas_are_left_alone(formula: str) -> None:
    page = shown(f"It is {formula}, so.")
    assert page.said == f"It is {formula}, so.\n"
    assert [tag for tag, _ in page.elements] == ["p", "span"]


@pytest.mark.parametrize("text", ["$5 and $10 *more*", "a $ b *c* $ d", "cost: 5$ *each*", r"\*no\* list"])
def test_money_is_no_formula(text: str) -> None:
    assert {"class": "math", "dir": "ltr"} not in shown(text).named("span")


def test_links_open_beside_and_lead_to_the_web_alone() -> None:
    page = shown("[a](https://example.org/?a=1&b=2) [b](/leave/news) [c](mailto:a@b.c) <http://d.e> [f](images/x)")
    assert [link["href"] for link in page.named("a")] == [
        "https://example.org/?a=1&b=2", "mailto:a@b.c", "http://d.e",
    ]  # fmt: skip
    assert all((a["rel"], a["target"]) == ("noopener noreferrer", "_blank") for a in page.named("a"))
    assert page.said.split() == ["a", "b", "c", "http://d.e", "f"]


def test_an_image_of_the_campaign_is_shown_and_no_other() -> None:
    page = shown("![a dot](dot.png) ![](dot.png) ![far](https://e.org/x.png) ![lost](lost.png) ![](lost.png)")
    assert page.named("img") == [
        {"class": "picture", "src": "/c/news/images/00", "alt": "a dot"},
        {"class": "picture", "src": "/c/news/images/00", "alt": "dot.png"},
    ]
    assert [link["href"] for link in page.named("a")] == ["https://e.org/x.png"]
    assert page.said.split() == ["far", "lost", "(lost.png)", "lost.png"]


def test_organisers_words_are_set_as_before() -> None:
    html = to_html("# Title\n\nSee \\[1\\], [here](/rules) and ![x](y.png), *please*.")
    assert html == (
        '<h2>Title</h2>\n<p>See [1], <a href="/rules" rel="noopener noreferrer" target="_blank">here</a> and '
        '!<a href="y.png" rel="noopener noreferrer" target="_blank">x</a>, <em>please</em>.</p>\n'
    )


# -- what is not -----------------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "</p></div></main><form action=/leave/news method=post><button>Go</button></form>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\nscript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](javascript&colon;alert(1))",
    "[a](\x01javascript:alert(1))",
    "[a](vbscript:x) [b](data:text/html;base64,PHNjcmlwdD4=) [c](file:///etc/passwd)",
    "[a](//evil.example/x)",
    "<javascript:alert(1)>",
    '[a](https://e.org/"onmouseover="alert(1))',
    "[a](https://e.org 'x\" onmouseover=\"alert(1)')",
    '![a](https://e.org/x.png"onerror="alert(1))',
    "![\"onerror=alert(1) x=\"](dot.png)",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    "![a](data:image/png;base64,iVBORw0KGgo=)",
    "![a](javascript:alert(1))",
    "![a](//evil.example/x.png)",
    "[x]: javascript:alert(1)\n\n[x]",
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    "```html\n<script>alert(1)</script>\n```",
    "`<script>`",
    "$<img src=x onerror=alert(1)>$",
    "| <script> | b |\n| --- | --- |\n| <img src=x onerror=alert(1)> | c |",
    "<style>*{display:none}</style>",
    "<a href='javascript:alert(1)'>x</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "![a][b]\n\n[b]: https://evil.example/x.png",
    "# <script>alert(1)</script>",
    "\x00<script>\x00:0:",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_does_nothing(text: str) -> None:
    for page in (shown(text), Page(to_content(f"> - {text}\n\n**{text}**", 3)), Page(to_html(text))):
        assert {tag for tag, _ in page.elements} <= TAGS | {"h2"}
        assert {name for _, attributes in page.elements for name in attributes} <= ATTRIBUTES
        assert all(image["src"] == "/c/news/images/00" for image in page.named("img"))
    for link in shown(text).named("a"):
        assert re.match("https?://|mailto:", link["href"] or "")


def test_what_looks_like_html_is_shown() -> None:
    assert shown("a <b>bold</b> <!-- word -->").said == "a <b>bold</b> <!-- word -->\n"


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5_000 + " deep",
        "\n".join("  " * n + "- deep" for n in range(200)),
        "1. " * 3_000 + "deep",
        "[" * 60_000,
        "![" * 30_000,
        "x" * (LONGEST + 1),
    ],
)
def test_what_the_parser_would_cut_or_take_long_for_is_shown_as_it_is(text: str) -> None:
    page = shown(text)
    assert page.elements == [("p", {"class": "plain"})]
    assert page.said == text


def test_lists_inside_each_other_are_whole() -> None:
    depth = (DEEPEST - 4) // 2 - 1
    page = shown("\n".join("  " * n + f"- level-{n}" for n in range(depth)))
    assert len(page.named("ul")) == depth
    assert page.said.split() == [f"level-{n}" for n in range(depth)]


@pytest.mark.parametrize(
    "text",
    [
        "**a" * 20_000, "*_~" * 20_000, "`" * 50_000, "[a](" * 15_000, "$a" * 30_000, "\\(" * 30_000, "<a@" * 20_000,
        "|a|b|c|\n|-|-|-|\n" + "|1|2|3|\n" * 8_000, "|" + "a|" * 10_000 + "\n|" + "-|" * 10_000,
        "```python\n" + "x = [1]\n" * 10_000 + "```",
    ],
    ids=range(10),
)  # fmt: skip
def test_a_long_text_is_rendered(text: str) -> None:
    assert len(shown(text).elements) > 0


# -- keeping ---------------------------------------------------------------------------------------------


def test_a_text_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []
    render = markup._render
    monkeypatch.setattr(markup, "_render", lambda text, *rest: times.append(text) or render(text, *rest))
    text = "A text of this test *alone*, with ![a dot](dot.png)."
    first = to_content(text, 3)
    with reading(Reader(words("de"), {"dot.png": "/c/other/images/11"}.get)):
        second = to_content(text, 3)
    assert times == [text]
    assert (first.count("/c/news/images/00"), second.count("/c/other/images/11")) == (1, 1)


def test_what_is_kept_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = markup._Kept()
    monkeypatch.setattr(markup, "_KEPT", kept)
    monkeypatch.setattr(markup, "KEPT", 1_000)
    for number in range(50):
        to_content(f"text {number} " + "x" * 100, 3)
        assert kept.size == sum(len(rendered.html) for rendered in kept.texts.values()) <= 1_000
    assert len(kept.texts) == 8  # 117 or 118 characters each


# -- the macro -------------------------------------------------------------------------------------------


def content(*arguments: object) -> Page:
    macro = environment().get_template("judge/content.html").module.content  # type: ignore[attr-defined]
    return Page(str(macro(*arguments)))


def test_plain_text_stays_plain() -> None:
    page = content("**a** <b>\n  c", (), "plain")
    assert page.elements == [("div", {"class": "content"}), ("p", {"class": "plain"})]
    assert "**a** <b>\n  c" in page.said


def test_markdown_is_set() -> None:
    page = content("**a**", (), "markdown")
    assert [tag for tag, _ in page.elements] == ["div", "div", "p", "strong"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_turns_name_who_speaks_in_the_language_of_the_page(language: str) -> None:
    say = words(language)
    with reading(Reader(say, {}.get)):
        page = content("ignored", [{"role": role, "content": f"*{role}*"} for role in ROLES.values()], "markdown")
    assert [turn["class"] for turn in page.named("li")] == [f"turn {role}" for role in ROLES.values()]
    assert page.named("span") == [{"lang": language, "dir": say.direction}] * len(ROLES)
    assert all(say(f"turn.{role}") in page.said for role in ROLES.values())
    assert len(page.named("em")) == len(ROLES)


# -- images in texts -------------------------------------------------------------------------------------


def test_images_are_found_where_they_are_shown() -> None:
    text = "![a](a.png) ![b](<b c.png>) ![d](./d%20e.png 'title')\n\n`![code](no.png)`\n\n- ![f][g]\n\n[g]: f.png"
    assert list(image_names(text)) == ["a.png", "b c.png", "d e.png", "f.png"]
    assert list(image_names("no image [here](x.png)")) == []
