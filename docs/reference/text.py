"""Text for generated pages: what is plain becomes MyST, and what a page adds is read by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from inspect import cleandoc

#: What a page says of options or settings, by name.
Remarks = Mapping[str, str]

_REMARK = re.compile(r"^((?:`[^`\n]+`(?:, )?)+)\n:[ ]+(.*?)(?=^`|\Z)", re.DOTALL | re.MULTILINE)
#: What is code in a plain sentence: in grave accents already; options, settings with values, endings of files.
_CODE = re.compile(
    r"`[^`]+`"
    r"|(?<![\w-])--?[a-z][a-z0-9-]*(?![\w])"
    r"|\b[\w.-]+=(?:[\w+-]|[.,](?=\w))+"
    r"|(?<!\w)\.(?:svg|png|pdf|html|json|jsonl|csv|md|db)\b"
    r"|\bpalmares(?: [a-z-]+){1,3} --\w+"
    r"|\b[A-Z]+_[A-Z_]+\b"
)
_MARKUP = re.compile(r"([\\*_<>\[\]$#|~^`])")


def remarks(body: str) -> Remarks:
    """A definition list as text by name; several names before a text share it."""
    found = {}
    rest = body
    for match in _REMARK.finditer(body):
        for name in re.findall(r"`([^`]+)`", match[1]):
            found[name] = cleandoc(match[2])
        rest = rest.replace(match[0], "")
    if rest.strip():
        raise ValueError(f"not a definition list by name: {rest.strip()[:80]!r}")
    return found


def check_known(given: Remarks, known: Collection[str], what: str) -> None:
    """Refuse remarks on what there is not."""
    if unknown := [name for name in given if name not in known]:
        raise ValueError(f"{what} has no {unknown[0]}; it has: {', '.join(known) or 'none'}")


def prose(text: str) -> str:
    """Plain text of the code as MyST: nothing in it is markup but code."""
    parts, end = [], 0
    for match in _CODE.finditer(text):
        parts += [_escaped(text[end : match.start()]), code(match[0].strip("`"))]
        end = match.end()
    return "".join([*parts, _escaped(text[end:])])


def code(text: str) -> str:
    return f"`{text}`"


def codes(names: Collection[str]) -> str:
    return ", ".join(map(code, names))


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    text = text[:1].upper() + text[1:] if text[:1].isascii() else text
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
