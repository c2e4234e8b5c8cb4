"""Rank-range charts: what is drawn, and that files are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import counted

from palmares import plots, rank
from palmares.errors import InputError

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

RANKING = rank(
    counted({("zeta", "eta"): (30, 0, 30), ("zeta", "alpha"): (50, 0, 2), ("eta", "alpha"): (50, 0, 2)}),
    resample="pair", resamples=200, rng=0,
)  # fmt: skip


def bars(spec: dict) -> list[dict]:
    """The data behind the layer of bars, whether it stands there or is named."""
    layer = next(part for part in spec["layer"] if part["mark"]["type"] == "bar")
    data = layer.get("data", spec.get("data"))
    return data["values"] if "values" in data else spec["datasets"][data["name"]]


def test_the_chart_has_every_system_and_its_range_best_first() -> None:
    drawn = bars(plots.rank_ranges(RANKING).to_dict())
    assert [row["system"] for row in drawn] == list(RANKING.systems)
    # A bar goes a little beyond both ends of its range, but not as far as the next rank.
    assert [(round(row["from"]), round(row["to"])) for row in drawn] == [line.range for line in RANKING.lines]
    assert all(
        line.range[0] - 0.5 < row["from"] < line.range[0] for row, line in zip(drawn, RANKING.lines, strict=True)
    )


def test_systems_keep_the_order_of_the_ranking() -> None:
    spec = plots.rank_ranges(RANKING).to_dict()
    axes = [part["encoding"]["y"] for part in spec["layer"] if "y" in part.get("encoding", {})]
    assert axes
    assert all("sort" in axis and axis["sort"] != "ascending" for axis in axes)


def test_neighbouring_clusters_have_different_colours() -> None:
    assert RANKING.clusters == [["eta", "zeta"], ["alpha"]]
    colour = {row["system"]: row["colour"] for row in bars(plots.rank_ranges(RANKING).to_dict())}
    assert colour["zeta"] == colour["eta"] != colour["alpha"]


def test_a_title_replaces_the_language_pair() -> None:
    assert "My ranking" in json.dumps(plots.rank_ranges(RANKING, title="My ranking").to_dict()["title"])


@pytest.mark.parametrize(
    ("ending", "magic"),
    [(".svg", b"<svg"), (".png", b"\x89PNG\r\n\x1a\n"), (".pdf", b"%PDF"), (".html", b"<"), (".json", b"{")],
)
def test_a_chart_is_written_as_its_ending_says(tmp_path: Path, ending: str, magic: bytes) -> None:
    target = tmp_path / f"ranges{ending}"
    plots.save(plots.rank_ranges(RANKING), target)
    assert target.read_bytes().lstrip().startswith(magic)


def test_an_svg_shows_the_names_in_order(tmp_path: Path) -> None:
    target = tmp_path / "ranges.svg"
    plots.save(plots.rank_ranges(RANKING), target)
    text = target.read_text(encoding="utf-8")
    places = [text.index(f">{name}</text>") for name in RANKING.systems]
    assert places == sorted(places)


def test_a_page_needs_no_network(tmp_path: Path) -> None:
    target = tmp_path / "ranges.html"
    plots.save(plots.rank_ranges(RANKING), target)
    assert 'src="http' not in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["chart.bmp", "chart"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"a plot is written as \.svg, \.png, \.pdf, \.html, \.json, not"):
        plots.save(plots.rank_ranges(RANKING), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_error_with_a_word(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        plots.save(plots.rank_ranges(RANKING), tmp_path / "nowhere" / "chart.svg")


def test_without_resampling_there_is_nothing_to_draw() -> None:
    ranking = rank(counted({("a", "b"): (2, 0, 1)}), resample=None, rng=0)
    with pytest.raises(InputError, match="a ranking without resampling has no rank ranges to draw"):
        plots.rank_ranges(ranking)
