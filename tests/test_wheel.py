"""The wheel: built, installed in a clean environment, and used from another folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from palmares import __version__

PROJECT = Path(__file__).resolve().parent.parent


def run(*command: object, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command without anything of this environment in its way."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def pip(python: object, *arguments: object, cwd: Path) -> None:
    run(python, "-m", "pip", "--disable-pip-version-check", *arguments, cwd=cwd)


@pytest.fixture(scope="module", autouse=True)
def registry(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where the package registry cannot be reached; after that, what cannot be installed is a fault."""
    folder = tmp_path_factory.mktemp("registry")
    try:
        pip(sys.executable, "download", "--no-deps", "--retries", "0", "--timeout", "10", "click", cwd=folder)
    except (AssertionError, subprocess.TimeoutExpired):
        pytest.skip("the package registry cannot be reached")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing is left in the project and nothing left there gets in."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, folder)
    shutil.copytree(PROJECT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", folder, folder, cwd=folder)
    (found,) = folder.glob("palmares-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a clean environment with the wheel and its dependencies, no extras."""
    folder = tmp_path_factory.mktemp("clean") / "env"
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip(programs / "python", "install", wheel, cwd=folder)
    return programs


def test_the_wheel_has_the_package_and_its_data_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    source = PROJECT / "src"
    files = [path for path in (source / "palmares").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    metadata = {name for name in names if name.startswith(f"palmares-{__version__}.dist-info/")}
    assert names - metadata == {path.relative_to(source).as_posix() for path in files}


@pytest.mark.slow
def test_an_installed_palmares_works_from_another_folder(installed: Path, tmp_path: Path) -> None:
    palmares = installed / "palmares"
    assert run(palmares, "--version", cwd=tmp_path).stdout.split()[-1] == __version__
    run(palmares, "simulate", "x.csv", "--systems", "6", cwd=tmp_path)
    ranked = run(palmares, "rank", "x.csv", cwd=tmp_path)
    assert "system-06" in ranked.stdout
    assert ranked.stdout.splitlines()[-1].startswith("model:")
    code = "import palmares; print(palmares.read('x.csv').systems[0], palmares.__file__)"
    system, place = run(installed / "python", "-c", code, cwd=tmp_path).stdout.split()
    assert system == "system-01"
    assert str(PROJECT) not in place


@pytest.mark.slow
def test_a_plot_says_which_extra_is_missing(installed: Path, tmp_path: Path) -> None:
    palmares = installed / "palmares"
    run(palmares, "simulate", "x.csv", cwd=tmp_path)
    done = run(palmares, "rank", "x.csv", "--plot", "y.svg", cwd=tmp_path, status=2)
    assert "pip install 'palmares[report]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "y.svg").exists()
