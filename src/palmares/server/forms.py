"""Forms as browsers send them: from names and texts to an answer of the store.

Not a pydantic model: the fields depend on the screen, and what does not fit comes back on the page, not as a 422.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData

from ..campaign.answers import Answer
from ..campaign.refusals import BadAnswer

_RANK = re.compile(r"[1-9]\d?")
_NUMBER = re.compile(r"\d{1,9}")
SUBMISSION = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
#: What the buttons of a pair say: the ranks of the two outputs, and the verdict.
PAIRS: dict[str, tuple[tuple[int, int], str | None]] = {
    "first": ((1, 2), None),
    "tie": ((1, 1), None),
    "second": ((2, 1), None),
    "both-bad": ((1, 1), "both-bad"),
}


async def _form(request: Request) -> FormData:
    return await request.form()


Form = Annotated[FormData, Depends(_form)]


@dataclass(frozen=True)
class AnswerForm:
    """What the form of a screen says. ``ranks`` are by place; None where none was chosen."""

    ranks: tuple[int | None, ...]
    verdict: str | None
    skips: bool
    reason: str
    note: str
    problem: bool
    submission: str
    revision: int
    seconds: float | None

    @classmethod
    def read(cls, form: FormData, outputs: int) -> AnswerForm:
        """Read a form for a screen with so many outputs; one that no page of ours makes is refused."""
        submission, revision = field(form, "submission"), field(form, "revision")
        if not SUBMISSION.fullmatch(submission) or not _NUMBER.fullmatch(revision):
            raise BadAnswer("the form is damaged: it does not say which answer it is; load the page again")
        ranks, verdict = _judgment(form, outputs)
        return cls(
            ranks=ranks,
            verdict=verdict,
            skips=field(form, "action") == "skip",
            reason=field(form, "reason"),
            note=field(form, "note").replace("\r\n", "\n").strip(),
            problem=field(form, "problem") == "yes",
            submission=submission,
            revision=int(revision),
            seconds=_seconds(field(form, "seconds")),
        )

    @property
    def answer(self) -> Answer:
        note = self.note or None
        if self.skips:
            return Answer(skip=self.reason, note=note, problem=self.problem)
        return Answer(ranks=self.ranks, verdict=self.verdict, note=note, problem=self.problem)


def field(form: FormData, name: str) -> str:
    """The text of a field; an empty one if it is missing or a file."""
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _judgment(form: FormData, outputs: int) -> tuple[tuple[int | None, ...], str | None]:
    """Ranks and verdict: of the button that was pressed, where two are compared by one, else of the fields."""
    pair = field(form, "pair")
    if not pair:
        ranks = tuple(_rank(field(form, f"rank-{place}")) for place in range(1, outputs + 1))
        return ranks, field(form, "verdict") or None
    if pair not in PAIRS or outputs != 2:
        raise BadAnswer(f"pair: got {pair[:20]!r} for {outputs} outputs; allowed, for two: {', '.join(PAIRS)}")
    return PAIRS[pair]


def _rank(text: str) -> int | None:
    if not text:
        return None
    if not _RANK.fullmatch(text):
        raise BadAnswer(f"rank: got {text[:20]!r}; allowed: a whole number from 1 (best)")
    return int(text)


def _seconds(text: str) -> float | None:
    """The time the page measured; without JavaScript there is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
