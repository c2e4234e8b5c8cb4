"""``palmares plot``: every kind from the command line, files and their names, and what is refused."""

from __future__ import annotations

import json
import re
import shlex
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

import palmares as pm
from palmares.cli.help import READING, Sectioned, section_of
from palmares.cli.plot import PLOT_COMMANDS
from palmares.report.plots import PLOTS

#: A command line of every kind, after FILE.
USES: dict[str, tuple[object, ...]] = {
    "ranges": ("--resamples", 60, "--joint"),
    "scores": ("--resamples", 60, "--inner", 0.5),
    "rank-boxes": ("--resamples", 60),
    "head-to-head": ("--resamples", 60, "--joint"),
    "meetings": ("--share", 0.3),
    "clusters-by-judgments": ("--resamples", 60, "--trials", 2, "--sizes", "300,600"),
    "judges": (),
    "segments": ("--top", 3),
    "information": ("--baseline", "system-02"),
    "outcomes": ("--system", "system-02", "--model", "bradley-terry", "--model", "independent-pairs"),
    "comparison": ("--folds", 2, "--model", "bradley-terry", "--model", "uniform"),
    "calibration": ("--folds", 2, "--model", "bradley-terry"),
    "learning-curve": ("--sizes", "100,200", "--trials", 2, "--model", "bradley-terry"),
    "plan": ("--target", "pairs=0.5", "--campaigns", 50),
}


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plot") / "votes.csv"
    plan = {"systems": 5, "rankings": 120, "judges": 6, "segments": 12, "spread": 4.0, "lang_pair": "cs-en"}
    pm.write(pm.simulate(**plan, rng=0).judgments, path)
    return path


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments of two language pairs."""
    path = tmp_path_factory.mktemp("plot") / "pairs.csv"
    plan = {"systems": 5, "rankings": 60, "judges": 5, "segments": 20, "spread": 4.0}
    parts = [pm.simulate(**plan, lang_pair=pair, rng=0).judgments for pair in ("cs-en", "de-en")]
    pm.write(pm.concat(parts), path)
    return path


# -- kinds --------------------------------------------------------------------------------------------


def test_every_plot_has_a_command_and_a_use_here() -> None:
    assert set(PLOTS) == set(PLOT_COMMANDS)
    assert set(USES) <= set(PLOTS)


def test_every_plot_can_be_drawn_from_python_too() -> None:
    for kind, entry in PLOTS.items():
        assert PLOTS.load(kind) is getattr(pm.plots, entry.target.partition(":")[2])
        assert entry.target.partition(":")[2] in pm.plots.__all__


@pytest.mark.parametrize("kind", USES)
def test_every_kind_draws_a_picture(ok: Callable[..., Any], votes: Path, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "picture.svg"
    done = ok("plot", kind, votes, *USES[kind], "-o", target)
    assert target.read_text(encoding="utf-8").startswith("<svg")
    assert f"wrote {target}" in done.err
    assert done.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["picture.svg"]


@pytest.mark.parametrize("kind", USES)
@pytest.mark.slow
def test_a_picture_has_the_size_and_the_title_that_were_asked_for(
    ok: Callable[..., Any], votes: Path, tmp_path: Path, kind: str
) -> None:
    target = tmp_path / "picture.png"
    ok("plot", kind, votes, *USES[kind], "-o", target, "--width", 900, "--height", 700, "--title", "Mine")
    assert struct.unpack(">II", target.read_bytes()[16:24]) == (900, 700)
    ok("plot", kind, votes, *USES[kind], "-o", tmp_path / "picture.json", "--title", "Mine")
    assert json.loads((tmp_path / "picture.json").read_text())["title"]["text"] == "Mine"


def test_kinds_are_listed_without_one(ok: Callable[..., Any]) -> None:
    listed = ok("plot").out
    assert all(f"\n  {kind} " in listed for kind in PLOTS)
    assert all(entry.summary.split()[0] in listed for entry in PLOTS.values())


@pytest.mark.parametrize("kind", PLOT_COMMANDS)
def test_help_has_two_examples_the_picture_first_and_reading_last(ok: Callable[..., Any], kind: str) -> None:
    command = PLOT_COMMANDS.load(kind)
    assert isinstance(command, Sectioned)
    assert len(command.examples) == 2
    assert all(example.startswith(f"palmares plot {kind} ") and " -o " in example for example in command.examples)
    shown = ok("plot", kind, "--help").out
    headings = [line.rstrip(":") for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[:2] == ["Examples", *(h for h in headings[1:2])]
    options = [heading for heading in headings if heading not in ("Examples", "Details")]
    assert options[0] == "Picture"
    if any(section_of(p) == READING for p in command.params if isinstance(p, click.Option)):
        assert options[-1] == READING


# -- files --------------------------------------------------------------------------------------------


def test_several_language_pairs_are_several_files(ok: Callable[..., Any], pairs: Path, tmp_path: Path) -> None:
    done = ok("plot", "scores", pairs, "--resamples", 60, "-o", tmp_path / "s.json", "--title", "Scores")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s-cs-en.json", "s-de-en.json"]
    assert done.err.count("wrote ") == 2
    titles = [json.loads(path.read_text())["title"]["text"] for path in sorted(tmp_path.iterdir())]
    assert titles == ["Scores: cs-en", "Scores: de-en"]


def test_groups_are_titled_by_what_they_are(ok: Callable[..., Any], votes: Path, tmp_path: Path) -> None:
    ok("plot", "meetings", votes, "--by", "judge", "--where", "judge=judge-01,judge-02", "-o", tmp_path / "m.json")
    first = json.loads((tmp_path / "m-cs-en-judge-01.json").read_text())
    assert first["title"]["text"] == "cs-en, judge judge-01: which systems met"


def test_a_file_is_whole_or_as_it_was(
    run: Callable[..., Any], votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from altair import LayerChart

    target = tmp_path / "picture.html"
    target.write_text("before")
    whole = LayerChart.save

    def broken(self: Any, name: Any, *args: Any, **options: Any) -> None:
        if options.get("inline"):
            Path(name).write_text("<half of")
            raise OSError(28, "No space left on device")
        whole(self, name, *args, **options)

    monkeypatch.setattr(LayerChart, "save", broken)
    done = run("plot", "scores", votes, "--resamples", 60, "-o", target)
    assert done.status == 2
    assert "picture.html: cannot be written (No space left on device)" in done.err
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["picture.html"]


def test_an_error_in_one_group_leaves_no_picture_of_the_others(
    refused: Callable[..., str], pairs: Path, tmp_path: Path
) -> None:
    assert "this plot needs at least" in refused(
        "plot", "scores", pairs, "--resamples", 60, "-o", tmp_path / "s.svg", "--width", 80
    )
    assert list(tmp_path.iterdir()) == []


def test_what_tables_note_is_told_on_standard_error(ok: Callable[..., Any], pairs: Path, tmp_path: Path) -> None:
    known = [note for line in json.loads(ok("rank", pairs, "--resamples", 60, "--column", "segment=",
                                            "--format", "json").out) for note in line["notes"]]  # fmt: skip
    assert known
    done = ok("plot", "ranges", pairs, "--resamples", 60, "--column", "segment=", "-o", tmp_path / "r.svg")
    assert all(any(note in line for line in done.err.splitlines()) for note in known)
    assert done.err.count("cs-en: ") == done.err.count("de-en: ") > 0


# -- what is refused ----------------------------------------------------------------------------------


def test_an_unknown_kind_is_told_what_there_is(refused: Callable[..., str], votes: Path) -> None:
    message = refused("plot", "head-to-heat", votes, "-o", "x.svg")
    assert message.startswith("unknown plot 'head-to-heat'; known: ranges, scores, ")
    assert message.endswith("did you mean 'head-to-head'?")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("x.bmp", "a plot is written as .svg, .png, .pdf, .html, .json, not .bmp"),
        ("x", "a plot is written as .svg, .png, .pdf, .html, .json, not without ending"),
        ("nowhere/x.svg", "there is no folder"),
    ],
)
def test_a_file_that_cannot_be_is_refused_before_anything_is_read(
    refused: Callable[..., str], tmp_path: Path, target: str, message: str
) -> None:
    assert message in refused("plot", "ranges", tmp_path / "missing.csv", "-o", tmp_path / target)


def test_a_missing_package_is_named(
    run: Callable[..., Any], votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = run("plot", "ranges", votes, "-o", tmp_path / "x.svg")
    assert done.status == 2
    assert "pip install 'palmares[report]'" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scores", "--inner", 0.95), "--inner: got 0.95; allowed: less than the level of the others, 0.95"),
        (("scores", "--resample", "sign-test"), "have no intervals to draw"),
        (("rank-boxes", "--experiment"), "--experiment draws an experiment, and FILE judgments"),
        (("rank-boxes", "--quick"), "--quick is for --experiment"),
        (("meetings", "--matches", 5), "--matches is for --chosen"),
        (("outcomes", "--system", "nobody"), "unknown system 'nobody'"),
        (("learning-curve",), "--sizes and --noise are two experiments; give one of them"),
        (("plan", "--target", "pairs=0.5", "--systems", 4), "--systems: the judgments say how many there are"),
        (("comparison", "--model", "no-such"), "unknown model 'no-such'"),
        (("clusters-by-judgments", "--sizes", "1"), "sizes: got 1; allowed"),
    ],
)
def test_what_means_nothing_is_refused(
    refused: Callable[..., str], votes: Path, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    kind, *more = arguments
    assert message in refused("plot", kind, votes, *more, "-o", tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_draw_is_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    assert "name a FILE of judgments, or give --experiment" in refused("plot", "rank-boxes", "-o", tmp_path / "x.svg")


# -- experiments --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rank-boxes", "clusters-by-judgments"])
def test_an_experiment_is_drawn_instead_of_judgments(ok: Callable[..., Any], tmp_path: Path, kind: str) -> None:
    ok("plot", kind, "--experiment", "--quick", "--executor", "serial", "-o", tmp_path / "e.svg")
    text = (tmp_path / "e.svg").read_text(encoding="utf-8")
    assert "Sakaguchi et al. 2014, Figure" in text
    assert "quick variant" in text


def test_the_same_seed_gives_the_same_picture(ok: Callable[..., Any], votes: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        ok("plot", "meetings", votes, "--chosen", "--seed", 3, "-o", tmp_path / f"{name}.json")
    ok("plot", "meetings", votes, "--chosen", "--seed", 4, "-o", tmp_path / "c.json")
    first, same, other = (json.loads((tmp_path / f"{name}.json").read_text()) for name in "abc")
    assert first["datasets"] == same["datasets"] if "datasets" in first else first == same
    assert first != other


# -- the gallery --------------------------------------------------------------------------------------

GALLERY = Path(__file__).parents[1] / "docs" / "plots.md"


@pytest.mark.parametrize("kind", PLOTS)
def test_the_gallery_has_every_kind_with_its_command_and_its_picture(kind: str) -> None:
    (section,) = re.findall(rf"^### {kind}\n(.*?)(?=^##|\Z)", GALLERY.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (command,) = re.findall(rf"^    palmares plot {kind} (.*)$", section, re.MULTILINE)
    assert command.endswith(f" -o {kind}.svg")
    with PLOT_COMMANDS.load(kind).make_context(kind, shlex.split(command)) as context:
        assert context.params
    assert re.search(rf"^!\[.+\]\(images/plot-{kind}\.svg\)$", section, re.MULTILINE)
    picture = (GALLERY.parent / "images" / f"plot-{kind}.svg").read_text("utf-8")
    assert picture.startswith("<svg")
    assert len(picture) < 120_000
