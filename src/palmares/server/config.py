"""What the server is told when it starts; workers get it through the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..campaign.database import default_url
from ..errors import InputError

DATABASE_VARIABLE = "PALMARES_DATABASE"
ROOT_PATH_VARIABLE = "PALMARES_ROOT_PATH"
ADDRESS_VARIABLE = "PALMARES_ADDRESS"
#: What our addresses begin with: with a root path alike, nobody could tell whether a proxy has cut it off.
OWN_PATHS = frozenset({"api", "c", "group", "health", "join", "leave", "openapi.json", "setup", "static"})
_ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")


#: A host as browsers send it: a name in ASCII or an address, and a port.
_PLACE = re.compile(
    r"([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?"
)


@dataclass(frozen=True)
class ServerConfig:
    """Where the campaign is stored, and where the world finds the server.

    Parameters
    ----------
    database
        The URL of the store.
    root_path
        The part of the address that a proxy has put before ours (``/eval``).
    address
        The public address, ``https://eval.example.org/eval``: links name it, whatever a request says of its host, and
        its path is the root path. None: links name the address that the server listens on.
    """

    database: str
    root_path: str = ""
    address: str | None = None

    def __post_init__(self) -> None:
        path = _checked_root_path(self.root_path)
        if self.address:
            address, below = _checked_address(self.address)
            if path and path != below:
                raise InputError(
                    f"address: got {self.address!r}, and the root path {path!r}; its path must be the root path; "
                    "leave the root path out"
                )
            path = below
            object.__setattr__(self, "address", address)
        else:
            object.__setattr__(self, "address", None)
        object.__setattr__(self, "root_path", path)

    @property
    def scheme_and_host(self) -> tuple[str, str] | None:
        """What browsers see before the path, if it is known beforehand."""
        if self.address is None:
            return None
        parts = urlsplit(self.address)
        return parts.scheme, parts.netloc

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> ServerConfig:
        """The settings that `to_environment` wrote, or that a service file gives."""
        database = environment.get(DATABASE_VARIABLE) or default_url()
        return cls(database, environment.get(ROOT_PATH_VARIABLE, ""), environment.get(ADDRESS_VARIABLE) or None)

    def to_environment(self) -> dict[str, str]:
        return {
            DATABASE_VARIABLE: self.database,
            ROOT_PATH_VARIABLE: self.root_path,
            ADDRESS_VARIABLE: self.address or "",
        }


def _checked_root_path(given: str) -> str:
    path = "/" + given.strip("/") if given.strip("/") else ""
    if not _ROOT_PATH.fullmatch(path) or "/.." in path or "/." in path:
        raise InputError(
            f"root path: got {given!r}; allowed: nothing, or a path of letters, digits and . _ ~ - such as /eval"
        )
    if path.removeprefix("/").partition("/")[0] in OWN_PATHS:
        raise InputError(f"root path: got {given!r}; our own addresses begin so; take another: /eval")
    return path


def _checked_address(given: str) -> tuple[str, str]:
    """A public address in its usual form, and its path."""
    allowed = "allowed: http:// or https://, a host, perhaps a port and a path, such as https://example.org/eval"
    try:
        parts = urlsplit(given.strip())
        port = parts.port
    except ValueError:
        raise InputError(f"address: got {given!r}; {allowed}") from None
    place = parts.netloc.lower()
    is_place = _PLACE.fullmatch(place) and port != 0 and given.split() == [given.strip()]
    if parts.scheme not in ("http", "https") or not is_place:
        raise InputError(f"address: got {given!r}; {allowed}")
    if parts.query or parts.fragment or given.strip().endswith(("?", "#")):
        raise InputError(f"address: got {given!r}; it ends with its path, without ? or #; {allowed}")
    place = place.removesuffix(":443" if parts.scheme == "https" else ":80")  # browsers leave it out
    path = _checked_root_path(parts.path)
    return f"{parts.scheme}://{place}{path}", path
