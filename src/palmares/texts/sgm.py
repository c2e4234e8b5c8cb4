"""The SGML files of older WMT campaigns: ``srcset``, ``refset`` or ``tstset`` with ``doc`` and ``seg`` elements.

They are no XML: ampersands may stand alone and attributes may lack quotes, so an HTML parser reads them.
"""

from __future__ import annotations

from html.parser import HTMLParser

from ..errors import InputError
from .lines import Path, TextFile, read_text, refuse_controls, uncompressed_name

_ENDINGS = (".sgm", ".sgml")


def is_sgm(path: Path) -> bool:
    """Whether the name of a file says that it is SGML."""
    return uncompressed_name(path).lower().endswith(_ENDINGS)


def read_sgm(path: Path, *, encoding: str = "utf-8") -> TextFile:
    """The segments of one set, in order; ids are ``document:segment``."""
    name, text = read_text(path, encoding=encoding)
    collector = _Collector(name)
    try:
        collector.feed(text)
        collector.close()
    except AssertionError as error:
        # The parser's word for a declaration that it cannot make sense of.
        line = collector.getpos()[0]
        raise InputError(f"{name}: line {line}: broken SGML ({error}); is the file damaged?") from None
    collector.refuse_open_segment()
    if not collector.texts:
        raise InputError(f"{name}: no seg element inside a doc element; this is not an SGML test set")
    if len(collector.systems) > 1:
        systems = ", ".join(sorted(collector.systems))
        raise InputError(f"{name}: has the outputs of several systems ({systems}); split it into one file per system")
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
        self._documents = self._segments = 0  # so far: of the file, and of the document
        self._document: str | None = None
        self._parts: list[str] | None = None
        self._id = ""
        self._line = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        if tag == "doc":
            self._documents, self._segments = self._documents + 1, 0
            self._document = attributes.get("docid") or attributes.get("id") or str(self._documents)
            self.systems.add(attributes.get("sysid", ""))
        elif tag == "seg":
            self._open_segment(attributes.get("id", ""))

    def _open_segment(self, id: str) -> None:
        line = self.getpos()[0]
        if self._document is None:
            raise InputError(f"{self.name}: line {line}: a seg element outside a doc element")
        if self._parts is not None:
            raise InputError(f"{self.name}: line {line}: a seg element inside another; is an end tag missing?")
        self._segments += 1
        self._parts, self._id, self._line = [], id or str(self._segments), line

    def refuse_open_segment(self) -> None:
        """At the end of the file, its last text would be lost with its end tag."""
        if self._parts is not None:
            raise InputError(f"{self.name}: line {self._line}: a seg element without an end; is the file cut short?")

    def handle_data(self, data: str) -> None:
        if self._parts is not None:
            self._parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "doc":
            self._document = None
        elif tag == "seg" and self._parts is not None:
            text = " ".join(line.strip(" \t") for line in "".join(self._parts).split("\n")).strip(" ")
            refuse_controls(text, f"{self.name}: line {self._line}")
            self.texts.append(text)
            self.documents.append(self._document or "")
            self.ids.append(f"{self._document}:{self._id}")
            self._parts = None
