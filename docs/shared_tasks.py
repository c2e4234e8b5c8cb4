"""Run the commands of ``shared-tasks.md`` in order, and write what they print below them.

python docs/shared_tasks.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "shared-tasks.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[str]:
    """Every command of the page, in order."""
    return [line[2:] for block in _BLOCK.findall(text) for line in block.splitlines() if line.startswith("$ ")]


def run(command: str, folder: Path) -> str:
    """What a command prints in a folder that has the repository's examples."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path, "COLUMNS": "120"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"$ {command}\n{done.stderr}")
    return done.stdout


def refreshed(text: str) -> str:
    """The page with what its commands print now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(DOCS.parent / "examples")

        def block(match: re.Match[str]) -> str:
            lines = [f"$ {command}\n{run(command, folder)}" for command in commands(match[0])]
            return f"```console\n{''.join(lines)}```"

        return _BLOCK.sub(block, text)


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
