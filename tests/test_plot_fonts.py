"""Fonts: letters that this machine has none for are told, and texts name a family that has their script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import counted

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

import palmares as pm
from palmares import plots
from palmares.report.plots import fonts

SCRIPTS = {
    "Han": ("中文系统", "fonts-noto-cjk"),
    "Hangul": ("한국어", "fonts-noto-cjk"),
    "Hiragana": ("ひらがな", "fonts-noto-cjk"),
    "Arabic": ("النظام", "fonts-noto-core"),
    "Hebrew": ("מערכת", "fonts-noto-core"),
    "Devanagari": ("हिन्दी", "fonts-noto-core"),
    "Cyrillic": ("система", "fonts-noto-core"),
}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A machine that draws the letters of some scripts as it draws what no font has."""

    def lacking(*scripts: str) -> None:
        texts = "".join(SCRIPTS[script][0] for script in scripts)
        drawn = fonts._drawn
        monkeypatch.setattr(fonts, "_drawn", lambda letter: drawn(fonts._NO_LETTER if letter in texts else letter))
        fonts.has_letter.cache_clear()

    yield lacking
    fonts.has_letter.cache_clear()


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_without_a_font_is_told_once_with_what_to_install(script: str, without: Callable[..., None]) -> None:
    without(script)
    name, package = SCRIPTS[script]
    (found,) = fonts.missing([f"{name}-1", "plain", f"{name}-2", f"{name}-1"])
    line = str(found)
    assert line.startswith(f"no font on this machine for {script} in: {name}-1, {name}-2; install e.g. Noto Sans ")
    assert line.endswith(f"(Debian: {package})")


def test_what_every_machine_can_write_is_not_told() -> None:
    assert fonts.missing(["plain", "Größe ± 2 %", "⋆†‡ …", "", "1–2 → 3"]) == []


def test_a_codepoint_that_no_font_can_have_is_missing() -> None:
    assert not fonts.has_letter("\ufdd0")
    assert not fonts.has_letter("\ufdd1")
    assert fonts.has_letter("A")
    # A private letter, as if of a script that no machine has.
    assert not fonts.has_letter("\U00100000")


def test_what_is_told_of_real_fonts_is_what_they_draw() -> None:
    """Whatever this machine has: a script is missing exactly if its letters look like no letter."""
    for name, _ in SCRIPTS.values():
        empty = fonts._drawn("\ufdd1")
        boxed = any(fonts._drawn(letter) == empty for letter in name if letter.isalpha())
        assert bool(fonts.missing([name])) == boxed, name


def test_a_name_is_told_once_whether_or_not_a_number_follows(without: Callable[..., None]) -> None:
    without("Han")
    (found,) = fonts.missing(["中文系统  3", "中文系统", "\u200e中文\u200e  4", "中文"])
    assert found.texts == ("中文系统", "中文")


def test_many_names_are_cut() -> None:
    line = str(fonts.Missing("Han", ("a", "b", "c", "d", "e"), fonts.Font("Noto Sans CJK SC", "fonts-noto-cjk")))
    assert "in: a, b, c and 2 more; install" in line


def chart(*names: str) -> Any:
    pairs = {(names[0], name): (20, 2, 5) for name in names[1:]}
    return plots.score_intervals(pm.rank(counted(pairs), resample="pair", resamples=100, rng=0))


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_saving_tells_what_is_missing(ending: str, without: Callable[..., None], tmp_path: Path) -> None:
    without("Han")
    told: list[str] = []
    plots.save(chart("中文系统", "plain"), tmp_path / f"p{ending}", notify=told.append)
    assert len(told) == 1
    assert "for Han in: 中文系统;" in told[0]


def test_by_itself_it_is_told_on_standard_error(
    without: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without("Han")
    plots.save(chart("中文系统", "plain"), tmp_path / "p.svg")
    captured = capsys.readouterr()
    assert captured.err.count("no font on this machine for Han") == 1
    assert captured.out == ""
    plots.save(chart("中文系统", "plain"), tmp_path / "p.html")  # drawn where it is read
    plots.save(chart("other", "plain"), tmp_path / "p.svg")
    assert capsys.readouterr().err == ""


def test_a_text_names_a_family_that_has_its_script(tmp_path: Path) -> None:
    target = tmp_path / "p.svg"
    names = ("中文系统", "한국어", "日本語の", "हिन्दी", "plain", "النظام")
    plots.save(chart(*names), target, notify=lambda _: None)
    text = target.read_text(encoding="utf-8")
    family = {name: re.findall(rf'font-family="([^"]*)"[^>]*>{name}</text>', text)[0] for name in names}
    assert family["中文系统"].startswith("Noto Sans CJK SC, DejaVu Sans")
    assert family["한국어"].startswith("Noto Sans CJK KR, DejaVu Sans")
    assert family["日本語の"].startswith("Noto Sans CJK JP, Noto Sans CJK SC, DejaVu Sans")
    assert family["हिन्दी"].startswith("Noto Sans Devanagari, DejaVu Sans")
    assert family["plain"].startswith("DejaVu Sans")
    assert family["النظام"].startswith("DejaVu Sans")


def test_a_number_stands_right_of_a_name_that_is_written_from_right_to_left(tmp_path: Path) -> None:
    judgments = counted({("النظام", "plain"): (20, 2, 5)})
    table = pm.head_to_head(judgments, pm.rank(judgments, resample="pair", resamples=100, rng=0))
    target = tmp_path / "p.svg"
    plots.save(plots.win_shares(table), target)
    assert re.search(">\u200eالنظام\u200e +1<", target.read_text(encoding="utf-8"))
