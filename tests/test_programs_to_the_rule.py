"""Fifty programs judge through the API of a real server until its rule stops them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from servers import ServerProcess
from stores import PLAIN, sample_texts
from studies import LEARNING, last_snapshot, truthful

import palmares as pm
from palmares.campaign.clients import add_client
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.overview import campaign_status
from palmares.campaign.settings import Settings
from palmares.campaign.snapshots import ranking_of
from palmares.client import Client

PROGRAMS, THREADS = 50, 6
SETTINGS = {
    **PLAIN,
    **LEARNING,
    "choice.lag": 100,
    "screen.outputs": 5,
    "judge.screens": 40,
    "stop.rule": "clusters=3",
    "results.live": True,
    "limits.writes_per_minute": 100_000,
}


def together(work: Callable[[int], None]) -> None:
    """Do a piece of work for each program, several at a time."""
    left, errors = iter(range(PROGRAMS)), []
    lock = threading.Lock()

    def run() -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            try:
                work(number)
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_final_ranking_is_that_of_the_export(database_url: str, tmp_path: Path) -> None:
    with closing(Database.open(database_url)) as db:
        create_campaign(db, "news", Settings().replace(**SETTINGS), [sample_texts(200)])
        tokens = [add_client(db, "news", f"model-{n}", "judge")[1] for n in range(PROGRAMS)]
        reader = add_client(db, "news", "reader", "read")[1]
    answered = [0] * PROGRAMS
    with ServerProcess(database_url, tmp_path) as server:

        def judge(number: int) -> None:
            client, rng = Client(server.address, tokens[number]), Random(number)
            for screen in client.screens("news", most=3):
                client.answer(screen, ranks=truthful([option.text for option in screen.options], rng))
                answered[number] += 1

        for _ in range(15):  # everybody comes back as long as there is work
            before = sum(answered)
            together(judge)
            if sum(answered) == before:
                break
        follow = Client(server.address, reader)
        end = time.monotonic() + 120
        while not follow.status("news")["pairs"][0]["analysed"]["met"]:
            assert time.monotonic() < end, server.log.read_text()
            time.sleep(0.2)
        with closing(Database.open(database_url)) as db, db.read() as tx:
            decided = ranking_of(tx, last_snapshot(db))  # of the one that decided, or of what was still in hand then
        assert decided is not None
        judgments = follow.export("news", up_to=decided["answer"])
        while not (found := follow.results("news")) or found[0]["answer"] < sum(answered):
            assert time.monotonic() < end, server.log.read_text()
            time.sleep(0.2)
        everything = follow.export("news", up_to=found[0]["answer"])
        assert "Traceback" not in server.log.read_text()
    assert sum(count > 0 for count in answered) == PROGRAMS
    ranking = pm.rank(judgments, looks="any", rng=1)
    with closing(Database.open(database_url)) as db:
        status = campaign_status(db, "news")
    assert status.pairs[0].enough
    assert sum(judge.done for judge in status.judges) == sum(answered)
    assert all(judge.program for judge in status.judges)
    assert decided["data"] == judgments.hash
    kept = [(line["system"], line["score"], line["rank"], line["cluster"]) for line in decided["systems"]]
    assert kept == [(line.system, line.score, line.rank, line.cluster) for line in ranking.lines]
    assert [line.system for line in ranking.lines] == ["F", "E", "D", "C", "B", "A"]
    assert len(ranking.clusters) >= 3
    shown = json.loads(json.dumps(pm.rank(everything, rng=0).to_dict()["systems"]))
    assert found[0]["body"]["parts"]["ranking"]["found"]["systems"] == shown
