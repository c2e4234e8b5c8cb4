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

import palmares as pm
from palmares.errors import InputError, LossyWriteError
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


def _pairs(ranks: dict[str, int], **context: Any) -> list[dict[str, Any]]:
    return [
        {
            "system_a": a,
            "system_b": b,
            "outcome": "tie" if ranks[a] == ranks[b] else "ab"[ranks[b] < ranks[a]],
            **context,
        }
        for a, b in combinations(ranks, 2)
    ]


def _campaign(judges: int = 5, segments: int = 8, size: int = 4) -> pl.DataFrame:
    """Every judge ranks some systems on every segment; ``ranking`` numbers all of them."""
    rng = random.Random(5)
    rows = []
    for judge in range(judges):
        for segment in range(segments):
            ranks = {system: rng.randint(1, 3) for system in rng.sample(SYSTEMS, size)}
            number = judge * segments + segment
            rows += _pairs(ranks, judge=f"j{judge}", segment=f"s{segment}", ranking=f"r{number}")
    rng.shuffle(rows)
    return pl.DataFrame(rows)


def _loose(rows: int = 900, **columns: Callable[[int], Any]) -> pl.DataFrame:
    """Random pairs that are of no ranking."""
    rng = random.Random(9)
    found = []
    for n in range(rows):
        a, b = rng.sample(SYSTEMS, 2)
        context = {name: value(n) for name, value in columns.items()}
        found.append({"system_a": a, "system_b": b, "outcome": rng.choice(["a", "b", "tie"]), **context})
    return pl.DataFrame(found)


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
    found, said = _rankings(_loose(**{column: lambda n: n % 8}, **context))
    assert found is None
    [note] = [line for line in said.splitlines() if column in line]
    assert note.startswith(f"column {column!r} was not taken for the ranking id: ")
    assert re.search(reason, note)


def test_the_unit_is_then_a_pair(file: MakeFile, ok: Callable[..., Any]) -> None:
    path = file(_loose(hit=lambda n: n % 8).write_csv())
    [ranking] = ok("rank", path, "--resamples", "50", "--format", "json").json
    assert ranking["record"]["unit"] == "pair"
    assert any("column 'hit' was not taken for the ranking id" in note for note in ranking["notes"])
    assert not any("only 8" in note for note in ranking["notes"])


def test_a_column_that_was_named_must_be_a_ranking_id(file: MakeFile, refused: Callable[..., str]) -> None:
    path = file(_loose(hit=lambda n: n % 8, judge=lambda n: n % 30).write_csv())
    message = refused("rank", path, "--column", "ranking=hit")
    assert message.startswith("column 'hit' is no ranking id: one value of it covers 15 judges; a ranking is what one")


def test_ids_of_rankings_are_believed() -> None:
    frame = _campaign()
    assert _rankings(frame) == (40, "")
    found, said = _rankings(frame.rename({"ranking": "hit"}))
    assert found == 40
    assert said.startswith("guessed from the names of columns: ranking from 'hit'")
    assert _rankings(frame.drop("judge", "segment").rename({"ranking": "hit"}))[0] == 40
    assert read(frame) == read(frame.rename({"ranking": "hit"}))


def test_ids_may_start_again_with_every_judge() -> None:
    frame = _campaign().with_columns(pl.col("segment").alias("ranking"))
    found, said = _rankings(frame)
    assert (found, said) == (
        40, "column 'ranking' uses ids again: each stands for one ranking of every judge and segment with it"
    )  # fmt: skip
    assert read(frame) == read(_campaign())


def test_a_ranking_has_a_pair_once() -> None:
    frame = _campaign()
    again = frame.filter(ranking="r7")[:1].with_columns(outcome=pl.lit("a"))
    other = again.with_columns(outcome=pl.lit("b"))
    found, said = _rankings(pl.concat([frame.filter(pl.col("ranking") != "r7"), again, other]))
    assert "column 'ranking' was not taken for the ranking id: 'r7' has" in said
    assert "compared 2 times" in said
    assert found is not None  # rebuilt from judge and segment


