"""Campaigns judged through the real server to their stopping rule: judgments by strategy.

Fifty judges that are programs know what the systems are worth, and err. A campaign ends when ``stop.rule`` gives out no
more work; its judgments up to the answer that the rule names are exported and ranked, and must give the ranking that
decided, to the last bit.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import palmares as pm
from palmares.campaign import Role, schema
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.export import export
from palmares.campaign.overview import campaign_status
from palmares.campaign.people import add_person, consent, invite
from palmares.campaign.settings import Settings
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

from .common import report
from .load import Load, sign_in
from .server import Postgres, postgresql, serving

#: What the systems are worth, on the logit scale of one comparison.
WORTH = (0.0, 0.5, 0.9, 1.6, 1.9, 2.5, 2.6, 3.4)
JUDGES, PAUSE, SEGMENTS, MOST = 50, 2.0, 1500, 6000
RULE = "clusters=5"
STRATEGIES = ("uniform", "open-boundaries")
SETTINGS: dict[str, Any] = {
    "limits.writes_per_minute": 1_000_000,
    "judge.practice": False,
    "judge.screens": 10_000,
    "screen.outputs": 2,
    "controls.degraded": 0.0,
    "stop.rule": RULE,
}


@dataclass
class KnowingLoad(Load):
    """Judges who know what the systems are worth."""

    def ranks(self, screen: dict[str, object], rng: random.Random) -> list[int]:
        first, second = (WORTH[int(option["text"].split()[1])] for option in screen["options"])
        return [1, 2] if rng.random() < 1 / (1 + exp(second - first)) else [2, 1]


def main() -> None:
    """All strategies on both databases."""
    with tempfile.TemporaryDirectory() as folder, postgresql() as postgres:
        rows = [
            row
            for strategy in STRATEGIES
            for store, url in stores(Path(folder), postgres, strategy)
            if (row := run(Path(folder), store, url, strategy))
        ]
    report(
        "active-campaign",
        f"{JUDGES} program judges through the server until {RULE} at every look; {len(WORTH)} systems, pairs",
        ["store", "strategy", "judgments at the stop", "answers in all", "learnt screens", "clusters", "same offline"],
        rows,
        [
            f"Systems are worth {', '.join(f'{worth:g}' for worth in WORTH)} logits. Each judge pauses {PAUSE:g} "
            "seconds before an answer; a server with one worker, its analysis process and the judges share the cores. "
            "Judgments at the stop are those behind the ranking that decided; what was in the judges' hands came after "
            "it. Learnt screens are those that the strategy chose; the others are uniform (a tenth) or balanced "
            "(nothing known yet, or what is known too old). Same offline: the ranking of the export up to that answer "
            "has the same hash, scores, ranges and boundaries. One run each: the numbers of judgments vary from run to "
            "run.",
        ],
    )  # fmt: skip


def stores(folder: Path, postgres: Postgres | None, name: str) -> list[tuple[str, str]]:
    there = [("SQLite", f"sqlite:///{folder}/{name}.db")]
    return there if postgres is None else [*there, ("PostgreSQL", postgres.create())]


def run(folder: Path, store: str, url: str, strategy: str) -> list[object]:
    """One campaign to its end."""
    tokens = prepared(url, strategy)
    with serving(url, 1) as (address, _):
        judges = [sign_in(address, "bench", token) for token in tokens]
        load = KnowingLoad(address, "bench", 1, MOST, PAUSE)
        load.run(judges)
        waited = time.monotonic()
        while (said := standing(url))["met"] is False and time.monotonic() - waited < 10:
            time.sleep(0.2)
    row = [store, strategy, said["judgments"], load.done, said["learnt"], said["clusters"], offline(folder, url, said)]
    print(row, file=sys.stderr, flush=True)
    return row


def prepared(url: str, strategy: str) -> list[str]:
    segments = [Segment(str(i), f"doc{i // 20}", f"Source sentence number {i}.", None) for i in range(SEGMENTS)]
    outputs = {f"system-{k}": [f"Output {k} of sentence {i}." for i in range(SEGMENTS)] for k in range(len(WORTH))}
    settings = Settings().replace(**{**SETTINGS, "choice.strategy": strategy})
    db = Database.open(url, create=True)
    create_campaign(db, "bench", settings, [make(LanguagePair.parse("fr-en"), segments, outputs)])
    people = [add_person(db, "bench", Role.JUDGE, f"judge-{i}") for i in range(JUDGES)]
    for person in people:
        consent(db, person)
    tokens = [invite(db, person) for person in people]
    db.close()
    return tokens


def standing(url: str) -> dict[str, Any]:
    """What the campaign's status says of its rule, and the ranking that decided."""
    db = Database.open(url)
    said = campaign_status(db, "bench").pairs[0].analysed
    assert said is not None
    snapshot, screen = schema.snapshot.c, schema.screen.c
    with db.read() as tx:
        kept = sa.select(snapshot.ranking).where(snapshot.ranking.is_not(None))
        rankings = {row["answer"]: row for row in tx.scalars(kept)}
        learnt = tx.execute(
            sa.select(sa.func.avg(sa.case((screen.strategy.not_in(("uniform", "balanced")), 1.0), else_=0.0)))
        ).scalar_one()
    db.close()
    decided = rankings.get(said.answer, {})
    where = said.standing or {}
    return {
        "met": said.met,
        "answer": said.answer,
        "judgments": where.get("judgments", 0) if said.met else f"not by {where.get('judgments', 0)}",
        "clusters": where.get("clusters", 0),
        "learnt": f"{100 * float(learnt):.0f} %",
        "ranking": decided,
    }


def offline(folder: Path, url: str, said: dict[str, Any]) -> str:
    """Whether the export up to the answer that the rule names gives the ranking that decided."""
    if not said["met"]:
        return "–"
    db = Database.open(url)
    export(db, "bench", folder / "upto.csv", upto=said["answer"])
    db.close()
    again, decided = pm.rank(folder / "upto.csv", looks="any", rng=1), said["ranking"]
    lines = [(line.system, line.score, list(line.range)) for line in again.lines]
    same = (
        again.signature == decided["signature"]
        and lines == [(line["system"], line["score"], line["range"]) for line in decided["systems"]]
        and [[b.above, b.p, b.marginal, b.joint] for b in again.boundaries] == decided["boundaries"]
    )
    return "yes" if same else "NO"


if __name__ == "__main__":
    main()
