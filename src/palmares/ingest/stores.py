"""Judgments that lie in a store instead of a file. What reads a store is imported when one is named."""

from __future__ import annotations

import re
from typing import TypeGuard

from ..errors import InputError, MissingExtraError
from . import STORES
from .base import Parsed, ReadOptions

_SCHEME = re.compile(r"([a-z][a-z0-9]*)(\+[a-z0-9]+)?://", re.IGNORECASE)


def is_url(source: object) -> TypeGuard[str]:
    """Whether this is the address of a store; a `Path` never is."""
    return isinstance(source, str) and _SCHEME.match(source) is not None


def read_store(url: str, format: str, options: ReadOptions) -> tuple[str, str, Parsed]:
    """What messages call the store, the id that stands for its format, and its judgments."""
    found = _SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme not in STORES:  # the rest of the address may hold a password, and is not shown
        raise InputError(
            f"{scheme}://…: cannot be read; allowed: a file, sqlite:///FILE or postgresql://USER@HOST/NAME"
        )
    if format != "auto":
        raise InputError(f"format {format!r} is a file format, and {scheme}://… is a database; leave out --from")
    try:
        name, parsed = STORES.load(scheme)(url, options)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "palmares":
            raise
        raise MissingExtraError("reading the database of a campaign", "server", error.name) from None
    return name, "campaign", parsed
