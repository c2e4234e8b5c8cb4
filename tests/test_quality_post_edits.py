"""`score quality-estimation hter`: how much of translations was edited."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sacrebleu.metrics import TER

from palmares.compute import Execution
from palmares.errors import InputError
from palmares.report.tables import OUTPUTS, Grouped, rendered
from palmares.scoring.quality.post_edits import PostEditing, measure_hter

COMMAND = ("score", "quality-estimation", "hter")
OUTPUT = ["the cat sat down", "A dog barks .", "rain falls on the town", "yes", "no , never", "over there"]
#        one substitution of 4; case only; "falls rain …": a shift; 3 of 1 word: 300 %; equal; deleted whole
EDITED = ["the cat lay down", "a dog barks .", "falls rain on the town", "not at all times", "no , never", ""]


@pytest.fixture
def measure(file: Callable[..., Path]) -> Callable[..., PostEditing]:
    """Measure texts."""

    def call(systems: dict[str, tuple[list[str], list[str]]], **more: object) -> PostEditing:
        paths: list[dict[str, Path]] = [{}, {}]
        for name, texts in systems.items():
            for part, lines in enumerate(texts):
                paths[part][name] = file("".join(f"{line}\n" for line in lines), f"{name}.{part}")
        return measure_hter(*paths, **{"resamples": 0, "rng": 0, **more})

    return call


def test_hter_by_hand(measure: Callable[..., PostEditing]) -> None:
    result = measure({"a": (OUTPUT, EDITED)})
    # 1/4, 0, 1 shift of 5 words, 4 edits of 4 words, 0, deleted whole.
    assert result.edits[0].tolist() == [1, 0, 1, 4, 0, 2]
    assert result.words[0].tolist() == [4, 4, 5, 4, 3, 0]
    assert result.hter[0] == pytest.approx([25, 0, 20, 100, 0, 100])
    assert result.comparison("HTER").values[0] == pytest.approx((25 + 20 + 100 + 100) / 6)
    assert result.comparison("corpus HTER").values[0] == pytest.approx(100 * 8 / 20)
    assert result.untouched[0] == pytest.approx(100 * 2 / 6)
    assert result.notes[0] == "1 post-edit of a (line 6) is empty, taken for an HTER of 100"


def test_case_and_punctuation(measure: Callable[..., PostEditing]) -> None:
    texts = (["A dog, barks"], ["a dog , barks"])
    assert measure({"a": texts}).hter[0] == pytest.approx([50])  # "dog," became two words of four
    assert measure({"a": texts}, normalize=True).hter[0] == pytest.approx([0])
    assert measure({"a": texts}, normalize=True, case_sensitive=True).hter[0] == pytest.approx([25])
    assert "case:mixed|tok:tercom|norm:yes" in measure({"a": texts}, normalize=True, case_sensitive=True).signature


def test_the_cap(measure: Callable[..., PostEditing]) -> None:
    texts = (["one two three four", "b"], ["five", "b"])
    capped = measure({"a": texts})
    assert capped.hter[0].tolist() == [100, 0]
    assert any("capped at 100, which corpus HTER is not; so many of 2 sentences: a (1)" in n for n in capped.notes)
    free = measure({"a": texts}, capped=False)
    assert free.hter[0].tolist() == [400, 0]
    assert free.comparison("corpus HTER").values == capped.comparison("corpus HTER").values == pytest.approx([200])


def test_edits_are_those_of_sacrebleu_on_real_texts(real_data: Path, tmp_path: Path) -> None:
    folder = real_data / "multeval"
    names = ("hyps.lc.tok.en.baseline.opt0", "refs.test2010.lc.tok.en.0")
    old, new = ((folder / name).read_text().splitlines()[:60] for name in names)
    paths = [tmp_path / "old", tmp_path / "new"]
    for path, lines in zip(paths, (old, new), strict=True):
        path.write_text("\n".join(lines) + "\n")
    results = [
        measure_hter({"a": paths[0]}, {"a": paths[1]}, resamples=200, rng=0, execution=Execution(kind, workers=2))
        for kind in ("serial", "threads")
    ]
    assert results[0].to_dict() == results[1].to_dict()
    corpus = TER().corpus_score(old, [new])
    assert results[0].comparison("corpus HTER").values[0] == pytest.approx(corpus.score)
    low, high = results[0].comparison("corpus HTER").intervals[0]
    assert low < corpus.score < high


@pytest.mark.parametrize(
    ("old", "new", "more", "message"),
    [
        (["a", ""], ["a", ""], {}, "line 2 is empty, and so is that of .*leave it out of all files"),
        (
            ["a", "b"],
            ["a", ""],
            {"capped": False},
            "line 2 is empty; edits per word of an empty post-edit",
        ),
        (["a", "b"], ["a"], {}, "the files differ in their number of lines"),
        ([], [], {}, "the file is empty"),
        (["a"], ["a"], {"resamples": -1}, "at least 0"),
        (["a"], ["a"], {"resamples": 100}, "a bootstrap needs at least 5"),
    ],
)
def test_what_has_no_hter_is_refused(
    old: list[str], new: list[str], more: dict, message: str, measure: Callable[..., PostEditing]
) -> None:
    with pytest.raises(InputError, match=message):
        measure({"a": (old, new)}, **more)


def test_systems_that_share_texts_are_named(measure: Callable[..., PostEditing]) -> None:
    other = [text.replace("the", "a") for text in OUTPUT]
    result = measure({"a": (OUTPUT, EDITED), "b": (OUTPUT, EDITED), "c": (other, EDITED)})
    assert "a and b have the same translations" in result.notes
    assert any(note.startswith("a and c have the same post-edits") for note in result.notes)


# -- the command -------------------------------------------------------------------------------------


@pytest.fixture
def files(file: Callable[..., Path]) -> dict[str, Path]:
    """Two systems and their post-edits: b's are edited in every sentence, a's in every fourth."""
    lines = [f"word{i} stands here in line {i}" for i in range(40)]
    edited = {"a": 4, "b": 1}
    files = {"mt": file("\n".join(lines) + "\n", "mt")}
    for name, step in edited.items():
        text = "\n".join(line.replace("stands", "is") if i % step == 0 else line for i, line in enumerate(lines))
        files[name] = file(text + "\n", name)
    return files


def arguments(files: dict[str, Path], *more: object) -> list[object]:
    pairs = [f"{option}={name}={path}" for name in "ab"
             for option, path in (("--system", files["mt"]), ("--post-edit", files[name]))]  # fmt: skip
    return [*COMMAND, *pairs, "--resamples", "300", *more]


def test_the_table_and_the_pairs(files: dict[str, Path], ok: Callable) -> None:
    out = ok(*arguments(files)).out
    a, b = (next(line for line in out.splitlines() if line.endswith(f" {name}")) for name in "ab")
    # 10 of 40 sentences with one edit of 6 words; all 40.
    assert "4.17 ±" in a
    assert "75.0 %" in a
    assert "•" in a
    assert "16.67" in b
    assert "•" not in b
    assert "HTER" in ok(*arguments(files, "--pairs")).out


def test_one_system_needs_no_names_and_hter_becomes_gold_labels(
    files: dict[str, Path], tmp_path: Path, ok: Callable, refused: Callable
) -> None:
    target = tmp_path / "hter.txt"
    one = [*COMMAND, "--system", files["mt"], "--post-edit", files["a"], "--resamples", "0", "--write", target]
    assert f"wrote {target}" in ok(*one).err
    assert target.read_text().splitlines()[:2] == ["16.6667", "0.0000"]
    assert "exists already" in refused(*one)
    target.write_text("mine\n")
    ok(*one, "--overwrite")
    scored = ok("score", "quality-estimation", "sentences", "--gold", target, "--label", "hter",
                "--system", f"same={target}", "--resamples", "0")  # fmt: skip
    assert "0.00" in scored.out


def test_nothing_is_written_where_something_is_refused(
    files: dict[str, Path], file: Callable[..., Path], tmp_path: Path, refused: Callable
) -> None:
    target = tmp_path / "hter.txt"
    short = file("a\n", "short")
    message = refused(*COMMAND, f"--system={files['mt']}", f"--post-edit={short}", "--write", target)
    assert "differ in their number of lines" in message
    assert not target.exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--post-edit=z=x"], "--post-edit: got z; the systems are a, b"),
        (["--system=c=mt"], "there is no post-edit of c"),
        (["--write=z=out"], "--write: got z; the systems are a, b"),
    ],
)
def test_names_that_do_not_match(files: dict[str, Path], more: list[str], message: str, refused: Callable) -> None:
    assert message in refused(*arguments(files, *more))


def test_every_form_and_verify(files: dict[str, Path], file: Callable[..., Path], ok: Callable) -> None:
    result = measure_hter({"a": files["mt"]}, {"a": files["a"]}, resamples=200, rng=0)
    for part in (None, "pairs"):
        for output in OUTPUTS:
            assert rendered("score quality-estimation hter", [Grouped(result)], output, part) is not None
    printed = ok(*arguments(files, "--format", "json"))
    (entry,) = json.loads(printed.out)
    assert entry["post_editing"][0]["edits"] == 10
    assert entry["record"]["versions"]["sacrebleu"]
    assert ok("verify", file(printed.out, "result.json")).status == 0
