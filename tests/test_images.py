"""Images that texts show: brought with the campaign, told by their bytes, served to its people, never fetched."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from stores import new_campaign, new_judge, next_view, sample_texts
from webs import Visitor, signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.create import add_pairs
from palmares.campaign.database import Database
from palmares.campaign.images import digest_of
from palmares.errors import InputError
from palmares.server.security import CONTENT_SECURITY_POLICY, HEADERS
from palmares.texts import TestSet, read_texts
from palmares.texts.images import LARGEST, Folder, image_of

PNG, JPEG = b"\x89PNG\r\n\x1a\n" + b"a dot", b"\xff\xd8\xff\xe0" + b"a photograph"
GIF, WEBP = b"GIF89a" + b"a cat", b"RIFF\x10\0\0\0WEBP" + b"a dog"


@pytest.fixture
def images(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    (folder / "more").mkdir(parents=True)
    for name, body in {"dot.png": PNG, "more/cat.gif": GIF, "a b.png": PNG, "unused.png": b"no image"}.items():
        (folder / name).write_bytes(body)
    return folder


def read(tmp_path: Path, *rows: dict[str, Any], **options: Any) -> TestSet:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (texts,) = read_texts(path=path, **options)
    return texts


def asked(text: str) -> dict[str, Any]:
    return {"prompt": text, "answers": {"A": "A dot.", "B": "No idea."}}


def shows(url: str) -> dict[str, Any]:
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": url}}]
    return {"messages": [{"role": "user", "content": parts}], "answers": {"A": "A dot.", "B": "No idea."}}


# -- files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "media_type"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp")]
)
def test_an_image_is_what_its_bytes_say(body: bytes, media_type: str) -> None:
    image = image_of(body, "x")
    assert (image.media_type, image.body, image.digest) == (media_type, body, hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<svg xmlns='x'/>", "is an SVG, which is a document that can run scripts and load from elsewhere"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- x -->\n<svg>", "is an SVG"),
        (b"<html><script>", "is no image that browsers show; allowed: PNG, JPEG, GIF, WebP"),
        (b"", "is no image that browsers show"),
        (b"RIFF\x10\0\0\0WAVE", "is no image that browsers show"),
        (PNG + bytes(LARGEST), "the image has more than the 5.0 MiB that are allowed; make it smaller"),
    ],
)  # fmt: skip
def test_what_is_no_image_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        image_of(body, "x.png")
    assert str(caught.value).startswith(f"x.png: {message}")


def test_a_file_is_found_by_its_name_in_the_folder_or_beside_it(images: Path) -> None:
    folder = Folder.open(images)
    for name, body in {"dot.png": PNG, "images/dot.png": PNG, "more/cat.gif": GIF, "a b.png": PNG}.items():
        found = folder.get(name)
        assert found is not None
        assert found.body == body
    assert [folder.get(name) for name in ("lost.png", "more", "", "https://e.org/dot.png", "dot\0.png")] == [None] * 5


def test_nothing_outside_the_folder_is_found(images: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    (images / "link.png").symlink_to(tmp_path / "secret.png")
    folder = Folder.open(images)
    for name in ("../secret.png", str(tmp_path / "secret.png"), "link.png", "secret.png", "images/../secret.png"):
        assert folder.get(name) is None


def test_a_folder_must_be_one(images: Path) -> None:
    with pytest.raises(InputError, match=r"dot\.png: is no folder"):
        Folder.open(images / "dot.png")


# -- texts -----------------------------------------------------------------------------------------------


def test_images_of_markdown_and_of_messages_are_brought_along(images: Path, tmp_path: Path) -> None:
    texts = read(
        tmp_path, asked("Look: ![a dot](dot.png)"), shows("images/more/cat.gif"), asked("![](a%20b.png)"), images=images
    )
    bodies = {name: image.body for name, image in texts.images.items() if image is not None}
    assert bodies == {"dot.png": PNG, "images/more/cat.gif": GIF, "a b.png": PNG}
    assert texts.notes == ()


def test_an_image_of_a_message_must_be_there(images: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"line 2: a message shows the image 'lost\.png'; that folder has no such file"
    ):
        read(tmp_path, asked("x"), shows("lost.png"), images=images)
    with pytest.raises(
        InputError, match=r"line 1: a message shows the image 'dot\.png'; give the folder with --images"
    ):
        read(tmp_path, shows("dot.png"))


@pytest.mark.parametrize("url", ["https://e.org/x.png", "http://e.org/x.png", "ftp://x", "", "a<b>.png"])
def test_an_image_from_elsewhere_is_refused_in_a_message(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match=r"line 1: .*part 2: .*is no file of a folder, and nothing is fetched"):
        read(tmp_path, shows(url))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("data:image/png,abc", "is no data: URL in base64"),
        ("data:image/png;base64,???", "is not valid base64"),
        ("data:image/svg+xml;base64,PHN2Zz4=", "part 2: is an SVG"),
        ("data:image/png;base64,aGVsbG8=", "part 2: is no image"),
    ],
)
def test_data_that_is_no_image_is_refused(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, shows(url))


def test_models_may_write_of_images_that_never_were(images: Path, tmp_path: Path) -> None:
    rows = [asked("x"), {"prompt": "y", "answers": {"A": "![chart](https://e.org/c.png)", "B": "![it](lost.png)"}}]
    for options in ({"images": images}, {}):
        texts = read(tmp_path, *rows, **options)
        assert texts.images == {}
        (note,) = texts.notes
        assert note.startswith("2 images in Markdown will be shown as a description and an address")
        assert "'https://e.org/c.png' (line 2), 'lost.png' (line 2)" in note


def test_a_translation_may_be_about_images_without_a_word(tmp_path: Path) -> None:
    row = {"source": "![x](y.png)", "outputs": {"A": "![x](y.png)"}, "langs": "fr-en"}
    assert read(tmp_path, row).notes == ()


# -- the store -------------------------------------------------------------------------------------------


def stored(db: Database) -> list[tuple[Any, ...]]:
    image = schema.image.c
    with db.read() as tx:
        rows = tx.execute(sa.select(image.name, image.media_type, image.digest, image.body).order_by(image.name))
        return [(*row[:3], bytes(row.body)) for row in rows]


MARKDOWN = {"task.markup": "markdown", "screen.outputs": 2}


def test_images_are_stored_with_the_campaign(db: Database, images: Path, tmp_path: Path) -> None:
    new_campaign(db, read(tmp_path, asked("![](dot.png) ![](more/cat.gif)"), images=images), **MARKDOWN)
    assert stored(db) == [
        ("dot.png", "image/png", hashlib.sha256(PNG).hexdigest(), PNG),
        ("more/cat.gif", "image/gif", hashlib.sha256(GIF).hexdigest(), GIF),
    ]


def test_a_name_means_one_image(db: Database, images: Path, tmp_path: Path) -> None:
    new_campaign(db, read(tmp_path, asked("![](dot.png)"), images=images), **MARKDOWN)
    assert digest_of(db, "news", "late.png") is None
    (images / "late.png").write_bytes(JPEG)
    add_pairs(db, "news", [read(tmp_path, asked("![](dot.png) ![](late.png)"), images=images, langs="en")])
    assert [name for name, *_ in stored(db)] == ["dot.png", "late.png"]
    assert digest_of(db, "news", "late.png") == hashlib.sha256(JPEG).hexdigest()
    (images / "dot.png").write_bytes(GIF)
    with pytest.raises(InputError, match=r"de: the campaign has another image 'dot\.png' already"):
        add_pairs(db, "news", [read(tmp_path, asked("![](dot.png)"), images=images, langs="de")])


def test_images_that_nobody_would_see_are_refused(db: Database, images: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"any-language: the texts show 1 images, and task\.markup is 'plain'"):
        new_campaign(db, read(tmp_path, asked("![](dot.png)"), images=images))
    assert stored(db) == []


# -- the server ------------------------------------------------------------------------------------------

ADDRESS = f"/c/news/images/{hashlib.sha256(PNG).hexdigest()}"


@pytest.fixture
def ann(app: FastAPI, db: Database, images: Path, tmp_path: Path) -> Visitor:
    new_campaign(db, read(tmp_path, asked("![a dot](dot.png)"), images=images), **MARKDOWN)
    return signed_in(app, new_judge(db))


@pytest.mark.any_database
def test_people_of_the_campaign_get_its_images(app: FastAPI, ann: Visitor) -> None:
    for person in (ann, staff(app, Role.OBSERVER), staff(app, Role.ORGANISER)):
        got = person.get(ADDRESS)
        assert (got.status_code, got.content, got.headers["content-type"]) == (200, PNG, "image/png")
        assert got.headers["cache-control"] == "private, max-age=31536000, immutable"
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"


@pytest.mark.any_database
def test_nobody_else_gets_them(app: FastAPI, ann: Visitor, db: Database) -> None:
    assert visitor(app, raise_server_exceptions=False).get(ADDRESS).status_code == 401
    new_campaign(db, sample_texts(), name="other")
    bob = signed_in(app, new_judge(db, "bob", campaign="other"))
    assert bob.get(ADDRESS).status_code == 401
    assert bob.get(ADDRESS.replace("news", "other")).status_code == 404


@pytest.mark.any_database
@pytest.mark.parametrize("digest", ["0" * 64, "x", "dot.png", "..%2f..%2fhealth"])
def test_an_image_that_is_not_there(ann: Visitor, digest: str) -> None:
    assert ann.get(f"/c/news/images/{digest}").status_code in (404, 422)


@pytest.mark.any_database
def test_the_policy_of_pages_is_as_strict_as_it_was(ann: Visitor) -> None:
    expected = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert HEADERS["Content-Security-Policy"] == expected == CONTENT_SECURITY_POLICY
    assert ann.get("/c/news/judge").headers["content-security-policy"] == expected


def test_a_screen_names_its_image(ann: Visitor, db: Database) -> None:
    view = next_view(db, new_judge(db, "bob"))
    assert view is not None
    assert view.source == "![a dot](dot.png)"
