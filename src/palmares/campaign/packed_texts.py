"""Test sets as bytes and back: what was uploaded and checked waits in the database until a campaign is made of it.

Compressed JSON, and no format that could run something when it is read.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Any

from ..texts import LanguagePair, Segment, TestSet
from ..texts.images import Image

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def pack(testsets: Iterable[TestSet]) -> bytes:
    """All of them, with their images."""
    return zstd.compress(json.dumps([_plain(each) for each in testsets]).encode())


def unpack(packed: bytes) -> tuple[TestSet, ...]:
    """What was packed, equal to what it was."""
    return tuple(_testset(each) for each in json.loads(zstd.decompress(packed)))


def _plain(texts: TestSet) -> dict[str, Any]:
    return {
        "langs": [texts.langs.source, texts.langs.target],
        "segments": [[s.id, s.document, s.source, s.reference, s.turns] for s in texts.segments],
        "outputs": list(texts.outputs.items()),
        "missing": sorted(texts.missing),
        "notes": texts.notes,
        "lines": texts.lines,
        "conversations": [[*where, turns] for where, turns in texts.conversations.items()],
        "images": [
            [name, image.media_type, b64encode(image.body).decode()]
            for name, image in texts.images.items()
            if image is not None
        ],
        "partial": texts.partial,
        "has_sources": texts.has_sources,
    }


def _testset(plain: dict[str, Any]) -> TestSet:
    lines = plain["lines"]
    return TestSet(
        langs=LanguagePair(*plain["langs"]),
        segments=tuple(_segment(*each) for each in plain["segments"]),
        outputs={system: tuple(texts) for system, texts in plain["outputs"]},
        missing=frozenset((system, index) for system, index in plain["missing"]),
        notes=tuple(plain["notes"]),
        lines=None if lines is None else tuple(lines),
        conversations={(system, index): _turns(turns) for system, index, turns in plain["conversations"]},
        images={name: Image(media_type, b64decode(body)) for name, media_type, body in plain["images"]},
        partial=plain["partial"],
        has_sources=plain["has_sources"],
    )


def _segment(id: str, document: str | None, source: str, reference: str | None, turns: list[list[str]]) -> Segment:
    return Segment(id, document, source, reference, _turns(turns))


def _turns(plain: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((role, content) for role, content in plain)
