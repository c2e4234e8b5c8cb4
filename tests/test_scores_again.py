"""Scores made again where files have moved, and what is written; names of systems and numbers that cannot be."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

QUALITY = ("score", "quality-estimation")
LINES = [f"the {color} dog of {place} barks" for color in ("red", "old", "big") for place in ("Lagos", "Lima", "Paris")]
WORSE = [line.replace("dog", "cat") if number % 2 else line for number, line in enumerate(LINES)]


def lines(values: Sequence[object]) -> str:
    return "".join(f"{value}\n" for value in values)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder ``data`` with files of every task, in the working folder."""
    made = tmp_path / "data"
    made.mkdir()
    qrels = [f"q{n} 0 d{n % 3} {1 if n % 2 else -1}" for n in range(6)] + [f"q{n} 0 d9 0" for n in range(6)]
    run = [f"q{n} Q0 d{document} {document + 1} 1 t" for n in range(6) for document in range(3)]
    files = {
        "labels": lines(range(9)),
        "numbers": lines([3, 1, 2, 5, 4, 7, 6, 9, 8]),
        "reference": lines(LINES),
        "output": lines(WORSE),
        "corpus": lines(["The dog of Lima barks", "A cat sees Paris"] * 3),
        "scores": "system\tsegment\tscore\n"
        + lines(f"{s}\t{n + 1}\t{n / 10}" for s in ("A", "Z") for n in range(len(LINES))),
        "gold": lines(f"{s}\t{w}\tword\t{'OK' if (s + w) % 3 else 'Fluency'}" for s in range(6) for w in range(4)),
        "predicted": lines(
            f"{s}\t{w}\tword\t{'OK' if (s * w) % 3 else 'Accuracy'}" for s in range(6) for w in range(4)
        ),
        "qrels": lines(qrels),
        "run": lines(run),
        "documents": lines(f"d{n}\tword{n} word{n % 3} thing" for n in range(10)),
        "queries": lines(f"q{n}\tword{n % 3}" for n in range(6)),
        "translated": lines([*(f"q{n}\tword{n % 2}" for n in range(6)), "q0\tword2"]),
    }
    for name, content in files.items():
        (made / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return made


COMMANDS: dict[str, tuple[str, ...]] = {
    "sentences": (*QUALITY, "sentences", "--label", "quality", "--gold", "data/labels", "--system", "A=data/numbers"),
    "words": (*QUALITY, "words", "--gold", "data/gold", "--system", "A=data/predicted", "--training", "data/predicted"),
    "hter": (*QUALITY, "hter", "--system", "A=data/output", "--post-edit", "A=data/reference"),
    "translation": ("score", "translation", "--reference", "data/reference", "--system", "A=data/output", "--langs",
                    "de-en", "--metric", "bleu", "--text", "truecased", "--truecase", "data/corpus",
                    "--segment-scores", "M=data/scores"),
    "runs": ("score", "retrieval", "--qrels", "data/qrels", "--run", "A=data/run"),
    "search": ("score", "retrieval", "--qrels", "data/qrels", "--documents", "data/documents", "--queries",
               "data/queries", "--translations", "A=data/translated"),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_result_is_the_same_when_its_files_are_elsewhere(
    command: str, folder: Path, ok: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of files that make notes: what is guessed, left out, tied or negative.
    printed = ok(*COMMANDS[command], "--resamples", "100", "--format", "json").out
    notes = json.loads(printed)[0]["notes"] if printed.startswith("[") else json.loads(printed)["notes"]
    assert not any("data/" in note for note in notes)
    (folder.parent / "result.json").write_text(printed)
    away = folder.parent / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    assert ok("verify", "../result.json").status == 0


@pytest.mark.parametrize("role", ["qrels", "run"])
def test_what_comes_through_a_pipe_has_no_digest_of_a_file(role: str, folder: Path, ok: Callable) -> None:
    # It can be read only once; a second reading finds nothing, whatever was there.
    content = (folder / role).read_bytes()
    data = []
    for text in (content, content, content.replace(b"d1", b"d8")):
        reading, writing = os.pipe()
        os.write(writing, text)
        os.close(writing)
        given = {"qrels": "data/qrels", "run": "data/run"} | {role: f"/dev/fd/{reading}"}
        printed = ok("score", "retrieval", "--qrels", given["qrels"], "--run", f"A={given['run']}",
                     "--resamples", "0", "--format", "json").out  # fmt: skip
        os.close(reading)
        record = json.loads(printed)["record"]
        assert {file["name"]: file["sha256"] for file in record["input"]["files"]}[f"/dev/fd/{reading}"] is None
        data.append(record["data"])
    assert data[0] == data[1] != data[2]


# -- what is written ----------------------------------------------------------------------------------


def hter(*more: object) -> tuple[object, ...]:
    return (*COMMANDS["hter"], "--resamples", "0", *more)


def test_a_result_that_is_made_again_writes_nothing(folder: Path, ok: Callable, file: Callable[..., Path]) -> None:
    written = folder.parent / "hter.txt"
    printed = ok(*hter("--write", written, "--overwrite", "--format", "json")).out
    written.write_text("mine")
    assert ok("verify", file(printed, "result.json")).status == 0
    assert written.read_text() == "mine"
    runs = folder.parent / "runs"
    printed = ok(*COMMANDS["search"], "--resamples", "0", "--write-runs", runs, "--format", "json").out
    (runs / "A.run").write_text("mine")
    assert ok("verify", file(printed, "result.json")).status == 0
    assert (runs / "A.run").read_text() == "mine"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--write", "nowhere/hter.txt"], "there is no folder"),
        (["--write", "data", "--overwrite"], "data is a folder; name a file"),
        (["--write", "data/labels"], "data/labels: exists already"),
        (["--system", "B=data/output", "--post-edit", "B=data/reference", "--write", "A=same", "--write", "B=./same"],
         "--write: ./same is given for A and for B; give each its own file"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_written_are_refused_before_anything_is_counted(
    more: list[str], message: str, folder: Path, refused: Callable
) -> None:
    assert message in refused(*hter(*more))
    assert not (folder.parent / "same").exists()


def test_a_model_that_cannot_be_written_is_not_trained(folder: Path, refused: Callable) -> None:
    texts = ["--source", "no", "--target", "no", "--gold", "no", "--source-corpus", "no", "--target-corpus", "no"]
    assert "data: is a folder; name a file" in refused(*QUALITY, "baseline", "train", *texts, "--output", "data")


def test_post_edits_need_a_system(refused: Callable) -> None:
    assert "got no system; give at least one" in refused(*QUALITY, "hter", "--post-edit", "A=a")


def test_a_second_reference_of_another_length_is_named(folder: Path, refused: Callable) -> None:
    message = refused(*COMMANDS["translation"], "--reference", "data/queries")
    assert message.startswith("data/queries: has 6 lines, but there are 9 segments")


# -- names and numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["A\nB", "A\tB", "A\x1b[31m", " ", " A", "A\udcff"])
@pytest.mark.parametrize("command", ["sentences", "words", "hter", "runs"])
def test_names_that_would_spoil_a_table_are_refused(name: str, command: str, folder: Path, refused: Callable) -> None:
    arguments = [each.replace("A=", f"{name}=") for each in COMMANDS[command]]
    assert "has white space around it or control characters in it" in refused(*arguments) or name == " "


def test_numbers_that_cannot_be_squared_are_refused(
    folder: Path, refused: Callable, recwarn: pytest.WarningsRecorder
) -> None:
    (folder / "numbers").write_text(lines([3, 1, "-1e200", 5, 4, 7, 6, 9, 8]))
    message = refused(*COMMANDS["sentences"])
    assert message == "data/numbers: line 3: got '-1e200'; a prediction must lie between -1e+100 and 1e+100"
    assert not len(recwarn)


def test_an_empty_line_among_labels_of_words_is_told(folder: Path, refused: Callable) -> None:
    with (folder / "predicted").open("a") as file:
        file.write("\n")
    assert "data/predicted: line 25 is empty" in refused(*COMMANDS["words"])


def test_one_sentence_is_no_plural(folder: Path, ok: Callable) -> None:
    (folder / "labels").write_text("1\n")
    (folder / "numbers").write_text("2\n")
    out = ok(*COMMANDS["sentences"], "--variant", "scoring", "--resamples", "0").out
    assert "in points; 1 sentence, mean label" in out
