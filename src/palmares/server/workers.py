"""Several processes that answer requests, and the one that started them.

The parent listens, accepts connections and gives each to the worker that has the fewest; the workers never listen.
With a listening socket that all of them share, as uvicorn has it, one worker takes what has come while the other
thinks: of 16 connections, 14 went to one of two. A worker learns from the channel its connections come through that
the parent is gone, however that ended; it finishes what it is doing and ends. (uvicorn's workers go on without
a parent and keep the port.)
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import selectors
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnProcess

import uvicorn

from .protocol import PromptProtocol, PromptServer

log = logging.getLogger("palmares.server")

#: What a worker tells its parent, a byte each.
_READY, _TAKEN, _CLOSED, _LEAVING = b"r", b"t", b"c", b"l"
#: A worker that could not start is tried again after so many seconds.
_PAUSE = 1.0
#: What workers get beyond their time for requests in flight, before they are killed.
_MARGIN = 5.0


# -- a worker ----------------------------------------------------------------------------------------------


class WorkerServer(PromptServer):
    """A server on connections that come through a channel."""

    def __init__(self, config: uvicorn.Config, channel: socket.socket) -> None:
        super().__init__(config)
        self._channel = channel
        self._unsaid = b""
        self._is_leaving = False
        self._arriving: set[asyncio.Task[None]] = set()
        channel.setblocking(False)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[])
        asyncio.get_running_loop().add_reader(self._channel, self._take)
        self._say(_READY)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._is_leaving = True
        self._say(_LEAVING)
        await super().shutdown(sockets=[])

    def _take(self) -> None:
        """Take a connection, or learn that the parent is gone."""
        try:
            data, handles, _, _ = socket.recv_fds(self._channel, 1, 1)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data, handles = b"", []
        if not data:
            asyncio.get_running_loop().remove_reader(self._channel)
            self.should_exit = True
            return
        for handle in handles:
            connection = socket.socket(fileno=handle)
            if self._is_leaving:  # the parent has it still, and gives it to another
                connection.close()
                continue
            self._say(_TAKEN)
            task = asyncio.create_task(self._serve_connection(connection))
            self._arriving.add(task)
            task.add_done_callback(self._arriving.discard)

    async def _serve_connection(self, connection: socket.socket) -> None:
        def protocol() -> PromptProtocol:
            made = PromptProtocol(self.config, self.server_state, self.lifespan.state)
            made.on_lost = self._say_closed
            return made

        try:
            connection.setblocking(False)
            # Otherwise a response in two parts waits for the receipt of the first: 40 ms.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().connect_accepted_socket(protocol, connection)
        except OSError:  # gone before it began
            connection.close()
            self._say_closed()

    def _say_closed(self) -> None:
        self._say(_CLOSED)

    def _say(self, word: bytes) -> None:
        self._unsaid += word
        with suppress(OSError):  # what is left is said with the next word; without a parent nobody listens
            self._unsaid = self._unsaid[self._channel.send(self._unsaid) :]


def _work(config: uvicorn.Config, channel: socket.socket) -> None:
    """What a worker process runs."""
    config.configure_logging()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # before the server has its own handler, and after it
    server = WorkerServer(config, channel)
    with suppress(SystemExit):
        server.run()
    logging.shutdown()
    # All is closed; to take down the interpreter with all its modules would take longer than everything before.
    os._exit(0 if server.started else 1)


# -- their parent ------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Worker:
    """A worker as its parent sees it."""

    process: SpawnProcess
    channel: socket.socket
    connections: int = 0
    is_ready: bool = False
    has_been_ready: bool = False
    untaken: deque[socket.socket] = field(default_factory=deque)

    @classmethod
    def start(cls, config: uvicorn.Config) -> _Worker:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        process = multiprocessing.get_context("spawn").Process(target=_work, args=(config, theirs))
        # Ctrl-C reaches all processes of a terminal; the workers leave it to their parent to end them.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            theirs.close()
        return cls(process, ours)

    def listen(self) -> bool:
        """Take in what the worker has said; False if it will say nothing any more."""
        try:
            said = self.channel.recv(4096)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            said = b""
        for _ in range(said.count(_TAKEN)):
            self.untaken.popleft().close()  # the worker has a handle of its own
        self.connections -= said.count(_CLOSED)
        if _READY in said:
            self.is_ready = self.has_been_ready = True
            log.info("worker %s is ready", self.process.pid)
        if _LEAVING in said or not said:
            self.is_ready = False
        return bool(said)

    def give(self, connection: socket.socket) -> bool:
        """Hand a connection over; False if the worker cannot be given any."""
        try:
            socket.send_fds(self.channel, [b"+"], [connection.fileno()])
        except OSError:  # it has just died, or does not take in what it was given
            return False
        self.connections += 1
        self.untaken.append(connection)
        return True


class Supervisor:
    """Start workers, give them connections, replace those that die, and end them in order."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket, count: int) -> None:
        self._config, self._listener, self._count = config, listener, count
        self._workers: list[_Worker] = []
        self._unplaced: list[socket.socket] = []
        self._selector = selectors.DefaultSelector()
        self._has_served = self._is_stopping = False
        self._start_again_at = 0.0

    def run(self) -> bool:
        """Serve until SIGTERM, SIGINT or SIGHUP; False if no worker could start."""
        self._listener.setblocking(False)
        resource_tracker.ensure_running()  # later, it would undo the mask of signals under which workers start
        with self._stopped_by_signals():
            try:
                while not self._is_stopping:
                    self._start_missing()
                    self._listen_if_ready()
                    for key, _ in self._selector.select(self._patience()):
                        react: Callable[[], object] = key.data
                        react()
                    self._place()
            finally:
                self._listener.close()
                self._end_workers()
                for connection in self._unplaced:
                    connection.close()
        return self._has_served

    @contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        """Signals end the waiting, and then the serving."""

        def stop(*_: object) -> None:
            self._is_stopping = True

        awake, wake = socket.socketpair()
        with awake, wake:
            wake.setblocking(False)
            self._selector.register(awake, selectors.EVENT_READ, lambda: awake.recv(64))
            wake_before = signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
            kinds = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            before = {kind: signal.signal(kind, stop) for kind in kinds}
            try:
                yield
            finally:
                for kind, handler in before.items():
                    signal.signal(kind, handler)
                signal.set_wakeup_fd(wake_before)

    # -- connections -----------------------------------------------------------------------------

    def _ready(self) -> list[_Worker]:
        return sorted((worker for worker in self._workers if worker.is_ready), key=lambda worker: worker.connections)

    def _listen_if_ready(self) -> None:
        """Connections wait in the queue of the system until there is a worker for them."""
        listens = self._listener in self._selector.get_map()
        if self._ready() and not listens:
            self._has_served = True
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        elif listens and not self._ready():
            self._selector.unregister(self._listener)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            log.error("a connection could not be accepted: %s", error)
            time.sleep(0.1)  # too many open files, perhaps; some will be closed
            return
        self._unplaced.append(connection)

    def _place(self) -> None:
        """Give connections to the workers that have the fewest; those that no worker can take now wait."""
        self._unplaced = [
            connection for connection in self._unplaced if not any(worker.give(connection) for worker in self._ready())
        ]

    # -- processes -------------------------------------------------------------------------------

    def _patience(self) -> float | None:
        """Seconds until something has to be done even if nothing happens."""
        if len(self._workers) == self._count:
            return None
        return max(self._start_again_at - time.monotonic(), 0.0)

    def _start_missing(self) -> None:
        while len(self._workers) < self._count and time.monotonic() >= self._start_again_at:
            worker = _Worker.start(self._config)
            self._workers.append(worker)
            self._selector.register(worker.channel, selectors.EVENT_READ, partial(self._hear, worker))
            self._selector.register(worker.process.sentinel, selectors.EVENT_READ, partial(self._bury, worker))

    def _hear(self, worker: _Worker) -> None:
        if worker in self._workers and not worker.listen():  # the end of its process is news of its own
            self._selector.unregister(worker.channel)
        if not worker.is_ready:
            self._take_back(worker)

    def _take_back(self, worker: _Worker) -> None:
        """What a worker was given and has not taken is for others; nothing of it has been read."""
        self._unplaced.extend(worker.untaken)
        worker.untaken.clear()

    def _bury(self, worker: _Worker) -> None:
        """Forget a worker that has ended; another takes its place, unless none could ever start."""
        self._selector.unregister(worker.process.sentinel)
        with suppress(KeyError):
            self._selector.unregister(worker.channel)
        worker.listen()  # to what it said last
        self._take_back(worker)
        worker.channel.close()
        worker.process.join()
        self._workers.remove(worker)
        log.error("worker %s has ended with status %s", worker.process.pid, worker.process.exitcode)
        if not worker.has_been_ready:
            self._is_stopping = self._is_stopping or not self._has_served
            self._start_again_at = time.monotonic() + _PAUSE

    def _end_workers(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        end = time.monotonic() + (self._config.timeout_graceful_shutdown or 0) + _MARGIN
        for worker in self._workers:
            worker.process.join(max(end - time.monotonic(), 0))
            if worker.process.is_alive():
                log.error("worker %s did not end in time and is killed", worker.process.pid)
                worker.process.kill()
                worker.process.join()
            worker.channel.close()
