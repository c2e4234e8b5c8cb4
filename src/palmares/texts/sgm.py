"""The SGML files of older WMT campaigns: ``srcset``, ``refset`` or ``tstset`` with ``doc`` and ``seg`` elements.

They are no XML: ampersands may stand alone and attributes may lack quotes, so an HTML parser reads them.
"""

from __future__ import annotations

from html.parser import HTMLParser

from ..errors import InputError
from .lines import Path, TextFile, read_text, refuse_controls

_ENDINGS = (".sgm", ".sgml")
_COMPRESSION = (".gz", ".zst")


def is_sgm(path: Path) -> bool:
    """Whether the name of a file says that it is SGML."""
    name = str(path).lower()
    for ending in _COMPRESSION:
        name = name.removesuffix(ending)
    return name.endswith(_ENDINGS)


def read_sgm(path: Path, *, encoding: str = "utf-8") -> TextFile:
    """The segments of one set, in order; ids are ``document:segment``."""
    name, text = read_text(path, encoding=encoding)
    collector = _Collector(name)
    collector.feed(text)
    collector.close()
    if not collector.texts:
        raise InputError(f"{name}: no seg element inside a doc element; this is no test set in SGML")
    if len(collector.systems) > 1:
        found = ", ".join(sorted(collector.systems))
        raise InputError(f"{name}: has the outputs of several systems ({found}); split it into one file a system")
    return TextFile(name, tuple(collector.texts), tuple(collector.documents), tuple(collector.ids))


class _Collector(HTMLParser):
    """Keeps the text of every ``seg`` with the ids around it."""

    def __init__(self, name: str) -> None:
        super().__init__(convert_charrefs=True)
        self.name = name
        self.texts: list[str] = []
        self.documents: list[str] = []
        self.ids: list[str] = []
        self.systems: set[str] = set()
        self._document: str | None = None
        self._parts: list[str] | None = None
        self._id = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        if tag == "doc":
            self._document = attributes.get("docid") or attributes.get("id") or ""
            self.systems.add(attributes.get("sysid", ""))
        elif tag == "seg":
            self._open_segment(attributes.get("id", ""))

    def _open_segment(self, id: str) -> None:
        line = self.getpos()[0]
        if self._document is None:
            raise InputError(f"{self.name}: line {line}: a seg element outside a doc element")
        if self._parts is not None:
            raise InputError(f"{self.name}: line {line}: a seg element inside another; is an end tag missing?")
        self._parts, self._id = [], id or str(len(self.texts) + 1)

    def handle_data(self, data: str) -> None:
        if self._parts is not None:
            self._parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "doc":
            self._document = None
        elif tag == "seg" and self._parts is not None:
            text = " ".join("".join(self._parts).strip(" \n\t").split("\n"))
            refuse_controls(text, f"{self.name}: line {self.getpos()[0]}")
            self.texts.append(text)
            self.documents.append(self._document or "")
            self.ids.append(f"{self._document}:{self._id}")
            self._parts = None
