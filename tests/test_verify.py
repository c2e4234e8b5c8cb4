"""A result can be made again from what it records: `verify` says whether it is the same, `--again` repeats it."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import palmares as pm
from palmares.analysis.verify import verify

QUICK = ("--resamples", "60")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("verify") / "campaign.csv"
    pm.write(pm.simulate(systems=5, rankings=60, judges=4, segments=20, lang_pair="cs-en", rng=1).judgments, path)
    return path


@pytest.fixture(autouse=True)
def _beside(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of files elsewhere, results have only the name."""
    monkeypatch.chdir(campaign.parent)


@pytest.fixture
def stored(ok: Callable[..., Any], tmp_path: Path) -> Callable[..., Path]:
    """Run a command and keep its JSON."""

    def call(*arguments: object) -> Path:
        path = tmp_path / "result.json"
        path.write_text(ok(*arguments, "--format", "json").out, encoding="utf-8")
        return path

    return call


@pytest.mark.parametrize(
    "arguments",
    [
        ("rank", *QUICK),
        ("rank", *QUICK, "--seed", "7", "--model", "trueskill", "--set", "runs=20", "--resample", "judge"),
        ("rank", *QUICK, "--resample", "segment", "--p", "0.1", "--by", "judge"),
        ("rank", "--resample", "sign-test", "--sided", "1"),
        ("rank", "--resample", "none", "--model", "expected-wins", "--largest-component"),
        ("rank", *QUICK, "--scale", "elo", "--column", "ranking=", "--max-dropped", "0.2"),
        ("rank", *QUICK, "--scan"),
        ("rank", *QUICK, "--probabilities"),
        ("describe",),
        ("describe", "--by", "judge", "--systems"),
        ("head-to-head", *QUICK),
        ("agreement", *QUICK, "--judges"),
        ("judges", "--exclude-flagged"),
        ("audit", *QUICK),
        ("compare", "--folds", "3", "--model", "bradley-terry", "--model", "expected-wins", "--hold-out", "judge"),
        ("compare", "--sizes", "100", "--trials", "2", "--model", "bradley-terry"),
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_every_command_can_be_made_again(
    arguments: tuple[str, ...], campaign: Path, ok: Callable[..., Any], stored: Callable[..., Path]
) -> None:
    result = stored(arguments[0], campaign, *arguments[1:])
    found = ok("verify", result, "--format", "json").json
    assert len(found) == len(json.loads(result.read_text()))
    assert all(each["equal"] and each["compared"] > 5 for each in found)


def test_a_selection_is_recorded_and_repeated(
    campaign: Path, ok: Callable[..., Any], stored: Callable[..., Path]
) -> None:
    judges = pm.read(campaign).judges
    result = stored("rank", campaign, *QUICK, "--exclude-judge", judges[0], "--where", "segment!=segment-0*")
    (entry,) = json.loads(result.read_text())
    assert entry["record"]["input"]["selection"] == {"where": ["segment!=segment-0*"], "exclude_judge": [judges[0]]}
    assert "equal" in ok("verify", result).out


def test_the_record_names_the_files_by_their_bytes(campaign: Path, stored: Callable[..., Path]) -> None:
    (entry,) = json.loads(stored("rank", campaign, *QUICK).read_text())
    (file,) = entry["record"]["input"]["files"]
    assert file["sha256"] == hashlib.sha256(campaign.read_bytes()).hexdigest()
    assert (file["name"], file["records"], file["dropped"]) == ("campaign.csv", 600, 0)
    assert entry["record"]["command"]["options"]["seed"] == 0
    assert entry["record"]["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))


@pytest.mark.parametrize(
    ("place", "change", "verdict"),
    [
        (("score",), 1e-11, True),
        (("score",), 1e-8, False),
        (("rank",), 1, False),
        (("range", 1), 1, False),
    ],
)
def test_what_differs_is_named(
    place: tuple[Any, ...],
    change: float,
    verdict: bool,
    campaign: Path,
    run: Callable[..., Any],
    stored: Callable[..., Path],
) -> None:
    result = stored("rank", campaign, *QUICK)
    content = json.loads(result.read_text())
    *path, last = place
    spot = content[0]["systems"][2]
    for step in path:
        spot = spot[step]
    spot[last] += change
    result.write_text(json.dumps(content))
    found = run("verify", result)
    assert found.status == (0 if verdict else 1)
    name = "systems[2]." + "".join(f"[{s}]" if isinstance(s, int) else s for s in place)
    assert (name in found.out) is not verdict


def test_another_seed_is_a_difference(campaign: Path, stored: Callable[..., Path]) -> None:
    (one,) = json.loads(stored("rank", campaign, *QUICK).read_text())
    (two,) = json.loads(stored("rank", campaign, *QUICK, "--seed", "1").read_text())
    places = [d.place for d in verify(one, two).differences]
    assert "record.seed" in places
    assert any(place.endswith(".error") for place in places)
    assert verify(one, one).equal


# -- where the files are -----------------------------------------------------------------------------


def test_files_are_found_beside_the_result_or_named(
    campaign: Path, ok: Callable[..., Any], refused: Callable[..., str], stored: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    source = tmp_path / "votes.csv"
    source.write_bytes(campaign.read_bytes())
    result = stored("rank", source, *QUICK)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    source.rename(moved / "votes.csv")
    assert f"neither there nor beside {result}" in refused("verify", result)
    assert "equal" in ok("verify", result, moved / "votes.csv").out
    result.rename(moved / "result.json")
    monkeypatch.chdir(tmp_path)
    assert "equal" in ok("verify", moved / "result.json").out
    with (moved / "votes.csv").open("a") as file:
        file.write("x,1,1,1,a,b,a\n")
    assert "has changed since the result was made" in refused("verify", moved / "result.json")
    assert "has changed since" in refused("verify", moved / "result.json", moved / "votes.csv")


def test_standard_input_must_be_named(
    campaign: Path, ok: Callable[..., Any], refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(campaign.read_bytes())))
    result = tmp_path / "result.json"
    result.write_text(ok("rank", "-", *QUICK, "--format", "json").out)
    assert "name it" in refused("verify", result)
    assert "equal" in ok("verify", result, campaign).out


# -- results from Python -----------------------------------------------------------------------------


def test_a_ranking_from_python_can_be_made_again(campaign: Path, ok: Callable[..., Any], tmp_path: Path) -> None:
    judgments = pm.read(campaign, columns={"ranking": ""}, faults=0.05)
    ranking = pm.rank(judgments, model="trueskill:runs=10,mode=shuffled", resample="judge", resamples=40, rng=3)
    result = tmp_path / "result.json"
    result.write_text(json.dumps(ranking.to_dict()))
    assert "equal" in ok("verify", result).out
    part = pm.rank(judgments.split("judge")[judgments.judges[1]], resamples=40, rng=1)
    result.write_text(json.dumps(part.to_dict()))
    assert "equal" in ok("verify", result).out


def test_rows_that_a_program_chose_cannot_be_chosen_again(
    campaign: Path, refused: Callable[..., str], tmp_path: Path
) -> None:
    judgments = pm.read(campaign)
    chosen = judgments.filter(judgments.codes("outcome") != 0)
    result = tmp_path / "result.json"
    result.write_text(json.dumps(pm.rank(chosen, resamples=40, rng=1).to_dict()))
    assert "a program chose some of the judgments" in refused("verify", result)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no", "is not JSON"),
        ("[]", "has no record of how it was made"),
        ('{"signature": "x"}', "has no record of how it was made"),
        ('{"record": {"version": "0.1.0"}}', "was not printed by a command"),
        (
            '{"record": {"version": "1", "command": {"name": "guess", "options": {}}}}',
            "which is not made again",
        ),
        ('{"record": {"version": "1", "command": {"name": "rank", "options": {"luck": 1}}}}', "does not have: luck"),
    ],
)
def test_what_cannot_be_verified(content: str, message: str, refused: Callable[..., str], tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    result.write_text(content)
    assert message in refused("verify", result)
    assert "cannot be read" in refused("verify", tmp_path / "nowhere.json")


# -- again -------------------------------------------------------------------------------------------


def test_again_repeats_the_options_on_other_data(
    campaign: Path, ok: Callable[..., Any], refused: Callable[..., str], stored: Callable[..., Path], tmp_path: Path
) -> None:
    old = stored("rank", campaign, *QUICK, "--model", "expected-wins", "--resample", "judge", "--seed", "4")
    new = tmp_path / "new.csv"
    pm.write(pm.simulate(systems=6, rankings=50, judges=5, segments=10, lang_pair="cs-en", rng=2).judgments, new)
    (again,) = ok("rank", new, "--again", old, "--format", "json").json
    (asked,) = ok(
        "rank", new, *QUICK, "--model", "expected-wins", "--resample", "judge", "--seed", "4", "--format", "json"
    ).json
    assert again == asked
    (other,) = ok("rank", new, "--again", old, "--seed", "5", "--format", "json").json
    assert (other["seed"], other["model"]) == (5, "expected-wins")
    assert "was made by `palmares rank`, not by `palmares audit`" in refused("audit", new, "--again", old)


# -- diff reads the structure ------------------------------------------------------------------------


def test_diff_names_what_was_read_differently(campaign: Path, ok: Callable[..., Any], tmp_path: Path) -> None:
    judge = pm.read(campaign).judges[0]
    for name, more in (("old", ()), ("new", ("--exclude-judge", judge))):
        (tmp_path / f"{name}.json").write_text(ok("rank", campaign, *QUICK, *more, "--format", "json").out)
    text = ok("diff", tmp_path / "old.json", tmp_path / "new.json").out
    assert f"exclude_judge: none → {judge}" in text
    assert "different scales" not in text


# -- what must not happen ----------------------------------------------------------------------------


def test_notes_on_a_file_do_not_tell_where_it_lies(run: Callable[..., Any], tmp_path: Path) -> None:
    """A file with something to say of: verified where it was copied to, and no folder of the first place told."""
    first, second = tmp_path / "first-place", tmp_path / "second-place"
    for folder in (first, second):
        folder.mkdir()
        rows = [f"{'AB'[n % 2]},{'CD'[n % 3 % 2]},{'ab'[n % 5 % 2]}" for n in range(60)]
        (folder / "f.csv").write_text("\n".join(["# made by hand", "system_a,system_b,outcome", *rows]) + "\n")
    result = second / "ranking.json"
    result.write_text(run("rank", first / "f.csv", "--format", "json").out)
    assert "first-place" not in result.read_text()
    assert "comment line" in result.read_text()
    (first / "f.csv").unlink()
    assert run("verify", result).status == 0


def test_a_result_from_elsewhere_writes_no_file(
    campaign: Path, ok: Callable[..., Any], refused: Callable[..., str], stored: Callable[..., Path], tmp_path: Path
) -> None:
    result = stored("rank", campaign, *QUICK)
    content = json.loads(result.read_text())
    content[0]["record"]["command"]["options"]["plot"] = str(tmp_path / "planted.svg")
    result.write_text(json.dumps(content))
    assert "equal" in ok("verify", result).out
    assert not (tmp_path / "planted.svg").exists()
    content[0]["record"]["command"] = {"name": "convert", "options": {"target": str(tmp_path / "planted.csv")}}
    result.write_text(json.dumps(content))
    assert "is not made again" in refused("verify", result)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("command", "options"), []),
        (("version",), None),
        (("input", "files"), [{}]),
        (("input", "group"), "fr-en"),
        (("settings",), "x"),
    ],
    ids=str,
)
def test_a_damaged_record_is_refused(
    place: tuple[str, ...], value: Any, campaign: Path, refused: Callable[..., str], stored: Callable[..., Path]
) -> None:
    result = stored("rank", campaign, *QUICK)
    content = json.loads(result.read_text())
    spot = content[0]["record"]
    for step in place[:-1]:
        spot = spot[step]
    spot[place[-1]] = value
    result.write_text(json.dumps(content))
    assert "its record of how it was made is damaged" in refused("verify", result)


