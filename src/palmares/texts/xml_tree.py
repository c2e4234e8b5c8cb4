"""XML as small trees with line numbers; document types with entities are refused.

Built on Python's own expat: defusedxml's trees have no line numbers, and lxml would be a compiled dependency of
several megabytes for two formats; both would leave it to us to refuse unknown entities by line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ..errors import InputError


@dataclass
class Element:
    """One element: its attributes, children, and the text in it and them."""

    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list, repr=False)
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


def parse_tree(name: str, text: str) -> Element:
    """The root element of an XML text; ``name`` is what messages call the file."""
    # The text is decoded already, so what its declaration says of the encoding counts no more.
    parser = expat.ParserCreate("utf-8")
    builder = _Builder(parser, name)
    try:
        parser.Parse(text.encode(errors="surrogatepass"), True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise InputError(
            f"{name}: line {error.lineno}: broken XML ({what}); is the file cut short, or an & or < not escaped?"
        ) from None
    return builder.top.children[0]


class _Builder:
    """Handlers that put elements into a tree."""

    def __init__(self, parser: expat.XMLParserType, name: str) -> None:
        self.parser, self.name = parser, name
        self.top = Element("", 0, {})
        self.open = [self.top]
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.EntityDeclHandler = self.declared_entity
        parser.SkippedEntityHandler = self.unknown_entity
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

    def declared_entity(self, *arguments: object) -> None:
        # A few nested entities expand to gigabytes; no test set needs any.
        line = self.parser.CurrentLineNumber
        raise InputError(f"{self.name}: line {line}: declares entities, which are refused; take the DOCTYPE out")

    def unknown_entity(self, entity: str, is_parameter: bool) -> None:
        # With a DOCTYPE that names another file, expat would silently leave the character out.
        line = self.parser.CurrentLineNumber
        raise InputError(f"{self.name}: line {line}: unknown entity {entity!r}; write the character itself")
