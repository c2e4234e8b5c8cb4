"""Run the notebook and write what it shows, into it and onto its page: python docs/notebook.py

Cells run in order in one namespace, in a folder that has the example campaign. No Jupyter is needed.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
NOTEBOOK = DOCS.parent / "examples" / "palmares.ipynb"
PAGE, IMAGES = DOCS / "notebook.md", DOCS / "images"
_ABOUT = """
```{{note}}
This page is the notebook `{name}` of the repository, with what its cells show.
Open it there with Jupyter, or copy from here.
```
"""


@dataclass(frozen=True)
class Shown:
    """What a cell shows: what it printed, and its last expression by kind of content."""

    printed: str = ""
    last: dict[str, str] = field(default_factory=dict)


def code(notebook: dict[str, Any]) -> list[str]:
    """The code cells, in order."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(sources: list[str]) -> list[Shown]:
    """What code cells show, one after the other."""
    space: dict[str, Any] = {"__name__": "__main__"}
    with _working_folder():
        return [_run(source, space) for source in sources]


def _run(source: str, space: dict[str, Any]) -> Shown:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), space)
        value = None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
    return Shown(printed.getvalue(), {} if value is None else _as_content(value))


def _as_content(value: Any) -> dict[str, str]:
    import palmares as pm

    if type(value).__module__.startswith("altair."):
        with tempfile.TemporaryDirectory() as folder:
            pm.plots.save(value, path := Path(folder) / "chart.svg")
            return {"image/svg+xml": path.read_text(encoding="utf-8")}
    show = getattr(value, "_repr_html_", None)
    return {"text/plain": repr(value), **({} if show is None else {"text/html": show()})}


@contextlib.contextmanager
def _working_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(NOTEBOOK.parent / "campaign.csv", folder)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def with_outputs(notebook: dict[str, Any], shown: list[Shown]) -> dict[str, Any]:
    """The notebook as if Jupyter had run it."""
    results = iter(enumerate(shown, 1))
    filled = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count, result = next(results)
            cell = {**cell, "execution_count": count, "outputs": list(_outputs(count, result))}
        filled.append(cell)
    return {**notebook, "cells": filled}


def _outputs(count: int, shown: Shown) -> Iterator[dict[str, Any]]:
    if shown.printed:
        yield {"output_type": "stream", "name": "stdout", "text": shown.printed.splitlines(keepends=True)}
    if shown.last:
        data = {kind: text.splitlines(keepends=True) for kind, text in shown.last.items()}
        yield {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}}


def page(notebook: dict[str, Any], shown: list[Shown]) -> tuple[str, dict[str, str]]:
    """The page in MyST, and its pictures by name."""
    parts, pictures, results = [], {}, iter(shown)
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        result = next(results)
        if result.printed:
            parts.append(f"```text\n{result.printed.rstrip()}\n```")
        if "image/svg+xml" in result.last:
            name = f"notebook-{len(pictures) + 1}.svg"
            pictures[name] = result.last["image/svg+xml"]
            parts.append(f"![{cell['metadata']['alt']}](images/{name})")
        elif "text/html" in result.last:
            table = result.last["text/html"].replace('<div style="overflow-x', '<div tabindex="0" style="overflow-x')
            parts.append(f"```{{raw}} html\n{table}\n```")
        elif result.last:
            parts.append(f"```text\n{result.last['text/plain']}\n```")
    title, *rest = parts
    about = _ABOUT.format(name=f"examples/{NOTEBOOK.name}").strip()
    return "\n\n".join([title, about, *rest]) + "\n", pictures


def main() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    shown = run(code(notebook))
    text, pictures = page(notebook, shown)
    filled = json.dumps(with_outputs(notebook, shown), indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(filled + "\n", encoding="utf-8")
    PAGE.write_text(text, encoding="utf-8")
    for name, picture in pictures.items():
        (IMAGES / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
