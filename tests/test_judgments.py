"""The table in the middle: what it refuses, how it is cut, and what its hash and counts depend on."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse.csgraph import connected_components

from palmares.errors import InputError
from palmares.ingest.files import concat
from palmares.judgments import Judgments, circles

_PAIR: dict[str, list[Any]] = {"system_a": ["B", "A"], "system_b": ["A", "C"], "outcome": [1, 0]}


def _made(**columns: list[Any]) -> Judgments:
    return Judgments.from_rows(pl.DataFrame({**_PAIR, **columns}))


# -- form ----------------------------------------------------------------------------------------


def test_rows_are_put_in_the_order_of_names() -> None:
    """B beat A: told from A's side, the first by name, B is better; positions change sides as well."""
    made = _made(position_a=[1, 1], position_b=[2, 2])
    assert made.systems == ("A", "B", "C")
    assert made.to_rows().select("system_a", "system_b", "outcome").rows() == [("A", "B", -1), ("A", "C", 0)]
    assert made.to_rows().select("position_a", "position_b").rows() == [(2, 1), (1, 2)]
    assert made == _made(position_a=[1, 1], position_b=[2, 2])


def test_counts() -> None:
    counts = _made().counts
    assert counts.wins.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert counts.ties.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert counts.total == 2
    assert counts.decided.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_weighted_counts() -> None:
    made = _made(weight=[2.5, 4.0])
    assert made.weights is not None
    assert made.weights.tolist() == [2.5, 4.0]
    assert made.counts.wins[1, 0] == 2.5
    assert made.counts.ties[0, 2] == made.counts.ties[2, 0] == 4.0
    assert made.counts.total == 6.5
    assert _made(weight=[1.0, 1.0]).weights is None


def test_components() -> None:
    rows = {"system_a": ["A", "C", "E"], "system_b": ["B", "D", "D"], "outcome": [1, 1, 0]}
    counts = Judgments.from_rows(pl.DataFrame(rows)).counts
    assert counts.components() == [("C", "D", "E"), ("A", "B")]
    assert counts.components(decisive=True) == [("A", "B"), ("C", "D"), ("E",)]
    assert counts.keep(("D", "C")).wins.tolist() == [[0, 1], [0, 0]]
    with pytest.raises(InputError, match="no system is called 'X'; there are A, B, C, D, E"):
        counts.keep(("A", "X"))


def test_it_cannot_be_changed(judgments: Judgments) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        judgments.frame = judgments.frame  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        judgments.codes("system_a")[0] = 7


def test_repr_says_what_is_in_it(judgments: Judgments) -> None:
    assert repr(judgments) == "<Judgments: 5 of 3 systems; 2 lang_pairs, 3 segments, 2 judges, 1 rankings>"
    assert repr(_made()) == "<Judgments: 2 of 3 systems; no context>"


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"system_b": ["B", "C"]}, "compared with itself"),
        ({"system_a": [None, "B"]}, "lacks a system"),
        ({"system_a": [" A", "B"]}, "system name ' A' is empty or has white space"),
        ({"system_a": ["", "B"]}, "system name '' is empty"),
        ({"judge": ["ann ", "bob"]}, "judge name 'ann ' is empty or has white space"),
        ({"outcome": [2, 0]}, "none of"),
        ({"outcome": [0.5, 0.0]}, "none of"),
        ({"outcome": [None, 0]}, "none of"),
        ({"outcome": ["a", "b"]}, "none of"),
        ({"outcome": [[1], [0]]}, "of type List"),
        ({"weight": [0.0, 1.0]}, "weight is not a positive"),
        ({"weight": [float("nan"), 1.0]}, "weight is not a positive"),
        ({"weight": [float("inf"), 1.0]}, "weight is not a positive"),
        ({"weight": [None, 1.0]}, "weight is not a positive"),
        ({"duration": [float("inf"), 1.0]}, "duration is infinite"),
        ({"position_a": [1, 1]}, "both or neither"),
        ({"position_a": [1.5, 1.0], "position_b": [2, 2]}, "not a whole number"),
        ({"position_a": [1e12, 1.0], "position_b": [2, 2]}, "not of type Int32"),
        ({"time": ["yesterday", "today"]}, "not of type Datetime"),
        ({"time": pl.Series([2**60, 0]).cast(pl.Datetime("us"))}, "no time in the years 1 to 9999"),
        ({"extra.x": [[1], [2]]}, "'extra.x' holds List"),
        ({"extra.": [1, 2]}, r"unknown column\(s\) 'extra.'"),
        ({"colour": ["red", "blue"]}, r"unknown column\(s\) 'colour'; a covariate is named extra.NAME"),
    ],
)
def test_rows_that_are_no_judgments_are_refused(columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _made(**columns)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(InputError, match="the table is empty"):
        Judgments.from_rows(pl.DataFrame(_PAIR).clear())
    with pytest.raises(InputError, match="need the columns system_a, system_b, outcome; got system_a"):
        Judgments.from_rows(pl.DataFrame({"system_a": ["A"]}))


# -- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "size"),
    [
        ({"lang_pair": "fr-en"}, 3),
        ({"judge": "b*"}, 2),
        ({"judge": ["ann", "bob"]}, 5),
        ({"segment": ["2", "3"], "judge": "bob"}, 2),
        ({"system": ["A", "B"]}, 2),
        ({"system": "[AC]"}, 2),
        ({"ranking": "r1"}, 3),
    ],
)
def test_select(judgments: Judgments, wanted: dict[str, Any], size: int) -> None:
    assert len(judgments.select(**wanted)) == size


