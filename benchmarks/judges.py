"""Judges that are programs: they sign in by their links and answer screens, as fast as they can, through every fault.

The tests of faults use them too. A judge sends an answer again, under the same submission, until the server says that
it is stored: that is what the page in a browser does.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx2 as httpx

_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
#: Statuses that pass by themselves: no database, no room.
PASSING = (502, 503, 504, 507)
#: Seconds without any success after which a judge gives up.
PATIENCE = 120.0


@dataclass(frozen=True)
class Acknowledged:
    """An answer that the server said it has stored."""

    screen: str
    submission: str
    ranks: tuple[int, ...]


@dataclass
class ProgramJudge:
    """One judge in a thread of its own."""

    base: str
    token: str
    campaign: str
    answers: int
    seed: int
    done: list[Acknowledged] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # from sending an answer to its acknowledgement
    repeats: int = 0
    error: BaseException | None = None

    def run(self) -> None:
        try:
            with httpx.Client(base_url=self.base, timeout=30, follow_redirects=True) as client:
                self._judge(client)
        except BaseException as error:  # a thread has nobody to raise to; `all_judge` does it
            self.error = error

    def _judge(self, client: httpx.Client) -> None:
        rng, api = random.Random(self.seed), f"/api/v1/{self.campaign}"
        self._join(client)
        csrf = self._ask(client, "GET", f"{api}/work").json()["csrf"]
        # Every second judge is given the next screen with the acknowledgement, as the page in a browser is.
        then = "screen" if self.seed % 2 else "nothing"
        screen = None
        while len(self.done) < self.answers:
            screen = screen or self._work(client, api)
            if screen is None:
                return
            ranks = self.ranks(screen, rng)
            body = {"ranks": ranks, "submission": uuid4().hex, "seconds": 1.0, "then": then}
            start = time.perf_counter()
            path = f"{api}/screens/{screen['id']}/answer"
            receipt = self._ask(client, "POST", path, json=body, headers={"X-CSRF-Token": csrf}).json()
            self.seconds.append(time.perf_counter() - start)
            self.repeats += receipt["repeated"]
            self.done.append(Acknowledged(screen["id"], body["submission"], tuple(ranks)))
            screen = receipt["screen"]

    def ranks(self, screen: dict[str, Any], rng: random.Random) -> list[int]:
        """What this judge says of a screen: whatever chance says."""
        outputs = len(screen["options"])
        return [rng.randint(1, outputs) for _ in range(outputs)]

    def _work(self, client: httpx.Client, api: str) -> dict[str, Any] | None:
        work = self._ask(client, "GET", f"{api}/work").json()
        if work["screen"] is None:
            return None
        return self._ask(client, "GET", f"{api}/screens/{work['screen']}").json()

    def _join(self, client: httpx.Client) -> None:
        page = self._ask(client, "GET", f"/join/{self.token}")
        page = self._ask(client, "POST", f"/join/{self.token}", data={"csrf": _CSRF.search(page.text)[1]})
        if page.url.path.endswith("/welcome"):
            form = {"csrf": _CSRF.search(page.text)[1], "accept": "yes"}
            self._ask(client, "POST", page.url.path, data=form)

    def _ask(self, client: httpx.Client, method: str, path: str, **options: object) -> httpx.Response:
        """Ask until there is an answer; a refusal that would not pass by itself is an error."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                response = client.request(method, path, **options)
                if response.status_code not in PASSING:
                    return response.raise_for_status()
            except httpx.TransportError:
                pass
            if time.monotonic() > end:
                raise TimeoutError(f"{method} {path}: no answer for {PATIENCE:g} seconds")
            time.sleep(0.05)


def start(judges: Iterable[ProgramJudge]) -> list[threading.Thread]:
    threads = [threading.Thread(target=judge.run, daemon=True) for judge in judges]
    for thread in threads:
        thread.start()
    return threads


def all_judge(judges: list[ProgramJudge]) -> None:
    """Let them judge to the end; the first error of any is raised."""
    wait_for(judges, start(judges))


def wait_for(judges: list[ProgramJudge], threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join()
    for judge in judges:
        if judge.error is not None:
            raise judge.error
