"""A client of the JSON interface that `palmares serve` has: campaigns made, run and judged by programs.

>>> client = Client("https://eval.example.org", token)
>>> for screen in client.screens("news"):
...     client.answer(screen, ranks=better_first(screen))

It needs nothing beyond the standard library. What may be sent again is, until it arrives: an answer carries a number
of its own, so that it is stored once. What might be done twice is not sent again.
"""

from __future__ import annotations

import http.client
import json
import random
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .errors import InputError, PalmaresError

if TYPE_CHECKING:
    from .judgments import Judgments

#: What a server says when nothing was done, and that it may be asked again later.
_LATER = (429, 503, 507)
#: What a proxy or a server says when something may have been done.
_PERHAPS = (408, 502, 504)
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
_CHUNK = 1 << 16


class ApiError(PalmaresError):
    """What the server refused: its status (0 if it could not be reached), the kind of error, and all that it said."""

    def __init__(self, status: int, kind: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        self.status, self.kind, self.details = status, kind, dict(details or {})
        super().__init__(message)


@dataclass(frozen=True)
class Option:
    """An output as it is shown; ``turns`` if it is a conversation."""

    place: int
    text: str
    turns: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Screen:
    """A screen to be judged, its options in the order shown. ``reference`` is there where the campaign shows it."""

    campaign: str
    id: str
    source_language: str
    target_language: str
    source: str
    turns: tuple[Mapping[str, str], ...]
    reference: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    options: tuple[Option, ...]
    revision: int
    number: int
    of: int
    begun: float = field(default_factory=time.monotonic, repr=False, compare=False)


@dataclass(frozen=True)
class Created:
    """A campaign that was made: the token that manages it, and what the checks of its texts remarked."""

    name: str
    token: str
    remarks: tuple[str, ...]


class Client:
    """A program's way to a server.

    Parameters
    ----------
    address
        Where the server is, without ``/api``: ``https://eval.example.org``.
    token
        The program's token; what it may do is its scope.
    timeout
        Seconds that one request may take.
    patience
        Seconds in all that a request is tried again while the server is away or asks to wait.
    """

    def __init__(self, address: str, token: str, *, timeout: float = 60.0, patience: float = 300.0) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise InputError(f"address: got {address!r}; allowed: http:// or https://, a host, perhaps a path")
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise InputError("token: got none, or one with other characters; it begins with palmares_")
        self.address, self._token = address.rstrip("/"), token
        self.timeout, self.patience = timeout, patience
        self._opener = build_opener(_NoRedirects)
        self._following: dict[str, Screen | None] = {}

    # -- campaigns -------------------------------------------------------------------------------

    def campaigns(self) -> list[dict[str, Any]]:
        """What the token is for: its campaign, or those that were made with it."""
        return list(self._pages("campaigns", {}))

    def create(
        self,
        name: str,
        texts: Iterable[Mapping[str, Any]],
        *,
        settings: Mapping[str, Any] | None = None,
        accept: Sequence[str] = (),
    ) -> Created:
        """Make a campaign from texts: ``{"langs": "de-en", "segments": […]}`` for every language pair."""
        body = {"name": name, "texts": list(texts), "settings": dict(settings or {}), "accept": list(accept)}
        made = self._send("POST", "campaigns", body)
        return Created(made["name"], made["token"], tuple(made["remarks"]))

    def status(self, campaign: str) -> dict[str, Any]:
        """How a campaign stands."""
        return self._get(f"{campaign}/status")

    def settings(self, campaign: str) -> dict[str, Any]:
        """The settings in force, by section."""
        found: dict[str, Any] = self._get(f"{campaign}/settings")["settings"]
        return found

    def change_settings(self, campaign: str, changes: Mapping[str, Any]) -> int:
        """Change some settings, ``{"judge.screens": 50}``; the number of the revision that is in force then."""
        revision = self._get(f"{campaign}/settings")["revision"]
        body = {"revision": revision, "settings": dict(changes)}
        return int(self._send("PUT", f"{campaign}/settings", body)["revision"])

    def set_state(self, campaign: str, state: str) -> None:
        """Open, pause or close a campaign: ``open``, ``paused``, ``closed``."""
        self._send("PUT", f"{campaign}/state", {"state": state}, again=True)

    def add_pairs(
        self, campaign: str, texts: Iterable[Mapping[str, Any]], *, accept: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Add language pairs with all their systems."""
        return self._send("POST", f"{campaign}/pairs", {"texts": list(texts), "accept": list(accept)})

    def add_systems(
        self,
        campaign: str,
        systems: Mapping[str, Sequence[Any]],
        *,
        langs: str | None = None,
        accept: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Add systems late, each with an output for every segment in order (None: it has none)."""
        given = {name: list(outputs) for name, outputs in systems.items()}
        return self._send("POST", f"{campaign}/systems", {"langs": langs, "systems": given, "accept": list(accept)})

    def invite(
        self,
        campaign: str,
        people: Iterable[str | Mapping[str, Any]],
        *,
        role: str = "judge",
        days: float | None = None,
    ) -> dict[str, str]:
        """Invite people, by name or as ``{"name", "role", "langs"}``: from name to link."""
        given = [{"name": each, "role": role} if isinstance(each, str) else {"role": role, **each} for each in people]
        body = {"people": given, **({} if days is None else {"days": days})}
        return {each["name"]: each["link"] for each in self._send("POST", f"{campaign}/people", body)["items"]}

    def add_program(
        self, campaign: str, name: str, scope: str = "judge", *, langs: Sequence[str] = (), days: float | None = None
    ) -> str:
        """Make a token for a program: ``judge``, ``read`` or ``manage``."""
        body = {"name": name, "scope": scope, "langs": list(langs), **({} if days is None else {"days": days})}
        return str(self._send("POST", f"{campaign}/programs", body)["token"])

    def people(self, campaign: str) -> list[dict[str, Any]]:
        """Who takes part."""
        return list(self._pages(f"{campaign}/people", {}))

    def results(self, campaign: str) -> list[dict[str, Any]]:
        """The newest results of every language pair that has some."""
        found: list[dict[str, Any]] = self._get(f"{campaign}/results")["pairs"]
        return found

    def export(self, campaign: str, *, up_to: int | None = None, controls: bool = False) -> Judgments:
        """The judgments so far, as `palmares.read` reads them from a file."""
        from .ingest.files import read

        with TemporaryDirectory(prefix="palmares-") as folder:
            path = Path(folder) / f"{campaign}.csv"
            self.download(campaign, path, up_to=up_to, controls=controls)
            return read(path)

    def download(
        self,
        campaign: str,
        path: str | Path,
        *,
        format: str = "csv",
        up_to: int | None = None,
        controls: bool = False,
    ) -> None:
        """Write the judgments so far to a file, which appears whole or not at all."""
        asked = {"format": format, "controls": str(controls).lower()}
        asked |= {} if up_to is None else {"up_to": str(up_to)}
        target = Path(path)
        beside = target.with_name(f".{target.name}.part")
        path_and_query = f"{campaign}/export/judgments?{urlencode(asked)}"
        try:
            with self._open("GET", path_and_query) as answer, beside.open("wb") as file:
                shutil.copyfileobj(answer, file, _CHUNK)
                announced = answer.headers.get("Content-Length")
                if announced is not None and file.tell() != int(announced):
                    raise ApiError(0, "unreachable", f"the connection ended after {file.tell():,} of {announced} bytes")
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)

    # -- judging ---------------------------------------------------------------------------------

    def screens(self, campaign: str, *, most: int | None = None, wait: float = 0.0) -> Iterator[Screen]:
        """Screens to be judged, each once the one before was answered or skipped, until there are no more.

        Parameters
        ----------
        most
            So many at most.
        wait
            Seconds to go on asking where there is nothing to do at this moment.
        """
        given, self._following = 0, {**self._following, campaign: None}
        while most is None or given < most:
            screen = self._following.pop(campaign, None) or self._awaited(campaign, wait)
            if screen is None:
                return
            yield screen
            given += 1
            if campaign not in self._following:
                raise InputError(f"screen {screen.id} was neither answered nor skipped; the next comes after that")

    def answer(
        self,
        screen: Screen,
        *,
        ranks: Sequence[int] | None = None,
        skip: str | None = None,
        verdict: str | None = None,
        note: str | None = None,
        seconds: float | None = None,
    ) -> None:
        """Answer a screen: ranks in the order of its options, 1 is best, ties allowed; or skip it for a reason."""
        body: dict[str, Any] = {
            "submission": secrets.token_hex(8),
            "revision": screen.revision,
            "seconds": time.monotonic() - screen.begun if seconds is None else seconds,
            "then": "screen",
            **({} if ranks is None else {"ranks": [int(rank) for rank in ranks]}),
            **({} if skip is None else {"skip": skip}),
            **({} if verdict is None else {"verdict": verdict}),
            **({} if note is None else {"note": note}),
        }
        receipt = self._send("POST", f"{screen.campaign}/screens/{quote(screen.id)}/answer", body, again=True)
        following = receipt["screen"]
        self._following[screen.campaign] = None if following is None else _screen(screen.campaign, following)

    def _awaited(self, campaign: str, wait: float) -> Screen | None:
        end, pause = time.monotonic() + wait, _FIRST_WAIT
        while True:
            work = self._get(f"{campaign}/work")
            if work["screen"] is not None:
                return _screen(campaign, self._get(f"{campaign}/screens/{quote(work['screen'])}"))
            if work["state"] == "closed" or time.monotonic() + pause > end:
                return None
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_WAIT)

    # -- requests --------------------------------------------------------------------------------

    def _pages(self, path: str, asked: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        after = 0
        while True:
            page = self._get(f"{path}?{urlencode({**asked, 'after': after})}")
            yield from page["items"]
            if page["next"] is None:
                return
            after = page["next"]

    def _get(self, path: str) -> dict[str, Any]:
        return self._send("GET", path, again=True)

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, again: bool = False
    ) -> dict[str, Any]:
        """Send a request and read what comes back; ``again``: it may be sent again, whatever became of it."""
        with self._open(method, path, body, again=again or method == "GET") as answer:
            told: dict[str, Any] = json.loads(answer.read())
        return told

    def _open(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, again: bool = True
    ) -> http.client.HTTPResponse:
        data = None if body is None else json.dumps(body).encode()
        end, pause = time.monotonic() + self.patience, _FIRST_WAIT
        while True:
            error, wait = self._tried(method, path, data, again)
            if isinstance(error, http.client.HTTPResponse):
                return error
            # Many clients that wait for one server should not come back at the same moment.
            wait = pause * random.uniform(0.5, 1.5) if wait is None else wait
            if wait < 0 or time.monotonic() + wait > end:
                raise error
            time.sleep(wait)
            pause = min(2 * pause, _LONGEST_WAIT)

    def _tried(
        self, method: str, path: str, data: bytes | None, again: bool
    ) -> tuple[http.client.HTTPResponse | ApiError, float | None]:
        """One try: the answer; or what went wrong, and how long to wait (None: as usual) or −1 for not at all."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json, */*;q=0.5"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = Request(f"{self.address}/api/v1/{path}", data, headers, method=method)
        try:
            answer: http.client.HTTPResponse = self._opener.open(request, timeout=self.timeout)
            return answer, None
        except HTTPError as error:
            refused, later = _refusal(error), error.headers.get("Retry-After", "")
            if error.code in _LATER or (error.code in _PERHAPS and again):
                return refused, float(later) if later.isdecimal() else None
            return refused, -1.0
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            unsent = isinstance(reason, ConnectionRefusedError)
            message = f"{self.address} cannot be reached ({reason})"
            if not again and not unsent:
                message += "; whether this was done is not known, so it was not sent again: look before you do"
            return ApiError(0, "unreachable", message), None if again or unsent else -1.0


# -- inside ----------------------------------------------------------------------------------------------


class _NoRedirects(HTTPRedirectHandler):
    """Follow nobody elsewhere: the token is for one server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _refusal(error: HTTPError) -> ApiError:
    """What a server said, as far as it speaks our language: a proxy does not."""
    try:
        told = json.loads(error.read())["error"]
        details = {key: value for key, value in told.items() if key not in ("kind", "message")}
        return ApiError(error.code, str(told["kind"]), str(told["message"]), details)
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return ApiError(error.code, "unknown", f"the server answered {error.code} {error.reason}")


def _screen(campaign: str, told: Mapping[str, Any]) -> Screen:
    return Screen(
        campaign=campaign,
        id=told["id"],
        source_language=told["langs"]["source"],
        target_language=told["langs"]["target"],
        source=told["source"],
        turns=tuple(told["turns"]),
        reference=told["reference"],
        before=tuple(told["before"]),
        after=tuple(told["after"]),
        options=tuple(Option(each["place"], each["text"], tuple(each["turns"])) for each in told["options"]),
        revision=told["revision"],
        number=told["number"],
        of=told["of"],
    )
