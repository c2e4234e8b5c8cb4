"""Which judgments are one ranking: ids are believed if they can be, and rankings without ids are rebuilt if certain."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from builders import loose_table, ranked_pairs, ranked_table

from palmares.errors import LossyWriteError
from palmares.ingest.base import ReadOptions, ReadReport
from palmares.ingest.files import read, read_with_report, write
from palmares.ingest.rebuilding import rebuilt
from palmares.judgments import Judgments

MakeFile = Callable[..., Path]
SYSTEMS = "ABCDEFG"


def _read(source: Any, **options: Any) -> tuple[Judgments, ReadReport]:
    return read_with_report(source, options=ReadOptions(**options))


def _rankings(frame: pl.DataFrame, **options: Any) -> tuple[int | None, str]:
    """How many rankings a table has, and what is said of it."""
    judgments, report = _read(frame, **options)
    return len(judgments.names["ranking"]) if judgments.has("ranking") else None, "\n".join(report.notes)


# -- ids that are given -------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["hit", "screen", "task_id", "HITId", "ranking", "rankingID"])
@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ({}, "compared [0-9]+ times"),
        ({"judge": lambda n: n % 30}, "covers 15 judges"),
        ({"judge": lambda n: n % 30, "segment": lambda n: n % 100}, "covers [0-9]+ segments"),
    ],
    ids=["alone", "judges", "judges and segments"],
)
def test_a_column_of_eight_values_is_no_ranking_id(column: str, context: dict[str, Any], reason: str) -> None:
    found, said = _rankings(loose_table(**{column: lambda n: n % 8}, **context))
    assert found is None
    [note] = [line for line in said.splitlines() if column in line]
    assert note.startswith(f"column {column!r} was not taken for the ranking id: ")
    assert re.search(reason, note)


def test_the_unit_is_then_a_pair(file: MakeFile, ok: Callable[..., Any]) -> None:
    path = file(loose_table(hit=lambda n: n % 8).write_csv())
    [ranking] = ok("rank", path, "--resamples", "50", "--format", "json").json
    assert ranking["record"]["unit"] == "pair"
    assert any("column 'hit' was not taken for the ranking id" in note for note in ranking["notes"])
    assert not any("only 8" in note for note in ranking["notes"])


def test_a_column_that_was_named_must_be_a_ranking_id(file: MakeFile, refused: Callable[..., str]) -> None:
    path = file(loose_table(hit=lambda n: n % 8, judge=lambda n: n % 30).write_csv())
    message = refused("rank", path, "--column", "ranking=hit")
    said = "column 'hit' is no ranking id: one value of it covers 15 judges; a ranking is what one"
    assert message.startswith(f"{path}: {said}")


def test_ids_of_rankings_are_believed() -> None:
    frame = ranked_table()
    assert _rankings(frame) == (40, "")
    found, said = _rankings(frame.rename({"ranking": "hit"}))
    assert found == 40
    assert said.startswith("guessed from the names of columns: ranking from 'hit'")
    assert _rankings(frame.drop("judge", "segment").rename({"ranking": "hit"}))[0] == 40
    assert read(frame) == read(frame.rename({"ranking": "hit"}))


def test_ids_may_start_again_with_every_judge() -> None:
    frame = ranked_table().with_columns(pl.col("segment").alias("ranking"))
    found, said = _rankings(frame)
    assert (found, said) == (
        40, "column 'ranking' uses ids again: each stands for one ranking of every judge and segment with it"
    )  # fmt: skip
    assert read(frame) == read(ranked_table())


def test_a_ranking_has_a_pair_once() -> None:
    frame = ranked_table()
    again = frame.filter(ranking="r7")[:1].with_columns(outcome=pl.lit("a"))
    other = again.with_columns(outcome=pl.lit("b"))
    found, said = _rankings(pl.concat([frame.filter(pl.col("ranking") != "r7"), again, other]))
    assert "column 'ranking' was not taken for the ranking id: 'r7' has" in said
    assert "compared 2 times" in said
    assert found is not None  # rebuilt from judge and segment


def test_an_exact_copy_of_a_line_speaks_against_no_id() -> None:
    frame = ranked_table()
    copied, said = _rankings(pl.concat([frame, frame[:5]]))
    assert (copied, said) == (40, "")
    # Without judge and segment nothing says that the lines are copies.
    assert _rankings(pl.concat([frame, frame[:5]]).drop("judge", "segment"))[0] is None


def test_half_rankings_need_a_judge_and_a_segment_or_a_better_name() -> None:
    """Each task holds three pairs of six systems: no ranking, unless it is called one or context says so."""
    rows = []
    for task in range(30):
        a, b, c, d, e, f = random.Random(task).sample(SYSTEMS, 6)
        for x, y in ((a, b), (c, d), (e, f)):
            rows.append({"system_a": x, "system_b": y, "outcome": "a", "hit": f"t{task}"})
    frame = pl.DataFrame(rows)
    found, said = _rankings(frame)
    assert found is None
    assert "column 'hit' was not taken for the ranking id: its values do not hold whole rankings" in said
    assert _rankings(frame.rename({"hit": "ranking"}))[0] == 30
    assert _rankings(frame.with_columns(judge=pl.lit("ann"), segment=pl.col("hit")))[0] == 30


def test_a_torn_ranking_is_one_still() -> None:
    """A line that could not be read leaves a hole, which is no reason to refuse all ids."""
    frame = ranked_table().drop("judge", "segment").rename({"ranking": "hit"})
    assert _rankings(frame[:-1])[0] == 40


def test_rankings_that_would_not_be_read_back_are_not_written(tmp_path: Path) -> None:
    rows = pl.DataFrame({"system_a": ["A", "A"], "system_b": ["B", "B"], "outcome": [1, -1], "ranking": ["r", "r"]})
    with pytest.raises(LossyWriteError, match="'r' has 'A' and 'B' compared 2 times; drop them first"):
        write(Judgments.from_rows(rows), tmp_path / "x.csv")


# -- rankings without ids -----------------------------------------------------------------------------


def _as_wmt(rankings: list[tuple[str, str, dict[str, int]]]) -> pl.DataFrame:
    """Pairs as WMT16 has them, from (judge, segment, ranks)."""
    rows = [
        {"srclang": "-1", "trglang": "-1", "segmentId": segment, "judgeID": judge,
         "system1Id": a, "system1rank": ranks[a], "system2Id": b, "system2rank": ranks[b], "rankingID": number}
        for number, (judge, segment, ranks) in enumerate(rankings)
        for a, b in combinations(ranks, 2)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def _wmt_campaign(seed: int, *, sizes: tuple[int, ...] = (2, 3, 4, 5)) -> list[tuple[str, str, dict[str, int]]]:
    """Three judges, twelve segments; a judge meets some segments two or three times, with other systems or the same."""
    rng = random.Random(seed)
    rankings = []
    for judge in "xyz":
        for segment in range(12):
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                shown = rng.sample(SYSTEMS, rng.choice(sizes))
                rankings.append((judge, str(segment), {system: rng.randint(1, 5) for system in shown}))
    return rankings


def test_pairs_of_wmt_are_no_rankings_of_their_own(file: MakeFile, ok: Callable[..., Any]) -> None:
    frame = _as_wmt(_wmt_campaign(1, sizes=(5,)))
    path = file(frame.drop("rankingID").write_csv())
    judgments, report = _read(path, faults=0)
    assert (report.format, judgments.lang_pairs) == ("wmt-pairwise", ())
    assert len(judgments.names["ranking"]) == frame["rankingID"].n_unique()
    [ranking] = ok("rank", path, "--resamples", "50", "--resample", "ranking", "--format", "json").json
    assert ranking["units"]["ranking"] == frame["rankingID"].n_unique()
    assert any("rankings were rebuilt from judge and segment" in note for note in ranking["notes"])


@pytest.mark.parametrize(("smallest", "most_uncertain"), [(2, 20), (4, 1)])
def test_rebuilt_rankings_are_the_true_ones(smallest: int, most_uncertain: int) -> None:
    """No judgment is ever put with one of another ranking; only small ones leave too many that are not certain."""
    uncertain = 0
    for seed in range(20):
        frame = _as_wmt(_wmt_campaign(seed, sizes=tuple(range(smallest, 6))))
        rows = frame.sample(fraction=1, shuffle=True, seed=seed).select(
            pl.col("judgeID").alias("judge"), pl.col("segmentId").alias("segment"), "rankingID",
            pl.col("system1Id").alias("system_a"), "system1rank", pl.col("system2Id").alias("system_b"), "system2rank",
            outcome=(pl.col("system2rank") - pl.col("system1rank")).sign(),
        )  # fmt: skip
        result = rebuilt(rows.drop("rankingID"), ("system1rank", "system2rank"))
        assert _contents(rows, result.ids) <= _contents(rows, rows["rankingID"])
        assert not result.certain or result.torn + result.alone == result.ids.null_count()
        uncertain += not result.certain
    assert uncertain <= most_uncertain


def _contents(rows: pl.DataFrame, ids: pl.Series) -> set[tuple[Any, ...]]:
    """What is in each ranking, whatever it is called."""
    found: dict[Any, list[Any]] = defaultdict(list)
    columns = rows.select("judge", "segment", "system_a", "system1rank", "system_b", "system2rank")
    for name, (judge, segment, a, rank_a, b, rank_b) in zip(ids, columns.iter_rows(), strict=True):
        if name is not None:
            found[name].append((judge, segment, *sorted([(a, rank_a), (b, rank_b)])))
    return {tuple(sorted(pairs)) for pairs in found.values()}


def test_without_certainty_pairs_stay_pairs(file: MakeFile) -> None:
    """Every judge judged some of the pairs of four systems on each segment."""
    frame = _as_wmt(_wmt_campaign(2, sizes=(5,))).drop("rankingID").sample(fraction=0.5, seed=1)
    judgments, report = _read(file(frame.write_csv()), faults=0)
    assert not judgments.has("ranking")
    assert "rankings cannot be rebuilt for certain" in "\n".join(report.notes)


def test_wmt_ids_that_are_none_are_refused_and_rebuilt(file: MakeFile) -> None:
    frame = _as_wmt(_wmt_campaign(3, sizes=(5,)))
    for ids in (pl.lit(1), pl.lit(-1)):
        judgments, report = _read(file(frame.with_columns(ids.alias("rankingID")).write_csv()), faults=0)
        assert judgments == read(frame)
        assert ("column 'rankingID' was not taken" in "\n".join(report.notes)) == ("covers" in "\n".join(report.notes))


def test_a_generic_table_of_whole_rankings_is_rebuilt() -> None:
    frame = ranked_table()
    found, said = _rankings(frame.drop("ranking"))
    assert (found, said) == (40, "no column gives ranking ids: 40 rankings were rebuilt from judge and segment")
    assert read(frame.drop("ranking")) == read(frame)
    swapped = frame.drop("ranking").rename({"system_a": "system_b", "system_b": "system_a"})
    turned = swapped.with_columns(pl.col("outcome").replace({"a": "b", "b": "a"}))
    assert read(turned) == read(frame)


def test_what_is_not_rebuilt() -> None:
    frame = ranked_table().drop("ranking")
    cycle = [
        {"system_a": a, "system_b": b, "outcome": "a", "judge": f"j{n}", "segment": "s"}
        for n in range(9)
        for a, b in ("AB", "BC", "CA")
    ]
    assert _rankings(pl.DataFrame(cycle))[0] is None
    assert _rankings(loose_table(judge=lambda n: n % 30, segment=lambda n: n % 50)) == (None, "")
    assert _rankings(loose_table(judge=lambda n: n % 30, segment=lambda n: n)) == (None, "")
    assert _rankings(frame.drop("segment"))[0] is None
    assert _rankings(frame, columns={"ranking": ""})[0] is None
    assert _rankings(frame.with_columns(ranking=pl.lit(None, pl.String)))[0] is None
    votes = frame.rename({"system_a": "model_a", "system_b": "model_b", "outcome": "winner"})
    assert _rankings(votes)[0] is None
    # One lucky triple among hundreds of single votes is no campaign of rankings.
    single = loose_table(judge=lambda n: n, segment=lambda n: n).cast(pl.String)
    assert (
        _rankings(
            pl.concat([single, frame[:0], pl.DataFrame(ranked_pairs({"A": 1, "B": 2, "C": 3}, judge="j", segment="s"))])
        )[0]
        is None
    )


def test_a_lost_line_leaves_its_ranking_alone() -> None:
    found, said = _rankings(ranked_table().drop("ranking")[1:])
    assert found == 39
    assert said.endswith(
        "39 rankings were rebuilt from judge and segment; 5 judgments, where that is not certain, stand alone"
    )


def test_copies_are_said() -> None:
    frame = ranked_table().drop("ranking")
    found, said = _rankings(pl.concat([frame, frame]))
    assert found == 80
    assert "80 rankings were rebuilt from judge and segment, 40 of which repeat another one exactly" in said
    few, said = _rankings(pl.concat([frame, frame[:1], frame[:1]]))
    assert few == 40
    assert said.endswith(
        "40 rankings were rebuilt from judge and segment; 2 judgments, where that is not certain, stand alone"
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_pairs_that_could_be_rankings_are_read_back_as_pairs(ending: str, tmp_path: Path) -> None:
    pairs = read(ranked_table().drop("ranking"), columns={"ranking": ""})
    assert not pairs.has("ranking")
    write(pairs, tmp_path / f"x.{ending}")
    assert read(tmp_path / f"x.{ending}") == pairs


@pytest.mark.real
@pytest.mark.parametrize("pair", ["deu-eng", "ron-eng", "tur-eng"])
@pytest.mark.parametrize("kind", ["", "collapsed."])
def test_wmt16_without_its_ids_is_the_same(kind: str, pair: str, real_data: Path) -> None:
    """Judges met segments two or three times, at times with the same answer; still every ranking is found."""
    path = real_data / "wmt16" / f"wmt16.{kind}{pair}.csv"
    frame = pl.read_csv(path.read_bytes().replace(b"\r\r\n", b"\n"), infer_schema=False)
    without = frame.drop("rankingID").sample(fraction=1, shuffle=True, seed=1)
    assert read(without, faults=0) == read(path, faults=0)
