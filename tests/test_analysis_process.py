"""The analysis as a process of a real server: it lives as long as the server does, and there is one for a database."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx2 as httpx
import pytest
from servers import ServerProcess
from stores import new_campaign, new_judge
from studies import TruthfulJudge, last_snapshot, learning_campaign, snapshots

import palmares as pm
from benchmarks.judges import all_judge
from palmares.campaign.database import Database
from palmares.campaign.export import export
from palmares.campaign.live.claim import Holder, holder
from palmares.campaign.overview import campaign_status
from palmares.campaign.people import invite

PATIENCE = 120.0
JUDGES = 6


def wait_until(true: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


def analysts(server: ServerProcess) -> list[int]:
    """The processes of a server that analyse, or would."""
    return [pid for pid in server.group() if b"palmares.campaign.live" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def analysis(server: ServerProcess) -> str:
    return str(httpx.get(f"{server.address}/health", timeout=30).json()["analysis"])


def holder_of(url: str) -> Holder | None:
    with closing(Database.open(url)) as db, db.read() as tx:
        return holder(tx)


def decided_by(url: str) -> bool:
    """Whether the rule is met."""
    with closing(Database.open(url)) as db:
        said = campaign_status(db, "news").pairs[0].analysed
    return said is not None and said.met


def campaign_at(url: str, judges: int = JUDGES, **settings: object) -> list[str]:
    """A campaign that learns; the links of its judges."""
    with closing(Database.open(url)) as db:
        people = learning_campaign(db, judges, 90, **{"limits.writes_per_minute": 1_000_000, **settings})
        return [invite(db, person) for person in people]


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.any_database
def test_a_campaign_judged_through_the_server_to_its_rule(database_url: str, tmp_path: Path, workers: str) -> None:
    """Its judgments up to the answer that the rule names give the ranking that decided, bit for bit."""
    if workers == "2" and not database_url.startswith("sqlite"):
        pytest.skip("one worker is enough to see it there")
    rule = {"stop.rule": "clusters=2", "screen.outputs": 5, "overlap.share": 0.3, "choice.lag": 100}
    *tokens, late = campaign_at(database_url, 7, **rule, **{"judge.screens": 80})
    with ServerProcess(database_url, tmp_path, "--workers", workers) as server:
        judges = [TruthfulJudge(server.address, token, "news", 80, seed) for seed, token in enumerate(tokens)]
        all_judge(judges)
        wait_until(lambda: decided_by(database_url), server.log)
        latecomer = TruthfulJudge(server.address, late, "news", 80, 7)
        all_judge([latecomer])
        assert latecomer.done == []  # it is enough: nobody is given work any more
        assert "Traceback" not in server.log.read_text()
        wait_until(lambda: analysis(server) == "ok", server.log)
    with closing(Database.open(database_url)) as db:
        status = campaign_status(db, "news").pairs[0]
        assert status.analysed is not None
        assert status.analysed.met, status.analysed
        assert status.enough
        assert status.answered == sum(len(judge.done) for judge in judges)
        named = status.analysed.answer
        assert named is not None
        (decided,) = [row.ranking for row in snapshots(db) if row.ranking and row.ranking["answer"] == named]
        export(db, "news", tmp_path / "upto.csv", upto=named)
    again = pm.rank(tmp_path / "upto.csv", looks="any", rng=1)
    assert again.signature == decided["signature"]
    assert [(line.system, line.score, list(line.range or ())) for line in again.lines] == [
        (line["system"], line["score"], line["range"]) for line in decided["systems"]
    ]
    assert [[each.above, each.p, each.marginal, each.joint] for each in again.boundaries] == decided["boundaries"]


@pytest.mark.any_database
def test_an_analysis_that_is_killed_is_started_again(database_url: str, tmp_path: Path) -> None:
    tokens = campaign_at(database_url, **{"judge.screens": 3})
    with ServerProcess(database_url, tmp_path) as server:
        wait_until(lambda: analysis(server) == "ok", server.log)
        (first,) = analysts(server)
        os.kill(first, signal.SIGKILL)
        all_judge([TruthfulJudge(server.address, token, "news", 3, seed) for seed, token in enumerate(tokens)])
        wait_until(lambda: first not in analysts(server) != [], server.log)
        wait_until(lambda: caught_up(database_url, 3 * JUDGES), server.log)
        assert "the analysis process has ended with status -9; another one starts in" in server.log.read_text()
        (second,) = analysts(server)
        server.kill_parent()
        wait_until(lambda: not Path(f"/proc/{second}").exists(), server.log)


def caught_up(url: str, answers: int) -> bool:
    with closing(Database.open(url)) as db:
        return bool(snapshots(db)) and last_snapshot(db).answers == answers


@pytest.mark.any_database
def test_two_servers_on_one_database_have_one_analysis(database_url: str, tmp_path: Path) -> None:
    """The process of the second waits, and takes over once the first server has ended."""
    (token, *_) = campaign_at(database_url, **{"judge.screens": 4})
    with ServerProcess(database_url, tmp_path) as second:
        with ServerProcess(database_url, tmp_path) as first:
            wait_until(lambda: analysis(first) == "ok" == analysis(second), first.log)
            (one,), (other,) = analysts(first), analysts(second)
            before = holder_of(database_url)
            assert before is not None
            assert number_of(before) in (one, other)
            all_judge([TruthfulJudge(first.address, token, "news", 4, 1)])
            wait_until(lambda: caught_up(database_url, 4), first.log)
            now = holder_of(database_url)
            assert now is not None
            assert (now.process, now.since) == (before.process, before.since)
        wait_until(lambda: number_of(holder_of(database_url)) == other, second.log)
        assert analysis(second) == "ok"


def number_of(held: Holder | None) -> int:
    """The number of the process that has the claim."""
    return 0 if held is None else int(held.process.partition("@")[0])


@pytest.mark.any_database
def test_a_server_without_a_campaign_that_learns_claims_nothing(database_url: str, tmp_path: Path) -> None:
    with closing(Database.open(database_url)) as db:
        new_campaign(db)
        new_judge(db)
    with ServerProcess(database_url, tmp_path) as server:
        assert analysis(server) == "not needed"
        time.sleep(1.5)
        assert holder_of(database_url) is None
        assert server.log.read_text().count("\n") <= 5
        (pid,) = analysts(server)
    assert not Path(f"/proc/{pid}").exists()
