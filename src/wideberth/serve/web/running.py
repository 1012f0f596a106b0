"""Run a server: its socket, its log, clients that are too slow, and an end that answers everything that was accepted."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from wideberth.errors import InvalidInput
from wideberth.serve.web.observed import LOG, JsonLines

#: Connections that may be open at a time; more get 503.
MOST_CONNECTIONS = 1000
#: Seconds in which a connection has to send the head of a request, the first one or a further one.
SECONDS_FOR_HEAD = 10.0
#: Seconds for what the kernel holds of connections and requests to be taken up when the server ends.
_LAST_CALL = 0.2
#: Seconds beyond the time of a request that its answer may take to be sent when the server ends.
_TO_SEND = 5.0


class PatientProtocol(H11Protocol):
    """HTTP that gives up on connections which do not send the head of a request in time; uvicorn itself waits forever."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start to wait for the head of the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take data; once a request is complete enough to be answered, the application watches the time."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the head of the next request; uvicorn closes connections that send nothing at all earlier."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Let the time run while no request is being answered; data that do not complete a head do not start it anew."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elif not answering and self._timer is None:
            self._timer = self.loop.call_later(SECONDS_FOR_HEAD, self._give_up)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


class GracefulServer(uvicorn.Server):
    """Announces its address when it listens, and answers at its end what has reached it.

    Parameters
    ----------
    config : uvicorn.Config
        As uvicorn takes it.
    announce : callable
        Called when requests can come.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then announce it."""
        await super().startup(sockets)
        if self.started:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, take up what has arrived on those there are, answer it, and end.

        Connections that asyncio has accepted but not attached yet would be dropped if the listening socket were closed at once,
        and so would requests that wait in the kernel on connections which look idle.
        """
        loop = asyncio.get_running_loop()
        for listening in sockets or []:
            loop.remove_reader(listening.fileno())
        await asyncio.sleep(_LAST_CALL)
        await super().shutdown(sockets)
        self._captured_signals = [number for number in self._captured_signals if number != signal.SIGTERM]  # an end, no failure


def run(app: Starlette, host: str, port: int, seconds: float, announce: Callable[[str], None]) -> None:
    """Serve an application until SIGTERM or Ctrl-C.

    Parameters
    ----------
    app : Starlette
        The application.
    host, port
        Where to listen; port 0 for any that is free.
    seconds : float
        How long an answer may take: as long, and a little longer, the server waits for answers at its end.
    announce : callable
        Called with the address when requests can come.

    Raises
    ------
    InvalidInput
        If the address cannot be used.
    """
    listening = _listening(host, port)
    name, at = listening.getsockname()[:2]
    address = f"http://{f'[{name}]' if ':' in name else name}:{at}"

    def announced() -> None:
        LOG.info("listening", extra={"facts": {"address": address}})
        announce(address)

    log_as_json()
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=int(seconds + _TO_SEND) + 1,
    )
    GracefulServer(config, announced).run(sockets=[listening])


def log_as_json() -> None:
    """Write the log to standard output, as lines of JSON."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines())
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
        advice = "Name another address with --host, or another port with --port; port 0 takes any that is free."
        raise InvalidInput(f"{host} port {port} cannot be used: {reason.strerror}.", advice=advice, value=(host, port)) from None
    return listening
