"""Result files of Appraise, the annotation tool behind WMT (Federmann 2012), in their variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import Judgments
from .base import RECORD, Dropped, Format, Parsed, ReadOptions
from .rankings import VALUE, expand_merged, pairs, rebuild, with_ranking_ids
from .source import Source

_ITEMS = ("ranking-item", "ranking-result")
_MOST_OUTPUTS = 99


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
            raise InputError(f"{source.name}: no {' or '.join(_ITEMS)} element; this is no Appraise result file")
        dropped: list[Dropped] = []
        kept: list[_Item] = []
        for item in items:
            fault = _fault(item)
            if fault is None:
                kept.append(item)
            else:
                dropped.append(Dropped(item.line, fault, skipped=fault == _SKIPPED))
        if not kept:
            return Parsed(pl.DataFrame(), tuple(dropped), len(items))
        outputs = _outputs(kept)
        if options.merged == "expand":
            outputs = expand_merged(outputs, always=",")
        rows = with_ranking_ids(pairs(outputs, _contexts(kept)))
        return Parsed(rows.drop(RECORD), tuple(dropped), len(items))

    def write(self, judgments: Judgments, ending: str) -> bytes:
        outputs = rebuild(judgments, self.id)
        commas = [s for s in judgments.systems if "," in s]
        if commas:
            raise LossyWriteError(f"format 'appraise' joins systems by comma, and a system is called {commas[0]!r}")
        lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<appraise-results>"]
        for _, ranking in outputs.group_by(RECORD, maintain_order=True):
            lines += _element(ranking)
        return "\n".join([*lines, "</appraise-results>", ""]).encode()


_SKIPPED = "skipped by the judge"


def _items(source: Source) -> list[_Item]:
    parser = expat.ParserCreate()
    items: list[_Item] = []
    open_elements: list[dict[str, str]] = [{}]

    def start(name: str, attributes: dict[str, str]) -> None:
        inherited = {**open_elements[-1], **attributes}
        open_elements.append(inherited)
        if name in _ITEMS:
            items.append(_Item(parser.CurrentLineNumber, inherited))
        elif name == "translation" and items:
            items[-1].outputs.append((attributes.get("system", "").strip(), attributes.get("rank", "").strip()))

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: open_elements.pop()
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(f"{source.name}: line {error.lineno}: broken XML ({what}); is the file cut short?") from None
    except (ValueError, LookupError) as error:  # an encoding that expat does not know
        raise InputError(f"{source.name}: cannot be read as XML ({error}); save it as UTF-8") from None
    return items


def _fault(item: _Item) -> str | None:
    """Why a ranking cannot be used, or None."""
    if item.attributes.get("skipped", "").lower() == "true" or any(rank == "-1" for _, rank in item.outputs):
        return _SKIPPED
    if not item.outputs:
        return "has no translation element, so it compares nothing"
    systems = [system for system, _ in item.outputs]
    if "" in systems:
        return "a translation lacks its system"
    for system, rank in item.outputs:
        if not (rank.isascii() and rank.isdigit() and 1 <= int(rank) <= _MOST_OUTPUTS):
            return f"rank {rank[:20]!r} of {system[:40]!r} is out of range; allowed: whole numbers from 1 (−1: skipped)"
    twice = [s for s in systems if systems.count(s) > 1]
    return f"system {twice[0][:40]!r} is compared with itself" if twice else None


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
        pair = f"{a['source-language']}-{a['target-language']}" if _has_languages(a) else None
        segment = a.get("src-id") or a.get("doc-id") or a.get("id")
        judge = a.get("user") or a.get("annotator")
        rows.append((record, pair, segment, judge, _seconds(a.get("duration", ""))))
    schema = {
        RECORD: pl.Int64, "lang_pair": pl.String, "segment": pl.String, "judge": pl.String, "duration": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _has_languages(attributes: dict[str, str]) -> bool:
    return bool(attributes.get("source-language") and attributes.get("target-language"))


def _seconds(text: str) -> float | None:
    """``00:01:07.524`` or plain seconds."""
    try:
        total = 0.0
        for part in text.split(":"):
            total = total * 60 + float(part)
    except ValueError:
        return None
    return total if text else None


def _element(ranking: pl.DataFrame) -> Iterator[str]:
    first = ranking.row(0, named=True)
    attributes = {}
    if first.get("lang_pair") is not None:
        source, dash, target = first["lang_pair"].partition("-")
        if not (source and dash and target):
            raise LossyWriteError(f"language pair {first['lang_pair']!r} is not of the form source-target")
        attributes |= {"source-language": source, "target-language": target}
    if first.get("duration") is not None:
        attributes["duration"] = repr(first["duration"])
    attributes |= {a: first[c] for a, c in (("src-id", "segment"), ("user", "judge")) if first.get(c) is not None}
    yield "  <ranking-item " + " ".join(f"{k}={quoteattr(v)}" for k, v in attributes.items()) + ">"
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
