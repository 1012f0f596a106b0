"""What goes wrong with a request, in sentences: problem details as in RFC 9457, with the way out; and
responses, with the headers that all of them carry.
"""

import json
from http import HTTPStatus
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from wideberth.errors import BrokenAxiom, InvalidFile, WideberthError
from wideberth.wording import Face

#: The media type of the answers below.
PROBLEM_TYPE = "application/problem+json"
#: What to do where advice is for those who write Python.
HOW_OBJECTS_ARE_WRITTEN = "GET /model shows how objects are written."
#: Most characters of a sentence.
_LONGEST = 600


class RequestProblem(Exception):
    """A request that cannot be answered.

    Examples
    --------
    >>> RequestProblem(413, "The body has 2,000,000 bytes.", "Send fewer objects at a time.").body()
    b'{"title": "...", "status": 413, "detail": "The body has 2,000,000 bytes.", "advice": "Send fewer objects at a time."}'
    """

    def __init__(self, status: int, detail: str, advice: str = "", **facts: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.advice, self.facts = status, detail, advice, facts

    def body(self) -> bytes:
        """The answer as JSON."""
        told = {
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": _shortened(self.detail),
        }
        return json.dumps(
            told | ({"advice": _shortened(self.advice)} if self.advice else {}) | self.facts
        ).encode()


def problem_of(error: Exception, counted: str = "Line") -> RequestProblem:
    """Describe an error that reading or answering raised.

    Errors of this library keep their message; others are named by their type alone, since messages
    may hold objects.

    Examples
    --------
    >>> from wideberth.errors import InvalidInput
    >>> from wideberth.io.readers.records import fault
    >>> from wideberth.wording import at, setting
    >>> found = problem_of(fault("body", "'abc' is not a number.", line=3, value="abc"), "Object")
    >>> found.status, found.detail, found.facts
    (400, "Object 3: 'abc' is not a number.", {'object': 3})
    >>> found = problem_of(
    ...     InvalidInput(
    ...         f"{at('Object', 2)} is no text.", advice=f"Pass {setting('kind', 'objects')}."
    ...     )
    ... )
    >>> found.status, found.detail, found.advice, found.facts
    (422, 'Object 3 is no text.', 'GET /model shows how objects are written.', {'object': 3})
    """
    if isinstance(error, RequestProblem):
        return error
    if isinstance(error, MemoryError):
        return RequestProblem(
            503,
            "There was not enough memory to answer.",
            "Send fewer or shorter objects at a time.",
        )
    # messages would show the model's objects
    if isinstance(error, BrokenAxiom) or not isinstance(error, WideberthError):
        detail = f"The objects could not be answered for ({type(error).__name__})."
        return RequestProblem(
            500,
            detail,
            "If they are written as GET /model says, please report this as a fault of wideberth.",
        )
    is_python = any(part.kind != "at" for part in error.advice.parts())
    advice = HOW_OBJECTS_ARE_WRITTEN if is_python else error.advice.told(_REQUEST)
    if not isinstance(error, InvalidFile):
        place = error.place.get("object", error.place.get("row"))
        where = {"object": place + 1} if isinstance(place, int) else {}
        return RequestProblem(422, error.problem.told(_REQUEST), advice, **where)
    line, reason = vars(error).get("line"), vars(error).get("reason", error.problem)
    if line is None:
        return RequestProblem(400, f"The objects cannot be read: {reason}", advice)
    return RequestProblem(400, f"{counted} {line}: {reason}", advice, **{counted.lower(): line})


class _Request(Face):
    """The face of HTTP: the objects of a request are counted from 1, as its lines are."""

    def at(self, what: str, where: str) -> str:
        """Say a place."""
        counted_from_0 = what.lower() in ("object", "row") and where.isdecimal()
        return super().at(what, str(int(where) + 1) if counted_from_0 else where)


_REQUEST = _Request()


def _shortened(text: str) -> str:
    """A text without spaces around it, and without its middle if it is very long."""
    text = text.strip()
    return (
        text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
    )


# ---- Responses, with the headers that all of them carry.

#: Statuses after which a connection is closed: the rest of its body was not read.
_UNREAD = frozenset({401, 403, 404, 405, 408, 413, 415, 421, 429})
#: Bytes of an answer that are handed over at a time.
_PIECE = 65_536
#: What keeps browsers from guessing, framing or sending anything elsewhere.
SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors "
    "'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def problem_response(problem: RequestProblem, **headers: str) -> Response:
    """The response to a request that cannot be answered.

    Examples
    --------
    >>> problem_response(RequestProblem(413, "The body is too long.")).status_code
    413
    """
    if problem.status in _UNREAD:
        headers["Connection"] = "close"
    if problem.status in (429, 503):
        headers["Retry-After"] = "1"
    return Response(problem.body(), problem.status, headers, PROBLEM_TYPE)


class ResponseInPieces(Response):
    """A response that is handed over in pieces, each when the client has taken most of those
    before.

    One that is handed over at once lies in the buffers of the server until the client has read it,
    while the request looks done.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        size = len(self.body)
        for start in range(0, max(1, size), _PIECE):
            piece, more = bytes(self.body[start : start + _PIECE]), start + _PIECE < size
            await send({"type": "http.response.body", "body": piece, "more_body": more})


def json_response(body: bytes, status: int = 200) -> Response:
    """A response in JSON.

    Examples
    --------
    >>> json_response(b"{}").media_type
    'application/json'
    """
    return ResponseInPieces(
        body, status, media_type="application/json" if status < 400 else PROBLEM_TYPE
    )
