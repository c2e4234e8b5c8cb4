"""Nobody waits for a compiler unawares: the usual commands need none, and models that do say so, once."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import pytest
from click.testing import CliRunner

import palmares
from palmares.cli import cli, warm_up
from palmares.kernels import KERNELS, Kernel, compiling
from palmares.models import MODELS
from palmares.models.by_name import create

PACKAGE = Path(palmares.__file__).parent
CAMPAIGN = Path(__file__).parent.parent / "examples" / "campaign.csv"
CHEAPEST = "monte-carlo-playoffs"


def palmares_run(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, with a folder of its own for what numba compiles."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "palmares", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=True)


def test_the_usual_commands_import_no_compiler() -> None:
    code = """
import json, sys
from click.testing import CliRunner
from palmares.cli import cli
found = {}
for arguments in json.loads(sys.argv[1]):
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    found[" ".join(arguments)] = sorted({"numba", "llvmlite", "altair"} & set(sys.modules))
print(json.dumps(found))
"""
    small = ["--resamples", "100"]
    commands = [
        ["rank", str(CAMPAIGN)],
        ["rank", str(CAMPAIGN), "--resample", "pair"],
        ["rank", str(CAMPAIGN), "--set", "ties=rao-kupper", "--probabilities"],
        ["describe", str(CAMPAIGN)],
        ["head-to-head", str(CAMPAIGN)],
        ["agreement", str(CAMPAIGN)],
        ["judges", str(CAMPAIGN)],
        ["audit", str(CAMPAIGN), *small],
        ["compare", str(CAMPAIGN), "--model", "bradley-terry", "--folds", "3"],
    ]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    run = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands)], capture_output=True, text=True, env=environment
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert len(found) == len(commands)
    assert not any(found.values()), found


def test_a_model_says_once_that_it_is_compiled(tmp_path: Path) -> None:
    arguments = ("rank", str(CAMPAIGN), "--model", f"{CHEAPEST}", "--set", "tournaments=10", "--resamples", "40")
    first = palmares_run(*arguments, cache=tmp_path)
    seconds = KERNELS["playoffs.mean_finishing_places"].seconds
    assert first.stderr.count(f"compiling {CHEAPEST} for this machine, once: about {seconds} s\n") == 1
    again = palmares_run(*arguments, cache=tmp_path)
    assert "compiling" not in again.stderr
    assert first.stdout == again.stdout


@pytest.mark.slow
def test_what_was_warmed_up_is_not_compiled_again(tmp_path: Path) -> None:
    warmed = palmares_run("warm-up", CHEAPEST, cache=tmp_path)
    assert "compiling" not in warmed.stderr
    first, kept = warmed.stdout.splitlines()
    assert first.startswith(f"1/1 {CHEAPEST}: compiled, ")
    assert kept.startswith(f"kept in {tmp_path}")
    arguments = ("rank", str(CAMPAIGN), "--model", CHEAPEST, "--set", "tournaments=10", "--resamples", "200")
    assert "compiling" not in palmares_run(*arguments, cache=tmp_path).stderr
    assert f"{CHEAPEST}: compiled before" in palmares_run("warm-up", CHEAPEST, cache=tmp_path).stdout


@pytest.mark.slow
def test_warm_up_leaves_nothing_to_compile(tmp_path: Path) -> None:
    """On another campaign than the one it makes up, with other sizes and units."""
    palmares_run("warm-up", cache=tmp_path)
    texts = [model for kernel in KERNELS.values() for model in kernel.models]
    code = """
import json, sys
import palmares as pm
from palmares.compute import Execution
from palmares.models.by_name import create
from palmares.ranking.bootstrap import resample
for rankings in (8, 300):
    judgments = pm.simulate(systems=7, rankings=rankings, segments=30, rng=1).judgments
    for model in map(create, json.loads(sys.argv[1])):
        model.fit(judgments, rng=1)
        for unit in ("pair", "judge"):
            resample(model.single_run(), judgments, unit=unit, resamples=9, execution=Execution(seed=1))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", code, json.dumps(texts)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert "compiling" not in run.stderr


def test_warm_up_refuses_what_is_no_model_and_says_what_compiles_nothing() -> None:
    refused = CliRunner().invoke(cli, ["warm-up", "hopkins-mai"])
    assert "did you mean 'hopkins-may'" in str(refused.exception)
    nothing = CliRunner().invoke(cli, ["warm-up", "bradley-terry"])
    assert nothing.exit_code == 0
    assert nothing.output.startswith("bradley-terry compiles nothing")


def test_without_a_folder_to_write_to_models_compile_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As numba does where it may write nowhere, it refuses to keep what it compiles."""
    plain = numba.njit

    def refusing(*functions: Any, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return plain(*functions, **options)

    monkeypatch.setattr(compiling.numba, "njit", refusing)

    def double(x: float) -> float:
        return 2 * x

    made: Any = compiling.compiled()(double)
    assert made(4.0) == 8.0
    assert made.stats.cache_path is None


def test_warm_up_says_that_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "_used", lambda name, kernel: (True, None))
    monkeypatch.setattr(warm_up, "_state", lambda name: (True, None))
    result = CliRunner().invoke(cli, ["warm-up", CHEAPEST])
    assert result.exit_code == 0
    assert "not kept: no folder for it can be written to" in result.stderr
    assert "kept in" not in result.stdout


def compiled_functions() -> set[str]:
    """Compiled functions of the kernels that others call, by module and name, as the source has them."""
    called = set()
    for path in (path for room in ("models", "design", "scoring") for path in PACKAGE.glob(f"{room}/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("kernels."):
                called |= {(node.module.removeprefix("kernels."), alias.name) for alias in node.names}
    found = set()
    for module, name in called:
        tree = ast.parse((PACKAGE / "kernels" / f"{module}.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name and node.decorator_list:
                found.add(f"{module}.{name}")
    return found


def test_the_registry_names_all_that_is_compiled() -> None:
    assert set(KERNELS) == compiled_functions()


@pytest.mark.parametrize(("name", "kernel"), KERNELS.items())
def test_a_kernel_is_compiled_and_its_models_exist(name: str, kernel: Kernel) -> None:
    module, _, function = name.partition(".")
    assert hasattr(getattr(import_module(f"palmares.kernels.{module}"), function), "stats")
    assert bool(kernel.models) != bool(kernel.task)
    for model in kernel.models:
        assert create(model).id in MODELS
        assert kernel.serves(create(model).id)
