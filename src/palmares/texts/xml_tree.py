"""XML as small trees with line numbers; document types with entities are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ..errors import InputError
from .lines import Path, read_text


@dataclass
class Element:
    """One element: its attributes, children, and the text in it and them."""

    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list, repr=False)

    @property
    def text(self) -> str:
        """The text, with line breaks and the indentation around them made one space."""
        lines = "".join(self.parts).split("\n")
        return " ".join(line.strip(" \t") for line in lines).strip(" ")

    def all(self, name: str) -> Iterator[Element]:
        """Every element of a name at any depth below, in the order of the file."""
        waiting = list(reversed(self.children))
        while waiting:
            element = waiting.pop()
            if element.name == name:
                yield element
            waiting.extend(reversed(element.children))


def read_tree(path: Path, *, encoding: str = "utf-8") -> tuple[str, Element]:
    """What messages call a file, and its root element."""
    name, text = read_text(path, encoding=encoding)
    # The text is decoded already, so what its declaration says of the encoding counts no more.
    parser = expat.ParserCreate("utf-8")
    builder = _Builder(parser, name)
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(f"{name}: line {error.lineno}: broken XML ({what}); is the file cut short?") from None
    return name, builder.top.children[0]


class _Builder:
    """Handlers that put elements into a tree."""

    def __init__(self, parser: expat.XMLParserType, name: str) -> None:
        self.parser, self.name = parser, name
        self.top = Element("", 0, {})
        self.open = [self.top]
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.EntityDeclHandler = self.entity
        parser.buffer_text = True

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name, self.parser.CurrentLineNumber, attributes)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, name: str) -> None:
        closed = self.open.pop()
        self.open[-1].parts.extend(closed.parts)

    def characters(self, data: str) -> None:
        self.open[-1].parts.append(data)

    def entity(self, *arguments: object) -> None:
        # A few nested entities expand to gigabytes; no test set needs any.
        line = self.parser.CurrentLineNumber
        raise InputError(f"{self.name}: line {line}: declares entities, which are refused; take the DOCTYPE out")
