"""Sentences about a ranking, of reports and live results alike: every case, from plain values."""

from __future__ import annotations

import subprocess
import sys

import pytest

from palmares.report.ranking_words import Pieces, Standing, apart, chances, headline, percent


def plain(pieces: Pieces) -> str:
    return "".join(text for text, _ in pieces)


def systems(*chance: float | None, contend: int) -> list[Standing]:
    return [Standing("ABCDEFGH"[place], best, place < contend) for place, best in enumerate(chance)]


@pytest.mark.parametrize(
    ("chance", "contend", "joint", "said"),
    [
        ((0.999, 0.001), 1, True, "A is the best system (probability > 99 %)."),
        ((None, None), 1, True, "A is the best system."),
        (
            (0.98, 0.02),
            1,
            False,
            "A is probably the best system (probability 98 %): its lead holds by itself, not once all boundaries are "
            "tested together.",
        ),
        ((0.86, 0.14, 0.0), 2, False, "A is probably the best system (probability 86 %); B (14 %) is not ruled out."),
        (
            (0.18, 0.78, 0.04, 0.0),
            3,
            True,
            "B is probably the best system (probability 78 %); A (18 %) and C (4 %) are not ruled out.",
        ),
        (
            (0.45, 0.40, 0.15, 0.0),
            2,
            False,
            "A (45 %) and B (40 %) may each be the best: the judgments do not tell which.",
        ),
        ((0.9, 0.1), 2, False, "Any of the 2 systems may be the best: the judgments do not tell which."),
        (
            (0.6, 0.1, 0.1, 0.1, 0.1, 0.0),
            5,
            False,
            "5 systems (A, B, C, D, …) may each be the best: the judgments do not tell which.",
        ),
    ],
)
def test_the_headline_says_who_is_best_and_how_sure_that_is(
    chance: tuple[float | None, ...], contend: int, joint: bool, said: str
) -> None:
    found = headline(systems(*chance, contend=contend), joint=joint)
    assert plain(found) == said
    assert all(text in "ABCDEFGH" for text, is_name in found if is_name)


def test_chances_are_told_where_the_headline_has_not_all_of_them() -> None:
    assert chances(systems(0.9, 0.1, 0.0, contend=2)) == ()
    five = systems(0.2, 0.5, 0.1, 0.1, 0.1, 0.0, contend=5)
    assert plain(chances(five)) == "Probability of being the best: B (50 %), A (20 %), C (10 %), D (10 %)."
    assert chances(systems(None, None, contend=2)) == ()


@pytest.mark.parametrize(
    ("boundaries", "said"),
    [
        ([], ", but no boundary divides all systems above it from all below (95 % rank ranges)."),
        ([True], ". The boundary between 2 clusters holds (95 %)."),
        ([False], ". The boundary between 2 clusters holds only by itself (95 %)."),
        ([True, True], ". Of the 2 boundaries between 3 clusters, all hold jointly (95 %)."),
        ([True, False], ". Of the 2 boundaries between 3 clusters, 1 holds jointly, 1 only by itself (95 %)."),
        (
            [False, False],
            ". Of the 2 boundaries between 3 clusters, none holds jointly with the others, each only by itself (95 %).",
        ),
    ],
)  # fmt: skip
def test_how_far_systems_are_told_apart(boundaries: list[bool], said: str) -> None:
    assert apart(1, 3, boundaries, "95 %") == f"1 of 3 pairs of systems is separated{said}"


def test_no_share_is_said_to_be_certain() -> None:
    assert [percent(share) for share in (None, 0.0, 0.004, 0.014, 0.994, 1.0)] == [
        "–", "< 1 %", "< 1 %", "1 %", "99 %", "> 99 %",
    ]  # fmt: skip


def test_servers_can_say_it_without_numerics() -> None:
    look = "import sys, palmares.report.ranking_words; print(*{'numpy', 'polars', 'scipy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout == "\n"