def test_a_warning_or_a_group_that_was_taken_out_is_noticed(
    campaign: Path, run: Callable[..., Any], stored: Callable[..., Path]
) -> None:
    result = stored("rank", campaign, *QUICK, "--by", "judge", "--resample", "pair")
    content = json.loads(result.read_text())
    for change in (
        lambda c: c[0]["notes"].append("all is well"),
        lambda c: c[0].update(signature="model:none"),
        lambda c: c[0]["record"]["input"]["files"][0].update(dropped=3),
        lambda c: c[0]["record"]["input"]["selection"].update(where=["judge=x"]),
        lambda c: c[0]["systems"][0].update(rank=1.0000000001),
        lambda c: c.pop(),
    ):
        changed = json.loads(json.dumps(content))
        change(changed)
        result.write_text(json.dumps(changed))
        assert run("verify", result).status == 1


def test_counts_and_rows_without_a_judge_can_be_made_again(ok: Callable[..., Any], tmp_path: Path) -> None:
    votes = Path("some-judges.csv")
    rows = [f"{'ann' if n % 2 else ''},P,Q,{'a' if n % 3 else 'b'}" for n in range(60)]
    votes.write_text("judge,system_a,system_b,outcome\n" + "\n".join(rows) + "\n")
    result = tmp_path / "result.json"
    result.write_text(json.dumps(pm.rank(pm.scan(votes), resamples=40, rng=0).to_dict()))
    assert "equal" in ok("verify", result).out
    result.write_text(json.dumps(pm.rank(pm.read(votes).split("judge")[None], resamples=40, rng=0).to_dict()))
    assert "equal" in ok("verify", result).out


def test_a_file_in_another_encoding_is_found(
    campaign: Path, ok: Callable[..., Any], stored: Callable[..., Path]
) -> None:
    wide = Path("wide.csv")
    wide.write_text(campaign.read_text(), encoding="utf-16")
    assert "equal" in ok("verify", stored("rank", wide, *QUICK, "--encoding", "utf-16")).out


def test_experiments_are_matched_in_order(
    ok: Callable[..., Any], stored: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PALMARES_REAL_DATA", raising=False)
    result = stored("reproduce", "w14-head-to-head", "w14-data", "--quick")
    monkeypatch.setenv("PALMARES_REAL_DATA", str(Path.cwd()))
    assert "differs" not in ok("verify", result).out
