"""What the server is told when it starts; workers get it through the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..campaign.database import default_url
from ..errors import InputError

DATABASE_VARIABLE = "PALMARES_DATABASE"
ROOT_PATH_VARIABLE = "PALMARES_ROOT_PATH"
#: What our addresses begin with: with a root path alike, nobody could tell whether a proxy has cut it off.
OWN_PATHS = frozenset({"api", "c", "group", "health", "join", "leave", "openapi.json", "static"})
_ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")


@dataclass(frozen=True)
class ServerConfig:
    """Where the campaign is stored, and the part of the address that a proxy has put before ours (``/eval``)."""

    database: str
    root_path: str = ""

    def __post_init__(self) -> None:
        path = "/" + self.root_path.strip("/") if self.root_path.strip("/") else ""
        if not _ROOT_PATH.fullmatch(path) or "/.." in path or "/." in path:
            raise InputError(
                f"root path: got {self.root_path!r}; allowed: nothing, or a path of letters, digits and . _ ~ - "
                "such as /eval"
            )
        if path.removeprefix("/").partition("/")[0] in OWN_PATHS:
            raise InputError(f"root path: got {self.root_path!r}; our own addresses begin so; take another: /eval")
        object.__setattr__(self, "root_path", path)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> ServerConfig:
        """The settings that `to_environment` wrote, or that a service file gives."""
        database = environment.get(DATABASE_VARIABLE) or default_url()
        return cls(database, environment.get(ROOT_PATH_VARIABLE, ""))

    def to_environment(self) -> dict[str, str]:
        return {DATABASE_VARIABLE: self.database, ROOT_PATH_VARIABLE: self.root_path}
