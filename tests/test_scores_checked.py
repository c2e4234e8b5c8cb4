"""Texts whose lines do not belong together are refused before they are scored, in every task that has such texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from palmares.errors import InputError
from palmares.scoring.checked import AlignedText, pair_notes

QUALITY = ("score", "quality-estimation")
WORDS = [f"{start}{middle}{end}" for start in "bdfgk" for middle in ("ara", "ilo", "enu") for end in ("n", "st", "l")]
#: In the "other language" only what has four letters and more keeps its beginning.
OTHER = {word: f"{word[:5]}ez" for word in WORDS}
COUNT = 60


def sentences(seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [list(map(str, rng.choice(WORDS, rng.integers(5, 15)))) for _ in range(COUNT)]


def out_of_step(lines: list[str]) -> list[str]:
    """As many lines, but line 21 is missing, so that all later ones stand one line too high."""
    return [*lines[:20], *lines[21:], "the end"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of all tasks in the working folder, each text once in step and once out of it."""
    texts = sentences(1)
    rng = np.random.default_rng(2)
    worse = [[word if rng.random() < 0.8 else str(rng.choice(WORDS)) for word in text] for text in texts]
    files = {
        "source": [" ".join(OTHER[word] for word in text) for text in texts],
        "output": list(map(" ".join, worse)),
        "reference": list(map(" ".join, texts)),
    }
    files |= {f"{name}.shifted": out_of_step(lines) for name, lines in files.items()}
    files["labels"] = [str(n % 7) for n in range(COUNT)]
    files["queries"] = [f"q{n}\t{line}" for n, line in enumerate(files["reference"])]
    files["documents"] = [f"d{n}\t{line}" for n, line in enumerate(files["reference"])]
    files["qrels"] = [f"q{n} 0 d{n} 1" for n in range(COUNT)]
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TRAIN = (*QUALITY, "baseline", "train", "--source", "source", "--gold", "labels", "--source-corpus", "source",
         "--target-corpus", "reference", "--c", "1", "--gamma", "0.1", "--epsilon", "0.1", "--output",
         "model")  # fmt: skip
#: Commands, whose last argument names what is out of step (``{}`` is the end of its name), with what is said of it.
COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "hter": ((*QUALITY, "hter", "--write", "written", "--system", "A=output", "--post-edit", "A=reference{}"),
             "output beside reference.shifted: 39 lines out of step .* too many before them.* \\(lines 22–60\\)"),
    "train": ((*TRAIN, "--target", "output{}"),
              "output.shifted beside source: 4[0-9] lines out of step .* missing before them"),
    "retrieval": (("score", "retrieval", "--qrels", "qrels", "--documents", "documents", "--queries", "queries",
                   "--write-runs", "runs", "--translations", "A=output{}"),
                  "output.shifted beside queries: 40 lines out of step .* missing before them.* \\(lines 21–60\\)"),
    "second reference": (("score", "translation", "--langs", "fr-xh", "--metric", "per", "--text", "original",
                          "--system", "A=output", "--reference", "reference", "--reference", "reference{}"),
                         "reference 2 beside reference 1: 40 lines out of step .* \\(lines 21–60\\)"),
}  # fmt: skip


def command(name: str, end: str, *more: str) -> list[str]:
    *first, last = COMMANDS[name][0]
    accept = ["--accept", "language"] if "translation" in first else []
    return [*first, last.format(end), "--resamples", "0", *accept, *more]


@pytest.mark.parametrize("name", COMMANDS)
def test_lines_out_of_step_are_refused_unless_accepted(
    name: str, folder: Path, refused: Callable, ok: Callable
) -> None:
    before = sorted(folder.iterdir())
    said = refused(*command(name, ".shifted"))
    assert re.search(COMMANDS[name][1], said), said
    assert said.endswith("mend them, or accept them with --accept misaligned")
    assert sorted(folder.iterdir()) == before  # nothing was written
    accepted = ok(*command(name, ".shifted", "--accept", "misaligned"))
    assert "out of step with the other texts" in accepted.out


@pytest.mark.parametrize("name", COMMANDS)
def test_lines_in_step_are_nothing_to_speak_of(name: str, folder: Path, ok: Callable) -> None:
    assert "out of step" not in ok(*command(name, "")).out


def test_a_trained_baseline_looks_at_what_it_predicts(folder: Path, ok: Callable, refused: Callable) -> None:
    ok(*command("train", ""))
    for what in ("predict", "features"):
        asked = (*QUALITY, "baseline", what, "--model", "model", "--source", "source", "--target", "output.shifted")
        assert "output.shifted beside source: 4" in refused(*asked)
        assert "note: translations beside sources: 4" in ok(*asked, "--accept", "misaligned").err


def test_texts_that_were_decoded_wrongly_are_named_by_their_files() -> None:
    good = ["".join(("é ü", str(n))) for n in range(10)]
    bad = ["Ã© Ã¼" if n < 5 else text for n, text in enumerate(good)]
    one, other = AlignedText("A", bad, "a.txt"), AlignedText("its post-edits", good, "b.txt")
    with pytest.raises(InputError, match=r"encoding: a\.txt: UTF-8 taken for another .* \(lines 1–5\)"):
        pair_notes(one, other, one_language=True)
    with pytest.raises(InputError, match=r"encoding: a\.txt: UTF-8 taken for another .* \(lines 1–5\)"):
        pair_notes(other, one, one_language=False)
    (note,) = pair_notes(one, other, one_language=True, accept=["encoding"])
    assert note.startswith("A: UTF-8 taken for another encoding")
    with pytest.raises(InputError, match="accept: got 'language'; allowed: encoding, misaligned"):
        pair_notes(one, other, one_language=True, accept=["language"])


def test_empty_lines_are_told(folder: Path, ok: Callable) -> None:
    for name in ("output", "reference"):
        lines = (folder / name).read_text().splitlines()
        (folder / f"{name}.hole").write_text("\n".join(["", *lines[1:]]) + "\n")
    hter = ok(*QUALITY, "hter", "--system", "A=output.hole", "--post-edit", "A=reference", "--resamples", "0").out
    assert "note: 1 translation of A (line 1) is empty; all words of what they became are edits" in hter
    scores = ok("score", "translation", "--langs", "fr-xh", "--metric", "per", "--text", "original", "--reference",
                "reference.hole", "--system", "A=output", "--accept", "language", "--resamples", "0").out  # fmt: skip
    assert "note: texts: empty references (line 1)" in scores


def test_a_label_a_thousand_times_as_large_as_others_is_told(folder: Path, ok: Callable) -> None:
    labels = (folder / "labels").read_text().splitlines()
    (folder / "labels").write_text("\n".join([*labels[:-1], "30000"]) + "\n")
    assert "note: the label of line 60 is 30000 and the median one 3; is it a slip?" in ok(*command("train", "")).out
