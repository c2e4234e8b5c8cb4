"""Other names for systems: given in a file or a mapping, or short ones for those of WMT's files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from builders import judged

import palmares as pm
from palmares.errors import InputError
from palmares.judgments.names import short_names

ROWS = [("a", "b", 1), ("b", "c", 1), ("a", "c", 0), ("c", "a", 1), ("a", "b", -1)]


def outcomes(judgments: pm.Judgments) -> set[tuple[str, str, int]]:
    """Every judgment as (system, system, outcome), the two in the order of their names."""
    rows = judgments.to_rows().select("system_a", "system_b", "outcome").rows()
    return {(a, b, o) if a < b else (b, a, -o) for a, b, o in rows}


# -- given names -----------------------------------------------------------------------------------


def test_a_renamed_table_is_the_table_of_the_new_names() -> None:
    # The order of the names changes, and with it which system of a row stands first.
    new = {"a": "zeta", "c": "alpha"}
    renamed = judged(ROWS, judge=list("jjkkk")).rename(new)
    again = judged([(new.get(a, a), new.get(b, b), o) for a, b, o in ROWS], judge=list("jjkkk"))
    assert renamed == again
    assert renamed.systems == again.systems == ("alpha", "b", "zeta")
    assert outcomes(renamed) == outcomes(again)


def test_positions_and_other_columns_go_with_their_systems() -> None:
    columns = {"position_a": [1, 2, 1, 2, 1], "position_b": [2, 1, 2, 1, 2], "extra.topic": list("xyxyx")}
    renamed = judged(ROWS, **columns).rename({"a": "z"})
    assert renamed == judged([(a.replace("a", "z"), b.replace("a", "z"), o) for a, b, o in ROWS], **columns)


def test_two_systems_cannot_get_one_name() -> None:
    with pytest.raises(InputError, match="'a' and 'c' would both be called 'x' and be taken for one system"):
        judged(ROWS).rename({"a": "x", "c": "x"})
    with pytest.raises(InputError, match="'a' and 'b' would both be called 'b'"):
        judged(ROWS).rename({"a": "b"})


def test_names_can_be_exchanged() -> None:
    swapped = judged(ROWS).rename({"a": "b", "b": "a"})
    assert outcomes(swapped) == outcomes(judged([({"a": "b", "b": "a"}.get(a, a), {"a": "b", "b": "a"}.get(b, b), o)
                                                 for a, b, o in ROWS]))  # fmt: skip


def test_systems_of_different_language_pairs_may_share_a_name() -> None:
    two = judged([("x1", "y1", 1), ("x2", "y2", -1)], lang_pair=["de-en", "ro-en"])
    shared = two.rename({"x1": "x", "x2": "x", "y1": "y", "y2": "y"})
    assert shared.systems == ("x", "y")
    assert [part.systems for part in shared.split().values()] == [("x", "y"), ("x", "y")]
    assert len(shared) == 2


@pytest.mark.parametrize(
    ("names", "said"),
    [({"q": "x"}, "cannot rename 'q': no system has this name"), ({"a": " x"}, "white space"), ({"a": ""}, "empty")],
)
def test_names_that_make_no_sense_are_refused(names: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        judged(ROWS).rename(names)


def test_scores_do_not_depend_on_names() -> None:
    data = pm.simulate(rankings=80, rng=3).judgments
    names = {name: f"{99 - k}-{name}" for k, name in enumerate(data.systems)}
    for model in ("bradley-terry", "expected-wins", "lopez"):
        before, after = (pm.rank(table, model=model, resample=None) for table in (data, data.rename(names)))
        assert {line.system: line.score for line in after.lines} == pytest.approx(
            {names[line.system]: line.score for line in before.lines}
        )


# -- short names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("newstest2016.KIT.4482.de-en", "KIT"),
        ("newstest2016.online-A.0.ro-en", "online-A"),
        ("newstest2013.fr-en.uedin-heafield-unconstrained.2755", "uedin-heafield-unconstrained"),
        ("newstest2013.fr-en.online-B", "online-B"),
        ("newstestB2020.de-en.OPPO.1360", "OPPO"),
        ("newstest2015.sys.2.7.4012.fi-en", "sys.2.7"),
        ("newstest2016.KIT.4482.de-en+newstest2016.online-A.0.de-en", "KIT+online-A"),
    ],
)
def test_test_set_number_and_language_pair_go(name: str, short: str) -> None:
    assert short_names([name], [[name]]) == {name: short}


def test_what_keeps_systems_apart_stays() -> None:
    names = [
        "newstest2016.KIT.4482.de-en",
        "newstest2016.KIT.4490.de-en",
        "newstest2016.LIMSI.1.de-en",
        "newstest2015.RWTH.7.de-en",
        "newstest2016.RWTH.7.de-en",
        "reference",
    ]
    assert short_names(names, [names]) == {
        names[0]: "KIT.4482",
        names[1]: "KIT.4490",
        names[2]: "LIMSI",
        names[3]: "newstest2015.RWTH.7",
        names[4]: "newstest2016.RWTH.7",
    }


def test_a_short_name_gives_way_to_a_system_that_has_it() -> None:
    names = ["KIT", "newstest2016.KIT.4482.de-en", "newstest2016.LIMSI.1.de-en"]
    assert short_names(names, [names]) == {names[1]: "KIT.4482", names[2]: "LIMSI"}


def test_names_of_other_kinds_stay_as_they_are() -> None:
    names = ["gpt-4.0", "gpt-3.5", "llama.2.70b", "newstest2016.KIT.4482.de-en"]
    assert short_names(names, [names]) == {}


def test_names_clash_only_within_a_language_pair() -> None:
    rows = [(f"newstest2016.{a}.{n}.{pair}", f"newstest2016.{b}.{n + 1}.{pair}", 1)
            for n, pair in ((10, "de-en"), (20, "ro-en")) for a, b in (("KIT", "LIMSI"), ("KIT", "RWTH"))]  # fmt: skip
    data = judged(rows, lang_pair=["de-en", "de-en", "ro-en", "ro-en"])
    assert data.short_names().systems == ("KIT", "LIMSI", "RWTH")


# -- on the command line ---------------------------------------------------------------------------


@pytest.fixture
def judgments_file(file: Callable) -> Path:
    rows = [(f"newstest2016.{a}.{ord(a)}.de-en", f"newstest2016.{b}.{ord(b)}.de-en", o) for a, b, o in ROWS * 8]
    return file(pl.DataFrame(rows, schema=["system_a", "system_b", "outcome"], orient="row").write_csv())


def systems(result: object) -> set[str]:
    return {line["system"] for line in result.json[0]["systems"]}


JSON = ("--format", "json", "--resamples", 60)


def test_short_names_are_shown_and_said(ok: Callable, judgments_file: Path) -> None:
    plain, short = (ok("rank", judgments_file, *JSON, *more) for more in ((), ("--short-names",)))
    assert systems(short) == {"a", "b", "c"}
    assert "names of systems are shortened, as newstest2016.a.97.de-en to a" in short.json[0]["notes"]
    assert short.json[0]["record"]["input"]["selection"] == {"short_names": True}
    # These names sort as the whole ones do, so that nothing else changes.
    assert [line["interval"] for line in short.json[0]["systems"]] == [
        line["interval"] for line in plain.json[0]["systems"]
    ]


def test_names_that_cannot_be_shortened_are_said_to_stay(ok: Callable, file: Callable) -> None:
    path = file("system_a,system_b,outcome\n" + "x,y,1\nx,y,-1\n" * 20)
    assert any("no names were shortened" in note for note in ok("rank", path, *JSON, "--short-names").json[0]["notes"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("names.csv", "newstest2016.a.97.de-en,Anton\n"),
        ("names.csv", 'old,new\n"newstest2016.a.97.de-en","Anton"\n'),
        ("names.tsv", "system\tname\nnewstest2016.a.97.de-en\tAnton\n"),
        ("names.csv", "newstest2016.a.97.de-en;Anton\n\n"),
        ("names.json", json.dumps({"newstest2016.a.97.de-en": "Anton"})),
    ],
)
def test_systems_are_renamed_by_a_file(
    ok: Callable, judgments_file: Path, tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    result = ok("rank", judgments_file, *JSON, "--rename", tmp_path / name)
    assert systems(result) == {"Anton", "newstest2016.b.98.de-en", "newstest2016.c.99.de-en"}
    assert result.json[0]["record"]["input"]["selection"] == {"rename": {"newstest2016.a.97.de-en": "Anton"}}


def test_given_names_come_before_short_ones_and_after_conditions(
    ok: Callable, judgments_file: Path, file: Callable
) -> None:
    names = file("newstest2016.a.97.de-en,Anton\nnewstest2016.c.99.de-en,Cäsar\nnobody,Nemo\n", "names.csv")
    result = ok("rank", judgments_file, *JSON, "--rename", names, "--short-names", "--exclude-system", "*.c.99.*")
    assert systems(result) == {"Anton", "b"}
    # c is left out and not missed; nobody is no system at all.
    assert "--rename: no system is called nobody" in result.json[0]["notes"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nobody,Nemo\n", "no system is called nobody; there are: newstest2016.a.97.de-en"),
        ("newstest2016.a.97.de-en,x\nnewstest2016.b.98.de-en,x\n", "would both be called 'x'"),
        ("newstest2016.a.97.de-en,x\nnewstest2016.a.97.de-en,y\n", "is renamed twice, to 'x' and to 'y'"),
        ("newstest2016.a.97.de-en,x\nnewstest2016.b.98.de-en\n", "line 2 does not have two columns"),
        ("old,new\n", "holds no names; allowed: two columns"),
        ('{"newstest2016.a.97.de-en": 3}', "the new name of 'newstest2016.a.97.de-en' is not text"),
        ('{"a": ', "not JSON"),
        ("newstest2016.a.97.de-en,\n", "empty or has white space"),
    ],
)
def test_files_of_names_that_cannot_be_used_are_refused(
    refused: Callable, judgments_file: Path, file: Callable, content: str, said: str
) -> None:
    assert said in refused("rank", judgments_file, "--rename", file(content, "names"))


def test_a_renamed_result_can_be_made_again_without_the_file_of_names(
    ok: Callable, judgments_file: Path, tmp_path: Path
) -> None:
    names = tmp_path / "names.csv"
    names.write_text("newstest2016.a.97.de-en,Anton\n")
    result = ok("rank", judgments_file, *JSON, "--rename", names, "--short-names")
    names.unlink()
    (tmp_path / "result.json").write_text(result.out)
    assert ok("verify", tmp_path / "result.json", "--format", "json").json[0]["equal"]
    assert systems(ok("rank", judgments_file, "--format", "json", "--again", tmp_path / "result.json")) == {
        "Anton",
        "b",
        "c",
    }


def test_judgments_are_converted_with_their_new_names(ok: Callable, judgments_file: Path, tmp_path: Path) -> None:
    ok("convert", judgments_file, tmp_path / "short.csv", "--short-names")
    assert pm.read(tmp_path / "short.csv").systems == ("a", "b", "c")


def test_a_streamed_file_keeps_its_names(refused: Callable, judgments_file: Path) -> None:
    assert "--short-names" in refused("rank", judgments_file, "--scan", "--short-names")


@pytest.mark.real
@pytest.mark.parametrize(
    ("path", "some"),
    [
        ("wmt16/wmt16.deu-eng.csv", {"KIT", "uedin-nmt", "online-A", "jhu-pbmt"}),
        ("wmt16/wmt16.tur-eng.csv", {"PROMT-SMT", "tbtk-syscomb"}),
        ("wmt13/fr-en.train.csv", {"DCU__primary", "online-A", "LIMSI-Ncode-SOUL-primary"}),
    ],
)
def test_short_names_of_published_files(real_data: Path, path: str, some: set[str]) -> None:
    judgments = pm.read(real_data / path)
    short = judgments.short_names()
    assert some < set(short.systems)
    assert len(short.systems) == len(judgments.systems)
    assert not any("." in name or "newstest" in name for name in short.systems)
    assert outcomes(short) == {
        (a, b, o) if a < b else (b, a, -o)
        for x, y, o in outcomes(judgments)
        for a, b in [[next(s for s in short.systems if f".{s}." in f"{name}.") for name in (x, y)]]
    }
