"""Responses, with the headers that all of them carry."""

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from wideberth.serve.problems import PROBLEM_TYPE, RequestProblem

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
