"""Parallel texts: sources, references and the outputs of systems, read from files and checked.

`reading` holds the door (`read_texts`), with one reader per format behind it; `testset` is what all of them give;
`checks` looks for what is commonly wrong with test sets.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..registry import Entry, Registry

#: Every way in which texts can be given.
TEXT_FORMATS = Registry(
    "text format",
    {
        "plain": Entry("palmares.texts.plain:read_plain", "one file per system, one segment per line (also .sgm)"),
        "folder": Entry("palmares.texts.folder:read_folder", "a folder with one file per system, or folders of them"),
        "tsv": Entry("palmares.texts.tables:read_table", "a table with one column per system (TSV, CSV)"),
        "jsonl": Entry("palmares.texts.json_lines:read_json_lines", "one JSON object per segment"),
        "arena": Entry("palmares.texts.arena:read_arena", "battles of an LLM arena, two answers each"),
        "wmt-xml": Entry("palmares.texts.wmt_xml:read_wmt_xml", "WMT test-set XML, since WMT21"),
        "appraise-hits": Entry("palmares.texts.hits:read_hits", "Appraise ranking tasks (HIT XML)"),
    },
)

#: Every check of texts, in the order of the report.
TEXT_CHECKS = Registry(
    "text check",
    {
        "reading": Entry("palmares.texts.checks.plain_faults:reading", "what the reader noticed about the files"),
        "names": Entry("palmares.texts.checks.plain_faults:names", "system names that are hard to tell apart"),
        "missing": Entry(
            "palmares.texts.checks.plain_faults:missing",
            "segments without the output of a system, or without a reference",
        ),
        "empty": Entry("palmares.texts.checks.plain_faults:empty", "empty sources, references and outputs"),
        "identical": Entry("palmares.texts.checks.identical:identical", "equal outputs, copies of source or reference"),
        "encoding": Entry(
            "palmares.texts.checks.encoding:encoding", "wrongly decoded text and leftovers of processing"
        ),
        "language": Entry("palmares.texts.checks.language:language", "text in another script or language"),
        "misaligned": Entry("palmares.texts.checks.misaligned:misaligned", "lines out of step, or another text"),
        "length": Entry("palmares.texts.checks.length:length", "outputs far shorter or longer than the others"),
    },
)

_EXPORTS = {
    "CheckReport": "palmares.texts.checks.base:CheckReport",
    "Finding": "palmares.texts.checks.base:Finding",
    "LanguagePair": "palmares.texts.languages:LanguagePair",
    "Segment": "palmares.texts.testset:Segment",
    "TestSet": "palmares.texts.testset:TestSet",
    "check": "palmares.texts.checks.base:check",
    "read_texts": "palmares.texts.reading:read_texts",
}

__all__ = [
    "TEXT_CHECKS",
    "TEXT_FORMATS",
    "CheckReport",
    "Finding",
    "LanguagePair",
    "Segment",
    "TestSet",
    "check",
    "read_texts",
]

if TYPE_CHECKING:
    from .checks.base import CheckReport, Finding, check
    from .languages import LanguagePair
    from .reading import read_texts
    from .testset import Segment, TestSet


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _EXPORTS[name].partition(":")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value
