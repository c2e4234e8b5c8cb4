"""Published translations: checks stay quiet on them, and find what is planted in them.

Of WMT14's quality estimation task: English sources with up to four Spanish translations, tokenised. Of multeval:
English outputs of three systems, two of them equal, and a reference, in lower case and tokenised.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from parallel import texts_of, with_line

from palmares.texts import TestSet, check, read_texts

pytestmark = pytest.mark.real

#: Checks that should have nothing to say of good translations.
QUIET = ("names", "missing", "empty", "encoding", "language", "misaligned", "length")


def spanish(folder: Path, part: str, systems: int) -> tuple[list[str], dict[str, list[str]]]:
    """Sources with at least so many translations, and these as so many systems."""
    sources = dict(
        line.split("\t") for line in (folder / f"EN_ES.source.{part}").read_text(encoding="utf-8").split("\n") if line
    )
    words: dict[str, list[str]] = {}
    for line in (folder / f"EN_ES.tgt_ann.{part}").read_text(encoding="utf-8").split("\n"):
        if line:
            words.setdefault(line.split("\t")[0], []).append(line.split("\t")[2])
    groups = [[f"{id.split('.')[0]}.{n + 1}" for n in range(systems)] for id in sources if id.endswith(".1")]
    kept = [group for group in groups if all(id in words for id in group)]
    outputs = {f"S{n + 1}": [" ".join(words[group[n]]) for group in kept] for n in range(systems)}
    return [sources[group[0]] for group in kept], outputs


@pytest.fixture
def english(real_data: Path) -> TestSet:
    """The reference of multeval stands in for a source, which was not published."""
    folder = real_data / "multeval"
    systems = {name: folder / f"hyps.lc.tok.en.{name}.opt0" for name in ("baseline", "sys1", "sys2")}
    (texts,) = read_texts(langs="en-en", source=folder / "refs.test2010.lc.tok.en.0", systems=systems)
    return texts


@pytest.mark.parametrize("part", ["train", "test"])
@pytest.mark.parametrize("systems", [1, 2, 3, 4])
def test_good_spanish_is_quiet(part: str, systems: int, real_data: Path) -> None:
    source, outputs = spanish(real_data / "qe14", part, systems)
    assert len(source) > 25
    report = check(texts_of(outputs, source=source, langs="en-es"))
    assert (report.errors, report.warnings) == ((), ())
    assert {finding.check for finding in report.findings} <= {"identical"}


def test_good_english_is_quiet_but_for_a_line_that_is_german(english: TestSet) -> None:
    assert len(english) == 2489
    assert check(english, only=QUIET).lines() == [
        "en-en: warning: language: system baseline: 1 line looks like de, not en (line 2042)",
        "en-en: warning: language: system sys2: 1 line looks like de, not en (line 2042)",
    ]
    assert english.outputs["baseline"][2041] == "geschicklichkeitstests in auβenbereich"


def test_one_file_under_two_names(english: TestSet) -> None:
    messages = [finding.message for finding in check(english, only=["identical"]).findings]
    assert "baseline and sys2 are equal on 2,489 of 2,489 lines; is it the same file twice?" in messages


def planted(outputs: dict[str, list[str]], system: str, texts: Sequence[str], source: list[str]) -> TestSet:
    return texts_of({**outputs, system: texts}, source=source, langs="en-es")


@pytest.mark.parametrize("systems", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_lost_line(seed: int, systems: int, real_data: Path) -> None:
    source, outputs = spanish(real_data / "qe14", "train", systems)
    first = Random(seed).randrange(20, len(source) - 20)
    moved = [*outputs["S1"][: first - 1], *outputs["S1"][first:], outputs["S1"][-1]]
    (finding,) = check(planted(outputs, "S1", moved, source), only=["misaligned"]).findings
    assert (finding.severity, finding.system) == ("error", "S1")
    # A line more or less may fit both ways.
    assert abs(finding.lines[0] - first) <= 3
    assert finding.lines[-1] >= len(source) - 4


@pytest.mark.parametrize("systems", [2, 3])
def test_another_order(systems: int, real_data: Path) -> None:
    source, outputs = spanish(real_data / "qe14", "train", systems)
    shuffled = list(outputs["S2"])
    Random(0).shuffle(shuffled)
    (finding,) = check(planted(outputs, "S2", shuffled, source), only=["misaligned"]).findings
    assert (finding.severity, finding.system, finding.lines) == ("error", "S2", ())


def test_lines_left_in_english(real_data: Path) -> None:
    source, outputs = spanish(real_data / "qe14", "train", 3)
    long = [number for number, text in enumerate(source, 1) if len(text) > 60][10:400:40]
    texts = tuple(outputs["S3"])
    for number in long:
        texts = with_line(texts, number, source[number - 1])
    (finding,) = check(planted(outputs, "S3", texts, source), only=["language"]).findings
    assert (finding.severity, finding.system, finding.lines) == ("warning", "S3", tuple(long))
    assert finding.message.endswith("look like the source language, en, not es")


def test_a_file_of_the_wrong_language_and_one_decoded_wrongly(real_data: Path) -> None:
    source, outputs = spanish(real_data / "qe14", "train", 3)
    wrong = [text.encode().decode("latin-1") for text in outputs["S2"]]
    report = check(texts_of({**outputs, "S1": source, "S2": wrong}, source=source, langs="en-es"))
    assert {(finding.check, finding.system) for finding in report.errors} >= {
        ("language", "S1"), ("identical", "S1"), ("encoding", "S2"),
    }  # fmt: skip
    assert not [finding for finding in report.errors if finding.system == "S3"]
