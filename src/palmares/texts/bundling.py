"""Which images the texts of a test set show, and where each of them is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

from ..errors import InputError, MissingExtraError
from ..results import counted
from .checks.base import Places
from .images import Folder, Image
from .testset import TestSet

_SHOWN = 5


def with_images(testset: TestSet, folder: Folder | None) -> TestSet:
    """The test set with every image that its texts show in Markdown, or a note about those that are nowhere.

    What a message shows must be there, since it cannot be judged otherwise. An image in running text need not be:
    models write addresses of images that never were.
    """
    if not testset.images and (folder is None or not _has_marks(testset)):
        return testset if testset.langs.is_pair or not _has_marks(testset) else _without_folder(testset)
    if find_spec("markdown_it") is None:
        raise MissingExtraError("reading images in texts", "server", "markdown-it-py")
    return _found(testset, folder)


def _without_folder(testset: TestSet) -> TestSet:
    return testset if find_spec("markdown_it") is None else _found(testset, None)


def _found(testset: TestSet, folder: Folder | None) -> TestSet:
    from .markdown import image_names

    images: dict[str, Image | None] = {}
    absent: dict[str, int] = {}
    places = Places.of(testset)
    for index, text in _texts(testset):
        for name in image_names(text):
            image = testset.images.get(name) or (folder.get(name) if folder is not None else None)
            if image is None and name in testset.images:
                where = "that folder has no such file" if folder is not None else "give the folder with --images FOLDER"
                raise InputError(f"{places.text((index + 1,), 1)}: a message shows the image {name!r}; {where}")
            if image is None:
                absent.setdefault(name, index + 1)
            else:
                images[name] = image
    notes = [*testset.notes, *([_note(absent, places)] if absent else [])]
    return replace(testset, images=images, notes=tuple(notes))


def _note(absent: dict[str, int], places: Places) -> str:
    listed = ", ".join(f"{name[:60]!r} ({places.text((n,), 1)})" for name, n in list(absent.items())[:_SHOWN])
    more = f" and {len(absent) - _SHOWN} more" if len(absent) > _SHOWN else ""
    return (
        f"{counted(len(absent), 'image')} in Markdown will be shown as a description and an address, since nothing is "
        f"fetched: {listed}{more}; give a folder of images with --images"
    )


def _has_marks(testset: TestSet) -> bool:
    return any("![" in text for _, text in _texts(testset))


def _texts(testset: TestSet) -> Iterator[tuple[int, str]]:
    """Every text with the index of its segment; the turns of a conversation one by one, as they are shown."""
    for index, segment in enumerate(testset.segments):
        yield from ((index, content) for _, content in segment.turns or (("", segment.source),))
        yield index, segment.reference or ""
    for system, outputs in testset.outputs.items():
        for index, text in enumerate(outputs):
            turns = testset.conversations.get((system, index), (("", text),))
            yield from ((index, content) for _, content in turns)
