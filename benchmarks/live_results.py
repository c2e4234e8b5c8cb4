"""Results while people judge: how soon a new answer is in them. What that costs those who judge: `benchmarks.watched`.

``python -m benchmarks live_results``. The campaign has 15 systems and 100,000 judgments, stored as a server would have.
The analysis is the process that a server starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sqlalchemy as sa

from palmares.campaign import Role, schema
from palmares.campaign.boards import board_of
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, consent
from palmares.campaign.settings import Settings
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

from .common import report
from .server import SETTINGS, postgresql, processor_seconds

SYSTEMS, SEGMENTS, JUDGES, JUDGMENTS = 15, 2000, 60, 100_000
#: Single answers, with so many seconds between them; then so many a second for so long.
SINGLE, APART = 10, 4.0
RATE, SECONDS = 10.0, 25.0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, postgresql() as postgres:
        soon(Path(folder), postgres)


# -- how soon --------------------------------------------------------------------------------------------


def soon(folder: Path, postgres: Any) -> None:
    rows: list[list[object]] = []
    urls = [("SQLite", f"sqlite:///{folder}/soon.db")]
    urls += [] if postgres is None else [("PostgreSQL", postgres.create())]
    for store, url in urls:
        with closing(Database.open(url, create=True)) as db:
            waiting = judged(db)
            with analysis(url) as process:
                began = time.monotonic()
                while not is_complete(db):
                    time.sleep(0.5)
                start = time.monotonic() - began
                for name, count, pause in (
                    ("one now and then", SINGLE, APART),
                    (f"{RATE:g} a second", int(RATE * SECONDS), 1 / RATE),
                ):
                    spent, clock, before = processor_seconds(process), time.monotonic(), version(db)
                    waits = answered(db, waiting, count, pause)
                    spent, clock = processor_seconds(process) - spent, time.monotonic() - clock
                    each = spent / (version(db) - before)
                    late = sorted(waits)[int(0.95 * (len(waits) - 1))]
                    rows.append([store, name, median(waits), late, max(waits), spent / clock, each, start])
    report(
        "live-results",
        f"Seconds until a new answer is in the results, {SYSTEMS} systems, {JUDGMENTS:,} judgments by {JUDGES} judges",
        ["store", "answers", "median s", "95 % s", "most s", "cores used", "processor s", "start s"],
        rows,
        [
            "From the commit of an answer to that of results that rest on it. Cores used: processor time of the "
            "analysis, which runs at nice 5, by time that passed. Processor: seconds for one "
            "state of the results, agreement and judges among them. Start: seconds from the start of the process until "
            "everything is known, agreement and judges too."
        ],
    )


def judged(db: Database) -> Iterator[int]:
    """A campaign with answers to all of its screens but some, whose numbers are given."""
    segments = [Segment(str(i), f"doc{i // 20}", f"Source sentence number {i}.", None) for i in range(SEGMENTS)]
    outputs = {f"system-{k:02d}": [f"Output {k} of sentence {i}." for i in range(SEGMENTS)] for k in range(SYSTEMS)}
    settings = Settings().replace(**{**SETTINGS, "screen.outputs": 2})
    create_campaign(db, "bench", settings, [make(LanguagePair.parse("fr-en"), segments, outputs)])
    people = [add_person(db, "bench", Role.JUDGE, f"judge-{i}") for i in range(JUDGES)]
    for person in people:
        consent(db, person)
    more = SINGLE + int(RATE * SECONDS)
    total, rng = JUDGMENTS + more, np.random.default_rng(1)
    judge, segment = rng.integers(0, JUDGES, total), rng.integers(0, SEGMENTS, total)
    a = rng.integers(0, SYSTEMS, total)
    b = (a + rng.integers(1, SYSTEMS, total)) % SYSTEMS
    quality, taste = -0.15 * np.arange(SYSTEMS), rng.normal(0, 0.2, (JUDGES, SYSTEMS))
    luck = rng.normal(0, 0.6, (SEGMENTS, SYSTEMS))
    level = quality + taste[judge] + luck[segment]
    seen = level[np.arange(total), a] - level[np.arange(total), b] + rng.logistic(size=total)
    ranks = [[1, 2] if lead > 0.3 else [2, 1] if lead < -0.3 else [1, 1] for lead in seen.tolist()]
    with db.begin() as tx:
        behind = outputs_of(tx)
        places = [
            [behind[s][x], behind[s][y]] for s, x, y in zip(segment.tolist(), a.tolist(), b.tolist(), strict=True)
        ]
        segment_id = segment_numbers(tx)
        now, ids = db.clock(), range(1, total + 1)
        fill(tx, schema.hit, ({"id": i, "language_pair_id": 1, "wanted": 1, "closed": True, "answers": 1,
                               "created_at": now} for i in ids))  # fmt: skip
        fill(tx, schema.screen, ({"id": i, "hit_id": i, "segment_id": segment_id[s], "position": 0, "purpose": "judge",
                                  "control": None, "strategy": "balanced", "probability": 0.01, "created_at": now}
                                 for i, s in zip(ids, segment.tolist(), strict=True)))  # fmt: skip
        fill(tx, schema.served, ({"id": i, "public_id": f"p{i}", "lease_id": None, "screen_id": i,
                                  "person_id": people[j].id, "position": 0, "places": shown, "repeat_of": None,
                                  "created_at": now}
                                 for i, j, shown in zip(ids, judge.tolist(), places, strict=True)))  # fmt: skip
        fill(tx, schema.judgment, (answer_to(i, ranks[i - 1], now) for i in range(1, JUDGMENTS + 1)))
    return iter([(i, ranks[i - 1]) for i in range(JUDGMENTS + 1, total + 1)])  # type: ignore[arg-type]


def answer_to(served: int, ranks: list[int], now: Any) -> dict[str, Any]:
    return {"served_id": served, "revision": 1, "submission": f"s{served}", "ranks": ranks, "skip": None,
            "seconds": 4.0 + served % 9, "late": False, "problem": False, "created_at": now}  # fmt: skip


def outputs_of(tx: sa.Connection) -> dict[int, dict[int, int]]:
    """The number of every output, by segment and system."""
    number = {name: k for k, name in enumerate(sorted(tx.scalars(sa.select(schema.system.c.name))))}
    query = (
        sa.select(schema.segment.c.position, schema.system.c.name, schema.output.c.id)
        .join(schema.output, schema.output.c.segment_id == schema.segment.c.id)
        .join(schema.output_system, schema.output_system.c.output_id == schema.output.c.id)
        .join(schema.system, schema.output_system.c.system_id == schema.system.c.id)
    )
    found: dict[int, dict[int, int]] = {}
    for position, system, output in tx.execute(query):
        found.setdefault(position - FIRST, {})[number[system]] = output
    return found


#: The position of the first segment.
FIRST = 0


def segment_numbers(tx: sa.Connection) -> list[int]:
    column = schema.segment.c
    return list(tx.scalars(sa.select(column.id).order_by(column.position)))


def fill(tx: sa.Connection, table: sa.Table, rows: Any) -> None:
    """Put many rows into a table."""
    waiting: list[dict[str, Any]] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == 5000:
            tx.execute(table.insert(), waiting)
            waiting = []
    if waiting:
        tx.execute(table.insert(), waiting)


@contextmanager
def analysis(url: str) -> Iterator[int]:
    """The process that analyses."""
    command = [sys.executable, "-m", "palmares.campaign.live"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, "PALMARES_DATABASE": url})
    try:
        yield process.pid
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)


def version(db: Database) -> int:
    with db.read() as tx:
        return int(tx.execute(sa.select(schema.board.c.version)).scalar_one())


def is_complete(db: Database) -> bool:
    with db.read() as tx:
        board = board_of(tx, 1)
    return board is not None and board.body["complete"] >= JUDGMENTS


def answered(db: Database, waiting: Iterator[Any], count: int, pause: float) -> list[float]:
    """Store answers, and see how long it takes until results rest on them."""
    stored: dict[int, float] = {}
    waits: list[float] = []
    ended = threading.Event()

    def look() -> None:
        known = 0
        while not ended.is_set() or known < max(stored, default=0):
            with db.read() as tx:
                known = int(tx.execute(sa.select(schema.board.c.answer)).scalar_one())
            now = time.monotonic()
            waits.extend(now - stored.pop(number) for number in [each for each in list(stored) if each <= known])
            if ended.is_set() and not stored:
                return
            time.sleep(0.02)

    looking = threading.Thread(target=look)
    looking.start()
    for _ in range(count):
        served, ranks = next(waiting)
        with db.begin() as tx:
            made = tx.execute(schema.judgment.insert().values(answer_to(served, ranks, db.clock())))
            number = int(made.inserted_primary_key[0])
        stored[number] = time.monotonic()
        time.sleep(pause)
    ended.set()
    looking.join()
    return waits
