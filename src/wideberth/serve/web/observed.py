"""What is noted of each request: a line of the access log, counts, and headers; never an object."""

import json
import logging
import secrets
import time
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wideberth.serve.problems import RequestProblem
from wideberth.serve.web.counters import Counters
from wideberth.serve.web.responses import SAFE_HEADERS, problem_response

LOG = logging.getLogger("wideberth.serve")


class ObservedMiddleware:
    """Counts and logs all requests, gives all responses their common headers, and answers for
    errors that nobody foresaw.

    Parameters
    ----------
    app : ASGI application
        What answers.
    counters : Counters
        What is counted.
    routes : frozenset of str
        The paths that are told apart; all others are "other", as a path that somebody made up may
        hold anything.
    """

    def __init__(self, app: ASGIApp, counters: Counters, routes: frozenset[str]) -> None:
        self._app, self._counters, self._routes = app, counters, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Observe a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, request_id = time.perf_counter(), secrets.token_hex(8)
        scope["observed"] = noted = {"objects": 0, "bytes": 0}
        status: list[int] = []

        async def noticed(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        self._counters.in_flight += 1
        try:
            await self._answered(scope, receive, noticed, status, request_id)
        finally:
            self._counters.in_flight -= 1
            self._note(
                scope,
                status[0] if status else 499,
                time.perf_counter() - started,
                request_id,
                noted,
            )

    async def _answered(
        self, scope: Scope, receive: Receive, send: Send, status: list[int], request_id: str
    ) -> None:
        """Let the application answer; what nobody foresaw is told without its message, which may
        hold objects.
        """
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            LOG.error("fault", extra={"facts": {"id": request_id, "error": type(error).__name__}})
            if not status:
                problem = RequestProblem(
                    500,
                    f"An error that nobody foresaw ({type(error).__name__}).",
                    f"Report it with {request_id}.",
                )
                await problem_response(problem)(scope, receive, send)

    def _note(
        self, scope: Scope, status: int, seconds: float, request_id: str, noted: dict[str, int]
    ) -> None:
        route = scope["path"] if scope["path"] in self._routes else "other"
        self._counters.count_request(route, status, seconds, noted["objects"])
        client = scope.get("client")
        facts = {
            "id": request_id,
            "client": client[0] if client else None,
            "method": scope["method"]
            if scope["method"].isalpha() and len(scope["method"]) < 10
            else "other",
            "route": route,
            "status": status,
            "milliseconds": round(1000 * seconds, 3),
            **noted,
        }
        LOG.info("request", extra={"facts": facts})


class JsonLines(logging.Formatter):
    """A record of the log as a line of JSON: time, level, event, and the facts that came with it.

    Examples
    --------
    >>> record = logging.makeLogRecord(
    ...     {"msg": "request", "levelname": "INFO", "created": 0.0, "facts": {"status": 200}}
    ... )
    >>> JsonLines().format(record)
    '{"time": "1970-01-01T00:00:00.000+00:00", "level": "info", "event": "request", "status": 200}'
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line; of an exception its type alone, since its message may hold objects."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().strip(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = record.exc_info[0].__name__
        return json.dumps(told)
