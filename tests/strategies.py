"""Hypothesis strategies: judgments that have given features, with tame or nasty names."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import combinations
from typing import Any

import polars as pl
from hypothesis import settings
from hypothesis import strategies as st

from palmares.judgments import Judgments

#: How many times more examples than usual to try; more than one also tries other ones each time.
EFFORT = int(os.environ.get("PALMARES_TEST_EFFORT", "1"))


def examples(n: int) -> settings:
    return settings(max_examples=n * EFFORT, derandomize=EFFORT == 1)


TAME_NAMES = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_.é日", min_size=1, max_size=6).filter(
    lambda name: name.lower() not in ("nan", "null", "none")  # which stand for a missing value in files
)
TAME_PAIRS = st.sampled_from(["fr-en", "en-fr", "ron-eng", "日-本"])

#: Names that some format, parser or guess could trip over.
_TRAPS = (
    "a", "b", "tie", "model_a", "model_b", "system_a", "left", "PLACEHOLDER", "placeholder", "1", "01", "0", "-1",
    "0.5", "1.0", "1e5", "inf", "nan", "null", "None", "true", "2014-01-01", "a,b", "a+b", "a b", "b a", "x;y", "x\ty",
    "x\ny", "x\r\ny", "x\ry", 'say "hi"', '"', '""', "'", "\\", "\\n", "<x/>", "&amp;", "]]>", "{1,2}",
    "# ALTERNATIVE NAME 1: x", "#", "x\x00y", "x\x1fy", "\x1fx", "\ufeffx", "\u200bx", "x\u2028y", "x\x85y", "😀", "é",
    "e\u0301", "=1+1", "-", "\uffff", "x" * 300,
)  # fmt: skip
NASTY_NAMES = st.one_of(
    st.sampled_from(_TRAPS),
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=5).filter(lambda s: s == s.strip()),
)

_TEXTS = st.one_of(st.none(), TAME_NAMES, st.sampled_from(["1", "x y", "yes, no", '"', "true"]))
_NUMBERS = st.one_of(st.none(), st.floats(-1e15, 1e15), st.integers(-9, 9).map(float))
_TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1))


@st.composite
def rankings(
    draw: st.DrawFn,
    features: frozenset[str],
    *,
    names: st.SearchStrategy[str] = TAME_NAMES,
    lang_pairs: st.SearchStrategy[str] = TAME_PAIRS,
    ties: bool = True,
    complete: bool = False,
) -> Judgments:
    """Judgments that come from whole rankings and have no more than ``features``.

    ``complete``: every ranking has every system. Positions, where there are any, are 1, 2, … in each ranking.
    """
    systems = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    wanted = {f for f in sorted(features) if draw(st.booleans())}
    largest = len(systems) if "ranking" in wanted else 2
    rows: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 5))):
        n = len(systems) if complete else draw(st.integers(2, largest))
        shown = draw(st.permutations(systems))[:n]
        ranks = (
            draw(st.permutations(range(n))) if not ties else draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
        )
        context = _context(draw, wanted, names, lang_pairs)
        if "ranking" in wanted or complete:
            context["ranking"] = f"r{number}"
        output = list(range(n))
        if "forced" in wanted:  # some systems share the output of one that stands before them
            output = [draw(st.sampled_from(sorted({k, *output[:k]}))) for k in range(n)]
            ranks = [ranks[k] for k in output]
        rows += _pairs(list(zip(shown, ranks, output, strict=True)), context, wanted)
    return Judgments.from_rows(pl.DataFrame(rows, infer_schema_length=None))


@st.composite
def loose_pairs(
    draw: st.DrawFn, features: frozenset[str], *, names: st.SearchStrategy[str] = TAME_NAMES, ties: bool = True
) -> Judgments:
    """Any pairwise judgments, also ones that no ranking gives, with no more than ``features``."""
    systems = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    wanted = {f for f in sorted(features) if draw(st.booleans())}
    kinds = {f"extra.{name}": draw(st.sampled_from([_TEXTS, _NUMBERS])) for name in ("x", "name, 2", "judge")}
    rows = []
    ranked = set()
    for _ in range(draw(st.integers(1, 8))):
        a, b = draw(st.permutations(systems))[:2]
        row = {"system_a": a, "system_b": b, "outcome": draw(st.sampled_from([1, 0, -1] if ties else [1, -1]))}
        row |= _context(draw, wanted, names, names)
        if "ranking" in wanted:
            name = draw(st.one_of(st.none(), names))
            row["ranking"] = None if (name, frozenset((a, b))) in ranked else name  # a ranking has a pair once
            ranked.add((name, frozenset((a, b))))
        if "position" in wanted:
            row["position_a"], row["position_b"] = draw(st.sampled_from([(1, 2), (2, 1)]))
        if "extra" in wanted:
            row |= {name: draw(kind) for name, kind in kinds.items()}
        if "forced" in wanted:
            row["forced"] = row["outcome"] == 0 and draw(st.booleans())
        rows.append(row)
    return Judgments.from_rows(pl.DataFrame(rows, infer_schema_length=None))


def _context(
    draw: st.DrawFn, wanted: set[str], names: st.SearchStrategy[str], lang_pairs: st.SearchStrategy[str]
) -> dict[str, Any]:
    """What all judgments of a ranking share; any of it may be missing."""
    kinds = {
        "lang_pair": st.none() | lang_pairs,
        "segment": st.none() | names,
        "judge": st.none() | names,
        "time": st.none() | _TIMES,
        "duration": st.none() | st.floats(0, 1e6),
        "weight": st.floats(1e-6, 1e6) | st.just(1.0),
    }
    return {name: draw(kind) for name, kind in kinds.items() if name in wanted}


def _pairs(shown: list[tuple[str, int, int]], context: dict[str, Any], wanted: set[str]) -> list[dict[str, Any]]:
    """The pairs of systems with the rank and the number of their output; outputs are placed in order."""
    place = {number: k for k, number in enumerate(sorted({number for _, _, number in shown}), 1)}
    rows = []
    for (a, rank_a, output_a), (b, rank_b, output_b) in combinations(shown, 2):
        row = {"system_a": a, "system_b": b, "outcome": (rank_b > rank_a) - (rank_b < rank_a), **context}
        if "position" in wanted:
            row |= {"position_a": place[output_a], "position_b": place[output_b]}
        if "forced" in wanted:
            row["forced"] = output_a == output_b
        rows.append(row)
    return rows
