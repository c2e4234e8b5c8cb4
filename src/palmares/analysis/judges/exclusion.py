"""What a ranking without the flagged judges changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...compute import Execution
from ...errors import InputError
from ...judgments import BoolArray, Judgments
from ...ranking.rank import rank
from ..diff import Changes, diff

#: Units of uncertainty that allow for other judges.
_BY_JUDGE = ("two-way", "judge")


def without_flagged(
    judgments: Judgments, person: BoolArray, flagged: BoolArray, p: float, execution: Execution
) -> tuple[Changes | None, list[str]]:
    """Rank with the default model, with all people and without those who are flagged, and compare.

    Returns
    -------
    The changes, and notes; no changes where nobody is flagged, or where the rest cannot be ranked.
    """
    if not (person & flagged).any():
        return None, ["nobody is flagged, so there is nobody to leave out"]
    names = judgments.judges
    left_out = ", ".join(name for name, out in zip(names, person & flagged, strict=True) if out)
    judge = judgments.codes("judge")
    people = np.append(person, True)[judge]
    kept = people & ~np.append(flagged, False)[judge]
    notes = [f"left out of the second ranking, because flagged: {left_out}"]
    if not people.all():
        notes.append("programs are in neither of the two rankings")
    quiet = replace(execution, progress=None)
    try:
        rankings = [rank(judgments.filter(rows), p=p, execution=quiet) for rows in (people, kept)]
    except InputError as error:
        return None, [*notes, f"there is no ranking to compare: {error}"]
    # Errors that leave out how judges differ, where judges are few, are for these people; `diff` says so in a note.
    few = any(ranking.record.facts["unit"] not in _BY_JUDGE for ranking in rankings)
    return diff(rankings[0], rankings[1], shared="all", judges="same" if few else "other", p=p), notes
