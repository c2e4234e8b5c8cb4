"""Imports point one way: from what people type down to the errors they may see.

A registry reaches another module by a string (``"palmares.models.ratios:Bojar"``); such strings count as imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import palmares
from palmares.registry import Entry, Registry

PACKAGE = Path(palmares.__file__).parent

#: From the bottom up. A module may import from layers below its own, and from its own room.
LAYERS = (
    "errors",
    "_version",
    "registry",
    "results",
    "judgments",
    "compute",
    "ingest",
    "texts",
    "kernels",
    "models",
    "ranking",
    "design",
    "analysis",
    "scoring",
    "experiments",
    "client",
    "campaign",
    "report",
    "server",
    "cli",
    "__main__",
)
#: Packages that only some rooms may import.
ONLY_IN = {
    "numba": {"kernels"},
    "altair": {"report"},
    "cloudpickle": {"compute"},
    "dask": {"compute"},
    "distributed": {"compute"},
    "vl_convert": {"report"},
    "click": {"cli", "report"},
    "rich": {"cli", "report"},
    "sqlalchemy": {"campaign", "cli"},  # the command line reads the address of a database
    "alembic": {"campaign"},
    "pydantic": {"campaign", "server"},
    "tomlkit": {"campaign"},
    "psycopg": {"campaign"},
    "fastapi": {"server"},
    "starlette": {"server"},
    "uvicorn": {"server", "cli"},
    "jinja2": {"server", "report"},
    "markdown_it": {"server", "texts"},
    "pygments": {"server"},
    "py3langid": {"texts"},
    "sacrebleu": {"scoring"},
    "sacremoses": {"scoring"},
    "sklearn": {"scoring"},
    "pytrec_eval": {"scoring"},
    "bm25s": {"scoring"},
}
#: What a registry's entry looks like: a module, and what to take from it.
TARGET = re.compile(r"palmares(\.\w+)+(:\w+)?")


def part_of(module: str) -> str:
    """``palmares.models.base`` belongs to the room ``models``."""
    return module.split(".")[1]


def imported(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """The full name of everything a module imports, also inside functions and by a registry's string."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            # `from .. import compute` names a module only in what it imports.
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and TARGET.fullmatch(node.value):
            yield node.value.replace(":", ".")


def faults(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """What a module imports against the rules."""
    here = part_of(module)
    wrong = []
    for name in imported(source, module, is_package=is_package):
        top = name.split(".")[0]
        if top in ONLY_IN and here not in ONLY_IN[top]:
            wrong.append(f"{module} imports {top}, which only {', '.join(sorted(ONLY_IN[top]))} may")
        if top != "palmares":
            continue
        if name.count(".") == 0 or name.startswith("palmares.__"):
            wrong.append(f"{module} imports the package itself")
            continue
        there = part_of(name)
        if there != here and LAYERS.index(there) >= LAYERS.index(here):
            wrong.append(f"{module} imports {name}: {there} is not below {here}")
    return wrong


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(["palmares", *(p for p in parts if p != "__init__")])
        if name != "palmares":  # its re-exports are lazy
            yield name, path


def registries(module: ModuleType) -> list[Registry]:
    return [value for value in vars(module).values() if isinstance(value, Registry)]


def unreachable(registry: Registry, module: str) -> list[str]:
    """Entries of a module's registry that point to its own layer's outside, or above."""
    here = part_of(module)
    parts = {name: part_of(entry.target.partition(":")[0]) for name, entry in registry.items()}
    return [name for name, there in parts.items() if there != here and LAYERS.index(there) > LAYERS.index(here)]


def test_imports_point_down() -> None:
    wrong = [
        fault
        for module, path in modules()
        for fault in faults(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")
    ]
    assert wrong == []


def test_registries_point_down() -> None:
    packages = [name for name, path in modules() if path.name == "__init__.py" and "migrations" not in name]
    looked_at = {(name, r.kind): unreachable(r, name) for name in packages for r in registries(import_module(name))}
    assert {"model", "format", "check", "experiment", "command"} <= {kind for _, kind in looked_at}
    assert [key for key, wrong in looked_at.items() if wrong] == []


def test_the_layers_are_those_there_are() -> None:
    assert sorted(LAYERS) == sorted({part_of(name) for name, _ in modules()})


def test_no_room_is_called_like_a_public_function() -> None:
    """Importing such a room would put the module in the place of the function: ``palmares.audit``."""
    rooms = {part_of(name) for name, _ in modules()}
    functions = {name for name in palmares.__all__ if not isinstance(getattr(palmares, name), ModuleType)}
    assert rooms & functions == set()


def test_every_room_says_what_is_in_it() -> None:
    silent = [
        name
        for name, path in modules()
        if path.name == "__init__.py"
        and "migrations" not in name
        and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("palmares.judgments.table", "from ..models import MODELS"),
        ("palmares.judgments.table", "def late():\n    from ..ingest.files import read"),
        ("palmares.models.base", "from ..ranking import rank"),
        ("palmares.models.base", "from .. import report"),
        ("palmares.models.base", "import palmares.cli.rank"),
        ("palmares.models.base", "import palmares"),
        ("palmares.kernels.playoffs", "from ..models import MODELS"),
        ("palmares.errors", "if True:\n    from .registry import Registry"),
        ("palmares.models.base", "import numba"),
        ("palmares.analysis.describe", "def draw():\n    import altair as alt"),
        ("palmares.ranking.rank", "from rich.table import Table"),
        ("palmares.campaign.work", "import click"),
        ("palmares.texts.plain", "from ..models import MODELS"),
        ("palmares.ingest.scan", "from ..texts.lines import read_text"),
        ("palmares.texts.plain", "import sqlalchemy as sa"),
        ("palmares.campaign.work", "from fastapi import Request"),
        ("palmares.campaign.work", "from ..report.tables import Table"),
        ("palmares.server.pages", "from py3langid import langid"),
        ("palmares.ingest", 'STORES = Registry("store", {"sqlite": Entry("palmares.campaign.collected:Store", "")})'),
    ],
)
def test_a_planted_bad_import_is_caught(module: str, source: str) -> None:
    assert len(faults(source, module, is_package=module == "palmares.ingest")) == 1


def test_a_planted_bad_registry_is_caught() -> None:
    registry = Registry("store", {"sqlite": Entry(f"palmares.{'campaign'}.collected:Store", "")})
    assert unreachable(registry, "palmares.ingest") == ["sqlite"]


@pytest.mark.parametrize(
    ("module", "source", "is_package"),
    [
        ("palmares.models.ratios", "from .base import CountModel\nfrom ..errors import InputError", False),
        ("palmares.models", 'from ..registry import Entry\nEntry("palmares.models.ratios:Bojar", "")', True),
        ("palmares.ranking.bootstrap", "from .. import compute\nimport numpy as np", False),
        ("palmares.cli.rank", "def rank():\n    from ..report.plots.files import save\n    import click", False),
    ],
)
def test_a_good_import_is_not(module: str, source: str, is_package: bool) -> None:
    assert faults(source, module, is_package=is_package) == []
