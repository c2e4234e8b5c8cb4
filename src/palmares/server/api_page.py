"""A page to read the JSON interface on, made from its OpenAPI description: no scripts, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from .access import PUBLIC
from .description import COOKIE, TOKEN
from .pages import render, url
from .words import words

router = APIRouter()
_METHODS = ("get", "post", "put", "delete")
#: Levels of objects within objects that are shown as fields of their own.
_DEEPEST = 2


@dataclass(frozen=True)
class Part:
    """A parameter or a field, and what is known of it."""

    name: str
    kind: str
    needed: bool
    says: str
    where: str = ""
    depth: int = 0


@dataclass(frozen=True)
class Operation:
    """What one method of one address does."""

    id: str
    method: str
    path: str
    says: str
    more: str
    scopes: tuple[str, ...]
    cookie: bool
    parameters: tuple[Part, ...]
    body: tuple[Part, ...]
    body_says: str
    example: str
    answer: tuple[Part, ...]
    answer_says: str
    status: str
    kinds: tuple[str, ...]
    errors: tuple[tuple[str, str], ...]


@router.get("/api", dependencies=[PUBLIC])
def read(request: Request) -> Response:
    """The interface, in words."""
    schema = request.app.openapi()
    groups: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        for method in _METHODS:
            if method in methods:
                told = methods[method]
                groups.setdefault(told.get("tags", ["Others"])[0], []).append(_operation(schema, path, method, told))
    response = render(
        request,
        "api.html",
        english=words("en"),
        title=schema["info"]["title"],
        version=schema["info"]["version"],
        says=schema["info"]["description"],
        groups=groups,
        description=url(request, "/openapi.json"),
    )
    response.headers["Content-Language"] = "en"
    return response


# -- inside ----------------------------------------------------------------------------------------------


def _operation(schema: dict[str, Any], path: str, method: str, told: dict[str, Any]) -> Operation:
    first, _, more = told.get("description", "").partition("\n\n")
    security = told.get("security", [])
    body = _json(told.get("requestBody", {}))
    status, answer = next((code, answer) for code, answer in told["responses"].items() if code < "300")
    shape = _json(answer)
    return Operation(
        id=told["operationId"],
        method=method.upper(),
        path=path,
        says=first,
        more=more,
        scopes=tuple(scope for way in security for scope in way.get(TOKEN, [])),
        cookie=any(COOKIE in way for way in security),
        parameters=tuple(
            Part(
                p["name"],
                _kind(schema, p["schema"]),
                p.get("required", False),
                p.get("description", "") or p["schema"].get("description", ""),
                p["in"],
            )
            for p in told.get("parameters", [])
        ),
        body=tuple(_fields(schema, body)) if body else (),
        body_says=_resolved(schema, body).get("description", ""),
        example=_example(schema, body) if body else "",
        answer=tuple(_fields(schema, shape)) if shape else (),
        answer_says=_resolved(schema, shape).get("description", ""),
        status=status,
        kinds=tuple(answer.get("content", {})),
        errors=tuple((code, each["description"]) for code, each in told["responses"].items() if code >= "400"),
    )


def _json(content: dict[str, Any]) -> dict[str, Any]:
    """The schema of a body in JSON; empty if it has none."""
    found: dict[str, Any] = content.get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    found: dict[str, Any] = schema["components"]["schemas"][part["$ref"].rpartition("/")[2]]
    return found


def _fields(schema: dict[str, Any], part: dict[str, Any], depth: int = 0) -> Iterator[Part]:
    whole = _resolved(schema, part)
    needed = whole.get("required", [])
    for name, field in whole.get("properties", {}).items():
        inner = _object_in(schema, field)
        says = field.get("description") or inner.get("description", "")
        yield Part(name, _kind(schema, field), name in needed, says, depth=depth)
        if inner and depth < _DEEPEST:
            yield from _fields(schema, inner, depth + 1)


def _object_in(schema: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    """The object that a field is, or that a list is of; empty if it is neither."""
    for each in (field, field.get("items", {}), *field.get("anyOf", [])):
        if "$ref" in each:
            return _resolved(schema, each)
    return {}


def _kind(schema: dict[str, Any], part: dict[str, Any]) -> str:
    """What a value may be, in a word or two."""
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_kind(schema, each) for each in part["anyOf"]))
    if "$ref" in part:
        return "object"
    if "enum" in part or "const" in part:
        return ", ".join(json.dumps(value) for value in part.get("enum", [part.get("const")]))
    if part.get("type") == "array":
        return f"list of {_plural(_kind(schema, part.get('items', {})))}"
    if part.get("type") == "object" or "additionalProperties" in part:
        return "object"
    kind = str(part.get("type", "anything"))
    return {"integer": "whole number", "string": "text", "boolean": "true or false"}.get(kind, kind)


def _plural(kind: str) -> str:
    one = {"text": "texts", "object": "objects", "whole number": "whole numbers", "number": "numbers"}
    return " or ".join(one.get(each, each) for each in kind.split(" or "))


def _example(schema: dict[str, Any], body: dict[str, Any]) -> str:
    examples = _resolved(schema, body).get("examples", [])
    return json.dumps(examples[0], indent=2, ensure_ascii=False) if examples else ""
