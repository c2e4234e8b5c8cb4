"""Ties of systems that shared an output: marked where they are read, counted, and used only where that is meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from builders import judged

import palmares as pm
from palmares.analysis.compare.testing import judge_folds, random_folds
from palmares.cli import inputs
from palmares.errors import InputError, LossyWriteError
from palmares.ingest.files import concat
from palmares.ingest.scan import scan_with_report
from palmares.judgments import FORCED_TIES, WEIGHINGS, Judgments, settle_forced_ties
from palmares.models import MODELS
from palmares.models.by_name import create

#: A and B share an output in the first ranking; nobody shares one in the second.
_PAIRS_HEADER = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
WMT_PAIRS = "\n".join(
    [
        _PAIRS_HEADER, "r,e,6,6,ann,A+B,1,C,2,1", "r,e,6,6,ann,A+B,1,D,1,1", "r,e,6,6,ann,C,2,D,1,1",
        "r,e,7,7,ann,A,1,D,2,2", "r,e,7,7,ann,A,1,B,1,2", "r,e,7,7,ann,B,1,D,2,2",
    ]
)  # fmt: skip
WMT = "\n".join(
    [
        "srclang,trglang,srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank",
        "r,e,6,ann,A+B,1,C,2,D,1", "r,e,7,ann,A,1,D,2,B,1",
    ]
)  # fmt: skip
APPRAISE = """<appraise-results><ranking-task source-language="r" target-language="e">
<ranking-item src-id="6" user="ann"><translation rank="1" system="A,B"/><translation rank="2" system="C"/>
<translation rank="1" system="D"/></ranking-item>
<ranking-item src-id="7" user="ann"><translation rank="1" system="A"/><translation rank="2" system="D"/>
<translation rank="1" system="B"/></ranking-item></ranking-task></appraise-results>"""
FILES = {"pairs.csv": WMT_PAIRS, "rankings.csv": WMT, "rankings.xml": APPRAISE}


@pytest.fixture(params=FILES)
def source(request: pytest.FixtureRequest, file: Callable[..., Path]) -> Path:
    return file(FILES[request.param], request.param)


@pytest.fixture
def campaign(file: Callable[..., Path]) -> Path:
    """Forty rankings of three outputs, of which A and B share one in every other ranking."""
    rows = []
    rng = np.random.default_rng(3)
    for number in range(40):
        shown = ("A+B", "C", "D") if number % 2 else ("A", "B", "C")
        ranks = rng.integers(1, 4, 3)
        rows += [
            f"r,e,{number},{number},j{number % 5},{shown[i]},{ranks[i]},{shown[k]},{ranks[k]},{number}"
            for i, k in ((0, 1), (0, 2), (1, 2))
        ]
    return file("\n".join([_PAIRS_HEADER, *rows]), "campaign.csv")


def forced_pairs(judgments: Judgments) -> list[tuple[str, str, int]]:
    rows = judgments.to_rows().filter(pl.Series(judgments.forced))
    return rows.select("system_a", "system_b", "outcome").rows()


# -- marks -----------------------------------------------------------------------------------------


def test_readers_mark_ties_of_one_output_and_no_others(source: Path) -> None:
    """A ties with B twice and with D once, and only one of these ties was made by nobody."""
    judgments = pm.read(source)
    assert len(judgments) == 6 + 3
    assert int((judgments.codes("outcome") == 0).sum()) == 4
    assert forced_pairs(judgments) == [("A", "B", 0)]
    assert judgments.forced_ties == 1


def test_collapsed_outputs_force_no_tie(source: Path) -> None:
    assert pm.read(source, options=pm.ReadOptions(merged="collapse")).forced_ties == 0


def test_marks_survive_what_is_done_with_judgments(source: Path) -> None:
    judgments = pm.read(source)
    assert forced_pairs(judgments.filter(np.ones(len(judgments), bool))) == [("A", "B", 0)]
    assert forced_pairs(judgments.split("lang_pair")["r-e"]) == [("A", "B", 0)]
    assert forced_pairs(judgments.rename({"A": "Z"})) == [("B", "Z", 0)]
    assert forced_pairs(Judgments.from_rows(judgments.to_rows())) == [("A", "B", 0)]
    other = judged([("A", "B", 0), ("A", "C", 1)])
    assert concat([judgments, other]).forced_ties == 1
    assert len(concat([judgments, other])) == 11
    # What has none has no column for them.
    assert not judgments.select(segment="7").has("forced")


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.parquet", "x.csv.gz", "x.xml"])
def test_marks_are_written_and_read_back(name: str, file: Callable[..., Path], tmp_path: Path) -> None:
    judgments = pm.read(file(APPRAISE, "rankings.xml"))
    pm.write(judgments, tmp_path / name)
    back = pm.read(tmp_path / name)
    assert back == judgments
    assert forced_pairs(back) == [("A", "B", 0)]


@pytest.mark.parametrize("name", ["x.wmt.csv", "x.toi"])
def test_formats_without_marks_say_what_would_be_lost(name: str, source: Path, tmp_path: Path) -> None:
    kind = "wmt" if "wmt" in name else "auto"
    with pytest.raises(LossyWriteError, match=r"cannot hold: .*forced.*which 1 ties nobody judged"):
        pm.write(pm.read(source), tmp_path / name, format=kind)
    pm.write(
        pm.read(source), tmp_path / name, format=kind, drop=["forced", "position", "segment", "judge", "lang_pair"]
    )
    assert pm.read(tmp_path / name, format="wmt" if kind == "wmt" else "preflib").forced_ties == 0


def test_appraise_needs_all_forced_ties_of_an_output(tmp_path: Path) -> None:
    """A shares its output with B and with C, but B does not with C: no output is like that."""
    odd = judged([("A", "B", 0), ("A", "C", 0), ("B", "C", 0)], ranking=["r"] * 3, forced=[True, True, False])
    with pytest.raises(LossyWriteError, match="some forced ties of systems that share an output are missing"):
        pm.write(odd, tmp_path / "x.xml")


def test_the_hash_knows_marks_and_only_marks() -> None:
    rows = [("A", "B", 0), ("A", "C", 1)]
    plain = judged(rows)
    assert judged(rows, forced=[True, False]) != plain
    assert judged(rows, forced=[False, False]) == plain
    assert judged(rows, forced=[None, None]) == plain
    assert plain.hash == "ccbe74979ddea163"  # as before there were marks


def test_tables_of_any_kind_can_have_marks(file: Callable[..., Path]) -> None:
    read = pm.read(file("system_a,system_b,outcome,forced\nA,B,tie,yes\nA,B,tie,No\nA,B,tie,\nA,C,a,0\nB,C,tie,1\n"))
    assert forced_pairs(read) == [("A", "B", 0), ("B", "C", 0)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("a,1", "is marked as a forced tie, but is no tie"),
        ("tie,maybe", "forced 'maybe' cannot be read; allowed: true"),
    ],
)
def test_wrong_marks_are_refused(value: str, message: str, file: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=message):
        pm.read(file(f"system_a,system_b,outcome,forced\nA,B,tie,1\nA,B,{value}\n"))
    with pytest.raises(InputError, match="marked as a forced tie, and its outcome is no tie"):
        judged([("A", "B", 1)], forced=[True])


# -- kept or dropped -------------------------------------------------------------------------------


def test_without_them_are_the_judgments_that_somebody_made(source: Path) -> None:
    judgments = pm.read(source).without_forced_ties()
    assert len(judgments) == 8
    assert judgments.forced_ties == 0
    (note,) = judgments.notes
    assert note.startswith("1 of 9 judgments are forced ties, of systems that shared an output, which nobody compared")
    assert note.endswith("left out (--forced-ties keep counts them)")
    assert judgments.origin is not None
    assert judgments.origin.complete  # a record can repeat it
    assert judgments.without_forced_ties() is judgments


def test_nothing_is_left_of_forced_ties_alone() -> None:
    with pytest.raises(InputError, match="all 1 judgments are forced ties"):
        judged([("A", "B", 0)], forced=[True]).without_forced_ties()


def test_systems_that_nobody_compared_are_named() -> None:
    alone = judged([("A", "B", 0), ("A", "C", 1)], forced=[True, False])
    assert alone.without_forced_ties().systems == ("A", "C")
    assert alone.without_forced_ties().notes[0].endswith("; nobody compared B with another output")


def test_who_asks_last_decides() -> None:
    table = judged([("A", "B", 0), ("A", "C", 1)], forced=[True, False])
    assert len(settle_forced_ties(table, "auto", "drop")) == 1
    assert len(settle_forced_ties(table, "auto", "keep")) == 2
    assert len(settle_forced_ties(table, "keep", "drop")) == 2
    asked = table.keeping_forced_ties()
    assert len(settle_forced_ties(asked, "auto", "drop")) == 2
    assert len(settle_forced_ties(asked, "drop", "keep")) == 1
    with pytest.raises(InputError, match="forced_ties: got 'maybe'; allowed: auto, keep, drop"):
        settle_forced_ties(table, "maybe", "drop")  # type: ignore[arg-type]


def test_official_procedures_keep_them_and_other_models_do_not() -> None:
    keep = {name for name in MODELS if create(name).forced_ties == "keep"}
    assert keep == {"trueskill", "orig-wmt", "bojar", "expected-wins"}
    assert create("trueskill:mode=batch").forced_ties == "drop"


@pytest.mark.parametrize(("model", "used"), [("bradley-terry", 160), ("expected-wins", 180)])
def test_a_ranking_does_as_its_model_and_says_so(model: str, used: int, campaign: Path) -> None:
    """20 rankings have 3 pairs; in 20 others A and B share one of the outputs: 5 pairs of systems, and a forced tie."""
    judgments = pm.read(campaign)
    assert (len(judgments), judgments.forced_ties) == (20 * 3 + 20 * 6, 20)
    ranking = pm.rank(judgments, model=model, resamples=60, rng=0)
    assert ranking.judgments == used
    fate = "keep" if used == 180 else "drop"
    assert f"|forced_ties:{fate}|" in ranking.signature
    said = [note for note in ranking.notes if "forced ties" in note]
    assert len(said) == 1
    assert ("counted like judgments" in said[0]) == (fate == "keep")
    other = "drop" if fate == "keep" else "keep"
    assert pm.rank(judgments, model=model, resamples=60, rng=0, forced_ties=other).judgments == 340 - used


def test_scores_are_those_of_the_rows_that_are_used(campaign: Path) -> None:
    judgments = pm.read(campaign)
    rows = judgments.to_rows()
    plain = Judgments.from_rows(rows.filter(~pl.col("forced")).drop("forced"))
    unmarked = Judgments.from_rows(rows.drop("forced"))
    for data, how in ((plain, "drop"), (unmarked, "keep")):
        found = pm.rank(judgments, forced_ties=how, resample=None, rng=0)
        assert found.fit.scores == pytest.approx(pm.rank(data, resample=None, rng=0).fit.scores, abs=1e-12)


def test_agreement_is_of_what_judges_said(campaign: Path) -> None:
    both = pm.concat([pm.read(campaign), _by_another_judge(campaign)])
    found = pm.agreement(both, resamples=0, rng=0)
    assert found.judgments == 320
    assert any("what was said of an output that several systems shared counts once for each" in n for n in found.notes)
    kept = pm.agreement(both.keeping_forced_ties(), resamples=0, rng=0)
    assert kept.judgments == 360
    # Twenty ties that all judges had to make: 160 + 20 comparisons, and every one of the 20 agrees.
    assert kept.inter.kappa.pairs == found.inter.kappa.pairs + 20
    assert kept.inter.kappa.agreed == found.inter.kappa.agreed + 20


def _by_another_judge(campaign: Path) -> Judgments:
    rows = pm.read(campaign).to_rows()
    won = pl.when(pl.col("forced")).then(0).otherwise(1).cast(pl.Int8).alias("outcome")
    return Judgments.from_rows(rows.with_columns(pl.lit("zoe").alias("judge"), won))


def test_forced_ties_are_trained_on_and_never_tested(campaign: Path) -> None:
    judgments = pm.read(campaign)
    kept = pm.compare(judgments.keeping_forced_ties(), models=["bradley-terry"], testing=pm.Testing(folds=4), rng=0)
    dropped = pm.compare(judgments, models=["bradley-terry"], testing=pm.Testing(folds=4), rng=0)
    assert kept.judgments == dropped.judgments == 160
    # Three quarters of the 160 judgments, and of the 20 forced ties: those of a ranking leave together with it.
    assert (kept.trained, dropped.trained) == (135, 120)
    split = random_folds(judgments, folds=4, by="ranking", rng=np.random.default_rng(0))
    assert not split.tested_rows[judgments.forced].any()
    assert split.tested_rows[~judgments.forced].all()
    by_judge = judge_folds(judgments, None, "j1")
    assert not by_judge.tested_rows[by_judge.judgments.forced].any()


def test_counts_leave_them_out_unless_they_are_asked_for(campaign: Path, tmp_path: Path) -> None:
    table = tmp_path / "x.csv"
    pm.write(pm.read(campaign), table)
    counts = pm.scan(table)
    assert (counts.total, counts.judged) == (160, 160)
    assert any("forced ties" in note and "left out" in note for note in counts.notes)
    kept, _ = scan_with_report(table, pm.ReadOptions(), "keep")
    assert kept["r-e"].total == 180
    assert any("counted like judgments" in note for note in kept["r-e"].notes)


# -- the command line ------------------------------------------------------------------------------


def test_the_options_take_the_words_of_the_library() -> None:
    assert inputs._FORCED_TIES == FORCED_TIES
    assert inputs._WEIGHINGS == WEIGHINGS


def test_describe_counts_them(campaign: Path, ok: Callable[..., Any]) -> None:
    (overview,) = json.loads(ok("describe", campaign, "--format", "json").out)
    assert (overview["judgments"], overview["forced_ties"]) == (180, 20)
    assert "forced ties" in ok("describe", campaign).out.splitlines()[0]
    assert "forced_ties:keep" in overview["signature"]
    (file,) = json.loads(ok("describe", campaign, "--columns", "--format", "json").out)
    assert (file["shared_outputs"], file["forced_ties"]) == (20, 20)
    assert "share: 20; forced ties between these systems: 20" in ok("describe", campaign, "--columns").out
    (dropped,) = json.loads(ok("describe", campaign, "--forced-ties", "drop", "--format", "json").out)
    assert (dropped["judgments"], dropped["forced_ties"]) == (160, 0)
    table = ok("describe", campaign, "--forced-ties", "drop", "--weigh", "ranking").out
    assert "|forced_ties:drop|weigh:ranking|" in table.splitlines()[-1]


COMMANDS = {
    "rank": ("--resamples", "60"),
    "describe": (),
    "head-to-head": ("--resamples", "60"),
    "agreement": ("--resamples", "0"),
    "judges": (),
    "audit": ("--resamples", "60"),
    "compare": ("--folds", "3", "--model", "independent-pairs"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("how", ["auto", "keep", "drop"])
def test_every_command_says_how_many_there_are_and_what_it_does(
    command: str, how: str, campaign: Path, ok: Callable[..., Any]
) -> None:
    result = json.loads(ok(command, campaign, *COMMANDS[command], "--forced-ties", how, "--format", "json").out)[0]
    said = [note for note in _notes(result) if note.startswith("20 of 180 judgments are forced ties")]
    usual = "keep" if command == "describe" else "drop"
    kept = (usual if how == "auto" else how) == "keep"
    assert len(said) == 1
    assert ("counted like judgments" in said[0]) == kept
    assert ("left out" in said[0]) == (not kept)


def _notes(result: dict[str, Any]) -> list[str]:
    return list(result["notes"] if "notes" in result else result["result"]["notes"])


@pytest.mark.parametrize("how", [(), ("--forced-ties", "keep"), ("--forced-ties", "drop")])
@pytest.mark.parametrize("model", ["bradley-terry", "expected-wins"])
def test_results_are_made_again(
    how: tuple[str, ...], model: str, campaign: Path, ok: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(campaign.parent)
    text = ok("rank", "campaign.csv", "--model", model, "--resamples", "60", *how, "--format", "json").out
    stored = campaign.parent / "result.json"
    stored.write_text(text)
    ok("verify", stored)
    again = json.loads(ok("rank", "campaign.csv", "--again", stored, "--format", "json").out)
    assert again[0]["signature"] == json.loads(text)[0]["signature"]


@pytest.mark.parametrize("how", ["auto", "keep", "drop"])
def test_results_from_python_are_made_again(
    how: Any, campaign: Path, ok: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(campaign.parent)
    ranking = pm.rank(pm.read("campaign.csv"), forced_ties=how, resamples=60, rng=0)
    Path("result.json").write_text(json.dumps(ranking.to_dict()))
    ok("verify", "result.json")


def test_convert_keeps_the_marks_unless_told(campaign: Path, ok: Callable[..., Any], tmp_path: Path) -> None:
    assert "20 of 180 judgments are forced ties" in ok("convert", campaign, tmp_path / "x.csv").err
    assert pm.read(tmp_path / "x.csv").forced_ties == 20
    assert "left out" in ok("convert", campaign, tmp_path / "y.csv", "--forced-ties", "drop").err
    left = pm.read(tmp_path / "y.csv")
    assert (len(left), left.forced_ties) == (160, 0)
    assert left == pm.read(campaign).without_forced_ties()


def test_learning_curves_test_on_people_only(campaign: Path, ok: Callable[..., Any]) -> None:
    asked = ("--sizes", "60", "--trials", "1", "--model", "independent-pairs", "--forced-ties", "keep")
    out = json.loads(ok("compare", campaign, *asked, "--format", "json").out)[0]
    assert any("left out" in note for note in _notes(out))


def test_scan_does_as_the_model(campaign: Path, ok: Callable[..., Any], tmp_path: Path) -> None:
    pm.write(pm.read(campaign), tmp_path / "x.csv")
    for model, judgments in (("bradley-terry", 160), ("expected-wins", 180)):
        asked = ("rank", tmp_path / "x.csv", "--scan", "--model", model, "--resamples", "60", "--format", "json")
        assert json.loads(ok(*asked).out)[0]["judgments"] == judgments


# -- published figures -----------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize(("pair", "forced"), [("deu-eng", 3112), ("ron-eng", 1264), ("tur-eng", 121)])
def test_wmt16_ties_of_shared_outputs(pair: str, forced: int, real_data: Path) -> None:
    """Counted apart from the reader: an output shared by k systems forces k(k − 1)/2 ties in its ranking."""
    path = real_data / "wmt16" / f"wmt16.collapsed.{pair}.csv"
    lines = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
    head = lines[0]
    names = {column: [line[head.index(column)] for line in lines[1:]] for column in ("system1Id", "system2Id")}
    ids = [line[head.index("rankingID")] for line in lines[1:]]
    outputs = {(r, name) for column in names.values() for r, name in zip(ids, column, strict=True)}
    shared = [len(name.split("+")) for _, name in outputs]
    assert sum(k * (k - 1) // 2 for k in shared) == forced
    assert pm.read(path).forced_ties == forced


@pytest.mark.real
def test_wmt16_official_scores_keep_them(real_data: Path) -> None:
    """With forced ties kept, the collapsed file counts as the published one does, but for rankings of one output."""
    collapsed = pm.rank(
        pm.read(real_data / "wmt16" / "wmt16.collapsed.tur-eng.csv"), model="expected-wins", resample=None, rng=0
    )
    whole = pm.rank(pm.read(real_data / "wmt16" / "wmt16.tur-eng.csv"), model="expected-wins", resample=None, rng=0)
    assert collapsed.judgments == whole.judgments
    assert [(s.system, s.score) for s in collapsed.lines] == [(s.system, s.score) for s in whole.lines]
