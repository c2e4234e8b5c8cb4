"""Count the files and functions of the package that run for a command, or for a judge's click.

    python docs/walk.py rank examples/campaign.csv
    python docs/walk.py --click

A file counts if a function or the body of a class in it ran; templates count as files. Run by hand for the table in
docs/architecture.md.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from types import FrameType

SPEC = find_spec("palmares")
assert SPEC is not None
assert SPEC.origin is not None
ROOT = os.path.dirname(SPEC.origin) + os.sep
Ran = set[tuple[str, str]]


@contextlib.contextmanager
def tracing() -> Iterator[Ran]:
    """What runs in the block, in every thread that begins after it: (file, function)."""
    ran: Ran = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT) and code.co_qualname != "<module>":
            ran.add((code.co_filename.removeprefix(ROOT), code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield ran
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def command(arguments: list[str]) -> Ran:
    """A command, from importing it to its last line."""
    with tracing() as ran, contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        from palmares.cli import main

        main(arguments)
    return ran


def clicks(count: int = 12) -> Iterator[Ran]:
    """A judge of the demonstration answers screens: each time, the POST and the page that follows."""
    from fastapi.testclient import TestClient

    from palmares.campaign.database import Database
    from palmares.campaign.demo import make_demo
    from palmares.server.app import create_app
    from palmares.server.config import ServerConfig

    def field(name: str) -> str:
        value = re.search(rf'name="{name}" value="([^"]*)"', page.text)
        assert value is not None, name
        return value[1]

    with tempfile.TemporaryDirectory() as folder:
        db = Database.open(f"sqlite:///{folder}/demo.db", create=True)
        demo = make_demo(db)
        app = create_app(ServerConfig("unused"), database=db)
        with tracing() as ran:  # from here, so that the threads that answer are traced
            client = TestClient(app)
            page = client.get(f"/join/{demo.judge}")
            page = client.post(f"/join/{demo.judge}", data={"csrf": field("csrf")})
            if "/welcome" in page.url.path:
                page = client.post(page.url.path, data={"csrf": field("csrf"), "accept": "yes"})
            for number in range(count):
                if "/practised/" in page.url.path:
                    page = client.get("/c/demo/judge")
                form = {name: field(name) for name in ("csrf", "submission", "revision")}
                ranks = {f"rank-{place}": place for place in set(re.findall(r'name="rank-(\d+)"', page.text))}
                ran.clear()
                page = client.post(page.url.path, data={**form, **ranks, "action": "submit", "seconds": "12"})
                assert page.status_code == 200
                if number:  # the first is practice
                    yield set(ran)
        db.close()


def show(name: str, ran: Ran) -> None:
    print(f"{name}: {len({file for file, _ in ran})} files, {len(ran)} functions")


if __name__ == "__main__":
    if sys.argv[1:] == ["--click"]:
        by_size = sorted(clicks(), key=len)
        show("next screen of the same HIT", by_size[0])
        show("a new HIT is made", by_size[-1])
    else:
        show(" ".join(sys.argv[1:]), command(sys.argv[1:]))
