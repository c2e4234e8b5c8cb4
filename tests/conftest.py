"""What several test files share: a quiet, repeatable hypothesis, small files, and the real data."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, settings

from palmares.judgments import Judgments

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
