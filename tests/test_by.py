"""``--by`` on every command that ranks or measures: several at once, any column, groups too small for a result."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

import palmares as pm

SYSTEMS = "PQRS"
COMMANDS = {
    "rank": ("--resamples", 60),
    "head-to-head": ("--resamples", 60),
    "agreement": ("--resamples", 60),
    "judges": (),
    "audit": ("--resamples", 60),
    "compare": ("--folds", 4, "--model", "bradley-terry"),
    "describe": (),
}


def votes(*, judges: str = "jk", topics: tuple[str, ...] = ("art", "law")) -> list[list[object]]:
    """Every judge on every topic on every two systems, five segments each; earlier letters win more often."""
    rows: list[list[object]] = []
    for judge in judges:
        for topic in topics:
            for segment in range(5):
                for a, b in [(a, b) for a in SYSTEMS for b in SYSTEMS if a < b]:
                    outcome = ("tie", "a", "a", "b", "a")[(segment + ord(a) + ord(judge)) % 5]
                    rows.append([a, b, outcome, judge, topic, f"{topic}-{segment}"])
    return rows


def as_csv(rows: list[list[object]], header: str = "system_a,system_b,winner,judge,topic,segment") -> str:
    return header + "\n" + "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows)


@pytest.fixture
def two_by_two(file: Callable) -> Path:
    return file(as_csv(votes()))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_splits_by_several_fields_at_once(ok: Callable, two_by_two: Path, command: str) -> None:
    # topic was not kept with --extra: that --by names it is enough.
    by = ("--by", "judge", "--by", "topic")
    found = ok(command, two_by_two, *by, *COMMANDS[command], "--format", "json").json
    pairs = [("j", "art"), ("j", "law"), ("k", "art"), ("k", "law")]
    assert len(found) == 4
    if command != "describe":
        assert [each["group"] for each in found] == [
            {"lang_pair": None, "judge": judge, "topic": topic} for judge, topic in pairs
        ]
        assert [each["record"]["input"]["group"] for each in found] == [
            {"judge": judge, "topic": topic} for judge, topic in pairs
        ]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "describe"])
def test_the_group_is_in_titles_and_in_front_of_csv_rows(ok: Callable, two_by_two: Path, command: str) -> None:
    options = ("--by", "judge", "--by", "topic", *COMMANDS[command])
    text = ok(command, two_by_two, *options).out
    if command != "agreement":  # one table, with the groups in its rows
        assert "judge k, topic law" in text.splitlines()
    rows = list(csv.DictReader(io.StringIO(ok(command, two_by_two, *options, "--format", "csv").out)))
    assert {(row["judge"], row["topic"]) for row in rows} == {(j, t) for j in "jk" for t in ("art", "law")}


def test_a_group_is_ranked_as_its_judgments_alone(ok: Callable, file: Callable, two_by_two: Path) -> None:
    options = ("--resamples", 60, "--format", "json")
    together = ok("rank", two_by_two, "--by", "topic", *options).json
    for found, topic in zip(together, ("art", "law"), strict=True):
        alone = file(as_csv([row for row in votes() if row[4] == topic]), f"{topic}.csv")
        (expected,) = ok("rank", alone, "--extra", "topic", *options).json
        assert found["systems"] == expected["systems"]


def test_the_same_field_twice_is_one(ok: Callable, two_by_two: Path) -> None:
    twice = ok("rank", two_by_two, "--by", "judge", "--by", "judge", "--resample", "none", "--format", "json").json
    assert [each["group"]["judge"] for each in twice] == ["j", "k"]


def test_a_condition_on_a_column_keeps_it_too(ok: Callable, two_by_two: Path) -> None:
    (found,) = ok("rank", two_by_two, "--where", "topic=law", "--resample", "none", "--format", "json").json
    assert found["judgments"] == 60
    found = ok("rank", two_by_two, "--where", "topic=law", "--by", "topic", "--resample", "none", "--format", "json")
    assert [each["group"]["topic"] for each in found.json] == ["law"]


def test_a_covariate_that_a_file_has_by_itself_needs_no_column_of_that_name(ok: Callable, file: Callable) -> None:
    path = file(as_csv(votes(), "system_a,system_b,winner,judge,extra.topic,segment"))
    found = ok("rank", path, "--by", "topic", "--resample", "none", "--format", "json").json
    assert [each["group"]["topic"] for each in found] == ["art", "law"]


def test_a_field_that_there_is_not_is_refused(refused: Callable, two_by_two: Path) -> None:
    assert "cannot split by 'mood': no such column" in refused("rank", two_by_two, "--by", "mood")
    assert "there is no field 'mood'" in refused("rank", two_by_two, "--where", "mood=glad")


def test_judgments_without_a_value_are_a_group_that_says_so(ok: Callable, file: Callable) -> None:
    rows = [[*row[:3], None if row[3] == "k" else "j", *row[4:]] for row in votes()]
    result = ok("rank", file(as_csv(rows)), "--by", "judge", "--resample", "none")
    assert [line for line in result.out.splitlines() if "judge" in line and ":" not in line] == ["judge j", "no judge"]


def test_a_result_by_groups_can_be_made_again(ok: Callable, two_by_two: Path, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(ok("rank", two_by_two, "--by", "topic", "--by", "judge", "--resamples", 60, "--format", "json").out)
    verified = ok("verify", path, "--format", "json").json
    assert [each["equal"] for each in verified] == [True] * 4


def test_plots_of_groups_have_them_in_their_names(ok: Callable, two_by_two: Path, tmp_path: Path) -> None:
    ok("rank", two_by_two, "--by", "judge", "--by", "topic", "--resamples", 60, "--plot", tmp_path / "plot.json")
    assert {path.name for path in tmp_path.glob("plot*")} == {
        f"plot-{judge}-{topic}.json" for judge in "jk" for topic in ("art", "law")
    }


# -- groups too small for a result -------------------------------------------------------------------


@pytest.fixture
def one_lonely_judge(file: Callable) -> Path:
    """Two judges of everything, one who saw two groups of systems that nothing links, one without a decision."""
    rows = votes()
    rows += [["P", "Q", "a", "split", "art", "x"], ["R", "S", "b", "split", "art", "x"]]
    rows += [["P", "Q", "tie", "tied", "art", "x"]]
    return file(as_csv(rows))


def test_a_group_too_small_to_rank_does_not_stop_the_others(ok: Callable, one_lonely_judge: Path) -> None:
    options = ("--by", "judge", "--model", "expected-wins", "--resamples", 60)
    result = ok("rank", one_lonely_judge, *options, "--format", "json")
    assert [each["group"]["judge"] for each in result.json] == ["j", "k"]
    note = "2 of 4 groups give no result and are missing here: judge split; judge tied"
    assert all(note in each["notes"] for each in result.json)
    lines = result.err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["no result for judge split", "no result for judge tied"]
    assert "cannot be put on one scale: P, Q; R, S" in lines[0]
    # In the table, and beside CSV.
    assert f"note: {note}" in ok("rank", one_lonely_judge, *options).out
    assert f"note: {note}" in ok("rank", one_lonely_judge, *options, "--format", "csv").err


@pytest.mark.parametrize("command", ["head-to-head", "audit"])
def test_other_commands_go_on_too(ok: Callable, one_lonely_judge: Path, command: str) -> None:
    result = ok(command, one_lonely_judge, "--by", "judge", "--model", "expected-wins", *COMMANDS[command])
    assert "groups give no result and are missing here: judge split; judge tied" in result.out


def test_compare_goes_on_too(ok: Callable, file: Callable) -> None:
    path = file(as_csv([*votes(), ["P", "Q", "a", "once", "art", "x"]]))
    result = ok("compare", path, "--by", "judge", *COMMANDS["compare"], "--format", "json")
    assert [each["group"]["judge"] for each in result.json] == ["j", "k"]
    assert all("1 of 3 groups give no result and are missing here: judge once" in each["notes"] for each in result.json)


def test_where_no_group_gives_a_result_the_command_is_refused(refused: Callable, file: Callable) -> None:
    path = file(as_csv([["P", "Q", "tie", judge, "art", "x"] for judge in "jk"]))
    message = refused("rank", path, "--by", "judge", "--model", "expected-wins")
    assert message.startswith("none of the 2 groups gives a result; the first: judge j: no decisive judgment links")


def test_a_language_pair_that_cannot_be_ranked_still_stops_the_command(refused: Callable, file: Callable) -> None:
    # Without --by all language pairs are asked for, and the message says what to do about this one.
    rows = [[*row[:3], "fr-en"] for row in votes()] + [["P", "Q", "tie", "de-en"]]
    path = file(as_csv(rows, "system_a,system_b,winner,lang_pair"))
    assert refused("rank", path, "--model", "expected-wins").startswith("de-en: no decisive judgment links")


@pytest.mark.real
def test_judges_of_a_published_campaign(ok: Callable, real_data: Path) -> None:
    path = real_data / "wmt16" / "wmt16.ron-eng.csv"
    found = ok("rank", path, "--by", "judge", "--resamples", 40, "--p", 0.1, "--format", "json").json
    judgments = pm.read(path)
    assert {each["group"]["judge"] for each in found} == set(judgments.judges)
    assert sum(each["judgments"] for each in found) == len(judgments)
