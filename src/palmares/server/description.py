"""The OpenAPI description of the JSON interface: what FastAPI knows of the routes, and who may use each."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from ..campaign.clients import SCOPES
from .access import API, declared, routes
from .security import CSRF_HEADER, SAFE_METHODS

TOKEN, COOKIE = "token", "cookie"
_SAYS = """Programs use campaigns by tokens: models that judge beside people, pipelines that make campaigns, dashboards.

Send a token with every request: `Authorization: Bearer palmares_…`. Organisers make them on the page *Programs* of a
campaign, and whoever runs the server with `palmares campaign token`. What a token may do is its scope:

{scopes}

Errors have one shape: `{{"error": {{"kind": "too-many", "message": "…"}}}}`, a word for programs and a sentence for
people. What is worth trying again (429, 503, 507) says when, in the header `Retry-After`."""
_SCHEMES = {
    TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of a program. The word behind it is the scope that it must have.",
    },
    COOKIE: {
        "type": "apiKey",
        "in": "cookie",
        "name": "palmares-staff-CAMPAIGN",
        "description": "The session of somebody who has opened an invitation link: `palmares-judge-CAMPAIGN` of a "
        f"judge. What changes something needs the header `{CSRF_HEADER}` beside it.",
    },
}


def describe(app: FastAPI) -> None:
    """Let the application describe its interface."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = description  # type: ignore[method-assign]  # as FastAPI's documentation has it


def _described(app: FastAPI) -> dict[str, Any]:
    scopes = "\n".join(f"- `{scope}`: {says}" for scope, says in SCOPES.items())
    schema: dict[str, Any] = get_openapi(
        title="Palmares",
        version=app.version,
        description=_SAYS.format(scopes=scopes),
        routes=app.routes,
    )
    schema.setdefault("components", {})["securitySchemes"] = _SCHEMES
    for route in routes(app):
        check = declared(route)
        if check is None or not str(route.path).startswith(API):
            continue
        for method in route.methods:
            operation = schema["paths"].get(route.path, {}).get(method.lower())
            if operation is None:
                continue
            # A token may have any of these; each is a way of its own.
            operation["security"] = [{TOKEN: [str(scope)]} for scope in SCOPES if scope in check.scopes]
            if check.roles:
                operation["security"].append({COOKIE: []})
            if method in SAFE_METHODS:
                operation["parameters"] = [p for p in operation.get("parameters", []) if p["name"] != CSRF_HEADER]
    return schema
