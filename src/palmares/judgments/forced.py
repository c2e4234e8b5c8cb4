"""Forced ties: systems that shared one output on a segment are tied there, and nobody has compared them.

They are true of the segment and no judgment of anybody. Tables keep them, marked; whether a result counts them is
decided here: by who asks for it, by what was asked of the judgments when they were read, or by what the model declares.
"""

from __future__ import annotations

from typing import Literal, get_args

from ..errors import InputError
from .table import Judgments

#: What becomes of forced ties.
Kept = Literal["keep", "drop"]
#: The same, or whatever the model (or the command, if it has none) does.
ForcedTies = Literal["auto", "keep", "drop"]
FORCED_TIES: tuple[ForcedTies, ...] = get_args(ForcedTies)


def settle_forced_ties(judgments: Judgments, asked: ForcedTies, usual: Kept) -> Judgments:
    """Judgments with their forced ties, or without them; their notes and origin say which.

    Parameters
    ----------
    asked
        ``auto`` leaves it to what was asked of the judgments before, and if nothing was, to ``usual``.
    """
    if asked not in FORCED_TIES:
        raise InputError(f"forced_ties: got {asked!r}; allowed: {', '.join(FORCED_TIES)}")
    if not judgments.forced_ties:
        return judgments
    before = judgments.origin.selection.get("forced_ties") if judgments.origin else None
    kept = (before or usual) if asked == "auto" else asked
    return judgments.keeping_forced_ties() if kept == "keep" else judgments.without_forced_ties()
