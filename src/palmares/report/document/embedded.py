"""What a page carries besides what it shows: how it was made, and all of its numbers, for `palmares verify`."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._version import __version__
from ...errors import InputError

_RECORD, _RESULTS = "palmares-record", "palmares-results"
_BLOCK = re.compile(r'<script type="[a-z/]+" id="(palmares-[a-z]+)">(.*?)</script>', re.DOTALL)
_LINE = 120


@dataclass(frozen=True)
class Embedded:
    """The JSON of a report, as `palmares report --to json` prints it."""

    results: Sequence[Mapping[str, Any]]

    @property
    def made_by(self) -> str:
        """In a sentence, for readers."""
        return (
            f"Made by palmares {__version__}. All numbers of this page are inside it, with the record of how they were "
            "made: “palmares verify” and the name of this file makes them again from the judgments and compares."
        )

    def html(self) -> str:
        """The record as JSON that people can read, and all results, compressed, since they would double the page."""
        content = json.dumps(self.results, ensure_ascii=False, separators=(",", ":")).encode()
        packed = base64.b64encode(gzip.compress(content, mtime=0)).decode()
        lines = "\n".join(packed[start : start + _LINE] for start in range(0, len(packed), _LINE))
        record = json.dumps(self.results[0]["record"], ensure_ascii=False, indent=1)
        return (
            # In JSON, "<" occurs in strings only, where it can be written by its code: no name ends the block.
            f'<script type="application/json" id="{_RECORD}">\n{record.replace("<", chr(92) + "u003c")}\n</script>\n'
            f'<script type="application/gzip" id="{_RESULTS}">\n{lines}\n</script>'
        )


def results_of(page: str, path: str) -> list[dict[str, Any]]:
    """The results that a page carries."""
    blocks = dict(_BLOCK.findall(page))
    if _RESULTS not in blocks:
        raise InputError(f"{path}: is no report of palmares: it carries no results; give what `palmares report` wrote")
    try:
        content = json.loads(gzip.decompress(base64.b64decode("".join(blocks[_RESULTS].split()), validate=True)))
    except (binascii.Error, OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(
            f"{path}: the results that it carries are damaged ({error}); give the file as it was written"
        ) from None
    return list(content)


def shown(page: str) -> str:
    """The page without what it carries: all that a reader sees."""
    return _BLOCK.sub("", page)
