"""What the routes of the JSON interface share: parts of their addresses, pages of lists, the errors they describe."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, WithJsonSchema

from ..campaign.definition import CAMPAIGN_NAME
from .problems import documented
from .security import CSRF_HEADER

PREFIX = "/api/v1/{campaign}"
ALWAYS = documented(401, 403, 404, 422, 429, 500, 503)
WRITES = documented(400, 408, 409, 413, 507)
CampaignName = Annotated[str, Path(pattern=f"^{CAMPAIGN_NAME.pattern}$", description="the campaign's name")]
CsrfHeader = Annotated[
    str | None, Header(alias=CSRF_HEADER, description="with a cookie only: from `GET …/work`, or a page's forms")
]
After = Annotated[int, Query(ge=0, lt=2**63, description="`next` of the page before")]
Limit = Annotated[int, Query(ge=1, le=1000, description="entries on a page, at most")]
#: The number of an entry of a list.
Number = Annotated[int, Path(ge=1, lt=2**63)]
Upto = Annotated[
    int | None, Query(ge=1, lt=2**63, description="all as it was once the answer with this number was stored")
]


class Given(BaseModel):
    """What comes in: nothing but what is declared, and no guessing of types."""

    model_config = ConfigDict(extra="forbid", strict=True)


def with_example(example: dict[str, Any]) -> ConfigDict:
    """The configuration of what comes in, with an example for the description."""
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [example]})


def one_of(*allowed: str) -> tuple[AfterValidator, WithJsonSchema]:
    """Annotations of a text that is one of these: what is allowed is known only when the program runs."""

    def known(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"got {value[:40]!r}; allowed: {', '.join(allowed)}")
        return value

    return AfterValidator(known), WithJsonSchema({"type": "string", "enum": list(allowed)})


class Listed(BaseModel):
    """A page of a list; ``next`` asks for the one after it as ``after``, null if there is none."""

    items: list[dict[str, Any]]
    next: int | None


def listed(items: list[tuple[int, dict[str, Any]]], limit: int) -> Listed:
    """A page of what was looked up, one more than fits on it; each with its number."""
    shown = items[:limit]
    return Listed(items=[item for _, item in shown], next=shown[-1][0] if len(items) > limit else None)
