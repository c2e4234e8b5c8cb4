"""Scores, rank boxes, head-to-head maps, meetings and clusters by judgments: what is drawn, and how it reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import counted, judged
from pictures import texts, touching, words

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

import palmares as pm
from palmares import plots
from palmares.analysis.clusters import ClusterCurve, ClusterPoint, Ranks, clusters_by_judgments, random_part
from palmares.analysis.meetings import Meetings, meetings
from palmares.errors import InputError
from palmares.experiments.base import Reproduction, reproduce
from palmares.experiments.s14_meetings import chosen_meetings
from palmares.models.by_name import create
from palmares.ranking.result import Ranking
from palmares.report.plots.boxes import RankBoxes, boxes_of_experiment
from palmares.report.plots.clusters import curve_of_experiment

CAMPAIGN = pm.simulate(systems=6, rankings=300, judges=8, segments=60, spread=3.0, lang_pair="cs-en", rng=1).judgments
RANKING = pm.rank(CAMPAIGN, resamples=200, rng=0)
TABLE = pm.head_to_head(CAMPAIGN, RANKING)
#: Twenty systems with names of forty letters that differ in the middle.
MANY = pm.simulate(systems=20, rankings=500, judges=10, segments=100, spread=2.0, lang_pair="de-en", rng=2).judgments
MANY = MANY.rename({name: f"university-of-somewhere-{k:02d}-ensemble-big-2" for k, name in enumerate(MANY.systems)})
LONG = pm.rank(MANY, resamples=200, rng=0)
CURVE = ClusterCurve(
    {
        f"bradley-terry:a-setting-of-the-model-that-is-long={k}": (
            ClusterPoint(500, 1, 1, 2), ClusterPoint(1000, 4 + k, 3, 9)
        )
        for k in range(3)
    },
    20, "lowest to highest of 5 random sets of rankings", "20 systems; clusters by rank ranges at 95 %", "de-en",
)  # fmt: skip


def layers(chart: Any) -> list[dict]:
    """Every layer of a chart, with its data where it stands."""
    spec = chart.to_dict()
    named = spec.get("datasets", {})
    found: list[dict] = []

    def collect(part: dict, data: dict | None) -> None:
        data = part.get("data", data)
        inner = [each for name in ("layer", "hconcat", "concat") for each in part.get(name, ())]
        for each in inner:
            collect(each, data)
        if not inner:
            values = (data or {}).get("values", named.get((data or {}).get("name"), []))
            found.append({**part, "values": values})

    collect(spec, None)
    return found


def marks(chart: Any, kind: str) -> list[dict]:
    return [layer for layer in layers(chart) if layer["mark"]["type"] == kind]


# -- scores -------------------------------------------------------------------------------------------


def test_a_dot_stands_at_the_score_and_whiskers_at_its_interval() -> None:
    rows = marks(plots.score_intervals(RANKING), "point")[-1]["values"]
    assert [row["system"] for row in rows] == list(RANKING.systems)
    assert [row["score"] for row in rows] == [line.score for line in RANKING.lines]
    assert [(row["from"], row["to"]) for row in rows] == [line.interval for line in RANKING.lines]
    assert not any(row["from_cut"] or row["to_cut"] for row in rows)


def test_inner_intervals_lie_within_the_others() -> None:
    inner = pm.rank(CAMPAIGN, resamples=200, rng=0, p=0.5)
    (bar,) = marks(plots.score_intervals(RANKING, inner=inner), "bar")
    for row, line in zip(bar["values"], RANKING.lines, strict=True):
        assert line.interval is not None
        assert line.interval[0] < row["from"] < row["to"] < line.interval[1]
    with pytest.raises(InputError, match=r"the inner intervals \(95 %\) must be of a lower level than the others"):
        plots.score_intervals(inner, inner=RANKING)
    with pytest.raises(InputError, match="of another ranking"):
        plots.score_intervals(RANKING, inner=LONG)


def test_neighbouring_clusters_differ_in_colour_and_shape() -> None:
    rows = marks(plots.score_intervals(RANKING), "point")[-1]["values"]
    looks = [(row["colour"], row["shape"]) for row in rows]
    numbers = [line.cluster for line in RANKING.lines]
    assert len(set(numbers)) > 1
    for before, after, same in zip(looks, looks[1:], np.diff(numbers) == 0, strict=False):
        assert (before[0] == after[0]) == (before[1] == after[1]) == bool(same)


def test_an_interval_that_would_squeeze_the_others_is_cut_and_says_so(tmp_path: Path) -> None:
    first = RANKING.lines[0]
    wide = replace(RANKING, lines=(replace(first, interval=(first.score - 0.1, 500.0)), *RANKING.lines[1:]))
    chart = plots.score_intervals(wide)
    row = marks(chart, "point")[-1]["values"][0]
    assert row["to_cut"]
    assert row["to"] < 20
    assert "arrow: the interval goes on" in words(chart, tmp_path)
    assert "arrow: the interval goes on" not in words(plots.score_intervals(RANKING), tmp_path)


def test_scores_without_intervals_are_told_or_refused(tmp_path: Path) -> None:
    one = replace(RANKING, lines=(replace(RANKING.lines[0], interval=None), *RANKING.lines[1:]))
    assert "1 of 6 scores have no interval" in words(plots.score_intervals(one), tmp_path)
    with pytest.raises(InputError, match="have no intervals to draw; use --resample auto"):
        plots.score_intervals(pm.rank(CAMPAIGN, resample="sign-test", rng=0))


# -- rank boxes ---------------------------------------------------------------------------------------


def test_a_box_has_mean_quartiles_and_ends_of_the_ranks_of_its_system() -> None:
    assert RANKING.replicates is not None
    first, second = (RANKING.replicates.systems.index(name) for name in RANKING.systems[:2])
    places = np.full((9, 6), 6)
    places[:, first] = [1, 1, 1, 2, 2, 3, 3, 4, 5]  # the 3rd and the 7th of nine are quartiles
    places[:, second] = [2, 3, 4, 4, 5, 5, 5, 6, 6]
    known = replace(RANKING, replicates=replace(RANKING.replicates, places=places))
    boxes = RankBoxes.of(known)
    assert boxes.systems == RANKING.systems
    assert boxes.boxes[0].tolist() == pytest.approx([22 / 9, 1, 1, 3, 5])
    assert boxes.boxes[1].tolist() == pytest.approx([40 / 9, 2, 4, 5, 6])
    (drawn,) = [layer for layer in marks(plots.rank_boxes(known), "point") if "mean" in str(layer["encoding"]["x"])]
    assert (drawn["values"][1]["q1"], drawn["values"][1]["q3"]) == (4, 5)


def test_boxes_need_samples_and_the_same_systems() -> None:
    with pytest.raises(InputError, match="without bootstrap samples or draws has no rank boxes"):
        plots.rank_boxes(pm.rank(CAMPAIGN, resample="sign-test", rng=0))
    with pytest.raises(InputError, match="must be of the same systems"):
        plots.rank_boxes([RankBoxes.of(RANKING), RankBoxes.of(LONG)])
    with pytest.raises(InputError, match="must be of the same systems"):
        plots.rank_boxes([])


@pytest.fixture(scope="module")
def boxes() -> Reproduction:
    return reproduce("s14-boxes", quick=True)


def test_boxes_of_the_experiment_are_its_numbers(boxes: Reproduction, tmp_path: Path) -> None:
    few, many = boxes_of_experiment(boxes)
    assert (few.name, many.name) == ("with 500 judgments", "with 2k judgments")
    measured = {(row.group, row.label, row.at): row.measured for row in boxes.rows}
    for shown in (few, many):
        for system, row in zip(shown.systems, shown.boxes, strict=True):
            assert row[3] == measured[f"ranks {shown.name}", system, "quartile 3"]
    written = words(plots.rank_boxes([few, many]), tmp_path)
    assert "with 500 judgments" in written
    assert any("quick variant" in line for line in written)
    with pytest.raises(InputError, match="has no rank boxes; s14-boxes has"):
        boxes_of_experiment(replace(boxes, rows=()))


# -- head to head -------------------------------------------------------------------------------------


def test_a_cell_says_how_often_the_column_beat_the_row() -> None:
    judgments = counted({("a", "b"): (30, 5, 10), ("b", "c"): (6, 0, 2), ("a", "c"): (0, 4, 0)})
    table = pm.head_to_head(judgments, pm.rank(judgments, resample="pair", resamples=200, rng=0))
    cells = {(row["better"], row["worse"]): row for row in marks(plots.win_shares(table), "rect")[-1]["values"]}
    assert cells["a", "b"]["share"] == pytest.approx(30 / 40)
    assert cells["b", "a"]["share"] == pytest.approx(10 / 40)
    assert cells["a", "b"]["text"] == ".75‡"  # 30 of 40: p = .002
    assert cells["b", "c"]["text"] == ".75"  # 6 of 8: p = .29
    assert cells["a", "c"]["share"] is None  # four ties
    assert cells["a", "c"]["text"] == "–"
    assert len(cells) == 6


def test_systems_stand_in_the_order_of_the_ranking_in_both_directions(tmp_path: Path) -> None:
    spec = marks(plots.win_shares(TABLE), "rect")[-1]["encoding"]
    assert spec["y"]["sort"] == [f"{name}  {k}" for k, name in enumerate(RANKING.systems, 1)]
    assert spec["x"]["sort"] == [str(k) for k in range(1, 7)]


@pytest.mark.slow
def test_what_is_written_in_cells_depends_on_their_size(tmp_path: Path) -> None:
    table = pm.head_to_head(MANY, LONG)

    def written(width: int | None) -> list[str]:
        found = marks(plots.win_shares(table, width=width), "text")
        return [row["text"] for row in found[-1]["values"]] if found else []

    assert any(text.startswith(".") for text in written(None))
    assert set(written(400)) <= {"", "⋆", "†", "‡", "–"}


def test_letters_are_light_where_cells_are_dark() -> None:
    rows = marks(plots.win_shares(TABLE), "text")[-1]["values"]
    assert {row["ink"] for row in rows if row["share"] is not None and 0.3 < row["share"] < 0.7} == {"#24292f"}
    sure = counted({("a", "b"): (60, 0, 1)})
    ranked = pm.rank(sure, resample="pair", resamples=100, rng=0)
    extreme = marks(plots.win_shares(pm.head_to_head(sure, ranked)), "text")[-1]["values"]
    assert {row["ink"] for row in extreme} == {"white"}


# -- meetings -----------------------------------------------------------------------------------------

ROWS = [("a", "b", 1)] * 6 + [("b", "c", 1)] * 2 + [("c", "a", 1)] * 2


def test_meetings_are_counted_as_they_stand_in_the_file() -> None:
    found = meetings(judged(ROWS), ("b", "c", "a"))
    whole, first, last = found.parts
    assert [part.judgments for part in found.parts] == [10, 2, 2]
    assert whole.met.tolist() == [[0, 2, 6], [2, 0, 2], [6, 2, 0]]
    assert first.met.tolist() == [[0, 0, 2], [0, 0, 0], [2, 0, 0]]
    assert last.met.tolist() == [[0, 0, 0], [0, 0, 2], [0, 2, 0]]
    assert whole.share[0, 2] == 0.6
    assert found.order == "first and last: as judgments stand in the file"


def test_meetings_go_by_time_where_every_judgment_has_one() -> None:
    times = np.datetime64("2026-01-01T00:00:00", "us") + np.arange(10)[::-1] * np.timedelta64(60, "s")
    found = meetings(judged(ROWS, time=list(times.astype("datetime64[us]").tolist())), ("a", "b", "c"))
    assert found.order == "first and last: by time"
    assert found.parts[1].met[0, 2] == 2  # c met a last in the file, and so first
    assert found.parts[2].met[0, 1] == 2


def test_all_maps_have_one_scale_and_every_two_systems(tmp_path: Path) -> None:
    chart = plots.meeting_maps(meetings(CAMPAIGN, RANKING.systems))
    maps = [layer for layer in marks(chart, "rect") if "color" in layer["encoding"]]
    assert len(maps) == 3
    assert len({str(layer["encoding"]["color"]["scale"]) for layer in maps}) == 1
    assert all(len(layer["values"]) == 30 for layer in maps)
    for layer in maps:  # both triangles
        assert sum(row["share"] for row in layer["values"]) == pytest.approx(2)


@pytest.mark.parametrize("share", [0.0, 0.6, -1])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    tries = (lambda: meetings(CAMPAIGN, RANKING.systems, share=share), lambda: chosen_meetings(CAMPAIGN, share=share))
    for count in tries:
        with pytest.raises(InputError, match=r"share: got .*; allowed: more than 0, up to 0\.5"):
            count()


def test_late_choices_of_trueskill_are_nearer_than_early_ones() -> None:
    plan = {"systems": 10, "rankings": 800, "judges": 10, "segments": 200, "spread": 2.0}
    found = chosen_meetings(pm.simulate(**plan, rng=3).judgments, steps=6000)
    apart = np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    _, early, late = (float((part.share * apart).sum() / 2) for part in found.parts)
    assert [part.judgments for part in found.parts[1:]] == [1200, 1200]
    assert late < early - 0.5


def test_trueskill_cannot_choose_among_systems_that_nothing_links() -> None:
    with pytest.raises(InputError, match="these are not linked"):
        chosen_meetings(counted({("a", "b"): (3, 0, 1), ("c", "d"): (2, 0, 1)}))


# -- clusters by judgments ----------------------------------------------------------------------------


def test_all_judgments_give_the_clusters_of_the_ranking() -> None:
    ranks = Ranks((create("bradley-terry"),), resamples=200)
    curve = clusters_by_judgments(CAMPAIGN, sizes=[500, len(CAMPAIGN)], trials=3, ranks=ranks, rng=0)
    (few, every) = curve.lines["bradley-terry"]
    assert every == ClusterPoint(len(CAMPAIGN), len(RANKING.clusters), len(RANKING.clusters), len(RANKING.clusters))
    assert 1 <= few.low <= few.mean <= few.high <= 6
    again = clusters_by_judgments(CAMPAIGN, sizes=[500, len(CAMPAIGN)], trials=3, ranks=ranks, rng=0)
    assert again.lines == curve.lines


def test_parts_are_whole_rankings_of_about_the_size() -> None:
    part = random_part(CAMPAIGN, 500, np.random.default_rng(0))
    whole = Counter(CAMPAIGN.to_rows()["ranking"])
    assert all(whole[name] == count for name, count in Counter(part.to_rows()["ranking"]).items())
    assert 500 <= len(part) <= 510
    assert part.systems == CAMPAIGN.systems


@pytest.mark.parametrize("sizes", [[], [1], [10**6]])
def test_sizes_that_there_are_not_are_refused(sizes: list[int]) -> None:
    with pytest.raises(InputError, match=r"sizes: got .*; allowed: whole numbers from 2 to 3000"):
        clusters_by_judgments(CAMPAIGN, sizes=sizes, rng=0)


def test_parts_that_cannot_be_ranked_are_told() -> None:
    ranks = Ranks((create("bradley-terry"),), resamples=100)
    curve = clusters_by_judgments(MANY, sizes=[10, 5000], trials=2, ranks=ranks, rng=0)
    assert [point.judgments for point in curve.lines["bradley-terry"]] == [5000]
    assert any("10 judgments: 2 sets not ranked" in note for note in curve.notes)
    with pytest.raises(InputError, match="no part of the judgments could be ranked"):
        clusters_by_judgments(MANY, sizes=[10], trials=1, ranks=ranks, rng=0)


def test_models_are_told_apart_by_colour_shape_and_dashes() -> None:
    curve = replace(CURVE, lines=dict(list(CURVE.lines.items())))
    line, point = marks(plots.cluster_curve(curve), "line")[0], marks(plots.cluster_curve(curve), "point")[0]
    assert len({str(v) for v in line["encoding"]["strokeDash"]["scale"]["range"]}) == 3
    assert len(set(point["encoding"]["shape"]["scale"]["range"])) == 3
    assert [row["mean"] for row in line["values"][1::2]] == [4, 5, 6]


def test_the_curve_of_the_experiment_is_its_numbers() -> None:
    found = reproduce("s14-clusters", quick=True)
    curve = curve_of_experiment(found)
    assert [p.judgments for p in curve.lines["expected wins, bootstrap"]] == [500, 1000]
    row = next(row for row in found.rows if row.label == "expected wins, bootstrap" and row.at == "1k")
    assert curve.lines["expected wins, bootstrap"][1].mean == row.measured
    with pytest.raises(InputError, match="has no clusters by judgments; s14-clusters has"):
        curve_of_experiment(replace(found, rows=()))


# -- how they read ------------------------------------------------------------------------------------

MET: Meetings = meetings(MANY, LONG.systems)
DRAWN: dict[str, Callable[..., Any]] = {
    "scores": lambda **given: plots.score_intervals(LONG, **given),
    "ranges": lambda **given: plots.rank_ranges(LONG, **given),
    "rank-boxes": lambda **given: plots.rank_boxes(LONG, **given),
    "head-to-head": lambda **given: plots.win_shares(pm.head_to_head(MANY, LONG), **given),
    "meetings": lambda **given: plots.meeting_maps(MET, **given),
    "clusters-by-judgments": lambda **given: plots.cluster_curve(CURVE, **given),
    "outcomes": lambda **given: plots.outcome_bars(LONG.fit, MANY, LONG.systems[3], **given),
}


@pytest.mark.parametrize("width", [None, pytest.param(420, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", DRAWN)
def test_no_words_lie_over_others_with_twenty_long_names(kind: str, width: int | None, tmp_path: Path) -> None:
    found = texts(DRAWN[kind](width=width), tmp_path)
    assert len(found) > 8
    assert touching(found) == []


BY_SYSTEM = [kind for kind in DRAWN if kind != "clusters-by-judgments"]


@pytest.mark.parametrize("kind", BY_SYSTEM)
def test_names_stand_in_the_order_of_the_ranking(kind: str, tmp_path: Path) -> None:
    found = [text for text in texts(DRAWN[kind](), tmp_path) if text.words.startswith("university")]
    shown = [text.words.split("  ")[0] for text in sorted(found, key=lambda text: text.top) if text.top > 60]
    expected = list(LONG.systems) if kind != "outcomes" else [s for s in LONG.systems if s != LONG.systems[3]]
    assert shown == expected


@pytest.mark.parametrize("kind", BY_SYSTEM)
@pytest.mark.slow
def test_names_without_room_lose_their_middle_and_stay_apart(kind: str, tmp_path: Path) -> None:
    found = [text.words for text in texts(DRAWN[kind](width=420), tmp_path) if "…" in text.words]
    panels = 3 if kind == "meetings" else 1
    assert len(found) >= 19 * panels
    assert len(set(found)) == len(found) / panels


def test_short_names_keep_their_place_among_long_ones() -> None:
    mixed = (*LONG.systems[:2], "B", *LONG.systems[2:])
    lines = [replace(LONG.lines[0], system=name, rank=k) for k, name in enumerate(mixed, 1)]
    some = replace(LONG, lines=tuple(lines), joint=None)
    rows = marks(plots.rank_ranges(some, width=420), "bar")[0]
    assert rows["encoding"]["y"]["sort"][2] == "B"
    assert [row["system"] for row in rows["values"]] == rows["encoding"]["y"]["sort"]


@pytest.mark.parametrize("kind", DRAWN)
def test_a_group_is_in_the_title_and_a_title_replaces_it(kind: str, tmp_path: Path) -> None:
    def title(**given: str) -> str:
        text = DRAWN[kind](**given).to_dict()["title"]["text"]
        return text if isinstance(text, str) else " ".join(text)

    assert title(group="de-en, judge ann").startswith("de-en, judge ann")
    assert title(title="Mine", group="de-en") == "Mine"


@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.slow
def test_a_picture_too_small_to_read_is_refused(kind: str) -> None:
    with pytest.raises(InputError, match=r"width: got 90; this plot needs at least \d+ pixels"):
        DRAWN[kind](width=90)


def test_a_ranking_of_one_cluster_has_no_lines() -> None:
    close: Ranking = pm.rank(counted({("a", "b"): (5, 1, 5)}), resample="pair", resamples=100, rng=0)
    assert "line between clusters" not in str(plots.score_intervals(close).to_dict()["title"])
