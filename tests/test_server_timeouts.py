"""Requests that never finish: the head by the protocol, the body by a middleware; nothing else is cut short."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Scope

from palmares.server import problems
from palmares.server.protocol import PromptProtocol
from palmares.server.security import BYTES_A_SECOND, BodyLimit

#: What the tests allow for a head or a body, and what they wait for an end: it comes, or it never does.
SHORT, PATIENCE = 0.4, 30
POST = b"POST /read HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n"


class ShortProtocol(PromptProtocol):
    head_seconds = SHORT


async def read(request: Request) -> Response:
    return JSONResponse({"length": len(await request.body())})


async def ignore(request: Request) -> Response:
    return PlainTextResponse("not read")


async def think(request: Request) -> Response:
    """Longer than a head or a body may take."""
    await request.body()
    await asyncio.sleep(3 * SHORT)
    return PlainTextResponse("thought")


async def stream(request: Request) -> Response:
    await request.body()

    async def parts() -> AsyncIterator[bytes]:
        for part in (b"one ", b"two ", b"three"):
            yield part
            await asyncio.sleep(SHORT)

    return StreamingResponse(parts(), headers={"Connection": "close"})


async def limit_for(_: Scope, _announced: int) -> int:
    return 1_000_000


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    app = FastAPI(openapi_url=None)
    problems.install(app)
    app.add_middleware(BodyLimit, limit_for=limit_for, seconds=SHORT)
    for handler in (read, ignore, think, stream):
        app.add_route(f"/{handler.__name__}", handler, methods=["GET", "POST"])
    with serving(app) as number:
        yield number


@contextmanager
def serving(app: FastAPI) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as place:
        config = uvicorn.Config(app, http=ShortProtocol, lifespan="off", log_level="warning", timeout_keep_alive=60)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([place],), daemon=True)
        thread.start()
        try:
            yield place.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(timeout=PATIENCE)


@pytest.fixture
def connection(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as made:
        yield made


def rest(connection: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    got = b""
    while data := connection.recv(65536):
        got += data
    return got


def get_ignored(connection: socket.socket) -> None:
    """A whole request, and its answer."""
    connection.sendall(b"GET /ignore HTTP/1.1\r\nHost: x\r\n\r\n")
    got = b""
    while not got.endswith(b"not read"):
        data = connection.recv(65536)
        assert data, "the connection was closed"
        got += data


def dribble(connection: socket.socket, text: bytes) -> bytes:
    """Send a byte now and then, so that there is always progress, until the server has had enough."""
    connection.settimeout(SHORT / 10)
    end = time.monotonic() + PATIENCE
    got = b""
    for byte in text:
        assert time.monotonic() < end, "the server goes on reading"
        try:
            connection.sendall(bytes([byte]))
            data = connection.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:
            return got
        if not data:
            return got
        got += data
    raise AssertionError("everything was read")


# -- heads -----------------------------------------------------------------------------------------------


def test_a_connection_on_which_nothing_comes_is_closed(connection: socket.socket) -> None:
    assert rest(connection) == b""


def test_a_head_that_does_not_end(connection: socket.socket) -> None:
    connection.sendall(b"GET /ignore HTTP/1.1\r\nHost: x\r\n")
    assert rest(connection).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_a_head_that_comes_byte_by_byte(connection: socket.socket) -> None:
    head = b"GET /ignore HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 1000
    assert dribble(connection, head).startswith(b"HTTP/1.1 408 ")


def test_the_head_of_a_second_request(connection: socket.socket) -> None:
    get_ignored(connection)
    connection.sendall(b"GET /ignore")
    assert rest(connection).startswith(b"HTTP/1.1 408 ")


def test_an_idle_connection_is_not_held_to_the_limit_of_heads(connection: socket.socket) -> None:
    for _ in range(2):
        get_ignored(connection)
        time.sleep(2 * SHORT)


def test_a_long_answer_is_waited_for(connection: socket.socket) -> None:
    connection.sendall(b"GET /think HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert rest(connection).endswith(b"thought")


# -- bodies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [b"Content-Length: 10\r\n", b"Transfer-Encoding: chunked\r\n"])
def test_a_body_that_never_comes(connection: socket.socket, kind: bytes) -> None:
    connection.sendall(POST + kind + b"\r\n")
    head, _, body = rest(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in head.lower()
    assert b'"kind":"too-slow"' in body


def test_a_body_that_comes_byte_by_byte(connection: socket.socket) -> None:
    connection.sendall(POST + b"Content-Length: 1000\r\n\r\n")
    assert dribble(connection, b"x" * 1000).startswith(b"HTTP/1.1 408 ")


def test_a_long_body_that_gets_on_has_more_time(connection: socket.socket) -> None:
    part = b"x" * BYTES_A_SECOND  # buys a second
    connection.sendall(POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % (3 * len(part)))
    for _ in range(3):
        connection.sendall(part)
        time.sleep(0.5 * SHORT)
    assert rest(connection).endswith(b'{"length":%d}' % (3 * len(part)))


def test_a_body_that_nobody_reads_does_not_hold_the_connection(connection: socket.socket) -> None:
    connection.sendall(b"POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
    assert dribble(connection, b"x" * 900).endswith(b"not read")


@pytest.mark.parametrize(("path", "end"), [(b"think", b"thought"), (b"stream", b"three\r\n0\r\n\r\n")])
def test_once_the_body_is_there_its_limit_is_over(connection: socket.socket, path: bytes, end: bytes) -> None:
    head = b"POST /%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n" % path
    connection.sendall(head + b"body")
    assert rest(connection).endswith(end)
