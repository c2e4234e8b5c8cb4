"""Options that the commands below ``palmares score`` share, and files that are named on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ...errors import InputError
from ...texts.testset import check_names
from .. import options

F = TypeVar("F", bound=Callable[..., Any])

encoding_option = click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
pairs_option = click.option(
    "--pairs", is_flag=True, help="Show every two systems instead: difference, p, and p of all pairs at once."
)


def systems_option(what: str) -> Callable[[F], F]:
    """``--system NAME=FILE``; ``what`` says what a file holds."""
    return click.option(
        "--system", "systems", multiple=True, metavar="NAME=FILE", help=f"{what} Repeat for each system."
    )


accept_option = click.option(
    "--accept", multiple=True, type=options.Vocabulary("palmares.scoring.checked:PAIR_CHECKS"),
    help="Continue even if this check of the texts found errors. Repeat for several.",
)  # fmt: skip


def resamples_option(default: int | None, help: str) -> Callable[[F], F]:
    """``--resamples N``; 0 for no intervals and tests."""
    return click.option(
        "--resamples", type=click.IntRange(0), default=default, show_default=default is not None, help=help
    )


def named_files(given: tuple[str, ...], option: str = "--system") -> dict[str, str]:
    """``("A=a.txt",)`` as ``{"A": "a.txt"}``; a file without a name is called after itself, without its endings."""
    files: dict[str, str] = {}
    for each in given:
        name, sign, path = each.partition("=")
        if not sign:
            name, path = Path(each).name.partition(".")[0], each
        if not (name and path):
            raise InputError(f"{option}: got {each!r}; allowed: NAME=FILE")
        if name in files:
            raise InputError(f"{option}: {name} is given twice, as {files[name]} and as {path}; give each its own name")
        files[name] = path
    if files:
        check_names(files, option)
    return files


def typed_to_write(option: str) -> bool:
    """Whether files are to be written. A result that is made again writes none, whatever its record says: it may be a
    file that somebody sent.
    """
    return options.typed(option)


__all__ = [
    "accept_option",
    "encoding_option",
    "named_files",
    "options",
    "pairs_option",
    "resamples_option",
    "systems_option",
    "typed_to_write",
]
