"""What a reader of the table of judges should know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...judgments import Judgments
from ...results import counted
from .consensus import LARGE
from .flags import CHANCE_OF_FEW, ERROR
from .result import JudgeLine
from .simulation import FalseFlags
from .times import LEAST_ANSWERS, LEAST_JUDGES

if TYPE_CHECKING:
    from .run import Panel

#: So many judges are named in a note; the table has them all.
_NAMED = 8


def notes_on_judgments(judgments: Judgments) -> list[str]:
    """How they were read, and what is not made of them."""
    weights = "the judgments have weights, which play no part here: every judgment counts once"
    return [*judgments.notes, *([] if judgments.weights is None else [weights])]


def notes_on(panel: Panel, lines: Sequence[JudgeLine]) -> list[str]:
    """Everything that was left out, guessed, or could not be told."""
    judgments, notes = panel.judgments, list[str]()
    if unnamed := int((panel.answers.judge < 0).sum()):
        notes.append(
            f"{unnamed:,} of {len(judgments):,} judgments name no judge: they count as one more person's where judges "
            "are compared with the others, and have no line"
        )
    if gone := [name for name in judgments.systems if name not in panel.part.systems]:
        notes.append(
            "people's judgments do not link all systems; judges are compared on the largest group that they link, "
            f"without {named(gone)}"
        )
    if alone := [line.judge for line in lines if not line.shared]:
        notes.append(
            f"nothing says how {named(alone)} judge{'s' if len(alone) == 1 else ''}: they share no comparison with "
            "other people, neither a pair of systems nor systems that others link"
        )
    refitted = [panel.part.judges[code] for code in panel.consensus.refitted.tolist()]
    if large := [name for name in refitted if name not in alone]:
        notes.append(
            f"judges with at least {100 * LARGE:g} % of the judgments are compared with a new fit to the others "
            f"({named(large)}), other people with one step towards it"
        )
    if not panel.consensus.fit.convergence.converged:
        notes.append(
            "the strengths of the systems did not converge, as happens with few judgments: sensitivity and agreement "
            "are a rough guide, and nobody is called random or reversed"
        )
    return notes + _on_flags(panel, lines) + _on_times(panel) + _on_programs(lines)


def _on_flags(panel: Panel, lines: Sequence[JudgeLine]) -> list[str]:
    people = [line for line in lines if not line.program and line.shared]
    notes = []
    if few := sum(not line.enough for line in people):
        notes.append(
            f"{few} of {counted(len(people), 'judge')} {'has' if few == 1 else 'have'} too few answers, or compared "
            f"too close systems, to tell random answers from ordinary ones with both errors at {100 * ERROR:g} %; they "
            f"are flagged only if the chance of it is at least {100 * CHANCE_OF_FEW:g} %"
        )
    flagged = [line for line in people if any(flag.name == "random" for flag in line.flags)]
    if flagged:
        wrong = sum(1 - (line.random or 0.0) for line in flagged)
        notes.append(
            f"of the {counted(len(flagged), 'judge')} flagged as random, {wrong:.1f} are expected to be ordinary ones; "
            "in simulated campaigns, 0 to 2 % of judges are flagged where nobody answers at random, and up to 5 % of "
            "the others where a fifth does (--false-flags N measures it for campaigns like this one)"
        )
    return notes


def notes_on_false_flags(found: FalseFlags | None) -> list[str]:
    """What was measured on simulated campaigns."""
    if found is None:
        return []
    low, high = found.interval
    by_flag = ", ".join(f"{name} {count}" for name, count in sorted(found.by_flag.items()))
    return [
        f"in {counted(found.campaigns, 'campaign')} simulated like this one, with nobody at random, "
        f"{100 * found.rate:.1f} % [{100 * low:.1f}, {100 * high:.1f}] of {found.judges:,} judges were flagged"
        + (f" ({by_flag})" if by_flag else "")
    ]


def _on_times(panel: Panel) -> list[str]:
    times = panel.times
    if times is None:
        return []
    notes = [f"{times.unusable:,} times are not above 0 and were left out"] if times.unusable else []
    if not np.isfinite(times.z).any():
        notes.append(
            f"nobody is called too fast: that needs {LEAST_JUDGES} people with {LEAST_ANSWERS} timed answers each"
        )
    return notes


def _on_programs(lines: Sequence[JudgeLine]) -> list[str]:
    programs = [line.judge for line in lines if line.program]
    if not programs:
        return []
    return [
        f"programs are compared with people, and are not part of what people say: {named(programs)}; their κ is that "
        "with people"
    ]


def named(names: Sequence[str]) -> str:
    """``ann, bob, …`` with how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
