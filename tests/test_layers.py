"""Imports point one way: from what people type down to the errors they may see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import palmares

PACKAGE = Path(palmares.__file__).parent

#: From the bottom up. A module may import from layers below its own, and from its own subpackage.
LAYERS = (
    {"errors"},
    {"registry", "_version"},
    {"judgments"},
    {"compute"},
    {"ingest"},
    {"texts"},
    {"kernels"},
    {"models"},
    {"ranking"},
    {"design"},
    {"analysis"},
    {"experiments"},
    {"campaign"},
    {"report"},
    {"server"},
    {"cli"},
    {"__main__"},
)
#: Packages that only some parts may import.
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
    "jinja2": {"server"},
    "markdown_it": {"server"},
    "py3langid": {"texts"},
}


def level(part: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if part in layer)


def part_of(module: str) -> str:
    """``palmares.models.base`` belongs to the part ``models``."""
    return module.split(".")[1]


def imported(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """The full name of everything a module imports, also inside functions."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            # `from .. import compute` names a module only in what it imports.
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def faults(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """What a module imports against the rules."""
    here = part_of(module)
    found = []
    for name in imported(source, module, is_package=is_package):
        top = name.split(".")[0]
        if top in ONLY_IN and here not in ONLY_IN[top]:
            found.append(f"{module} imports {top}, which only {', '.join(sorted(ONLY_IN[top]))} may")
        if top != "palmares":
            continue
        if name.count(".") == 0 or name.startswith("palmares.__"):
            found.append(f"{module} imports the package itself")
            continue
        there = part_of(name)
        if there == here:
            continue
        if level(there) >= level(here):
            found.append(f"{module} imports {name}: {there} is not below {here}")
    return found


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(["palmares", *(p for p in parts if p != "__init__")])
        if name != "palmares":  # its re-exports are lazy
            yield name, path


@pytest.mark.parametrize(("module", "path"), [pytest.param(name, path, id=name) for name, path in modules()])
def test_imports_point_down(module: str, path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py") == []


def test_every_part_has_one_layer() -> None:
    named = [part for layer in LAYERS for part in layer]
    assert len(named) == len(set(named))
    assert {part_of(name) for name, _ in modules()} <= set(named)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("palmares.judgments", "from .models import MODELS"),
        ("palmares.judgments", "def late():\n    from .ingest.files import read"),
        ("palmares.models.base", "from ..uncertainty import ranking"),
        ("palmares.models.base", "from .. import report"),
        ("palmares.models.base", "import palmares.cli.rank"),
        ("palmares.models.base", "import palmares"),
        ("palmares.kernels.playoffs", "from ..ingest import FORMATS"),
        ("palmares.errors", "if True:\n    from .registry import Registry"),
        ("palmares.models.base", "import numba"),
        ("palmares.report.views", "def draw():\n    import altair as alt"),
        ("palmares.ranking.rank", "from rich.table import Table"),
        ("palmares.report.plots.save", "import click"),
        ("palmares.texts.plain", "from ..models import MODELS"),
        ("palmares.ingest.scan", "from ..texts.lines import read_text"),
        ("palmares.texts.plain", "import sqlalchemy as sa"),
        ("palmares.campaign.work", "from fastapi import Request"),
        ("palmares.server.pages", "from py3langid import langid"),
    ],
)
def test_a_planted_bad_import_is_caught(module: str, source: str) -> None:
    assert len(faults(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source", "is_package"),
    [
        ("palmares.models.ratios", "from .base import CountModel\nfrom ..errors import InputError", False),
        ("palmares.models", "from ..registry import Entry\nfrom .base import Fit", True),
        ("palmares.ranking.bootstrap", "from .. import compute\nimport numpy as np", False),
        ("palmares.cli.rank", "def rank():\n    from ..plots.save import save\n    import click", False),
    ],
)
def test_a_good_import_is_not(module: str, source: str, is_package: bool) -> None:
    assert faults(source, module, is_package=is_package) == []
