"""Judges who were never there: how good they find outputs, and how they answer through the store like anyone else.

A screen does not say which system is which; they are told by the database, which no real judge can ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import log
from random import Random
from statistics import fmean

import numpy as np
import sqlalchemy as sa

from ...design.simulate import ranks_with_ties
from .. import schema
from ..answers import Answer, submit
from ..database import Database
from ..people import Person, consent, find_person
from ..screens import load
from ..work import next_screen

#: How good the outputs of each system are on average; written to fit the texts.
QUALITY = {
    "fr-en": {"cedar": 2.0, "fjord": 1.6, "anchor": 0.8, "ember": -0.4, "brook": -0.8, "delta": -2.0},
    "en-ar": {"brook": 2.0, "cedar": 1.4, "anchor": 0.4, "ember": -1.2, "delta": -2.0},
    "en-zh": {"ember": 2.0, "cedar": 1.4, "brook": 0.2, "anchor": -1.2, "delta": -2.0},
    "en-hi": {"cedar": 2.0, "anchor": 1.5, "ember": 0.0, "brook": -1.2, "delta": -2.0},
}
#: What damage takes from an output, and how near to the best of a group an output must seem to share its rank.
DAMAGE, TIE_RADIUS = 2.0, 0.4
#: HITs that each judge does.
HITS = 7
#: Half of the screens take less than this many seconds; of the others few take much more.
MEDIAN_SECONDS, SPREAD = 35.0, 0.5
#: Between the beginning of one HIT and that of the next, whoever does it, there are so many seconds and the work.
BREAK = 240.0


@dataclass(frozen=True)
class SimulatedJudge:
    """``noise`` is the standard deviation of what a judge adds to the quality of an output without meaning to."""

    name: str
    langs: tuple[str, ...]
    noise: float


JUDGES = (
    SimulatedJudge("Ada", ("fr-en", "en-ar", "en-zh"), 0.5),
    SimulatedJudge("Ben", ("fr-en", "en-ar", "en-hi"), 0.7),
    SimulatedJudge("Chen", ("fr-en", "en-zh", "en-hi"), 0.6),
    SimulatedJudge("Dalia", ("fr-en", "en-ar", "en-hi"), 0.9),
    SimulatedJudge("Emil", ("fr-en", "en-zh", "en-hi"), 3.0),  # in a hurry
)


class PastClock:
    """A clock that is moved by hand, so that the work of a morning is done in a moment."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def __call__(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Sitting:
    """One judge at work: ``done`` are the screens so far, practice apart, and ``skips`` the number they skip."""

    db: Database
    clock: PastClock
    rng: Random
    judge: SimulatedJudge
    person: Person
    skips: int
    done: list[str] = field(default_factory=list)

    def take_hit(self) -> None:
        """Deal with every screen of one HIT."""
        self.clock.advance(BREAK)
        first = self._next()
        for screen_id in (first, *load(self.db, self.person, first).following):
            skip = len(self.done) == self.skips
            self._submit(screen_id, self._skip() if skip else self._answer(screen_id))
            self.done.append(screen_id)

    def practise(self) -> None:
        """Answer the practice screen."""
        practice = self._next()
        self._submit(practice, self._answer(practice))

    def think_again(self) -> None:
        """Change the first answer: the output at the top moves by one rank."""
        view = load(self.db, self.person, self.done[0])
        top, *others = view.ranks
        self._submit(view.id, Answer(ranks=(2 if top in (None, 1) else top - 1, *others)), view.revision)

    def _next(self) -> str:
        screen_id = next_screen(self.db, self.person, rng=self.rng)
        assert screen_id is not None  # the pairs of every judge have more segments than their HITs can take
        return screen_id

    def _skip(self) -> Answer:
        return Answer(skip=self.rng.choice(("cannot-tell", "source-unclear")), note="I can read this in two ways.")

    def _answer(self, screen_id: str) -> Answer:
        with self.db.read() as tx:
            good = qualities(tx, screen_id)
        seen = [self.rng.gauss(quality, self.judge.noise) for quality in good]
        return Answer(ranks=tuple(ranks_with_ties(np.array([seen]), TIE_RADIUS)[0].tolist()))

    def _submit(self, screen_id: str, answer: Answer, revision: int = 0) -> None:
        seconds = round(self.rng.lognormvariate(log(MEDIAN_SECONDS), SPREAD), 1)
        self.clock.advance(seconds / len(JUDGES))  # they work side by side
        form = f"simulated-{revision}"
        submit(self.db, self.person, screen_id, answer, submission=form, revision=revision, seconds=seconds)


def sit_down(db: Database, clock: PastClock, rng: Random, judge: SimulatedJudge, person: Person) -> Sitting:
    """A judge who has agreed to take part and done the practice screen."""
    consent(db, person)
    # Not the first screen, which may be answered again, and one that is reached however short the HITs are.
    skips = rng.randrange(1, HITS)
    sitting = Sitting(db, clock, rng, judge, find_person(db, person.campaign, person.name), skips)
    sitting.practise()
    return replace(sitting, person=find_person(db, person.campaign, person.name))


def work(sittings: Sequence[Sitting]) -> None:
    """Let the judges take HITs in turn; the first of them changes an answer in the end."""
    for _ in range(HITS):
        for sitting in sittings:
            sitting.take_hit()
    sittings[0].think_again()


def qualities(tx: sa.Connection, screen_id: str) -> list[float]:
    """How good the outputs of a served screen are, from top to bottom."""
    served, output, link, system = schema.served, schema.output, schema.output_system, schema.system
    places = tx.execute(sa.select(served.c.places).where(served.c.public_id == screen_id)).scalar_one()
    query = (
        sa.select(output.c.id, output.c.original_id, schema.language_pair.c.name, system.c.name)
        # A damaged copy has no system of its own: it is as good as its original, less the damage.
        .join(link, link.c.output_id == sa.func.coalesce(output.c.original_id, output.c.id))
        .join(system, link.c.system_id == system.c.id)
        .join(schema.language_pair, system.c.language_pair_id == schema.language_pair.c.id)
        .where(output.c.id.in_(places))
    )
    by_output: dict[int, list[float]] = {}
    for output_id, original, langs, name in tx.execute(query):
        quality = QUALITY[langs][name] - (0 if original is None else DAMAGE)
        by_output.setdefault(output_id, []).append(quality)
    return [fmean(by_output[output_id]) for output_id in places]
