"""A campaign with real differences, judged in this process by programs that know them; and an analyst beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import sqlalchemy as sa
from stores import SYSTEMS, answer, new_campaign, new_judge, next_view, sample_texts

from benchmarks.judges import ProgramJudge
from palmares.campaign import schema
from palmares.campaign.database import Database
from palmares.campaign.live.analyst import Analyst
from palmares.campaign.live.claim import Claim
from palmares.campaign.live.process import needing
from palmares.campaign.people import Person
from palmares.campaign.snapshots import Snapshot, newest

#: Each system is better than the one before by so many standard deviations of a judge's noise.
STEP = 1.2
#: The word in an output of `sample_texts` that tells its system.
WORDS = ("one", "two", "three", "four", "five", "six")
#: Learning, and a snapshot after every answer.
LEARNING: dict[str, Any] = {"choice.strategy": "open-boundaries", "choice.uniform_share": 0.1, "choice.lag": 10}


def learning_campaign(db: Database, judges: int = 5, segments: int = 60, **settings: Any) -> list[Person]:
    """A campaign whose strategy learns, and its judges."""
    new_campaign(db, sample_texts(segments), **{**LEARNING, "judge.screens": 1000, **settings})
    return [new_judge(db, f"judge-{number}") for number in range(judges)]


def truthful(texts: Sequence[str], rng: Random, *, alike: int = 1) -> list[int]:
    """Ranks of outputs by what their systems are worth, and noise; so many of the worst are worth the same."""
    values = [STEP * max(SYSTEM_OF[text.split()[3]], alike - 1) + rng.gauss(0, 1) for text in texts]
    order = sorted(range(len(values)), key=lambda place: -values[place])
    return [1 + order.index(place) for place in range(len(values))]


class TruthfulJudge(ProgramJudge):
    """A judge who works through the server, and knows what the systems are worth."""

    def ranks(self, screen: dict[str, Any], rng: Random) -> list[int]:
        return truthful([option["text"] for option in screen["options"]], rng)


SYSTEM_OF = {word: number for number, word in enumerate(WORDS)}
assert len(SYSTEM_OF) == len(SYSTEMS)


def judged(
    db: Database, judges: list[Person], answers: int, rng: Random, *, analyst: Analyst | None = None, alike: int = 1
) -> int:
    """Let judges answer in turn until there are so many or there is no work; how many. The analyst looks after each."""
    done = 0
    while done < answers:
        before = done
        for judge in judges:
            view = next_view(db, judge, rng=rng) if done < answers else None
            if view is None:
                continue
            answer(db, judge, view, truthful([option.text for option in view.options], rng, alike=alike))
            done += 1
            if analyst is not None:
                analyst.look(needing(db))
        if done == before:
            break
    return done


@contextmanager
def analysing(db: Database, name: str = "test") -> Iterator[Analyst]:
    """An analyst that has the claim."""
    claim = Claim(db, name)
    assert claim.take()
    try:
        yield Analyst(db, claim)
    finally:
        claim.release()


def snapshots(db: Database, pair_id: int = 1) -> list[Any]:
    """All of them, oldest first."""
    column = schema.snapshot.c
    with db.read() as tx:
        return list(
            tx.execute(sa.select(schema.snapshot).where(column.language_pair_id == pair_id).order_by(column.version))
        )


def last_snapshot(db: Database, pair_id: int = 1) -> Snapshot:
    with db.read() as tx:
        found = newest(tx, pair_id)
    assert found is not None
    return found
