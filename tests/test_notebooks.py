"""From Python: what functions take for judgments, and how results show themselves: a line, HTML, a data frame."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from builders import counted

import palmares as pm
from palmares.errors import InputError, MissingExtraError
from palmares.ingest.files import DroppedRowsWarning
from palmares.judgments import Judgments
from palmares.report.notebooks import to_html
from palmares.report.tables import Column, Grouped, Table, rendered

VOTES = {
    "model_a": ["x", "y", "x", "z"] * 9,
    "model_b": ["y", "z", "z", "x"] * 9,
    "winner": ["model_a", "tie", "model_a", "model_b"] * 9,
    "judge": ["ann", "bob", "ann"] * 12,
    "question_id": ["q1", "q1", "q2", "q2"] * 9,
}


@pytest.fixture(scope="module")
def judgments() -> Judgments:
    return pm.simulate(systems=6, rankings=80, judges=4, segments=20, lang_pair="cs-en", rng=0).judgments


@pytest.fixture(scope="module")
def results(judgments: Judgments) -> dict[str, Any]:
    """One of every kind."""
    ranking = pm.rank(judgments, resamples=60, rng=0)
    half = pm.rank(judgments.filter(np.arange(len(judgments)) % 2 == 0), resamples=60, rng=0)
    models = ["bradley-terry", "expected-wins"]
    return {
        "Ranking": ranking,
        "HeadToHead": pm.head_to_head(judgments, ranking),
        "Overview": pm.describe(judgments),
        "Agreement": pm.agreement(judgments, judges=True, resamples=60, rng=0),
        "Judges": pm.judges(judgments, rng=0),
        "Audit": pm.audit(judgments, resamples=60, rng=0),
        "Comparison": pm.compare(judgments, models=models, testing=pm.Testing(2), rng=0),
        "Curve": pm.learning_curve(judgments, sizes=[50, 100], trials=2, models=models, rng=0),
        "Changes": pm.diff(ranking, half),
        "Coverage": pm.coverage(campaigns=2, resamples=60, rng=0),
        "Reproduction": pm.reproduce("w14-head-to-head", quick=True),
        "Judgments": judgments,
    }


KINDS = ("Ranking", "HeadToHead", "Overview", "Agreement", "Judges", "Audit", "Comparison", "Curve", "Changes",
         "Coverage", "Reproduction", "Judgments")  # fmt: skip


# -- what functions take ---------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "rank": lambda data: pm.rank(data, resamples=40, rng=0).to_dict(),
    "head_to_head": lambda data: pm.head_to_head(data, pm.rank(data, resample=None, rng=0)).to_dict(),
    "describe": lambda data: pm.describe(data).to_dict(),
    "agreement": lambda data: pm.agreement(data, resamples=0, rng=0).to_dict(),
    "judges": lambda data: pm.judges(data, rng=0).to_dict(),
    "audit": lambda data: pm.audit(data, resamples=40, rng=0).to_dict(),
    "compare": lambda data: pm.compare(data, models=["bojar"], testing=pm.Testing(2), rng=0).to_dict(),
    "learning_curve": lambda data: pm.learning_curve(data, sizes=[6], trials=1, models=["bojar"], rng=0).to_dict(),
    "noise_test": lambda data: pm.noise_test(
        data, shares=[0.5], trials=1, models=["bojar"], testing=pm.Testing(2), rng=0
    ).to_dict(),
    "evaluate": lambda data: pm.evaluate(pm.models.create("bojar"), data, data, seed=0).accuracy_clusters,
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "path", "text", "file"])
def test_what_can_be_read_gives_what_was_read(function: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    frame = pl.DataFrame(VOTES)
    frame.write_csv(path)
    data = {"polars": frame, "lazy": frame.lazy(), "pandas": pd.DataFrame(VOTES), "path": path, "text": str(path)}
    expected = FUNCTIONS[function](pm.read(path))
    if kind == "file":
        if function in ("head_to_head", "evaluate"):
            return  # an open file can be read once
        with path.open("rb") as given:
            assert without_source(FUNCTIONS[function](given)) == without_source(expected)
        return
    assert without_source(FUNCTIONS[function](data[kind])) == without_source(expected)


def without_source(found: Any) -> Any:
    """Results but for the name of what was read, which is in their record."""
    if not isinstance(found, dict):
        return found
    return {key: value for key, value in found.items() if key != "record"}


def test_reading_by_the_way_warns_as_reading_does() -> None:
    faulty = pl.DataFrame({**VOTES, "model_b": ["y", "z", "z", "x"] * 8 + ["y", "z", "z", ""]})
    with pytest.warns(DroppedRowsWarning, match="dropped row 36") as direct:
        judgments = pm.read(faulty, faults="lenient")
    assert len(judgments) == 35
    with pytest.raises(InputError, match="row 36: a system is missing"):
        pm.rank(faulty)  # 1 of 36 is more than 1 %
    many = pl.concat([pl.DataFrame(VOTES)] * 4 + [faulty])
    with pytest.warns(DroppedRowsWarning, match="dropped row 180") as by_the_way:
        ranking = pm.rank(many, resample=None, rng=0)
    assert by_the_way[0].filename == direct[0].filename == __file__  # where the caller is told to look
    assert "|dropped:" in ranking.signature


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "evaluate"])
@pytest.mark.parametrize(
    "given", [None, 3, [("a", "b", 1)], {"system_a": ["a"]}, object()], ids=lambda given: type(given).__name__
)
def test_what_cannot_be_read_is_refused(function: str, given: Any) -> None:
    kind = "None" if given is None else type(given).__name__
    with pytest.raises(
        InputError, match=rf"^(rank|{function}): got (an? )?{kind}; allowed: Judgments \(palmares.read\), "
    ):
        FUNCTIONS[function](given)


def test_the_message_says_what_to_do(judgments: Judgments, results: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"rank: got a dict; .*; take one of its values, or one after the other"):
        pm.rank(judgments.split())
    with pytest.raises(InputError, match=r"rank: got a list; .*; put several tables together with palmares.concat"):
        pm.rank([judgments, judgments])
    with pytest.raises(InputError, match=r"rank: got a list; .*; make a frame of rows first"):
        pm.rank([{"system_a": "a"}])
    with pytest.raises(InputError, match="agreement: got a Ranking; allowed"):
        pm.agreement(results["Ranking"])
    with pytest.raises(InputError, match="agreement: got pair counts, which do not know who judged what"):
        pm.agreement(judgments.counts)
    with pytest.raises(InputError, match="head_to_head: got a DataFrame for the ranking"):
        pm.head_to_head(judgments, pl.DataFrame(VOTES))
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        pm.rank("nowhere.csv")
    with pytest.raises(InputError, match="no known format has the columns x, y"):
        pm.rank(pl.DataFrame({"x": [1], "y": [2]}))


def test_pair_counts_do_for_a_ranking(judgments: Judgments) -> None:
    assert pm.rank(judgments.counts, resample=None, rng=0).systems == pm.rank(judgments, resample=None, rng=0).systems


# -- one line --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_one_short_line(results: dict[str, Any], kind: str) -> None:
    text = repr(results[kind])
    assert text.startswith(f"<{kind}")
    assert text.endswith(">")
    assert "\n" not in text
    assert len(text) <= 100


def test_the_line_of_a_ranking_by_hand() -> None:
    data = counted({("a", "b"): (20, 4, 20), ("a", "c"): (38, 0, 2), ("b", "c"): (37, 0, 3)})
    ranking = pm.rank(data, resample="pair", resamples=200, rng=0)
    assert repr(ranking) == f"<Ranking: 3 systems in 2 clusters, 124 judgments; best: {ranking.systems[0]}>"
    long = counted({("x" * 300, "b"): (3, 0, 1)})
    assert repr(pm.rank(long, resample=None, rng=0)) == (
        f"<Ranking: 2 systems, 4 judgments; best: {'x' * 19}…{'x' * 20}>"
    )


def test_pair_counts_do_not_list_their_systems(judgments: Judgments) -> None:
    assert repr(judgments.counts) == "<PairCounts: 800 judgments of 6 systems>"


# -- HTML ------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a page shows, and whether its tags match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_what_the_terminal_does(results: dict[str, Any], kind: str) -> None:
    result = results[kind]
    page = Page(result._repr_html_())
    if kind == "Judgments":
        result = pm.describe(result)
    part = "judges" if kind == "Agreement" else None
    text = rendered(
        result.shown_by, [Grouped(result, (("lang_pair", getattr(result, "lang_pair", None)),))], "table", part
    )
    shown = {word for line in text.text.splitlines() if not set(line.strip()) <= set("─╌") for word in line.split()}
    assert shown <= {word for part in page.words for word in part.split()}


@pytest.mark.parametrize("kind", KINDS)
def test_html_is_self_contained_and_sets_no_colour(results: dict[str, Any], kind: str) -> None:
    text = results[kind]._repr_html_()
    page = Page(text)
    plain = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "b", "small", "code"}
    assert {tag for tag, _ in page.tags} <= plain
    assert {name for _, attributes in page.tags for name in attributes} <= {"style", "scope"}
    assert "http" not in text
    assert not [
        style for _, a in page.tags if (style := a.get("style") or "") and ("#" in style or "background" in style)
    ]


NASTY = ["<script>alert(1)</script>", "a&b", '"quoted"', "&lt;", "<b>", "two\nlines", "esc\x1b[31m"]


def test_names_cannot_be_markup() -> None:
    columns = [Column("n"), Column("<i>", align="left")]
    table = Table(columns, [[i, name] for i, name in enumerate(NASTY)], "<title>", frozenset({2}), "<sig>", ["<note>"])
    page = Page(to_html(table))
    assert [row[1] for row in page.rows] == ["<i>", *NASTY[:5], "two lines", r"esc\x1b[31m"]
    assert not {"script", "i", "title", "sig", "note"} & {tag for tag, _ in page.tags}
    assert {"<title>", "<sig>", "<note>"} <= set(page.words)
    assert sum(tag == "tbody" for tag, _ in page.tags) == 2  # a line above the third row


def test_a_huge_table_is_cut_and_says_so() -> None:
    table = Table([Column(str(c)) for c in range(100)], [[0] * 100 for _ in range(300)])
    page = Page(to_html(table))
    assert (len(page.rows), len(page.rows[1])) == (1 + 250, 60)
    assert "the first 250 of 300 rows and 60 of 100 columns; table() has all" in page.words


def test_a_group_is_the_caption(judgments: Judgments) -> None:
    rows = judgments.to_rows()
    part = pm.read(rows.with_columns(outcome=rows["outcome"].replace_strict({1: "a", 0: "tie", -1: "b"})))
    judge, first = next(iter(part.split()["cs-en"].split("judge").items()))
    ranking = pm.rank(first, resample=None, rng=0)
    assert f"cs-en, judge {judge}" in Page(ranking._repr_html_()).words


# -- data frames -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_has_the_rows_of_the_csv(results: dict[str, Any], kind: str) -> None:
    result = results[kind]
    frame = result.table()
    assert frame.height > 0
    if kind != "Judgments":
        text = rendered(result.shown_by, [Grouped(result)], "csv").text
        assert frame.columns == text.splitlines()[0].split(",")
        assert frame.height == len(pl.read_csv(text.encode(), infer_schema=False))
    in_pandas = result.to_pandas()
    assert list(in_pandas.columns) == frame.columns
    for name in frame.columns:
        values = [None if pd.isna(value) else value for value in in_pandas[name]]
        assert values == frame[name].to_list()


def test_parts_are_tables_too(results: dict[str, Any]) -> None:
    ranking, audit = results["Ranking"], results["Audit"]
    assert ranking.table("pairs").columns[:2] == ["above", "below"]
    assert ranking.table("pairs").height == 6 * 5 / 2
    assert ranking.to_pandas("probabilities").shape == (6 * 5, 3)
    assert audit.table("claims").height == len(audit.claims)
    assert results["Agreement"].table("judges").height == 4
    with pytest.raises(InputError, match="rank: got part 'claims'; allowed: probabilities, pairs"):
        ranking.table("claims")


def test_without_pandas_the_message_says_how_to_get_it(
    results: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"needs the package 'pandas'.*: pip install pandas$"):
        results["Ranking"].to_pandas()


def test_pandas_is_enough() -> None:
    """No other library, such as pyarrow, is needed to make a pandas frame."""
    ranking = pm.rank(pl.DataFrame(VOTES), resamples=40, rng=0)
    found = builtins.__import__

    def refuse(name: str, *arguments: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "pyarrow":
            raise ImportError(name)
        return found(name, *arguments, **more)

    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "__import__", refuse)
        frame = ranking.to_pandas()
    assert list(frame["system"]) == list(ranking.systems)
    assert frame["score"].dtype == np.float64


def test_a_part_without_rows_says_how_to_get_them_or_has_its_columns(results: dict[str, Any]) -> None:
    judgments, reproduction = results["Judgments"], results["Reproduction"]
    with pytest.raises(InputError, match="judges were not compared with each other; ask for it with judges=True"):
        pm.agreement(judgments, resamples=0, rng=0).to_pandas("judges")
    assert replace(reproduction, rows=()).table().columns == reproduction.table().columns


def test_what_can_be_counted_is_a_number_in_a_frame() -> None:
    frame = pm.describe(counted({("a", "b"): (3, 2, 1), ("b", "c"): (1, 0, 0), ("x", "y"): (0, 1, 0)})).table()
    assert frame.select("ties", "pairs_compared", "pairs").row(0) == (3 / 8, 3, 10)


def test_cells_of_numbers_and_names_are_not_broken_and_prose_is() -> None:
    columns = [Column("name", align="left"), Column("says", align="left", if_long="wrap")]
    text = to_html(Table(columns, [["judge-06", "a long story"]]))
    cells = [line for line in text.split("<td ") if "</td>" in line]
    assert ["white-space: nowrap" in cell for cell in cells] == [True, False]