def test_an_exact_copy_of_a_line_speaks_against_no_id() -> None:
    frame = _campaign()
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
    frame = _campaign().drop("judge", "segment").rename({"ranking": "hit"})
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
    [ranking] = ok("rank", path, "--resamples", "50", "--format", "json").json
    assert ranking["record"]["unit"] == "ranking"
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
    frame = _campaign()
    found, said = _rankings(frame.drop("ranking"))
    assert (found, said) == (40, "no column gives ranking ids: 40 rankings were rebuilt from judge and segment")
    assert read(frame.drop("ranking")) == read(frame)
    swapped = frame.drop("ranking").rename({"system_a": "system_b", "system_b": "system_a"})
    turned = swapped.with_columns(pl.col("outcome").replace({"a": "b", "b": "a"}))
    assert read(turned) == read(frame)


def test_what_is_not_rebuilt() -> None:
    frame = _campaign().drop("ranking")
    cycle = [
        {"system_a": a, "system_b": b, "outcome": "a", "judge": f"j{n}", "segment": "s"}
        for n in range(9)
        for a, b in ("AB", "BC", "CA")
    ]
    assert _rankings(pl.DataFrame(cycle))[0] is None
    assert _rankings(_loose(judge=lambda n: n % 30, segment=lambda n: n % 50)) == (None, "")
    assert _rankings(_loose(judge=lambda n: n % 30, segment=lambda n: n)) == (None, "")
    assert _rankings(frame.drop("segment"))[0] is None
    assert _rankings(frame, columns={"ranking": ""})[0] is None
    assert _rankings(frame.with_columns(ranking=pl.lit(None, pl.String)))[0] is None
    votes = frame.rename({"system_a": "model_a", "system_b": "model_b", "outcome": "winner"})
    assert _rankings(votes)[0] is None
    # One lucky triple among hundreds of single votes is no campaign of rankings.
    single = _loose(judge=lambda n: n, segment=lambda n: n).cast(pl.String)
    assert (
        _rankings(
            pl.concat([single, frame[:0], pl.DataFrame(_pairs({"A": 1, "B": 2, "C": 3}, judge="j", segment="s"))])
        )[0]
        is None
    )


def test_a_lost_line_leaves_its_ranking_alone() -> None:
    found, said = _rankings(_campaign().drop("ranking")[1:])
    assert found == 39
    assert said.endswith(
        "39 rankings were rebuilt from judge and segment; 5 judgments, where that is not certain, stand alone"
    )


def test_copies_are_said() -> None:
    frame = _campaign().drop("ranking")
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
    pairs = read(_campaign().drop("ranking"), columns={"ranking": ""})
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


# -- columns that are named, or guessed ----------------------------------------------------------------

_FILES = {
    "wmt": ("system1Id,system1rank,system2Id,system2rank,system3Id,system3rank,x\nA,1,B,2,C,3,u\n", "ranking", "judge"),
    "wmt-pairwise": ("system1Id,system1rank,system2Id,system2rank,x\nA,1,B,2,u\n", "rank_a", "segment"),
    "chosen-rejected": ("chosen,rejected,x\nA,B,u\n", "score", "judge"),
    "scores": ("segment,system,score,x\n1,A,1,u\n1,B,2,u\n", "weight", "judge"),
    "preflib": ("# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n1: 1,2\n", "judge", None),
}  # fmt: skip


@pytest.mark.parametrize("format_id", _FILES)
def test_a_column_is_used_or_refused(format_id: str, file: MakeFile) -> None:
    text, foreign, known = _FILES[format_id]
    path = file(text)
    assert _read(path)[1].format == format_id
    with pytest.raises(InputError, match=f"--column {foreign}=x: format '{format_id}' has no such role; "):
        read(path, columns={foreign: "x"})
    if known is not None:
        assert set(read(path, columns={known: "x"}).names[known]) == {"u"}


def test_a_database_takes_no_columns() -> None:
    with pytest.raises(InputError, match="--column judge=x: sqlite://… is a database, which knows what its columns"):
        read("sqlite:///nowhere.db", columns={"judge": "x"})


def test_votes_with_other_columns(file: MakeFile) -> None:
    """The file looks like votes of an arena, but was said to have its systems elsewhere."""
    path = file("model_a,model_b,winner,one,two\nm1,m2,tie,A,B\nm3,m4,tie,A,C\n")
    assert _read(path)[1].format == "arena"
    assert read(path, columns={"system_a": "one", "system_b": "two"}).systems == ("A", "B", "C")


