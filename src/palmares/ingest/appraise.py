"""Result files of Appraise, the annotation tool behind WMT (Federmann 2012), in their variants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import Judgments
from .base import RECORD, ColumnUse, Dropped, Format, Parsed, ReadOptions
from .columns import CONTEXT_ROLES, Roles, Sieve
from .names import NO_VALUE
from .rankings import (
    OUTPUT,
    VALUE,
    check_not_merged,
    comparable,
    expand_merged,
    pairs,
    rebuild,
    shared_outputs,
    with_ranking_ids,
)
from .segments import NamedBy, named_by
from .source import Source

_ITEMS = ("ranking-item", "ranking-result")
_MOST_OUTPUTS = 99
_RANK = re.compile(r"[0-9]{1,4}")
#: Characters that XML 1.0 does not allow, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


#: The attributes that Appraise has for what is known of a ranking, besides its segment; the first one that is there.
_ATTRIBUTES = {
    "judge": ("user", "annotator"),
    "source_lang": ("source-language",),
    "target_lang": ("target-language",),
    "duration": ("duration",),
}


@dataclass
class _Item:
    """One ranking as it stands in the file; attributes of enclosing elements are inherited."""

    line: int
    tag: str
    attributes: dict[str, str]
    outputs: list[tuple[str, str]] = field(default_factory=list)  # (system, rank)
    wraps: bool = False


class Appraise(Format):
    """``ranking-item`` or ``ranking-result`` elements with ``translation`` children.

    Systems with the same output share one ``translation``, joined by comma, ``+`` or space. What is around other items
    is no item itself.
    """

    id = "appraise"
    holds = frozenset(("lang_pair", "segment", "judge", "ranking", "position", "duration", "forced"))
    implies = frozenset(("position",))
    endings = ("xml",)
    #: Every item is a ranking, and `named_by` knows documents.
    roles = CONTEXT_ROLES - {"ranking", "document"}

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        self.check_columns(options)
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
        sieve = _sieve(kept, options)
        outputs = _outputs(kept)
        sieve.shared = shared_outputs(outputs, always=",")
        if options.merged == "expand":
            outputs = expand_merged(outputs, always=",")
        outputs = comparable(sieve, outputs)
        dropped += [replace(d, line=kept[d.line].line) for d in sieve.dropped]
        sieve.frame = with_ranking_ids(pairs(outputs, sieve.frame))
        return Parsed(
            sieve.rows(), tuple(sorted(dropped, key=lambda d: d.line)), len(items), columns=tuple(sieve.columns),
            notes=tuple(sieve.notes), layout="XML", shared=sieve.shared,
        )  # fmt: skip

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
    inherited: list[dict[str, str]] = [{}]
    around: list[_Item | None] = [None]  # for every open element, the item that it is in

    def start(name: str, attributes: dict[str, str]) -> None:
        inherited.append({**inherited[-1], **attributes})
        item = around[-1]
        if name in _ITEMS:
            if item is not None:
                item.wraps = True
            item = _Item(parser.CurrentLineNumber, name, inherited[-1])
            items.append(item)
        elif name == "translation" and item is not None:
            item.outputs.append((_trimmed(attributes.get("system")), _trimmed(attributes.get("rank"))))
        around.append(item)

    def end(name: str) -> None:
        inherited.pop()
        around.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(f"{source.name}: line {error.lineno}: broken XML ({what}); is the file cut short?") from None
    except (ValueError, LookupError) as error:  # an encoding that expat does not know
        raise InputError(f"{source.name}: cannot be read as XML ({error}); save it as UTF-8") from None
    wrappers = {item.tag for item in items if item.wraps}
    return [item for item in items if item.outputs or item.tag not in wrappers or "skipped" in item.attributes]


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
        if not system or system.lower() in NO_VALUE:
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


def _sieve(items: list[_Item], options: ReadOptions) -> Sieve:
    """What is known of every ranking, by the attributes that say it."""
    names = list(dict.fromkeys(name for item in items for name in item.attributes))
    for role, name in options.columns.items():
        if name and name not in names:
            raise InputError(f"there is no attribute {name!r} for {role!r}; present: {', '.join(names)}")
    given = {name: [item.attributes.get(name) for item in items] for name in names}
    types = {RECORD: pl.Int64(), **dict.fromkeys(names, pl.String())}
    frame = pl.DataFrame({RECORD: range(len(items)), **given}, schema=types)
    column = {role: next((a for a in known if a in names), "") for role, known in _ATTRIBUTES.items()}
    column |= options.columns
    named = NamedBy(()) if "segment" in options.columns else named_by(frame, column["judge"] or None)
    parts = named.attributes
    column.setdefault("segment", " + ".join(parts))
    if len(parts) > 1:
        both = pl.concat_str(parts, separator="/", ignore_nulls=True)
        frame = frame.with_columns(both.alias(column["segment"]))
    if column["duration"]:
        seconds = [_seconds(text) for text in frame[column["duration"]]]
        frame = frame.with_columns(pl.Series(column["duration"], seconds, dtype=pl.String))
    roles = Roles({role: name for role, name in column.items() if name}, tuple(names))
    sieve = Sieve.start(frame, roles, options)
    sieve.notes += [named.note] if named.note else []
    # Attributes have the names that Appraise gives them, so none is guessed.
    uses = [use for use in sieve.columns if use.role or use.column not in parts]
    sieve.columns = [replace(use, why="usual") if use.why == "guessed" else use for use in uses]
    for name, k in (("rank", 1), ("system", 0)):
        examples = dict.fromkeys(output[k] for item in items[:20] for output in item.outputs)
        sieve.columns.insert(0, ColumnUse(name, f"{name} of translation", "usual", tuple(examples)[:3]))
    return sieve


def _seconds(text: str | None) -> str | None:
    """``00:01:07.524`` in seconds; what is not of this form as it is."""
    try:
        total = 0.0
        for part in (text or "").split(":"):
            total = total * 60 + float(part)
    except ValueError:
        return text
    return str(total)


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
    """Systems whose ties are forced are one output, joined by comma."""
    shown = ranking.group_by(OUTPUT, maintain_order=True).agg("system", pl.col("rank").first(), "position")
    # Known positions are 1, 2, …, one for every output.
    places = [set(positions) for positions in shown["position"]]
    if not ranking["position"].null_count() and places != [{place} for place in range(1, shown.height + 1)]:
        raise LossyWriteError(
            "format 'appraise' has the outputs of a ranking in positions 1, 2, …, systems sharing one if their tie is "
            "marked as forced; these judgments do not; drop the positions (--drop position)"
        )
    return [(",".join(systems), rank) for _, systems, rank, _ in shown.iter_rows()]
