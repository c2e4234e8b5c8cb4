"""``palmares serve``."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..errors import InputError
from .campaign.store import database_option, database_url, need_server_extra, opened, opened_or_made
from .help import Sectioned
from .options import grouped

if TYPE_CHECKING:
    import uvicorn

    from ..campaign.demo import Demo

#: Requests that are being answered when the server is stopped have so many seconds to end.
GRACE = 10
#: Seconds that a connection may be idle: longer than proxies keep theirs (nginx: 60), so that they are the ones who
#: end it; a request sent while we do so would be lost.
KEEP_ALIVE = 75
#: Connections that may wait to be accepted.
QUEUE = 2048
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
    public_address: str | None
    proxy_headers: bool
    forwarded_allow_ips: str
    access_log: bool

    @property
    def address(self) -> str:
        """What links begin with: the public address, or else where the server is reached from this machine."""
        return self.public_address or self.local_address

    @property
    def local_address(self) -> str:
        """Where the server is reached from this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}{self.root_path}"


@click.command(
    cls=Sectioned,
    leading={
        "What is served": ["demo", "database"],
        "Where": ["host", "port", "public_address", "root_path"],
        "Behind a proxy": ["proxy_headers", "forwarded_allow_ips"],
    },
    examples=(
        "palmares serve --demo",
        "palmares serve --database campaigns.db --port 8080",
        "palmares serve --address https://example.org/eval --proxy-headers",
    ),
)
@grouped(
    "listener", Listener,
    click.option("--host", default="127.0.0.1", show_default=True,
                 help="Address to listen on; 0.0.0.0 means all of them."),
    click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
                 help="Port to listen on; 0 means a free one, which is printed."),
    click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Worker processes."),
    click.option("--root-path", default="", metavar="PATH",
                 help="URL path under which a proxy serves this, such as /eval."),
    click.option("--address", "public_address", envvar="PALMARES_ADDRESS", metavar="URL",
                 help="Public address, such as https://example.org/eval: links name it, its path is the root path.  "
                      "[default: the environment variable PALMARES_ADDRESS]"),
    click.option("--proxy-headers/--no-proxy-headers", default=False, show_default=True,
                 help="Trust X-Forwarded-For and X-Forwarded-Proto from a proxy."),
    click.option("--forwarded-allow-ips", default="127.0.0.1", show_default=True, metavar="IP,IP",
                 help="Proxies to trust, for --proxy-headers."),
    click.option("--access-log/--no-access-log", default=True, show_default=True,
                 help="Log every request, without what would tell who sent it."),
)  # fmt: skip
@click.option("--demo", is_flag=True, help="Serve a made-up campaign to try things out, and print links to it.")
@database_option
def serve(listener: Listener, demo: bool, database: str | None) -> None:
    """Serve the campaigns of a database to judges and organisers on the web.

    Runs until it is stopped (Ctrl-C or SIGTERM). A database that is not there is made; as long as it has no campaign,
    a link is printed with which one can be made in the browser. The demonstration (--demo) is kept in a temporary
    database and deleted at the end, or added to the database that --database names. The server has no TLS of its own:
    put an HTTPS proxy in front of it before other machines can reach it.
    """  # fmt: skip
    _check_proxy()
    need_server_extra("the server", "fastapi", "jinja2", "uvicorn")
    from ..server.config import ServerConfig

    # What can be refused is refused before a demo is made in vain.
    config = ServerConfig("", listener.root_path, listener.public_address)
    _check_workers(listener.workers)
    with _listening(listener.host, listener.port) as place:
        host, port = place.getsockname()[:2]
        listener = replace(
            listener, root_path=config.root_path, public_address=config.address, host=str(host), port=int(port)
        )
        signal.signal(signal.SIGTERM, _stop)
        with _demonstration(database, listener) if demo else _existing(database) as url:
            _run(url, listener, place)


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
    """A database of this version, before any worker starts; one that is not there is made."""
    from ..campaign.database import is_there

    url = database_url(database)
    need_server_extra("a campaign")
    there = is_there(url)
    with opened_or_made(database) as db:
        if not there:
            click.echo(f"there was no database {db.name}: made an empty one", err=True)
    yield url


def _offer_setup(url: str, address: str) -> None:
    """Print a link to make campaigns with, if there is none yet."""
    from ..campaign.definition import campaigns
    from ..campaign.refusals import DatabaseError
    from ..campaign.setup import LINK_HOURS, make_setup_link

    try:
        with opened(url) as db:
            token = None if campaigns(db) else make_setup_link(db)
    except DatabaseError as error:
        click.echo(f"warning: no link to set up a campaign could be made ({error})", err=True)
        return
    if token is not None:
        click.echo(f"to make the first campaign, open this link, once and within {LINK_HOURS} hours:", err=True)
        click.echo(f"{address}/setup/link/{token}")
        sys.stdout.flush()


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


def _check_workers(count: int) -> None:
    if count > 1 and not hasattr(socket, "send_fds"):
        raise InputError(f"--workers: got {count}; this system cannot share connections among processes; allowed: 1")


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens; who connects before the server is ready waits for it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio answers without delay (TCP_NODELAY) only on sockets that are said to be TCP's.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        try:
            place = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0][4]
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(QUEUE)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"{host}, port {port}: cannot listen there ({reason}); stop the program that does, "
                "or choose another --port or --host"
            ) from None
        yield listener


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


def _run(url: str, listener: Listener, place: socket.socket) -> None:
    import uvicorn

    from ..server.analysis import analysing
    from ..server.config import ServerConfig
    from ..server.protocol import PromptProtocol

    os.environ.update(ServerConfig(url, listener.root_path, listener.public_address).to_environment())
    _record_address(url, listener.address)
    _offer_setup(url, listener.address)
    _say_where(listener)
    _allow_many_connections()
    config = uvicorn.Config(
        "palmares.server.app:from_environment",
        factory=True,
        http=PromptProtocol,
        proxy_headers=listener.proxy_headers,
        forwarded_allow_ips=listener.forwarded_allow_ips,
        server_header=False,
        ws="none",
        lifespan="on",
        log_config=LOGGING,
        access_log=listener.access_log,
        backlog=QUEUE,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
    )
    with analysing():
        could_start = _serve_until_stopped(config, place, listener.workers)
    if not could_start:
        raise SystemExit(1)  # the log says why


def _serve_until_stopped(config: uvicorn.Config, place: socket.socket, workers: int) -> bool:
    """Whether it could start."""
    from ..server.protocol import PromptServer

    if workers > 1:
        from ..server.workers import Supervisor

        return Supervisor(config, place, workers).run()
    server = PromptServer(config)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[place])
    return server.started


def _say_where(listener: Listener) -> None:
    public = f" for {listener.public_address}" if listener.public_address else ""
    click.echo(f"serving on {listener.local_address}{public} (stop with Ctrl-C)", err=True)
    if not ipaddress.ip_address(listener.host).is_loopback:
        click.echo(
            f"warning: {listener.host} can be reached from other machines; links and answers travel unencrypted; "
            "put an HTTPS proxy in front of it", err=True,
        )  # fmt: skip


def _allow_many_connections() -> None:
    """Take as many open files as the system lets us: a browser holds several connections, and keeps them a while."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
