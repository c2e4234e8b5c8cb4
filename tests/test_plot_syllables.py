"""Words of Indic scripts: cut into syllables that stand beside each other, whatever fonts the machine has."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("vl_convert", reason="needs the extra 'report'")

from palmares.report.plots import syllables
from palmares.report.plots.syllables import _pieces, positioned

WORD = "हिन्दी-प्रणाली 2"


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("हिन्दी", ["हि", "न्दी"]),
        ("प्रणाली", ["प्र", "णा", "ली"]),
        ("বাংলা-1", ["বাং", "লা", "-1"]),
        ("plain B", ["plain B"]),
        ("", []),
    ],
)
def test_words_are_cut_into_syllables(word: str, pieces: list[str]) -> None:
    assert list(_pieces(word)) == pieces


def text(word: str, anchor: str) -> str:
    style = 'font-family="Noto Sans Devanagari, DejaVu Sans" font-size="12px" fill="#24292f"'
    return f'<svg><text text-anchor="{anchor}" transform="translate(100,20)" {style}>{word}</text></svg>'


def places(svg: str) -> list[tuple[str, float]]:
    found = re.findall(r"translate\(100,20\) scale\(([\d.]+),1\) translate\((-?[\d.]+),0\)\">([^<]*)<", svg)
    return [(piece, float(squeezed) * float(place)) for squeezed, place, piece in found]


def test_every_syllable_begins_where_the_one_before_it_ends() -> None:
    placed = places(positioned(text(WORD, "start")))
    assert "".join(piece for piece, _ in placed) == WORD
    assert len(placed) == 6 + 1
    starts = [place for _, place in placed]
    assert starts[0] == 0
    assert all(after - before > 2 for before, after in pairwise(starts))


def test_a_text_ends_or_is_centred_where_it_was() -> None:
    start, middle, end = (places(positioned(text(WORD, anchor))) for anchor in ("start", "middle", "end"))
    whole = -end[0][1]
    assert whole > start[-1][1]  # the last piece takes room, too
    assert middle[0][1] == pytest.approx(-whole / 2, abs=0.05)
    assert [p - end[0][1] for _, p in end] == pytest.approx([p for _, p in start], abs=0.05)


def test_a_text_is_never_much_wider_than_the_picture_has_room_for() -> None:
    family = ("Noto Sans Devanagari, DejaVu Sans", "normal")
    room = syllables._taken(WORD, *family) * 12 / syllables._FONT + syllables._SPARE
    assert -places(positioned(text(WORD, "end")))[0][1] <= room + 0.1


def test_what_is_in_no_such_script_stays_as_it_is() -> None:
    for word in ("plain", "中文系统", "النظام", "система ± 2 %"):
        assert positioned(text(word, "end")) == text(word, "end")


def test_signs_of_markup_stay_signs() -> None:
    svg = positioned(text("हि &lt;b&gt; &amp;", "start"))
    assert "&lt;b&gt; &amp;" in svg
    assert "<b>" not in svg


def test_measuring_follows_the_letters() -> None:
    widths = [syllables._taken(word, "DejaVu Sans", "normal") for word in ("i", "m", "mm", "mmm")]
    assert widths == sorted(widths)
    assert widths[3] == pytest.approx(3 * widths[1], abs=1.0)
    assert widths[1] == pytest.approx(0.974 * syllables._FONT, abs=1.5)  # DejaVu Sans: 1995 of 2048 units


def test_an_svg_keeps_whole_words(tmp_path: Path) -> None:
    from builders import counted

    import palmares as pm
    from palmares import plots

    ranking = pm.rank(counted({("हिन्दी", "plain"): (20, 2, 5)}), resample="pair", resamples=100, rng=0)
    for ending in (".svg", ".png", ".pdf"):
        plots.save(plots.score_intervals(ranking), tmp_path / f"p{ending}", notify=lambda _: None)
    assert ">हिन्दी</text>" in (tmp_path / "p.svg").read_text(encoding="utf-8")
