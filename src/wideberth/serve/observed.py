"""What is noted of each request: a line of the access log, counts in the text format of Prometheus,
and headers; never an object.
"""

import json
import logging
import secrets
import time
from bisect import bisect_left
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import wideberth
from wideberth.serve.problems import SAFE_HEADERS, RequestProblem, problem_response

#: The media type of the text.
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: The upper ends of the intervals in which times are counted, in seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Counters:
    """What a server has done so far.

    Examples
    --------
    >>> counters = Counters()
    >>> counters.count_request("/predict", 200, seconds=0.004, objects=3)
    >>> [line for line in counters.text().splitlines() if line.startswith("wideberth_objects")]
    ['wideberth_objects_total 3']
    """

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._in_buckets = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0
        self._objects = 0
        self._replaced: Counter[str] = Counter({"time": 0, "died": 0})
        self.in_flight = 0

    def count_request(self, route: str, status: int, seconds: float, objects: int) -> None:
        """Count a request that was answered, by its path or "other": a path that somebody made up
        may hold anything.
        """
        self._requests[route, status] += 1
        self._objects += objects
        if route == "/predict":
            self._in_buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds += seconds

    def count_replaced(self, reason: str) -> None:
        """Count a worker that was replaced."""
        self._replaced[reason] += 1

    def text(self, **gauges: float) -> str:
        """All counts as text; ``gauges`` are further numbers of the moment.

        Examples
        --------
        >>> "wideberth_workers_ready 2" in Counters().text(workers_ready=2)
        True
        """
        lines = [
            "# TYPE wideberth_build_info gauge",
            f'wideberth_build_info{{version="{wideberth.__version__}"}} 1',
        ]
        lines += [
            "# HELP wideberth_requests_total Requests that were answered.",
            "# TYPE wideberth_requests_total counter",
        ]
        lines += [
            f'wideberth_requests_total{{route="{route}",status="{status}"}} {count}'
            for (route, status), count in sorted(self._requests.items())
        ]
        lines += [
            "# HELP wideberth_objects_total Objects that were answered.",
            "# TYPE wideberth_objects_total counter",
        ]
        lines += [f"wideberth_objects_total {self._objects}", *self._histogram()]
        lines += ["# HELP wideberth_workers_replaced_total Workers that were killed or died.",
                  "# TYPE wideberth_workers_replaced_total counter"]  # fmt: skip
        lines += [
            f'wideberth_workers_replaced_total{{reason="{why}"}} {n}'
            for why, n in sorted(self._replaced.items())
        ]
        for name, value in ({"requests_in_flight": self.in_flight} | gauges).items():
            lines += [f"# TYPE wideberth_{name} gauge", f"wideberth_{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _histogram(self) -> list[str]:
        name, total = "wideberth_predict_seconds", 0
        lines = [
            f"# HELP {name} Time from the request for a prediction to its answer.",
            f"# TYPE {name} histogram",
        ]
        for end, count in zip(
            (*(f"{bucket:g}" for bucket in BUCKETS), "+Inf"), self._in_buckets, strict=True
        ):
            total += count
            lines.append(f'{name}_bucket{{le="{end}"}} {total}')
        return [*lines, f"{name}_sum {self._seconds:.6f}", f"{name}_count {total}"]


# ---- What is noted of each request: a line of the access log, counts, and headers; never an
# object.

LOG = logging.getLogger("wideberth.serve")


class ObservedMiddleware:
    """Counts and logs all requests, gives all responses their common headers, and answers for
    errors that nobody foresaw.
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


class PlainLines(logging.Formatter):
    """A record of the log as a line for people: the time of day, then what happened.

    Examples
    --------
    >>> request = {"client": "::1", "method": "POST", "route": "/predict", "status": 200}
    >>> request |= {"milliseconds": 3.2, "objects": 2, "id": "f3"}
    >>> record = logging.makeLogRecord({"msg": "request", "created": 0.0, "facts": request})
    >>> PlainLines().format(record)[8:]
    '  POST /predict  200 in 3.2 ms  objects=2 client=::1'
    >>> record = logging.makeLogRecord({"msg": "listening", "created": 0.0, "facts": {"port": 1}})
    >>> PlainLines().format(record)[8:]
    '  listening  port=1'
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line; of an exception its type alone."""
        facts = dict(getattr(record, "facts", {}))
        what = record.getMessage().strip()
        if what == "request":
            what = (
                f"{facts.pop('method')} {facts.pop('route')}  {facts.pop('status')} in "
                f"{facts.pop('milliseconds'):g} ms"
            )
            client = facts.pop("client")
            facts.pop("id")
            facts = {name: value for name, value in facts.items() if value} | {"client": client}
        if record.exc_info and record.exc_info[0] is not None:
            facts["error"] = record.exc_info[0].__name__
        told = " ".join(f"{name}={value}" for name, value in facts.items())
        at = datetime.fromtimestamp(record.created).astimezone()
        return f"{at:%H:%M:%S}  {what}  {told}".rstrip()
