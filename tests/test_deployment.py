"""What the repository gives for running a server: a container file, a unit for systemd, words about proxies."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from servers import ServerProcess

from palmares.cli.serve import serve

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
UNIT = (ROOT / "deploy" / "palmares.service").read_text()
#: Variables that something here reads; others in the files below would do nothing.
KNOWN = {"PALMARES_DATABASE", "PALMARES_ADDRESS", "PGPASSWORD", "PATH", "PYTHONDONTWRITEBYTECODE", "NUMBA_CACHE_DIR"}


def steps(word: str) -> list[str]:
    """What follows a word at the beginning of a line of the container file."""
    lines = DOCKERFILE.replace("\\\n", " ").splitlines()
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


def served_with() -> list[list[str]]:
    """The arguments of ``palmares serve`` in the container file and in the unit."""
    (container,) = steps("CMD")
    unit = re.search(r"^ExecStart=\S+/palmares (.*)$", UNIT, re.MULTILINE)
    assert unit is not None
    return [json.loads(container), shlex.split(unit[1])]


@pytest.mark.parametrize("arguments", served_with(), ids=["container", "systemd"])
def test_the_server_is_started_by_options_that_it_has(arguments: list[str]) -> None:
    command, *options = arguments
    assert command == "serve"
    context = serve.make_context("palmares serve", options)
    assert context.params["workers"] == 2


def test_variables_are_those_that_something_reads() -> None:
    # Of one variable a line; `ENV A=x \` goes on in the next.
    container = set(re.findall(r"\b([A-Z_]+)=\S", " ".join(steps("ENV"))))
    unit = set(re.findall(r"^Environment=([A-Z_]+)=", UNIT, re.MULTILINE))
    assert container == {"PATH", "PALMARES_DATABASE", "PYTHONDONTWRITEBYTECODE"}
    assert "PALMARES_DATABASE" in unit
    assert container | unit <= KNOWN
    code = "".join(path.read_text() for path in (ROOT / "src" / "palmares").rglob("*.py"))
    assert all(name in code for name in KNOWN if name.startswith("PALMARES"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    there = tmp_path / "palmares.service"
    there.write_text(UNIT.replace("/opt/palmares/bin/palmares", sys.executable))
    checked = subprocess.run(["systemd-analyze", "verify", there], capture_output=True, text=True, timeout=60)
    about_it = [line for line in checked.stderr.splitlines() if there.name in line]
    assert about_it == []


@pytest.mark.any_database
def test_what_checks_a_containers_health_sees_it(database_url: str, tmp_path: Path) -> None:
    """The command runs against a server; without one it fails."""
    (check,) = steps("HEALTHCHECK")
    command = json.loads(check.partition(" CMD ")[2])
    assert command[:2] == ["python", "-c"]
    with ServerProcess(database_url, tmp_path) as server:
        here = command[2].replace("http://127.0.0.1:8000", server.address)
        assert here != command[2]
        assert subprocess.run([sys.executable, "-c", here], timeout=60).returncode == 0
    gone = subprocess.run([sys.executable, "-c", here], capture_output=True, timeout=60)
    assert gone.returncode != 0


@pytest.mark.slow
def test_a_container_has_all_that_it_needs(tmp_path: Path) -> None:
    """What the container file copies can be installed by itself, and serves."""
    source = tmp_path / "source"
    source.mkdir()
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [name for step in steps("COPY") if not step.startswith("--") for name in step.split()[:-1]]
    assert sorted(allowed) == sorted(copied)
    for name in copied:
        there = ROOT / name
        if there.is_dir():
            shutil.copytree(there, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(there, source / name)
    venv.create(tmp_path / "venv", with_pip=True)
    (what,) = re.findall(r"pip install --no-cache-dir --compile '(\.\[[a-z,]+\])'", DOCKERFILE)
    install = [tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", what]
    subprocess.run(install, cwd=source, check=True, timeout=600)
    palmares = tmp_path / "venv/bin/palmares"
    ranked = subprocess.run([palmares, "report", ROOT / "examples/campaign.csv", "-o", tmp_path / "report.html"])
    assert ranked.returncode == 0
    told = subprocess.run([palmares, "serve", "--help"], capture_output=True, text=True, check=True)
    assert "--proxy-headers" in told.stdout
