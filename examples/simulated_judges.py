"""Let simulated judges work in a campaign: python examples/simulated_judges.py palmares.db news --screens 10

They stand in for people, to try a campaign out. Every judge who was invited agrees to take part, practises, and ranks
what the screens show: each output by how many words it has in common with the reference, and by what this judge makes
of it. They cannot tell which system is which. One of them, the last to be invited, answers at random.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from math import log
from random import Random

from palmares.campaign import Role
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import find_campaign
from palmares.campaign.people import Person, consent, find_person, people
from palmares.campaign.screens import load
from palmares.campaign.work import next_screen

#: What a judge adds to the share of right words without meaning to; outputs nearer than a tie's width share a rank.
NOISE, TIE = 0.08, 0.03
#: Half of the screens take less than this many seconds; of the others few take much more.
MEDIAN_SECONDS, SPREAD = 40.0, 0.4


class Clock:
    """Moved by hand: a working day passes in a moment."""

    def __init__(self, day: str) -> None:
        self.now = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def begin(db: Database, judge: Person) -> Person:
    """Agree to take part."""
    if not judge.consented:
        consent(db, judge)
    return find_person(db, judge.campaign, judge.name)


def seen_quality(reference: str, output: str) -> float:
    """The share of words that the output has in common with the reference, in the same order."""
    return SequenceMatcher(None, reference.split(), output.split(), autojunk=False).ratio()


def ranks(qualities: Sequence[float]) -> tuple[int, ...]:
    """1 for the best; what is less than a tie's width behind the best of a group shares its rank."""
    given, rank, top = [0] * len(qualities), 0, float("inf")
    for place in sorted(range(len(qualities)), key=lambda place: -qualities[place]):
        if qualities[place] < top - TIE:
            rank, top = rank + 1, qualities[place]
        given[place] = rank
    return tuple(given)


def judge_screen(db: Database, clock: Clock, judge: Person, screen: str, *, careless: bool, rng: Random) -> bool:
    """Answer one screen; says whether it counts, or was for practice."""
    view = load(db, judge, screen)
    noise = [rng.gauss(0, NOISE) for _ in view.options]
    right = [0.0 if careless else seen_quality(view.reference or "", option.text) for option in view.options]
    seconds = round(rng.lognormvariate(log(MEDIAN_SECONDS / (4 if careless else 1)), SPREAD), 1)
    clock.now += timedelta(seconds=seconds)
    answer = Answer(ranks=ranks([quality + error for quality, error in zip(right, noise, strict=True)]))
    submit(db, judge, screen, answer, submission=f"simulated-{screen}", seconds=seconds)
    return not view.practice


def work(db: Database, clock: Clock, campaign: str, screens: int, rng: Random) -> int:
    """Let every judge answer up to so many screens, in turn; the number of answers that count."""
    with db.read() as tx:
        everyone = people(db, find_campaign(tx, campaign).id)
    judges = [begin(db, person) for person in everyone if person.role is Role.JUDGE]
    done = 0
    for _ in range(screens):
        for judge in judges:
            counts = False
            while not counts and (screen := next_screen(db, judge, rng=rng)) is not None:
                counts = judge_screen(db, clock, judge, screen, careless=judge is judges[-1], rng=rng)
            done += counts
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("database")
    parser.add_argument("campaign")
    parser.add_argument("--screens", type=int, default=10, help="how many each judge answers at most")
    parser.add_argument("--day", default="2026-03-02", help="the day on which they work")
    given = parser.parse_args()
    clock = Clock(given.day)
    with closing(Database.open(f"sqlite:///{given.database}", clock=clock)) as db:
        done = work(db, clock, given.campaign, given.screens, Random(given.day))
    print(f"{done} screens were answered on {given.day}")


if __name__ == "__main__":
    main()
