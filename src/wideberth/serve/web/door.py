"""Who may ask: the names under which a server may be called, and the bearer token."""

import hmac
import ipaddress
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from wideberth.errors import InvalidInput
from wideberth.serve.problems import RequestProblem
from wideberth.serve.web.responses import problem_response

#: The environment variable that holds the token.
TOKEN_VARIABLE = "WIDEBERTH_TOKEN"  # the name of a variable, not a token  # nosec
#: The names by which this machine calls itself.
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
#: The fewest characters of a token.
SHORTEST_TOKEN = 16
#: What may be asked for without a token: what says nothing of the model.
OPEN_PATHS = frozenset({"/", "/page.css", "/page.js", "/health"})


@dataclass(frozen=True)
class Door:
    """Who may ask a server.

    Attributes
    ----------
    token : str or None
        The token that requests must carry; None for none.
    origins : tuple of str
        The origins of web pages that may ask from a browser.
    hosts : tuple of str or None
        The names under which the server may be called, without ports; None for all.

    Examples
    --------
    >>> Door("short", (), None)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: The token has 5 characters. ...
    """

    token: str | None
    origins: tuple[str, ...]
    hosts: tuple[str, ...] | None

    def __post_init__(self) -> None:
        if self.token is None:
            return
        problem = f"has {len(self.token)} characters" if len(self.token) < SHORTEST_TOKEN else ""
        if any(not "!" <= letter <= "~" for letter in self.token):
            problem = "has characters that no header may carry"
        if problem:
            how = "python -c 'import secrets; print(secrets.token_hex())'"
            advice = f"Make one of {SHORTEST_TOKEN} letters and digits or more: {how}."
            raise InvalidInput(f"The token {problem}.", advice=advice, value=len(self.token))

    def refusal(self, path: str, headers: dict[bytes, bytes]) -> RequestProblem | None:
        """Why a request is refused; None if it may come in.

        Examples
        --------
        >>> Door("0123456789abcdef", (), None).refusal(
        ...     "/model", {b"authorization": b"Bearer 0123456789abcdef"}
        ... ) is None
        True
        """
        if self.hosts is not None and self._called(headers.get(b"host", b"")) not in self.hosts:
            return RequestProblem(
                421,
                "The server is not known under the name in the header Host.",
                "Call it by its address.",
            )
        if self.token is None or path in OPEN_PATHS:
            return None
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self.token.encode()):
            return None
        return RequestProblem(
            401,
            "The request carries no valid token.",
            "Send the header Authorization: Bearer TOKEN.",
        )

    @staticmethod
    def _called(host: bytes) -> str:
        """The name in a header, without the port."""
        name = host.decode("latin-1").lower()
        end = name.rfind(":")
        return name[:end] if end > name.rfind("]") else name


class FramingMiddleware:
    """Refuses requests of which a proxy in front may have read another end, and closes their
    connection.

    With ``Content-Length`` and ``Transfer-Encoding``, or with the latter in HTTP/1.0, where one
    request ends and the next begins depends on who reads it (RFC 9112, 6.1): the rest of the body
    could pass for a request of somebody else.

    Parameters
    ----------
    app : ASGI application
        What answers the others.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        names = {name for name, _ in scope["headers"]} if scope["type"] == "http" else set()
        if b"transfer-encoding" in names and (
            b"content-length" in names or scope["http_version"] == "1.0"
        ):
            other = "Content-Length" if b"content-length" in names else "HTTP/1.0"
            problem = RequestProblem(
                400, f"The request has Transfer-Encoding beside {other}.", "Send one of the two."
            )
            await problem_response(problem, Connection="close")(scope, receive, send)
            return
        await self._app(scope, receive, send)


class DoorMiddleware:
    """Answers requests that may not come in.

    Parameters
    ----------
    app : ASGI application
        What is behind the door.
    door : Door
        Who may come in.
    """

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app, self._door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            refused = self._door.refusal(scope["path"], dict(scope["headers"]))
            if refused is not None:
                challenge = (
                    {"WWW-Authenticate": 'Bearer realm="wideberth"'}
                    if refused.status == 401
                    else {}
                )
                await problem_response(refused, **challenge)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def read_token(file: str | None) -> str | None:
    """The token in a file, or else in the environment variable ``WIDEBERTH_TOKEN``; None if there
    is none.

    Parameters
    ----------
    file : str or None
        A file with the token alone.

    Returns
    -------
    str or None
    """
    if file is not None:
        return Path(file).read_text(encoding="utf-8").strip()
    return os.environ.get(TOKEN_VARIABLE, "").strip() or None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = {str(place[4][0]) for place in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(
        ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in found
    )


def refuse_open_door(host: str, token: str | None) -> None:
    """Raise an `InvalidInput` if others could reach a server without a token.

    Examples
    --------
    >>> refuse_open_door("0.0.0.0", None)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Other machines can reach 0.0.0.0, and there is no token. ...
    """
    if token is None and not is_loopback(host):
        raise InvalidInput(
            f"Other machines can reach {host}, and there is no token.",
            advice=f"Set {TOKEN_VARIABLE}, name a file with --token-file, or serve on 127.0.0.1.",
            value=host,
        )
