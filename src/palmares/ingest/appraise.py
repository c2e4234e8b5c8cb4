"""Result files of Appraise, the annotation tool behind WMT (Federmann 2012), in their variants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import Judgments
from .base import RECORD, Dropped, Format, Parsed, ReadOptions
from .columns import Sieve
from .rankings import VALUE, check_not_merged, comparable, expand_merged, pairs, rebuild, with_ranking_ids
from .source import Source

_ITEMS = ("ranking-item", "ranking-result")
_MOST_OUTPUTS = 99
_RANK = re.compile(r"[0-9]{1,4}")
#: Characters that XML 1.0 does not allow, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass
class _Item:
    """One ranking as it stands in the file; attributes of enclosing elements are inherited."""

    line: int
    attributes: dict[str, str]
    outputs: list[tuple[str, str]] = field(default_factory=list)  # (system, rank)


class Appraise(Format):
    """``ranking-item`` or ``ranking-result`` elements with ``translation`` children.

    Systems with the same output share one ``translation``, joined by comma, ``+`` or space.
    """

    id = "appraise"
    holds = frozenset(("lang_pair", "segment", "judge", "ranking", "position", "duration"))
    implies = frozenset(("position",))
    endings = ("xml",)

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        items = _items(source)
        if not items:
            raise InputError(f"{source.name}: no {' or '.join(_ITEMS)} element; this is not an Appraise result file")
        faults = [_fault(item) for item in items]
        dropped = [
            Dropped(item.line, fault, "skipped" if fault == _SKIPPED else "fault")
            for item, fault in zip(items, faults, strict=True)
            if fault is not None
        ]
        kept = [item for item, fault in zip(items, faults, strict=True) if fault is None]
        sieve = Sieve(_contexts(kept))
        outputs = _outputs(kept)
        if options.merged == "expand":
            outputs = expand_merged(outputs, always=",")
        outputs = comparable(sieve, outputs)
        dropped += [replace(d, line=kept[d.line].line) for d in sieve.dropped]
        rows = with_ranking_ids(pairs(outputs, sieve.frame)).drop(RECORD)
        return Parsed(rows, tuple(sorted(dropped, key=lambda d: d.line)), len(items))

    def write(self, judgments: Judgments, ending: str) -> bytes:
        _check_names(judgments)
        outputs = rebuild(judgments, self.id)
        lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<appraise-results>"]
        for _, ranking in outputs.group_by(RECORD, maintain_order=True):
            lines += _element(ranking)
        return "\n".join([*lines, "</appraise-results>", ""]).encode()


_SKIPPED = "skipped by the judge"


def _items(source: Source) -> list[_Item]:
    # expat comes with Python, numbers lines and streams: attributes are inherited on the way, without a tree (lxml).
    # What is UTF-8 is read as that: the declaration may name the encoding from before --encoding.
    parser = expat.ParserCreate("utf-8" if _is_utf8(source.data) else None)
    items: list[_Item] = []
    open_elements: list[dict[str, str]] = [{}]
    inside: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        inherited = {**open_elements[-1], **attributes}
        open_elements.append(inherited)
        if name in _ITEMS:
            items.append(_Item(parser.CurrentLineNumber, inherited))
        elif name == "translation" and any(element in _ITEMS for element in inside):
            items[-1].outputs.append((_trimmed(attributes.get("system")), _trimmed(attributes.get("rank"))))
        inside.append(name)

    def end(name: str) -> None:
        open_elements.pop()
        inside.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(f"{source.name}: line {error.lineno}: broken XML ({what}); is the file cut short?") from None
    except (ValueError, LookupError) as error:  # an encoding that expat does not know
        raise InputError(f"{source.name}: cannot be read as XML ({error}); save it as UTF-8") from None
    return items


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _trimmed(text: str | None) -> str:
    return (text or "").strip()


def _fault(item: _Item) -> str | None:
    """Why a ranking cannot be used, or None."""
    if item.attributes.get("skipped", "").lower() == "true" or any(rank == "-1" for _, rank in item.outputs):
        return _SKIPPED
    if not item.outputs:
        return "has no translation element, so it compares nothing"
    for system, rank in item.outputs:
        if not system:
            return "a translation lacks its system"
        if not (_RANK.fullmatch(rank) and 1 <= int(rank) <= _MOST_OUTPUTS):
            return (
                f"rank {rank[:20]!r} of {system[:40]!r} is out of range; allowed: whole numbers from 1 to "
                f"{_MOST_OUTPUTS} (−1: skipped)"
            )
    return None


def _outputs(items: list[_Item]) -> pl.DataFrame:
    rows = [
        (record, system, -float(rank), position)
        for record, item in enumerate(items)
        for position, (system, rank) in enumerate(item.outputs, 1)
    ]
    schema = {RECORD: pl.Int64, "system": pl.String, VALUE: pl.Float64, "position": pl.Int32}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _contexts(items: list[_Item]) -> pl.DataFrame:
    rows = []
    for record, item in enumerate(items):
        a = item.attributes
        source, target = a.get("source-language"), a.get("target-language")
        pair = f"{source}-{target}" if source and target else ""
        segment = a.get("src-id") or a.get("doc-id") or a.get("id") or ""
        judge = a.get("user") or a.get("annotator") or ""
        names = [text.strip() or None for text in (pair, segment, judge)]
        rows.append((record, *names, _seconds(a.get("duration", ""))))
    schema = {
        RECORD: pl.Int64, "lang_pair": pl.String, "segment": pl.String, "judge": pl.String, "duration": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _seconds(text: str) -> float | None:
    """``00:01:07.524`` or plain seconds."""
    try:
        total = 0.0
        for part in text.split(":"):
            total = total * 60 + float(part)
    except ValueError:
        return None
    return total if isfinite(total) else None


def _check_names(judgments: Judgments) -> None:
    check_not_merged(judgments.systems, "appraise", always=",")
    for name in (*judgments.systems, *judgments.segments, *judgments.judges, *judgments.lang_pairs):
        if _NOT_XML.search(name):
            raise LossyWriteError(f"format 'appraise' is XML, which cannot hold the characters of {name!r}")
        if name != name.strip():
            raise LossyWriteError(f"format 'appraise' cannot hold the characters around the name {name!r}")


def _element(ranking: pl.DataFrame) -> Iterator[str]:
    first = ranking.row(0, named=True)
    attributes: dict[str, str] = {}
    if first.get("lang_pair") is not None:
        source, _, target = first["lang_pair"].partition("-")
        if not (source and target):
            raise LossyWriteError(f"language pair {first['lang_pair']!r} is not of the form source-target")
        attributes |= {"source-language": source, "target-language": target}
    if first.get("duration") is not None:
        attributes["duration"] = repr(first["duration"])
    for attribute, column in (("src-id", "segment"), ("user", "judge")):
        if first.get(column) is not None:
            attributes[attribute] = first[column]
    yield "  <ranking-item" + "".join(f" {k}={quoteattr(v)}" for k, v in attributes.items()) + ">"
    for system, rank in _translations(ranking):
        yield f"    <translation rank={quoteattr(str(rank))} system={quoteattr(system)}/>"
    yield "  </ranking-item>"


def _translations(ranking: pl.DataFrame) -> list[tuple[str, int]]:
    """Systems in one position are one output, joined by comma."""
    if ranking["position"].null_count():
        return list(zip(ranking["system"], ranking["rank"], strict=True))
    shown = ranking.group_by("position", maintain_order=True).agg("system", pl.col("rank").unique())
    if shown["position"].to_list() != list(range(1, shown.height + 1)) or shown["rank"].list.len().max() != 1:
        raise LossyWriteError(
            "format 'appraise' has the outputs of a ranking in positions 1, 2, …, systems sharing one if they are "
            "tied; these judgments do not; drop the positions (--drop position)"
        )
    return [(",".join(systems), ranks[0]) for _, systems, ranks in shown.iter_rows()]
