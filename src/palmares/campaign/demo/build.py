"""Make the demonstration: a campaign on its way, with work done and work left for the visitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from importlib.resources import as_file, files
from random import Random

import sqlalchemy as sa

from ...texts import TestSet, read_texts
from .. import Role, schema
from ..create import create_campaign
from ..database import Database
from ..people import add_person, invite
from ..settings import Settings
from .judges import JUDGES, PastClock, sit_down, work

NAME = "demo"
#: A visitor is most likely to read this pair, so it comes first.
FIRST_PAIR = "fr-en"
#: The simulated judges began so long ago: time for their breaks and answers, and some to spare.
BEGUN = timedelta(hours=3)

SETTINGS = Settings().replace(
    **{
        "screen.outputs": 5,
        "screen.context": 1,
        "overlap.share": 0.2,
        "controls.repeats": 0.05,
        "controls.degraded": 0.05,
        "judge.screens": 12,
        "judge.practice": True,
    }
)


@dataclass(frozen=True)
class Demo:
    """Tokens for links ``/join/{token}``, one a role; they cannot be had again.

    ``judge`` is asked about French to English alone, ``polyglot`` is a judge of every language pair.
    """

    campaign: str
    judge: str = field(repr=False)
    polyglot: str = field(repr=False)
    organiser: str = field(repr=False)
    observer: str = field(repr=False)


def make_demo(db: Database, *, rng: Random | None = None) -> Demo:
    """Store the campaign, let the simulated judges work, and invite the visitor to every role."""
    rng = Random() if rng is None else rng
    clock = PastClock(db.clock() - BEGUN)
    past = Database(db.engine, clock)
    create_campaign(past, NAME, SETTINGS, demo_texts())
    _number_by_text(past)
    organiser = add_person(past, NAME, Role.ORGANISER, "Olga")
    observer = add_person(past, NAME, Role.OBSERVER, "Omar", by=organiser.id)
    you = add_person(past, NAME, Role.JUDGE, "you", langs=[FIRST_PAIR], by=organiser.id)
    polyglot = add_person(past, NAME, Role.JUDGE, "you, in all languages", by=organiser.id)
    people = [add_person(past, NAME, Role.JUDGE, judge.name, langs=judge.langs, by=organiser.id) for judge in JUDGES]
    work([sit_down(past, clock, rng, *both) for both in zip(JUDGES, people, strict=True)])
    tokens = [invite(db, person, by=organiser.id) for person in (you, polyglot, organiser, observer)]
    return Demo(NAME, *tokens)


def demo_texts() -> tuple[TestSet, ...]:
    """The texts, the pair for most visitors first."""
    with as_file(files(__package__).joinpath("texts.jsonl")) as path:
        testsets = read_texts(path=path, format="jsonl")
    return tuple(sorted(testsets, key=lambda texts: (str(texts.langs) != FIRST_PAIR, str(texts.langs))))


def _number_by_text(db: Database) -> None:
    """Number outputs by segment and text: the store numbers them by chance, but a seed must give the same again."""
    output, link, segment, pair = schema.output, schema.output_system, schema.segment, schema.language_pair
    ours = (
        sa.select(output.c.id, output.c.segment_id, output.c.text)
        .join(segment, output.c.segment_id == segment.c.id)
        .join(pair, segment.c.language_pair_id == pair.c.id)
        .join(schema.campaign, pair.c.campaign_id == schema.campaign.c.id)
        .where(schema.campaign.c.name == NAME)
    )
    with db.begin() as tx:
        rows = sorted(tx.execute(ours), key=lambda row: row[1:])
        number = dict(zip((row[0] for row in rows), sorted(row[0] for row in rows), strict=True))
        linked = link.c.output_id.in_(number)
        links = [
            {"output_id": number[key], "system_id": system} for key, system in tx.execute(sa.select(link).where(linked))
        ]
        tx.execute(link.delete().where(linked))
        placed = output.update().where(output.c.id == sa.bindparam("key"))
        texts = [{"key": number[key], "segment_id": place, "text": text} for key, place, text in rows]
        tx.execute(placed, texts)
        tx.execute(link.insert(), links)
