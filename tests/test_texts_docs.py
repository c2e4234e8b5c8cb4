"""The page on texts mentions every format and check, and its examples can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from palmares.texts import TEXT_CHECKS, TEXT_FORMATS, TestSet, check, read_texts
from palmares.texts.checks import encoding, identical, language, length, misaligned

PAGE = (Path(__file__).parents[1] / "docs" / "texts.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    """What stands under a heading of the third level."""
    assert PAGE.count(f"\n### {name}\n") == 1, f"docs/texts.md needs one section on {name!r}"
    return re.split(r"\n##+ ", PAGE.split(f"\n### {name}\n")[1])[0]


def example(name: str, tmp_path: Path, ending: str) -> Path:
    """The first example of a section, as a file."""
    found = re.search(r"```[a-z]+\n(.*?)```", section(name), re.DOTALL)
    assert found is not None
    path = tmp_path / f"example{ending}"
    path.write_text(found[1], encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [*TEXT_FORMATS, *TEXT_CHECKS])
def test_every_format_and_check_has_a_section_and_a_row(name: str) -> None:
    assert len(section(name)) > 40
    registry = TEXT_FORMATS if name in TEXT_FORMATS else TEXT_CHECKS
    summary = registry[name].summary.removesuffix(" (also .sgm)")
    assert re.search(rf"^\| `{name}` \| {re.escape(summary)} \|", PAGE, re.MULTILINE), f"no row for {name}: {summary}"


def test_there_is_no_section_on_something_else() -> None:
    assert set(re.findall(r"\n### (.+)\n", PAGE)) == {*TEXT_FORMATS, *TEXT_CHECKS}


@pytest.mark.parametrize(
    ("name", "ending"), [("tsv", ".tsv"), ("jsonl", ".jsonl"), ("wmt-xml", ".xml"), ("appraise-hits", ".xml")]
)
def test_the_examples_are_read_and_have_no_faults(name: str, ending: str, tmp_path: Path) -> None:
    path = example(name, tmp_path, ending)
    found = read_texts(path=path, langs="fr-en")
    assert found == read_texts(path=path, langs="fr-en", format=name)
    (texts,) = found
    assert texts.segments[0].source == "Le chat dort."
    assert {"online-A", "uedin"} <= set(texts.systems)
    assert {finding.check for finding in check(texts).errors} <= {"missing"}


def test_the_example_in_sgml(tmp_path: Path) -> None:
    source, output = example("plain", tmp_path, ".sgm"), tmp_path / "a.txt"
    output.write_text("The cat sleeps.\nIt dreams.\n", encoding="utf-8")
    (texts,) = read_texts(source=source, systems={"A": output}, langs="fr-en")
    assert [segment.id for segment in texts.segments] == ["le-monde.7:1", "le-monde.7:2"]


def test_the_folder_of_the_page(tmp_path: Path) -> None:
    names = re.findall(r"texts/(\S+)", section("folder").split("palmares")[0])
    assert len(names) == 4
    for name in names:
        (tmp_path / name).write_bytes(b"x\n")
    (texts,) = read_texts(path=tmp_path, langs="fr-en")
    assert (texts.systems, texts.has_references) == (("online-A", "uedin"), True)


def test_the_python_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("source.fr", "reference.en", "online-A.en", "uedin.en"):
        (tmp_path / name).write_bytes(b"x\n")
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    names: dict[str, object] = {}
    exec(code[1], names)
    assert isinstance(names["texts"], TestSet)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("language", f"at least {language.SCRIPT_LETTERS} letters, of which less than {language.SCRIPT_SHARE:.0%}"),
        ("language", f"at least {language.LANGUAGE_LETTERS} letters"),
        ("identical", f"more than {identical.SAME_SYSTEM:.0%} of the lines"),
        ("misaligned", f"From {misaligned.FEWEST_FOR_STRANGER} lines on"),
        ("misaligned", f"from {misaligned.ALONE_LINES} lines on"),
    ],
)
def test_numbers_are_those_of_the_code(name: str, words: str) -> None:
    text = " ".join(section(name).split())
    assert words.replace("%", " %") in text


def test_numbers_in_words_are_those_of_the_code() -> None:
    """As the page spells them out."""
    assert language.ODDS == 1000
    assert (identical.MOST_LINES, identical.LEAST_WORDS, identical.LEAST_CHARACTERS) == (0.5, 4, 8)
    assert (identical.STUCK, identical.MANY_EQUAL) == (5, 0.1)
    assert (encoding.MANY, encoding.AT_LEAST) == (0.1, 3)
    assert (misaligned.FURTHEST, misaligned.SURE_LINES, misaligned.FEWEST_LINES) == (5, 5, 6)
    assert (length.WILD_RATIO, length.WILD_Z, language.WHOLE_TEXT) == (2.5, 6, 0.5)


def test_the_prompts_and_battles_of_the_page(tmp_path: Path) -> None:
    blocks = re.findall(r"```json\n(.*?)```", section("jsonl") + section("arena"), re.DOTALL)
    found = []
    for number, block in enumerate(blocks[1:]):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(block, encoding="utf-8")
        (texts,) = read_texts(path=path)
        assert (str(texts.langs), check(texts).errors) == ("any-language", ())
        found.append((len(texts), texts.systems, len(texts.conversations)))
    assert found == [(2, ("heron", "magpie"), 1), (1, ("heron", "magpie", "wren"), 0)]
