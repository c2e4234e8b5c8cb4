"""Charts: what is drawn, and that files are written."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from builders import counted

import palmares as pm
from palmares import plots, rank
from palmares.errors import InputError
from palmares.models.by_name import create
from palmares.ranking.result import Ranking
from palmares.report.plots.files import targets

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

RANKING = rank(
    counted({("zeta", "eta"): (30, 0, 30), ("zeta", "alpha"): (50, 0, 2), ("eta", "alpha"): (50, 0, 2)}),
    resample="pair", resamples=200, rng=0,
)  # fmt: skip


def drawn(spec: dict, mark: str) -> list[dict]:
    """The data behind the layer of marks, whether it stands there or is named."""
    layer = next(part for part in spec["layer"] if part["mark"]["type"] == mark)
    data = layer.get("data", spec.get("data"))
    return data["values"] if "values" in data else spec["datasets"][data["name"]]


def bars(spec: dict) -> list[dict]:
    return drawn(spec, "bar")


def test_the_chart_has_every_system_and_its_range_best_first() -> None:
    shown = bars(plots.rank_ranges(RANKING).to_dict())
    assert [row["system"] for row in shown] == list(RANKING.systems)
    # A bar goes a little beyond both ends of its range, but not as far as the next rank.
    assert [(round(row["from"]), round(row["to"])) for row in shown] == [line.range for line in RANKING.lines]
    assert all(
        line.range[0] - 0.5 < row["from"] < line.range[0] for row, line in zip(shown, RANKING.lines, strict=True)
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


@pytest.mark.parametrize(
    ("systems", "ticks"),
    [
        (3, [1, 2, 3]),
        (20, list(range(1, 21))),
        (21, [1, 5, 10, 15, 20]),
        (60, [1, *range(5, 61, 5)]),
        (61, [1, 10, 20, 30, 40, 50, 60]),
        (200, [1, *range(20, 201, 20)]),
        (1000, [1, *range(100, 1001, 100)]),
    ],
)
@pytest.mark.slow
def test_ticks_of_ranks_are_about_a_dozen(systems: int, ticks: list[int]) -> None:
    spec = plots.rank_ranges(many(systems)).to_dict()
    assert (
        next(part for part in spec["layer"] if part["mark"]["type"] == "bar")["encoding"]["x"]["axis"]["values"]
        == ticks
    )


def test_a_picture_grows_with_its_systems_and_rows_are_lower_where_there_are_many() -> None:
    heights = [plots.rank_ranges(many(systems)).to_dict()["height"] for systems in (10, 30, 60, 200)]
    assert heights == sorted(heights)
    rows = [height / systems for height, systems in zip(heights, (10, 30, 60, 200), strict=True)]
    assert rows[0] == rows[1] > rows[2] > rows[3] >= 13


def many(systems: int, name: str = "s{}") -> Ranking:
    """The ranking above with more lines, as if it had so many systems; of all at once it says nothing."""
    first = replace(RANKING.lines[0], joint_range=None, joint_cluster=None)
    lines = [replace(first, system=name.format(i), rank=i, range=(i, i)) for i in range(1, systems + 1)]
    return replace(RANKING, lines=tuple(lines), joint=None)


# -- size, names and titles ------------------------------------------------------------------------

COMPARED = pm.compare(
    pm.simulate(systems=5, rankings=40, judges=4, segments=20, rng=0).judgments,
    models=["bradley-terry", "bradley-terry:ties=rao-kupper", "expected-wins"], testing=pm.Testing(2), rng=0,
)  # fmt: skip
CURVE = pm.learning_curve(
    pm.simulate(systems=5, rankings=40, judges=4, segments=20, lang_pair="cs-en", rng=0).judgments,
    sizes=[40, 80], trials=2, models=["bradley-terry", "expected-wins"], rng=0,
)  # fmt: skip
DRAWN = {
    "ranges": lambda **given: plots.rank_ranges(many(40, "a-system-with-a-rather-long-name-{}"), **given),
    "models": lambda **given: plots.model_comparison(COMPARED, **given),
    "calibration": lambda **given: plots.calibration_plot(COMPARED, **given),
    "curves": lambda **given: plots.curve_plot(CURVE, **given),
}


def pixels(path: Path) -> tuple[int, int]:
    """Width and height of a PNG file, from its header."""
    return struct.unpack(">II", path.read_bytes()[16:24])


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.slow
def test_a_picture_has_the_size_that_was_asked_for(tmp_path: Path, name: str) -> None:
    target = tmp_path / "plot.png"
    plots.save(DRAWN[name](width=821, height=633), target, sharp=False)
    assert pixels(target) == (821, 633)


def test_no_two_labels_touch_however_low_the_rows(tmp_path: Path) -> None:
    spec = DRAWN["ranges"](height=460).to_dict()
    (axis,) = {json.dumps(part["encoding"]["y"]["axis"]) for part in spec["layer"] if part["mark"]["type"] == "bar"}
    assert json.loads(axis)["labelFontSize"] < spec["height"] / 40


@pytest.mark.parametrize(("size", "least"), [({"width": 150}, 200), ({"height": 200}, 8 * 40)])
@pytest.mark.slow
def test_a_picture_in_which_nothing_can_be_read_is_refused(size: dict[str, int], least: int) -> None:
    (name, given) = next(iter(size.items()))
    with pytest.raises(InputError, match=rf"{name}: got {given}; this plot needs at least (\d+) pixels") as refusal:
        DRAWN["ranges"](**size)
    needed = int(str(refusal.value).split()[-2])
    assert needed >= least
    DRAWN["ranges"](**{name: needed})


def test_long_names_lose_their_middle_and_stay_apart() -> None:
    name = "newstest2016." + "x" * 80 + "-{:03}.de-en"
    shown = bars(plots.rank_ranges(many(60, name)).to_dict())
    labels = [row["system"] for row in shown]
    assert len(set(labels)) == 60
    assert all("…" in label for label in labels)


@pytest.mark.parametrize("name", ["models", "calibration", "curves"])
def test_a_plot_is_titled_by_its_group(name: str) -> None:
    title = DRAWN[name](group="cs-en, judge ann").to_dict()["title"]["text"]
    assert title.startswith("cs-en, judge ann: ")
    assert DRAWN[name](title="Mine", group="cs-en").to_dict()["title"]["text"] == "Mine"
    assert plots.rank_ranges(RANKING, group="cs-en, judge ann").to_dict()["title"]["text"] == "cs-en, judge ann"


def test_a_ranking_knows_its_group_from_where_its_judgments_were_read() -> None:
    frame = pl.DataFrame({"system_a": ["a", "a"] * 9, "system_b": ["b"] * 18, "outcome": ["a", "b"] * 9,
                          "judge": ["ann", "bob"] * 9, "lang_pair": ["cs-en"] * 18})  # fmt: skip
    part = pm.read(frame).split()["cs-en"].split("judge")["ann"]
    title = plots.rank_ranges(pm.rank(part, resamples=40, rng=0)).to_dict()["title"]["text"]
    assert title == "cs-en, judge ann"


def test_plots_of_groups_go_to_files_of_their_own() -> None:
    groups = [(("judge", value),) for value in ("a/b", "a b", "A_B", None, "c" * 300)]
    found = targets("out/plot.svg", groups)
    assert [path.name for path in found[:4]] == ["plot-a_b.svg", "plot-a_b-2.svg", "plot-A_B-3.svg", "plot.svg"]
    assert len(found[4].name) < 200
    assert {path.parent for path in found} == {Path("out")}
    assert targets("plot.svg", groups[:1]) == [Path("plot.svg")]


def test_the_command_sizes_and_titles_its_plots(
    ok: Callable[..., Any], refused: Callable[..., str], tmp_path: Path
) -> None:
    votes = tmp_path / "votes.csv"
    pm.write(pm.simulate(systems=5, rankings=60, judges=2, segments=20, lang_pair="cs-en", rng=0).judgments, votes)
    options = ("rank", votes, "--resamples", 40, "--by", "judge")
    ok(*options, "--plot", tmp_path / "p.json")
    titles = [json.loads((tmp_path / f"p-cs-en-judge-0{k}.json").read_text())["title"]["text"] for k in (1, 2)]
    assert titles == ["cs-en, judge judge-01", "cs-en, judge judge-02"]
    ok(*options, "--plot", tmp_path / "p.png", "--width", 640, "--height", 400)
    assert pixels(tmp_path / "p-cs-en-judge-02.png") == (640, 400)
    message = refused(*options, "--width", 640)
    assert message == "--width: there is no plot to size; name its file with --plot"


# -- predicted outcomes ----------------------------------------------------------------------------

#: b beat a 3 times, tied once and lost 4; b never met d.
MET = counted({("b", "a"): (3, 1, 4), ("a", "d"): (0, 0, 6), ("b", "c"): (2, 2, 0)})
PAIRS = create("independent-pairs").fit(MET)


def test_a_bar_is_cut_into_the_predicted_outcomes() -> None:
    cuts = {(row["system"], row["outcome"]): (row["from"], row["to"]) for row in bars(outcome_spec(PAIRS))}
    # (1 + 3) / 11, (1 + 1) / 11 and (1 + 4) / 11
    assert cuts["a", "win"] == pytest.approx((0, 4 / 11))
    assert cuts["a", "tie"] == pytest.approx((4 / 11, 6 / 11))
    assert cuts["a", "loss"] == pytest.approx((6 / 11, 1))
    assert {system for system, _ in cuts} == {"a", "c", "d"}


def test_dots_stand_where_the_judgments_would_cut_and_only_for_pairs_that_met() -> None:
    shown = [(row["system"], row["share"]) for row in drawn(outcome_spec(PAIRS), "point")]
    assert sorted(shown) == [("a", 3 / 8), ("a", 4 / 8), ("c", 2 / 4), ("c", 4 / 4)]


def test_a_number_says_how_often_a_pair_met() -> None:
    shown = {row["system"]: row["met"] for row in drawn(outcome_spec(PAIRS), "text")}
    assert shown == {"a": "n = 8", "c": "n = 4", "d": "n = 0"}


def test_opponents_stand_best_first_or_by_name_without_scores() -> None:
    def opponents(fit) -> list[str]:
        return outcome_spec(fit)["layer"][0]["encoding"]["y"]["sort"]

    # Mean preferences: d (15/18 + 1/2 + 1/2) / 3, c (5/14 + 1/2 + 1/2) / 3, a (12/22 + 1/2 + 3/18) / 3.
    assert opponents(PAIRS) == ["d", "c", "a"]
    assert opponents(create("uniform").fit(MET)) == ["a", "c", "d"]


def test_several_fits_are_panels_with_one_list_of_names() -> None:
    others = [create(name).fit(MET) for name in ("independent-systems", "uniform")]
    spec = plots.outcome_bars([PAIRS, *others], MET, "b").to_dict()
    assert [panel["title"]["text"] for panel in spec["hconcat"]] == [
        "independent-pairs", "independent-systems", "uniform"
    ]  # fmt: skip
    named = [panel["layer"][0]["encoding"]["y"]["axis"]["labels"] for panel in spec["hconcat"]]
    assert named == [True, False, False]


def test_counts_and_codes_do_as_well() -> None:
    assert plots.outcome_bars(PAIRS, MET.counts, 1).to_dict() == plots.outcome_bars(PAIRS, MET, "b").to_dict()


def test_an_svg_of_predictions_shows_names_and_outcomes(tmp_path: Path) -> None:
    target = tmp_path / "outcomes.svg"
    plots.save(plots.outcome_bars([PAIRS, PAIRS], MET, "b", title="What b can expect"), target)
    text = target.read_text(encoding="utf-8")
    assert all(f">{word}</text>" in text for word in ("a", "c", "d", "win", "tie", "loss", "What b can expect"))


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="model 'bojar' ranks but does not predict outcomes"):
        plots.outcome_bars(create("bojar").fit(MET), MET, "b")
    with pytest.raises(InputError, match="unknown system 'z'"):
        plots.outcome_bars(PAIRS, MET, "z")
    with pytest.raises(InputError, match="not of the same systems"):
        plots.outcome_bars(PAIRS, counted({("a", "b"): (1, 0, 0)}), "b")
    with pytest.raises(InputError, match="got no fit"):
        plots.outcome_bars([], MET, "b")


def outcome_spec(fit) -> dict:
    return plots.outcome_bars(fit, MET, "b").to_dict()


def test_a_name_at_the_beginning_of_a_title_is_not_changed() -> None:
    from palmares.report.plots.theme import titled

    assert titled(None, "rank boxes") == "Rank boxes"
    assert titled(None, "against WMT and KIT") == "Against WMT and KIT"
    assert titled("fr-en", "rank boxes") == "fr-en: rank boxes"


def test_lines_are_told_apart_without_colours() -> None:
    from palmares.report.plots.theme import DASHES, line_looks

    colours, dashes = line_looks(18)
    assert len({str(dash) for dash in dashes[: len(DASHES)]}) == len(DASHES)
    assert len({(colour, str(dash)) for colour, dash in zip(colours, dashes, strict=True)}) == 18
