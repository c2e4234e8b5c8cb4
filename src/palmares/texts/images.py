"""Images that texts show: files in a folder of their own, told by their first bytes, and nothing that runs or loads."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from ..errors import InputError

#: The largest image, and all images of a campaign's texts together, in bytes.
LARGEST, ALL_TOGETHER = 5 * 2**20, 200 * 2**20
#: How a file begins, by media type.
_SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
_SVG = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?(?:<!DOCTYPE[^>]*>\s*)?<svg[\s>]", re.DOTALL)


@dataclass(frozen=True)
class Image:
    """One image: what it is, and its bytes."""

    media_type: str
    body: bytes = field(repr=False)

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    @property
    def ending(self) -> str:
        return self.media_type.partition("/")[2]


def image_of(body: bytes, name: str) -> Image:
    """An image of these bytes; refused unless they begin as PNG, JPEG, GIF or WebP do. ``name`` is for messages."""
    if len(body) > LARGEST:
        raise InputError(f"{name}: the image has more than the {_size(LARGEST)} that are allowed; make it smaller")
    for media_type, signature in _SIGNATURES.items():
        if signature.match(body):
            return Image(media_type, body)
    if _SVG.match(body[:2000].removeprefix(b"\xef\xbb\xbf")):
        raise InputError(
            f"{name}: is an SVG, which is a document that can run scripts and load from elsewhere; save it as PNG"
        )
    raise InputError(f"{name}: is no image that browsers show; allowed: PNG, JPEG, GIF, WebP")


def normal_name(reference: str) -> str:
    """What a reference in a text names: ``./a%20b.png`` is ``a b.png``."""
    return unquote(reference.strip()).removeprefix("./")


@dataclass
class Folder:
    """A folder of images, which texts name relative to it (``x.png``) or to where it lies (``images/x.png``)."""

    path: Path
    found: dict[str, Image | None] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Folder:
        folder = Path(path)
        if not folder.is_dir():
            raise InputError(f"{folder}: is no folder; give the folder in which the images lie")
        return cls(folder.resolve())

    def get(self, name: str) -> Image | None:
        """The image of a name; None if there is no such file."""
        if name not in self.found:
            file = next((path for path in self._candidates(name) if path.is_file()), None)
            self.found[name] = None if file is None else self._read(file)
            self._refuse_too_much()
        return self.found[name]

    def _candidates(self, name: str) -> Iterator[Path]:
        """Files that a name may mean; none outside the folder, wherever a link points."""
        if "\0" in name or "://" in name or len(name) > 1000:
            return
        for base in (self.path, self.path.parent):
            path = (base / name).resolve()
            if path.is_relative_to(self.path):
                yield path

    def _read(self, path: Path) -> Image:
        try:
            with path.open("rb") as file:
                return image_of(file.read(LARGEST + 1), str(path))
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None

    def _refuse_too_much(self) -> None:
        sizes = {image.digest: len(image.body) for image in self.found.values() if image is not None}
        if sum(sizes.values()) > ALL_TOGETHER:
            raise InputError(f"{self.path}: the images have more than {_size(ALL_TOGETHER)} in all; make them smaller")


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"
