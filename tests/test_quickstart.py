"""The quick start as it is written: from five text files to a stored judgment, in a real browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from playwright.sync_api import Browser, Page, expect
from servers import wait_until_healthy
from webs import free_port

import palmares as pm
from palmares.campaign import schema
from palmares.campaign.database import Database

DOCS = Path(__file__).parents[1] / "docs"
TEXTS = {
    "source": ["Le chat dort.", "Il pleut depuis ce matin.", "Le train est en retard.", "La porte est fermée."],
    "reference": ["The cat is asleep.", "It has rained since morning.", "The train is late.", "The door is closed."],
    "a": ["The cat sleeps.", "It has been raining since this morning.", "The train is delayed.", "The door is closed."],
    "b": ["Cat is sleeping.", "It rains since this morning.", "The train is in delay.", "The door is shut."],
    "c": ["A cat sleep.", "It rain this morning.", "The train is in late.", "The gate is firm."],
}


def commands() -> list[str]:
    """The commands of the section, in order."""
    section = (DOCS / "quickstart.md").read_text(encoding="utf-8").split("## Collect judgments")[1].split("\n## ")[0]
    blocks = re.findall(r"```bash\n(.*?)```", section, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def environment() -> dict[str, str]:
    here = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "PALMARES_DATABASE": ""}


def run(command: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


@contextmanager
def running(command: str, folder: Path, address: str) -> Iterator[None]:
    """A command that goes on until it is stopped; begins when it answers."""
    with (folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=folder, env=environment(), stderr=log)
    try:
        wait_until_healthy(process, address, folder / "serve.log")
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


def judge_one_screen(browser: Browser, link: str) -> None:
    page = browser.new_page()
    page.goto(link)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Continue to a practice screen").click()
    rank_all(page)  # for practice
    page.get_by_role("link", name="Start").click()
    rank_all(page)
    expect(page.locator("#progress-words")).to_have_text("1 of 4")
    page.close()


def rank_all(page: Page) -> None:
    """Rank the outputs as they stand, from top to bottom, and submit."""
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Rank the outputs|Compare the two"))
    groups = page.get_by_role("radiogroup")
    for place in range(groups.count()):
        groups.nth(place).get_by_role("radio").nth(place).check()
    page.get_by_role("button", name="Submit").click()


def test_from_five_text_files_to_a_stored_judgment(tmp_path: Path, chromium: Browser) -> None:
    for name, lines in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    new, invite, serve, *after = commands()
    assert len(commands()) <= 10
    run(new, tmp_path)
    token = re.search(r"http://127\.0\.0\.1:8000/join/(\S+)", run(invite, tmp_path))
    assert token is not None
    port = free_port()  # 8000 may be taken on this machine
    address = f"http://127.0.0.1:{port}"
    with running(f"{serve} --port {port}", tmp_path, address):
        judge_one_screen(chromium, f"{address}/join/{token[1]}")
        printed = [run(command, tmp_path) for command in after]
    assert re.search(r"fr-en +4 +3 +1 ", printed[0])  # segments, systems, screens answered
    assert len(pm.read(tmp_path / "judgments.csv")) in (1, 3)
    db = Database.open(f"sqlite:///{tmp_path}/palmares.db")
    with db.read() as tx:
        counted = sa.select(sa.func.count()).select_from(schema.judgment)
        assert tx.execute(counted).scalar_one() == 2  # practice is kept, too
    db.close()
