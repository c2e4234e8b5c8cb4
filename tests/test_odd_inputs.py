"""Files that nobody prepared: each is ranked as its writer meant it, or refused with a word on what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from odd_inputs import ODD, Odd

DOCS = Path(__file__).parents[1] / "docs" / "odd-files.md"


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.kind)
def test_an_odd_file_is_read_as_it_was_meant_or_refused(odd: Odd, run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / odd.name
    path.write_bytes(odd.data)
    found = run("rank", path, *odd.options, "--resamples", "40", "--format", "json")
    assert "Traceback" not in found.err
    said = found.err
    if odd.ends == "refused":
        assert (found.status, found.out) == (2, "")
    else:
        assert found.status == 0, found.err
        (ranking,) = found.json
        said += "\n".join(ranking["notes"])
        if odd.order:
            assert [line["system"] for line in ranking["systems"]] == odd.order.split()
    assert odd.says in said


def test_there_are_thirty_kinds_and_all_are_documented() -> None:
    assert len({odd.kind for odd in ODD}) == len(ODD) >= 30
    text = DOCS.read_text(encoding="utf-8")
    for odd in ODD:
        assert f"| {odd.kind} |" in text
