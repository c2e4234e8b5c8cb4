"""Load for the server at little cost of its own: many judges over plain sockets, in one thread.

A library of requests takes as long over a request as the server does. Here a request is some bytes, and a response is
read up to the length that it announces.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2 as httpx

_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class SignedIn:
    """A judge's cookie and token."""

    cookie: str
    csrf: str


def sign_in(address: str, campaign: str, token: str) -> SignedIn:
    """Go through a judge's door: the link, its button, the consent."""
    with httpx.Client(base_url=address, timeout=60, follow_redirects=True) as client:
        page = client.get(f"/join/{token}")
        page = client.post(f"/join/{token}", data={"csrf": _CSRF.search(page.text)[1]})
        if page.url.path.endswith("/welcome"):
            client.post(page.url.path, data={"csrf": _CSRF.search(page.text)[1], "accept": "yes"})
        csrf = client.get(f"/api/v1/{campaign}/work").raise_for_status().json()["csrf"]
        return SignedIn("; ".join(f"{name}={value}" for name, value in client.cookies.items()), csrf)


@dataclass
class Load:
    """Judges who answer until ``answers`` are acknowledged in all.

    ``requests`` is 1 if the next screen comes in the response to an answer, as it does for the judge's page, or 3 if
    work is asked for and the screen fetched by themselves. ``pause`` is in seconds, before every answer.
    """

    address: str
    campaign: str
    requests: int
    answers: int
    pause: float = 0.0
    seconds: list[float] = field(default_factory=list)  # from sending an answer to its acknowledgement
    done: int = 0

    def run(self, judges: Sequence[SignedIn]) -> float:
        """Let them all judge; the seconds it took."""
        start = time.perf_counter()
        asyncio.run(self._all(judges))
        return time.perf_counter() - start

    def ranks(self, screen: dict[str, object], rng: random.Random) -> list[int]:
        """What a judge says of a screen: whatever chance says."""
        outputs = len(screen["options"])
        return [rng.randint(1, outputs) for _ in range(outputs)]

    async def _all(self, judges: Sequence[SignedIn]) -> None:
        await asyncio.gather(*(self._judge(judge, random.Random(seed)) for seed, judge in enumerate(judges)))

    async def _judge(self, judge: SignedIn, rng: random.Random) -> None:
        place = urlsplit(self.address)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        api = f"/api/v1/{self.campaign}"
        head = f"Host: {place.netloc}\r\nCookie: {judge.cookie}\r\nX-CSRF-Token: {judge.csrf}\r\n"

        async def ask(method: str, path: str, body: dict[str, object] | None = None) -> dict[str, object]:
            content = b"" if body is None else json.dumps(body).encode()
            kind = "Content-Type: application/json\r\n" if content else ""
            length = f"Content-Length: {len(content)}\r\n" if content else ""
            writer.write(f"{method} {api}{path} HTTP/1.1\r\n{head}{kind}{length}\r\n".encode() + content)
            top = await reader.readuntil(b"\r\n\r\n")
            text = await reader.readexactly(int(_LENGTH.search(top)[1]))
            assert top[9:12] == b"200", top[:200] + text
            return json.loads(text)

        await asyncio.sleep(rng.random() * self.pause)
        screen: dict[str, object] | None = None
        while self.done < self.answers:
            if screen is None or self.requests == 3:
                work = await ask("GET", "/work")
                if work["screen"] is None:  # a rule has stopped the campaign
                    break
                screen = await ask("GET", f"/screens/{work['screen']}")
            if self.pause:
                await asyncio.sleep(self.pause * (0.5 + rng.random()))
            ranks = self.ranks(screen, rng)
            body = {"ranks": ranks, "submission": uuid4().hex, "seconds": 1.0}
            start = time.perf_counter()
            then = {"then": "screen"} if self.requests == 1 else {}
            receipt = await ask("POST", f"/screens/{screen['id']}/answer", {**body, **then})
            self.seconds.append(time.perf_counter() - start)
            self.done += 1
            screen = receipt["screen"]
        writer.close()
