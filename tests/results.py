"""Results for tests: an analyst who makes them until they are complete, and what they are in the end."""

from __future__ import annotations

import time
from typing import Any

import pytest

from palmares.campaign.boards import Board, board_of
from palmares.campaign.database import Database
from palmares.campaign.left_out import last_change
from palmares.campaign.live import aside
from palmares.campaign.live import board as keeping
from palmares.campaign.live.analyst import Analyst
from palmares.campaign.live.process import needing

#: Results are kept, and no judge is asked to stop.
LIVE: dict[str, Any] = {"results.live": True, "judge.screens": 1000}


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for a quiet moment, or leaves cores to others, does not wait in tests."""
    monkeypatch.setattr(keeping, "_QUIET", 0.0)
    monkeypatch.setattr(aside, "_PAUSE", 0.0)


def board(db: Database, pair_id: int = 1) -> Board:
    """The results of a language pair that has some."""
    with db.read() as tx:
        found = board_of(tx, pair_id)
    assert found is not None
    return found


def look_until_complete(db: Database, analyst: Analyst, *pairs: int) -> None:
    """Look as often as it takes until every part knows all answers."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        analyst.look(needing(db))
        with db.read() as tx:
            there = [board_of(tx, pair) for pair in pairs or (1,)]
            last = tx.exec_driver_sql("select coalesce(max(id), 0) from judgment").scalar_one()
            changed = last_change(tx, 1)
        if all(each and each.body["complete"] >= last and each.left_out == changed for each in there):
            return
        time.sleep(0.01)
    raise AssertionError("the results never became complete")