def test_without_drops_rows_with_either_system(judgments: Judgments) -> None:
    left = judgments.without(system="C")
    assert left.systems == ("A", "B")
    assert len(left) == 2
    assert judgments.without(judge="ann").judges == ("bob",)


def test_rows_without_a_name_match_no_pattern() -> None:
    made = _made(judge=["ann", None])
    assert made.where("judge", "*").tolist() == [True, False]
    assert len(made.without(judge="ann")) == 1


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"judge": "zoe"}, "no judge matches 'zoe'; there are 2: ann, bob"),
        ({"outcome": "1"}, "cannot select by 'outcome'; allowed: lang_pair, segment, judge, ranking, system"),
    ],
)
def test_selecting_what_is_not_there(judgments: Judgments, wanted: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        judgments.select(**wanted)


def test_selecting_nothing_is_refused(judgments: Judgments) -> None:
    with pytest.raises(InputError, match="the table is empty"):
        judgments.select(lang_pair="fr-en", judge="bob")


def test_split(judgments: Judgments) -> None:
    parts = judgments.split()
    assert list(parts) == ["de-en", "fr-en"]
    assert [len(part) for part in parts.values()] == [2, 3]
    assert list(_made(judge=["z", None]).split("judge")) == ["z", None]
    assert list(_made().split()) == [None]
    assert list(_made(**{"extra.topic": ["b", "a"]}).split("topic")) == ["a", "b"]
    with pytest.raises(InputError, match="cannot split by 'topic': no such column; present: lang_pair, segment, judge"):
        judgments.split("topic")


def test_take_keeps_systems_that_no_longer_occur(judgments: Judgments) -> None:
    taken = judgments.take(np.array([0, 0, 0]))
    assert taken.systems == ("A", "B", "C")
    assert taken.counts.wins[0, 1] == 3
    assert len(judgments.filter(np.array([True, False, False, False, False])).systems) == 2


def test_concat_keeps_rankings_apart(judgments: Judgments) -> None:
    both = concat([judgments, judgments])
    assert len(both) == 10
    assert len(both.names["ranking"]) == 2
    assert concat([judgments]) is judgments
    assert concat([_made(**{"extra.x": [1, 2]}), _made(judge=["ann", "bob"])]).extras == ("x",)
    with pytest.raises(InputError, match="no table"):
        concat([])


# -- what the hash depends on --------------------------------------------------------------------


def _ranked(ranking: list[str | None], **columns: list[Any]) -> Judgments:
    rows = {"system_a": ["A", "A", "B"], "system_b": ["B", "C", "C"], "outcome": [1, 1, 0], "ranking": ranking}
    return Judgments.from_rows(pl.DataFrame({**rows, **columns}))


def test_the_hash_ignores_the_names_of_rankings_but_not_grouping() -> None:
    assert _ranked(["1", "1", "2"]) == _ranked(["x", "x", "a"]) == _ranked(["x", "x", None])
    assert len({_ranked(r) for r in (["1"] * 3, ["1", "1", "2"], ["1", "2", "2"], ["1", "2", "3"])}) == 4
    assert _ranked(["1", "2", "3"]) == Judgments.from_rows(_ranked([None] * 3).to_rows())


def test_a_ranking_id_is_a_number_within_each_judge() -> None:
    """Judges who all count their rankings from 1 do not share a ranking."""
    shared = _ranked(["1", "1", "1"], judge=["ann", "ann", "bob"])
    assert shared == _ranked(["1", "1", "2"], judge=["ann", "ann", "bob"])
    # What a separator would join stays apart.
    slashes = _ranked(["1", "1", "1"], segment=["1/2", "1", "1"], judge=["3", "2/3", "2/3"])
    assert len(slashes.names["ranking"]) == 2


@pytest.mark.parametrize(
    "columns",
    [
        {"outcome": [1, 1]},
        {"outcome": [-1, 0]},
        {"system_a": ["B", "D"]},
        {"judge": ["ann", "ann"]},
        {"segment": ["ann", "ann"]},
        {"judge": ["ann", None]},
        {"weight": [2.0, 1.0]},
        {"duration": [1.0, None]},
        {"duration": [0.0, None]},
        {"time": [datetime(2014, 1, 1), None]},
        {"position_a": [1, 1], "position_b": [2, 2]},
        {"extra.x": ["u", "v"]},
        {"extra.y": ["u", "v"]},
        {"extra.x": ["v", "u"]},
        {"extra.x": [1, 2]},
    ],
)
def test_the_hash_depends_on_everything_else(columns: dict[str, list[Any]]) -> None:
    assert _made(**columns) != _made()
    assert _made(**columns) == _made(**columns)


def test_the_hash_tells_which_column_a_name_is_in() -> None:
    assert _made(judge=["x", "y"]) != _made(segment=["x", "y"])
    assert _made(judge=["x", "x"], segment=["y", "z"]) != _made(judge=["x", "y"], segment=["z", "z"])


# -- one value, one form -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"extra.x": ["1", "2.50"]}, {"extra.x": [1.0, 2.5]}),
        ({"extra.x": [" u ", ""]}, {"extra.x": ["u", None]}),
        ({"extra.x": [True, False]}, {"extra.x": ["true", "false"]}),
        ({"extra.x": [1.0, float("nan")]}, {"extra.x": [1, None]}),
        ({"duration": [1.0, float("nan")]}, {"duration": [1.0, None]}),
        ({"judge": [None, None]}, {}),
        ({"duration": [None, None]}, {}),
        ({"extra.x": [None, None]}, {}),
        (
            {"time": [datetime(2014, 1, 1, 12, tzinfo=timezone(timedelta(hours=2))).astimezone(UTC)] * 2},
            {"time": [datetime(2014, 1, 1, 10)] * 2},
        ),
    ],
)
def test_the_same_content_in_another_type(one: dict[str, list[Any]], other: dict[str, list[Any]]) -> None:
    assert _made(**one) == _made(**other)


def test_long_ids_stay_apart_as_covariates() -> None:
    """Floating point has one number for both of these."""
    made = _made(**{"extra.id": [9007199254740992, 9007199254740993]})
    assert made.to_rows()["extra.id"].to_list() == ["9007199254740992", "9007199254740993"]


def test_circles_are_those_who_reach_each_other() -> None:
    """0 → 1 → 2 → 0 is a circle, 3 is only reached from it, 4 stands alone."""
    links = np.zeros((5, 5), dtype=bool)
    links[[0, 1, 2, 2], [1, 2, 0, 3]] = True
    assert circles(links).tolist() == [0, 0, 0, 1, 2]
    assert circles(links | links.T).tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("n", [7, 8, 9, 40])
def test_circles_are_what_scipy_calls_strong_components(n: int) -> None:
    links = np.random.default_rng(n).random((n, n)) < 1.2 / n
    found = circles(links)
    expected = connected_components(links, directed=True, connection="strong")[1]
    assert ((found[:, None] == found) == (expected[:, None] == expected)).all()
    assert set(found) == set(range(expected.max() + 1))
