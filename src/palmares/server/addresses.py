"""The address that invitation links begin with: the configured one, or the one that the server listens on.

Never what a request says it is (its ``Host``): whoever sends a request can write anything there, and a link that leads
elsewhere gives the person's access away.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request


@dataclass(frozen=True)
class PublicAddress:
    """An address without a slash at its end; ``guessed``: nobody has configured it, and a browser came by another."""

    address: str
    guessed: bool

    def link(self, token: str) -> str:
        """An invitation link."""
        return f"{self.address}/join/{token}"


def public_address(request: Request) -> PublicAddress:
    """Where this server is reached, as far as it knows."""
    configured = getattr(request.app.state.config, "address", None)
    if configured:
        return PublicAddress(configured.rstrip("/"), guessed=False)
    host, port = request.scope.get("server") or ("", None)
    host = "127.0.0.1" if host == "" or host.startswith("/") else host  # a socket of Unix has no address
    shown = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(request.url.scheme)
    here = f"{request.url.scheme}://{shown}{'' if port in (None, usual) else f':{port}'}"
    asked = urlsplit(str(request.base_url))
    guessed = asked.netloc != urlsplit(here).netloc and not _is_loopback(asked.hostname or "")
    return PublicAddress(here + str(request.scope.get("root_path", "")).rstrip("/"), guessed)


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "127.0.0.1", "::1")
