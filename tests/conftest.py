"""What several test files share: a quiet, repeatable hypothesis, small files, and the real data."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import HealthCheck, settings

from palmares.cli import main
from palmares.judgments import Judgments

pytest_plugins = ["stores", "webs", "browsers"]

settings.register_profile(
    "palmares",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("palmares")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the published data sets."""
    folder = os.environ.get("PALMARES_REAL_DATA")
    if not folder:
        pytest.skip("PALMARES_REAL_DATA is not set; it names the folder with the published data")
    return Path(folder)


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Write text or bytes to a file and return its path."""

    def make(content: str | bytes, name: str = "file.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


@pytest.fixture
def judgments() -> Judgments:
    """Five judgments: one ranking of three systems by judge ann, and two single pairs by bob."""
    return Judgments.from_rows(
        pl.DataFrame(
            {
                "system_a": ["A", "A", "B", "C", "B"],
                "system_b": ["B", "C", "C", "A", "A"],
                "outcome": [1, 1, 0, -1, 0],
                "lang_pair": ["fr-en", "fr-en", "fr-en", "de-en", "de-en"],
                "segment": ["1", "1", "1", "2", "3"],
                "judge": ["ann", "ann", "ann", "bob", "bob"],
                "ranking": ["r1", "r1", "r1", None, None],
            }
        )
    )


# -- the command line --------------------------------------------------------------------------------


class Result(NamedTuple):
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> list[dict]:
        return json.loads(self.out)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run a command in this process."""

    def call(*arguments: object) -> Result:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return Result(int(end.value.code or 0), out, err)

    return call


@pytest.fixture
def ok(run: Callable[..., Result]) -> Callable[..., Result]:
    """Run a command that must succeed."""

    def call(*arguments: object) -> Result:
        result = run(*arguments)
        assert result.status == 0, result.err
        return result

    return call


@pytest.fixture
def refused(run: Callable[..., Result]) -> Callable[..., str]:
    """Run a command that must be refused: status 2, one message on standard error and nothing else."""

    def call(*arguments: object) -> str:
        result = run(*arguments)
        assert result.status == 2
        assert result.out == ""
        assert result.err.startswith("palmares: error: ")
        assert result.err.count("error:") == 1
        assert "Traceback" not in result.err
        return result.err.removeprefix("palmares: error: ").rstrip("\n")

    return call
