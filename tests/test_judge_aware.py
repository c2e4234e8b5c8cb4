"""The note of ``rank`` where a model that knows the judges predicts better."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from test_ordinal import crowd

from palmares import Execution
from palmares.judgments import Judgments
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.ordinal import Ordinal
from palmares.ranking import judge_aware
from palmares.ranking.judge_aware import judge_aware_note


def note(judgments: Judgments, seed: int = 0, model: object = None) -> str | None:
    return judge_aware_note(judgments, model or BradleyTerry(), Execution(seed=seed))


def test_judges_who_differ_are_worth_a_note() -> None:
    judgments = crowd(0, s_d=1.0)[0]
    found = note(judgments)
    assert found is not None
    assert "ordinal, which knows the judges" in found
    assert "(halves by segment)" in found
    assert note(judgments) == found


def test_alike_judges_are_not() -> None:
    notes = [note(crowd(seed, judges=20, each=60, s_a=0.0, s_d=0.0)[0]) for seed in range(20)]
    assert sum(text is not None for text in notes) <= 2  # the chance of any is about .02


def test_nothing_is_said_where_judges_are_known_already_or_too_few() -> None:
    judgments = crowd(0, s_d=1.0)[0]
    assert note(judgments, model=Ordinal()) is None
    assert note(crowd(0, judges=4, s_d=1.0)[0]) is None
    assert note(Judgments.from_rows(judgments.to_rows().drop("judge"))) is None
    assert note(judgments.filter(np.arange(len(judgments)) < 150)) is None


def test_a_model_that_foresees_no_ties_is_not_compared_on_ties() -> None:
    """Where a tie is half a win for both, it has probability 0: any model would predict it infinitely better."""
    assert note(crowd(0, s_d=1.0)[0], model=BradleyTerry(ties="half")) is None


def test_of_many_judgments_whole_units_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_aware, "_MOST", 3000)
    found = note(crowd(0, s_d=1.0)[0])
    assert found is not None
    (count,) = [int(word.replace(",", "")) for word in found.split("halves by segment of ")[1].split()[:1]]
    assert 2500 < count <= 3000


def test_a_half_that_cannot_be_fitted_is_no_error() -> None:
    rows = crowd(0)[0].to_rows().with_columns(segment=pl.lit("one"))
    assert note(Judgments.from_rows(rows)) is None


def test_the_command_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from palmares.cli import cli

    crowd(0, s_d=1.0)[0].to_rows().write_csv(file := tmp_path / "crowd.csv")
    cli.main(["rank", str(file), "--wide"], standalone_mode=False)
    assert "note: ordinal, which knows the judges" in capsys.readouterr().out
    cli.main(["rank", str(file), "--model", "ordinal"], standalone_mode=False)
    assert "which knows the judges" not in capsys.readouterr().out
