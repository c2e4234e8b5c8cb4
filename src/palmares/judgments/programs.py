"""How many judgments are by programs, where a campaign says so and people judged too."""

from __future__ import annotations

import polars as pl

from .encoding import EXTRA_PREFIX
from .table import Judgments

#: The column by which campaigns mark what programs judged: 1, and 0 for people.
PROGRAM = f"{EXTRA_PREFIX}program"


def programs_note(judgments: Judgments) -> str | None:
    """What a result should say of judgments by programs beside those by people; None where there are not both."""
    if PROGRAM not in judgments.frame.columns:
        return None
    by_programs = int(judgments.frame[PROGRAM].cast(pl.String).is_in(["1", "1.0", "true"]).sum())
    if by_programs in (0, len(judgments)):
        return None
    return (
        f"{by_programs:,} of {len(judgments):,} judgments are by programs; --where program=0 ranks by those of people "
        "alone"
    )
