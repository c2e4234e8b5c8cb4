"""Messages of a conversation as files of language models have them: ``{"role": "user", "content": "…"}``."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from .images import Image, image_of, normal_name

#: One message: who speaks, and the text.
Turn = tuple[str, str]
Turns = tuple[Turn, ...]

#: Who may speak, and under what name it is kept.
ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_SHOWN = 40


@dataclass
class Pictures:
    """The images that messages of a file show: given with it (``data:``), or named (None until they are found)."""

    by_name: dict[str, Image | None] = field(default_factory=dict)

    def put(self, url: str, place: str) -> str:
        """Take an image in, and return its name."""
        if not url.startswith("data:"):
            name = normal_name(url)
            if "://" in name or not name.isprintable() or not name or set(name) & set("<>\\"):
                raise InputError(
                    f"{place}: the image {url[:_SHOWN]!r} is no file of a folder, and nothing is fetched; save it to "
                    "one, name the file here, and give the folder with --images"
                )
            self.by_name.setdefault(name, None)
            return name
        header, comma, content = url.partition(",")
        if not comma or not header.endswith(";base64"):
            raise InputError(f"{place}: the image {url[:_SHOWN]!r} is no data: URL in base64; allowed: data:…;base64,…")
        try:
            body = base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError):
            raise InputError(f"{place}: the image {url[:_SHOWN]!r} is not valid base64; is it cut off?") from None
        image = image_of(body, place)
        name = f"image-{image.digest[:16]}.{image.ending}"
        self.by_name[name] = image
        return name


def turns_of(value: Any, place: str, pictures: Pictures) -> Turns:
    """Messages as turns; what cannot be right is refused."""
    if not isinstance(value, list) or not value:
        raise InputError(f'{place} must be a list of messages, e.g. [{{"role": "user", "content": "…"}}]')
    return tuple(_turn(message, f"{place}: message {n}", pictures) for n, message in enumerate(value, 1))


def flat(turns: Sequence[Turn]) -> str:
    """All that is said, as one text."""
    return "\n\n".join(content for _, content in turns)


def only_text(turns: Turns) -> tuple[str, Turns]:
    """The text, and the turns if there is more to them than this text."""
    return flat(turns), turns if len(turns) > 1 else ()


def _turn(message: Any, place: str, pictures: Pictures) -> Turn:
    if not isinstance(message, dict) or "role" not in message or "content" not in message:
        raise InputError(f'{place} must be an object with "role" and "content"')
    role = message["role"]
    if not isinstance(role, str) or role not in ROLES:
        raise InputError(f"{place}: role: got {str(role)[:_SHOWN]!r}; allowed: {', '.join(ROLES)}")
    content = _content(message["content"], place, pictures)
    if not content.strip():
        raise InputError(f"{place} (of the {role}) is empty; take the line out, or give the text")
    return ROLES[role], content


def _content(value: Any, place: str, pictures: Pictures) -> str:
    if isinstance(value, str):
        return value.replace("\r\n", "\n")
    if not isinstance(value, list):
        raise InputError(f'{place}: "content" must be a text, or a list of parts')
    return "\n\n".join(_part(part, f"{place}: part {n}", pictures) for n, part in enumerate(value, 1))


def _part(part: Any, place: str, pictures: Pictures) -> str:
    """The text of a part; an image becomes what shows it in Markdown."""
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return str(part["text"]).replace("\r\n", "\n")
    if kind == "image_url":
        given = part.get("image_url")
        url = given.get("url") if isinstance(given, dict) else given
        if isinstance(url, str):
            return f"![](<{pictures.put(url, place)}>)"
    raise InputError(
        f'{place}: cannot be read; allowed: {{"type": "text", "text": "…"}} and '
        '{"type": "image_url", "image_url": {"url": "…"}}'
    )
