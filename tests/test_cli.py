"""The command line: what it prints, where, and with which exit status."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from palmares import MODELS, __version__, read, simulate, write
from palmares.cli import COMMANDS
from palmares.ingest import FORMATS

OUTPUTS = ("table", "json", "csv", "markdown", "latex")
QUICK = ("--resamples", "60")


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "campaign.csv"
    write(simulate(systems=5, rankings=60, judges=4, segments=20, lang_pair="cs-en", rng=1).judgments, path)
    return path


@pytest.fixture(scope="session")
def two_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "two.csv"
    path.write_text(
        "system_a,system_b,outcome,lang_pair,judge,domain,speed\n"
        "p,q,a,cs-en,ann,news,1\np,q,b,cs-en,bob,news,2\nq,r,a,cs-en,ann,web,3\np,r,a,cs-en,bob,web,4\n"
        "p,r,tie,cs-en,bob,,5\nx,y,a,de-en,ann,news,6\nx,y,a,de-en,bob,web,7\n",
        encoding="utf-8",
    )
    return path


# -- rank ------------------------------------------------------------------------------------------


def test_rank_prints_the_documented_json(ok: object, campaign: Path) -> None:
    (found,) = ok("rank", campaign, *QUICK, "--format", "json").json
    assert {"signature": str, "model": str, "lang_pair": str, "judgments": int, "systems": list}.items() <= {
        key: type(value) for key, value in found.items()
    }.items()
    assert (found["model"], found["lang_pair"], found["judgments"]) == ("bradley-terry", "cs-en", 600)
    systems = found["systems"]
    keys = {"system", "score", "rank", "range", "cluster", "interval", "error", "best", "joint_range", "joint_cluster"}
    assert all(set(line) == keys for line in systems)
    assert sorted(systems, key=lambda line: -line["score"]) == systems
    for line in systems:
        low, high = line["range"]
        assert 1 <= low <= high <= 5
        assert type(line["rank"]) is type(line["cluster"]) is type(line["joint_cluster"]) is int
        # What holds of all systems at once is no narrower, and no finer, than what holds of each by itself.
        assert 1 <= line["joint_range"][0] <= low <= high <= line["joint_range"][1] <= 5
        assert line["joint_cluster"] <= line["cluster"]
        assert line["interval"][0] <= line["interval"][1]
    assert (found["unit"], found["p"], found["resamples"], found["seed"]) == ("segment", 0.05, int(QUICK[1]), 0)
    # Four judges are too few to say anything of others; twenty segments, two of which nobody drew, are not.
    assert found["units"] == {"judge": 4, "segment": 18, "ranking": 60}
    assert found["df"] == 17
    assert [boundary["above"] for boundary in found["boundaries"]] == [1, 2, 3, 4]
    assert all(set(boundary) == {"above", "p", "marginal", "joint"} for boundary in found["boundaries"])
    assert [len(row) for row in found["better"]] == [5] * 5
    assert [name for cluster in found["clusters"] for name in cluster["systems"]] == [s["system"] for s in systems]


def test_ranges_and_clusters_are_null_without_resampling(ok: object, campaign: Path) -> None:
    (found,) = ok("rank", campaign, "--resample", "none", "--format", "json").json
    assert {(line["range"], line["cluster"]) for line in found["systems"]} == {(None, None)}
    assert "|unit:none|" in found["signature"]


def test_a_file_without_language_pairs_has_null_for_it(ok: object, tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("system_a,system_b,outcome\n" + "p,q,a\np,q,b\n" * 20)
    result = ok("rank", path, *QUICK, "--format", "json")
    assert result.json[0]["lang_pair"] is None
    (note,) = result.json[0]["notes"]
    assert note.startswith("uncertainty is for these judges and segments, with pairs drawn as if independent")


def test_the_signature_is_the_last_line_of_a_table(ok: object, campaign: Path) -> None:
    signature = ok("rank", campaign, *QUICK, "--format", "json").json[0]["signature"]
    for output in ("table", "markdown"):
        result = ok("rank", campaign, *QUICK, "--format", output)
        assert result.out.splitlines()[-1] == signature
    assert ok("rank", campaign, *QUICK, "--format", "latex").out.splitlines()[-1] == f"% {signature}"
    table = ok("rank", campaign, *QUICK, "--format", "csv")
    assert signature not in table.out
    *notes, last = table.err.splitlines()
    assert last == signature
    assert notes
    assert all(note.startswith("note: ") for note in notes)


def test_every_output_has_the_systems_in_the_same_order(ok: object, campaign: Path) -> None:
    order = [line["system"] for line in ok("rank", campaign, *QUICK, "--format", "json").json[0]["systems"]]
    for output in ("table", "csv", "markdown", "latex"):
        text = ok("rank", campaign, *QUICK, "--format", output).out
        places = [text.index(name) for name in order]
        assert places == sorted(places)


def test_csv_is_flat_with_one_header_for_all_language_pairs(ok: object, two_pairs: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(ok("rank", two_pairs, *QUICK, "--format", "csv").out)))
    assert [(row["lang_pair"], row["system"]) for row in rows if row["lang_pair"] == "de-en"] == [
        ("de-en", "x"),
        ("de-en", "y"),
    ]
    assert list(rows[0]) == [
        "lang_pair", "cluster", "rank", "first", "last", "score", "system", "low", "high", "error", "best",
        "joint_cluster", "joint_first", "joint_last",
    ]  # fmt: skip
    assert len(rows) == 5


def test_probabilities_are_printed_below_the_ranking(ok: object, campaign: Path) -> None:
    out = ok("rank", campaign, *QUICK, "--probabilities").out
    assert "stability: how likely it is that these systems, and no others, take the places" in out
    assert "How likely the column's system is better than the row's: " in out
    assert "best: how likely the column's system is the best. Draws from a posterior that shrinks scores" in out
    rows = list(csv.DictReader(io.StringIO(ok("rank", campaign, *QUICK, "--probabilities", "--format", "csv").out)))
    assert len(rows) == 5 * 4
    share = {(row["system"], row["other"]): float(row["better"]) for row in rows}
    assert all(share[a, b] + share[b, a] == pytest.approx(1) for a, b in share)


def test_ranges_can_come_from_sign_tests(ok: object, campaign: Path) -> None:
    one, two = (
        ok("rank", campaign, "--resample", "sign-test", "--sided", n, "--format", "json").json[0] for n in (1, 2)
    )
    widths = [sum(s["range"][1] - s["range"][0] for s in found["systems"]) for found in (one, two)]
    assert widths[0] <= widths[1]
    assert "unit:sign-test|sided:1|" in one["signature"]
    assert one["better"] is None


def test_the_seed_decides(ok: object, campaign: Path) -> None:
    one, same, other = (ok("rank", campaign, *QUICK, "--seed", seed).out for seed in (3, 3, 4))
    assert one == same != other


@pytest.mark.parametrize("model", MODELS)
def test_every_model_ranks(ok: object, refused: object, campaign: Path, model: str) -> None:
    if model in ("uniform", "adjusted-uniform"):
        assert "predicts outcomes but gives no scores to rank by" in refused("rank", campaign, "--model", model)
        return
    (found,) = ok("rank", campaign, "--model", model, "--resample", "none", "--format", "json").json
    assert found["signature"].startswith(f"model:{model}|")


@pytest.mark.parametrize("unit", ["pair", "ranking", "segment", "judge"])
def test_every_unit_is_in_the_signature(ok: object, campaign: Path, unit: str) -> None:
    assert f"|unit:{unit}|resamples:60|p:0.1|" in ok("rank", campaign, *QUICK, "--resample", unit, "--p", "0.1").out


def test_settings_reach_the_model(ok: object, two_pairs: Path) -> None:
    default, published = (
        ok("rank", two_pairs, "--model", "expected-wins", "--resample", "none", "--format", "json", *extra).json[0]
        for extra in ((), ("--set", "published=yes"))
    )
    assert "|published:no|" in default["signature"]
    assert "|published:yes|" in published["signature"]


def test_executors_print_the_same(ok: object, campaign: Path) -> None:
    outputs = {
        ok("rank", campaign, *QUICK, *where).out
        for where in ((), ("--workers", 1), ("--executor", "serial"), ("--workers", 3))
    }
    assert len(outputs) == 1


# -- selecting -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "judgments"),
    [
        (("--where", "lang_pair=cs-en"), 5),
        (("--where", "judge=a*"), 3),
        (("--where", "judge!=a*"), 4),
        (("--where", "judge=ann,bob"), 7),
        (("--where", "system=x"), 2),
        (("--extra", "domain", "--where", "domain=news"), 3),
        (("--extra", "domain", "--where", "domain=n*"), 3),
        (("--extra", "domain", "--where", "domain=news,web"), 6),
        (
            ("--extra", "domain", "--where", "domain!=news"),
            4,
        ),  # one judgment has no domain, so it is not news
        (("--extra", "speed", "--where", "speed>=3", "--where", "speed<6"), 3),
        (("--exclude-judge", "bob"), 3),
        (("--exclude-system", "p"), 3),
        (("--exclude-system", "p", "--exclude-judge", "b*"), 2),
    ],
)
def test_judgments_are_selected(ok: object, two_pairs: Path, options: tuple[str, ...], judgments: int) -> None:
    found = ok("describe", two_pairs, *options, "--format", "json").json
    assert sum(part["judgments"] for part in found) == judgments


@pytest.mark.parametrize(
    ("options", "wording"),
    [
        (("--where", "judge=nobody"), "no judge matches 'nobody'; there are 2: ann, bob"),
        (("--where", "mood=good"), "--where: there is no field 'mood'; known: lang_pair"),
        (("--where", "judge"), "--where: got 'judge'; allowed: FIELD=PATTERN"),
        (("--where", "judge>3"), "--where: judge is a name; compare it with = or !=, not >"),
        (("--extra", "domain", "--where", "domain<news"), "--where: domain is text; compare it with = or !="),
        (("--extra", "speed", "--where", "speed>fast"), "--where: speed is a number, and 'fast' is not"),
        (("--exclude-judge", "*"), "no judgment is left after --exclude-judge *; 7 were read"),
        (("--exclude-system", "nobody"), "no system matches 'nobody'"),
        (("--by", "mood"), "cannot split by 'mood'"),
        (("--set", "published"), "--set: got 'published'; allowed: NAME=VALUE"),
        (
            ("--model", "expected-wins", "--set", "loud=yes"),
            "model 'expected-wins' has no setting 'loud'; it has: published",
        ),
        (
            ("--model", "expected-wins", "--set", "published=perhaps"),
            "setting published: got 'perhaps'; allowed: yes, no",
        ),
        (("--resample", "ranking"), "cs-en: cannot resample by ranking: the judgments have no ranking"),
        (("--resamples", "20"), "cs-en: 20 resamples are too few for p = 0.05; use at least 40"),
        (("--column", "outcome"), "--column: got 'outcome'; allowed: NAME=VALUE"),
    ],
)
def test_what_cannot_be_is_refused(refused: object, two_pairs: Path, options: tuple[str, ...], wording: str) -> None:
    assert refused("rank", two_pairs, *options).startswith(wording)


@pytest.mark.parametrize(
    "options",
    [("--p", "0"), ("--p", "1"), ("--resamples", "0"), ("--model", "best"), ("--seed", "-1"), ("--workers", "0")],
)
def test_a_wrong_option_is_a_usage_error(run: object, campaign: Path, options: tuple[str, ...]) -> None:
    result = run("rank", campaign, *options)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("Usage: palmares rank")


def test_by_gives_one_ranking_a_value(ok: object, campaign: Path) -> None:
    found = ok("rank", campaign, "--by", "judge", "--resample", "none", "--format", "json").json
    assert [part["group"] for part in found] == [{"lang_pair": "cs-en", "judge": f"judge-0{k}"} for k in (1, 2, 3, 4)]
    assert sum(part["judgments"] for part in found) == 600
    text = ok("rank", campaign, "--by", "judge", "--resample", "none").out
    assert "cs-en, judge judge-03\n" in text


def test_by_an_extra_column(ok: object, campaign: Path) -> None:
    copy = campaign.with_name("extra.csv")
    lines = campaign.read_text(encoding="utf-8").splitlines()
    copy.write_text(
        "\n".join([lines[0] + ",half", *(f"{line},{k % 2}" for k, line in enumerate(lines[1:]))]),
        encoding="utf-8",
    )
    found = ok("rank", copy, "--extra", "half", "--by", "half", "--resample", "none", "--format", "json").json
    assert [part["judgments"] for part in found] == [300, 300]


# -- groups that are not linked --------------------------------------------------------------------


@pytest.fixture
def islands(tmp_path: Path) -> Path:
    path = tmp_path / "islands.csv"
    path.write_text("system_a,system_b,outcome\np,q,a\nq,r,a\np,r,a\nx,y,a\n")
    return path


def test_islands_are_refused_by_name_and_ranked_on_request(refused: object, ok: object, islands: Path) -> None:
    message = refused("rank", islands)
    assert "p, q, r; x, y" in message
    assert "--largest-component" in message
    (found,) = ok("rank", islands, "--largest-component", *QUICK, "--format", "json").json
    assert [line["system"] for line in found["systems"]] == ["p", "q", "r"]
    assert found["notes"][0].endswith(": x, y")


# -- scan ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_scan_ranks_like_reading(ok: object, campaign: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"copy.{ending}"
    write(read(campaign), path)
    options = ("--resample", "pair", *QUICK, "--format", "json")
    (whole,), (streamed,) = ok("rank", path, *options).json, ok("rank", path, "--scan", *options).json
    assert streamed["systems"] == whole["systems"]
    assert (streamed["lang_pair"], streamed["judgments"]) == ("cs-en", 600)


def test_scan_splits_language_pairs(ok: object, two_pairs: Path) -> None:
    found = ok("rank", two_pairs, "--scan", *QUICK, "--format", "json").json
    assert [(part["lang_pair"], part["judgments"]) for part in found] == [("cs-en", 5), ("de-en", 2)]


@pytest.mark.parametrize(
    "options",
    [("--where", "judge=ann"), ("--exclude-judge", "ann"), ("--exclude-system", "p"), ("--by", "judge"),
     ("--extra", "domain"), ("--collapse",), ("--from", "pairwise"), ("--margin", "2"), ("--lower-is-better",),
     ("--encoding", "latin-1")],
    ids=lambda o: o[0],
)  # fmt: skip
def test_scan_refuses_options_it_cannot_follow(refused: object, two_pairs: Path, options: tuple[str, ...]) -> None:
    assert refused("rank", two_pairs, "--scan", *options).startswith("--scan counts one whole file")


def test_scan_refuses_units_it_cannot_see(refused: object, two_pairs: Path) -> None:
    assert refused("rank", two_pairs, "--scan", "--resample", "judge").startswith(
        "cs-en: resampling unit 'judge' needs"
    )


# -- reading ---------------------------------------------------------------------------------------


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "faulty.csv"
    path.write_text("system_a,system_b,outcome\np,q,a\np,q,perhaps\np,q,b\np,p,a\nq,p,b\n")
    return path


@pytest.mark.parametrize("scan", [(), ("--scan",)], ids=["read", "scan"])
def test_faulty_lines_are_reported_and_with_strict_refused(
    ok: object, refused: object, faulty: Path, scan: tuple
) -> None:
    assert "--lenient" in refused("rank", faulty, *scan)
    result = ok("rank", faulty, *scan, *QUICK, "--lenient", "--format", "json")
    assert result.json[0]["judgments"] == 3
    assert "line 3" in result.err
    assert "line 5" in result.err
    message = refused("rank", faulty, *scan, "--strict")
    assert "line 3" in message


def test_several_files_are_one_table(ok: object, campaign: Path, two_pairs: Path) -> None:
    found = ok("describe", campaign, two_pairs, "--format", "json").json
    assert {part["lang_pair"]: part["judgments"] for part in found} == {"cs-en": 605, "de-en": 2}


def test_the_same_file_twice_is_refused(refused: object, campaign: Path, tmp_path: Path) -> None:
    assert "is given twice, so its judgments would be counted twice" in refused("rank", campaign, campaign)
    copy = tmp_path / "copy.csv"
    copy.write_bytes(campaign.read_bytes())
    assert "copy.csv: has the same content as campaign.csv" in refused("rank", campaign, copy)


@pytest.mark.parametrize("command", ["rank", "describe", "head-to-head"])
def test_a_file_that_is_not_there(refused: object, tmp_path: Path, command: str) -> None:
    assert "nowhere.csv" in refused(command, tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"system_a,system_b,outcome\n", b"what,is,this\n1,2,3\n", bytes(range(256))],
    ids=["empty", "blank", "header", "other", "binary"],
)
@pytest.mark.parametrize("scan", [(), ("--scan",)], ids=["read", "scan"])
def test_a_file_without_judgments(refused: object, tmp_path: Path, content: bytes, scan: tuple) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert "bad.csv" in refused("rank", path, *scan)


# -- describe and head-to-head ---------------------------------------------------------------------


def test_describe_counts_by_system(ok: object, two_pairs: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(ok("describe", two_pairs, "--systems", "--format", "csv").out)))
    assert [(row["lang_pair"], row["system"]) for row in rows] == [
        ("cs-en", "p"), ("cs-en", "q"), ("cs-en", "r"), ("de-en", "x"), ("de-en", "y")
    ]  # fmt: skip
    assert [float(rows[0][key]) for key in ("judgments", "wins", "ties", "losses", "opponents")] == [
        4,
        2,
        1,
        1,
        2,
    ]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("systems", [(), ("--systems",)], ids=["pairs", "systems"])
def test_describe_prints_every_format(ok: object, two_pairs: Path, output: str, systems: tuple) -> None:
    out = ok("describe", two_pairs, *systems, "--format", output).out
    assert "cs-en" in out
    assert "de-en" in out


@pytest.mark.parametrize("output", OUTPUTS)
def test_head_to_head_prints_every_format(ok: object, campaign: Path, output: str) -> None:
    result = ok("head-to-head", campaign, *QUICK, "--format", output)
    assert "system-03" in result.out
    assert "model:bradley-terry|" in (result.err if output == "csv" else result.out)


def test_head_to_head_json_agrees_with_rank(ok: object, campaign: Path) -> None:
    (table,) = ok("head-to-head", campaign, *QUICK, "--model", "expected-wins", "--format", "json").json
    (ranking,) = ok("rank", campaign, *QUICK, "--model", "expected-wins", "--format", "json").json
    assert table["signature"] == ranking["signature"]
    assert [(s["system"], s["range"]) for s in table["systems"]] == [
        (s["system"], s["range"]) for s in ranking["systems"]
    ]
    assert [s["expected_wins"] for s in table["systems"]] == pytest.approx([s["score"] for s in ranking["systems"]])
    assert len(table["cells"]) == 20
    share = {(c["row"], c["column"]): c["share"] for c in table["cells"]}
    assert all(share[r, c] + share[c, r] == pytest.approx(1) for r, c in share)


# -- lists -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("command", "registry"), [("formats", FORMATS), ("models", MODELS)])
def test_lists_name_everything_there_is(ok: object, command: str, registry: dict, output: str) -> None:
    out = ok(command, "--format", output).out
    start = rf'"{command[:-1]}": "' if output == "json" else r"(?:\| )?"
    first_cells = re.findall(rf"^ *{start}([\w-]+)", out, re.MULTILINE)
    assert set(registry) <= set(first_cells)


def test_models_are_listed_with_their_settings(ok: object) -> None:
    found = {row["model"]: row["settings"] for row in ok("models", "--format", "json").json}
    assert "published" in found["expected-wins"]
    assert "tournaments" in found["monte-carlo-playoffs"]


# -- convert and simulate --------------------------------------------------------------------------


def test_convert_and_back_keeps_the_judgments(ok: object, campaign: Path, tmp_path: Path) -> None:
    ok("convert", campaign, tmp_path / "a.parquet")
    ok("convert", tmp_path / "a.parquet", tmp_path / "b.jsonl.gz")
    assert read(tmp_path / "b.jsonl.gz") == read(campaign)


def test_convert_selects(ok: object, campaign: Path, tmp_path: Path) -> None:
    ok("convert", campaign, tmp_path / "a.csv", "--exclude-judge", "judge-01", "--where", "system!=system-02")
    kept = read(tmp_path / "a.csv")
    assert "judge-01" not in kept.judges
    assert "system-02" not in kept.systems


def test_convert_writes_to_standard_output(ok: object, campaign: Path) -> None:
    result = ok("convert", campaign, "-")
    assert len(result.out.splitlines()) == 601
    assert result.err.startswith("wrote 600 judgments of 5 systems to - ")


@pytest.mark.parametrize(
    ("target", "wording"),
    [
        ("lossy.toc", "cannot hold"),
        ("no/such/folder/x.csv", "cannot be written"),
        ("what.docx", "cannot tell the format from the ending '.docx'"),
    ],
)
def test_a_refused_conversion_leaves_no_file(
    refused: object, campaign: Path, tmp_path: Path, target: str, wording: str
) -> None:
    assert wording in refused("convert", campaign, tmp_path / target)
    assert list(tmp_path.iterdir()) == []


def test_a_refused_conversion_leaves_an_existing_file_alone(refused: object, campaign: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.toc"
    target.write_text("precious")
    refused("convert", campaign, target)
    assert target.read_text() == "precious"


def test_simulate_writes_the_campaign_and_tells_the_truth(ok: object, tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    options = (
        "--systems",
        4,
        "--rankings",
        30,
        "--outputs",
        3,
        "--seed",
        6,
        "--lang-pair",
        "xx-yy",
        "--tie-radius",
        0,
    )
    result = ok("simulate", path, *options)
    campaign = simulate(systems=4, rankings=30, outputs=3, lang_pair="xx-yy", tie_radius=0.0, rng=6)
    assert read(path) == campaign.judgments
    printed = [line.split() for line in result.err.splitlines()[1:]]
    assert {name: float(quality) for quality, name in printed} == pytest.approx(campaign.quality, abs=5e-4)
    assert [float(quality) for quality, _ in printed] == sorted((float(q) for q, _ in printed), reverse=True)


def test_an_impossible_simulation_writes_nothing(refused: object, tmp_path: Path) -> None:
    message = refused("simulate", tmp_path / "x.csv", "--systems", 3)
    assert message == "outputs: got 5, but there are only 3 systems to rank"
    assert list(tmp_path.iterdir()) == []


# -- plots -----------------------------------------------------------------------------------------


def test_rank_draws_a_plot_a_language_pair(ok: object, two_pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    ok("rank", two_pairs, *QUICK, "--plot", tmp_path / "p.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p-cs-en.svg", "p-de-en.svg"]


def test_a_plot_needs_resampling(refused: object, campaign: Path, tmp_path: Path) -> None:
    message = refused("rank", campaign, "--resample", "none", "--plot", tmp_path / "p.svg")
    assert message.startswith("a ranking without resampling has no rank ranges")
    assert list(tmp_path.iterdir()) == []


# -- the program itself ----------------------------------------------------------------------------


def python(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=60, **options
    )


def test_version(ok: object) -> None:
    assert ok("--version").out.split() == ["palmares,", "version", __version__]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(ok: object, command: str) -> None:
    assert ok(command, "--help").out.startswith(f"Usage: palmares {command}")


def test_an_unknown_command_is_a_usage_error(run: object) -> None:
    result = run("rnak")
    assert result.status == 2
    assert "No such command 'rnak'" in result.err


@pytest.mark.parametrize("arguments", [["--help"], ["rank", "--help"], ["--version"]], ids=" ".join)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom palmares.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'polars', 'numba', 'scipy', 'altair', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    assert "palmares" in done.stdout


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, palmares; sys.exit(str({'numpy', 'polars', 'click'} & set(sys.modules) or ''))"
    assert python("-c", code).stderr.strip() == ""


def test_the_module_runs_and_reads_standard_input(campaign: Path) -> None:
    done = python("-m", "palmares", "rank", "-", "--resample", "none", "--format", "json", input=campaign.read_text())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["judgments"] == 600


def test_bad_input_ends_the_program_with_2_and_one_line(tmp_path: Path) -> None:
    done = python("-m", "palmares", "rank", str(tmp_path / "nowhere.csv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("palmares: error: ")


def test_a_chain_that_did_not_converge_is_printed_and_exits_with_3(campaign: Path) -> None:
    short = ("--set", "iterations=5", "--set", "burn_in=1", "--resample", "none")
    done = subprocess.run(
        [sys.executable, "-m", "palmares", "rank", str(campaign), "--model", "hopkins-may", *short],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert "model:hopkins-may|" in done.stdout
    assert done.stderr.startswith("palmares: error: cs-en: model 'hopkins-may' did not converge")
    assert "Traceback" not in done.stderr


def test_sides_belong_to_sign_tests(refused: object, campaign: Path) -> None:
    assert "--sided is for sign tests; give --resample sign-test too" in refused("rank", campaign, "--sided", "1")


def test_a_field_that_this_file_lacks_is_not_called_unknown(refused: object, campaign: Path) -> None:
    assert "these judgments have no duration" in refused("rank", campaign, "--where", "duration>5")


def test_describe_heads_its_csv_like_other_commands(ok: object, campaign: Path) -> None:
    (row,) = csv.DictReader(io.StringIO(ok("describe", campaign, "--format", "csv").out))
    assert list(row)[:5] == ["lang_pair", "systems", "rankings", "judgments", "per_system"]
    assert row["lang_pair"] == "cs-en"
    # Numbers, also where the table has 12.5 % and 6 of 10.
    (known,) = ok("describe", campaign, "--format", "json").json
    assert float(row["ties"]) == known["ties"] / known["judgments"]
    assert (int(row["pairs_compared"]), int(row["pairs"])) == (known["pairs_compared"], known["pairs"])
