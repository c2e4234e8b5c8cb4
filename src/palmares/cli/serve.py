"""``palmares serve``."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..errors import InputError
from .campaign.store import database_option, database_url, need_server_extra, opened, opened_or_made
from .options import grouped

if TYPE_CHECKING:
    from ..campaign.demo import Demo

#: Requests that are being answered when the server is stopped have so many seconds to end.
GRACE = 10
_LINE = "%(asctime)s %(levelname)s %(message)s"
_ACCESS_LINE = '%(asctime)s %(client_addr)s "%(request_line)s" %(status_code)s'
#: Everything goes to standard error; of uvicorn's own news, only what is wrong.
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": _LINE},
        "access": {"()": "uvicorn.logging.AccessFormatter", "fmt": _ACCESS_LINE, "use_colors": False},
    },
    "handlers": {
        "plain": {"class": "logging.StreamHandler", "formatter": "plain"},
        "access": {"class": "logging.StreamHandler", "formatter": "access"},
    },
    "loggers": {
        "uvicorn": {"handlers": ["plain"], "level": "WARNING", "propagate": False},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
        "palmares": {"handlers": ["plain"], "level": "INFO", "propagate": False},
    },
}


@dataclass(frozen=True)
class Listener:
    """Where and how the server listens."""

    host: str
    port: int
    workers: int
    root_path: str
    proxy_headers: bool
    forwarded_allow_ips: str

    @property
    def address(self) -> str:
        """Where the server is reached from this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}{self.root_path}"


@click.command()
@grouped(
    "listener", Listener,
    click.option("--host", default="127.0.0.1", show_default=True,
                 help="Address to listen on; 0.0.0.0 means all of them."),
    click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on."),
    click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Worker processes."),
    click.option("--root-path", default="", metavar="PATH",
                 help="URL path under which a proxy serves this, such as /eval."),
    click.option("--proxy-headers/--no-proxy-headers", default=False, show_default=True,
                 help="Trust X-Forwarded-For and X-Forwarded-Proto from a proxy."),
    click.option("--forwarded-allow-ips", default="127.0.0.1", show_default=True, metavar="IP,IP",
                 help="Proxies to trust, for --proxy-headers."),
)  # fmt: skip
@click.option("--demo", is_flag=True, help="Serve a made-up campaign to try things out, and print links to it.")
@database_option
def serve(listener: Listener, demo: bool, database: str | None) -> None:
    """Serve the campaigns of a database to judges and organisers on the web.

    Runs until it is stopped (Ctrl-C or SIGTERM). It has no TLS of its own: put an HTTPS proxy in front of it before
    other machines can reach it. --demo keeps its campaign in a temporary database and deletes it at the end, or adds
    it to the database that --database names.
    """  # fmt: skip
    _check_proxy()
    need_server_extra("the server", "fastapi", "jinja2", "uvicorn")
    from ..server.config import ServerConfig

    # What can be refused is refused before a demo is made in vain.
    root_path = ServerConfig("", listener.root_path).root_path
    listener = replace(listener, root_path=root_path, host=_free_address(listener.host, listener.port))
    signal.signal(signal.SIGTERM, _stop)
    with _demonstration(database, listener) if demo else _existing(database) as url:
        _run(url, listener)


def _stop(*_: object) -> NoReturn:
    """End in order: what was made for this run is removed, and the exit status is 0."""
    sys.exit(0)


def _check_proxy() -> None:
    context = click.get_current_context()
    given = context.get_parameter_source("forwarded_allow_ips") == click.core.ParameterSource.COMMANDLINE
    if given and not context.params["proxy_headers"]:
        raise InputError("--forwarded-allow-ips says which proxies to trust; give --proxy-headers too, or leave it out")


# -- what is served --------------------------------------------------------------------------------------


@contextmanager
def _existing(database: str | None) -> Iterator[str]:
    """A database that is there and of this version, before any worker starts."""
    with opened(database):
        pass
    yield database_url(database)


@contextmanager
def _demonstration(database: str | None, listener: Listener) -> Iterator[str]:
    """A database with the demo in it, and links to it printed."""
    with TemporaryDirectory(prefix="palmares-demo-") as folder:
        place = database or str(Path(folder) / "demo.db")
        demo = _new_demo(place)
        tokens = {
            "judge (French–English)": demo.judge,
            "judge (all languages)": demo.polyglot,
            "organiser": demo.organiser,
            "observer": demo.observer,
        }
        for role, token in tokens.items():
            click.echo(f"{role:<24} {listener.address}/join/{token}")
        yield database_url(place)


def _new_demo(place: str) -> Demo:
    from ..campaign.definition import campaigns
    from ..campaign.demo import NAME, make_demo

    with opened_or_made(place) as db:
        if NAME in [info.name for info in campaigns(db)]:
            raise InputError(f"{db.name}: has a campaign {NAME!r} already; leave out --demo to serve it, or --database")
        click.echo("creating the demo …", err=True)
        return make_demo(db)


# -- where it is served ----------------------------------------------------------------------------------


def _free_address(host: str, port: int) -> str:
    """The number of a host that can be listened on; tried now, as the server will."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        place = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0][4]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
            probe.listen(1)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{host}, port {port}: cannot listen there ({reason}); stop the program that does, "
            "or choose another --port or --host"
        ) from None
    return str(place[0])


# -- the server ------------------------------------------------------------------------------------------


def _record_address(url: str, address: str) -> None:
    """Tell 'palmares campaign invite' where links lead; a database that cannot be written to is served all the same."""
    from ..campaign.addresses import record_server
    from ..campaign.refusals import DatabaseError

    try:
        with opened(url) as db:
            record_server(db, address)
    except DatabaseError as error:
        click.echo(f"warning: links of 'campaign invite' will not name this server ({error})", err=True)


def _run(url: str, listener: Listener) -> None:
    import uvicorn

    from ..server.config import ServerConfig

    os.environ.update(ServerConfig(url, listener.root_path).to_environment())
    _record_address(url, listener.address)
    click.echo(f"serving on {listener.address} (stop with Ctrl-C)", err=True)
    if not ipaddress.ip_address(listener.host).is_loopback:
        click.echo(
            f"warning: {listener.host} can be reached from other machines; links and answers travel unencrypted; "
            "put an HTTPS proxy in front of it", err=True,
        )  # fmt: skip
    uvicorn.run(
        "palmares.server.app:from_environment",
        factory=True,
        host=listener.host,
        port=listener.port,
        workers=listener.workers,
        proxy_headers=listener.proxy_headers,
        forwarded_allow_ips=listener.forwarded_allow_ips,
        server_header=False,
        ws="none",
        lifespan="on",
        log_config=LOGGING,
        timeout_graceful_shutdown=GRACE,
    )
