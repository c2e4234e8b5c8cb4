"""TREC's files: what is read from runs and qrels, what is refused, what is said."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from palmares.errors import InputError
from palmares.scoring.retrieval import Run, Runs, read_qrels, read_run, read_runs, run_text

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN = "q1 Q0 d2 1 3.5 bm25\nq1 Q0 d1 2 -1e-3 bm25\nq2 Q0 d9 1 7 bm25\n"
File = Callable[..., Path]


def test_qrels_and_runs_are_read(file: File) -> None:
    assert read_qrels(file(QRELS)).grades == {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}
    assert read_run(file(RUN)).scores == {"q1": {"d2": 3.5, "d1": -0.001}, "q2": {"d9": 7.0}}


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace(" ", " \t "),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: gzip.compress(text.encode()),
    ],
    ids=["BOM", "CR LF", "tabs", "no last line end", "blank lines", "gz"],
)
def test_the_same_is_read_however_it_is_written(changed: Callable[[str], str | bytes], file: File) -> None:
    assert read_run(file(changed(RUN))).scores == read_run(file(RUN, "plain")).scores
    assert read_qrels(file(changed(QRELS))).grades == read_qrels(file(QRELS, "plain")).grades


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file.csv: the file is empty; every line must hold query iteration document grade"),
        (" \n\n", "the file is empty"),
        ("q1 0 d1\n", "line 1: got 3 columns; allowed: 4, query iteration document grade$"),
        (RUN, r"line 1: got 6 columns; allowed: 4, .*; this looks like a run"),
        (QRELS + "q2 0 d3 high\n", "line 4: got grade 'high'; allowed: a whole number, in the fourth column"),
        (QRELS + "q2 0 d3 1.0\n", "line 4: got grade '1.0'; allowed: a whole number"),
        (QRELS + "q2 0 d3 ²\n", "line 4: got grade '²'; allowed: a whole number"),
        (QRELS + "q2 0 d3 20241119\n", "line 4: got grade 20241119; allowed: at most 1000"),
        (QRELS + "q1 1 d1 1\n", "line 4: document d1 of query q1 is judged twice"),
        ("q1 d1 0 1\nq1 d2 0 1\n", "line 2: document 0 of query q1 is judged twice; .*the columns are query iteration"),
    ],
)
def test_other_qrels_are_refused_by_line(text: str, message: str, file: File) -> None:
    with pytest.raises(InputError, match=message):
        read_qrels(file(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (QRELS, r"line 1: got 4 columns; allowed: 6, query Q0 .* tag; this looks like relevance judgments \(qrels\)"),
        ("q1 Q0 d1 1 3.5\n", "line 1: got 5 columns"),
        ("q1 Q0 d1 1 3,5 x\n", "line 1: got score '3,5'; allowed: a number; .*; write decimals with a point"),
        ("q1 Q0 d1 1 1_0 x\n", "line 1: got score '1_0'; allowed: a number"),
        ("q1 Q0 d1 1 nan x\n", "line 1: got score nan; it must be finite"),
        ("q1 Q0 d1 1 inf x\n", "line 1: got score inf; it must be finite"),
        ("q1 Q0 d1 1 1e39 x\n", "line 1: got score 1e39; it must be finite, also in the single precision"),
        ("q1 Q0 d1 3.5 1 x\n", "line 1: got rank '3.5'; allowed: a whole number; the columns are query Q0 document"),
        (RUN + "q1 Q0 d1 3 1 x\n", "line 4: document d1 of query q1 is there twice"),
    ],
)
def test_other_runs_are_refused_by_line(text: str, message: str, file: File) -> None:
    with pytest.raises(InputError, match=message):
        read_run(file(text))


def test_ranks_that_contradict_scores_are_noted(file: File) -> None:
    text = "q1 Q0 a 1 1.0 x\nq1 Q0 b 2 2.0 x\nq2 Q0 a 2 1.0 x\nq2 Q0 b 1 2.0 x\nq3 Q0 a 0 1.0 x\nq3 Q0 b 0 2.0 x\n"
    (note,) = read_run(file(text)).notes
    assert note.endswith(": ranks contradict scores for 1 query (q1); documents are ordered by score, as in trec_eval")


def test_ranks_that_alone_order_documents_are_noted(file: File) -> None:
    """A run with one score for all: trec_eval orders it by ids."""
    ranked = "q1 Q0 a 1 1 x\nq1 Q0 b 2 1 x\nq2 Q0 b 1 1 x\nq2 Q0 a 2 1 x\n"
    (note,) = read_run(file(ranked)).notes
    assert note.endswith(
        "documents with equal scores have another order by rank than by id for 1 query (q1); they are ordered by id, "
        "as in trec_eval"
    )


def test_scores_that_single_precision_makes_equal_are_noted(file: File) -> None:
    text = "q1 Q0 b 1 1.00000002 x\nq1 Q0 a 2 1.00000001 x\nq2 Q0 b 1 2.5 x\nq2 Q0 a 2 2.5 x\n"
    run = read_run(file(text))
    (note,) = run.notes
    assert note.endswith(
        "some scores differ only beyond single precision for 1 query (q1); they are taken for equal, as in trec_eval"
    )
    assert [document for document, _ in Run({"q": {"a": 1.00000002, "b": 1.00000001}}).ranked("q")] == ["b", "a"]
    assert [document for document, _ in run.ranked("q1")] == ["b", "a"]


def test_negative_grades_are_noted(file: File) -> None:
    (note,) = read_qrels(file("q1 0 a -1\nq1 0 b -2\nq1 0 c 1\n")).notes
    assert "2 grades are below 0; as in trec_eval such documents are not relevant" in note


def test_documents_are_ordered_by_score_and_equal_ones_by_id_descending() -> None:
    run = Run({"q": {"a": 1.0, "c": 1.0, "b": 2.0, "B": 1.0, "é": 1.0}})
    assert [document for document, _ in run.ranked("q")] == ["b", "é", "c", "a", "B"]
    assert run.ranked("another") == []


def test_a_run_that_was_written_is_the_same_when_it_is_read(file: File) -> None:
    rng = np.random.default_rng(0)
    scores = {
        f"q{q}": {f"d{d}": float(np.float32(rng.normal(scale=10.0 ** rng.integers(-8, 8)))) for d in range(50)}
        for q in range(5)
    }
    text = run_text(Run(scores), "a system")
    assert text.splitlines()[0].split()[0::5] == ["q0", "a_system"]
    assert read_run(file(text)).notes == ()
    again = read_run(file(text)).scores
    assert {q: {d: np.float32(s) for d, s in found.items()} for q, found in again.items()} == scores
    assert [line.split()[3] for line in text.splitlines()] == [str(rank) for _ in range(5) for rank in range(1, 51)]


def test_runs_are_named_with_their_files(file: File) -> None:
    path = file(RUN, "a.run")
    runs = read_runs({"A": path}, monolingual=file(RUN, "m.run"))
    assert list(runs.named) == ["A", "monolingual"]
    assert [(s.format, s.records) for s in runs.sources] == [("run A", 3), ("run monolingual", 3)]
    with pytest.raises(InputError, match="a system is called 'monolingual'"):
        read_runs({"monolingual": path}, monolingual=path)
    with pytest.raises(InputError, match="got no system"):
        Runs({})