def test_a_column_that_is_named_beats_one_that_is_guessed(file: MakeFile) -> None:
    path = file("system_a,system_b,outcome,verdict\nA,B,a,b\nB,C,a,b\n")
    assert read(path, columns={"winner": "verdict"}).codes("outcome").tolist() == [-1, -1]
    assert read(path).codes("outcome").tolist() == [1, 1]
    with pytest.raises(InputError, match="--column loser=verdict has no place beside what was read: system_a from"):
        read(path, columns={"loser": "verdict"})


def test_what_was_guessed_is_said_in_one_note(file: MakeFile, ok: Callable[..., Any]) -> None:
    rows = "".join(f"A,B,left,p{n % 7},u{n % 5}\nB,C,right,p{n % 7},u{n % 5}\n" for n in range(40))
    path = file(f"left,right,winner,prompt,user\n{rows}")
    [ranking] = ok("rank", path, "--resamples", "50", "--format", "json").json
    [note] = [note for note in ranking["notes"] if "guessed" in note]
    assert note.startswith(
        "guessed from the names of columns: system_a from 'left', system_b from 'right', segment from 'prompt', judge "
        "from 'user' ("
    )
    named = [
        "--column",
        "system_a=left",
        "--column",
        "system_b=right",
        "--column",
        "segment=prompt",
        "--column",
        "judge=user",
    ]
    [ranking] = ok("rank", path, *named, "--resamples", "50", "--format", "json").json
    assert not any("guessed" in note for note in ranking["notes"])
    usual = file(f"system_a,system_b,winner,segment_id,annotator\n{rows}", "usual.csv")
    assert _read(usual)[1].notes == ()


# -- what is there twice -------------------------------------------------------------------------------


def _repeat_notes(judgments: Judgments) -> list[str]:
    return [note for note in pm.rank(judgments, resample=None, rng=0).notes if "repeat" in note]


def test_fifty_identical_rows_are_counted_and_said() -> None:
    frame = _loose(850, judge=lambda n: n % 30, segment=lambda n: n)
    judgments = read(pl.concat([frame, *[frame[:1]] * 50]))
    assert _repeat_notes(judgments) == [
        "50 of 900 judgments repeat another one exactly (same judge, segment, systems and outcome); each is counted"
    ]
    assert len(judgments) == 900
    assert _repeat_notes(read(frame)) == []
    # Nobody knows whether two judges said so, or one judge of two segments.
    assert _repeat_notes(read(pl.concat([frame, frame]).drop("judge"))) == []


def test_rows_that_differ_in_time_are_no_repeats() -> None:
    frame = _loose(40, judge=lambda n: n % 3, segment=lambda n: n)
    timed = [frame.with_columns(time=pl.lit(f"2024-01-0{day}T00:00:00")) for day in (1, 2)]
    assert _repeat_notes(read(pl.concat(timed))) == []
    assert len(_repeat_notes(read(pl.concat([timed[0], timed[0]])))) == 1


def test_repeats_across_files_are_said(file: MakeFile) -> None:
    frame = _loose(60, judge=lambda n: n % 3, segment=lambda n: n)
    one, two = (read(file(part.write_csv(), f"{k}.csv")) for k, part in enumerate((frame[:40], frame[30:])))
    [note] = _repeat_notes(pm.concat([one, two]))
    assert note.startswith("10 of 70 judgments repeat another one exactly")


def test_rankings_that_repeat() -> None:
    """A judge who was shown a screen again may say the same again, but not in the same time."""
    frame = _campaign(judges=10, segments=20)
    again = frame.filter(ranking="r1").with_columns(ranking=pl.lit("again"))
    assert _repeat_notes(read(pl.concat([frame, again]))) == []
    timed = pl.concat([frame, again]).with_columns(duration=pl.lit(3.5))
    [note] = _repeat_notes(read(timed))
    assert note.startswith("1 of 201 rankings repeat another one exactly")
    many = frame.filter(pl.col("segment") == "s3").with_columns(ranking=pl.format("again {}", "ranking"))
    [note] = _repeat_notes(read(pl.concat([frame, many])))
    assert note.startswith("10 of 210 rankings repeat another one exactly")
