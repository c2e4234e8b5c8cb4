"""What an organiser should know of each judge.

`judges` (``run``) fits the model `ordinal` to people and leaves each judge out in turn (``consensus``), estimates each
one's sensitivity, tie width and preference for a place (``habits``), weighs the evidence that answers have nothing to
do with the systems (``evidence``), and turns what stands out into questions (``flags``). Programs that judge are
compared with people (``programs``); ``exclusion`` says what a ranking without the flagged judges would change.
"""

from __future__ import annotations

from .result import FLAGS, Flag, JudgeLine, Judges
from .run import judges
from .simulation import FalseFlags

__all__ = ["FLAGS", "FalseFlags", "Flag", "JudgeLine", "Judges", "judges"]
