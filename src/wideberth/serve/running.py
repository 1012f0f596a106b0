"""Run a server: its socket, its log, clients that are too slow, and an end that answers everything
that was accepted.
"""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from wideberth.errors import InvalidInput
from wideberth.serve.door import Networks, client_of, networks_of, too_many, within
from wideberth.serve.limits import Limits
from wideberth.serve.observed import LOG, JsonLines, PlainLines
from wideberth.serve.problems import RequestProblem, problem_response

#: Connections that may be open at a time, and those of one client; more are told so and closed.
MOST_CONNECTIONS = 1000
MOST_OF_ONE_CLIENT = MOST_CONNECTIONS // 2
#: Seconds for what the kernel holds of connections and requests to be taken up when the server
#: ends.
_LAST_CALL = 0.2
#: Seconds beyond the time of a request that its answer may take to be sent when the server ends.
_TO_SEND = 5.0


class PatientProtocol(H11Protocol):
    """HTTP that gives up on connections which neither send nor read, and refuses too many of one
    client.

    uvicorn itself waits forever for the head of a request, and for a client that does not read its
    answer: it closes such a connection only when all has been read.
    """

    def __init__(self, *, idle: float, proxies: Networks, **settings: Any) -> None:
        super().__init__(**settings)
        self._idle, self._proxies = idle, proxies
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: Any) -> None:
        """Start to wait for the head of the first request, unless there are too many
        connections.
        """
        super().connection_made(transport)
        self.of_client = client_of(self.client)
        refused = self._refusal()
        if refused is not None:
            self._refuse(refused)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take data; once a request is complete enough to be answered, the application watches the
        time.
        """
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the head of the next request; uvicorn closes connections that send nothing at
        all earlier.
        """
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Wait for the client to take what has been written."""
        super().pause_writing()
        self._wait_for("reading", self._drop)

    def resume_writing(self) -> None:
        """It has taken most of it."""
        super().resume_writing()
        self._stop_waiting_for("reading")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        for what in ("head", "reading"):
            self._stop_waiting_for(what)
        super().connection_lost(exc)

    def _refusal(self) -> RequestProblem | None:
        if len(self.connections) > MOST_CONNECTIONS:
            return RequestProblem(
                503, f"{MOST_CONNECTIONS} connections are open already.", "Try again later."
            )
        if within(self.client, self._proxies):
            return None
        of_client = sum(
            getattr(other, "of_client", None) == self.of_client for other in self.connections
        )
        if of_client > MOST_OF_ONE_CLIENT:
            return too_many(f"{MOST_OF_ONE_CLIENT} connections of this client are open")
        return None

    def _refuse(self, problem: RequestProblem) -> None:
        """Answer before anything was asked, and close."""
        told = problem_response(problem, Connection="close")
        head = h11.Response(status_code=told.status_code, headers=told.raw_headers)
        for event in (head, h11.Data(data=bytes(told.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait_for(self, what: str, otherwise: Callable[[], None]) -> None:
        """Do something if it has not come in time; the time goes on if it is running."""
        if what not in self._timers:
            self._timers[what] = self.loop.call_later(self._idle, otherwise)

    def _stop_waiting_for(self, what: str) -> None:
        timer = self._timers.pop(what, None)
        if timer is not None:
            timer.cancel()

    def _watch(self) -> None:
        """Let the time run while no request is being answered; data that do not complete a head do
        not start it anew.
        """
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting_for("head")
        else:
            self._wait_for("head", self._give_up)

    def _give_up(self) -> None:
        """Close a connection; one whose client has not even read its answer would stay open until
        it does.
        """
        if self.transport.get_write_buffer_size():
            self._drop()
        else:
            self.transport.close()

    def _drop(self) -> None:
        LOG.warning(
            "client does not read",
            extra={"facts": {"client": self.client[0] if self.client else None}},
        )
        self.transport.abort()


class GracefulServer(uvicorn.Server):
    """Announces its address when it listens, and answers at its end what has reached it."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then announce it."""
        await super().startup(sockets)
        if self.started:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, take up what has arrived on those there are, answer it, and
        end.

        Connections that asyncio has accepted but not attached yet would be dropped if the listening
        socket were closed at once, and so would requests that wait in the kernel on connections
        which look idle.
        """
        loop = asyncio.get_running_loop()
        for listening in sockets or []:
            loop.remove_reader(listening.fileno())
        await asyncio.sleep(_LAST_CALL)
        await super().shutdown(sockets)
        # an end, no failure
        self._captured_signals = [
            number for number in self._captured_signals if number != signal.SIGTERM
        ]


def run(
    app: Starlette,
    host: str,
    port: int,
    limits: Limits,
    announce: Callable[[str], None],
    proxies: tuple[str, ...] = (),
    *,
    log: str | None = None,
) -> None:
    """Serve an application until SIGTERM or Ctrl-C; at its end it waits as long as a request may
    take, and a little longer. Only the ``X-Forwarded-For`` of the proxies is believed.
    ``log`` is a file for the log.
    """
    trusted = networks_of(proxies)
    listening = _listening(host, port)
    name, at = listening.getsockname()[:2]
    address = f"http://{f'[{name}]' if ':' in name else name}:{at}"

    def announced() -> None:
        LOG.info("listening", extra={"facts": {"address": address}})
        announce(address)

    write_log(log)
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=partial(PatientProtocol, idle=limits.idle, proxies=trusted),  # type: ignore[arg-type]  # any factory does
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        server_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=int(3 * limits.seconds + limits.idle + _TO_SEND)
        + 1,  # to arrive, to wait, to be worked on
    )
    GracefulServer(config, announced).run(sockets=[listening])


def write_log(path: str | None) -> None:
    """Write the log: to a file, after what it holds, as lines of JSON; or else to standard output,
    as plain lines where people read along, as JSON where programs do.
    """
    handler: logging.Handler
    if path is None:
        handler = logging.StreamHandler(sys.stdout)
    else:
        try:
            handler = logging.FileHandler(path, encoding="utf-8")
        except OSError as reason:
            raise InvalidInput(
                f"The log cannot be written to {path}: {reason.strerror}.",
                advice="Name another file with --log, or leave it out.",
                value=path,
            ) from None
    people = path is None and sys.stdout is not None and sys.stdout.isatty()
    handler.setFormatter(PlainLines() if people else JsonLines())
    for name, level in (("wideberth.serve", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as reason:
        advice = (
            "Name another address with --host, or another port with --port; port 0 takes any that "
            "is free."
        )
        raise InvalidInput(
            f"{host} port {port} cannot be used: {reason.strerror}.",
            advice=advice,
            value=(host, port),
        ) from None
    return listening
